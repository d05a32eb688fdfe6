const stepFrom = (element, direction) => {
  switch (direction) {
    case 'up': {
      const parent = parentNode(element);
      return parent !== null && nodeType(parent) === ELEMENT ? parent : null;
    }
    case 'down': return firstElement(element);
    case 'next': return nextElement(element);
    case 'prev': return previousElement(element);
  }
  return null;
};

const byPath = (indexes) => {
  let n = null, child = documentFirst(document);
  for (const index of indexes) {
    for (let i = 1; child !== null && i < index; i++) child = nextElement(child);
    if (child === null || index < 1) return null;
    n = child;
    child = firstElement(n);
  }
  return n;
};

// preorder visits the elements, template contents and open shadow roots before
// the ordinary children: with the parent's number, the step from it, and whether
// it is inside a template. It gives false where there are more than limit.
const preorder = (limit, visit) => {
  let count = 0;
  // An explicit stack of [next element, parent's number, step, in a template].
  const stack = [[documentFirst(document), -1, 0, false]];
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    const element = top[0];
    if (element === null) { stack.pop(); continue; }
    if (count >= limit) return false;
    top[0] = nextElement(element);
    const at = count++;
    visit(element, top[1], top[2], top[3]);
    stack.push([firstElement(element), at, 0, top[3]]);
    const shadow = openShadow(element);
    if (shadow !== null) stack.push([fragmentFirst(shadow), at, 2, top[3]]);
    if (isHTML(element, 'template')) stack.push([fragmentFirst(templateContent(element)), at, 1, true]);
  }
  return true;
};

// treeOf gives the element tree in preorder as columns, names once only.
const treeOf = (limit) => {
  const names = [], seen = new Map(), parents = [], kinds = [], steps = [];
  const kind = (element) => {
    const key = ns(element) + ' ' + localName(element);
    let at = seen.get(key);
    if (at === undefined) { at = names.length; names.push(key); seen.set(key, at); }
    return at;
  };
  const whole = preorder(limit, (element, parent, step) => {
    parents.push(parent); kinds.push(kind(element)); steps.push(step);
  });
  return { names, parents, kinds, steps, cut: !whole };
};

const pageRect = (element) => {
  const r = boundingRect(element);
  return [r.x + window.scrollX, r.y + window.scrollY, r.width, r.height];
};

const styleOf = (element, names) => {
  const style = getComputedStyle(element);
  return names.map((name) => propertyValue(style, name).slice(0, 1024)); // a page can make them as long as it likes
};

const frames = () => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
});
