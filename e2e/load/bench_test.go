//go:build linux

package load

import (
	"bufio"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkServeStart is a gateway's cold start, from the process to its first
// line, with a database that is there (bar: < 300 ms).
func BenchmarkServeStart(b *testing.B) {
	data := filepath.Join(b.TempDir(), "data")
	start(b, data).stop()
	for b.Loop() {
		g := start(b, data)
		b.StopTimer()
		g.stop()
		b.StartTimer()
	}
}

// BenchmarkServeFirstStart is the same where there is no data directory yet.
func BenchmarkServeFirstStart(b *testing.B) {
	dir, n := b.TempDir(), 0
	for b.Loop() {
		n++
		g := start(b, filepath.Join(dir, strconv.Itoa(n), "data"))
		b.StopTimer()
		g.stop()
		b.StartTimer()
	}
}

// BenchmarkServeRequest is one request on an open connection, with the memory of
// a gateway that does nothing else (bar: < 80 MB).
func BenchmarkServeRequest(b *testing.B) {
	for name, path := range map[string]string{"health": "/v1/health", "documents": "/v1/documents"} {
		b.Run(name, func(b *testing.B) {
			g := start(b, filepath.Join(b.TempDir(), "data"))
			defer g.stop()
			c, err := g.dial()
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			in, text := bufio.NewReader(c), g.head("GET "+path, g.auth())
			idle := g.cost()
			for b.Loop() {
				if _, err := io.WriteString(c, text); err != nil {
					b.Fatal(err)
				}
				res, err := http.ReadResponse(in, nil)
				if err != nil || res.StatusCode != 200 {
					b.Fatal(err, res)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
			b.ReportMetric(float64(idle.rssKB)/1024, "idle-MB")
		})
	}
}
