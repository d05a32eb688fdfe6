//go:build unix

package attacks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"proofmark/internal/modelserver"
)

// hostileText is what a stranger writes where a person reads: markup, a script's
// address, and characters that turn a line around or hide.
func hostileText(where string) string {
	return `"><img src=x onerror="window.pwned='` + where + `'"><script>window.pwned='` + where + `'</script><a href="javascript:window.pwned=1">` + where + `</a><b style="position:fixed;inset:0">` + "\u202egnp.exe\u2066\u200b"
}

// marked tells what of the markup above became elements or ran, in the workbench
// and its shadow trees.
const marked = `(() => {
  const out = window.pwned ? ['ran: ' + window.pwned] : [];
  const look = (root) => { for (const e of root.querySelectorAll('*')) {
    if (e.shadowRoot) look(e.shadowRoot);
    if (e.tagName === 'SCRIPT' && !(e.src.startsWith(location.origin + '/assets/') && !e.textContent)) out.push(e.outerHTML.slice(0, 200));
    if (e.tagName === 'IMG' && e.hasAttribute('src') && !/^(blob:|data:image)/.test(e.src)) out.push(e.outerHTML.slice(0, 200));
    if (e.tagName === 'STYLE' && root === document) out.push('a style element');
    if (/^(OBJECT|EMBED|BASE|META|LINK|FORM)$/.test(e.tagName) && /x|javascript|pwned/.test(e.getAttribute('action') ?? e.getAttribute('data') ?? '')) out.push(e.outerHTML.slice(0, 200));
    for (const a of e.attributes) {
      if (/^on/.test(a.name)) out.push(e.tagName + ' has ' + a.name);
      if (/^(href|src|action|formaction|data|xlink:href|srcdoc)$/.test(a.name) && /^\s*javascript:/i.test(a.value)) out.push(a.name + ' ' + a.value);
      if (a.name === 'style' && /fixed|url\(/.test(a.value)) out.push('style ' + a.value);
    }
  } };
  look(document);
  return out;
})()`

// said tells whether the workbench shows a text, as text.
func (w *window) said(text string) bool {
	w.t.Helper()
	b, _ := json.Marshal(text)
	return w.page.JS(`(() => { const all = []; const look = (root) => { for (const e of root.querySelectorAll('*')) { if (e.shadowRoot) look(e.shadowRoot); for (const n of e.childNodes) if (n.nodeType === 3) all.push(n.data); if (e.value) all.push(String(e.value)); } }; look(document); return all.join('\n').includes(`+string(b)+`); })()`) == "true"
}

// unharmed fails the test where something of the markup came to life.
func (w *window) unharmed(what string) {
	w.t.Helper()
	if got := w.page.JS(marked); got != "[]" {
		w.t.Errorf("%s: %s", what, got)
	}
}

// place goes to one of the workbench's places by its tab.
func (w *window) place(name string) {
	w.t.Helper()
	w.page.ClickAt(middle(w.t, w.page, "[role=tab]", name))
	time.Sleep(500 * time.Millisecond) // what is shown there is asked for
}

