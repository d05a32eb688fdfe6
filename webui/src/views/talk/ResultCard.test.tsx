// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Turn, TurnResult } from '../../contract/types';
import { appWith, show } from '../testing';
import { ResultCard } from './ResultCard';

const why = 'the change was looked at and not wanted; nothing was changed';
const result = (status: TurnResult['status']): TurnResult => ({
  status,
  text: '',
  edits: [],
  verification: null,
  written: false,
  notes: [{ order: 1, instruction: 'make it red', outcome: 'refused', reason: why }] as never,
  usage: { calls: 0, promptTokens: 0, completionTokens: 0 } as never,
});

it('says of a change that a person did not want that it was dropped, and blames no note', async () => {
  const turn = { id: 'trn', state: 'ended' } as unknown as Turn;
  const dropped = await show(appWith({}), <ResultCard turn={turn} result={result('discarded')} drafted={false} />);
  expect(dropped.root.textContent).toContain('The change was dropped.');
  expect(dropped.root.querySelector('.outcome')?.textContent).toBe('dropped');
  expect(dropped.root.textContent).not.toContain('not wanted');
  dropped.end();

  const refused = await show(appWith({}), <ResultCard turn={turn} result={result('refused')} drafted={false} />);
  expect(refused.root.querySelector('.outcome')?.textContent).toBe('refused');
  expect(refused.root.textContent).toContain('not wanted');
  refused.end();
});

it('says when nothing is to be seen of a change', async () => {
  const turn = { id: 'trn', state: 'ended' } as unknown as Turn;
  const seen = (pixelsInside: number, more = {}) =>
    ({ ...result('applied'), verification: { pixelsInside, pixelsOutside: 0, ...more } }) as unknown as TurnResult;
  const says = async (r: TurnResult) => {
    const card = await show(appWith({}), <ResultCard turn={turn} result={r} drafted={false} />);
    const said = card.root.textContent.includes('looks as before');
    card.end();
    return said;
  };
  expect(await says(seen(0))).toBe(true);
  expect(await says(seen(0.1))).toBe(false);
  expect(await says(seen(0, { outOfPicture: 1 }))).toBe(false);
  expect(await says(seen(0, { widths: [{ width: 390, pixelsInside: 0.2, pixelsOutside: 0 }] }))).toBe(false);
  expect(await says(result('applied'))).toBe(false);
});
