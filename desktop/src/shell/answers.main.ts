import type { WebContents } from 'electron';

/** How often a page is asked, in ms. */
const every = 4_000;
/** How long it may take to answer. */
const patience = 10_000;

/**
 * Tells when a page does not answer: after ten seconds, and again each time that has doubled. Chromium says nothing of
 * a page that has a debugger attached, as every page here has.
 */
export function watchAnswers(contents: WebContents, silent: () => void): void {
  let waiting = false;
  const asking = setInterval(() => {
    if (waiting || !contents.debugger.isAttached()) return;
    waiting = true;
    let waited = 0;
    const late = setInterval(() => {
      waited++;
      if ((waited & (waited - 1)) === 0) silent();
    }, patience);
    const answered = () => {
      clearInterval(late);
      waiting = false;
    };
    contents.once('destroyed', answered);
    void contents.debugger
      .sendCommand('Runtime.releaseObjectGroup', { objectGroup: 'nothing' }) // the page is not touched
      .catch(() => undefined)
      .finally(() => {
        answered();
        contents.off('destroyed', answered);
      });
  }, every);
  contents.once('destroyed', () => clearInterval(asking));
}