// A page's names, its title, what it says on its console, the files it misses, the
// words of a note, a stranger's review, a model's answer and its proposal, and the
// file's own name: whatever a person reads in the workbench is text.
func TestAttack43MarkupInTheWorkbench(t *testing.T) {
	needWindow(t)
	answer := hostileText("answer")
	s := modelserver.StartT(t, modelserver.ByModel(map[string][]modelserver.Step{
		"says":  {modelserver.Forever(modelserver.Say(answer))},
		"edits": {modelserver.Inspect(), modelserver.Apply(modelserver.SetTexts("New " + hostileText("edit"))), modelserver.Look(), modelserver.Commit(hostileText("summary")), modelserver.Say(answer)},
	}))
	s.RequireKey(modelKey)
	quoted := func(where string) string {
		return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;").Replace(hostileText(where))
	}
	inScript, _ := json.Marshal(hostileText("console"))
	page := `<!doctype html><meta charset=utf-8><title>` + quoted("title") + `</title><body>
<h1 id="` + quoted("id") + `" class="` + quoted("class") + `" title="` + quoted("attribute") + `">` + quoted("text") + `</h1>
<p id=p>first</p><img alt=x src="` + strings.ReplaceAll(quoted("missing"), " ", "%20") + `">
<script>console.error(` + strings.ReplaceAll(string(inScript), "</", `<\/`) + `); setTimeout(() => { throw new Error(` + strings.ReplaceAll(string(inScript), "</", `<\/`) + `) });</script>`
	name := `a<img src=x onerror=window.pwned='name'>.html`
	w := openWindow(t, name, page, "OPENAI_API_KEY="+modelKey, "OPENAI_BASE_URL="+s.OpenAIBase())
	w.loaded()
	w.unharmed("shown")
	if !w.said(name) {
		t.Error("the file's name is not shown as it is")
	}
	// The page's console and the files it misses.
	until(t, "the page's messages", func() bool {
		return w.page.JS(`(() => { const b = document.querySelector('button[aria-label*="of the page"]'); b?.click(); return !!b; })()`) == "true"
	})
	until(t, "the console", func() bool { return w.said(">console</a>") })
	w.unharmed("the console")
	w.page.Key("\u001b")
	// A note, and a review of a stranger that brings another.
	session := "workbench"
	v := w.preview(w.document)
	handle := w.pick(v, "h1").Handle
	note := as[struct{ ID string }](w.call("POST", "/v1/documents/"+w.document+"/annotations", map[string]any{"session": session, "preview": v, "picks": []string{handle}, "instruction": hostileText("note")}).want(200)).ID
	review := as[map[string]any](w.call("GET", "/v1/documents/"+w.document+"/review?session="+session+"&form=json", nil).want(200))
	text, _ := json.Marshal(review)
	text = []byte(strings.ReplaceAll(string(text), "note", "stranger"))
	w.call("POST", "/v1/documents/"+w.document+"/review", map[string]string{"session": session, "review": string(text)}).want(200)
	// A model's answer, and a change of its making.
	w.ends(w.send(w.document, ask(map[string]any{"session": session, "message": hostileText("message"), "model": "openai:says"})))
	w.ends(w.send(w.document, ask(map[string]any{"session": session, "model": "openai:edits"}, note)))
	w.page.JS("location.reload()")
	time.Sleep(500 * time.Millisecond)
	w.loaded()
	until(t, "the conversation", func() bool { return w.said(answer) || w.said(`window.pwned='message'`) })
	for _, where := range []string{"answer", "message", "stranger", "note", "name"} {
		if !w.said("window.pwned='" + where + "'") {
			t.Errorf("what the %s says is not shown as text", where)
		}
	}
	w.unharmed("the conversation and the notes")
	// Pointing at the element shows its name, and what lies around it.
	w.page.JS("document.querySelector('.stage').focus()")
	w.page.Key("p")
	time.Sleep(300 * time.Millisecond)
	w.page.Move(100, w.top()+30)
	time.Sleep(300 * time.Millisecond)
	w.page.ClickAt(100, w.top()+40)
	time.Sleep(time.Second)
	w.unharmed("pointing")
	if got := w.page.JS("(document.querySelector('.statusbar')?.innerText ?? '') + [...document.querySelectorAll('code')].filter((e) => getComputedStyle(e).unicodeBidi !== 'isolate').map((e) => e.innerText).join()"); strings.ContainsAny(got, "\u202e\u2066") {
		t.Errorf("a name turns what stands beside it around: %q", got)
	}
	w.page.Key("\u001b")
	w.page.Key("\u001b")
	for _, place := range []string{"Source", "Changes"} {
		w.place(place)
		if place == "Changes" {
			if got := w.page.JS("[...document.querySelectorAll('.diff code')].map((e) => e.innerText).join()"); !strings.Contains(got, "U+202E") || strings.ContainsAny(got, "\u202e\u200b") {
				t.Errorf("a change hides what it adds: %.300q", got)
			}
		}
		w.unharmed(place)
	}
	// Each change of the history, opened.
	w.page.JS(`[...document.querySelectorAll('main button')].filter((b) => /Show|Compare|Open|difference/i.test(b.innerText + b.title)).slice(0, 5).forEach((b) => b.click())`)
	time.Sleep(500 * time.Millisecond)
	w.unharmed("a change")
	if got := w.page.JS("document.title"); !strings.HasSuffix(got, ` Proofmark"`) {
		t.Errorf("the window calls itself %s", got)
	}
	w.page.Clean()
	// The control: the same markup does come to life, or is stopped by the policy
	// alone, where a program puts it in as markup.
	b, _ := json.Marshal(hostileText("control"))
	w.page.JS("document.body.insertAdjacentHTML('beforeend', " + string(b) + "), 1")
	until(t, "the control is not seen: the test proves nothing", func() bool { return w.page.JS(marked) != "[]" })
	if w.page.JS("String(window.pwned)") != `"undefined"` {
		t.Error("the workbench's policy lets a page's handler run")
	}
}

