package modelserver

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// TestRefusals: what a real provider turns away is turned away here.
func TestRefusals(t *testing.T) {
	const (
		call   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		hi     = `{"role":"user","content":"hi"}`
		use    = `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}`
		tool   = `"tools":[{"name":"f","input_schema":{"type":"object"}}]`
		result = `{"type":"tool_result","tool_use_id":"c1","content":"x"}`
	)
	for name, c := range map[string]struct{ wire, body, want string }{
		"no JSON":                 {OpenAI, `{"model`, "could not parse"},
		"no model":                {OpenAI, `{"messages":[` + hi + `]}`, "model parameter"},
		"no messages":             {OpenAI, `{"model":"m","messages":[]}`, "empty array"},
		"call without result":     {OpenAI, `{"model":"m","messages":[` + hi + `,` + call + `]}`, "did not have response messages: c1"},
		"call then user":          {OpenAI, `{"model":"m","messages":[` + hi + `,` + call + `,` + hi + `]}`, "did not have response messages: c1"},
		"result without call":     {OpenAI, `{"model":"m","messages":[` + hi + `,{"role":"tool","tool_call_id":"c9","content":"x"}]}`, "preceding message"},
		"empty tools":             {OpenAI, `{"model":"m","messages":[` + hi + `],"tools":[]}`, "empty array"},
		"choice without tools":    {OpenAI, `{"model":"m","messages":[` + hi + `],"tool_choice":"auto"}`, "tool_choice"},
		"options without stream":  {OpenAI, `{"model":"m","messages":[` + hi + `],"stream_options":{"include_usage":true}}`, "stream_options"},
		"bad tool name":           {OpenAI, `{"model":"m","messages":[` + hi + `],"tools":[{"type":"function","function":{"name":"a b"}}]}`, "pattern"},
		"empty assistant":         {OpenAI, `{"model":"m","messages":[` + hi + `,{"role":"assistant","content":null}]}`, "got null"},
		"picture of a tool":       {OpenAI, `{"model":"m","messages":[` + hi + `,` + call + `,{"role":"tool","tool_call_id":"c1","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]}`, "only allowed for messages with role 'user'"},
		"picture from the net":    {OpenAI, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]}]}`, "data URL"},
		"foreign role":            {OpenAI, `{"model":"m","messages":[{"role":"robot","content":"x"}]}`, "'robot'"},
		"no max_tokens":           {Anthropic, `{"model":"m","messages":[` + hi + `]}`, "max_tokens"},
		"assistant first":         {Anthropic, `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":"x"}]}`, "first message"},
		"empty text":              {Anthropic, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`, "non-empty"},
		"empty content":           {Anthropic, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":""}]}`, "non-empty"},
		"use without result":      {Anthropic, `{"model":"m","max_tokens":1,` + tool + `,"messages":[` + hi + `,` + use + `,` + hi + `]}`, "without `tool_result` blocks immediately after: c1"},
		"use at the end":          {Anthropic, `{"model":"m","max_tokens":1,` + tool + `,"messages":[` + hi + `,` + use + `]}`, "without `tool_result` blocks"},
		"text before the result":  {Anthropic, `{"model":"m","max_tokens":1,` + tool + `,"messages":[` + hi + `,` + use + `,{"role":"user","content":[{"type":"text","text":"x"},` + result + `]}]}`, "without `tool_result` blocks"},
		"result without use":      {Anthropic, `{"model":"m","max_tokens":1,` + tool + `,"messages":[{"role":"user","content":[` + result + `]}]}`, "unexpected `tool_use_id`"},
		"use without tools":       {Anthropic, `{"model":"m","max_tokens":1,"messages":[` + hi + `,` + use + `,{"role":"user","content":[` + result + `]}]}`, "must define tools"},
		"input that is no object": {Anthropic, `{"model":"m","max_tokens":1,` + tool + `,"messages":[` + hi + `,` + strings.Replace(use, `"input":{}`, `"input":"x"`, 1) + `]}`, "valid dictionary"},
		"bad picture":             {Anthropic, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/bmp","data":"AAAA"}}]}]}`, "base64"},
		"bad schema":              {Anthropic, `{"model":"m","max_tokens":1,"tools":[{"name":"f","input_schema":{}}],"messages":[` + hi + `]}`, "input_schema"},
		"system role":             {Anthropic, `{"model":"m","max_tokens":1,"messages":[` + hi + `,{"role":"system","content":"x"}]}`, "'user' or 'assistant'"},
	} {
		t.Run(name, func(t *testing.T) {
			s := StartT(t, Say("it was answered"))
			resp, err := send(t.Context(), s, c.wire, c.body)
			code, body, err := read(t, resp, err)
			if err != nil || code != http.StatusBadRequest || !strings.Contains(body, c.want) {
				t.Error(code, body, err)
			}
			if s.Count() != 1 || s.Left() != 1 || s.Calls()[0].Refused == "" {
				t.Error("the refusal was not counted as one call that took no step")
			}
		})
	}
}

// TestToolsOff: tools a request describes and does not let be called do not count.
func TestToolsOff(t *testing.T) {
	s := StartT(t, Forever(Say("ok")))
	body := `{"model":"m","max_tokens":1,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"none"},"messages":[{"role":"user","content":"hi"}]}`
	for _, b := range []string{body, strings.Replace(body, `"none"`, `"auto"`, 1)} {
		resp, err := send(t.Context(), s, Anthropic, b)
		if code, text, _ := read(t, resp, err); code != http.StatusOK {
			t.Fatal(code, text)
		}
	}
	calls := s.Calls()
	if len(calls[0].ToolNames()) != 0 || len(calls[1].ToolNames()) != 1 || calls[0].ToolChoice != "none" {
		t.Error(calls[0].ToolNames(), calls[1].ToolNames())
	}
}
