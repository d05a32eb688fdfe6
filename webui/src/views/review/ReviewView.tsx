import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { refusalText, t } from '../../i18n';
import { Button } from '../../ui/button';
import { useCalm } from '../../ui/calm';
import { BarNote, Progress, State } from '../../ui/states';
import { useApp } from '../context';
import { DiffView } from '../changes/DiffView';
import { Pictures, type PictureView } from './Pictures';
import { Side } from './Side';
import './review.css';

type View = PictureView | 'diff';

/** A change that waits for a decision: what it does on the left, how it looks on the right. */
export function ReviewView() {
  const { reviewing: r, actions } = useApp();
  const asking = useSignal(false);
  const box = useRef<HTMLElement>(null);
  // It comes up by itself: letters that were typed for something else decide nothing.
  const calm = useCalm(r.phase.value === 'ready' ? (r.proposal.value?.sha256 ?? null) : null);
  const isCalm = useRef(calm);
  isCalm.current = calm;
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    const ready = () => r.phase.value === 'ready' && !asking.value && isCalm.current;
    return actions.register(
      {
        id: 'review.approve',
        group: 'review',
        title: 'review.approve',
        keys: ['a'],
        when: ready,
        run: () => r.approve(),
      },
      { id: 'review.reject', group: 'review', title: 'review.reject', keys: ['r'], when: ready, run: () => r.reject() },
      {
        id: 'review.ask',
        group: 'review',
        title: 'review.ask',
        keys: ['c'],
        when: ready,
        run: () => {
          asking.value = true;
        },
      },
      {
        id: 'review.close',
        group: 'review',
        title: 'review.close',
        keys: ['esc'],
        when: () => !asking.value,
        run: () => r.close(),
      },
    );
  }, []);

  return (
    <section
      ref={box}
      class="review"
      tabIndex={-1}
      aria-label={t('review.title')}
      onPointerEnter={() => (r.over.value = true)}
      onPointerLeave={() => (r.over.value = false)}
      onPointerMove={() => r.touched()}
      onKeyDown={() => r.touched()}
      onScrollCapture={() => r.touched()}
      onFocusCapture={() => (r.focused.value = true)}
      onBlurCapture={(e) => (r.focused.value = box.current?.contains(e.relatedTarget as Node | null) === true)}
    >
      <Head asking={asking} calm={calm} />
      {asking.value && <Ask onEnd={() => (asking.value = false)} />}
      {r.replaced.value && r.phase.value === 'ready' && <BarNote tone="warn">{t('review.replaced')}</BarNote>}
      <Body />
    </section>
  );
}

function Head({ asking, calm }: { asking: { value: boolean }; calm: boolean }) {
  const { reviewing: r, actions } = useApp();
  const ready = r.phase.value === 'ready';
  const disabled = r.deciding.value || !calm;
  return (
    <header>
      <div class="grow">
        <h2>{t('review.title')}</h2>
        <Countdown />
      </div>
      <Button kind="quiet" keyName={actions.keyName('review.close')} onClick={() => r.close()}>
        {t('review.close')}
      </Button>
      {ready && (
        <>
          <Decision id="review.ask" disabled={disabled} onClick={() => (asking.value = true)} />
          <Decision id="review.reject" disabled={disabled} onClick={() => void r.reject()} />
          <Decision id="review.approve" primary disabled={disabled} onClick={() => void r.approve()} />
        </>
      )}
    </header>
  );
}

interface DecisionProps {
  id: 'review.ask' | 'review.reject' | 'review.approve';
  primary?: boolean;
  disabled: boolean;
  onClick: () => void;
}

function Decision({ id, primary = false, disabled, onClick }: DecisionProps) {
  const { actions } = useApp();
  const key = actions.keyName(id);
  return (
    <Button kind={primary ? 'primary' : 'plain'} disabled={disabled} onClick={onClick}>
      {t(id)}
      {key !== '' && <kbd aria-hidden="true">{key}</kbd>}
    </Button>
  );
}

/** Seconds that are left; said aloud only when there are few. */
function Countdown() {
  const { reviewing: r } = useApp();
  const left = r.left.value;
  if (left === null || r.phase.value !== 'ready') return null;
  const n = Math.ceil(left / 1000);
  const paused = r.reading.value;
  const spoken = !paused && (n === 30 || n === 10) ? t('review.left.long', { n }) : '';
  return (
    <>
      <span class={paused ? 'countdown paused' : n <= 10 ? 'countdown short' : 'countdown'}>
        {paused ? t('review.paused') : t('review.left', { n })}
      </span>
      <span class="sr" role="status">
        {spoken}
      </span>
    </>
  );
}

function Ask({ onEnd }: { onEnd: () => void }) {
  const { reviewing: r } = useApp();
  const words = useSignal('');
  const send = () =>
    void r.ask(words.value).then((done) => {
      if (done) onEnd();
    });
  return (
    <form
      class="ask"
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      <label class="field">
        <span>{t('review.ask.label')}</span>
        <textarea
          class="area"
          rows={2}
          ref={(el) => {
            if (words.peek() === '') el?.focus();
          }}
          value={words.value}
          onInput={(e) => (words.value = e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.isComposing) return;
            if (e.key === 'Escape') {
              e.stopPropagation();
              onEnd();
            } else if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
              e.preventDefault();
              e.stopPropagation();
              send();
            }
          }}
        />
      </label>
      <p>{t('review.ask.hint')}</p>
      <span class="buttons">
        <Button type="submit" kind="primary" disabled={r.deciding.value}>
          {t('review.ask.send')}
        </Button>
        <Button onClick={onEnd}>{t('common.cancel')}</Button>
      </span>
    </form>
  );
}

function Body() {
  const { reviewing: r } = useApp();
  const chosen = useSignal<View | null>(null);
  const failure = r.failure.value;
  if (r.phase.value === 'failed' && failure !== null) {
    return (
      <State bad>
        <p>{t('review.failed')}</p>
        <p>{refusalText(failure)}</p>
        <Button onClick={() => void r.load()}>{t('common.retry')}</Button>
      </State>
    );
  }
  if (r.phase.value === 'gone') {
    return (
      <State>
        <p>{t(r.expired.value ? 'review.expired' : 'review.gone')}</p>
        {r.expired.value && (
          <Button kind="primary" onClick={() => void r.draftAgain()}>
            {t('review.again')}
          </Button>
        )}
      </State>
    );
  }
  const proposal = r.proposal.value;
  if (proposal === null) {
    return (
      <State>
        <Progress>{t('review.loading')}</Progress>
      </State>
    );
  }
  const pictures = r.pictures.value;
  const view: View = chosen.value ?? (pictures === null ? 'diff' : 'slider');
  const views: View[] = ['slider', 'sides', 'difference', 'diff'];
  return (
    <div class="review-body">
      <Side proposal={proposal} notes={r.notes.value} />
      <div class="look">
        <div class="views" role="group" aria-label={t('review.views')}>
          {views.map((v) => (
            <Button
              key={v}
              small
              pressed={v === view}
              refused={v !== 'diff' && pictures === null ? t('review.nopictures') : undefined}
              onClick={() => (chosen.value = v)}
            >
              {t(`review.view.${v}`)}
            </Button>
          ))}
        </div>
        {view === 'diff' || pictures === null ? (
          <DiffView
            hunks={r.hunks.value}
            split={false}
            rows={r.rows.value}
            onMore={() => r.showMore()}
            label={t('review.view.diff')}
          />
        ) : (
          <Pictures pictures={pictures} view={view} />
        )}
      </div>
    </div>
  );
}
