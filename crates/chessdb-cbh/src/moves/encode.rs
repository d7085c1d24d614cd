//! Encoding of the tape to moves and annotations, the hot loop of writing.
//!
//! In the tape, an alternative follows the move that it replaces; in the stream, it follows the
//! whole line. Moves are therefore first collected as a tree with their codes, which depend only on
//! the position. Translated codes and annotations need the moves' indexes in the written tree.

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::{Facts, MoveKind};
use chessdb_core::commands::has_extra_command;
use chessdb_core::legacy::cbh::{CbhNumbering, Mode, codes};
use chessdb_core::line::{CommentOut, LineSink, Lines, Out, TokenSource, write_lines};
use chessdb_core::model::{Place, Token};
use chessdb_core::rules::is_legal;
use chessdb_core::text::TextId;
use chessdb_core::{Board, Game, LossKind, Losses, PackedMove, Start};

use super::annotation_builder::{AnnotationBuilder, NoteTarget};
use super::pending_remarks::{NextMove, PendingRemarks, RemarkStart};
use crate::raw::MoveRecord;
use crate::text::TextEncoder;

/// No node.
const NONE: u32 = u32::MAX;
/// The maximum size of a stream in bytes, so that a start position fits before it.
const MOST_BYTES: usize = MoveRecord::MOST - 64;
/// The maximum number of moves of all lines. Annotations store it in three bytes with a sign.
const MOST_MOVES: usize = 0x7F_FFFF;

/// An encoder of moves and annotations that reuses its buffers.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The stream of the last encoded game.
    pub(crate) moves: Vec<u8>,
    /// Its annotations, one after another.
    pub(crate) annotations: Vec<u8>,
    /// The summary of both for the index.
    pub(crate) summary: MoveSummary,
    tree: MoveTree,
    notes: AnnotationBuilder,
    lines: Option<Lines<CbhNumbering>>,
    open: Vec<OpenLine>,
}

/// The summary of moves and annotations in the index (section 3).
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct MoveSummary {
    /// The number of half-moves of the mainline.
    pub(crate) plies: u32,
    /// The number of annotations.
    pub(crate) annotations: u32,
    /// The kinds of content, and the amount of each.
    pub(crate) flags: u32,
    pub(crate) magnitudes: u16,
}

/// The moves of a game, linked in the order of the stream.
#[derive(Default, Debug)]
struct MoveTree {
    nodes: Vec<MoveNode>,
    /// The first alternatives of the moves in the lines being written.
    waiting: Vec<u32>,
    /// The indexes of the moves in stored order.
    numbers: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct MoveNode {
    /// One code, or three; in simple modes a word in the last two bytes.
    code: [u8; 3],
    /// The next move of the line.
    next: u32,
    /// The next alternative.
    alternative: u32,
}

/// An open line.
#[derive(Debug)]
struct OpenLine {
    /// The first and the last move.
    first: u32,
    last: u32,
    /// The last alternative to the last move, or the last move itself.
    tail: u32,
    /// True if a variation was closed after the last move.
    after_variation: bool,
    /// True if there is a text or a command after the last move.
    has_note: bool,
    /// The start of the line's remarks.
    spot: RemarkStart,
    /// The losses that occur if the line remains without moves.
    at_stake: Vec<LossKind>,
}

impl Default for OpenLine {
    fn default() -> OpenLine {
        OpenLine {
            first: NONE,
            last: NONE,
            tail: NONE,
            after_variation: false,
            has_note: false,
            spot: RemarkStart::default(),
            at_stake: Vec::new(),
        }
    }
}

impl MoveEncoder {
    /// Encodes the moves of a game. `read_back` is the start position that a reader finds, if its
    /// castling rights differ from the game's. `nothing` lists the moves before which the code 236
    /// is written. Returns the number of these codes written.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        read_back: Option<&Start>,
        mode: Mode,
        nothing: &[u32],
        texts: &TextEncoder,
        losses: &mut Losses,
    ) -> usize {
        self.moves.clear();
        self.annotations.clear();
        self.summary = MoveSummary::default();
        self.open.clear();
        self.tree.nodes.clear();
        self.notes.clear();
        let (lines, numbering) = (&mut self.lines, mode.numbering());
        let lines = match (read_back, mode.is_simple()) {
            // The codes must be those that a reader of the stored castling rights expects.
            (Some(start), _) => Lines::reuse_from(lines, numbering, game, start),
            (None, true) => Lines::reuse(lines, numbering, game),
            (None, false) => Lines::reuse_known(lines, numbering, game),
        };
        let Ok(lines) = lines else {
            return 0; // The numbering supports every position.
        };
        let mut pass = MoveSink {
            mode,
            tree: &mut self.tree,
            remarks: PendingRemarks::new(&mut self.notes, texts),
            open: &mut self.open,
            line: OpenLine::default(),
            code: Vec::with_capacity(3),
            bytes: 1,
            plies: 0,
        };
        let mut out = Out::new(game, lines, losses);
        // This `CommentRun` never gets comments or commands, because the pass takes them.
        write_lines(
            game.moves.tokens(),
            &mut CommentRun::default(),
            &mut out,
            &mut pass,
        );
        pass.end_line(&mut out);
        let plies = pass.plies;
        let written = self.tree.write(mode, nothing, &mut self.moves);
        let moves = self.tree.nodes.len() as u32;
        let numbers = &self.tree.numbers;
        let (annotations, flags, magnitudes) = self.notes.write(numbers, &mut self.annotations);
        // The two lowest bits: more than 50, 300 or 1,000 half-moves in variations (section 3).
        let in_variations = moves - plies;
        let size = [50, 300, 1000]
            .iter()
            .filter(|&&limit| in_variations > limit);
        self.summary = MoveSummary {
            plies,
            annotations,
            flags: flags | u32::from(in_variations > 0) << 1,
            magnitudes: magnitudes | size.count() as u16,
        };
        written
    }
}

