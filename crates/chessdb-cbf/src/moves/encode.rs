//! From the tape to bytes: the hot loop of writing.

use chessdb_core::annotation::CommentRun;
use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::cbf::CbfNumbering;
use chessdb_core::{
    Event, Game, Lines, LossKind, Losses, MoveKind, PackedMove, Place, Skip, Start, Text,
};

use super::annotate::Comments;
use crate::extras::{self, FORMAT};
use crate::raw::Header;
use crate::raw::marker::{CLOSE, LAST_COMMENTED, OPEN};
use crate::text::Encoder;

/// Writes moves and comments into buffers that are used again for the next game.
#[derive(Default, Debug)]
pub(crate) struct MoveEncoder {
    /// The moves of the game encoded last.
    pub(crate) moves: Vec<u8>,
    /// Its comment area.
    pub(crate) area: Vec<u8>,
    /// Half-moves of its main line.
    pub(crate) plies: u32,
    comments: Comments,
    lines: Option<Lines<CbfNumbering>>,
    open: Vec<Line>,
    run: CommentRun,
}

/// The entry of the game itself.
const GAME: u32 = 0;

/// A line that is open, and what its comments belong to.
#[derive(Clone, Copy, Default, Debug)]
struct Line {
    /// The entry of its last move; none at the start of a variation.
    entry: Option<u32>,
    /// Whether a variation was closed since that move.
    after_variation: bool,
}

impl MoveEncoder {
    /// Encodes a game's moves.
    pub(crate) fn encode(&mut self, game: &Game, texts: &Encoder, losses: &mut Losses) {
        self.moves.clear();
        self.area.clear();
        self.open.clear();
        self.run.clear();
        let lines = match &mut self.lines {
            Some(lines) => match lines.restart(game) {
                Ok(()) => lines,
                Err(_) => return, // This numbering numbers every position.
            },
            None => match Lines::new(CbfNumbering, game) {
                Ok(lines) => self.lines.insert(lines),
                Err(_) => return,
            },
        };
        self.comments.clear(lines.board().turn().other());
        let chess960 = matches!(&game.head.start, Start::Setup(setup) if setup.chess960);
        let mut pass = Pass {
            moves: &mut self.moves,
            comments: &mut self.comments,
            open: &mut self.open,
            line: Line {
                entry: Some(GAME),
                after_variation: false,
            },
            waiting: Vec::new(),
            lines,
            texts,
            losses,
            chess960,
            plies: 0,
        };
        pass.run(game, &mut self.run);
        self.plies = pass.plies;
        self.comments.write(&mut self.moves, &mut self.area, losses);
    }
}

struct Pass<'p> {
    moves: &'p mut Vec<u8>,
    comments: &'p mut Comments,
    /// The lines that variations interrupt.
    open: &'p mut Vec<Line>,
    line: Line,
    /// Texts, each by its place in the buffer, that wait for the next move.
    waiting: Vec<(usize, usize)>,
    lines: &'p mut Lines<CbfNumbering>,
    texts: &'p Encoder,
    losses: &'p mut Losses,
    chess960: bool,
    plies: u32,
}

