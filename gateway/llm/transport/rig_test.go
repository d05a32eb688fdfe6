package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	aoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"go.uber.org/goleak"

	"proofmark/gateway/core"
	"proofmark/internal/modelserver"
)

// secret is the key of every test: it must never come back.
const secret = "sk-test-4f0c9d1e7b2a4c6d8e9f"

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultClient.CloseIdleConnections()
		if code != 0 {
			os.Exit(code)
		}
	}))
}

// sdk sends one streaming request through a provider's SDK with this package's
// client, and gives the text and what ended it.
type sdk func(ctx context.Context, base string, client *http.Client) (string, error)

var sdks = map[string]sdk{modelserver.OpenAI: throughOpenAI, modelserver.Anthropic: throughAnthropic}

func baseOf(s *modelserver.Server, wire string) string {
	if wire == modelserver.OpenAI {
		return s.OpenAIBase()
	}
	return s.AnthropicBase()
}

func throughOpenAI(ctx context.Context, base string, client *http.Client) (string, error) {
	c := openai.NewClient(option.WithBaseURL(base), option.WithAPIKey(secret), option.WithMaxRetries(0), option.WithHTTPClient(client))
	stream := c.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
		Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	})
	defer func() { _ = stream.Close() }()
	var text strings.Builder
	for stream.Next() {
		for _, c := range stream.Current().Choices {
			text.WriteString(c.Delta.Content)
		}
	}
	return text.String(), stream.Err()
}

func throughAnthropic(ctx context.Context, base string, client *http.Client) (string, error) {
	c := anthropic.NewClient(aoption.WithBaseURL(base), aoption.WithAPIKey(secret), aoption.WithMaxRetries(0), aoption.WithHTTPClient(client))
	stream := c.Messages.NewStreaming(ctx, anthropic.MessageNewParams{
		Model: "m", MaxTokens: 10, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
	})
	defer func() { _ = stream.Close() }()
	var text strings.Builder
	for stream.Next() {
		text.WriteString(stream.Current().Delta.Text)
	}
	return text.String(), stream.Err()
}

// each runs a test through both SDKs against a server with one reply.
func each(t *testing.T, reply modelserver.Reply, f func(t *testing.T, s *modelserver.Server, call func(context.Context) (string, error))) {
	t.Helper()
	for wire, send := range sdks {
		t.Run(wire, func(t *testing.T) {
			s := modelserver.StartT(t, modelserver.Forever(modelserver.Give(reply)))
			client := NewClient(Options{Base: baseOf(s, wire)})
			t.Cleanup(client.CloseIdleConnections)
			f(t, s, func(ctx context.Context) (string, error) { return send(ctx, baseOf(s, wire), client) })
		})
	}
}

// want checks that err holds a *core.Error with this code whose words hold all
// of the words given, and that the key is nowhere in it.
func want(t *testing.T, err error, code core.Code, words ...string) *core.Error {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v (%s), want %s", err, core.CodeOf(err), code)
	}
	for _, w := range words {
		if !strings.Contains(e.Message+" | "+e.Hint, w) {
			t.Errorf("no %q in %q, %q", w, e.Message, e.Hint)
		}
	}
	for _, text := range []string{err.Error(), e.Error(), e.Hint} {
		if strings.Contains(text, secret) || strings.Contains(text, secret[8:]) {
			t.Errorf("the key stands in %q", text)
		}
	}
	return e
}

// fake is a RoundTripper that answers with a body of its own.
type fake func(*http.Request) (*http.Response, error)

func (f fake) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answer is a fake that answers with this body.
func answer(body io.Reader) fake {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
	}
}

// through sends one request through a guard around next and reads the body.
func through(t *testing.T, ctx context.Context, next http.RoundTripper) ([]byte, error) {
	t.Helper()
	u, err := url.Parse("https://model.test/v1")
	if err != nil {
		t.Fatal(err)
	}
	g := &guard{origin: u, idle: core.ModelIdleTimeout, next: next}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://model.test/v1/x", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	resp, err := (&http.Client{Transport: g}).Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var b bytes.Buffer
	_, err = io.Copy(&b, resp.Body)
	return b.Bytes(), err
}