impl MoveTree {
    fn set(&mut self, node: u32, change: impl FnOnce(&mut MoveNode)) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            change(node);
        }
    }

    /// Writes the stream (section 6.5) and numbers the moves. Returns the number of codes 236
    /// written.
    fn write(&mut self, mode: Mode, nothing: &[u32], out: &mut Vec<u8>) -> usize {
        let MoveTree {
            nodes,
            waiting,
            numbers,
        } = self;
        numbers.clear();
        numbers.resize(nodes.len(), 0);
        waiting.clear();
        let simple = mode.is_simple();
        let mut written = 0;
        let mut number = 0;
        let mut current = if nodes.is_empty() { NONE } else { 0 };
        loop {
            let Some(node) = nodes.get(current as usize) else {
                let next = waiting.pop();
                if !simple {
                    // The stored number of a code may be the number of moves: then it precedes the
                    // final end.
                    if next.is_none() {
                        written += put_nothing(mode, nothing, written, number, out);
                    }
                    out.push(mode.byte(codes::POP, number));
                }
                match next {
                    Some(next) => current = next,
                    None => return written,
                }
                continue;
            };
            let has_more = node.alternative != NONE;
            if has_more {
                waiting.push(node.alternative);
            }
            if let Some(place) = numbers.get_mut(current as usize) {
                *place = number;
            }
            let [code, high, low] = node.code;
            if simple {
                // Bit 15: an alternative follows; bit 14: the line ends (section 6.6).
                let marked = high | u8::from(has_more) << 7 | u8::from(node.next == NONE) << 6;
                out.extend([marked, low].map(|byte| mode.byte(byte, number)));
            } else {
                if has_more {
                    out.push(mode.byte(codes::PUSH, number));
                }
                if written < nothing.len() {
                    written += put_nothing(mode, nothing, written, number, out);
                }
                out.push(mode.byte(code, number));
                if code == codes::SQUARES {
                    out.extend([high, low].map(|byte| mode.byte(byte, number)));
                }
            }
            number += 1;
            current = node.next;
        }
    }
}

/// Writes the codes 236 before the move with this number. Returns their number.
fn put_nothing(
    mode: Mode,
    nothing: &[u32],
    written: usize,
    number: u32,
    out: &mut Vec<u8>,
) -> usize {
    let rest = nothing.get(written..).unwrap_or_default();
    let same = rest.iter().take_while(|before| **before == number);
    let count = same.count();
    out.extend(std::iter::repeat_n(
        mode.byte(codes::NOTHING, number),
        count,
    ));
    count
}

pub(super) type CbhOut<'p, 'g> = Out<'p, 'g, Lines<CbhNumbering>>;

