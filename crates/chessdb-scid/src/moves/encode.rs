//! The encoder of moves, the hot loop of writing.

use std::marker::PhantomData;
use std::ops::Range;

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::Facts;
use chessdb_core::legacy::scid::ScidNumbering;
use chessdb_core::line::{
    CommentOut, LineSink, LineTracker as _, Lines, Out, Reordered, TokenSource, write_lines,
};
use chessdb_core::loss::TextLoss;
use chessdb_core::{Charset, Game, LossKind, Losses, PackedMove, Text};

use super::lines::{GameLines, KnownLines};
use super::order;
use crate::derived::{MainlineFields, MainlineTracker};
use crate::opening_lines::OpeningLines;
use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};
use crate::text::{FALLBACK, TextEncoder};

/// The largest number of NAGs written after a move or before the first move of a line. Scid cannot
/// read a game with more (section 4.3).
const MAX_NAGS: u32 = 7;

/// The fields of the index entry that depend on the moves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Encoded {
    pub(crate) variations: u32,
    pub(crate) comments: u32,
    pub(crate) nags: u32,
    pub(crate) derived: MainlineFields,
}

/// Writes moves and comments into buffers that are reused for the next game.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The moves of the last game, with their end mark.
    pub(crate) moves: Vec<u8>,
    /// The comments of the last game, each with its NUL.
    pub(crate) comments: Vec<u8>,
    lines: Option<Lines<ScidNumbering>>,
    known: Option<KnownLines>,
    run: CommentRun,
    last_comment: LastComment,
}

/// The last comment written. Another comment of the same move is joined to it.
#[derive(Clone, Copy, Default, Debug)]
struct LastComment {
    /// Where the comment begins in the buffer.
    start: usize,
    /// Whether nothing except comments has been written since.
    open: bool,
    /// The charset of its bytes, once determined.
    charset: Option<Charset>,
}

impl MoveEncoder {
    /// Encodes a game's moves, without comments if `comments` is false.
    ///
    /// # Errors
    ///
    /// Returns the loss that prevents the game from being stored at all.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        texts: &TextEncoder,
        openings: &OpeningLines,
        comments: bool,
        losses: &mut Losses,
    ) -> Result<Encoded, LossKind> {
        self.moves.clear();
        self.comments.clear();
        self.last_comment = LastComment::default();
        let in_order = order::is_in_order(game);
        // Facts about moves are valid only in the original order.
        let mut lines = if in_order && game.moves.is_known() {
            let lines = self.known.get_or_insert_with(KnownLines::new);
            lines
                .restart(&game.header.start, game.moves.has_variations())
                .map(|()| GameLines::Known(lines))
        } else {
            Lines::reuse(&mut self.lines, ScidNumbering, game).map(GameLines::Played)
        }
        .map_err(|_| LossKind::StartPosition)?;
        let mut pass = EncodingPass {
            moves: &mut self.moves,
            stored: &mut self.comments,
            last_comment: &mut self.last_comment,
            texts,
            openings,
            tracker: MainlineTracker::new(&game.header.start),
            comments,
            counts: Encoded::default(),
            nags_here: 0,
            empty: false,
            lines: PhantomData,
        };
        if in_order {
            let mut out = Out::new(game, &mut lines, losses);
            write_lines(game.moves.tokens(), &mut self.run, &mut out, &mut pass);
        } else {
            let tokens = order::in_order(game, losses);
            let mut out = Out::new(game, &mut lines, losses);
            write_lines(Reordered::new(&tokens), &mut self.run, &mut out, &mut pass);
        }
        pass.moves.push(END);
        Ok(Encoded {
            derived: pass.tracker.finish(lines.material()),
            ..pass.counts
        })
    }
}

/// The output buffers and the state of one encoding pass.
struct EncodingPass<'p, 'l> {
    moves: &'p mut Vec<u8>,
    stored: &'p mut Vec<u8>,
    last_comment: &'p mut LastComment,
    texts: &'p TextEncoder,
    openings: &'p OpeningLines,
    tracker: MainlineTracker,
    comments: bool,
    counts: Encoded,
    /// The number of NAGs since the last move or the start of the line.
    nags_here: u32,
    /// Whether an empty comment was just joined to commands. If another comment follows, the empty
    /// one only separates the commands from it, and the join is counted with the next comment.
    empty: bool,
    lines: PhantomData<GameLines<'l>>,
}

type EncoderOut<'p, 'g, 'l> = Out<'p, 'g, GameLines<'l>>;

