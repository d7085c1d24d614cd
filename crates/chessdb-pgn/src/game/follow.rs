//! A game that is read for a watch alone: no further than that looks.

use std::ops::ControlFlow;

use chessdb_core::{Board, Builder, Movetext, Start, Watch};

/// So many half-moves are read at first, and so few are left when more room is made: no token has more.
const AT_ONCE: u32 = 8;
const LEAST: u32 = 3;

/// Shows a watch the moves of a game while they are read.
pub(crate) struct Follower<'w> {
    watch: &'w mut dyn Watch,
    board: Board,
    /// How many moves of the main line it was shown.
    shown: usize,
    /// Half-moves that the tape may have, but has no room for yet.
    room: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Nothing is shown before the whole game is read.
    Waits,
    Shows,
    /// The watch has seen enough.
    Ended,
}

impl<'w> Follower<'w> {
    pub(crate) fn new(watch: &'w mut dyn Watch) -> Follower<'w> {
        Follower {
            watch,
            board: Board::standard(),
            shown: 0,
            room: 0,
            state: State::Waits,
        }
    }

    /// The moves begin. They are shown while they come if no letter in what follows, `rest`, may give another
    /// meaning to those before, nothing of the head is lost, and the watch can do without it.
    pub(crate) fn start(
        &mut self,
        start: &Start,
        rest: &[u8],
        tape: &mut Builder<'_>,
    ) -> ControlFlow<()> {
        if !is_english(rest) || !self.watch.spares_head() {
            return ControlFlow::Continue(());
        }
        if let Start::Setup(setup) = start {
            self.board.clone_from(&setup.board);
        }
        // The first token may be a move already.
        let first = tape.room().min(AT_ONCE);
        self.room = tape.room() - first;
        tape.set_room(first);
        self.state = State::Shows;
        let flow = self.watch.begin(start, &self.board);
        self.note(flow)
    }

    /// Shows the moves that have come, if the tape needs room, and makes some; false if it has enough.
    #[inline]
    pub(crate) fn go_on(&mut self, tape: &mut Builder<'_>) -> ControlFlow<(), bool> {
        if self.state != State::Shows || tape.room() >= LEAST || self.room == 0 {
            return ControlFlow::Continue(false);
        }
        if tape.depth() == 0 {
            self.show(tape.so_far())?;
        }
        // Ever more, so that what was shown is passed over a few times only.
        let more = self.room.min(AT_ONCE.max(self.shown as u32));
        self.room -= more;
        tape.set_room(tape.room() + more);
        ControlFlow::Continue(true)
    }

    /// The game is read: shows the rest of it.
    pub(crate) fn end(mut self, start: &Start, moves: &Movetext) {
        if self.state == State::Waits {
            if let Start::Setup(setup) = start {
                self.board.clone_from(&setup.board);
            }
            let flow = self.watch.begin(start, &self.board);
            let _ = self.note(flow);
        }
        if self.state != State::Ended {
            let _ = self.show(moves);
        }
    }

    fn show(&mut self, moves: &Movetext) -> ControlFlow<()> {
        for mv in moves.mainline().skip(self.shown) {
            let played = self.board.play(mv);
            self.shown += 1;
            let flow = self.watch.played(mv, &played, &self.board);
            self.note(flow)?;
        }
        ControlFlow::Continue(())
    }

    fn note(&mut self, flow: ControlFlow<()>) -> ControlFlow<()> {
        if flow.is_break() {
            self.state = State::Ended;
        }
        flow
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
