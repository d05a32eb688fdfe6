package builtin

import (
	"encoding/json"
	"strings"
	"testing"
)

// exact makes a target as document_inspect shows it.
func exact(tag string, texts ...string) targetSeen {
	t := targetSeen{Resolution: "exact", Tag: tag, Grants: map[string]string{}, Cannot: map[string]string{}}
	for _, op := range []string{setAttribute, removeAttribute, setStyle, addClass, removeClass, removeNode} {
		t.Grants[op] = "hrg_" + op
	}
	for i, s := range texts {
		t.Texts = append(t.Texts, textSeen{Grant: "hrg_text" + string(rune('1'+i)), Text: s})
	}
	if len(texts) == 0 {
		t.Cannot[replaceText] = "it holds no text"
	}
	return t
}

func TestBind(t *testing.T) {
	hidden := exact("p", "x")
	hidden.Attributes = []attributeSeen{{"hidden", ""}, {"style", "color: red; display : none"}}
	cut := exact("p", "long")
	cut.Texts[0].Cut = true
	unsure := exact("p", "x")
	unsure.Resolution, unsure.Reason = "contextual", "several match"
	fixed := exact("p", "x")
	delete(fixed.Grants, removeNode)
	fixed.Cannot[removeNode] = "its extent is not certain"
	picture := exact("img")
	picture.Attributes = []attributeSeen{{"src", "a.png"}, {"width", "560"}, {"height", "460"}}
	cases := []struct {
		say    string
		target targetSeen
		want   string // JSON of the mutations, or "why: key"
	}{
		{`change the text to "B"`, exact("h1", "A"), `[{"grant":"hrg_text1","operation":"replace_text","text":"B"}]`},
		{`make it bold and red`, exact("h1", "A"), `[{"grant":"hrg_set_style","operation":"set_style","name":"font-weight","value":"bold","also":[{"name":"color","value":"red"}]}]`},
		{`make it underlined and strikethrough`, exact("h1", "A"), `[{"grant":"hrg_set_style","operation":"set_style","name":"text-decoration","value":"underline line-through"}]`},
		{`change the text to "B" and make it bold`, exact("p", "A"), `[{"grant":"hrg_text1","operation":"replace_text","text":"B"},{"grant":"hrg_set_style","operation":"set_style","name":"font-weight","value":"bold"}]`},
		{`change "old" to "new"`, exact("p", "one ", "old two"), `[{"grant":"hrg_text2","operation":"replace_text","text":"new two"}]`},
		{`remove the word "very"`, exact("p", "a very good day"), `[{"grant":"hrg_text1","operation":"replace_text","text":"a good day"}]`},
		{`change "a" to "b" and change "c" to "d"`, exact("p", "a c"), `[{"grant":"hrg_text1","operation":"replace_text","text":"b d"}]`},
		{`remove it`, exact("p", "x"), `[{"grant":"hrg_remove_node","operation":"remove_node"}]`},
		{`show it`, hidden, `[{"grant":"hrg_remove_attribute","operation":"remove_attribute","name":"hidden"},{"grant":"hrg_set_style","operation":"set_style","name":"display"}]`},
		{`set width to 300`, exact("img"), `[{"grant":"hrg_set_attribute","operation":"set_attribute","name":"width","value":"300"}]`},
		{`set width to 300`, exact("div", "x"), `[{"grant":"hrg_set_style","operation":"set_style","name":"width","value":"300px"}]`},
		{`set width to 50%`, exact("img"), `[{"grant":"hrg_set_style","operation":"set_style","name":"width","value":"50%"}]`},
		{`change the title to "T"`, exact("h2", "x"), `[{"grant":"hrg_text1","operation":"replace_text","text":"T"}]`},
		{`change the title to "T"`, exact("p", "x"), `why: title_or_text`},
		{`set title to "T"`, exact("p", "x"), `[{"grant":"hrg_set_attribute","operation":"set_attribute","name":"title","value":"T"}]`},
		{`change the value to "7"`, exact("input"), `[{"grant":"hrg_set_attribute","operation":"set_attribute","name":"value","value":"7"}]`},
		{`change the value to "7"`, exact("td", "6"), `[{"grant":"hrg_text1","operation":"replace_text","text":"7"}]`},
		{`add the class "a" and add the class "b"`, exact("p", "x"), `[{"grant":"hrg_add_class","operation":"add_class","name":"a","also":[{"name":"b"}]}]`},
		{`change the text to "B"`, exact("p", "A", "C"), `why: several_texts`},
		{`change the text to "B"`, exact("img"), `why: cannot`},
		{`change "x" to "y"`, exact("p", "A"), `why: no_such_text`},
		{`change "a" to "y"`, exact("p", "a a"), `why: text_repeats`},
		{`change "a" to "y"`, exact("p", "a", "a"), `why: text_repeats`},
		{`change "long" to "y"`, cut, `why: text_cut`},
		{`remove the word "A"`, exact("p", "A"), `why: text_empty`},
		{`make it bold`, exact("img"), `why: no_text_look`},
		{`set href to /x`, exact("p", "x"), `why: no_link`},
		{`make the footer red`, exact("h1", "x"), `why: other_thing`},
		{`remove the paragraph`, exact("h1", "x"), `why: other_thing`},
		{`make the heading bold`, exact("div", "x"), `[{"grant":"hrg_set_style","operation":"set_style","name":"font-weight","value":"bold"}]`},
		{`把按钮改成红色`, exact("my-button", "x"), `[{"grant":"hrg_set_style","operation":"set_style","name":"background-color","value":"red"}]`},
		{`remove the image`, exact("div", "x"), `why: other_thing`},
		{`make it red`, exact("input"), `[{"grant":"hrg_set_style","operation":"set_style","name":"color","value":"red"}]`},
		{`make it red`, exact("rect"), `[{"grant":"hrg_set_style","operation":"set_style","name":"fill","value":"red"}]`},
		{`make it red`, exact("line"), `[{"grant":"hrg_set_style","operation":"set_style","name":"stroke","value":"red"}]`},
		{`make the button green`, exact("a", "x"), `[{"grant":"hrg_set_style","operation":"set_style","name":"background-color","value":"green"}]`},
		{`change 8 to 9`, exact("p", "from 18 to 8.5"), `why: no_such_text`},
		{`change 8 to 9`, exact("p", "from 18 to 8."), `[{"grant":"hrg_text1","operation":"replace_text","text":"from 18 to 9."}]`},
		{`change day to "night"`, exact("p", "every day, Sunday"), `[{"grant":"hrg_text1","operation":"replace_text","text":"every night, Sunday"}]`},
		{`change six evenings to "Seven nights"`, exact("p", "Six evenings of sixty"), `[{"grant":"hrg_text1","operation":"replace_text","text":"Seven nights of sixty"}]`},
		{`change "six" to "Seven"`, exact("p", "Six evenings"), `why: no_such_text`},
		{`add "!" at the end`, exact("p", "Hello\n  "), `[{"grant":"hrg_text1","operation":"replace_text","text":"Hello!\n  "}]`},
		{`add "Oh: " at the start`, exact("p", "\n Hello"), `[{"grant":"hrg_text1","operation":"replace_text","text":"\n Oh: Hello"}]`},
		{`add "!" at the end`, exact("p", "A", "B"), `why: several_texts`},
		{`set width to 280`, picture, `[{"grant":"hrg_set_attribute","operation":"set_attribute","name":"height","value":"230","also":[{"name":"width","value":"280"}]}]`},
		{`set width to 280 and height to 100`, picture, `[{"grant":"hrg_set_attribute","operation":"set_attribute","name":"width","value":"280","also":[{"name":"height","value":"100"}]}]`},
		{`make the image smaller`, picture, `why: no_text_size`},
		{`remove all images`, exact("img"), `why: several_meant`},
		{`make it red and make it blue`, exact("p", "x"), `why: contradiction`},
		{`remove it and make it bold`, exact("p", "x"), `why: contradiction`},
		{`show it`, exact("p", "x"), `why: not_hidden`},
		{`make it bold`, unsure, `why: not_certain`},
		{`remove it`, fixed, `why: cannot`},
		{`删除图片`, exact("p", "x"), `why: other_thing`},
		{`把图片改成“a.png”`, exact("img"), `[{"grant":"hrg_set_attribute","operation":"set_attribute","name":"src","value":"a.png"}]`},
	}
	for _, tc := range cases {
		steps, ok := parse(tc.say)
		if !ok {
			t.Errorf("%s: not understood", tc.say)
			continue
		}
		m, w := bind(steps, tc.target, 1)
		got := ""
		if w != nil {
			got = "why: " + w.key
			for _, chinese := range []bool{false, true} {
				if s := w.in(chinese); s == "" || strings.Contains(s, "%!") {
					t.Errorf("%s: the reason reads %q", tc.say, s)
				}
			}
		} else {
			raw, _ := json.Marshal(m)
			got = string(raw)
		}
		if got != tc.want {
			t.Errorf("%s on <%s>\n\tgot  %s\n\twant %s", tc.say, tc.target.Tag, got, tc.want)
		}
	}
}

