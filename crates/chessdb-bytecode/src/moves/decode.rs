//! Decoding of bytes into a game's moves: the hot loop of reading.

mod nodes;

use chessdb_core::commands::{Eval, EvalValue};
use chessdb_core::error::Location;
use chessdb_core::legacy::MoveFault;
use chessdb_core::legacy::jose::JoseNumbering;
use chessdb_core::line::{Counts, LineReader, Lines, Step};
use chessdb_core::model::Extra;
use chessdb_core::report::GameReport;
use chessdb_core::{Charset, ErrorKind, Game, Outcome, PackedMove, Result, Severity, rules};

use super::NO_SHARE;
use super::marker::{CLOSE, COMMENT, END, LAST_FAULT, LAST_NAG, LAST_RESULT, NAG, OPEN, RESULT};
use super::texts::TextReader;
use crate::roles::{BIN, EVAL};
use crate::{MoveColumns, extras};

/// Appends the moves to `game`, which already has its start position.
///
/// If `outcome` is true, the final result of the moves is compared with the header's result;
/// otherwise it becomes the header's result. Returns `None` instead of the counts if something had
/// to be left out.
///
/// # Errors
///
/// In strict mode, returns the first deviation from the format page.
pub(crate) fn decode(
    columns: &MoveColumns<'_>,
    fallback: Charset,
    outcome: bool,
    legality: bool,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<Option<Counts>> {
    let expected = outcome.then_some(game.header.outcome);
    let limit = report.options.limits.game_bytes as usize;
    let start = Location::byte(BIN, 0);
    let Some(line) = LineReader::begin(JoseNumbering::default(), game, report, start)? else {
        return Ok(None);
    };
    let mut decoder = Decoder {
        bytes: columns.bin.get(..limit).unwrap_or(columns.bin),
        line,
        column: TextReader::new(columns.texts),
        evals: columns.eval.unwrap_or_default(),
        fallback,
        legality,
        expected,
        last_result: None,
    };
    let checked = decoder.check_length(columns.bin.len());
    let read = checked.and_then(|()| decoder.run());
    let counts = decoder.line.end(read)?;
    if !decoder.column.rest().is_empty() {
        decoder.surplus_texts()?;
    }
    decoder.surplus_evals()?;
    let last_result = decoder.last_result;
    let complete = decoder.line.finish();
    match last_result {
        Some(outcome) => game.header.outcome = outcome,
        None if complete => {
            game.header
                .extras
                .push(Extra::new(extras::FORMAT, extras::NO_RESULT, *b""))
        }
        None => {}
    }
    Ok(complete.then_some(counts))
}

struct Decoder<'a, 'r, 'o> {
    bytes: &'a [u8],
    line: LineReader<'r, 'o, Lines<JoseNumbering>>,
    column: TextReader<'a>,
    evals: &'a [u8],
    fallback: Charset,
    legality: bool,
    /// The required final result, if it is known from elsewhere.
    expected: Option<Outcome>,
    /// The final result, unless it differs from the expected one.
    last_result: Option<Outcome>,
}

