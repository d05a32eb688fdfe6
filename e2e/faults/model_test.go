//go:build unix

package faults

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The model knows nothing of bytes, edits or databases: a page is four words, a
// version is a page, and a change sets some of the words.
type words4 [4]string

var cells = regexp.MustCompile(`<p id="([a-d])">([A-Za-z]*)</p>`)

// page gives the whole text of a page.
func (w words4) page() string {
	return cells.ReplaceAllStringFunc(first, func(m string) string {
		i := cells.FindStringSubmatch(m)[1][0] - 'a'
		return fmt.Sprintf(`<p id="%c">%s</p>`, 'a'+i, w[i])
	})
}

// wordsOf reads the words of a page; ok tells that the page is nothing else.
func wordsOf(text string) (w words4, ok bool) {
	for _, m := range cells.FindAllStringSubmatch(text, -1) {
		w[m[1][0]-'a'] = m[2]
	}
	return w, w.page() == text
}

// version is a revision of the model, with what led to it.
type version struct {
	words  words4
	source string
	change string

	backs   int  // how often its change was taken back
	partial bool // single notes of its change were taken back
}

// model is a document and its file.
type model struct {
	line  []version
	file  string
	undos []int // reverts that redo puts back, the newest last
	odd   bool  // a revert or redo was itself taken back: redo is not foretold then
}

func (m *model) head() words4 { return m.line[len(m.line)-1].words }

// touched gives the cells version i changed.
func (m *model) touched(i int) (out []int) {
	for c := range 4 {
		if m.line[i].words[c] != m.line[i-1].words[c] {
			out = append(out, c)
		}
	}
	return out
}

// back gives the head with the cells of version i as they were before it.
func (m *model) back(i int, cells []int) words4 {
	w := m.head()
	for _, c := range cells {
		w[c] = m.line[i-1].words[c]
	}
	return w
}

// later tells whether a version after i changed one of the cells.
func (m *model) later(i int, cells []int) bool {
	for j := i + 1; j < len(m.line); j++ {
		if slices.ContainsFunc(m.touched(j), func(c int) bool { return slices.Contains(cells, c) }) {
			return true
		}
	}
	return false
}

// step is a command and what the model says of it.
type step struct {
	args    []string
	source  string
	of      int // see version
	note    bool
	mine    string                        // what stands in mine.html
	next    func(m *model) (words4, bool) // after an outside change was imported; false where it is not foretold
	mayFail func(m *model, code string) bool
}

// Long names, so that two words have little in common.
var vocabulary = []string{"quartz", "BLIMP", "fjord", "WYVERN", "oxide", "KUMQUAT", "zephyr", "JACKAL", "alpha", "Bob"}

// random gives the next step.
func (m *model) random(r *rand.Rand) step {
	switch n := r.IntN(10); {
	case n < 3:
		g := r.IntN(len(m.line))
		return step{
			args: []string{"restore", "page.html", itoa(g + 1)}, source: "restore",
			next:    func(m *model) (words4, bool) { return m.line[g].words, true },
			mayFail: func(m *model, code string) bool { return code == "no_op" && m.line[g].words == m.head() },
		}
	case n < 5:
		return step{
			args: []string{"redo", "page.html"}, source: "redo",
			next: func(m *model) (words4, bool) {
				if len(m.undos) == 0 || m.odd {
					return words4{}, false
				}
				i := m.undos[len(m.undos)-1]
				return m.back(i, m.touched(i)), true
			},
			mayFail: func(m *model, code string) bool {
				return code == "nothing_to_redo" && (len(m.undos) == 0 || m.odd)
			},
		}
	}
	if r.IntN(3) == 0 {
		return m.edited(r)
	}
	i := 1 + r.IntN(len(m.line)-1)
	s := step{args: []string{"revert", "page.html", m.line[i].change}, source: "revert", of: i}
	touched := m.touched(i)
	if m.line[i].source == "turn" && r.IntN(2) == 0 {
		s.note = true
		n := r.IntN(2)
		s.args = append(s.args, "--note", itoa(n+1))
		touched = touched[n : n+1]
	}
	s.next = func(m *model) (words4, bool) { return m.back(i, touched), !m.line[i].partial }
	s.mayFail = func(m *model, code string) bool {
		switch code {
		case "overlaps_later":
			return m.later(i, touched)
		case "no_op":
			return m.line[i].backs > 0 || m.odd || m.back(i, touched) == m.head()
		}
		return false
	}
	return s
}

// edited gives the taking of a person's own text, made from some version: it is
// joined with what was changed since, or refused where both changed one word.
func (m *model) edited(r *rand.Rand) step {
	g, c, word := r.IntN(len(m.line)), r.IntN(4), vocabulary[r.IntN(len(vocabulary))]
	base := m.line[g].words
	mine := base
	mine[c] = word
	return step{
		args: []string{"source", "page.html", "--from", "mine.html", "--base", itoa(g + 1)}, source: "manual", mine: mine.page(),
		next: func(m *model) (words4, bool) {
			w := m.head()
			w[c] = word
			return w, true
		},
		mayFail: func(m *model, code string) bool {
			switch code {
			case "no_op":
				return word == base[c] || word == m.head()[c]
			case "head_moved":
				return m.head()[c] != base[c]
			}
			return false
		},
	}
}

