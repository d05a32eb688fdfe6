// The birth register: it numbers every element of the document in the order in
// which it was inserted, from the first one until parsing has ended, and then
// stops. An element without a number was made by a script. It lives in this
// world alone: the page neither sees it nor can reach its observer.
const register = (limit) => {
  const numbers = new WeakMap();
  let list = [];       // strong references until the traces have been read
  const names = [];    // [ns, local name, id, class] of each, as it was born
  let walked = [];     // numbers that no record of their own brought
  let state = 'parsing', reason = '';
  let scripts = -1;    // the first number that can run a script
  const blocking = []; // scripts that are not async as createElement makes them: the parser waits for them
  let untrusted = -1;  // the first number that does not tell when its element was made

  const stop = (why) => {
    observer.disconnect();
    state = why ? 'failed' : 'done';
    reason = why;
    if (why) { list = []; names.length = 0; walked = []; }
  };

  // What can run a script while the page is still being parsed. Data blocks
  // are the only script elements that never run.
  const data = ['application/json', 'application/ld+json'];
  const canRun = (element, name) => {
    if (name === 'script') return !data.includes(getAttribute(element, 'type'));
    if (name === 'iframe' || name === 'frame' || name === 'object' || name === 'embed') return true;
    const all = attributes(element);
    for (let i = 0, n = attrCount(all); i < n; i++) {
      const attr = attrName(attrAt(all, i));
      if (attr.length > 2 && attr.slice(0, 2).toLowerCase() === 'on') return true;
    }
    return openShadow(element) !== null;
  };

  const number = (element) => {
    if (numbers.has(element)) return false;
    if (list.length >= limit) { stop('more than ' + limit + ' elements'); return false; }
    numbers.set(element, list.length);
    list.push(element);
    const name = localName(element);
    names.push([ns(element), name, getAttribute(element, 'id') ?? '', getAttribute(element, 'class') ?? '']);
    if (isHTML(element, 'script') && !scriptAsync(element)) blocking.push(list.length - 1);
    if (scripts < 0 && canRun(element, name)) scripts = list.length - 1;
    return true;
  };

  // Chromium fills selectedcontent with copies that nobody wrote.
  const copied = (element) => {
    for (let n = parentNode(element); n !== null && nodeType(n) === ELEMENT; n = parentNode(n)) {
      if (isHTML(n, 'selectedcontent')) return true;
    }
    return false;
  };

  const walk = (root) => {
    for (let n = firstElement(root); n !== null && state === 'parsing';) {
      if (number(n)) walked.push(list.length - 1);
      let next = isHTML(n, 'selectedcontent') ? null : firstElement(n);
      while (next === null && n !== root) {
        next = nextElement(n);
        if (next === null) n = parentNode(n);
      }
      if (n === root) break;
      n = next;
    }
  };

  // While the parser's open elements are out of the document, what it puts into
  // them is not seen; a script may bring it back one by one, in any order. So no
  // birth is trusted from the moment an element left the document with the last
  // one born in it: that one's ancestors may all be open still.
  const left = (node) => {
    if (untrusted >= 0 || nodeType(node) !== ELEMENT || getRootNode(node) === document) return;
    for (let n = list.length ? parentNode(list[list.length - 1]) : null; n !== null; n = parentNode(n)) {
      if (n === node) { untrusted = list.length; return; }
    }
  };

  // Records come in the order of insertion, but are read later: a subtree's
  // walk would number by where things stand now. So the inserted nodes are
  // numbered first, and only then what they brought along.
  const take = (records) => {
    const added = [];
    for (const record of records) {
      const gone = removedNodes(record);
      for (let i = 0, n = listLength(gone); i < n; i++) left(listItem(gone, i));
      const nodes = addedNodes(record);
      for (let i = 0, n = listLength(nodes); i < n; i++) {
        const node = listItem(nodes, i);
        if (state !== 'parsing') return;
        if (nodeType(node) !== ELEMENT || copied(node)) continue;
        added.push(node);
        number(node);
      }
    }
    for (const element of added) {
      if (state !== 'parsing') return;
      if (!isHTML(element, 'selectedcontent') && firstElement(element) !== null) walk(element);
    }
  };

  const removedNodes = getter(MutationRecord.prototype, 'removedNodes');
  const addedNodes = getter(MutationRecord.prototype, 'addedNodes');
  const observer = new MutationObserver(take);
  const takeRecords = () => { take(observer.takeRecords()); };

  if (documentFirst(document) !== null) {
    stop('the page was there before the register');
  } else {
    observer.observe(document, { childList: true, subtree: true });
    // The window's capture listener of the first script in any world is the
    // first to hear that parsing has ended, before any deferred script runs.
    const readyState = getter(Document.prototype, 'readyState');
    window.addEventListener('readystatechange', () => {
      if (state !== 'parsing' || readyState(document) === 'loading') return;
      takeRecords();
      if (state === 'parsing') stop('');
    }, true);
  }

  return {
    number: (element) => numbers.get(element) ?? -1,
    tied: () => state === 'done',
    facts: () => ({ state, reason, scripts, walked, blocking, untrusted, names, count: names.length }),
    slice: (from, to) => list.slice(from, to),
    release: () => { list = []; },
  };
};
