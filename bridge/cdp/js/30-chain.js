// indexOf gives the 1-based index among the element siblings. A long list is
// counted by the browser's own XPath.
const indexOf = (element) => {
  let index = 1, n = element;
  for (let steps = 0; steps < 64; steps++) {
    n = previousElement(n);
    if (n === null) return index;
    index++;
  }
  const result = evaluateXPath(document, 'count(preceding-sibling::*)', element, null, 1, null);
  return numberValue(result) + 1;
};

const attrsOf = (element) => {
  const all = attributes(element), out = [];
  const count = attrCount(all);
  let cut = count > MAX_ATTRS;
  for (let i = 0; i < Math.min(count, MAX_ATTRS); i++) {
    const attr = attrAt(all, i);
    const name = attrName(attr), value = attrValue(attr);
    if (name.length > MAX_ATTR_NAME || value.length > MAX_ATTR_VALUE) cut = true;
    out.push([name.slice(0, MAX_ATTR_NAME), value.slice(0, MAX_ATTR_VALUE)]);
  }
  return [out, cut];
};

const siblingsOf = (element, budget) => {
  const parent = parentNode(element), out = [];
  let n = parent === null ? element : nodeType(parent) === DOCUMENT ? documentFirst(parent)
    : nodeType(parent) === FRAGMENT ? fragmentFirst(parent) : firstElement(parent);
  for (; n !== null; n = parent === null ? null : nextElement(n)) {
    if (budget.left-- <= 0) return [];
    out.push(localName(n));
  }
  return out;
};

// settle gives the element that stands for the picked node in the document's
// own tree, and why the node itself cannot be picked.
const settle = (node) => {
  let refusal = '', n = node;
  if (typeof CSSPseudoElement === 'function' && n instanceof CSSPseudoElement) {
    refusal = 'pseudo';
    n = n.element;
  }
  if (nodeType(n) !== ELEMENT) n = parentNode(n) ?? n;
  if (nodeType(n) === ELEMENT && localName(n).startsWith('::')) { // older Chromium
    refusal = 'pseudo';
    n = parentNode(n);
  }
  if (nodeType(n) !== ELEMENT) return { refusal: 'detached', element: null };
  if (ownerDocument(n) !== document) return { refusal: 'foreign', element: null };
  for (let root = getRootNode(n); root !== document; root = getRootNode(n)) {
    if (!isShadowRoot(root)) return { refusal: 'detached', element: n };
    refusal = refusal || 'shadow';
    n = shadowHost(root);
  }
  return { refusal, element: n };
};

const textOf = (element, max) => {
  let out = '', n = element;
  const skipped = (e) => ['script', 'style', 'template', 'noscript'].includes(localName(e)) && e !== element;
  while (n !== null && out.length < max * 2) {
    if (nodeType(n) === TEXT) out = (out + nodeValue(n).slice(0, 4096)).replace(/[ \t\r\n\f]+/g, ' ').replace(/^ /, '');
    let next = nodeType(n) === ELEMENT && !skipped(n) ? firstChild(n) : null;
    while (next === null && n !== element) {
      next = nextSibling(n);
      if (next === null) n = parentNode(n);
    }
    if (n === element && next === null) break;
    n = next;
  }
  return Array.from(out.trim()).slice(0, max).join('');
};

const rectOf = (element) => {
  const r = boundingRect(element);
  return [r.x, r.y, r.width, r.height];
};

// chainOf describes the element and its ancestors up to the root.
const chainOf = (births, element, quote) => {
  const links = [], budget = { left: MAX_SIBLINGS };
  let complete = true;
  for (let n = element; n !== null && nodeType(n) === ELEMENT; n = parentNode(n)) {
    if (links.length >= MAX_DEPTH) { complete = false; break; }
    const [attrs, cut] = attrsOf(n);
    const birth = births ? births.number(n) : -1;
    const tied = births !== null && births.tied();
    links.push({ ns: ns(n), name: localName(n), index: indexOf(n), attrs, cut, birth, siblings: tied ? null : siblingsOf(n, budget) });
  }
  return { links, complete, rect: rectOf(element), text: textOf(element, quote) };
};
