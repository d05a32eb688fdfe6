package e2e

import (
	"testing"
)

// BenchmarkEditSmallPage is `proofmark edit` from process start to exit, the
// browser included (bar: < 3 s).
func BenchmarkEditSmallPage(b *testing.B) {
	needChromium(b)
	d := newDesk(b)
	for b.Loop() {
		b.StopTimer()
		d.write("page.html", report)
		b.StartTimer()
		d.want(0, "edit", "page.html", "--quiet", "--at", "h1", "--say", `change the text to "Quarterly report"`)
	}
}

// BenchmarkMap is `proofmark map` of a small page: mostly process start.
func BenchmarkMap(b *testing.B) {
	d := newDesk(b)
	d.write("page.html", report)
	for b.Loop() {
		d.want(0, "map", "page.html", "--json")
	}
}
