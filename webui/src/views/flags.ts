import { t, type Word, words } from '../i18n';

/** What a flag says, in plain words where there are some: "adds a script (cdn.example.com)". */
export function flagText(kind: string, detail: string): string {
  const word = `flag.${kind}`;
  const name = word in words ? t(word as Word) : kind;
  return detail === '' ? name : `${name} (${detail})`;
}
