//! Encoding of a game's moves into codes: the hot loop of writing.

mod annotations;

use chessdb_core::board::Facts;
use chessdb_core::legacy::ca::{CaNumbering, EN_PASSANT};
use chessdb_core::legacy::{Coded, MoveFault};
use chessdb_core::line::{Lines, Skip};
use chessdb_core::model::Token;
use chessdb_core::{Event, Game, LossKind, Losses, PackedMove, Start, rules};

use annotations::{CommentEnd, is_diagram};

use super::start::put_start;
use crate::guesses::Guesses;
use crate::raw::{RecordBytes, code};
use crate::symbols::DIAGRAM;
use crate::text::Encoder;

/// The part of a game that is written. If a game does not fit into a record, parts are left out in
/// this order (section 7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Detail {
    /// Moves only.
    Mainline,
    /// Moves and variations with their symbols.
    Variations,
    /// Everything except evaluations.
    Comments,
    /// Everything.
    All,
}

/// The error that a record is too long for its length field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLong;

/// An encoder of moves with a reusable buffer.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The codes of the last game encoded.
    pub(crate) body: Vec<u8>,
    lines: Option<Lines<CaNumbering>>,
}

impl MoveEncoder {
    /// Encodes a game with a start position that can be stored ([`super::storable_start`]).
    ///
    /// # Errors
    ///
    /// Returns [`TooLong`] if the record would be too long. The losses are then meaningless.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        texts: &mut Encoder,
        guesses: &Guesses,
        detail: Detail,
        losses: &mut Losses,
    ) -> Result<(), TooLong> {
        self.body.clear();
        let lines = Lines::reuse_known(&mut self.lines, guesses.numbering, game);
        let Ok(lines) = lines else {
            // Not reached: the caller has refused such a start position.
            return Err(TooLong);
        };
        if let Start::Setup(setup) = &game.header.start {
            let start = put_start(setup, lines.state(), losses);
            self.body.push(code::START);
            self.body.extend(start.to_bytes());
        }
        let begun = self.body.len();
        let pass = GameEncoder {
            out: &mut self.body,
            lines,
            texts,
            guesses,
            detail,
            losses,
            line: Line::new(begun),
            frames: Vec::new(),
            run: Vec::new(),
            run_open: false,
        };
        pass.run(game)
    }
}

/// The line that is being written.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Offset of the first byte that belongs to the last move: comments before it, its mark, its
    /// code.
    move_at: usize,
    /// Offset of its mark or code.
    code_at: usize,
    /// Offset of the first byte that belongs before the next move, if there is any.
    next_at: Option<usize>,
    /// Whether the line has a move.
    begun: bool,
    /// Whether a variation has closed since the last move.
    after_variation: bool,
    /// The number of NAGs of the next move that are stored before it.
    nags_before: u8,
    /// The number of NAGs of the last move that are still to be stored before it.
    nags_due: u8,
    /// The number of comments that become comments before the next move, if there is one.
    moved: u32,
    /// The number of comments that wait for the next move, including `moved`.
    waiting: u32,
}

impl Line {
    fn new(start: usize) -> Line {
        Line {
            move_at: start,
            code_at: start,
            next_at: None,
            begun: false,
            after_variation: false,
            nags_before: 0,
            nags_due: 0,
            moved: 0,
            waiting: 0,
        }
    }
}

struct GameEncoder<'p, 'g> {
    out: &'p mut Vec<u8>,
    lines: &'p mut Lines<CaNumbering>,
    texts: &'p mut Encoder,
    guesses: &'p Guesses,
    detail: Detail,
    losses: &'p mut Losses,
    line: Line,
    /// The lines interrupted by variations, with the offset where each variation begins.
    frames: Vec<(Line, usize)>,
    /// Commands that belong to the next comment.
    run: Vec<Event<'g>>,
    /// Whether a reader would take a following text for the rest of the last comment.
    run_open: bool,
}

