package builtin

import (
	"strings"
	"sync"
)

var chineseMacros = map[string]string{
	"把": `(?:把|将|让|给|使)?`,
	// 它 is the target, which Chinese often leaves out.
	"它": `(?:(?:把|将|让|给|使|对)?(?:这|这个|这段|这张|这行|这句|这些|该|此|那|那个|它|它们|它的|这里的?|里面的?|全部|所有)?的?(?P<noun>{NOUN})?(?:都|全部|也)?)?`,
	// 其 is the target where it has to be named.
	"其":    `(?:(?:这|这个|这段|这张|这行|这句|这些|该|此|那个|它|它们|这里)?的?(?P<noun>{NOUN})|它们|它|这里|这个|这些|此处|该处|这)`,
	"NOUN": alternatives(chineseNouns),
	"成":    `(?:改成|改为|改作|改到|换成|换为|变成|变为|变|替换成|替换为|设成|设为|设置成|设置为|设定为|修改成|修改为|更改成|更改为|更新为|写成|写为|叫做|命名为|重命名为|调成|调为|调整为|调到|指向|用|是|为|成|到|=|＝|[:：])`,
	"Q":    `(?P<val>[\x{E000}-\x{E0FF}])`, "VAL": `(?P<val>.+)`, "S": `[\s:：]*`,
}

var chineseRules = sync.OnceValue(func() []rule {
	out := make([]rule, 0, len(chinesePatterns))
	for _, p := range chinesePatterns {
		out = append(out, rule{re: compile(chineseMacros, p.pattern), build: p.build})
	}
	return out
})

