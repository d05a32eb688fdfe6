import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../api/refusal';
import type { Proposal, Turn } from '../contract/types';
import { Places } from './places';
import { lately, Reviewing, type ReviewApi, tell } from './review';

const second = 1_000;

function rig() {
  const calls: string[] = [];
  const said: string[] = [];
  let proposal = {
    sha256: 'sha1',
    edits: [],
    flags: [],
    verification: null,
    summary: '',
    unified: '',
    expiresMs: Date.now() + 60 * second,
  } as Proposal;
  let refuse: Record<string, Refusal> = {};
  let turn = { notes: [{ order: 1, instruction: 'bold' }] } as unknown as Turn;
  const answer = <T>(what: string, value: () => T): Promise<T> => {
    calls.push(what);
    const r = refuse[what.split(' ')[0] ?? ''];
    return r === undefined ? Promise.resolve(value()) : Promise.reject(r);
  };
  const api: ReviewApi = {
    proposal: () => answer('proposal', () => proposal),
    proposalPicture: (_, side) => answer(`picture ${side}`, () => new Blob([side])),
    turn: () => answer('turn', () => turn),
    reading: (_, sha) => answer(`reading ${sha}`, () => ({ expiresMs: Date.now() + 60 * second })),
    decide: (_, sha, commit) => answer(`decide ${sha} ${commit}`, () => undefined),
    again: (_, session, id) =>
      answer(`again ${session} ${id}`, () => ({ turn: id ?? '', ended: false, annotations: [] })),
  };
  const places = new Places();
  const composer = { message: { value: '' }, draftedAgain: (turn: string) => void calls.push(`drafted ${turn}`) };
  const documents = { id: signal<string | null>('d'), refresh: () => Promise.resolve() };
  const reloaded = () => {
    calls.push('notes');
    return Promise.resolve();
  };
  const review = new Reviewing(api, 's', documents, places, composer, reloaded, { say: (text) => said.push(text) });
  return {
    review,
    places,
    calls,
    said,
    composer,
    set: (p: Partial<Proposal>) => (proposal = { ...proposal, ...p }),
    refuse: (r: Record<string, Refusal>) => (refuse = r),
    turnIs: (more: Partial<Turn>) => (turn = { ...turn, ...more }),
  };
}

const refusal = (code: string, status = 409) => new Refusal({ code, message: code }, status);
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a review', () => {
  it('opens with the turn that waits, its notes and its pictures', async () => {
    const { review, places } = rig();
    places.review.value = 'trn';
    await wait(0);
    expect([review.phase.value, review.notes.value.length, review.pictures.value !== null]).toEqual(['ready', 1, true]);
    expect(review.left.value).toBe(60 * second);
  });

  it('needs no pictures', async () => {
    const { review, places, refuse } = rig();
    refuse({ picture: refusal('not_found', 404) });
    places.review.value = 'trn';
    await wait(0);
    expect([review.phase.value, review.pictures.value]).toEqual(['ready', null]);
  });

  it('counts down, and stands still while somebody reads', async () => {
    const { review, places, calls } = rig();
    places.review.value = 'trn';
    await wait(10 * second);
    expect(review.left.value).toBe(50 * second);
    review.over.value = true;
    await wait(30 * second);
    expect(calls.filter((c) => c === 'reading sha1').length).toBeGreaterThanOrEqual(30_000 / tell - 1);
    expect(review.left.value).toBeGreaterThanOrEqual(50 * second);
    review.over.value = false;
    await wait(5 * second);
    expect(review.reading.value).toBe(false);
    expect(review.left.value).toBeLessThan(60 * second);
  });

  it('takes scrolling for reading, for a while', async () => {
    const { review, places } = rig();
    places.review.value = 'trn';
    await wait(second);
    review.touched();
    await wait(second);
    expect(review.reading.value).toBe(true);
    await wait(lately);
    expect(review.reading.value).toBe(false);
  });

  it('says that nobody decided in time', async () => {
    const { review, places, refuse, turnIs } = rig();
    places.review.value = 'trn';
    await wait(59 * second);
    refuse({ proposal: refusal('turn_ended') });
    turnIs({ expired: true });
    await wait(2 * second);
    expect([review.phase.value, review.expired.value]).toEqual(['gone', true]);
  });

  it('approves what was seen, by its hash', async () => {
    const { review, places, calls, said } = rig();
    places.review.value = 'trn';
    await wait(0);
    expect(await review.approve()).toBe(true);
    expect(calls).toContain('decide sha1 true');
    expect([places.review.value, review.phase.value, said.at(-1)]).toEqual([
      null,
      'idle',
      'Approved: the change becomes a version.',
    ]);
  });

  it('decides once, however often the key is pressed', async () => {
    const { review, places, calls } = rig();
    places.review.value = 'trn';
    await wait(0);
    await Promise.all([review.approve(), review.approve(), review.reject()]);
    expect(calls.filter((c) => c.startsWith('decide'))).toEqual(['decide sha1 true']);
  });

  it('approves nothing that was not looked at', async () => {
    const { review, places, refuse, set, calls } = rig();
    places.review.value = 'trn';
    await wait(0);
    set({ sha256: 'sha2' });
    refuse({ decide: refusal('stale_receipt') });
    expect(await review.approve()).toBe(false);
    expect([review.replaced.value, review.proposal.value?.sha256, places.review.value]).toEqual([true, 'sha2', 'trn']);
    refuse({});
    await review.approve();
    expect(calls).toContain('decide sha2 true');
  });

  it('learns of another proposal while it is read', async () => {
    const { review, places, refuse, set } = rig();
    places.review.value = 'trn';
    await wait(0);
    set({ sha256: 'sha2' });
    refuse({ reading: refusal('stale_receipt') });
    review.over.value = true;
    await wait(tell + second);
    expect([review.replaced.value, review.proposal.value?.sha256]).toEqual([true, 'sha2']);
  });

  it('puts words and notes back where they can be sent again', async () => {
    const { review, places, calls, composer } = rig();
    places.review.value = 'trn';
    await wait(0);
    expect(await review.ask(' not so bold ')).toBe(true);
    expect(calls).toEqual(expect.arrayContaining(['decide sha1 false', 'again s trn', 'drafted trn', 'notes']));
    expect(composer.message.value).toBe('not so bold');
  });

  it('says why it could not be read, and stays open', async () => {
    const { review, places, refuse } = rig();
    refuse({ proposal: refusal('internal', 500) });
    places.review.value = 'trn';
    await wait(0);
    expect([review.phase.value, review.failure.value?.code]).toEqual(['failed', 'internal']);
    refuse({});
    await review.load();
    expect(review.phase.value).toBe('ready');
  });

  it('stops asking when it is closed', async () => {
    const { review, places, calls } = rig();
    places.review.value = 'trn';
    await wait(0);
    review.over.value = true;
    places.review.value = null;
    const n = calls.length;
    await wait(30 * second);
    expect([calls.length, review.phase.value]).toEqual([n, 'idle']);
  });
});
