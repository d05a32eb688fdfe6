package httpapi_test

import (
	"bytes"
	"context"
	"image/png"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/workbench"
)

func withBrowser(t *testing.T, s setup) *rig {
	t.Helper()
	s.browser = testbrowser.Shared(t)
	return newRig(t, s)
}

// D-59 to D-63, D-91: a preview is opened, pointed at and looked at; what is
// handed out are handles, each good for its preview and its load.
func TestPreviews(t *testing.T) {
	closed := make(chan string, 8)
	r := withBrowser(t, setup{workbench: func(c *workbench.Config) {
		revoke := c.Closed
		c.Closed = func(id string) { revoke(id); closed <- id }
	}})
	p := r.do("POST", r.at("/previews"), object{"width": 600, "height": 400}).ok()
	id := p["id"].(string)
	at := "/v1/previews/" + id
	if p["generation"] != 1.0 || p["sha256"] != r.Head.SHA256 || p["width"] != 600.0 || len(p["offline"].([]any)) != 0 || p["expiresMs"].(float64) <= 0 {
		t.Errorf("preview: %v", p)
	}
	if list := r.do("GET", "/v1/previews", nil).ok()["previews"].([]any); len(list) != 1 || list[0].(object)["id"] != id {
		t.Errorf("previews: %v", list)
	}
	for _, key := range []string{"url", "origin", "label"} { // the page's address is the browser's business
		if p[key] != nil || strings.Contains(string(r.do("GET", at, nil).body), "localhost") {
			t.Errorf("the preview tells its address: %v", p)
		}
	}

	h1 := r.pick(id, "h1")
	if tag := h1["startTag"].([]any); page[int(tag[0].(float64)):int(tag[1].(float64))] != "<h1>" || h1["tag"] != "<h1>" || h1["path"] != "/html/2/1" {
		t.Errorf("picked: %v", h1)
	}
	if rect := h1["rect"].(object); rect["width"] != 600.0 || rect["height"] != 40.0 || rect["y"] != 0.0 {
		t.Errorf("rect: %v", rect)
	}
	down := r.do("POST", at+"/picks/"+h1["handle"].(string)+"/step", object{"direction": "next"}).ok()
	if !strings.HasPrefix(down["tag"].(string), `<p id="a"`) || down["handle"] == h1["handle"] {
		t.Errorf("the next one: %v", down)
	}
	if same := r.pick(id, "@10,10"); same["path"] != h1["path"] {
		t.Errorf("at a point: %v", same)
	}
	for _, pick := range []any{h1["handle"], ""} {
		if a := r.do("PUT", at+"/highlight", object{"pick": pick}); a.status != 204 {
			t.Errorf("highlight: %d %s", a.status, a.body)
		}
	}
	for _, list := range [][]object{{{"pick": h1["handle"]}, {"pick": down["handle"], "look": "cursor"}, {"annotation": "ann_none"}}, {}} {
		if a := r.do("PUT", at+"/outlines", object{"outlines": list}); a.status != 204 {
			t.Errorf("outlines: %d %s", a.status, a.body)
		}
	}
	for _, bad := range []object{{}, {"pick": h1["handle"], "annotation": "ann_none"}, {"pick": h1["handle"], "look": "loud"}} {
		r.do("PUT", at+"/outlines", object{"outlines": []object{bad}}).refused(400, core.BadRequest)
	}
	r.do("PUT", at+"/outlines", object{"outlines": []object{{"pick": "pick_none"}}}).refused(409, core.StaleEpoch)
	for target, code := range map[string]core.Code{"p": core.SelectorAmbiguous, "h6": core.SelectorNoMatch, "p[": core.SelectorInvalid} {
		if a := r.do("POST", at+"/picks", object{"target": target}); a.code() != code {
			t.Errorf("target %s: %d %s", target, a.status, a.body)
		}
	}
	r.do("POST", at+"/picks/"+h1["handle"].(string)+"/step", object{"direction": "sideways"}).refused(400, core.BadRequest)
	r.do("POST", at+"/picks/pick_none/step", object{"direction": "up"}).refused(409, core.StaleEpoch)
	r.do("PUT", at+"/highlight", object{"pick": "pick_none"}).refused(409, core.StaleEpoch)

	for _, full := range []string{"", "?full=1"} {
		a := r.do("GET", at+"/picture"+full, nil)
		if img, err := png.Decode(bytes.NewReader(a.body)); err != nil || a.header.Get("Content-Type") != "image/png" || img.Bounds().Dx() != 600 {
			t.Errorf("picture%s: %d %v %v", full, a.status, a.header, err)
		}
	}

	// A token of one preview shows that one, and ends with it.
	mine, _, err := r.issuer.Mint(token.Preview, id)
	if err != nil {
		t.Fatal(err)
	}
	r.with(mine, "GET", at, nil).ok()
	r.with(mine, "GET", "/v1/previews/prv_other", nil).refused(403, core.WrongScope)
	r.as(token.Preview, "GET", at, nil).refused(403, core.WrongScope)
	r.with(mine, "GET", at+"/picture", nil).refused(403, core.WrongScope)

	r.as(token.Agent, "POST", r.at("/previews"), object{"allowOrigins": []string{"https://fonts.example"}}).refused(403, core.WrongScope)
	if a := r.do("POST", r.at("/previews"), object{"allowOrigins": []string{"file:///"}}); a.status < 400 || a.status >= 500 {
		t.Errorf("an origin that is none: %d %s", a.status, a.body)
	}
	r.do("POST", r.at("/previews"), object{"version": "8"}).refused(404, core.UnknownRevision)
	r.do("POST", "/v1/documents/nothing/previews", object{}).refused(404, core.UnknownDocument)

	// Another load: what was picked is over, in notes too.
	r.Commit(core.SourceManual, strings.Replace(page, "First", "Once", 1), []core.Edit{{Span: spanOf(page, "First"), Replacement: "Once"}})
	again := r.do("POST", at+"/reload", object{}).ok()
	if again["generation"] != 2.0 || again["epoch"].(float64) <= p["epoch"].(float64) {
		t.Errorf("reloaded: %v", again)
	}
	r.do("POST", at+"/picks/"+h1["handle"].(string)+"/step", object{"direction": "up"}).refused(409, core.StaleEpoch)
	r.do("POST", r.at("/annotations"), object{"session": session, "preview": id, "picks": []any{h1["handle"]}, "instruction": "x"}).refused(409, core.StaleEpoch)
	r.do("POST", at+"/reload", object{"version": "8"}).refused(404, core.UnknownRevision)

	// Loads at a time: what it says it shows is what it shows.
	var wg sync.WaitGroup
	for _, v := range []string{"1", "2", "1", "2"} {
		wg.Go(func() { r.do("POST", at+"/reload", object{"version": v}).ok() })
	}
	wg.Wait()
	state := r.do("GET", at, nil).ok()
	want := map[float64]string{1: "First", 2: "Once"}[state["generation"].(float64)]
	if got := r.pick(id, "#a"); got["text"] != want || got["refusal"] != nil {
		t.Errorf("generation %v shows %v", state["generation"], got)
	}

	r.do("POST", at+"/reload", object{"version": "1"}).ok()
	r.do("POST", r.at("/annotations"), object{"session": session, "preview": id, "picks": []any{r.pick(id, "h1")["handle"]}, "instruction": "x"}).refused(422, core.Changed)
	r.do("POST", at+"/reload", object{}).ok()
	first := r.Doc.ID
	pick := r.pick(id, "h1")["handle"]
	r.Open("other.html", page)
	r.do("POST", r.at("/annotations"), object{"session": session, "preview": id, "picks": []any{pick}, "instruction": "x"}).refused(409, core.LeaseMismatch)
	note := r.do("POST", "/v1/documents/"+first+"/annotations", object{"session": session, "preview": id, "picks": []any{pick}, "instruction": "x"}).ok()
	if note["documentId"] != first || len(note["anchors"].([]any)) != 1 {
		t.Errorf("note: %v", note)
	}
	for _, picks := range [][]any{{}, {"pick_x"}} {
		if a := r.do("POST", "/v1/documents/"+first+"/annotations", object{"session": session, "preview": id, "picks": picks, "instruction": "x"}); a.status < 400 || a.status >= 500 {
			t.Errorf("picks %v: %d %s", picks, a.status, a.body)
		}
	}
	if a := r.do("DELETE", at, nil); a.status != 204 || <-closed != id {
		t.Errorf("closed: %d %s", a.status, a.body)
	}
	r.do("DELETE", at, nil).refused(404, core.NotFound)
	r.do("GET", at, nil).refused(404, core.NotFound)
	r.with(mine, "GET", at, nil).refused(401, core.Unauthenticated)
}

