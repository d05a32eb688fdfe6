// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest';
import type { Turn, TurnResult } from '../../contract/types';
import { reduce } from '../../state/steps';
import { TurnView } from '../../state/talk';
import { appWith, show, type Shown } from '../testing';
import { TurnItem } from './TurnItem';

let view: Shown;
afterEach(() => view.end());

function turnView(over: Partial<Turn>): TurnView {
  const v = new TurnView('trn');
  v.turn.value = {
    id: 'trn',
    documentId: 'd',
    message: '',
    notes: [],
    state: 'running',
    running: true,
    ...over,
  } as Turn;
  v.progress.value = reduce(v.progress.value, { turn: 'trn', kind: 'tool_called', seq: 1, tool: 'document_finish' });
  return v;
}

describe('a turn', () => {
  it('that waits says so where it says what it does', async () => {
    const v = turnView({ waits: false });
    view = await show(appWith({}), <TurnItem view={v} />);
    const step = () => view.root.querySelector('.steps li');
    expect(step()?.textContent).toBe('closing up');
    expect(step()?.querySelector('.dot')).not.toBeNull();
    v.turn.value = { ...v.turn.value, waits: true } as Turn;
    await view.settle();
    expect(step()?.textContent).toBe('waits for your decision');
    expect(view.root.querySelector('.dot')).toBeNull();
  });

  it('offers its notes as drafts once', async () => {
    const result = {
      status: 'discarded',
      text: '',
      notes: [{ order: 1, outcome: 'unchanged' }],
      edits: [],
      usage: { calls: 0 },
    } as unknown as TurnResult;
    const v = turnView({ running: false, state: 'discarded', result });
    view = await show(appWith({}), <TurnItem view={v} />);
    expect(view.root.textContent).toContain('Make its notes drafts again');
    v.drafted.value = true;
    await view.settle();
    expect(view.root.textContent).not.toContain('Make its notes drafts again');
  });
});
