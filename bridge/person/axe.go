package person

import (
	"os"
	"strings"
)

// Axe fails the test for every serious or critical finding of axe-core on what
// the tab shows (R-UI-4). The page itself, in its frame, is not ours.
func (p *Tab) Axe(screen string) {
	p.t.Helper()
	source, err := os.ReadFile("../../webui/node_modules/axe-core/axe.min.js")
	if err != nil {
		p.t.Fatalf("axe-core is not here (make web): %v", err)
	}
	p.JS(string(source) + "; 1")
	var found struct {
		Passes     int
		Violations []struct {
			ID, Impact, Help string
			Nodes            []struct {
				Target         []string
				HTML           string
				FailureSummary string
			}
		}
	}
	p.JS(`(window.axeSaid = null, axe.run({ include: [['body']], exclude: [['iframe']] }, { resultTypes: ['violations'], iframes: false })
		.then((r) => { window.axeSaid = { Passes: r.passes.length, Violations: r.violations } }, (e) => { window.axeSaid = { Violations: [{ id: 'axe', impact: 'critical', help: String(e), nodes: [] }] } }), 1)`)
	Eventually(p.t, "axe-core", func() error {
		s := p.JS("window.axeSaid")
		if s == "null" {
			return ErrNotYet
		}
		Decode(p.t, s, &found)
		return nil
	})
	if found.Passes == 0 {
		p.t.Errorf("%s: axe-core has looked at nothing", screen)
	}
	for _, v := range found.Violations {
		if v.Impact != "serious" && v.Impact != "critical" {
			continue
		}
		for _, n := range v.Nodes {
			p.t.Errorf("%s: %s (%s): %s\n  %s\n  %.300s\n  %s", screen, v.ID, v.Impact, v.Help, strings.Join(n.Target, " "), n.HTML, n.FailureSummary)
		}
	}
}
