//! The interpretation of a game's moves: piece letters, rules, and unread words.

use chessdb_core::board::MoveKind;
use chessdb_core::rules::{SanFault, read_san};
use chessdb_core::{Board, Charset, PackedMove, PieceType};

use super::languages::{self, Language};

/// The language of the piece letters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Reading {
    /// English.
    #[default]
    English,
    /// English, but a move that is a different one in a language of this set ends its line.
    Doubting(u32),
    /// Another language, which is the only one of the game.
    Language(&'static Language),
    /// Another language, on trial.
    Trial(&'static Language),
}

impl Reading {
    /// Returns the language that is read, if it is not English.
    pub(crate) fn language(self) -> Option<&'static Language> {
        match self {
            Reading::Language(language) | Reading::Trial(language) => Some(language),
            Reading::English | Reading::Doubting(_) => None,
        }
    }
}

/// The unread words of a game, and the evidence about its language.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unread {
    /// Whether a line ended at something unreadable.
    pub(crate) any: bool,
    /// The languages with letters in unread words.
    pub(crate) possible: u32,
    /// Whether a move was read that is not a move in English.
    pub(crate) evident: bool,
}

impl Unread {
    /// Records a word at which a line ends.
    pub(super) fn end(&mut self, word: &[u8], charset: Charset) {
        self.any = true;
        self.pass(word, charset);
    }

    /// Records a word after the end of a line.
    pub(super) fn pass(&mut self, word: &[u8], charset: Charset) {
        self.possible |= languages::of_word(word, charset);
    }
}

/// The rules according to the tag Variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Rules {
    /// Standard chess, including Chess960.
    #[default]
    Chess,
    /// Other rules, which are not played here.
    Other,
    /// Atomic chess: the board after a capture is unknown here.
    Atomic,
}

/// Whether the board of Atomic chess is unknown, now and before the last move.
#[derive(Clone, Debug, Default)]
pub(super) struct Explosions {
    now: bool,
    before: bool,
    saved: Vec<(bool, bool)>,
}

impl Explosions {
    /// Returns whether an explosion occurred in this line.
    pub(super) fn any(&self) -> bool {
        self.now
    }

    pub(super) fn play(&mut self, board: &Board, mv: PackedMove) {
        self.before = self.now;
        self.now |= mv.kind() == MoveKind::EnPassant
            || board.by_color(board.turn().other()).has(mv.to()) && !mv.is_null();
    }

    pub(super) fn open(&mut self, at_line_start: bool) {
        self.saved.push((self.now, self.before));
        if !at_line_start {
            self.now = self.before;
        }
    }

    pub(super) fn close(&mut self) {
        if let Some((now, before)) = self.saved.pop() {
            self.now = now;
            self.before = before;
        }
    }
}

/// Reads a move in a language. Also returns whether it proves that the game is in this language.
pub(super) fn read_in(
    language: &Language,
    board: &Board,
    word: &[u8],
    charset: Charset,
) -> Result<(PackedMove, bool), SanFault> {
    let translated = language
        .translate(word, charset)
        .ok_or(SanFault::NotAMove)?;
    let mv = read_san(board, translated.word.as_bytes())?;
    let pawn = || board.by_type(PieceType::Pawn).has(mv.from());
    if translated.word.starts_with('b') && !pawn() {
        // A lower-case b for a bishop is English.
        return Err(SanFault::NotAMove);
    }
    // A letter that looks like an English one may be English if that is a legal move as well.
    let twin = !translated.twin.is_empty() && read_san(board, translated.twin.as_bytes()).is_ok();
    Ok((mv, translated.foreign && !twin))
}
