package provider

import (
	"net/http"
	"strings"

	"proofmark/gateway/core"
)

// Checked is what a host tells without spending a token. That there is one means
// that it was reached and took the key.
type Checked struct {
	// Unlisted tells that the host offers no list of its models.
	Unlisted bool
	// Models counts those it lists; Listed tells whether the configured one is
	// among them.
	Models int
	Listed bool
}

// Lists counts the models of a list and looks for one of them. A host may list
// it with a date or a tag that its short name leaves out.
func Lists(names []string, model string) Checked {
	c := Checked{Models: len(names)}
	for _, n := range names {
		if n == model || strings.HasPrefix(n, model+":") || strings.HasPrefix(n, model+"-") || strings.TrimPrefix(n, "models/") == model {
			c.Listed = true
		}
	}
	return c
}

// Unlisted tells a host without a list of its models from one that fails: it
// answers, and takes the key, but knows no such address.
func Unlisted(err error) (Checked, error) {
	e := core.AsError(err)
	switch status, _ := e.Detail["status"].(int); status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return Checked{Unlisted: true}, nil
	}
	return Checked{}, err
}
