// Queries as lists of terms: what the search form and clicks on values read and write.

/** @import { SearchFields } from './types.d.ts' */

/** Splits a query at the blanks outside quotes, slashes and parentheses. The word `not` belongs to the term after it.
 * @param {string} text
 * @returns {string[]} */
export function split(text) {
  /** @type {string[]} */
  const terms = [];
  let negation = '';
  for (const part of parts(text)) {
    negation += part;
    if (/(^|\s)not$/i.test(part)) negation += ' ';
    else {
      terms.push(negation);
      negation = '';
    }
  }
  return negation ? [...terms, negation.trim()] : terms;
}

/** @param {string} text */
function parts(text) {
  return text.match(/[-!]*\([^()]*(?:\([^()]*\)[^()]*)*\)|(?:[^\s"/(]|"(?:\\"|[^"])*"?|(?<=[:=]|^|\s)\/(?:\\\/|[^/])*\/?|\/|\()+/g) ?? [];
}

/** Words that join or negate terms, or give the colour of a player. */
const OPERATOR = /^(or|and|not|vs\.?|versus|v\.?|&&?|\|\|?|white|black)$/i;

/** A value as the query language writes it: in quotes where blanks or signs would end it.
 * @param {string} value */
export function quoted(value) {
  return /^[^\s"(),:/<>=!-][^\s"(),*%]*$/.test(value) && !OPERATOR.test(value) ? value : `"${value.replace(/["\\]/g, sign => '\\' + sign)}"`;
}

/** A value without its quotes.
 * @param {string} value */
export function bare(value) {
  const inside = value.match(/^"((?:\\"|[^"])*)"?$/);
  return inside ? inside[1].replace(/\\(["\\])/g, '$1') : value;
}

/** A term with its key and value; a word has no key. Lists, regular expressions and negations are for the query line.
 * @param {string} term
 * @returns {{ key: string, value: string, term: string, isPlain?: boolean }} */
function parse(term) {
  const found = term.match(/^([a-z]+!?)(:|>=|<=|=)(.*)$/is);
  if (!found) return { key: '', value: bare(term), term };
  const [, key, sign, value] = found;
  const isPlain = !/^\//.test(value) && (/^"(?:\\"|[^"])*"$/.test(value) || !/[",]/.test(value) || isName(value));
  if (sign === '>=') return { key: key.toLowerCase(), value: value + '..', term, isPlain };
  if (sign === '<=') return { key: key.toLowerCase(), value: '..' + value, term, isPlain };
  return { key: key.toLowerCase(), value: bare(value), term, isPlain };
}

/** `Kasparov,G`, as lists of games write a name.
 * @param {string} value */
const isName = value => /^[^",]+,\s?\p{L}\.?$/u.test(value);

const RESULTS = ['1-0', '0-1', '1/2-1/2', '*'];
const ECO = /^[a-e]\d{0,2}(-[a-e]\d{0,2})?$/i;
const YEARS = /^(\d{4})?(?:(\.\.|-)(\d{4})?)?$/;
/** @param {string} value */
const range = value => value.match(/^(\d*)(?:(?:\.\.|-)(\d*))?$/);

/** The fields of the form, empty.
 * @returns {SearchFields} */
export const emptyFields = () => ({
  words: '', player: '', colour: '', opponent: '', event: '', site: '', yearFrom: '', yearTo: '', opening: '', result: '',
  eloFrom: '', eloTo: '', ending: '', movesFrom: '', movesTo: '', comments: false, variations: false,
});

/** The fields of the form that a query states. `rest` are the terms that the form does not show; they are kept.
 * @param {string} text
 * @returns {{ fields: SearchFields, rest: string[] }} */
export function readFields(text) {
  /** @type {any} */
  const fields = emptyFields();
  const terms = split(text);
  // Alternatives are one condition.
  if (terms.some(term => /^(or|\|\|?)$/i.test(term))) return { fields, rest: [text.trim()] };
  /** @type {string[]} */
  const rest = [];
  /** @type {(name: string, value: any) => boolean} */
  const set = (name, value) => {
    if (fields[name]) return false;
    fields[name] = value;
    return true;
  };
  /** @type {(name: string, value: string) => boolean} */
  const add = (name, value) => {
    // Several words of one name are several terms.
    if (fields[name] && /[\s,]/.test(fields[name] + value) && /,/.test(fields[name] + value)) return false;
    fields[name] = fields[name] ? `${fields[name]} ${value}` : value;
    return true;
  };
  /** @type {(from: string, to: string, value: string) => boolean} */
  const span = (from, to, value) => {
    const ends = range(value);
    if (!ends || fields[from] || fields[to]) return false;
    fields[from] = ends[1];
    fields[to] = ends[2] === undefined ? ends[1] : ends[2];
    return true;
  };
  const pair = terms.find(term => /^\([^():]+\s(vs|-)\s[^():]+\)$/.test(term));
  if (pair && terms.length > 1) {
    const others = readFields(terms.filter(term => term !== pair).join(' '));
    const { player, opponent } = readFields(pair.slice(1, -1)).fields;
    if (!others.fields.player) return { fields: { ...others.fields, player, opponent }, rest: others.rest };
  }
  const at = terms.findIndex(term => /^(vs\.?|versus|v\.?|-|–|—)$/i.test(term));
  let left = terms;
  // A pairing of the words around it, as far as these have no key.
  if (at > 0 && at < terms.length - 1) {
    /** @param {string} term */
    const isWord = term => !parse(term).key && !/^[-!(]/.test(term) && !YEARS.test(term) && !RESULTS.includes(term) && !/^[A-E]\d\d$/.test(term);
    let [from, to] = [at, at];
    while (from > 0 && isWord(terms[from - 1])) from -= 1;
    while (to < terms.length - 1 && isWord(terms[to + 1])) to += 1;
    if (from < at && to > at && from === 0) {
      fields.player = terms.slice(from, at).map(bare).join(' ');
      fields.opponent = terms.slice(at + 1, to + 1).map(bare).join(' ');
      left = terms.slice(to + 1);
    }
  }
  for (let n = 0; n < left.length; n++) {
    let term = left[n];
    const next = left[n + 1];
    // A position without a key, with the fields of its FEN.
    if (/^[^:"(]+\/.*\/.*\//.test(term)) {
      rest.push(term);
      while (/^([wb]|-|[KQkq]+|[a-h][36]|\d+)$/.test(left[n + 1] ?? '')) rest.push(left[++n]);
      continue;
    }
    /** @param {string | undefined} word */
    const isPerson = word => word && /^["\p{L}]/u.test(word) && !parse(word).key && !OPERATOR.test(word);
    const colour = /^(white|black)$/;
    if (isPerson(term) && colour.test(next ?? '') && next && add(next, bare(term))) {
      n += 1;
      continue;
    }
    if (colour.test(term) && next && isPerson(next) && add(term, bare(next))) {
      n += 1;
      continue;
    }
    // `Carlsen, Magnus` is one name.
    if (/^[^":(]+,$/.test(term) && left[n + 1]) term = `"${term} ${left[++n]}"`;
    const { key, value, isPlain } = parse(term);
    const known = /^[-!(/]/.test(term) ? false
      : key && !isPlain ? false
        : readTerm(key, value, term);
    if (!known) rest.push(term);
  }
  // The color belongs to the player, who is White or Black.
  if (fields.white || fields.black) {
    const isBlack = !fields.white;
    if (fields.player) {
      for (const side of ['white', 'black']) if (fields[side]) rest.push(`${side}:${quoted(fields[side])}`);
    } else {
      fields.player = isBlack ? fields.black : fields.white;
      fields.opponent = isBlack ? '' : fields.black ?? '';
      fields.colour = isBlack ? 'black' : 'white';
    }
  }
  delete fields.white;
  delete fields.black;
  return { fields, rest };

  /** @param {string} key
   * @param {string} value
   * @param {string} term
   * @returns {boolean} */
  function readTerm(key, value, term) {
    if (!key) {
      if (/,/.test(value)) return set('player', value);
      if (term === value && YEARS.test(value)) return span('yearFrom', 'yearTo', value);
      if (RESULTS.includes(value)) return set('result', value);
      if (/^[A-E]\d\d(-[A-E]\d\d)?$/.test(value)) return set('opening', value);
      if (/^(not|and|&&?)$/i.test(term) || /^[KQRBNP]{2,}v?[KQRBNP]*$/.test(term) || /\/.*\//.test(term) || /^(white|black)$/.test(term)) return false;
      return add('words', term);
    }
    switch (key) {
      case 'player': case 'white': case 'black': return add(key, value);
      case 'event': case 'site': return set(key, value);
      case 'year': return YEARS.test(value) && span('yearFrom', 'yearTo', value);
      case 'eco': return ECO.test(value) && set('opening', value);
      case 'opening': return set('opening', value);
      case 'result': return RESULTS.includes(value) && set('result', value);
      case 'elo': return span('eloFrom', 'eloTo', value);
      case 'moves': return span('movesFrom', 'movesTo', value);
      case 'ending': return ENDINGS.includes(value) && set('ending', value);
      case 'has': return ['comments', 'variations'].includes(value) && set(value, true);
      default: return false;
    }
  }
}

/** The endings that the form offers. */
export const ENDINGS = ['mate', 'stalemate', 'repetition', 'resigned', 'agreed', 'time'];

/** A name as terms: a comma or a parenthesis makes it one value, otherwise each word is looked for.
 * @param {string} key
 * @param {string} name */
function names(key, name) {
  const text = name.trim();
  if (!text) return [];
  const values = /[,()"]/.test(text) ? [text] : text.split(/\s+/);
  return values.map(value => (key ? `${key}:${quoted(value)}` : quoted(value)));
}

/** @type {(key: string, from: string, to: string) => string[]} */
const between = (key, from, to) => {
  if (!from && !to) return [];
  return [from === to ? `${key}:${from}` : `${key}:${from}..${to}`];
};

/** The query that the fields describe, with other terms at its end.
 * @param {SearchFields} fields
 * @param {string[]} [rest] */
export function writeFields(fields, rest = []) {
  const { player, opponent, colour } = fields;
  const [one, other] = player.trim() ? [player, opponent] : [opponent, ''];
  let people;
  const words = fields.words.trim();
  if (colour) people = [...names(colour, one), ...names(colour === 'white' ? 'black' : 'white', other)];
  else if (one.trim() && other.trim()) {
    const both = [...names('', one), 'vs', ...names('', other)].join(' ');
    // A word after a pairing would belong to the name.
    people = [words ? `(${both})` : both];
  } else people = names('player', one);
  const opening = fields.opening.trim();
  const terms = [
    ...people,
    words,
    ...(fields.event.trim() ? [`event:${quoted(fields.event.trim())}`] : []),
    ...(fields.site.trim() ? [`site:${quoted(fields.site.trim())}`] : []),
    ...between('year', fields.yearFrom, fields.yearTo),
    ...(opening ? [ECO.test(opening) ? `eco:${opening.toUpperCase()}` : `opening:${quoted(opening)}`] : []),
    ...(fields.result ? [`result:${fields.result}`] : []),
    ...between('elo', fields.eloFrom, fields.eloTo),
    ...between('moves', fields.movesFrom, fields.movesTo),
    ...(fields.ending ? [`ending:${fields.ending}`] : []),
    ...(fields.comments ? ['has:comments'] : []),
    ...(fields.variations ? ['has:variations'] : []),
  ].filter(Boolean);
  const others = rest.map(term => (terms.length && /(^|\s)(or|\|\|?)(\s|$)/i.test(term) && !/^\(.*\)$/.test(term) ? `(${term})` : term));
  return [...terms, ...others].join(' ');
}

/** The query with one more term; a term of the same key gives way, and so does a word that the term is about.
 * @param {string} text
 * @param {string} term */
export function withTerm(text, term) {
  const { key, value } = parse(term);
  const old = split(text);
  if (old.some(one => /^(or|\|\|?)$/i.test(one))) return `(${text.trim()}) ${term}`;
  /** @param {string} one */
  const isSame = one => one === term
    || (['year', 'date', 'eco', 'opening', 'result', 'event', 'site', 'elo', 'moves'].includes(key) && parse(one).key === key)
    || (!parse(one).key && value.toLowerCase() === bare(one).toLowerCase());
  return [...old.filter(one => !isSame(one)), term].join(' ');
}
