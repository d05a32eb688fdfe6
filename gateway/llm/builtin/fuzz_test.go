package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// constants are all values of the grammar that are not taken from the
// instruction.
func constants() map[string]bool {
	out := map[string]bool{"": true, "_blank": true, "none": true, "normal": true, "inherit": true, "transparent": true, "larger": true, "smaller": true, "center": true, "left": true, "right": true, "justify": true, "navy": true, "dimgray": true}
	for _, m := range marks {
		out[m] = true
	}
	out[shadow] = true
	for _, s := range looks {
		out[s.Value] = true
	}
	for _, l := range chineseLooks {
		out[l.step.Value] = true
	}
	for c := range colours {
		out[c] = true
	}
	for _, c := range chineseColours {
		out[c] = true
	}
	return out
}

// FuzzParse: whatever is said, the planner does not fail, and what it reads
// comes out of what was said (D12).
func FuzzParse(f *testing.F) {
	for _, tc := range understood {
		f.Add(tc.say)
	}
	for _, s := range notUnderstood {
		f.Add(s)
	}
	f.Add("\uE000")
	f.Add("make it \xff bold")
	f.Add(strings.Repeat("make it bold and ", 30))
	f.Add(strings.Repeat(`"`, 999))
	known := constants()
	names := map[string]bool{}
	for _, a := range attributeWords {
		names[a] = true
	}
	for _, a := range chineseAttributes {
		names[a] = true
	}
	f.Fuzz(func(t *testing.T, say string) {
		steps, ok := parse(say)
		if !ok {
			if steps != nil {
				t.Fatalf("steps without understanding: %s", brief(steps))
			}
			return
		}
		if len(steps) == 0 {
			t.Fatal("understood, and nothing to do")
		}
		if !utf8.ValidString(say) {
			t.Fatalf("understood what is not text: %q", say)
		}
		for _, s := range steps {
			if !fromInstruction(s.Value, say, known) {
				t.Errorf("%q gave the value %q", say, s.Value)
			}
			if s.From != "" && !strings.Contains(say, s.From) {
				t.Errorf("%q gave the text %q", say, s.From)
			}
			if s.Kind != setStyle && s.Name != "" && !names[s.Name] && !strings.Contains(strings.ToLower(say), strings.ToLower(s.Name)) && !looksUse(s.Name) {
				t.Errorf("%q gave the name %q", say, s.Name)
			}
			if s.Kind == setStyle && !properties[s.Name] {
				t.Errorf("%q gave the property %q", say, s.Name)
			}
			bindAnywhere(t, steps)
		}
	})
}

func looksUse(name string) bool {
	return name == "disabled" || name == "required" || name == "readonly" || name == "style" || name == "target"
}

// fromInstruction tells whether a value is a constant of the grammar, a piece
// of the instruction, or a number of it with a unit.
func fromInstruction(v, say string, known map[string]bool) bool {
	if known[v] || strings.Contains(say, v) {
		return true
	}
	if line, ok := borderValue(v); ok && (line == "" || fromInstruction(line, say, known)) {
		return true
	}
	for _, unit := range []string{"px", "pt", "%", "em", "rem", "vw", "vh"} {
		if n, ok := strings.CutSuffix(v, unit); ok && strings.Contains(say, n) {
			return true
		}
	}
	return false
}

// borderValue gives the colour of a border the grammar made.
func borderValue(v string) (string, bool) {
	_, line, ok := strings.Cut(v, "px solid")
	return strings.TrimSpace(line), ok
}

// bindAnywhere binds the steps to a few targets; nothing but a mutation or a
// reason may come of it.
func bindAnywhere(t *testing.T, steps []step) {
	for _, target := range []targetSeen{exact("h1", "A title"), exact("a", "one", "two"), exact("img"), {}} {
		m, w := bind(steps, target, 1)
		if (w == nil) == (len(m) == 0) {
			t.Fatalf("%s on <%s>: %v, %v", brief(steps), target.Tag, m, w)
		}
		for _, one := range m {
			if one.Grant == "" {
				t.Fatalf("%s on <%s>: a mutation without a grant", brief(steps), target.Tag)
			}
		}
	}
}
