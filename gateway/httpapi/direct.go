package httpapi

import (
	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/manual"
	"proofmark/gateway/workbench"
)

func (s *Server) directRoutes() []route {
	return []route{{
		method: "POST", pattern: "/v1/previews/{preview}/edits", scopes: everyone, body: messageBody, feature: core.FeatureWorkbench, handle: s.direct,
		what: "direct edits of picked elements, without a model, become one version",
	}}
}

// doings are the direct edits, by the names they have outside.
var doings = map[string]manual.Do{
	"text": manual.SetText, "attribute": manual.SetAttribute, "removeAttribute": manual.RemoveAttribute, "style": manual.SetStyle,
	"addClass": manual.AddClass, "removeClass": manual.RemoveClass, "remove": manual.Remove, "duplicate": manual.Duplicate,
	"up": manual.MoveUp, "down": manual.MoveDown,
}

type directTask struct {
	Do    string   `json:"do"`
	Name  string   `json:"name"` // of the attribute or style property
	Value string   `json:"value"`
	Picks []string `json:"picks"` // handles
}

// say puts a task as the command line takes it, for the history.
func (t directTask) say() string {
	switch t.Do {
	case "text":
		return "text=" + t.Value
	case "attribute":
		return "attr:" + t.Name + "=" + t.Value
	case "removeAttribute":
		return "attr:-" + t.Name
	case "style":
		return "style:" + t.Name + "=" + t.Value
	case "addClass":
		return "class:+" + t.Value
	case "removeClass":
		return "class:-" + t.Value
	}
	return t.Do
}

func (s *Server) direct(c *call) (any, error) {
	var q struct {
		afterwards
		Tasks   []directTask `json:"tasks"`
		Approve []string     `json:"approve"` // kinds of flags
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if c.caller.Scope == token.Agent && len(q.Approve) > 0 {
		return nil, core.Errorf(core.WrongScope, "a person approves, not an agent")
	}
	ask := workbench.Direct{Approved: q.Approve, Actor: c.actor(), Write: q.Write}
	for i, t := range q.Tasks {
		do, ok := doings[t.Do]
		if !ok {
			return nil, core.Errorf(core.BadRequest, "there is no direct edit %.40q", t.Do).With("task", i+1)
		}
		ask.Tasks = append(ask.Tasks, workbench.Task{Do: do, Name: t.Name, Value: t.Value, Say: t.say(), Picks: t.Picks})
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	out, err := p.Direct(c, ask)
	if err != nil {
		e := core.AsError(err)
		if len(out.Flags) > 0 {
			e = e.With("flags", out.Flags)
		}
		if out.Verification != nil {
			e = e.With("verification", out.Verification)
		}
		return nil, e
	}
	m, err := s.describeMoved(c, *out.Result, out.Written, out.WriteErr)
	return struct {
		moved
		Remarks []string `json:"remarks"` // by edit, "" for none
	}{m, out.Remarks}, err
}
