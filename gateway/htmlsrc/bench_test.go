package htmlsrc

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/html"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc/internal/benchpage"
)

// BenchmarkMap maps application pages: spans, text runs and all checks
// included. BenchmarkPeer reads the same pages with html.Parse.
func BenchmarkMap(b *testing.B) {
	eachPage(b, func(src []byte) error {
		_, err := Parse(src, Options{Scripting: true})
		return err
	})
}

func BenchmarkPeer(b *testing.B) {
	eachPage(b, func(src []byte) error {
		_, err := html.Parse(bytes.NewReader(src))
		return err
	})
}

func eachPage(b *testing.B, f func([]byte) error) {
	for _, mb := range []int{1, 4} {
		src := benchpage.App(mb << 20)
		b.Run(fmt.Sprintf("app-%dm", mb), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRatio alternates the two and gives how many times faster the map
// is, by medians: the bar is 5.
func BenchmarkRatio(b *testing.B) {
	for _, mb := range []int{1, 4} {
		src := benchpage.App(mb << 20)
		b.Run(fmt.Sprintf("app-%dm", mb), func(b *testing.B) {
			var ours, theirs []time.Duration
			for b.Loop() {
				ours = append(ours, timed(b, func() error { _, err := Parse(src, Options{Scripting: true}); return err }))
				theirs = append(theirs, timed(b, func() error { _, err := html.Parse(bytes.NewReader(src)); return err }))
			}
			slices.Sort(ours)
			slices.Sort(theirs)
			m, p := ours[len(ours)/2], theirs[len(theirs)/2]
			b.ReportMetric(float64(m.Microseconds())/1000, "map-ms")
			b.ReportMetric(float64(p.Microseconds())/1000, "html.Parse-ms")
			b.ReportMetric(float64(p)/float64(m), "times-faster")
		})
	}
}

// timed runs f on a clean heap: each pays for its own garbage, not for the
// other's.
func timed(b *testing.B, f func() error) time.Duration {
	runtime.GC()
	begin := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

// BenchmarkCompare holds two maps of a 1 MB page, one word apart, against each
// other.
func BenchmarkCompare(b *testing.B) {
	before := parse(b, string(benchpage.App(1<<20)), Options{})
	run := ID(before.Len() / 2)
	for !before.IsText(run) {
		run++
	}
	edits := []core.Edit{{Span: before.TextSpan(run), Replacement: "word"}}
	after := parse(b, string(splice(before.src, edits)), Options{})
	for b.Loop() {
		if err := Compare(before, after, edits, func(id ID) bool { return id == run }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstRange asks a fresh map of a 1 MB page for its first range and
// path, which build what all later ones use.
func BenchmarkFirstRange(b *testing.B) {
	full := parse(b, string(benchpage.App(1<<20)), Options{})
	id := full.Births()[full.Len()/4]
	for b.Loop() {
		tree := &Tree{src: full.src, nodes: full.nodes, names: full.names, late: full.late}
		tree.Range(id)
		tree.Path(id)
	}
}
