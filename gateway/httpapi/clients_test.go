package httpapi_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/gates"
	"proofmark/gateway/httpapi"
	"proofmark/gateway/router"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
	"proofmark/gateway/workbench"
)

// Attacks 14, 15, 18, R-SEC-2: who gets which token, and how it ends.
func TestTokens(t *testing.T) {
	r := newRig(t, setup{})
	g := r.key.Greet("run_test", r.port, time.Now())
	a := r.auth(g.Header, "POST", "/v1/tokens", nil).ok()
	agent := a["token"].(string)
	if a["scope"] != "agent" || !g.Answers(agent, a["proof"].(string)) {
		t.Errorf("a handshake gets %v", a["scope"])
	}
	if r.key.Greet("run_test", r.port, time.Now()).Answers(agent, a["proof"].(string)) {
		t.Error("the proof answers another greeting")
	}
	r.auth(g.Header, "POST", "/v1/tokens", nil).refused(401, core.Unauthenticated) // a greeting counts once
	r.auth(r.greet(), "POST", "/v1/tokens", object{"scope": "desktop", "subject": "x"}).refused(400, core.BadRequest)
	r.with(agent, "GET", "/v1/health", nil).ok()
	r.with(agent, "GET", "/v1/settings", nil).refused(403, core.WrongScope)

	for _, scope := range []string{"ui", "preview"} {
		a := r.as(token.Desktop, "POST", "/v1/tokens", object{"scope": scope, "subject": "prv_1"}).ok()
		if a["scope"] != scope || a["proof"] != nil {
			t.Errorf("asked for %s: %v", scope, a)
		}
	}
	for _, scope := range []string{"desktop", "agent", "handshake", "", "root"} {
		r.as(token.Desktop, "POST", "/v1/tokens", object{"scope": scope, "subject": "x"}).refused(403, core.WrongScope)
	}
	for _, subject := range []string{"", strings.Repeat("x", 101)} {
		r.as(token.Desktop, "POST", "/v1/tokens", object{"scope": "ui", "subject": subject}).refused(400, core.BadRequest)
	}

	fresh := r.with(agent, "POST", "/v1/tokens/refresh", nil).ok()["token"].(string)
	if fresh == agent {
		t.Error("the same token again")
	}
	r.with(agent, "GET", "/v1/health", nil).ok() // requests on their way are not cut off
	if a := r.with(fresh, "DELETE", "/v1/tokens", nil); a.status != 204 {
		t.Errorf("revoked: %d %s", a.status, a.body)
	}
	for _, tok := range []string{agent, fresh} {
		r.with(tok, "GET", "/v1/health", nil).refused(401, core.Unauthenticated)
	}
	r.do("GET", "/v1/health", nil).ok() // of another family
}

// R-SEC-6, D-65: health tells what is on and by whom, for the workbench's own
// switch; settings tell a person more, and nobody a secret.
func TestHealthAndSettings(t *testing.T) {
	r := newRig(t, setup{env: "artifactPromptAnnotations=false"})
	h := r.as(token.Agent, "GET", "/v1/health", nil).ok()
	states := map[string]object{}
	for _, s := range h["features"].([]any) {
		states[s.(object)["feature"].(string)] = s.(object)
	}
	if h["version"] != "test" || h["launch"] != "run_test" || states["documentWorkbenchResources"]["on"] != true {
		t.Errorf("health: %v", h)
	}
	if s := states["artifactPromptAnnotations"]; s["on"] != false || s["by"] != "environment" {
		t.Errorf("annotations: %v", s)
	}
	s := r.do("GET", "/v1/settings", nil).ok()
	if s["limits"].(object)["annotationsPerSend"] != float64(core.MaxAnnotationsPerSend) || strings.Contains(s["dataDirectory"].(string), "/") {
		t.Errorf("settings: %v", s)
	}
	m := r.do("GET", "/v1/models", nil).ok()["models"].([]any)
	if len(m) == 0 || m[0].(object)["key"] != "none" {
		t.Errorf("models: %v", m)
	}
	r.as(token.Desktop, "POST", "/v1/shutdown", nil)
	<-r.asked
}

