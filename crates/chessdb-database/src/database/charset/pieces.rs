//! The pieces of a text file that are sampled.

use std::io::BufRead as _;

use chessdb_core::text::Evidence;

use super::super::fields::{Fields, TextField};
use super::OVERLAP;

/// Returns the offset where a piece of a text file ends and the next begins: after a line, or in a
/// long line between two words. Both pieces find the same offset, so that no word or character is
/// split.
pub(super) fn piece_end(piece: &[u8], near: usize) -> usize {
    let Some(rest) = piece.get(near..).filter(|rest| !rest.is_empty()) else {
        return piece.len();
    };
    // A file without line ends must not make a piece longer than it may be.
    let rest = rest.get(..OVERLAP).unwrap_or(rest);
    let line = rest.iter().position(|&byte| byte == b'\n');
    let end = line.or_else(|| rest.iter().position(is_between));
    near + end.map_or(rest.len(), |end| end + 1)
}

pub(super) fn is_between(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphabetic()
}

/// Adds the texts of a piece of a text file, game by game.
pub(super) fn add_piece(piece: &[u8], fields: &Fields, evidence: &mut Evidence) {
    if piece.is_ascii() {
        return;
    }
    let mut game: Vec<&[u8]> = Vec::new();
    let mut rest = piece;
    while let Some((line, after)) = skip_line(rest) {
        rest = after;
        // PGN games begin with this tag; all words of a game are likely in one charset.
        if line.starts_with(b"[Event ") {
            evidence.add_together(game.drain(..));
        }
        if !line.is_ascii() && !is_tag_set(line, fields) {
            game.push(line);
        }
    }
    evidence.add_together(game);
}

/// Returns the first line of a text, with its end, and the text after it; `None` at its end.
fn skip_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = text;
    // The search of the standard library examines many bytes at once. A slice cannot fail.
    let length = rest.skip_until(b'\n').unwrap_or(0);
    (length > 0).then(|| text.split_at_checked(length))?
}

/// Returns whether a PGN line is a tag with a charset set by the caller.
fn is_tag_set(line: &[u8], fields: &Fields) -> bool {
    fields.iter().any(|(field, _)| {
        let tags: &[&[u8]] = match field {
            TextField::Player => &[b"[White ", b"[Black "],
            TextField::Event => &[b"[Event "],
            TextField::Site => &[b"[Site "],
            TextField::Round => &[b"[Round "],
            TextField::Annotator => &[b"[Annotator "],
            TextField::Source => &[b"[Source "],
            TextField::Comment | TextField::Tag => &[],
        };
        tags.iter().any(|tag| line.starts_with(tag))
    })
}
