package store

import (
	lru "container/list"
	"sync"
)

// blobCache keeps the blobs used last, by SHA-256, within a number of bytes.
// What it holds was checked when it came in.
type blobCache struct {
	max int

	mu    sync.Mutex // protects the following
	size  int
	order *lru.List // of cached, the one used last in front
	bySHA map[string]*lru.Element
}

type cached struct {
	sha string
	b   []byte
}

func newBlobCache(bytes int) *blobCache {
	return &blobCache{max: bytes, order: lru.New(), bySHA: map[string]*lru.Element{}}
}

func (c *blobCache) get(sha string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.bySHA[sha]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cached).b, true
}

func (c *blobCache) add(sha string, b []byte) {
	if len(b) > c.max/4 {
		return
	}
	b = b[:len(b):len(b)] // an append by a caller cannot write into it
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.bySHA[sha]; ok {
		c.order.MoveToFront(e)
		return
	}
	c.bySHA[sha] = c.order.PushFront(cached{sha, b})
	c.size += len(b)
	for c.size > c.max {
		e := c.order.Back()
		old := c.order.Remove(e).(cached)
		delete(c.bySHA, old.sha)
		c.size -= len(old.b)
	}
}
