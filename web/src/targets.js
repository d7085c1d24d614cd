// The formats to save in, grouped by the program that they are for.

/** @type {[id: string, formats: string[] | null][]} */
const GROUPS = [['pgn', ['pgn']], ['chessbase', ['cbh', 'cbf', 'fbk']], ['scid', ['si5', 'si4', 'si3']], ['more', null]];

/** The formats in groups, `{ id, formats }`, the most likely first; a format without a group is in the last one.
 * @template {{ id: string }} F
 * @param {F[]} formats
 * @returns {{ id: string, formats: F[] }[]} */
export function grouped(formats) {
  const known = GROUPS.flatMap(([, ids]) => ids ?? []);
  return GROUPS.map(([id, ids]) => ({
    id,
    formats: ids ? ids.flatMap(one => formats.filter(format => format.id === one)) : formats.filter(format => !known.includes(format.id)),
  })).filter(group => group.formats.length);
}
