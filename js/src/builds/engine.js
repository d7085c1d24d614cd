// The build `engine` of the engine: it reads and writes every format except the additional ones of `full`.

/** @type {import('../engine.js').Build} */
export const build = {
  name: 'engine',
  glue: () => import('../../engine/engine/engine.js'),
  address: () => new URL('../../engine/engine/engine_bg.wasm', import.meta.url),
};
