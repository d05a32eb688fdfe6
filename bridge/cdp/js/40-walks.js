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

// treeOf gives the element tree in preorder as columns, names once only.
const treeOf = (limit) => {
  const names = [], seen = new Map(), parents = [], kinds = [], steps = [];
  const kind = (element) => {
    const key = ns(element) + ' ' + localName(element);
    let at = seen.get(key);
    if (at === undefined) { at = names.length; names.push(key); seen.set(key, at); }
    return at;
  };
  // An explicit stack of [next element, parent's number, step].
  const stack = [[documentFirst(document), -1, 0]];
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    const element = top[0];
    if (element === null) { stack.pop(); continue; }
    if (parents.length >= limit) return { names, parents, kinds, steps, cut: true };
    top[0] = nextElement(element);
    const at = parents.length;
    parents.push(top[1]); kinds.push(kind(element)); steps.push(top[2]);
    stack.push([firstElement(element), at, 0]);
    const shadow = openShadow(element);
    if (shadow !== null) stack.push([fragmentFirst(shadow), at, 2]);
    if (isHTML(element, 'template')) stack.push([fragmentFirst(templateContent(element)), at, 1]);
  }
  return { names, parents, kinds, steps, cut: false };
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
