//! From the tape to codes: the hot loop of writing.

use chessdb_core::commands::{self, Command, EvalValue};
use chessdb_core::legacy::ca::{CaNumbering, EN_PASSANT};
use chessdb_core::legacy::{MoveFault, Numbering as _};
use chessdb_core::{
    Charset, Event, Extra, Game, Lines, LossKind, Losses, MoveKind, PackedMove, Place, Start, Text,
    rules,
};

use super::start::put_start;
use crate::extras;
use crate::guesses::Guesses;
use crate::raw::{Comment, RecordBytes, code};
use crate::symbols::{DIAGRAM, nag_of_symbol, nag_of_text, put_nag_text, symbol_of_nag};
use crate::text::Encoder;

/// How much of a game is written; what does not fit into a record is left out in this order
/// (section 7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Detail {
    /// Moves only.
    Mainline,
    /// Moves and variations with their symbols.
    Variations,
    /// All but evaluations.
    Comments,
    /// Everything.
    All,
}

/// A record is too long for its length to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLong;

/// Writes codes into a buffer that is used again for the next game.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The codes of the game encoded last.
    pub(crate) body: Vec<u8>,
    lines: Option<Lines<CaNumbering>>,
}

impl MoveEncoder {
    /// Encodes a game whose start position can be stored ([`super::storable_start`]).
    ///
    /// # Errors
    ///
    /// [`TooLong`]; the losses then mean nothing.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        texts: &mut Encoder,
        guesses: &Guesses,
        detail: Detail,
        losses: &mut Losses,
    ) -> Result<(), TooLong> {
        self.body.clear();
        // The same numbering serves all games of a writer.
        let lines = match &mut self.lines {
            Some(lines) => lines.restart(game).map(|()| lines),
            None => Lines::new(guesses.numbering, game).map(|lines| self.lines.insert(lines)),
        };
        let Ok(lines) = lines else {
            return Err(TooLong);
        };
        if let Start::Setup(setup) = &game.head.start {
            let start = put_start(setup, lines.state(), losses);
            self.body.push(code::START);
            self.body.extend(start.to_bytes());
        }
        let begun = self.body.len();
        let pass = Pass {
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
    /// Where what belongs to the last move begins: comments before it, its mark, its code.
    move_at: usize,
    /// Where its mark or code begins.
    code_at: usize,
    /// Where what belongs before the next move begins, once something does.
    next_at: Option<usize>,
    /// Whether there is a move.
    begun: bool,
    /// Whether a variation has closed since the last move.
    after_variation: bool,
    /// How many NAGs of the next move stand before it.
    nags_before: u8,
    /// How many of the last move's first NAGs still do.
    nags_due: u8,
    /// How many comments would become ones before the next move, should one come.
    moved: u32,
}

impl Line {
    fn new(at: usize) -> Line {
        Line {
            move_at: at,
            code_at: at,
            next_at: None,
            begun: false,
            after_variation: false,
            nags_before: 0,
            nags_due: 0,
            moved: 0,
        }
    }
}

/// What is being left out.
#[derive(Clone, Copy)]
struct Skip {
    depth: u32,
    /// Whether the line that the skipping ends with has been opened in the record.
    opened: bool,
    /// Whether moves are counted: not where a whole variation is left out.
    moves: bool,
}

struct Pass<'p, 'g> {
    out: &'p mut Vec<u8>,
    lines: &'p mut Lines<CaNumbering>,
    texts: &'p mut Encoder,
    guesses: &'p Guesses,
    detail: Detail,
    losses: &'p mut Losses,
    line: Line,
    /// The lines that variations interrupted, and where those begin.
    frames: Vec<(Line, usize)>,
    /// Commands that belong to the comment that comes next.
    run: Vec<Event<'g>>,
    /// Whether a reader would take a text that comes next for the rest of the last comment.
    run_open: bool,
}

/// How a comment ends that may begin with commands.
#[derive(Clone, Copy)]
enum End<'g> {
    /// With a text.
    Text(Place, Text<'g>),
    /// With a mark that it is over.
    Mark(Place),
    /// Something else comes.
    None,
}

impl<'g> Pass<'_, 'g> {
    fn run(mut self, game: &'g Game) -> Result<(), TooLong> {
        let most = match self.guesses.long_lengths {
            crate::raw::LongLengths::TwoBytes => RecordBytes::MAX_LENGTH,
            crate::raw::LongLengths::Leb128 => (1 << 28) - 1,
        };
        let mut skip: Option<Skip> = None;
        let mut events = game.moves.tokens().zip(game.events()).peekable();
        while let Some((token, event)) = events.next() {
            if self.out.len() > most {
                return Err(TooLong);
            }
            if let Some(skipped) = &mut skip {
                if self.skip(skipped, &event) {
                    continue;
                }
                if skipped.opened {
                    self.close();
                }
                skip = None;
                continue;
            }
            if event.is_command() {
                self.run.push(event);
                continue;
            }
            if let Event::Comment(place, text) = event {
                let absent = matches!(token, chessdb_core::Token::Comment(_, id) if id.is_none());
                let next = events.peek().map(|(_, event)| event);
                let end = if absent {
                    End::Mark(place)
                } else {
                    End::Text(place, text)
                };
                self.end_run(end, next);
                continue;
            }
            self.end_run(End::None, None);
            match event {
                Event::Move(mv) => {
                    if self.half_move(mv).is_err() {
                        self.losses.add(fault_kind(mv), Some(self.lines.ply()));
                        skip = Some(Skip {
                            depth: 0,
                            opened: true,
                            moves: true,
                        });
                    }
                }
                Event::Nag(nag) => {
                    let diagram = events
                        .next_if(|(_, next)| nag == DIAGRAM && is_diagram(next))
                        .map(|(_, event)| event);
                    self.nag(nag, diagram);
                }
                Event::Open(_) if !self.line.begun => {
                    self.lose(LossKind::VariationBeforeMove);
                    skip = Some(Skip {
                        depth: 0,
                        opened: false,
                        moves: true,
                    });
                }
                Event::Open(_) if self.detail < Detail::Variations => {
                    self.lose(LossKind::Variation);
                    skip = Some(Skip {
                        depth: 0,
                        opened: false,
                        moves: false,
                    });
                }
                Event::Open(_) => {
                    self.lines.open();
                    self.frames.push((self.line, self.out.len()));
                    self.out.push(code::OPEN);
                    self.line = Line::new(self.out.len());
                    self.run_open = false;
                }
                Event::Close => self.close(),
                Event::Outcome(_) => self.lose(LossKind::MoveResult),
                Event::Fault(..) => self.lose(LossKind::Fault),
                Event::Extra(_) => self.lose(LossKind::GameExtra),
                Event::Comment(..) | Event::Clock(_) | Event::Eval(_) | Event::Shapes(_) => {}
            }
        }
        self.end_run(End::None, None);
        while !self.frames.is_empty() {
            self.close();
        }
        if self.out.len() > most {
            Err(TooLong)
        } else {
            Ok(())
        }
    }

    #[inline]
    fn half_move(&mut self, mv: PackedMove) -> Result<(), MoveFault> {
        let (state, board) = (self.lines.state(), self.lines.board());
        let numbering = self.lines.numbering();
        let start = self.out.len();
        numbering.encode(state, board, mv, self.out)?;
        // Only what is read as the same move is written: castling from the e-file, and so on.
        let bytes = self.out.get(start..).unwrap_or_default();
        let read = numbering.decode(state, board, bytes);
        if !matches!(read, Ok((back, _)) if back == mv) || !rules::is_legal(board, mv) {
            self.out.truncate(start);
            return Err(read.err().unwrap_or(MoveFault::NoCode));
        }
        let moved = self.line.moved;
        self.losses
            .add_many(LossKind::CommentMoved, moved, Some(self.lines.ply()));
        self.line = Line {
            move_at: self.line.next_at.unwrap_or(start),
            code_at: start,
            begun: true,
            nags_due: self.line.nags_before,
            ..Line::new(start)
        };
        self.lines.play(mv);
        self.run_open = false;
        Ok(())
    }

    /// Ends a variation and puts it before the move that it replaces.
    fn close(&mut self) {
        let Some((mut line, start)) = self.frames.pop() else {
            return;
        };
        self.lines.close();
        self.out.push(code::CLOSE);
        let length = self.out.len() - start;
        if let Some(moved) = self.out.get_mut(line.move_at..) {
            moved.rotate_right(length);
        }
        line.move_at += length;
        line.code_at += length;
        line.next_at = line.next_at.map(|at| at + length);
        line.after_variation = true;
        // A NAG behind a variation no longer stands before its move.
        line.nags_due = 0;
        self.line = line;
        self.run_open = false;
    }

    fn nag(&mut self, nag: u16, diagram: Option<Event<'_>>) {
        if let Some(Event::Extra(Extra {
            field: extras::DIAGRAM_BEFORE,
            bytes,
            ..
        })) = diagram
        {
            self.begin_before();
            Comment::put(9, bytes, self.out);
            self.run_open = true;
            return;
        }
        if self.line.after_variation || self.line.next_at.is_some() && self.line.begun {
            self.lose(LossKind::NagMoved);
        }
        self.run_open = false;
        let symbol = symbol_of_nag(nag, self.guesses.symbols);
        let due = std::mem::take(&mut self.line.nags_due);
        match (symbol, diagram) {
            (Some(symbol), _) if due > 0 => {
                let mut before = Vec::with_capacity(5);
                Comment::put(3, symbol, &mut before);
                let length = before.len();
                self.out
                    .splice(self.line.code_at..self.line.code_at, before);
                self.line.code_at += length;
                self.line.nags_due = due - 1;
            }
            (Some(symbol), _) => Comment::put(2, symbol, self.out),
            (None, Some(Event::Extra(extra))) => {
                Comment::put(8, &extra.bytes, self.out);
                self.run_open = true;
            }
            (None, _) if nag == DIAGRAM => Comment::put_text(8, &[], self.out),
            (None, _) => {
                let mut text = Vec::with_capacity(6);
                put_nag_text(nag, &mut text);
                Comment::put_text(4, &text, self.out);
            }
        }
    }

    /// From here on everything belongs before the next move.
    fn begin_before(&mut self) {
        if self.line.next_at.is_none() {
            self.line.next_at = Some(self.out.len());
            self.run_open &= !self.line.begun;
        }
    }

    /// Whether what comes now can no longer stand behind the last move.
    fn is_before(&self) -> bool {
        self.line.after_variation || self.line.next_at.is_some()
    }

    /// Writes the commands that have been collected, and what follows them as one comment.
    fn end_run(&mut self, end: End<'g>, next: Option<&Event<'_>>) {
        if self.run.is_empty() && matches!(end, End::None) {
            return;
        }
        let mut run = std::mem::take(&mut self.run);
        self.leave_out(&mut run);
        self.line.nags_due = 0;
        let mut rest = run.as_slice();
        let place = match end {
            End::Text(place, _) | End::Mark(place) => Some(place),
            End::None => None,
        };
        if place == Some(Place::Before) && self.line.begun {
            self.begin_before();
        }
        // What has a code of its own gets it, as long as nothing stands before that has none.
        while let [first, tail @ ..] = rest {
            let (next, merged) = match tail {
                [next, behind @ ..] if is_tail(first, next) => (Some(next), behind),
                _ => (None, tail),
            };
            if !self.item(first, next) {
                break;
            }
            rest = merged;
        }
        match end {
            End::Text(place, text) => self.comment(rest, place, Some(text)),
            _ if !rest.is_empty() => {
                let place = place.unwrap_or(if self.line.begun {
                    Place::After
                } else {
                    Place::Before
                });
                self.comment(rest, place, None);
            }
            End::Mark(_) => self.mark_end(next),
            End::None => {}
        }
        run.clear();
        self.run = run;
    }

    /// Drops what the level of detail leaves out.
    fn leave_out(&mut self, run: &mut Vec<Event<'g>>) {
        if self.detail == Detail::All || run.is_empty() {
            return;
        }
        let all = self.detail < Detail::Comments;
        let ply = Some(self.lines.ply());
        run.retain(|event| {
            let kind = match event {
                Event::Eval(_) => LossKind::Eval,
                Event::Extra(extra) if extra.field == extras::EVAL_TAIL => LossKind::GameExtra,
                Event::Extra(_) if all => LossKind::GameExtra,
                Event::Clock(_) if all => LossKind::Clock,
                Event::Shapes(_) if all => LossKind::Shapes,
                _ => return true,
            };
            self.losses.add(kind, ply);
            false
        });
    }

    /// Writes an evaluation or an extra with a code of its own; false if it has none here.
    fn item(&mut self, event: &Event<'_>, next: Option<&Event<'_>>) -> bool {
        match event {
            Event::Eval(eval) if !self.is_before() => {
                let EvalValue::Centipawns(value) = eval.value else {
                    return false;
                };
                let (Ok(value), None) = (i16::try_from(value), eval.depth) else {
                    return false;
                };
                let mut payload = value.to_le_bytes().to_vec();
                match next {
                    Some(Event::Extra(tail)) => payload.extend_from_slice(&tail.bytes),
                    _ => payload.extend([0xFF, 0]),
                }
                Comment::put(29, &payload, self.out);
                self.run_open = true;
                true
            }
            Event::Extra(extra) => self.extra(extra),
            _ => false,
        }
    }

    fn extra(&mut self, extra: &Extra) -> bool {
        let bytes = &extra.bytes;
        match (extra.field, &**bytes) {
            (extras::NAGS_BEFORE, &[count]) => {
                self.begin_before();
                self.line.nags_before = count;
            }
            (extras::SYMBOL_BEFORE, _) => {
                self.begin_before();
                Comment::put(3, bytes, self.out);
            }
            _ if self.is_before() => return false,
            (extras::UNKNOWN_CODE, &[byte]) => self.out.extend([code::UNKNOWN, byte]),
            (field, _) => match u8::try_from(field) {
                Ok(kind) if self.is_raw(kind, bytes) => Comment::put(kind, bytes, self.out),
                _ => {
                    // Without what it belongs to it says nothing.
                    self.lose(LossKind::GameExtra);
                    return true;
                }
            },
        }
        self.run_open = true;
        true
    }

    /// Whether a comment of this type is read as bytes again.
    fn is_raw(&self, kind: u8, payload: &[u8]) -> bool {
        match kind {
            2 => nag_of_symbol(payload, self.guesses.symbols).is_none(),
            29 => !matches!(payload.len(), 4 | 7),
            3..=5 | 8 | 9 => false,
            _ => true,
        }
    }

    /// Says that a comment of commands alone is over, where a reader would go on with it.
    fn mark_end(&mut self, next: Option<&Event<'_>>) {
        let before = self.is_before() || !self.line.begun;
        let merges = match next {
            Some(Event::Comment(place, _)) => *place == Place::After || before,
            Some(event) => event.is_command() && (before || !is_before_kind(event)),
            None => false,
        };
        if self.run_open && merges {
            let kind = self.text_kind(before);
            Comment::put_text(kind, &[], self.out);
        }
        self.run_open = false;
    }

    /// The type of a text: the one before the first move of a game is written as one after it, as
    /// there is no move that it would have to wait for.
    fn text_kind(&self, before: bool) -> u8 {
        let at_start = !self.line.begun && self.frames.is_empty() && !self.is_before();
        if before && !at_start { 5 } else { 4 }
    }

    /// Writes a comment of commands and text.
    fn comment(&mut self, commands: &[Event<'g>], place: Place, text: Option<Text<'g>>) {
        if self.detail < Detail::Comments {
            self.lose(LossKind::Comment);
            return;
        }
        let (bytes, charset) = match text {
            Some(text) => (text.as_bytes(), text.charset()),
            None => (&[][..], Charset::UTF_8),
        };
        let mut whole = Vec::new();
        let bytes = if commands.is_empty() {
            bytes
        } else {
            commands::render(commands.iter().filter_map(command), bytes, &mut whole);
            &whole
        };
        if bytes.is_empty() && self.run_open {
            // It says no more than that the commands before it are a comment.
            let kind = self.text_kind(self.is_before() || !self.line.begun);
            Comment::put_text(kind, &[], self.out);
            self.run_open = false;
            return;
        }
        let before = place == Place::Before || self.is_before() || !self.line.begun;
        if place == Place::After && before && text.is_some() {
            match self.line.begun {
                true => self.line.moved += 1,
                false => self.lose(LossKind::CommentMoved),
            }
        }
        if before && self.line.begun {
            self.begin_before();
        }
        let mut stored = Vec::with_capacity(bytes.len());
        if self.texts.put(Text::new(bytes, charset), &mut stored) {
            self.lose(LossKind::CommentText);
        }
        let kind = self.text_kind(before);
        if kind == 4 && nag_of_text(&stored).is_some() {
            // In the usual envelope it would be taken for a NAG.
            Comment::put_long(kind, &stored, self.out);
        } else {
            Comment::put_text(kind, &stored, self.out);
        }
        self.run_open = false;
    }

    fn lose(&mut self, kind: LossKind) {
        self.losses.add(kind, Some(self.lines.ply()));
    }

    /// Counts an event that is left out; false if it ends the skipping.
    fn skip(&mut self, skip: &mut Skip, event: &Event<'_>) -> bool {
        match event {
            Event::Open(_) => {
                skip.depth += 1;
                self.lose(LossKind::Variation);
            }
            Event::Close if skip.depth == 0 => return false,
            Event::Close => skip.depth -= 1,
            Event::Move(_) if skip.moves => self.lose(LossKind::MovesCut),
            Event::Move(_) => {}
            Event::Nag(_) => self.lose(LossKind::Nag),
            Event::Comment(..) => self.lose(LossKind::Comment),
            Event::Clock(_) => self.lose(LossKind::Clock),
            Event::Eval(_) => self.lose(LossKind::Eval),
            Event::Shapes(_) => self.lose(LossKind::Shapes),
            Event::Outcome(_) => self.lose(LossKind::MoveResult),
            Event::Fault(..) => self.lose(LossKind::Fault),
            Event::Extra(_) => self.lose(LossKind::GameExtra),
        }
        true
    }
}

fn command<'g>(event: &Event<'g>) -> Option<Command<'g>> {
    Some(match *event {
        Event::Clock(clock) => Command::Clock(clock),
        Event::Eval(eval) => Command::Eval(eval),
        Event::Shapes(shapes) => Command::Shapes(shapes),
        Event::Extra(extra) => Command::Extra {
            format: extra.format,
            field: extra.field,
            bytes: &extra.bytes,
        },
        _ => return None,
    })
}

