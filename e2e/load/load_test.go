//go:build linux

package load

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	clients      = 200
	maxPeakMB    = 256 // of memory, however hard it is pressed: bodies in flight alone may be 128
	maxRestMB    = 200 // when all have gone
	honestWithin = 5 * time.Second
)

// tally counts what clients were answered, by kind of client and status.
type tally struct {
	mu sync.Mutex
	n  map[string]map[int]int // guarded by mu
}

func (t *tally) add(kind string, status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n[kind] == nil {
		t.n[kind] = map[int]int{}
	}
	t.n[kind][status]++
}

// one sends bytes on a new connection and gives the status; 0 where the server
// closed without a word.
func (g *gateway) one(text string) int {
	c, err := g.dial()
	if err != nil {
		return -1 // the queue is full
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(c, text) // it may be refused before all is sent
	return status(c)
}

func status(c net.Conn) int {
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// wait ends early when stop is closed.
func wait(stop <-chan struct{}, d time.Duration) {
	select {
	case <-stop:
	case <-time.After(d):
	}
}

// TestLoad: issue of 200 clients at once for a while. Each kind is refused as it
// should be, an honest one is served all along, memory is bounded, and when all
// have gone the gateway holds what it held before.
func TestLoad(t *testing.T) {
	g := start(t, filepath.Join(t.TempDir(), "data"))
	page := filepath.Join(t.TempDir(), "page.html")
	large := "<!doctype html><title>t</title>" + strings.Repeat("<p>Some words that fill the page.</p>\n", 110_000) // 4 MB
	if err := os.WriteFile(page, []byte(large), 0o644); err != nil {
		t.Fatal(err)
	}
	json := "Content-Type: application/json"
	body := func(path, b string) string {
		return g.head("POST "+path, g.auth(), json, fmt.Sprintf("Content-Length: %d", len(b))) + b
	}
	if s := g.one(body("/v1/documents", fmt.Sprintf(`{"path":%q}`, page))); s != 200 {
		t.Fatalf("the page is not opened: %d", s)
	}
	id := g.document()
	// Before: with everything that is made on first use.
	var warm sync.WaitGroup
	for range 16 {
		warm.Go(func() {
			for range 10 {
				g.one(g.head("GET /v1/documents", g.auth(), "Connection: close"))
			}
		})
	}
	warm.Wait()
	before := g.cost()
	honest, streams := g.own("an honest client"), g.own("a client with many streams")

	seen := &tally{n: map[string]map[int]int{}}
	stop := make(chan struct{})
	var all sync.WaitGroup
	var late, served atomic.Int64
	source := g.head("GET /v1/documents/"+id+"/source", g.auth())
	kinds := []struct {
		name string
		n    int
		run  func()
	}{
		{"honest", 8, func() {
			began := time.Now()
			s := g.one(g.head("GET /v1/health", "Authorization: Bearer "+honest, "Connection: close"))
			seen.add("honest", s)
			if s == 200 {
				served.Add(1)
			}
			if time.Since(began) > honestWithin {
				late.Add(1)
			}
			wait(stop, 20*time.Millisecond)
		}},
		{"slow reader", 24, func() {
			c, err := g.dial()
			if err != nil {
				return
			}
			defer c.Close()
			_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
			_, _ = io.WriteString(c, source)
			buf := make([]byte, 1024)
			for {
				_ = c.SetReadDeadline(time.Now().Add(time.Second))
				if _, err := c.Read(buf); err != nil {
					return
				}
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		}},
		{"slow writer", 24, func() {
			c, err := g.dial()
			if err != nil {
				return
			}
			defer c.Close()
			text := body("/v1/documents", `{"path":"/`+strings.Repeat("x", 4000)+`.html"}`)
			at := strings.Index(text, "\r\n\r\n") + 4
			_, _ = io.WriteString(c, text[:at])
			for _, b := range []byte(text[at:]) {
				if _, err := c.Write([]byte{b}); err != nil {
					break
				}
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
			_ = c.SetDeadline(time.Now().Add(time.Second))
			seen.add("slow writer", status(c))
		}},
		{"slow head", 24, func() {
			c, err := g.dial()
			if err != nil {
				return
			}
			defer c.Close()
			for _, b := range []byte(g.head("GET /v1/health", g.auth(), "X-A: "+strings.Repeat("x", 4000))) {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		}},
		{"half open", 24, func() {
			c, err := g.dial()
			if err != nil {
				return
			}
			defer c.Close()
			switch rand.IntN(3) {
			case 0:
			case 1:
				_, _ = io.WriteString(c, "GET /v1/heal")
			case 2:
				_, _ = io.WriteString(c, g.head("POST /v1/documents", g.auth(), json, "Content-Length: 100")+"{")
				_ = c.(*net.TCPConn).SetLinger(0)
				return
			}
			wait(stop, time.Duration(rand.IntN(3000))*time.Millisecond)
		}},
		{"flood", 24, func() { seen.add("flood", g.one(g.head("GET /v1/documents", g.auth(), "Connection: close"))) }},
		{"guesser", 16, func() {
			seen.add("guesser", g.one(g.head("GET /v1/documents", "Authorization: Bearer guess", "Connection: close")))
		}},
		{"huge body", 16, func() {
			seen.add("huge body", g.one(g.head("POST /v1/documents", g.auth(), json, "Content-Length: 1000000000")+strings.Repeat(" ", 256<<10)))
			seen.add("large body", g.one(body("/v1/documents/"+id+"/count", `{"session":"s","message":"`+strings.Repeat("x", 500_000)+`"}`)))
		}},
		{"huge head", 16, func() {
			seen.add("huge head", g.one(g.head("GET /v1/health", g.auth(), "X-A: "+strings.Repeat("x", 1<<20))))
		}},
		{"stream", 24, func() {
			c, err := g.dial()
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = io.WriteString(c, g.head("GET /v1/documents/"+id+"/events", "Authorization: Bearer "+streams))
			_ = c.SetReadDeadline(time.Now().Add(time.Second))
			line, _ := bufio.NewReader(c).ReadString('\n')
			var n int
			_, _ = fmt.Sscanf(line, "HTTP/1.1 %d", &n)
			seen.add("stream", n)
			wait(stop, time.Duration(rand.IntN(2000))*time.Millisecond)
		}},
	}
	n := 0
	for _, k := range kinds {
		n += k.n
		for range k.n {
			all.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						k.run()
					}
				}
			})
		}
	}
	if n != clients {
		t.Fatalf("%d clients", n)
	}
	end := time.After(*howLong)
	var worst cost
sampling:
	for {
		select {
		case <-end:
			break sampling
		case <-time.After(200 * time.Millisecond):
			c := g.cost()
			worst.rssKB, worst.sockets, worst.files, worst.threads = max(worst.rssKB, c.rssKB), max(worst.sockets, c.sockets), max(worst.files, c.files), max(worst.threads, c.threads)
		}
	}
	close(stop)
	all.Wait()
	worst.peakKB = g.cost().peakKB

	for kind, may := range map[string][]int{
		"honest": {200}, "flood": {200, 429}, "guesser": {401, 429}, "huge body": {413}, "large body": {413, 429, 400, 422, 200}, "huge head": {431}, "slow writer": {408, 400, 429, 0, 404}, "stream": {200, 429, 0},
	} {
		for s, n := range seen.n[kind] {
			if !slices.Contains(may, s) && s != -1 && (s != 0 || n > 20) { // a connection that is cut while it sends may lose its answer
				t.Errorf("%s: %d × %d", kind, n, s)
			}
		}
	}
	for _, must := range []struct {
		kind   string
		status int
	}{{"honest", 200}, {"flood", 429}, {"guesser", 401}, {"guesser", 429}, {"huge body", 413}, {"huge head", 431}, {"stream", 200}, {"stream", 429}} {
		if seen.n[must.kind][must.status] == 0 {
			t.Errorf("no %s was answered %d: %v", must.kind, must.status, seen.n[must.kind])
		}
	}
	if late.Load() > 0 || served.Load() == 0 {
		t.Errorf("of the honest client's requests %d came late, %d were served", late.Load(), served.Load())
	}
	if worst.peakKB > maxPeakMB<<10 {
		t.Errorf("it took %d MB", worst.peakKB>>10)
	}
	if *howLong > 20*time.Second && seen.n["slow writer"][408] == 0 {
		t.Errorf("no slow writer was given up: %v", seen.n["slow writer"])
	}
	// All have gone: connections come back when the server has noticed, which its
	// own deadlines bound. The database keeps some more of its files open.
	after := g.cost()
	for begin := time.Now(); after.sockets > before.sockets && time.Since(begin) < patience; after = g.cost() {
		time.Sleep(100 * time.Millisecond)
	}
	if after.sockets > before.sockets || after.files > before.files+16 || after.rssKB > maxRestMB<<10 {
		t.Errorf("before %+v, worst %+v, after %+v", before, worst, after)
	}
	if s := g.one(g.head("GET /v1/health", g.auth(), "Connection: close")); s != 200 {
		t.Errorf("afterwards: %d", s)
	}
	list, dump := g.goroutines()
	if strings.Contains(dump, "panic: ") {
		t.Error("it panicked")
	}
	fresh := start(t, filepath.Join(t.TempDir(), "data"))
	fresh.one(fresh.head("GET /v1/documents", fresh.auth(), "Connection: close"))
	quiet, _ := fresh.goroutines()
	if len(quiet) == 0 || len(list) > len(quiet)+8 {
		t.Errorf("%d goroutines are left, a fresh gateway has %d:\n%.20000s", len(list), len(quiet), dump)
	}
	t.Logf("%d clients for %v: %v\nbefore %+v\nworst  %+v\nafter  %+v\n%d goroutines left, %d in a fresh gateway", clients, *howLong, seen.n, before, worst, after, len(list), len(quiet))
}

// document gives the id of the only document.
func (g *gateway) document() string {
	g.t.Helper()
	c, err := g.dial()
	if err != nil {
		g.t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, g.head("GET /v1/documents", g.auth(), "Connection: close"))
	b, _ := io.ReadAll(c)
	_, rest, ok := bytes.Cut(b, []byte(`"id":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	if !ok {
		g.t.Fatalf("no document: %s", b)
	}
	return string(id)
}
