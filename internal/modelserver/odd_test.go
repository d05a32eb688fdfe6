package modelserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// delta takes what a test of a stream's order looks at: of each chunk the delta
// and its end.
var delta = regexp.MustCompile(`"delta":(\{.*\}),"logprobs":null,"finish_reason":(null|"[a-z_]+")`)

// TestOddServers: each oddity is on the wire as it says, and nothing else is.
func TestOddServers(t *testing.T) {
	calls := []Call{{"c1", "see", `{"a":1}`}, {"c2", "go", `{}`}}
	const (
		role = `{"role":"assistant","content":null,"refusal":null}`
		h1   = `{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"see","arguments":""}}]}`
		a1   = `{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}`
		h2   = `{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"go","arguments":""}}]}`
		a2   = `{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}`
		end  = `{} "tool_calls"`
	)
	cut := func(s string, from ...string) string { return strings.NewReplacer(from...).Replace(s) }
	for name, c := range map[string]struct {
		reply Reply
		want  []string
	}{
		"as it is":   {Reply{}, []string{role, h1, a1, h2, a2, end}},
		"index zero": {Reply{Odd: Odd{IndexZero: true}}, []string{role, h1, a1, cut(h2, `"index":1`, `"index":0`), cut(a2, `"index":1`, `"index":0`), end}},
		"no index":   {Reply{Odd: Odd{NoIndex: true}}, []string{role, cut(h1, `"index":0,`, ""), cut(a1, `"index":0,`, ""), cut(h2, `"index":1,`, ""), cut(a2, `"index":1,`, ""), end}},
		"no id":      {Reply{Odd: Odd{NoID: true}}, []string{role, cut(h1, `"id":"c1",`, ""), a1, cut(h2, `"id":"c2",`, ""), a2, end}},
		"whole": {Reply{Odd: Odd{WholeCalls: true}}, []string{
			role, cut(h1, `"arguments":""`, `"arguments":"{\"a\":1}"`), cut(h2, `"arguments":""`, `"arguments":"{}"`), end,
		}},
		"name in pieces": {Reply{Odd: Odd{NameInPieces: true}}, []string{
			role, cut(h1, `"name":"see"`, `"name":"s"`), `{"tool_calls":[{"index":0,"function":{"name":"ee"}}]}`, a1,
			cut(h2, `"name":"go"`, `"name":"g"`), `{"tool_calls":[{"index":1,"function":{"name":"o"}}]}`, a2, end,
		}},
		"null content": {Reply{Odd: Odd{NullContent: true}}, []string{
			role, cut(h1, `{"tool`, `{"content":null,"tool`), cut(a1, `{"tool`, `{"content":null,"tool`), cut(h2, `{"tool`, `{"content":null,"tool`), cut(a2, `{"tool`, `{"content":null,"tool`), end,
		}},
		"role always": {Reply{Odd: Odd{RoleAlways: true}}, []string{
			role, cut(h1, `{"tool`, `{"role":"assistant","tool`), cut(a1, `{"tool`, `{"role":"assistant","tool`), cut(h2, `{"tool`, `{"role":"assistant","tool`), cut(a2, `{"tool`, `{"role":"assistant","tool`), `{"role":"assistant"} "tool_calls"`,
		}},
		"finish stop":   {Reply{Odd: Odd{FinishStop: true}}, []string{role, h1, a1, h2, a2, `{} "stop"`}},
		"length":        {Reply{Stop: "length"}, []string{role, h1, a1, h2, a2, `{} "length"`}},
		"refused":       {Reply{Stop: "refused"}, []string{role, h1, a1, h2, a2, `{} "content_filter"`}},
		"its own word":  {Reply{Stop: "eos"}, []string{role, h1, a1, h2, a2, `{} "eos"`}},
		"empty choices": {Reply{Odd: Odd{EmptyChoices: true}}, []string{"no choices", role, h1, a1, h2, a2, end}},
		"reasoning": {Reply{Odd: Odd{Reasoning: true}}, []string{
			`{"role":"assistant","content":null,"reasoning_content":"The person wants"}`, `{"content":null,"reasoning_content":" a change."}`, role, h1, a1, h2, a2, end,
		}},
		"late id": {Reply{Fault: Fault{LateID: true}}, []string{
			role, cut(h1, `"id":"c1",`, ""), cut(a1, `"function"`, `"id":"c1","function"`), cut(h2, `"id":"c2",`, ""), cut(a2, `"function"`, `"id":"c2","function"`), end,
		}},
		"interleaved": {Reply{Fault: Fault{Interleave: true}}, []string{
			role, h1, h2, one(0, `{`), one(1, `{`), one(0, `\"`), one(1, `}`), one(0, `a`), one(0, `\"`), one(0, `:`), one(0, `1`), one(0, `}`), end,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c.reply.Calls = calls
			s := StartT(t, Give(c.reply))
			_, body := answers(t, s, openaiHi)
			var got []string
			for line := range strings.Lines(body) {
				m := delta.FindStringSubmatch(line)
				switch {
				case strings.Contains(line, `"choices":[],"usage":null`):
					got = append(got, "no choices")
				case m != nil && m[2] == "null":
					got = append(got, m[1])
				case m != nil:
					got = append(got, m[1]+" "+m[2])
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func one(index int, text string) string {
	return `{"tool_calls":[{"index":` + string(rune('0'+index)) + `,"function":{"arguments":"` + text + `"}}]}`
}

// TestStopsAndOddsOfAnthropic: the same words in its format.
func TestStopsAndOddsOfAnthropic(t *testing.T) {
	call := []Call{{"c1", "see", `{"a":1}`}}
	for want, reply := range map[string]Reply{
		`"stop_reason":"max_tokens"`: {Text: "x", Stop: "length"},
		`"stop_reason":"refusal"`:    {Text: "x", Stop: "refused"},
		`"stop_reason":"pause_turn"`: {Text: "x", Stop: "pause_turn"},
		`"stop_reason":"tool_use"`:   {Calls: call},
		`"type":"thinking_delta"`:    {Text: "x", Odd: Odd{Reasoning: true}},
		`"partial_json":"{\"a\":1}"`: {Calls: call, Odd: Odd{WholeCalls: true}},
		`"input":{"a":1}`:            {Calls: call, Odd: Odd{PlainJSON: true}},
	} {
		s := StartT(t, Give(reply))
		resp, err := send(t.Context(), s, Anthropic, anthropicHi)
		if _, body, err := read(t, resp, err); err != nil || !strings.Contains(body, want) {
			t.Errorf("no %s in %s, %v", want, body, err)
		}
	}
}

// TestTextType: a stream that says it is plain text.
func TestTextType(t *testing.T) {
	steps := func() []Step { return []Step{Give(Reply{Text: "hi", Odd: Odd{TextType: true}})} }
	each(t, steps, func(t *testing.T, _ *Server, post func(context.Context) (*http.Response, error)) {
		resp, err := post(t.Context())
		_, body, err := read(t, resp, err)
		if h := resp.Header.Get("Content-Type"); err != nil || h != "text/plain; charset=utf-8" || !strings.Contains(body, "data: ") {
			t.Error(h, body, err)
		}
	})
}

// TestFragments: each write is one chunk on the wire, of the size asked for.
func TestFragments(t *testing.T) {
	s := StartT(t, Give(Reply{Text: "hi", Fault: Fault{Fragment: 3}}))
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(openaiHi), openaiHi); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(raw), "\r\n\r\n")
	chunks := strings.Count(body, "3\r\n")
	if !strings.HasPrefix(body, "3\r\ndat\r\n3\r\na: \r\n") || chunks < 200 {
		t.Errorf("%d chunks of 3 bytes in %.200q", chunks, body)
	}
}
