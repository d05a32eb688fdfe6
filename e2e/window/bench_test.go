//go:build unix

package window

import (
	"slices"
	"testing"
	"time"

	"proofmark/bridge/person"
)

// BenchmarkFirstPaint opens the window again and again: from the navigation to the
// first contents on the screen, as the browser itself measures it, and from the
// command to a page that can be pointed at.
func BenchmarkFirstPaint(b *testing.B) {
	var paints, opens []float64
	for b.Loop() {
		d := newDesk(b)
		d.write("menu.html", sample)
		began := time.Now()
		w := d.open("menu.html")
		w.ready()
		opens = append(opens, float64(time.Since(began).Milliseconds()))
		var at float64
		person.Eventually(b, "the first paint", func() error {
			person.Decode(b, w.JS("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"), &at)
			if at == 0 {
				return person.ErrNotYet
			}
			return nil
		})
		paints = append(paints, at)
		w.end()
		w.exited <- nil // ended already, for the clean-up
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(paints), "ms-to-paint")
	b.ReportMetric(median(opens), "ms-to-page")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
