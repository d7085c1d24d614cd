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

Written by `cargo xtask bless -p chessdb`, checked by the test `lab` of that crate; not to be edited
by hand. A base of 128 random games, one in sixteen of them with a comment of thousands of letters,
is written in each format. Each file of it is damaged in turn, by fixed seeds, and the base is given
to the library as the program gives it. `CHESSDB_DAMAGE_SEEDS=20` tries twenty times as much.

The columns count damaged bases:

* `check` silent: `check` finds nothing lost or repaired. Some damage leaves no trace, such as an older
  version of all that matters, and some does no harm, such as zeros after the last game;
* refused: `convert` does not open the base at all;
* lossy: `convert` ends with exit code 1 and says what is lost;
* `--strict`: `convert --strict` takes the base;
* changed: of these, bases in which a game is not what it was, or is missing. **This is 0 wherever damage
  leaves a trace.** It may not be in the rows marked *, since what stands there after such damage is as
  good as what stood there before: a letter of a name for another one, a game's address for that of another
  game, the comment of one game for that of another. No format has a checksum over its games;
* unmarked: games that changed without a finding of their own. The base was refused or said to be
  lossy, but not of which game.

Comparing costs at most 2 % of the instructions with which a base is read (games of the corpus; by format
between 0 and 2). What needs another pass over the moves is compared by `check` alone.

The last two columns count games of which no byte was touched, and how many of these `convert` and
`salvage` bring (bytes of no game, and names, count for all): of each format at least 98 of 100 come out
of `salvage`.
";

fn star(kind: &Kind) -> String {
    let star = if kind.may_hide { " *" } else { "" };
    format!("{}{star}", kind.name)
}
