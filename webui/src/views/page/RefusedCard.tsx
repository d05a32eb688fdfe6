import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/button';
import { useApp } from '../context';
import { refusedCard } from './cards';
import { placeCard } from './float';

/** Why an element cannot be edited, said at once, with the nearest one that can. */
export function RefusedCard() {
  const app = useApp();
  const { preview } = app;
  const card = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(80);
  useLayoutEffect(() => {
    if (card.current !== null) setHeight(card.current.offsetHeight);
  });
  const model = refusedCard(app);
  if (model === null) return null;
  const { words } = model;
  return (
    <div
      ref={card}
      class="card-float"
      role="alert"
      style={placeCard(
        model.rect,
        { scale: preview.scale.value, origin: preview.origin.value },
        { width: 352, height },
        preview.stage.value,
      )}
    >
      {words.lines.map((line, i) => (
        <p key={i}>{line}</p>
      ))}
      {words.proof !== '' && (
        <p class="proof">
          {words.proof}
          {words.actions.map((a) => (
            <>
              {' '}
              <Button key={a.choice} small keyName={a.key ?? ''} onClick={() => model.choose(a.choice)}>
                {a.label}
              </Button>
            </>
          ))}
        </p>
      )}
    </div>
  );
}
