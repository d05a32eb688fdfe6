package builtin

import (
	"fmt"
	"strings"
	"testing"
)

// brief writes steps shortly: kind name=value from→value @noun.
func brief(steps []step) string {
	var out []string
	for _, s := range steps {
		switch s.Kind {
		case replaceText:
			out = append(out, fmt.Sprintf("text %q", s.Value))
		case swapText:
			out = append(out, fmt.Sprintf("swap %q %q", s.From, s.Value))
		case setAttribute:
			out = append(out, fmt.Sprintf("%s=%q", s.Name, s.Value))
		case removeAttribute:
			out = append(out, "-"+s.Name)
		case setStyle:
			d := s.Name + ": " + s.Value
			if s.Factor > 0 {
				d += fmt.Sprintf(" ×%.3g", s.Factor)
			}
			out = append(out, d)
		case addClass:
			out = append(out, "+."+s.Name)
		case removeClass:
			out = append(out, "-."+s.Name)
		case appendText, prependText:
			out = append(out, fmt.Sprintf("%s %q", strings.TrimSuffix(s.Kind, "_text"), s.Value))
		case removeNode:
			out = append(out, "remove")
		default:
			out = append(out, s.Kind)
		}
	}
	return strings.Join(out, "; ")
}

var understood = []struct{ say, want string }{
	// Text, English.
	{`change the text to "Quarterly report"`, `text "Quarterly report"`},
	{`Change the text to “Quarterly report”.`, `text "Quarterly report"`},
	{`set the text to 'Quarterly report'`, `text "Quarterly report"`},
	{`replace the text with "A < B & C"`, `text "A < B & C"`},
	{`change the text to: "Hello"`, `text "Hello"`},
	{`please change this to "Hello, world"`, `text "Hello, world"`},
	{`Could you change the heading to "About us"?`, `text "About us"`},
	{`change it to "and make it bold"`, `text "and make it bold"`},
	{`make it say "Buy now"`, `text "Buy now"`},
	{`Make the button say 'Buy now'`, `text "Buy now"`},
	{`it should say "Buy now"`, `text "Buy now"`},
	{`it should read “Sold out”`, `text "Sold out"`},
	{`rename it to "Products"`, `text "Products"`},
	{`rename this to Products`, `text "Products"`},
	{`rename to "Products"`, `text "Products"`},
	{`call it "Products"`, `text "Products"`},
	{`update the price to "$25"`, `text "$25"`},
	{`update the price to $25`, `text "$25"`},
	{`change the text to Quarterly report`, `text "Quarterly report"`},
	{`change the text to Salt and pepper`, `text "Salt and pepper"`},
	{`change the text to Hello and make it bold`, `text "Hello"; font-weight: bold`},
	{`change the text to "Hello" and make it bold`, `text "Hello"; font-weight: bold`},
	{`set the button text to "Send"`, `text "Send"`},
	{`change the button's text to "Send"`, `text "Send"`},
	{`change the text of this to "Send"`, `text "Send"`},
	{`set the content to «Bonjour»`, `content="Bonjour"`},
	{`change the headline to ‘It’s here’`, `text "It’s here"`},
	{`change the link text to "Read more"`, `text "Read more"`},
	{`change the link to "Read more"`, `text "Read more"`},
	{`text: "Hello"`, `text "Hello"`},
	{`change the year to 2025`, `text "2025"`},
	// Swapping.
	{`change "old" to "new"`, `swap "old" "new"`},
	{`replace "old" with "new"`, `swap "old" "new"`},
	{`replace the word "old" with "new"`, `swap "old" "new"`},
	{`replace 'a' by 'b' in the text`, `swap "a" "b"`},
	{`change the text from "old" to "new"`, `swap "old" "new"`},
	{`change 2023 to 2024`, `swap "2023" "2024"`},
	{`"colour" -> "color"`, `swap "colour" "color"`},
	{`"teh" should be "the"`, `swap "teh" "the"`},
	{`remove the word "very"`, `swap "very" ""`},
	{`delete "draft" from the heading`, `swap "draft" ""`},
	// Looks, English.
	{`make it bold`, `font-weight: bold`},
	{`Make it bold!`, `font-weight: bold`},
	{`bold`, `font-weight: bold`},
	{`make this bold, please`, `font-weight: bold`},
	{`can you make it bold?`, `font-weight: bold`},
	{`I want it bold`, `font-weight: bold`},
	{`it should be bold`, `font-weight: bold`},
	{`make the heading bold`, `font-weight: bold`},
	{`make it italic`, `font-style: italic`},
	{`italicize it`, `font-style: italic`},
	{`put it in italics`, `font-style: italic`},
	{`underline it`, `text-decoration: underline`},
	{`make it underlined`, `text-decoration: underline`},
	{`strike it through`, `text-decoration: line-through`},
	{`make it strikethrough`, `text-decoration: line-through`},
	{`cross it out`, `text-decoration: line-through`},
	{`make it larger`, `font-size: larger`},
	{`make it a bit bigger`, `font-size: larger`},
	{`make the text smaller`, `font-size: smaller`},
	{`increase the font size`, `font-size: larger`},
	{`make it red`, `color: red`},
	{`make the text red`, `color: red`},
	{`turn it dark blue`, `color: darkblue`},
	{`make it #ff8800`, `color: #ff8800`},
	{`make it #FFF`, `color: #FFF`},
	{`make it rgb(10, 20, 30)`, `color: rgb(10, 20, 30)`},
	{`set the color to rgba(1,2,3,0.5)`, `color: rgba(1,2,3,0.5)`},
	{`change the colour to green`, `color: green`},
	{`change it to red`, `color: red`},
	{`color it tomato`, `color: tomato`},
	{`color: rebeccapurple`, `color: rebeccapurple`},
	{`set the background color to yellow`, `background-color: yellow`},
	{`make the background light blue`, `background-color: lightblue`},
	{`give it a yellow background`, `background-color: yellow`},
	{`highlight it in yellow`, `background-color: yellow`},
	{`center it`, `text-align: center`},
	{`make it centred`, `text-align: center`},
	{`align it to the right`, `text-align: right`},
	{`left-align the text`, `text-align: left`},
	{`make it uppercase`, `text-transform: uppercase`},
	{`make it all caps`, `text-transform: uppercase`},
	{`set the font size to 20`, `font-size: 20px`},
	{`set font size to 1.5em`, `font-size: 1.5em`},
	{`change the font-size to 18 px`, `font-size: 18px`},
	{`make it 24px`, `font-size: 24px`},
	{`set the font to Georgia`, `font-family: Georgia`},
	{`set line height to 1.6`, `line-height: 1.6`},
	{`set the padding to 8px`, `padding: 8px`},
	{`set border radius to 4`, `border-radius: 4px`},
	{`set opacity to 0.5`, `opacity: 0.5`},
	{`set border to 1px solid red`, `border: 1px solid red`},
	{`make it not bold`, `font-weight: normal`},
	{`remove the underline`, `text-decoration: none`},
	{`make it bold and red`, `font-weight: bold; color: red`},
	{`make it bold, italic and underlined`, `font-weight: bold; font-style: italic; text-decoration: underline`},
	{`set the text to bold and red`, `font-weight: bold; color: red`},
	{`make it bold, then hide it`, `font-weight: bold; display: none`},
	{`Please make it larger and center it.`, `font-size: larger; text-align: center`},
	{`make it bold. set alt to "x"`, `font-weight: bold; alt="x"`},
	// Visibility and removal.
	{`hide it`, `display: none`},
	{`hide this element`, `display: none`},
	{`make it invisible`, `display: none`},
	{`show it`, `show`},
	{`unhide it`, `show`},
	{`remove it`, `remove`},
	{`delete this`, `remove`},
	{`remove this element`, `remove`},
	{`please delete the paragraph`, `remove`},
	{`get rid of it`, `remove`},
	// Attributes, English.
	{`set href to /contact`, `href="/contact"`},
	{`set href to "/contact"`, `href="/contact"`},
	{`change the href to https://example.com/a?b=c#d`, `href="https://example.com/a?b=c#d"`},
	{`change the link to /about`, `href="/about"`},
	{`link it to https://example.com`, `href="https://example.com"`},
	{`make it link to /pricing`, `href="/pricing"`},
	{`point it to mailto:a@example.com`, `href="mailto:a@example.com"`},
	{`set the alt text to "A red bicycle"`, `alt="A red bicycle"`},
	{`set alt to A red bicycle`, ``},
	{`set alt="A red bicycle"`, `alt="A red bicycle"`},
	{`add alt text "A cat"`, `alt="A cat"`},
	{`set title to "Hint"`, `title="Hint"`},
	{`set the tooltip to "Hint"`, `title="Hint"`},
	{`set src to images/a.png`, `src="images/a.png"`},
	{`change the image to "cat.png"`, `src="cat.png"`},
	{`set class to "hero big"`, `class="hero big"`},
	{`set id to main-title`, `id="main-title"`},
	{`set the placeholder to "Your name"`, `placeholder="Your name"`},
	{`set aria-label to "Close"`, `aria-label="Close"`},
	{`set lang to fr`, `lang="fr"`},
	{`set target to _blank`, `target="_blank"`},
	{`open it in a new tab`, `target="_blank"`},
	{`set rel to "noopener"`, `rel="noopener"`},
	{`set width to 300`, `width: 300px`},
	{`set the height to 50%`, `height: 50%`},
	{`set data-role to "x"`, `data-role="x"`},
	{`set the data-x attribute to 5`, `data-x="5"`},
	{`set the attribute fill to "red"`, `fill="red"`},
	{`set alt to "a" and title to "b"`, `alt="a"; title="b"`},
	{`set alt to "a", title to "b"`, `alt="a"; title="b"`},
	{`remove the title attribute`, `-title`},
	{`remove the attribute "data-x"`, `-data-x`},
	{`remove the alt text`, `-alt`},
	{`add the class "active"`, `+."active"`},
	{`add class active`, `+.active`},
	{`add "active" to its classes`, `+.active`},
	{`add the active class`, `+.active`},
	{`give it the class "wide"`, `+.wide`},
	{`remove the class "old"`, `-.old`},
	{`remove class old and add class new`, `-.old; +.new`},
	{`add classes "a b"`, `+.a; +.b`},
	{`remove class "a b"`, `-.a; -.b`},
	{`set width to 300 and height to 200`, `width: 300px; height: 200px`},
	{`change image to new.png`, `src="new.png"`},
	{`change to "X"`, `text "X"`},
	{`make the text "X"`, `text "X"`},
	{`the heading should be "X"`, `text "X"`},
	{`color: red; background: blue`, `color: red; background-color: blue`},
	{`align left`, `text-align: left`},
	{`make it 300px wide`, `width: 300px`},
	{`change the date to March 3, 2025 and make it bold`, `text "March 3, 2025"; font-weight: bold`},
	{`make it disabled`, `disabled=""`},
	{`shorten this to "Short"`, `text "Short"`},
	{`change to €260`, `text "€260"`},
	{`it should be €199`, `text "€199"`},
	{`240 -> 260`, `swap "240" "260"`},
	{`fix the typo: "teh" should be "the"`, `swap "teh" "the"`},
	{`change every day to "each morning"`, `swap "every day" "each morning"`},
	{`add "!" at the end`, `append "!"`},
	{`append " today"`, `append " today"`},
	{`add a period at the end`, `append "."`},
	{`add "New: " at the beginning`, `prepend "New: "`},
	{`use all caps`, `text-transform: uppercase`},
	{`use a serif font`, `font-family: serif`},
	{`make it 20% smaller`, `font-size: smaller ×0.8`},
	{`make the text 10 percent larger`, `font-size: larger ×1.1`},
	{`add a red border`, `border: 1px solid red`},
	{`give it a 2px solid navy border`, `border: 2px solid navy`},
	{`add a border`, `border: 1px solid`},
	{`give it rounded corners`, `border-radius: 8px`},
	{`add a shadow`, `box-shadow: 0 2px 8px rgba(0, 0, 0, 0.2)`},
	{`add 20px margin below`, `margin-bottom: 20px`},
	{`add 12px of padding`, `padding: 12px`},
	{`add 20px of space above it`, `margin-top: 20px`},
	{`open in new tab`, `target="_blank"`},
	{`disable the button`, `disabled=""`},
	{`make the button green`, `background-color: green`},
	{`make the button bold and green`, `font-weight: bold; background-color: green`},
	{`make the button text green`, `color: green`},
	{`change the button's text color to green`, `color: green`},
	{`delete this card`, `remove`},
	{`make this row bold`, `font-weight: bold`},
	{`make this bar red`, `color: red`},
	{`make this field optional`, `-required`},
	{`highlight this row in yellow`, `background-color: yellow`},
	{`make this heading bold and this text red`, `font-weight: bold; color: red`},
	// Chinese.
	{`按钮改成绿色`, `background-color: green`},
	{`按钮文字改成绿色`, `color: green`},
	{`加个下划线`, `text-decoration: underline`},
	{`背景换成浅黄色`, `background-color: lightyellow`},
	{`标题变大一点`, `font-size: larger`},
	{`在末尾加上“！”`, `append "！"`},
	{`在开头加上“新：”`, `prepend "新："`},
	{`把文字改成“季度报告”`, `text "季度报告"`},
	{`把文字改成「季度报告」`, `text "季度报告"`},
	{`将标题改为“关于我们”。`, `text "关于我们"`},
	{`把标题改成季度报告`, `text "季度报告"`},
	{`请把这个按钮的文字改成“立即购买”`, `text "立即购买"`},
	{`改成“你好”`, `text "你好"`},
	{`改为"你好"`, `text "你好"`},
	{`文字改为『你好，世界』`, `text "你好，世界"`},
	{`把它改成“新的”`, `text "新的"`},
	{`把“旧”改成“新”`, `swap "旧" "新"`},
	{`把2023改成2024`, `swap "2023" "2024"`},
	{`删除“草稿”`, `swap "草稿" ""`},
	{`加粗`, `font-weight: bold`},
	{`请加粗`, `font-weight: bold`},
	{`把它加粗`, `font-weight: bold`},
	{`文字加粗`, `font-weight: bold`},
	{`加粗标题`, `font-weight: bold`},
	{`斜体`, `font-style: italic`},
	{`改成斜体`, `font-style: italic`},
	{`加下划线`, `text-decoration: underline`},
	{`加上删除线`, `text-decoration: line-through`},
	{`变红`, `color: red`},
	{`红色`, `color: red`},
	{`改成红色`, `color: red`},
	{`把文字变成蓝色`, `color: blue`},
	{`颜色改为#336699`, `color: #336699`},
	{`把字体颜色改成绿色`, `color: green`},
	{`背景改成黄色`, `background-color: yellow`},
	{`把背景颜色设为浅灰色`, `background-color: lightgray`},
	{`放大`, `font-size: larger`},
	{`放大一点`, `font-size: larger`},
	{`字号调大一点`, `font-size: larger`},
	{`缩小`, `font-size: smaller`},
	{`把字号改成20`, `font-size: 20px`},
	{`字体大小设为18像素`, `font-size: 18px`},
	{`居中`, `text-align: center`},
	{`居中对齐`, `text-align: center`},
	{`隐藏`, `display: none`},
	{`把它隐藏`, `display: none`},
	{`隐藏这个元素`, `display: none`},
	{`显示它`, `show`},
	{`删除`, `remove`},
	{`删除它`, `remove`},
	{`帮我把这个删掉`, `remove`},
	{`移除这个段落`, `remove`},
	{`链接改成 https://example.com`, `href="https://example.com"`},
	{`把链接改为“/contact”`, `href="/contact"`},
	{`设置alt为“一只猫”`, `alt="一只猫"`},
	{`把替代文字设为“一只猫”`, `alt="一只猫"`},
	{`设置 href 为 /about`, `href="/about"`},
	{`设置title属性为“提示”`, `title="提示"`},
	{`占位符改成“请输入姓名”`, `placeholder="请输入姓名"`},
	{`移除title属性`, `-title`},
	{`添加类“active”`, `+.active`},
	{`添加class active`, `+.active`},
	{`移除类名“old”`, `-.old`},
	{`加粗并变红`, `font-weight: bold; color: red`},
	{`把文字改成“你好”，然后加粗`, `text "你好"; font-weight: bold`},
	{`加粗、居中，再改成红色`, `font-weight: bold; text-align: center; color: red`},
	{`取消加粗`, `font-weight: normal`},
	{`能不能把它加粗？`, `font-weight: bold`},
	{`麻烦把标题改成“你好”，谢谢`, `text "你好"`},
	{`可以把它改成绿色吗？`, `color: green`},
	{`你能把它加粗吗`, `font-weight: bold`},
	{`请把这段文字改成“你好”，然后加粗，最后居中`, `text "你好"; font-weight: bold; text-align: center`},
	{`把“A”换成“B”，并加粗`, `swap "A" "B"; font-weight: bold`},
	{`标题变成红色并加粗`, `color: red; font-weight: bold`},
	{`设置宽度为300`, `width: 300px`},
	{`移除这张图片`, `remove`},
	{`价格改为¥99`, `text "¥99"`},
	{`把字号调到24`, `font-size: 24px`},
	{`字体改为“微软雅黑”`, `font-family: 微软雅黑`},
	{`给它加上class“wide”`, `+.wide`},
	{`删除placeholder`, `-placeholder`},
	{`文字居中`, `text-align: center`},
	{`在新标签页打开`, `target="_blank"`},
}

