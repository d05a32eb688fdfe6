// One outline set, 16 px, drawn for this program. An icon never stands without a
// name: whatever shows it carries a text or an aria-label.

const shapes = {
  point: ['M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3', 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z'],
  reload: ['M13 8a5 5 0 1 1-1.6-3.7', 'M13 2.5v3h-3'],
  more: ['M3.5 8h.01M8 8h.01M12.5 8h.01'],
  panel: ['M2 3h12v10H2z', 'M10 3v10'],
  close: ['M4 4l8 8M12 4l-8 8'],
  check: ['M3 8.5l3.2 3L13 4.5'],
  up: ['M8 13V3M4 7l4-4 4 4'],
  down: ['M8 3v10M4 9l4 4 4-4'],
  right: ['M6 3.5L10.5 8 6 12.5'],
  caret: ['M4 6l4 4 4-4'],
  trash: ['M2.5 4.5h11M6 4.5V3h4v1.5M4 4.5l.7 8.5h6.6l.7-8.5'],
  copy: ['M5.5 5.5h8v8h-8z', 'M10.5 5.5v-3h-8v8h3'],
  undo: ['M5.5 3L2.5 6l3 3', 'M2.5 6H10a3.5 3.5 0 0 1 0 7H6'],
  redo: ['M10.5 3l3 3-3 3', 'M13.5 6H6a3.5 3.5 0 0 0 0 7h4'],
  stop: ['M4 4h8v8H4z'],
  send: ['M2.5 8h10M8.5 4l4 4-4 4'],
  eye: [
    'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z',
    'M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
  ],
  warn: ['M8 2.5l6 11H2z', 'M8 6.5v3.2M8 11.5h.01'],
  offline: [
    'M2 2l12 12',
    'M4.2 7.3A6 6 0 0 1 6 6.2M1.8 5a9 9 0 0 1 2.4-1.5M7 3a9 9 0 0 1 7.2 2M10.5 6.6a6 6 0 0 1 1.3.8M8 12h.01M6.2 9.6a3 3 0 0 1 1.6-.6',
  ],
  console: ['M2 3h12v10H2z', 'M4.5 6l2 2-2 2M8 10.5h3.5'],
  grip: ['M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01'],
  open: ['M2 4.5h4l1.5 1.5H14v7H2z'],
  history: ['M3 8a5 5 0 1 0 1.6-3.7', 'M3 2.5v3h3', 'M8 5.5V8l2 1.5'],
  code: ['M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5'],
  edit: ['M3 13l.7-3L11 2.8l2.2 2.2L6 12.3z'],
  plus: ['M8 3v10M3 8h10'],
  layers: ['M8 2.5l6 3-6 3-6-3z', 'M2 8.5l6 3 6-3M2 11.2l6 3 6-3'],
  download: ['M8 2.5v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11'],
  flag: ['M4 14V2.5h8l-2 3 2 3H4'],
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {shapes[name].map((d) => (
        <path key={d} d={d} />
      ))}
    </svg>
  );
}
