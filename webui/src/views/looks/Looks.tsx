import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n';
import type { Pictures } from '../../state/review';
import { useApp } from '../context';
import { useUrl } from './useUrl';
import './looks.css';

/** A card that is only scrolled past asks for nothing. */
const rest = 150;

/**
 * The page before and after a version, small. They are fetched while the card is to
 * be seen. Their place is kept from the beginning, so that nothing moves when they
 * come, or when they do not.
 */
export function Looks({ generation }: { generation: number }) {
  const { looks, features, documents } = useApp();
  const [here] = useState(() => !looks.none.peek() && features.workbench.peek() === null);
  const [pictures, setPictures] = useState<Pictures | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const id = documents.id.value;
  const shown = here && id !== null && generation > 1;
  useEffect(() => {
    const el = box.current;
    if (!shown || el === null || pictures !== null) return;
    let gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = new IntersectionObserver((list) => {
      gone.abort();
      clearTimeout(timer);
      if (list.at(-1)?.isIntersecting !== true) return;
      const mine = (gone = new AbortController());
      timer = setTimeout(() => {
        void looks.pair(id, generation, mine.signal).then((pair) => {
          if (!mine.signal.aborted && pair !== null) setPictures(pair);
        });
      }, rest);
    });
    watch.observe(el);
    return () => {
      watch.disconnect();
      clearTimeout(timer);
      gone.abort();
    };
  }, [id, generation, shown, pictures]);
  if (!shown) return null;
  return (
    <div class="looks" ref={box}>
      {pictures !== null && <Thumbnails generation={generation} pictures={pictures} />}
    </div>
  );
}

function Thumbnails({ generation, pictures }: { generation: number; pictures: Pictures }) {
  const { looks } = useApp();
  const before = useUrl(pictures.before);
  const after = useUrl(pictures.after);
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      title={t('looks.open', { n: generation })}
      onClick={() => (looks.compared.value = { generation, pictures })}
    >
      <span class="sr">{t('looks.open', { n: generation })}. </span>
      <img src={before} alt={t('review.picture.before')} draggable={false} />
      <span class="arrow" aria-hidden="true" />
      <img src={after} alt={t('review.picture.after')} draggable={false} />
    </button>
  );
}
