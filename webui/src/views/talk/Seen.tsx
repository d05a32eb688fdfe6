import { useEffect, useState } from 'preact/hooks';
import { t } from '../../i18n';
import type { Pictures } from '../../state/review';
import { useApp } from '../context';
import { useUrl } from '../looks/useUrl';
import '../looks/looks.css';

/** What a turn that is at work saw last: the page as it is, and as it would be. */
export function Seen({ turn, looks }: { turn: string; looks: number }) {
  const { api } = useApp();
  const [pictures, setPictures] = useState<Pictures | null>(null);
  useEffect(() => {
    if (looks === 0) return;
    const gone = new AbortController();
    Promise.all([api.lookPicture(turn, 'before', gone.signal), api.lookPicture(turn, 'after', gone.signal)]).then(
      ([before, after]) => {
        if (!gone.signal.aborted) setPictures({ before, after });
      },
      () => undefined, // the turn may have ended meanwhile; its steps say what it did
    );
    return () => {
      gone.abort();
    };
  }, [turn, looks]);
  if (pictures === null) return null;
  return <Pair pictures={pictures} />;
}

function Pair({ pictures }: { pictures: Pictures }) {
  const before = useUrl(pictures.before);
  const after = useUrl(pictures.after);
  return (
    <div class="looks watched">
      <img src={before} alt={t('review.picture.before')} draggable={false} />
      <span class="arrow" aria-hidden="true" />
      <img src={after} alt={t('review.picture.after')} draggable={false} />
    </div>
  );
}
