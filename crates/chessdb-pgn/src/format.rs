//! The format description of PGN for the facade.

use chessdb_core::format::Score;
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::text::CharsetPrior;
use chessdb_core::utf16::utf_8;
use chessdb_core::{Charset, FileSet, Format, LossKind, MemorySet, Result};

use crate::raw::{Lexer, TagPair, TokenKind};
use crate::roles::PGN_FILE;
use crate::writer::{GameChanger, WIDTH};
use crate::{Reader, Store, Writer};

/// The PGN format.
pub static PGN: Format = Format::new(
    "pgn",
    "Portable Game Notation",
    probe,
    |files, options| {
        let store = Store::open(files.require(PGN_FILE)?, options)?;
        Ok(Box::new(store))
    },
    // A single file, read sequentially; there is nothing outside the games to check.
    |_, _, _| {},
)
.with_files(&[PGN_FILE], &[PGN_FILE])
.with_losses(LossSet::new(&[
    LossKind::MovesCut,
    LossKind::VariationMoves,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
    LossKind::Variation,
    LossKind::Comment,
    LossKind::CommentMoved,
    LossKind::CommentText,
    LossKind::CommentLayout,
    LossKind::Nag,
    LossKind::Clock,
    LossKind::Eval,
    LossKind::Shapes,
    LossKind::MoveResult,
    LossKind::Fault,
    LossKind::NameText,
    LossKind::TagText,
    LossKind::TextLayout,
    LossKind::BaseTitle,
    LossKind::Description,
    LossKind::BaseKind,
    LossKind::FlagNames,
    LossKind::OpenFirst,
    LossKind::NameDetails,
    LossKind::Collection,
    LossKind::BaseExtra,
    LossKind::GameExtra,
]))
.with_limits(&[
    FormatLimit::new(
        "characters in a line of movetext",
        80,
        "export format; except for longer words in comments",
    ),
    FormatLimit::new(
        "bytes of a tag's name and value",
        240,
        "Scid 4.7, which skips longer tags",
    ),
    FormatLimit::new("NAGs of a move", 7, "Scid 4.7, which skips the others"),
])
.with_facts()
.with_stream(|input, options| Ok(Box::new(Reader::new(input, options))))
.with_charset_prior(CharsetPrior::AnyProgram, Some(Charset::WINDOWS_1252))
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
.with_settings(&[WIDTH])
.with_change(|base, options| Ok(Some(Box::new(GameChanger::open(base, options)?))))
.with_append(|base, options| Ok(Writer::append(base, options)?.map(|writer| Box::new(writer) as _)))
.with_raw(raw_again);

/// Returns the file as the concatenation of all tokens.
fn raw_again(files: &dyn FileSet) -> Result<MemorySet> {
    let bytes = files.require(PGN_FILE)?;
    let mut again = Vec::with_capacity(bytes.len());
    let mut tokens = Lexer::new(bytes);
    while let Some(token) = tokens.next() {
        again.extend_from_slice(tokens.text(token));
    }
    Ok([(PGN_FILE, again)].into_iter().collect())
}

/// The number of bytes examined.
const PREFIX: usize = 8 << 10;

/// Detects PGN: certain with a roster tag, likely with another tag, possible with moves only.
fn probe(files: &dyn FileSet) -> Score {
    let Some(bytes) = files.get(PGN_FILE) else {
        return Score::No;
    };
    if bytes.is_empty() {
        // An empty database is a valid PGN file.
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

/// Returns whether control characters are so frequent that this is not text. Some part of a binary
/// file always looks like a tag or a move, but damaged text contains control characters too.
fn is_binary(prefix: &[u8]) -> bool {
    let control = |&&byte: &&u8| byte.is_ascii_control() && !matches!(byte, b'\t'..=b'\r' | 0x1B);
    prefix.iter().filter(control).count() > prefix.len() / 16
}
