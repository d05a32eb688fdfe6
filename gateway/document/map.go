package document

import (
	"slices"
	"sync"

	"proofmark/gateway/htmlsrc"
)

// keptMaps is how many revisions' maps are kept: the head of a page or two,
// and what is compared with it.
const keptMaps = 4

// A mapCache keeps the newest used maps. A Tree does not change, so many may use one.
type mapCache struct {
	mu   sync.Mutex
	list []keptMap // the newest used last
}

type keptMap struct {
	sha  string
	tree *htmlsrc.Tree
}

// Map maps a revision's bytes, whose SHA-256 is sha, as a page whose scripts
// run. Each revision is mapped once, while its map is kept.
func (s *Service) Map(sha string, src []byte) (*htmlsrc.Tree, error) {
	if tree := s.maps.find(sha); tree != nil {
		return tree, nil
	}
	tree, err := htmlsrc.Parse(src, htmlsrc.Options{Scripting: true})
	if err != nil {
		return nil, err
	}
	s.maps.keep(sha, tree)
	return tree, nil
}

func (m *mapCache) find(sha string) *htmlsrc.Tree {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.list, func(k keptMap) bool { return k.sha == sha })
	if i < 0 {
		return nil
	}
	k := m.list[i]
	m.list = append(slices.Delete(m.list, i, i+1), k)
	return k.tree
}

func (m *mapCache) keep(sha string, tree *htmlsrc.Tree) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = slices.DeleteFunc(m.list, func(k keptMap) bool { return k.sha == sha })
	if len(m.list) == keptMaps {
		m.list = slices.Delete(m.list, 0, 1)
	}
	m.list = append(m.list, keptMap{sha, tree})
}
