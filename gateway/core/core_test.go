package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"
)

// TestEveryCodeHasAnExit: the list of codes is closed; each declared constant
// stands in the exit table (CLI.md).
func TestEveryCodeHasAnExit(t *testing.T) {
	src, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	decl := regexp.MustCompile(`(?m)^\t[A-Z]\w+ +Code = "([a-z0-9_]+)"`).FindAllSubmatch(src, -1)
	if len(decl) < 50 {
		t.Fatalf("found only %d codes", len(decl))
	}
	seen := map[string]bool{}
	for _, m := range decl {
		code := string(m[1])
		if seen[code] {
			t.Errorf("code %q stands twice", code)
		}
		seen[code] = true
		if _, ok := exits[Code(code)]; !ok {
			t.Errorf("code %q has no exit code", code)
		}
	}
	if len(seen) != len(Codes()) {
		t.Errorf("%d codes declared, %d in the table", len(seen), len(Codes()))
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	e := Errorf(NotUTF8, "byte %d", 7).With("offset", 7).WithHint("save it as UTF-8")
	wrapped := fmt.Errorf("opening: %w", e)
	if CodeOf(wrapped) != NotUTF8 || CodeOf(wrapped).Exit() != ExitRefused {
		t.Errorf("code %q", CodeOf(wrapped))
	}
	if CodeOf(errors.New("x")) != Internal || CodeOf(nil) != "" {
		t.Error("unknown errors are internal, nil has no code")
	}
	if AsError(errors.New("secret")).Message == "secret" {
		t.Error("an unknown error's text became a message")
	}
}

func TestSpansAndPathsAreShortInJSON(t *testing.T) {
	b, err := json.Marshal(struct {
		S Span
		P []PathStep
	}{Span{3, 9}, []PathStep{{"html", 1}, {"#content", 1}}})
	if err != nil || string(b) != `{"S":[3,9],"P":[["html",1],["#content",1]]}` {
		t.Fatalf("%s %v", b, err)
	}
	var back struct {
		S Span
		P []PathStep
	}
	if err := json.Unmarshal(b, &back); err != nil || back.S != (Span{3, 9}) || back.P[1] != (PathStep{"#content", 1}) {
		t.Fatalf("%+v %v", back, err)
	}
	if json.Unmarshal([]byte(`["a"]`), &back.P[0]) == nil {
		t.Error("a path step of one value was taken")
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b Span
		want bool
	}{
		{Span{0, 3}, Span{3, 5}, false},
		{Span{0, 4}, Span{3, 5}, true},
		{Span{2, 2}, Span{0, 4}, true},
		{Span{0, 0}, Span{0, 4}, false},
		{Span{4, 4}, Span{0, 4}, false},
	} {
		if got := c.a.Overlaps(c.b); got != c.want || c.b.Overlaps(c.a) != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}

func TestTransitions(t *testing.T) {
	if !AnnotationDraft.CanBecome(AnnotationSent) || AnnotationSent.CanBecome(AnnotationDraft) {
		t.Error("annotations")
	}
	if !TurnRunning.CanBecome(TurnApplied) || TurnApplied.CanBecome(TurnRunning) || TurnAccepted.CanBecome(TurnApplied) {
		t.Error("turns")
	}
}

// TestSharedEditsNameTheirNotes: an edit of one note says so by number alone,
// one of several lists them (R-DOC-3: single notes are taken back).
func TestSharedEditsNameTheirNotes(t *testing.T) {
	one := Edit{Note: 2, Span: Span{1, 1}, Replacement: "x"}
	if e := one.Shared(Edit{Note: 2}); e != one || e.Joint() {
		t.Errorf("%+v", e)
	}
	two := one.Shared(Edit{Note: 1})
	if !two.Joint() || !two.For(1) || !two.For(2) || two.For(3) || two.For(0) {
		t.Errorf("%+v", two)
	}
	b, err := json.Marshal(two)
	if err != nil || string(b) != `{"note":1,"notes":[1,2],"span":[1,1],"replacement":"x"}` {
		t.Errorf("%s %v", b, err)
	}
	var back Edit
	if err := json.Unmarshal(b, &back); err != nil || back != two {
		t.Errorf("%+v %v", back, err)
	}
	if b, _ := json.Marshal(one); string(b) != `{"note":2,"span":[1,1],"replacement":"x"}` {
		t.Errorf("%s", b)
	}
}
