import { beforeEach, describe, expect, it } from 'vitest';
import type { CardWords } from '../contract/desktop';
import { random } from '../lib/random.testing';
import { NativeCard } from './nativeCard';
import { NoteText } from './noteText';
import { fakeDesktop, note } from './testing';

const rect = { x: 1, y: 2, width: 3, height: 4 };
const words = (text: string | null): CardWords => ({
  label: 'What should change here?',
  text,
  code: 'h1',
  proof: '1 place',
  saving: '',
  alert: '',
  lines: [],
  actions: [],
});

let d: ReturnType<typeof fakeDesktop>;
let card: NativeCard;
let heard: string[];
let end: () => void;

beforeEach(() => {
  d = fakeDesktop();
  card = new NativeCard(d.desktop);
  heard = [];
  end = card.hear({
    type: (text) => void heard.push(`type ${text}`),
    choose: (choice) => void heard.push(`choose ${choice}`),
    back: () => void heard.push('back'),
  });
});

const revisions = () => d.cards.map((c) => c?.revision);

describe('the card above the page', () => {
  it('gives its field another text only where somebody else changed it', () => {
    card.show(rect, words(''), '1 0');
    d.hear({ type: 'draft', text: 'a' });
    d.hear({ type: 'draft', text: 'ab' });
    card.show(rect, words('a'), '1 0'); // drawn late
    card.show(rect, { ...words('ab'), saving: 'saving' }, '1 0');
    card.show(rect, words('theirs'), '1 1');
    card.show(rect, words(''), '2 0');
    expect(revisions()).toEqual([1, 1, 1, 2, 3]);
  });

  it('is told once, however often it is shown', () => {
    card.show(rect, words('a'), '1 0');
    card.show(rect, words('a'), '1 0');
    expect(d.cards).toHaveLength(1);
  });

  it('gives the field its text again when it comes back, and takes what was on its way', () => {
    card.show(rect, words('a'), '1 0');
    card.hide();
    d.hear({ type: 'draft', text: 'ab' });
    card.show(rect, words('ab'), '1 0');
    expect(heard).toEqual(['type ab']);
    expect(revisions()).toEqual([1, undefined, 2]);
  });

  it('takes the text before what was chosen', () => {
    card.show(rect, words(''), '1 0');
    d.hear({ type: 'submit', choice: 'keep', text: 'all of it' });
    d.hear({ type: 'cancel' });
    expect(heard).toEqual(['type all of it', 'choose keep', 'back']);
  });

  it('is taken away when nobody listens any more, and says nothing then', () => {
    card.show(rect, words(''), '1 0');
    end();
    expect(d.cards.at(-1)).toBeNull();
    d.hear({ type: 'draft', text: 'late' });
    expect(heard).toEqual([]);
  });

  it('loses no letter, in whatever order letters, messages, drawings and other people come', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const next = random(seed);
      const keeper = { create: () => Promise.resolve(note('n', 1)), change: () => Promise.resolve(note('n', 1)) };
      const text = new NoteText(keeper, note('n', 1, { instruction: '' }));
      const field = { text: '', revision: 0 };
      const app = fakeDesktop();
      const c = new NativeCard(app.desktop);
      c.hear({ type: (t) => text.type(t), choose: () => undefined, back: () => undefined });
      // What the person sees: the letters typed since somebody else changed the text.
      let wanted = '';
      const drafts: string[] = [];
      let drawn = { text: text.text.value, given: text.given.value };
      const show = () => {
        c.show(rect, words(drawn.text), String(drawn.given));
        const told = app.cards.at(-1);
        if (told === null || told === undefined || told.revision <= field.revision) return;
        field.revision = told.revision;
        field.text = told.text ?? '';
      };
      show();
      for (let step = 0; step < 60; step++) {
        const r = next();
        if (r < 0.4) {
          field.text += 'x';
          wanted += 'x';
          drafts.push(field.text);
        } else if (r < 0.7) {
          const draft = drafts.shift();
          if (draft !== undefined) app.hear({ type: 'draft', text: draft });
        } else if (r < 0.82) drawn = { text: text.text.value, given: text.given.value };
        else if (r < 0.95) show();
        else if (drafts.length === 0) {
          // Stored, and then changed by somebody else.
          text.note.value = note('n', 1, { instruction: text.text.value });
          text.adopt(note('n', 1, { instruction: `${step}:` }));
          wanted = `${step}:`;
          drawn = { text: text.text.value, given: text.given.value };
          show();
        }
      }
      for (const draft of drafts) app.hear({ type: 'draft', text: draft });
      text.close();
      expect([field.text, text.text.value], `seed ${seed}`).toEqual([wanted, wanted]);
    }
  });
});
