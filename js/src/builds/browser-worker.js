// Starts the worker of browsers.

// The address is in this form because bundlers look for it. It is next to this module, like the addresses of the
// modules, so that a bundler that leaves addresses alone needs only these files next to its bundle.
export const browserWorker = () => new Worker(new URL('./chessdb-worker.js', import.meta.url), { type: 'module' });