// P8, in the window: neither the workbench's address nor a message, a name or a
// script of a page leads it to another gateway, or gives it another token.
func TestAttack17WorkbenchFromElsewhere(t *testing.T) {
	c := newControl(t)
	elsewhere := fmt.Sprintf("http://127.0.0.1:%d", c.port)
	hostile := []string{
		"gatewayUrl=" + elsewhere + "&token=stolen", "/d/../../" + elsewhere, "/d/%2e%2e%2f%2e%2e", "/d/<img src=x onerror=window.pwned=1>", "/d/doc_x?gateway=" + elsewhere,
		"/d/__proto__", "/d/constructor", "javascript:window.pwned=1", "token=" + strings.Repeat("x", 20000), "/d/" + strings.Repeat("d", 20000),
	}
	said, _ := json.Marshal(hostile)
	w := openWindow(t, "page.html", strings.Replace(plainPage, "</body>", `<script>
for (const t of [parent, top]) for (const m of [{ gatewayUrl: '`+elsewhere+`', token: 'stolen' }, { type: 'token', token: 'stolen' }, '`+elsewhere+`', { type: 'navigate', hash: '#gatewayUrl=`+elsewhere+`' }]) t.postMessage(m, '*');
try { top.location.hash = '#gatewayUrl=`+elsewhere+`'; } catch {}
try { top.name = '`+elsewhere+`'; } catch {}
window.name = '`+elsewhere+`'; window.PROOFMARK_FEATURES = { documentWorkbenchResources: false };
</script></body>`, 1))
	w.loaded()
	origin := strings.TrimSuffix(w.url("/"), "/")
	w.page.JS(`(async () => { for (const h of ` + string(said) + `) { location.hash = h; await new Promise((r) => setTimeout(r, 60)); } location.hash = '/d/` + w.document + `'; window.went = true; })(), 1`)
	until(t, "all addresses", func() bool { return w.page.JS("window.went === true") == "true" })
	time.Sleep(300 * time.Millisecond)
	w.unharmed("its address")
	var asked []string
	if err := json.Unmarshal([]byte(w.page.JS("performance.getEntriesByType('resource').map((e) => e.name)")), &asked); err != nil {
		t.Fatal(err)
	}
	for _, a := range asked {
		if !strings.HasPrefix(a, origin+"/") && !strings.HasSuffix(a, "/.proofmark/blank") && !strings.HasPrefix(a, "blob:") && !strings.HasPrefix(a, "data:") || strings.Contains(a, "stolen") || strings.Contains(a, "eyJ") {
			t.Errorf("the workbench asks for %.200s", a)
		}
	}
	// It stands, in its window, at its own address; nothing is stored, and no name,
	// global or storage holds its token.
	for what, want := range map[string]string{
		"location.origin": `"` + origin + `"`, "String(window.pwned)": `"undefined"`, "localStorage.length + sessionStorage.length + document.cookie.length": "0",
		"String(window.opener)": `"null"`, "document.referrer": `""`, "/eyJ/.test(document.documentElement.outerHTML + window.name + location.href)": "false",
		"Object.keys(window).filter((k) => { try { return /eyJ/.test(JSON.stringify(window[k])) } catch { return false } }).length": "0",
	} {
		if got := w.page.JS(what); got != want {
			t.Errorf("%s is %s, want %s", what, got, want)
		}
	}
	until(t, "the workbench works", func() bool { return w.said("page.html") })
	// What the window is asked to show instead, it does not.
	for _, to := range []string{origin + "/?gatewayUrl=" + elsewhere, elsewhere + "/", origin + "/v1/health", origin + "/host/token"} {
		w.page.JS("window.stays = 1, location.href = '" + to + "', 1")
		time.Sleep(200 * time.Millisecond)
		if got := w.page.JS("[window.stays, location.origin]"); got != `[1,"`+origin+`"]` {
			t.Errorf("it went to %s: %s", to, got)
		}
	}
	w.page.JS("location.hash = '/d/" + w.document + "', 1")
	// Nor does another site bring a person's browser there with an address of its own.
	before := w.logged("refused", "wrong_origin")
	mustNotGet(t, newSite(w.gateway).visit("http://evil.test/", "eyJstolen", `<script>
for (const [who, base] of [['', G], ['control ', C]]) {
  const to = base + '/?gateway=' + encodeURIComponent(C) + '#token=' + T;
  if (!who) {
    tried('window', async () => { const w = open(to); await wait(500); try { return w.document.getElementById('workbench') ? 'got the workbench' : 'empty'; } catch { return 'closed'; } });
    tried('frame', async () => { const e = el('iframe', { src: to }); await loads(e); try { return e.contentDocument.getElementById('workbench') ? 'got the workbench' : 'empty'; } catch { return 'closed'; } });
  }
  tried(who + 'script', async () => loads(el('script', { src: base + '/assets/x.js' })));
  for (const path of ['/', '/host/hello', '/host/token']) for (const method of ['GET', 'POST'])
    tried(who + method + path, async () => 'got ' + (await fetch(base + path, { method, headers: who ? {} : { Authorization: 'Bearer ' + T } })).status);
}
finish();
</script>`), 8)
	if w.logged("refused", "wrong_origin") == before {
		t.Error("none of its requests arrived")
	}
	w.page.Clean()
	if n := c.count("GET /v1/health") + c.count("POST /host/token") + c.count("GET /host/hello") + c.count("GET /"); n > 0 {
		t.Errorf("the workbench went elsewhere %d times", n)
	}
}

