import type { ComponentChildren } from 'preact';

export interface TabsProps<T extends string> {
  label: string;
  tabs: readonly { id: T; label: string; keyName?: string; mark?: ComponentChildren }[];
  value: T;
  /** id of the element the tabs show their content in. */
  controls: string;
  onChange: (id: T) => void;
}

/** Tabs with one stop in the focus order; arrows go between them. */
export function Tabs<T extends string>({ label, tabs, value, controls, onChange }: TabsProps<T>) {
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(e) => {
        const at = tabs.findIndex((tab) => tab.id === value);
        const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
        if (step === 0) return;
        e.preventDefault();
        e.stopPropagation();
        const next = tabs[(at + step + tabs.length) % tabs.length];
        if (next === undefined) return;
        onChange(next.id);
        e.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          data-tab={tab.id}
          title={tab.keyName === undefined ? undefined : `${tab.label}  ${tab.keyName}`}
          aria-selected={tab.id === value}
          aria-controls={controls}
          tabIndex={tab.id === value ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.label}
          {tab.mark}
        </button>
      ))}
    </div>
  );
}
