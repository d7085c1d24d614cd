// The build `lean` of the engine: it reads the most common formats, without searching and writing.

/** @type {import('../engine.js').Build} */
export const build = {
  name: 'lean',
  glue: () => import('../../engine/lean/engine.js'),
  address: () => new URL('../../engine/lean/engine_bg.wasm', import.meta.url),
};