/// Whether an event is the rest of a diagram.
fn is_diagram(event: &Event<'_>) -> bool {
    let Event::Extra(extra) = event else {
        return false;
    };
    extra.format == extras::FORMAT
        && (extra.field == extras::DIAGRAM_BEFORE
            || extra.field == extras::DIAGRAM_AFTER && !extra.bytes.is_empty())
}

/// Whether an event is the rest of the evaluation before it.
fn is_tail(first: &Event<'_>, next: &Event<'_>) -> bool {
    let (Event::Eval(_), Event::Extra(extra)) = (first, next) else {
        return false;
    };
    extra.field == extras::EVAL_TAIL
        && matches!(extra.bytes.len(), 2 | 5)
        && *extra.bytes != [0xFF, 0]
}

/// Whether an extra belongs before the next move.
fn is_before_kind(event: &Event<'_>) -> bool {
    let kinds = [
        extras::NAGS_BEFORE,
        extras::SYMBOL_BEFORE,
        extras::DIAGRAM_BEFORE,
    ];
    matches!(event, Event::Extra(extra) if kinds.contains(&extra.field))
}

/// What is lost with a move that has no code.
fn fault_kind(mv: PackedMove) -> LossKind {
    match mv.kind() {
        MoveKind::GhostEnPassant => LossKind::GhostEnPassant,
        _ => LossKind::IllegalMove,
    }
}

/// The mark stands directly before the code of its move.
const _: () = assert!(EN_PASSANT == 210);