// What a wrong guess about would harm: all of these must be answered, not done.
var notUnderstood = []string{
	``, ` `, `?`, `"Hello"`, `hello`, `make it look nicer`, `make it better`, `don't remove it`, `don’t make it bold`, `do not hide it`,
	`never remove it`, `remove the second word`, `remove the first sentence`, `delete the last row`, `remove everything except the title`,
	`make the first letter bold`, `make the word "sale" bold`, `make every other row grey`, `make it red on hover`, `make it blue when clicked`,
	`why is it red?`, `is it bold?`, `should it be bold?`, `what is this`, `change the text`, `change the text to`, `set href`, `set href to`,
	`change the text to something nicer`, `change the text to French`, `translate it to French`, `change the text to uppercase letters`,
	`change the text to the same as the heading`, `change the text to match the title`, `make it say something friendlier`,
	`change the text to Hello and make it look nicer`, `make it bold and fix the layout`, `make it bold but not red`, `make it bold unless it is red`,
	`make it bold or italic`, `either hide or remove it`, `remove it if it is empty`, `remove the link but keep the text`, `remove the link`, `remove the text`,
	`move it up`, `move it to the footer`, `swap it with the next one`, `add a button below`, `insert a paragraph after this`, `duplicate it`,
	`make it responsive`, `fix the typo`, `fix the spelling`, `shorten the text`, `make the text shorter`, `summarize this`, `rewrite it`,
	`use a better font`, `change the font to something modern`, `set the color to something warmer`, `make it the same color as the logo`, `use our brand color`,
	`make it much larger than the heading`, `make it twice as big`, `set class`, `add a class`, `add a class to it`, `remove a class`,
	`set width to wide`, `set the padding to big`, `set the link to the contact page`, `link it to the contact page`, `set href to the homepage`,
	`change "a" to`, `change to "b" from`, `change the text to "unclosed`, `remove it and`, `make it bold and then`, `undo that`, `revert`, `no`, `stop`,
	`keep it bold`, `leave it as it is`, `I don't want it bold`, `it shouldn't be bold`, `stop hiding it`, `not bold enough`,
	`remove the ads from the page`, `hide all links in the footer`, `set background to url(http://evil.example/x.png)`,
	`make it bold; drop table users`, `run alert(1)`, `add an onclick handler`, `change the title`,
	`make it more red`, `make it white on black`, `make it huge`, `set the color to blue, not red`, `replace this with nothing`, `toggle the class active`,
	`make it clickable`, `unlink it`, `make it normal`, `hide it on mobile`, `delete it and the next one`, `delete everything`, `capitalize the first letter`,
	`add a nice border`, `add more space below it`, `add some padding`, `add a caption at the end`, `append a paragraph`, `use a better border`,
	`make it 200% larger`, `add a paragraph "x" at the end`, `change every day to each morning`, `make it less bold`, `disable it on mobile`,
	`在后面加一段`, `加个好看的边框`,
	`onclick="x"`, `set opacity to half`, `make it bold in the header`, `make it no longer bold`, `maybe make it red`, `make it bold/red`,
	`让它更好看`, `好看一点`, `不要删除它`, `别删`, `不要加粗`, `把第二个词删掉`, `删除第一行`, `删除文字`, `删除链接`, `翻译成英文`, `改成英文`, `把文字改成英文`,
	`把文字改成更简洁的`, `改得好一点`, `改成和标题一样的颜色`, `鼠标悬停时变红`, `如果为空就删除`, `移到上面`, `在下面加一个按钮`, `为什么是红色？`, `这是什么`,
	`文字改成空`, `改成红色还是蓝色`, `改成红色或蓝色`, `改成浅一点的红色`, `改成更深的蓝色`,
	`把第一个字加粗`, `把“你好”加粗`, `手机上隐藏`, `点击时变红`, `改成标题`, `和标题一样大`, `要不要加粗`, `不加粗`, `可以吗`, `能加粗吗？为什么`,
	`文字改成红色的“你好”`, `加粗并优化排版`, `把文字改成`, `链接改成联系页面`, `加粗或者斜体`, `除了标题都删除`, `复制一份`, `缩短文字`, `换个字体`, `换个颜色`, `修正错别字`,
}

