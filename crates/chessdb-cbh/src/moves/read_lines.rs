//! Decoding of the codes of a stream to moves in stored order.

use chessdb_core::board::{Facts, Side};
use chessdb_core::error::Location;
use chessdb_core::legacy::cbh::codes::SQUARES;
use chessdb_core::legacy::cbh::{CbhNumbering, CbhPieces, Mode};
use chessdb_core::legacy::{MoveFault, Numbering};
use chessdb_core::limits::OverLimit;
use chessdb_core::report::GameReport;
use chessdb_core::rules::{Referee, is_legal};
use chessdb_core::{Color, ErrorKind, Game, PackedMove, Result, Square, Start};

use super::codes::{Code, CodeReader};
use crate::extras::{self, extra};
use crate::setup::outermost_rook;

/// The moves of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CbhStream<'a> {
    pub(crate) mode: Mode,
    pub(crate) bytes: &'a [u8],
    /// The location of the first move.
    pub(crate) at: Location,
    /// The number of full moves stated in the index; 255 for more.
    pub(crate) full_moves: u8,
}

/// A line: a range of moves in stored order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StoredLine {
    pub(crate) first: u32,
    /// The index after the last readable move.
    pub(crate) end: u32,
    /// The move that the line is an alternative to.
    pub(crate) replaces: u32,
}

impl StoredLine {
    /// The mainline before its first move.
    pub(crate) const EMPTY: StoredLine = StoredLine {
        first: 0,
        end: 0,
        replaces: 0,
    };
}

/// The lines of a game, the mainline first.
#[derive(Debug)]
pub(crate) struct StoredLines<'b> {
    /// Four bytes for each move of the stream: the move and the facts known about it. Unreadable
    /// moves are null moves.
    pub(crate) moves: &'b mut Vec<u8>,
    pub(crate) main: StoredLine,
    pub(crate) others: Vec<StoredLine>,
    /// True if every move was readable.
    pub(crate) complete: bool,
}

impl StoredLines<'_> {
    /// Appends a move with the facts known about it to the moves of a stream.
    #[inline]
    pub(crate) fn put(moves: &mut Vec<u8>, mv: PackedMove, facts: Facts) {
        let [a, b] = mv.bits().to_le_bytes();
        let [c, d] = facts.bits().to_le_bytes();
        moves.extend_from_slice(&[a, b, c, d]);
    }

    /// Returns a move by its index in stored order, and the facts known about it.
    #[inline]
    pub(super) fn mv(&self, number: u32) -> (PackedMove, Facts) {
        let bytes = self.moves.get(MOVE * number as usize..);
        let Some(&[a, b, c, d]) = bytes.and_then(|bytes| bytes.first_chunk()) else {
            return (PackedMove::NULL, Facts::UNKNOWN);
        };
        let mv = PackedMove::from_bits(u16::from_le_bytes([a, b]));
        let facts = Facts::from_bits(u16::from_le_bytes([c, d]));
        (mv.unwrap_or(PackedMove::NULL), facts)
    }

    /// Returns the number of moves in all lines.
    pub(crate) fn len(&self) -> u32 {
        (self.moves.len() / MOVE) as u32
    }

    /// Returns the number of half-moves of the mainline.
    pub(crate) fn plies(&self) -> u32 {
        self.main.end
    }
}

/// The size in bytes of a move with its facts.
const MOVE: usize = 4;

/// Returns the number of full moves of the mainline as the index counts them (section 3), not yet
/// limited to 255.
pub(crate) fn full_moves(plies: u32, first: Color) -> u32 {
    match plies {
        0 => 0,
        plies => (plies + u32::from(first == Color::Black)).div_ceil(2),
    }
}

/// The current position of a line.
#[derive(Clone, Debug)]
struct LineState {
    referee: Referee,
    pieces: CbhPieces,
}

/// The position that the end of a line returns to.
#[derive(Debug)]
enum ReturnMark {
    /// The position before a move, and the index of that move, which the next line replaces.
    Open(Box<LineState>, u32),
    /// The next line depends on an unreadable move.
    Dead,
}

