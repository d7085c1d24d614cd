// The losses of a conversion, in the words that the page shows before and after it.

import { nf, t } from './lang.js';
import { findingText, limitText, lossText } from './faults.js';

/** @import { FoundKind, Health, Info, Report } from './types.d.ts' */

/** The losses of a report and the damage of its source, each as a text, the largest first.
 * @param {Report} report */
export function reportLines(report) {
  const damage = report.found.filter(kind => kind.severity !== 'note');
  return [
    ...report.losses.map(lossText),
    ...damage.map(findingLine),
    ...report.exceeded.map(limitText),
  ];
}

/** A kind of finding in one line: what it means, how often, and the first place.
 * @param {FoundKind} kind */
function findingLine(kind) {
  const { words, detail } = findingText(kind);
  return [words, kind.count > 1 ? ` (${nf(kind.count)} ×)` : '', words === detail ? '' : ` – ${detail}`].join('');
}

/** How a conversion ends: `games` lose something, only the `base` does, only the `source` is damaged, or
 * `nothing` is lost. `games` counts them.
 * @param {Report} report
 * @returns {{ kind: 'games' | 'base' | 'source' | 'nothing', games: number }} */
export function verdict(report) {
  const games = Math.max(report.lossy, report.skipped + report.cut);
  if (games) return { kind: 'games', games };
  if (report.losses.length) return { kind: 'base', games };
  const damaged = report.incomplete || report.found.some(kind => kind.severity !== 'note');
  return { kind: damaged ? 'source' : 'nothing', games };
}

/** The findings of a check, or of opening alone as long as that is all that is known.
 * @param {Info} info
 * @param {Health | null} health */
export function findings(info, health) {
  const all = health ? [...health.ofBase, ...health.ofGames] : info.faults;
  return {
    damage: all.filter(kind => kind.severity !== 'note'),
    notes: all.filter(kind => kind.severity === 'note'),
    any: all.length > 0 || (health?.dropped ?? 0) > 0,
  };
}

/** The report as a text to keep.
 * @param {{ name: string, report: Report }} saved */
export function reportText({ name, report }) {
  const lines = [name, t('rep.games', { n: report.read, m: report.written })];
  if (report.cut) lines.push(t('rep.cut', { n: report.cut }));
  if (report.skipped) lines.push(t('rep.skipped', { n: report.skipped }));
  if (report.page) lines.push(t('rep.page', { f: report.page }));
  lines.push('', ...(verdict(report).kind === 'nothing' ? [t('loss.none')] : report.losses.map(lossText)));
  for (const extra of report.extras) lines.push(`  ${nf(extra.count)} × ${extra.what}`);
  lines.push(...report.exceeded.map(limitText));
  for (const kind of report.found) {
    const { words } = findingText(kind);
    lines.push('', `${t('sev.' + kind.severity)}: ${words} (${nf(kind.count)} ×)`, ...kind.first.map(text => '  ' + text));
  }
  if (report.dropped) lines.push('', t('health.more', { n: report.dropped }));
  return lines.join('\n') + '\n';
}
