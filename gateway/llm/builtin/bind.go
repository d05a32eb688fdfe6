package builtin

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// why says why an instruction cannot be carried out on its target; each is a
// sentence in both languages in answer.go.
type why struct {
	key  string
	args []any
}

// changes collects what is to be done to one target.
type changes struct {
	target  targetSeen
	order   []string          // kinds in the order they came
	pairs   map[string][]pair // by kind
	texts   map[int]string    // new text by run
	textRun []int
	removed bool
	named   map[string]bool // sizes that the instruction names
}

// notCertain is why a target cannot be changed that was not found again.
const notCertain = "not_certain"

// bind turns the steps of one instruction into mutations of one target.
func bind(steps []step, t targetSeen, targets int) ([]mutation, *why) {
	if t.Resolution != "exact" {
		return nil, &why{notCertain, []any{t.Reason}}
	}
	c := changes{target: t, pairs: map[string][]pair{}, texts: map[int]string{}, named: map[string]bool{}}
	for _, s := range steps {
		if s.Sized || s.Kind == setAttribute {
			c.named[s.Name] = true
		}
	}
	for _, s := range steps {
		if !nounFits(s.Noun, t.Tag) {
			return nil, &why{"other_thing", []any{s.Noun, t.Tag}}
		}
		if s.Plural && targets < 2 {
			return nil, &why{"several_meant", []any{s.Noun}}
		}
		if w := c.add(s); w != nil {
			return nil, w
		}
	}
	return c.mutations()
}

// add takes one step in.
func (c *changes) add(s step) *why {
	s, w := settle(s, c.target)
	if w != nil {
		return w
	}
	switch s.Kind {
	case replaceText:
		return c.newText(s.Value)
	case swapText:
		return c.swap(s)
	case appendText, prependText:
		return c.extend(s)
	case removeNode:
		c.removed = true
		return nil
	case show:
		return c.show()
	case setAttribute:
		if s.Sized {
			if w := c.keepShape(s); w != nil {
				return w
			}
		}
	case setStyle:
		if w := c.readable(s.Name); w != nil {
			return w
		}
	}
	return c.put(s.Kind, s.Name, s.Value)
}

// settle decides what depends on the target: whether a word means a text or an
// attribute, and whether a size is an attribute or a style.
func settle(s step, t targetSeen) (step, *why) {
	if s.Either != "" {
		switch {
		case attributeOn[s.Either][t.Tag]:
			return step{Kind: setAttribute, Name: s.Either, Value: s.Value}, nil
		case s.Either == "title" && !titled[t.Tag]:
			return s, &why{"title_or_text", nil}
		}
		return step{Kind: replaceText, Value: s.Value}, nil
	}
	if s.Sized && measured[t.Tag] && strings.HasSuffix(s.Value, "px") {
		return step{Kind: setAttribute, Name: s.Name, Value: strings.TrimSuffix(s.Value, "px"), Sized: true}, nil
	}
	if s.Kind == setStyle && (s.Name == "color" || s.Name == "background-color") {
		if p := paint[t.Tag]; p != "" && (s.Name == "color" || !glyphs[t.Tag]) {
			s.Name = p
		}
	}
	if s.Kind == setAttribute && s.Name == "href" && !linked[t.Tag] {
		return s, &why{"no_link", []any{t.Tag}}
	}
	return s, nil
}

var (
	// attributeOn are the elements on which a word that could also mean their
	// text means the attribute.
	attributeOn = map[string]map[string]bool{
		"value": set("input button option data meter progress param"), "name": set("input select textarea form meta iframe button fieldset output map slot"),
		"content": set("meta"), "label": set("option optgroup track"), "title": set("img svg iframe input abbr link"),
	}
	titled   = set("h1 h2 h3 h4 h5 h6 title caption legend figcaption summary")
	measured = set("img video canvas iframe svg input embed object image rect")
	linked   = set("a area link base use image")
	// paint is the property that colours an SVG shape.
	paint = map[string]string{
		"rect": "fill", "circle": "fill", "ellipse": "fill", "polygon": "fill", "path": "fill", "g": "fill",
		"text": "fill", "tspan": "fill", "textPath": "fill", "line": "stroke", "polyline": "stroke",
	}
	glyphs = set("text tspan textPath")
	// textless elements show no text of their own, so how text looks means
	// nothing on them.
	textless = set("img video canvas iframe svg picture audio embed object br source track meta link")
	textual  = set("color font-weight font-style font-size font-family text-align text-decoration text-transform line-height letter-spacing")
)

