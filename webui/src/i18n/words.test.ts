import { afterEach, describe, expect, it } from 'vitest';
import { fill, language, languageOf, number, refusalText, t, words } from './index';
import * as changes from './words/changes';
import * as page from './words/page';
import * as palette from './words/palette';
import * as review from './words/review';
import * as say from './words/say';
import * as shell from './words/shell';
import * as source from './words/source';
import * as talk from './words/talk';

const names = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((m) => m[1]))].sort();

describe('words', () => {
  it('are there in both languages, with the same values', () => {
    for (const [key, [en, zh]] of Object.entries(words) as [string, readonly [string, string]][]) {
      expect(en.trim(), key).not.toBe('');
      expect(zh.trim(), key).not.toBe('');
      expect(names(zh), key).toEqual(names(en));
    }
  });

  it('stand under one key each, whatever file they are in', () => {
    const files: Record<string, object>[] = [changes, page, palette, review, say, shell, source, talk];
    const all = files.flatMap((m) => Object.values(m).flatMap((w) => Object.keys(w)));
    expect(all.length).toBe(new Set(all).size);
  });

  it('have no plural in Chinese, which has none', () => {
    for (const [key, [, zh]] of Object.entries(words) as [string, readonly [string, string]][]) {
      expect(zh, key).not.toMatch(/\{\w+:/);
    }
  });
});

describe('t', () => {
  afterEach(() => {
    language.value = 'en';
  });

  it('fills in values and chooses the word for one', () => {
    expect(fill('{n} {n:place|places} in {where}', { n: 1, where: 'a' })).toBe('1 place in a');
    expect(fill('{n} {n:place|places}', { n: 2 })).toBe('2 places');
    expect(fill('{unknown}', {})).toBe('{unknown}');
  });

  it('does not take a value for a pattern', () => {
    expect(fill('{tag}', { tag: '<ul {n} $& $1>' })).toBe('<ul {n} $& $1>');
  });

  it('follows the language', () => {
    expect(t('place.page')).toBe('Page');
    language.value = 'zh';
    expect(t('place.page')).toBe('页面');
    expect(refusalText({ code: 'shadow', message: 'x' })).toContain('组件');
    expect(refusalText({ code: 'none_of_ours', message: 'as it came' })).toBe('as it came');
  });

  it('takes the first language of the system that it has', () => {
    expect(languageOf(['de-DE', 'zh-CN', 'en'])).toBe('zh');
    expect(languageOf(['fr'])).toBe('en');
    expect(languageOf([])).toBe('en');
  });

  it('separates thousands', () => {
    expect(number(8142)).toBe('8\u202f142');
    expect(number(-1234567)).toBe('-1\u202f234\u202f567');
    expect(number(12)).toBe('12');
  });
});