// R-SEC-6, D-65, D-113: what a feature is switched off for is refused on each of
// its routes, by whatever switch; the rest goes on.
func TestFeaturesOff(t *testing.T) {
	for name, off := range map[string]func(*rig){
		"environment": func(*rig) {},
		"kill": func(r *rig) {
			for _, f := range core.Features() {
				if err := gatesKill(r, f); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		s := setup{}
		if name == "environment" {
			s.env = "documentWorkbenchResources=false"
		}
		r := newRig(t, s)
		id := r.note("h1", 1, "x")["id"].(string)
		off(r)
		for _, rt := range r.srv.Routes() {
			if rt.Streams {
				continue // of a document it does not end
			}
			a := r.as(token.Desktop, rt.Method, strings.ReplaceAll(path(rt.Pattern), "documents/nothing", "documents/"+r.Doc.ID), nil)
			switch {
			case rt.Feature != "":
				a.refused(403, core.FeatureOff)
			case a.code() == core.FeatureOff:
				t.Errorf("%s: %s %s: %s", name, rt.Method, rt.Pattern, a.body)
			}
			if rt.Method == "DELETE" && rt.Pattern == "/v1/tokens" {
				r.tokens[token.Desktop], _, _ = r.issuer.Mint(token.Desktop, "test")
			}
		}
		r.do("POST", r.at("/turns"), ask("r1", id)).refused(403, core.FeatureOff)
		r.do("GET", r.at("/source"), nil)
		r.do("GET", r.at("/annotations?session="+session), nil).ok()
		r.stop()
	}
}

// D-94: two windows work on the same drafts. Of two changes to what both have
// seen one is made and the other refused; nothing is half done.
func TestTwoClientsOnDrafts(t *testing.T) {
	r := newRig(t, setup{})
	other := r.tokens[token.Agent]
	a, b := r.note("h1", 1, "one"), r.note("p", 1, "two")
	on := r.at("/annotations/" + a["id"].(string))
	for i := range 20 {
		seen := r.do("GET", r.at("/annotations?session="+session), nil).ok()["annotations"].([]any)[0].(object)["updatedAt"]
		var wg sync.WaitGroup
		got := make([]reply, 2)
		for k, tok := range []string{r.tokens[token.UI], other} {
			wg.Go(func() {
				got[k] = r.with(tok, "PATCH", on, object{"session": session, "instruction": strings.Repeat("x", 2*i+k+1), "seen": seen})
			})
		}
		wg.Wait()
		won, lost := got[0], got[1]
		if won.status != 200 {
			won, lost = lost, won
		}
		if won.status != 200 || lost.code() != core.RequestConflict {
			t.Fatalf("round %d: %d %s and %d %s", i, got[0].status, got[0].body, got[1].status, got[1].body)
		}
		now := r.do("GET", r.at("/annotations?session="+session), nil).ok()["annotations"].([]any)[0].(object)
		if now["instruction"] != won.ok()["instruction"] {
			t.Fatalf("round %d: it says %v", i, now["instruction"])
		}
	}
	if x := r.do("PUT", r.at("/annotations/"+b["id"].(string)+"/place"), object{"session": session, "place": 1}); x.status != 204 {
		t.Errorf("moved: %d %s", x.status, x.body)
	}
	list := r.do("GET", r.at("/annotations?session="+session), nil).ok()["annotations"].([]any)
	if len(list) != 2 || list[0].(object)["id"] != b["id"] || list[0].(object)["order"] != 1.0 {
		t.Errorf("in order: %v", list)
	}
	count := r.do("POST", r.at("/count"), object{"session": session, "message": "m", "annotations": []any{a["id"], b["id"]}}).ok()
	if len(count["notes"].([]any)) != 2 || count["refusal"] != "" || count["contextBytes"].(float64) <= 0 {
		t.Errorf("count: %v", count)
	}

	// What is refused.
	now := list[1].(object)
	r.do("PATCH", on, object{"session": session, "instruction": "x"}).refused(400, core.BadRequest)
	r.do("PATCH", on, object{"session": "another", "instruction": "x", "seen": now["updatedAt"]}).refused(403, core.WrongSession)
	r.do("PATCH", on, object{"session": session, "instruction": strings.Repeat("x", core.MaxInstructionBytes+1), "seen": now["updatedAt"]}).refused(413, core.InstructionTooLong)
	r.do("PUT", on+"/place", object{"session": session, "place": 0}).refused(400, core.BadRequest)
	r.do("DELETE", on, object{"session": session}).refused(400, core.BadRequest)
	r.do("GET", r.at("/annotations"), nil).refused(400, core.BadRequest)
	r.do("GET", r.at("/annotations?session=s&state=lost"), nil).refused(400, core.BadRequest)
	r.do("POST", r.at("/annotations"), object{"session": session, "preview": "prv_none", "picks": []any{"x"}, "instruction": "x"}).refused(404, core.NotFound)
	first := r.Doc.ID
	r.Open("other.html", page)
	for method, body := range map[string]object{
		"PATCH": {"session": session, "instruction": "x", "seen": now["updatedAt"]}, "DELETE": {"session": session, "seen": now["updatedAt"]},
	} {
		if x := r.do(method, r.at("/annotations/"+a["id"].(string)), body); x.status < 400 || x.status >= 500 {
			t.Errorf("%s through another document: %d %s", method, x.status, x.body)
		}
		r.do(method, r.at("/annotations/nothing"), body).refused(404, core.NotFound)
	}
	r.do("POST", r.at("/count"), object{"session": session, "annotations": []any{a["id"]}}).refused(403, core.WrongSession)

	gone := "/v1/documents/" + first + "/annotations/" + a["id"].(string)
	if x := r.do("DELETE", gone, object{"session": session, "seen": now["updatedAt"]}); x.status != 204 {
		t.Errorf("dropped: %d %s", x.status, x.body)
	}
	r.do("PATCH", gone, object{"session": session, "instruction": "x", "seen": now["updatedAt"]}).refused(409, core.RequestConflict)
	if list := r.do("GET", "/v1/documents/"+first+"/annotations?session="+session+"&state=discarded", nil).ok()["annotations"].([]any); len(list) != 1 {
		t.Errorf("discarded: %v", list)
	}
}

// A review is sent on as a file and taken in by whoever has the page: the drafts
// become theirs, once.
func TestReviews(t *testing.T) {
	r := newRig(t, setup{})
	r.note("h1", 1, "Louder.")
	a := r.do("GET", r.at("/review?session="+session), nil)
	if a.status != 200 || a.header.Get("Content-Type") != "application/octet-stream" || a.header.Get("Proofmark-Left-Out") != "changes=0, drafts=0" ||
		!strings.Contains(a.header.Get("Content-Disposition"), "page.review.html") {
		t.Errorf("review: %d %v", a.status, a.header)
	}
	data := r.do("GET", r.at("/review?session="+session+"&form=json&version=1"), nil)
	for i, text := range []string{string(a.body), string(data.body)} {
		for again := range 2 {
			list := r.as(token.Agent, "POST", r.at("/review"), object{"session": "theirs" + strings.Repeat("x", i), "review": text}).ok()["annotations"].([]any)
			if len(list) != 1 || list[0].(object)["instruction"] != "Louder." || list[0].(object)["there"] != (again == 1) {
				t.Errorf("taken: %v", list)
			}
		}
	}
	if list := r.do("GET", r.at("/annotations?session=theirs"), nil).ok()["annotations"].([]any); len(list) != 1 {
		t.Errorf("drafts: %v", list)
	}
	r.do("GET", r.at("/review"), nil).refused(400, core.BadRequest)
	r.do("GET", r.at("/review?session=s&form=exe"), nil).refused(400, core.BadRequest)
	r.do("GET", r.at("/review?session=s&version=9"), nil).refused(404, core.UnknownRevision)
	for _, text := range []string{"", "{}", "<p>no review", strings.Replace(string(data.body), "Louder", "<script>", 1) + "x"} {
		if a := r.do("POST", r.at("/review"), object{"session": "s", "review": text}); a.status < 400 || a.status >= 500 {
			t.Errorf("%.20q: %d %s", text, a.status, a.body)
		}
	}
}

// D-95, R-DOC: typing is kept, by whoever typed last with open eyes, and becomes
// one version.
func TestEditingByHand(t *testing.T) {
	r := newRig(t, setup{})
	e := r.do("POST", r.at("/edits"), object{}).ok()
	on := r.at("/edits/" + e["id"].(string))
	if e["text"] != page || e["unsaved"] != false || e["state"] != "open" {
		t.Errorf("begun: %v", e)
	}
	text := strings.Replace(page, "First", "Typed", 1)
	saved := r.do("PUT", on, object{"text": text, "seen": e["updatedAt"]}).ok()
	if saved["unsaved"] != true || saved["text"] != nil {
		t.Errorf("saved: %v", saved)
	}
	r.do("PUT", on, object{"text": "other", "seen": e["updatedAt"]}).refused(409, core.HeadMoved)
	r.do("PUT", on, object{"text": "a\u0000b", "seen": saved["updatedAt"]}).refused(422, core.HasNUL)
	if list := r.do("GET", r.at("/edits"), nil).ok()["edits"].([]any); len(list) != 1 || list[0].(object)["text"] != nil {
		t.Errorf("unsaved: %v", list)
	}
	if got := r.do("GET", on, nil).ok(); got["text"] != text {
		t.Errorf("text: %v", got["text"])
	}
	first := r.Doc.ID
	r.Open("other.html", page)
	for _, x := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"POST", "/reopen"}} {
		r.do(x[0], r.at("/edits/"+e["id"].(string)+x[1]), nil).refused(404, core.NotFound)
		r.do(x[0], r.at("/edits/nothing"+x[1]), nil).refused(404, core.NotFound)
	}
	r.do("POST", r.at("/edits/"+e["id"].(string)+"/commit"), object{}).refused(404, core.NotFound)
	made := r.do("POST", on+"/commit", object{"write": false}).ok()
	if made["merged"] != false || made["made"].(object)["document"].(object)["id"] != first || made["made"].(object)["changeSet"].(object)["source"] != "manual" {
		t.Errorf("committed: %v", made)
	}
	if a := r.do("POST", on+"/commit", object{}); a.status < 400 {
		t.Errorf("committed twice: %s", a.body)
	}
	d := r.do("POST", "/v1/documents/"+first+"/edits", object{"version": "1"}).ok()
	if d["text"] != page {
		t.Error("not the first version")
	}
	drop := "/v1/documents/" + first + "/edits/" + d["id"].(string)
	if a := r.do("DELETE", drop, nil); a.status != 204 {
		t.Errorf("dropped: %d %s", a.status, a.body)
	}
	r.do("POST", "/v1/documents/"+first+"/edits", object{"version": "7"}).refused(404, core.UnknownRevision)
}

