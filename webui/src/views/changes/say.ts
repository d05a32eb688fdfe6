import { t } from '../../i18n';
import type { ListedChange, Version } from '../../contract/types';

/** Longest sentence on a card. */
const LONG = 120;
/** Longest piece of the page in it. */
const SNIPPET = 40;

/** What a change did, in a sentence: the person's own words where there are any. */
export function sentence(
  v: Version,
  c: ListedChange | null,
  all: readonly ListedChange[],
  file: string,
  depth = 0,
): string {
  if (c === null)
    return v.source === 'import' ? t('changes.is.import', { name: file }) : t(`changes.is.${plainKind(v)}`);
  const told = (c.notes ?? []).map((n) => n.instruction ?? '').filter((s) => s.trim() !== '');
  const said = c.source === 'manual' ? told.map(direct) : told;
  const [first] = said;
  if (c.source === 'revert' || c.source === 'redo') {
    let of = depth < 4 ? all.find((x) => x.id === c.reverts) : undefined;
    // A redo undoes a revert: what is put back is what that had taken.
    if (c.source === 'redo' && of?.source === 'revert') of = all.find((x) => x.id === of?.reverts) ?? of;
    if (of === undefined) return t(`changes.is.${c.source}.version`);
    const what = sentence(versionOf(of), of, all, file, depth + 1);
    if (c.source === 'revert' && (c.revertNote ?? 0) > 0) {
      const note = (of.notes ?? []).find((n) => n.order === c.revertNote)?.instruction;
      return t('changes.is.revert.note', { note: c.revertNote ?? 0, what: note === undefined ? what : short(note) });
    }
    return t(`changes.is.${c.source}`, { what });
  }
  if (first !== undefined) {
    return said.length === 1 ? short(first) : t('changes.and', { what: short(first), n: said.length - 1 });
  }
  const kind = t(`changes.is.${plainKind(c)}`);
  const typed = c.source === 'restore' ? '' : snippet(c);
  return typed === '' ? kind : t('changes.typed', { what: kind, text: typed });
}

const plainly = {
  remove: 'direct.remove',
  duplicate: 'direct.duplicate',
  up: 'direct.up',
  down: 'direct.down',
} as const;
const named = [
  [/^text=(?<value>.*)$/s, 'direct.text'],
  [/^style:(?<name>[^=]+)=(?<value>.*)$/s, 'direct.style'],
  [/^attr:-(?<value>.+)$/s, 'direct.removeAttribute'],
  [/^attr:(?<name>[^=]+)=(?<value>.*)$/s, 'direct.attribute'],
  [/^class:\+(?<value>.+)$/s, 'direct.addClass'],
  [/^class:-(?<value>.+)$/s, 'direct.removeClass'],
] as const;

/** A direct edit in words; it is kept as the command line writes it. */
export function direct(kept: string): string {
  if (Object.hasOwn(plainly, kept)) return t(plainly[kept as keyof typeof plainly]);
  for (const [form, word] of named) {
    const parts = form.exec(kept)?.groups;
    if (parts === undefined) continue;
    const what = parts.name === undefined ? t(word) : `${t(word)} ${parts.name}`;
    return t('changes.typed', { what, text: parts.value ?? '' });
  }
  return kept;
}

/** The first words that were put in, so that changes by hand can be told apart. */
function snippet(c: ListedChange): string {
  const text = (c.edits ?? []).map((e) => e.replacement.replace(/\s+/g, ' ').trim()).find((s) => s !== '') ?? '';
  return text.length > SNIPPET ? `${text.slice(0, SNIPPET - 1).trimEnd()}…` : text;
}

function plainKind(x: {
  source: Version['source'];
}): 'outside' | 'turn' | 'manual' | 'restore' | 'revert.version' | 'redo.version' {
  switch (x.source) {
    case 'outside':
    case 'turn':
    case 'restore':
      return x.source;
    case 'revert':
      return 'revert.version';
    case 'redo':
      return 'redo.version';
    default:
      return 'manual';
  }
}

/** Enough of a version for a sentence about a change that is not its card's. */
function versionOf(c: ListedChange): Version {
  const { documentId, generation, source, actor, at } = c;
  return { id: c.resultId, documentId, generation, sha256: c.sha256After, bytes: 0, source, actor, at };
}

export function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONG ? `${line.slice(0, LONG - 1).trimEnd()}…` : line;
}
