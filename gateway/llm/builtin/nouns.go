package builtin

import (
	"regexp"
	"sort"
	"strings"
)

// A noun that names a kind of element has to fit the target: "make the footer
// red" on a heading is about something the person did not point at. A noun that
// names content, such as price, fits everything.
var nouns = map[string]map[string]bool{
	"heading": set("h1 h2 h3 h4 h5 h6 hgroup header legend caption"), "header": set("h1 h2 h3 h4 h5 h6 header th"),
	"headline": set("h1 h2 h3 h4 h5 h6"), "heading text": set("h1 h2 h3 h4 h5 h6"), "subtitle": nil, "subheading": set("h1 h2 h3 h4 h5 h6 p"),
	"title": set("h1 h2 h3 h4 h5 h6 title caption legend figcaption"),
	"link":  set("a"), "hyperlink": set("a"), "anchor": set("a"), "link text": set("a"),
	"button": set("button a input"), "button text": set("button a input"), "button label": set("button a input"),
	"image": set("img svg picture image"), "picture": set("img svg picture image"), "photo": set("img picture"),
	"icon": set("img svg i span picture"), "logo": set("img svg a picture span div"), "video": set("video iframe"),
	"paragraph": set("p div blockquote"), "quote": set("blockquote q p"), "sentence": nil,
	"cell": set("td th"), "table cell": set("td th"), "row": set("tr"), "table": set("table"), "list": set("ul ol dl menu"),
	"list item": set("li dt dd"), "item": nil, "bullet": set("li"), "label": nil, "caption": nil,
	"field": set("input textarea select"), "input": set("input"), "input field": set("input textarea select"),
	"footer": set("footer"), "nav": set("nav"), "navigation": set("nav"), "menu": set("nav menu ul"), "sidebar": set("aside"),
	"section": set("section div article main"), "form": set("form"), "article": set("article"), "banner": set("div section header aside"),
	"text": nil, "wording": nil, "words": nil, "copy": nil, "content": nil, "contents": nil, "message": nil, "string": nil,
	"price": nil, "amount": nil, "number": nil, "figure": nil, "value": nil, "date": nil, "year": nil, "time": nil, "name": nil,
	"phone number": nil, "email": nil, "address": nil, "tagline": nil, "slogan": nil, "description": nil, "note": nil, "notice": nil,
	"element": nil, "elements": nil, "thing": nil, "things": nil, "part": nil, "block": nil, "box": nil, "bit": nil, "one": nil, "tag": nil,
	"links": set("a"), "buttons": set("button a input"), "images": set("img svg picture image"), "headings": set("h1 h2 h3 h4 h5 h6"),
	"cells": set("td th"), "items": nil, "paragraphs": set("p div blockquote"), "prices": nil, "labels": nil, "font": nil,
	"card": set("article div li section aside a"), "cards": set("article div li section aside a"), "panel": set("div section aside article"),
	"badge": nil, "bullet point": set("li"), "chart": set("svg figure canvas img div"), "graph": set("svg figure canvas img div"),
	"diagram": set("svg figure canvas img div"), "bar": set("rect path div span"), "numbers": nil, "figures": nil,
	"input box": set("input textarea"), "dropdown": set("select"), "checkbox": set("input"), "option": set("option"),
	"intro": nil, "introduction": nil, "summary": nil, "lead": nil,
	"span": set("span"), "div": set("div"),
}

// textNouns speak of the text of the target rather than of the whole element.
var textNouns = set(`text wording words copy content contents message string font`)

// chineseNouns are the same in Chinese.
var chineseNouns = map[string]map[string]bool{
	"标题": set("h1 h2 h3 h4 h5 h6 title caption legend figcaption header"), "小标题": set("h1 h2 h3 h4 h5 h6"), "大标题": set("h1 h2 h3 h4 h5 h6"),
	"链接": set("a"), "超链接": set("a"), "按钮": set("button a input"), "图片": set("img svg picture image"), "图像": set("img svg picture image"),
	"照片": set("img picture"), "图标": set("img svg i span picture"), "视频": set("video iframe"), "段落": set("p div blockquote"),
	"单元格": set("td th"), "表格": set("table"), "行": set("tr"), "列表": set("ul ol dl menu"), "列表项": set("li dt dd"), "项目": nil,
	"输入框": set("input textarea"), "页脚": set("footer"), "导航": set("nav"), "导航栏": set("nav"), "侧边栏": set("aside"), "表单": set("form"),
	"文字": nil, "文本": nil, "内容": nil, "文案": nil, "字": nil, "字体": nil, "价格": nil, "数字": nil, "日期": nil, "名字": nil, "名称": nil,
	"标签": nil, "元素": nil, "部分": nil, "按钮文字": set("button a input"), "链接文字": set("a"), "标题文字": set("h1 h2 h3 h4 h5 h6 title"),
	"句子": nil, "这句话": nil, "东西": nil, "块": nil, "区块": set("section div article main"), "电话": nil, "地址": nil, "年份": nil, "金额": nil, "描述": nil, "说明": nil,
	"卡片": set("article div li section aside a"), "图表": set("svg figure canvas img div"), "标语": nil,
}

func alternatives(m map[string]map[string]bool) string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, regexp.QuoteMeta(n))
	}
	sort.Slice(names, func(i, j int) bool {
		if len(names[i]) != len(names[j]) {
			return len(names[i]) > len(names[j])
		}
		return names[i] < names[j]
	})
	return strings.ReplaceAll(strings.Join(names, "|"), " ", `\s+`)
}

// nounFits tells whether what the instruction calls the target can be it.
func nounFits(noun, tag string) bool {
	if noun == "" {
		return true
	}
	fits, ok := nouns[noun]
	if !ok {
		fits, ok = chineseNouns[noun]
	}
	if !ok {
		return false
	}
	return fits == nil || fits[tag] || roles[noun] && (generic[tag] || strings.Contains(tag, "-"))
}

// A page can make a heading or a button out of any of these elements, and out
// of its own; a table, an image or a footer it cannot be.
var (
	generic = set(`div span p strong b em i small section article`)
	roles   = set(`heading headline title subheading button paragraph quote icon logo banner section 标题 小标题 大标题 按钮 段落 图标 区块`)
)

var chineseTextNouns = set(`文字 文本 内容 文案 字 字体 链接 超链接 按钮文字 链接文字 标题文字`)

var plurals = set(`links buttons images headings cells items paragraphs prices labels elements things cards numbers figures`)
