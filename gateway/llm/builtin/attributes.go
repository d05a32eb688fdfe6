package builtin

import (
	"regexp"
	"strings"
)

// attributeWords are what people call attributes.
var attributeWords = map[string]string{
	"alt": "alt", "alt text": "alt", "alt-text": "alt", "alternative text": "alt", "alternate text": "alt", "image description": "alt",
	"href": "href", "link target": "href", "link url": "href", "link address": "href", "destination": "href", "hyperlink target": "href",
	"tooltip": "title", "tool tip": "title", "hover text": "title",
	"src": "src", "source": "src", "image source": "src", "image url": "src", "image address": "src",
	"class": "class", "classes": "class", "class name": "class", "css class": "class", "id": "id",
	"placeholder": "placeholder", "placeholder text": "placeholder",
	"aria label": "aria-label", "accessible name": "aria-label", "accessibility label": "aria-label",
	"lang": "lang", "language": "lang", "target": "target", "rel": "rel", "value": "value",
	"type": "type", "role": "role", "colspan": "colspan", "rowspan": "rowspan", "action": "action", "method": "method",
	"datetime": "datetime", "poster": "poster", "tabindex": "tabindex", "maxlength": "maxlength", "minlength": "minlength",
	"min": "min", "max": "max", "step": "step", "pattern": "pattern", "loading": "loading", "download": "download",
	"cols": "cols", "rows": "rows", "dir": "dir", "autocomplete": "autocomplete", "for": "for", "name": "name", "content": "content",
	"srcset": "srcset", "sizes": "sizes", "media": "media", "charset": "charset", "start": "start", "cite": "cite", "label": "label",
}

var chineseAttributes = map[string]string{
	"替代文字": "alt", "替代文本": "alt", "图片描述": "alt", "图片说明": "alt", "链接地址": "href", "链接目标": "href", "网址": "href", "跳转地址": "href", "超链接地址": "href",
	"提示": "title", "提示文字": "title", "提示文本": "title", "悬停提示": "title", "图片地址": "src", "图片路径": "src", "图片链接": "src", "图片来源": "src", "类名": "class", "类": "class", "样式类": "class",
	"占位符": "placeholder", "占位文字": "placeholder", "占位文本": "placeholder", "语言": "lang", "打开方式": "target", "无障碍标签": "aria-label",
}

var attributeName = regexp.MustCompile(`^[A-Za-z_:][A-Za-z0-9_:.-]{0,127}$`)

var (
	hyphenated = regexp.MustCompile(`^(?:data|aria)-[a-z0-9][a-z0-9_.-]*$`)
	urlLike    = regexp.MustCompile(`^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|/|\.{1,2}/|#|\?|[A-Za-z0-9_~-]+(?:\.[A-Za-z0-9_~-]+)*\.[A-Za-z]{2,}(?:[/?#:]|$)|[A-Za-z0-9_~-]+/)\S*$`)
	token      = regexp.MustCompile(`^\S+$`)
)

// attributeCalled gives the attribute a word means; with explicit, the word
// "attribute" stood beside it and any name will do.
func attributeCalled(word string, explicit bool) (string, bool) {
	w := strings.Join(strings.Fields(strings.ToLower(word)), " ")
	if a, ok := attributeWords[w]; ok {
		return a, true
	}
	if a, ok := chineseAttributes[word]; ok {
		return a, true
	}
	if hyphenated.MatchString(w) || w == "title" || w == "width" || w == "height" {
		return w, true
	}
	if explicit && attributeName.MatchString(word) {
		return word, true
	}
	return "", false
}

// addresses are the attributes that hold a URL.
var addresses = set(`href src action poster cite formaction`)

// wordy are the attributes that hold text for people.
var wordy = set(`alt title placeholder aria-label content label`)

// attributeValue gives the value an attribute is to get.
func attributeValue(name, v string, quoted, chinese bool) (string, bool) {
	if quoted {
		return v, true
	}
	switch {
	case wordy[name]:
		if chinese {
			return chineseLiteral(v)
		}
		return literal(v)
	case name == "class":
		return v, classList.MatchString(v) && !reserved[strings.ToLower(v)]
	case addresses[name]:
		return v, token.MatchString(v) && !reserved[strings.ToLower(v)]
	}
	return v, token.MatchString(v) && !reserved[strings.ToLower(v)]
}

var classList = regexp.MustCompile(`^[A-Za-z_-][\w:/.\[\]-]*$`)

// reserved are words that are never a value when they stand without quotes.
var reserved = set(`a an the to it its this that them attribute attributes name names value values class classes
something anything nothing empty blank none default same other another all and or of for from in on with by text
url link address page website homepage home`)
