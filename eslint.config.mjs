// Lint: types-aware rules that matter in a daemon, plus the size limits that keep the tail short.
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';

const limits = {
  'max-lines': ['error', { max: 350 }],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  'max-params': ['error', 3],
};

export default ts.config(
  { ignores: ['node_modules/', 'dist/', '.cache/', '.svelte-kit/'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    files: ['**/*.ts', '**/*.svelte', '**/*.mjs'],
    languageOptions: { globals: { ...globals.node } },
    rules: {
      ...limits,
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        { selector: 'ExportAllDeclaration', message: 'Name what is exported.' },
      ],
      'no-unused-vars': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // The exhaustive list lives in the regular expressions of the path and text rules themselves.
      'no-control-regex': 'off',
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['web/**'],
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['*.config.ts'] }, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/only-throw-error': 'error',
    },
  },
  {
    files: ['web/**/*.ts', 'web/**/*.svelte'],
    languageOptions: { globals: { ...globals.browser }, parserOptions: { parser: ts.parser } },
  },
  // A describe block is a list of cases, not a function to keep short.
  { files: ['**/*.test.ts', 'e2e/**'], rules: { 'max-lines-per-function': 'off' } },
  {
    files: ['*.config.{ts,mjs}', '.dependency-cruiser.mjs', 'bridge/setup/**'],
    rules: { 'no-restricted-syntax': 'off', 'no-console': 'off' },
  },
);
