//! From bytes to the tape: the hot loop of reading.

mod nodes;

use chessdb_core::commands::{Eval, EvalValue};
use chessdb_core::legacy::jose::JoseNumbering;
use chessdb_core::legacy::{MoveFault, Numbering as _};
use chessdb_core::{
    Builder, Charset, ErrorKind, Extra, Game, GameReport, Lines, Location, Outcome, OverLimit,
    PackedMove, Result, Severity, Skip, Texts, rules,
};

use super::marker::{CLOSE, COMMENT, END, LAST_FAULT, LAST_NAG, LAST_RESULT, NAG, OPEN, RESULT};
use super::texts::TextReader;
use super::{NO_SHARE, TextColumn};
use crate::{BIN, Columns, EVAL, extra};

/// How often things occur in a game that was read whole.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Counts {
    /// Half-moves of the main line.
    pub(crate) plies: u32,
    pub(crate) variations: u32,
    /// Comments and NAGs.
    pub(crate) comments: u32,
    pub(crate) faults: u32,
}

type Pushed = std::result::Result<(), OverLimit>;

/// Puts the moves of a game on the tape of `game`, whose start position is already there. The
/// result at the end is compared with that of the head if `outcome` is true, else it becomes the
/// head's. The counts are absent if something had to be left out.
///
/// # Errors
///
/// In strict mode the first deviation from the format page.
pub(crate) fn decode(
    columns: &Columns<'_>,
    fallback: Charset,
    outcome: bool,
    legality: bool,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<Option<Counts>> {
    let lines = match Lines::new(JoseNumbering::default(), game) {
        Ok(lines) => lines,
        Err(error) => {
            let (kind, _) = error.into_parts();
            report.add(Severity::Lost, kind, Location::byte(BIN, 0))?;
            return Ok(None);
        }
    };
    let limits = report.options.limits;
    let most = limits.game_bytes as usize;
    let Game {
        head, moves, texts, ..
    } = game;
    let mut decoder = Decoder {
        bytes: columns.bin.get(..most).unwrap_or(columns.bin),
        at: 0,
        lines,
        tape: moves.builder(&limits),
        texts,
        column: TextReader::new(columns.texts),
        is_inline: columns.texts == TextColumn::Inline,
        evals: columns.eval.unwrap_or_default(),
        fallback,
        legality,
        expected: outcome.then_some(head.outcome),
        found: None,
        report,
        counts: Counts::default(),
        complete: true,
    };
    if columns.bin.len() > most {
        let limit = most as u64;
        let what = "bytes in a game";
        decoder.lost(ErrorKind::LimitExceeded { what, limit })?;
    }
    decoder.run()?;
    let found = decoder.found;
    let counts = decoder.finish()?;
    match found {
        Some(found) => head.outcome = found,
        None if counts.is_some() => head.extras.push(Extra {
            format: extra::FORMAT,
            field: extra::NO_RESULT,
            bytes: Box::default(),
        }),
        None => {}
    }
    Ok(counts)
}

struct Decoder<'a, 'r, 'o> {
    bytes: &'a [u8],
    at: usize,
    lines: Lines<JoseNumbering>,
    tape: Builder<'r>,
    texts: &'r mut Texts,
    column: TextReader<'a>,
    is_inline: bool,
    evals: &'a [u8],
    fallback: Charset,
    legality: bool,
    /// The result that the one at the end must be, if it is known from elsewhere.
    expected: Option<Outcome>,
    /// The result at the end, unless it is another than expected.
    found: Option<Outcome>,
    report: &'r mut GameReport<'o>,
    counts: Counts,
    complete: bool,
}

