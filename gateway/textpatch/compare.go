package textpatch

import "sort"

// hunk says that a[aStart:aEnd] became b[bStart:bEnd].
type hunk struct{ aStart, aEnd, bStart, bEnd int }

// maxDistance bounds the differences that the exact algorithm looks for in one
// stretch; its memory grows with the square.
const maxDistance = 1024

// compare gives the hunks in which two sequences of numbers differ, in order.
// It anchors on numbers that stand exactly once in both, as long as they keep
// their order, and compares what lies between them exactly (Myers, greedy). A
// stretch that is too different for the bounds becomes one hunk, and whole is
// false.
func compare(a, b []int32, budget *int) (out []hunk, whole bool) {
	c := comparer{a: a, b: b, budget: budget}
	c.stretch(0, len(a), 0, len(b), 0)
	return c.out, !c.gaveUp
}

type comparer struct {
	a, b   []int32
	budget *int
	out    []hunk
	gaveUp bool
}

// maxAnchorDepth bounds how often stretches between anchors are anchored anew.
const maxAnchorDepth = 16

func (c *comparer) stretch(a0, a1, b0, b1, depth int) {
	for a0 < a1 && b0 < b1 && c.a[a0] == c.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && c.a[a1-1] == c.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 || b0 == b1 {
		c.emit(a0, a1, b0, b1)
		return
	}
	*c.budget -= a1 - a0 + b1 - b0
	if depth < maxAnchorDepth && *c.budget > 0 {
		if anchors := c.anchors(a0, a1, b0, b1); len(anchors) > 0 {
			for _, p := range anchors {
				c.stretch(a0, p.a, b0, p.b, depth+1)
				a0, b0 = p.a+1, p.b+1
			}
			c.stretch(a0, a1, b0, b1, depth+1)
			return
		}
	}
	if !c.exact(a0, a1, b0, b1) {
		c.gaveUp = true
		c.emit(a0, a1, b0, b1)
	}
}

func (c *comparer) emit(a0, a1, b0, b1 int) {
	if a0 == a1 && b0 == b1 {
		return
	}
	if n := len(c.out); n > 0 && c.out[n-1].aEnd == a0 && c.out[n-1].bEnd == b0 {
		c.out[n-1].aEnd, c.out[n-1].bEnd = a1, b1
		return
	}
	c.out = append(c.out, hunk{a0, a1, b0, b1})
}

// anchor is a place in both sequences that stays the same.
type anchor struct{ a, b int }

// anchors gives the longest chain of numbers that stand once in each stretch
// and in the same order in both.
func (c *comparer) anchors(a0, a1, b0, b1 int) []anchor {
	type count struct {
		inA, inB int32
		at       int32 // in b
	}
	seen := make(map[int32]count, a1-a0)
	for _, id := range c.a[a0:a1] {
		n := seen[id]
		n.inA++
		seen[id] = n
	}
	for i := b0; i < b1; i++ {
		if n, ok := seen[c.b[i]]; ok {
			n.inB++
			n.at = int32(i)
			seen[c.b[i]] = n
		}
	}
	var pairs []anchor
	for i := a0; i < a1; i++ {
		if n := seen[c.a[i]]; n.inA == 1 && n.inB == 1 {
			pairs = append(pairs, anchor{i, int(n.at)})
		}
	}
	return longestChain(pairs)
}

// longestChain gives the longest subsequence of pairs, which are sorted by a,
// that is sorted by b as well.
func longestChain(pairs []anchor) []anchor {
	if len(pairs) == 0 {
		return nil
	}
	prev := make([]int, len(pairs))
	var tails []int // tails[k]: the pair a chain of k+1 can end with at the least b
	for i, p := range pairs {
		k := sort.Search(len(tails), func(k int) bool { return pairs[tails[k]].b > p.b })
		prev[i] = -1
		if k > 0 {
			prev[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	out := make([]anchor, len(tails))
	for i, k := tails[len(tails)-1], len(tails)-1; k >= 0; i, k = prev[i], k-1 {
		out[k] = pairs[i]
	}
	return out
}

// exact finds a shortest edit script of the stretch and emits it; false where
// the bounds do not allow it.
func (c *comparer) exact(a0, a1, b0, b1 int) bool {
	a, b := c.a[a0:a1], c.b[b0:b1]
	n, m := len(a), len(b)
	limit := min(n+m, maxDistance)
	v := make([]int32, 2*limit+3) // furthest x on diagonal k, at k+limit+1
	mid := limit + 1
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		*c.budget -= d + 1
		if *c.budget < 0 {
			return false
		}
		trace = append(trace, append([]int32(nil), v[mid-d-1:mid+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := v[mid+k-1] + 1
			if k == -d || k != d && v[mid+k-1] < v[mid+k+1] {
				x = v[mid+k+1]
			}
			y := x - int32(k)
			for int(x) < n && int(y) < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[mid+k] = x
			if int(x) >= n && int(y) >= m {
				c.backtrack(trace, n, m, a0, b0)
				return true
			}
		}
	}
	return false
}

// backtrack walks the trace from the end and emits the hunks in order.
func (c *comparer) backtrack(trace [][]int32, n, m, a0, b0 int) {
	var rev []hunk
	x, y := n, m
	for d := len(trace) - 1; d > 0; d-- {
		v := trace[d] // of the round before; v[k+d+1] is diagonal k
		k := x - y
		pk := k - 1
		if k == -d || k != d && v[k-1+d+1] < v[k+1+d+1] {
			pk = k + 1
		}
		px := int(v[pk+d+1])
		py := px - pk
		if pk < k { // a token of a went
			rev = append(rev, hunk{px, px + 1, py, py})
		} else {
			rev = append(rev, hunk{px, px, py, py + 1})
		}
		x, y = px, py
	}
	for i := len(rev) - 1; i >= 0; i-- {
		h := rev[i]
		c.emit(a0+h.aStart, a0+h.aEnd, b0+h.bStart, b0+h.bEnd)
	}
}
