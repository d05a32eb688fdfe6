import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { number, refusalText, t } from '../../i18n';
import { Button } from '../../ui/button';
import { Progress, State } from '../../ui/states';
import { useApp } from '../context';
import { DiffView } from './DiffView';

/** Narrower than this, two columns of code help nobody. */
const SPLIT_FROM = 680;

/** What differs between two versions, or what one change did. */
export function Compare({ onBack }: { onBack: () => void }) {
  const { changes, actions } = useApp();
  const box = useRef<HTMLElement>(null);
  const [wide, setWide] = useState(true);
  /** What the person chose; a narrow window has one column. */
  const split = useSignal<boolean | null>(null);
  useEffect(() => {
    if (box.current === null) return;
    const watch = new ResizeObserver(([e]) => setWide((e?.contentRect.width ?? SPLIT_FROM) >= SPLIT_FROM));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const isSplit = wide && (split.value ?? true);
  const shown = changes.shown.value;
  const failure = changes.diffFailure.value;
  return (
    <section class="compare" ref={box} aria-label={t('diff.region')}>
      <header>
        <Button class="back" small icon="up" onClick={onBack}>
          {t('changes.back')}
        </Button>
        <Ends />
        <span class="grow" />
        <Button
          small
          kind="quiet"
          icon="up"
          label={t('changes.next')}
          keyName={actions.keyName('changes.next')}
          onClick={() => actions.run('changes.next')}
        />
        <Button
          small
          kind="quiet"
          icon="down"
          label={t('changes.previous')}
          keyName={actions.keyName('changes.previous')}
          onClick={() => actions.run('changes.previous')}
        />
        {wide && (
          <span role="group" aria-label={t('diff.view')} class="modes">
            <Button small pressed={isSplit} onClick={() => (split.value = true)}>
              {t('diff.split')}
            </Button>
            <Button small pressed={!isSplit} onClick={() => (split.value = false)}>
              {t('diff.unified')}
            </Button>
          </span>
        )}
      </header>
      {shown !== null && <Stats />}
      {shown !== null && changes.comparing.value && (
        <div class="late">
          <Progress>{t('diff.comparing')}</Progress>
        </div>
      )}
      {failure !== null ? (
        <State bad>
          <p>{t('diff.failed')}</p>
          <p>{refusalText(failure)}</p>
          <Button onClick={() => changes.again()}>{t('common.retry')}</Button>
        </State>
      ) : shown === null ? (
        <State>{changes.comparing.value ? <Progress>{t('diff.comparing')}</Progress> : <p>{t('diff.pick')}</p>}</State>
      ) : shown.hunks.length === 0 ? (
        <State>
          <p>{t('diff.same')}</p>
        </State>
      ) : (
        <DiffView
          hunks={shown.hunks}
          split={isSplit}
          rows={changes.rows.value}
          onMore={() => changes.showMore()}
          label={t('diff.label')}
        />
      )}
    </section>
  );
}

function Stats() {
  const { changes } = useApp();
  const diff = changes.shown.value?.diff;
  if (diff === undefined) return null;
  const { stats } = diff;
  return (
    <p class="stats" role="status">
      {t('changes.size', { inserted: stats.inserted, removed: stats.removed, places: stats.edits })}
      {diff.outsideUnchanged && (
        <>
          {' · '}
          <strong title={t('changes.checked')}>{t('changes.outside')}</strong>
          {' · '}
          {t('changes.unchanged', { n: stats.unchanged })}
        </>
      )}
      {!diff.recorded && ` · ${t('changes.computed')}`}
    </p>
  );
}

/** From and to, any two versions. */
function Ends() {
  const { changes } = useApp();
  const diff = changes.shown.value?.diff;
  const list = changes.versions.value;
  if (list.length < 2) return null;
  const from = diff?.from ?? list[1]?.generation ?? 1;
  const to = diff?.to ?? list[0]?.generation ?? 1;
  const options = (chosen: number) => {
    const known = list.some((v) => v.generation === chosen);
    return [...(known ? [] : [{ generation: chosen, name: undefined }]), ...list].map((v) => (
      <option key={v.generation} value={v.generation}>
        {[number(v.generation), v.name].filter(Boolean).join(' · ')}
      </option>
    ));
  };
  return (
    <span class="ends">
      <label>
        <span>{t('diff.from')}</span>
        <select class="select" value={from} onChange={(e) => void changes.compare(Number(e.currentTarget.value), to)}>
          {options(from)}
        </select>
      </label>
      <label>
        <span>{t('diff.to')}</span>
        <select class="select" value={to} onChange={(e) => void changes.compare(from, Number(e.currentTarget.value))}>
          {options(to)}
        </select>
      </label>
    </span>
  );
}
