package proof

import "proofmark/gateway/core"

// Nearest is the nearest ancestor of a refused element that is itself proven.
// It stands in Detail["nearest"] of a refusal.
type Nearest struct {
	Path  []core.PathStep `json:"path"` // in the source's own tree
	Name  string          `json:"name"`
	Start core.Span       `json:"start"` // of its start tag
	Steps int             `json:"steps"` // from the refused element up
}

// withNearest offers the nearest proven element of the chain from link i up.
func (v *verifier) withNearest(err *core.Error, from int) *core.Error {
	out := *err // sentences may be shared between links
	out.Op = opVerify
	out.Detail = nil
	for k, d := range err.Detail {
		out.With(k, d)
	}
	for i := from; i < len(v.chain); i++ {
		id, bad := v.prove(i)
		if bad != nil {
			continue
		}
		tag, _ := v.tree.StartTag(id)
		out.With("nearest", Nearest{Path: v.tree.Path(id), Name: v.tree.Name(id), Start: tag, Steps: i})
		if out.Hint == "" {
			out.Hint = "the nearest element that can be picked is the <" + v.tree.Name(id) + "> around it"
		}
		break
	}
	return &out
}

// refuse gives the sentence of a code that needs no more than the element's
// name.
func refuse(code core.Code, name string) *core.Error {
	what := "this element"
	if name != "" {
		what = "this <" + name + ">"
	}
	switch code {
	case core.ScriptMade:
		return core.Errorf(code, "a script made %s; it is not in the source", what)
	case core.InFrame:
		return core.Errorf(code, "this is inside a frame; only elements of the page itself can be picked")
	case core.InShadow:
		return core.Errorf(code, "%s is inside a shadow root; only elements outside can be picked", what)
	case core.PseudoElement:
		return core.Errorf(code, "this is drawn by a style sheet; it is no element of the source")
	case core.Detached:
		return core.Errorf(code, "the element is no longer on the page").WithHint("pick once more")
	case core.NoSource:
		return core.Errorf(code, "the browser put %s in by itself; the source has no tag for it", what)
	case core.Ambiguous:
		return core.Errorf(code, "it cannot be told for certain which tag of the source made %s", what)
	}
	return core.Errorf(code, "%s cannot be tied to the source", what)
}
