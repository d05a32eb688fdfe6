package htmlsrc

import (
	"bytes"
	"encoding/json"
	"flag"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/html"

	"proofmark/gateway/htmlsrc/internal/benchpage"
)

var speed = flag.Bool("speed", false, "measure the map beside its peers (see testdata/peers/run.sh)")

// The bars.
const (
	timesHTMLParse = 5
	timesParse5    = 30
	maxAllocs      = 50
)

// TestSpeed alternates the map and its peers over the same pages, spans, text
// runs and checks included, and holds the medians against the bars.
func TestSpeed(t *testing.T) {
	if !*speed {
		t.Skip("only with -args -speed: testdata/peers/run.sh")
	}
	const rounds = 3
	for _, mb := range []int{1, 4} {
		src := benchpage.App(mb << 20)
		var ours, std, parse5 []time.Duration
		for range rounds {
			ours = append(ours, median(15, func() error { _, err := Parse(src, Options{Scripting: true}); return err }, t))
			std = append(std, median(5, func() error { _, err := html.Parse(bytes.NewReader(src)); return err }, t))
			parse5 = append(parse5, peer(t, src))
		}
		m, s, p := middle(ours), middle(std), middle(parse5)
		t.Logf("app-%dm: map %v (%.0f MB/s), html.Parse %v (%.1f times), parse5 with locations %v (%.1f times)",
			mb, m, float64(len(src))/m.Seconds()/1e6, s, float64(s)/float64(m), p, float64(p)/float64(m))
		if s < timesHTMLParse*m {
			t.Errorf("app-%dm: less than %d times faster than html.Parse", mb, timesHTMLParse)
		}
		if p < timesParse5*m {
			t.Errorf("app-%dm: less than %d times faster than parse5", mb, timesParse5)
		}
	}
}

// TestAllocations holds how much a map allocates.
func TestAllocations(t *testing.T) {
	for _, mb := range []int{1, 4} {
		src := benchpage.App(mb << 20)
		n := testing.AllocsPerRun(3, func() {
			if _, err := Parse(src, Options{Scripting: true}); err != nil {
				t.Fatal(err)
			}
		})
		if n > maxAllocs {
			t.Errorf("%d MB: %.0f allocations, want at most %d", mb, n, maxAllocs)
		}
	}
}

func middle(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2].Round(10 * time.Microsecond)
}

func median(n int, f func() error, t *testing.T) time.Duration {
	t.Helper()
	times := make([]time.Duration, n)
	for i := range times {
		begin := time.Now()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		times[i] = time.Since(begin)
	}
	return middle(times)
}

// peer lets parse5 read the page.
func peer(t *testing.T, src []byte) time.Duration {
	t.Helper()
	cmd := exec.Command("node", "testdata/peers/bench.mjs", "3")
	cmd.Stdin = bytes.NewReader(src)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("parse5: %v (testdata/peers/run.sh installs it)", err)
	}
	var r struct {
		Parse5 float64 `json:"parse5"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Parse5 * float64(time.Millisecond))
}
