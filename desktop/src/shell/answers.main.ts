import type { WebContents } from 'electron';

/** How often a page is asked, in ms. */
const every = 3_000;
/** How long it may take to answer. */
const patience = 15_000;

/**
 * Tells when a page does not answer: after a while, and again each time that has doubled. Chromium says nothing of a
 * page that has a debugger attached, as every page here has.
 */
export function watchAnswers(contents: WebContents, silent: () => void): void {
  let asked = 0; // when; 0: it has answered
  let told = patience;
  const timer = setInterval(() => {
    if (asked !== 0) {
      if (Date.now() - asked < told) return;
      told *= 2;
      silent();
    } else if (contents.debugger.isAttached()) {
      asked = Date.now();
      told = patience;
      const answered = () => (asked = 0);
      // The page is not touched by it.
      contents.debugger.sendCommand('Runtime.releaseObjectGroup', { objectGroup: 'nothing' }).then(answered, answered);
    }
  }, every);
  contents.once('destroyed', () => clearInterval(timer));
}
