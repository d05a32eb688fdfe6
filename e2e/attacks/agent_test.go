//go:build unix

package attacks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// agent gets a token as another program of the account does: it reads the
// runtime file and greets. What the greeting is made of is written here once
// more, so that a change of it is noticed.
func (g *gateway) agent() string {
	g.t.Helper()
	b, err := os.ReadFile(filepath.Join(g.data, "gateway.json"))
	if err != nil {
		g.t.Fatal(err)
	}
	var place struct{ Key, Launch string }
	if err := json.Unmarshal(b, &place); err != nil {
		g.t.Fatal(err)
	}
	key, err := base64.RawURLEncoding.DecodeString(place.Key)
	if err != nil || len(key) != 32 {
		g.t.Fatalf("the key has %d bytes: %v", len(key), err)
	}
	r := g.raw("a handshake", request("POST /v1/tokens HTTP/1.1", g.host(), "Authorization: "+greeting(key, place.Launch, g.port, time.Now()), "Content-Length: 0"))
	return as[struct{ Token string }](r.want(200)).Token
}

func greeting(key []byte, launch string, port int, at time.Time) string {
	var random [16]byte
	_, _ = rand.Read(random[:])
	nonce, sec := base64.RawURLEncoding.EncodeToString(random[:]), strconv.FormatInt(at.Unix(), 10)
	h := hmac.New(sha256.New, key)
	for _, p := range []string{"proofmark handshake 1", "client", launch, strconv.Itoa(port), sec, nonce} {
		fmt.Fprintf(h, "%d:%s;", len(p), p)
	}
	return "Proofmark " + sec + "." + nonce + "." + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