struct MoveSink<'p, 'g> {
    mode: Mode,
    tree: &'p mut MoveTree,
    remarks: PendingRemarks<'p, 'g>,
    /// The lines interrupted by variations.
    open: &'p mut Vec<OpenLine>,
    line: OpenLine,
    code: Vec<u8>,
    /// The minimum size of the stream in bytes.
    bytes: usize,
    plies: u32,
}

impl<'g> MoveSink<'_, 'g> {
    /// Returns the code of a move, if it is read back as the same move.
    #[inline]
    fn code(&mut self, out: &CbhOut<'_, 'g>, mv: PackedMove, facts: Facts) -> Option<[u8; 3]> {
        if self.mode.is_simple() {
            return simple_code(self.mode, out.lines.board(), mv);
        }
        self.code.clear();
        out.lines.encode(mv, facts, &mut self.code).ok()?;
        match *self.code.as_slice() {
            [code] => Some([code, 0, 0]),
            [code, high, low] => Some([code, high, low]),
            _ => None,
        }
    }

    /// Returns the target of a comment, or of commands without a comment.
    fn target(&self, place: Option<Place>) -> NoteTarget {
        match (self.line.last, self.open.len(), place) {
            (NONE, 0, _) => NoteTarget::Game,
            (NONE, ..) | (_, _, Some(Place::Before)) => NoteTarget::Next,
            _ if self.line.after_variation => NoteTarget::Next,
            _ => NoteTarget::Move(self.line.last),
        }
    }

    /// Ends a run of commands with the comment that follows it, if any.
    fn end_run(&mut self, out: &mut CbhOut<'_, 'g>, comment: Option<(Place, TextId)>) {
        let target = self.target(comment.map(|(place, _)| place));
        let run = self.remarks.running();
        // A variation without moves is not written, and then these remarks are lost with it.
        if target == NoteTarget::Next && self.line.last == NONE {
            let token = comment.map(|(place, id)| Token::Comment(place, id));
            let lost = run.iter().copied().chain(token).filter_map(Token::loss);
            self.line.at_stake.extend(lost);
        }
        let text = comment.map(|(_, id)| out.game.text(id));
        let has_words = text.is_some_and(|text| !text.is_empty());
        self.line.has_note |= !run.is_empty() || has_words;
        if comment.is_some_and(|(_, id)| id != TextId::NONE) && !has_words {
            out.lose(LossKind::Comment);
        }
        self.remarks
            .end_run(self.line.spot, target, comment, out.game);
    }

    /// Ends a line: remarks that wait for another move are placed after the last one.
    fn end_line(&mut self, out: &mut CbhOut<'_, 'g>) {
        if self.line.last == NONE {
            for lost in self.line.at_stake.drain(..) {
                out.lose(lost);
            }
        }
        self.write_remarks(out, NextMove::None);
    }

    fn write_remarks(&mut self, out: &mut CbhOut<'_, 'g>, next: NextMove) {
        let spot = self.line.spot;
        if !self.remarks.is_empty(spot) {
            let target = match (self.line.last, self.open.is_empty()) {
                (NONE, true) => Some(NoteTarget::Game),
                (NONE, false) => None,
                (last, _) => Some(NoteTarget::Move(last)),
            };
            self.remarks.write(spot, target, next, out);
        }
    }

    /// Links a move to the previous move of its line, or to the last of its alternatives.
    fn link(&mut self, node: u32, out: &mut CbhOut<'_, 'g>) {
        if self.line.last != NONE {
            return self.tree.set(self.line.last, |last| last.next = node);
        }
        let Some(parent) = self.open.last() else {
            return;
        };
        self.tree.set(parent.tail, |tail| tail.alternative = node);
        let depth = self.open.len();
        for (n, line) in self.open.iter_mut().enumerate().rev() {
            line.tail = node;
            // An alternative to the first move of a variation is an alternative to the move that it
            // replaces.
            if n == 0 || line.first != line.last {
                break;
            }
            if n + 1 == depth {
                out.lose(LossKind::VariationMoved);
            }
        }
    }
}

impl<'g> LineSink<'g> for MoveSink<'_, 'g> {
    type Lines = Lines<CbhNumbering>;

    fn mv(&mut self, out: &mut CbhOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        self.known(out, mv, Facts::UNKNOWN)
    }

