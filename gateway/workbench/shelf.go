package workbench

import (
	"container/list"
	"sync"
)

// shelf keeps values up to so many bytes, those that were used last.
type shelf[K comparable, V any] struct {
	most int

	mu    sync.Mutex
	bytes int                 // guarded by mu
	order *list.List          // of *kept, the one used last in front; guarded by mu
	byKey map[K]*list.Element // guarded by mu
}

type kept[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

func newShelf[K comparable, V any](most int) *shelf[K, V] {
	return &shelf[K, V]{most: most, order: list.New(), byKey: map[K]*list.Element{}}
}

func (s *shelf[K, V]) get(key K) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byKey[key]
	if e == nil {
		return value, false
	}
	s.order.MoveToFront(e)
	return e.Value.(*kept[K, V]).value, true
}

// put keeps a value; one that is larger than the whole shelf is not kept.
func (s *shelf[K, V]) put(key K, value V, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byKey[key]; e != nil {
		s.drop(e)
	}
	if bytes > s.most {
		return
	}
	s.byKey[key] = s.order.PushFront(&kept[K, V]{key: key, value: value, bytes: bytes})
	for s.bytes += bytes; s.bytes > s.most; {
		s.drop(s.order.Back())
	}
}

// drop is called with mu held.
func (s *shelf[K, V]) drop(e *list.Element) {
	k := s.order.Remove(e).(*kept[K, V])
	delete(s.byKey, k.key)
	s.bytes -= k.bytes
}
