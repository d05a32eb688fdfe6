package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"proofmark/gateway/core"
)

const (
	maxAnswerBytes = 64 << 20
	refreshBefore  = 2 * time.Minute // of a token's end
)

// TokensPath is the one route that a handshake opens.
const TokensPath = "/v1/tokens"

// TokenAnswer is what that route answers.
type TokenAnswer struct {
	Token   string    `json:"token"`
	Scope   string    `json:"scope"`
	Expires time.Time `json:"expires"`
	// Proof shows a client that greeted who signed the token.
	Proof string `json:"proof,omitempty"`
}

// Client talks to a gateway that has shown who it is, on each connection anew.
// It is safe for concurrent use.
type Client struct {
	place Place
	http  *http.Client

	mu    sync.Mutex
	token TokenAnswer // guarded by mu
}

// Dial finds the gateway of a data directory, makes sure that it is that
// gateway, and gets a token of the scope agent. The refusal is NoGateway where
// none answers, or another program does; nothing was told to it then. Close
// ends the client.
func Dial(ctx context.Context, dir string) (*Client, error) {
	p, err := Find(dir)
	if err != nil {
		return nil, err
	}
	c := &Client{place: p}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy: nil, DisableCompression: true, MaxIdleConns: 4, IdleConnTimeout: 30 * time.Second,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				conn, _, err := p.connect(ctx)
				return conn, err
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, c.greet(ctx)
}

// Close gives the client's token back and closes its connections. What was
// asked for and is not answered goes on.
func (c *Client) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTimeout)
	defer cancel()
	c.mu.Lock()
	t := c.token
	c.mu.Unlock()
	_, err := c.send(ctx, http.MethodDelete, TokensPath, "Bearer "+t.Token, nil, nil)
	c.http.CloseIdleConnections()
	if core.CodeOf(err) == core.NoGateway { // then it is worth nothing any more
		return nil
	}
	return err
}

// String names the gateway, without key and token.
func (c *Client) String() string { return c.place.String() }

// Place says where the gateway is.
func (c *Client) Place() Place { return c.place }

func (c *Client) url(path string) string {
	return "http://127.0.0.1:" + strconv.Itoa(c.place.Port) + path
}

// greet gets a token.
func (c *Client) greet(ctx context.Context) error {
	conn, t, err := c.place.connect(ctx)
	if err != nil {
		return err
	}
	_ = conn.Close()
	c.mu.Lock()
	c.token = t
	c.mu.Unlock()
	return nil
}

// bearer gives a token that is valid for a while.
func (c *Client) bearer(ctx context.Context) (string, error) {
	c.mu.Lock()
	t := c.token
	c.mu.Unlock()
	if time.Until(t.Expires) > refreshBefore {
		return "Bearer " + t.Token, nil
	}
	err := c.greet(ctx) // the key outlives every token
	c.mu.Lock()
	defer c.mu.Unlock()
	return "Bearer " + c.token.Token, err
}

// Do sends a request and reads its JSON answer into out, either of which may be
// nil. A refusal comes back as the core.Error the gateway made.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	auth, err := c.bearer(ctx)
	if err != nil {
		return err
	}
	_, err = c.send(ctx, method, path, auth, in, out)
	return err
}

// Stream sends a request whose answer goes on; the caller closes it.
func (c *Client) Stream(ctx context.Context, path string) (*http.Response, error) {
	auth, err := c.bearer(ctx)
	if err != nil {
		return nil, err
	}
	res, err := c.do(ctx, http.MethodGet, path, auth, nil)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		return nil, refusal(res)
	}
	return res, nil
}

func (c *Client) do(ctx context.Context, method, path, auth string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, core.Wrap(core.Internal, err, "the request cannot be written")
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url(path), body)
	if err != nil {
		return nil, core.Wrap(core.Usage, err, "the request cannot be written")
	}
	req.Header.Set("Authorization", auth)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, core.Wrap(core.NoGateway, err, "the gateway does not answer").WithHint("Start one: proofmark serve")
	}
	return res, nil
}

func (c *Client) send(ctx context.Context, method, path, auth string, in, out any) (status int, err error) {
	res, err := c.do(ctx, method, path, auth, in)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return res.StatusCode, refusal(res)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes+1))
	if err == nil && len(b) > maxAnswerBytes {
		err = errors.New("the answer is too long")
	}
	if err == nil && out != nil && len(b) > 0 {
		err = json.Unmarshal(b, out)
	}
	if err != nil {
		return res.StatusCode, core.Wrap(core.NoGateway, err, "the gateway's answer cannot be read")
	}
	return res.StatusCode, nil
}

// refusal reads the error an answer holds.
func refusal(res *http.Response) *core.Error {
	var b struct {
		Error *struct {
			Code    core.Code
			Message string
			Hint    string
			Detail  map[string]any
		}
	}
	err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&b)
	if err != nil || b.Error == nil {
		return core.Errorf(core.NoGateway, "what answers with status %d is no gateway", res.StatusCode)
	}
	return &core.Error{Code: b.Error.Code, Message: b.Error.Message, Hint: b.Error.Hint, Detail: b.Error.Detail}
}