impl EncodingPass<'_, '_> {
    /// Joins a text to the last comment with a space between them. (Scid's import joins without
    /// one.) The cost stays linear, however many comments are joined.
    fn join(&mut self, text: Text<'_>) -> TextLoss {
        // The NUL of the last comment makes way for the added text; the caller appends another.
        self.stored.pop();
        let start = self.last_comment.start;
        let end = self.stored.len();
        if end > start {
            self.stored.push(b' ');
        }
        let from = self.stored.len();
        let mut change = self.texts.put(text, self.stored);
        if self.stored.len() == from {
            self.stored.truncate(end);
            return change;
        }
        if self.texts.charset.is_none() {
            let before = self
                .last_comment
                .charset
                .unwrap_or_else(|| stored_charset(self.stored, start..end));
            let added = stored_charset(self.stored, from..self.stored.len());
            // If one part is not UTF-8, the whole would not be, so both are converted.
            let mut lost = 0;
            if added != Charset::UTF_8 {
                let text = self.stored.split_off(from);
                lost += Text::new(&text, added).convert_into(Charset::UTF_8, self.stored);
            }
            if before != Charset::UTF_8 {
                let whole = self.stored.split_off(start);
                let (old, text) = whole.split_at_checked(end - start).unwrap_or((&whole, &[]));
                lost += Text::new(old, before).convert_into(Charset::UTF_8, self.stored);
                self.stored.extend_from_slice(text);
            }
            change.replaced |= lost > 0;
            self.last_comment.charset = Some(Charset::UTF_8);
        }
        change
    }
}

impl<'g, 'l> LineSink<'g> for EncodingPass<'_, 'l> {
    type Lines = GameLines<'l>;

    #[inline]
    fn mv(&mut self, out: &mut EncoderOut<'_, 'g, 'l>, mv: PackedMove) -> Result<(), LossKind> {
        self.known(out, mv, Facts::UNKNOWN)
    }

    #[inline]
    fn known(
        &mut self,
        out: &mut EncoderOut<'_, 'g, 'l>,
        mv: PackedMove,
        facts: Facts,
    ) -> Result<(), LossKind> {
        out.lines.encode(mv, facts, self.moves)?;
        if out.lines.depth() == 0 {
            self.tracker.play(self.openings, mv);
        }
        self.last_comment.open = false;
        self.nags_here = 0;
        Ok(())
    }

    #[inline]
    fn run(&mut self, out: &mut EncoderOut<'_, 'g, 'l>, tokens: &mut impl TokenSource<'g>) {
        let GameLines::Known(lines) = out.lines else {
            return;
        };
        let is_main_line = lines.is_main_line();
        while let Some((mv, facts)) = tokens.next_move() {
            if !lines.write_simple(mv, facts, self.moves) {
                // Every other kind of move is written by `known`.
                return tokens.go_back();
            }
            self.last_comment.open = false;
            self.nags_here = 0;
            if is_main_line {
                self.tracker.play_plain(self.openings, mv);
            }
        }
    }

    fn nag(&mut self, out: &mut EncoderOut<'_, 'g, 'l>, nag: u16) {
        match u8::try_from(nag) {
            Ok(nag) if self.nags_here < MAX_NAGS => {
                self.moves.extend([NAG, nag]);
                self.counts.nags += 1;
                self.nags_here += 1;
            }
            _ => out.lose(LossKind::Nag),
        }
    }

    fn comment(&mut self, out: &mut EncoderOut<'_, 'g, 'l>, comment: CommentOut<'_>) {
        let rest = comment.rest.filter(|_| comment.commands > 0);
        self.empty = rest.is_some_and(Text::is_empty);
        if !self.comments {
            return out.lose(LossKind::Comment);
        }
        let change = if self.last_comment.open {
            self.join(comment.text)
        } else {
            self.moves.push(COMMENT);
            self.counts.comments += 1;
            *self.last_comment = LastComment {
                start: self.stored.len(),
                open: true,
                charset: None,
            };
            self.texts.put(comment.text, self.stored)
        };
        if change.replaced {
            out.lose(LossKind::CommentText);
        }
        self.stored.push(0);
    }

    fn settle(&mut self, out: &mut EncoderOut<'_, 'g, 'l>) {
        if std::mem::take(&mut self.empty) {
            out.lose(LossKind::CommentMerged);
        }
    }

    fn open(&mut self, out: &mut EncoderOut<'_, 'g, 'l>) -> Result<(), LossKind> {
        self.last_comment.open = false;
        // A variation must replace a move; Scid refuses games with others (section 4.3).
        if out.lines.at_line_start() {
            return Err(LossKind::VariationBeforeMove);
        }
        self.moves.push(OPEN);
        self.nags_here = 0;
        self.counts.variations += 1;
        Ok(())
    }

    fn close(&mut self, _: &mut EncoderOut<'_, 'g, 'l>) {
        self.moves.push(CLOSE);
        self.last_comment.open = false;
    }
}

/// Returns the charset that a reader detects for these stored bytes.
fn stored_charset(stored: &[u8], range: Range<usize>) -> Charset {
    Charset::detect_utf8_or(stored.get(range).unwrap_or_default(), FALLBACK)
}
