package modelserver

import "fmt"

// What a decent model does in an annotated turn, as steps. The names are those
// of the program's tools on the wire.

// Inspect reads the notes and their grants.
func Inspect() Step { return Use("document_inspect", map[string]any{}) }

// Apply changes the document with mutations made from the JSON of the latest
// document_inspect.
func Apply(mutations func(inspect map[string]any) []any) Step {
	return func(r Request) Reply {
		list := mutations(need(r, "document_inspect"))
		return Reply{Calls: []Call{NewCall("document_apply", map[string]any{"mutations": list})}}
	}
}

// Look sees the page, and with it gets the receipt of a draft.
func Look() Step { return Use("document_browser_inspect", map[string]any{}) }

// Commit finishes with the receipt and candidateSha of the latest result.
func Commit(summary string) Step {
	return From(func(last map[string]any) Call {
		return NewCall("document_finish", map[string]any{
			"action": "commit", "receipt": last["receipt"], "sha": last["candidateSha"], "summary": summary,
		})
	})
}

// Discard finishes without a change.
func Discard(summary string) Step {
	return Use("document_finish", map[string]any{"action": "discard", "summary": summary})
}

// Editor is a whole turn: inspect, apply, look, commit, and last words.
func Editor(mutations func(inspect map[string]any) []any) []Step {
	return []Step{Inspect(), Apply(mutations), Look(), Commit("Changed as asked."), Say("The page is changed as you asked.")}
}

// SetTexts makes mutations that give the first text of each note's first target
// the new texts, in the order of the notes.
func SetTexts(texts ...string) func(map[string]any) []any {
	return func(inspect map[string]any) []any {
		var list []any
		for i, text := range texts {
			list = append(list, map[string]any{"grant": GrantFor(inspect, i+1, "replace_text"), "operation": "replace_text", "text": text})
		}
		return list
	}
}

// GrantFor gives the first grant for an operation on a target of the note with
// this order, out of document_inspect's JSON. It panics where there is none,
// which the server tells as an answer.
func GrantFor(inspect map[string]any, note int, operation string) string {
	for _, n := range list(inspect["notes"]) {
		if order, _ := n["order"].(float64); int(order) != note {
			continue
		}
		for _, t := range list(n["targets"]) {
			if operation == "replace_text" {
				for _, run := range list(t["texts"]) {
					if g, _ := run["grant"].(string); g != "" {
						return g
					}
				}
			}
			grants, _ := t["grants"].(map[string]any)
			if g, _ := grants[operation].(string); g != "" {
				return g
			}
		}
	}
	panic(fmt.Sprintf("document_inspect gives no grant for %s on note %d", operation, note))
}

func need(r Request, tool string) map[string]any {
	out := r.ResultOf(tool)
	if out == nil {
		panic("the conversation has no result of " + tool)
	}
	return out
}

func list(v any) []map[string]any {
	var out []map[string]any
	items, _ := v.([]any)
	for _, it := range items {
		if m, ok := it.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}
