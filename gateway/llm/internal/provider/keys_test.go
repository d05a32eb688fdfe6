package provider_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/llm/anthropic"
	"proofmark/gateway/llm/internal/provider"
	"proofmark/gateway/llm/openai"
	ms "proofmark/internal/modelserver"
)

// TestKeys: R-MODEL-4. The key goes where a provider wants it and nowhere else;
// a host without keys gets none; a key that cannot be one is not sent.
func TestKeys(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire, ms.Forever(ms.Say("Yes.")))
		r.RequireKey(secret)
		if _, err := r.Complete(t.Context(), ask("Go."), nil); err != nil {
			t.Fatal(err)
		}
		if call := r.Calls()[0]; bytes.Contains(call.Raw, []byte(secret)) {
			t.Error("the key is in the body")
		}
		wrong := rigOf(t, wire, r.Server, func() (string, error) { return "sk-wrong-key-000000", nil })
		_, err := wrong.Complete(t.Context(), ask("Go."), nil)
		fails(t, err, core.ModelDenied)
		_, err = wrong.check(t.Context())
		fails(t, err, core.ModelDenied)

		local := newRig(t, wire, ms.Say("Yes."))
		none := rigOf(t, wire, local.Server, nil)
		if _, err := none.Complete(t.Context(), ask("Go."), nil); err != nil {
			t.Fatal(err)
		}
		h := local.Calls()[0].Header
		if h.Get("Authorization") != "" || h.Get("X-Api-Key") != "" {
			t.Error("a key was made up")
		}

		// A key that looks like a word is taken out of what the host says, too.
		for _, reply := range []ms.Reply{
			{Body: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"bad key correcthorse\"}}\n\n"},
			{Status: 401, Text: "bad key correcthorse"},
		} {
			word := rigOf(t, wire, ms.StartT(t, ms.Give(reply)), func() (string, error) { return "correcthorse", nil })
			_, err = word.Complete(t.Context(), ask("Go."), nil)
			if e := fails(t, err, core.ModelDenied); strings.Contains(e.Error(), "horse") || !strings.Contains(e.Error(), "bad key") {
				t.Errorf("%v", e)
			}
		}

		before := r.Count()
		odd := rigOf(t, wire, r.Server, func() (string, error) { return secret + "\r\nX-Other: 1", nil })
		_, err = odd.Complete(t.Context(), ask("Go."), nil)
		fails(t, err, core.ModelDenied)
		mine := core.Errorf(core.NoModel, "the keychain is closed")
		locked := rigOf(t, wire, r.Server, func() (string, error) { return "", mine })
		if _, err = locked.Complete(t.Context(), ask("Go."), nil); !errors.Is(err, mine) {
			t.Errorf("%v", err)
		}
		if r.Count() != before {
			t.Error("a call was made without a key")
		}
	})
}

// TestEnvironmentIsNotRead: R-MODEL-4. The SDKs' own ways to a key, a host, an
// account and headers stay shut, and nothing tells about this machine.
func TestEnvironmentIsNotRead(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-env-openai", "OPENAI_BASE_URL": "http://127.0.0.1:1/elsewhere", "OPENAI_ORG_ID": "org-env", "OPENAI_PROJECT_ID": "proj-env",
		"OPENAI_ADMIN_KEY": "sk-env-admin", "OPENAI_CUSTOM_HEADERS": "X-Env: env-header",
		"ANTHROPIC_API_KEY": "sk-env-anthropic", "ANTHROPIC_AUTH_TOKEN": "env-token", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1/elsewhere",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Env: env-header", "ANTHROPIC_PROFILE": "env-profile",
	} {
		t.Setenv(name, value)
	}
	host, _ := os.Hostname()
	both(t, func(t *testing.T, wire string) {
		r := rigOf(t, wire, ms.StartT(t, ms.Say("Yes.")), nil)
		if _, err := r.Complete(t.Context(), ask("Go."), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := r.check(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, values := range r.Calls()[0].Header {
			all := name + ": " + strings.Join(values, ",")
			if strings.Contains(all, "env") || strings.Contains(all, "elsewhere") || strings.HasPrefix(name, "X-Stainless") || (len(host) > 3 && strings.Contains(all, host)) {
				t.Errorf("the header %s was sent", all)
			}
		}
	})
}

// TestCheck: the check spends no tokens.
func TestCheck(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire)
		for _, c := range []struct {
			list []string
			want provider.Checked
		}{
			{[]string{"other", modelID}, provider.Checked{Models: 2, Listed: true}},
			{[]string{modelID + "-20260101"}, provider.Checked{Models: 1, Listed: true}},
			{[]string{modelID + ":latest"}, provider.Checked{Models: 1, Listed: true}},
			{[]string{"other", modelID + "s"}, provider.Checked{Models: 2}},
			{nil, provider.Checked{}},
		} {
			r.SetModels(c.list...)
			got, err := r.check(t.Context())
			if err != nil || got != c.want {
				t.Errorf("%v: %+v, %v", c.list, got, err)
			}
		}
		r.SetModelsReply(ms.Reply{Status: http.StatusNotFound, Text: "Not found"})
		if got, err := r.check(t.Context()); err != nil || got != (provider.Checked{Unlisted: true}) {
			t.Errorf("no list: %+v, %v", got, err)
		}
		r.SetModelsReply(ms.Reply{Status: http.StatusServiceUnavailable, Text: "Later"})
		_, err := r.check(t.Context())
		fails(t, err, core.ModelBusy)
		r.SetModelsReply(ms.Reply{Fault: ms.Fault{HTML: true}})
		_, err = r.check(t.Context())
		fails(t, err, core.ModelBroken)
		if r.Count() != 0 {
			t.Errorf("the check made %d calls", r.Count())
		}
	})
}

// TestBaseAddresses: which ones are refused before anything is sent.
func TestBaseAddresses(t *testing.T) {
	for base, ok := range map[string]bool{
		"": true, "https://example.test/v1": true, "https://example.test/v1/": true, "http://127.0.0.1:9/v1": true, "http://localhost:1": true,
		"http://example.test/v1": false, "https://user:pw@example.test": false, "https://example.test/v1?key=1": false, "https://example.test/#x": false, "ftp://example.test": false, "example.test": false,
	} {
		_, a := openai.New(openai.Config{Model: "m", BaseURL: base})
		_, b := anthropic.New(anthropic.Config{Model: "m", BaseURL: base})
		if (a == nil) != ok || (b == nil) != ok {
			t.Errorf("%q: %v, %v", base, a, b)
		}
	}
	if _, err := openai.New(openai.Config{}); core.CodeOf(err) != core.Usage {
		t.Errorf("a model without a name: %v", err)
	}
}
