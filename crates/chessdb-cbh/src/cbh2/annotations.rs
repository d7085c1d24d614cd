//! The annotations of a game (docs/formats/2cbh.md, section 8), converted to the form of .cba where
//! both forms store the same.

use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::report::GameReport;
use chessdb_core::{ErrorKind, Result};

use super::moves::WordLines;
use crate::extras::{LANGUAGE, UNREAD};
use crate::moves::{GameAnnotations, StoredLines, StoredNote};
use crate::raw::Annotation;
use crate::raw::cbh2::{Note, Notes};
use crate::text::TextCharsets;

/// The languages of texts, each with the nation that CBH stores for it.
const LANGUAGES: [(u16, u8); 10] = [
    (0, 42),
    (1, 53),
    (2, 49),
    (3, 43),
    (4, 70),
    (5, 103),
    (6, 117),
    (7, 0),
    (12, 116),
    (18, 55),
];

/// An annotation whose content is in the buffer.
struct Converted {
    position: i32,
    kind: u8,
    content: Range<usize>,
    only_2cbh: Option<u16>,
    offset: usize,
}

/// Reads the annotations in the content of a record. Returns them with `buffer`, which holds their
/// converted contents.
///
/// # Errors
///
/// Returns an error for the first deviation from the format page in strict mode.
pub(super) fn read_annotations<'b>(
    content: &[u8],
    words: &WordLines,
    lines: &StoredLines<'_>,
    buffer: &'b mut Vec<u8>,
    charsets: TextCharsets,
    location: Location,
    report: &mut GameReport<'_>,
) -> Result<GameAnnotations<'b>> {
    let mut notes = Notes::new(content);
    let mut converted = Vec::new();
    buffer.clear();
    for note in &mut notes {
        convert(&note, buffer, &mut converted);
    }
    if !notes.is_ended() {
        let place = location.plus(notes.offset() as u64);
        let kind = match notes.stopped_at() {
            Some(kind) => {
                ErrorKind::bad_field("the type of the first annotation that cannot be read", kind)
            }
            None => ErrorKind::truncated(
                "the annotations of the game",
                content.len() as u64 + 4,
                content.len() as u64,
            ),
        };
        report.lost(kind, place)?;
        let start = buffer.len();
        buffer.extend_from_slice(notes.rest());
        if buffer.len() > start {
            converted.push(Converted {
                position: notes.position(),
                kind: 0,
                content: start..buffer.len(),
                only_2cbh: Some(UNREAD),
                offset: notes.offset(),
            });
        }
    } else if !notes.rest().is_empty() {
        let kind = ErrorKind::Structure("bytes after the end of the annotations");
        let place = location.plus(notes.offset() as u64);
        report.note(kind, place)?;
    }
    // Positions count in the order of PGN (section 8), which matters only for moves.
    let order = converted
        .iter()
        .any(|note| note.position >= 0)
        .then(|| words.pgn_order())
        .flatten();
    let stored_position = |position: i32| match (&order, usize::try_from(position)) {
        // A position after the last move stays one.
        (Some(order), Ok(n)) => order.get(n).map_or(i32::MAX, |&number| number as i32),
        _ => position,
    };
    let contents: &'b Vec<u8> = buffer;
    let list = converted.iter().map(|note| StoredNote {
        note: Annotation {
            position: stored_position(note.position),
            kind: note.kind,
            data: contents.get(note.content.clone()).unwrap_or_default(),
            offset: note.offset,
        },
        only_2cbh: note.only_2cbh,
    });
    GameAnnotations::attach(list.collect(), lines, charsets, location, report)
}