impl<'g> GameEncoder<'_, 'g> {
    fn run(mut self, game: &'g Game) -> Result<(), TooLong> {
        let limit = match self.guesses.long_lengths {
            crate::raw::LongLengths::TwoBytes => RecordBytes::MAX_LENGTH,
            // Four bytes of seven bits, as many as the reader accepts.
            crate::raw::LongLengths::Leb128 => (1 << 28) - 1,
        };
        let mut skip: Option<Skip> = None;
        // Whether skipped moves are counted as lost. Those left out because of `detail` are not.
        let mut count_moves = true;
        let mut tokens = game.moves.tokens();
        let event_of = |token: Token<'g>| token.event(&game.texts);
        loop {
            // Most tokens of a game are moves.
            while skip.is_none()
                && let Some((mv, facts)) = tokens.next_move()
            {
                if !self.run.is_empty() {
                    self.end_run(CommentEnd::None, None);
                }
                if self.half_move(mv, facts).is_err() {
                    let (kind, ply) = (LossKind::of_illegal(mv), Some(self.lines.ply()));
                    if self.frames.is_empty() {
                        self.losses.cut(kind, ply);
                    } else {
                        self.losses.add(kind, ply);
                    }
                    skip = Some(Skip::REST_OF_LINE);
                    count_moves = true;
                }
            }
            let Some(token) = tokens.next() else { break };
            let event = event_of(token);
            // A game with huge comments must not fill the memory before it is refused.
            if self.out.len() > limit {
                return Err(TooLong);
            }
            if let Some(skipped) = &mut skip {
                match event {
                    Event::Move(_) if !count_moves => continue,
                    Event::Move(_) if skipped.is_in_variation() || !self.frames.is_empty() => {
                        self.lose(LossKind::VariationMoves);
                        continue;
                    }
                    Event::Open(_) => skipped.open(),
                    Event::Close if Skip::close(&mut skip) => self.close(),
                    _ => {}
                }
                self.lose_token(token);
                continue;
            }
            if event.is_command() {
                self.run.push(event);
                continue;
            }
            if let Event::Comment(place, text) = event {
                let absent = matches!(token, Token::Comment(_, id) if id.is_none());
                let end = if absent {
                    // Finds the comment to which the following commands belong.
                    let mut following = tokens.clone().map(event_of);
                    let becomes = match following.find(|event| !event.is_command()) {
                        Some(Event::Comment(place, _)) => Some(place),
                        _ => None,
                    };
                    CommentEnd::Mark(place, becomes)
                } else {
                    CommentEnd::Text(place, text)
                };
                let next = tokens.clone().next().map(event_of);
                self.end_run(end, next.as_ref());
                continue;
            }
            self.end_run(CommentEnd::None, None);
            match event {
                Event::Nag(nag) => {
                    let next = tokens.clone().next().filter(|_| nag == DIAGRAM);
                    let diagram = next.map(event_of).filter(is_diagram);
                    if diagram.is_some() {
                        tokens.next();
                    }
                    self.nag(nag, diagram);
                }
                Event::Open(_) if !self.line.begun => {
                    self.lose(LossKind::VariationBeforeMove);
                    skip = Some(Skip::VARIATION);
                    count_moves = true;
                }
                Event::Open(_) if self.detail < Detail::Variations => {
                    self.lose(LossKind::Variation);
                    skip = Some(Skip::VARIATION);
                    count_moves = false;
                }
                Event::Open(_) => {
                    self.lines.open();
                    self.frames.push((self.line, self.out.len()));
                    self.out.push(code::OPEN);
                    self.line = Line::new(self.out.len());
                    self.run_open = false;
                }
                Event::Close => self.close(),
                // Comments and commands were handled above.
                _ => self.lose_token(token),
            }
        }
        self.end_run(CommentEnd::None, None);
        while !self.frames.is_empty() {
            self.close();
        }
        if self.out.len() > limit { Err(TooLong) } else { Ok(()) }
    }

    #[inline]
    fn half_move(&mut self, mv: PackedMove, facts: Facts) -> Coded {
        if !self.lines.are_known() && !rules::is_legal(self.lines.board(), mv) {
            return Err(MoveFault::NoCode);
        }
        let start = self.out.len();
        // Not every move has a code; castling, for example, is possible from the e-file only.
        self.lines.encode(mv, facts, self.out)?;
        let moved = self.line.moved;
        self.losses
            .add_many(LossKind::CommentMoved, moved, Some(self.lines.ply()));
        self.line = Line {
            // A variation must precede the comments before the move, too.
            move_at: self.line.next_at.unwrap_or(start),
            code_at: start,
            begun: true,
            nags_due: self.line.nags_before,
            ..Line::new(start)
        };
        self.lines.play_known(mv, facts);
        self.run_open = false;
        Ok(())
    }

    /// Ends a variation and moves its bytes before the move that it replaces.
    fn close(&mut self) {
        let Some((mut line, start)) = self.frames.pop() else {
            return;
        };
        self.lines.close();
        self.out.push(code::CLOSE);
        let length = self.out.len() - start;
        // The variation was written last; the rotation puts it before the move that it replaces.
        if let Some(moved) = self.out.get_mut(line.move_at..) {
            moved.rotate_right(length);
        }
        line.move_at += length;
        line.code_at += length;
        line.next_at = line.next_at.map(|offset| offset + length);
        line.after_variation = true;
        // Annotations that wait for the next move come after all variations of the last one. They
        // preceded this variation and now follow it, too.
        line.moved = 0;
        let passed = std::mem::take(&mut line.waiting);
        self.losses
            .add_many(LossKind::CommentMoved, passed, Some(self.lines.ply()));
        // A NAG after a variation no longer comes before its move.
        line.nags_due = 0;
        self.line = line;
        self.run_open = false;
    }

    fn lose(&mut self, kind: LossKind) {
        self.losses.add(kind, Some(self.lines.ply()));
    }

    /// Counts what is lost with a token.
    fn lose_token(&mut self, token: Token<'_>) {
        self.losses.add_token(token, Some(self.lines.ply()));
    }
}

/// The mark must directly precede the code of its move.
const _: () = assert!(EN_PASSANT == 210);
