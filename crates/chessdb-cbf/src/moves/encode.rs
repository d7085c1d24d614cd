//! Encoding of the tape to moves and comments, the hot loop of writing.

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::MoveKind;
use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::cbf::CbfNumbering;
use chessdb_core::line::{CommentOut, LineSink, Lines, Out, TokenSource, write_lines};
use chessdb_core::model::{Extra, Place, Token};
use chessdb_core::{Color, Game, LossKind, Losses, PackedMove, Start};

use super::comment_builder::CommentBuilder;
use crate::extras::{self, FORMAT};
use crate::raw::RawHeader;
use crate::raw::marker::{CLOSE, LAST_COMMENTED, OPEN};
use crate::text::TextEncoder;

/// An encoder of moves and comments that reuses its buffers.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The moves of the last encoded game.
    pub(crate) moves: Vec<u8>,
    /// The comment area of the last encoded game.
    pub(crate) area: Vec<u8>,
    /// The number of half-moves of its mainline.
    pub(crate) plies: u32,
    comments: CommentBuilder,
    lines: Option<Lines<CbfNumbering>>,
    open: Vec<OpenLine>,
    run: CommentRun,
}

/// The number of the game's own entry.
const GAME: u32 = 0;

/// An open line and the entry that its comments belong to.
#[derive(Clone, Copy, Default, Debug)]
struct OpenLine {
    /// The entry of the last move; `None` at the start of a variation.
    entry: Option<u32>,
    /// True if a variation was closed since that move.
    after_variation: bool,
}

impl MoveEncoder {
    /// Encodes the moves of a game.
    pub(crate) fn encode(&mut self, game: &Game, texts: &TextEncoder, losses: &mut Losses) {
        self.moves.clear();
        self.area.clear();
        self.open.clear();
        let Ok(lines) = Lines::reuse(&mut self.lines, CbfNumbering, game) else {
            return; // The numbering supports every position.
        };
        self.comments.clear(lines.board().turn().other());
        let chess960 = matches!(&game.header.start, Start::Setup(setup) if setup.chess960);
        let mut pass = MoveSink {
            moves: &mut self.moves,
            comments: &mut self.comments,
            open: &mut self.open,
            line: OpenLine {
                entry: Some(GAME),
                after_variation: false,
            },
            waiting: Vec::new(),
            texts,
            chess960,
            plies: 0,
        };
        let mut out = Out::new(game, lines, losses);
        write_lines(game.moves.tokens(), &mut self.run, &mut out, &mut pass);
        pass.attach_waiting(&mut out);
        self.plies = pass.plies;
        self.comments.write(&mut self.moves, &mut self.area, losses);
    }
}

type CbfOut<'p, 'g> = Out<'p, 'g, Lines<CbfNumbering>>;

struct MoveSink<'p> {
    moves: &'p mut Vec<u8>,
    comments: &'p mut CommentBuilder,
    /// The lines interrupted by variations.
    open: &'p mut Vec<OpenLine>,
    line: OpenLine,
    /// The buffer ranges of texts that wait for the next move.
    waiting: Vec<(usize, usize)>,
    texts: &'p TextEncoder,
    chess960: bool,
    plies: u32,
}

impl MoveSink<'_> {
    /// Returns true if `bytes` more bytes would not leave space for closing the open lines.
    fn is_full(&self, out: &CbfOut<'_, '_>, bytes: usize) -> bool {
        self.moves.len() + out.lines.depth() + bytes > RawHeader::MAX_MOVES
    }

    /// Adds an entry for the last written move, so that it can have a comment.
    fn moved(&mut self, mover: Color) {
        let closed = self
            .moves
            .last()
            .is_some_and(|number| *number > LAST_COMMENTED);
        let byte = self.moves.len().saturating_sub(1);
        let entry = self.comments.entry(byte, mover, closed);
        self.line = OpenLine {
            entry: Some(entry),
            after_variation: false,
        };
    }

    /// Handles a rejected move and returns the loss.
    #[cold]
    fn refuse(&mut self, out: &mut CbfOut<'_, '_>, kind: LossKind) -> Result<(), LossKind> {
        self.attach_waiting(out);
        Err(kind)
    }

    /// Returns the loss for a move that the numbering does not support.
    fn fault_kind(&self, out: &CbfOut<'_, '_>, mv: PackedMove) -> LossKind {
        match mv.kind() {
            MoveKind::Null => LossKind::NullMove,
            MoveKind::CastleShort | MoveKind::CastleLong if self.chess960 => LossKind::Chess960,
            _ if chessdb_core::rules::is_legal(out.lines.board(), mv) => LossKind::MovesCut,
            _ => LossKind::of_illegal(mv),
        }
    }

    fn attach(
        &mut self,
        out: &mut CbfOut<'_, '_>,
        entry: u32,
        moved: bool,
        (start, end): (usize, usize),
    ) {
        if self.comments.get(entry).is_some_and(|entry| entry.closed) {
            return out.lose(LossKind::Comment);
        }
        if self.comments.has_text(entry) {
            out.lose(LossKind::CommentMerged);
        } else if moved {
            out.lose(LossKind::CommentMoved);
        }
        self.comments.piece(entry, start, end);
    }

    /// Attaches the comments that preceded the last written move to that move. If the move was
    /// rejected, they are attached to the move before it.
    fn attach_waiting(&mut self, out: &mut CbfOut<'_, '_>) {
        for text in std::mem::take(&mut self.waiting) {
            match self.line.entry {
                Some(entry) => self.attach(out, entry, true, text),
                None => out.lose(LossKind::Comment),
            }
        }
    }

    /// Stores a code that its NAG does not determine. Returns false if that is impossible.
    fn code(&mut self, extra: &Extra) -> bool {
        let slot = extra.field.checked_sub(extras::CODE).map(usize::from);
        match (self.line.entry, slot, &*extra.bytes) {
            (Some(entry), Some(slot), &[code]) if extra.format == FORMAT => {
                self.comments.code(entry, slot, code)
            }
            _ => false,
        }
    }
}

