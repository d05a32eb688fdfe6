package store

import (
	"slices"
	"time"

	"proofmark/gateway/core"
)

// Switch says that a feature was switched off, or on again.
type Switch struct {
	Seq     int64
	Feature core.Feature
	Off     bool
	Actor   string
	Reason  string // for people, at most MaxSwitchReason runes
	At      time.Time
}

// MaxSwitchReason bounds a reason, in runes.
const MaxSwitchReason = 200

// InsertSwitch appends a row; its number and time are the transaction's.
func (t *Tx) InsertSwitch(s Switch) error {
	_, err := t.exec("INSERT INTO switches (feature, off, actor, reason, at) VALUES (?, ?, ?, ?, ?)", s.Feature, s.Off, s.Actor, s.Reason, millis(t.now))
	return err
}

func scanSwitch(r scanner) (Switch, error) {
	var s Switch
	var at int64
	err := r.Scan(&s.Seq, &s.Feature, &s.Off, &s.Actor, &s.Reason, &at)
	s.At = fromMillis(at)
	return s, err
}

// Switches gives the newest row of each feature that has one.
func (t *Tx) Switches() ([]Switch, error) {
	return list(t, scanSwitch, `SELECT seq, feature, off, actor, reason, at FROM switches s
		WHERE NOT EXISTS (SELECT 1 FROM switches n WHERE n.feature = s.feature AND n.seq > s.seq) ORDER BY feature`)
}

// SwitchHistory lists what was switched, the newest first, at most limit (0 for all).
func (t *Tx) SwitchHistory(limit int) ([]Switch, error) {
	return list(t, scanSwitch, "SELECT seq, feature, off, actor, reason, at FROM switches ORDER BY seq DESC LIMIT ?", page(limit))
}

// CheckFeature gives FeatureOff where an operator switched off the feature, or
// one that it needs.
func (t *Tx) CheckFeature(f core.Feature) error {
	all, err := t.Switches()
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Off && (s.Feature == f || slices.Contains(f.Needs(), s.Feature)) {
			return core.Errorf(core.FeatureOff, "an operator switched this off").With("feature", s.Feature).With("by", "kill").With("since", s.At).
				WithHint("History, versions, diffs and exports still work. The operator can switch it on again: proofmark unkill %s", s.Feature)
		}
	}
	return nil
}
