package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"proofmark/gateway/certify"
	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/models"
	"proofmark/gateway/router"
)

var certifyCommand = &command{
	name: "certify", args: "--output FILE [flags]", summary: "prove that configured models keep every promise",
	long: `Without --execute-live-matrix this is a dry run: it looks at what is configured, starts a
browser, asks no model and reports certification=incomplete. With it the whole matrix runs
against the models named, on made-up pages, in a temporary folder that is searched for
credentials and removed: five cases change a page and have each change taken back, four
must be refused before any model is asked. A good run takes 42 model calls, 63 are the most
that go out; they cost money.

  proofmark certify --output report.json --direct glm --router tiers --ensemble team
  proofmark certify --output report.json --direct glm --router tiers --ensemble team \
      --execute-live-matrix --confirm-live-cost --confirm-rotated-key

Flags:
  --output FILE            where the report goes: names, counts, hashes, yes and no
  --direct NAME            one model
  --router NAME            a model for each of several tiers
  --ensemble NAME          proposers and an aggregator
                           --model NAME stands for the one of its kind that is not named
  --execute-live-matrix    run it
  --confirm-live-cost      you know that the calls cost money
  --confirm-rotated-key    you use a key that was made for this and is revoked afterwards

Exit code 0: certification=complete, or a dry run that found all it needs. 3: a case did
not pass. 6: something is missing, so not every case could run.`,
	run: runCertify,
}

// certifyFlags are what certify is asked for.
type certifyFlags struct {
	output              string
	names               map[string]*string // by mode
	live, cost, rotated bool
}

func (f *certifyFlags) add(fs *flag.FlagSet) {
	fs.StringVar(&f.output, "output", "", "")
	f.names = map[string]*string{}
	for _, mode := range []string{router.ModeDirect, router.ModeRouter, router.ModeEnsemble} {
		f.names[mode] = fs.String(mode, "", "")
	}
	fs.BoolVar(&f.live, "execute-live-matrix", false, "")
	fs.BoolVar(&f.cost, "confirm-live-cost", false, "")
	fs.BoolVar(&f.rotated, "confirm-rotated-key", false, "")
}

// check refuses what would cost money by accident.
func (f *certifyFlags) check() error {
	switch {
	case f.output == "":
		return core.Errorf(core.Usage, "certify needs --output FILE for its report")
	case f.live && !f.cost:
		return core.Errorf(core.Usage, "--execute-live-matrix makes up to %d model calls, which cost money", core.CertCallsWorst).
			WithHint("say --confirm-live-cost if that is meant")
	case f.live && !f.rotated:
		return core.Errorf(core.Usage, "--execute-live-matrix uses a key that should be made for this and revoked afterwards").
			WithHint("say --confirm-rotated-key if it is")
	}
	return nil
}

func runCertify(ctx context.Context, a *app, args []string) error {
	fs := a.flags("certify")
	var f certifyFlags
	f.add(fs)
	if _, err := a.parse(fs, args, 0, 0); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	c, err := a.certification(ctx, &f)
	if err != nil {
		return err
	}
	// The dry run's report stands there before anything costs money: a place that
	// cannot be written is known, and a run that dies is not taken for a pass.
	planned, err := certify.Run(ctx, certify.Config{Lineups: c.Lineups, Told: a.unless(f.live)})
	if err == nil {
		err = writeReport(f.output, planned, c.Secrets)
	}
	if err != nil {
		return err
	}
	b, err := a.openBrowser(ctx, false, 1000, 700)
	if err != nil {
		return err
	}
	if !f.live {
		return a.showCertification(planned, f.output)
	}
	c.Surfaces, c.Live, c.Told = b.previews, true, a.toldCase
	r, err := certify.Run(ctx, c)
	if err != nil {
		return err
	}
	if err := writeReport(f.output, r, c.Secrets); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.Cancelled, err, "stopped after %d model calls; %s says certification=%s", r.Calls, f.output, r.Certification)
	}
	return a.showCertification(r, f.output)
}

// certification gives what is to be certified: the line-ups by name, and their
// keys, which must not be found anywhere afterwards.
func (a *app) certification(ctx context.Context, f *certifyFlags) (certify.Config, error) {
	c := certify.Config{Lineups: map[string]certify.Maker{}}
	catalog, err := a.catalog()
	if err != nil {
		return c, err
	}
	if a.model != models.Builtin { // which no provider runs
		e, err := catalog.Find(a.model)
		if err != nil {
			return c, err
		}
		if name := f.names[e.Mode]; *name == "" {
			*name = e.Name
		}
	}
	for mode, name := range f.names {
		if *name == "" {
			continue
		}
		e, err := catalog.Find(*name)
		if err != nil {
			return c, err
		}
		if c.Secrets, err = secrets(ctx, catalog, e, c.Secrets); err != nil {
			return c, err
		}
		c.Lineups[mode] = func(ctx context.Context, wrap func(llm.Model) llm.Model) (router.Lineup, error) {
			return catalog.Lineup(ctx, e.Name, models.Options{WrapLeaf: wrap})
		}
	}
	return c, nil
}

// secrets adds the keys an entry uses, where they are set; what is missing is
// told by making the line-up.
func secrets(ctx context.Context, catalog models.Catalog, e models.Entry, all []string) ([]string, error) {
	list := []models.Entry{e}
	for _, name := range e.Members() {
		m, err := catalog.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	for _, m := range list {
		if key, err := m.Key.Lookup(ctx, os.Getenv); err == nil && key != "" {
			all = append(all, key)
		}
	}
	return all, nil
}

// writeReport writes the report in one step, over an earlier one.
func writeReport(path string, r certify.Report, secrets []string) error {
	b, err := r.JSON(secrets)
	if err != nil {
		return err
	}
	if err := exportTo(path, "", b); err != nil {
		return core.AsError(err).WithHint("choose another place with --output")
	}
	return nil
}

// unless gives who tells of the cases of a dry run: nobody where the live run
// will tell of them.
func (a *app) unless(live bool) func(certify.Case, error) {
	if live {
		return nil
	}
	return a.toldCase
}

// toldCase says what a case came to.
func (a *app) toldCase(c certify.Case, why error) {
	line := fmt.Sprintf("%-23s %-9s %s", c.Name, c.Mode, caseState(c))
	if c.Ran {
		line += fmt.Sprintf(", %d model calls", c.Calls)
		if c.Worst > 0 {
			line += fmt.Sprintf(" (%d expected, %d at most)", c.Baseline, c.Worst)
		}
	} else if c.Ready && c.Worst > 0 {
		line += fmt.Sprintf(", %d model calls, %d at most", c.Baseline, c.Worst)
	}
	a.progress("%s", line)
	for _, name := range c.Failed() {
		a.progress("    not so: %s", name)
	}
	if why != nil {
		e := core.AsError(why)
		a.progress("    %s", e.Message)
		if e.Hint != "" {
			a.progress("    → %s", e.Hint)
		}
	}
}

func caseState(c certify.Case) string {
	switch {
	case c.Passed:
		return "passed"
	case c.Ran:
		return "FAILED"
	case c.Ready:
		return "ready"
	}
	return "left out"
}

// showCertification gives the result and the exit code that goes with it.
func (a *app) showCertification(r certify.Report, path string) error {
	if a.json {
		a.printJSON(r)
	} else {
		a.printf("certification=%s\n", r.Certification)
		a.progress("%d model calls; the report is in %s.", r.Calls, fileArgument(path))
		if !r.LiveMatrix {
			a.progress("This was a dry run: no model was asked. To run the matrix, add --execute-live-matrix --confirm-live-cost --confirm-rotated-key.")
		}
	}
	switch {
	case r.Certification == certify.Failed:
		return &exitError{code: core.ExitRefused}
	case !r.Ready(), r.LiveMatrix && r.Certification != certify.Complete:
		return &exitError{code: core.ExitMissing}
	}
	return nil
}
