// What the workbench finds as window.proofmarkDesktop, and what the overlay shows.
// Every value of these comes from a page, and is looked at in shapes.std.ts.

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where the page is shown, in the workbench's pixels. The room clips; the page may begin left of or above it. */
export interface Place {
  room: Rect;
  page: Rect;
  scale: number;
  /** False while something of the workbench lies over it. */
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

/** The card at an element. */
export interface Card {
  rect: Rect;
  /** Names the dialog and the field. */
  label: string;
  /** Null: no field. */
  text: string | null;
  /** Grows when the text was changed by somebody else than the field: only then the field takes it. */
  revision: number;
  /** Name of the element, "" for none. */
  code: string;
  proof: string;
  saving: string;
  alert: string;
  lines: string[];
  actions: CardAction[];
}

/** All that the overlay ever says. */
export type CardSaid =
  { type: 'draft'; text: string } | { type: 'submit'; choice: string; text: string } | { type: 'cancel' };

export type Language = 'en' | 'zh';
export type Theme = 'light' | 'dark';

/** What the window's frame needs to know. */
export interface FrameState {
  title: string;
  language: Language;
  theme: Theme;
  commands: { id: string; enabled: boolean }[];
}

export interface Hello {
  host: 'desktop';
  protocol: number;
  features: Record<string, boolean> | null;
}

export interface Token {
  token: string;
  expires: string;
}

export interface Desktop {
  hello(): Promise<Hello>;
  token(): Promise<Token>;
  place(p: Place): void;
  /** The page as it looks now, as JPEG; null: there is none. */
  still(): Promise<ArrayBuffer | null>;
  /** Null takes the card away. */
  card(c: Card | null): void;
  onCard(cb: (m: CardSaid) => void): void;
  onCommand(cb: (id: string) => void): void;
  onOpen(cb: (path: string) => void): void;
  /** The mouse went down on the page while pointing. */
  onPress(cb: (m: { adds: boolean }) => void): void;
  /** The app is about to end: what was typed last is handed in before the promise is kept, within a second. */
  onLeave(cb: () => Promise<unknown>): void;
  openDialog(): void;
  dropped(file: File): void;
  /** False: the person thought better of it. */
  save(name: string, bytes: ArrayBuffer): Promise<boolean>;
  state(s: FrameState): void;
}

/** What the overlay is told. */
export interface CardShown {
  card: Card;
  /** There was no card before: nothing of the one before that is kept. */
  begins: boolean;
  theme: Theme;
  language: Language;
}
