package oracle

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
)

// navigateTimeout bounds one load and its dump.
const navigateTimeout = 60 * time.Second

// ask evaluates a JSON-giving expression in the oracle's tab.
func ask[T any](b *Browser, format string, args ...any) (T, error) {
	var out T
	s, err := chromedp.Run(b.lib, chromedp.Evaluate[string]("JSON.stringify("+fmt.Sprintf(format, args...)+")"))
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal([]byte(s), &out)
}

// encode gives the sources as a JSON list of base64 texts.
func encode(sources [][]byte) string {
	var out bytes.Buffer
	out.WriteByte('[')
	for i, s := range sources {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q", base64.StdEncoding.EncodeToString(s))
	}
	out.WriteByte(']')
	return out.String()
}

type dumped struct {
	Tree  Document  `json:"tree"`
	Marks []*string `json:"marks"`
}

// Navigate loads src as a document with JavaScript off and gives its elements.
// The attribute named mark is left out of them; marks has its value, or nil,
// for each element.
func (b *Browser) Navigate(src []byte, mark string) (d Document, marks []*string, err error) {
	ctx, cancel := context.WithTimeout(b.nav, navigateTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(b.publish(src))); err != nil {
		return nil, nil, err
	}
	out, err := chromedp.Run(ctx, chromedp.Evaluate[string](
		fmt.Sprintf("(()=>{%s;return JSON.stringify(dump(document,%q))})()", script, mark)))
	if err != nil {
		return nil, nil, err
	}
	var got dumped
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return nil, nil, err
	}
	return got.Tree, got.Marks, nil
}

// ShadowRoots counts the shadow roots of the page Navigate has loaded, closed
// ones too, less the browser's own.
func (b *Browser) ShadowRoots() (int, error) {
	depth, pierce := int64(-1), true
	r, err := chromedp.Call(b.nav, dom.GetDocument, dom.GetDocumentParams{Depth: &depth, Pierce: &pierce})
	if err != nil {
		return 0, err
	}
	n := 0
	var walk func(*cdp.Node)
	walk = func(x *cdp.Node) {
		for _, s := range x.ShadowRoots {
			if s.ShadowRootType != cdp.ShadowRootTypeUserAgent {
				n++
			}
			walk(s)
		}
		for _, c := range x.Children {
			walk(c)
		}
	}
	walk(r.Root)
	return n, nil
}

// Parse gives the element trees of a batch of sources.
func (b *Browser) Parse(sources [][]byte) ([]Document, error) {
	ds, err := ask[[]dumped](b, "%s.map(x=>dump(parse(decode(x))))", encode(sources))
	out := make([]Document, len(ds))
	for i := range ds {
		out[i] = ds[i].Tree
	}
	return out, err
}

// Briefs gives the trees of a batch of sources as Document.Brief draws them.
func (b *Browser) Briefs(sources [][]byte) ([]string, error) {
	return ask[[]string](b, "%s.map(x=>brief(decode(x)))", encode(sources))
}

// Signatures gives for each source a text that is equal for documents equal in
// elements, attributes and (joined) text.
func (b *Browser) Signatures(sources [][]byte) ([]string, error) {
	return ask[[]string](b, "%s.map(x=>signature(parse(decode(x))))", encode(sources))
}

// Texts gives for each source and element the text directly in it, U+0001 in
// the place of each child element.
func (b *Browser) Texts(sources [][]byte) ([][]string, error) {
	return ask[[][]string](b, "%s.map(x=>texts(decode(x)))", encode(sources))
}

// Edit says what an edit that led from Before to After was meant to do.
type Edit struct {
	Before, After []byte
	Element       int    // index of the target in Before's document, in Document order
	Op            string // remove, set_attribute, remove_attribute, set_text
	Name          string // attribute; for set_text the index of the text node in the element, from "0"
	Value         string // attribute value, or text
}

// Verdict says how the document of After compares with Before's after the same
// change was made to it by script.
type Verdict struct {
	SameElements bool // shape, names and attributes
	Same         bool // text too
}

// Edits judges a batch of edits.
func (b *Browser) Edits(edits []Edit) ([]Verdict, error) {
	type request struct {
		A       string `json:"a"`
		B       string `json:"b"`
		Element int    `json:"element"`
		Op      string `json:"op"`
		Name    string `json:"name"`
		Value   string `json:"value"`
	}
	list := make([]request, len(edits))
	for i, e := range edits {
		list[i] = request{
			base64.StdEncoding.EncodeToString(e.Before), base64.StdEncoding.EncodeToString(e.After),
			e.Element, e.Op, e.Name, e.Value,
		}
	}
	q, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	bits, err := ask[[]int](b, "%s.map(edited)", q)
	out := make([]Verdict, len(bits))
	for i, v := range bits {
		out[i] = Verdict{SameElements: v&1 != 0, Same: v&2 != 0}
	}
	return out, err
}

// Births gives for each source the elements ("html:p") in the order in which
// the parser put them into the document. Those that came into it inside
// another are left out.
func (b *Browser) Births(sources [][]byte) ([][]string, error) {
	return ask[[][]string](b, "%s.map(x=>births(decode(x)))", encode(sources))
}
