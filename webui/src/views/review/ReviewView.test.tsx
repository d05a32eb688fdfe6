// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Proposal } from '../../contract/types';
import type { App } from '../../state/app';
import { act } from 'preact/test-utils';
import { moment } from '../../ui/calm';
import { appWith, show, type Shown } from '../testing';
import { ReviewView } from './ReviewView';

const proposal: Proposal = {
  sha256: 'sha1',
  edits: [{ note: 1, span: [3, 6], replacement: 'bold <b>' }],
  flags: [{ kind: 'script', detail: 'cdn.example.com' }],
  verification: {
    candidateSha: '',
    newErrors: ['x is not defined'],
    missingResources: null,
    treeMatches: true,
    pixelsInside: 0.5,
    pixelsOutside: 0,
    width: 1280,
    height: 800,
    elementsCompared: 3,
  },
  summary: 'Made it bold.',
  unified: '@@ -1 +1 @@\n-<p>one</p>\n+<p>bold <b></p>\n',
  expiresMs: Date.now() + 60_000,
};

let app: App;
let view: Shown;
let calls: unknown[][];

beforeEach(async () => {
  calls = [];
  app = appWith({
    proposal: () => Promise.resolve(proposal),
    turn: () =>
      Promise.resolve({ notes: [{ order: 1, instruction: 'make it bold', annotationId: '', targets: null }] }),
    proposalPicture: () => Promise.reject(new Error('none')),
    decide: (...args: never[]) => Promise.resolve(calls.push(args)),
    again: (...args: never[]) =>
      Promise.resolve({ turn: '', ended: false, annotations: calls.push(args) > 0 ? [] : null }),
    annotations: () => Promise.resolve([]),
    document: () => new Promise(() => undefined),
  });
  app.documents.current.value = { id: 'doc', generation: 2, stateRev: 1, name: 'page.html' } as never;
  app.places.review.value = 'trn';
  view = await show(app, <ReviewView />);
});

/** Lets the review be seen for a moment. */
const seen = () => act(() => new Promise((resolve) => setTimeout(resolve, moment + 50)));

afterEach(() => view.end());

describe('the review', () => {
  it('says flags first, then notes with what came of them, then what was checked', () => {
    const text = view.root.querySelector('.review-side')?.textContent ?? '';
    const at = (s: string) => text.indexOf(s);
    expect(text).toContain('adds a script (cdn.example.com)');
    expect(at('Look at this first')).toBeLessThan(at('make it bold'));
    expect(at('make it bold')).toBeLessThan(at('Checked in a hidden view'));
    expect(text).toContain('1 edit: +8 −3 bytes');
    expect(text).toContain('1 new error on the page: x is not defined');
  });

  it('shows text of the page as text', () => {
    expect(view.root.querySelector('.diff b')).toBeNull();
    expect(view.root.querySelector('.diff')?.textContent).toContain('bold <b>');
  });

  it('takes nothing for a decision that was typed when it came up', async () => {
    const button = view.named('Approve') as HTMLButtonElement;
    for (let i = 0; i < 8; i++) {
      await view.press('a');
      await act(() => new Promise((resolve) => setTimeout(resolve, moment / 4)));
    }
    expect([calls, button.disabled]).toEqual([[], true]);
    await seen();
    expect(button.disabled).toBe(false);
  });

  it('takes A for yes and R for no', async () => {
    await seen();
    await view.press('a');
    expect(calls).toEqual([['trn', 'sha1', true]]);
    app.places.review.value = 'trn';
    await view.settle();
    await seen();
    await view.press('r');
    expect(calls[1]).toEqual(['trn', 'sha1', false]);
    expect(app.places.review.value).toBeNull();
  });

  it('asks with C for words, in which letters decide nothing', async () => {
    await seen();
    await view.press('c');
    const box = document.activeElement as HTMLTextAreaElement;
    expect(box.tagName).toBe('TEXTAREA');
    await view.press('a');
    expect(calls).toEqual([]);
    box.value = 'not so bold';
    box.dispatchEvent(new Event('input', { bubbles: true }));
    await view.press('Enter', { ctrlKey: true });
    expect(calls).toEqual([
      ['trn', 'sha1', false],
      ['doc', 'workbench', 'trn'],
    ]);
    expect(app.talk.message.value).toBe('not so bold');
  });

  it('goes back from the words with Esc, and then away', async () => {
    await seen();
    await view.press('c');
    await view.press('Escape');
    expect([view.root.querySelector('textarea'), app.places.review.value]).toEqual([null, 'trn']);
    (view.root.querySelector('.review') as HTMLElement).focus();
    await view.press('Escape');
    expect([calls, app.places.review.value]).toEqual([[], null]);
  });

  it('counts as read while focus is in it', async () => {
    (view.root.querySelector('.review') as HTMLElement).focus();
    await view.settle();
    expect(app.reviewing.reading.value).toBe(true);
    expect(view.root.textContent).toContain('The time stands still while you read');
  });
});
