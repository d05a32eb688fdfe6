// What a workbench asks about around an element, and when the page moves.
const elementsFromPoint = method(Document.prototype, 'elementsFromPoint');

// stackUnder gives what lies under the middle of what is to be seen of the
// element, topmost first.
const stackUnder = (element, limit) => {
  const r = boundingRect(element);
  const left = Math.max(r.left, 0), right = Math.min(r.right, window.innerWidth);
  const top = Math.max(r.top, 0), bottom = Math.min(r.bottom, window.innerHeight);
  if (left >= right || top >= bottom) return [];
  return elementsFromPoint(document, (left + right) / 2, (top + bottom) / 2).slice(0, limit);
};

// ancestorsOf gives the elements around the element, the nearest first.
const ancestorsOf = (element, limit) => {
  const out = [];
  for (let n = parentNode(element); n !== null && nodeType(n) === ELEMENT && out.length < limit; n = parentNode(n)) out.push(n);
  return out;
};

// bornAs gives the element with a number in the birth register, null where it is
// on the page no more. The page is walked once, when it is first needed.
let byBirth = null;
const bornAs = (births, number) => {
  if (births === null) return null;
  if (byBirth === null) {
    byBirth = new Map();
    preorder(BIRTH_LIMIT * 4, (element) => {
      const n = births.number(element);
      if (n >= 0) byBirth.set(n, new WeakRef(element));
    });
  }
  return byBirth.get(number)?.deref() ?? null;
};

// placeOf gives where an element is in the view, null where it is not to be seen
// anywhere on the page or is not what it is asked to be.
const placeOf = (element, name) => {
  if (element === null || !isConnected(element) || (name !== '' && localName(element) !== name)) return null;
  const r = boundingRect(element);
  return r.width > 0 || r.height > 0 ? [r.x, r.y, r.width, r.height] : null;
};

// isBox says whether an element is laid out as one box. A link that is part of a
// line of text is none, nor is what is drawn in a picture.
const isBox = (element) => clientWidth(element) > 0 && (namespaces[namespaceURI(element)] !== 'svg' || localName(element) === 'svg');

// Where the pointer is over the page, as far as it was told; null while it is not
// over it. In inspect mode nobody is told.
let pointer = null;
const followPointer = () => {
  window.addEventListener('mousemove', (e) => { if (e.isTrusted) pointer = [e.clientX, e.clientY]; }, { capture: true, passive: true });
  document.addEventListener('mouseout', (e) => { if (e.isTrusted && e.relatedTarget === null) pointer = null; }, { capture: true, passive: true });
};

// nextMove gives a promise of the page's next movement: it was scrolled or laid
// out again. Nothing is listened to before the first time, and one promise is
// kept at most ten times a second, whatever the page does.
const MOVE_PAUSE = 100; // ms
let moved = null;       // how the promise is kept, while somebody waits
let due = false;        // it moved while nobody waited, or too soon
let resting = false, watching = false;
const move = () => {
  due = true;
  if (resting || moved === null) return;
  const tell = moved;
  moved = null;
  due = false;
  resting = true;
  setTimeout(() => { resting = false; if (due) move(); }, MOVE_PAUSE);
  tell(true);
};
const watchMoves = () => {
  watching = true;
  window.addEventListener('scroll', move, { capture: true, passive: true });
  window.addEventListener('resize', move, { passive: true });
  new ResizeObserver(move).observe(documentFirst(document));
  new PerformanceObserver(move).observe({ type: 'layout-shift' });
};
const nextMove = () => new Promise((keep) => {
  if (!watching) watchMoves();
  moved = keep;
  if (due) move();
});