/// A castling right with its rook.
type CastlingRight = (Color, Side, Square);

/// Reads the lines of a game with a known start position; `buffer` is used for the moves. Adds
/// castling rights that the start position lacks.
///
/// # Errors
///
/// Returns an error for the first deviation from the format page in strict mode.
pub(crate) fn read_lines<'b>(
    stream: &CbhStream<'_>,
    buffer: &'b mut Vec<u8>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<StoredLines<'b>> {
    loop {
        let mut reader = Reader::new(stream, std::mem::take(buffer), game, report.options.facts)?;
        let right = reader.run(game, report)?;
        let Reader { lines, line, .. } = reader;
        let DecodedLines {
            moves,
            main,
            others,
            complete,
        } = lines;
        debug_assert!(line.is_none());
        *buffer = moves;
        // A right that has been added is not added again, and there are only four.
        let Some((color, side, rook)) = right else {
            return Ok(StoredLines {
                moves: buffer,
                main,
                others,
                complete,
            });
        };
        if let Start::Setup(setup) = &mut game.header.start {
            setup.board.set_castling_rook(color, side, Some(rook));
        }
        // The next pass adds these again.
        game.header
            .extras
            .retain(|extra| extra.field != extras::NOTHING);
    }
}

/// The lines read so far.
#[derive(Debug)]
struct DecodedLines {
    moves: Vec<u8>,
    main: StoredLine,
    others: Vec<StoredLine>,
    complete: bool,
}

struct Reader<'s> {
    stream: &'s CbhStream<'s>,
    numbering: CbhNumbering,
    /// True if the rules should be evaluated for each move.
    facts: bool,
    codes: CodeReader<'s>,
    first: Color,
    /// The current position; `None` after an unreadable move.
    current: Option<LineState>,
    /// The current line; `None` if it depends on an unreadable move.
    line: Option<StoredLine>,
    marks: Vec<ReturnMark>,
    /// The indexes of unreadable moves.
    unread: Vec<u32>,
    lines: DecodedLines,
}

