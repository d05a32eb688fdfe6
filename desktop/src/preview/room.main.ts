import type { WebContentsView } from 'electron';

/** The place in the window where a page is seen. The window is one, the stage calls it. */
export interface PreviewRoom {
  /** A preview was made; the one before has left already. */
  show(view: WebContentsView): void;
  /** It is gone or closed: the place is empty. */
  leave(view: WebContentsView): void;
  /** While on, keys and focus are not the page's. */
  inspecting(view: WebContentsView, on: boolean): void;
}
