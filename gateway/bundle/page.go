package bundle

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"

	"proofmark/gateway/core"
)

//go:embed page.tmpl
var pageText string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// policy lets the page do nothing but use the one style sheet it has: no script
// runs, nothing is loaded, nothing is sent.
func policy() string {
	sum := sha256.Sum256([]byte(pageCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
}

// HTML gives the review as one page that needs nothing else, with the JSON in it.
// The same review gives the same page, byte for byte.
func (r *Review) HTML() ([]byte, error) {
	v, err := r.look()
	if err != nil {
		return nil, err
	}
	data, err := r.JSON()
	if err != nil {
		return nil, err
	}
	v.Policy, v.CSS = policy(), template.CSS(pageCSS) //nolint:gosec // ours
	v.Data = template.JS(data)                        //nolint:gosec // JSON without "<", made here
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, v); err != nil {
		return nil, core.Wrap(core.Internal, err, "the review page could not be written").In("bundle.HTML")
	}
	if out.Len() > core.MaxBundleBytes {
		return nil, core.Errorf(core.TooLarge, "the review would have %d bytes; at most %d can be read again", out.Len(), core.MaxBundleBytes).
			WithHint("export an older version with --generation").In("bundle.HTML")
	}
	return out.Bytes(), nil
}
