//! Start positions (docs/formats/scidb.md, section 4.1).

use chessdb_core::error::Location;
use chessdb_core::model::{Field, Tag};
use chessdb_core::report::GameReport;
use chessdb_core::{Board, Charset, ErrorKind, Game, LossKind, Losses, Result, Setup, Start};

use crate::raw::Record;
use crate::text;

/// The number of the start position with the Chess960 number 0.
const CHESS960_ZERO: u16 = 960;

/// Reads the start position of the game with the record at this location. Returns false if it is
/// unknown.
pub(crate) fn read(
    record: &Record<'_>,
    record_start: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<bool> {
    let idn = record.flags & Record::IDN;
    // The size of the record precedes the number.
    let location = record_start.plus(3);
    let setup = match (idn, record.fen) {
        (Record::STANDARD, _) => return Ok(true),
        (_, Some(fen)) => {
            let fen_start = location.plus(2);
            let (setup, notes) = match Setup::from_fen(fen) {
                Ok(read) => read,
                Err(fault) => {
                    let value = game.texts.push(fen, Charset::UTF_8);
                    game.header.tags.push(Tag::Verbatim(Field::Fen, value));
                    report.lost(fault.into_kind(fen), fen_start)?;
                    return Ok(false);
                }
            };
            if !notes.is_empty() {
                let kind = ErrorKind::Other(format!("start position: {notes}").into());
                report.note(kind, fen_start)?;
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
            report.lost(kind, location)?;
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
    /// The FEN that a tag repeats for a start with a number.
    pub(crate) fen_tag: Option<Vec<u8>>,
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

    /// Returns the start position that the reader takes from the record, if the game has this one.
    pub(crate) fn read_back(&self, start: &Start) -> Start {
        match self.idn {
            Record::STANDARD => Start::Standard,
            _ => start.clone(),
        }
    }
}

/// Encodes the start position of a game. `None` if no FEN describes it, such as castling rights of a
/// rook on another rank.
pub(crate) fn write(game: &Game, losses: &mut Losses) -> Option<StoredStart> {
    let Start::Setup(setup) = &game.header.start else {
        return Some(StoredStart::numbered(Record::STANDARD));
    };
    let source_fen = spelling(game, setup, losses);
    let is_named = game.header.names_chess960(&game.texts);
    let number = setup.board.chess960_number();
    let is_untouched = |&number: &u16| Board::chess960(number).as_ref() == Some(&setup.board);
    match number.filter(is_untouched) {
        // This number is read as the standard start of chess; the tag shows that there was a FEN.
        Some(Record::STANDARD) if !setup.chess960 => {
            let mut fen_tag = source_fen;
            if is_named {
                // With a FEN, the tag `Variant` would be read as Chess960.
                losses.add(LossKind::Tag, None);
                fen_tag = None;
            } else if fen_tag.is_none() {
                fen_tag = Some(plain_fen(setup));
            }
            return Some(StoredStart {
                fen_tag,
                ..StoredStart::numbered(Record::STANDARD)
            });
        }
        Some(number) if setup.chess960 && number != Record::STANDARD => {
            // In the file the number 0 announces a FEN.
            let idn = if number == 0 { CHESS960_ZERO } else { number };
            return Some(StoredStart {
                fen_tag: source_fen,
                ..StoredStart::numbered(idn)
            });
        }
        _ => {}
    }
    let fen = source_fen.unwrap_or_else(|| plain_fen(setup));
    let (read, _) = Setup::from_fen(&fen).ok()?;
    if read.board != setup.board {
        return None;
    }
    let shows = read.chess960;
    if !setup.chess960 && (shows || is_named) {
        // It is read as a position of Chess960.
        losses.add(LossKind::StartPosition, None);
    }
    Some(StoredStart {
        idn: 0,
        fen: Some(fen),
        fen_tag: None,
        needs_variant: setup.chess960 && !shows && !is_named,
    })
}

fn plain_fen(setup: &Setup) -> Vec<u8> {
    let mut fen = Vec::new();
    setup.write_fen(&mut fen);
    fen
}

/// Returns the FEN in the spelling of the source, if there is another one than ours and it can be
/// stored.
fn spelling(game: &Game, setup: &Setup, losses: &mut Losses) -> Option<Vec<u8>> {
    let text = game.text(game.header.verbatim(Field::Fen)?);
    let mut fen = Vec::new();
    let is_changed = text::put(text, &mut fen);
    let is_same = Setup::from_fen(&fen).is_ok_and(|(read, _)| read.board == setup.board);
    if is_changed || !is_same {
        losses.add(LossKind::TagText, None);
        return None;
    }
    Some(fen)
}
