// The birth register: it numbers every element of the document in the order in
// which it was inserted, from the first one until parsing has ended, and then
// stops. An element without a number was made by a script. It lives in this
// world alone: the page neither sees it nor can reach its observer.
const register = (limit) => {
  const numbers = new WeakMap();
  let list = [];       // strong references until the traces have been read
  const names = [];    // [ns, local name, id, class, attributes, custom] of each, as it was born
  let walked = [];     // numbers that no record of their own brought
  let state = 'parsing', reason = '';
  let scripts = -1;    // the first number that can run a script
  const blocking = []; // scripts that are not async as createElement makes them: the parser waits for them

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
    const name = localName(element), is = getAttribute(element, 'is');
    const custom = name.includes('-') || is !== null;
    names.push([ns(element), name, getAttribute(element, 'id') ?? '', getAttribute(element, 'class') ?? '', attrCount(attributes(element)), custom]);
    if (name === 'script' && !(isHTML(element, 'script') && scriptAsync(element))) blocking.push(list.length - 1);
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

  // The parser goes on in elements that a script took out of the document, and
  // the script may bring back one by one, in any order, what it puts there. So
  // what has left is observed too: its births are numbered as they happen.
  const follow = (node) => {
    if (nodeType(node) !== ELEMENT || getRootNode(node) === document) return;
    if (copied(node)) stop('a script moved a part of the page into selectedcontent');
    else observer.observe(node, watched);
  };

  // What is in a template is no part of the document: it never gets a number,
  // wherever a script moves it. An element of the document that a script moved
  // in there stays one, and so does what the parser puts into it.
  const keepOut = (root) => {
    for (let n = fragmentFirst(root); n !== null;) {
      const mine = numbers.has(n) && numbers.get(n) >= 0;
      if (!mine) {
        numbers.set(n, -1);
        if (isHTML(n, 'template')) inert(n);
      }
      let next = mine ? null : firstElement(n);
      while (next === null && n !== null) {
        next = nextElement(n);
        if (next === null) {
          n = parentNode(n);
          if (n === root) return;
        }
      }
      n = next;
    }
  };
  const inert = (template) => {
    const content = templateContent(template);
    observer.observe(content, watched);
    keepOut(content);
  };
  const isInert = (element) => {
    for (let n = parentNode(element); n !== null; n = parentNode(n)) {
      if (nodeType(n) === FRAGMENT) return !isShadowRoot(n);
      const number = numbers.get(n);
      if (number !== undefined) return number < 0;
    }
    return false;
  };

  // Records come in the order of insertion, but are read later: a subtree's
  // walk would number by where things stand now. So the inserted nodes are
  // numbered first, and only then what they brought along.
  const take = (records) => {
    const added = [];
    for (const record of records) {
      if (recordType(record) === 'attributes') {
        // A script that is made async after it was put in was not before.
        const number = numbers.get(recordTarget(record)) ?? -1;
        if (number >= 0 && isHTML(recordTarget(record), 'script')) blocking.push(number);
        continue;
      }
      const nodes = addedNodes(record);
      for (let i = 0, n = listLength(nodes); i < n; i++) {
        const node = listItem(nodes, i);
        if (state !== 'parsing') return;
        if (nodeType(node) !== ELEMENT || numbers.has(node) || copied(node)) continue;
        if (isInert(node)) {
          numbers.set(node, -1);
          if (isHTML(node, 'template')) inert(node);
          continue;
        }
        added.push(node);
        number(node);
      }
    }
    for (const record of records) {
      const gone = removedNodes(record);
      for (let i = 0, n = listLength(gone); i < n; i++) {
        if (state !== 'parsing') return;
        follow(listItem(gone, i));
      }
    }
    for (const element of added) {
      if (state !== 'parsing') return;
      if (!isHTML(element, 'selectedcontent') && firstElement(element) !== null) walk(element);
    }
    for (; templates < list.length && state === 'parsing'; templates++) {
      if (isHTML(list[templates], 'template')) inert(list[templates]);
    }
  };

  const removedNodes = getter(MutationRecord.prototype, 'removedNodes');
  const addedNodes = getter(MutationRecord.prototype, 'addedNodes');
  const recordType = getter(MutationRecord.prototype, 'type');
  const recordTarget = getter(MutationRecord.prototype, 'target');
  const observer = new MutationObserver(take);
  const watched = { childList: true, subtree: true, attributeFilter: ['async'] };
  let templates = 0; // how many of the list have been looked at for being one
  const takeRecords = () => { take(observer.takeRecords()); };

  if (documentFirst(document) !== null) {
    stop('the page was there before the register');
  } else {
    observer.observe(document, watched);
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
    facts: () => ({ state, reason, scripts, walked, blocking, names, count: names.length }),
    slice: (from, to) => list.slice(from, to),
    release: () => { list = []; },
  };
};
