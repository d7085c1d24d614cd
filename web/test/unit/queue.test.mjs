// Requests and tasks before a session, the files of a new database, and zips.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeQueue, makeReceiver } from '../../src/queue.js';
import { zip } from '../../src/zip.js';

/** @import { Message, Reply } from '../../src/types.d.ts' */

/** A session with tasks of this many steps; `log` has its requests. */
function session(steps = 3) {
  /** @type {string[]} */
  const log = [];
  /** @type {Reply[]} */
  const posted = [];
  /** @type {Map<number, number>} */
  const left = new Map();
  let next = 0;
  /** @param {any} request */
  const ask = request => {
    log.push(`${request.op} ${request.task ?? request.game ?? ''}`.trim());
    if (request.op === 'start') {
      if (request.task === 'bad') return { error: { code: 'query', text: 'bad' } };
      left.set(++next, steps);
      return { task: next };
    }
    if (request.op === 'step') {
      const more = (left.get(request.task) ?? 0) - 1;
      left.set(request.task, more);
      return more > 0 ? { done: false, seen: steps - more, total: steps, soFar: null } : { done: true, seen: steps, total: steps, result: { task: request.task } };
    }
    if (request.op === 'trap') throw new Error('trap');
    return { op: request.op };
  };
  /** @type {unknown[]} */
  const failures = [];
  const hear = makeQueue({
    ready: Promise.resolve(), ask, read: () => ({ bases: [] }), save: () => ({ name: 'saved' }), post: reply => posted.push(reply),
    failed: error => failures.push(error),
  });
  /** Waits until these messages are answered.
   * @param {...number} ids */
  const answered = async (...ids) => {
    for (let n = 0; n < 500 && !ids.every(id => posted.some(reply => reply.id === id && 'answer' in reply)); n++) await new Promise(done => setTimeout(done, 2));
    return ids.map(id => posted.find(reply => reply.id === id && 'answer' in reply)?.answer);
  };
  return { hear, log, posted, answered, failures };
}

/** @type {(id: number, op: string) => Message} */
const call = (id, op) => ({ id, call: { op } });
/** @type {(id: number, task: string, slot?: string) => Message} */
const task = (id, task, slot = task) => ({ id, slot, task: { op: 'start', task } });

test('requests are answered in order, files and saving too', async () => {
  const { hear, answered, posted } = session();
  hear(call(1, 'keys'));
  hear({ id: 2, files: { name: '' } });
  hear({ id: 3, save: { scope: 'all', format: 'pgn', game: 0, stem: 'x' } });
  assert.deepEqual(await answered(1, 2, 3), [{ op: 'keys' }, { bases: [] }, { name: 'saved' }]);
  assert.deepEqual(posted.map(({ id }) => id), [1, 2, 3]);
});

test('a request is answered before the next step of a task', async () => {
  const { hear, log, answered } = session(5);
  hear(task(1, 'filter'));
  hear(call(2, 'rows'));
  await answered(1, 2);
  assert.equal(log[0], 'rows');
  assert.equal(log.filter(one => one.startsWith('step')).length, 5);
});

test('a newer task of the slot ends the older, which has no answer', async () => {
  const { hear, log, answered, posted } = session(50);
  hear(task(1, 'filter'));
  for (let n = 0; n < 200 && !log.includes('step 1'); n++) await new Promise(done => setTimeout(done, 1));
  hear(task(2, 'filter'));
  assert.deepEqual(await answered(2), [{ task: 2 }]);
  assert.ok(log.includes('stop 1'));
  assert.ok(!posted.some(reply => reply.id === 1 && reply.answer));
});

test('a slot that is stopped has no answer', async () => {
  const { hear, log, answered, posted } = session(50);
  hear(task(1, 'tree'));
  for (let n = 0; n < 200 && !log.includes('step 1'); n++) await new Promise(done => setTimeout(done, 1));
  hear({ stop: 'tree' });
  hear(task(2, 'filter'));
  await answered(2);
  assert.ok(log.includes('stop 1') && !posted.some(reply => reply.id === 1 && reply.answer));
});

