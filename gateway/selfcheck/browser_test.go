package selfcheck

import (
	"context"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Attack 29: a port that a process opens beside its own is seen.
func TestStrangePort(t *testing.T) {
	mine, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	if c := ports([]string{mine.Addr().String()}); c.Status == Fail {
		t.Fatalf("%+v", c)
	}
	debug, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer debug.Close()
	if c := ports([]string{mine.Addr().String()}); c.Status == OK || c.Status == Fail && !strings.Contains(c.Detail, debug.Addr().String()) {
		t.Errorf("%+v", c)
	}
}

// The listeners count what comes over each way: a page that reaches something is
// not taken for one that does not.
func TestVictimCounts(t *testing.T) {
	v, err := newVictim()
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get("http://" + v.web.Addr().String() + "/fetch")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	for _, l := range []net.Addr{v.raw.Addr(), v.udp.LocalAddr()} {
		c, err := net.Dial(l.Network(), l.String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte("x"))
		if l.Network() == "tcp" {
			_, _ = c.Read(make([]byte, 1)) // ends when it was counted
		}
		_ = c.Close()
	}
	for len(v.arrivals()) < 3 { // the packet is on its way
		runtime.Gosched()
	}
	v.close()
	if got := v.arrivals(); len(got) != 3 || !slices.Contains(got, "HTTP by fetch, 1 times") {
		t.Errorf("%q", got)
	}
	page := string(v.page())
	if strings.Contains(page, "@BASES@") || !strings.Contains(page, v.web.Addr().String()) {
		t.Error("the page is not aimed")
	}
}

// What serves no leased page, or serves it without its sandbox, is seen.
func TestPolicyFailsOnACarelessServer(t *testing.T) {
	g := careless(t, "127.0.0.1:0")
	if c := policy(context.Background(), "127.0.0.1:"+strings.TrimPrefix(g.host(), "Host: 127.0.0.1:"), "x"); c.Status != Fail {
		t.Errorf("%+v", c)
	}
	if c := flags(); os.Getpid() > 0 && c.Status == OK {
		t.Errorf("there is no browser: %+v", c)
	}
}
