package preferences

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// R-UI-4: what a person chose is there after a restart; what is no object, or too
// large, changes nothing; a damaged file keeps nobody out.
func TestKeeps(t *testing.T) {
	dir := t.TempDir()
	f := New(dir)
	read := func() string {
		t.Helper()
		b, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := read(); got != "{}" {
		t.Errorf("without a file: %s", got)
	}
	const said = `{"theme":"dark","keys":{"page.point":["p"]}}`
	if err := f.Write(json.RawMessage(said)); err != nil {
		t.Fatal(err)
	}
	f = New(dir)
	if got := read(); got != said {
		t.Errorf("read %s", got)
	}
	for text, code := range map[string]core.Code{
		`[]`: core.BadRequest, `null`: core.BadRequest, ``: core.BadRequest, `{"a":1,"a":2}`: core.BadRequest, `{} x`: core.BadRequest,
		`{"a":"` + strings.Repeat("x", MaxBytes) + `"}`: core.TooLarge,
	} {
		if err := f.Write(json.RawMessage(text)); core.CodeOf(err) != code {
			t.Errorf("%.20s: %v, want %s", text, err, code)
		}
	}
	if got := read(); got != said {
		t.Errorf("read %s behind refusals", got)
	}
	info, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != "{}" {
		t.Errorf("a damaged file: %s", got)
	}
	if err := New(filepath.Join(dir, "gone")).Write(none); err == nil {
		t.Error("written into a directory that is not there")
	}
}
