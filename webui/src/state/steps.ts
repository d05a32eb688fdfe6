import type { TurnEvent } from '../contract/types';
import { type Values, type Word, words } from '../i18n';

/** One step of a turn, said with a verb. */
export interface Step {
  key: string;
  word: Word;
  values: Values;
  /** running until what follows it is told; then done or failed. */
  state: 'running' | 'done' | 'failed';
  tookNs?: number;
}

/** What a turn's events come to. A new object with each event, so that it can be compared. */
export interface Progress {
  steps: readonly Step[];
  /** What is being said now, and what was said. */
  saying: string;
  said: readonly string[];
  tokensIn: number;
  tokensOut: number;
  calls: number;
  /** How often the draft was looked at. */
  looks: number;
  ended: boolean;
  generation: number;
  changeSet: string;
}

export const noProgress: Progress = {
  steps: [],
  saying: '',
  said: [],
  tokensIn: 0,
  tokensOut: 0,
  calls: 0,
  looks: 0,
  ended: false,
  generation: 0,
  changeSet: '',
};

function toolWord(tool: string): Word {
  const word = `step.tool.${tool}`;
  return word in words ? (word as Word) : 'step.tool';
}

/** reduce adds an event. */
export function reduce(p: Progress, e: TurnEvent): Progress {
  const key = `${e.seq ?? 0}-${e.kind}`;
  const add = (word: Word, values: Values = {}, state: Step['state'] = 'running'): Progress => ({
    ...p,
    steps: [...settle(p.steps), { key, word, values, state }],
  });
  switch (e.kind) {
    case 'accepted':
      return add('step.accepted', { n: e.notes ?? 0 });
    case 'routed':
      return add('step.routed');
    case 'advised':
      return add('step.advised', { n: e.answered ?? 0, of: e.proposers ?? 0 });
    case 'thinking':
      return add('step.thinking', { n: e.round ?? 1 });
    case 'retrying':
      return add('step.retrying', { n: (e.attempt ?? 1) + 1 });
    case 'text_delta':
      return { ...p, saying: p.saying + (e.text ?? '') };
    case 'said':
      return { ...p, saying: '', said: e.text === undefined || e.text === '' ? p.said : [...p.said, e.text] };
    case 'usage':
      return {
        ...p,
        calls: p.calls + 1,
        tokensIn: p.tokensIn + (e.promptTokens ?? 0),
        tokensOut: p.tokensOut + (e.completionTokens ?? 0),
      };
    case 'tool_called':
      return add(toolWord(e.tool ?? ''), { tool: e.tool ?? '' });
    case 'tool_returned':
      return { ...p, steps: returned(p.steps, e) };
    case 'candidate_staged':
      return add((e.flags ?? 0) > 0 ? 'step.staged.flags' : 'step.staged', { n: e.edits ?? 0, f: e.flags ?? 0 });
    case 'verified':
      return {
        ...((e.faults ?? 0) > 0
          ? add('step.verified.faults', { n: e.faults ?? 0 }, 'failed')
          : add('step.verified', {}, 'done')),
        looks: p.looks + 1,
      };
    case 'committed': {
      const next = add('step.committed', { n: e.generation ?? 0 }, 'done');
      return { ...next, generation: e.generation ?? 0, changeSet: e.changeSet ?? '' };
    }
    case 'discarded':
      return add('step.discarded', {}, 'done');
    case 'unrecorded':
      return add('step.unrecorded', {}, 'failed');
    case 'ended':
      return { ...p, steps: settle(p.steps), saying: '', ended: true };
  }
}

/** What ran is done. That a model was thinking is told while it does, and means nothing afterwards. */
function settle(steps: readonly Step[]): readonly Step[] {
  if (!steps.some((s) => s.state === 'running')) return steps;
  return steps
    .filter((s) => s.word !== 'step.thinking')
    .map((s): Step => (s.state === 'running' ? { ...s, state: 'done' } : s));
}

/** The step of the tool that returned, with how it ended; what was told in between stays. */
function returned(steps: readonly Step[], e: TurnEvent): readonly Step[] {
  const at = steps.findLastIndex((s) => s.values.tool === e.tool && s.tookNs === undefined);
  if (at < 0) return steps;
  return steps.map((s, i): Step => {
    if (i !== at) return s;
    return { ...s, state: e.ok === true ? 'done' : 'failed', tookNs: e.tookNs ?? 0 };
  });
}
