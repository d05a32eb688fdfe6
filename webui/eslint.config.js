import tseslint from 'typescript-eslint';
import layers from './scripts/layers.mjs';

export default tseslint.config(
  { ignores: ['static/', 'node_modules/'] },
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked],
    plugins: { proofmark: { rules: { layers } } },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'proofmark/layers': 'error',
      eqeqeq: ['error', 'always'],
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'setHTMLUnsafe', 'srcdoc'].map((property) => ({
          property,
          message: 'Page text is data: it goes into text nodes only.',
        })),
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
          message: 'Page text is data: it goes into text nodes only.',
        },
        {
          selector: 'MemberExpression[property.name=/^(localStorage|sessionStorage|indexedDB)$/]',
          message: 'The workbench stores nothing in the browser; preferences live in the gateway.',
        },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    files: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
