package oracle

import (
	"fmt"
	"regexp"
)

// Source says which tag made an element, as the browser shows it.
type Source struct {
	Start  int  // offset of the '<', -1 for none
	Shared bool // the tag makes other elements too
	Merged bool // html or body: the tag only added attributes
}

// Tagged is a document with the source of each element.
type Tagged struct {
	Document Document
	Sources  []Source
	Unsure   []int // offsets of tags that the browser could not be asked about: clones of these count as having none
}

type candidate struct {
	Same     bool   `json:"same"`
	Via      string `json:"via"`
	Elements []int  `json:"elements"`
	PreHTML  bool   `json:"preHTML"`
	PreBody  bool   `json:"preBody"`
}

var tagStart = regexp.MustCompile(`<[a-zA-Z]`)

// Tags asks the browser, independently of any other tokenizer, which tag of
// each source makes which element. It costs three parses for every "<letter".
func (b *Browser) Tags(sources [][]byte) ([]Tagged, error) {
	answers, err := ask[[]struct {
		Tree       Document    `json:"tree"`
		Candidates []candidate `json:"candidates"`
	}](b, "%s.map(x=>tags(decode(x)))", encode(sources))
	if err != nil {
		return nil, err
	}
	out := make([]Tagged, len(answers))
	for i, a := range answers {
		at := tagStart.FindAllIndex(sources[i], -1)
		if len(at) != len(a.Candidates) {
			return nil, fmt.Errorf("oracle: %d tag starts in the bytes, %d in the text", len(at), len(a.Candidates))
		}
		out[i] = decide(a.Tree, at, a.Candidates)
	}
	return out, nil
}

// decide turns the answers about tags into one source for each element. Where
// two tags claim an element, the smaller offset encloses the other.
func decide(tree Document, at [][]int, candidates []candidate) Tagged {
	d := Tagged{Document: tree, Sources: make([]Source, len(tree))}
	for i := range d.Sources {
		d.Sources[i].Start = -1
	}
	users := map[int]int{}
	for k, c := range candidates {
		start := at[k][0]
		if !c.Same && len(c.Elements) > 0 || c.Via == "comment" {
			d.Unsure = append(d.Unsure, start)
		}
		if !c.Same {
			continue
		}
		for _, e := range c.Elements {
			if d.Sources[e].Start >= 0 {
				continue
			}
			html := e == 0 && tree[e].Name == "html"
			body := tree[e].Name == "body" && tree[e].Parent == 0
			d.Sources[e] = Source{Start: start, Merged: html && !c.PreHTML || body && !c.PreBody}
			users[start]++
		}
	}
	for i := range d.Sources {
		s := &d.Sources[i]
		s.Shared = s.Start >= 0 && users[s.Start] > 1
	}
	return d
}
