import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, CHESSDB: 'readonly', ABOUT: 'readonly' } },
    rules: {
      'no-unused-vars': ['error', { args: 'after-used', caughtErrors: 'all', ignoreRestSiblings: true }],
      // Texts of databases contain any characters.
      'no-control-regex': 'off',
    },
  },
  { files: ['src/worker.js'], languageOptions: { globals: { ...globals.worker, WASM: 'readonly', wasm_bindgen: 'readonly' } } },
  // Tests run in Node.js, and parts of them in a page.
  { files: ['test/**'], languageOptions: { globals: { ...globals.node, axe: 'readonly' } } },
];
