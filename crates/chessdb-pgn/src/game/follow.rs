//! Reading of a game for a [`MainlineObserver`], only as far as the observer requires.

use std::ops::ControlFlow;

use chessdb_core::Start;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::Skim;
use chessdb_core::model::{Builder, Movetext};
use chessdb_core::search::MainlineObserver;

/// The number of half-moves read at once, and the remaining number at which more are allowed. No
/// token contains more.
const AT_ONCE: u32 = 8;
const LEAST: u32 = 3;

/// Shows the moves of a game to an observer while they are read.
pub(crate) struct Follower<'o> {
    /// The observer, as long as nothing has been shown. That may be until the whole game is read.
    observer: Option<&'o mut dyn MainlineObserver>,
    /// The mainline as shown so far, until the observer has seen enough.
    line: Option<Skim<'o, PlainNumbering>>,
    /// The number of tape tokens already shown.
    passed: u32,
    /// The number of half-moves that the tape may still accept beyond its current capacity.
    room: u32,
}

impl<'o> Follower<'o> {
    pub(crate) fn new(observer: &'o mut dyn MainlineObserver) -> Follower<'o> {
        Follower {
            observer: Some(observer),
            line: None,
            passed: 0,
            room: 0,
        }
    }

    /// Starts with the first move. Moves are shown as they are read if no letter in the following
    /// bytes `rest` can change the meaning of earlier moves, nothing of the header is lost, and the
    /// observer does not need the header. Breaks if the observer has seen enough.
    pub(crate) fn start(
        &mut self,
        start: &Start,
        rest: &[u8],
        tape: &mut Builder<'_>,
    ) -> ControlFlow<()> {
        let skips_header =
            |observer: &mut &mut dyn MainlineObserver| is_english(rest) && !observer.needs_header();
        let Some(observer) = self.observer.take_if(skips_header) else {
            return ControlFlow::Continue(());
        };
        // The first token may already be a move.
        let first = tape.room().min(AT_ONCE);
        self.room = tape.room() - first;
        tape.set_room(first);
        self.line = Skim::begin_at(PlainNumbering, (), start, observer);
        match self.line {
            Some(_) => ControlFlow::Continue(()),
            None => ControlFlow::Break(()),
        }
    }

    /// Shows the new moves and extends the tape if it is nearly full. Continues with false if it is
    /// not.
    #[inline]
    pub(crate) fn show_new_moves(&mut self, tape: &mut Builder<'_>) -> ControlFlow<(), bool> {
        if tape.room() >= LEAST || self.room == 0 {
            return ControlFlow::Continue(false);
        }
        if let Some(line) = self.line.as_mut().filter(|_| tape.depth() == 0) {
            let mut moves = tape.mainline_from(self.passed);
            let flow = moves.by_ref().try_for_each(|mv| line.play(mv));
            self.passed = moves.passed();
            if flow.is_break() {
                self.line = None;
                return ControlFlow::Break(());
            }
        }
        let more = self.room.min(AT_ONCE);
        self.room -= more;
        tape.set_room(tape.room() + more);
        ControlFlow::Continue(true)
    }

    /// Shows the rest of the game after it has been read.
    pub(crate) fn end(self, start: &Start, moves: &Movetext) {
        let begin = |observer| Skim::begin_at(PlainNumbering, (), start, observer);
        if let Some(line) = self.line.or_else(|| self.observer.and_then(begin)) {
            line.show_rest(moves);
        }
    }
}

/// Returns whether none of these bytes is a piece letter of another language.
fn is_english(bytes: &[u8]) -> bool {
    let is_odd = |byte: u8| {
        // Without branches, so that the scan is vectorized.
        let is_letter = byte.wrapping_sub(b'A') < 26;
        let is_usual = (byte == b'K') | (byte == b'Q') | (byte == b'R') | (byte == b'B');
        let is_usual = is_usual | (byte == b'N') | (byte == b'O');
        u8::from(is_letter & !is_usual) | byte & 0x80
    };
    bytes
        .chunks(64)
        .all(|part| part.iter().fold(0, |odd, &byte| odd | is_odd(byte)) == 0)
}
