package certify

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/router"
	"proofmark/gateway/surface"
)

// Config says what is certified.
type Config struct {
	// Live runs the matrix; without it no model is asked and nothing is opened.
	Live bool
	// Lineups give, for a mode of package router, the line-up that is certified.
	// A mode that is missing leaves its cases out.
	Lineups map[string]Maker
	// Surfaces opens the pages; not needed for a dry run.
	Surfaces *surface.Manager
	// Secrets are the credentials in use, which must not be found anywhere.
	Secrets []string
	// Told hears of each case as it ends, with why it could not be run or did
	// not pass; the reason is for people and never in the report. May be nil.
	Told func(Case, error)
}

// Maker makes a line-up with wrap around each provider's model, below whatever
// tries a call again. It is called once and asks no model.
type Maker func(ctx context.Context, wrap func(llm.Model) llm.Model) (router.Lineup, error)

// chooser gives the models for a class.
type chooser func(router.Class) (router.Choice, error)

// Run goes through the matrix and reports. It gives an error only where it
// could not begin or clean up; what a case comes to is in the report. When ctx
// is cancelled the cases that are left do not run.
func Run(ctx context.Context, c Config) (Report, error) {
	r := &runner{Config: c, made: map[string]made{}, report: Report{LiveMatrix: c.Live, Reserved: Reserved()}}
	err := r.run(ctx, edits, refusals)
	r.finish()
	return r.report, err
}

type runner struct {
	Config
	budget budget
	made   map[string]made // by mode
	shop   *workshop
	report Report
}

// made is what came of a Maker.
type made struct {
	lineup router.Lineup
	err    error
}

// run goes through cases in order.
func (r *runner) run(ctx context.Context, edits []edit, refusals []refusal) error {
	if r.Live {
		var err error
		if r.shop, err = newWorkshop(r.Surfaces); err != nil {
			return err
		}
	}
	for _, e := range edits {
		choose, err := r.lineup(ctx, e.mode, router.Class{Format: router.HTML, Operation: e.operation, Floor: e.floor})
		r.one(ctx, Case{Name: e.name, Mode: e.mode, Baseline: e.baseline, Worst: e.worst}, choose, err,
			func(t *trial) error { return t.change(e) })
	}
	for _, f := range refusals {
		choose, err := r.any(ctx)
		r.one(ctx, Case{Name: f.name}, choose, err, f.run)
	}
	if r.shop == nil {
		return nil
	}
	return r.clean()
}

// finish counts the calls and sums up.
func (r *runner) finish() {
	r.report.Calls, r.report.Stopped = r.budget.calls()
	r.report.Certification = r.report.verdict()
}

// lineup gives who chooses in a mode, and an error where there is nobody for
// the class.
func (r *runner) lineup(ctx context.Context, mode string, class router.Class) (chooser, error) {
	m, ok := r.made[mode]
	if !ok {
		m.lineup, m.err = r.make(ctx, mode)
		r.made[mode] = m
	}
	if m.err != nil {
		return nil, m.err
	}
	_, err := m.lineup.Choose(class)
	return m.lineup.Choose, err
}

func (r *runner) make(ctx context.Context, mode string) (router.Lineup, error) {
	maker, ok := r.Lineups[mode]
	if !ok {
		return router.Lineup{}, core.Errorf(core.NoModel, "no line-up of mode %s is named", mode).WithHint("name one with --%s", mode)
	}
	l, err := maker(ctx, r.budget.wrap)
	if err == nil && l.Mode != mode {
		err = core.Errorf(core.NoModel, "%q is of mode %s, and one of mode %s is needed", l.Name, l.Mode, mode).
			WithHint("`proofmark models` lists what is configured")
	}
	return l, err
}

// any gives some line-up, for the cases that must not come to ask it.
func (r *runner) any(ctx context.Context) (chooser, error) {
	var first error
	for _, mode := range []string{router.ModeDirect, router.ModeRouter, router.ModeEnsemble} {
		choose, err := r.lineup(ctx, mode, router.Class{Format: router.HTML, Operation: router.SelectionEdit, Floor: router.C2})
		if err == nil {
			return choose, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// one runs a case, or says why it does not.
func (r *runner) one(ctx context.Context, c Case, choose chooser, missing error, run func(*trial) error) {
	why := missing
	if c.Ready = missing == nil; c.Ready && r.Live {
		if why = ctx.Err(); why == nil {
			why = r.try(ctx, &c, choose, run)
		}
	}
	r.report.Cases = append(r.report.Cases, c)
	if r.Told != nil {
		r.Told(c, why)
	}
}

// try runs a case inside its reservation.
func (r *runner) try(ctx context.Context, c *Case, choose chooser, run func(*trial) error) error {
	c.Ran, c.Checks = true, map[string]bool{}
	r.budget.begin(c.Worst)
	t := &trial{
		workshop: r.shop, ctx: ctx, name: c.Name, session: core.NewID("ses"), models: &watch{}, chosen: choose, out: c,
	}
	err := run(t)
	var within bool
	c.Calls, within = r.budget.close()
	c.WithinBaseline = c.Calls <= c.Baseline
	if c.Worst > 0 {
		t.check("withinReservation", within)
	} else {
		t.check("zeroCalls", c.Calls == 0 && within)
	}
	c.Passed = err == nil
	for _, ok := range c.Checks {
		c.Passed = c.Passed && ok
	}
	if ctx.Err() != nil && !c.Passed { // it was stopped, not found wanting
		c.Ran = false
		return ctx.Err()
	}
	return err
}

// clean closes the database, looks through the folder and removes it, also
// where looking failed.
func (r *runner) clean() error {
	err := r.shop.close()
	var scanErr error
	r.report.Scan, scanErr = scan(r.shop.dir, r.Secrets)
	if err == nil {
		err = scanErr
	}
	if rmErr := r.shop.remove(); rmErr != nil {
		return core.Wrap(core.Internal, rmErr, "the temporary folder of the certification could not be removed")
	}
	r.report.Scan.Removed = true
	if err != nil {
		return core.AsError(err)
	}
	return nil
}
