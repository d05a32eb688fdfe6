package archtest

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed says, for each package, which of ours its code (not its tests) may
// import. A package that is not listed fails the test: a new one states its place.
var allowed = map[string]string{
	"gateway/core":            "",
	"gateway/htmlsrc":         "core",
	"gateway/htmlsrc/fuzzgen": "", // random documents, for tests
	"gateway/textpatch":       "core",
	"gateway/htmledit":        "core htmlsrc textpatch",
	"gateway/proof":           "core htmlsrc textpatch contract",
	"gateway/store":           "core migrations",
	"gateway/document":        "core htmlsrc textpatch store",
	"gateway/manual":          "core htmlsrc htmledit textpatch proof store document candidate",
	"gateway/annotate":        "core htmlsrc textpatch proof store document",
	"gateway/bundle":          "core htmlsrc textpatch proof store document annotate",
	"gateway/grants":          "core",
	"gateway/surface":         "core contract proof",
	"gateway/candidate":       "core htmlsrc textpatch htmledit proof store document surface contract",
	"gateway/fence":           "",
	"gateway/scene":           "core textpatch fence",
	"gateway/scene/gather":    "core htmlsrc contract surface scene",
	"gateway/llm":             "core",
	"gateway/llm/transport":   "core",
	"gateway/llm/openai":      "core llm llm/transport",
	"gateway/llm/anthropic":   "core llm llm/transport",
	"gateway/llm/retry":       "core llm",
	"gateway/keys":            "core",
	"gateway/router":          "core llm",
	"gateway/models":          "core llm llm/builtin llm/openai llm/anthropic llm/retry llm/transport keys router",
	"gateway/certify":         "core htmlsrc proof store document annotate candidate grants surface contract llm router turn",
	"gateway/llm/builtin":     "core llm",
	"gateway/llm/script":      "llm",
	"gateway/tools":           "core htmlsrc textpatch htmledit candidate document grants llm contract",
	"gateway/turn":            "core htmlsrc textpatch store document annotate candidate grants tools llm fence",
	"gateway/archtest":        "",
	"bridge/contract":         "core",
	"bridge/policy":           "core",
	"bridge/chromium":         "core",
	"bridge/cdp":              "core contract policy chromium",
	"bridge/suite":            "core contract",
	"bridge/oracle":           "",
	"bridge/hostile":          "",                // the worst page, for tests of every host
	"bridge/staged":           "chromium person", // the desktop's relay, for tests
	"bridge/person":           "",                // eyes and hands at windows, for tests
	"migrations":              "",
	"examples":                "",
	"bridge/token":            "core",
	"gateway/edge":            "core token",
	"gateway/discover":        "core token",
	"gateway/workbench":       "core htmlsrc proof contract surface store document annotate candidate grants llm router turn point manual scene scene/gather",
	"gateway/point":           "core htmlsrc proof contract surface",
	"gateway/logfile":         "core",
	"gateway/selfcheck":       "core contract surface discover", // a stranger to the gateway it tries
	"gateway/gates":           "core store",
	"gateway/webapp":          "core edge",
	"gateway/preferences":     "core strictjson",
	"webui":                   "", // the workbench as it is built
	"gateway/httpapi":         "core webapp preferences edge token discover gates document store textpatch annotate manual models turn workbench contract bundle",
	"internal/strictjson":     "",
	"internal/filelock":       "",
	"internal/faultpoint":     "", // where a harness makes a process die or a write fail; nothing in a release
	"internal/modelserver":    "", // a provider for tests, apart from our own types
	"e2e":                     "", // black box: it starts the binary
	"e2e/faults":              "", // the same, with a binary that dies where it is told
	"e2e/attacks":             "", // the same, from pages and sockets of strangers
	"e2e/window":              "", // the same, through its window, by mouse and keys
	"e2e/desktop":             "", // the same, through the desktop app, with the real Electron
	"e2e/load":                "", // the same, from very many clients at once
}

// fenced names who alone may import a foreign module, and why.
var fenced = []struct {
	module, only, why string
}{
	{"github.com/chromedp/", "bridge/", "one CDP implementation, reached through the contract"},
	{"modernc.org/", "gateway/store", "one database, opened in one place"},
	{"github.com/klauspost/compress", "gateway/store", "how blobs are packed is the store's business"},
	{"golang.org/x/net/html", "gateway/html", "one parser, ours; theirs only decodes attributes and character references (htmlsrc, htmledit)"},
	{"github.com/tdewolff/parse", "gateway/htmledit", "CSS and JavaScript are looked at where they are edited"},
	{"github.com/openai/", "gateway/llm/openai", "each provider's SDK stays in its folder"},
	{"github.com/anthropics/", "gateway/llm/anthropic", "each provider's SDK stays in its folder"},
	{"github.com/zalando/go-keyring", "gateway/keys", "one way to the keychain"},
	{"github.com/tiktoken-go/", "internal/modelserver", "tokens are counted by whoever plays the provider"},
	{"github.com/google/jsonschema-go", "gateway/tools", "tool schemas are made from the tools' structs"},
	{"github.com/aymanbagabas/go-udiff", "gateway/textpatch", "one diff"},
	{"github.com/golang-jwt/", "bridge/token", "tokens are minted and checked in one place"},
	{"gopkg.in/natefinch/lumberjack", "gateway/logfile", "one log"},
	{"golang.org/x/time/", "gateway/edge", "what is refused for its rate is refused at the edge"},
	{"github.com/fsnotify/", "gateway/document", "whoever keeps files in step with their history watches them"},
}

type pkg struct {
	ImportPath string
	Imports    []string
	Doc        string
	Name       string
	GoFiles    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Doc,Name,GoFiles", "proofmark/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []pkg
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 20 {
		t.Fatalf("go list found only %d packages", len(list))
	}
	return list
}

// short gives the word the table uses: the last element of ours.
func short(path string) string {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "proofmark/"), "gateway/")
	return strings.TrimPrefix(path, "bridge/")
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, "proofmark/")
		if path == "gateway/cmd/proofmark" {
			continue // wiring: may import everything
		}
		may, ok := allowed[path]
		if !ok && strings.Contains(path, "/internal/") {
			continue
		}
		if !ok {
			t.Errorf("%s is not in the import table", path)
			continue
		}
		for _, imp := range p.Imports {
			if !strings.HasPrefix(imp, "proofmark/") || strings.Contains(imp, "/internal/") {
				continue
			}
			if !slices.Contains(strings.Fields(may), short(imp)) {
				t.Errorf("%s imports %s; it may import: %s", path, short(imp), may)
			}
		}
	}
}

func TestForeignModulesStayBehindTheirPackage(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, "proofmark/")
		for _, imp := range p.Imports {
			for _, f := range fenced {
				if strings.HasPrefix(imp, f.module) && !strings.HasPrefix(path, f.only) {
					t.Errorf("%s imports %s; only %s may: %s", path, imp, f.only, f.why)
				}
			}
		}
	}
}

func TestEveryPackageHasADocument(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 {
			continue // tests only
		}
		if len(strings.Fields(p.Doc)) < 6 {
			t.Errorf("%s: package document %q says too little", p.ImportPath, p.Doc)
		}
	}
}
