// The worker: all bytes of the base are here. It comes behind the glue of wasm-bindgen and the module
// `WASM`, packed with gzip and in base64.

const PAUSE = 24;
const started = start();
let engine;
let queue = [];
let busy = false;
const slots = new Map();

async function start() {
  const binary = atob(WASM);
  const packed = Uint8Array.from(binary, letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const module = await new Response(stream).arrayBuffer();
  await wasm_bindgen({ module_or_path: module });
  engine = new wasm_bindgen.Engine();
}

onmessage = ({ data }) => {
  if (data.stop) {
    slots.delete(data.stop);
    return;
  }
  if (data.slot) slots.set(data.slot, data.id);
  queue.push(data);
  if (!busy) work();
};

/** Requests first, then one step of the oldest task; between steps new messages are heard. */
async function work() {
  busy = true;
  await started;
  while (queue.length) {
    const at = queue.findIndex(message => !message.task);
    const message = queue.splice(Math.max(0, at), 1)[0];
    try {
      if (message.call) answer(message, ask(message.call));
      else if (message.files) answer(message, await read(message));
      else if (message.save) answer(message, save(message));
      else step(message);
    } catch (error) {
      console.warn(String(error && error.stack || error));
      postMessage({ id: message.id, trap: true });
      return;
    }
    if (message.task) await pause();
  }
  busy = false;
}

const pause = () => new Promise(resolve => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = resolve;
  port2.postMessage(0);
});

const ask = request => JSON.parse(engine.call(JSON.stringify(request)));

const answer = (message, answer) => postMessage({ id: message.id, answer });

/** The files of a base into the module, one after another, and what bases there are. */
async function read(message) {
  ask({ op: 'clear' });
  let done = 0;
  const total = message.files.list.reduce((sum, { file }) => sum + file.size, 0);
  for (const { name, file } of message.files.list) {
    engine.add(name, new Uint8Array(await file.arrayBuffer()));
    done += file.size;
    postMessage({ id: message.id, progress: { done, total } });
  }
  return ask({ op: 'bases', password: message.files.password || '' });
}

function step(message) {
  if (slots.get(message.slot) !== message.id) {
    if (message.number) ask({ op: 'stop', task: message.number });
    return;
  }
  if (!message.number) {
    const begun = ask(message.task);
    if (begun.error) return answer(message, begun);
    message.number = begun.task;
    message.most = 64;
  }
  const before = performance.now();
  const state = ask({ op: 'step', task: message.number, most: message.most });
  const took = performance.now() - before;
  if (state.error || state.done) {
    slots.delete(message.slot);
    return answer(message, state.error ? state : state.result);
  }
  if (took < PAUSE / 2) message.most = Math.min(1 << 20, message.most * 2);
  else if (took > PAUSE * 2) message.most = Math.max(16, message.most >> 1);
  if (!message.told || before - message.told > 100) {
    message.told = before;
    postMessage({ id: message.id, progress: { seen: state.seen, total: state.total, soFar: state.soFar } });
  }
  queue.push(message);
}

/** A new base: its pieces are kept as they come, so that no copy of the whole is made. */
function save(message) {
  const files = [];
  let told = performance.now();
  const receive = {
    create: suffix => files.push({ suffix, pieces: [], size: 0 }),
    write: (file, bytes) => {
      files[file].pieces.push(bytes);
      files[file].size += bytes.length;
    },
    patch: (file, offset, bytes) => patch(files[file].pieces, offset, bytes),
    progress: (games, lost) => {
      if (performance.now() - told < 100) return;
      told = performance.now();
      postMessage({ id: message.id, progress: { games, lost } });
    },
  };
  const told_report = JSON.parse(engine.save(JSON.stringify(message.save), (word, ...rest) => receive[word](...rest)));
  if (told_report.error) return told_report;
  const stem = message.save.stem;
  const named = files.map(({ suffix, pieces, size }) => ({ name: stem + '.' + suffix, pieces, size }));
  const one = named.length === 1;
  const blob = new Blob(one ? named[0].pieces : zip(named));
  return { ...told_report, name: one ? named[0].name : stem + '.zip', blob };
}

function patch(pieces, offset, bytes) {
  let at = 0;
  for (const piece of pieces) {
    const from = Math.max(offset, at);
    const to = Math.min(offset + bytes.length, at + piece.length);
    if (from < to) piece.set(bytes.subarray(from - offset, to - offset), from - at);
    at += piece.length;
  }
}
