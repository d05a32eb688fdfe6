// Package anthropic talks to hosts of Anthropic's messages format.
package anthropic

import (
	"context"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/internal/provider"
)

const (
	ownBase   = "https://api.anthropic.com"
	listLimit = 1000 // models of one page, the most there may be
)

// Config is one configured model.
type Config struct {
	Name    string // as people call it; "" for Model
	Model   string // as the host calls it
	BaseURL string // "" for Anthropic's own; what precedes /v1/messages
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

// New makes a model. It sends nothing. A base address that ends in /v1, as those
// of the other format do, is understood.
func New(c Config) (*Model, error) {
	c.BaseURL = strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1")
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
// the SDK, which would take keys, headers and addresses from the environment
// and from profiles on the disk.
func (m *Model) options(key string) []option.RequestOption {
	o := []option.RequestOption{
		option.WithBaseURL(m.s.BaseURL + "/"),
		option.WithHTTPClient(m.s.Client),
		option.WithMaxRetries(0), // package retry decides, and tells
		option.WithoutOpenTelemetry(),
	}
	if key != "" {
		// The header that Anthropic documents and compatible hosts know; the
		// SDK's own option sends the key as a bearer token instead.
		o = append(o, option.WithHeader("X-Api-Key", key))
	}
	return o
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
	messages := sdk.NewMessageService(m.options(key)...)
	stream := messages.NewStreaming(call, m.params(req), option.WithResponseInto(&res), option.WithHeader("Accept", "text/event-stream"))
	if err := stream.Err(); err != nil {
		return llm.Response{}, m.s.Fail(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	r := reading{s: m.s, key: key, out: provider.Collect(req, emit), open: map[int64]*block{}}
	if provider.Whole(res) {
		err = r.whole(res.Body)
	} else {
		// The SDK decodes; its own loop would pass over events without a name.
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
	page, err := models.List(ctx, sdk.ModelListParams{Limit: sdk.Int(listLimit)})
	if err != nil {
		return provider.Unlisted(m.s.Fail(ctx, err))
	}
	var names []string
	for _, model := range page.Data {
		names = append(names, model.ID)
	}
	return provider.Lists(names, m.s.Model), nil
}
