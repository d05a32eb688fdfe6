import type { Rect } from './types';

/** What the desktop app lends the workbench, as `window.proofmarkDesktop`. It is there before the workbench starts. */
export interface Desktop {
  hello(): Promise<DesktopHello>;
  token(): Promise<{ token: string; expires: string }>;
  /** Where the app shows the page. */
  place(p: Placed): void;
  /** The page as it looks now, JPEG or PNG; null for none. */
  still(): Promise<ArrayBuffer | null>;
  /** The card at an element, above the page; null takes it away. */
  card(c: Card | null): void;
  onCard(cb: (m: CardAnswer) => void): void;
  /** A menu entry was chosen. */
  onCommand(cb: (id: string) => void): void;
  /** A file a person chose, dropped, or opened from outside. */
  onOpen(cb: (path: string) => void): void;
  /** The page was pressed while one points; `adds` tells whether a key that adds was held. */
  onPress(cb: (m: { adds: boolean }) => void): void;
  /** Before the app ends: it waits a moment for the promise, so that what was typed is stored. */
  onLeave(cb: () => Promise<unknown>): void;
  openDialog(): void;
  dropped(file: File): void;
  /** False where the person changed their mind. */
  save(name: string, bytes: ArrayBuffer): Promise<boolean>;
  state(s: WindowState): void;
}

export interface DesktopHello {
  host: 'desktop';
  /** 4: the page is driven through the app's bridge; less: nobody can point. */
  protocol: number;
  features: Record<string, boolean> | null;
}

/** Pixels of the window. The room clips; the page may be larger than it, and begin before it. */
export interface Placed {
  room: Rect;
  page: Rect;
  scale: number;
  visible: boolean;
}

export interface CardAction {
  choice: string;
  label: string;
  key?: string | undefined;
  primary?: boolean | undefined;
  quiet?: boolean | undefined;
  disabled?: boolean | undefined;
}

/** What a card at an element says, wherever it is drawn. */
export interface CardWords {
  /** Name of the card and of its field. */
  label: string;
  /** What stands in the field; null where there is none. */
  text: string | null;
  /** Name of the element, "" for none. */
  code: string;
  proof: string;
  saving: string;
  alert: string;
  lines: string[];
  actions: CardAction[];
}

export interface Card extends CardWords {
  /** Of the element, pixels of the window. */
  rect: Rect;
  /** Grows when the text is another one than the field holds: only then the field takes it. */
  revision: number;
}

export type CardAnswer =
  { type: 'draft'; text: string } | { type: 'submit'; choice: string; text: string } | { type: 'cancel' };

export interface WindowState {
  title: string;
  language: 'en' | 'zh';
  theme: 'light' | 'dark';
  commands: { id: string; enabled: boolean }[];
}
