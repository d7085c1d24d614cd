//! A game that is read for a watch alone: no further than that looks.

use std::ops::ControlFlow;

use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::Skim;
use chessdb_core::{Builder, Movetext, Start, Watch};

/// So many half-moves are read at once, and so few are left when more room is made: no token has more.
const AT_ONCE: u32 = 8;
const LEAST: u32 = 3;

/// Shows a watch the moves of a game while they are read.
pub(crate) struct Follower<'w> {
    /// As long as nothing is shown, which may be before the whole game is read.
    watch: Option<&'w mut dyn Watch>,
    /// What is shown, until the watch has seen enough.
    line: Option<Skim<'w, PlainNumbering>>,
    /// The tokens of the tape that were passed.
    passed: u32,
    /// Half-moves that the tape may have, but has no room for yet.
    room: u32,
}

impl<'w> Follower<'w> {
    pub(crate) fn new(watch: &'w mut dyn Watch) -> Follower<'w> {
        Follower {
            watch: Some(watch),
            line: None,
            passed: 0,
            room: 0,
        }
    }

    /// The moves begin. They are shown while they come if no letter in what follows, `rest`, may give another
    /// meaning to those before, nothing of the head is lost, and the watch can do without it. It breaks if that has
    /// seen enough.
    pub(crate) fn start(
        &mut self,
        start: &Start,
        rest: &[u8],
        tape: &mut Builder<'_>,
    ) -> ControlFlow<()> {
        let skips_header = |watch: &mut &mut dyn Watch| is_english(rest) && !watch.needs_header();
        let Some(watch) = self.watch.take_if(skips_header) else {
            return ControlFlow::Continue(());
        };
        // The first token may be a move already.
        let first = tape.room().min(AT_ONCE);
        self.room = tape.room() - first;
        tape.set_room(first);
        self.line = Skim::begin_at(PlainNumbering, (), start, watch);
        match self.line {
            Some(_) => ControlFlow::Continue(()),
            None => ControlFlow::Break(()),
        }
    }

    /// Shows the moves that have come, if the tape needs room, and makes some; false if it has enough.
    #[inline]
    pub(crate) fn go_on(&mut self, tape: &mut Builder<'_>) -> ControlFlow<(), bool> {
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

    /// The game is read: shows the rest of it.
    pub(crate) fn end(self, start: &Start, moves: &Movetext) {
        let begin = |watch| Skim::begin_at(PlainNumbering, (), start, watch);
        if let Some(line) = self.line.or_else(|| self.watch.and_then(begin)) {
            line.show_rest(moves);
        }
    }
}

/// Whether none of these bytes is a letter of a piece in another language.
fn is_english(bytes: &[u8]) -> bool {
    let is_odd = |byte: u8| {
        let is_letter = byte.wrapping_sub(b'A') < 26;
        let is_usual = (byte == b'K') | (byte == b'Q') | (byte == b'R') | (byte == b'B');
        let is_usual = is_usual | (byte == b'N') | (byte == b'O');
        u8::from(is_letter & !is_usual) | byte & 0x80
    };
    bytes
        .chunks(64)
        .all(|part| part.iter().fold(0, |odd, &byte| odd | is_odd(byte)) == 0)
}
