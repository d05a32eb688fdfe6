package modelserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultClient.CloseIdleConnections()
		if code != 0 {
			os.Exit(code)
		}
	}))
}

const (
	openaiHi    = `{"model":"m","messages":[{"role":"user","content":"hello world"}],"stream":true,"stream_options":{"include_usage":true}}`
	anthropicHi = `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hello world"}],"stream":true}`
)

// each runs a test in both wire formats; post sends a small streaming request.
func each(t *testing.T, steps func() []Step, f func(t *testing.T, s *Server, post func(context.Context) (*http.Response, error))) {
	t.Helper()
	for wire, body := range map[string]string{OpenAI: openaiHi, Anthropic: anthropicHi} {
		t.Run(wire, func(t *testing.T) {
			s := StartT(t, steps()...)
			f(t, s, func(ctx context.Context) (*http.Response, error) { return send(ctx, s, wire, body) })
		})
	}
}

func send(ctx context.Context, s *Server, wire, body string) (*http.Response, error) {
	url := s.OpenAIBase() + "/chat/completions"
	if wire == Anthropic {
		url = s.AnthropicBase() + "/v1/messages"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if wire == Anthropic {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Do(req)
}

// read gives status and body; err is what ended the body, nil for its proper end.
func read(t *testing.T, resp *http.Response, err error) (int, string, error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, string(b), err
}

// TestGoldenBytes: the bytes of both formats stand in testdata, as the
// providers write them.
func TestGoldenBytes(t *testing.T) {
	steps := func() []Step {
		return []Step{Give(Reply{Text: "I will make the <h1> bold — at once.", Calls: []Call{
			NewCall("document_inspect", struct{}{}),
			NewCall("document_apply", map[string]any{"mutations": []any{map[string]any{"grant": "hrg_1", "text": "größer"}}}),
		}})}
	}
	each(t, steps, func(t *testing.T, s *Server, post func(context.Context) (*http.Response, error)) {
		resp, err := post(t.Context())
		_, got, err := read(t, resp, err)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", s.Calls()[0].Wire+".sse")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal([]byte(got), want) {
			t.Errorf("the stream is not %s:\n%s", file, got)
		}
	})
}

// TestFaultsOfTheWire: each fault is on the wire as it says.
func TestFaultsOfTheWire(t *testing.T) {
	has := func(want ...string) func(*testing.T, int, http.Header, string, error) {
		return func(t *testing.T, _ int, _ http.Header, body string, err error) {
			t.Helper()
			for _, w := range want {
				if !strings.Contains(body, w) {
					t.Errorf("no %q in %q", w, body)
				}
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	without := func(words ...string) func(*testing.T, int, http.Header, string, error) {
		return func(t *testing.T, code int, _ http.Header, body string, err error) {
			t.Helper()
			for _, w := range words {
				if strings.Contains(body, w) {
					t.Errorf("%q stands in %q", w, body)
				}
			}
			if err != nil || code != http.StatusOK || !strings.Contains(body, "data:") {
				t.Error(code, body, err)
			}
		}
	}
	for name, c := range map[string]struct {
		reply Reply
		check func(t *testing.T, status int, h http.Header, body string, err error)
	}{
		"no done":   {Reply{Text: "hi", Fault: Fault{NoDone: true}}, without("[DONE]", "message_stop")},
		"no finish": {Reply{Text: "hi", Fault: Fault{NoFinish: true}}, without("[DONE]", "message_stop", `"finish_reason":"stop"`, "end_turn", `"usage":{"prompt`)},
		"no usage":  {Reply{Text: "hi", NoUsage: true}, without(`"prompt_tokens"`, `"input_tokens":2`)},
		"bad utf-8": {Reply{Text: "hi", Fault: Fault{InvalidUTF8: true}}, has("hi\xc3(")},
		"bad utf-8 in arguments": {
			Reply{Calls: []Call{NewCall("a", struct{}{})}, Fault: Fault{InvalidUTF8: true}},
			has("\xc3("),
		},
		"broken JSON": {Reply{Text: "hi", Fault: Fault{BrokenJSON: true}}, func(t *testing.T, _ int, _ http.Header, body string, err error) {
			broken := 0
			for line := range strings.Lines(body) {
				if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok && data != "[DONE]" && !json.Valid([]byte(data)) {
					broken++
				}
			}
			if broken != 1 || err != nil {
				t.Errorf("%d events are broken in %s, %v", broken, body, err)
			}
		}},
		"crlf":      {Reply{Text: "hi", Odd: Odd{CRLF: true, Comments: true, NoSpace: true}}, has("\r\n\r\n", ": keep-alive\r\n", "data:{")},
		"error":     {Reply{Text: "hi", Fault: Fault{ErrorEvent: "overloaded_error"}}, has(`"type":"overloaded_error"`)},
		"error end": {Reply{Text: "hi", Fault: Fault{ErrorEvent: "server_error"}}, without("[DONE]", "message_stop", "end_turn")},
		"html": {Reply{Fault: Fault{HTML: true}}, func(t *testing.T, code int, h http.Header, body string, _ error) {
			if code != http.StatusOK || h.Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasPrefix(body, "<!DOCTYPE") {
				t.Error(code, h, body)
			}
		}},
		"redirect": {Reply{Fault: Fault{Redirect: "http://127.0.0.1:1/x"}}, func(t *testing.T, code int, h http.Header, _ string, _ error) {
			if code != http.StatusTemporaryRedirect || h.Get("Location") != "http://127.0.0.1:1/x" {
				t.Error(code, h)
			}
		}},
		"status": {Reply{Status: 429, Text: "slow down", Header: map[string]string{"Retry-After": "7"}}, func(t *testing.T, code int, h http.Header, body string, _ error) {
			if code != http.StatusTooManyRequests || h.Get("Retry-After") != "7" || !strings.Contains(body, `"message":"slow down"`) {
				t.Error(code, h, body)
			}
		}},
		"body": {Reply{Body: "data: x\n\n"}, func(t *testing.T, code int, h http.Header, body string, _ error) {
			if code != http.StatusOK || body != "data: x\n\n" || h.Get("Content-Type") != "text/event-stream; charset=utf-8" {
				t.Error(code, h, body)
			}
		}},
		"plain": {Reply{Text: "hi", Odd: Odd{PlainJSON: true}}, func(t *testing.T, code int, h http.Header, body string, _ error) {
			if code != http.StatusOK || h.Get("Content-Type") != "application/json" || object(body) == nil {
				t.Error(code, h, body)
			}
		}},
		"cut": {Reply{Text: "hi", Fault: Fault{CutAfter: 10}}, func(t *testing.T, _ int, _ http.Header, body string, err error) {
			if len(body) != 10 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes came: %v", len(body), err)
			}
		}},
		"gzip": {Reply{Text: "hi", Fault: Fault{Gzip: true}}, has("hi")}, // net/http asks for gzip and unpacks it
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func() []Step { return []Step{Give(c.reply)} }, func(t *testing.T, _ *Server, post func(context.Context) (*http.Response, error)) {
				resp, err := post(t.Context())
				code, body, err := read(t, resp, err)
				c.check(t, code, resp.Header, body, err)
			})
		})
	}
}

