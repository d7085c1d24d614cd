//! Conversion of a record to a header.

use chessdb_core::error::Location;
use chessdb_core::model::{Eco, EcoSub, GameFlags, Named, Rating, RatingKind};
use chessdb_core::report::GameReport;
use chessdb_core::text::{EncodingDetector, TextId};
use chessdb_core::{Color, Date, ErrorKind, Game, Outcome, Result, Start};

use super::names::ParsedNames;
use super::short_text::ShortText;
use super::{ELO_BASE, ELO_STEP, NO_RESULT, ODD_NO_RESULT};
use crate::codes::{POSITION, nag_of};
use crate::extras::{self, extra};
use crate::raw::{Position, RawHeader, RecordFlags, RecordParts};
use crate::roles::CBF_FILE;
use crate::setup;

/// Fills an empty header. `text` is the deciphered players and source, `start` the offset of the
/// record in the games file. Returns false if a fault makes the moves unreadable.
///
/// # Errors
///
/// Returns an error for the first deviation from the format page in strict mode.
pub(crate) fn read_header(
    parts: &RecordParts<'_>,
    text: &[u8],
    start: u64,
    detector: &EncodingDetector,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<bool> {
    let raw_header = &parts.raw_header;
    read_raw_header(raw_header, start, game, report)?;
    let split = text.split_at_checked(raw_header.players_len());
    let (players, source) = split.unwrap_or((text, &[]));
    read_texts(players, source, detector, game);
    match parts.position {
        Some(position) => {
            let place = start + parts.position_offset() as u64;
            read_start(raw_header, position, start, place, game, report)
        }
        None => {
            read_eco(raw_header, start, game, report)?;
            Ok(true)
        }
    }
}

fn read_raw_header(
    raw_header: &RawHeader,
    start: u64,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let header = &mut game.header;
    let location_of = |byte: u64| Location::byte(CBF_FILE, start + byte);
    header.date = Date::new(raw_header.year().unwrap_or(0), 0, 0);
    // The whole byte counts: CBASCII writes 16 for no result, which has the low bits of 0-1.
    header.outcome = match raw_header.result {
        0 => Outcome::BlackWins,
        1 => Outcome::Draw,
        2 => Outcome::WhiteWins,
        _ => Outcome::Unknown,
    };
    if let Some(nag) = evaluation(raw_header.result) {
        header.put_line_evaluation(nag, &mut game.texts);
    } else if header.outcome == Outcome::Unknown && raw_header.result != NO_RESULT {
        header
            .extras
            .push(extra(extras::RESULT, &[raw_header.result]));
        if raw_header.result != ODD_NO_RESULT {
            let kind = ErrorKind::bad_field("the result", raw_header.result);
            report.note(kind, location_of(1))?;
        }
    }
    if raw_header.move_word == 0 {
        let kind = ErrorKind::bad_field("the number of bytes of the moves", 0_u8);
        report.note(kind, location_of(2))?;
    }
    let [white, black] = raw_header.elo;
    for (player, byte) in [(&mut header.white, white), (&mut header.black, black)] {
        player.rating = (byte != 0).then(|| Rating {
            value: ELO_BASE + ELO_STEP * u16::from(byte),
            kind: RatingKind::Elo,
        });
    }
    let is_marked = raw_header.flags.contains(RecordFlags::MARKED);
    header.flags.set(GameFlags::USER, is_marked);
    let is_deleted = raw_header.flags.contains(RecordFlags::DELETED);
    header.flags.set(GameFlags::DELETED, is_deleted);
    read_check(raw_header, location_of(13), game, report)
}

/// Returns the NAG of a result byte that is an evaluation (section 5.1). The code is in bits 2 to
/// 5, above the value 3.
fn evaluation(result: u8) -> Option<u8> {
    if result & 0xC3 != NO_RESULT {
        return None;
    }
    let nag = nag_of(POSITION, result >> 2, Color::White)?;
    u8::try_from(nag).ok()
}

/// Reads the version bit and the check byte (section 5.3).
fn read_check(
    raw_header: &RawHeader,
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let extras = &mut game.header.extras;
    let new = raw_header.extra & RawHeader::VERSION != 0;
    if !new {
        extras.push(extra(extras::VERSION, &[]));
    }
    if raw_header.check == raw_header.check_by(new) {
        return Ok(());
    }
    if raw_header.check == raw_header.check_by(!new) {
        extras.push(extra(extras::OTHER_FORMULA, &[]));
        return Ok(());
    }
    // A private game has a wrong check byte, so this is no sign of damage (section 5.3).
    extras.push(extra(extras::PRIVATE, &[raw_header.check]));
    let kind = ErrorKind::mismatch(
        "the check byte (perhaps of a private game)",
        raw_header.check.into(),
        raw_header.check_by(new).into(),
    );
    report.note(kind, location)
}

/// Reads the ECO code and sub-code (section 5.2).
fn read_eco(
    raw_header: &RawHeader,
    start: u64,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let (code, sub) = (raw_header.eco1().checked_sub(1), raw_header.eco2());
    let is_known = code.is_some() && sub < 100;
    game.header.eco = code.map(|code| Eco {
        code,
        sub: if is_known && sub > 0 { EcoSub::Number(sub) } else { EcoSub::None },
    });
    if sub > 0 && !is_known {
        game.header.extras.push(extra(extras::SUB_CODE, &[sub]));
        let kind = ErrorKind::bad_field("the ECO sub-code", sub);
        report.note(kind, Location::byte(CBF_FILE, start + 11))?;
    }
    Ok(())
}

fn read_start(
    raw_header: &RawHeader,
    position: &[u8; Position::SIZE],
    start: u64,
    place: u64,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<bool> {
    let (setup, faults) = setup::read(raw_header, &Position::parse(position));
    game.header.start = Start::Setup(Box::new(setup));
    let unused = raw_header.extra & setup::UNUSED_EXTRA;
    // These bits belong to ECO1, which a game with a start position does not have.
    let lengths = (raw_header.players | raw_header.source) & 0xC0;
    if unused | lengths != 0 {
        let kind = ErrorKind::bad_field(
            "the ECO code of a game with a start position",
            unused | lengths,
        );
        report.note(kind, Location::byte(CBF_FILE, start + 4))?;
    }
    if let Some(file) = faults.ep {
        let kind = ErrorKind::bad_field("the en passant file", file);
        report.lost(kind, Location::byte(CBF_FILE, start + 11))?;
    }
    if let Some((square, number)) = faults.piece {
        let kind = ErrorKind::bad_field("a piece of the start position", number);
        let location = Location::byte(CBF_FILE, place + u64::from(square / 2));
        report.lost(kind, location)?;
    }
    Ok(faults.piece.is_none())
}

/// Reads the names (section 6).
fn read_texts(players: &[u8], source: &[u8], detector: &EncodingDetector, game: &mut Game) {
    let Game { header, texts, .. } = game;
    let names = ParsedNames::parse(players, source);
    let mut put = |name: &Option<ShortText>| Named {
        text: match name {
            Some(name) => texts.push(name.as_bytes(), detector.page_of(name.as_bytes())),
            None => TextId::NONE,
        },
        key: None,
    };
    header.white.name = put(&names.white);
    header.black.name = put(&names.black);
    header.event = put(&names.event);
    header.round = put(&names.round);
    header.annotator = put(&names.annotator);
    if let Some(list) = names.hyphens {
        header.extras.push(extra(extras::HYPHENS, &list));
    }
    if let Some(place) = names.round_place {
        header.extras.push(extra(extras::ROUND_PLACE, &place));
    }
    if let Some(place) = names.annotator_place {
        header.extras.push(extra(extras::ANNOTATOR_PLACE, &place));
    }
}
