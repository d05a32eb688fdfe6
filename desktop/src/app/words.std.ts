import type { Language } from '../ipc/desktop.std';
import words from './words.json';

/** The words of menus and native dialogs. */
export type Words = typeof words.en;

const all: Record<Language, Words> = words;

export function wordsFor(language: Language): Words {
  return all[language];
}
