package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/internal/modelserver"
)

// TestUTF8AcrossReads (R-MODEL-4): wherever the wire cuts, text that is UTF-8
// comes through whole, and text that is not comes up to the first byte that
// cannot be.
func TestUTF8AcrossReads(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := []byte(rapid.StringOfN(rapid.RuneFrom([]rune("a\nß漢\U0001F600\uD7FF\uE000\uFF01\U0010FFFF")), 0, 40, -1).Draw(r, "text"))
		if rapid.Bool().Draw(r, "spoil") && len(text) > 0 {
			text[rapid.IntRange(0, len(text)-1).Draw(r, "at")] = rapid.Byte().Draw(r, "byte")
		}
		if rapid.Bool().Draw(r, "cut") {
			text = text[:rapid.IntRange(0, len(text)).Draw(r, "end")]
		}
		cuts := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 8).Draw(r, "cuts")
		got, err := through(t, t.Context(), answer(&pieces{data: text, cuts: cuts}))
		if utf8.Valid(text) {
			if err != nil || !bytes.Equal(got, text) {
				r.Fatalf("%q became %q: %v", text, got, err)
			}
			return
		}
		if core.CodeOf(err) != core.ModelBroken {
			r.Fatalf("%q passed: %v", text, err)
		}
		if !bytes.HasPrefix(text, got) || len(got) < validPrefix(text) {
			r.Fatalf("%q became %q", text, got)
		}
	})
}

// validPrefix gives how many bytes of b are whole characters at its start.
func validPrefix(b []byte) int {
	n := 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// pieces reads in pieces of given sizes.
type pieces struct {
	data []byte
	cuts []int
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data[:min(len(p.data), p.cuts[p.n%len(p.cuts)])])
	p.data = p.data[n:]
	p.n++
	return n, nil
}

func FuzzUTF8Check(f *testing.F) {
	for _, s := range []string{"", "aß漢😀！", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\xc3"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var u utf8Check
		ok := true
		for _, c := range b {
			if ok = ok && u.next(c); !ok {
				break
			}
		}
		if (ok && u.whole()) != utf8.Valid(b) {
			t.Errorf("%q: %v", b, ok)
		}
	})
}

// TestInvalidUTF8OnTheWire: the same through the SDKs, with the text before it.
func TestInvalidUTF8OnTheWire(t *testing.T) {
	reply := modelserver.Reply{Text: "what came before is there ", Fault: modelserver.Fault{InvalidUTF8: true, Fragment: 7}}
	each(t, reply, func(t *testing.T, _ *modelserver.Server, call func(context.Context) (string, error)) {
		text, err := call(t.Context())
		want(t, err, core.ModelBroken, "not UTF-8 at byte")
		if !strings.HasPrefix(text, "what came before") {
			t.Errorf("%q", text)
		}
	})
}

// repeat reads n bytes: line by line, or all in one line.
type repeat struct{ n, line, read int }

func (r *repeat) Read(p []byte) (int, error) {
	if r.read == r.n {
		return 0, io.EOF
	}
	n := min(len(p), r.n-r.read)
	for i := range p[:n] {
		r.read++
		p[i] = 'a'
		if r.line > 0 && r.read%r.line == 0 {
			p[i] = '\n'
		}
	}
	return n, nil
}

// TestBoundsToTheByte (R-MODEL-4): the length of a stream and of a line, from
// shortly before the bound.
func TestBoundsToTheByte(t *testing.T) {
	const before = 1000
	for name, c := range map[string]struct {
		read, line int // what came already
		body       *repeat
		pass       int
		word       string
	}{
		"stream":     {core.MaxModelStreamBytes - before, 0, &repeat{n: before, line: 100}, before, ""},
		"stream + 1": {core.MaxModelStreamBytes - before, 0, &repeat{n: before + 1, line: 100}, before, "longer than 32 MiB"},
		"line":       {0, core.MaxModelLineBytes - before, &repeat{n: 2 * before, line: before + 1}, 2 * before, ""},
		"line + 1":   {0, core.MaxModelLineBytes - before, &repeat{n: 2 * before, line: before + 2}, before, "a line"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &watch{outer: t.Context(), ctx: t.Context(), cancel: func(error) {}, idle: time.Hour, host: "h", timer: time.NewTimer(time.Hour)}
			b := newBody(io.NopCloser(c.body), w)
			b.read, b.line = c.read, c.line
			got, err := io.ReadAll(b)
			_ = b.Close()
			if len(got) != c.pass {
				t.Errorf("%d bytes came, want %d", len(got), c.pass)
			}
			if c.word == "" && err != nil {
				t.Error(err)
			}
			if c.word != "" {
				want(t, err, core.ModelBroken, c.word, "stopped")
				if n, again := b.Read(make([]byte, 1)); n != 0 || !errors.Is(again, err) {
					t.Errorf("read on: %d, %v", n, again)
				}
			}
		})
	}
}