// chinesePatterns in the order they are tried.
var chinesePatterns = []pattern{
	// One text by another.
	{`{把}(?:文字|文本|内容|单词|词语?|数字|价格|年份|日期|名字|其中的?|里面的?)?(?P<from>[\x{E000}-\x{E0FF}]|[$€£¥]?[\d.,:%/-]+){S}{成}{S}(?P<val>[\x{E000}-\x{E0FF}]|[$€£¥]?[\d.,:%/-]+)`, swap},
	{`用(?P<val>[\x{E000}-\x{E0FF}])(?:替换|代替|取代)(?:掉)?(?P<from>[\x{E000}-\x{E0FF}])`, swap},
	{`{把}(?P<from>[\x{E000}-\x{E0FF}])(?:删除|删掉|删去|去掉|移除)`, dropText},
	{`(?:删除|删掉|删去|去掉|移除)(?:文字|文本|单词|词语?|内容|其中的)?(?P<from>[\x{E000}-\x{E0FF}])(?:这个词|这几个字|这个字|这句话|这些字)?`, dropText},
	{`在?(?:文字|文本|标题|内容|{其})?的?(?:末尾|结尾|最后)(?:加上?|添加|写上?|补上?){Q}`, addText(appendText)},
	{`在?(?:文字|文本|标题|内容|{其})?的?(?:开头|最前面)(?:加上?|添加|写上?|补上?){Q}`, addText(prependText)},

	// Classes.
	{`{它}(?:添加|增加|加上|加入|加|新增)(?:一个)?(?:css)?\s*(?:类名|样式类|类|class){S}(?P<val>\S+)`, class(addClass)},
	{`{它}(?:添加|增加|加上|加入|加|新增)(?:一个)?(?P<val>[\x{E000}-\x{E0FF}]|[A-Za-z][\w-]*)\s*(?:类名|样式类|这个类|类|class)`, class(addClass)},
	{`{它}(?:删除|删掉|移除|去掉|去除)(?:css)?\s*(?:类名|样式类|类|class){S}(?P<val>\S+)`, class(removeClass)},
	{`{它}(?:删除|删掉|移除|去掉|去除)(?P<val>[\x{E000}-\x{E0FF}]|[A-Za-z][\w-]*)\s*(?:类名|样式类|这个类|类|class)`, class(removeClass)},

	// Attributes taken away.
	{`{它}(?:删除|删掉|移除|去掉|去除)(?:它的|其)?\s*(?P<attr>[A-Za-z_:][\w:.-]*|[\x{E000}-\x{E0FF}]|替代文字|替代文本|占位符|占位文字|提示)\s*属性`, noAttribute(true)},
	{`{它}(?:删除|删掉|移除|去掉|去除)属性\s*(?P<attr>[A-Za-z_:][\w:.-]*|[\x{E000}-\x{E0FF}])`, noAttribute(true)},
	{`{它}(?:删除|删掉|移除|去掉|去除)(?:它的|其)?(?P<attr>替代文字|替代文本|占位符|占位文字|占位文本|悬停提示|提示文字|alt|href|id|placeholder)`, noAttribute(false)},
	{`{把}\s*(?P<attr>[A-Za-z_:][\w:.-]*)\s*属性(?:删除|删掉|移除|去掉|去除)`, noAttribute(true)},

	// Styles taken away.
	{`{它}(?:取消|去掉|去除|删除|移除)(?:它的|其)?(?P<adj>加粗|粗体|斜体|下划线|删除线|背景色?|背景颜色)`, chineseUndo},

	// Colours, sizes, alignment.
	{`{它}的?(?:背景色|背景颜色|背景|底色){S}{成}{S}{VAL}`, colourOf("background-color")},
	{`{把}(?:背景色|背景颜色|背景|底色){S}{成}?{S}{VAL}`, colourOf("background-color")},
	{`{它}(?:加上?|添加|换上?|用)(?:一个)?(?P<val>[^\s，,]+?色?)(?:的)?(?:背景色|背景颜色|背景|底色)`, colourOf("background-color")},
	{`{它}的?(?:文字颜色|字体颜色|字的颜色|颜色|字色){S}{成}{S}{VAL}`, colourOf("color")},
	{`{它}的?(?:{成}|标成?|染成?|涂成?|标为|显示为|显示成|弄成|搞成){S}(?P<val>[^\s]+色|#[0-9a-fA-F]{3,8}|rgba?\(.*\)|红|蓝|绿|黄|黑|白|灰|紫|橙|粉)(?:的|的字|字体|字)?`, colourOf("color")},
	{`{它}(?:标|变|染)(?P<val>红|蓝|绿|黄|黑|白|灰|紫|橙|粉)色?`, colourOf("color")},
	{`(?P<val>[^\s]{1,4}色)`, colourOf("color")},
	{`{它}的?(?:字号|字体大小|文字大小|字体尺寸|字大小|大小){S}{成}?{S}(?P<val>\d[\d.]*\s*(?:px|pt|em|rem|%|像素|磅|号)?)`, fontSize},
	{`{它}的?(?:{成})?{S}(?P<val>\d[\d.]*\s*(?:px|像素|pt|磅|号))(?:的?(?:字|字体|大小|字号))?`, fontSize},
	{`{它}的?字体{S}{成}{S}{VAL}`, fontFamily},
	{`(?:设置|修改|设定)?{它}的?(?P<attr>宽度|高度|宽|高){S}{成}{S}{VAL}`, chineseDimension},
	{`{它}(?:的?文字|的?文本|的?内容)?(?:{成}|设置|进行|显示为)?{S}(?P<adj>加粗|变粗|粗体|粗一点|粗一些|粗|黑体字|斜体|变斜|倾斜|下划线|加下划线|加个下划线|加一条下划线|加上下划线|添加下划线|带下划线|删除线|加删除线|加个删除线|加上删除线|添加删除线|划掉|居中|居中对齐|水平居中|左对齐|靠左|靠左对齐|右对齐|靠右|靠右对齐|两端对齐|大写|全部大写|全大写|小写|全部小写|全小写|首字母大写|更大|更大一点|更大一些|更小|更小一点|更小一些|大一点|大一些|大一号|小一点|小一些|小一号|变大|变小|变大一点|变小一点|放大|放大一点|放大一些|缩小|缩小一点|缩小一些|调大|调大一点|调大一些|调小|调小一点|调小一些|加大|加大一点|减小|禁用|必填|只读)(?:的)?(?:显示)?`, chineseLook},
	{`{它}的?(?:字号|字体|文字|字|大小)(?P<adj>更大|变大|放大|调大|加大|增大|大一点|大一些|大一号|更小|变小|缩小|调小|减小|小一点|小一些|小一号)(?:一点|一些)?`, chineseLook},
	{`(?P<adj>放大|缩小|加粗|加大|增大|减小|调大|调小)(?:一下)?{其}(?:的?(?:字号|字体|文字|大小))?`, chineseLook},
	{`(?P<adj>放大|加大|增大|调大|减小|缩小|调小)(?:字号|字体|文字|字体大小|大小)(?:一点|一些)?`, chineseLook},
	{`{它}(?:在)?新(?:标签页?|窗口|页面)(?:中|里|内)?打开`, constant(step{Kind: setAttribute, Name: "target", Value: "_blank"})},

	// Attributes.
	{`(?:设置|修改|更改|设定)?{它}的?\s*(?P<attr>[A-Za-z_:][\w:.-]*)\s*(?:属性)(?:的值)?{S}{成}{S}{VAL}`, attributeTo(true)},
	{`(?:设置|修改|更改|设定|添加|增加)?{它}属性\s*(?P<attr>[A-Za-z_:][\w:.-]*)(?:的值)?{S}{成}{S}{VAL}`, attributeTo(true)},
	{`(?:设置|修改|更改|设定)?{它}的?\s*(?P<attr>{ATTR})(?:属性)?{S}{成}{S}{VAL}`, attributeTo(false)},
	{`{它}(?:添加|增加|加上|加)(?P<attr>{ATTR})(?:属性)?{S}{成}?{S}(?P<val>[\x{E000}-\x{E0FF}])`, attributeTo(false)},
	{`(?:设置|修改|更改)?{把}(?:超?链接|链接地址|网址|地址|跳转){S}{成}(?:到)?{S}{VAL}`, linkTo},
	{`{它}(?:超?链接|指向|跳转)(?:到|至)?{S}{VAL}`, linkTo},

	// Text.
	{`{把}(?:它|这|这个|这里|这段|此|该)?的?(?P<noun>{NOUN})(?:的)?(?:文字|文本|内容)?{S}{成}{S}{VAL}`, newText},
	{`{把}(?:它|这|这个|这里|这段|此处|该处|这句话)?的?(?:文字|文本|内容)?{S}{成}{S}{Q}`, newText},
	{`(?:修改|更改|更新|替换|改|换)(?:一下)?(?:{其})?{S}(?:成|为){S}{Q}`, newText},
	{`(?:修改|更改|更新|替换|改)(?:一下)?(?P<noun>{NOUN}){S}(?:成|为){S}{VAL}`, newText},
	{`(?:文字|文本|内容)(?:应该|应|要)?{成}{S}{VAL}`, newText},
	{`{成}{S}{Q}`, newText},
	{`{它}(?:重命名|改名){S}(?:成|为)?{S}{VAL}`, newText},
	{`{它}(?:显示|写)(?:为|成|上|着)?{S}{Q}`, newText},

	// There or not there.
	{`(?:隐藏|藏起来?)(?:一下)?(?:{其})?`, constant(style("display", "none"))},
	{`{它}(?:隐藏|藏起来)(?:起来|掉)?`, constant(style("display", "none"))},
	{`(?:显示|显示出来|取消隐藏)(?:{其})?`, constant(step{Kind: show})},
	{`{它}(?:显示出来|显示|取消隐藏|露出来)`, constant(step{Kind: show})},
	{`(?:删除|删掉|删去|移除|去掉|去除|拿掉|清除)(?:一下)?(?:{其})?`, remove},
	{`{它}(?:删除|删掉|删去|移除|去掉|去除|拿掉|清除|删了|删)`, remove},
}

