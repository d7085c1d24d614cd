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
use chessdb_core::{ErrorKind, Game, PackedMove, Result, Severity};

use crate::moves::{StoredLine, StoredLines};

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
        let (main, others) = self.0.split_first()?;
        if others.is_empty() {
            return None;
        }
        let mut others = others.to_vec();
        // The sort is stable: alternatives to the same move keep their order.
        sort_by_key(&mut others, |line| line.replaces);
        let mut order = Vec::new();
        let mut outer = Vec::new();
        let (mut line, mut variations) = (main.first..main.end, 0..0);
        loop {
            if let Some(variation) = variations.next().and_then(|at: usize| others.get(at)) {
                outer.push((line, variations));
                (line, variations) = (variation.first..variation.end, 0..0);
            } else if let Some(number) = line.next() {
                order.push(number);
                let start = others.partition_point(|line| line.replaces < number);
                let end = others.partition_point(|line| line.replaces <= number);
                variations = start..end;
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
        at: 0,
        count: 0,
        here: Some(Referee::at(&game.start_board()).without_take_back()),
        line: EMPTY,
        end: 0,
        branches: Vec::new(),
        moves: buffer,
        others: Vec::new(),
        all: WordLines(Vec::new()),
        main: EMPTY,
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

const EMPTY: StoredLine = StoredLine {
    first: 0,
    end: 0,
    replaces: 0,
};

struct WordReader<'s, 'b> {
    stream: &'s WordStream<'s>,
    words: &'s [[u8; 2]],
    /// The number of words read.
    at: usize,
    /// The number of moves read, including those that cannot be played.
    count: u32,
    /// The current position; `None` after a move that cannot be read.
    here: Option<Referee>,
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
    fn place(&self, at: usize) -> Location {
        self.stream.at.plus(2 * at as u64)
    }

    #[cold]
    fn lost(&mut self, kind: ErrorKind, at: usize, report: &mut GameReport<'_>) -> Result<()> {
        self.complete = false;
        report.add(Severity::Lost, kind, self.place(at))
    }

    fn run(&mut self, report: &mut GameReport<'_>) -> Result<()> {
        let most = report.options.limits.plies;
        loop {
            let at = self.at;
            let Some(word) = self.words.get(at).map(|bytes| u16::from_le_bytes(*bytes)) else {
                self.close(at, report)?;
                return self.check_end(at, report);
            };
            self.at += 1;
            match word {
                END => {
                    self.close(at, report)?;
                    if !self.return_to_branch() {
                        return self.check_leftovers(report);
                    }
                }
                BRANCH => {
                    let what = "the mark of an alternative without a move";
                    self.lost(ErrorKind::Structure(what), at, report)?;
                    self.branches.push(Branch {
                        position: None,
                        replaces: self.count,
                    });
                }
                _ if self.count >= most => {
                    let over = OverLimit::Plies.into_kind(&report.options.limits);
                    self.close(at, report)?;
                    return self.lost(over, at, report);
                }
                word => self.half_move(word, at, report)?,
            }
        }
    }

    /// Reads a move and the marks after it.
    #[inline]
    fn half_move(&mut self, word: u16, at: usize, report: &mut GameReport<'_>) -> Result<()> {
        let number = self.count;
        self.count += 1;
        let next = self.words.get(self.at).copied();
        if next.map(u16::from_le_bytes) == Some(BRANCH) {
            self.branch(number, report)?;
        }
        self.end = self.count;
        let Some(referee) = &mut self.here else {
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
                self.here = None;
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
                self.lost(kind, at, report)
            }
        }
    }

    /// Saves the position before a move that has another alternative.
    #[cold]
    fn branch(&mut self, number: u32, report: &mut GameReport<'_>) -> Result<()> {
        let at = self.at;
        self.at += 1;
        // The next alternative to the move that this line replaces.
        let is_first = number == self.line.first && !self.all.0.is_empty();
        let replaces = if is_first { self.line.replaces } else { number };
        let is_within = self.branches.len() < report.options.limits.depth as usize;
        let position = self.here.clone().filter(|_| is_within).map(Box::new);
        self.branches.push(Branch { position, replaces });
        if !is_within && self.here.is_some() {
            let over = OverLimit::Depth.into_kind(&report.options.limits);
            return self.lost(over, at, report);
        }
        Ok(())
    }

    /// Stores the line that has ended.
    fn close(&mut self, at: usize, report: &mut GameReport<'_>) -> Result<()> {
        let is_main = self.all.0.is_empty();
        self.all.0.push(StoredLine {
            end: self.end,
            ..self.line
        });
        match (is_main, self.line) {
            (true, line) => self.main = line,
            (_, line) if line.first < line.end => self.others.push(line),
            _ if self.here.is_some() => {
                let kind = ErrorKind::Structure("a variation without moves");
                report.add(Severity::Note, kind, self.place(at))?;
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
        self.here = position.map(|position| *position);
        self.end = self.count;
        self.line = StoredLine {
            first: self.count,
            end: self.count,
            replaces,
        };
        true
    }

    /// Reports that the words end before the last line does.
    fn check_end(&mut self, at: usize, report: &mut GameReport<'_>) -> Result<()> {
        let what = if self.branches.is_empty() {
            "the end of the last line is missing"
        } else {
            "the game ends inside a variation"
        };
        self.lost(ErrorKind::Structure(what), at, report)
    }

    /// Reports words after the end.
    fn check_leftovers(&mut self, report: &mut GameReport<'_>) -> Result<()> {
        if 2 * self.at == self.stream.bytes.len() {
            return Ok(());
        }
        let kind = ErrorKind::Structure("bytes after the end of the moves");
        report.add(Severity::Note, kind, self.place(self.at))
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
