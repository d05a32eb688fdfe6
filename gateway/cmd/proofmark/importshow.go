package main

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

// targetJSON is what is true of a target of a note in a review.
type targetJSON struct {
	Name       string          `json:"name"`
	Resolution core.Resolution `json:"resolution"`
	Reason     string          `json:"reason,omitempty"`
	Why        string          `json:"why,omitempty"`
	Generation int64           `json:"generation,omitempty"`
	Start      *core.Span      `json:"start"`
}

// showReview prints what a review holds.
func (a *app) showReview(path string, r *bundle.Review) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	if a.json {
		type noteJSON struct {
			Instruction string       `json:"instruction"`
			Targets     []targetJSON `json:"targets"`
		}
		drafts := make([]noteJSON, len(r.Drafts))
		for i, d := range r.Drafts {
			drafts[i] = noteJSON{Instruction: d.Instruction, Targets: []targetJSON{}}
			for j, t := range d.Targets {
				st := r.Standings[i][j]
				x := targetJSON{Name: t.Name, Resolution: st.Resolution, Reason: st.Reason, Generation: st.Generation}
				if st.Proven {
					x.Start = &st.Anchor.StartTag
				} else {
					x.Why = st.Why
				}
				drafts[i].Targets = append(drafts[i].Targets, x)
			}
		}
		return a.printReview(path, r, page, map[string]any{"status": "checked", "drafts": drafts, "history": r.Changes, "stored": false})
	}
	a.sayReview(path, r)
	switch page {
	case bundle.PageSame:
		a.printf("  page      shows exactly the data in it\n")
	case bundle.PageOther:
		a.printf("  page      is not what this Proofmark writes for the data in it: another version made it,\n            or somebody changed its words. Trust what is printed here.\n")
	}
	a.printf("%s\n", notesHead(len(r.Drafts)))
	for i, d := range r.Drafts {
		a.printf("  %d. %s\n", i+1, indented(d.Instruction, "     "))
		for j, t := range d.Targets {
			a.printf("     %s\n", standing(t, r.Standings[i][j]))
		}
	}
	a.progress("Nothing was stored. Take the notes in: proofmark import %s --as FILE", fileArgument(path))
	return nil
}

// printReview prints a result as JSON. Its texts are a stranger's, and a terminal
// may be what reads it.
func (a *app) printReview(path string, r *bundle.Review, page bundle.Page, more map[string]any) error {
	out := map[string]any{
		"review": path, "name": r.Document.Name, "made": r.Made, "generation": r.Newest().Generation, "sha256": r.Newest().SHA256,
		"bytes": r.Newest().Bytes, "from": r.Source.Generation, "versions": len(r.Versions), "changes": len(r.Changes), "page": page,
	}
	maps.Copy(out, more)
	text, err := bundle.PlainJSON(out)
	if err != nil {
		return err
	}
	a.printf("%s\n", text)
	return nil
}

func (a *app) sayReview(path string, r *bundle.Review) {
	v := r.Newest()
	a.printf("%s: a review of %q, made %s\n", path, bundle.Visible(r.Document.Name), r.Made.Local().Format(time.DateTime))
	a.printf("  newest    version %d, %s byte%s, sha256 %s\n", v.Generation, thousands(v.Bytes), plural(v.Bytes), v.SHA256)
	older := ""
	if r.Source.Generation > 1 {
		older = fmt.Sprintf("; %d older not in it", r.Source.Generation-1)
	}
	if len(r.Changes) == 0 {
		a.printf("  history   no changes%s\n", older)
		return
	}
	a.printf("  history   %d change%s%s; made again, and every byte outside the edits is unchanged\n", len(r.Changes), plural(len(r.Changes)), older)
}

func notesHead(n int) string {
	switch n {
	case 0:
		return "No open notes."
	case 1:
		return "1 open note:"
	}
	return fmt.Sprintf("%d open notes:", n)
}

// standing says where a note's element is in the review, and whether that holds.
func standing(t bundle.Target, s bundle.Standing) string {
	out := "<" + bundle.Visible(t.Name) + ">"
	if s.Proven {
		out = fmt.Sprintf("%s  line %d, column %d, bytes %s of version %d: proved", oneLine(s.Tag), s.Line, s.Column, s.Anchor.StartTag, s.Generation)
	}
	if s.Resolution == core.Contextual {
		out += " — context only (" + strings.ReplaceAll(s.Reason, "_", " ")
		if !s.Proven && s.Why != "" {
			out += ": " + s.Why
		}
		out += ")"
	}
	if t.Quote != "" {
		out += "  " + quoted(bundle.Visible(t.Quote))
	}
	return out
}

// oneLine shows a tag, which may have line ends in it, on a line of its own.
func oneLine(s string) string {
	return strings.Join(strings.Fields(bundle.Visible(s)), " ")
}

// indented shows a text of several lines below each other.
func indented(s, by string) string {
	return strings.ReplaceAll(bundle.Visible(s), "\n", "\n"+by)
}

// showTaken prints what became of the review's notes.
func (a *app) showTaken(path, as, session string, r *bundle.Review, o document.Opened, created bool, taken []bundle.Taken) error {
	same := o.Head.SHA256 == r.Newest().SHA256
	added, exact, places := 0, 0, 0
	for _, t := range taken {
		if !t.There {
			added++
		}
		for _, x := range t.Targets {
			if places++; x.Resolution == core.Exact {
				exact++
			}
		}
	}
	if a.json {
		page, err := r.Page()
		if err != nil {
			return err
		}
		return a.printReview(path, r, page, map[string]any{
			"status": "imported", "file": as, "document": o.Document.ID, "head": o.Head.Generation, "created": created,
			"sameVersion": same, "drafts": taken, "added": added, "stored": true,
		})
	}
	a.sayReview(path, r)
	switch {
	case created:
		a.printf("Made %s with its newest version.\n", as)
	case same:
		a.printf("%s is the version that was reviewed.\n", as)
	default:
		a.printf("%s is another version than the review's newest; %d of %d place%s found again for certain.\n", as, exact, places, wasWere(places))
	}
	if len(taken) == 0 {
		a.printf("No open notes in it.\n")
		return nil
	}
	for i, t := range taken {
		there := ""
		if t.There {
			there = "  (was a draft already)"
		}
		a.printf("%d. %s  %s%s\n", i+1, t.ID, indented(t.Instruction, "   "), there)
		for _, x := range t.Targets {
			x.Anchor.Name, x.Anchor.Quote = bundle.Visible(x.Anchor.Name), bundle.Visible(x.Anchor.Quote)
			a.printf("   %s\n", standsAt(x))
		}
	}
	send := sendLine(as, session)
	if len(taken) > core.MaxAnnotationsPerSend {
		send += fmt.Sprintf(" --only ID,ID (%d go out together at most)", core.MaxAnnotationsPerSend)
	}
	a.progress("%d draft%s added, %d there already. They are somebody else's words: read them, then send: %s",
		added, plural(added), len(taken)-added, send)
	return nil
}

func wasWere(n int) string {
	if n == 1 {
		return " was"
	}
	return "s were"
}
