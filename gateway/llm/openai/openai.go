// Package openai talks to hosts of OpenAI's chat completions format: OpenAI
// itself and what calls itself compatible, such as DeepSeek, GLM, Ollama,
// llama.cpp, vLLM and LM Studio.
package openai

import (
	"context"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/internal/provider"
)

const (
	ownBase = "https://api.openai.com/v1"
	ownHost = "api.openai.com"
)

// Config is one configured model.
type Config struct {
	Name    string // as people call it; "" for Model
	Model   string // as the host calls it
	BaseURL string // "" for OpenAI's own; what precedes /chat/completions
	// Key gives the key for each call anew; nil, or a key of "", for a host that
	// wants none.
	Key       func() (string, error)
	Vision    bool         // it takes pictures
	MaxTokens int          // most of one answer; 0 for core.MaxAnswerTokens
	Client    *http.Client // nil for one of transport's
}

// Checked is what a host tells without spending a token.
type Checked = provider.Checked

// Model is a configured model. It is safe for concurrent use.
type Model struct{ s provider.Settings }

var _ llm.Model = (*Model)(nil)

// New makes a model. It sends nothing.
func New(c Config) (*Model, error) {
	s, err := provider.Settings(c).Complete(ownBase)
	if err != nil {
		return nil, err
	}
	return &Model{s}, nil
}

// Name names the model.
func (m *Model) Name() string { return m.s.Name }

// Vision tells whether the model takes images.
func (m *Model) Vision() bool { return m.s.Vision }

// options are those of every call. The services are made without a client of
// the SDK, which would take keys, headers and addresses from the environment.
func (m *Model) options(key string) []option.RequestOption {
	return []option.RequestOption{
		option.WithBaseURL(m.s.BaseURL + "/"),
		option.WithHTTPClient(m.s.Client),
		option.WithAPIKey(key),
		option.WithMaxRetries(0), // package retry decides, and tells
	}
}

// Complete makes one call and streams its response.
func (m *Model) Complete(ctx context.Context, req llm.Request, emit func(llm.Event)) (llm.Response, error) {
	key, err := m.s.Secret()
	if err != nil {
		return llm.Response{}, err
	}
	call, cancel := context.WithTimeout(ctx, core.ModelCallTimeout)
	defer cancel()
	var res *http.Response
	chat := sdk.NewChatCompletionService(m.options(key)...)
	stream := chat.NewStreaming(call, m.params(req), option.WithResponseInto(&res), option.WithHeader("Accept", "text/event-stream"))
	if err := stream.Err(); err != nil {
		return llm.Response{}, m.s.Fail(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	r := reading{s: m.s, key: key, out: provider.Collect(req, emit)}
	if provider.Whole(res) {
		err = r.whole(res.Body)
	} else {
		// The SDK decodes; its own loop would take "error": null for an error.
		err = r.stream(ssestream.NewDecoder(res))
	}
	if err != nil {
		return llm.Response{}, m.s.Fail(ctx, err)
	}
	return r.out.Response(), nil
}

// Check asks the host for its models, which costs no tokens: it is reached, it
// takes the key, and it knows the model or does not.
func (m *Model) Check(ctx context.Context) (Checked, error) {
	key, err := m.s.Secret()
	if err != nil {
		return Checked{}, err
	}
	models := sdk.NewModelService(m.options(key)...)
	page, err := models.List(ctx)
	if err != nil {
		return provider.Unlisted(m.s.Fail(ctx, err))
	}
	var names []string
	for _, model := range page.Data {
		names = append(names, model.ID)
	}
	return provider.Lists(names, m.s.Model), nil
}
