package htmledit

import (
	"bytes"
	"slices"
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
		if key.Kind == FlagExternalOrigin && (old > 0 || had[key.live()] > 0) {
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
	if bytes.Contains(after.Source(), []byte("<![CDATA[")) {
		return true
	}
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

const inTemplate = " in a template"

// live is the same item outside a template.
func (i item) live() item {
	i.where = strings.TrimSuffix(i.where, inTemplate)
	return i
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
	rel   []string   // what it links to, where it is a link
	flat  bool       // CDATA sections are not looked into
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
	if c.inert != nil && c.inert[c.at] {
		where += inTemplate // to take it out of there starts it
	}
	c.items[item{kind, where, what}]++
}

func (c *collector) element(id htmlsrc.ID) {
	c.at, c.rel = id, nil
	name := c.t.Name(id)
	attrs := c.attrs(id)
	switch name {
	case "script":
		c.script(id, attrs)
	case "style":
		c.style("style element", c.rawText(id)) // of any type: browsers look ahead for @import in all
	case "link":
		c.rel = strings.Fields(lower(value(attrs, "rel")))
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
	if c.t.NS(id) != htmlsrc.HTML && !c.flat {
		c.literal(id)
	}
}

// literal looks at the CDATA sections in an element. They are text, but browsers
// that look ahead for what to load see only a comment up to the first ">", and
// tags behind it.
func (c *collector) literal(id htmlsrc.ID) {
	for r := c.t.FirstChild(id); r != 0; r = c.t.NextSibling(r) {
		if !c.t.IsText(r) || !c.t.Literal(r) {
			continue
		}
		_, text, _ := strings.Cut(c.t.Text(r), ">")
		if !strings.Contains(text, "<") {
			continue
		}
		inner, err := htmlsrc.ParseUnchecked([]byte(text), htmlsrc.Options{Scripting: true})
		if err != nil {
			continue
		}
		ahead := newCollector(inner)
		ahead.flat = true
		for e := range inner.Elements() {
			ahead.element(e)
		}
		for i, n := range ahead.items {
			if i.Kind == FlagExternalOrigin {
				c.items[i] += n
			}
		}
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
	if strings.Contains(v, "(") && !urlAttributes[name] && strings.ContainsAny(v, `rRgG\`) {
		c.style(name+" of "+element, v) // presentation attributes: fill=url(…), mask=image-set(…)
	}
}

// Elements and attributes whose addresses load nothing until a person follows
// them, and the kinds of links that load at once.
var (
	linking = set("a area blockquote q del ins")
	naming  = set("cite itemid itemtype longdesc profile usemap")
	loading = set("apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image compression-dictionary dns-prefetch icon " +
		"import manifest mask-icon modulepreload preconnect prefetch preload prerender stylesheet")
	requesting = set("attributionsrc ping src")
)

// use says what is done with an address of another host: who was only linked to
// is not one the page loads from.
func (c *collector) use(element, name string) string {
	switch {
	case requesting[name]:
	case linking[element], naming[name], element == "link" && !slices.ContainsFunc(c.rel, func(r string) bool { return loading[r] }):
		return "links to"
	case animations[element]:
		return "animates to"
	case name == "action" || name == "formaction":
		return "sends to"
	}
	return "loads"
}

func (c *collector) address(element, name, u string) {
	like := element
	if element == "link" && slices.Contains(c.rel, "stylesheet") {
		like = styleSheet
	}
	if s := activeScheme(u, like); s != "" {
		c.add(FlagURLScheme, name+" of "+element, cleanURL(u))
		c.code(name+" of "+element, u)
		return
	}
	if origin := externalOrigin(u); origin != "" {
		c.add(FlagExternalOrigin, c.use(element, name), origin)
	}
}

// style looks at CSS: a style sheet or the value of an attribute.
func (c *collector) style(where, text string) {
	if !strings.ContainsAny(text, `(@\`) && !strings.Contains(text, "--") {
		return
	}
	toks, _ := cssTokens(text)
	for _, found := range styleURLs(toks, false) {
		u := found.url
		if s := activeScheme(u, found.uses); s != "" {
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
