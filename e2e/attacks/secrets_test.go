//go:build unix

package attacks

import (
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"proofmark/internal/modelserver"
)

// places collects all that a whole piece of work leaves behind or shows.
type places struct {
	sync.Mutex
	t    *testing.T
	text map[string]string
}

func (p *places) add(where, text string) {
	p.Lock()
	defer p.Unlock()
	p.text[where] += text
}

func (p *places) files(dir string) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		p.add(path, string(b))
		return err
	})
	if err != nil {
		p.t.Error(err)
	}
}

// must fails the test where a secret stands in one of the places.
func (p *places) must(kind, secret string) {
	p.t.Helper()
	for where, text := range p.text {
		if strings.Contains(text, secret) {
			p.t.Errorf("%s is in %s", kind, where)
		}
	}
}

// work has a model change a page, with previews, pictures, an export and other
// commands beside it, and gives all that is left of it.
func work(t *testing.T) (g *gateway, p *places, s *modelserver.Server, secrets map[string]string) {
	p = &places{t: t, text: map[string]string{}}
	steps := modelserver.Editor(modelserver.SetTexts("Fresh news"))
	look := steps[2]
	steps[2] = func(r modelserver.Request) modelserver.Reply { // while a browser runs for the turn
		for i, child := range family(t, g.pid) {
			p.add("arguments of "+child.String(), strings.Join(child.args, " "))
			if i > 0 {
				p.add("environment of "+child.String(), child.env)
			}
		}
		return look(r)
	}
	g, s = withModel(t, steps...)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	prv := g.preview(id)
	secrets = map[string]string{"the desktop's token": g.desktop, "the workbench's token": g.mint("ui", "window"), "an agent's token": g.agent(), "a preview's token": g.mint("preview", prv)}
	b, err := os.ReadFile(filepath.Join(g.data, "gateway.json"))
	var place struct{ Key string }
	if err != nil || json.Unmarshal(b, &place) != nil || place.Key == "" {
		t.Fatal(err)
	}
	secrets["the key of the runtime file"] = place.Key
	r := g.ends(g.send(id, ask(map[string]any{"model": testModel}, g.note(id, prv, "h1", "make it fresh"))))
	if r.Result.Status != "applied" || g.read("page.html") != strings.Replace(plainPage, "Old news", "Fresh news", 1) {
		t.Fatalf("%v", r)
	}
	for _, path := range []string{"/v1/documents", "/v1/documents/" + id + "/changes", "/v1/documents/" + id + "/audit", "/v1/documents/" + id + "/diff", "/v1/models", "/v1/settings", "/v1/health", "/v1/previews/" + prv, "/v1/previews/" + prv + "/picture", "/v1/nothing", "/v1/turns/" + r.ID, "/v1/turns/" + r.ID + "/events"} {
		a := g.call("GET", path, nil)
		h, _ := json.Marshal(a.header)
		p.add("the answer of "+path, a.body+string(h))
	}
	for what, secret := range secrets { // refusals do not repeat what they refuse
		a := g.raw(what, request("GET /v1/documents?token="+secret+" HTTP/1.1", g.host(), "Authorization: Bearer x"+secret))
		p.add("a refusal", a.body)
		a = g.raw(what, post("/v1/documents", `{"path":"/`+secret+`.html","`+secret+`":1}`, g.host(), g.auth(), "Content-Type: application/json"))
		p.add("a refusal's log", strings.ReplaceAll(a.body, secret, "")) // a name that is not known is named
	}
	for _, args := range [][]string{{"history", "page.html"}, {"audit", "page.html", "--json"}, {"changes", "page.html", "--json"}, {"models"}, {"doctor"}, {"export", "page.html", "--out", "copy.html"}, {"kill", "--list"}, {"backup", filepath.Join(g.dir, "backup.db")}} {
		_, out, errs := g.run(args...)
		p.add("what "+args[0]+" prints", out+errs)
	}
	for i, c := range s.Calls() {
		p.add("the prompt", string(c.Raw))
		for name, values := range c.Header {
			if name != "Authorization" {
				p.add("a header of a call", strings.Join(values, " "))
			}
		}
		if i == 0 && c.Header.Get("Authorization") != "Bearer "+modelKey {
			t.Error("the model did not get its key")
		}
	}
	g.stop()
	p.files(g.dir)
	p.files(g.data)
	return g, p, s, secrets
}

// R-SEC-2: in a whole piece of work a token stands in no address, log, error,
// title, argument, file, export, picture, change set, prompt or child's environment.
func TestAttack16TokenNowhere(t *testing.T) {
	_, p, _, secrets := work(t)
	if len(p.text) < 20 {
		t.Fatalf("only %d places were looked at", len(p.text))
	}
	for kind, secret := range secrets {
		p.must(kind, secret)
		if parts := strings.Split(secret, "."); len(parts) == 3 {
			p.must("the signature of "+kind, parts[2])
		}
	}
}

