package cdp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/contract"
)

// crowded is a page of about n elements, in sections of a hundred, with two
// buttons to point at.
func crowded(n int) string {
	var b strings.Builder
	b.WriteString(`<style>body{margin:0}#a,#b{position:fixed;left:10px;width:200px;height:50px;z-index:9}#a{top:10px}#b{top:100px}</style><main><button id=a>One</button><button id=b>Two</button>`)
	for i := range n / 100 {
		fmt.Fprintf(&b, "<section><h2>Part %d</h2>", i)
		for j := range 49 {
			fmt.Fprintf(&b, "<p class=line>Line <b>%d</b>", j)
		}
		b.WriteString("</section>")
	}
	return b.String()
}

// sorted puts the median and the 95th percentile beside the mean.
func sorted(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
}

func benchPage(b *testing.B, n int) (*framer, contract.Surface) {
	d, l := newDesk(b), newLeaser(b)
	f := &framer{Window: d.window(l.proxy()), desk: d}
	ctx := context.Background()
	s, err := f.Open(ctx, contract.OpenOptions{Origin: l.put("bench", crowded(n)), Width: 800, Height: 600})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	if _, err := s.Load(ctx, "/"); err != nil {
		b.Fatal(err)
	}
	if err := s.Inspect(ctx, true); err != nil {
		b.Fatal(err)
	}
	f.mouse(b, "mouseMoved", 50, 30)
	hovered(b, s, "a")
	f.mouse(b, "mouseMoved", 50, 120)
	hovered(b, s, "b")
	f.press(b, 50, 120)
	next(b, s, contract.Picked)
	return f, s
}

// hovered waits until the element with the id is what the pointer is over.
func hovered(b *testing.B, s contract.Surface, id string) {
	b.Helper()
	for elementID(next(b, s, contract.Hovered).Pick) != id {
	}
}

// BenchmarkWindowHover: from the mouse's movement to the described element.
func BenchmarkWindowHover(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f, s := benchPage(b, n)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begun := time.Now()
				f.mouse(b, "mouseMoved", 50+float64(i%10), 30+float64(i%2)*90)
				hovered(b, s, []string{"a", "b"}[i%2])
				took = append(took, time.Since(begun))
			}
			sorted(b, took)
		})
	}
}

// BenchmarkWindowPick: from the press to the described, held element.
func BenchmarkWindowPick(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f, s := benchPage(b, n)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begun := time.Now()
				f.press(b, 50, 30+float64(i%2)*90)
				next(b, s, contract.Picked)
				took = append(took, time.Since(begun))
			}
			sorted(b, took)
		})
	}
}
