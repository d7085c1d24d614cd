//! The data files of docs/roundtrip.md, as tables with tabs between their columns.

use std::fmt::Write;

use chessdb::LossKind;
use chessdb::core::compare::excuse;

use crate::bases::Line;
use crate::hop::Outcome;
use crate::matrix::{Cell, MODEL, Matrix, sources, targets};

/// Returns the kinds of loss from each source: the targets at which they were announced, and those
/// at which only the way back announced them.
pub fn losses(matrix: &Matrix) -> String {
    let mut out = String::from("source\tloss\ttargets\ttargets of the way back\n");
    for source in sources().map(|format| format.id).chain([MODEL]) {
        for &kind in LossKind::ALL {
            let is_lost = |outcome: &Outcome| outcome.losses.count(kind) > 0;
            let has = |is_lost: &dyn Fn(&Cell) -> bool| {
                let ids = targets().map(|format| format.id);
                let cell = |id: &&str| matrix.cells.get(&(source, *id)).is_some_and(is_lost);
                ids.filter(cell).collect::<Vec<_>>().join(" ")
            };
            let outbound = has(&|cell| is_lost(&cell.there));
            let back = has(&|cell| is_lost(&cell.back) && !is_lost(&cell.there));
            if !outbound.is_empty() || !back.is_empty() {
                let _ = writeln!(out, "{source}\t{}\t{outbound}\t{back}", kind.code());
            }
        }
    }
    out
}

/// Returns the results of the repository's own databases.
pub fn bases(lines: &[Line]) -> String {
    let mut out = String::from("base\tgames\tbytes\traw\trewrite\tlost in the rewrite\n");
    for line in lines {
        let is_lost = |kind: &&LossKind| line.rewrite_losses.count(**kind) > 0;
        let lost = LossKind::ALL.iter().filter(is_lost).map(|kind| kind.code());
        let lost = lost.collect::<Vec<_>>().join(" ");
        let Line {
            name,
            games,
            bytes,
            raw,
            rewrite,
            ..
        } = line;
        let _ = writeln!(out, "{name}\t{games}\t{bytes}\t{raw}\t{rewrite}\t{lost}");
    }
    out
}

/// Returns the reasons why a difference is no loss, and how often each was the reason.
pub fn excuses(matrix: &Matrix) -> String {
    let mut out = String::from("times\treason\n");
    for excuse in excuse::ALL {
        let count = |cell: &Cell| {
            let of = |outcome: &Outcome| outcome.excused.get(excuse).copied();
            of(&cell.there).unwrap_or(0) + of(&cell.back).unwrap_or(0)
        };
        let count: u64 = matrix.cells.values().map(count).sum();
        let _ = writeln!(out, "{count}\t{excuse}");
    }
    out
}
