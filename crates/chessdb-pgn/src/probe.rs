//! Whether a file looks like PGN.

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
    let prefix = bytes.get(..PREFIX).unwrap_or(bytes);
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
