//! From the tape to bytes: the hot loop of writing.

use chessdb_core::annotation::CommentRun;
use chessdb_core::legacy::scid::ScidNumbering;
use chessdb_core::legacy::{MoveFault, Numbering as _};
use chessdb_core::{
    Board, Charset, Event, Game, Lines, LossKind, Losses, MoveKind, PackedMove, PieceType, Skip,
    Text,
};

use super::order;
use crate::derived::{Derived, Tracker};
use crate::lines::Lines as OpeningLines;
use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};
use crate::text::{Encoder, FALLBACK};

/// At most so many NAGs are written at one place: Scid cannot read a game with more, be they behind
/// a move or before the first one of a line (section 4.3).
const MAX_NAGS: u32 = 7;

/// What the index says about a game's moves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Encoded {
    pub(crate) variations: u32,
    pub(crate) comments: u32,
    pub(crate) nags: u32,
    pub(crate) derived: Derived,
}

/// Writes moves and comments into buffers that are used again for the next game.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The moves of the game encoded last, with their end mark.
    pub(crate) moves: Vec<u8>,
    /// Its comments, each with its NUL.
    pub(crate) comments: Vec<u8>,
    lines: Option<Lines<ScidNumbering>>,
    run: CommentRun,
    last_comment: LastComment,
}

/// The comment written last, to which another of the same move is joined.
#[derive(Clone, Copy, Default, Debug)]
struct LastComment {
    /// Where it begins in the buffer.
    start: usize,
    /// Whether nothing but comments has been written since.
    open: bool,
}

impl MoveEncoder {
    /// Encodes a game's moves; with `comments` off without them.
    ///
    /// # Errors
    ///
    /// The loss that keeps the game from being stored at all.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        texts: &Encoder,
        openings: &OpeningLines,
        comments: bool,
        losses: &mut Losses,
    ) -> Result<Encoded, LossKind> {
        self.moves.clear();
        self.comments.clear();
        self.run.clear();
        self.last_comment = LastComment::default();
        let lines = match &mut self.lines {
            Some(lines) => lines.restart(game).map(|()| lines),
            None => Lines::new(ScidNumbering, game).map(|lines| self.lines.insert(lines)),
        };
        let lines = lines.map_err(|_| LossKind::StartPosition)?;
        let pass = Pass {
            moves: &mut self.moves,
            stored: &mut self.comments,
            lines,
            last_comment: &mut self.last_comment,
            texts,
            openings,
            tracker: Tracker::new(&game.head.start),
            comments,
            losses,
            counts: Encoded::default(),
            nags_here: 0,
        };
        if order::is_in_order(game) {
            Ok(pass.run(game.events(), &mut self.run))
        } else {
            let mut order_losses = Losses::new();
            let events = order::in_order(game, &mut order_losses);
            pass.losses.merge(&order_losses);
            Ok(pass.run(events.into_iter(), &mut self.run))
        }
    }
}

struct Pass<'p> {
    moves: &'p mut Vec<u8>,
    stored: &'p mut Vec<u8>,
    lines: &'p mut Lines<ScidNumbering>,
    last_comment: &'p mut LastComment,
    texts: &'p Encoder,
    openings: &'p OpeningLines,
    tracker: Tracker,
    comments: bool,
    losses: &'p mut Losses,
    counts: Encoded,
    /// NAGs since the last move, or since the start of the line.
    nags_here: u32,
}