// top tells where the page begins in the window.
func (w *window) top() (y float64) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.page.JS("document.querySelector('iframe').getBoundingClientRect().y")), &y); err != nil {
		w.t.Fatal(err)
	}
	return y
}

// ask asks for a change of an element by its note box, as a person does.
func (w *window) ask(x, y float64, words string) {
	w.t.Helper()
	w.page.JS("document.querySelector('.stage').focus()")
	w.page.Key("p")
	time.Sleep(300 * time.Millisecond)
	w.page.ClickAt(x, y)
	until(w.t, "the note box", func() bool { return w.page.JS("!!document.activeElement.closest('.note-box')") == "true" })
	w.page.Key(words)
	w.page.ClickAt(middle(w.t, w.page, ".note-box button.primary", "Send"))
}

// The page draws our button where a person presses, has the keyboard while a
// decision is asked for, and asks for a far place just as they press: what waits is
// decided by a press on the workbench's own button, seen for a moment, and by
// nothing else.
func TestAttack25ButtonsOfTheWorkbench(t *testing.T) {
	page := strings.Replace(plainPage, "</body>", `<input id=typed style="position:fixed;left:20px;bottom:20px"><button id=fake style="position:fixed;right:0;top:0;width:60%;height:60px">Approve</button><script>
const press = () => { for (const t of [parent, top]) for (const type of ['approve', 'review.approve', 'keydown']) t.postMessage({ type, key: 'a', commit: true }, '*'); try { parent.focus(); } catch {} dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true })); };
fake.onclick = () => { history.back(); press(); }; setInterval(press, 200);
fake.onmousemove = () => { if (!window.asked) { window.asked = true; for (const n of ['a', 'b', 'c', 'd', 'e']) new Image().src = 'https://' + n + '.evil.nowhere/x.png'; } };
</script></body>`, 1)
	w := openWindow(t, "page.html", page)
	w.loaded()
	allowed := func() bool {
		for _, p := range as[struct {
			Previews []struct{ AllowedOrigins []string }
		}](w.call("GET", "/v1/previews", nil).want(200)).Previews {
			if len(p.AllowedOrigins) > 0 {
				return true
			}
		}
		return false
	}
	// The page asks for a far place as the pointer comes to its button; ours stands
	// where its own stood when a person presses, hurriedly.
	var frame [4]float64
	if err := json.Unmarshal([]byte(w.page.JS("(() => { const r = document.querySelector('iframe').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()")), &frame); err != nil {
		t.Fatal(err)
	}
	w.page.Move(frame[0]+frame[2]-200, frame[1]+20)
	x, y := middle(w.t, w.page, ".page-bars button", "Allow")
	w.page.ClickAt(x, y)
	w.page.ClickAt(x, y)
	time.Sleep(500 * time.Millisecond)
	if allowed() {
		t.Error("a press that was meant for the page allowed an origin")
	}
	if !w.said("e.evil.nowhere") {
		t.Error("an origin is asked for and not named")
	}
	// What a person types on does not decide on what comes up meanwhile.
	w.ask(frame[0]+60, w.top()+40, `change the text to "Approved"`)
	until(t, "pointing is to end", func() bool { return w.page.JS("!!document.querySelector('.pointing-mode, .note-box')") == "false" })
	w.page.ClickAt(frame[0]+60, frame[1]+frame[3]-30)
	var up bool
	for end := time.Now().Add(patience); !up && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		w.page.Key("a")
		up = w.page.JS("!!document.querySelector('.review')") == "true"
	}
	for range 10 {
		w.page.Key("a")
		time.Sleep(80 * time.Millisecond)
	}
	if got := w.read("page.html"); got != page || w.generation(w.document) != 1 || !up {
		t.Fatalf("letters that were typed for the page approved its change (a review was shown: %v)", up)
	}
	// Under a review, the page has neither the pointer nor the keyboard.
	for _, at := range [][2]float64{{frame[0] + frame[2] - 100, frame[1] + 30}, {frame[0] + 60, frame[1] + frame[3] - 30}} {
		if got := w.page.JS(fmt.Sprintf("document.elementFromPoint(%f, %f).tagName", at[0], at[1])); got == `"IFRAME"` {
			t.Errorf("the page can be pressed at %v while a decision is asked for", at)
		}
	}
	if got := w.page.JS("document.activeElement.tagName"); got == `"IFRAME"` {
		t.Error("the page has the keyboard while a decision is asked for")
	}
	if got := w.page.JS("(() => { const b = [...document.querySelectorAll('.review header button')].find((b) => b.innerText.includes('Approve')); const r = b.getBoundingClientRect(); return b.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); })()"); got != "true" {
		t.Error("something lies over our button")
	}
	time.Sleep(time.Second)
	if got := w.read("page.html"); got != page {
		t.Fatal("the page approved its own change")
	}
	// The control: the person's own press does decide.
	w.page.ClickAt(middle(w.t, w.page, ".review header button", "Approve"))
	until(t, "the change", func() bool { return w.generation(w.document) == 2 })
}
