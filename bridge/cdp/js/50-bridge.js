// Only the page's own document has a register; frames have the readers alone.
// In a workbench the page is the frame that stands in its window's own page.
// Counted, not looked at: touching window.top from a frame makes a second, empty world
// of ours in the page's own document (Chromium 130).
const top = window.location.ancestorOrigins.length === (FRAMED ? 1 : 0);
const births = top ? register(BIRTH_LIMIT) : null;
if (LOOKED_AT && top) followPointer();
let found = [];
const named = new Map(); // elements whose places are asked for again and again, by handle

const elementAt = ([handle, born, path]) =>
  handle ? named.get(handle) ?? null : born > 0 ? bornAs(births, born - 1) : byPath(path);

const operations = {
  __proto__: null,
  here: (node) => ownerDocument(node) === document,
  settle: (node) => settle(node).refusal,
  outside: (node) => settle(node).element,
  chain: (element, quote) => chainOf(births, element, quote),
  step: (element, direction) => stepFrom(element, direction),
  byPath: (_, indexes) => byPath(indexes),
  query: (_, selector, limit) => {
    found = [];
    let list;
    try {
      list = querySelectorAll(document, selector);
    } catch (e) {
      return { invalid: String(e.message).slice(0, 300), count: 0, kept: 0 };
    }
    const count = listLength(list);
    for (let i = 0; i < Math.min(count, limit); i++) found.push(listItem(list, i));
    return { invalid: '', count, kept: found.length };
  },
  found: (_, i) => found[i],
  chainFound: (_, quote) => found.map((element) => chainOf(births, element, quote)),
  along: (element) => {
    const out = [];
    for (let n = element; n !== null && nodeType(n) === ELEMENT; n = parentNode(n)) out.push(n);
    return out;
  },
  forget: () => { found = []; return true; },
  births: () => births.facts(),
  birthSlice: (_, from, to) => births.slice(from, to),
  releaseBirths: () => { births.release(); return true; },
  tree: (_, limit) => treeOf(limit),
  layout: (_, limit) => layoutOf(births, limit),
  point: (node, quote) => {
    const { refusal, element } = settle(node);
    return { refusal, chain: element === null || refusal === 'foreign' ? null : chainOf(births, element, quote) };
  },
  under: (element, limit) => { found = stackUnder(element, limit); return found.length; },
  above: (element, limit) => { found = ancestorsOf(element, limit); return found.length; },
  name: (element, handle) => { named.set(handle, element); return true; },
  places: (_, spots) => spots.map((spot) => placeOf(elementAt(spot), spot[3])),
  boxes: (_, spots) => spots.map((spot) => {
    const element = elementAt(spot);
    return placeOf(element, spot[3]) !== null && isBox(element) ? element : null;
  }),
  loose: (_, spots) => {
    for (let i = spots.length - 1; i >= 0; i--) {
      const element = elementAt(spots[i]), at = placeOf(element, spots[i][3]);
      if (at !== null && !isBox(element)) return { at: i, rect: at };
    }
    return null;
  },
  moves: () => nextMove(),
  pointer: () => pointer,
  scrolled: () => [window.scrollX, window.scrollY],
  scrollBack: (_, left, top) => { window.scrollTo({ left, top, behavior: 'instant' }); return true; },
  rect: (element) => pageRect(element),
  style: (element, names) => styleOf(element, names),
  frames: () => frames(),
};

Object.defineProperty(globalThis, Symbol.for('proofmark.bridge'), {
  value: (operation, node, args) => operations[operation](node, ...args),
});
