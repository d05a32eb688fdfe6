import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Health, Made, Pick as Picked, Preferences as Values } from '../contract/types';
import { Direct } from './direct';
import { Features } from './features';
import { Preferences } from './preferences';
import { Status } from './status';
import { deferred, doc, lost, pick, refuse, said } from './testing';

describe('preferences', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('show at once and are stored a moment later, all changes in one', async () => {
    const saved: Values[] = [];
    const p = new Preferences(
      {
        preferences: () => Promise.resolve({ theme: 'dark' }),
        savePreferences: (v) => {
          saved.push(v);
          return Promise.resolve(v);
        },
      },
      said(),
    );
    await p.load();
    expect(p.theme.value).toBe('dark');
    for (let px = 300; px < 400; px += 10) p.set('panel', px);
    p.set('language', 'zh');
    expect(p.panel.value).toBe(390);
    await vi.advanceTimersByTimeAsync(1000);
    expect(saved).toEqual([{ theme: 'dark', panel: 390, language: 'zh' }]);
    p.set('language', 'zh'); // no change
    await vi.advanceTimersByTimeAsync(1000);
    expect(saved.length).toBe(1);
  });

  it('that were set while the stored ones were on their way stand', async () => {
    const slow = deferred<Values>();
    const p = new Preferences({ preferences: () => slow.promise, savePreferences: (v) => Promise.resolve(v) }, said());
    const loading = p.load();
    p.set('theme', 'light');
    slow.resolve({ theme: 'dark', panel: 300 });
    await loading;
    expect(p.theme.value).toBe('light');
    expect(p.panel.value).toBe(300);
  });

  it('are sent again after a failure', async () => {
    let n = 0;
    const p = new Preferences(
      {
        preferences: () => Promise.reject(lost()),
        savePreferences: (v) => (++n === 1 ? Promise.reject(lost()) : Promise.resolve(v)),
      },
      said(),
    );
    await p.load();
    expect(p.loaded.value).toBe(true);
    p.set('review', true);
    await vi.advanceTimersByTimeAsync(1000);
    await p.flush();
    expect(n).toBe(2);
    await p.flush();
    expect(n).toBe(2);
  });
});

const health = (on: boolean, reason = ''): Health => ({
  version: '1',
  launch: 'l',
  uptimeMs: 1,
  features: [
    { feature: 'documentWorkbenchResources', on: true, by: 'default' },
    { feature: 'artifactPromptAnnotations', on, by: on ? 'default' : 'kill', reason },
  ],
});

describe('features', () => {
  it('are what the gateway says, with the reason', async () => {
    let on = true;
    const f = new Features({ health: () => Promise.resolve(health(on, 'audit')) });
    await f.load();
    expect(f.annotations.value).toBeNull();
    on = false;
    await f.load();
    expect(f.annotations.value).toEqual({ reason: 'audit', by: 'kill' });
    expect(f.workbench.value).toBeNull();
  });

  it('that the embedder said false to stay off, whatever the gateway says', async () => {
    const f = new Features({ health: () => Promise.resolve(health(true)) }, null, {
      artifactPromptAnnotations: false,
      other: 'x',
    });
    await f.load();
    expect(f.annotations.value?.by).toBe('host');
    const g = new Features({ health: () => Promise.resolve(health(false)) }, { artifactPromptAnnotations: true });
    await g.load();
    expect(g.annotations.value?.by).toBe('kill'); // true opens nothing
  });

  it('that need another one are off with it', () => {
    const f = new Features({ health: () => Promise.resolve(health(true)) }, { documentWorkbenchResources: false });
    expect(f.annotations.value).not.toBeNull();
  });

  it('are off at once when a route is refused, until the gateway says otherwise', async () => {
    const slow = deferred<Health>();
    const f = new Features({ health: () => slow.promise });
    f.refused({ feature: 'artifactPromptAnnotations' }, 'switched off');
    expect(f.annotations.value).toEqual({ reason: 'switched off', by: 'refused' });
    slow.resolve(health(true));
    await vi.waitFor(() => expect(f.annotations.value).toBeNull());
  });

  it('know a lost gateway from a busy one', async () => {
    let answer: () => Promise<Health> = () => Promise.reject(lost());
    const f = new Features({ health: () => answer() });
    await f.load();
    expect(f.alive.value).toBe(false);
    answer = () => Promise.resolve(health(true));
    await f.load();
    expect(f.alive.value).toBe(true);
    answer = () => Promise.reject(refuse('rate_limited', 429));
    await f.load();
    expect(f.alive.value).toBe(true);
  });
});

describe('direct edits', () => {
  const made = { document: doc(), changeSet: { edits: [{}, {}] }, written: true } as unknown as Made;
  const picks: Picked[] = [pick('a'), pick('b')];

  it('are one task for all targets, and say what they did', async () => {
    const sent: unknown[] = [];
    const got: Made[] = [];
    const status = said();
    const d = new Direct(
      {
        directEdits: (...a) => {
          sent.push(a);
          return Promise.resolve(made);
        },
      },
      (m) => got.push(m),
      () => true,
      status,
    );
    expect(await d.run('prv', 'style', ' color ', 'red', picks)).toBe(true);
    expect(sent[0]).toEqual([
      'prv',
      [{ do: 'style', name: 'color', value: 'red', picks: ['pick_a', 'pick_b'] }],
      [],
      true,
    ]);
    expect(got).toEqual([made]);
    expect(status.lines[0]?.text).toContain('Changed 2 places');
  });

  it('ask before they add what can act by itself, and go on with the same', async () => {
    const approved: string[][] = [];
    const d = new Direct(
      {
        directEdits: (_p, _t, approve) => {
          approved.push(approve ?? []);
          return approved.length === 1
            ? Promise.reject(refuse('needs_approval', 403, { flags: [{ kind: 'script', detail: 'x' }, { odd: 1 }] }))
            : Promise.resolve(made);
        },
      },
      () => undefined,
      () => true,
      said(),
    );
    expect(await d.run('prv', 'attribute', 'onclick', 'x', picks)).toBe(false);
    expect(d.flags.value).toEqual([{ kind: 'script', detail: 'x' }]);
    expect(await d.approve()).toBe(true);
    expect(approved).toEqual([[], ['script']]);
    expect(d.flags.value).toBeNull();
  });

  it('are not begun twice, and can be tried again after a refusal', async () => {
    const slow = deferred<Made>();
    const d = new Direct(
      { directEdits: () => slow.promise },
      () => undefined,
      () => true,
      said(),
    );
    const first = d.run('prv', 'remove', '', '', picks);
    expect(await d.run('prv', 'remove', '', '', picks)).toBe(false);
    slow.reject(refuse('no_op', 422));
    expect(await first).toBe(false);
    expect(d.refusal.value?.code).toBe('no_op');
    expect(d.working.value).toBe(false);
    expect(await d.approve()).toBe(false);
  });
});

describe('the status line', () => {
  it('shows where the pointer stands, and what happens until it moves on', () => {
    const s = new Status();
    s.say('done', 'good');
    s.hover.value = 'line 3';
    expect(s.line.value).toEqual({ text: 'line 3', tone: 'plain' });
    s.say('done again', 'good');
    expect(s.line.value).toEqual({ text: 'done again', tone: 'good' });
    s.hover.value = 'line 4';
    expect(s.line.value?.text).toBe('line 4');
    s.hover.value = null;
    s.clear();
    expect(s.line.value).toBeNull();
  });
});
