import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { refusalText, t } from '../../i18n';
import { nearestOf } from '../../state/pick';
import { Button } from '../../ui/button';
import { useApp } from '../context';
import { placeCard } from './float';

/** Why an element cannot be edited, said at once, with the nearest one that can. */
export function RefusedCard() {
  const { pick, preview, actions } = useApp();
  const card = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(80);
  useLayoutEffect(() => {
    if (card.current !== null) setHeight(card.current.offsetHeight);
  });
  const p = pick.refused.value;
  if (p?.refusal === undefined) return null;
  const near = nearestOf(p);
  return (
    <div
      ref={card}
      class="card-float"
      role="alert"
      style={placeCard(
        p.rect,
        { scale: preview.scale.value, origin: preview.origin.value },
        { width: 352, height },
        preview.stage.value,
      )}
    >
      <p>{refusalText(p.refusal)}</p>
      {near !== null && (
        <p class="proof">
          {t('pick.nearest', { tag: `<${near.name}>` })}{' '}
          <Button small keyName={actions.keyName('page.nearest')} onClick={() => void pick.useNearest()}>
            {t('common.use')}
          </Button>
        </p>
      )}
      {near === null && p.refusal.hint !== undefined && <p class="proof">{p.refusal.hint}</p>}
    </div>
  );
}