impl Pass<'_> {
    fn run(&mut self, game: &Game, run: &mut CommentRun) {
        let mut skip: Option<Skip> = None;
        for event in game.events() {
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
                continue;
            }
            if let Event::Comment(place, text) = event {
                self.comment(place, run.with_text(text));
                continue;
            }
            if let Some(text) = run.take() {
                self.comment(Place::After, text);
            }
            match event {
                Event::Move(mv) => {
                    if let Err(kind) = self.half_move(mv) {
                        self.lose(kind);
                        self.nothing_follows();
                        skip = Some(Skip::REST_OF_LINE);
                    }
                }
                Event::Nag(nag) => self.nag(nag),
                Event::Open(_) => skip = self.open(),
                Event::Close => self.close(),
                Event::Extra(extra) if extra.format == FORMAT => {
                    self.code(extra.field, &extra.bytes);
                }
                event => self.lose_event(&event),
            }
        }
        if let Some(text) = run.take() {
            self.comment(Place::After, text);
        }
        while self.lines.depth() > 0 {
            self.close();
        }
        self.nothing_follows();
    }

    /// Writes a move, or says what is lost with it.
    #[inline]
    fn half_move(&mut self, mv: PackedMove) -> Result<(), LossKind> {
        if self.is_full(1) {
            return Err(LossKind::MovesCut);
        }
        let (state, board) = (self.lines.state(), self.lines.board());
        let at = self.moves.len();
        if CbfNumbering.encode(state, board, mv, self.moves).is_err() {
            return Err(self.fault_kind(mv));
        }
        let closed = self
            .moves
            .last()
            .is_some_and(|number| *number > LAST_COMMENTED);
        let entry = self.comments.entry(at, board.turn(), closed);
        self.line = Line {
            entry: Some(entry),
            after_variation: false,
        };
        self.plies += u32::from(self.lines.depth() == 0);
        self.lines.play(mv);
        if !self.waiting.is_empty() {
            self.attach_waiting();
        }
        Ok(())
    }

    /// Whether this many bytes more would leave no room for the marks that close open lines.
    fn is_full(&self, bytes: usize) -> bool {
        self.moves.len() + self.lines.depth() + bytes > Header::MAX_MOVES
    }

    /// What is lost with a move that the numbering does not have.
    fn fault_kind(&self, mv: PackedMove) -> LossKind {
        match mv.kind() {
            MoveKind::Null => LossKind::NullMove,
            MoveKind::CastleShort | MoveKind::CastleLong if self.chess960 => LossKind::Chess960,
            _ if chessdb_core::rules::is_legal(self.lines.board(), mv) => LossKind::MovesCut,
            _ => LossKind::of_illegal(mv),
        }
    }

    fn comment(&mut self, place: Place, text: Text<'_>) {
        let start = self.comments.bytes().len();
        let changed = self.texts.put_comment(text, self.comments.bytes());
        let end = self.comments.bytes().len();
        if changed {
            self.lose(LossKind::CommentText);
        }
        match self.line.entry {
            // At the start of the game every comment is the game's.
            Some(GAME) if self.lines.ply() == 0 => self.attach(GAME, false, start, end),
            Some(entry) if place == Place::After => {
                self.attach(entry, self.line.after_variation, start, end);
            }
            _ => self.waiting.push((start, end)),
        }
    }

    fn attach(&mut self, entry: u32, moved: bool, start: usize, end: usize) {
        if self.comments.get(entry).is_some_and(|entry| entry.closed) {
            return self.lose(LossKind::Comment);
        }
        if self.comments.has_text(entry) {
            self.lose(LossKind::CommentMerged);
        } else if moved {
            self.lose(LossKind::CommentMoved);
        }
        self.comments.piece(entry, start, end);
    }

    /// Comments that stood before the move just written become its own.
    fn attach_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        for (start, end) in waiting {
            match self.line.entry {
                Some(entry) => self.attach(entry, true, start, end),
                None => self.lose(LossKind::Comment),
            }
        }
    }

    /// Comments that stood before a move that does not come go to the one before them.
    fn nothing_follows(&mut self) {
        self.attach_waiting();
    }

    fn nag(&mut self, nag: u16) {
        let lost = match self.line.entry {
            Some(entry) => self.comments.nag(entry, nag),
            None => Err(LossKind::Nag),
        };
        match lost {
            Err(kind) => self.lose(kind),
            Ok(()) if self.line.after_variation => self.lose(LossKind::NagMoved),
            Ok(()) => {}
        }
    }

    /// A code that its NAG does not give back.
    fn code(&mut self, field: u16, bytes: &[u8]) {
        let slot = field.checked_sub(extras::CODE).map(usize::from);
        let kept = match (self.line.entry, slot, bytes) {
            (Some(entry), Some(slot), &[code]) => self.comments.code(entry, slot, code),
            _ => false,
        };
        if !kept {
            self.lose(LossKind::GameExtra);
        }
    }

    /// Begins a variation, or says that it has to be left out.
    fn open(&mut self) -> Option<Skip> {
        let before_move = self.lines.at_line_start();
        if before_move || self.is_full(3) {
            let kind = match before_move {
                true => LossKind::VariationBeforeMove,
                false => LossKind::Variation,
            };
            self.lose(kind);
            return Some(Skip::VARIATION);
        }
        self.nothing_follows();
        self.lines.open();
        self.moves.push(OPEN);
        self.open.push(self.line);
        self.line = Line::default();
        None
    }

    fn close(&mut self) {
        self.nothing_follows();
        if self.lines.close() {
            self.moves.push(CLOSE);
            self.line = self.open.pop().unwrap_or_default();
            self.line.after_variation = true;
        }
    }

    fn lose(&mut self, kind: LossKind) {
        self.losses.add(kind, Some(self.lines.ply()));
    }

    /// Counts what is lost with an event.
    fn lose_event(&mut self, event: &Event<'_>) {
        self.losses.add_event(event, Some(self.lines.ply()));
    }
}
