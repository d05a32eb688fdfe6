package bundle

import "proofmark/gateway/core"

// What was recorded of a change: its notes, what verification saw, and flags.

func (s *scanner) note() (n core.NoteOutcome) {
	n.Targets = []core.TargetOutcome{}
	s.object("order outcome targets", func(key string) bool {
		switch key {
		case "order":
			n.Order = int(s.int(1, mostNote))
		case "instruction":
			n.Instruction = s.text(maxWords)
		case "outcome":
			n.Outcome = oneOf(s, []string{"applied", "unchanged", "answered", "refused"})
		case "reason":
			n.Reason = s.text(maxWords)
		case "targets":
			s.list(maxTargets, func() { n.Targets = append(n.Targets, s.targetOutcome()) })
		default:
			return false
		}
		return true
	})
	return n
}

func (s *scanner) targetOutcome() (t core.TargetOutcome) {
	s.object("resolution start", func(key string) bool {
		switch key {
		case "resolution":
			t.Resolution = oneOf(s, []core.Resolution{core.Exact, core.Contextual})
		case "reason":
			t.Reason = s.text(maxWords)
		case "name":
			t.Name = s.text(maxName)
		case "start":
			if !s.null() {
				p := s.span()
				t.Start = &p
			}
		case "sharedBy":
			t.SharedBy = int(s.int(0, core.MaxElements))
		default:
			return false
		}
		return true
	})
	return t
}

func (s *scanner) flag() (f core.PolicyFlag) {
	s.object("kind detail", func(key string) bool {
		switch key {
		case "kind":
			f.Kind = s.text(maxName)
		case "detail":
			f.Detail = s.text(maxWords)
		default:
			return false
		}
		return true
	})
	return f
}

// words reads a list of sentences.
func (s *scanner) words() []string {
	out := []string{}
	s.list(maxRemarks, func() { out = append(out, s.text(maxWords)) })
	return out
}

const mostPixels = 1 << 20 // of a width or height

func (s *scanner) verification() *core.Verification {
	v := &core.Verification{}
	s.object("candidateSha newErrors missingResources treeMatches pixelsInside pixelsOutside width height elementsCompared", func(key string) bool {
		switch key {
		case "candidateSha":
			if v.CandidateSHA = s.text(64); v.CandidateSHA != "" && s.err == nil && !shaForm.MatchString(v.CandidateSHA) {
				s.fail(core.InvalidBundle, "%s is not a SHA-256 in lower-case hexadecimal", short(v.CandidateSHA))
			}
		case "newErrors":
			v.NewErrors = s.words()
		case "missingResources":
			v.MissingResources = s.words()
		case "treeMatches":
			v.TreeMatches = s.bool()
		case "pixelsInside":
			v.PixelsInside = s.share()
		case "pixelsOutside":
			v.PixelsOutside = s.share()
		case "outOfPicture":
			v.OutOfPicture = int(s.int(0, mostCount))
		case "width":
			v.Width = int(s.int(0, mostPixels))
		case "height":
			v.Height = int(s.int(0, mostPixels))
		case "layout":
			v.Layout = s.words()
		case "elementsCompared":
			v.Compared = int(s.int(0, mostCount))
		case "widths":
			s.list(64, func() { v.Widths = append(v.Widths, s.widthLook()) })
		default:
			return false
		}
		return true
	})
	return v
}

func (s *scanner) widthLook() (w core.WidthLook) {
	s.object("width pixelsInside pixelsOutside", func(key string) bool {
		switch key {
		case "width":
			w.Width = int(s.int(0, mostPixels))
		case "newErrors":
			w.NewErrors = s.words()
		case "layout":
			w.Layout = s.words()
		case "pixelsInside":
			w.PixelsInside = s.share()
		case "pixelsOutside":
			w.PixelsOutside = s.share()
		default:
			return false
		}
		return true
	})
	return w
}
