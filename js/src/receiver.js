// Receives the files of a new database from the engine, piece by piece.

/** @typedef {{ name: string, bytes: Uint8Array }} NewFile */

export class Receiver {
  /** @type {{ suffix: string, pieces: Uint8Array[], size: number }[]} */
  #files = [];

  /**
   * Called by the engine with the name of an action and its arguments.
   * @param {string} action
   * @param {any} first
   * @param {any} second
   * @param {any} third
   */
  take = (action, first, second, third) => {
    if (action === 'create') this.#files.push({ suffix: first, pieces: [], size: 0 });
    else if (action === 'write') this.#write(first, second);
    else if (action === 'patch') this.#patch(first, second, third);
  };

  /** @type {(file: number, bytes: Uint8Array) => void} */
  #write(file, bytes) {
    const to = this.#files[file];
    to.pieces.push(bytes);
    to.size += bytes.length;
  }

  /** @type {(file: number, offset: number, bytes: Uint8Array) => void} */
  #patch(file, offset, bytes) {
    let at = 0;
    for (const piece of this.#files[file].pieces) {
      const from = Math.max(offset, at);
      const to = Math.min(offset + bytes.length, at + piece.length);
      if (from < to) piece.set(bytes.subarray(from - offset, to - offset), from - at);
      at += piece.length;
    }
  }

  /**
   * Returns the files. Their names are suffixes.
   * @returns {NewFile[]}
   */
  files() {
    return this.#files.map(({ suffix, pieces, size }) => {
      const bytes = new Uint8Array(size);
      let at = 0;
      for (const piece of pieces) {
        bytes.set(piece, at);
        at += piece.length;
      }
      return { name: suffix, bytes };
    });
  }
}
