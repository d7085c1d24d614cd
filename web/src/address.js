// The address of the page: the view, query, game and move after `#`.

import { S, parts } from './state.js';
import { filter, openGame } from './games.js';
import { VIEWS, show } from './frame.js';

/** Opens the view that the address names.
 * @param {string} asked the part of the address from #
 * @param {boolean} [isBack] whether Back or Forward led there */
export async function applyFragment(asked, isBack) {
  const words = new URLSearchParams(asked.slice(1));
  /** @param {string} name */
  const number = name => (words.has(name) ? Math.max(0, parseInt(words.get(name) ?? '', 10) || 0) : null);
  const query = words.get('query') ?? (isBack ? '' : null);
  if (query != null && query !== S.query && (await parts.engine.call('query', { text: query })).ok) {
    parts.filter.set(query, true);
    await filter(query, true);
  }
  const game = number('game');
  if (game && S.info && game <= S.info.games && !(isBack && S.game?.game === game - 1 && !words.has('node') && !words.has('ply'))) {
    await openGame(game - 1, { quiet: true, ply: number('ply'), nodeNumber: number('node') });
    const { place } = await parts.engine.call('place', { game: game - 1 });
    if (place != null) parts.list.select(place);
  }
  // An address with a game and without a view is one of the list of games.
  const view = words.get('view') ?? (isBack || game ? 'games' : null);
  const known = VIEWS.find(([name]) => name === view);
  if (known && view !== S.view) show(known[0]);
}
