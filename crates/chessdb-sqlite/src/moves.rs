//! Filling the moves of a game.

use std::collections::VecDeque;

use chessdb_core::error::Location;
use chessdb_core::legacy::{MoveFault, Numbering};
use chessdb_core::line::{LineReader, Lines, Step};
use chessdb_core::report::GameReport;
use chessdb_core::{Charset, ErrorKind, PackedMove, Result};

/// Reports a stated number of half-moves that the mainline does not have.
pub(crate) fn check_plies(
    plies: Option<u32>,
    stated: Option<i64>,
    location: Location,
    report: &mut GameReport<'_>,
) -> Result<()> {
    match (plies, stated) {
        (Some(plies), Some(stated)) if stated != i64::from(plies) => {
            let kind = ErrorKind::mismatch(
                "the half-moves of the mainline",
                stated as u64,
                plies.into(),
            );
            report.note(kind, location)
        }
        _ => Ok(()),
    }
}

/// Appends the moves of a mainline, and its comments, each with the number of half-moves before it,
/// in this order.
pub(crate) fn mainline<N: Numbering>(
    bytes: &[u8],
    mut comments: VecDeque<(u32, Vec<u8>)>,
    line: &mut LineReader<'_, '_, Lines<N>>,
    decode: impl Fn(&Lines<N>, &[u8]) -> std::result::Result<(PackedMove, usize), MoveFault>,
) -> Step {
    let mut rest = bytes;
    let mut ply = 0;
    loop {
        while let Some((_, text)) = comments.pop_front_if(|(before, _)| *before <= ply) {
            line.check_utf8(&text)?;
            line.comment(&text, Charset::UTF_8, line.place())?;
        }
        if rest.is_empty() {
            break;
        }
        let length = match decode(line.lines(), rest) {
            Ok((mv, length)) => {
                line.mv(mv)?;
                length
            }
            // In a mainline, this is the end of the game.
            Err(fault) => return line.bad_move(fault.into_kind(rest)),
        };
        rest = rest.get(length..).unwrap_or_default();
        line.at += length;
        ply += 1;
    }
    for (_, text) in comments {
        line.repaired(ErrorKind::Structure(
            "a comment after a half-move that the game does not have",
        ))?;
        line.check_utf8(&text)?;
        line.comment(&text, Charset::UTF_8, line.place())?;
    }
    Ok(())
}
