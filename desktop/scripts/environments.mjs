// A file's name ends in what it runs in, and what it imports has to be there:
//
//   .std      anywhere: nothing but the language
//   .dom      a page: the DOM
//   .node     Node, without Electron
//   .preload  a sandboxed preload: a few of Electron's modules, no Node
//   .main     Electron's main process
//
// Types may come from anywhere, for they are gone when the program runs.
export const mayImport = {
  std: ['std'],
  dom: ['std', 'dom'],
  node: ['std', 'node'],
  preload: ['std', 'preload'],
  main: ['std', 'node', 'main'],
};

const packages = { electron: ['preload', 'main'], ws: ['node', 'main'] };
const preloadNames = new Set(['contextBridge', 'ipcRenderer', 'webUtils']);

/** environmentOf gives what a file runs in, "" where its name does not say. */
export function environmentOf(path) {
  const name = path.replaceAll('\\', '/').split('/').at(-1) ?? '';
  if (name === 'main.ts') return 'main';
  const end = /\.([a-z]+)(?:\.ts)?$/.exec(name)?.[1] ?? '';
  return end in mayImport ? end : '';
}

/** fault says what is wrong with an import, null where nothing is. */
export function fault(from, specifier) {
  if (specifier.startsWith('.')) {
    if (specifier.endsWith('.json')) return null;
    const to = environmentOf(specifier);
    return to !== '' && mayImport[from].includes(to) ? null : `.${from} must not import ${specifier}`;
  }
  if (specifier.startsWith('node:')) return from === 'node' || from === 'main' ? null : `.${from} has no ${specifier}`;
  const where = packages[specifier];
  if (where === undefined) return `${specifier} is in no list of packages`;
  return where.includes(from) ? null : `.${from} has no ${specifier}`;
}

export default {
  meta: {
    type: 'problem',
    schema: [],
    messages: { wrong: '{{what}}.', name: 'A file name ends in .std, .dom, .node, .preload or .main.' },
  },
  create(context) {
    const from = environmentOf(context.filename);
    const look = (node) => {
      if (node.importKind === 'type' || node.exportKind === 'type' || typeof node.source?.value !== 'string') return;
      const names = node.specifiers ?? [];
      if (names.length > 0 && names.every((s) => s.importKind === 'type')) return;
      let what = fault(from, node.source.value);
      if (what === null && from === 'preload' && node.source.value === 'electron') {
        const wrong = names.find((s) => s.importKind !== 'type' && !preloadNames.has(s.imported?.name));
        if (wrong !== undefined) what = `a preload uses ${[...preloadNames].join(', ')} of Electron alone`;
      }
      if (what !== null) context.report({ node, messageId: 'wrong', data: { what } });
    };
    return {
      Program: (node) => from === '' && context.report({ node, messageId: 'name' }),
      ...(from !== '' && {
        ImportDeclaration: look,
        ExportNamedDeclaration: look,
        ExportAllDeclaration: look,
        ImportExpression: look,
      }),
    };
  },
};
