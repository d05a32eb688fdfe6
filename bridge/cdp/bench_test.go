package cdp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"proofmark/bridge/contract"
)

// pageServer serves one page on every path and is the browser's proxy.
func pageServer(tb testing.TB, body string) (origin, proxy string) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "sandbox allow-scripts")
		fmt.Fprint(w, body)
	}))
	tb.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	if err != nil {
		tb.Fatal(err)
	}
	return "http://bench.localhost:" + u.Port(), srv.URL
}

func loaded(b *testing.B, body string) contract.Surface {
	b.Helper()
	origin, proxy := pageServer(b, body)
	h := launch(b, proxy)
	b.Cleanup(func() { h.Close() })
	s, err := h.Open(context.Background(), contract.OpenOptions{Origin: origin})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Load(context.Background(), "/"); err != nil {
		b.Fatal(err)
	}
	return s
}

func nodes(n int) string {
	return "<!doctype html><h1 id=h>pick me</h1>" + strings.Repeat("<div><p>x<b>y</b></p><i>z</i></div>\n", n/4)
}

// withScript comes first: only what is born after it has to be asked for.
const withScript = "<!doctype html><script>1</script>"

func BenchmarkLaunch(b *testing.B) {
	origin, proxy := pageServer(b, nodes(100))
	for b.Loop() {
		h := launch(b, proxy)
		s, err := h.Open(context.Background(), contract.OpenOptions{Origin: origin})
		if err == nil {
			_, err = s.Load(context.Background(), "/")
		}
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		h.Close()
		b.StartTimer()
	}
}

func BenchmarkPick(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			s := loaded(b, nodes(n))
			if _, err := s.PickAt(context.Background(), 40, 40); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.PickAt(context.Background(), 40, 40); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPath(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			s := loaded(b, nodes(n))
			p, err := s.ByPath(context.Background(), []int{1, 2, n / 8, 1, 1})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Describe(context.Background(), p.Handle); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBirths reads the register of a freshly loaded page: without scripts,
// and with one, where the browser is asked for every element's creation.
func BenchmarkBirths(b *testing.B) {
	for name, body := range map[string]string{"1000": nodes(1000), "1000script": withScript + nodes(1000), "20000": nodes(20_000), "5000script": withScript + nodes(5000)} {
		b.Run(name, func(b *testing.B) {
			s := loaded(b, body)
			for b.Loop() {
				r, err := s.Births(context.Background())
				if err != nil || !r.Complete {
					b.Fatal(err, r.Reason)
				}
				b.StopTimer()
				if _, err := s.Load(context.Background(), "/"); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 20_000} {
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			s := loaded(b, nodes(n))
			for b.Loop() {
				if _, err := s.Load(context.Background(), "/"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkScreenshot(b *testing.B) {
	s := loaded(b, nodes(1000))
	for name, o := range map[string]contract.ShotOptions{"View": {}, "JPEG": {JPEG: true}, "Clip": {Clip: &contract.Rect{X: 10, Y: 10, Width: 300, Height: 200}}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Screenshot(context.Background(), o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTree(b *testing.B) {
	s := loaded(b, nodes(10_000))
	for b.Loop() {
		if _, err := s.Tree(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
