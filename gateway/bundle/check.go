package bundle

import (
	"context"
	"strconv"

	"proofmark/gateway/core"
)

// check makes every version again and looks at each against what is said of it.
func (r *Review) check(ctx context.Context) error {
	for _, look := range []func() error{r.checkLine, r.checkSource, r.checkChanges, r.checkDrafts} {
		if err := look(); err != nil {
			return err
		}
	}
	return r.checkReplay(ctx)
}

// checkLine looks at the numbers of versions and changes, and at their hashes
// against each other.
func (b *Bundle) checkLine() error {
	if len(b.Versions) == 0 {
		return refused(core.InvalidBundle, "versions", "there is none")
	}
	if len(b.Changes) != len(b.Versions)-1 {
		return refused(core.InvalidBundle, "changes", "%d versions come by %d changes, not by %d", len(b.Versions), len(b.Versions)-1, len(b.Changes))
	}
	names := map[string]bool{}
	total := int64(0)
	for i, v := range b.Versions {
		where := indexed("versions", i)
		if v.Generation != b.Source.Generation+int64(i) {
			return refused(core.InvalidBundle, where+".generation", "%d is expected, %d is there", b.Source.Generation+int64(i), v.Generation)
		}
		if v.Name != "" && names[v.Name] {
			return refused(core.InvalidBundle, where+".name", "another version has that name")
		}
		names[v.Name] = true
		if (v.Source == core.SourceImport) != (v.Generation == 1) {
			return refused(core.InvalidBundle, where+".source", "the first version, and no other, is an import")
		}
		if total += int64(v.Bytes); total > core.MaxBundleReplayBytes {
			return refused(core.TooLarge, where, "all versions together have more than the %d bytes that are made again", core.MaxBundleReplayBytes)
		}
		if i == 0 {
			continue
		}
		c, before := b.Changes[i-1], b.Versions[i-1]
		switch {
		case c.Generation != v.Generation:
			return changeRefused(i-1, ".generation", "%d is expected, %d is there", v.Generation, c.Generation)
		case c.SHABefore != before.SHA256:
			return changeRefused(i-1, ".sha256Before", "it is not the hash of version %d", before.Generation)
		case c.SHAAfter != v.SHA256:
			return changeRefused(i-1, ".sha256After", "it is not the hash of version %d", v.Generation)
		}
	}
	return nil
}

// checkSource looks at the text all others come from.
func (b *Bundle) checkSource() error {
	text, first := []byte(b.Source.Text), b.Versions[0]
	if err := sound("source.text", text); err != nil {
		return err
	}
	switch {
	case len(text) != b.Source.Bytes || len(text) != first.Bytes:
		return refused(core.InvalidBundle, "source.bytes", "the text has %d bytes", len(text))
	case core.SHA256Hex(text) != b.Source.SHA256:
		return refused(core.InvalidBundle, "source.sha256", "it is not the hash of the text")
	case b.Source.SHA256 != first.SHA256:
		return refused(core.InvalidBundle, "versions[0].sha256", "it is not the hash of the source")
	}
	return nil
}

// checkReplay makes the edits and compares what comes out, and proves the drafts'
// targets on the way.
func (r *Review) checkReplay(ctx context.Context) error {
	for i, c := range r.Changes {
		for j := 1; j < len(c.Edits); j++ {
			if c.Edits[j].Span.Start < c.Edits[j-1].Span.End {
				return changeRefused(i, ".edits["+strconv.Itoa(j)+"].span", "the edits are not in order, or overlap")
			}
		}
	}
	if err := r.prove(ctx, r.Source.Generation, []byte(r.Source.Text)); err != nil {
		return err
	}
	return r.walk(func(i int, before, after []byte) error {
		v := r.Versions[i+1]
		switch {
		case ctx.Err() != nil:
			return core.Wrap(core.Cancelled, ctx.Err(), "reading the review file was stopped")
		case len(after) > core.MaxSourceBytes:
			return changeRefused(i, ".edits", "they make a page of %d bytes; at most %d are possible", len(after), core.MaxSourceBytes)
		case len(after) != v.Bytes:
			return refused(core.InvalidBundle, indexed("versions", i+1)+".bytes", "the edits make %d bytes, not %d", len(after), v.Bytes)
		case core.SHA256Hex(after) != v.SHA256:
			return changeRefused(i, ".edits", "they do not make the version that is said to come of them")
		}
		for j, n := range r.Changes[i].Notes {
			for k, t := range n.Targets {
				if t.Start != nil && t.Start.End > len(before) {
					return changeRefused(i, "."+indexed("notes", j)+"."+indexed("targets", k)+".start", "it is outside the page")
				}
			}
		}
		if err := sound(indexed("changes", i)+".edits", after); err != nil {
			return err
		}
		return r.prove(ctx, v.Generation, after)
	})
}

// checkChanges looks at what changes say of each other and of their notes.
func (b *Bundle) checkChanges() error {
	seen := map[string]bool{}
	for i, c := range b.Changes {
		if seen[c.ID] {
			return changeRefused(i, ".id", "another change has that id")
		}
		seen[c.ID] = true
		back := b.Versions[i+1].Source == core.SourceRevert || b.Versions[i+1].Source == core.SourceRedo
		if c.Reverts == "" && c.RevertNote != 0 || c.Reverts != "" && !back || c.Reverts == c.ID {
			return changeRefused(i, ".reverts", "a change of this kind takes back no other in that way")
		}
		for j, n := range c.Notes {
			if j > 0 && n.Order <= c.Notes[j-1].Order {
				return changeRefused(i, "."+indexed("notes", j)+".order", "the notes are not in order")
			}
		}
	}
	return nil
}

func changeRefused(i int, field, format string, args ...any) error {
	return refused(core.InvalidBundle, indexed("changes", i)+field, format, args...)
}

func indexed(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }
