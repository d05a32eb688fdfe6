// Package provider holds what the providers have in common: their settings, how
// a response is collected from its pieces within core's limits, and how a
// conversation is put in order before it is sent.
package provider

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/llm/transport"
)

// Settings are those of one configured model. Every provider's Config has
// exactly these fields.
type Settings struct {
	Name      string
	Model     string
	BaseURL   string
	Key       func() (string, error)
	Vision    bool
	MaxTokens int
	Client    *http.Client
}

// Complete checks the settings and fills in what they leave open; base is the
// provider's own address.
func (s Settings) Complete(base string) (Settings, error) {
	if s.Model == "" {
		return s, core.Errorf(core.Usage, "a model of a provider needs the name the provider knows it by").
			WithHint("give its name, as proofmark models lists it")
	}
	if s.Name == "" {
		s.Name = s.Model
	}
	if s.BaseURL == "" {
		s.BaseURL = base
	}
	s.BaseURL = strings.TrimRight(s.BaseURL, "/")
	if err := transport.CheckBase(s.BaseURL); err != nil {
		return s, err
	}
	if s.MaxTokens <= 0 {
		s.MaxTokens = core.MaxAnswerTokens
	}
	if s.Client == nil {
		s.Client = transport.NewClient(transport.Options{Base: s.BaseURL})
	}
	return s, nil
}

// Secret looks the key up; "" means that the host wants none.
func (s Settings) Secret() (string, error) {
	if s.Key == nil {
		return "", nil
	}
	key, err := s.Key()
	if err != nil {
		return "", err
	}
	key = strings.TrimSpace(key)
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return "", core.Errorf(core.ModelDenied, "the key of %s holds a character that no key has", s.Name).
				WithHint("set it again, without quotes, spaces and line ends")
		}
	}
	return key, nil
}

// Tokens tells how many tokens to ask for.
func (s Settings) Tokens(asked int) int64 {
	if asked <= 0 {
		return int64(s.MaxTokens)
	}
	return int64(min(asked, s.MaxTokens))
}

// Host names the host in sentences.
func (s Settings) Host() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return "the model's host"
	}
	return u.Host
}

// Fail says what an error of the SDK or of a stream was. ctx is the caller's.
func (s Settings) Fail(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	return transport.Explain(err, 0, nil, "")
}

// Reported says what an error object inside an answer means.
func (s Settings) Reported(body []byte, key string) error {
	const most = 64 << 10 // bytes; far more than is shown of it
	return transport.Explain(nil, http.StatusOK, nil, transport.Scrub(string(body[:min(len(body), most)]), key))
}

// Broken is the error of an answer that is not the wire format.
func (s Settings) Broken(what string) error {
	return core.Errorf(core.ModelBroken, "the answer of %s %s", s.Host(), what).
		WithHint("try again; if it stays so, check that the base address is one of the wire format configured")
}

// Cut is the error of an answer that ended before its end.
func (s Settings) Cut() error {
	return core.Errorf(core.ModelBroken, "the answer of %s ended before it was complete", s.Host()).WithHint("try again")
}
