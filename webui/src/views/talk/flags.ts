import { t, type Word, words } from '../../i18n';

/** What a flag of the policy means, in words. */
export function flagWord(kind: string): string {
  const word = `flag.${kind}`;
  return word in words ? t(word as Word) : kind;
}
