// The oracle's own script, in a tab of its own; it never meets a page.
const NS = {
  'http://www.w3.org/1999/xhtml': 'html',
  'http://www.w3.org/2000/svg': 'svg',
  'http://www.w3.org/1998/Math/MathML': 'math',
};

function byBytes(a, b) {
  const x = new TextEncoder().encode(a), y = new TextEncoder().encode(b);
  for (let i = 0; i < x.length && i < y.length; i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}

// walk calls f(element, index of parent, step) in preorder, contents first.
function walk(doc, f) {
  let n = 0;
  const visit = (e, parent, step) => {
    const i = n++;
    f(e, parent, step);
    if (e.content && e.localName === 'template' && NS[e.namespaceURI] === 'html')
      for (let k = e.content.firstElementChild; k; k = k.nextElementSibling) visit(k, i, 'content');
    if (e.shadowRoot) for (let k = e.shadowRoot.firstElementChild; k; k = k.nextElementSibling) visit(k, i, 'shadow');
    for (let k = e.firstElementChild; k; k = k.nextElementSibling) visit(k, i, '');
  };
  for (let k = doc.firstElementChild; k; k = k.nextElementSibling) visit(k, -1, '');
}

// dump gives the elements; the attribute named skip is left out and given apart.
function dump(doc, skip) {
  const tree = [], marks = [];
  walk(doc, (e, p, c) => {
    const attrs = [];
    let mark = null;
    for (const x of e.attributes) {
      if (skip && x.name === skip) { mark = x.value; continue; }
      attrs.push(x.name + '=' + x.value);
    }
    tree.push({p, c, ns: NS[e.namespaceURI] || e.namespaceURI, n: e.localName, a: attrs.sort(byBytes).join('\x01')});
    marks.push(mark);
  });
  return {tree, marks};
}

function decode(b64) {
  const s = atob(b64), u = new Uint8Array(s.length);
  for (let i = 0; i < s.length; i++) u[i] = s.charCodeAt(i);
  return new TextDecoder('utf-8').decode(u);
}

// parse knows declarative shadow roots, but Chromium 156 drops comments here;
// parseWithComments is the other way round.
const parse = t => Document.parseHTMLUnsafe(t);
const parseWithComments = t => new DOMParser().parseFromString(t, 'text/html');

function brief(t) {
  const draw = (e, mark) => {
    const ns = NS[e.namespaceURI], kids = [];
    let s = mark + (ns === 'html' ? '' : ns + ':') + e.localName;
    if (ns === 'html' && e.localName === 'template')
      for (let c = e.content.firstElementChild; c; c = c.nextElementSibling) kids.push(draw(c, '[t]'));
    if (e.shadowRoot) for (let c = e.shadowRoot.firstElementChild; c; c = c.nextElementSibling) kids.push(draw(c, '[s]'));
    for (let c = e.firstElementChild; c; c = c.nextElementSibling) kids.push(draw(c, ''));
    return kids.length ? s + '(' + kids.join(' ') + ')' : s;
  };
  const out = [], d = parse(t);
  for (let c = d.firstElementChild; c; c = c.nextElementSibling) out.push(draw(c, ''));
  return out.join(' ');
}

// signature gives elements, attributes and text, neighbouring text joined.
function signature(doc) {
  let out = '';
  const visit = n => {
    for (let c = n.firstChild; c; c = c.nextSibling) {
      if (c.nodeType === 3 || c.nodeType === 4) out += c.data;
      if (c.nodeType !== 1) continue;
      out += '\x01<' + (NS[c.namespaceURI] || c.namespaceURI) + ':' + c.localName;
      for (const x of c.attributes) out += '\x02' + x.name + '=' + x.value;
      out += '>';
      if (c.content && c.localName === 'template') { out += '\x01content'; visit(c.content); }
      if (c.shadowRoot) { out += '\x01shadow'; visit(c.shadowRoot); }
      visit(c);
      out += '\x01/';
    }
  };
  visit(doc);
  return out;
}

// textOf gives for each element its text, each text node between bars.
function texts(t) {
  const out = [], d = parse(t);
  walk(d, e => {
    let s = '';
    const root = e.content && e.localName === 'template' && NS[e.namespaceURI] === 'html' ? e.content : e;
    for (let c = root.firstChild; c; c = c.nextSibling) {
      if (c.nodeType === 3 || c.nodeType === 4) s += c.data;
      else if (c.nodeType === 1) s += '\x01';
    }
    out.push(s);
  });
  return out;
}

// tags finds out which tag makes which element: for every "<letter" one more
// parse with an attribute put behind the name; where the rest of the tree is
// unmoved, the elements that carry the attribute come from that tag.
function tags(t) {
  const o = dump(parse(t)), base = JSON.stringify(o.tree), candidates = [];
  for (const m of t.matchAll(/<[a-zA-Z]/g)) {
    let j = m.index + 1;
    while (j < t.length && !/[\t\n\f\r \/>]/.test(t[j])) j++;
    const d = dump(parse(t.slice(0, j) + ' zq="1" ' + t.slice(j)), 'zq');
    const c = {same: JSON.stringify(d.tree) === base, via: 'attribute', elements: []};
    d.marks.forEach((x, i) => { if (x !== null) c.elements.push(i); });
    if (!c.same && c.elements.length) viaComment(t, j, c);
    before(t, m.index, c);
    candidates.push(c);
  }
  return {tree: o.tree, candidates};
}

// viaComment decides where the attribute disturbs (equal formatting tags): a
// comment behind the tag is the first child of the element it makes.
function viaComment(t, from, c) {
  let e = from, quote = '';
  for (; e < t.length; e++) {
    if (quote) { if (t[e] === quote) quote = ''; continue; }
    if (t[e] === '>') break;
    if ((t[e] === '"' || t[e] === "'") && /=[\t\n\f\r ]*$/.test(t.slice(from, e))) quote = t[e];
  }
  const d = parseWithComments(t.slice(0, e + 1) + '<!--zq-->' + t.slice(e + 1));
  if (JSON.stringify(dump(d).tree) !== JSON.stringify(dump(parseWithComments(t)).tree)) return;
  const w = d.createTreeWalker(d, NodeFilter.SHOW_COMMENT);
  for (let k; (k = w.nextNode());) {
    if (k.data !== 'zq' || k.parentNode.firstChild !== k) continue;
    c.elements = [[...d.querySelectorAll('*')].indexOf(k.parentNode)];
    c.same = true;
    c.via = 'comment';
  }
}

// before tells whether a comment just in front of the tag comes to stand in
// front of the html and body elements: only then the tag can have made them.
function before(t, at, c) {
  const d = parseWithComments(t.slice(0, at) + '<!--zq-->' + t.slice(at));
  const w = d.createTreeWalker(d, NodeFilter.SHOW_COMMENT);
  const precedes = (e, k) => !!(e.compareDocumentPosition(k) & Node.DOCUMENT_POSITION_PRECEDING) && !e.contains(k);
  c.preHTML = c.preBody = false;
  for (let k; (k = w.nextNode());) {
    if (k.data !== 'zq') continue;
    c.preHTML = precedes(d.documentElement, k);
    if (d.body) c.preBody = precedes(d.body, k);
  }
}

// edited does to the document of a what the edit is meant to do, and tells
// whether the document of b equals it: 0 no, 1 in elements and attributes, 3
// in text too.
function edited(x) {
  const d = parse(decode(x.a)), all = [];
  walk(d, e => all.push(e));
  const e = all[x.element];
  switch (x.op) {
    case 'remove': e.remove(); break;
    case 'set_attribute': e.setAttribute(x.name, x.value); break;
    case 'remove_attribute': e.removeAttribute(x.name); break;
    case 'set_text': {
      const root = e.localName === 'template' && e.content ? e.content : e;
      [...root.childNodes].filter(n => n.nodeType === 3 || n.nodeType === 4)[+x.name].data = x.value;
      break;
    }
    default: throw new Error('unknown op ' + x.op);
  }
  const got = parse(decode(x.b));
  const same = JSON.stringify(dump(got).tree) === JSON.stringify(dump(d).tree);
  return (same ? 1 : 0) + (same && signature(got) === signature(d) ? 2 : 0);
}

// births gives the elements of a document in the order in which the parser put
// them into it; what came inside another has no place of its own and is left
// out. The frame runs no scripts.
function births(t) {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-same-origin';
  document.documentElement.append(frame);
  const d = frame.contentDocument;
  d.open();
  const observer = new MutationObserver(() => {});
  observer.observe(d, {childList: true, subtree: true});
  d.write(t);
  d.close();
  const seen = new Set(), out = [];
  for (const r of observer.takeRecords()) {
    for (const n of r.addedNodes) {
      if (n.nodeType !== 1 || seen.has(n)) continue;
      seen.add(n);
      out.push((NS[n.namespaceURI] || n.namespaceURI) + ':' + n.localName);
    }
  }
  frame.remove();
  return out;
}
