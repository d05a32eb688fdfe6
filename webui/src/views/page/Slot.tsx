import { useEffect, useState } from 'preact/hooks';
import { covers, isCovered } from '../../ui/cover';
import { useApp } from '../context';

/** Where the app shows the page: empty, but for a picture of it while something covers it. */
export function Slot() {
  const { slot, preview } = useApp();
  const blob = slot.picture.value;
  const [url, setUrl] = useState('');
  useEffect(() => {
    if (blob === null) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      URL.revokeObjectURL(made);
      setUrl('');
    };
  }, [blob]);
  useCovered();
  if (url === '') return null;
  return (
    <img
      class="frame slot"
      src={url}
      alt=""
      // As wide as the page; a picture that is shorter than it is not stretched.
      style={{ ...preview.frameStyle.value, height: 'auto' }}
      onLoad={() => slot.drawn()}
      onError={() => slot.drawn()}
    />
  );
}

/** Looks, for as long as something floats, whether it lies over the room of the page. */
function useCovered(): void {
  const { slot } = useApp();
  const some = covers.value.size > 0;
  useEffect(() => {
    if (!some) {
      slot.covered.value = false;
      return;
    }
    let next = 0;
    const look = () => {
      const room = slot.room.peek();
      slot.covered.value =
        room !== null &&
        isCovered({ left: room.x, top: room.y, right: room.x + room.width, bottom: room.y + room.height });
      next = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(next);
  }, [some]);
}
