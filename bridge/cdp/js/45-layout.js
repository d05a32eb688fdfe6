// Flags of a box, as package contract names them.
const SHOWN = 1, OWN_TEXT = 2, REPLACED = 4, PAINTED = 8, INLINE = 16, ABSOLUTE = 32, FIXED = 64,
  CLIPS_X = 128, CLIPS_Y = 256, SCROLLS_X = 512, SCROLLS_Y = 1024;

const checkVisibility = method(Element.prototype, 'checkVisibility');
const scrollWidth = getter(Element.prototype, 'scrollWidth');
const scrollHeight = getter(Element.prototype, 'scrollHeight');
const clientWidth = getter(Element.prototype, 'clientWidth');
const clientHeight = getter(Element.prototype, 'clientHeight');
const scrollingElement = getter(Document.prototype, 'scrollingElement');
const documentBody = getter(Document.prototype, 'body');
const sheetsOf = getter(Document.prototype, 'styleSheets');
const seeing = { visibilityProperty: true, opacityProperty: true };
const replaced = ['img', 'canvas', 'video', 'iframe', 'object', 'embed', 'input', 'textarea', 'select', 'meter', 'progress'];

const hasText = (element) => {
  for (let n = firstChild(element); n !== null; n = nextSibling(n)) {
    if (nodeType(n) === TEXT && /\S/.test(nodeValue(n))) return true;
  }
  return false;
};

const cuts = (value) => value === 'hidden' || value === 'clip';
const scrolls = (value) => value === 'auto' || value === 'scroll';

const isPainted = (style) => propertyValue(style, 'background-image') !== 'none' ||
  !/^(transparent|rgba\(.*, 0\))$/.test(propertyValue(style, 'background-color')) ||
  ['top', 'right', 'bottom', 'left'].some((side) => propertyValue(style, 'border-' + side + '-width') !== '0px');

const flagsOf = (element) => {
  if (!checkVisibility(element)) return 0;
  const style = getComputedStyle(element);
  const display = propertyValue(style, 'display'), position = propertyValue(style, 'position');
  const x = propertyValue(style, 'overflow-x'), y = propertyValue(style, 'overflow-y');
  let flags = checkVisibility(element, seeing) ? SHOWN : 0;
  const kind = ns(element), name = localName(element);
  if (kind === 'html' ? replaced.includes(name) : name === 'svg' || name === 'math') flags |= REPLACED;
  else if (kind === 'html' && hasText(element)) flags |= OWN_TEXT;
  else if (kind === 'html' && firstElement(element) === null && isPainted(style)) flags |= PAINTED;
  if (display === 'inline') flags |= INLINE;
  if (position === 'absolute') flags |= ABSOLUTE;
  if (position === 'fixed' || position === 'sticky') flags |= FIXED;
  if (display !== 'inline') {
    if (cuts(x)) flags |= CLIPS_X; else if (scrolls(x)) flags |= SCROLLS_X;
    if (cuts(y)) flags |= CLIPS_Y; else if (scrolls(y)) flags |= SCROLLS_Y;
  }
  return flags;
};

const sizeAsked = /\b(width|height|orientation|aspect-ratio|inline-size|block-size)\b/;

// adapts tells whether the page asks how large its view is. Sheets of other
// origins do not tell what is in them.
const adapts = () => {
  if (listLength(querySelectorAll(document, 'meta[name="viewport" i], source[media]')) > 0) return true;
  let budget = 20000;
  const asks = (list) => {
    for (let i = 0; i < list.length && budget-- > 0; i++) {
      const rule = list[i];
      if ((rule instanceof CSSMediaRule || rule instanceof CSSContainerRule) && sizeAsked.test(rule.conditionText)) return true;
      if (rule instanceof CSSImportRule && sizeAsked.test(rule.media.mediaText)) return true;
      if (rule instanceof CSSImportRule ? rule.styleSheet !== null && inSheet(rule.styleSheet) : rule.cssRules && asks(rule.cssRules)) return true;
    }
    return false;
  };
  const inSheet = (sheet) => {
    if (sizeAsked.test(sheet.media.mediaText)) return true;
    try {
      return asks(sheet.cssRules);
    } catch { // another origin's
      return false;
    }
  };
  const sheets = sheetsOf(document);
  for (let i = 0; i < sheets.length; i++) {
    if (inSheet(sheets[i])) return true;
  }
  return false;
};

// layoutOf gives the boxes of the elements in treeOf's order as columns.
const layoutOf = (births, limit) => {
  const rects = [], flags = [], born = [], parents = [];
  const tenth = (n) => Math.round(n * 10) / 10;
  const left = window.scrollX, top = window.scrollY;
  const whole = preorder(limit, (element, parent, step, inert) => {
    const f = inert ? 0 : flagsOf(element);
    flags.push(f);
    parents.push(parent);
    born.push(births ? births.number(element) : -1);
    if (f === 0) { rects.push(0, 0, 0, 0); return; }
    const r = boundingRect(element);
    rects.push(tenth(r.x + left), tenth(r.y + top), tenth(r.width), tenth(r.height));
  });
  const root = documentFirst(document), view = scrollingElement(document) ?? root, body = documentBody(document);
  if (!whole || root === null) return { cut: true };
  // What the root, or else the body, says of overflow goes for the view.
  const styles = [getComputedStyle(root)];
  if (body !== null) styles.push(getComputedStyle(body));
  const overflow = (axis) => styles.map((s) => propertyValue(s, 'overflow-' + axis)).find((v) => v !== 'visible') ?? 'visible';
  const width = clientWidth(view), height = clientHeight(view);
  const wide = scrollWidth(view), high = scrollHeight(view);
  const rtl = styles.some((s) => propertyValue(s, 'direction') === 'rtl');
  return {
    rects, flags, parents, births: born, cut: false, area: [rtl ? width - wide : 0, 0, wide, high], view: [width, height],
    clips: [cuts(overflow('x')), cuts(overflow('y'))], adapts: adapts(),
  };
};