// A note that is not understood keeps the others from being carried out, and is
// named.
func TestPlanIsAllOrNothing(t *testing.T) {
	in := inspected{OK: true, Notes: []noteSeen{
		{Order: 1, Instruction: "make it bold", Targets: []targetSeen{exact("p", "x")}},
		{Order: 2, Instruction: "make it pop", Targets: []targetSeen{exact("p", "x")}},
	}}
	p := plan(in, nil)
	if len(p.refused) != 1 || p.refused[0].order != 2 {
		t.Fatalf("refused %+v", p.refused)
	}
	text := answerRefused(p, 2)
	for _, want := range []string{"Note 2", "make it pop", "Nothing was changed", "other notes", "make it bold · "} {
		if !strings.Contains(text, want) {
			t.Errorf("the answer lacks %q:\n%s", want, text)
		}
	}
	in.Notes[1].Instruction = "弄得好看一点"
	if text := answerRefused(plan(in, nil), 2); !strings.Contains(text, "批注 2") || !strings.Contains(text, "没有做任何修改") || !strings.Contains(text, "加粗") {
		t.Errorf("the Chinese answer reads\n%s", text)
	}
}

// R-PICK-4: a note whose place is gone is left out whole, and named; the others
// are carried out. Where none is left, or another one is refused, nothing is.
func TestPlanLeavesLostNotesOut(t *testing.T) {
	lost := exact("p", "x")
	lost.Resolution, lost.Reason = "contextual", "no_match"
	in := inspected{OK: true, Notes: []noteSeen{
		{Order: 1, Instruction: "make it bold", Targets: []targetSeen{exact("p", "x")}},
		{Order: 2, Instruction: "make it red", Targets: []targetSeen{exact("p", "x"), lost}},
	}}
	p := plan(in, nil)
	if len(p.refused) != 0 || len(p.lost) != 1 || len(p.mutations) != 1 || len(p.done) != 1 {
		t.Fatalf("%+v", p)
	}
	if got := summary(p); !strings.HasPrefix(got, "Note 1: ") || !strings.Contains(got, "note 2 left out: its target was not found") {
		t.Errorf("the summary is %q", got)
	}
	in.Notes[0].Instruction = "make it pop"
	if p := plan(in, nil); len(p.refused) != 2 || p.refused[1].order != 2 || len(p.lost) != 0 {
		t.Errorf("beside one not understood: %+v", p)
	}
	in.Notes = in.Notes[1:]
	if p := plan(in, nil); len(p.refused) != 1 || len(p.lost) != 0 {
		t.Errorf("alone: %+v", p)
	}
}

func TestMessageBesideNotes(t *testing.T) {
	note := noteSeen{Order: 1, Instruction: "make it bold", Targets: []targetSeen{exact("p", "x")}}
	for message, refused := range map[string]bool{
		"": false, "Please apply these notes.": false, "thanks": false, "make it bold": false, "请执行这些批注": false,
		"and translate the page": true, "but not on mobile": true,
	} {
		p := plan(inspected{Message: message, Notes: []noteSeen{note}}, nil)
		if got := len(p.refused) > 0; got != refused {
			t.Errorf("message %q: refused %t, want %t", message, got, refused)
		}
	}
	note.Instruction = ""
	p := plan(inspected{Message: "make it bold", Notes: []noteSeen{note}}, nil)
	if len(p.mutations) != 1 {
		t.Errorf("an instruction in the message for a note without one: %+v", p)
	}
}
