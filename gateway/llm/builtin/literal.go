package builtin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A new text without quotes is taken only where it can hardly be anything but
// literal text. "Change the text to French" asks for a translation, "to
// something shorter" for an idea; a wrong guess would be written into the page.
const (
	maxLiteralRunes = 120
	maxLiteralWords = 14
)

// notLiteral are words whose presence means that a value describes something
// instead of being it.
var notLiteral = set(`something anything nothing whatever else more less better nicer shorter longer same similar
different another other french german spanish italian english chinese japanese korean russian portuguese dutch
arabic hindi polish turkish swedish latin mandarin cantonese uppercase lowercase capitals caps bold italic italics
underlined strikethrough arial helvetica verdana georgia roboto times courier serif monospace heading paragraph
h1 h2 h3 h4 h5 h6 larger smaller bigger centered centred hidden visible instead without except unless
it its them this that`)

// verbs begin a further instruction rather than go on with a text.
var verbs = regexp.MustCompile(`(?i)^(?:and\s+|then\s+|also\s+|please\s+)*(?:make|set|change|turn|remove|delete|add|hide|show|put|move|replace|rename|use|give|keep|don'?t|don’t|do|not|never|center|centre|align|bold|italic\w*|underline\w*|strike|color|colour|increase|decrease|reduce|enlarge|shrink|let|link|point|update|translate|fix|leave|but|if|when|where|on|in|with|for|so|because|which|it|the)\b`)

// literal gives an unquoted English value as text, where it can only be that.
func literal(s string) (string, bool) {
	s = strings.TrimSpace(s)
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > maxLiteralWords || utf8.RuneCountInString(s) > maxLiteralRunes {
		return "", false
	}
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) && !strings.ContainsRune("$€£¥#+-", first) && !unicode.Is(unicode.Han, first) {
		return "", false
	}
	for _, w := range words {
		w = strings.ToLower(strings.Trim(w, ".,;:!?()"))
		if notLiteral[w] || colours[w] {
			return "", false
		}
	}
	pieces := separator.Split(s, -1)
	for _, p := range pieces[1:] {
		if verbs.MatchString(p) {
			return "", false
		}
	}
	return s, true
}

// notChineseLiteral are pieces that mean a value describes something.
var notChineseLiteral = regexp.MustCompile(`^空|^无|更|一些|一点|一样|相同|类似|其他|别的|另外|英文|中文|英语|汉语|日文|日语|法语|法文|德语|德文|俄语|韩语|繁体|简体|拼音|大写|小写|粗体|斜体|加粗|字体|宋体|黑体|楷体|颜色|红色|蓝色|绿色|黄色|黑色|白色|灰色|紫色|橙色|粉色|下划线|删除线|居中|对齐|隐藏|显示|删除|删掉|移除|去掉|不要|不是|别|如果|但|的样子|什么|某|它|这个|那个|上面|下面|前面|后面|第[一二三四五六七八九十\d]|标题[一二三四五六\d]|大一|小一`)

var chineseVerb = regexp.MustCompile(`^(?:再|然后|并|同时|也)*(?:把|将|让|给|使|请|改|换|变|设|加|删|移|去|隐|显|居|放|缩|不|别|用|标|染|链接|字)`)

// chineseLiteral is literal for Chinese instructions.
func chineseLiteral(s string) (string, bool) {
	s = strings.TrimSpace(s)
	n := utf8.RuneCountInString(s)
	if n == 0 || n > 40 || notChineseLiteral.MatchString(s) {
		return "", false
	}
	if _, ok := colour(s); ok {
		return "", false
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) || unicode.IsDigit(r) }) {
		return literal(s)
	}
	pieces := separator.Split(s, -1)
	for _, p := range pieces[1:] {
		if chineseVerb.MatchString(p) {
			return "", false
		}
	}
	return s, true
}