// T-83, D-48, R-DOC-3, R-DOC-8: random sequences of revert, restore, redo, outside changes
// and kills, through the real binary, beside the model.
func TestRandomSequences(t *testing.T) {
	const parts = 8
	for part := range parts {
		t.Run(itoa(part), func(t *testing.T) {
			t.Parallel()
			inPlace(t, func(p *place) {
				for n := part; n < either(1000, 12); n += parts {
					sequence(p, n)
				}
			})
		})
	}
}

func sequence(p *place, n int) {
	p.home()
	r := rand.New(rand.NewPCG(uint64(n), 4))
	m := &model{file: second}
	for _, rev := range p.line() {
		w, _ := wordsOf(p.text(rev.Generation))
		m.line = append(m.line, version{words: w, source: rev.Source, change: rev.ChangeSet})
	}
	var told []string
	for range 6 + r.IntN(6) {
		if r.IntN(5) == 0 { // another program
			w := m.head()
			w[r.IntN(4)] = vocabulary[r.IntN(len(vocabulary))]
			m.file = w.page()
			p.write(m.file)
			told = append(told, fmt.Sprintf("outside %v", w))
		}
		s := m.random(r)
		p.mine(s.mine)
		fault := ""
		if r.IntN(4) == 0 {
			fault = fmt.Sprintf("kill@%d", 1+r.IntN(220))
		}
		if r.IntN(6) == 0 {
			s.args = append(s.args, "--write", "never")
		}
		told = append(told, fault+" "+strings.Join(s.args, " "))
		m.take(p, fmt.Sprintf("sequence %d: %s", n, strings.Join(told, "; ")), s, p.run(fault, append(s.args, "--json")...))
	}
	f := p.look(fmt.Sprintf("sequence %d", n))
	for g, v := range m.line {
		if g+1 > len(f.line) || p.text(g+1) != v.words.page() {
			p.t.Fatalf("sequence %d: generation %d is not %v: %s", n, g+1, v.words, strings.Join(told, "; "))
		}
	}
}

// take compares what a step did with what the model says, and follows it.
func (m *model) take(p *place, label string, s step, r result) {
	p.t.Helper()
	if r.killed {
		kills.Add(1)
	}
	line := p.line()
	if len(line) < len(m.line) {
		p.t.Fatalf("%s: the history has %d versions, it had %d", label, len(line), len(m.line))
	}
	fresh := line[len(m.line):]
	if len(fresh) > 0 && fresh[0].Source == "outside" {
		w, _ := wordsOf(m.file)
		if fresh[0].SHA256 != sum(m.file) || w == m.head() {
			p.t.Fatalf("%s: an outside change nobody made", label)
		}
		m.line = append(m.line, version{words: w, source: "outside", change: fresh[0].ChangeSet})
		m.undos, fresh = nil, fresh[1:]
	}
	var o outcome
	if !r.killed {
		o = decode[outcome](p.t, r)
	}
	next, exact := s.next(m)
	switch {
	case len(fresh) > 1 || len(fresh) == 1 && o.Error != nil:
		p.t.Fatalf("%s: too many versions: %v: %s", label, fresh, r)
	case len(fresh) == 1:
		m.push(p, label, s, fresh[0], next, exact)
	case o.Error != nil && o.Error.Code == "outside_change" && r.code == 4:
		// The file and the history went apart; a person puts the newest version there.
		if m.file == m.head().page() || p.read() != m.file {
			p.t.Fatalf("%s: %s", label, r)
		}
		m.file = m.head().page()
		p.write(m.file)
		return
	case o.Error != nil && !s.mayFail(m, o.Error.Code):
		p.t.Fatalf("%s: the head is %v: %s", label, m.head(), r)
	case o.Error == nil && !r.killed && o.SHAAfter != sum(m.head().page()):
		p.t.Fatalf("%s: nothing was made: %s", label, r)
	}
	now := p.read()
	switch ours := m.head().page(); {
	case now == m.file && (r.killed || o.Error != nil || !o.Written):
	case now == ours && (r.killed || o.Written):
	default:
		p.t.Fatalf("%s: the page is %q, it was %q: %s", label, now, m.file, r)
	}
	m.file = now
}

// push follows a step that made a version.
func (m *model) push(p *place, label string, s step, made revision, next words4, exact bool) {
	p.t.Helper()
	w, ok := wordsOf(p.text(made.Generation))
	if !ok || made.Source != s.source || exact && w != next {
		p.t.Fatalf("%s: made %v by %s, want %v", label, w, made.Source, next)
	}
	for c := range 4 { // where it is not foretold, each cell is as it is or as it was
		if !exact && w[c] != m.head()[c] && w[c] != next[c] && s.source == "revert" {
			p.t.Fatalf("%s: made %v of %v", label, w, m.head())
		}
	}
	v := version{words: w, source: s.source, change: made.ChangeSet}
	switch s.source {
	case "revert":
		t := &m.line[s.of]
		t.backs++
		t.partial = t.partial || s.note
		if m.odd = m.odd || t.source == "revert" || t.source == "redo"; !m.odd {
			m.undos = append(m.undos, len(m.line))
		}
	case "redo":
		if last := len(m.undos) - 1; last >= 0 {
			m.line[m.undos[last]].backs++ // the revert is what was taken back
			m.undos = m.undos[:last]
		}
	default:
		m.undos = nil
	}
	m.line = append(m.line, v)
}
