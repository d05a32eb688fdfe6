package discover

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"proofmark/gateway/core"
)

const (
	handshakeTimeout = 5 * time.Second
	// maxHandshakeBytes bounds an answer to a greeting, head and body: whoever
	// listens there may be anybody.
	maxHandshakeBytes = 16 << 10
)

// connect opens a connection and makes sure, on it, that the gateway is at its
// other end. Nothing is sent before that but a greeting, which is of no use to
// anybody else. So a process that took the port when the gateway died gets
// neither a token nor a word of a request.
func (p Place) connect(ctx context.Context) (net.Conn, TokenAnswer, error) {
	const op = "discover.Dial"
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Port))
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp4", addr)
	if err != nil {
		return nil, TokenAnswer{}, p.absent(err).In(op)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // ends what waits
	t, err := p.greet(conn, addr)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, TokenAnswer{}, p.absent(err).In(op)
	}
	return conn, t, nil
}

func (p Place) absent(err error) *core.Error {
	return core.Wrap(core.NoGateway, err, "the gateway that said it is on port %d is not there", p.Port).
		WithHint("It may have been killed. Start one: proofmark serve")
}

// greet asks for a token and checks who answers.
func (p Place) greet(conn net.Conn, host string) (t TokenAnswer, err error) {
	g := p.Key.Greet(p.Launch, p.Port, time.Now())
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Length: 0\r\n\r\n", TokensPath, host, g.Header); err != nil {
		return t, err
	}
	in := bufio.NewReader(io.LimitReader(conn, maxHandshakeBytes))
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return t, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return t, err
	}
	if res.StatusCode != http.StatusOK || res.Close || in.Buffered() > 0 {
		return t, errors.New("what answers is no gateway")
	}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&t); err != nil || !g.Answers(t.Token, t.Proof) {
		return TokenAnswer{}, errors.New("what answers is another program")
	}
	return t, nil
}
