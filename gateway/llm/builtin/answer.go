package builtin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// saying is one sentence in both languages.
type saying struct{ en, zh string }

func (s saying) in(chinese bool, args ...any) string {
	f := s.en
	if chinese {
		f = s.zh
	}
	if len(args) == 0 {
		return f
	}
	return fmt.Sprintf(f, args...)
}

var reasons = map[string]saying{
	"size_unknown":  {"how large it is now could not be measured on the page; say a size, such as: set font size to 20", "无法在页面上量出它现在的大小；请直接给出字号，例如：字号设为 20"},
	notCertain:      {"its target was not found for certain in the page as it is now (%v)", "在当前页面里无法确定它指的元素（%v）"},
	"other_thing":   {"it speaks of “%v”, but it points at a <%v>; point at the thing itself", "它说的是“%v”，但指着的是 <%v>；请直接指向要改的元素"},
	"several_meant": {"it speaks of several (“%v”), but it points at one; point at each of them", "它说的是多个“%v”，但只指了一个；请把它们都指上"},
	"title_or_text": {"“title” can mean its text or its title attribute; say “change the text to …” or “set the title attribute to …”", "“title”既可能指文字也可能指 title 属性；请说“把文字改成……”或“设置title属性为……”"},
	"no_link":       {"a <%v> has no link address; point at the link itself", "<%v> 没有链接地址；请指向链接本身"},
	"no_text_look":  {"how text looks means nothing on a <%v>", "<%v> 没有文字，文字样式对它不起作用"},
	"no_text_size":  {"how large a <%v> should be is not plain; say a size, such as: set width to 300", "<%v> 要多大不够明确；请直接给出尺寸，例如：设置宽度为300"},
	"cannot":        {"%v is not possible here: %v", "这里无法执行 %v：%v"},
	"contradiction": {"its parts contradict each other", "它的几个部分互相矛盾"},
	"several_texts": {"its target holds several texts (%v); say which: change “…” to “…”", "它指的元素里有多段文字（%v）；请说明改哪一段：把“……”改成“……”"},
	"text_cut":      {"its target holds more text than I read", "它指的元素文字太长，我没有全部读到"},
	"no_such_text":  {"its target does not hold the text “%v”", "它指的元素里没有“%v”这段文字"},
	"text_repeats":  {"the text “%v” stands there %v times; quote more of what is around the one you mean", "“%v”在那里出现了 %v 次；请多引用一些前后文字"},
	"text_empty":    {"that would leave no text; to take the element away say “remove it”", "这样就没有文字了；要去掉元素请说“删除它”"},
	"not_hidden":    {"nothing in its own tag hides it; a style sheet or a script may", "它自己的标签没有隐藏它；可能是样式表或脚本隐藏的"},
	"no_target":     {"it points at nothing", "它没有指向任何元素"},
	"message_alone": {"I read notes on elements, not the message beside them", "我只读元素上的批注，不读附带的消息"},
	"no_notes":      {"there is no note on an element", "没有指向元素的批注"},
}

var (
	notRead = saying{"I did not understand this without a model", "未连接模型时无法理解这条指令"}
	nothing = saying{"Nothing was changed.", "没有做任何修改。"}
	noteN   = saying{"Note %d (“%s”): %s.", "批注 %d（“%s”）：%s。"}
	wholeOf = saying{"The other notes were left alone too, so that nothing is half done.", "其余批注也没有执行，以免只做一半。"}

	leftOut = saying{"note %d left out: %s", "批注 %d 未执行：%s"}

	abilities = saying{
		`I can:
- change text: change the text to “Quarterly report” · change “old” to “new”
- change how it looks: make it bold · make it red and larger · set the background color to #ffeeaa · set font size to 20 · center it
- hide, show or remove it: hide it · show it · remove it
- set attributes: set href to /contact · set alt to “A red bicycle” · remove the title attribute
- classes: add the class “active” · remove the class “old”
Put new text in quotes. For anything else, connect a model.`,
		`目前可以：
- 修改文字：把文字改成“季度报告” · 把“旧”改成“新”
- 修改样式：加粗 · 改成红色 · 放大 · 背景改成黄色 · 字号改成20 · 居中
- 隐藏、显示或删除：隐藏它 · 显示它 · 删除它
- 设置属性：链接改成 /contact · 设置alt为“红色自行车” · 移除title属性
- 类名：添加类“active” · 移除类“old”
新文字请加引号。其他修改请连接模型。`,
	}

	applied     = saying{"Done. %s.", "已完成。%s。"}
	notApplied  = saying{"The change could not be made: %s. Nothing was changed.", "无法完成修改：%s。没有做任何修改。"}
	brokeThings = saying{"The change was taken back because the page would break: %s. Nothing was changed.", "修改会破坏页面，已放弃：%s。没有做任何修改。"}
	approval    = saying{"The change is ready but needs your approval: %s. Nothing was changed yet.", "修改已准备好，但需要你批准：%s。目前没有做任何修改。"}
	noTools     = saying{"There is nothing I can do without the document's tools. Nothing was changed.", "没有文档工具，我什么都做不了。没有做任何修改。"}
)

