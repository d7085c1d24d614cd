//! The encoder of moves.

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::Facts;
use chessdb_core::commands::{Command, Shape};
use chessdb_core::legacy::scidb::ScidbNumbering;
use chessdb_core::legacy::{MoveFault, Numbering as _};
use chessdb_core::line::{CommentOut, LineSink, Lines, Out, Reordered, TokenSource, write_lines};
use chessdb_core::model::{Extra, Place, Token};
use chessdb_core::rules::is_legal;
use chessdb_core::{Game, LossKind, Losses, PackedMove};

use super::line_notes::{AfterComment, LineNotes, NextComment};
use super::order::in_order;
use super::search_fields::{SearchFields, coarse_count};
use super::{shapes, times};
use crate::extras::{self, FORMAT};
use crate::nags;
use crate::raw::mark::{AFTER, BEFORE, CLOSE, COMMENT, ENGLISH, MARK, NAG, OPEN, OTHER};
use crate::raw::{ByteReader, Entry, EntryField, Mark};
use crate::text::{self, StoredComment, Style};

/// The parts of a record that contain the moves and their annotations.
#[derive(Clone, Default, Debug)]
pub(crate) struct EncodedMoves {
    pub(crate) moves: Vec<u8>,
    pub(crate) texts: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) plain_moves: u32,
    pub(crate) has_illegal_move: bool,
}

/// Encodes moves into buffers that are reused for the next game.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The parts of the last game.
    pub(crate) encoded: EncodedMoves,
    lines: Option<Lines<ScidbNumbering>>,
    run: CommentRun,
}

impl MoveEncoder {
    /// Encodes a game's moves and puts the fields that depend on them into its entry. Returns false
    /// if the pieces of the start position cannot be numbered.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        in_fen_order: bool,
        entry: &mut Entry,
        losses: &mut Losses,
    ) -> bool {
        let out = &mut self.encoded;
        for part in [&mut out.moves, &mut out.texts, &mut out.data] {
            part.clear();
        }
        (out.plain_moves, out.has_illegal_move) = (0, false);
        let numbering = ScidbNumbering { in_fen_order };
        let Ok(lines) = Lines::reuse(&mut self.lines, numbering, game) else {
            return false;
        };
        let mut pass = EncodingPass {
            out,
            fields: SearchFields::new(!in_fen_order && game.header.start.is_standard()),
            are_legal: game.moves.is_known(),
            is_plain: true,
            variations: 0,
            comments: 0,
            nags: 0,
            languages: 0,
            line: LineNotes::default(),
            interrupted: Vec::new(),
            before: None,
            after: None,
            engine: 0,
            style: None,
            writes_commands: false,
            took_command: false,
            last_shapes: None,
        };
        let ordered = in_order(game, losses);
        let mut out = Out::new(game, lines, losses);
        match &ordered {
            Some(tokens) => {
                write_lines(Reordered::new(tokens), &mut self.run, &mut out, &mut pass);
            }
            None => write_lines(game.moves.tokens(), &mut self.run, &mut out, &mut pass),
        }
        pass.end_line(&mut out);
        use EntryField as F;
        pass.fields.put(out.lines.board(), entry);
        entry.set(F::VARIATIONS, coarse_count(pass.variations));
        entry.set(F::COMMENTS, coarse_count(pass.comments));
        entry.set(F::NAGS, coarse_count(pass.nags));
        entry.set(F::ENGLISH, (pass.languages & ENGLISH != 0).into());
        entry.set(F::OTHER_LANGUAGE, (pass.languages & OTHER != 0).into());
        true
    }
}

struct EncodingPass<'p> {
    out: &'p mut EncodedMoves,
    fields: SearchFields,
    /// Whether all moves are known to be legal.
    are_legal: bool,
    /// Whether no mark has been written yet.
    is_plain: bool,
    variations: u32,
    comments: u32,
    nags: u32,
    languages: u8,
    line: LineNotes,
    interrupted: Vec<LineNotes>,
    /// The comment before the last move, if it is not written yet.
    before: Option<StoredComment>,
    /// The comment after the last move, whose text is not written yet.
    after: Option<AfterComment>,
    /// The engine of the next time or evaluation.
    engine: u8,
    /// The style of the next comment.
    style: Option<Style>,
    /// Whether commands before the next comment are part of its text.
    writes_commands: bool,
    /// Whether the last token was a command that became a mark.
    took_command: bool,
    /// If the last token was a list of shapes that became marks: whether they are arrows.
    last_shapes: Option<bool>,
}

