//! Start positions (docs/formats/scidb.md, section 4.1).

use chessdb_core::error::Location;
use chessdb_core::model::{Field, Tag};
use chessdb_core::report::GameReport;
use chessdb_core::{
    Board, Charset, ErrorKind, Game, LossKind, Losses, Result, Setup, Severity, Start,
};

use crate::raw::Record;

/// The number of the start position with the Chess960 number 0.
const CHESS960_ZERO: u16 = 960;

/// Reads the start position of a game. Returns false if it is unknown. `at` is the location of the
/// record.
pub(crate) fn read(
    record: &Record<'_>,
    at: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<bool> {
    let idn = record.flags & Record::IDN;
    let at = at.plus(3);
    let setup = match (idn, record.fen) {
        (Record::STANDARD, _) => return Ok(true),
        (_, Some(fen)) => {
            let at = at.plus(2);
            let (setup, notes) = match Setup::from_fen(fen) {
                Ok(read) => read,
                Err(fault) => {
                    let value = game.texts.push(fen, Charset::UTF_8);
                    game.header.tags.push(Tag::Verbatim(Field::Fen, value));
                    report.add(Severity::Lost, fault.into_kind(fen), at)?;
                    return Ok(false);
                }
            };
            if !notes.is_empty() {
                let kind = ErrorKind::Other(format!("start position: {notes}").into());
                report.add(Severity::Note, kind, at)?;
            }
            if !setup.is_written_as(fen, &mut report.scratch.bytes) {
                let value = game.texts.push(fen, Charset::UTF_8);
                game.header.tags.push(Tag::Verbatim(Field::Fen, value));
            }
            setup
        }
        (1..=CHESS960_ZERO, None) => match Board::chess960(idn % CHESS960_ZERO) {
            Some(board) => Setup {
                board,
                chess960: true,
            },
            None => return Ok(false),
        },
        _ => {
            // The tag states that the game has another start than the model.
            let name = game.texts.push(b"SetUp", Charset::UTF_8);
            let value = game.texts.push(b"1", Charset::UTF_8);
            game.header.tags.push(Tag::Other { name, value });
            let kind = ErrorKind::Unsupported("start positions other than those of Chess960");
            report.add(Severity::Lost, kind, at)?;
            return Ok(false);
        }
    };
    game.header.start = Start::Setup(Box::new(setup));
    Ok(true)
}

/// A start position in stored form: its number, and a FEN if this is 0.
#[derive(Clone, Default, Debug)]
pub(crate) struct StoredStart {
    pub(crate) idn: u16,
    pub(crate) fen: Option<Vec<u8>>,
    /// Whether a tag has to state that the game is one of Chess960, because the FEN does not show
    /// it.
    pub(crate) needs_variant: bool,
}

impl StoredStart {
    fn numbered(idn: u16) -> StoredStart {
        StoredStart {
            idn,
            ..StoredStart::default()
        }
    }
}

/// Encodes the start position of a game.
pub(crate) fn write(game: &Game, losses: &mut Losses) -> StoredStart {
    let Start::Setup(setup) = &game.header.start else {
        return StoredStart::numbered(Record::STANDARD);
    };
    let number = setup.board.chess960_number();
    let is_untouched = |&number: &u16| Board::chess960(number).as_ref() == Some(&setup.board);
    match number.filter(is_untouched) {
        // This number is read as the standard start of chess.
        Some(Record::STANDARD) if !setup.chess960 => {
            return StoredStart::numbered(Record::STANDARD);
        }
        Some(number) if setup.chess960 && number != Record::STANDARD => {
            let idn = if number == 0 { CHESS960_ZERO } else { number };
            return StoredStart::numbered(idn);
        }
        _ => {}
    }
    let mut fen = Vec::new();
    setup.write_fen(&mut fen);
    if let Some(text) = game.header.verbatim(Field::Fen) {
        let bytes = game.text(text).as_bytes();
        let is_same = Setup::from_fen(bytes).is_ok_and(|(read, _)| read.board == setup.board);
        match is_same && !bytes.contains(&0) {
            true => fen = bytes.to_vec(),
            false => losses.add(LossKind::TagText, None),
        }
    }
    let shows = Setup::from_fen(&fen).is_ok_and(|(read, _)| read.chess960);
    let is_named = game.header.names_chess960(&game.texts);
    if !setup.chess960 && (shows || is_named) {
        losses.add(LossKind::Chess960, None);
    }
    StoredStart {
        idn: 0,
        fen: Some(fen),
        needs_variant: setup.chess960 && !shows && !is_named,
    }
}