// D12, R-MODEL-1: plain instructions in both languages, each read as exactly
// this.
func TestUnderstood(t *testing.T) {
	for _, tc := range understood {
		steps, ok := parse(tc.say)
		want := strings.ReplaceAll(strings.ReplaceAll(tc.want, `+."active"`, `+.active`), `-."old"`, `-.old`)
		if got := brief(steps); got != want || ok != (want != "") {
			t.Errorf("%s\n\tgot  %s (%t)\n\twant %s", tc.say, got, ok, want)
		}
	}
}

// D12: what is not plain is not guessed at.
func TestNotUnderstood(t *testing.T) {
	for _, say := range notUnderstood {
		if steps, ok := parse(say); ok {
			t.Errorf("%q was read as %s", say, brief(steps))
		}
	}
}

// A long or hostile instruction costs no more than a plain one would.
func TestLongInstructions(t *testing.T) {
	for _, say := range []string{
		strings.Repeat("make it bold and ", 15) + "make it red",
		strings.Repeat("make the the the ", 30), strings.Repeat("change the text to A, ", 25), strings.Repeat("set alt to A and ", 30),
		strings.Repeat("把它改成", 40), strings.Repeat("加粗并", 60), strings.Repeat("a", 1<<20), strings.Repeat("make it bold and ", 1<<16),
	} {
		parse(say)
	}
	long := strings.Repeat("x", 10_000)
	if steps, ok := parse(`change the text to "` + long + `"`); !ok || steps[0].Value != long {
		t.Error("a long quoted text is as good as a short one")
	}
}
