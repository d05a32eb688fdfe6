package tools

import (
	"context"
	"strings"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// usable are the elements a person can use, for acting by visible text.
const usable = "a, button, input, select, textarea, summary, label, [role], [tabindex], [onclick]"

// browserAct performs one real input on the page (R-TURN-9).
func (s *Set) browserAct(ctx context.Context, a browserActArgs) (Result, error) {
	act, err := s.action(a)
	if err != nil {
		return Result{}, err
	}
	sf, err := s.draft.Surface(ctx)
	if err != nil {
		return Result{}, err
	}
	if act.Handle, err = s.actOn(ctx, sf, a); err != nil {
		return Result{}, err
	}
	if err := sf.Act(ctx, act); err != nil {
		return Result{}, err
	}
	return s.finishPage(ctx, sf, pageResult{Done: a.Kind + " was done; the page is as it is now, look at it with document_browser_inspect"})
}

// action checks that the arguments fit the kind and gives the input.
func (s *Set) action(a browserActArgs) (contract.Action, error) {
	act := contract.Action{Kind: a.Kind}
	switch a.Kind {
	case "click", "focus":
		if a.Note == 0 && a.Text == "" {
			return act, badArguments("%s needs a note or the visible text of an element", a.Kind)
		}
	case "type":
		if a.Text == "" {
			return act, badArguments("type needs text")
		}
		act.Text = a.Text
	case "press":
		if a.Key == "" {
			return act, badArguments("press needs a key")
		}
		act.Key = a.Key
	case "scroll":
		if a.Direction == "" {
			return act, badArguments("scroll needs a direction")
		}
		act.DX, act.DY = s.distance(a)
	}
	return act, nil
}

func (s *Set) distance(a browserActArgs) (dx, dy float64) {
	w, h := s.size()
	far := [2]float64{scrollLine, scrollLine}
	if a.Unit == "page" {
		far = [2]float64{w * 0.9, h * 0.9}
	}
	switch a.Direction {
	case "up":
		return 0, -far[1]
	case "down":
		return 0, far[1]
	case "left":
		return -far[0], 0
	}
	return far[0], 0
}

// actOn gives the handle of the element to act on, "" for none.
func (s *Set) actOn(ctx context.Context, sf contract.Surface, a browserActArgs) (string, error) {
	if a.Kind == "press" || a.Kind == "scroll" {
		return "", nil
	}
	if a.Note > 0 {
		id, err := s.firstTarget(a.Note)
		if err != nil {
			return "", err
		}
		p, err := s.pick(ctx, id)
		return p.Handle, err
	}
	if a.Kind == "type" {
		return "", nil // into whatever has the focus
	}
	picks, _, err := sf.Query(ctx, usable, core.MaxInspectNodes)
	if err != nil {
		return "", err
	}
	want := strings.Join(strings.Fields(a.Text), " ")
	var found []contract.Pick
	for _, p := range picks {
		if strings.Join(strings.Fields(p.Text), " ") == want {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 1:
		return found[0].Handle, nil
	case 0:
		return "", core.Errorf(core.NoMatch, "no usable element of the page shows exactly this text").
			WithHint("nothing was done; see what there is with document_browser_inspect")
	}
	return "", core.Errorf(core.SeveralMatches, "%d usable elements show this text", len(found)).
		WithHint("nothing was done; act on a note's target instead").With("matches", len(found))
}
