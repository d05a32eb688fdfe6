import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { Dialog } from '../../ui/dialog';
import { useApp } from '../context';
import { type CardModel, noteCard, refusedCard } from './cards';
import { DirectForm } from './DirectForm';

/** The cards at an element, where the app draws them above the page. There is one of them at a time: the note goes first. */
export function NativeCards() {
  const app = useApp();
  const { notes, pick } = app;
  const box = notes.box.value;
  const [direct, setDirect] = useState(false);
  useEffect(() => {
    if (box === null) setDirect(false);
  }, [box]);
  const model = box !== null ? noteCard(app, box, () => setDirect(true)) : refusedCard(app);
  return (
    <>
      {model !== null && <Native key={box === null ? 'refused' : 'note'} model={model} />}
      {direct && box !== null && (
        <Dialog title={t('say.direct')} closeLabel={t('common.close')} onClose={() => setDirect(false)}>
          <DirectForm
            key={box.targets.map((p) => p.handle).join(' ')}
            targets={box.targets}
            onDone={() => {
              setDirect(false);
              pick.clear();
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function Native({ model }: { model: CardModel }) {
  const { card, slot, preview } = useApp();
  const now = useRef(model);
  now.current = model;
  const room = slot.room.value;
  const open = slot.open.value;
  const scale = preview.scale.value;
  const origin = preview.origin.value;
  useLayoutEffect(
    () =>
      card.hear({
        type: (text) => now.current.type(text),
        choose: (choice) => now.current.choose(choice),
        back: () => now.current.back(),
      }),
    [],
  );
  useLayoutEffect(() => {
    if (!open || room === null) {
      card.hide();
      return;
    }
    const { x, y, width, height } = model.rect;
    card.show(
      {
        x: Math.round(room.x + origin.x + x * scale),
        y: Math.round(room.y + origin.y + y * scale),
        width: Math.round(width * scale),
        height: Math.round(height * scale),
      },
      model.words,
      model.given,
    );
  });
  return null;
}