// R-SEC-3: a lease ends by itself, and by an operator's switch, without anybody
// asking for the preview again.
func TestPreviewsEnd(t *testing.T) {
	var mu sync.Mutex
	ahead := time.Duration(0)
	closed := make(chan string, 8)
	r := withBrowser(t, setup{workbench: func(c *workbench.Config) {
		c.SweepEvery, c.Closed = time.Millisecond, func(id string) { closed <- id }
		c.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(ahead)
		}
	}})
	id := r.open()
	mu.Lock()
	ahead = core.PreviewLeaseIdle + time.Minute
	mu.Unlock()
	if got := <-closed; got != id {
		t.Errorf("%s ended", got)
	}
	r.do("GET", "/v1/previews/"+id, nil).refused(404, core.NotFound)
	mu.Lock()
	ahead = 0
	mu.Unlock()
	id = r.open()
	if err := gatesKill(r, core.FeatureWorkbench); err != nil {
		t.Fatal(err)
	}
	if got := <-closed; got != id {
		t.Errorf("%s ended", got)
	}
	r.do("GET", "/v1/previews/"+id, nil).refused(403, core.FeatureOff)
	r.do("GET", r.at("/diff"), nil).ok()
}

// R-DOC-8: direct edits over the API are a change like any other.
func TestDirectEdits(t *testing.T) {
	page := strings.Replace(page, "Second", `<img alt="" src="data:,">`, 1)
	r := withBrowser(t, setup{html: page})
	id := r.open()
	at := "/v1/previews/" + id + "/edits"
	h1, a := r.pick(id, "h1")["handle"], r.pick(id, "#a")["handle"]
	task := func(do, name, value string, picks ...any) object {
		return object{"do": do, "name": name, "value": value, "picks": picks}
	}
	r.do("POST", at, object{}).refused(422, core.TooMany)
	r.do("POST", at, object{"tasks": []object{task("explode", "", "", h1)}}).refused(400, core.BadRequest)
	r.do("POST", at, object{"tasks": []object{task("text", "", "x", "pick_none")}}).refused(409, core.StaleEpoch)
	r.do("POST", at, object{"tasks": []object{task("text", "", "Report", h1)}}).refused(422, core.NoOp)
	r.as(token.Agent, "POST", at, object{"approve": []string{"script"}, "tasks": []object{task("text", "", "x", h1)}}).refused(403, core.WrongScope)
	risky := []object{task("attribute", "src", "https://x.example/a.png", r.pick(id, "img")["handle"])}
	if detail := r.do("POST", at, object{"tasks": risky}).refused(403, core.NeedsApproval); detail["flags"] == nil {
		t.Errorf("what is to be approved: %v", detail)
	}
	out := r.do("POST", at, object{"write": true, "tasks": []object{task("text", "", "Quarterly", h1), task("addClass", "", "new", a)}}).ok()
	want := strings.Replace(strings.Replace(page, "Report", "Quarterly", 1), `class="lead"`, `class="lead new"`, 1)
	set := out["changeSet"].(object)
	if r.HeadBytes() != want || out["written"] != true || set["source"] != "manual" || set["actor"] != "ui" || len(out["remarks"].([]any)) != 2 {
		t.Errorf("edited: %v\n%s", out, r.HeadBytes())
	}
	if b, err := os.ReadFile(r.File); err != nil || string(b) != want {
		t.Errorf("the file holds %q (%v)", b, err)
	}
	notes := r.do("GET", r.at("/changes"), nil).ok()["changes"].([]any)[0].(object)["notes"].([]any)
	if notes[0].(object)["instruction"] != "text=Quarterly" || notes[1].(object)["instruction"] != "class:+new" {
		t.Errorf("it says: %v", notes)
	}
	r.do("POST", at, object{"tasks": []object{task("remove", "", "", a)}}).refused(409, core.HeadMoved) // the preview shows the version before
	r.do("POST", r.at("/changes/"+set["id"].(string)+"/revert"), object{"note": 2}).ok()
	if r.HeadBytes() != strings.Replace(page, "Report", "Quarterly", 1) {
		t.Errorf("one taken back: %s", r.HeadBytes())
	}
}