impl<'g> LineSink<'g> for MoveSink<'_> {
    type Lines = Lines<CbfNumbering>;

    #[inline]
    fn mv(&mut self, out: &mut CbfOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        if self.is_full(out, 1) {
            return self.refuse(out, LossKind::MovesCut);
        }
        let (state, board) = (out.lines.state(), out.lines.board());
        if CbfNumbering.encode(state, board, mv, self.moves).is_err() {
            let kind = self.fault_kind(out, mv);
            return self.refuse(out, kind);
        }
        self.moved(board.turn());
        self.plies += u32::from(out.lines.depth() == 0);
        Ok(())
    }

    /// Only the last of these moves can have a comment, provided that none waits for the first.
    #[inline]
    fn run(&mut self, out: &mut CbfOut<'_, 'g>, tokens: &mut impl TokenSource<'g>) {
        if !self.waiting.is_empty() {
            return;
        }
        let begun = self.moves.len();
        while let Some((mv, facts)) = tokens.next_move() {
            let (state, board) = (out.lines.state(), out.lines.board());
            if self.is_full(out, 1) || CbfNumbering.encode(state, board, mv, self.moves).is_err() {
                tokens.go_back();
                break;
            }
            out.lines.play_known(mv, facts);
        }
        let moves = self.moves.len() - begun;
        if moves == 0 {
            return;
        }
        self.moved(out.lines.board().turn().other());
        if out.lines.depth() == 0 {
            self.plies += moves as u32;
        }
    }

    #[inline]
    fn played(&mut self, out: &mut CbfOut<'_, 'g>) {
        if !self.waiting.is_empty() {
            self.attach_waiting(out);
        }
    }

    fn nag(&mut self, out: &mut CbfOut<'_, 'g>, nag: u16) {
        let lost = match self.line.entry {
            Some(entry) => self.comments.nag(entry, nag),
            None => Err(LossKind::Nag),
        };
        match lost {
            Err(kind) => out.lose(kind),
            Ok(()) if self.line.after_variation => out.lose(LossKind::NagMoved),
            Ok(()) => {}
        }
    }

    fn comment(&mut self, out: &mut CbfOut<'_, 'g>, comment: CommentOut<'_>) {
        let start = self.comments.bytes().len();
        let changed = self.texts.put_comment(comment.text, self.comments.bytes());
        let text = (start, self.comments.bytes().len());
        if changed.text {
            out.lose(LossKind::CommentText);
        }
        if changed.layout {
            out.lose(LossKind::CommentLayout);
        }
        if comment.hides_empty_text {
            out.lose(LossKind::Comment);
        }
        match self.line.entry {
            // At the start of the game every comment belongs to the game.
            Some(GAME) if out.lines.ply() == 0 => self.attach(out, GAME, false, text),
            Some(entry) if comment.place == Place::After => {
                self.attach(out, entry, self.line.after_variation, text);
            }
            _ => self.waiting.push(text),
        }
    }

    fn open(&mut self, out: &mut CbfOut<'_, 'g>) -> Result<(), LossKind> {
        if out.lines.at_line_start() {
            return Err(LossKind::VariationBeforeMove);
        }
        // A variation needs its two marks and a move.
        if self.is_full(out, 3) {
            return Err(LossKind::Variation);
        }
        self.attach_waiting(out);
        self.moves.push(OPEN);
        self.open.push(std::mem::take(&mut self.line));
        Ok(())
    }

    fn close(&mut self, out: &mut CbfOut<'_, 'g>) {
        self.attach_waiting(out);
        self.moves.push(CLOSE);
        self.line = self.open.pop().unwrap_or_default();
        self.line.after_variation = true;
    }

    fn other(&mut self, out: &mut CbfOut<'_, 'g>, token: Token<'g>) {
        if !matches!(token, Token::Extra(extra) if self.code(extra)) {
            out.lose_token(token);
        }
    }
}
