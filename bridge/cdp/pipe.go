package cdp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"
)

// maxMessage bounds one message of the browser: a full picture in base64 is
// the largest one wanted. A page can make larger ones, by logging a huge text.
const maxMessage = 32 << 20

// pipe is chromedp's pipe protocol, JSON messages that end with a zero byte,
// with a bound: what is larger is skipped, not held.
type pipe struct {
	r  io.ReadCloser
	w  io.WriteCloser
	br *bufio.Reader

	mu sync.Mutex // one writer at a time
}

var _ chromedp.Transport = (*pipe)(nil)

func newPipe(r io.ReadCloser, w io.WriteCloser) *pipe {
	return &pipe{r: r, w: w, br: bufio.NewReaderSize(r, 64<<10)}
}

// Read gives the next message that is not too large.
func (p *pipe) Read(_ context.Context, msg *cdproto.Message) error {
	for {
		b, err := p.next()
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(b)) == 0 {
			continue
		}
		return jsonv2.Unmarshal(b, msg, chromedp.DefaultUnmarshalOptions)
	}
}

// next gives the bytes up to the zero byte, nothing for a message that is too
// large.
func (p *pipe) next() ([]byte, error) {
	var out []byte
	skip := false
	for {
		part, err := p.br.ReadSlice(0)
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		} else if err != nil {
			return nil, err
		}
		ended := len(part) > 0 && part[len(part)-1] == 0
		if ended {
			part = part[:len(part)-1]
		}
		if skip = skip || len(out)+len(part) > maxMessage; skip {
			out = nil
		} else {
			out = append(out, part...)
		}
		if ended {
			return out, nil
		}
	}
}

// Write sends one message.
func (p *pipe) Write(_ context.Context, msg *cdproto.Message) error {
	b, err := jsonv2.Marshal(msg, chromedp.DefaultMarshalOptions)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.w.Write(append(b, 0))
	return err
}

// Close closes both ends, which makes the browser exit.
func (p *pipe) Close() error { return errors.Join(p.r.Close(), p.w.Close()) }
