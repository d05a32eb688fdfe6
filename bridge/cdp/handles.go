package cdp

import (
	"github.com/chromedp/cdproto/runtime"

	"proofmark/gateway/core"
)

// maxHandles bounds the elements that are held for a page; the oldest go first.
const maxHandles = 4096

// handles are the elements that were given out, by opaque random names. They
// belong to one load: the object ids die with the document.
type handles struct {
	objects map[string]runtime.RemoteObjectID
	order   []string
}

func (h *handles) add(id runtime.RemoteObjectID) string {
	if h.objects == nil {
		h.objects = map[string]runtime.RemoteObjectID{}
	}
	if len(h.order) >= maxHandles {
		delete(h.objects, h.order[0])
		h.order = h.order[1:]
	}
	name := core.NewID("sel")
	h.objects[name] = id
	h.order = append(h.order, name)
	return name
}

func (h *handles) find(name string) (runtime.RemoteObjectID, error) {
	id, ok := h.objects[name]
	if !ok {
		return "", core.Errorf(core.StaleEpoch, "this selection belongs to an earlier load of the page").WithHint("Pick again.")
	}
	return id, nil
}

// forget drops the handle that was given out last, if it is this one.
func (h *handles) forget(name string) {
	if n := len(h.order); n > 0 && h.order[n-1] == name {
		h.order = h.order[:n-1]
		delete(h.objects, name)
	}
}
