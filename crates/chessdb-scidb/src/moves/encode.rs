//! The encoder of moves.

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::Facts;
use chessdb_core::legacy::scidb::ScidbNumbering;
use chessdb_core::legacy::{MoveFault, Numbering as _};
use chessdb_core::line::{CommentOut, LineSink, Lines, Out, Reordered, TokenSource, write_lines};
use chessdb_core::model::Token;
use chessdb_core::rules::is_legal;
use chessdb_core::{Game, LossKind, Losses, PackedMove};

use super::line_notes::{Follows, Note, NoteReader, NotesAfter, is_note};
use super::order::in_order;
use super::search_fields::{SearchFields, coarse_count};
use crate::raw::Entry;
use crate::raw::mark::{AFTER, BEFORE, CLOSE, COMMENT, ENGLISH, MARK, NAG, OPEN, OTHER};
use crate::text::StoredComment;

/// The parts of a record that contain the moves and their annotations.
#[derive(Clone, Default, Debug)]
pub(crate) struct EncodedMoves {
    pub(crate) moves: Vec<u8>,
    pub(crate) texts: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) plain_moves: u32,
    pub(crate) has_illegal_move: bool,
    /// The largest number of NAGs of a move.
    pub(crate) most_nags: usize,
    /// The half-moves of the mainline.
    pub(crate) plies: u32,
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
            move_nags: Vec::new(),
            most_nags: 0,
            languages: 0,
            line: OpenLine::default(),
            interrupted: Vec::new(),
            before: None,
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
        (pass.out.most_nags, pass.out.plies) = (pass.most_nags, pass.fields.plies);
        pass.fields.put(out.lines.board(), entry);
        entry.variations = coarse_count(pass.variations);
        entry.comments = coarse_count(pass.comments);
        entry.nags = coarse_count(pass.nags);
        entry.english = pass.languages & ENGLISH != 0;
        entry.other_language = pass.languages & OTHER != 0;
        true
    }
}

/// An open line.
#[derive(Default, Debug)]
struct OpenLine<'g> {
    has_move: bool,
    /// Whether a variation of the last move has ended.
    follows_variation: bool,
    /// Notes before a variation that the format has only after it.
    carried: Vec<Token<'g>>,
    /// The comment that is written with the next move or with the end of the line.
    next: Option<StoredComment>,
}

struct EncodingPass<'p, 'g> {
    out: &'p mut EncodedMoves,
    fields: SearchFields,
    /// Whether all moves are known to be legal.
    are_legal: bool,
    /// Whether no mark has been written yet.
    is_plain: bool,
    variations: u32,
    comments: u32,
    nags: u32,
    /// The NAGs since the last move.
    move_nags: Vec<u8>,
    /// The largest number of NAGs of a move.
    most_nags: usize,
    languages: u8,
    line: OpenLine<'g>,
    interrupted: Vec<OpenLine<'g>>,
    /// The comment before the last move, if it is not written yet.
    before: Option<StoredComment>,
}

type EncoderOut<'p, 'g> = Out<'p, 'g, Lines<ScidbNumbering>>;

