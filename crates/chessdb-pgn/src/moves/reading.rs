//! How the moves of a game are read, and how that went.

use chessdb_core::rules::{SanFault, read_san};
use chessdb_core::{Board, Charset, MoveKind, PackedMove, PieceType};

use super::languages::{self, Language};

/// Whose letters the pieces have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Reading {
    /// English ones.
    #[default]
    English,
    /// English ones, but a move that is another one in a language of this set ends its line.
    Doubting(u32),
    /// Those of another language; the game has no other.
    Language(&'static Language),
    /// The same, to see whether that goes well.
    Trial(&'static Language),
}

impl Reading {
    /// The language that is read, if it is not English.
    pub(crate) fn language(self) -> Option<&'static Language> {
        match self {
            Reading::Language(language) | Reading::Trial(language) => Some(language),
            Reading::English | Reading::Doubting(_) => None,
        }
    }
}

/// What could not be read, and what that says about the language.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unread {
    /// Whether a line ended at something unread.
    pub(crate) any: bool,
    /// The languages whose letters stood in words that were not read.
    pub(crate) possible: u32,
    /// Whether a move was read that is none in English.
    pub(crate) evident: bool,
}

impl Unread {
    /// A word at which a line ends.
    pub(super) fn end(&mut self, word: &[u8], charset: Charset) {
        self.any = true;
        self.pass(word, charset);
    }

    /// A word behind one.
    pub(super) fn pass(&mut self, word: &[u8], charset: Charset) {
        self.possible |= languages::of_word(word, charset);
    }
}

/// What the tag Variant says about the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Rules {
    /// Those of chess, Chess960 included.
    #[default]
    Chess,
    /// Others, that are not played here.
    Other,
    /// Those of Atomic chess: nobody knows here who is left after a capture.
    Atomic,
}

/// Whether the board of Atomic chess is still the one that we know: now, and before the last move.
#[derive(Clone, Debug, Default)]
pub(super) struct Explosions {
    now: bool,
    before: bool,
    saved: Vec<(bool, bool)>,
}

impl Explosions {
    /// Whether something has exploded in this line.
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

/// Reads a move in a language; says too whether it shows that the game is in this language.
pub(super) fn read_in(
    language: &Language,
    board: &Board,
    word: &[u8],
    charset: Charset,
) -> Result<(PackedMove, bool), SanFault> {
    let told = language
        .translate(word, charset)
        .ok_or(SanFault::NotAMove)?;
    let mv = read_san(board, told.word.as_bytes())?;
    let pawn = || board.by_type(PieceType::Pawn).has(mv.from());
    if told.word.starts_with('b') && !pawn() {
        // A small b for a bishop is English.
        return Err(SanFault::NotAMove);
    }
    // A letter that looks like an English one may be just that, if that is a move as well.
    let twin = !told.twin.is_empty() && read_san(board, told.twin.as_bytes()).is_ok();
    Ok((mv, told.foreign && !twin))
}
