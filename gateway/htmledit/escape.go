package htmledit

import "strings"

var textEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escapeText writes s so that it reads as s in text, RCDATA included.
func escapeText(s string) string { return textEscaper.Replace(s) }

var (
	doubleEscaper = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;")
	singleEscaper = strings.NewReplacer("&", "&amp;", "'", "&#39;", "<", "&lt;")
	bareEscaper   = strings.NewReplacer("&", "&amp;")
)

// escapeValue writes s so that it reads as s in an attribute value with the
// given quotes; 0 is an unquoted value, which must be fit for that.
func escapeValue(s string, quote byte) string {
	switch quote {
	case '"':
		return doubleEscaper.Replace(s)
	case '\'':
		return singleEscaper.Replace(s)
	}
	return bareEscaper.Replace(s)
}

// fitsUnquoted tells whether a value, as written, can stand without quotes.
func fitsUnquoted(raw string) bool {
	return raw != "" && !strings.ContainsAny(raw, " \t\n\f\r\"'=<>`")
}

// quoteRaw puts double quotes around a value as written in no quotes or others.
func quoteRaw(raw string) string {
	return `"` + strings.NewReplacer(`"`, "&quot;").Replace(raw) + `"`
}