impl Decoder<'_, '_, '_> {
    fn check_length(&mut self, stored: usize) -> Step {
        if stored == self.bytes.len() {
            return Ok(());
        }
        self.line.lost(ErrorKind::over_limit(
            "bytes in a game",
            self.bytes.len() as u64,
        ))
    }

    fn run(&mut self) -> Step {
        while let Some(&byte) = self.bytes.get(self.line.at) {
            match byte {
                0..NAG if self.line.is_skipping() => self.skip_move(byte),
                0..NAG => self.half_move(byte)?,
                NAG..=LAST_NAG => self.nag(byte)?,
                RESULT..=LAST_RESULT => self.result(byte)?,
                OPEN => {
                    // jose accepts an alternative to nothing at the start of the game (section 4).
                    match self.line.lines().depth() {
                        0 => self.line.open_here()?,
                        _ => self.line.open()?,
                    }
                    self.line.at += 1;
                }
                CLOSE => {
                    self.line.close_or_repair()?;
                    self.line.at += 1;
                }
                END => return self.end(),
                0xF2.. => {
                    // QUIRK: jose skips these silently.
                    self.line.repaired(reserved(byte))?;
                    self.line.at += 1;
                }
                _ => {
                    // QUIRK: jose reads the reserved codes as comments with texts.
                    if !(COMMENT..=LAST_FAULT).contains(&byte) {
                        self.line.repaired(reserved(byte))?;
                    }
                    self.text(byte)?;
                }
            }
        }
        let kind = ErrorKind::Structure("the end mark of the moves is missing");
        self.line.repaired(kind)
    }

    #[inline]
    fn half_move(&mut self, byte: u8) -> Step {
        if self.line.take_plain(byte) {
            self.line.at += 1;
            return self.played();
        }
        let bytes = self.bytes.get(self.line.at..).unwrap_or_default();
        match self.line.decode(bytes) {
            Ok((mv, used)) => self.play(mv, used),
            Err(fault) => self.unreadable_move(byte, fault),
        }
    }

    #[inline]
    fn play(&mut self, mv: PackedMove, used: usize) -> Step {
        if self.legality && !rules::is_legal(self.line.lines().board(), mv) {
            self.illegal(mv);
        }
        self.line.mv(mv)?;
        self.line.at += used;
        self.played()
    }

    /// Handles the data stored with a move.
    #[inline]
    fn played(&mut self) -> Step {
        if self.evals.is_empty() {
            return Ok(());
        }
        self.eval()
    }

    /// Reports an illegal move, which is kept.
    #[cold]
    fn illegal(&mut self, mv: PackedMove) {
        let kind = ErrorKind::BadMove {
            found: mv.to_string().into(),
            why: "illegal move",
        };
        let location = self.line.here();
        // Only checks request this, and they are never strict.
        let _ = self.line.say(Severity::Note, kind, location);
    }

    /// Reads the evaluation after a move.
    #[cold]
    fn eval(&mut self) -> Step {
        let Some((&[a, b, c, d], rest)) = self.evals.split_first_chunk() else {
            return Ok(());
        };
        self.evals = rest;
        let (win, draw) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        if (win, draw) == (NO_SHARE, NO_SHARE) {
            return Ok(());
        }
        let value = EvalValue::WinDraw { win, draw };
        self.line
            .note(|tape, _| tape.eval(Eval { value, depth: None }))
    }

    /// Handles a byte that is not a move in this position.
    #[cold]
    fn unreadable_move(&mut self, byte: u8, fault: MoveFault) -> Step {
        // QUIRK: jose reads the reserved codes after the null move as moves of the king.
        if (0x9B..=0x9F).contains(&byte)
            && let Ok((mv, used)) = self.line.decode(&[byte - 8])
        {
            self.line.repaired(reserved(byte))?;
            return self.play(mv, used);
        }
        let rest = self.bytes.get(self.line.at..).unwrap_or_default();
        let bytes = rest.get(..length(byte)).unwrap_or(rest);
        self.line.bad_move(fault.into_kind(bytes))?;
        self.skip_move(byte);
        Ok(())
    }

    fn skip_move(&mut self, byte: u8) {
        self.line.at += length(byte);
        // Every move has its four bytes, also one that is left out (section 7).
        self.evals = self.evals.get(4..).unwrap_or_default();
    }

    /// Handles the end mark.
    fn end(&mut self) -> Step {
        self.line.at += 1;
        let surplus = self.bytes.len().saturating_sub(self.line.at) as u64;
        if surplus > 0 {
            self.line.repaired(ErrorKind::mismatch(
                "the number of bytes after the end mark",
                surplus,
                0,
            ))?;
        }
        Ok(())
    }

    fn surplus_evals(&mut self) -> Result<()> {
        // Where moves are missing, evaluations remain for a reason that was reported.
        if self.evals.is_empty() || !self.line.is_complete() {
            return Ok(());
        }
        let kind = ErrorKind::mismatch(
            "the number of evaluation bytes without a move",
            self.evals.len() as u64,
            0,
        );
        // The moves are complete.
        let location = Location::file(EVAL);
        self.line.report().add(Severity::Lost, kind, location)
    }
}

/// Returns the size of a move in bytes.
const fn length(byte: u8) -> usize {
    // Promotions and moves of promoted pieces have a second byte (section 1).
    if byte >= 0xA0 { 2 } else { 1 }
}

fn reserved(byte: u8) -> ErrorKind {
    ErrorKind::bad_field("a reserved code", byte)
}