type EncoderOut<'p, 'g> = Out<'p, 'g, Lines<ScidbNumbering>>;

impl EncodingPass<'_> {
    /// Writes a mark.
    fn mark(&mut self, mark: u8) {
        if std::mem::take(&mut self.is_plain) {
            self.out.plain_moves = self.out.plain_moves.saturating_sub(1);
        }
        self.out.moves.push(mark);
    }

    /// Writes a text and returns the bits for its languages.
    fn put_text(&mut self, comment: &StoredComment) -> u8 {
        self.out.texts.extend(&comment.bytes);
        self.out.texts.push(0);
        self.comments += 1;
        self.languages |= comment.languages;
        comment.languages
    }

    /// Writes the comments of the last move that are not written yet.
    fn end_notes(&mut self) {
        if let Some(AfterComment { comment, flags_at }) = self.after.take() {
            let languages = self.put_text(&comment);
            if let Some(flags) = self.out.data.get_mut(flags_at) {
                *flags |= languages << 2;
            }
        }
        if let Some(comment) = self.before.take() {
            self.mark(COMMENT);
            let languages = self.put_text(&comment);
            self.out.data.push(BEFORE | languages);
        }
    }

    /// Writes a comment at the start of a line.
    fn put_start_comment(&mut self, comment: &StoredComment) {
        self.mark(COMMENT);
        let languages = self.put_text(comment);
        self.out.data.push(AFTER | languages << 2);
        self.line.has_start_comment = true;
    }

    /// Writes the end of a line, with the comment after its last move.
    fn end_line(&mut self, out: &mut EncoderOut<'_, '_>) {
        self.drop_pending(out);
        self.end_notes();
        match self.line.next.take() {
            Some(next) if !self.line.has_move => {
                self.put_start_comment(&next.comment);
                self.out.moves.extend([CLOSE, CLOSE]);
            }
            Some(next) => {
                if next.moves_at_end {
                    out.lose(LossKind::CommentMoved);
                }
                self.out.moves.extend([CLOSE, COMMENT]);
                let languages = self.put_text(&next.comment);
                self.out.data.push(AFTER | languages << 2);
            }
            None => self.out.moves.extend([CLOSE, CLOSE]),
        }
    }

    /// Counts an engine without an evaluation, and a style without a comment.
    fn drop_pending(&mut self, out: &mut EncoderOut<'_, '_>) {
        let lost = u32::from(std::mem::take(&mut self.engine) != 0)
            + u32::from(self.style.take().is_some());
        for _ in 0..lost {
            out.lose(LossKind::GameExtra);
        }
        self.took_command = false;
        self.writes_commands = false;
        self.last_shapes = None;
    }

    /// Prepares for a mark that the tape has after a comment that is not written yet.
    fn keep_order(&mut self, out: &mut EncoderOut<'_, '_>) {
        if self.line.next.is_none() {
            return;
        }
        if self.line.has_move || self.line.has_start_comment {
            return out.lose(LossKind::CommentMoved);
        }
        if let Some(next) = self.line.next.take() {
            self.put_start_comment(&next.comment);
        }
    }

    /// Writes a time or an evaluation, or a list of shapes, as marks. Returns false if it has none.
    fn command(&mut self, out: &mut EncoderOut<'_, '_>, command: &Command<'_>) -> bool {
        let last_shapes = self.last_shapes.take();
        let marks = match command {
            Command::Shapes(list) => {
                let marks = list.iter().map(|&shape| shapes::write(shape));
                // An empty list, one of both squares and arrows, or one directly after another of
                // its type would be read as another list.
                let are_arrows = list.first().map(|shape| shape.to.is_some());
                let is_even = |shape: &Shape| Some(shape.to.is_some()) == are_arrows;
                let is_list = are_arrows.is_some() && list.iter().all(is_even);
                match marks.collect::<Option<Vec<_>>>() {
                    Some(marks) if is_list && last_shapes != are_arrows => {
                        self.last_shapes = are_arrows;
                        marks
                    }
                    _ => return false,
                }
            }
            command => match times::write(command, self.engine) {
                Some(item) => {
                    self.engine = 0;
                    vec![Mark::Time(item)]
                }
                None => return false,
            },
        };
        self.keep_order(out);
        for mark in marks {
            self.mark(MARK);
            mark.write(&mut self.out.data);
        }
        true
    }

    /// Handles an extra of this format. Returns false if it cannot be written.
    fn extra(&mut self, out: &mut EncoderOut<'_, '_>, extra: &Extra) -> bool {
        match (extra.field, &*extra.bytes) {
            (extras::MARK, bytes) => {
                let mut reader = ByteReader::new(bytes);
                let is_mark = Mark::parse(&mut reader).is_some() && reader.rest().is_empty();
                if is_mark {
                    self.keep_order(out);
                    self.mark(MARK);
                    self.out.data.extend(bytes);
                }
                is_mark
            }
            (extras::ENGINE, &[engine @ 1..16]) if self.engine == 0 => {
                self.engine = engine;
                true
            }
            (extras::STYLE, bytes) if self.style.is_none() => {
                self.style = Style::parse(bytes);
                self.style.is_some()
            }
            _ => false,
        }
    }

    /// Adds a comment to the one that the move after it gets.
    fn next_comment(
        &mut self,
        out: &mut EncoderOut<'_, '_>,
        place: Place,
        (text, style): (&[u8], &Style),
        is_text: bool,
    ) {
        let is_before = place == Place::Before;
        let LineNotes {
            has_move,
            follows_variation,
            has_start_comment,
            ..
        } = self.line;
        let at_start = !has_move && !has_start_comment && !style.continues;
        if at_start && let Some(next) = self.line.next.take() {
            self.put_start_comment(&next.comment);
        }
        match &mut self.line.next {
            Some(next) => {
                if next.comment.add(text, style) {
                    out.lose(LossKind::CommentMerged);
                }
            }
            None => {
                self.line.next = Some(NextComment {
                    comment: StoredComment::new(text, style),
                    moves_before_move: is_text && has_move && is_before == follows_variation,
                    moves_at_end: is_text && has_move && is_before,
                });
            }
        }
        if !has_move && !is_before && is_text {
            out.lose(LossKind::CommentMoved);
        }
    }
}