impl Pass<'_> {
    fn run<'g>(mut self, events: impl Iterator<Item = Event<'g>>, run: &mut CommentRun) -> Encoded {
        let mut skip: Option<Skip> = None;
        // Whether an empty comment has just been joined to commands. Where another comment follows,
        // it only says that the commands are one of their own, and that they are joined is counted
        // with the other.
        let mut empty = false;
        for event in events {
            if let Some(skipped) = &mut skip {
                match event {
                    Event::Open(_) => skipped.open(),
                    Event::Close if Skip::close(&mut skip) => self.close(),
                    _ => {}
                }
                self.lose_event(&event);
                continue;
            }
            if run.command(&event) {
                empty = false;
                continue;
            }
            if let Event::Comment(_, text) = event {
                empty = run.is_pending() && text.is_empty();
                if run.is_pending() && !empty && !follows_commands(text.as_bytes()) {
                    self.lose(LossKind::CommentMerged);
                }
                self.comment(run.with_text(text));
                continue;
            }
            if std::mem::take(&mut empty) {
                self.lose(LossKind::CommentMerged);
            }
            if let Some(text) = run.take() {
                self.comment(text);
            }
            match event {
                Event::Move(mv) => {
                    if self.half_move(mv).is_err() {
                        self.lose(LossKind::of_illegal(mv));
                        skip = Some(Skip::REST_OF_LINE);
                    }
                }
                Event::Nag(nag) => self.nag(nag),
                Event::Open(_) => {
                    self.last_comment.open = false;
                    if self.lines.at_line_start() {
                        self.lose(LossKind::VariationBeforeMove);
                        skip = Some(Skip::VARIATION);
                    } else {
                        self.lines.open();
                        self.moves.push(OPEN);
                        self.nags_here = 0;
                        self.counts.variations += 1;
                    }
                }
                Event::Close => self.close(),
                // Comments and commands were taken above.
                event => self.lose_event(&event),
            }
        }
        if empty {
            self.lose(LossKind::CommentMerged);
        }
        if let Some(text) = run.take() {
            self.comment(text);
        }
        while self.lines.depth() > 0 {
            self.close();
        }
        self.moves.push(END);
        let derived = self.tracker.finish(self.lines.board());
        Encoded {
            derived,
            ..self.counts
        }
    }

    #[inline]
    fn half_move(&mut self, mv: PackedMove) -> Result<(), MoveFault> {
        let (state, board) = (self.lines.state(), self.lines.board());
        if is_doubtful(board, mv) {
            ScidNumbering.encode_readable(state, board, mv, self.moves)?;
        } else {
            ScidNumbering.encode(state, board, mv, self.moves)?;
        }
        if self.lines.depth() == 0 {
            self.tracker.play(self.openings, mv);
        }
        self.last_comment.open = false;
        self.nags_here = 0;
        self.lines.play(mv);
        Ok(())
    }

    fn nag(&mut self, nag: u16) {
        match u8::try_from(nag) {
            Ok(nag) if self.nags_here < MAX_NAGS => {
                self.moves.extend([NAG, nag]);
                self.counts.nags += 1;
                self.nags_here += 1;
            }
            _ => self.lose(LossKind::Nag),
        }
    }

    fn close(&mut self) {
        if self.lines.close() {
            self.moves.push(CLOSE);
        }
        self.last_comment.open = false;
    }

    fn comment(&mut self, text: Text<'_>) {
        if !self.comments {
            self.lose(LossKind::Comment);
            return;
        }
        let change = if self.last_comment.open {
            self.join(text)
        } else {
            self.moves.push(COMMENT);
            self.counts.comments += 1;
            *self.last_comment = LastComment {
                start: self.stored.len(),
                open: true,
            };
            self.texts.put(text, self.stored)
        };
        if change.text {
            self.lose(LossKind::CommentText);
        }
        self.stored.push(0);
    }

    /// Joins a text to the last comment with a space between them. (Scid's import joins without
    /// one.)
    fn join(&mut self, text: Text<'_>) -> crate::text::Change {
        self.stored.pop();
        let mut added = Vec::new();
        let mut change = self.texts.put(text, &mut added);
        let start = self.last_comment.start;
        let before = self.stored.get(start..).unwrap_or_default();
        let charsets = [before, &added].map(|bytes| Charset::detect_utf8_or(bytes, FALLBACK));
        if self.texts.charset.is_none() && charsets.contains(&FALLBACK) {
            // One of them is not UTF-8, so the whole would not be: make both UTF-8.
            let mut whole = Vec::new();
            for (bytes, charset) in [(before, charsets[0]), (&added, charsets[1])] {
                if !whole.is_empty() {
                    whole.push(b' ');
                }
                let lost = Text::new(bytes, charset).convert_into(Charset::UTF_8, &mut whole);
                change.text |= lost > 0;
            }
            self.stored.truncate(start);
            self.stored.extend_from_slice(&whole);
            return change;
        }
        if !before.is_empty() && !added.is_empty() {
            self.stored.push(b' ');
        }
        self.stored.extend_from_slice(&added);
        change
    }

    fn lose(&mut self, kind: LossKind) {
        self.losses.add(kind, Some(self.lines.ply()));
    }

    /// Counts what is lost with an event.
    fn lose_event(&mut self, event: &Event<'_>) {
        self.losses.add_event(event, Some(self.lines.ply()));
    }
}

/// Whether a move that has a code might be read as another one, or not at all: castling needs its
/// right, a king cannot be taken, a pawn's diagonal step to an empty square is en passant.
fn is_doubtful(board: &Board, mv: PackedMove) -> bool {
    if mv.kind() != MoveKind::Normal {
        return !mv.is_null();
    }
    match board.piece_at(mv.to()) {
        Some(taken) => taken.kind == PieceType::King,
        None => {
            mv.from().file() != mv.to().file()
                && board
                    .piece_at(mv.from())
                    .is_some_and(|man| man.kind == PieceType::Pawn)
        }
    }
}

/// Whether commands and this text are told apart again after they were joined.
fn follows_commands(text: &[u8]) -> bool {
    !matches!(text.first(), None | Some(b'\t'..=b'\r' | b' '))
}
