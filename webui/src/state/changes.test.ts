import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../api/refusal';
import type { Diff, Doc, ListedChange, Made, Version } from '../contract/types';
import { Changes, type ChangesApi } from './changes';

/** A history of changes in memory; change n makes version n + 1. */
class History {
  n = 1;
  names = new Map<number, string>();
  gone = new Set<number>();
  refuse: Refusal | null = null;
  calls: string[] = [];

  constructor(changes: number) {
    this.n = changes + 1;
  }

  version = (generation: number): Version => ({
    id: `rev_${generation}`,
    documentId: 'd',
    generation,
    sha256: '',
    bytes: 1,
    source: 'turn',
    actor: '',
    at: '',
    ...(this.names.has(generation) && { name: this.names.get(generation) ?? '' }),
  });

  change = (generation: number) =>
    ({
      id: `chg_${generation}`,
      generation,
      inForce: !this.gone.has(generation),
      edits: [{ span: [0, 1], replacement: 'x' }],
    }) as unknown as ListedChange;

  #down<T>(make: (g: number) => T, before: number | undefined, limit: number, least: number): T[] {
    const out: T[] = [];
    for (let g = (before ?? this.n + 1) - 1; g >= least && out.length < limit; g--) out.push(make(g));
    return out;
  }

  #do<T>(what: string, make: () => T): Promise<T> {
    this.calls.push(what);
    if (this.refuse !== null) {
      const r = this.refuse;
      this.refuse = null;
      return Promise.reject(r);
    }
    return Promise.resolve(make());
  }

  #made = (): Made => {
    this.n++;
    return { document: { id: 'd', generation: this.n } as Doc, changeSet: this.change(this.n), written: true };
  };

  api: ChangesApi = {
    revisions: (_, before, limit) => this.#do('revisions', () => this.#down(this.version, before, limit ?? 100, 1)),
    changes: (_, before, limit) => Promise.resolve(this.#down(this.change, before, limit ?? 100, 2)),
    diff: (_, q) =>
      this.#do(`diff ${q.change ?? `${q.from}-${q.to}`}`, () => ({ unified: '@@ -1 +1 @@\n-a\n+b\n' }) as Diff),
    revert: (_, change, note) =>
      this.#do(`revert ${change} ${note}`, () => {
        this.gone.add(Number(change.slice(4)));
        return this.#made();
      }),
    redo: () => this.#do('redo', this.#made),
    restore: (_, version) => this.#do(`restore ${version}`, this.#made),
    nameVersion: (_, g, name, move) => this.#do(`name ${g} ${name} ${move}`, () => void this.names.set(g, name)),
    unnameVersion: (_, g) => this.#do(`unname ${g}`, () => void this.names.delete(g)),
    source: (_, version) => this.#do(`source ${version}`, () => new TextEncoder().encode('x').buffer),
  };
}

