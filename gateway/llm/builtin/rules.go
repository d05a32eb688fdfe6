package builtin

import (
	"regexp"
	"strings"
)

// A rule reads one whole clause. Its pattern is anchored at both ends, so a
// clause with anything in it that the rule does not account for is not read by
// it: "remove the second word" is no removal.
type rule struct {
	re    *regexp.Regexp
	build func(c clause) ([]step, bool)
}

// clause is one matched clause.
type clause struct {
	phrase  phrase
	groups  map[string]string
	whole   string // the clause's text
	chinese bool
}

func (c clause) get(name string) string { return strings.TrimSpace(c.groups[name]) }

// noun gives what the clause calls the target, in the form of the tables.
func (c clause) noun() string {
	n := c.get("noun")
	if n == "" {
		n = c.get("noun2")
	}
	return strings.Join(strings.Fields(strings.ToLower(n)), " ")
}

var every = regexp.MustCompile(`(?i)\b(?:all|both|each|every)\b|所有|全部|每个|每一`)

// plural tells whether the clause speaks of several elements by name.
func (c clause) plural() bool {
	n := c.noun()
	return n != "" && !textNouns[n] && !chineseTextNouns[n] && (plurals[n] || every.MatchString(c.whole))
}

// text gives a new text: quoted, or literal beyond doubt.
func (c clause) text(name string) (string, bool) {
	v, quoted, ok := c.phrase.value(c.groups[name])
	if !ok || quoted {
		return v, ok
	}
	if c.chinese {
		return chineseLiteral(v)
	}
	return literal(v)
}

// quoted gives a quoted value.
func (c clause) quoted(name string) (string, bool) {
	v, quoted, ok := c.phrase.value(c.groups[name])
	return v, ok && quoted
}

// exact gives a quoted value, or a number or amount as it stands.
func (c clause) exact(name string) (string, bool) {
	v, quoted, ok := c.phrase.value(c.groups[name])
	return v, ok && (quoted || amount.MatchString(v))
}

var amount = regexp.MustCompile(`^[$€£¥]?\d[\d.,:%/-]*[%€£¥]?$`)

// on gives the steps with the clause's noun.
func (c clause) on(steps []step, ok bool) ([]step, bool) {
	if !ok {
		return nil, false
	}
	out := make([]step, len(steps))
	for i, s := range steps {
		s.Noun, s.Plural = c.noun(), c.plural()
		out[i] = s.painted(c.whole)
	}
	return out, true
}

func (c clause) one(s step) ([]step, bool) { return c.on([]step{s}, true) }

// read runs the rules over a clause; the first that reads it wins.
func read(rules []rule, p phrase, s string, chinese bool) ([]step, bool) {
	for _, r := range rules {
		m := r.re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		groups := map[string]string{}
		for i, name := range r.re.SubexpNames() {
			if name != "" {
				groups[name] = m[i]
			}
		}
		if steps, ok := r.build(clause{phrase: p, groups: groups, whole: s, chinese: chinese}); ok {
			return steps, true
		}
	}
	return nil, false
}

// compile makes a rule's pattern: {NAME} stands for a macro, a blank for white
// space (with a question mark: where there is some), and the whole is anchored and ignores case.
func compile(macros map[string]string, pattern string) *regexp.Regexp {
	for range 3 { // macros may hold macros
		for name, m := range macros {
			pattern = strings.ReplaceAll(pattern, "{"+name+"}", m)
		}
	}
	if head, tail, ok := strings.Cut(pattern, "(?P<noun>"); ok { // a target can be named in two places
		pattern = head + "(?P<noun>" + strings.ReplaceAll(tail, "(?P<noun>", "(?P<noun2>")
	}
	pattern = strings.ReplaceAll(strings.ReplaceAll(pattern, " ?", `\s*`), " ", `\s+`)
	return regexp.MustCompile(`(?is)^` + pattern + `$`)
}