// TestCutBeforeAnything: a connection dropped before the header is an error of
// the request.
func TestCutBeforeAnything(t *testing.T) {
	each(t, func() []Step { return []Step{Give(Reply{Fault: Fault{CutAfter: -1}})} }, func(t *testing.T, s *Server, post func(context.Context) (*http.Response, error)) {
		resp, err := post(t.Context())
		if err == nil {
			_ = resp.Body.Close()
			t.Error("there was an answer")
		}
		if s.Count() != 1 {
			t.Errorf("%d calls", s.Count())
		}
	})
}

// TestEndless: endless text and an endless line go on for as long as the client reads.
func TestEndless(t *testing.T) {
	for _, f := range []Fault{{EndlessText: true}, {EndlessLine: true}} {
		each(t, func() []Step { return []Step{Give(Reply{Text: "hi", Fault: f})} }, func(t *testing.T, _ *Server, post func(context.Context) (*http.Response, error)) {
			resp, err := post(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
			if err != nil || len(b) != 1<<20 {
				t.Fatalf("%d bytes came: %v", len(b), err)
			}
			tail := b[len(b)-200_000:]
			if lines := bytes.Contains(tail, []byte("\n")); lines == f.EndlessLine {
				t.Errorf("line ends at the end: %v", lines)
			}
			_ = resp.Body.Close() // the server sees it and lets go; Close waits for that
		})
	}
}

// TestHang: an answer that hangs lets go when the client leaves, and when the
// server closes.
func TestHang(t *testing.T) {
	for _, after := range []int{0, 20} {
		steps := func() []Step {
			return []Step{Forever(Give(Reply{Text: "hi", Fault: Fault{Hang: true, HangAfter: after}}))}
		}
		each(t, steps, func(t *testing.T, s *Server, post func(context.Context) (*http.Response, error)) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				resp, err := post(ctx)
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				ended <- err
			}()
			waitFor(t, func() bool { return s.Count() == 1 })
			select {
			case err := <-ended:
				t.Fatalf("it did not hang: %v", err)
			default:
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			go func() {
				resp, err := post(t.Context())
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				ended <- err
			}()
			waitFor(t, func() bool { return s.Count() == 2 })
			s.Close()
			if err := <-ended; err == nil {
				t.Error("an answer that hung ended well when the server closed")
			}
		})
	}
}

