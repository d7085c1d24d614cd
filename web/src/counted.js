// What has to wait until the filtered games are counted.

import { say } from './dom.js';
import { t } from './lang.js';
import { S, on } from './state.js';

/** @import { Info } from './types.d.ts' */

/** The last thing that the reader wanted to do with the listed games, and the database that it was about.
 * @type {{ act: () => void, info: Info | null } | null} */
let waiting = null;

on('counting', () => {
  if (S.counting) return;
  const wanted = waiting;
  waiting = null;
  if (wanted?.info === S.info) wanted?.act();
});

/** Acts on the listed games: at once, or as soon as they are counted.
 * @param {() => void} act */
export function whenCounted(act) {
  if (!S.counting) return act();
  waiting = { act, info: S.info };
  say(t('counting.wait'));
}