// Attack 22, R-SEC-2: an agent does not get by hand what it cannot approve.
func TestAgentEditsByHand(t *testing.T) {
	r := newRig(t, setup{})
	for text, status := range map[string]int{
		"<script>go()</script>": 403, `<img src="https://elsewhere.example/x.png">`: 403, `<p onclick="go()">x</p>`: 403, "<p>plain</p>": 200,
	} {
		e := r.as(token.Agent, "POST", r.at("/edits"), object{}).ok()
		on := r.at("/edits/" + e["id"].(string))
		r.as(token.Agent, "PUT", on, object{"text": e["text"].(string) + text, "seen": e["updatedAt"]}).ok()
		a := r.as(token.Agent, "POST", on+"/commit", object{})
		if a.status != status || status == 403 && (a.code() != core.NeedsApproval || a.refused(403, core.NeedsApproval)["flags"] == nil) {
			t.Errorf("%s: %d %s", text, a.status, a.body)
		}
		if status == 403 { // whose text it was is a person's to say
			r.as(token.Agent, "DELETE", on, nil)
		}
	}
}

// gatesKill switches a feature off as the command line does, from outside.
func gatesKill(r *rig, f core.Feature) error {
	_, err := gates.Kill(context.Background(), r.Store, f, "operator", "test", func(tx *store.Tx) error {
		_, err := turn.Fence(tx)
		return err
	})
	return err
}

