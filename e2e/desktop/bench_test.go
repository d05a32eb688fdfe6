//go:build unix

package desktop

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkStart starts the app again and again: from the command to a workbench
// that can be used, and to a page that can be pointed at.
func BenchmarkStart(b *testing.B) {
	var windows, pages []float64
	for b.Loop() {
		d := newDesk(b)
		d.write("menu.html", sample)
		began := time.Now()
		a := d.start(d.path("menu.html"))
		a.Find("button", "Point")
		windows = append(windows, float64(time.Since(began).Milliseconds()))
		a.ready()
		pages = append(pages, float64(time.Since(began).Milliseconds()))
		a.end()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(windows), "ms-to-window")
	b.ReportMetric(median(pages), "ms-to-page")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
