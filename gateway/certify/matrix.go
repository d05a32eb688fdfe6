package certify

import (
	"proofmark/gateway/core"
	"proofmark/gateway/router"
)

// edit is a case that changes a page.
type edit struct {
	name      string
	mode      string      // the line-up it needs
	operation string      // the class the router has to see
	floor     router.Tier // of that class
	// baseline and worst are physical model calls, retries and the finaliser
	// included: how many a good run takes, and how many are let out.
	baseline, worst int
	notes           []note
	after           string     // the page as it has to be in the end
	spaced          bool       // white space is the model's choice
	order           [][]string // tools that answered, in this order, alternatives at each place
}

// note is what a person points at and says.
type note struct {
	at  []string // CSS selectors, each of one element
	say string
}

// The tools of an annotated turn, as SPEC section 6 lists them.
const (
	inspect    = "document_inspect"
	read       = "document_read"
	locate     = "document_locate"
	apply      = "document_apply"
	patch      = "document_patch"
	look       = "document_browser_inspect"
	act        = "document_browser_act"
	screenshot = "document_browser_screenshot"
	reload     = "document_browser_reload"
	finish     = "document_finish"
)

var tenTools = []string{inspect, read, locate, apply, patch, look, act, screenshot, reload, finish}

// edits are the five cases that ask models. Their baselines add up to
// core.CertCallsBaseline and their worst cases to core.CertCallsWorst;
// docs/decisions/2026-11-30-certification.md says how they were divided.
var edits = []edit{
	{
		name: "direct_source_fallback", mode: router.ModeDirect, operation: router.SelectionEdit, floor: router.C2,
		baseline: 9, worst: 13,
		notes: []note{{at: []string{"h1"}, say: `Add a paragraph to the source, directly behind this heading. Do it in this order, one step at a time: ` +
			`inspect the document; read its source; patch the source so that <p class="hours">Hours follow</p> stands behind the heading; ` +
			`inspect the page in the browser; take a screenshot of it; then repair your draft with a second patch, so that the ` +
			`paragraph says "Open from seven to six" in place of "Hours follow"; inspect the page in the browser again; commit.`}},
		after:  replaced("</h1>", "</h1>\n"+`<p class="hours">Open from seven to six</p>`),
		spaced: true,
		order:  [][]string{{inspect}, {read}, {patch}, {look}, {screenshot, act}, {patch}, {look}, {finish}},
	},
	{
		name: "direct_two_annotations", mode: router.ModeDirect, operation: router.StructuralEdit, floor: router.C3,
		baseline: 7, worst: 11,
		notes: []note{
			{at: []string{"h1"}, say: `Change the text of this heading to "Quay Street Bakery", nothing else.`},
			{at: []string{"p.lead"}, say: `Change the text of this paragraph to "Open every morning but Monday.", nothing else.`},
		},
		after: replaced("<h1>Harbour Lane Bakery", "<h1>Quay Street Bakery", "Bread from a stone oven, six days a week.", "Open every morning but Monday."),
		order: [][]string{{inspect}, {apply}, {look, screenshot, reload}, {finish}},
	},
	{
		name: "router_c2_selection", mode: router.ModeRouter, operation: router.SelectionEdit, floor: router.C2,
		baseline: 7, worst: 11,
		notes: []note{{at: []string{"li.spelt"}, say: `Change the text of this item to "Barley rolls", nothing else.`}},
		after: replaced("Spelt rolls", "Barley rolls"),
		order: [][]string{{inspect}, {apply, patch}, {look, screenshot, reload}, {finish}},
	},
	{
		name: "router_c3_structural", mode: router.ModeRouter, operation: router.StructuralEdit, floor: router.C3,
		baseline: 8, worst: 12,
		notes: []note{
			{at: []string{"li.spelt"}, say: `Remove this item from the list.`},
			{at: []string{"li.rye", "li.plum"}, say: `Put "Fresh " before the text of both items, so that they read "Fresh Rye loaf" and "Fresh Plum cake".`},
		},
		after:  replaced(`<li class="spelt">Spelt rolls</li>`, "", "Rye loaf", "Fresh Rye loaf", "Plum cake", "Fresh Plum cake"),
		spaced: true,
		order:  [][]string{{inspect}, {apply, patch}, {look, screenshot, reload}, {finish}},
	},
	{
		name: "ensemble_lineup", mode: router.ModeEnsemble, operation: router.StructuralEdit, floor: router.C3,
		baseline: 11, worst: 16,
		notes: []note{
			{at: []string{"p.contact a"}, say: `Change the title attribute of this link to "Ask for a cake", nothing else.`},
			{at: []string{"p.lead"}, say: `Change the text of this paragraph to "Baked before dawn.", nothing else.`},
		},
		after: replaced("Write to the bakers", "Ask for a cake", "Bread from a stone oven, six days a week.", "Baked before dawn."),
		order: [][]string{{inspect}, {apply, patch}, {look, screenshot, reload}, {finish}},
	},
}

// refusal is a case that must end before any model is asked.
type refusal struct {
	name string
	run  func(*trial) error
}

var refusals = []refusal{
	{"stale_head", staleHead},
	{"cross_session_draft", crossSession},
	{"dom_mismatch", domMismatch},
	{"visual_selection", visualSelection},
}

// words gives every text a person or a page says in the matrix: no report may
// hold a piece of them.
func words() []string {
	out := []string{bakery, restless, framed, refusedSay}
	for _, e := range edits {
		out = append(out, e.after)
		for _, n := range e.notes {
			out = append(out, n.say)
		}
	}
	return out
}

// Reserved gives the physical calls the matrix reserves: of a good run, at
// worst, and the number of the call that is never let out.
func Reserved() Reservation {
	r := Reservation{Stop: core.CertCallsStop}
	for _, e := range edits {
		r.Baseline += e.baseline
		r.Worst += e.worst
	}
	return r
}
