//! Whether a file looks like PGN.

use chessdb_core::utf16::utf_8;
use chessdb_core::{FileSet, Score};

use crate::PGN_FILE;
use crate::raw::{Lexer, TagPair, TokenKind};

/// Bytes looked at.
const PREFIX: usize = 8 << 10;

/// Certain with a roster tag, likely with another tag, perhaps with moves only.
pub(crate) fn probe(files: &dyn FileSet) -> Score {
    let Some(bytes) = files.get(PGN_FILE) else {
        return Score::No;
    };
    if bytes.is_empty() {
        // An empty base is a PGN file as well as any other.
        return Score::Maybe;
    }
    let (prefix, _) = utf_8(bytes.get(..PREFIX).unwrap_or(bytes));
    let prefix = prefix.as_ref();
    if is_binary(prefix) {
        return Score::No;
    }
    let mut lexer = Lexer::new(prefix);
    while let Some(token) = lexer.next() {
        match token.kind {
            TokenKind::Tag => {
                let pair = TagPair::parse(lexer.text(token));
                return match pair.map(|pair| pair.name) {
                    Some(b"Event" | b"Site" | b"White" | b"Black" | b"Result") => Score::Certain,
                    _ => Score::Likely,
                };
            }
            _ if lexer.is_in_moves() => return Score::Maybe,
            _ => {}
        }
    }
    Score::No
}

/// Whether so many bytes are control characters that this is no text: somewhere among those of a
/// binary file something looks like a tag or a move. Damaged text has some of them too.
fn is_binary(prefix: &[u8]) -> bool {
    let control = |&&byte: &&u8| byte.is_ascii_control() && !matches!(byte, b'\t'..=b'\r' | 0x1B);
    prefix.iter().filter(control).count() > prefix.len() / 16
}
