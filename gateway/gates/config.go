package gates

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"proofmark/gateway/core"
	"proofmark/internal/strictjson"
)

// Where an operator's wishes are read from.
const (
	FileName = "config.json"        // in the data directory
	EnvFile  = "PROOFMARK_CONFIG"   // names another file
	EnvNames = "PROOFMARK_FEATURES" // such as "artifactPromptAnnotations=false"
)

const maxFileBytes = 64 << 10

// config is the operator's file; docs/operations.md is its documentation.
type config struct {
	Features map[core.Feature]*bool `json:"features"`
}

// wishes is what was said of each feature, by whom.
type wishes map[core.Feature]map[string]bool

// say notes what somebody says of a feature. Whoever says both yes and no has
// said no.
func (w wishes) say(by string, f core.Feature, on bool) *core.Error {
	if err := known(f); err != nil {
		return err
	}
	if w[f] == nil {
		w[f] = map[string]bool{}
	}
	if before, said := w[f][by]; said {
		on = on && before
	}
	w[f][by] = on
	return nil
}

func known(f core.Feature) *core.Error {
	for _, k := range core.Features() {
		if f == k {
			return nil
		}
	}
	return core.Errorf(core.Usage, "there is no feature %.80q", f).WithHint("There are %s and %s.", core.FeatureWorkbench, core.FeatureAnnotations)
}

// file reads the operator's configuration of a data directory, or the one the
// environment names. No file says nothing, unless it was named.
func (w wishes) file(dir string, getenv func(string) string) *core.Error {
	path := getenv(EnvFile)
	named := path != ""
	if !named {
		path = filepath.Join(dir, FileName)
	}
	if err := folderAlone(filepath.Dir(path)); err != nil {
		return core.AsError(err)
	}
	b, err := read(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // not even a link to nothing
			return nil
		}
	}
	var e *core.Error
	switch {
	case errors.As(err, &e):
		return e
	case err != nil:
		return core.Wrap(core.Usage, err, "the configuration file %s cannot be read", path)
	}
	c := &config{Features: map[core.Feature]*bool{}} // what is left out stays; a null takes it away
	if err := strictjson.Unmarshal(b, &c); err != nil {
		return notOne(path, err.Error())
	}
	if c == nil || c.Features == nil {
		return notOne(path, "it says null")
	}
	for f, on := range c.Features {
		if on == nil {
			return notOne(path, "a feature is true or false")
		}
		if err := w.say(ByConfig, f, *on); err != nil {
			return err.With("file", path)
		}
	}
	return nil
}

func notOne(path, why string) *core.Error {
	return core.Errorf(core.Usage, "the configuration file %s is not one: %s", path, why).
		WithHint(`It looks like {"features":{"%s":false}}; see docs/operations.md.`, core.FeatureAnnotations)
}

// read gives the file's bytes, once it is seen that nobody else could have
// written it.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe waits
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, core.Errorf(core.NotRegular, "the configuration file %s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // of the open file: no other can come in between
		return nil, err
	}
	if err := ownersAlone(path, info); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(b) > maxFileBytes {
		return nil, core.Errorf(core.TooLarge, "the configuration file %s has more than %d bytes", path, maxFileBytes)
	}
	return b, err
}

// environment reads a list such as "a=false,b=true".
func (w wishes) environment(list string) *core.Error {
	for _, item := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, value, _ := strings.Cut(item, "=")
		if value != "true" && value != "false" {
			return core.Errorf(core.Usage, "%s has %.80q; each feature is given as name=true or name=false", EnvNames, item)
		}
		if err := w.say(ByEnvironment, core.Feature(name), value == "true"); err != nil {
			return err.With("variable", EnvNames)
		}
	}
	return nil
}
