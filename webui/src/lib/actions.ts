// What a person can do, in one list: keys, palette and shortcut sheet all read it.

import { computed, signal } from '@preact/signals';
import { ariaKey, isPlain, keyName, wordsOf, type Stroke } from './keys';

export type ActionGroup = 'general' | 'page' | 'notes' | 'source' | 'changes' | 'review';

export interface Action {
  /** Stable, such as "page.point"; what a rebinding is kept under. */
  id: string;
  group: ActionGroup;
  /** The i18n key of its name. */
  title: string;
  /** Its keys where a person did not choose others: "p", "mod+k", "shift+z", "[". */
  keys: string[];
  /** Fires while text is typed, too. Only for keys that type nothing. */
  inText?: boolean;
  /** Fires again while the key is held down. */
  repeats?: boolean;
  /** Offered and fired only now; always where it is left out. */
  when?: () => boolean;
  run: () => unknown;
}

/** The part of a keyboard event that is looked at. */
export interface KeyPress extends Stroke {
  target: unknown;
  /** Where it really happened: a shadow root's host stands for all in it as target. */
  composedPath?: () => readonly unknown[];
  isComposing: boolean;
  keyCode?: number;
  repeat: boolean;
  defaultPrevented: boolean;
  preventDefault(): void;
}

export interface Conflict {
  key: string;
  ids: string[];
}

export class Actions {
  readonly #entries = signal<readonly Action[]>([]);
  /** Keys a person chose, by action; an empty list is an action without a key. */
  readonly bindings = signal<Readonly<Record<string, string[]>>>({});
  /** While the sheet listens for a new key, nothing fires. */
  readonly paused = signal(false);

  /** All actions. One id that stands several times is one action with several places to run. */
  readonly list = computed(() => this.#entries.value);

  constructor(
    readonly mac: boolean,
    private readonly report: (e: unknown) => void = () => undefined,
  ) {}

  /** Adds actions; gives a function that takes them out again. */
  register(...actions: Action[]): () => void {
    this.#entries.value = [...this.#entries.peek(), ...actions];
    return () => {
      this.#entries.value = this.#entries.peek().filter((a) => !actions.includes(a));
    };
  }

  keysOf(id: string): string[] {
    return this.bindings.value[id] ?? this.list.value.find((a) => a.id === id)?.keys ?? [];
  }

  /** The first key of an action as it is shown; "" without one. */
  keyName(id: string): string {
    const first = this.keysOf(id)[0];
    return first === undefined ? '' : keyName(first, this.mac);
  }

  /** For aria-keyshortcuts; undefined without a key. */
  ariaKeys(id: string): string | undefined {
    const keys = this.keysOf(id);
    return keys.length === 0 ? undefined : keys.map((k) => ariaKey(k, this.mac)).join(' ');
  }

  nameOfKey(words: string): string {
    return keyName(words, this.mac);
  }

  /** Gives an action a key, or takes all of them away. */
  bind(id: string, key: string | null): void {
    this.bindings.value = { ...this.bindings.value, [id]: key === null ? [] : [key] };
  }

  /** An action gets its own keys back; without an id, all of them do. */
  unbind(id?: string): void {
    if (id === undefined) {
      this.bindings.value = {};
      return;
    }
    this.bindings.value = Object.fromEntries(Object.entries(this.bindings.value).filter(([k]) => k !== id));
  }

  /** Actions that would take the key from each other; those of different views need not meet. */
  conflicts(): Conflict[] {
    const byKey = new Map<string, Map<string, Action>>();
    for (const a of this.list.value) {
      for (const key of this.keysOf(a.id)) {
        if (key === 'esc') continue; // what lies on top goes first, that is all Esc means
        const at = byKey.get(key) ?? new Map<string, Action>();
        byKey.set(key, at.set(a.id, a));
      }
    }
    const out: Conflict[] = [];
    for (const [key, at] of byKey) {
      const all = [...at.values()];
      const clash = all.filter((a) => all.some((b) => a !== b && meet(a.group, b.group)));
      if (clash.length > 1) out.push({ key, ids: clash.map((a) => a.id) });
    }
    return out;
  }

  isOffered(a: Action): boolean {
    return a.when?.() ?? true;
  }

  /** Runs an action by its id, if it is offered now. */
  run(id: string): boolean {
    const a = this.list.peek().findLast((x) => x.id === id && this.isOffered(x));
    if (!a) return false;
    this.#fire(a);
    return true;
  }

  /** The one listener of the window calls this for every key that goes down. */
  handleKey(e: KeyPress): boolean {
    // 229 is what a browser says of keys an input method takes.
    if (e.defaultPrevented || this.paused.peek() || e.isComposing || e.keyCode === 229) return false;
    const words = wordsOf(e, this.mac);
    if (words === '') return false;
    const at = e.composedPath?.()[0] ?? e.target;
    const typing = isTextField(at) || isInModal(at);
    const fit = this.list.peek().filter((a) => {
      if (typing && (a.inText !== true || isPlain(words))) return false;
      return this.keysOf(a.id).includes(words) && this.isOffered(a);
    });
    const a = fit.at(-1); // what was registered last lies on top
    if (!a) return false;
    e.preventDefault();
    if (!e.repeat || a.repeats === true) this.#fire(a);
    return true;
  }

  #fire(a: Action): void {
    try {
      const done = a.run();
      if (done instanceof Promise) done.catch(this.report);
    } catch (e) {
      this.report(e);
    }
  }
}

const views = new Set<ActionGroup>(['page', 'source', 'changes', 'review']);

function meet(a: ActionGroup, b: ActionGroup): boolean {
  return a === b || !views.has(a) || !views.has(b);
}

/** Under a dialog nothing is done by a letter: who reads the keys does not want to switch views. */
function isInModal(target: unknown): boolean {
  const t = target as { closest?: (s: string) => unknown } | null;
  return typeof t?.closest === 'function' && t.closest('[aria-modal="true"]') !== null;
}

const textInputs = new Set(['text', 'search', 'url', 'email', 'password', 'number', 'tel', 'date', 'time', '']);

/** Whether keys typed here write text. It takes anything, so that it needs no DOM. */
export function isTextField(target: unknown): boolean {
  if (typeof target !== 'object' || target === null) return false;
  const t = target as { tagName?: string; type?: string; isContentEditable?: boolean };
  if (t.isContentEditable === true) return true;
  const tag = t.tagName?.toLowerCase();
  return tag === 'textarea' || tag === 'select' || (tag === 'input' && textInputs.has(t.type ?? ''));
}
