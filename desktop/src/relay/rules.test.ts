import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import list from './protocol4.json';
import { check, denied, judge, limits, patience, refused, Refusal, type Check } from './rules.node';

const origin = 'http://abc.localhost:4321';

function refusal(method: string, params: object, at: string | null = origin, bytes = 10): Refusal | undefined {
  try {
    judge(method, params, at ?? undefined, bytes);
  } catch (e) {
    if (e instanceof Refusal) return e;
    throw e;
  }
  return undefined;
}

const kinds: [Check, unknown[], unknown[]][] = [
  [{ is: 'number' }, [0, -1.5, 1e7], [1e8, -1e8, Infinity, NaN, '1', null]],
  [{ is: 'whole', min: 1, max: 5 }, [1, 5], [0, 6, 1.5, '1', null, true]],
  [{ is: 'text', max: 4 }, ['', 'abcd', 'éé'], ['abcde', 'ééé', 1, null]],
  [{ is: 'boolean' }, [true, false], [0, 'true', null]],
  [{ is: 'only', values: ['a', 1, false] }, ['a', 1, false], ['b', '1', 0, null, {}]],
  [{ is: 'list', max: 2, of: [{ is: 'boolean' }] }, [[], [true, false]], [[1], [true, true, true], {}, null]],
  [
    { is: 'object', fields: { a: { is: 'boolean' }, b: { is: 'text', max: 1 } }, need: ['a'] },
    [{ a: true }, { a: true, b: 'x' }],
    [{}, { b: 'x' }, { a: 1 }, { a: true, c: 1 }, { a: true, toString: 1 }, [], null, 'x'],
  ],
  [{ is: 'anyOf', of: [{ is: 'boolean' }, { is: 'only', values: ['x'] }] }, [true, 'x'], ['y', 1]],
  [
    { is: 'leaseUrl' },
    [`${origin}/`, `${origin}/a%20b.html?x#y`],
    [origin, `${origin}@evil.test/`, `${origin}.evil.test/`, 'http://u:p@abc.localhost:4321/', 'http://evil.test/', 1],
  ],
  [
    { is: 'origin' },
    [origin],
    [`${origin}/`, 'https://abc.localhost:4321', 'http://127.0.0.1:80', 'http://a.b.localhost:1', `${origin}\n`, 1],
  ],
  [{ is: 'world' }, [list.world], ['', 'other', 1]],
  [{ is: 'function' }, [], ['function () { return 1; }', '', 1]],
  [{ is: 'script' }, [], ['alert(1)', 1]],
  [
    { is: 'clip' },
    [{ x: 0, y: 0, width: 5000, height: 5000, scale: 1 }],
    [
      { x: 0, y: 0, width: 9000, height: 9000, scale: 1 },
      { x: 0, y: 0, width: 2000, height: 2000, scale: 4 },
      { x: -1, y: 0, width: 1, height: 1, scale: 1 },
      { x: 0, y: 0, width: 1, height: 1, scale: 0 },
      { x: 0, y: 0, width: 1, height: 1 },
      { x: 0, y: 0, width: 1, height: 1, scale: 1, more: 1 },
      null,
    ],
  ],
  [{ is: 'anything' }, [null, {}, 'x'], []],
  [{ is: 'unheard of' }, [], ['x', 1, null]],
];

describe('rules', () => {
  it.each(kinds)('%j', (rule, good, bad) => {
    for (const v of good) expect(check(rule, v, origin), JSON.stringify(v)).toBe('');
    for (const v of bad) expect(check(rule, v, origin), JSON.stringify(v)).not.toBe('');
  });

  it('knows every kind that the list uses', () => {
    const used = new Set(JSON.stringify(list).match(/(?<="is":")\w+/g));
    expect([...used].filter((is) => !kinds.some(([c]) => c.is === is))).toEqual([]);
  });

  it("allows the bridge's one function by its hash", () => {
    const call = readFileSync(new URL('../../../bridge/cdp/js/call.js', import.meta.url), 'utf8').trim();
    expect(check({ is: 'function' }, call, origin)).toBe('');
    expect(check({ is: 'function' }, `${call} `, origin)).not.toBe('');
  });

  it('denies what is not in the list, whatever its name', () => {
    for (const method of [
      'Runtime.compileScript',
      'Page.crash',
      'DOM.setAttributeValue',
      'Target.createTarget',
      '',
      '__proto__',
      'constructor',
    ])
      expect(refusal(method, {})?.code, method).toBe(denied);
    expect(refusal('Page.enable', {}, null)?.code).toBe(denied);
    expect(refusal('Bridge.close', { sessionId: 'x' }, origin)?.code).toBe(denied);
  });

  it('refuses parameters that are not in the rule, or missing', () => {
    expect(refusal('Page.enable', {})).toBeUndefined();
    expect(refusal('Page.enable', JSON.parse('{"__proto__":1}') as object)?.code).toBe(refused);
    expect(refusal('Page.navigate', {})?.code).toBe(refused);
    expect(refusal('Page.navigate', { url: 'about:blank' })).toBeUndefined();
    expect(refusal('Page.navigate', { url: 'file:///etc/passwd' })?.code).toBe(refused);
    expect(refusal('Runtime.evaluate', { expression: '1' })?.code).toBe(refused);
  });

  it('answers a probe itself', () => {
    expect(judge('Runtime.evaluate', { expression: 'self' }, origin, 10)).toMatchObject({ result: { type: 'object' } });
  });

  it('bounds the size of a command, and lets a response be larger', () => {
    expect(refusal('Page.enable', {}, origin, limits.commandBytes + 2000)?.code).toBe(refused);
    const answer = { requestId: 'r', responseCode: 200 };
    expect(refusal('Fetch.fulfillRequest', answer, origin, limits.commandBytes + 2000)).toBeUndefined();
  });

  it('waits as long as the gateway does', () => {
    expect(patience('Page.enable', {})).toBe(limits.commandMs);
    expect(patience('Page.captureScreenshot', {})).toBe(limits.slowMs);
    expect(patience('Runtime.callFunctionOn', { awaitPromise: true })).toBe(limits.awaitMs);
  });
});