impl<'a> Decoder<'a, '_, '_> {
    fn run(&mut self) -> Result<()> {
        let mut skip: Option<Skip> = None;
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte < NAG {
                if skip.is_some() {
                    self.skip_move(byte);
                    continue;
                }
                match self.half_move() {
                    Ok(Ok(())) => {}
                    Ok(Err(over)) => return self.over_limit(over),
                    Err(fault) => match self.odd_move(byte, fault)? {
                        Odd::Played => {}
                        Odd::GameCut => return Ok(()),
                        Odd::LineCut => {
                            // The rest of this variation hangs on the move; the game goes on
                            // behind it.
                            skip = Some(Skip::REST_OF_LINE);
                        }
                    },
                }
                continue;
            }
            match byte {
                NAG..=LAST_NAG => {
                    if let Err(over) = self.nag(byte, skip.is_some())? {
                        return self.over_limit(over);
                    }
                }
                RESULT..=LAST_RESULT => {
                    if let Err(over) = self.result(byte, skip.is_some()) {
                        return self.over_limit(over);
                    }
                }
                OPEN => {
                    self.counts.variations += 1;
                    match &mut skip {
                        Some(skip) => skip.open(),
                        None => skip = self.open()?,
                    }
                    self.at += 1;
                }
                CLOSE => {
                    if Skip::close(&mut skip) {
                        self.close()?;
                    }
                    self.at += 1;
                }
                END => return self.end(),
                0xF2.. => {
                    // QUIRK: jose passes over these without a word.
                    self.repaired(reserved(byte))?;
                    self.at += 1;
                }
                _ => {
                    // QUIRK: jose reads the reserved codes as comments, texts and all.
                    if !(COMMENT..=LAST_FAULT).contains(&byte) {
                        self.repaired(reserved(byte))?;
                    }
                    if let Err(over) = self.text(byte, skip.is_some())? {
                        return self.over_limit(over);
                    }
                }
            }
        }
        self.repaired(ErrorKind::Structure("the moves have no end mark"))
    }

    #[inline]
    fn half_move(&mut self) -> std::result::Result<Pushed, MoveFault> {
        let (lines, bytes) = (&self.lines, self.bytes.get(self.at..).unwrap_or_default());
        let (mv, used) = JoseNumbering::default().decode(lines.state(), lines.board(), bytes)?;
        Ok(self.play(mv, used))
    }

    #[inline]
    fn play(&mut self, mv: PackedMove, used: usize) -> Pushed {
        if self.legality && !rules::is_legal(self.lines.board(), mv) {
            self.illegal(mv);
        }
        self.tape.mv(mv)?;
        self.counts.plies += u32::from(self.lines.depth() == 0);
        self.lines.play(mv);
        self.at += used;
        if self.evals.is_empty() {
            return Ok(());
        }
        self.eval()
    }

    /// Says that a move is not legal, but no more.
    #[cold]
    fn illegal(&mut self, mv: PackedMove) {
        let kind = ErrorKind::BadMove {
            found: mv.to_string().into(),
            why: "the rules of chess do not allow it",
        };
        let at = self.here();
        // Only asked for by checks, which are never strict.
        let _ = self.report.add(Severity::Note, kind, at);
    }

    /// The evaluation behind a move.
    #[cold]
    fn eval(&mut self) -> Pushed {
        let Some((&[a, b, c, d], rest)) = self.evals.split_first_chunk() else {
            return Ok(());
        };
        self.evals = rest;
        let (win, draw) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        if (win, draw) == (NO_SHARE, NO_SHARE) {
            return Ok(());
        }
        self.tape.eval(Eval {
            value: EvalValue::WinDraw { win, draw },
            depth: None,
        })
    }

    /// What becomes of a byte that is no move here.
    #[cold]
    fn odd_move(&mut self, byte: u8, fault: MoveFault) -> Result<Odd> {
        // QUIRK: jose reads the reserved codes behind the null move as moves of the king.
        if (0x9B..=0x9F).contains(&byte) {
            let king = byte - 8;
            let lines = &self.lines;
            let read = JoseNumbering::default().decode(lines.state(), lines.board(), &[king]);
            if let Ok((mv, used)) = read {
                self.repaired(reserved(byte))?;
                if let Err(over) = self.play(mv, used) {
                    self.over_limit(over)?;
                    return Ok(Odd::GameCut);
                }
                return Ok(Odd::Played);
            }
        }
        let found = self.bytes.get(self.at..).unwrap_or_default();
        let used = if byte >= 0xA0 { 2 } else { 1 };
        let bytes = found.get(..used).unwrap_or(found);
        self.lost(fault.into_kind(bytes))?;
        if self.lines.depth() == 0 {
            return Ok(Odd::GameCut);
        }
        self.skip_move(byte);
        Ok(Odd::LineCut)
    }

    fn skip_move(&mut self, byte: u8) {
        self.at += if byte >= 0xA0 { 2 } else { 1 };
        self.evals = self.evals.get(4..).unwrap_or_default();
    }

    /// Begins a variation, or says that it has to be left out.
    fn open(&mut self) -> Result<Option<Skip>> {
        // jose accepts an alternative to nothing at the start of the game (section 4).
        if self.lines.at_line_start() && self.lines.depth() > 0 {
            self.lost(ErrorKind::Structure("a variation with no move to replace"))?;
            return Ok(Some(Skip::VARIATION));
        }
        if let Err(over) = self.tape.open() {
            self.over_limit(over)?;
            return Ok(Some(Skip::VARIATION));
        }
        self.lines.open();
        Ok(None)
    }

    fn close(&mut self) -> Result<()> {
        self.tape.close();
        if !self.lines.close() {
            let what = "a variation is closed that was never opened";
            self.repaired(ErrorKind::Structure(what))?;
        }
        Ok(())
    }

    /// The end mark.
    fn end(&mut self) -> Result<()> {
        self.at += 1;
        let found = self.bytes.len().saturating_sub(self.at) as u64;
        if found > 0 {
            self.repaired(ErrorKind::Mismatch {
                what: "bytes behind the end mark",
                found,
                expected: 0,
            })?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Option<Counts>> {
        if self.lines.depth() > 0 && self.complete {
            self.repaired(ErrorKind::Structure("the game ends inside a variation"))?;
        }
        while self.lines.close() {
            self.tape.close();
        }
        if !self.column.rest().is_empty() && !self.is_inline {
            self.surplus_texts()?;
        }
        if !self.evals.is_empty() && self.complete {
            let kind = ErrorKind::Mismatch {
                what: "bytes of evaluations without a move",
                found: self.evals.len() as u64,
                expected: 0,
            };
            let at = Location {
                file: Some(EVAL),
                ..Location::default()
            };
            self.report.add(Severity::Lost, kind, at)?;
        }
        let Decoder {
            tape,
            counts,
            complete,
            ..
        } = self;
        tape.finish();
        Ok(complete.then_some(counts))
    }

    fn here(&self) -> Location {
        Location::byte(BIN, self.at as u64).at_ply(self.lines.ply())
    }

    fn repaired(&mut self, kind: ErrorKind) -> Result<()> {
        let at = self.here();
        self.report.add(Severity::Repaired, kind, at)
    }

    fn lost(&mut self, kind: ErrorKind) -> Result<()> {
        self.complete = false;
        let at = self.here();
        self.report.add(Severity::Lost, kind, at)
    }

    fn over_limit(&mut self, over: OverLimit) -> Result<()> {
        self.lost(over.into_kind(&self.report.options.limits))
    }
}

/// What became of a byte that is no move.
enum Odd {
    /// It is one after all, as jose reads it.
    Played,
    /// The rest of the game hangs on it.
    GameCut,
    /// The rest of the variation hangs on it.
    LineCut,
}

fn reserved(byte: u8) -> ErrorKind {
    ErrorKind::BadField {
        field: "a reserved code",
        value: byte.into(),
    }
}
