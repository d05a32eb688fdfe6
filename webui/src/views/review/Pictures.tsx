import { useEffect, useRef, useState } from 'preact/hooks';
import { number, t } from '../../i18n';
import { difference, type Pixels } from '../../lib/pixels';
import type { Pictures as Both } from '../../state/review';
import { Progress } from '../../ui/states';
import { useUrl } from '../looks/useUrl';

export type PictureView = 'slider' | 'sides' | 'difference';

/** The page before and after: laid over each other, beside each other, or what differs. */
export function Pictures({ pictures, view }: { pictures: Both; view: PictureView }) {
  const before = useUrl(pictures.before);
  const after = useUrl(pictures.after);
  if (view === 'difference') return <Marked pictures={pictures} />;
  if (view === 'slider') return <Slider before={before} after={after} />;
  return (
    <div class="sides">
      <figure>
        <figcaption>{t('review.before')}</figcaption>
        <img src={before} alt={t('review.picture.before')} />
      </figure>
      <figure>
        <figcaption>{t('review.after')}</figcaption>
        <img src={after} alt={t('review.picture.after')} />
      </figure>
    </div>
  );
}

/** Before on the left, after on the right. Drag on the picture, or move the range with the arrow keys. */
function Slider({ before, after }: { before: string; after: string }) {
  const [share, setShare] = useState(50);
  const area = useRef<HTMLDivElement>(null);
  const move = (e: PointerEvent) => {
    const box = area.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    setShare(Math.round(Math.min(100, Math.max(0, ((e.clientX - box.left) / box.width) * 100))));
  };
  return (
    <div class="slider">
      <div class="slider-names">
        <span>{t('review.before')}</span>
        <input
          type="range"
          min={0}
          max={100}
          value={share}
          aria-label={t('review.slider')}
          aria-valuetext={`${share} %`}
          onInput={(e) => setShare(Number(e.currentTarget.value))}
        />
        <span>{t('review.after')}</span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={t('review.view.slider')}>
        <div
          class="stack"
          ref={area}
          onPointerDown={(e) => {
            if (e.button !== 0) return;
            e.preventDefault();
            e.currentTarget.setPointerCapture(e.pointerId);
            move(e);
          }}
          onPointerMove={(e) => {
            if (e.currentTarget.hasPointerCapture(e.pointerId)) move(e);
          }}
        >
          <img src={before} alt={t('review.picture.before')} draggable={false} />
          <img
            class="top"
            src={after}
            alt={t('review.picture.after')}
            draggable={false}
            style={{ clipPath: `inset(0 0 0 ${share}%)` }}
          />
          <span class="handle" style={{ left: `${share}%` }} aria-hidden="true" />
        </div>
      </div>
    </div>
  );
}

interface Result {
  image: Pixels;
  text: string;
}

/** What differs, marked on a faint picture; computed here, so that nobody has to be believed. */
function Marked({ pictures }: { pictures: Both }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [result, setResult] = useState<Result | null>(null);
  useEffect(() => {
    let here = true;
    setResult(null);
    void compare(pictures).then((r) => {
      if (here) setResult(r);
    });
    return () => {
      here = false;
    };
  }, [pictures]);
  useEffect(() => {
    const el = canvas.current;
    if (el === null || result === null) return;
    const { width, height, data } = result.image;
    el.width = width;
    el.height = height;
    el.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
  }, [result]);
  return (
    <div class="marked">
      <p role="status">{result === null ? <Progress>{t('review.comparing')}</Progress> : result.text}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label={t('review.view.difference')}>
        <canvas ref={canvas} role="img" aria-label={t('review.picture.difference')} hidden={result === null} />
      </div>
    </div>
  );
}

async function compare(pictures: Both): Promise<Result> {
  const [before, after] = await Promise.all([pixels(pictures.before), pixels(pictures.after)]);
  const d = difference(before, after, [196, 24, 92]);
  if (d.box === null) return { image: d.pixels, text: t('review.difference.none') };
  const { x, y, width, height } = d.box;
  const share = percent(d.changed / d.total);
  const text = t('review.difference.some', {
    share,
    x: number(x),
    y: number(y),
    width: number(width),
    height: number(height),
  });
  return { image: d.pixels, text };
}

async function pixels(blob: Blob): Promise<Pixels> {
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (context === null) return { width: 0, height: 0, data: new Uint8ClampedArray() };
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}

/** A share that is more than nothing is never shown as nothing. */
export function percent(share: number): string {
  if (share === 0) return '0 %';
  if (share < 0.001) return '< 0.1 %';
  return `${share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
}