func (c *changes) readable(property string) *why {
	if property == "font-size" && measured[c.target.Tag] && c.target.Tag != "input" {
		return &why{"no_text_size", []any{c.target.Tag}}
	}
	if textual[property] && textless[c.target.Tag] {
		return &why{"no_text_look", []any{c.target.Tag}}
	}
	return nil
}

// keepShape keeps the proportions of a picture whose tag says both its width and
// its height, where the instruction names one of them.
func (c *changes) keepShape(s step) *why {
	if c.target.Tag != "img" && c.target.Tag != "video" {
		return nil
	}
	other := map[string]string{"width": "height", "height": "width"}[s.Name]
	if c.named[other] {
		return nil
	}
	size := map[string]float64{}
	for _, a := range c.target.Attributes {
		if n, err := strconv.ParseFloat(a.Value, 64); err == nil && n > 0 {
			size[strings.ToLower(a.Name)] = n
		}
	}
	n, err := strconv.ParseFloat(s.Value, 64)
	if err != nil || size[s.Name] == 0 || size[other] == 0 {
		return nil
	}
	return c.put(setAttribute, other, strconv.Itoa(int(math.Round(size[other]*n/size[s.Name]))))
}

// put adds a name and value of one kind; asking for two values of the same name
// contradicts itself, except for text decorations, which go together.
func (c *changes) put(kind, name, value string) *why {
	if c.target.Grants[kind] == "" {
		return &why{"cannot", []any{kind, c.target.Cannot[kind]}}
	}
	for i, p := range c.pairs[kind] {
		if !strings.EqualFold(p.Name, name) {
			continue
		}
		if p.Value == value {
			return nil
		}
		if name == "text-decoration" && p.Value != "none" && value != "none" {
			c.pairs[kind][i].Value = p.Value + " " + value
			return nil
		}
		return &why{"contradiction", nil}
	}
	if len(c.pairs[kind]) == 0 {
		c.order = append(c.order, kind)
	}
	c.pairs[kind] = append(c.pairs[kind], pair{name, value})
	return nil
}

// newText gives the target's one text a new value.
func (c *changes) newText(v string) *why {
	switch {
	case len(c.target.Texts) == 0:
		return &why{"cannot", []any{replaceText, c.target.Cannot[replaceText]}}
	case len(c.target.Texts) > 1 || c.target.Cannot[replaceText] != "":
		return &why{"several_texts", []any{c.list()}}
	case len(c.texts) > 0:
		return &why{"contradiction", nil}
	}
	c.write(0, v)
	return nil
}

func (c *changes) write(run int, v string) {
	if _, ok := c.texts[run]; !ok {
		c.textRun = append(c.textRun, run)
	}
	c.texts[run] = v
}

// swap replaces a piece of text that stands once in the target's texts.
func (c *changes) swap(s step) *why {
	from, to := s.From, s.Value
	for _, t := range c.target.Texts {
		if t.Cut {
			return &why{"text_cut", nil}
		}
	}
	found, at, n := c.look(s, strings.Index)
	if n == 0 && s.Whole {
		found, at, n = c.look(s, indexFold) // words, not a quotation: capitals are no part of them
	}
	switch {
	case n == 0:
		return &why{"no_such_text", []any{from}}
	case n > 1:
		return &why{"text_repeats", []any{from, n}}
	}
	was := c.now(found)
	head, tail := was[:at], was[at+len(from):]
	if to == "" { // a removed word leaves one of its two blanks
		if strings.HasSuffix(head, " ") && (tail == "" || strings.HasPrefix(tail, " ") || strings.ContainsAny(tail[:1], ".,;:!?")) {
			head = strings.TrimSuffix(head, " ")
		} else if head == "" {
			tail = strings.TrimPrefix(tail, " ")
		}
	}
	v := head + to + tail
	if strings.TrimSpace(v) == "" {
		return &why{"text_empty", nil}
	}
	c.write(found, v)
	return nil
}

// look gives the run and the place in it where a step's text stands, and how
// often it stands anywhere.
func (c *changes) look(s step, index func(text, from string) int) (run, at, n int) {
	for i := range c.target.Texts {
		if where := s.places(c.now(i), index); len(where) > 0 {
			run, at, n = i, where[0], n+len(where)
		}
	}
	return run, at, n
}

// indexFold is strings.Index that takes capitals and small letters for the same.
func indexFold(text, from string) int {
	for i := range text {
		if end := i + len(from); end <= len(text) && strings.EqualFold(text[i:end], from) {
			return i
		}
	}
	return -1
}