test('the check waits for other tasks', async () => {
  const { hear, log, answered } = session(3);
  hear(task(1, 'health'));
  hear(task(2, 'filter'));
  await answered(1, 2);
  const tasks = log.filter(one => one.startsWith('start'));
  assert.deepEqual(tasks, ['start filter', 'start health']);
  assert.ok(log.lastIndexOf('step 1') < log.indexOf('step 2'));
});

test('a task that cannot begin answers its error', async () => {
  const { hear, answered } = session();
  hear(task(1, 'bad'));
  assert.deepEqual(await answered(1), [{ error: { code: 'query', text: 'bad' } }]);
});

test('a session that stops is told, and nothing else is asked', async () => {
  const { hear, log, failures } = session();
  hear(call(1, 'trap'));
  hear(call(2, 'rows'));
  for (let n = 0; n < 200 && !failures.length; n++) await new Promise(done => setTimeout(done, 1));
  assert.equal(String(failures[0]), 'Error: trap');
  assert.deepEqual(log, ['trap']);
});

/** @param {...number} values */
const piece = (...values) => Uint8Array.from(values);

/** @param {Uint8Array[]} pieces */
const bytes = pieces => [...Buffer.concat(pieces)];

test('the files of a new database, patched over the edges of pieces', () => {
  const receiver = makeReceiver(() => {});
  receiver.take('create', 'pgn');
  receiver.take('write', 0, piece(1, 2, 3));
  receiver.take('write', 0, piece(4, 5, 6));
  receiver.take('patch', 0, 2, piece(30, 40));
  receiver.take('patch', 0, 0, piece(10));
  const { name, pieces } = receiver.done({ games: 1 }, 'Kasparov');
  assert.equal(name, 'Kasparov.pgn');
  assert.deepEqual(bytes(pieces), [10, 2, 30, 40, 5, 6]);
});

test('several files become a zip, an error stays one', () => {
  const receiver = makeReceiver(() => {});
  for (const [n, suffix] of ['si4', 'sg4'].entries()) {
    receiver.take('create', suffix);
    receiver.take('write', n, piece(n));
  }
  assert.deepEqual(receiver.done({ error: { code: 'other' } }, 'x'), { error: { code: 'other' } });
  const { name, pieces } = receiver.done({}, 'a b');
  assert.equal(name, 'a b.zip');
  assert.deepEqual(bytes(pieces).slice(0, 4), [0x50, 0x4b, 3, 4]);
});

test('another program reads the zip', () => {
  const files = [
    { name: 'Größe.pgn', pieces: [piece(1, 2), piece(3)] }, { name: 'empty.sg4', pieces: [] },
    { name: 'large.sn4', pieces: [new Uint8Array(3 << 20).fill(7), new Uint8Array(5)] },
  ];
  const made = zip(files);
  assert.ok(made.includes(files[2].pieces[0]), 'pieces are passed on, not copied');
  const folder = mkdtempSync(join(tmpdir(), 'chessdb-zip-'));
  const path = join(folder, 'made.zip');
  writeFileSync(path, Buffer.concat(made));
  const script = 'import sys, zipfile, json, zlib\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n'
    + 'print(json.dumps([[i.filename, i.file_size, zlib.crc32(z.read(i)), i.date_time[0]] for i in z.infolist()]))';
  /** @type {[name: string, size: number, crc: number, year: number][]} */
  const read = JSON.parse(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' }));
  rmSync(folder, { recursive: true });
  assert.deepEqual(read.map(([name, size]) => [name, size]), [['Größe.pgn', 3], ['empty.sg4', 0], ['large.sn4', (3 << 20) + 5]]);
  assert.equal(read[0][2], 0x55bc801d);
  assert.ok(read.every(([, , , year]) => year === 1980));
  assert.deepEqual(Buffer.concat(zip(files)), Buffer.concat(made), 'the same files give the same zip');
});
