package person

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdptarget "github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// Target is one line of a browser's list.
type Target struct {
	ID, Type, Title, URL string
}

// Port reads where a browser that was started with --remote-debugging-port=0 is
// looked on from, "" where it does not say so yet.
func Port(profile string) string {
	b, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
	if lines := strings.Fields(string(b)); err == nil && len(lines) == 2 {
		return "ws://127.0.0.1:" + lines[0] + lines[1]
	}
	return ""
}

// Targets lists what a browser shows.
func Targets(t testing.TB, ws string) (list []Target) {
	t.Helper()
	list, err := targets(ws)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func targets(ws string) (list []Target, err error) {
	res, err := http.Get("http://" + strings.Split(strings.TrimPrefix(ws, "ws://"), "/")[0] + "/json/list")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return list, json.NewDecoder(res.Body).Decode(&list)
}

// Attach connects to the first target of a kind that fits. One that goes to
// another document meanwhile is tried again.
func Attach(t testing.TB, ws, kind string, fits func(Target) bool) (p *Tab) {
	t.Helper()
	return AttachTo(t, ws, kind, fits, func(*Tab) error { return nil })
}

// AttachTo connects to the first target of a kind that fits and of which right, asked
// of its tab, gives nil.
func AttachTo(t testing.TB, ws, kind string, fits func(Target) bool, right func(*Tab) error) (p *Tab) {
	t.Helper()
	Eventually(t, "a "+kind+" in the window", func() error {
		list, err := targets(ws)
		if err != nil {
			return err
		}
		why := fmt.Errorf("%w: there are %v", ErrNotYet, list)
		for _, one := range list {
			if one.Type != kind || !fits(one) {
				continue
			}
			all, cancelAll := remote.NewAllocator(context.Background(), ws, remote.NoModifyURL)
			ctx, cancel := chromedp.NewContext(all, chromedp.WithTargetID(cdptarget.ID(one.ID)), chromedp.WithDetachOnCancel())
			got, err := newTab(t, ctx, ws)
			if err == nil {
				err = right(got)
			}
			if err != nil {
				cancel()
				cancelAll()
				why = err
				continue
			}
			t.Cleanup(func() { cancel(); cancelAll() })
			p = got
			return nil
		}
		return why
	})
	return p
}

// At fits what has an address that begins as given.
func At(address string) func(Target) bool {
	return func(one Target) bool { return strings.HasPrefix(one.URL, address) }
}
