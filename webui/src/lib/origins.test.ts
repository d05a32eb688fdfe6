import { expect, it } from 'vitest';
import { canAllow } from './origins';

it('offers what the gateway lets a person allow, and nothing else', () => {
  for (const o of ['https://fonts.googleapis.com', 'https://cdn.example.org:8443', 'https://a_b.c-d.io']) {
    expect([o, canAllow(o)]).toEqual([o, true]);
  }
  for (const o of [
    'http://fonts.googleapis.com',
    'wss://a.example.org',
    'https://localhost',
    'https://a.localhost',
    'https://printer.local',
    'https://x.test',
    'https://192.168.0.1',
    'https://[::1]',
    'https://0x7f.0x1',
    'https://single',
    'https://a.example.org/path',
    'https://a..b.org',
    'https://пример.рф',
    '',
  ]) {
    expect([o, canAllow(o)]).toEqual([o, false]);
  }
});
