// The build `full` of the engine: it adds databases in SQLite and Parquet files.

/** @type {import('../engine.js').Build} */
export const build = {
  name: 'full',
  glue: () => import('../../engine/full/engine.js'),
  address: () => new URL('../../engine/full/engine_bg.wasm', import.meta.url),
};
