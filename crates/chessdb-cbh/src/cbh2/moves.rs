//! Decoding of the words of a game to moves in stored order (docs/formats/2cbh.md, section 5).
//!
//! The stream contains each line as a whole. The position before a move with another alternative is
//! pushed on a stack; the end of a line returns to the position that was pushed last.

use chessdb_core::board::Facts;
use chessdb_core::error::Location;
use chessdb_core::legacy::cbh2::{CastlingWords, WordFault, read};
use chessdb_core::limits::OverLimit;
use chessdb_core::report::GameReport;
use chessdb_core::rules::Referee;
use chessdb_core::sorting::sort_by_key;
use chessdb_core::{ErrorKind, Game, PackedMove, Result};

use crate::moves::{StoredLine, StoredLines, replacing};

/// The null move.
const NULL: u16 = 0xFFFA;
/// The move before this word has another alternative, which is stored later.
const BRANCH: u16 = 0xFFFD;
/// The end of a line.
const END: u16 = 0xFFFF;

/// The moves of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordStream<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) castling: CastlingWords,
    /// The location of the first word.
    pub(super) at: Location,
}

/// Returns little-endian words.
pub(super) fn words(stored: &[[u8; 2]]) -> impl Iterator<Item = u16> + Clone + '_ {
    stored.iter().map(|bytes| u16::from_le_bytes(*bytes))
}

/// The position that the end of a line returns to.
struct Branch {
    /// The position before the move; `None` if it is unknown.
    position: Option<Box<Referee>>,
    /// The move that the next line replaces.
    replaces: u32,
}

/// The lines of a game as the words divide them, including moves that cannot be read. The mainline
/// is the first.
#[derive(Debug)]
pub(super) struct WordLines(Vec<StoredLine>);

impl WordLines {
    /// Returns the indexes of all moves, in stored order, in the order of PGN: an alternative
    /// follows the move that it replaces. `None` if both orders are equal.
    pub(super) fn pgn_order(&self) -> Option<Vec<u32>> {
        let (main, variations_in_file) = self.0.split_first()?;
        if variations_in_file.is_empty() {
            return None;
        }
        let mut others = variations_in_file.to_vec();
        // The sort is stable: alternatives to the same move keep their order.
        sort_by_key(&mut others, |line| line.replaces);
        let mut order = Vec::new();
        let mut outer = Vec::new();
        let (mut line, mut variations) = (main.first..main.end, 0..0);
        loop {
            if let Some(variation) = variations.next().and_then(|index: usize| others.get(index)) {
                outer.push((line, variations));
                (line, variations) = (variation.first..variation.end, 0..0);
            } else if let Some(number) = line.next() {
                order.push(number);
                variations = replacing(&others, number);
            } else if let Some(interrupted) = outer.pop() {
                (line, variations) = interrupted;
            } else {
                return Some(order);
            }
        }
    }
}

/// Reads the lines of a game with a known start position; `buffer` is used for the moves.
///
/// # Errors
///
/// Returns an error for the first deviation from the format page in strict mode.
pub(super) fn read_words<'b>(
    stream: &WordStream<'_>,
    buffer: &'b mut Vec<u8>,
    game: &Game,
    report: &mut GameReport<'_>,
) -> Result<(StoredLines<'b>, WordLines)> {
    buffer.clear();
    let (stored, _) = stream.bytes.as_chunks();
    let mut reader = WordReader {
        stream,
        words: stored,
        read: 0,
        count: 0,
        current: Some(Referee::at(&game.start_board()).without_take_back()),
        line: StoredLine::EMPTY,
        end: 0,
        branches: Vec::new(),
        moves: buffer,
        others: Vec::new(),
        all: WordLines(Vec::new()),
        main: StoredLine::EMPTY,
        complete: true,
    };
    reader.run(report)?;
    let WordReader {
        moves,
        main,
        others,
        complete,
        all,
        ..
    } = reader;
    let lines = StoredLines {
        moves,
        main,
        others,
        complete,
    };
    Ok((lines, all))
}

struct WordReader<'s, 'b> {
    stream: &'s WordStream<'s>,
    words: &'s [[u8; 2]],
    /// The number of words read.
    read: usize,
    /// The number of moves read, including those that cannot be played.
    count: u32,
    /// The current position; `None` after a move that cannot be read.
    current: Option<Referee>,
    /// The current line up to the last move that was played.
    line: StoredLine,
    /// The index after the last move of the current line, played or not.
    end: u32,
    branches: Vec<Branch>,
    moves: &'b mut Vec<u8>,
    main: StoredLine,
    others: Vec<StoredLine>,
    all: WordLines,
    complete: bool,
}

impl WordReader<'_, '_> {
    /// Returns the location of a word.
    fn location(&self, index: usize) -> Location {
        self.stream.at.plus(2 * index as u64)
    }

    #[cold]
    fn lost(&mut self, kind: ErrorKind, index: usize, report: &mut GameReport<'_>) -> Result<()> {
        self.complete = false;
        report.lost(kind, self.location(index))
    }

