// The build `engine` of the engine: it reads and writes every format except the additional ones of `full`.

/** @type {import('../engine.js').Build} */
export const build = {
  name: 'engine',
  glue: () => import('./engine-glue.js'),
  address: () => new URL('./chessdb-engine.wasm', import.meta.url),
};
