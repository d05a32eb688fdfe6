// A folder is a layer, and imports point one way (see README.md). A test may
// import whatever it tests.
export const mayImport = {
  contract: [],
  lib: ['contract'],
  i18n: ['contract', 'lib'],
  ui: ['lib'],
  api: ['contract', 'lib'],
  state: ['contract', 'lib', 'i18n', 'api'],
  views: ['contract', 'lib', 'i18n', 'ui', 'api', 'state'],
};

/** layerOf gives the layer of a file below src, "" for the entry itself. */
export function layerOf(path) {
  const below = path.replaceAll('\\', '/').split('/src/').at(-1) ?? '';
  const first = below.split('/')[0] ?? '';
  return below.includes('/') || first in mayImport ? first : '';
}

/** resolveFrom gives the path a relative import means. */
export function resolveFrom(file, specifier) {
  const parts = file.replaceAll('\\', '/').split('/').slice(0, -1);
  for (const step of specifier.split('/')) {
    if (step === '..') parts.pop();
    else if (step !== '.') parts.push(step);
  }
  return parts.join('/');
}

/** allowed tells whether a file of one layer may import one of another. */
export function allowed(from, to) {
  if (from === '' || from === to) return true;
  return (mayImport[from] ?? []).includes(to);
}

export default {
  meta: {
    type: 'problem',
    schema: [],
    messages: { layer: '{{from}} must not import {{to}}: it may import {{may}}.' },
  },
  create(context) {
    const file = context.filename;
    const from = layerOf(file);
    const look = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const to = layerOf(resolveFrom(file, specifier));
      if (file.includes('.test.') || allowed(from, to)) return;
      const may = (mayImport[from] ?? []).join(', ') || 'nothing';
      context.report({ node, messageId: 'layer', data: { from, to: to || 'the entry', may } });
    };
    return {
      ImportDeclaration: look,
      ExportNamedDeclaration: look,
      ExportAllDeclaration: look,
      ImportExpression: look,
    };
  },
};
