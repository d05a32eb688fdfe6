package builtin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what the grammar reads; longer instructions are not plain ones.
const (
	maxInstructionBytes = 600 // quoted pieces apart
	maxClauseBytes      = 300
	maxPieces           = 16
)

// separator stands between clauses: punctuation, and, then, 并, 然后.
var separator = regexp.MustCompile(`(?i)(?:\s*[,;]\s*(?:and\s+)?(?:then\s+)?(?:also\s+)?|\s+(?:and\s+then|and\s+also|and|then|plus|&)\s+|\.\s+(?:then\s+)?|\s*\n\s*|\s*[，。；、！]\s*(?:然后再?|并且?|同时|而且|接着|再|也)?|\s*(?:然后再?|并且|并|同时|而且|以及|接着|再|和)\s*)`)

var (
	politeHead = regexp.MustCompile(`(?i)^(?:please|pls|kindly|(?:could|can|would|will) you(?: please)?(?: just)?|(?:could|can|should) we|i(?: would|['’]d) like you to|i want you to|let['’]?s|just|now|then|also|and|ok(?:ay)?,?|hey,?|hi,?|hello,?|simply|go ahead and|you should|we should|we need to|you need to|you can)\s+`)
	politeTail = regexp.MustCompile(`(?i)(?:\s*,?\s*(?:please|pls|thanks|thank you|thx|for me|instead|too|as well|right now|now))$`)
	askHead    = regexp.MustCompile(`(?i)^(?:please\s+)?(?:could|can|would|will) (?:you|we)\b`)
	zhHead     = regexp.MustCompile(`^(?:请问|请你|请您|请|麻烦你?您?|劳驾|帮我|帮忙|帮|给我|替我|能不能|能否|可不可以|可以|能|我想要?|我要|我希望|希望|需要|想|现在|首先|先|直接|就|最后|你能|你可以|您能|您可以|你好|您好|嗨|[,，\s])+`)
	zhTail     = regexp.MustCompile(`(?:一下|吧|谢谢你?您?|好吗|可以吗|行吗|好不好|呢|哦|啊|呀|了|就行|就好|即可|就可以了?|[,，\s])+$`)
	zhAsk      = regexp.MustCompile(`^(?:请问)?(?:你|您)?(?:能不能|能否|可不可以|可以|能).*(?:吗[？?。]?|[？?])$|^(?:能不能|能否|可不可以)|(?:好吗|可以吗|行吗|好不好)[？?]?$`)
)

// isChinese tells whether an instruction is written in Chinese, quoted pieces
// apart.
func isChinese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// parse reads a whole instruction. It gives all its steps, or nothing where any
// part of it is not understood.
func parse(instruction string) ([]step, bool) {
	s := strings.TrimSpace(instruction)
	if s == "" || !utf8.ValidString(s) || len(s) > maxInstructionBytes+maxQuotedBytes {
		return nil, false
	}
	p, ok := unquote(s)
	if !ok || len(p.text) > maxInstructionBytes {
		return nil, false
	}
	chinese := isChinese(p.text)
	rest, ok := trimPolite(p.text, chinese)
	if !ok {
		return nil, false
	}
	r := reader{phrase: p, chinese: chinese, text: rest, memo: map[[2]int]bool{}}
	r.cut()
	if len(r.pieces) == 0 || len(r.pieces) > maxPieces {
		return nil, false
	}
	return r.from(0, carry{first: true})
}

// maxQuotedBytes bounds all quoted pieces together.
const maxQuotedBytes = 12 << 10

// trimPolite takes courtesies and end punctuation off. A question that does not
// ask for something to be done is no instruction.
func trimPolite(s string, chinese bool) (string, bool) {
	asks := askHead.MatchString(s) || zhAsk.MatchString(strings.TrimSpace(s))
	for {
		before := s
		s = strings.TrimSpace(s)
		if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
			if !asks {
				return "", false
			}
			s = strings.TrimRight(s, "?？")
		}
		s = strings.TrimRight(s, "!！。 \t\r\n，,;；")
		if !strings.HasSuffix(s, "..") {
			s = strings.TrimSuffix(s, ".")
		}
		if chinese {
			s = zhHead.ReplaceAllString(s, "")
			if asks {
				s = strings.TrimSuffix(s, "吗")
			}
			s = zhTail.ReplaceAllString(s, "")
		}
		s = politeTail.ReplaceAllString(politeHead.ReplaceAllString(s, ""), "")
		if s == before {
			return s, s != ""
		}
	}
}

// reader puts the pieces between separators together to clauses.
type reader struct {
	phrase  phrase
	chinese bool
	text    string
	pieces  [][2]int // where each piece begins and ends in text
	memo    map[[2]int]bool
}

// carry is what a clause leaves for the next one, which may leave it out: "make
// it bold and red", "set alt to “a” and title to “b”".
type carry struct {
	first   bool
	looking bool // the clause before said how it should look
	setting bool // the clause before set an attribute
	noun    string
}

func (c carry) code() int {
	n := 0
	for i, b := range []bool{c.first, c.looking, c.setting} {
		if b {
			n |= 1 << i
		}
	}
	return n
}

func (r *reader) cut() {
	at := 0
	for _, m := range separator.FindAllStringIndex(r.text, -1) {
		if m[0] > at {
			r.pieces = append(r.pieces, [2]int{at, m[0]})
			at = m[1]
		} else if m[0] == at {
			at = m[1]
		}
	}
	if at < len(r.text) {
		r.pieces = append(r.pieces, [2]int{at, len(r.text)})
	}
}

// from reads the pieces from i on: the shortest clause first, longer ones where
// the rest cannot be read otherwise.
func (r *reader) from(i int, c carry) ([]step, bool) {
	if i == len(r.pieces) {
		return nil, true
	}
	key := [2]int{i, c.code()}
	if r.memo[key] {
		return nil, false // was tried and failed
	}
	for j := i; j < len(r.pieces); j++ {
		s := strings.TrimSpace(r.text[r.pieces[i][0]:r.pieces[j][1]])
		if len(s) > maxClauseBytes {
			break
		}
		steps, ok := r.clause(s, c)
		if !ok {
			continue
		}
		if rest, ok := r.from(j+1, after(steps)); ok {
			return append(steps, rest...), true
		}
	}
	r.memo[key] = true
	return nil, false
}

func after(steps []step) carry {
	last := steps[len(steps)-1]
	return carry{looking: last.Kind == setStyle, setting: last.Kind == setAttribute, noun: last.Noun}
}

// clause reads one clause.
func (r *reader) clause(s string, c carry) ([]step, bool) {
	s, ok := trimPolite(s, r.chinese)
	if !ok {
		return nil, false
	}
	tries := []func() ([]step, bool){
		func() ([]step, bool) { return read(englishRules(), r.phrase, s, false) },
	}
	if r.chinese {
		tries = []func() ([]step, bool){
			func() ([]step, bool) { return read(chineseRules(), r.phrase, s, true) },
			func() ([]step, bool) {
				if isChinese(s) {
					return nil, false
				}
				return read(englishRules(), r.phrase, s, false)
			},
		}
	}
	for _, try := range tries {
		if steps, ok := try(); ok {
			return steps, true
		}
	}
	if c.first || c.looking {
		if st, ok := look(s); ok {
			st.Noun = c.noun
			return []step{st.painted(s)}, true
		}
	}
	if c.setting || c.looking {
		return read(englishRules(), r.phrase, "set "+s, r.chinese)
	}
	return nil, false
}
