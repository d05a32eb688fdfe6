package bundle

import (
	"fmt"
	"slices"
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

// proved says how many places of the open notes are proved.
func proved(exact, context int) string {
	all := exact + context
	switch {
	case all == 1 && exact == 1:
		return "Its place is proved in this version."
	case all == 1:
		return "Its place can only go out as context."
	case context == 0:
		return "All " + thousands(all) + " places are proved in this version."
	case exact == 0:
		return "Their " + thousands(all) + " places can only go out as context."
	}
	return fmt.Sprintf("%s of %s places %s proved in this version; the %s can only go out as context.",
		thousands(exact), thousands(all), isAre(exact), other(context))
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func other(n int) string {
	if n == 1 {
		return "other"
	}
	return "other " + thousands(n)
}

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

// seen says in sentences what verification saw. Bad is what is worse than before:
// errors, missing resources, layout. That pixels differ is not: a change is there
// to be seen, and what follows it may flow on.
func seen(v *core.Verification) (good, bad []string) {
	if v == nil {
		return nil, nil
	}
	if v.TreeMatches {
		good = append(good, "Chromium read the page as the source map says.")
	} else {
		bad = append(bad, "Chromium read the page in another way than the source map says.")
	}
	fault := func(list []string, one, many string) {
		if len(list) > 0 {
			bad = append(append(bad, plural(len(list), one, many)+":"), few(list)...)
		}
	}
	fault(v.NewErrors, "new error", "new errors")
	fault(v.MissingResources, "resource is newly missing", "resources are newly missing")
	if len(v.NewErrors)+len(v.MissingResources) == 0 {
		good = append(good, "No new errors.")
	}
	fault(v.Layout, "thing stands worse elsewhere", "things stand worse elsewhere")
	if len(v.Layout) == 0 {
		good = append(good, layoutKept(v.Compared))
	}
	if v.Width > 0 {
		good = append(good, fmt.Sprintf("At %d × %d: %s.", v.Width, v.Height, differ(v.PixelsInside, v.PixelsOutside)))
	}
	for _, w := range v.Widths {
		at, worse := fmt.Sprintf("At a width of %d: ", w.Width), append(slices.Clone(w.NewErrors), w.Layout...)
		if len(worse) == 0 {
			good = append(good, at+differ(w.PixelsInside, w.PixelsOutside)+"; nothing stands worse.")
			continue
		}
		good = append(good, at+differ(w.PixelsInside, w.PixelsOutside)+".")
		fault(worse, fmt.Sprintf("new fault at a width of %d", w.Width), fmt.Sprintf("new faults at a width of %d", w.Width))
	}
	if v.OutOfPicture > 0 {
		good = append(good, plural(v.OutOfPicture, "target lies", "targets lie")+" below the pictures and could not be compared.")
	}
	return good, bad
}

// differ says how much looks different.
func differ(inside, outside float64) string {
	return percent(inside) + " of the pixels in the targets differ, " + percent(outside) + " of the others"
}

func layoutKept(compared int) string {
	if compared == 0 {
		return "Nothing was seen to stand worse elsewhere."
	}
	return "Nothing stands worse elsewhere (" + plural(compared, "element", "elements") + " compared)."
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
