package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestLogHoldsNoSecrets: whatever comes in, from valid clients and from
// strangers, the log has routes, statuses, codes and counts of it: no token, no
// path, no body, no word of a page or a note, and nothing a stranger chose
// (attack 16, R-SEC-2).
func TestLogHoldsNoSecrets(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	page := "<!doctype html><title>MARKtitle</title><h1>MARKtext</h1><script>console.error('MARKconsole'); throw new Error('MARKthrown')</script>"
	path := d.write("MARKname.html", page)
	s := d.mustServe(t)
	doc := s.open(path)
	on := "/v1/documents/" + doc
	pv := decode[struct{ ID string }](t, s.ask("POST", on+"/previews", `{"version":"","width":0,"height":0,"allowOrigins":[]}`).body).ID
	pk := decode[struct{ Handle string }](t, s.ask("POST", "/v1/previews/"+pv+"/picks", `{"target":"h1"}`).body).Handle
	note := s.ask("POST", on+"/annotations", fmt.Sprintf(`{"session":"MARKsession","preview":%q,"picks":[%q],"instruction":"change the text to \"MARKnew\""}`, pv, pk))
	id := decode[struct{ ID string }](t, note.body).ID
	turn := s.ask("POST", on+"/turns", fmt.Sprintf(`{"session":"MARKsession","requestId":"MARKrequest","message":"","annotations":[%q],"seen":[],"model":"","width":0,"height":0,"allowOrigins":[],"approve":[],"review":false,"write":true}`, id))
	if note.status != 200 || turn.status != 202 {
		t.Fatalf("%+v %+v", note, turn)
	}
	s.ask("GET", "/v1/turns/"+decode[struct{ ID string }](t, turn.body).ID+"/events", "") // to its end
	if d.read("MARKname.html") == page {
		t.Error("the turn changed nothing: there is less to log than there should be")
	}
	minted := decode[struct{ Token string }](t, s.ask("POST", "/v1/tokens", `{"scope":"ui","subject":"MARKsubject"}`).body).Token
	d.want(0, "kill", "--reason", "MARKreason")
	d.want(0, "unkill")
	for _, q := range [][]string{
		{"POST", "/v1/documents", `{"path":"/MARKelsewhere/x.html"}`},
		{"POST", "/v1/documents", `{"path":"MARKbody`},
		{"POST", "/v1/documents", `{"MARKfield":1}`},
		{"GET", "/v1/documents/MARKid", ""},
		{"GET", on + "/diff?from=MARKfrom&to=MARKto", ""},
		{"GET", "/v1/MARKroute", ""},
		{"GET", "/v1/health?token=" + s.Token, ""},
		{"GET", "/v1/health?MARKquery=1", ""},
		{"MARKMETHOD", "/v1/health", ""},
		{"GET", "/v1/health", "", "Authorization", "Bearer MARKtoken"},
		{"GET", "/v1/health", "", "Authorization", "Basic MARKbasic"},
		{"GET", "/v1/health", "", "Origin", "http://MARKorigin.test"},
		{"GET", "/v1/health", "", "User-Agent", "MARKagent", "Referer", "http://MARKreferer.test/", "Cookie", "a=MARKcookie"},
	} {
		s.ask(q[0], q[1], q[2], q[3:]...)
	}
	for _, raw := range []string{"MARKgarbage\r\n\r\n", "GET / HTTP/1.1\r\nHost: MARKhost.test\r\n\r\n", "GET /MARKlong" + strings.Repeat("x", 64<<10) + " HTTP/1.1\r\n\r\n"} {
		c, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(s.Port))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte(raw))
		_, _ = c.Read(make([]byte, 1)) // an answer, or the end
		_ = c.Close()
	}
	if code := s.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
	b, err := os.ReadFile(filepath.Join(d.data, "logs", "gateway.log"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(b)) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("a line is %q: %v", line, err)
		}
		seen[fmt.Sprint(v["msg"])]++
		for _, secret := range []string{"MARK", s.Token, minted, d.dir, d.data, doc, "h1", "eyJ"} {
			if strings.Contains(line, secret) {
				t.Errorf("%q is in the log: %s", secret, line)
			}
		}
	}
	if seen["started"] != 1 || seen["stopped"] != 1 || seen["request"] < 12 || seen["refused"] < 4 || seen["feature"] < 2 {
		t.Errorf("the log has %v", seen)
	}
	if strings.Contains(s.errs.String(), "MARK") {
		t.Errorf("standard error: %s", s.errs.String())
	}
}
