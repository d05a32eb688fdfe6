package proof

import (
	"strings"
	"sync"

	"proofmark/gateway/htmlsrc"
)

// facts are what the alignment without a register asks of a whole map. They
// are found once, and only where they are needed.
type facts struct {
	once   sync.Once
	script bool
	names  map[string]int
}

func (k *Tie) facts() *facts {
	k.lazy.once.Do(func() {
		k.lazy.names = map[string]int{}
		for id := range k.tree.Elements() {
			k.lazy.names[k.tree.Name(id)]++
			k.lazy.script = k.lazy.script || runsScript(k.tree, id)
		}
	})
	return &k.lazy
}

// scripted tells whether anything in the source may run a script.
func (k *Tie) scripted() bool { return k.facts().script }

// named gives the number of elements of that name in the source.
func (k *Tie) named(name string) int { return k.facts().names[name] }

// runsScript tells whether the element may run a script: it is one, or a
// frame, or has a handler or an attribute that begins as a javascript: URL.
func runsScript(t *htmlsrc.Tree, id htmlsrc.ID) bool {
	switch t.Name(id) {
	case "script", "iframe", "frame", "object", "embed":
		return true
	}
	if tag, ok := t.StartTag(id); !ok || tag.Len() <= len(t.Name(id))+2 {
		return false
	}
	for _, a := range t.Attrs(id) {
		v := strings.TrimLeft(a.Value, "\t\n\f\r ")
		if strings.HasPrefix(a.Name, "on") || v != "" && (v[0] == 'j' || v[0] == 'J') {
			return true
		}
	}
	return false
}