    #[inline]
    fn known(
        &mut self,
        out: &mut CbhOut<'_, 'g>,
        mv: PackedMove,
        facts: Facts,
    ) -> Result<(), LossKind> {
        let count = self.tree.nodes.len();
        // Each open line needs a code at its start and one at its end.
        let bytes = self.bytes + 3 + 2 * self.open.len();
        if count >= MOST_MOVES || bytes > MOST_BYTES {
            return Err(LossKind::MovesCut);
        }
        let Some(code) = self.code(out, mv, facts) else {
            let board = out.lines.board();
            let castles = matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong);
            return Err(if castles && is_legal(board, mv) {
                LossKind::Chess960
            } else {
                LossKind::of_illegal(mv)
            });
        };
        // Simple modes need two bytes, but this is only an upper bound.
        let is_long = code[0] == codes::SQUARES || self.mode.is_simple();
        self.bytes += if is_long { 3 } else { 1 };
        self.tree.nodes.push(MoveNode {
            code,
            next: NONE,
            alternative: NONE,
        });
        let node = count as u32;
        self.link(node, out);
        self.write_remarks(out, NextMove::Move(node));
        let line = &mut self.line;
        if line.last == NONE {
            line.first = node;
            line.at_stake.clear();
        }
        line.last = node;
        line.tail = node;
        line.after_variation = false;
        line.has_note = false;
        self.plies += u32::from(self.open.is_empty());
        Ok(())
    }

    fn nag(&mut self, out: &mut CbhOut<'_, 'g>, nag: u16) {
        // A NAG before the first move of a variation has no place (section 20).
        if self.line.last == NONE && !self.open.is_empty() {
            return out.lose(LossKind::Nag);
        }
        match u8::try_from(nag) {
            Ok(nag @ 1..) => self.remarks.nag(nag),
            _ => return out.lose(LossKind::Nag),
        }
        // The reader puts NAGs directly after the move.
        if self.line.has_note || self.line.after_variation {
            out.lose(LossKind::NagMoved);
        }
    }

    fn comment(&mut self, _out: &mut CbhOut<'_, 'g>, _comment: CommentOut<'_>) {}

    fn open(&mut self, _out: &mut CbhOut<'_, 'g>) -> Result<(), LossKind> {
        if self.line.last == NONE {
            return Err(LossKind::VariationBeforeMove);
        }
        self.remarks.interrupt(self.line.spot);
        self.bytes += 2;
        let line = OpenLine {
            spot: self.remarks.spot(),
            ..OpenLine::default()
        };
        self.open.push(std::mem::replace(&mut self.line, line));
        Ok(())
    }

    fn close(&mut self, out: &mut CbhOut<'_, 'g>) {
        self.end_line(out);
        if self.line.last == NONE {
            out.lose(LossKind::Variation);
        }
        self.line = self.open.pop().unwrap_or_default();
        self.line.after_variation = true;
    }

    #[inline]
    fn settle(&mut self, out: &mut CbhOut<'_, 'g>) {
        if self.remarks.is_running() {
            self.end_run(out, None);
        }
    }

    #[inline]
    fn take(
        &mut self,
        out: &mut CbhOut<'_, 'g>,
        token: Token<'g>,
        _rest: &mut impl TokenSource<'g>,
    ) -> bool {
        match token {
            Token::Comment(place, id) => self.end_run(out, Some((place, id))),
            Token::Clock(_) | Token::Eval(_) | Token::Shapes(_) => self.remarks.command(token),
            Token::Extra(extra) if has_extra_command(extra.format) => self.remarks.command(token),
            _ => return false,
        }
        true
    }
}

/// Returns the word of a move in a simple mode (section 6.6), if it is read back as the same move.
fn simple_code(mode: Mode, board: &Board, mv: PackedMove) -> Option<[u8; 3]> {
    if mv.is_null() {
        return Some([0; 3]);
    }
    let word = CbhNumbering::squares(mv, false);
    let read = CbhNumbering::by_squares(board, word).ok();
    read.filter(|read| *read == mv)?;
    let (from, to) = (word & 0x3F, word >> 6 & 0x3F);
    let word = if mode.is_reverse() { word & 0x3000 | from << 6 | to } else { word };
    // The word 0 is the null move.
    let [high, low] = word.to_be_bytes();
    (word & 0x0FFF != 0).then_some([0, high, low])
}
