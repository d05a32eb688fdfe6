// Package hostile is a page that tries everything a page can to get out, and what
// it would like to reach, which counts what arrives. Tests of every host share it;
// nothing else imports it.
package hostile

import (
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

//go:embed hostile.html
var page string

// Victim is what a hostile page would like to reach: HTTP and WebSocket, raw
// TCP and UDP on loopback, every arrival written down.
type Victim struct {
	HTTPPort, tcpPort, udpPort int

	mu      sync.Mutex
	arrived map[string]int // guarded by mu
	Change  chan struct{}  // has room for one
}

// New starts a victim, which ends with the test.
func New(t testing.TB) *Victim {
	t.Helper()
	v := &Victim{arrived: map[string]int{}, Change: make(chan struct{}, 1)}
	web, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v.HTTPPort = web.Addr().(*net.TCPAddr).Port
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := "http "
		if r.Header.Get("Upgrade") != "" {
			kind = "ws "
		}
		v.note(kind + r.Method + " " + r.URL.Path)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(web) }()
	t.Cleanup(func() { _ = srv.Close() })
	if web6, err := net.Listen("tcp6", fmt.Sprintf("[::1]:%d", v.HTTPPort)); err == nil {
		go func() { _ = srv.Serve(web6) }()
	}
	raw, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	v.tcpPort = raw.Addr().(*net.TCPAddr).Port
	go func() {
		for {
			c, err := raw.Accept()
			if err != nil {
				return
			}
			v.note("tcp")
			_ = c.Close()
		}
	}()
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = udp.Close() })
	v.udpPort = udp.LocalAddr().(*net.UDPAddr).Port
	go func() {
		buf := make([]byte, 2048)
		for {
			if _, _, err := udp.ReadFrom(buf); err != nil {
				return
			}
			v.note("udp")
		}
	}()
	return v
}

func (v *Victim) note(what string) {
	v.mu.Lock()
	v.arrived[what]++
	v.mu.Unlock()
	select {
	case v.Change <- struct{}{}:
	default:
	}
}

// Kinds gives how much arrived of each kind, and everything that did.
func (v *Victim) Kinds() (http, ws, tcp, udp int, all []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for what, n := range v.arrived {
		all = append(all, fmt.Sprintf("%d× %s", n, what))
		switch kind, _, _ := strings.Cut(what, " "); kind {
		case "http":
			http += n
		case "ws":
			ws += n
		case "tcp":
			tcp += n
		case "udp":
			udp += n
		}
	}
	slices.Sort(all)
	return
}

// Zero fails the test where anything has arrived.
func (v *Victim) Zero(t testing.TB) {
	t.Helper()
	if h, ws, tcp, udp, all := v.Kinds(); h+ws+tcp+udp > 0 {
		t.Errorf("%d requests, %d sockets, %d connections, %d packets arrived: %q", h, ws, tcp, udp, all)
	}
}

// Page gives the hostile page aimed at the victim, under every name it has, and at
// other origins.
func (v *Victim) Page(label string, leave time.Duration, others ...string) []byte {
	var bases []string
	for _, o := range others {
		bases = append(bases, "'"+o+"'")
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", label + ".localhost", "127.1"} {
		bases = append(bases, fmt.Sprintf("'http://%s:%d'", host, v.HTTPPort))
	}
	return []byte(strings.NewReplacer(
		"@BASES@", strings.Join(bases, ", "), "@TCP@", strconv.Itoa(v.tcpPort), "@UDP@", strconv.Itoa(v.udpPort),
		"@LEAVE@", strconv.FormatInt(leave.Milliseconds(), 10),
	).Replace(page))
}
