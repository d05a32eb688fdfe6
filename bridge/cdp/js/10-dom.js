// Plain property access cannot be trusted: a form with an input named
// "parentNode" answers with the input, in an isolated world too. So every
// reader is taken from its prototype once, before the page has any node.
const getter = (proto, name) => {
  const read = Object.getOwnPropertyDescriptor(proto, name).get;
  return (object) => Reflect.apply(read, object, []);
};
const method = (proto, name) => {
  const call = proto[name];
  return (object, ...args) => Reflect.apply(call, object, args);
};
const nodeType = getter(Node.prototype, 'nodeType');
const parentNode = getter(Node.prototype, 'parentNode');
const firstChild = getter(Node.prototype, 'firstChild');
const nextSibling = getter(Node.prototype, 'nextSibling');
const ownerDocument = getter(Node.prototype, 'ownerDocument');
const isConnected = getter(Node.prototype, 'isConnected');
const nodeValue = getter(Node.prototype, 'nodeValue');
const getRootNode = method(Node.prototype, 'getRootNode');
const localName = getter(Element.prototype, 'localName');
const namespaceURI = getter(Element.prototype, 'namespaceURI');
const attributes = getter(Element.prototype, 'attributes');
const firstElement = getter(Element.prototype, 'firstElementChild');
const nextElement = getter(Element.prototype, 'nextElementSibling');
const previousElement = getter(Element.prototype, 'previousElementSibling');
const openShadow = getter(Element.prototype, 'shadowRoot');
const getAttribute = method(Element.prototype, 'getAttribute');
const boundingRect = method(Element.prototype, 'getBoundingClientRect');
const attrCount = getter(NamedNodeMap.prototype, 'length');
const attrAt = method(NamedNodeMap.prototype, 'item');
const attrName = getter(Attr.prototype, 'name');
const attrValue = getter(Attr.prototype, 'value');
const shadowHost = getter(ShadowRoot.prototype, 'host');
const documentFirst = getter(Document.prototype, 'firstElementChild');
const fragmentFirst = getter(DocumentFragment.prototype, 'firstElementChild');
const templateContent = getter(HTMLTemplateElement.prototype, 'content');
const scriptAsync = getter(HTMLScriptElement.prototype, 'async');
const querySelectorAll = method(Document.prototype, 'querySelectorAll');
const listLength = getter(NodeList.prototype, 'length');
const listItem = method(NodeList.prototype, 'item');
const propertyValue = method(CSSStyleDeclaration.prototype, 'getPropertyValue');
const evaluateXPath = method(Document.prototype, 'evaluate');
const numberValue = getter(XPathResult.prototype, 'numberValue');

const ELEMENT = 1, TEXT = 3, DOCUMENT = 9, FRAGMENT = 11;
const HTML = 'http://www.w3.org/1999/xhtml';
const namespaces = { __proto__: null, [HTML]: 'html', 'http://www.w3.org/2000/svg': 'svg', 'http://www.w3.org/1998/Math/MathML': 'math' };
const ns = (element) => namespaces[namespaceURI(element)] ?? 'other';
const isShadowRoot = (node) => nodeType(node) === FRAGMENT && node instanceof ShadowRoot;
const isHTML = (element, name) => localName(element) === name && namespaceURI(element) === HTML;

// Bounds. What is beyond them is cut and said to be.
const MAX_DEPTH = 1024, MAX_ATTRS = 64, MAX_ATTR_NAME = 256, MAX_ATTR_VALUE = 4096, MAX_SIBLINGS = 20000;
