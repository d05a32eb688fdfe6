package selfcheck

import (
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed hostile.html
var hostile string

// victim is what a hostile page would like to reach: listeners for HTTP and
// WebSocket, raw TCP and UDP on loopback, which write down every arrival.
type victim struct {
	web, raw *net.TCPListener
	udp      net.PacketConn
	server   *http.Server
	work     sync.WaitGroup

	mu      sync.Mutex
	arrived map[string]int // guarded by mu
}

func newVictim() (*victim, error) {
	v := &victim{arrived: map[string]int{}}
	loopback := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	var err error
	if v.web, err = net.ListenTCP("tcp4", loopback); err != nil {
		return nil, err
	}
	if v.raw, err = net.ListenTCP("tcp4", loopback); err != nil {
		_ = v.web.Close()
		return nil, err
	}
	if v.udp, err = net.ListenPacket("udp4", "127.0.0.1:0"); err != nil {
		_ = v.web.Close()
		_ = v.raw.Close()
		return nil, err
	}
	v.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := "HTTP"
		if r.Header.Get("Upgrade") != "" {
			kind = "a WebSocket"
		}
		v.note(fmt.Sprintf("%s by %s", kind, strings.TrimPrefix(r.URL.Path, "/")))
		w.Header().Set("Access-Control-Allow-Origin", "*") // whoever arrives shall see that it did
	})}
	v.work.Go(func() { _ = v.server.Serve(v.web) })
	v.work.Go(func() {
		for {
			c, err := v.raw.Accept()
			if err != nil {
				return
			}
			v.note("a TCP port")
			_ = c.Close()
		}
	})
	v.work.Go(func() {
		b := make([]byte, 2048)
		for {
			if _, _, err := v.udp.ReadFrom(b); err != nil {
				return
			}
			v.note("a UDP port")
		}
	})
	return v, nil
}

func (v *victim) close() {
	_ = v.server.Close()
	_ = v.raw.Close()
	_ = v.udp.Close()
	v.work.Wait()
}

func (v *victim) note(what string) {
	v.mu.Lock()
	v.arrived[what]++
	v.mu.Unlock()
}

// arrivals lists what arrived.
func (v *victim) arrivals() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var out []string
	for what, n := range v.arrived {
		out = append(out, fmt.Sprintf("%s, %d times", what, n))
	}
	slices.Sort(out)
	return out
}

// page gives the hostile page aimed at the victim, under each of its names.
func (v *victim) page() []byte {
	var bases []string
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0"} {
		bases = append(bases, fmt.Sprintf("'http://%s:%d'", host, v.web.Addr().(*net.TCPAddr).Port))
	}
	return []byte(strings.NewReplacer(
		"@BASES@", strings.Join(bases, ", "), "@TCP@", strconv.Itoa(v.raw.Addr().(*net.TCPAddr).Port),
		"@UDP@", strconv.Itoa(v.udp.LocalAddr().(*net.UDPAddr).Port),
	).Replace(hostile))
}