// waitFor yields until something that another goroutine does has happened.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for !done() {
		if t.Context().Err() != nil {
			t.Fatal("it never happened")
		}
		runtime.Gosched()
	}
}

// TestDelay: an answer waits for its channel.
func TestDelay(t *testing.T) {
	gate := make(chan struct{})
	s := StartT(t, Give(Reply{Text: "late", Fault: Fault{Delay: gate}}), Say("early"))
	late := make(chan string, 1)
	go func() {
		resp, err := send(t.Context(), s, OpenAI, openaiHi)
		if err != nil {
			late <- err.Error()
			return
		}
		b, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		late <- string(b)
	}()
	waitFor(t, func() bool { return s.Count() == 1 })
	resp, err := send(t.Context(), s, OpenAI, openaiHi)
	if _, body, err := read(t, resp, err); err != nil || !strings.Contains(body, "early") {
		t.Fatal(body, err)
	}
	select {
	case body := <-late:
		t.Fatalf("it did not wait: %s", body)
	default:
	}
	close(gate)
	if body := <-late; !strings.Contains(body, `"content":"late"`) {
		t.Error(body)
	}
}

// TestModelsAndKeys: the list of models costs no call; a wrong key is refused as
// the provider refuses it, and takes no step.
func TestModelsAndKeys(t *testing.T) {
	s := StartT(t, Say("hi"))
	s.SetModels("gpt-x", "claude-y")
	s.RequireKey("sk-right")
	get := func(header, value string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(header, value)
		if header == "X-Api-Key" {
			req.Header.Set("Anthropic-Version", "2023-06-01")
		}
		resp, err := http.DefaultClient.Do(req)
		code, body, err := read(t, resp, err)
		if err != nil {
			t.Fatal(err)
		}
		return code, body
	}
	for _, c := range []struct {
		header, value string
		code          int
		want          string
	}{
		{"Authorization", "Bearer sk-right", 200, `{"object":"list","data":[{"id":"gpt-x","object":"model"`},
		{"X-Api-Key", "sk-right", 200, `{"data":[{"type":"model","id":"gpt-x"`},
		{"Authorization", "Bearer sk-wrong", 401, `"code":"invalid_api_key"`},
		{"X-Api-Key", "sk-wrong", 401, `"type":"authentication_error"`},
	} {
		if code, body := get(c.header, c.value); code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s", c.header, c.value, code, body)
		}
	}
	if s.Lists() != 4 || s.Count() != 0 {
		t.Errorf("%d lists, %d calls", s.Lists(), s.Count())
	}
	resp, err := send(t.Context(), s, OpenAI, openaiHi)
	if code, _, _ := read(t, resp, err); code != http.StatusUnauthorized || s.Count() != 1 || s.Left() != 1 || s.Calls()[0].Refused == "" {
		t.Error(code, s.Calls())
	}
	s.SetModelsReply(Reply{Status: 503, Text: "down"})
	if code, body := get("Authorization", "Bearer sk-right"); code != 503 || !strings.Contains(body, "down") {
		t.Error(code, body)
	}
}