// TestEndlessAnswers (R-MODEL-4): a line and a text that never end are stopped,
// and the connection with them.
func TestEndlessAnswers(t *testing.T) {
	each(t, modelserver.Reply{Text: "x", Fault: modelserver.Fault{EndlessLine: true}}, func(t *testing.T, _ *modelserver.Server, call func(context.Context) (string, error)) {
		_, err := call(t.Context())
		want(t, err, core.ModelBroken, "a line")
	})
	// Read without the SDK, whose decoding of so many events takes its time; the
	// providers stop long before, at the length of the text.
	s := modelserver.StartT(t, modelserver.Give(modelserver.Reply{Text: "x", Fault: modelserver.Fault{EndlessText: true}}))
	client := NewClient(Options{Base: s.URL()})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.OpenAIBase()+"/chat/completions", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	want(t, err, core.ModelBroken, "longer than 32 MiB")
	if n != core.MaxModelStreamBytes {
		t.Errorf("%d bytes came", n)
	}
}

// TestBomb: what is bounded is the text, however small it came.
func TestBomb(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.Copy(z, &repeat{n: core.MaxModelStreamBytes + 1, line: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	}))
	defer s.Close()
	client := NewClient(Options{Base: s.URL})
	defer client.CloseIdleConnections()
	_, err := throughOpenAI(t.Context(), s.URL, client)
	want(t, err, core.ModelBroken, "longer than 32 MiB")
}

// TestBrokenConnection: what came is delivered, then it is said that it broke.
func TestBrokenConnection(t *testing.T) {
	for _, n := range []int{-1, 1, 400} {
		each(t, modelserver.Reply{Text: "hello", Fault: modelserver.Fault{CutAfter: n}}, func(t *testing.T, s *modelserver.Server, call func(context.Context) (string, error)) {
			_, err := call(t.Context())
			want(t, err, core.ModelUnreachable, "broke")
			if s.Count() != 1 {
				t.Errorf("%d requests: it was sent again", s.Count())
			}
		})
	}
}

// TestSilence: a host that says nothing is given up, before its header and in
// the middle of its answer. One that goes on saying something is not, and
// neither is one whose reader takes its time.
func TestSilence(t *testing.T) {
	hang := fake(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := through(t, t.Context(), hang)
		want(t, err, core.Timeout, "nothing came from model.test for 3m0s")
		if d := time.Since(start); d != core.ModelIdleTimeout {
			t.Errorf("given up after %s", d)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got, err := through(t, t.Context(), fake(func(r *http.Request) (*http.Response, error) {
			return answer(&drip{ctx: r.Context(), every: core.ModelIdleTimeout - time.Second, left: 5})(r)
		}))
		want(t, err, core.Timeout, "nothing came")
		if d := time.Since(start); string(got) != "....." || d != 5*(core.ModelIdleTimeout-time.Second)+core.ModelIdleTimeout {
			t.Errorf("%q, given up after %s", got, d)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := &watch{outer: t.Context(), ctx: t.Context(), cancel: func(error) {}, idle: time.Second, host: "h"}
		w.timer = time.AfterFunc(time.Hour, func() { t.Error("the clock ran while nobody waited") })
		w.timer.Stop()
		b := newBody(io.NopCloser(iotest.OneByteReader(strings.NewReader("abc"))), w)
		for range 3 {
			if n, err := b.Read(make([]byte, 8)); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			time.Sleep(time.Minute) // of the bubble's clock
		}
	})
}

// drip reads one byte after each pause, and then nothing until its request ends.
type drip struct {
	ctx   context.Context
	every time.Duration
	left  int
}

func (d *drip) Read(p []byte) (int, error) {
	if d.left == 0 {
		<-d.ctx.Done()
		return 0, context.Cause(d.ctx)
	}
	d.left--
	time.Sleep(d.every) // of the bubble's clock
	p[0] = '.'
	return 1, nil
}

// TestSilenceOnTheWire: the same with a real connection.
func TestSilenceOnTheWire(t *testing.T) {
	for _, after := range []int{0, 300} {
		for wire, send := range sdks {
			s := modelserver.StartT(t, modelserver.Give(modelserver.Reply{Text: "hello", Fault: modelserver.Fault{Hang: true, HangAfter: after}}))
			client := NewClient(Options{Base: baseOf(s, wire), Idle: 20 * time.Millisecond})
			_, err := send(t.Context(), baseOf(s, wire), client)
			want(t, err, core.Timeout, "nothing came from 127.0.0.1")
			client.CloseIdleConnections()
		}
	}
}

// TestIdleByDefault: a model on this machine may take as long as a call may.
func TestIdleByDefault(t *testing.T) {
	for base, idle := range map[string]time.Duration{"https://host/v1": core.ModelIdleTimeout, "http://localhost:1/v1": core.ModelCallTimeout, "nonsense": core.ModelIdleTimeout} {
		if g := NewClient(Options{Base: base}).Transport.(*guard); g.idle != idle {
			t.Errorf("%s: %s", base, g.idle)
		}
	}
}

// TestCancelAndDeadline: the caller's end is told as such, before the header and
// in the middle.
func TestCancelAndDeadline(t *testing.T) {
	for _, after := range []int{0, 300} {
		reply := modelserver.Reply{Text: "hello", Fault: modelserver.Fault{Hang: true, HangAfter: after}}
		each(t, reply, func(t *testing.T, s *modelserver.Server, call func(context.Context) (string, error)) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { _, err := call(ctx); ended <- err }()
			for s.Count() == 0 {
				runtime.Gosched()
			}
			cancel()
			err := <-ended
			if e := Explain(err, 0, nil, ""); e.Code != core.Cancelled || !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			_, err = call(ctx)
			if e := Explain(err, 0, nil, ""); e.Code != core.Timeout || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
	}
}