// places gives where the text to be replaced stands. One that was not quoted
// has to stand on its own: the 8 in 18 is not meant.
func (s step) places(text string, index func(text, from string) int) []int {
	var out []int
	for at := 0; ; {
		i := index(text[at:], s.From)
		if i < 0 {
			return out
		}
		at += i
		if !s.Whole || standsAlone(text[:at], text[at+len(s.From):]) {
			out = append(out, at)
		}
		at += len(s.From)
	}
}

func standsAlone(before, after string) bool {
	b, size := utf8.DecodeLastRuneInString(before)
	if wordRune(b) || (b == '.' || b == ',') && endsInDigit(before[:len(before)-size]) {
		return false
	}
	a, size := utf8.DecodeRuneInString(after)
	next, _ := utf8.DecodeRuneInString(after[size:])
	return !wordRune(a) && !((a == '.' || a == ',') && unicode.IsDigit(next))
}

// wordRune tells whether a word or number goes on with r; Chinese is written
// without blanks.
func wordRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}

func endsInDigit(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsDigit(r)
}

// extend writes behind the target's one text, or before it.
func (c *changes) extend(s step) *why {
	switch {
	case len(c.target.Texts) == 0:
		return &why{"cannot", []any{replaceText, c.target.Cannot[replaceText]}}
	case len(c.target.Texts) > 1 || c.target.Cannot[replaceText] != "":
		return &why{"several_texts", []any{c.list()}}
	case c.target.Texts[0].Cut:
		return &why{"text_cut", nil}
	}
	was := c.now(0)
	if s.Kind == appendText {
		end := len(strings.TrimRight(was, " \t\r\n\f"))
		c.write(0, was[:end]+s.Value+was[end:])
	} else {
		start := len(was) - len(strings.TrimLeft(was, " \t\r\n\f"))
		c.write(0, was[:start]+s.Value+was[start:])
	}
	return nil
}

// now gives a run's text with what was changed in it so far.
func (c *changes) now(run int) string {
	if v, ok := c.texts[run]; ok {
		return v
	}
	return c.target.Texts[run].Text
}

// list gives the first few texts, for the person to choose from.
func (c *changes) list() string {
	var out []string
	for _, t := range c.target.Texts {
		s := strings.Join(strings.Fields(t.Text), " ")
		if r := []rune(s); len(r) > 40 {
			s = string(r[:40]) + "…"
		}
		out = append(out, "“"+s+"”")
		if len(out) == 4 {
			break
		}
	}
	return strings.Join(out, ", ")
}

// show takes back what hides the element in its own tag.
func (c *changes) show() *why {
	done := false
	for _, a := range c.target.Attributes {
		switch strings.ToLower(a.Name) {
		case "hidden":
			if w := c.put(removeAttribute, a.Name, ""); w != nil {
				return w
			}
			done = true
		case "style":
			decl := strings.ToLower(strings.Join(strings.Fields(a.Value), ""))
			if strings.Contains(decl, "display:none") {
				// An empty value takes the declaration out of the tag.
				if w := c.put(setStyle, "display", ""); w != nil {
					return w
				}
				done = true
			}
			if strings.Contains(decl, "visibility:hidden") {
				if w := c.put(setStyle, "visibility", ""); w != nil {
					return w
				}
				done = true
			}
		}
	}
	if !done {
		return &why{"not_hidden", nil}
	}
	return nil
}

// mutations gives the calls: one for each operation, since a grant is good once.
func (c *changes) mutations() ([]mutation, *why) {
	var out []mutation
	if c.removed {
		if len(c.pairs) > 0 || len(c.texts) > 0 {
			return nil, &why{"contradiction", nil}
		}
		g := c.target.Grants[removeNode]
		if g == "" {
			return nil, &why{"cannot", []any{removeNode, c.target.Cannot[removeNode]}}
		}
		return []mutation{{Grant: g, Operation: removeNode}}, nil
	}
	for _, run := range c.textRun {
		out = append(out, mutation{Grant: c.target.Texts[run].Grant, Operation: replaceText, Text: c.texts[run]})
	}
	for _, kind := range c.order {
		p := c.pairs[kind]
		m := mutation{Grant: c.target.Grants[kind], Operation: kind, Name: p[0].Name, Value: p[0].Value}
		if len(p) > 1 {
			m.Also = p[1:]
		}
		out = append(out, m)
	}
	return out, nil
}
