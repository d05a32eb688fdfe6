import { describe, expect, it } from 'vitest';
import type { ListedChange, Version } from '../../contract/types';
import { direct, sentence, short } from './say';

const version = (source: Version['source']): Version => ({
  id: 'rev',
  documentId: 'd',
  generation: 2,
  sha256: '',
  bytes: 1,
  source,
  actor: '',
  at: '',
});

const change = (more: Partial<ListedChange>): ListedChange =>
  ({
    id: 'chg',
    documentId: 'd',
    baseId: '',
    resultId: 'rev',
    source: 'turn',
    actor: '',
    edits: [],
    at: '',
    generation: 2,
    inForce: true,
    ...more,
  }) as ListedChange;

const say = (c: ListedChange | null, all: ListedChange[] = [], v = version(c?.source ?? 'import')) =>
  sentence(v, c, all, 'page.html');
const note = (order: number, instruction: string) =>
  ({ order, instruction, outcome: 'applied', targets: [], edits: 1, removed: 0, inserted: 1 }) as never;

describe('the sentence of a change', () => {
  it('is what the person said', () => {
    expect(say(change({ notes: [note(1, 'make it bold')] }))).toBe('make it bold');
    expect(say(change({ notes: [note(1, 'make it bold'), note(2, 'b')] }))).toBe('make it bold, and 1 more');
  });

  it('says what happened where nobody said anything', () => {
    expect(say(null)).toBe('Opened page.html');
    expect(say(change({ source: 'outside' }))).toBe('Another program changed the file');
    expect(say(change({ source: 'manual', edits: [{ span: [0, 0], replacement: '\n  hello   there ' }] }))).toBe(
      'Edited by hand: “hello there”',
    );
    expect(say(change({ source: 'restore', edits: [{ span: [0, 0], replacement: 'x' }] }))).toBe(
      'Restored an older version',
    );
  });

  it('says what was taken back, and put back', () => {
    const first = change({ id: 'a', notes: [note(1, 'make it bold'), note(2, 'make it red')] });
    const back = change({ id: 'b', source: 'revert', reverts: 'a' });
    const again = change({ id: 'c', source: 'redo', reverts: 'b' });
    const all = [first, back, again];
    expect(say(back, all)).toBe('Took back: make it bold, and 1 more');
    expect(say(change({ source: 'revert', reverts: 'a', revertNote: 2 }), all)).toBe('Took back note 2: make it red');
    expect(say(again, all)).toBe('Put back: make it bold, and 1 more');
    expect(say(change({ source: 'revert', reverts: 'gone' }), all)).toBe('Took a change back');
  });

  it('ends where changes refer to each other', () => {
    const a = change({ id: 'a', source: 'revert', reverts: 'b' });
    const b = change({ id: 'b', source: 'redo', reverts: 'a' });
    expect(say(a, [a, b])).toContain('Took');
  });

  it('is one bounded line', () => {
    expect(short(`a\n${'b'.repeat(200)}`)).toHaveLength(120);
  });
});

describe('a direct edit', () => {
  it('is told in words, not as the command line writes it', () => {
    expect(direct('text=Clay & <tide>')).toBe('Text: “Clay & <tide>”');
    expect(direct('style:color=teal')).toBe('Style color: “teal”');
    expect(direct('attr:alt=a=b')).toBe('Attribute alt: “a=b”');
    expect(direct('attr:-title')).toBe('Remove attribute: “title”');
    expect(direct('class:+big')).toBe('Add class: “big”');
    expect(direct('duplicate')).toBe('Duplicate');
    expect(direct('constructor')).toBe('constructor');
    expect(say(change({ source: 'manual', notes: [note(1, 'class:-big')] }))).toBe('Remove class: “big”');
    expect(say(change({ notes: [note(1, 'text=x')] }))).toBe('text=x'); // a person's own words
  });
});