impl<'g> EncodingPass<'_, 'g> {
    /// Writes a mark.
    fn mark(&mut self, mark: u8) {
        // The first note belongs to the last move, which therefore does not count as plain.
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

    /// Writes the comment after the last move or at the start of the line, and the one before that
    /// move if it is not written yet.
    fn put_comment(&mut self, after: Option<&StoredComment>) {
        let before = self.before.take();
        if before.is_none() && after.is_none() {
            return;
        }
        self.mark(COMMENT);
        let mut flags = 0;
        if let Some(before) = &before {
            flags |= BEFORE | self.put_text(before);
        }
        if let Some(after) = after {
            // The language bits of the second text are two places higher (section 5).
            flags |= AFTER | self.put_text(after) << 2;
        }
        self.out.data.push(flags);
    }

    /// Writes the notes at the current position, except those that belong to what follows.
    fn notes(&mut self, out: &mut EncoderOut<'_, 'g>, tokens: &[Token<'g>], follows: Follows) {
        let after = match (self.line.has_move, self.line.follows_variation) {
            (false, _) => NotesAfter::LineStart,
            (true, false) => NotesAfter::Move,
            (true, true) => NotesAfter::Variation,
        };
        let placed = NoteReader::read(out, tokens, after, follows);
        for note in placed.here {
            match note {
                // Scidb refuses a game that has a NAG of a move twice.
                Note::Nag(nag) if self.move_nags.contains(&nag) => out.lose(LossKind::Nag),
                Note::Nag(nag) => {
                    self.move_nags.push(nag);
                    self.most_nags = self.most_nags.max(self.move_nags.len());
                    self.mark(NAG);
                    self.out.data.push(nag);
                    self.nags += 1;
                }
                Note::Mark(data) => {
                    self.mark(MARK);
                    self.out.data.extend(data);
                }
                Note::Shapes(all, _) => {
                    for data in all {
                        self.mark(MARK);
                        self.out.data.extend(data);
                    }
                }
                Note::Comment(comment) => {
                    self.put_comment(Some(&StoredComment::new(&comment.parts)));
                }
            }
        }
        self.line.next = placed
            .next
            .map(|comment| StoredComment::new(&comment.parts));
    }

    /// Returns what follows the notes before a move: a move that the format cannot store ends the
    /// line.
    fn before_move(&mut self, out: &EncoderOut<'_, 'g>, mv: PackedMove) -> Follows {
        let (board, lines, length) = (out.lines.board(), &out.lines, self.out.moves.len());
        let numbering = lines.numbering();
        let encoded = numbering.encode_readable(lines.state(), board, mv, &mut self.out.moves);
        // Only whether the move has a code matters here; it is written later.
        self.out.moves.truncate(length);
        match encoded {
            Ok(_) => Follows::Move,
            Err(_) => Follows::LineEnd,
        }
    }

    /// Ends the notes after the last move, before anything else.
    fn end_notes(&mut self, out: &mut EncoderOut<'_, 'g>, follows: Follows) {
        let carried = std::mem::take(&mut self.line.carried);
        if !carried.is_empty() {
            self.notes(out, &carried, follows);
        }
        self.put_comment(None);
    }

    /// Writes the end of a line, with the comment after its last move.
    fn end_line(&mut self, out: &mut EncoderOut<'_, 'g>) {
        self.end_notes(out, Follows::LineEnd);
        match self.line.next.take() {
            Some(comment) => {
                self.out.moves.extend([CLOSE, COMMENT]);
                let languages = self.put_text(&comment);
                self.out.data.push(AFTER | languages << 2);
            }
            None => self.out.moves.extend([CLOSE, CLOSE]),
        }
    }
}

impl<'g> LineSink<'g> for EncodingPass<'_, 'g> {
    type Lines = Lines<ScidbNumbering>;

    fn mv(&mut self, out: &mut EncoderOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        // Without notes, what follows does not matter.
        let follows = if self.line.carried.is_empty() {
            Follows::Move
        } else {
            self.before_move(out, mv)
        };
        self.end_notes(out, follows);
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
        // Null moves have a code of their own and need no mark.
        if !self.are_legal && !mv.is_null() && !is_legal(board, mv) {
            self.mark(NAG);
            self.out.data.push(0);
            self.out.has_illegal_move = true;
        }
        self.move_nags.clear();
        self.before = self.line.next.take();
        self.line = OpenLine {
            has_move: true,
            ..OpenLine::default()
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

    // `take` handles all notes.

    fn nag(&mut self, out: &mut EncoderOut<'_, 'g>, nag: u16) {
        out.lose_token(Token::Nag(nag));
    }

    fn comment(&mut self, out: &mut EncoderOut<'_, 'g>, _: CommentOut<'_>) {
        out.lose(LossKind::Comment);
    }

    fn open(&mut self, out: &mut EncoderOut<'_, 'g>) -> Result<(), LossKind> {
        if out.lines.at_line_start() {
            return Err(LossKind::VariationBeforeMove);
        }
        self.put_comment(None);
        self.mark(OPEN);
        self.variations += 1;
        self.move_nags.clear();
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
        rest: &mut impl TokenSource<'g>,
    ) -> bool {
        if !is_note(&token) {
            return false;
        }
        let mut tokens = std::mem::take(&mut self.line.carried);
        let carried = tokens.len();
        tokens.push(token);
        let follows = loop {
            match rest.peek() {
                Some(Token::Move(mv)) => break self.before_move(out, mv),
                Some(Token::Open(_)) => break Follows::Variation,
                Some(Token::Close) | None => break Follows::LineEnd,
                Some(note) => {
                    tokens.push(note);
                    rest.next();
                }
            }
        };
        let is_between = self.line.follows_variation && self.line.has_move;
        if follows == Follows::Variation && (is_between || !self.line.has_move) {
            // The variation before a move is left out, and between two variations there is no
            // place.
            if is_between {
                let moved = tokens.iter().skip(carried);
                moved.for_each(|_| out.lose(LossKind::CommentMoved));
            }
            self.line.carried = tokens;
            return true;
        }
        self.notes(out, &tokens, follows);
        true
    }
}
