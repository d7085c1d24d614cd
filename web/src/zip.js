// A zip of stored files. Databases of more than 4 GB do not fit a browser.

/*! fflate 0.8, Arjun Barrett, MIT, https://github.com/101arrowz/fflate */
import { Zip, ZipPassThrough } from 'fflate';

/** Returns the parts of a zip, among them the pieces of the files, which are not copied.
 * @param {{ name: string, pieces: Uint8Array[] }[]} files */
export function zip(files) {
  /** @type {Uint8Array[]} */
  const parts = [];
  const zip = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part);
  });
  for (const { name, pieces } of files) {
    const file = new ZipPassThrough(name);
    // The first time that the format knows, so that the same database gives the same zip.
    file.mtime = new Date(1980, 0, 1);
    zip.add(file);
    for (const piece of pieces) file.push(piece);
    file.push(new Uint8Array(0), true);
  }
  zip.end();
  return parts;
}
