//! Moves, variations, comments and NAGs (docs/formats/encroissant.md, section 3).

use std::borrow::Cow;

use chessdb_core::legacy::Numbering;
use chessdb_core::legacy::encroissant::EnCroissantNumbering;
use chessdb_core::line::{LineReader, Lines, Step};
use chessdb_core::{Charset, ErrorKind};
use chessdb_pgn::raw::glyph_nag;

/// A variation begins.
pub(super) const OPEN: u8 = 0xff;
/// A variation ends.
pub(super) const CLOSE: u8 = 0xfe;
/// A comment with its length.
pub(super) const COMMENT: u8 = 0xfd;
/// A NAG as text with its length.
pub(super) const NAG: u8 = 0xfc;

/// The most bytes of a text, or of a piece of a longer comment.
pub(super) const LONGEST: usize = u16::MAX as usize;

/// A reader of the moves of a game.
type Line<'r, 'o> = LineReader<'r, 'o, Lines<EnCroissantNumbering>>;

/// Appends moves, variations, comments and NAGs.
pub(super) fn read(bytes: &[u8], line: &mut Line<'_, '_>) -> Step {
    let mut rest = bytes;
    while let [code, after @ ..] = rest {
        let before = rest.len();
        rest = after;
        match *code {
            OPEN => open(line)?,
            CLOSE => line.close_or_repair()?,
            COMMENT | NAG => {
                let Some((text, after)) = text(*code, rest) else {
                    let size = rest.first_chunk();
                    let needed = size.map_or(2, |&size| u16::from_le_bytes(size));
                    return line.lost(ErrorKind::truncated(
                        "a comment or NAG",
                        needed.into(),
                        rest.len() as u64,
                    ));
                };
                rest = after;
                // Annotations in a variation that cannot be read are left out with it.
                if !line.is_skipping() {
                    match *code {
                        COMMENT => {
                            line.check_utf8(&text)?;
                            line.comment(&text, Charset::UTF_8, line.place())?;
                        }
                        _ => nag(&text, line)?,
                    }
                }
            }
            _ if line.is_skipping() => {}
            code => mv(code, line)?,
        }
        line.at += before - rest.len();
    }
    Ok(())
}

/// A variation replaces the last move of its line. Where the line has none, it continues the line
/// before it.
fn open(line: &mut Line<'_, '_>) -> Step {
    if line.lines().at_line_start() { line.open_here() } else { line.open() }
}

fn mv(code: u8, line: &mut Line<'_, '_>) -> Step {
    let lines = line.lines();
    match lines
        .numbering()
        .decode(lines.state(), lines.board(), &[code])
    {
        Ok((mv, _)) => line.mv(mv),
        Err(fault) => line.bad_move(fault.into_kind(&[code])),
    }
}

/// Appends a NAG: `$1` as the program writes it, or a sign such as `!?`.
fn nag(text: &[u8], line: &mut Line<'_, '_>) -> Step {
    let digits = text.strip_prefix(b"$");
    let number = digits.and_then(|digits| std::str::from_utf8(digits).ok());
    let nag = number.and_then(|digits| digits.parse().ok());
    match nag.or_else(|| glyph_nag(text)) {
        Some(nag) => line.nag(nag),
        None => line.lost(ErrorKind::Syntax {
            expected: "a NAG such as $1",
            found: ErrorKind::excerpt(text),
        }),
    }
}

/// Cuts a text with its length off, and the further pieces of a long comment.
///
/// QUIRK: the program cuts a comment into pieces of [`LONGEST`] bytes, which may end within a
/// character. So a comment after one of exactly this length is read as its continuation.
fn text(code: u8, bytes: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let (first, mut rest) = piece(bytes)?;
    let mut text = Cow::Borrowed(first);
    let mut last = first.len();
    while let [next, after @ ..] = rest
        && *next == code
        && last == LONGEST
        && let Some((piece, after)) = piece(after)
    {
        text.to_mut().extend_from_slice(piece);
        (last, rest) = (piece.len(), after);
    }
    Some((text, rest))
}

fn piece(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u16::from_le_bytes(*length).into())
}
