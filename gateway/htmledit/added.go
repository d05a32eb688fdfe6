package htmledit

import (
	"strings"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Kinds of policy flags (R-TURN-11).
const (
	FlagScript         = "script"          // a script element, or its text or address
	FlagEventHandler   = "event_handler"   // an on… attribute
	FlagURLScheme      = "url_scheme"      // javascript:, vbscript:, data:text/html and the like
	FlagExternalOrigin = "external_origin" // another host, named in an address or a style
	FlagBase           = "base"            // <base>
	FlagMetaRefresh    = "meta_refresh"    // <meta http-equiv=refresh>
	FlagFormAction     = "form_action"     // where a form sends its data
	FlagServiceWorker  = "service_worker"  // a script that registers one
	FlagFrame          = "frame"           // iframe, frame, object, embed
)

// Added lists what the page after has and the page before had not, or had less
// often, in a fixed order: kinds by name, then details. Both are read from the
// maps, not from strings, so that moving or rewording things flags nothing. An
// external origin counts as new when no address of the same use, loading or
// linking, named it before.
func Added(before, after *htmlsrc.Tree) []core.PolicyFlag {
	if !mayAdd(before, after) {
		return nil
	}
	had := collect(before)
	var out []core.PolicyFlag
	for key, n := range collect(after) {
		old := had[key]
		if key.Kind == FlagExternalOrigin && old > 0 {
			continue
		}
		if n > old {
			out = append(out, core.PolicyFlag{Kind: key.Kind, Detail: key.detail()})
		}
	}
	return MergeFlags(out)
}

// mayAdd looks only at the tags that after has more often than before; mostly
// they hold nothing the policy is about, and the pages need not be read whole.
func mayAdd(before, after *htmlsrc.Tree) bool {
	had := tagCounts(before)
	c := newCollector(after)
	text := string(after.Source())
	for id := range after.Elements() {
		key := tagKey(after, id, text, c.inert)
		if had[key]--; had[key] < 0 {
			c.element(id)
		}
		if len(c.items) > 0 {
			return true
		}
	}
	return false
}

func tagCounts(t *htmlsrc.Tree) map[string]int {
	out := map[string]int{}
	text, inert := string(t.Source()), inertIn(t)
	for id := range t.Elements() {
		out[tagKey(t, id, text, inert)]++
	}
	return out
}

// tagKey gives all bytes that element reads: those of the tag and, for scripts
// and style sheets, up to the end; for html and body with the late tags. What
// is in a template is another thing than the same outside.
func tagKey(t *htmlsrc.Tree, id htmlsrc.ID, text string, inert []bool) string {
	if inert != nil && inert[id] {
		return "template " + tagKey(t, id, text, nil)
	}
	tag, ok := t.StartTag(id)
	end := tag.End
	switch t.Name(id) {
	case "script", "style":
		if close, closed := t.EndTag(id); closed {
			end = close.Start
		} else if ok {
			end = len(text)
		}
		return t.NS(id).String() + text[tag.Start:end]
	case "html", "body":
		key := text[tag.Start:end]
		for _, s := range t.LateTags(id) {
			key += text[s.Start:s.End]
		}
		return key
	}
	return text[tag.Start:end]
}

// item is one thing the policy is about; equal items are counted.
type item struct {
	Kind  string
	where string // the element or attribute
	what  string // the address or text, whole
}

// detail is the item for people: one line, shortened.
func (i item) detail() string {
	const most = 200 // runes
	s := strings.Join(strings.Fields(i.where+": "+i.what), " ")
	s = strings.TrimSuffix(s, ":")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '\ufffd'
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return s
}

// collector counts the items of one map.
type collector struct {
	t     *htmlsrc.Tree
	items map[item]int
	inert []bool     // of each element, nil for none: see inertIn
	at    htmlsrc.ID // the element that is looked at
}

func newCollector(t *htmlsrc.Tree) collector {
	return collector{t: t, items: map[item]int{}, inert: inertIn(t)}
}

// inertIn tells which elements are in a template's contents, where nothing runs
// or loads; nil where the page has no template.
func inertIn(t *htmlsrc.Tree) []bool {
	var out []bool
	for id := range t.Elements() {
		p := t.Parent(id)
		if p == 0 || t.NS(p) != htmlsrc.HTML || t.Name(p) != "template" {
			if out != nil {
				out[id] = out[p]
			}
			continue
		}
		if out == nil {
			out = make([]bool, t.Len())
		}
		out[id] = true
	}
	return out
}

func collect(t *htmlsrc.Tree) map[item]int {
	c := newCollector(t)
	for id := range t.Elements() {
		c.element(id)
	}
	return c.items
}

func (c *collector) add(kind, where, what string) {
	if c.inert != nil && c.inert[c.at] && kind != FlagExternalOrigin {
		where += " in a template" // to take it out of there starts it
	}
	c.items[item{kind, where, what}]++
}

func (c *collector) element(id htmlsrc.ID) {
	c.at = id
	name := c.t.Name(id)
	attrs := c.attrs(id)
	switch name {
	case "script":
		c.script(id, attrs)
	case "style":
		c.style("style element", c.rawText(id))
	case "base":
		c.add(FlagBase, "base", value(attrs, "href")+" "+value(attrs, "target"))
	case "meta":
		if strings.EqualFold(strings.Trim(value(attrs, "http-equiv"), spaces), "refresh") {
			c.add(FlagMetaRefresh, "meta refresh", value(attrs, "content"))
			c.refresh(value(attrs, "content"))
		}
	case "iframe", "frame", "object", "embed", "fencedframe", "portal", "applet":
		c.add(FlagFrame, name, frameOf(attrs))
	}
	for _, a := range attrs {
		c.attribute(name, lower(a.Name), a.Value)
	}
}

// attrs gives the element's attributes, those from late html and body tags
// included.
func (c *collector) attrs(id htmlsrc.ID) []htmlsrc.Attr {
	tag, ok := c.t.StartTag(id)
	var out []htmlsrc.Attr
	if ok && tag.Len() > len(c.t.Name(id))+2 { // more than <name>
		out = c.t.Attrs(id)
	}
	for _, s := range c.t.LateTags(id) {
		out = append(out, readTag(c.t.Source()[s.Start:s.End])...)
	}
	return out
}

func value(attrs []htmlsrc.Attr, name string) string {
	for _, a := range attrs {
		if lower(a.Name) == name {
			return a.Value
		}
	}
	return ""
}

func frameOf(attrs []htmlsrc.Attr) string {
	var parts []string
	for _, n := range []string{"src", "srcdoc", "data", "code", "classid"} {
		if v := value(attrs, n); v != "" {
			parts = append(parts, n+"="+v)
		}
	}
	return strings.Join(parts, " ")
}

// attribute looks at one attribute; name is in lower case.
func (c *collector) attribute(element, name, v string) {
	switch {
	case isHandler(name):
		c.add(FlagEventHandler, name+" of "+element, v)
		c.code(name+" of "+element, v)
		return
	case name == "style":
		c.style("style of "+element, v)
		return
	case (name == "action" && element == "form" || name == "formaction") && strings.Trim(v, spaces) != "":
		c.add(FlagFormAction, name+" of "+element, v)
	}
	for _, u := range urlsOf(name, element, v) {
		c.address(element, name, u)
	}
	if strings.Contains(v, "(") && !urlAttributes[name] && strings.ContainsAny(v, `rR\`) {
		c.style(name+" of "+element, v) // presentation attributes: fill=url(…)
	}
}

// linking are attributes that load nothing until a person follows them.
var linking = set("a area blockquote q del ins")

func (c *collector) address(element, name, u string) {
	if s := activeScheme(u, element); s != "" {
		c.add(FlagURLScheme, name+" of "+element, cleanURL(u))
		c.code(name+" of "+element, u)
		return
	}
	if origin := externalOrigin(u); origin != "" {
		use := "loads"
		if linking[element] && name != "ping" && name != "src" {
			use = "links to"
		}
		c.add(FlagExternalOrigin, use, origin)
	}
}

// style looks at CSS: a style sheet or the value of an attribute.
func (c *collector) style(where, text string) {
	if !strings.ContainsAny(text, "(@") {
		return
	}
	toks, _ := cssTokens(text)
	for _, u := range styleURLs(toks) {
		if s := activeScheme(u, "img"); s != "" {
			c.add(FlagURLScheme, where, cleanURL(u))
		} else if origin := externalOrigin(u); origin != "" {
			c.add(FlagExternalOrigin, "loads", origin)
		}
	}
	for _, t := range toks {
		low := lower(cssUnescape(t.text))
		if low == "expression(" || low == "behavior" || low == "-moz-binding" {
			c.add(FlagScript, where, text)
			return
		}
	}
}

// refresh looks at the address of a meta refresh.
func (c *collector) refresh(content string) {
	i := strings.IndexAny(content, ";,")
	if i < 0 {
		return
	}
	u := strings.TrimLeft(content[i+1:], spaces)
	if len(u) >= 3 && strings.EqualFold(u[:3], "url") {
		if rest := strings.TrimLeft(u[3:], spaces); strings.HasPrefix(rest, "=") {
			u = strings.TrimLeft(rest[1:], spaces)
		}
	}
	c.address("meta", "content", strings.Trim(u, `"'`+spaces))
}
