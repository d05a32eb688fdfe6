package proof

// embed fits the shorter of two lists, a things and b things long, into the
// longer one in order, each thing at one it fits. It gives for each of the
// first list the one of the second it is in every possible way, -1 where ways
// differ; false where there is no way at all. Lists of one length have one way.
func embed(a, b int, fits func(i, j int) bool) ([]int, bool) {
	out := make([]int, a)
	if a <= b {
		left, ok := leftmost(a, b, fits)
		if !ok {
			return nil, false
		}
		right := rightmost(a, b, fits)
		for i := range out {
			out[i] = -1
			if left[i] == right[i] {
				out[i] = left[i]
			}
		}
		return out, true
	}
	back := func(j, i int) bool { return fits(i, j) }
	left, ok := leftmost(b, a, back)
	if !ok {
		return nil, false
	}
	right := rightmost(b, a, back)
	for i := range out {
		out[i] = -1
	}
	for j := range left {
		if left[j] == right[j] {
			out[left[j]] = j
		}
	}
	return out, true
}

// leftmost takes for each short thing the first long one that is left. No way
// puts any of them further left.
func leftmost(short, long int, fits func(i, j int) bool) ([]int, bool) {
	at := make([]int, short)
	j := 0
	for i := range at {
		for j < long && !fits(i, j) {
			j++
		}
		if j == long {
			return nil, false
		}
		at[i] = j
		j++
	}
	return at, true
}

// rightmost is leftmost from the end; it is asked only where a way exists.
func rightmost(short, long int, fits func(i, j int) bool) []int {
	at := make([]int, short)
	j := long - 1
	for i := short - 1; i >= 0; i-- {
		for j > 0 && !fits(i, j) {
			j--
		}
		at[i] = j
		j--
	}
	return at
}