const saying = `change the text to "Quarterly"`

// Attack 22, D-60, D-94: a turn waits for a person's decision, on exactly what
// they saw, once; an agent sees and decides nothing.
func TestDecision(t *testing.T) {
	r := withBrowser(t, setup{})
	waits := func(request string) string {
		q := ask(request, r.note("h1", 1, saying)["id"])
		q["review"], q["write"] = true, true
		turn := r.started(q)
		r.waits(turn)
		return turn
	}
	turn := waits("r1")
	at := "/v1/turns/" + turn
	p := r.do("GET", at+"/proposal", nil).ok()
	sha := p["sha256"].(string)
	if !strings.Contains(p["unified"].(string), "+<h1>Quarterly</h1>") || len(p["edits"].([]any)) != 1 || r.Now().Generation != 1 {
		t.Errorf("proposal: %v", p)
	}
	for _, side := range []string{"before", "after"} {
		if a := r.do("GET", at+"/proposal/"+side, nil); a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "image/") || len(a.body) == 0 {
			t.Errorf("picture %s: %d %v", side, a.status, a.header)
		}
	}
	r.do("GET", at+"/proposal/beside", nil).refused(404, core.NotFound)
	r.do("GET", at+"/look/beside", nil).refused(404, core.NotFound)
	if a, b := r.do("GET", at+"/look/after", nil), r.do("GET", at+"/proposal/after", nil); a.status != 200 || string(a.body) != string(b.body) {
		t.Errorf("the picture of the last look: %d", a.status)
	}
	for _, x := range [][2]string{{"GET", "/proposal"}, {"GET", "/proposal/after"}, {"GET", "/look/after"}, {"POST", "/decision"}} {
		r.as(token.Agent, x[0], at+x[1], nil).refused(403, core.WrongScope)
	}
	for _, wrong := range []string{strings.Repeat("0", 64), "", strings.ToUpper(sha), sha[:63]} {
		r.do("POST", at+"/decision", object{"sha256": wrong, "commit": true}).refused(409, core.StaleReceipt)
	}
	if r.Now().Generation != 1 {
		t.Fatal("committed on another's SHA")
	}
	var wg sync.WaitGroup // two windows decide at once
	got := make([]reply, 2)
	for i := range got {
		wg.Go(func() { got[i] = r.do("POST", at+"/decision", object{"sha256": sha, "commit": true}) })
	}
	wg.Wait()
	if got[0].status == got[1].status || got[0].status+got[1].status != 204+409 {
		t.Errorf("decided: %d %s and %d %s", got[0].status, got[0].body, got[1].status, got[1].body)
	}
	end := r.ended(turn)["result"].(object)
	if end["status"] != "applied" || end["written"] != true || end["generation"] != 2.0 || !strings.Contains(r.HeadBytes(), "Quarterly") {
		t.Errorf("the turn: %v", end)
	}
	r.do("POST", at+"/decision", object{"sha256": sha, "commit": true}).refused(409, core.TurnEnded)
	r.do("GET", at+"/proposal", nil).refused(409, core.TurnEnded)
	r.do("GET", at+"/look/after", nil).refused(404, core.NotFound)
	if a := r.do("POST", at+"/cancel", nil).ok(); a["running"] != false { // too late, and nothing is undone
		t.Errorf("cancelled: %v", a)
	}
	r.do("POST", r.at("/restore"), object{"version": "1"}).ok()

	r.Tree = r.Parse([]byte(page))
	r.Doc, r.Head = r.Now(), r.headRevision()
	turn = waits("r2")
	r.do("POST", "/v1/turns/"+turn+"/decision", object{"sha256": sha, "commit": false})
	if end := r.ended(turn)["result"].(object); end["status"] != "discarded" || r.Now().Generation != 3 {
		t.Errorf("dropped: %v", end)
	}
	turn = waits("r3")
	r.do("POST", "/v1/turns/"+turn+"/cancel", nil).ok()
	if end := r.ended(turn)["result"].(object); end["status"] == "applied" || r.Now().Generation != 3 {
		t.Errorf("cancelled: %v", end)
	}
	turn = waits("r4")
	if err := gatesKill(r, core.FeatureAnnotations); err != nil { // R-SEC-6: while a person thinks
		t.Fatal(err)
	}
	if a := r.do("POST", "/v1/turns/"+turn+"/decision", object{"sha256": sha, "commit": true}); a.status != 204 && a.code() != core.TurnEnded {
		t.Errorf("decided: %d %s", a.status, a.body)
	}
	if end := r.ended(turn)["result"].(object); end["status"] == "applied" || r.Now().Generation != 3 {
		t.Errorf("killed: %v", end)
	} else if e, _ := end["error"].(object); e == nil || e["code"] != "feature_off" && e["code"] != "turn_ended" {
		t.Errorf("killed: %v", end)
	}
	r.do("POST", r.at("/turns"), ask("r5", "ann_x")).refused(403, core.FeatureOff)
	for _, p := range []string{"", "/source", "/revisions", "/changes", "/diff", "/audit"} { // and what was, is there
		if a := r.do("GET", r.at(p), nil); a.status != 200 {
			t.Errorf("%s: %d %s", a.what, a.status, a.body)
		}
	}
	r.do("POST", r.at("/restore"), object{"version": "2"}).ok()
}

