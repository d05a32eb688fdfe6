import { beforeEach, describe, expect, it } from 'vitest';
import type { CardWords } from '../contract/desktop';
import { NativeCard } from './nativeCard';
import { fakeDesktop } from './testing';

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
  it('gives its field another text only where the field did not write it', () => {
    card.show(rect, words(''));
    d.hear({ type: 'draft', text: 'a' });
    card.show(rect, words('a'));
    card.show(rect, { ...words('a'), saving: 'saving' });
    card.show(rect, words('theirs'));
    expect(revisions()).toEqual([1, 1, 1, 2]);
  });

  it('is told once, however often it is shown', () => {
    card.show(rect, words('a'));
    card.show(rect, words('a'));
    expect(d.cards).toHaveLength(1);
  });

  it('gives the field its text again when it comes back, and takes what was on its way', () => {
    card.show(rect, words('a'));
    card.hide();
    d.hear({ type: 'draft', text: 'ab' });
    card.show(rect, words('ab'));
    expect(heard).toEqual(['type ab']);
    expect(revisions()).toEqual([1, undefined, 2]);
  });

  it('takes the text before what was chosen', () => {
    card.show(rect, words(''));
    d.hear({ type: 'submit', choice: 'keep', text: 'all of it' });
    d.hear({ type: 'cancel' });
    expect(heard).toEqual(['type all of it', 'choose keep', 'back']);
  });

  it('has no text where it has no field', () => {
    card.show(rect, words(null));
    d.hear({ type: 'submit', choice: 'nearest', text: 'what?' });
    expect(heard).toEqual(['choose nearest']);
  });

  it('is taken away when nobody listens any more, and says nothing then', () => {
    card.show(rect, words(''));
    end();
    expect(d.cards.at(-1)).toBeNull();
    d.hear({ type: 'draft', text: 'late' });
    expect(heard).toEqual([]);
  });
});
