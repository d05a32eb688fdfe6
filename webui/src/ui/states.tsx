import type { ComponentChildren } from 'preact';

/** What is shown where there is nothing, or nothing yet, or something went wrong. */
export function State({ bad = false, children }: { bad?: boolean; children: ComponentChildren }) {
  return (
    <div class={bad ? 'state bad' : 'state'} role={bad ? 'alert' : undefined}>
      {children}
    </div>
  );
}

/** Work that goes on, said with a verb: never a spinner alone. */
export function Progress({ children }: { children: ComponentChildren }) {
  return (
    <div class="progress" role="status">
      <span class="dot" aria-hidden="true" />
      <span>{children}</span>
    </div>
  );
}

/** A quiet bar over the content: what is true, and what one can do about it. */
export function BarNote({
  tone = 'plain',
  children,
  actions,
}: {
  tone?: 'plain' | 'warn' | 'bad';
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <div class={`bar-note ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <p>{children}</p>
      {actions}
    </div>
  );
}

/** A note's number, the thread that runs through page, list, plan and diff. */
export function Num({ n, lit = false }: { n: number; lit?: boolean }) {
  return <span class={lit ? 'num lit' : 'num'}>{n}</span>;
}
