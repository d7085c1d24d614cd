// The build `full` of the engine: it adds databases in SQLite and Parquet files.

/** @type {import('../engine.js').Build} */
export const build = {
  name: 'full',
  glue: () => import('./full-glue.js'),
  address: () => new URL('./chessdb-full.wasm', import.meta.url),
};
