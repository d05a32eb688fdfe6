package token

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Attack 14: what docs/api.md says of the greeting is enough to make one, and to
// tell the gateway's answer from another program's. Its example is a greeting that
// this package admits and a proof that it gives.
func TestDocumentedGreeting(t *testing.T) {
	b, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	after := func(mark, end string) string {
		_, rest, found := strings.Cut(string(b), mark)
		text, _, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("docs/api.md has no %q", mark)
		}
		return text
	}
	key, ok := ParseKey(after("    key ", ","))
	if !ok {
		t.Fatal("the key is none")
	}
	d := NewDoor(key, "run_example", 40_000, func() time.Time { return time.Unix(1_796_040_000, 0) })
	nonce, err := d.Admit(after("    Authorization: "+Scheme+" ", "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if proof := after("    \"proof\": \"", "\""); d.Prove(nonce, "TOKEN") != proof {
		t.Errorf("the proof is %s", d.Prove(nonce, "TOKEN"))
	}
}
