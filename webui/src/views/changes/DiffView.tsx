import { number, t } from '../../i18n';
import { bounded, unifiedRows, type Hunk, type Line, type Row } from '../../lib/hunks';
import { codeOf, pieces } from '../../lib/unseen';
import { Button } from '../../ui/button';
import './diff.css';

export interface DiffProps {
  hunks: readonly Hunk[];
  /** Side by side, or in one column. */
  split: boolean;
  /** Rows that are shown; the rest is one click away. */
  rows: number;
  onMore: () => void;
  label: string;
}

/** A difference of two texts. Page text stands in text nodes only. */
export function DiffView({ hunks, split, rows, onMore, label }: DiffProps) {
  const { hunks: shown, left } = bounded(hunks, rows);
  return (
    <div class={split ? 'diff split' : 'diff one'} role="region" aria-label={label} tabIndex={0}>
      {shown.map((h) => (
        <table key={`${h.fromLine}-${h.toLine}`} aria-label={t('diff.hunk', { n: number(h.toLine) })}>
          <caption>{t('diff.hunk', { n: number(h.toLine) })}</caption>
          <colgroup>
            <col class="n" />
            <col class={split ? '' : 'n'} />
            {split && <col class="n" />}
            <col />
          </colgroup>
          <thead class="sr">
            {split ? (
              <tr>
                <th scope="col" colSpan={2}>
                  {t('diff.before')}
                </th>
                <th scope="col" colSpan={2}>
                  {t('diff.after')}
                </th>
              </tr>
            ) : (
              <tr>
                <th scope="col">{t('diff.before')}</th>
                <th scope="col">{t('diff.after')}</th>
                <th scope="col">{label}</th>
              </tr>
            )}
          </thead>
          <tbody>{split ? h.rows.map(SplitRow) : unifiedRows(h.rows).map(OneRow)}</tbody>
        </table>
      ))}
      {left > 0 && (
        <Button class="more" onClick={onMore}>
          {t('diff.more', { n: left })}
        </Button>
      )}
    </div>
  );
}

function SplitRow(r: Row, i: number) {
  const same = r.kind === 'same';
  return (
    <tr key={i} class={r.kind}>
      <td class="n">{r.before && number(r.before.number)}</td>
      <td class={r.before === null ? 'none' : same ? '' : 'removed'}>
        {r.before && <Content line={r.before} mark={same ? '' : t('diff.removed')} />}
      </td>
      <td class="n">{r.after && number(r.after.number)}</td>
      <td class={r.after === null ? 'none' : same ? '' : 'added'}>
        {r.after && <Content line={r.after} mark={same ? '' : t('diff.added')} />}
      </td>
    </tr>
  );
}

function OneRow(r: Row, i: number) {
  const line = r.after ?? r.before;
  const side = r.kind === 'same' ? '' : r.after === null ? 'removed' : 'added';
  return (
    <tr key={i} class={r.kind}>
      <td class="n">{r.before && number(r.before.number)}</td>
      <td class="n">{r.after && number(r.after.number)}</td>
      <td class={side}>{line && <Content line={line} mark={side === '' ? '' : t(`diff.${side}`)} />}</td>
    </tr>
  );
}

function Content({ line, mark }: { line: Line; mark: string }) {
  return (
    <>
      {mark !== '' && <span class="sr">{mark} </span>}
      <code>
        {line.parts.map((p, i) =>
          'cut' in p ? (
            <span key={i} class="cut" title={t('diff.cut', { n: p.cut })}>
              … {number(p.cut)} …
            </span>
          ) : p.changed ? (
            <mark key={i}>
              <Seen text={p.text} />
            </mark>
          ) : (
            <span key={i}>
              <Seen text={p.text} />
            </span>
          ),
        )}
      </code>
      {line.end !== undefined && <span class="end">{t(`diff.end.${line.end}`)}</span>}
    </>
  );
}

/** A text in which nothing hides: who says yes to a change has to see all of it. */
function Seen({ text }: { text: string }) {
  const parts = pieces(text);
  if (parts.length === 1) return <>{text}</>;
  return (
    <>
      {parts.map((p, i) =>
        i % 2 === 0 ? (
          p
        ) : (
          <span key={i} class="unseen">
            {codeOf(p)}
          </span>
        ),
      )}
    </>
  );
}