/// Appends an annotation in the form of .cba. If that form cannot hold it, or is not known, it is
/// kept as it is.
fn convert(note: &Note<'_>, buffer: &mut Vec<u8>, converted: &mut Vec<Converted>) {
    let start = buffer.len();
    let mut push = |content: Range<usize>, only_2cbh: Option<u16>| {
        converted.push(Converted {
            position: note.position,
            kind: note.kind as u8,
            content,
            only_2cbh,
            offset: note.offset,
        });
    };
    match (note.kind, note.data) {
        (0x02 | 0x82, [a, b, c, d, _, _, _, _, text @ ..]) => {
            let language = u16::from_le_bytes([*c, *d]);
            let entry = LANGUAGES.iter().find(|(number, _)| *number == language);
            let nation = entry.filter(|_| [*a, *b] == [0; 2]).map(|entry| entry.1);
            if nation.is_none() {
                buffer.extend_from_slice(&[*a, *b, *c, *d]);
                push(start..buffer.len(), Some(LANGUAGE));
            }
            let start = buffer.len();
            buffer.extend_from_slice(&[0, nation.unwrap_or(0)]);
            buffer.extend_from_slice(text);
            push(start..buffer.len(), None);
            return;
        }
        // Trailing zeros are left out.
        (0x03, nags) => {
            let length = nags.iter().rposition(|nag| *nag != 0).map_or(1, |n| n + 1);
            buffer.extend(nags.iter().take(length));
        }
        (0x04 | 0x05 | 0x15, [_, _, _, _, content @ ..]) => buffer.extend_from_slice(content),
        // These bytes have the opposite order in .cba.
        (0x07 | 0x08 | 0x16 | 0x17 | 0x22 | 0x23 | 0x25, number) => {
            buffer.extend(number.iter().rev());
        }
        (0x14 | 0x18 | 0x21, content) => buffer.extend_from_slice(content),
        // Both formats store the stages alike, little-endian.
        (0x24, [1, stages @ .., 0, 0, 0, 0]) => buffer.extend_from_slice(stages),
        (0x26, [1, _, _, _, _, a, b, entries @ ..])
            if entries.len() == 4 * usize::from(u16::from_le_bytes([*a, *b])) =>
        {
            buffer.extend_from_slice(&[*a, *b]);
            for [a, b, depth, kind] in entries.as_chunks::<4>().0 {
                buffer.extend_from_slice(&[*kind, *depth, *a, *b]);
            }
        }
        (kind, content) => {
            buffer.extend_from_slice(content);
            push(start..buffer.len(), Some(kind));
            return;
        }
    }
    push(start..buffer.len(), None);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(kind: u16, data: &[u8]) -> Vec<(u8, Vec<u8>, Option<u16>)> {
        let note = Note {
            position: 0,
            kind,
            data,
            offset: 0,
        };
        let (mut buffer, mut found) = (Vec::new(), Vec::new());
        convert(&note, &mut buffer, &mut found);
        let of = |note: &Converted| {
            let content = buffer[note.content.clone()].to_vec();
            (note.kind, content, note.only_2cbh)
        };
        found.iter().map(of).collect()
    }

    #[test]
    fn contents_have_the_form_of_cbh() {
        let text = [0, 0, 1, 0, 2, 0, 0, 0, b'J', b'a'];
        assert_eq!(converted(2, &text), [(2, b"\0\x35Ja".to_vec(), None)]);
        assert_eq!(converted(3, &[1, 0, 0]), [(3, vec![1], None)]);
        assert_eq!(converted(7, &[4, 3, 2, 1]), [(7, vec![1, 2, 3, 4], None)]);
        let evaluations = [1, 6, 0, 0, 0, 1, 0, 0x22, 0x11, 9, 0];
        let expected = vec![1, 0, 0, 9, 0x22, 0x11];
        assert_eq!(converted(0x26, &evaluations), [(0x26, expected, None)]);
    }

    /// A language without a known number does not hide the text.
    #[test]
    fn an_unknown_language_is_kept() {
        let text = [0, 0, 99, 0, 1, 0, 0, 0, b'x'];
        let language = (2, vec![0, 0, 99, 0], Some(LANGUAGE));
        let expected = [language, (2, b"\0\0x".to_vec(), None)];
        assert_eq!(converted(2, &text), expected);
        assert_eq!(converted(0x27, &[1, 0]), [(0x27, vec![1, 0], Some(0x27))]);
    }
}
