package certify

import (
	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/proof"
	"proofmark/gateway/router"
	"proofmark/gateway/store"
	"proofmark/gateway/surface"
	"proofmark/gateway/turn"
)

// refusedSay is what is said in the cases that never reach a model.
const refusedSay = `Change the text of this paragraph to "This must never be asked of a model".`

// staleHead: the head moves between sending and running, and between picking
// and noting. Neither the turn nor the note may go on.
func staleHead(t *trial) error {
	if err := t.page(bakery); err != nil {
		return err
	}
	drafts, err := t.draft(note{[]string{"p.lead"}, refusedSay})
	if err != nil {
		return err
	}
	sent, err := t.send(t.session, drafts)
	if err != nil {
		return err
	}
	choice, err := t.chosen(router.Classify(sent))
	if err != nil {
		return err
	}
	var old proof.Verified
	err = t.shown(func(p *surface.Preview) error {
		pick, err := t.pick(p, "h1")
		if err != nil {
			return err
		}
		old, err = t.prove(p, pick)
		return err
	})
	if err != nil {
		return err
	}
	if err := t.write(replaced("Rye loaf", "Oat loaf")); err != nil {
		return err
	}
	if err := t.reopen(); err != nil {
		return err
	}
	_, err = t.notes.Create(t.ctx, annotate.Draft{
		SessionID: t.session, DocumentID: t.opened.Document.ID, Verified: []proof.Verified{old}, Instruction: refusedSay,
	})
	t.check("staleBaseRefused", core.CodeOf(err) == core.Changed)
	out, err := t.engine.Run(t.ctx, sent, choice.Model, t.options(choice), nil)
	if err != nil {
		return err
	}
	t.check("staleHeadRefused", out.Status == turn.Conflict && out.Result == nil && core.CodeOf(out.Err) == core.HeadMoved)
	return t.unchanged(1, 1, 2)
}

// crossSession: a draft of one session is sent by another.
func crossSession(t *trial) error {
	if err := t.page(bakery); err != nil {
		return err
	}
	drafts, err := t.draft(note{[]string{"p.lead"}, refusedSay})
	if err != nil {
		return err
	}
	_, err = t.send(core.NewID("ses"), drafts)
	t.check("foreignDraftRefused", core.CodeOf(err) == core.WrongSession)
	return t.unchanged(0, 1, 1)
}

// domMismatch: what stands on the page is not what the source says: an element
// whose ancestor a script changed, and one that only a script made. Both are
// refused before there is a draft.
func domMismatch(t *trial) error {
	if err := t.page(restless); err != nil {
		return err
	}
	err := t.shown(func(p *surface.Preview) error {
		for selector, code := range map[string]core.Code{"p.high": core.Changed, "p.made": core.ScriptMade} {
			pick, err := t.pick(p, selector)
			if err != nil {
				return err
			}
			v, err := t.prove(p, pick)
			t.check(map[core.Code]string{core.Changed: "changedRefused", core.ScriptMade: "scriptMadeRefused"}[code],
				core.CodeOf(err) == code && v.Node() == 0)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.unchanged(0, 0, 1)
}

// visualSelection: what was pointed at is only to be seen: a place in a frame's
// picture, and a note without any element behind it.
func visualSelection(t *trial) error {
	if err := t.page(framed); err != nil {
		return err
	}
	err := t.shown(func(p *surface.Preview) error {
		pick, err := p.Surface().PickAt(t.ctx, 40, 40)
		if err != nil {
			return err
		}
		v, err := t.prove(p, pick)
		t.check("pictureRefused", core.CodeOf(err) == core.InFrame && v.Node() == 0)
		_, err = t.notes.Create(t.ctx, annotate.Draft{
			SessionID: t.session, DocumentID: t.opened.Document.ID, Verified: []proof.Verified{v}, Instruction: refusedSay,
		})
		t.check("unprovenRefused", core.CodeOf(err) == core.NoSource)
		return nil
	})
	if err != nil {
		return err
	}
	return t.unchanged(0, 0, 1)
}

// unchanged checks what a refused case left: so many turns and notes, a head of
// that generation, and nothing of a change.
func (t *trial) unchanged(turns, notes int, generation int64) error {
	doc := t.opened.Document.ID
	stored := true
	err := t.store.Read(t.ctx, func(tx *store.Tx) error {
		all, err := tx.Turns(doc, 0)
		if err != nil {
			return err
		}
		stored = len(all) == turns
		for _, one := range all {
			if _, ok, err := tx.Candidate(one.ID); err != nil || ok {
				stored = false
			}
			if _, ok, err := tx.Attempt(one.ID); err != nil || ok {
				stored = false
			}
		}
		n := 0
		for _, state := range []core.AnnotationState{core.AnnotationDraft, core.AnnotationSent} {
			list, err := tx.Annotations(doc, t.session, state)
			if err != nil {
				return err
			}
			n += len(list)
		}
		stored = stored && n == notes
		return nil
	})
	if err != nil {
		return err
	}
	t.check("nothingStored", stored)
	head, rev, _, err := t.docs.Head(t.ctx, doc)
	if err != nil {
		return err
	}
	t.out.SHAAfter = rev.SHA256
	t.check("headKept", head.Generation == generation && rev.ID == t.opened.Head.ID)
	return nil
}
