package store

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// R-SEC-6: the newest row of a feature counts, a feature is off with what it
// needs, and no row is changed or deleted.
func TestSwitches(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	check := func(f core.Feature) core.Code {
		t.Helper()
		return core.CodeOf(s.Read(t.Context(), func(tx *Tx) error { return tx.CheckFeature(f) }))
	}
	put := func(f core.Feature, off bool) {
		t.Helper()
		mustWrite(t, s, func(tx *Tx) error { return tx.InsertSwitch(Switch{Feature: f, Off: off, Actor: "test", Reason: "why"}) })
	}
	for i, step := range []struct {
		f           core.Feature
		off         bool
		bench, note core.Code
	}{
		{core.FeatureAnnotations, false, "", ""},
		{core.FeatureAnnotations, true, "", core.FeatureOff},
		{core.FeatureAnnotations, true, "", core.FeatureOff},
		{core.FeatureAnnotations, false, "", ""},
		{core.FeatureWorkbench, true, core.FeatureOff, core.FeatureOff},
		{core.FeatureAnnotations, true, core.FeatureOff, core.FeatureOff},
		{core.FeatureWorkbench, false, "", core.FeatureOff},
		{core.FeatureAnnotations, false, "", ""},
	} {
		put(step.f, step.off)
		if b, n := check(core.FeatureWorkbench), check(core.FeatureAnnotations); b != step.bench || n != step.note {
			t.Errorf("step %d: workbench %q, annotations %q", i, b, n)
		}
	}
	if err := s.Read(t.Context(), func(tx *Tx) error {
		all, err := tx.SwitchHistory(0)
		if err != nil || len(all) != 8 || all[0].Seq != 8 || all[7].Reason != "why" {
			t.Errorf("%+v %v", all, err)
		}
		two, err := tx.SwitchHistory(2)
		if err != nil || len(two) != 2 || two[1].Seq != 7 {
			t.Errorf("%+v %v", two, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"UPDATE switches SET off = 0", "DELETE FROM switches", "INSERT OR REPLACE INTO switches VALUES (1, 'artifactPromptAnnotations', 0, 'x', '', 0)", "INSERT INTO switches VALUES (9, 'other', 0, 'x', '', 0)"} {
		err := s.Write(t.Context(), func(tx *Tx) error {
			_, err := tx.exec(q)
			return err
		})
		if err == nil {
			t.Errorf("%s was done", q)
		}
	}
	if err := s.Write(t.Context(), func(tx *Tx) error {
		return tx.InsertSwitch(Switch{Feature: core.FeatureWorkbench, Reason: strings.Repeat("x", MaxSwitchReason+1)})
	}); err == nil {
		t.Error("a reason without end was stored")
	}
}