func (r *rig) headRevision() core.Revision {
	r.t.Helper()
	rev, err := r.Documents.Version(context.Background(), r.Doc.ID, "")
	if err != nil {
		r.t.Fatal(err)
	}
	return rev
}

// R-SEND-2: notes are not sent for a turn that no view can be opened for.
func TestImpossibleView(t *testing.T) {
	r := withBrowser(t, setup{})
	n := r.note("h1", 1, saying)
	for name, more := range map[string]object{
		"a size":   {"width": 1_000_000, "height": 1},
		"a width":  {"width": 100, "height": 0},
		"http":     {"allowOrigins": []string{"http://example.com"}},
		"an inner": {"allowOrigins": []string{"https://127.0.0.1"}},
	} {
		q := ask("impossible: "+name, n["id"])
		maps.Copy(q, more)
		r.do("POST", r.at("/turns"), q).refused(400, core.Usage)
	}
	list := r.do("GET", r.at("/annotations?session="+session), nil).ok()["annotations"].([]any)
	if len(list) != 1 || list[0].(object)["state"] != "draft" {
		t.Errorf("the note is %v", list)
	}
}

// D-76, D-94: the same request is the same turn, however often and at whatever
// time it comes, also together; another one under its id is refused.
func TestSameRequest(t *testing.T) {
	r := withBrowser(t, setup{})
	n, stale := r.note("h1", 1, saying), r.noteIn("ses_two", "p", 1, saying)
	q := ask("r1", n["id"])
	q["seen"] = []any{n["updatedAt"]}
	ids := make([]string, 6)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			a := r.do("POST", r.at("/turns"), q)
			if a.status != 202 {
				t.Errorf("%d %s", a.status, a.body)
				return
			}
			ids[i] = a.ok()["id"].(string)
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("turns %v", ids)
		}
	}
	if end := r.ended(ids[0])["result"].(object); end["status"] != "applied" || end["generation"] != 2.0 || end["written"] != false {
		t.Errorf("the turn: %v", end)
	}
	if a := r.do("POST", r.at("/turns"), q).ok(); a["id"] != ids[0] || a["result"].(object)["status"] != "applied" {
		t.Errorf("asked once more: %v", a)
	}
	other := ask("r1")
	other["message"] = "something else"
	r.do("POST", r.at("/turns"), other).refused(409, core.RequestConflict)
	if r.Now().Generation != 2 {
		t.Errorf("generation %d", r.Now().Generation)
	}

	// And the refusals of sending.
	r.do("POST", r.at("/turns"), ask("r2", stale["id"])).refused(403, core.WrongSession)
	r.do("POST", r.at("/turns"), ask("r2", n["id"])).refused(409, core.RequestConflict) // it was sent
	late := ask("r3", stale["id"])
	late["session"], late["seen"] = "ses_two", []any{"2020-01-01T00:00:00Z"}
	r.do("POST", r.at("/turns"), late).refused(409, core.RequestConflict)
	r.do("POST", r.at("/turns"), ask("r4")).refused(400, core.Usage)
	r.do("POST", r.at("/turns"), ask("", stale["id"])).refused(400, core.Usage)
	r.do("POST", "/v1/documents/nothing/turns", ask("r5", stale["id"])).refused(404, core.UnknownDocument)
	none := ask("r6", stale["id"])
	none["model"] = "gpt-none"
	r.do("POST", r.at("/turns"), none).refused(503, core.NoModel)
	for key, v := range map[string]any{"approve": []string{"script"}, "allowOrigins": []string{"https://a.example"}} {
		x := ask("r7", stale["id"])
		x[key] = v
		r.as(token.Agent, "POST", r.at("/turns"), x).refused(403, core.WrongScope)
	}
	if a := r.do("POST", r.at("/turns/again"), object{"session": session, "turn": ids[0]}); a.status >= 500 {
		t.Errorf("again: %d %s", a.status, a.body)
	}
	r.do("GET", "/v1/turns/nothing", nil).refused(404, core.NotFound)
	r.do("POST", "/v1/turns/nothing/cancel", nil).refused(404, core.NotFound)
}

