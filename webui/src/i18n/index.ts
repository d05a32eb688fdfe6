import { signal } from '@preact/signals';
import { straight } from '../lib/unseen';
import { changes } from './words/changes';
import { page } from './words/page';
import { palette } from './words/palette';
import { review } from './words/review';
import { say } from './words/say';
import { shell } from './words/shell';
import { source } from './words/source';
import { talk } from './words/talk';

// Every text of the workbench, English and Simplified Chinese side by side, so
// that neither can be without the other. Each is written, not translated.

export const words = { ...shell, ...page, ...say, ...talk, ...source, ...changes, ...review, ...palette };

export type Language = 'en' | 'zh';
export type Word = keyof typeof words;
export type Values = Record<string, string | number>;

export const language = signal<Language>('en');

/** Language of a system whose preferred languages these are. */
export function languageOf(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const base = tag.toLowerCase().split('-')[0];
    if (base === 'en' || base === 'zh') return base;
  }
  return 'en';
}

/**
 * t gives a text in the person's language. {name} stands for a value, and
 * {n:place|places} for one of two words by whether n is 1.
 */
export function t(word: Word, values: Values = {}): string {
  return fill(words[word][language.value === 'zh' ? 1 : 0], values);
}

export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const v = values[name];
    if (v === undefined) return whole;
    if (one === undefined || many === undefined) return typeof v === 'number' ? number(v) : straight(v);
    return Number(v) === 1 ? one : many;
  });
}

/** number writes a count with thin spaces between thousands: 8 142. */
export function number(n: number): string {
  return Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** refusalText gives a refusal's sentence in the person's language, where there is one of our own. */
export function refusalText(r: { code: string; message: string }): string {
  const own = `refusal.${r.code}`;
  return own in words ? t(own as Word) : r.message;
}
