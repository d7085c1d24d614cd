// The build `lean` of the engine: it reads the most common formats, without searching and writing.

/** @type {import('../engine.js').Build} */
export const build = {
  name: 'lean',
  glue: () => import('./lean-glue.js'),
  address: () => new URL('./chessdb-lean.wasm', import.meta.url),
};