// R-TURN-11, C-31: a person who reviews sees what a change adds, and their yes
// approves just that; without a review it is refused, and a no leaves all as it was.
func TestReviewApprovesWhatItShows(t *testing.T) {
	r := withBrowser(t, setup{html: strings.Replace(page, "<h1>Report</h1>", `<a href="/x">Report</a>`, 1)})
	flagged := func(request string, review bool) string {
		q := ask(request, r.note("a", 1, `set href to https://elsewhere.example/`)["id"])
		q["review"] = review
		return r.started(q)
	}
	if end := r.ended(flagged("r0", false))["result"].(object); end["status"] != "needs_approval" {
		t.Fatalf("without a review: %v", end)
	}
	for _, yes := range []bool{false, true} {
		turn := flagged("r"+strconv.FormatBool(yes), true)
		r.waits(turn)
		p := r.do("GET", "/v1/turns/"+turn+"/proposal", nil).ok()
		if flags, _ := p["flags"].([]any); len(flags) == 0 {
			t.Fatalf("proposal without flags: %v", p)
		}
		r.as(token.Agent, "POST", "/v1/turns/"+turn+"/decision", object{"sha256": p["sha256"], "commit": true}).refused(403, core.WrongScope)
		r.do("POST", "/v1/turns/"+turn+"/decision", object{"sha256": p["sha256"], "commit": yes})
		end := r.ended(turn)["result"].(object)
		if applied := end["status"] == "applied"; applied != yes || strings.Contains(r.HeadBytes(), "elsewhere") != yes {
			t.Errorf("decided %t: %v", yes, end)
		}
	}
}
