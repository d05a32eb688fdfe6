import { useEffect, useRef } from 'preact/hooks';
import { refusalText, t } from '../../i18n';
import { Button } from '../../ui/button';
import { Progress, State } from '../../ui/states';
import { useApp } from '../context';
import { Frame } from './Frame';
import { Hints } from './Hints';
import { Cards, Layer } from './Layer';
import { NativeCards } from './NativeCards';
import { PageBars } from './PageBars';
import { Rail } from './Rail';
import { pageActions, reload } from './actions';
import './page.css';

/** The live page, edge to edge, and above it what the workbench draws. */
export function PageView() {
  const app = useApp();
  const { preview, pick, places, host, slot } = app;
  const stage = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const el = stage.current;
    if (el === null) return;
    const measure = () => {
      const at = el.getBoundingClientRect();
      // A screen with a scale has parts of pixels, which clientWidth rounds up as well as down.
      const width = Math.min(el.clientWidth, Math.floor(at.width + 0.01));
      const height = Math.min(el.clientHeight, Math.floor(at.height + 0.01));
      preview.stage.value = { width, height };
      slot.room.value = { x: Math.round(at.left), y: Math.round(at.top), width, height };
    };
    const watch = new ResizeObserver(measure);
    watch.observe(el);
    // It may move and stay as large as it was.
    window.addEventListener('resize', measure);
    measure();
    return () => {
      watch.disconnect();
      window.removeEventListener('resize', measure);
    };
  }, []);

  useEffect(() => pageActions(app), []);

  // While one points, the keys are the workbench's: the page must not have the focus.
  const pointing = pick.mode.value;
  useEffect(() => {
    if (pointing && !pick.writing.peek()) stage.current?.focus({ preventScroll: true });
  }, [pointing]);

  // Whether a click adds is told by the keys that are held; a window that lost focus holds none.
  useEffect(() => {
    if (!pointing) return;
    const look = (e: KeyboardEvent) => {
      pick.hold(e.shiftKey || e.ctrlKey || e.metaKey);
    };
    const release = () => pick.letGo();
    window.addEventListener('keydown', look, true);
    window.addEventListener('keyup', look, true);
    window.addEventListener('blur', release);
    return () => {
      window.removeEventListener('keydown', look, true);
      window.removeEventListener('keyup', look, true);
      window.removeEventListener('blur', release);
      release();
    };
  }, [pointing]);

  const phase = preview.phase.value;
  const refusal = preview.refusal.value;
  const shown = phase === 'shown' && places.place.value === 'page';
  // Where the app shows the page, nothing can be drawn over it.
  const beside = host.kind === 'desktop' && host.inWindow;
  const failed = phase === 'failed' || phase === 'gone';
  return (
    <div class="page">
      <PageBars />
      {beside && <Hints strip />}
      <div class={beside ? 'room beside' : 'room'}>
        <div
          ref={stage}
          class={pointing ? 'stage pointing' : 'stage'}
          // A page that fits needs no scroll bars. Those that come up while the room gets smaller would be measured, and stay.
          style={{ overflow: host.inWindow && !failed && preview.width.value === 'fit' ? 'hidden' : 'auto' }}
          // In the window the frame is what the keys scroll; a picture has to be scrolled by its room.
          tabIndex={host.inWindow ? -1 : 0}
          role="group"
          aria-label={t('page.frame')}
          onScroll={(e) => {
            preview.scrolled.value = { x: e.currentTarget.scrollLeft, y: e.currentTarget.scrollTop };
          }}
        >
          {failed && (
            <State bad>
              <p>{t('page.failed')}</p>
              {refusal !== null && <p>{[refusalText(refusal), refusal.hint].join(' ')}</p>}
              <Button onClick={() => void reload(app)}>{t('common.retry')}</Button>
            </State>
          )}
          {!failed && (
            <div class="sheet" style={preview.sheetStyle.value}>
              <Frame />
              {shown && !beside && <Layer />}
            </div>
          )}
          {(phase === 'opening' || phase === 'loading' || phase === 'framed') && (
            <div class="loading">
              <Progress>{t('page.loading')}</Progress>
            </div>
          )}
        </div>
        {beside && <Rail />}
        {shown && (beside ? <NativeCards /> : <Cards />)}
        {shown && !beside && <Hints />}
      </div>
    </div>
  );
}
