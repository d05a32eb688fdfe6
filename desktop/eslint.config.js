import tseslint from 'typescript-eslint';
import environments from './scripts/environments.mjs';

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/', '.electron/', 'test-electron/'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'packaging/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always'],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    plugins: { proofmark: { rules: { environments } } },
    rules: { 'proofmark/environments': 'error' },
  },
);
