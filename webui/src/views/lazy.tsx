import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { refusalOf } from '../api/refusal';
import { t } from '../i18n';
import { Button } from '../ui/button';
import { Progress, State } from '../ui/states';

/** lazy gives a view whose code is loaded when it is first shown. */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | null = null;
  return function Lazy() {
    const [View, setView] = useState<ComponentType | null>(() => loaded);
    const [failed, setFailed] = useState<string | null>(null);
    const [attempt, setAttempt] = useState(0);
    useEffect(() => {
      if (loaded !== null) return;
      let here = true;
      load().then(
        (view) => {
          loaded = view;
          if (here) setView(() => view);
        },
        (e: unknown) => here && setFailed(refusalOf(e).message),
      );
      return () => {
        here = false;
      };
    }, [attempt]);
    if (View !== null) return <View />;
    if (failed === null) {
      return (
        <State>
          <Progress>{t('state.loading')}</Progress>
        </State>
      );
    }
    return (
      <State bad>
        <p>{failed}</p>
        <Button
          onClick={() => {
            setFailed(null);
            setAttempt(attempt + 1);
          }}
        >
          {t('common.retry')}
        </Button>
      </State>
    );
  };
}