func init() {
	words := map[string]map[string]bool{}
	for w := range chineseAttributes {
		words[w] = nil
	}
	for _, a := range strings.Fields(`alt href title src class id placeholder lang target rel value width height name type role for content
colspan rowspan action method datetime poster tabindex maxlength min max step loading srcset`) {
		words[a] = nil
	}
	chineseMacros["ATTR"] = `(?:` + alternatives(words) + `|data-[a-z0-9_.-]+|aria-[a-z0-9-]+)`
}

var chineseLooks = []struct {
	words string
	step  step
}{
	{"加粗 变粗 粗体 粗一点 粗一些 粗 黑体字", style("font-weight", "bold")},
	{"斜体 变斜 倾斜", style("font-style", "italic")},
	{"下划线 加下划线 加个下划线 加一条下划线 加上下划线 添加下划线 带下划线", style("text-decoration", "underline")},
	{"删除线 加删除线 加个删除线 加上删除线 添加删除线 划掉", style("text-decoration", "line-through")},
	{"居中 居中对齐 水平居中", style("text-align", "center")},
	{"左对齐 靠左 靠左对齐", style("text-align", "left")},
	{"右对齐 靠右 靠右对齐", style("text-align", "right")},
	{"两端对齐", style("text-align", "justify")},
	{"大写 全部大写 全大写", style("text-transform", "uppercase")},
	{"小写 全部小写 全小写", style("text-transform", "lowercase")},
	{"首字母大写", style("text-transform", "capitalize")},
	{"更大 更大一点 更大一些 大一点 大一些 大一号 变大 变大一点 放大 放大一点 放大一些 调大 调大一点 调大一些 加大 加大一点 增大", style("font-size", "larger")},
	{"更小 更小一点 更小一些 小一点 小一些 小一号 变小 变小一点 缩小 缩小一点 缩小一些 调小 调小一点 调小一些 减小", style("font-size", "smaller")},
	{"禁用", step{Kind: setAttribute, Name: "disabled"}},
	{"必填", step{Kind: setAttribute, Name: "required"}},
	{"只读", step{Kind: setAttribute, Name: "readonly"}},
}

func chineseLook(c clause) ([]step, bool) {
	w := c.get("adj")
	for _, l := range chineseLooks {
		for _, word := range strings.Fields(l.words) {
			if w == word {
				return c.one(l.step)
			}
		}
	}
	return nil, false
}

func chineseUndo(c clause) ([]step, bool) {
	w := c.get("adj")
	switch {
	case strings.Contains(w, "粗"):
		return c.one(style("font-weight", "normal"))
	case strings.Contains(w, "斜"):
		return c.one(style("font-style", "normal"))
	case strings.Contains(w, "线"):
		return c.one(style("text-decoration", "none"))
	case strings.Contains(w, "背景"):
		return c.one(style("background-color", "transparent"))
	}
	return nil, false
}

func chineseDimension(c clause) ([]step, bool) {
	name := "width"
	if strings.HasPrefix(c.get("attr"), "高") {
		name = "height"
	}
	l, ok := length(c.get("val"))
	return c.on([]step{{Kind: setStyle, Name: name, Value: l, Sized: true}}, ok)
}
