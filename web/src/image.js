// The position on the board as an image: a drawing (SVG), or a picture of it (PNG).

import { el } from './dom.js';

/** The width of a square in the drawing, and of a whole picture in pixels. */
const SQUARE = 60;
const PICTURE = 960;

/** @type {Record<string, string>} */
const ROLES = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

/** The drawing of a piece, which the styles have as an address, put into a square.
 * @type {(man: string, x: number, y: number) => string} */
function pieceAt(man, x, y) {
  const sample = el('i', { class: `${ROLES[man.toLowerCase()]} ${man < 'a' ? 'white' : 'black'}`, hidden: true });
  document.body.append(sample);
  const address = getComputedStyle(sample).backgroundImage.match(/^url\("data:image\/svg\+xml,(.*)"\)$/)?.[1] ?? '';
  sample.remove();
  return decodeURIComponent(address).replace('<svg ', `<svg x="${x}" y="${y}" width="${SQUARE}" height="${SQUARE}" `);
}

/** A position as a drawing with coordinates.
 * @param {string} fen
 * @param {boolean} flipped
 * @returns {string} */
export function positionDrawing(fen, flipped) {
  const men = [...fen.split(' ')[0].replaceAll('/', '').replace(/\d/g, digit => ' '.repeat(Number(digit)))];
  const style = getComputedStyle(document.documentElement);
  const [light, dark] = ['--sq-l', '--sq-d'].map(name => style.getPropertyValue(name).trim());
  const size = SQUARE * 8;
  const squares = Array.from({ length: 64 }, (_, place) => {
    const [x, y] = [place % 8 * SQUARE, (place >> 3) * SQUARE];
    const man = men[flipped ? 63 - place : place]?.trim();
    const isDark = (place % 8 + (place >> 3)) % 2;
    return `<rect x="${x}" y="${y}" width="${SQUARE}" height="${SQUARE}" fill="${isDark ? dark : light}"/>${man ? pieceAt(man, x, y) : ''}`;
  });
  /** @type {(text: string, x: number, y: number, anchor: string, isDark: boolean) => string} */
  const letter = (text, x, y, anchor, isDark) => `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${isDark ? '#fff' : '#3f4f43'}">${text}</text>`;
  const labels = Array.from({ length: 8 }, (_, n) => [
    letter(String(flipped ? n + 1 : 8 - n), 3, n * SQUARE + 13, 'start', n % 2 > 0),
    letter('abcdefgh'[flipped ? 7 - n : n], (n + 1) * SQUARE - 3, size - 4, 'end', n % 2 === 0),
  ]);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}">`
    + `${squares.join('')}<g font-family="sans-serif" font-size="12" font-weight="600">${labels.flat().join('')}</g></svg>`;
}

/** A drawing as a picture.
 * @param {string} drawing
 * @returns {Promise<Blob>} */
export async function pictureOf(drawing) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(drawing)}`;
  await image.decode();
  const canvas = el('canvas', { width: PICTURE, height: PICTURE });
  canvas.getContext('2d')?.drawImage(image, 0, 0, PICTURE, PICTURE);
  return new Promise((resolve, reject) => {
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('the browser made no picture'))), 'image/png');
  });
}
