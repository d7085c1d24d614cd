//! The content of docs/damage.md.

use std::fmt::Write;

use super::commands::Row;
use super::kinds::Kind;

pub(crate) fn page(results: &[(&str, Vec<Row>)]) -> String {
    let mut out = String::from(HEAD);
    for (id, rows) in results {
        let _ = write!(out, "\n## `{id}`\n\n{COLUMNS}");
        for row in rows.iter().filter(|row| row.cases > 0) {
            let Row {
                kind,
                cases,
                unnoticed,
                refused,
                lossy,
                strict,
                passed,
                unmarked,
                intact,
                delivered,
                salvaged,
            } = row;
            let of_intact = |found: &usize| match intact {
                0 => String::new(),
                _ => format!("{found}/{intact}"),
            };
            let (delivered, salvaged) = (of_intact(delivered), of_intact(salvaged));
            let _ = writeln!(
                out,
                "| {} | {cases} | {unnoticed} | {refused} | {lossy} | {strict} | {} | {unmarked} | {delivered} | {salvaged} |",
                star(kind),
                passed.len(),
            );
        }
    }
    out
}

const COLUMNS: &str = "\
| damage | bases | `check` silent | refused | lossy | `--strict` | changed | unmarked | intact | salvaged |
|---|---|---|---|---|---|---|---|---|---|
";

const HEAD: &str = "\
# Damage

`cargo xtask bless -p chessdb` writes this page, and the test `lab` of that crate checks it. Do not
edit it by hand. A database of 128 random games is written in each format; one game in sixteen has a
comment of thousands of letters. Each file is then damaged in several ways, by fixed seeds.
`CHESSDB_DAMAGE_SEEDS=20` tries twenty times as much.

The columns count damaged databases:

* `check` silent: `check` finds nothing lost or repaired. Some damage leaves no trace, such as an
  older version of all files, and some does no harm, such as zeros after the last game.
* refused: `convert` does not open the database.
* lossy: `convert` ends with exit code 1 and names the losses.
* `--strict`: `convert --strict` accepts the database.
* changed: of these, databases in which a game has changed or is missing. **This is 0 if the damage
  leaves a trace.** It may be more in the rows marked *. There the damage produces another plausible
  value: another letter in a name, or the address or comment of another game. No format has a
  checksum over its games.
* unmarked: games that changed without a finding that names them. The database was refused, or
  reported as lossy without the number of the game.

Comparing costs at most 2 % of the instructions of reading a database (games of the corpus; 0 to 2 %
by format). Comparisons that need another pass over the moves are made by `check` only.

The last two columns count the games with all bytes intact, and how many of them `convert` and
`salvage` recover. Bytes of no game, and names, count for all games. In each format `salvage`
recovers at least 98 of 100.
";

fn star(kind: &Kind) -> String {
    let star = if kind.may_hide { " *" } else { "" };
    format!("{}{star}", kind.name)
}
