// Where a saved file goes: into the folder of downloads, or into a file that the reader chose, which some browsers
// allow.

import { el } from './dom.js';

/** The files that were chosen since the page was loaded, by suffix: saving again goes to the same place.
 * @type {Map<string, FileSystemFileHandle>} */
const chosen = new Map();

/** @param {string} name */
const suffixOf = name => (name.split('.').pop() ?? '').toLowerCase();

/** Whether this browser lets the reader choose a place. */
export const canChoose = () => typeof globalThis.showSaveFilePicker === 'function';

/** The place where a file with this suffix was saved before, or null.
 * @param {string} suffix */
export const samePlace = suffix => chosen.get(suffix.toLowerCase()) ?? null;

/** Asks for a place; null if the reader turns back.
 * @param {string} name proposed */
export async function choosePlace(name) {
  try {
    return await globalThis.showSaveFilePicker?.({ suggestedName: name }) ?? null;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

/** Asks to write to a place again, which the browser may have forgotten.
 * @param {FileSystemFileHandle} handle */
export async function mayWrite(handle) {
  const mode = { mode: 'readwrite' };
  if (!handle.queryPermission || await handle.queryPermission(mode) === 'granted') return true;
  return await handle.requestPermission?.(mode) === 'granted';
}

/** Writes the pieces one after another. What was there stays as it is until the last of them is written.
 * @param {FileSystemFileHandle} handle
 * @param {FileSystemWriteChunkType[]} pieces */
export async function writeTo(handle, pieces) {
  const stream = await handle.createWritable();
  try {
    for (const piece of pieces) await stream.write(piece);
    await stream.close();
  } catch (error) {
    await stream.abort().catch(() => {});
    throw error;
  }
  chosen.set(suffixOf(handle.name), handle);
}

/** Into the folder of downloads.
 * @param {Blob} blob
 * @param {string} name */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  el('a', { href: address, download: name }).click();
  // The browser reads it while it writes the file.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
