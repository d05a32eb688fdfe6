import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../api/refusal';
import type { Doc, EditSession, Made, Version } from '../contract/types';
import { merge3 } from '../lib/merge3';
import { patience, pause } from './keeper';
import { Source, type SourceApi } from './source';

/** A gateway that does what the real one does with edit sessions, in memory. */
class Gateway {
  versions: string[] = [];
  sessions = new Map<string, EditSession & { base: number; buffer: string | null }>();
  fail: Refusal | null = null;
  calls: string[] = [];
  clock = 0;

  constructor(...texts: string[]) {
    this.versions = texts;
  }

  api: SourceApi = {
    source: async (_, version) =>
      this.#answer('source', () => new TextEncoder().encode(this.text(version ?? '')).buffer),
    revisions: () =>
      Promise.resolve(this.versions.map((_, i) => ({ id: `rev_${i + 1}`, generation: i + 1 }) as Version)),
    edits: async () =>
      this.#answer('edits', () =>
        [...this.sessions.values()].filter((s) => s.state !== 'closed' && this.unsaved(s)).map((s) => this.row(s)),
      ),
    beginEdit: async (_, version) =>
      this.#answer('begin', () => {
        const base = Number(version?.replace('rev_', ''));
        const s = {
          id: `eds_${this.sessions.size + 1}`,
          documentId: 'd',
          baselineId: `rev_${base}`,
          state: 'open' as const,
          unsaved: false,
          updatedAt: this.#tick(),
          expiresAt: '',
          base,
          buffer: null,
        };
        this.sessions.set(s.id, s);
        return this.row(s, true);
      }),
    edit: async (_, id) => this.#answer('edit', () => this.row(this.#get(id), true)),
    saveEdit: async (_, id, text, seen) =>
      this.#answer('save', () => {
        const s = this.#get(id);
        if (s.state !== 'open' || s.updatedAt !== seen) throw refusal('head_moved', 409);
        s.buffer = text;
        s.updatedAt = this.#tick();
        return this.row(s);
      }),
    reopenEdit: async (_, id) =>
      this.#answer('reopen', () => {
        const s = this.#get(id);
        if (s.state !== 'expired') throw refusal('not_found', 404);
        s.state = 'open';
        s.updatedAt = this.#tick();
        return this.row(s, true);
      }),
    endEdit: async (_, id) =>
      this.#answer('end', () => {
        this.#get(id).state = 'closed';
        return undefined;
      }),
    commitEdit: async (_, id) =>
      this.#answer('commit', () => {
        const s = this.#get(id);
        if (s.state !== 'open') throw refusal('turn_ended', 409);
        const mine = s.buffer ?? this.text(String(s.base));
        const m = merge3(this.text(String(s.base)), this.text(''), mine);
        if (m.conflicts.length > 0)
          throw new Refusal({ code: 'head_moved', message: 'both', detail: { conflicts: [{}] } }, 409);
        const merged = m.pieces.map((p) => ('text' in p ? p.text : '')).join('');
        if (merged === this.text('')) throw refusal('no_op', 422);
        const moved = s.base !== this.versions.length;
        this.versions.push(merged);
        s.state = 'closed';
        return { merged: moved, made: { document: this.doc() } as Made };
      }),
  };

  doc = () => ({ id: 'd', generation: this.versions.length, stateRev: this.clock }) as Doc;
  text = (version: string) =>
    this.versions[(version === '' ? this.versions.length : Number(version.replace('rev_', ''))) - 1] ?? '';
  unsaved = (s: { buffer: string | null; base: number }) => s.buffer !== null && s.buffer !== this.text(String(s.base));

  row(s: EditSession & { base: number; buffer: string | null }, withText = false): EditSession {
    const { base, buffer, ...rest } = s;
    return { ...rest, unsaved: this.unsaved(s), ...(withText && { text: buffer ?? this.text(String(base)) }) };
  }

  #get(id: string) {
    const s = this.sessions.get(id);
    if (!s) throw refusal('not_found', 404);
    return s;
  }

  #tick = () => String(++this.clock);

  async #answer<T>(what: string, make: () => T): Promise<T> {
    this.calls.push(what);
    await Promise.resolve();
    if (this.fail !== null) throw this.fail;
    return make();
  }
}

function refusal(code: string, status: number): Refusal {
  return new Refusal({ code, message: code }, status);
}

/** An editor without a screen. */
class Editor {
  constructor(readonly source: Source) {
    this.detach = source.attach(() => this.text);
    this.text = source.shown.peek()?.text ?? '';
    source.shown.subscribe((s) => {
      if (s !== null && this.attached) this.text = s.text;
    });
  }
  text = '';
  attached = true;
  detach: () => void;
  type(text: string) {
    this.text = text;
    this.source.changed();
  }
  leave() {
    this.attached = false;
    this.detach();
  }
}

