package token

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Handshake is the scope of a client that has shown it can read the runtime
// file, and has no token yet. It opens the one route that mints its first token.
const Handshake Scope = "handshake"

// Scheme is the authorization scheme of a handshake: "Proofmark time.nonce.mac".
const Scheme = "Proofmark"

const (
	handshakeSkew = 30 * time.Second // between the two clocks, which are one machine's
	maxNonces     = 4_096            // remembered at once
)

// Key is what the runtime file holds: whoever can read it can ask for a token,
// and knows the gateway's answers from anybody else's. It is never sent.
type Key [32]byte

// NewKey gives a random key.
func NewKey() (k Key) {
	if _, err := rand.Read(k[:]); err != nil {
		panic(err) // crypto/rand never fails on the platforms Go supports
	}
	return k
}

// Reveal writes the key for the runtime file, in base64url.
func (k Key) Reveal() string { return base64.RawURLEncoding.EncodeToString(k[:]) }

const hidden = "(key)"

// Format prints no key, whatever the verb.
func (Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText writes no key: a value that holds one can be logged.
func (Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// ParseKey reads what Reveal wrote.
func ParseKey(s string) (k Key, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != len(k) || strings.ContainsFunc(s, foreign) {
		return k, false
	}
	copy(k[:], b)
	return k, true
}

// mac binds a message to who says it, to whom, and to the port it was said on:
// a process that squats on another port cannot pass it on.
func (k Key) mac(role, launch string, port int, parts ...string) string {
	h := hmac.New(sha256.New, k[:])
	for _, p := range append([]string{"proofmark handshake 1", role, launch, strconv.Itoa(port)}, parts...) {
		fmt.Fprintf(h, "%d:%s;", len(p), p)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Greeting is the client's side of a handshake.
type Greeting struct {
	Header string // the value of Authorization

	key    Key
	launch string
	port   int
	nonce  string
}

// Greet makes the first message to the gateway that should listen on the port.
// It holds nothing another process could use: not the key, and no right on any
// other port or launch.
func (k Key) Greet(launch string, port int, now time.Time) Greeting {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	nonce := base64.RawURLEncoding.EncodeToString(b[:])
	at := strconv.FormatInt(now.Unix(), 10)
	return Greeting{
		Header: Scheme + " " + at + "." + nonce + "." + k.mac("client", launch, port, at, nonce),
		key:    k, launch: launch, port: port, nonce: nonce,
	}
}

// Answers tells whether the gateway itself said this in answer to the greeting.
func (g Greeting) Answers(said, proof string) bool {
	return hmac.Equal([]byte(proof), []byte(g.key.mac("gateway", g.launch, g.port, g.nonce, said)))
}

// Door is the gateway's side of handshakes.
type Door struct {
	key    Key
	launch string
	port   int
	now    func() time.Time

	mu     sync.Mutex
	nonces map[string]time.Time // that were used; guarded by mu
}

// NewDoor makes the door of a launch that listens on the port; now is the
// clock, nil for the machine's.
func NewDoor(k Key, launch string, port int, now func() time.Time) *Door {
	if now == nil {
		now = time.Now
	}
	return &Door{key: k, launch: launch, port: port, now: now, nonces: map[string]time.Time{}}
}

// Admit checks the value of an Authorization header behind the scheme's name,
// and gives the nonce that the answer has to prove. Each greeting counts once.
func (d *Door) Admit(credentials string) (nonce string, err error) {
	parts := strings.Split(credentials, ".")
	if len(credentials) > maxBytes || len(parts) != 3 {
		return "", refused("malformed")
	}
	at, nonce, mac := parts[0], parts[1], parts[2]
	if !hmac.Equal([]byte(mac), []byte(d.key.mac("client", d.launch, d.port, at, nonce))) {
		return "", refused("malformed")
	}
	sec, err := strconv.ParseInt(at, 10, 64)
	now := d.now()
	if err != nil || now.Sub(time.Unix(sec, 0)).Abs() > handshakeSkew {
		return "", refused("expired")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for n, used := range d.nonces {
		if now.Sub(used).Abs() > 2*handshakeSkew {
			delete(d.nonces, n)
		}
	}
	if _, used := d.nonces[nonce]; used || len(d.nonces) >= maxNonces {
		return "", refused("revoked")
	}
	d.nonces[nonce] = now
	return nonce, nil
}

// Prove signs what is said in answer to a greeting.
func (d *Door) Prove(nonce, said string) string {
	return d.key.mac("gateway", d.launch, d.port, nonce, said)
}
