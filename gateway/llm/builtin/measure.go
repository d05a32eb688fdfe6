package builtin

import (
	"encoding/json"
	"strconv"
	"strings"

	"proofmark/gateway/llm"
)

// "Larger" means larger than it is now. The CSS keyword means larger than the
// parent's text, which makes a heading smaller; so the planner measures the
// target on the live page first and writes a size of its own.

// place is one target of one note, both counted from 1.
type place struct{ note, target int }

// Factors of one step up or down, and how many targets are measured at most.
const (
	stepUp      = 1.25
	stepDown    = 0.8
	maxMeasured = 12
)

// relative tells whether the step asks for a size relative to the present one.
func relative(s step) bool {
	return s.Kind == setStyle && s.Name == "font-size" && (s.Value == "larger" || s.Value == "smaller")
}

// sized gives the steps with sizes in place of relative words; ok is false
// where the present size (px) is needed and not known.
func sized(steps []step, px float64) (out []step, ok bool) {
	out, ok = steps, true
	for i, s := range steps {
		if !relative(s) {
			continue
		}
		if px <= 0 {
			return steps, false
		}
		if &out[0] == &steps[0] {
			out = append([]step{}, steps...)
		}
		factor := stepUp
		if s.Value == "smaller" {
			factor = stepDown
		}
		if s.Factor > 0 {
			factor = s.Factor
		}
		out[i].Value = strconv.FormatFloat(float64(int(px*factor*10+0.5))/10, 'f', -1, 64) + "px"
	}
	return out, ok
}

// measureCalls asks for the live look of each place.
func measureCalls(req llm.Request, places []place) llm.Response {
	var resp llm.Response
	for _, p := range places {
		resp.ToolCalls = append(resp.ToolCalls, call(req, lookTool, lookArguments{Scope: "target", Note: p.note, Target: p.target, Limit: 1}).ToolCalls...)
		resp.ToolCalls[len(resp.ToolCalls)-1].ID += "_" + strconv.Itoa(p.note) + "_" + strconv.Itoa(p.target)
	}
	return resp
}

type lookArguments struct {
	Scope  string `json:"scope"`
	Note   int    `json:"note"`
	Target int    `json:"target"`
	Limit  int    `json:"limit"`
}

// measured reads the font size out of the answer to a look.
func (c *conversation) measured(arguments, text string) {
	var args lookArguments
	var seen struct {
		Elements []struct {
			Style map[string]string `json:"style"`
		} `json:"elements"`
	}
	if json.Unmarshal([]byte(arguments), &args) != nil || json.Unmarshal([]byte(text), &seen) != nil || len(seen.Elements) == 0 {
		return
	}
	px, err := strconv.ParseFloat(strings.TrimSuffix(seen.Elements[0].Style["font-size"], "px"), 64)
	if err != nil {
		return
	}
	if c.sizes == nil {
		c.sizes = map[place]float64{}
	}
	c.sizes[place{args.Note, args.Target}] = px
}