async function rig(gateway: Gateway) {
  const generation = signal(gateway.versions.length);
  const said: string[] = [];
  const documents = {
    id: signal<string | null>('d'),
    generation,
    made: (m: Made) => void (generation.value = m.document.generation),
    refresh: () => Promise.resolve(void (generation.value = gateway.versions.length)),
  };
  const source = new Source(gateway.api, documents, { say: (text) => said.push(text) });
  await source.load();
  return { source, generation, said, editor: new Editor(source) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('source', () => {
  it('begins no session while one only reads', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    expect([source.phase.value, editor.text, source.unsaved.value]).toEqual(['ready', 'a\n', false]);
    expect(g.sessions.size).toBe(0);
  });

  it('keeps what is typed after a pause, and while one types on and on', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    editor.type('ab\n');
    expect(source.unsaved.value).toBe(true);
    await wait(pause + 10);
    expect([...g.sessions.values()][0]?.buffer).toBe('ab\n');
    expect(source.keeper.value?.state.value).toBe('kept');
    for (let i = 0; i < 12; i++) {
      editor.type(`${'x'.repeat(i + 1)}\n`);
      await wait(300);
    }
    expect([...g.sessions.values()][0]?.buffer).toMatch(/^x+\n$/);
    expect(g.sessions.size).toBe(1);
  });

  it('knows when the text is what it was', async () => {
    const { source, editor } = await rig(new Gateway('a\n'));
    editor.type('b\n');
    await wait(pause + 10);
    editor.type('a\n');
    await wait(pause + 10);
    expect(source.unsaved.value).toBe(false);
  });

  it('saves a version, and goes on with it', async () => {
    const g = new Gateway('a\n');
    const { source, editor, said } = await rig(g);
    editor.type('b\n');
    await source.commit();
    expect(g.versions).toEqual(['a\n', 'b\n']);
    expect([source.unsaved.value, source.baseline.value?.generation, said.at(-1)]).toEqual([
      false,
      2,
      'Saved as version 2.',
    ]);
    editor.type('c\n');
    await source.commit();
    expect(g.versions.at(-1)).toBe('c\n');
  });

  it('shows what was saved, also to an editor that looks again at what it is to show', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    source.baseline.subscribe(() => {
      editor.text = source.shown.peek()?.text ?? '';
    });
    for (const text of ['b\n', 'bc\n', 'bcd\n']) {
      editor.type(text);
      await source.commit();
      expect(editor.text).toBe(text);
    }
    expect(g.versions).toEqual(['a\n', 'b\n', 'bc\n', 'bcd\n']);
  });

  it('joins newer versions where nothing is in the way', async () => {
    const g = new Gateway('one\ntwo\n');
    const { source, editor } = await rig(g);
    editor.type('one\ntwo!\n');
    g.versions.push('ONE\ntwo\n');
    await source.commit();
    expect(g.versions.at(-1)).toBe('ONE\ntwo!\n');
    expect(editor.text).toBe('ONE\ntwo!\n');
    expect(source.baseline.value).toMatchObject({ generation: 3, text: 'ONE\ntwo!\n' });
  });

  it('shows a conflict, keeps the text through it, and saves what was decided', async () => {
    const g = new Gateway('<p>one</p>\n<p>two</p>\n');
    const { source, editor } = await rig(g);
    editor.type('<p>mine</p>\n<p>two!</p>\n');
    g.versions.push('<p>theirs</p>\n<p>two</p>\n');
    await source.commit();
    expect(source.joining.value?.merge.conflicts).toMatchObject([
      { base: 'one', theirs: 'theirs', mine: 'mine', line: 1 },
    ]);
    expect(editor.text).toBe('<p>mine</p>\n<p>two!</p>\n');
    source.leaveJoining();
    expect(source.unsaved.value).toBe(true);
    await source.commit();
    await source.resolve([{ take: 'theirs+mine' }], true);
    expect(g.versions.at(-1)).toBe('<p>theirsmine</p>\n<p>two!</p>\n');
    expect(source.unsaved.value).toBe(false);
    expect([...g.sessions.values()].every((s) => s.state === 'closed')).toBe(true);
  });

  it('loses nothing when a save is refused, and tries again when that may help', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    g.fail = new Refusal({ code: 'no_gateway', message: 'gone' }, 0);
    editor.type('b\n');
    await wait(pause + 10);
    expect([source.keeper.value?.state.value, editor.text]).toEqual(['lost', 'b\n']);
    await source.commit();
    expect([source.unsaved.value, source.refusal.value?.code]).toEqual([true, 'no_gateway']);
    g.fail = null;
    await wait(10_000);
    expect([...g.sessions.values()][0]?.buffer).toBe('b\n');
    g.fail = refusal('nul', 422);
    editor.type('b\0\n');
    await wait(pause + 10);
    expect([source.keeper.value?.state.value, source.unsaved.value]).toEqual(['refused', true]);
    g.fail = null;
    await wait(60_000);
    expect([...g.sessions.values()][0]?.buffer).toBe('b\n');
  });

  it('goes on with a session that expired', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    editor.type('b\n');
    await wait(pause + 10);
    const s = [...g.sessions.values()][0]!;
    s.state = 'expired';
    editor.type('c\n');
    await wait(pause + 10);
    expect([s.buffer, s.state]).toEqual(['c\n', 'open']);
    s.state = 'expired';
    await source.commit();
    expect(g.versions.at(-1)).toBe('c\n');
    expect(g.sessions.size).toBe(1);
  });

  it('goes on apart where somebody else saved into the session', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    editor.type('b\n');
    await wait(pause + 10);
    const s = [...g.sessions.values()][0]!;
    s.buffer = 'other\n';
    s.updatedAt = 'later';
    editor.type('c\n');
    await wait(pause + 10);
    expect([...g.sessions.values()].map((x) => x.buffer)).toEqual(['other\n', 'c\n']);
    expect(source.keeper.value?.parted.value).toBe(true);
  });

  it('finds text of no version again, after a restart', async () => {
    const g = new Gateway('a\n', 'b\n');
    const before = await rig(g);
    before.editor.type('typed\n');
    await wait(pause + 10);
    [...g.sessions.values()][0]!.state = 'expired';
    g.versions.push('c\n');
    const { source, editor } = await rig(g);
    expect(source.found.value.map((f) => f.id)).toEqual(['eds_1']);
    await source.goOnWith(source.found.value[0]!);
    expect([editor.text, source.unsaved.value, source.behind.value, source.found.value]).toEqual([
      'typed\n',
      true,
      true,
      [],
    ]);
    expect(source.baseline.value).toMatchObject({ generation: 2, text: 'b\n' });
  });

  it('drops found text and its own only when told to', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    editor.type('b\n');
    await wait(pause + 10);
    await source.discard();
    expect([editor.text, source.unsaved.value, g.sessions.get('eds_1')?.state]).toEqual(['a\n', false, 'closed']);
  });

  it('follows newer versions while nothing is typed, and says so when something is', async () => {
    const g = new Gateway('a\n');
    const { source, editor, generation } = await rig(g);
    g.versions.push('b\n');
    generation.value = 2;
    await wait(0);
    expect(editor.text).toBe('b\n');
    editor.type('b!\n');
    g.versions.push('c\nb\n');
    generation.value = 3;
    await wait(0);
    expect([editor.text, source.behind.value]).toEqual(['b!\n', true]);
  });

  it('keeps the text while another place is shown', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    editor.type('b\n');
    editor.leave();
    await wait(0);
    expect([source.text, new Editor(source).text, [...g.sessions.values()][0]?.buffer]).toEqual(['b\n', 'b\n', 'b\n']);
  });

  it('keeps what is typed while a version is being made', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    editor.type('b\n');
    const done = source.commit();
    await wait(0);
    editor.type('b\nmore\n');
    await done;
    await source.commit();
    expect(g.versions.at(-1)).toBe('b\nmore\n');
    expect([editor.text, source.unsaved.value]).toEqual(['b\nmore\n', false]);
  });

  it('does not wait for ever for an answer, and knows its own text again', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    editor.type('b\n');
    await wait(pause + 10);
    const save = g.api.saveEdit;
    g.api.saveEdit = async (...args) => {
      await save(...args); // it arrives, and the answer is lost
      return new Promise(() => undefined);
    };
    editor.type('c\n');
    await wait(pause + patience + 10);
    expect(source.keeper.value?.state.value).toBe('lost');
    g.api.saveEdit = save;
    editor.type('d\n');
    await wait(pause + 2_000);
    expect([...g.sessions.values()].map((s) => s.buffer)).toEqual(['d\n']);
    expect(source.keeper.value?.parted.value).toBe(false);
  });

  it('takes a version whose answer was lost for what it is', async () => {
    const g = new Gateway('a\n');
    const { source, editor } = await rig(g);
    editor.type('b\n');
    const commit = g.api.commitEdit;
    g.api.commitEdit = async (...args) => {
      await commit(...args);
      throw new Refusal({ code: 'no_gateway', message: 'gone' }, 0);
    };
    await source.commit();
    expect([source.unsaved.value, g.versions.length]).toEqual([true, 2]);
    g.api.commitEdit = commit;
    await source.commit();
    expect([source.unsaved.value, g.versions, editor.text]).toEqual([false, ['a\n', 'b\n'], 'b\n']);
  });

  it('keeps nothing where nothing was typed, when another place is shown', async () => {
    const g = new Gateway('a\n');
    const { editor } = await rig(g);
    editor.leave();
    await wait(0);
    expect(g.sessions.size).toBe(0);
  });

  it('does not save a version where there is nothing new', async () => {
    const g = new Gateway('a\n');
    const { source, said } = await rig(g);
    await source.commit();
    expect([g.versions.length, said.at(-1)]).toEqual([1, 'Nothing to save: the text is that of the newest version.']);
  });

  it('says why the source could not be read, and reads it when asked again', async () => {
    const g = new Gateway('a\n');
    g.fail = new Refusal({ code: 'no_gateway', message: 'gone' }, 0);
    const { source } = await rig(g);
    expect(source.phase.value).toBe('failed');
    g.fail = null;
    await source.load();
    expect(source.phase.value).toBe('ready');
  });
});