// The end is graceful and bounded: a request in flight is answered, one that goes
// on for too long is cut, and then nothing of the server is left.
func TestEndOfRequests(t *testing.T) {
	for _, patient := range []bool{true, false} {
		in, out := make(chan struct{}), make(chan struct{})
		r := newRig(t, setup{server: func(c *httpapi.Config) {
			if !patient {
				c.Patience = time.Millisecond
			}
		}, workbench: func(c *workbench.Config) {
			c.Lineup = func(ctx context.Context, _ string) (router.Lineup, error) {
				close(in)
				select {
				case <-out:
				case <-ctx.Done():
				}
				return router.Lineup{}, core.Errorf(core.NoModel, "none")
			}
		}})
		got := make(chan error, 1)
		go func() {
			res, err := r.client.Do(r.request("POST", r.at("/turns"), ask("r")))
			if err == nil {
				_ = res.Body.Close()
				if res.StatusCode != 503 {
					t.Errorf("answered %d", res.StatusCode)
				}
			}
			got <- err
		}()
		<-in
		if patient {
			go func() { // while the end is waited for
				for { // until nothing new is taken
					res, err := r.client.Do(r.request("GET", "/v1/health", nil))
					if err != nil {
						break
					}
					_ = res.Body.Close()
				}
				close(out)
			}()
		}
		r.stop()
		if err := <-got; (err == nil) != patient {
			t.Errorf("patient %t: %v", patient, err)
		}
		goleak.VerifyNone(t, r.before)
	}
}
