import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { Child } from '../src/gatewayproc/child.node';
import { Client } from '../src/gatewayproc/client.node';
import { Keeper } from '../src/gatewayproc/keeper.node';
import type { Ready } from '../src/gatewayproc/lines.std';
import { lives, until } from './rig.node';

// The child and what is said to it, with programs that stand in for a gateway.

const folder = mkdtempSync(join(tmpdir(), 'proofmark-gateway-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const relay = { url: 'ws://127.0.0.1:1/bridge/x', token: 'ab'.repeat(32) };
const line = (more: object = {}) =>
  JSON.stringify({
    ready: true,
    port: 4711,
    launch: 'run_x',
    token: 't',
    tokenExpires: '2030-01-01T00:00:00Z',
    protocol: 4,
    ...more,
  });

let made = 0;
function program(script: string): string {
  const path = join(folder, `p${made++}`);
  writeFileSync(path, `#!/bin/sh\necho $$ >"$0.pid"\n${script}\n`, { mode: 0o755 });
  return path;
}
const pidOf = (path: string) => Number(readFileSync(`${path}.pid`, 'utf8'));

if (process.platform === 'win32')
  console.warn('SKIPPED, NOT TESTED: the gateway as a child; its stand-ins are shell scripts');
describe.skipIf(process.platform === 'win32')('a child', () => {
  test('is told one line, by its standard input and not by its command line or environment', async () => {
    const path = program(
      `read -r said; echo "$said" >"$0.said"; echo "$@" >"$0.args"; env >"$0.env"; echo '${line()}'; cat >/dev/null`,
    );
    const { child, ready } = await Child.start({
      program: path,
      relay,
      env: { ...process.env, NODE_OPTIONS: 'x' },
      onGrant: () => undefined,
    });
    expect(ready).toMatchObject({ port: 4711, protocol: 4, token: 't' });
    expect(JSON.parse(readFileSync(`${path}.said`, 'utf8'))).toEqual({ protocol: 4, relay });
    expect(readFileSync(`${path}.args`, 'utf8').trim()).toBe('serve --owned --bridge');
    const env = readFileSync(`${path}.env`, 'utf8');
    expect(env).not.toContain(relay.token);
    expect(env).not.toContain('NODE_OPTIONS');
    await child.stop(); // its input ends, and so does it
    expect(lives(pidOf(path))).toBe(false);
  });
  test('hands over newer tokens', async () => {
    const path = program(
      `echo '${line()}'; echo '{"token":"newer","tokenExpires":"2031-01-01T00:00:00Z"}'; echo nonsense; cat >/dev/null`,
    );
    const got: string[] = [];
    const { child } = await Child.start({ program: path, relay, env: process.env, onGrant: (g) => got.push(g.token) });
    await until('the token', () => got.length > 0);
    await child.stop();
    expect(got).toEqual(['newer']);
  });
  test.each([
    ['says something else', 'echo hello; sleep 60', 'did not say that it is ready'],
    ['says too much', 'head -c 40000 /dev/zero | tr "\\\\0" x; sleep 60', 'says too much'],
    ['ends with a reason', 'echo "the store is damaged" >&2; exit 1', 'the store is damaged'],
    ['ends without one', 'exit 1', 'the gateway ended'],
  ])('that %s is none', async (_name, script, why) => {
    const path = program(script);
    await expect(Child.start({ program: path, relay, env: process.env, onGrant: () => undefined })).rejects.toThrow(
      why,
    );
    await until('its end', () => !lives(pidOf(path)));
  });
  test('that is no program is none', async () => {
    await expect(
      Child.start({ program: join(folder, 'none'), relay, env: process.env, onGrant: () => undefined }),
    ).rejects.toThrow('ENOENT');
  });
});

describe('keeping one', () => {
  const ready: Ready = { port: 1, launch: 'x', token: 't', ends: 0, protocol: 4 };
  test('waits longer each time, asks a person in the end, and begins anew when told to', async () => {
    const waits: number[] = [];
    const asked: string[] = [];
    const keeper = new Keeper({
      start: () => Promise.reject(new Error('no luck')),
      up: () => undefined,
      down: () => undefined,
      gaveUp: (said) => Promise.resolve(asked.push(said) < 2),
      wait: (ms) => Promise.resolve(waits.push(ms)),
    });
    await keeper.run();
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 500, 1_000, 2_000, 4_000]);
    expect(asked).toEqual(['no luck', 'no luck']);
  });
  test('ends it, and starts no other', async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<{ lived: number; said: string }>(
      (resolve) => (end = () => resolve({ lived: 1, said: '' })),
    );
    let starts = 0;
    const seen: string[] = [];
    const keeper = new Keeper({
      start: () => {
        starts++;
        return Promise.resolve({
          ready,
          child: {
            ended,
            stop: () => {
              end();
              return Promise.resolve();
            },
            kill: end,
          },
        });
      },
      up: () => seen.push('up'),
      down: () => seen.push('down'),
      gaveUp: () => Promise.resolve(false),
    });
    const running = keeper.run();
    await until('a gateway', () => seen.includes('up'));
    await keeper.stop();
    await running;
    expect(starts).toBe(1);
    expect(seen).toEqual(['up', 'down']);
  });
});

describe('the shell’s own token', () => {
  afterEach(() => void vi.useRealTimers());
  test('is renewed before it ends, and a newer one takes its place', async () => {
    const asked: string[] = [];
    const server = createServer((q, a) => {
      asked.push(`${q.method ?? ''} ${q.url ?? ''} ${q.headers.authorization ?? ''} ${q.headers.origin ?? '-'}`);
      a.end(
        JSON.stringify(
          q.url === '/v1/tokens/refresh' ? { token: 'second', expires: '2040-01-01T00:00:00Z' } : { turns: [{}, {}] },
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    vi.useFakeTimers({ toFake: ['setInterval', 'Date'], now: new Date('2030-01-01T00:00:00Z') });
    const { port } = server.address() as AddressInfo;
    const client = new Client({
      port,
      launch: 'x',
      protocol: 4,
      token: 'first',
      ends: Date.parse('2030-01-01T00:07:00Z'),
    });
    try {
      vi.advanceTimersByTime(60_000); // six minutes are left: it is not time
      expect(await client.running()).toBe(2);
      vi.advanceTimersByTime(60_000);
      await vi.waitFor(() => expect(asked.filter((l) => l.includes('refresh'))).toHaveLength(1));
      await vi.waitFor(async () => {
        await client.running();
        expect(asked.at(-1)).toBe('GET /v1/turns?running Bearer second -');
      });
      client.take({ token: 'third', ends: Date.parse('2041-01-01T00:00:00Z') });
      await client.running();
      expect(asked.at(-1)).toContain('Bearer third');
      expect(asked[0]).toContain('Bearer first');
    } finally {
      client.close();
      server.close();
    }
  });
});
