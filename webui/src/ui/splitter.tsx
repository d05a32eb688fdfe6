import { useRef, useState } from 'preact/hooks';

export interface SplitterProps {
  label: string;
  /** Width of what stands at the end side. */
  value: number;
  min: number;
  max: number;
  onChange: (px: number) => void;
}

/** A border that is dragged, or moved with the arrow keys. */
export function Splitter({ label, value, min, max, onChange }: SplitterProps) {
  const from = useRef<{ x: number; value: number } | null>(null);
  const [moving, setMoving] = useState(false);
  const set = (px: number) => onChange(Math.round(Math.min(max, Math.max(min, px))));
  const end = () => {
    from.current = null;
    setMoving(false);
  };
  return (
    <div
      class={moving ? 'splitter moving' : 'splitter'}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={(e) => {
        if (e.button !== 0) return;
        e.currentTarget.setPointerCapture(e.pointerId);
        from.current = { x: e.clientX, value };
        setMoving(true);
      }}
      onPointerMove={(e) => {
        if (from.current !== null) set(from.current.value + from.current.x - e.clientX);
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={(e) => {
        const step = e.shiftKey ? 64 : 16;
        if (e.key === 'ArrowLeft') set(value + step);
        else if (e.key === 'ArrowRight') set(value - step);
        else if (e.key === 'Home') set(max);
        else if (e.key === 'End') set(min);
        else return;
        e.preventDefault();
        e.stopPropagation();
      }}
    />
  );
}
