// A zip of stored files. Bases of more than 4 GB do not fit a browser.

const CRC = new Uint32Array(256).map((_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

function crc32(pieces) {
  let crc = ~0;
  for (const piece of pieces) {
    for (let n = 0; n < piece.length; n++) crc = (crc >>> 8) ^ CRC[(crc ^ piece[n]) & 255];
  }
  return ~crc >>> 0;
}

/** The parts of a zip of `{ name, pieces, size }`. */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, pieces, size } of files) {
    const utf8 = new TextEncoder().encode(name);
    const crc = crc32(pieces);
    // Names are in UTF-8; the time is the first that the format knows, so that the same base gives the same zip.
    const common = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, crc], [4, size], [4, size], [2, utf8.length], [2, 0]];
    const head = fields([[4, 0x04034b50], ...common]);
    directory.push(fields([[4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), utf8);
    parts.push(head, utf8, ...pieces);
    offset += head.length + utf8.length + size;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const end = fields([[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, length], [4, offset], [2, 0]]);
  return [...parts, ...directory, end];
}

function fields(list) {
  const bytes = new Uint8Array(list.reduce((sum, [length]) => sum + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [length, value] of list) {
    if (length === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += length;
  }
  return bytes;
}