impl<'g> LineSink<'g> for EncodingPass<'_> {
    type Lines = Lines<ScidbNumbering>;

    fn mv(&mut self, out: &mut EncoderOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        self.drop_pending(out);
        self.end_notes();
        let (board, lines) = (out.lines.board(), &out.lines);
        let encoded =
            lines
                .numbering()
                .encode_readable(lines.state(), board, mv, &mut self.out.moves);
        encoded.map_err(|fault| match fault {
            MoveFault::Unnumbered { .. } => LossKind::UnnumberedPiece,
            _ => LossKind::of_illegal(mv),
        })?;
        if lines.depth() == 0 {
            self.fields.play(board.turn(), mv);
        }
        if self.is_plain {
            self.out.plain_moves = self.out.plain_moves.saturating_add(1);
        }
        if !self.are_legal && !mv.is_null() && !is_legal(board, mv) {
            self.mark(NAG);
            self.out.data.push(0);
            self.out.has_illegal_move = true;
        }
        let next = self.line.next.take();
        if next.as_ref().is_some_and(|next| next.moves_before_move) {
            out.lose(LossKind::CommentMoved);
        }
        self.before = next.map(|next| next.comment);
        self.line = LineNotes {
            has_move: true,
            ..LineNotes::default()
        };
        Ok(())
    }

    fn known(
        &mut self,
        out: &mut EncoderOut<'_, 'g>,
        mv: PackedMove,
        _: Facts,
    ) -> Result<(), LossKind> {
        self.mv(out, mv)
    }

    fn nag(&mut self, out: &mut EncoderOut<'_, 'g>, nag: u16) {
        let Some((stored, is_changed)) = nags::write(nag) else {
            return out.lose(LossKind::Nag);
        };
        if is_changed {
            out.lose(LossKind::NagChanged);
        }
        self.keep_order(out);
        self.mark(NAG);
        self.out.data.push(stored);
        self.nags += 1;
    }

    fn comment(&mut self, out: &mut EncoderOut<'_, 'g>, comment: CommentOut<'_>) {
        let mut style = self.style.take().unwrap_or_default();
        let joins = self.line.next.is_some() || self.after.is_some();
        let is_lost = comment.commands > 0 || joins && !style.continues;
        if is_lost && !style.is_plain() {
            style = Style::default();
            out.lose(LossKind::GameExtra);
        }
        let mut bytes = Vec::new();
        if text::put(comment.text, &mut bytes) {
            out.lose(LossKind::CommentText);
        }
        if comment.hides_empty_text {
            out.lose(LossKind::Comment);
        }
        self.writes_commands = false;
        let is_text = comment.rest.is_some();
        let is_after = comment.place == Place::After;
        let LineNotes {
            has_move,
            follows_variation,
            ..
        } = self.line;
        // A command stays with its move: if a variation followed, it would be read after that.
        let is_apart = !style.continues && comment.commands == 0;
        let is_second = self.line.next.is_some() || self.after.is_some() && is_apart;
        if !has_move || follows_variation || !is_after || is_second {
            return self.next_comment(out, comment.place, (&bytes, &style), is_text);
        }
        match &mut self.after {
            Some(after) => {
                if after.comment.add(&bytes, &style) {
                    out.lose(LossKind::CommentMerged);
                }
            }
            None => {
                self.mark(COMMENT);
                let mut flags = AFTER;
                if let Some(before) = self.before.take() {
                    flags |= BEFORE | self.put_text(&before);
                }
                self.after = Some(AfterComment {
                    comment: StoredComment::new(&bytes, &style),
                    flags_at: self.out.data.len(),
                });
                self.out.data.push(flags);
            }
        }
    }

    fn open(&mut self, out: &mut EncoderOut<'_, 'g>) -> Result<(), LossKind> {
        self.drop_pending(out);
        if out.lines.at_line_start() {
            return Err(LossKind::VariationBeforeMove);
        }
        self.end_notes();
        // The comment will follow this variation too.
        if self.line.next.is_some() {
            out.lose(LossKind::CommentMoved);
        }
        self.mark(OPEN);
        self.variations += 1;
        let line = std::mem::take(&mut self.line);
        self.interrupted.push(line);
        Ok(())
    }

    fn close(&mut self, out: &mut EncoderOut<'_, 'g>) {
        self.end_line(out);
        self.line = self.interrupted.pop().unwrap_or_default();
        self.line.follows_variation = true;
    }

    fn take(
        &mut self,
        out: &mut EncoderOut<'_, 'g>,
        token: Token<'g>,
        _: &mut impl TokenSource<'g>,
    ) -> bool {
        let took_command = std::mem::take(&mut self.took_command);
        if !matches!(token, Token::Shapes(_)) {
            self.last_shapes = None;
        }
        let event = token.event(&out.game.texts);
        match token {
            // The end of a comment that consisted of commands.
            Token::Comment(_, id) if id.is_none() && took_command => {
                out.lose(LossKind::CommentMerged);
                return true;
            }
            Token::Extra(extra) if extra.format == FORMAT => {
                let is_written = self.extra(out, extra);
                if !is_written {
                    out.lose(LossKind::GameExtra);
                }
                return true;
            }
            Token::Clock(_) | Token::Eval(_) | Token::Shapes(_) => {}
            _ => return false,
        }
        let Some(command) = event.command() else {
            return false;
        };
        // Commands before a comment stay in their order.
        self.took_command = !self.writes_commands && self.command(out, &command);
        self.writes_commands = !self.took_command;
        self.took_command
    }
}
