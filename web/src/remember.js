// Files that the page may open again: handles that the browser keeps, stored on this device once the reader agrees.

const NAME = 'chessdb';
const STORE = 'files';
/** Folders hold other things too; no database has this many files. */
const MOST = 20_000;

/** Whether this browser gives handles, and keeps them. */
export const canRemember = () => Boolean(globalThis.indexedDB && globalThis.FileSystemHandle);

/** @import { NamedFile } from './types.d.ts' */
/** @typedef {{ handles: FileSystemHandle[], names: string[] }} Remembered */

/** Opens the store. With `make` it is made; otherwise there is none if nothing was remembered.
 * @param {boolean} make
 * @returns {Promise<IDBDatabase>} */
function store(make) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      if (make) request.result.createObjectStore(STORE);
      // Looking must not leave an empty store.
      else request.transaction?.abort();
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = event => {
      event.preventDefault();
      reject(request.error);
    };
  });
}

/** @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>} */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The remembered state, or null.
 * @returns {Promise<Remembered | null>} */
export async function remembered() {
  if (!canRemember()) return null;
  let base = null;
  try {
    base = await store(false);
    return await done(base.transaction(STORE).objectStore(STORE).get('last')) ?? null;
  } catch {
    return null;
  } finally {
    base?.close();
  }
}

/** Stores handles and the names to show, instead of those before. Call it only when the reader agreed.
 * @param {FileSystemHandle[]} handles
 * @param {string[]} names */
export async function remember(handles, names) {
  const base = await store(true);
  try {
    await done(base.transaction(STORE, 'readwrite').objectStore(STORE).put({ handles, names }, 'last'));
  } finally {
    base.close();
  }
}

/** Deletes everything that was stored. */
export const forget = () => done(indexedDB.deleteDatabase(NAME));

/** Whether these are the handles that are remembered.
 * @param {FileSystemHandle[]} handles */
export async function isRemembered(handles) {
  const known = (await remembered())?.handles ?? [];
  if (known.length !== handles.length) return false;
  const same = await Promise.all(handles.map(async handle => (await Promise.all(known.map(one => handle.isSameEntry(one)))).includes(true)));
  return same.every(Boolean);
}

/** Whether the files may be read; with `ask` the browser asks the reader, which needs a click.
 * @param {FileSystemHandle[]} handles
 * @param {boolean} ask */
export async function mayRead(handles, ask) {
  for (const handle of handles) {
    const state = await (ask ? handle.requestPermission?.({ mode: 'read' }) : handle.queryPermission?.({ mode: 'read' })) ?? 'granted';
    if (state !== 'granted') return false;
  }
  return true;
}

/** The files of handles, those in folders too.
 * @param {FileSystemHandle[]} handles
 * @returns {Promise<NamedFile[]>} */
export async function filesOf(handles) {
  /** @type {NamedFile[]} */
  const found = [];
  /** @type {{ handle: any, path: string }[]} a file or a folder, which have no common type */
  const waiting = handles.map(handle => ({ handle, path: handle.name }));
  for (let next = waiting.shift(); next && found.length < MOST; next = waiting.shift()) {
    const { handle, path } = next;
    if (handle.kind === 'file') found.push({ name: path, file: await handle.getFile() });
    else for await (const one of handle.values()) waiting.push({ handle: one, path: `${path}/${one.name}` });
  }
  return found;
}

/** The handles of a drop, or null if the browser has none. To be called before anything else is awaited.
 * @param {DataTransfer} transfer
 * @returns {Promise<FileSystemHandle[] | null>} */
export function handlesOfDrop(transfer) {
  const items = [...transfer.items].filter(item => item.kind === 'file');
  const asked = items.map(item => item.getAsFileSystemHandle?.() ?? null);
  return Promise.all(asked).then(found => {
    const handles = found.filter(one => one != null);
    return handles.length && handles.length === found.length ? handles : null;
  }, () => null);
}

/** Lets the reader choose files: their handles, null if the reader turns back, undefined if this browser has no
 * such dialog.
 * @returns {Promise<FileSystemHandle[] | null | undefined>} */
export async function chooseHandles() {
  if (!canRemember() || typeof globalThis.showOpenFilePicker !== 'function') return undefined;
  try {
    return await globalThis.showOpenFilePicker({ multiple: true });
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError' ? null : undefined;
  }
}
