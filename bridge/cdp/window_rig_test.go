package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// desk is a small workbench for tests: a page that makes and takes away frames as
// it is told, and a list of everything that reached its server.
type desk struct {
	t      testing.TB
	ln     net.Listener
	tells  chan string
	tokens atomic.Int64

	mu    sync.Mutex
	asked []string
	said  []string // what the page has told
}

const deskPage = `<!doctype html><title>Desk</title><style>body{margin:0}iframe{position:absolute;border:0;left:0;top:0}</style><script src="/desk.js"></script>`

const deskScript = `
addEventListener('DOMContentLoaded', () => {
  const say = (text) => fetch('/say', { method: 'POST', body: text });
  const source = new EventSource('/tells');
  source.onmessage = async (e) => {
    const c = JSON.parse(e.data);
    if (c.do === 'add') {
      const f = document.createElement('iframe');
      f.id = c.id; f.src = c.url;
      f.style.width = c.width + 'px'; f.style.height = c.height + 'px'; f.style.left = (c.left || 0) + 'px';
      document.body.append(f);
    } else if (c.do === 'remove') {
      document.getElementById(c.id)?.remove();
    } else if (c.do === 'fetch') {
      try {
        const r = await fetch(c.url, { method: c.method });
        say(c.id + ' ' + r.status + ' ' + await r.text());
      } catch (err) { say(c.id + ' failed'); }
    } else if (c.do === 'leave') {
      location.href = c.url;
    } else if (c.do === 'open') {
      window.open(c.url);
      const a = document.createElement('a'); a.target = '_blank'; a.href = c.url; document.body.append(a); a.click();
    } else if (c.do === 'resize') {
      document.getElementById(c.id).style.width = c.width + 'px';
    }
    say('done ' + c.id);
  };
  say('ready');
});
`

func newDesk(t testing.TB) *desk {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, ln: ln, tells: make(chan string, 64)}
	srv := &http.Server{Handler: http.HandlerFunc(d.serve)}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return d
}

func (d *desk) origin() string { return "http://" + d.ln.Addr().String() }

func (d *desk) serve(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.asked = append(d.asked, r.Method+" "+r.Host+r.URL.Path)
	d.mu.Unlock()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	switch r.URL.Path {
	case "/":
		h.Set("Content-Type", "text/html")
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; frame-src http://*.localhost:* https: http://*:80; frame-ancestors 'none'")
		fmt.Fprint(w, deskPage)
	case "/desk.js":
		h.Set("Content-Type", "text/javascript")
		fmt.Fprint(w, deskScript)
	case "/tells":
		h.Set("Content-Type", "text/event-stream")
		for {
			w.(http.Flusher).Flush()
			select {
			case tell := <-d.tells:
				fmt.Fprintf(w, "data: %s\n\n", tell)
			case <-r.Context().Done():
				return
			}
		}
	case "/say":
		b := make([]byte, 4096)
		n, _ := r.Body.Read(b)
		d.mu.Lock()
		d.said = append(d.said, string(b[:n]))
		d.mu.Unlock()
	default:
		http.NotFound(w, r)
	}
}

func (d *desk) tell(what map[string]any) {
	b, err := json.Marshal(what)
	if err != nil {
		d.t.Fatal(err)
	}
	d.tells <- string(b)
}

// heard waits until the page has said something that begins with the prefix.
func (d *desk) heard(prefix string) string {
	d.t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		d.mu.Lock()
		for _, s := range d.said {
			if strings.HasPrefix(s, prefix) {
				d.mu.Unlock()
				return strings.TrimPrefix(s, prefix)
			}
		}
		d.mu.Unlock()
	}
	d.t.Fatalf("the desk never said %q", prefix)
	return ""
}

func (d *desk) requests(part string) (out []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.asked {
		if strings.Contains(a, part) {
			out = append(out, a)
		}
	}
	return out
}

// window opens the desk in a window.
func (d *desk) window(proxy string, change ...func(*WindowOptions)) *Window {
	d.t.Helper()
	if _, err := chromium.Locate(""); err != nil {
		if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
			d.t.Fatal(err)
		}
		d.t.Skipf("NO BROWSER, NOTHING OF THE WINDOW IS TESTED: %v", err)
	}
	o := WindowOptions{
		Proxy: proxy, Origin: d.origin(), Headless: true, Width: 1100, Height: 900,
		Hello: func() ([]byte, error) { return []byte(`{"host":"window","protocol":4}`), nil },
		Token: func() (string, time.Time, error) {
			return fmt.Sprintf("secret-%d", d.tokens.Add(1)), time.Unix(1e9, 0), nil
		},
	}
	for _, c := range change {
		c(&o)
	}
	w, err := OpenWindow(context.Background(), o)
	if err != nil {
		d.t.Fatalf("%v %v", err, core.AsError(err).Detail)
	}
	d.t.Cleanup(func() {
		if err := w.Close(); err != nil {
			d.t.Errorf("closing the window: %v", err)
		}
	})
	d.heard("ready")
	return w
}

// framer opens the surfaces of a window with a frame for each, as a workbench
// does, and takes the frames away with them.
type framer struct {
	*Window
	desk *desk
	n    atomic.Int64
}

type framedView struct {
	contract.Surface
	f  *framer
	id string
}

func (f *framer) Open(ctx context.Context, o contract.OpenOptions) (contract.Surface, error) {
	s, err := f.Window.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.Width == 0 || o.Height == 0 {
		o.Width, o.Height = 1000, 700
	}
	id := fmt.Sprintf("frame%d", f.n.Add(1))
	f.desk.tell(map[string]any{"do": "add", "id": id, "url": o.Origin + BlankPath, "width": o.Width, "height": o.Height})
	select {
	case <-s.(*Surface).framed.ready:
	case <-s.Lost():
		return nil, lost()
	case <-time.After(20 * time.Second):
		return nil, core.Errorf(core.Timeout, "the frame never came")
	}
	return &framedView{s, f, id}, nil
}

func (v *framedView) Close() error {
	err := v.Surface.Close()
	select {
	case <-v.f.Closed():
		return err // with the frame
	default:
	}
	v.f.desk.tell(map[string]any{"do": "remove", "id": v.id})
	v.f.desk.heard("done " + v.id)
	return err
}
