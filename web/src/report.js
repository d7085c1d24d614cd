// What a conversion loses, in the words that the page shows before and after it.

/** The losses of a report and the damage of its source, each as a text, the largest first. */
export function reportLines(report) {
  const damage = report.found.filter(kind => kind.severity !== 'note');
  return [
    ...report.losses.map(loss => loss.text),
    ...damage.map(kind => (kind.first[0] ?? kind.code) + (kind.count > 1 ? ` (${kind.count} ×)` : '')),
    ...report.exceeded,
  ];
}

/** How a conversion ends: `games` lose something, only the `base` does, only the `source` is damaged, or
 * `nothing` is lost. `games` counts them. */
export function verdict(report) {
  const games = Math.max(report.lossy, report.skipped + report.cut);
  if (games) return { kind: 'games', games };
  if (report.losses.length) return { kind: 'base', games };
  const damaged = report.incomplete || report.found.some(kind => kind.severity !== 'note');
  return { kind: damaged ? 'source' : 'nothing', games };
}

/** The findings of a check, or of opening alone as long as that is all that is known. */
export function findings(info, health) {
  const all = health ? [...health.ofBase, ...health.ofGames] : info.faults;
  return {
    damage: all.filter(kind => kind.severity !== 'note'),
    notes: all.filter(kind => kind.severity === 'note'),
    any: all.length > 0 || health?.dropped > 0,
  };
}

/** The report in the words of the library, which are English. */
export function reportText({ name, report }) {
  const lines = [`${name}: ${report.read} games read, ${report.written} written`];
  if (report.cut) lines.push(`${report.cut} games lack moves`);
  if (report.skipped) lines.push(`${report.skipped} games left out`);
  if (report.page) lines.push(`texts in ${report.page}`);
  for (const loss of report.losses) lines.push('lost: ' + loss.text);
  for (const extra of report.extras) lines.push(`  of that ${extra.count} × ${extra.what}`);
  for (const text of report.exceeded) lines.push('limit: ' + text);
  for (const kind of report.found) {
    lines.push(`source, ${kind.severity}: ${kind.count} × such as`);
    for (const text of kind.first) lines.push('  ' + text);
  }
  if (report.dropped) lines.push(`source: ${report.dropped} more findings`);
  if (verdict(report).kind === 'nothing') lines.push('nothing was lost');
  return lines.join('\n') + '\n';
}