// answerRefused says why nothing is done, and what can be.
func answerRefused(p planned, notes int) string {
	var b strings.Builder
	understoodAll := true
	for _, r := range p.refused {
		reason := notRead.in(p.chinese)
		if r.why != nil {
			reason = r.why.in(p.chinese)
		} else {
			understoodAll = false
		}
		if r.order > 0 {
			b.WriteString(noteN.in(p.chinese, r.order, shorten(r.say), reason))
		} else {
			b.WriteString(capital(reason) + saying{".", "。"}.in(p.chinese))
		}
		b.WriteByte('\n')
	}
	b.WriteString(nothing.in(p.chinese))
	if len(p.refused) < notes {
		b.WriteString(" " + wholeOf.in(p.chinese))
	}
	if !understoodAll || notes == 0 {
		b.WriteString("\n\n" + abilities.in(p.chinese))
	}
	return b.String()
}

func (w why) in(chinese bool) string { return reasons[w.key].in(chinese, w.args...) }

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// summary says what was done, note by note.
func summary(p planned) string {
	var notes []string
	for _, d := range p.done {
		var parts []string
		for _, s := range d.steps {
			parts = append(parts, s.say(p.chinese))
		}
		text := strings.Join(parts, ", ")
		if p.chinese {
			text = strings.Join(parts, "，")
		}
		if len(p.done)+len(p.lost) > 1 {
			text = saying{"note %d: %s", "批注 %d：%s"}.in(p.chinese, d.order, text)
		}
		notes = append(notes, text)
	}
	for _, l := range p.lost {
		notes = append(notes, leftOut.in(p.chinese, l.order, l.why.in(p.chinese)))
	}
	sep := "; "
	if p.chinese {
		sep = "；"
	}
	return capital(strings.Join(notes, sep))
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

var deeds = map[string]saying{
	replaceText:     {"text changed to “%s”", "文字改为“%s”"},
	appendText:      {"“%s” written behind the text", "在文字末尾加上“%s”"},
	prependText:     {"“%s” written before the text", "在文字开头加上“%s”"},
	swapText:        {"“%s” changed to “%s”", "“%s”改为“%s”"},
	setAttribute:    {"%s set to “%s”", "%s 设为“%s”"},
	removeAttribute: {"%s removed", "移除 %s"},
	setStyle:        {"%s set to %s", "%s 设为 %s"},
	addClass:        {"class %s added", "添加类 %s"},
	removeClass:     {"class %s removed", "移除类 %s"},
	removeNode:      {"element removed", "删除元素"},
	show:            {"element shown", "显示元素"},
}

func (s step) say(chinese bool) string {
	d := deeds[s.Kind]
	switch s.Kind {
	case replaceText, appendText, prependText:
		return d.in(chinese, shorten(s.Value))
	case swapText:
		return d.in(chinese, shorten(s.From), shorten(s.Value))
	case setAttribute, setStyle:
		return d.in(chinese, s.Name, shorten(s.Value))
	case removeAttribute, addClass, removeClass:
		return d.in(chinese, s.Name)
	}
	return d.in(chinese)
}
