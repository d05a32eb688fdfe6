package bundle

import (
	"fmt"
	"time"

	"proofmark/gateway/core"
)

// What the page says of things, in words.

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// made says how a version came to be.
func made(v Version, c *Change, generationOf map[string]int64) string {
	what := func(verb string) string {
		if c == nil || c.Reverts == "" {
			return verb + " an earlier change"
		}
		note := ""
		if c.RevertNote != 0 {
			note = fmt.Sprintf("note %d of ", c.RevertNote)
		}
		if g, ok := generationOf[c.Reverts]; ok {
			return fmt.Sprintf("%s %sthe change to version %d", verb, note, g)
		}
		return verb + " " + note + "a change older than this review"
	}
	switch v.Source {
	case core.SourceImport:
		return "The page as it was first opened"
	case core.SourceOutside:
		return "Changed by another program"
	case core.SourceTurn:
		return "Changed by notes"
	case core.SourceManual:
		return "Edited by hand"
	case core.SourceRevert:
		return what("Took back")
	case core.SourceRedo:
		return what("Put back")
	case core.SourceRestore:
		return "Restored an older version"
	}
	return string(v.Source)
}

var outcomes = map[string]string{"applied": "applied", "unchanged": "nothing to change", "answered": "answered", "refused": "refused"}

// why says why a target is context and not a place.
func why(s Standing) string {
	switch s.Reason {
	case "ambiguous":
		return "Several places could be the one that was meant."
	case unproven:
		if s.Why != "" {
			return "The place is not proved: " + s.Why + "."
		}
		return "The place is not proved."
	}
	if s.Proven {
		return fmt.Sprintf("It was found in version %d and not again in the newest.", s.Generation)
	}
	return "The place was not found again in the newest version."
}

// flags says what each kind of flag adds.
var flagWords = map[string]string{
	"script": "adds a script", "event_handler": "adds an event handler", "url_scheme": "adds an address that runs code",
	"external_origin": "loads from another origin", "base": "changes where relative addresses lead", "meta_refresh": "adds a redirect",
	"form_action": "changes where a form is sent", "service_worker": "adds a service worker", "frame": "adds a frame",
}

func flagWord(kind string) string {
	if w, ok := flagWords[kind]; ok {
		return w
	}
	return kind
}

// seen says in sentences what verification saw.
func seen(v *core.Verification) (good, bad []string) {
	if v == nil {
		return nil, nil
	}
	say := func(ok bool, yes, no string) {
		if ok {
			good = append(good, yes)
		} else {
			bad = append(bad, no)
		}
	}
	say(v.TreeMatches, "Chromium read the page as the source map says.", "Chromium read the page in another way than the source map says.")
	say(len(v.NewErrors) == 0, "No new errors.", plural(len(v.NewErrors), "new error", "new errors")+".")
	bad = append(bad, few(v.NewErrors)...)
	if len(v.MissingResources) > 0 {
		bad = append(bad, plural(len(v.MissingResources), "resource is newly missing", "resources are newly missing")+".")
		bad = append(bad, few(v.MissingResources)...)
	}
	if v.Width > 0 {
		say(v.PixelsOutside == 0, fmt.Sprintf("At %d × %d, %s of the pixels in the targets differ and none outside.", v.Width, v.Height, percent(v.PixelsInside)),
			fmt.Sprintf("At %d × %d, %s of the pixels in the targets differ and %s outside.", v.Width, v.Height, percent(v.PixelsInside), percent(v.PixelsOutside)))
	}
	if v.OutOfPicture > 0 {
		bad = append(bad, plural(v.OutOfPicture, "target lies", "targets lie")+" below the pictures and could not be compared.")
	}
	say(len(v.Layout) == 0, layoutKept(v.Compared), "The layout changed elsewhere:")
	bad = append(bad, few(v.Layout)...)
	for _, w := range v.Widths {
		say(len(w.NewErrors)+len(w.Layout) == 0 && w.PixelsOutside == 0,
			fmt.Sprintf("At %d wide: the same.", w.Width),
			fmt.Sprintf("At %d wide: %s, %s of the pixels outside the targets differ.", w.Width, plural(len(w.NewErrors)+len(w.Layout), "remark", "remarks"), percent(w.PixelsOutside)))
		bad = append(bad, few(w.NewErrors)...)
		bad = append(bad, few(w.Layout)...)
	}
	return good, bad
}

func layoutKept(compared int) string {
	if compared == 0 {
		return "Nothing was seen to move elsewhere."
	}
	return "The other elements kept their places (" + thousands(compared) + " compared)."
}

// few gives the first of many sentences.
func few(list []string) []string {
	const most = 6
	out := make([]string, 0, min(len(list), most+1))
	for i, s := range list {
		if i == most {
			out = append(out, fmt.Sprintf("… and %s more, in the data", thousands(len(list)-most)))
			break
		}
		out = append(out, visible(cut(s, maxSegment)))
	}
	return out
}

// percent writes a share; what is not nothing is never written as 0.
func percent(share float64) string {
	switch {
	case share == 0:
		return "none"
	case share < 0.0005:
		return "less than 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }
