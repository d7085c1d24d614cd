export default {
  mode: 'production',
  entry: './main.js',
  output: { path: `${import.meta.dirname}/dist/webpack`, filename: 'main.js', module: true },
  experiments: { outputModule: true },
  // The engine is larger than webpack recommends. It is loaded when the first database is opened.
  performance: { assetFilter: name => !name.endsWith('.wasm') },
};
