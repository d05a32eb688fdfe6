package htmledit

import (
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// booleanAttributes are written without a value where the value is empty.
var booleanAttributes = set("allowfullscreen async autofocus autoplay checked controls default defer disabled formnovalidate " +
	"hidden inert ismap itemscope loop multiple muted nomodule novalidate open playsinline readonly required reversed selected")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// checkAttributeName refuses names that are no attribute names, and those of
// attributes that run scripts or change what the tag means.
func checkAttributeName(name string) error {
	if !isAttributeName(name) {
		return core.Errorf(core.InvalidEdit, "%s is no attribute name", quoted(name)).
			WithHint("a name is a letter, _ or :, then at most %d letters, digits, _ . : or -", core.MaxAttributeNameLen-1)
	}
	low := lower(name)
	switch {
	case isHandler(low):
		return core.Errorf(core.ScriptRegion, "%s holds script, which is not edited", quoted(name))
	case low == "srcdoc":
		return core.Errorf(core.Policy, "srcdoc holds a page of its own, which is not edited")
	case low == "xmlns" || strings.HasPrefix(low, "xmlns:"):
		return core.Errorf(core.Policy, "name spaces are not edited")
	}
	return nil
}

func isAttributeName(name string) bool {
	if name == "" || len(name) > core.MaxAttributeNameLen {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '.' || c == '-')) {
			return false
		}
	}
	return true
}

// isHandler tells whether a lower-case attribute name is that of an event
// handler. Every name in "on…" counts, known or not.
func isHandler(name string) bool { return len(name) > 2 && strings.HasPrefix(name, "on") }

// checkAttribute refuses what set_attribute must not write (T-79).
func checkAttribute(t *htmlsrc.Tree, id htmlsrc.ID, name, value string) error {
	if err := checkAttributeName(name); err != nil {
		return err
	}
	if err := checkText(value); err != nil {
		return err
	}
	low := lower(name)
	if low == "style" {
		return checkInlineStyle(value)
	}
	for _, u := range urlsOf(low, t.Name(id), value) {
		if s := activeScheme(u, t.Name(id)); s != "" {
			return core.Errorf(core.Policy, "a %s address would run a script", s).With("scheme", s)
		}
	}
	return nil
}