    fn run(&mut self, report: &mut GameReport<'_>) -> Result<()> {
        let max_moves = report.options.limits.plies;
        loop {
            let index = self.read;
            let Some(word) = self
                .words
                .get(index)
                .map(|bytes| u16::from_le_bytes(*bytes))
            else {
                self.close(index, report)?;
                return self.check_end(index, report);
            };
            self.read += 1;
            match word {
                END => {
                    self.close(index, report)?;
                    if !self.return_to_branch() {
                        return self.check_leftovers(report);
                    }
                }
                BRANCH => {
                    let what = "the mark of an alternative without a move";
                    self.lost(ErrorKind::Structure(what), index, report)?;
                    // The mark is counted all the same, so that each end of a line has one.
                    self.branches.push(Branch {
                        position: None,
                        replaces: self.count,
                    });
                }
                _ if self.count >= max_moves => {
                    let over = OverLimit::Plies.into_kind(&report.options.limits);
                    self.close(index, report)?;
                    return self.lost(over, index, report);
                }
                word => self.half_move(word, index, report)?,
            }
        }
    }

    /// Reads a move and the marks after it.
    #[inline]
    fn half_move(&mut self, word: u16, index: usize, report: &mut GameReport<'_>) -> Result<()> {
        let number = self.count;
        self.count += 1;
        let next = self.words.get(self.read).copied();
        // The mark follows the move, but means the position before it.
        if next.map(u16::from_le_bytes) == Some(BRANCH) {
            self.branch(number, report)?;
        }
        self.end = self.count;
        let Some(referee) = &mut self.current else {
            // A move that cannot be played keeps its number, because annotations count it.
            StoredLines::put(self.moves, PackedMove::NULL, Facts::UNKNOWN);
            return Ok(());
        };
        match play(word, referee, self.stream.castling) {
            Ok((mv, facts)) => {
                self.line.end = self.count;
                StoredLines::put(self.moves, mv, facts);
                Ok(())
            }
            Err(fault) => {
                StoredLines::put(self.moves, PackedMove::NULL, Facts::UNKNOWN);
                self.current = None;
                if let Some(branch) = self.branches.last_mut()
                    && branch.replaces == number
                {
                    // An alternative needs a move that it replaces.
                    branch.position = None;
                }
                let kind = ErrorKind::BadMove {
                    found: format!("word {word:04x}").into(),
                    why: fault.why(),
                };
                self.lost(kind, index, report)
            }
        }
    }

    /// Saves the position before a move that has another alternative.
    #[cold]
    fn branch(&mut self, number: u32, report: &mut GameReport<'_>) -> Result<()> {
        let index = self.read;
        self.read += 1;
        // The next alternative to the move that this line replaces.
        let is_first = number == self.line.first && !self.all.0.is_empty();
        let replaces = if is_first { self.line.replaces } else { number };
        let is_within = self.branches.len() < report.options.limits.depth as usize;
        let position = self.current.clone().filter(|_| is_within).map(Box::new);
        self.branches.push(Branch { position, replaces });
        if !is_within && self.current.is_some() {
            let over = OverLimit::Depth.into_kind(&report.options.limits);
            return self.lost(over, index, report);
        }
        Ok(())
    }

    /// Stores the line that has ended.
    fn close(&mut self, index: usize, report: &mut GameReport<'_>) -> Result<()> {
        let is_main = self.all.0.is_empty();
        self.all.0.push(StoredLine {
            end: self.end,
            ..self.line
        });
        match (is_main, self.line) {
            (true, line) => self.main = line,
            (_, line) if line.first < line.end => self.others.push(line),
            _ if self.current.is_some() => {
                let kind = ErrorKind::Structure("a variation without moves");
                report.note(kind, self.location(index))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Continues with the position that was saved last. Returns false if there is none.
    fn return_to_branch(&mut self) -> bool {
        let Some(Branch { position, replaces }) = self.branches.pop() else {
            return false;
        };
        self.current = position.map(|position| *position);
        self.end = self.count;
        self.line = StoredLine {
            first: self.count,
            end: self.count,
            replaces,
        };
        true
    }

    /// Reports that the words end before the last line does.
    fn check_end(&mut self, index: usize, report: &mut GameReport<'_>) -> Result<()> {
        let what = if self.branches.is_empty() {
            "the end of the last line is missing"
        } else {
            "the game ends inside a variation"
        };
        self.lost(ErrorKind::Structure(what), index, report)
    }

    /// Reports words after the end.
    fn check_leftovers(&mut self, report: &mut GameReport<'_>) -> Result<()> {
        if 2 * self.read == self.stream.bytes.len() {
            return Ok(());
        }
        let kind = ErrorKind::Structure("bytes after the end of the moves");
        report.note(kind, self.location(self.read))
    }
}

/// Plays a move and returns it with the facts about it.
#[inline]
fn play(
    word: u16,
    referee: &mut Referee,
    castling: CastlingWords,
) -> std::result::Result<(PackedMove, Facts), WordFault> {
    if word == NULL {
        referee.play(PackedMove::NULL, Facts::UNKNOWN);
        return Ok((PackedMove::NULL, Facts::UNKNOWN));
    }
    let mv = read(word, referee.board(), castling)?;
    // A legal move has facts.
    match referee.judge_and_play(mv) {
        (facts, _) if facts.are_known() => Ok((mv, facts)),
        _ => Err(WordFault::Illegal),
    }
}
