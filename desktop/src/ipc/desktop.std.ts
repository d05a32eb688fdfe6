// What the workbench finds as window.proofmarkDesktop is its own contract; what the
// overlay shows is a part of that. Every value comes from a page, and is looked at in
// shapes.std.ts.
import type { Card, WindowState } from '../../../webui/src/contract/desktop';

export type {
  Card,
  CardAction,
  CardAnswer as CardSaid,
  Desktop,
  DesktopHello as Hello,
  Placed as Place,
  WindowState as FrameState,
} from '../../../webui/src/contract/desktop';
export type { Rect } from '../../../webui/src/contract/types';

export type Language = WindowState['language'];
export type Theme = WindowState['theme'];

/** What the overlay is told. */
export interface CardShown {
  card: Card;
  /** There was no card before: nothing of the one before that is kept. */
  begins: boolean;
  theme: Theme;
  language: Language;
}
