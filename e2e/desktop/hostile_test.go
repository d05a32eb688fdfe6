//go:build unix

package desktop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/hostile"
	"proofmark/bridge/person"
)

// T-99, R-SEC-3, R-SEC-4: what arrives nowhere from a hostile page in a Chromium of
// ours arrives nowhere from the desktop either: no request, no socket, no packet.
func TestHostilePage(t *testing.T) {
	d := newDesk(t)
	v := hostile.New(t)
	d.write("hostile.html", string(v.Page("aaaaaaaaaaaaaaaaaaaaaaaaaa", time.Second)))
	a := d.start(d.path("hostile.html"))
	p := a.ready()
	x, y := a.spotOf(p, "#go", 0)
	a.hand.Press(x, y)
	person.Eventually(t, "everything was tried", func() error {
		s, err := a.page().Try("!!document.querySelector('#finished') && document.querySelectorAll('#tried li').length")
		if err != nil || s == "false" {
			return fmt.Errorf("%w: %s %v", person.ErrNotYet, s, err)
		}
		var tried int
		person.Decode(t, s, &tried)
		if tried < 250 {
			return fmt.Errorf("only %d attempts", tried)
		}
		return nil
	})
	if got := a.page().JS("[...document.querySelectorAll('#got li')].map((e) => e.textContent)"); got != "[]" {
		t.Errorf("the page got %s", got)
	}
	v.Zero(t)
	for _, one := range person.Targets(t, a.WS) {
		if !lease(one) && !strings.HasPrefix(one.URL, "http://127.0.0.1:") && !strings.HasPrefix(one.URL, "proofmark-overlay:") {
			t.Errorf("there is %+v", one)
		}
	}
	// It is still where it was, and can be pointed at.
	_, answer := a.api("GET", "/v1/previews", nil)
	previews, _ := answer["previews"].([]any)
	if len(previews) != 1 {
		t.Fatalf("previews: %v", answer)
	}
	preview := previews[0].(map[string]any)["id"].(string)
	if status, answer := a.api("POST", "/v1/previews/"+preview+"/picks", map[string]any{"target": "#go"}); status != 200 {
		t.Errorf("pointing at it: %d %v", status, answer)
	}
}
