import type { Action } from '../../lib/actions';

/** Actions of views that are loaded when they are first shown, so that their keys can be seen and changed before. */
const later: readonly Omit<Action, 'run' | 'when'>[] = [
  { id: 'source.save', group: 'source', title: 'source.save', keys: ['mod+s'], inText: true },
  { id: 'source.find', group: 'source', title: 'source.find', keys: ['mod+f'], inText: true },
  { id: 'changes.next', group: 'changes', title: 'changes.next', keys: [']'] },
  { id: 'changes.previous', group: 'changes', title: 'changes.previous', keys: ['['] },
  { id: 'review.approve', group: 'review', title: 'review.approve', keys: ['a'] },
  { id: 'review.reject', group: 'review', title: 'review.reject', keys: ['r'] },
  { id: 'review.ask', group: 'review', title: 'review.ask', keys: ['c'] },
  { id: 'review.close', group: 'review', title: 'review.close', keys: ['esc'] },
];

export const laterActions: readonly Action[] = later.map((a) => ({ ...a, when: () => false, run: () => undefined }));
