//! Recognition of games and databases by content, for files with inconclusive names.

use chessdb_core::format::Score;
use chessdb_core::{Format, MemorySet};
use chessdb_formats::FORMATS;

use crate::packed::{self, Packing};

/// The number of bytes at the beginning of a file that are examined, however large it is.
pub(super) const LOOKED_AT: usize = 16 << 10;

/// The kind of a file, judged by its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ContentKind {
    /// A database in one file, which is read under any name, with the id of its format.
    Base(&'static str),
    /// A file of a set, which is not found under another name.
    Part,
}

impl ContentKind {
    /// Returns whether it is a database, in the format `format` if one is given.
    pub(super) fn is_base(self, format: Option<&Format>) -> bool {
        match self {
            ContentKind::Base(id) => format.is_none_or(|format| format.id == id),
            ContentKind::Part => false,
        }
    }
}

/// Returns the kind of a file that begins with these bytes, the first [`LOOKED_AT`] of it; `None`
/// if it is not a chess file. A packed file is judged by its content.
pub(super) fn looks_like(start: &[u8]) -> Option<ContentKind> {
    match Packing::from_start(start) {
        Packing::None => plain_looks_like(start),
        // The caller handles archives.
        Packing::Zip | Packing::SevenZip => None,
        packing => {
            let packed = Box::new(std::io::Cursor::new(start.to_vec()));
            let inner = packing.undo(packed).ok()?;
            let inner = packed::start_of(inner, LOOKED_AT).ok()?;
            plain_looks_like(&inner)
        }
    }
}

fn plain_looks_like(start: &[u8]) -> Option<ContentKind> {
    if start.is_empty() {
        return None;
    }
    for format in FORMATS {
        let Some(&role) = format.roles.first() else {
            continue;
        };
        let mut files = MemorySet::new();
        files.insert(role, start.to_vec());
        let score = (format.probe)(&files);
        let is_text = format.stream.is_some();
        if score == Score::Certain && !is_text {
            return Some(match format.required.len() {
                1 => ContentKind::Base(format.id),
                _ => ContentKind::Part,
            });
        }
        // Many files contain tags with arbitrary names, but only games have the known ones. Moves
        // alone may be prose.
        if is_text && (score == Score::Certain || score > Score::No && is_movetext(start)) {
            return Some(ContentKind::Base(format.id));
        }
    }
    None
}

/// Returns whether a text is movetext: at least four moves and few other words.
fn is_movetext(start: &[u8]) -> bool {
    let (mut moves, mut others) = (0_usize, 0_usize);
    let mut depth = 0_usize;
    for word in start
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
    {
        let opens = word.iter().filter(|&&byte| byte == b'{').count();
        let closes = word.iter().filter(|&&byte| byte == b'}').count();
        let is_comment = depth > 0 || opens > 0;
        depth = (depth + opens).saturating_sub(closes);
        if is_comment || word.starts_with(b"$") {
            continue;
        }
        let number = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = word.split_at(number);
        let rest = match rest.iter().position(|&byte| byte != b'.') {
            Some(count) if !digits.is_empty() && count > 0 => rest.get(count..).unwrap_or_default(),
            None if !digits.is_empty() => continue,
            _ => word,
        };
        if is_san(rest) {
            moves += 1;
        } else {
            others += 1;
        }
    }
    moves >= 4 && others * 3 <= moves
}

/// Returns whether a word is a move with English piece letters.
fn is_san(word: &[u8]) -> bool {
    let word = word.trim_ascii_end();
    let end = word.iter().rposition(|byte| !b"+#!?);".contains(byte));
    let word = end.and_then(|end| word.get(..=end)).unwrap_or_default();
    let word = word.strip_prefix(b"(").unwrap_or(word);
    if matches!(word, b"O-O" | b"O-O-O" | b"0-0" | b"0-0-0") {
        return true;
    }
    let word = match word {
        [start @ .., b'=', b'Q' | b'R' | b'B' | b'N'] => start,
        word => word,
    };
    let Some((&[file, rank], before)) = word.split_last_chunk::<2>().map(|(a, b)| (b, a)) else {
        return false;
    };
    let is_from = |byte: &u8| b"KQRBNabcdefgh12345678x-".contains(byte);
    matches!(file, b'a'..=b'h')
        && matches!(rank, b'1'..=b'8')
        && before.len() <= 4
        && before.iter().all(is_from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movetext_is_distinguished_from_prose() {
        for (text, is_games) in [
            ("[Event \"x\"]\n\n1. e4 *\n", true),
            ("\u{feff}[Event \"x\"]\n\n1. e4 *\n", true),
            ("% a comment\n[White \"x\"]\n\n*\n", true),
            ("1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0\n", true),
            (
                "1.e4 e5 2.Nf3 {a long comment about the move} 2...Nc6 3.O-O $1 Nf6+ 1/2-1/2",
                true,
            ),
            ("1. e4 is a good move", false),
            (
                "I like e4 and d4 and c4 and Nf3, all of which are good moves for White",
                false,
            ),
            (
                "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n",
                false,
            ),
            ("a text", false),
            ("", false),
            ("1. one\n2. two\n3. three\n4. four\n", false),
        ] {
            let looks = looks_like(text.as_bytes());
            assert_eq!(
                looks == Some(ContentKind::Base("pgn")),
                is_games,
                "{text:?}"
            );
        }
        let wide: Vec<u8> = "[Event \"x\"]\n\n1. e4 *\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(
            looks_like(&[b"\xFF\xFE".as_slice(), &wide].concat()),
            Some(ContentKind::Base("pgn"))
        );
        assert_eq!(looks_like(&[0; 4096]), None);
    }

    #[test]
    fn set_member_is_recognised_by_its_magic() {
        let mut index = b"Scid.si\0\x01\x90".to_vec();
        index.resize(182, 0);
        assert_eq!(looks_like(&index), Some(ContentKind::Part));
    }
}