impl<'s> Reader<'s> {
    fn new(
        stream: &'s CbhStream<'s>,
        mut moves: Vec<u8>,
        game: &Game,
        facts: bool,
    ) -> Result<Reader<'s>> {
        moves.clear();
        let numbering = stream.mode.numbering();
        let board = game.start_board();
        let pieces = numbering.start(&game.header.start)?;
        Ok(Reader {
            stream,
            numbering,
            facts,
            codes: CodeReader::new(stream.mode, stream.bytes),
            first: board.turn(),
            current: Some(LineState {
                // A line returns to a saved position and takes no move back.
                referee: Referee::at(&board).without_take_back(),
                pieces,
            }),
            line: Some(StoredLine::EMPTY),
            marks: Vec::new(),
            unread: Vec::new(),
            lines: DecodedLines {
                moves,
                main: StoredLine::EMPTY,
                others: Vec::new(),
                complete: true,
            },
        })
    }

    fn location(&self, offset: usize) -> Location {
        self.stream.at.plus(offset as u64)
    }

    fn lost(&mut self, kind: ErrorKind, offset: usize, report: &mut GameReport<'_>) -> Result<()> {
        self.lines.complete = false;
        report.lost(kind, self.location(offset))
    }

    /// Reads all lines. Stops at a castling move and returns its right if the start position lacks
    /// it.
    fn run(
        &mut self,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<CastlingRight>> {
        let limits = report.options.limits;
        loop {
            let (offset, number) = (self.codes.offset, self.codes.moves);
            let Some(code) = self.codes.next() else {
                self.check_end(offset, report)?;
                break;
            };
            match code {
                Code::Move(_) if number >= limits.plies => {
                    let over = OverLimit::Plies.into_kind(&limits);
                    self.lost(over, offset, report)?;
                    break;
                }
                Code::Move(bytes) => match self.half_move(&bytes, number) {
                    Ok(()) => {}
                    Err(fault) => {
                        if let Some(right) = self.missing_right(fault, &bytes, game) {
                            let what = "castling without the castling right; the right was added";
                            let kind = ErrorKind::Structure(what);
                            report.repaired(kind, self.location(offset))?;
                            // The caller reads everything again with the new right.
                            self.line = None;
                            return Ok(Some(right));
                        }
                        if self.is_over(game) {
                            let what = "moves after the last one without the end of the line";
                            let kind = ErrorKind::Structure(what);
                            report.repaired(kind, self.location(offset))?;
                            break;
                        }
                        let length = if bytes[0] == SQUARES { 3 } else { 1 };
                        let code_bytes = bytes.get(..length).unwrap_or_default();
                        self.lost(fault.into_kind(code_bytes), offset, report)?;
                        // An unreadable move keeps its number, because annotations count it.
                        self.put(PackedMove::NULL, Facts::UNKNOWN);
                        self.unread.push(number);
                        self.current = None;
                    }
                },
                Code::Push => self.push(number, offset, report)?,
                Code::Pop => {
                    self.close(offset, report)?;
                    if !self.pop(number, offset, report)? {
                        self.check_leftovers(report)?;
                        return Ok(None);
                    }
                }
                Code::Nothing => {
                    let bytes = number.to_be_bytes();
                    game.header.extras.push(extra(extras::NOTHING, &bytes));
                }
                Code::Unused(code) => {
                    let kind = ErrorKind::bad_field("a code in the moves", code);
                    report.repaired(kind, self.location(offset))?;
                }
            }
        }
        self.close(self.codes.offset, report)?;
        Ok(None)
    }

    #[inline]
    fn put(&mut self, mv: PackedMove, facts: Facts) {
        StoredLines::put(&mut self.lines.moves, mv, facts);
    }

    /// Plays a move, or skips it if the position is unknown.
    #[inline]
    fn half_move(&mut self, bytes: &[u8; 3], number: u32) -> std::result::Result<(), MoveFault> {
        let (Some(state), Some(line)) = (&mut self.current, &mut self.line) else {
            self.put(PackedMove::NULL, Facts::UNKNOWN);
            return Ok(());
        };
        let LineState { referee, pieces } = state;
        let (mv, _) = self.numbering.decode(pieces, referee.board(), bytes)?;
        let (facts, played) = if self.facts {
            referee.judge_and_play(mv)
        } else {
            (Facts::UNKNOWN, referee.play(mv, Facts::UNKNOWN))
        };
        self.numbering.play(pieces, referee.board(), mv, &played);
        line.end = number + 1;
        self.put(mv, facts);
        Ok(())
    }

    /// Saves the position for an alternative to the next move (section 6.5).
    fn push(&mut self, number: u32, offset: usize, report: &mut GameReport<'_>) -> Result<()> {
        let limits = &report.options.limits;
        if self.marks.len() >= limits.depth as usize && self.current.is_some() {
            // A mark is saved all the same, so that each end of a line has one.
            let over = OverLimit::Depth.into_kind(limits);
            self.marks.push(ReturnMark::Dead);
            return self.lost(over, offset, report);
        }
        let mark = match (&self.current, self.line) {
            // A second alternative to the move that this line replaces.
            (Some(current), Some(line)) if line.first == number && !self.in_main() => {
                ReturnMark::Open(Box::new(current.clone()), line.replaces)
            }
            (Some(current), Some(_)) => ReturnMark::Open(Box::new(current.clone()), number),
            _ => ReturnMark::Dead,
        };
        self.marks.push(mark);
        Ok(())
    }

    /// Returns true if the mainline, which comes first, is being read.
    fn in_main(&self) -> bool {
        self.line.is_some_and(|line| line.first == 0) && self.lines.main == StoredLine::EMPTY
    }

    /// Continues with the most recently saved position. Returns false if there is none.
    fn pop(&mut self, number: u32, offset: usize, report: &mut GameReport<'_>) -> Result<bool> {
        let Some(mark) = self.marks.pop() else {
            return Ok(false);
        };
        match mark {
            ReturnMark::Open(state, replaces) if !self.unread.contains(&replaces) => {
                self.current = Some(*state);
                self.line = Some(StoredLine {
                    first: number,
                    end: number,
                    replaces,
                });
            }
            mark => {
                (self.current, self.line) = (None, None);
                if let ReturnMark::Open(..) = mark {
                    let kind = ErrorKind::Structure("a variation without a move to replace");
                    self.lost(kind, offset, report)?;
                }
            }
        }
        Ok(true)
    }

    /// Stores the line that has ended.
    fn close(&mut self, offset: usize, report: &mut GameReport<'_>) -> Result<()> {
        let in_main = self.in_main();
        match self.line.take() {
            Some(line) if in_main => self.lines.main = line,
            Some(line) if line.first < line.end => self.lines.others.push(line),
            Some(_) if self.current.is_some() => {
                let kind = ErrorKind::Structure("a variation without moves");
                report.note(kind, self.location(offset))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Reports that the data end before the last line does (section 6.7).
    fn check_end(&mut self, offset: usize, report: &mut GameReport<'_>) -> Result<()> {
        if !self.marks.is_empty() || self.current.is_none() {
            let kind = ErrorKind::Structure("the game ends inside a variation");
            return self.lost(kind, offset, report);
        }
        if self.codes.may_end() {
            return Ok(());
        }
        let kind = ErrorKind::Structure("the end of the last line is missing");
        report.repaired(kind, self.location(offset))
    }

    /// Reports bytes after the end.
    fn check_leftovers(&self, report: &mut GameReport<'_>) -> Result<()> {
        if self.codes.left() == 0 {
            return Ok(());
        }
        let kind = ErrorKind::Structure("bytes after the end of the moves");
        report.note(kind, self.location(self.codes.offset))
    }

    /// Returns true if the game is over although its stream continues, because the index counts no
    /// more moves (section 6.7). The rest may look like moves by chance, so the first illegal move
    /// is decisive.
    fn is_over(&mut self, game: &Game) -> bool {
        let expected = u32::from(self.stream.full_moves);
        // 255 also means any larger number. Only the mainline is counted, and an open variation
        // must still end.
        if expected >= 255 || !self.marks.is_empty() || !self.in_main() {
            return false;
        }
        let Some(line) = &mut self.line else {
            return false;
        };
        if full_moves(line.end, self.first) == expected {
            return true;
        }
        let mut board = game.start_board();
        let (moves, _) = self.lines.moves.as_chunks::<MOVE>();
        for (ply, &[a, b, ..]) in (0..).zip(moves) {
            let mv = PackedMove::from_bits(u16::from_le_bytes([a, b]));
            let Some(mv) = mv.filter(|&mv| is_legal(&board, mv)) else {
                let is_over = full_moves(ply, self.first) == expected;
                if is_over {
                    line.end = ply;
                }
                return is_over;
            };
            board.play(mv);
        }
        false
    }

    /// Returns the right that a castling move lacks, if king and rook are on their initial squares
    /// (section 5.1).
    fn missing_right(
        &self,
        fault: MoveFault,
        bytes: &[u8; 3],
        game: &Game,
    ) -> Option<CastlingRight> {
        let Start::Setup(setup) = &game.header.start else {
            return None;
        };
        let state = self
            .current
            .as_ref()
            .filter(|_| fault == MoveFault::NoCastling)?;
        let color = state.referee.board().turn();
        let king = state.referee.board().king(color)?;
        Side::ALL.into_iter().find_map(|side| {
            let rook = if setup.chess960 {
                outermost_rook(state.referee.board(), color, side)?
            } else {
                let file = if side == Side::Short { 7 } else { 0 };
                Square::from_coords(file, color.rank(0))?
            };
            let start = &setup.board;
            let began = start.king(color) == Some(king)
                && start.piece_at(rook) == state.referee.board().piece_at(rook)
                && start.castling_rook(color, side).is_none()
                && (setup.chess960 || king.file() == 4);
            // With the right the same code must be the castling move, or something else is missing.
            let mut board = state.referee.board().clone();
            board.set_castling_rook(color, side, Some(rook).filter(|_| began));
            let read = self.numbering.decode(&state.pieces, &board, bytes);
            read.is_ok_and(|(mv, _)| mv.castling_side() == Some(side))
                .then_some((color, side, rook))
        })
    }
}
