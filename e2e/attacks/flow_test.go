//go:build unix

package attacks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"proofmark/internal/modelserver"
)

// withModel starts a gateway whose model "openai:m" is a provider that answers
// with steps.
func withModel(t testing.TB, steps ...modelserver.Step) (*gateway, *modelserver.Server) {
	t.Helper()
	needChromium(t)
	s := modelserver.StartT(t, steps...)
	s.RequireKey(modelKey)
	return start(t, "OPENAI_API_KEY="+modelKey, "OPENAI_BASE_URL="+s.OpenAIBase()), s
}

const (
	modelKey  = "sk-attack-7Hq2Lw9sVx4Zr0Tn"
	testModel = "openai:m"
)

// preview shows a document and gives the preview's id.
func (g *gateway) preview(document string) string {
	g.t.Helper()
	needChromium(g.t)
	return as[struct{ ID string }](g.call("POST", "/v1/documents/"+document+"/previews", map[string]any{"width": 800, "height": 600}).want(200)).ID
}

// picked is an element that was pointed at.
type picked struct {
	Handle, Name, Text, Tag string
	StartTag                [2]int
	Refusal                 struct{ Code string } // why it cannot be changed; "" where it can
}

func (g *gateway) point(preview, target string) reply {
	g.t.Helper()
	return g.call("POST", "/v1/previews/"+preview+"/picks", map[string]string{"target": target})
}

// pick points at an element that is there.
func (g *gateway) pick(preview, target string) picked {
	g.t.Helper()
	return as[picked](g.point(preview, target).want(200))
}

// appears waits until the page shows an element, and gives it.
func (g *gateway) appears(preview, target string) picked {
	g.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		r := g.point(preview, target)
		if r.status == 200 {
			return as[picked](r)
		}
		if r.code() != "selector_no_match" || time.Now().After(end) {
			r.want(200)
		}
	}
}

// note makes a draft on an element.
func (g *gateway) note(document, preview, target, instruction string) string {
	g.t.Helper()
	p := g.pick(preview, target)
	if p.Refusal.Code != "" {
		g.t.Fatalf("%s cannot be pointed at: %s", target, p.Refusal.Code)
	}
	return as[struct{ ID string }](g.call("POST", "/v1/documents/"+document+"/annotations", map[string]any{
		"session": session, "preview": preview, "picks": []string{p.Handle}, "instruction": instruction,
	}).want(200)).ID
}

var requests int

// ask is a turn that is asked for; more changes it.
func ask(more map[string]any, notes ...string) map[string]any {
	requests++
	q := map[string]any{"session": session, "requestId": "r" + strconv.Itoa(requests), "annotations": notes, "write": true, "width": 800, "height": 600}
	for k, v := range more {
		q[k] = v
	}
	return q
}

// turn is a turn as it goes out.
type turn struct {
	ID, State      string
	Running, Waits bool
	Result         *struct {
		Status, Text, ChangeSet string
		Generation              int
		Written                 bool
		Flags                   []struct{ Kind, Detail string }
		Error                   *struct{ Code, Message string }
		Usage                   struct{ Calls int }
	}
}

func (r turn) String() string {
	b, _ := json.Marshal(r)
	return string(b)
}

// send begins a turn.
func (g *gateway) send(document string, q map[string]any) string {
	g.t.Helper()
	return as[turn](g.call("POST", "/v1/documents/"+document+"/turns", q).want(202)).ID
}

// follow reads a turn's events; each, if not nil, is told of every one. It
// returns when the stream ends.
func (g *gateway) follow(id string, each func(kind string)) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", g.url("/v1/turns/"+id+"/events"), nil)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.desktop)
	res, err := (&http.Client{Transport: client.Transport}).Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20) // one event holds all that a model said
	for lines.Scan() {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok && each != nil {
			each(kind)
		}
	}
	if ctx.Err() != nil {
		g.t.Fatalf("turn %s does not end", id)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) { // a stream that is cut ends, too
		g.t.Fatalf("the events of turn %s: %v", id, err)
	}
}

// ends waits for a turn's end.
func (g *gateway) ends(id string) turn {
	g.t.Helper()
	g.follow(id, nil)
	r := as[turn](g.call("GET", "/v1/turns/"+id, nil).want(200))
	if r.Result == nil {
		g.t.Fatalf("the turn has no result: %v", r)
	}
	return r
}

// waits waits until a turn waits for a person.
func (g *gateway) waits(id string) (sha string) {
	g.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		r := as[turn](g.call("GET", "/v1/turns/"+id, nil).want(200))
		if r.Waits {
			return as[struct{ SHA256 string }](g.call("GET", "/v1/turns/"+id+"/proposal", nil).want(200)).SHA256
		}
		if r.Result != nil || time.Now().After(end) {
			g.t.Fatalf("the turn does not wait for a decision: %v", r)
		}
	}
}

func (g *gateway) decide(id, sha string, commit bool) reply {
	g.t.Helper()
	return g.call("POST", "/v1/turns/"+id+"/decision", map[string]any{"sha256": sha, "commit": commit})
}

func (g *gateway) generation(document string) int {
	g.t.Helper()
	return as[struct{ Generation int }](g.call("GET", "/v1/documents/"+document, nil).want(200)).Generation
}

// process is a running program as the system shows it.
type process struct {
	pid, parent int
	args        []string
	env         string
}

// family lists a process's descendants, itself first. Linux tells; elsewhere it
// is empty.
func family(t testing.TB, pid int) (out []process) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	all := map[int]process{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		f := strings.Fields(rest)
		id, _ := strconv.Atoi(filepath.Base(dir))
		p := process{pid: id}
		p.parent, _ = strconv.Atoi(f[1])
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		p.args, p.env = strings.Split(strings.TrimRight(string(args), "\x00"), "\x00"), string(env)
		if f[0] != "Z" {
			all[id] = p
		}
	}
	member := map[int]bool{pid: true}
	out = append(out, all[pid])
	for range 8 { // generations are few
		for id, p := range all {
			if member[p.parent] && !member[id] {
				member[id] = true
				out = append(out, p)
			}
		}
	}
	return out
}

func (p process) String() string { return fmt.Sprintf("%d %.60s", p.pid, strings.Join(p.args, " ")) }
