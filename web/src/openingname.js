// The names of openings in the reader's language. Lists of openings have English names only, so these are put together
// from tables: the opening, then what kinds of lines follow it and what they are called after. Queries keep the English
// names.

import { LANGUAGES, lang } from './lang.js';
import { KINDS, OPENINGS, QUALIFIERS } from './openingtable.js';

/** A table by its English column.
 * @param {string} text
 * @returns {Map<string, string[]>} */
const table = text => new Map(text.trim().split('\n').map(line => {
  const cells = line.split('|');
  return [cells[0], cells];
}));

const openings = table(OPENINGS);
const kinds = table(KINDS);
const qualifiers = table(QUALIFIERS);

/** The letters of pieces in German, Russian and Spanish.
 * @type {Record<string, string>[]} */
const PIECES = [
  {}, { N: 'S', B: 'L', R: 'T', Q: 'D' }, { N: 'К', B: 'С', R: 'Л', Q: 'Ф', K: 'Кр' }, { N: 'C', B: 'A', R: 'T', Q: 'D', K: 'R' },
];
const WITH = ['', 'mit', 'с', 'con'];

/** The endings of adjectives by the gender of what follows. */
const GERMAN = { f: 'e', m: 'er', n: 'es' };
const RUSSIAN = { f: 'ая', m: '', n: 'ое' };

const ALONE = /^(Closed|Open|Classical|Symmetrical|Fianchetto|Central|Three Knights|Two Knights|Normal|Hedgehog|Austrian)$/;
/** Words that cannot be a part of a German or Spanish name. */
const ENGLISH = /\b(Reversed|Double|Improved|Delayed|Early|Half|Full|Kingside|Queenside|Queen|King|Knight|Rook|Pawn|Bishop|Center|Black|White|Deferred|Accelerated|American|Canadian|Old|New|Modern|Closed|Open|Exchange|Advance|and|the)\b/;

/** @param {string} text */
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);

/** A Spanish adjective with its ending: those of peoples in -és and -ol lose their accent or add a letter.
 * @type {(adjective: string, isFeminine: boolean) => string} */
const spanish = (adjective, isFeminine) => adjective.replace(/(es|ol|an)?-(?= |$)/, (_, end = '') => {
  if (end === 'es') return isFeminine ? 'esa' : 'és';
  if (end === 'ol') return isFeminine ? 'ola' : 'ol';
  if (end === 'an' && adjective.startsWith('catal')) return isFeminine ? 'ana' : 'án';
  return end + (isFeminine ? 'a' : 'o');
});

/** A kind of line and what it is called after; nothing if the language has no way to say it.
 * @type {Array<(qualifier: string, gender: 'f' | 'm' | 'n', kind: string, isKnown: boolean) => string | undefined>} */
const JOIN = [
  () => undefined,
  (qualifier, gender, kind) => {
    const [, words, mark] = /** @type {RegExpMatchArray} */ (qualifier.match(/^(.*?)([-+*]?)$/));
    if (mark === '+') return capital(words) + kind.toLowerCase();
    if (mark) return `${capital(words)}${mark === '-' ? GERMAN[gender] : ''} ${kind}`;
    return `${words.replace(/['’]s$/, 's').replaceAll(' ', '-')}-${kind}`;
  },
  (qualifier, gender, kind, isKnown) => {
    if (!isKnown) return undefined;
    const isAdjective = /^\p{Ll}.*[ыио]й$/u.test(qualifier);
    return isAdjective ? `${qualifier.replace(/[ыио]й$/, ending => RUSSIAN[gender] || ending)} ${kind}` : `${kind} ${qualifier}`;
  },
  (qualifier, gender, kind) => `${kind} ${spanish(qualifier, gender === 'f')}`,
];

/** A part of a name, such as `Najdorf Variation` or `with Bg5`; nothing if it has to stay English.
 * @type {(text: string, n: number) => string | undefined} */
function part(text, n) {
  const whole = openings.get(text)?.[n];
  if (whole) return whole;
  const position = text.match(/^with ([NBRQK]?[a-h]?x?[a-h][1-8]\+?)$/);
  if (position) return `${WITH[n]} ${position[1].replace(/^[NBRQK]/, letter => PIECES[n][letter] ?? letter)}`;
  const answer = text.match(/^(.*) (Accepted|Declined)$/);
  if (answer) return accepted(part(answer[1], n), answer[2] === 'Accepted', n);
  const words = text.split(' ');
  // A word such as `Closed` alone means the variation.
  const isAlone = ALONE.test(text);
  const kind = kinds.get(isAlone ? 'Variation' : words[words.length - 1])?.[n];
  const name = isAlone ? text : words.slice(0, -1).join(' ');
  if (!kind || !name) return undefined;
  const known = qualifiers.get(name);
  if (!known && ENGLISH.test(name)) return undefined;
  const [gender, noun] = [/** @type {'f' | 'm' | 'n'} */ (kind[0]), kind.slice(2)];
  return JOIN[n](known?.[n] || name, gender, noun, Boolean(known?.[n]));
}

/** The name of a gambit that is accepted or declined.
 * @type {(gambit: string | undefined, isAccepted: boolean, n: number) => string | undefined} */
function accepted(gambit, isAccepted, n) {
  if (!gambit) return undefined;
  if (n === 1) return /gambit$/i.test(gambit) ? `${isAccepted ? 'Angenommenes' : 'Abgelehntes'} ${gambit}` : undefined;
  if (n === 2) return /гамбит/i.test(gambit) ? `${isAccepted ? 'принятый' : 'отказанный'} ${gambit.charAt(0).toLowerCase()}${gambit.slice(1)}` : undefined;
  return /gambito/i.test(gambit) ? `${gambit} ${isAccepted ? 'aceptado' : 'rehusado'}` : undefined;
}

/** The name of an opening in the reader's language, and the language that it is in after all. A code before it stays. A
 * name that is not known, such as one from a tag of a game, stays as it is.
 * @param {string} name
 * @returns {{ text: string, lang: string }} */
export function openingName(name) {
  const n = LANGUAGES.indexOf(lang());
  const [, code, english] = /** @type {RegExpMatchArray} */ (name.match(/^([A-E]\d\d[a-z]?\d? )?(.*)$/s));
  const [opening, lines] = english.split(': ', 2);
  const first = n && part(opening.split(', ')[0], n);
  if (!first) return { text: name, lang: 'en' };
  const rest = [...opening.split(', ').slice(1), ...(lines ? lines.split(', ') : [])];
  const others = rest.map(one => part(one, n) ?? one);
  return { text: `${code ?? ''}${capital(first)}${others.length ? ': ' : ''}${others.join(', ')}`, lang: lang() };
}
