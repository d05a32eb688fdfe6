package htmlsrc

// tagID names a tag. Names that the tree rules mention have the constants
// below; others get ids from firstUnknown on as they turn up in a document.
type tagID uint16

const (
	tNone tagID = iota // no name: the document, a text run
	tA
	tAddress
	tAnnotationXML
	tApplet
	tArea
	tArticle
	tAside
	tB
	tBase
	tBasefont
	tBgsound
	tBig
	tBlockquote
	tBody
	tBr
	tButton
	tCaption
	tCenter
	tCode
	tCol
	tColgroup
	tDd
	tDesc
	tDetails
	tDialog
	tDir
	tDiv
	tDl
	tDt
	tEm
	tEmbed
	tFieldset
	tFigcaption
	tFigure
	tFont
	tFooter
	tForeignObject
	tForm
	tFrame
	tFrameset
	tH1
	tH2
	tH3
	tH4
	tH5
	tH6
	tHead
	tHeader
	tHgroup
	tHr
	tHtml
	tI
	tIframe
	tImage
	tImg
	tInput
	tKeygen
	tLi
	tLink
	tListing
	tMain
	tMalignmark
	tMarquee
	tMath
	tMenu
	tMeta
	tMglyph
	tMi
	tMn
	tMo
	tMs
	tMtext
	tNav
	tNobr
	tNoembed
	tNoframes
	tNoscript
	tObject
	tOl
	tOptgroup
	tOption
	tP
	tParam
	tPlaintext
	tPre
	tRb
	tRp
	tRt
	tRtc
	tRuby
	tS
	tScript
	tSearch
	tSection
	tSelect
	tSelectedContent
	tSmall
	tSource
	tSpan
	tStrike
	tStrong
	tStyle
	tSub
	tSummary
	tSup
	tSvg
	tTable
	tTbody
	tTd
	tTemplate
	tTextarea
	tTfoot
	tTh
	tThead
	tTitle
	tTr
	tTrack
	tTt
	tU
	tUl
	tVar
	tWbr
	tXmp
	firstUnknown // the ids of names the rules do not know begin here
)

var tagNames = [firstUnknown]string{
	"", "a", "address", "annotation-xml", "applet", "area", "article", "aside", "b", "base", "basefont", "bgsound",
	"big", "blockquote", "body", "br", "button", "caption", "center", "code", "col", "colgroup", "dd", "desc",
	"details", "dialog", "dir", "div", "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "font",
	"footer", "foreignobject", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
	"hgroup", "hr", "html", "i", "iframe", "image", "img", "input", "keygen", "li", "link", "listing", "main",
	"malignmark", "marquee", "math", "menu", "meta", "mglyph", "mi", "mn", "mo", "ms", "mtext", "nav", "nobr",
	"noembed", "noframes", "noscript", "object", "ol", "optgroup", "option", "p", "param", "plaintext", "pre", "rb",
	"rp", "rt", "rtc", "ruby", "s", "script", "search", "section", "select", "selectedcontent", "small", "source", "span", "strike",
	"strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th",
	"thead", "title", "tr", "track", "tt", "u", "ul", "var", "wbr", "xmp",
}
