package modelserver

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func ask(t *testing.T, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestBothFormatsStream(t *testing.T) {
	s := StartT(t, Say("Hello, world, and all who sail in her."), UseAll(NewCall("a_tool", map[string]any{"x": "<b>"}), NewCall("b_tool", struct{}{})), Say("x"))
	for range 2 {
		code, body := ask(t, s.OpenAIBase()+"/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}`)
		t.Log(code, "\n"+body)
	}
	code, body := ask(t, s.AnthropicBase()+"/v1/messages", `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hi"}],"stream":true}`)
	t.Log(code, "\n"+body)
}
