//! The text of docs/roundtrip.md.

use std::fmt::Write;

use chessdb::core::compare::excuse;
use chessdb::{FORMATS, LossKind, Losses};

use crate::bases::Line;
use crate::hop::Outcome;
use crate::matrix::{MODEL, Matrix, sources, targets};

/// Returns the text of the page.
pub fn page(matrix: &Matrix, lines: &[Line]) -> String {
    let mut out = String::from(HEAD);
    tables(matrix, &mut out);
    unlisted(&mut out);
    bases(lines, &mut out);
    excuses(matrix, &mut out);
    out
}

const HEAD: &str = "\
# Round trips

Written by `cargo xtask bless -p chessdb-proof`, checked by the tests of that crate and by
`cargo xtask roundtrip`; not to be edited by hand. docs/architecture.md, section 5, says what is
promised.

## From every format to every format and back

One table for each source, one column for each target, one row for each kind of loss (docs of
`LossKind`). `x`: writing the target announced it for what the source held. `\u{21a9}`: writing the source
again announced it, and the way there did not. Kinds without a row are never lost from this source.
Each announced kind was held against the games before and after, game by game: nothing is missing
that was not announced, and of everything announced something is missing. The games are the
repository's own bases of the source format and the games made in code
(crates/chessdb-proof/src/made.rs), as far as the source can hold them; the source `(model)` has
those games as the model holds them.
";

fn codes(losses: &Losses) -> Vec<&'static str> {
    let lost = LossKind::ALL.iter().filter(|&&kind| losses.count(kind) > 0);
    lost.map(|kind| kind.code()).collect()
}

fn tables(matrix: &Matrix, out: &mut String) {
    let columns: Vec<_> = targets().map(|format| format.id).collect();
    for source in sources().map(|format| format.id).chain([MODEL]) {
        let _ = writeln!(out, "\n### From `{source}`\n");
        let _ = writeln!(out, "| lost | {} |", columns.join(" | "));
        let _ = writeln!(out, "|---|{}", "---|".repeat(columns.len()));
        for &kind in LossKind::ALL {
            let marks = columns.iter().map(|&column| {
                let cell = matrix.cells.get(&(source, column));
                let lost = |outcome: &Outcome| outcome.losses.count(kind) > 0;
                match cell {
                    Some(cell) if lost(&cell.there) => "x",
                    Some(cell) if lost(&cell.back) => "\u{21a9}",
                    _ => "",
                }
            });
            let marks: Vec<_> = marks.collect();
            if marks.iter().any(|mark| !mark.is_empty()) {
                let _ = writeln!(out, "| {} | {} |", kind.code(), marks.join(" | "));
            }
        }
    }
}

fn unlisted(out: &mut String) {
    let written: Vec<_> = targets().map(|format| format.id).collect();
    let others = FORMATS
        .iter()
        .filter(|format| !written.contains(&format.id));
    let others: Vec<_> = others.map(|format| format!("`{}`", format.id)).collect();
    if !others.is_empty() {
        let _ = writeln!(
            out,
            "\nRead only, so without a column: {}.",
            others.join(", ")
        );
    }
}

fn bases(lines: &[Line], out: &mut String) {
    out.push_str(
        "
## The repository's own bases

Raw: the files parsed into the structures on disk and written again. Rewrite: through the model and
back into the same format, name tables included; a base that its own program's current version left
comes back byte for byte, others with equal games (docs/SHORTCOMINGS.md lists the bytes). PGN has no
canonical form on input, so only what this project's writer lays out is identical.

| base | games | bytes | raw | rewrite | lost in the rewrite |
|---|---|---|---|---|---|
",
    );
    for line in lines {
        let lost = codes(&line.rewrite_losses);
        let lost = if lost.is_empty() {
            "none".to_owned()
        } else {
            lost.join(", ")
        };
        let Line {
            name,
            games,
            bytes,
            raw,
            rewrite,
            ..
        } = line;
        let _ = writeln!(
            out,
            "| {name} | {games} | {bytes} | {raw} | {rewrite} | {lost} |"
        );
    }
}

fn excuses(matrix: &Matrix, out: &mut String) {
    out.push_str(
        "
## What differs and is no loss

Everything else that differs must have been announced.

",
    );
    for excuse in excuse::ALL {
        let count = |cell: &crate::matrix::Cell| {
            let of = |outcome: &Outcome| outcome.excused.get(excuse).copied();
            of(&cell.there).unwrap_or(0) + of(&cell.back).unwrap_or(0)
        };
        let count: u64 = matrix.cells.values().map(count).sum();
        let _ = writeln!(out, "* {excuse} ({count} times in the table above)");
    }
}
