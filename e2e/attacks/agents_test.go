//go:build unix

package attacks

import (
	"strings"
	"sync"
	"testing"
)

// What an agent can do over the API to another's work: sessions are not shared,
// an old request does not run again, two that apply to one file do not mix. The
// same over MCP waits for that server.
func TestAttack21AgentsOnOneFile(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	prv := g.preview(id)
	mine := g.note(id, prv, "#a", `change the text to "mine"`)
	a, b := g.agent(), g.agent()
	at := "/v1/documents/" + id
	for _, q := range []map[string]any{{"session": "t", "instruction": "x", "seen": "2026-01-01T00:00:00Z"}, {"session": "", "instruction": "x", "seen": "2026-01-01T00:00:00Z"}, {"session": strings.Repeat("s", 129), "instruction": "x", "seen": "2026-01-01T00:00:00Z"}} {
		g.with(b, "PATCH", at+"/annotations/"+mine, q).refused(403, 400)
	}
	theirs := ask(map[string]any{"session": "t"}, mine)
	g.with(b, "POST", at+"/turns", theirs).refused(403)
	q := ask(nil, mine)
	first := as[turn](g.with(a, "POST", at+"/turns", q).want(202))
	if again := as[turn](g.with(b, "POST", at+"/turns", q).want(202)); again.ID != first.ID {
		t.Errorf("one request is two turns: %s %s", first.ID, again.ID)
	}
	other := ask(map[string]any{"requestId": q["requestId"], "message": "something else"})
	if r := g.with(b, "POST", at+"/turns", other); r.status != 409 || r.code() != "request_conflict" {
		t.Errorf("another request under the same id: %d %s", r.status, r.body)
	}
	if r := g.ends(first.ID); r.Result.Status != "applied" || r.Result.Generation != 2 {
		t.Fatalf("%v", r)
	}
	g.with(a, "POST", at+"/turns", q).want(202) // the same turn, which has ended
	if n := g.generation(id); n != 2 {
		t.Fatalf("an old request ran again: %d versions", n)
	}
	// Two at once, on what both saw.
	prv2 := g.preview(id)
	one, two := g.note(id, prv2, "#a", `change the text to "from one"`), g.note(id, prv2, "#b", `change the text to "from two"`)
	var wg sync.WaitGroup
	ends := make([]turn, 2)
	for i, n := range []string{one, two} {
		turn := as[turn](g.with([]string{a, b}[i], "POST", at+"/turns", ask(nil, n)).want(202)).ID
		wg.Go(func() { ends[i] = g.ends(turn) })
	}
	wg.Wait()
	want, applied := strings.Replace(plainPage, "first", "mine", 1), 0
	for i, change := range [][2]string{{"mine", "from one"}, {"second", "from two"}} {
		if ends[i].Result.Status == "applied" {
			applied++
			want = strings.Replace(want, change[0], change[1], 1)
		}
	}
	if got := g.read("page.html"); applied == 0 || got != want || g.generation(id) != 2+applied {
		t.Errorf("%d applied, %d versions: %q\n%v", applied, g.generation(id), got, ends)
	}
	// What was cancelled is not applied afterwards.
	n := g.note(id, g.preview(id), "h1", `change the text to "cancelled"`)
	turn := g.send(id, ask(map[string]any{"review": true}, n))
	sha := g.waits(turn)
	g.call("POST", "/v1/turns/"+turn+"/cancel", nil).want(200)
	g.ends(turn)
	if r := g.decide(turn, sha, true); r.status != 409 || strings.Contains(g.read("page.html"), "cancelled") {
		t.Errorf("a cancelled proposal is decided: %d %s", r.status, r.body)
	}
	for _, guess := range []string{"trn_" + strings.Repeat("0", 26), "x", "..", "%2e%2e"} {
		g.with(b, "POST", "/v1/turns/"+guess+"/cancel", nil).refused(404, 400)
	}
}

// What one agent proposes, another does not approve; nor does anybody approve
// what they did not see.
func TestAttack22ConfusedDeputy(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	prv := g.preview(id)
	b := g.agent()
	n := g.note(id, prv, "h1", `change the text to "from B"`)
	turn := as[turn](g.with(b, "POST", "/v1/documents/"+id+"/turns", ask(map[string]any{"review": true}, n)).want(202)).ID
	sha := g.waits(turn)
	decision := map[string]any{"sha256": sha, "commit": true}
	for who, token := range map[string]string{"itself": b, "another agent": g.agent(), "a preview": g.mint("preview", prv)} {
		for _, r := range []reply{
			g.with(token, "POST", "/v1/turns/"+turn+"/decision", decision),
			g.with(token, "GET", "/v1/turns/"+turn+"/proposal", nil),
			g.with(token, "GET", "/v1/turns/"+turn+"/proposal/after", nil),
		} {
			if r.status != 403 {
				t.Errorf("%s: %s %d", who, r.what, r.status)
			}
		}
	}
	ui := g.token("ui")
	for _, wrong := range []map[string]any{{"sha256": strings.Repeat("0", 64), "commit": true}, {"sha256": "", "commit": true}, {"commit": true}, {"sha256": strings.ToUpper(sha) + " ", "commit": true}} {
		if r := g.with(ui, "POST", "/v1/turns/"+turn+"/decision", wrong); r.status != 409 {
			t.Errorf("%v: %d %s", wrong, r.status, r.body)
		}
	}
	if g.read("page.html") != plainPage || g.generation(id) != 1 {
		t.Error("it was applied by whoever may not")
	}
	g.with(ui, "POST", "/v1/turns/"+turn+"/decision", decision).want(204)
	if r := g.ends(turn); r.Result.Status != "applied" || !strings.Contains(g.read("page.html"), "from B") {
		t.Errorf("%v", r)
	}
	g.with(ui, "POST", "/v1/turns/"+turn+"/decision", decision).refused(409)
}