async function rig(history: History) {
  const said: string[] = [];
  const generation = signal(history.n);
  const id = signal<string | null>('d');
  const change = signal<string | null>(null);
  const documents = { id, generation, made: (m: Made) => void (generation.value = m.document.generation) };
  const changes = new Changes(history.api, documents, { say: (text) => said.push(text) }, { change });
  await changes.load();
  await settled();
  return { changes, said, generation, change, id };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('changes', () => {
  it('show the newest one at first', async () => {
    const { changes } = await rig(new History(3));
    expect([changes.phase.value, changes.selected.value, changes.shown.value?.hunks.length]).toEqual([
      'ready',
      'chg_4',
      1,
    ]);
    expect(changes.entries.value.map((e) => [e.version.generation, e.change?.id])).toEqual([
      [4, 'chg_4'],
      [3, 'chg_3'],
      [2, 'chg_2'],
      [1, undefined],
    ]);
  });

  it('go back and forth, and say where the line ends', async () => {
    const { changes, said } = await rig(new History(2));
    await changes.step(-1);
    expect(changes.selected.value).toBe('chg_2');
    await changes.step(-1);
    expect(said.at(-1)).toBe('This is the oldest change.');
    await changes.step(1);
    await changes.step(1);
    expect([changes.selected.value, said.at(-1)]).toEqual(['chg_3', 'This is the newest change.']);
  });

  it('are read page by page', async () => {
    const { changes } = await rig(new History(249));
    expect([changes.versions.value.length, changes.more.value]).toEqual([100, true]);
    await changes.loadMore();
    await changes.loadMore();
    expect([changes.versions.value.length, changes.changes.value.length, changes.more.value]).toEqual([
      250,
      249,
      false,
    ]);
    expect(new Set(changes.versions.value.map((v) => v.generation)).size).toBe(250);
  });

  it('go on to the next page where the keys lead there', async () => {
    const { changes } = await rig(new History(120));
    await changes.open('chg_22');
    await changes.step(-1);
    expect([changes.selected.value, changes.changes.value.length]).toEqual(['chg_21', 120]);
  });

  it('leave out what is between when many versions were made elsewhere', async () => {
    const h = new History(5);
    const { changes, generation } = await rig(h);
    h.n = 400;
    generation.value = 400;
    await settled();
    expect(changes.versions.value.map((v) => v.generation)).toEqual(Array.from({ length: 100 }, (_, i) => 400 - i));
    expect(changes.more.value).toBe(true);
  });

  it('open the one that somebody points at', async () => {
    const { changes, change } = await rig(new History(4));
    change.value = 'chg_2';
    await settled();
    expect([changes.selected.value, change.value]).toEqual(['chg_2', null]);
  });

  it('drop a difference that comes late', async () => {
    const { changes } = await rig(new History(4));
    await Promise.all([changes.open('chg_2'), changes.compare(1, 4)]);
    expect([changes.selected.value, changes.comparing.value]).toEqual([null, false]);
  });

  it('are taken back, and say what that did', async () => {
    const h = new History(2);
    const { changes, said, generation } = await rig(h);
    expect(await changes.undo('chg_2')).toBe(true);
    expect([generation.value, said.at(-1), changes.selected.value]).toEqual([
      4,
      'Taken back in 1 place; this is version 4. Everything else is byte for byte the same.',
      'chg_4',
    ]);
    await changes.undo('chg_3', 2);
    expect(h.calls).toContain('revert chg_3 2');
  });

  it('say which newer one stands in the way, and take both back', async () => {
    const h = new History(3);
    const { changes } = await rig(h);
    h.refuse = new Refusal(
      {
        code: 'overlaps_later',
        message: 'in the way',
        hint: 'first',
        detail: { changeSet: 'chg_4', generation: 4, note: 2 },
      },
      409,
    );
    expect(await changes.undo('chg_2')).toBe(false);
    expect(changes.stuck.value).toMatchObject({ change: 'chg_2', by: 'chg_4', byGeneration: 4, byNote: 2 });
    await changes.undoBoth();
    expect(h.calls.filter((c) => c.startsWith('revert'))).toEqual([
      'revert chg_2 0',
      'revert chg_4 2',
      'revert chg_2 0',
    ]);
    expect(changes.stuck.value).toBeNull();
  });

  it('are put back and restored', async () => {
    const h = new History(3);
    const { changes, said } = await rig(h);
    await changes.redo();
    await changes.restore(h.version(2));
    expect(h.calls).toContain('restore 2');
    expect(said.at(-1)).toContain('Restored; this is version 6.');
    h.refuse = new Refusal({ code: 'nothing_to_redo', message: 'nothing' }, 409);
    await changes.redo();
    expect(said.at(-1)).toContain('nothing');
  });

  it('have versions with names, which can be moved and taken away', async () => {
    const h = new History(2);
    const { changes } = await rig(h);
    expect(await changes.name(2, ' sale ')).toBe(true);
    expect(changes.versions.value.find((v) => v.generation === 2)?.name).toBe('sale');
    h.refuse = new Refusal({ code: 'name_taken', message: '', detail: { generation: 2 } }, 409);
    expect(await changes.name(3, 'sale')).toBe(false);
    expect(changes.taken.value).toEqual({ generation: 3, name: 'sale', has: 2 });
    await changes.name(3, 'sale', true);
    expect(h.calls).toContain('name 3 sale true');
    await changes.name(3, '');
    expect(h.calls).toContain('unname 3');
  });

  it('show more of a long difference when asked', async () => {
    const { changes } = await rig(new History(1));
    const before = changes.rows.value;
    changes.showMore();
    expect(changes.rows.value).toBe(before * 2);
  });

  it('say why the history could not be read, and keep what was read', async () => {
    const h = new History(2);
    h.refuse = new Refusal({ code: 'no_gateway', message: 'gone' }, 0);
    const { changes } = await rig(h);
    expect([changes.phase.value, changes.failure.value?.code]).toEqual(['failed', 'no_gateway']);
    await changes.load();
    expect(changes.phase.value).toBe('ready');
    h.refuse = new Refusal({ code: 'no_gateway', message: 'gone' }, 0);
    await changes.load();
    expect([changes.phase.value, changes.versions.value.length]).toEqual(['ready', 3]);
  });
});
