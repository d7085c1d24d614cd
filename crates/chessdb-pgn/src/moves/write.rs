//! The tape as movetext.

use chessdb_core::annotation::CommentRun;
use chessdb_core::rules::{is_legal, write_san};
use chessdb_core::{Board, Place, Start, Text};
use chessdb_core::{Color, Event, Events, Game, LossKind, Losses, MoveKind, Outcome, PackedMove};

use super::page::Page;
use crate::boards::Boards;
use crate::head::push_number;
use crate::text::{append_utf8, is_read_back, make_safe};

/// Writes one game after the other, with the same memory.
#[derive(Clone, Debug)]
pub(crate) struct MoveWriter {
    boards: Boards,
    run: CommentRun,
    comment: Vec<u8>,
}

impl MoveWriter {
    pub(crate) fn new() -> MoveWriter {
        MoveWriter {
            boards: Boards::new(Vec::new()),
            run: CommentRun::default(),
            comment: Vec::new(),
        }
    }

    /// Appends the moves and the result, without a line break at the end.
    pub(crate) fn write(
        &mut self,
        game: &Game,
        width: usize,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) {
        let variations = game.moves.has_variations();
        match &game.head.start {
            Start::Standard => self.boards.start(&Board::standard(), variations),
            Start::Setup(setup) => self.boards.start(&setup.board, variations),
        }
        self.run.clear();
        let mut line = LineWriter {
            boards: &mut self.boards,
            comment: &mut self.comment,
            page: Page::new(out, width),
            losses,
            number_due: true,
        };
        let mut result = game.head.outcome;
        let mut events = game.events();
        let mut commands = 0;
        while let Some(event) = events.next() {
            if self.run.command(&event) {
                commands += 1;
                continue;
            }
            if let Event::Comment(place, text) = event {
                line.place(place);
                if text.is_empty() && commands > 0 && !is_comment(events.clone().next()) {
                    // Braces with commands alone are no comment of their own.
                    line.lost(LossKind::Comment);
                }
                line.comment(self.run.with_text(text), commands);
                commands = 0;
                continue;
            }
            if let Some(text) = self.run.take() {
                line.comment(text, commands);
            }
            commands = 0;
            match event {
                Event::Move(mv) if is_legal(&line.boards.board, mv) => line.mv(mv),
                Event::Move(mv) => line.illegal(mv, &mut events),
                // How a `*` behind the moves is kept where the tag says more.
                Event::Outcome(Outcome::Unknown)
                    if result != Outcome::Unknown
                        && line.boards.is_main_line()
                        && events.clone().next().is_none() =>
                {
                    result = Outcome::Unknown;
                }
                event => line.other(event),
            }
        }
        if let Some(text) = self.run.take() {
            line.comment(text, commands);
        }
        line.page.token(result.as_pgn().as_bytes());
    }
}

struct LineWriter<'w> {
    boards: &'w mut Boards,
    comment: &'w mut Vec<u8>,
    page: Page<'w>,
    losses: &'w mut Losses,
    /// Whether Black's move, too, needs a number.
    number_due: bool,
}

impl LineWriter<'_> {
    #[inline]
    fn mv(&mut self, mv: PackedMove) {
        let board = &self.boards.board;
        let white = board.turn() == Color::White;
        if white || self.number_due {
            self.page.begin();
            push_number(u32::from(board.fullmove_number()), self.page.out);
            let dots: &[u8] = if white { b"." } else { b"..." };
            self.page.out.extend_from_slice(dots);
            self.page.end();
        }
        self.page.begin();
        write_san(board, mv, self.page.out);
        self.page.end();
        self.boards.play(mv);
        self.number_due = false;
    }

    fn lost(&mut self, kind: LossKind) {
        self.losses.add(kind, Some(self.boards.ply));
    }

    /// Whether a comment here will be read as one of the same place.
    fn place(&mut self, place: Place) {
        let read_as = if self.boards.at_line_start() {
            Place::Before
        } else {
            Place::After
        };
        if place != read_as {
            self.lost(LossKind::CommentMoved);
        }
    }

    /// A comment that begins with this many commands.
    fn comment(&mut self, text: Text<'_>, commands: usize) {
        self.comment.clear();
        let lost = append_utf8(text, self.comment);
        let changed = make_safe(self.comment);
        if lost > 0 || changed || !is_read_back(self.comment, commands) {
            self.lost(LossKind::CommentText);
        }
        self.page.comment(self.comment);
        self.number_due = true;
    }

    fn other(&mut self, event: Event<'_>) {
        match event {
            Event::Nag(nag) => {
                self.page.begin();
                self.page.out.push(b'$');
                push_number(u32::from(nag), self.page.out);
                self.page.end();
            }
            Event::Open(_) => {
                self.boards.open();
                self.page.open();
                self.number_due = true;
            }
            Event::Close => {
                self.boards.close();
                self.page.close();
                self.number_due = true;
            }
            Event::Outcome(outcome) => {
                self.lost(LossKind::MoveResult);
                self.remark(b"result: ", outcome.as_pgn().as_bytes());
            }
            Event::Fault(kind, text) => {
                self.lost(LossKind::Fault);
                let mut told = Vec::new();
                append_utf8(text, &mut told);
                make_safe(&mut told);
                told.retain(|b| *b != b'\n');
                self.remark(fault_words(kind), &told);
            }
            Event::Extra(_) => self.lost(LossKind::GameExtra),
            Event::Move(_)
            | Event::Comment(..)
            | Event::Clock(_)
            | Event::Eval(_)
            | Event::Shapes(_) => {}
        }
    }

    /// A comment in the program's own words.
    fn remark(&mut self, what: &[u8], text: &[u8]) {
        self.comment.clear();
        self.comment.extend_from_slice(what);
        self.comment.extend_from_slice(text);
        self.page.comment(self.comment);
        self.number_due = true;
    }

    /// A move that PGN's readers would refuse ends its line; a comment tells it.
    fn illegal(&mut self, mv: PackedMove, events: &mut Events<'_>) {
        self.lost(LossKind::of_illegal(mv));
        let what: &[u8] = match mv.kind() {
            MoveKind::GhostEnPassant => b"illegal en passant: ",
            _ => b"illegal move: ",
        };
        let mut san = Vec::new();
        write_san(&self.boards.board, mv, &mut san);
        self.remark(what, &san);
        while let Some(event) = events.next() {
            match event {
                Event::Close => return self.other(event),
                Event::Open(branch) => events.skip_variation(branch),
                _ => {}
            }
            self.losses.add_event(&event, Some(self.boards.ply));
        }
    }
}

/// Whether an event is a comment or part of one.
const fn is_comment(event: Option<Event<'_>>) -> bool {
    matches!(
        event,
        Some(Event::Comment(..) | Event::Clock(_) | Event::Eval(_) | Event::Shapes(_))
    )
}

const fn fault_words(kind: chessdb_core::FaultKind) -> &'static [u8] {
    use chessdb_core::FaultKind;
    match kind {
        FaultKind::UnreadableMove => b"unreadable move: ",
        FaultKind::IllegalMove => b"illegal move: ",
        FaultKind::AmbiguousMove => b"ambiguous move: ",
        FaultKind::InputExpected => b"something is missing: ",
        _ => b"not recognised: ",
    }
}