// R-MODEL-4: the key of a model is in the header of its calls and nowhere else.
func TestAttack42KeyAtRest(t *testing.T) {
	g, p, s, _ := work(t)
	p.must("the model's key", modelKey)
	p.must("a part of it", modelKey[10:])
	if s.Count() < 4 {
		t.Errorf("%d calls", s.Count())
	}
	for where, text := range p.text {
		if strings.HasPrefix(where, "environment of ") && strings.Contains(text, "OPENAI_API_KEY=") {
			t.Errorf("the key's name is in the %s", where)
		}
	}
	// A file that holds a key itself, or that another can write, is refused.
	for text, mode := range map[string]fs.FileMode{
		`{"models":[{"name":"m","provider":"openai","model":"m","key":"` + modelKey + `"}]}`:                  0o600,
		`{"models":[{"name":"m","provider":"openai","model":"m","baseUrl":"https://u:p@host.example/v1"}]}`:   0o600,
		`{"models":[{"name":"m","provider":"openai","model":"m","key":{"env":"OPENAI_API_KEY"}}]}`:            0o666,
		`{"models":[{"name":"m","provider":"openai","model":"m","key":"none","baseUrl":"http://192.0.2.1"}]}`: 0o600,
	} {
		path := filepath.Join(g.data, "models.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		code, out, errs := g.run("models")
		if code != 2 && code != 3 && code != 6 || strings.Contains(out+errs, modelKey) || strings.Contains(out+errs, "u:p@") {
			t.Errorf("%s: exit %d %s %s", text, code, out, errs)
		}
	}
}

// P8: nothing that a page, an address, a folder or the environment says leads a
// client to another gateway or gives this one a token.
func TestAttack17GatewayFromElsewhere(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	met := make(chan struct{}, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
			met <- struct{}{}
		}
	}()
	addr := l.Addr().String()
	g := start(t, "PROOFMARK_GATEWAY=http://"+addr, "PROOFMARK_URL=http://"+addr, "PROOFMARK_TOKEN=x", "HTTP_PROXY=http://"+addr, "http_proxy=http://"+addr, "ALL_PROXY=http://"+addr)
	_, port, _ := net.SplitHostPort(addr)
	g.write("gateway.json", `{"format":1,"pid":1,"port":`+port+`,"launch":"run_x","key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","started":"2026-01-01T00:00:00Z"}`)
	g.write("config.json", `{"features":{"documentWorkbenchResources":false}}`)
	g.write("page.html", strings.Replace(plainPage, "<title>", `<meta name="proofmark-gateway" content="http://`+addr+`"><link rel="gateway" href="http://`+addr+`"><script>location.hash = 'gatewayUrl=http://`+addr+`&token=x'; window.PROOFMARK_FEATURES = { artifactPromptAnnotations: false }</script><title>`, 1))
	id := g.open("page.html")
	names := map[string]string{"document": id}
	for _, r := range routes(t) {
		if r.method != "GET" {
			continue
		}
		for _, q := range []string{"gatewayUrl=http://" + addr, "token=x", "access_token=x", "features=x"} {
			a := g.raw(r.String()+"?"+q, request("GET "+r.at(names)+"?"+q+" HTTP/1.1", g.host(), g.auth()))
			if a.status < 400 || a.status >= 500 {
				t.Errorf("%s?%s: %d %.200s", r, q, a.status, a.body)
			}
		}
	}
	for _, args := range [][]string{{"history", "page.html"}, {"kill", "--list"}, {"models"}, {"annotate", "page.html"}} {
		if code, out, errs := g.run(args...); code != 0 {
			t.Errorf("%v: exit %d %s %s", args, code, out, errs)
		}
	}
	if chromiumPath != "" {
		prv := g.preview(id)
		g.pick(prv, "h1")
		if a := g.call("GET", "/v1/health", nil).want(200); strings.Contains(a.body, `"on":false`) {
			t.Errorf("the page switched something off: %s", a.body)
		}
	}
	if len(met) > 0 {
		t.Error("somebody went where the page said")
	}
}

// P25: what a token opens depends on whom it is for, on every route.
func TestAttack18CrossScope(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	before := g.state()
	n := 0
	for _, r := range routes(t) {
		for _, scope := range []string{"ui", "agent", "preview"} {
			if slices.Contains(r.scopes, scope) {
				continue
			}
			n++
			a := g.with(g.token(scope), r.method, r.at(map[string]string{"document": id}), nil)
			if a.refused(403); a.code() != "wrong_scope" {
				t.Errorf("%s as %s: %d %s", r, scope, a.status, a.body)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d pairs of route and scope are closed", n)
	}
	preview := g.mint("preview", "prv_one")
	g.with(preview, "GET", "/v1/previews/prv_two", nil).refused(403)
	if a := g.with(preview, "GET", "/v1/previews/prv_one", nil); a.status != 404 {
		t.Errorf("its own, which is closed: %d", a.status)
	}
	for _, scope := range []string{"desktop", "agent", "handshake", "root", ""} {
		g.call("POST", "/v1/tokens", map[string]string{"scope": scope, "subject": "x"}).refused(403)
	}
	agent := g.token("agent")
	for what, body := range map[string]map[string]any{"approve": ask(map[string]any{"message": "x", "approve": []string{"script"}}), "origins": ask(map[string]any{"message": "x", "allowOrigins": []string{"https://evil.test"}})} {
		if a := g.with(agent, "POST", "/v1/documents/"+id+"/turns", body); a.status != 403 {
			t.Errorf("an agent may %s: %d", what, a.status)
		}
	}
	g.with(agent, "POST", "/v1/documents/"+id+"/previews", map[string]any{"allowOrigins": []string{"https://evil.test"}}).refused(403)
	g.raw("a handshake elsewhere", request("GET /v1/documents HTTP/1.1", g.host(), "Authorization: Proofmark 1.2.3")).refused(401)
	if g.state() != before {
		t.Error("something was changed")
	}
}
