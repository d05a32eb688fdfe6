package token

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
)

func admit(d *Door, header string) (string, error) {
	scheme, rest, _ := strings.Cut(header, " ")
	if scheme != Scheme {
		return "", core.Errorf(core.Internal, "the scheme is %q", scheme)
	}
	return d.Admit(rest)
}

// Attack 14: a client gets a token from the process that holds the key, and
// knows its answer from any other's.
func TestHandshake(t *testing.T) {
	c := newClock()
	key := NewKey()
	d := NewDoor(key, "run_1", 4711, c.now)
	back, ok := ParseKey(key.Reveal())
	if !ok || back != key {
		t.Fatal("the key does not come back")
	}
	g := back.Greet("run_1", 4711, c.at)
	nonce, err := admit(d, g.Header)
	if err != nil {
		t.Fatal(err)
	}
	proof := d.Prove(nonce, "the answer")
	if !g.Answers("the answer", proof) {
		t.Error("the answer is not known")
	}
	if g.Answers("another answer", proof) || g.Answers("the answer", "") || g.Answers("the answer", proof[1:]) {
		t.Error("what was not said is known")
	}
	if back.Greet("run_1", 4711, c.at).Answers("the answer", proof) {
		t.Error("the answer to one greeting answers another")
	}
	if strings.Contains(g.Header, key.Reveal()) {
		t.Error("the key was sent")
	}
	if _, err := admit(d, g.Header); reason(err) != "unauthenticated revoked" {
		t.Errorf("once more: %v", err)
	}
}

func TestHandshakeRefuses(t *testing.T) {
	c := newClock()
	key := NewKey()
	d := NewDoor(key, "run_1", 4711, c.now)
	good := strings.TrimPrefix(key.Greet("run_1", 4711, c.at).Header, Scheme+" ")
	for name, credentials := range map[string]string{
		"nothing":          "",
		"two parts":        "1.2",
		"another key":      strings.TrimPrefix(NewKey().Greet("run_1", 4711, c.at).Header, Scheme+" "),
		"another launch":   strings.TrimPrefix(key.Greet("run_2", 4711, c.at).Header, Scheme+" "),
		"another port":     strings.TrimPrefix(key.Greet("run_1", 4712, c.at).Header, Scheme+" "),
		"too old":          strings.TrimPrefix(key.Greet("run_1", 4711, c.at.Add(-time.Minute)).Header, Scheme+" "),
		"from the future":  strings.TrimPrefix(key.Greet("run_1", 4711, c.at.Add(time.Minute)).Header, Scheme+" "),
		"another time":     "9" + good,
		"cut":              good[:len(good)-1],
		"longer":           good + "x",
		"a gateway's mac":  "1.2." + d.Prove("2", "1"),
		"a very long text": strings.Repeat("a", 1<<20),
	} {
		if _, err := d.Admit(credentials); core.CodeOf(err) != core.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Admit(good); err != nil {
		t.Errorf("the good one after all of these: %v", err)
	}
	for _, s := range []string{"", "x", key.Reveal() + "A", key.Reveal()[1:], key.Reveal()[:42] + "\n", strings.Repeat("=", 43)} {
		if _, ok := ParseKey(s); ok {
			t.Errorf("%q is taken for a key", s)
		}
	}
}

// What is remembered of greetings is bounded, and forgotten when it cannot come again.
func TestNoncesAreBounded(t *testing.T) {
	c := newClock()
	key := NewKey()
	d := NewDoor(key, "run_1", 4711, c.now)
	for range maxNonces {
		if _, err := admit(d, key.Greet("run_1", 4711, c.at).Header); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admit(d, key.Greet("run_1", 4711, c.at).Header); err == nil {
		t.Error("more are admitted than can be remembered")
	}
	c.at = c.at.Add(2*handshakeSkew + time.Second)
	if _, err := admit(d, key.Greet("run_1", 4711, c.at).Header); err != nil || len(d.nonces) != 1 {
		t.Errorf("later: %v, %d are remembered", err, len(d.nonces))
	}
}

// Attack 16: a key that somebody prints, logs or puts in JSON is not there.
func TestKeyIsNeverPrinted(t *testing.T) {
	k := NewKey()
	v := struct {
		Name string
		Key  Key
		P    *Key
	}{"x", k, &k}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", k, "place", v)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", k, "place", v)
	j, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	text := log.String() + string(j)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%X", "%q", "%d"} {
		text += fmt.Sprintf(verb+" "+verb+"\n", k, v)
	}
	raw := fmt.Sprint([32]byte(k))
	for _, secret := range []string{k.Reveal(), hex.EncodeToString(k[:]), strings.Trim(raw, "[]"), strings.ReplaceAll(strings.Trim(raw, "[]"), " ", ",")} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
			t.Errorf("the key is printed: %s", text)
		}
	}
}
