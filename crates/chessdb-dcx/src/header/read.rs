//! Conversion of an index entry, the name tables and a FEN into a game's header
//! (docs/formats/dcx.md, sections 6 and 11).

use chessdb_core::error::Location;
use chessdb_core::model::{Eco, Field, GameFlags, Rating, RatingKind, Tag};
use chessdb_core::report::GameReport;
use chessdb_core::text::{TextId, Texts};
use chessdb_core::{Charset, Date, Game, Result, Setup, Severity, Start};

use super::RESULTS;
use crate::names::NameTables;
use crate::raw::{Entry, FileKind};
use crate::report::ReportExt as _;

/// Fills the header of a game from its entry. The start position is not in the index.
pub(crate) fn read_header(
    entry: &Entry,
    location: Location,
    names: &NameTables<'_>,
    texts: &Texts,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let Game {
        header, texts: own, ..
    } = game;
    let (players, sites) = (FileKind::Players, FileKind::Sites);
    header.white.name = names.get(texts, players, entry.white, own, location, report)?;
    header.black.name = names.get(texts, players, entry.black, own, location, report)?;
    header.site = names.get(texts, sites, entry.site, own, location, report)?;
    if names.has_events() {
        header.event = names.get(texts, FileKind::Events, entry.event, own, location, report)?;
    }
    game.header.round = round(entry.round, game).into();
    let rating = |value| {
        let kind = RatingKind::Elo;
        (value != 0).then_some(Rating { value, kind })
    };
    game.header.white.rating = rating(entry.white_elo);
    game.header.black.rating = rating(entry.black_elo);
    game.header.date = Date::new(entry.year, entry.month, entry.day);
    // The numbers are kept, since a writer may be able to store them.
    if entry.month > 12 || entry.day > 31 {
        let (field, value) =
            if entry.month > 12 { ("Month", entry.month) } else { ("Day", entry.day) };
        report.entry(Severity::Note, field, value.into(), location)?;
    }
    match RESULTS.get(usize::from(entry.result)) {
        Some(&outcome) => game.header.outcome = outcome,
        None => report.entry(Severity::Repaired, "Result", entry.result.into(), location)?,
    }
    match entry.status {
        0 => {}
        Entry::DELETED => game.header.flags = GameFlags::DELETED,
        other => report.entry(Severity::Note, "Status", other.into(), location)?,
    }
    read_eco(entry, location, game, report)
}

/// Reads the three characters of the ECO field: a code, blanks, or a text to keep.
fn read_eco(
    entry: &Entry,
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    // `from_ascii` accepts letters after E, too; the reference writer stores any text (section 6).
    game.header.eco = Eco::from_ascii(&entry.eco).filter(|eco| eco.code < 500);
    let blank = entry.eco.iter().all(|&byte| byte == 0 || byte == b' ');
    if game.header.eco.is_some() || blank {
        return Ok(());
    }
    let value = entry
        .eco
        .iter()
        .fold(0, |value, &b| value << 8 | u64::from(b));
    report.entry(Severity::Note, "ECO", value, location)?;
    let text = entry.eco.split(|&b| b == 0).next().unwrap_or_default();
    let text = game.texts.push(text.trim_ascii(), Charset::UTF_8);
    game.header.tags.push(Tag::Verbatim(Field::Eco, text));
    Ok(())
}

/// Returns a round as text; 0 is unknown.
fn round(number: u16, game: &mut Game) -> TextId {
    if number == 0 {
        return TextId::NONE;
    }
    let digit = |power| b'0' + (number / power % 10) as u8;
    // Few rounds have more than two digits, and copying a constant number of bytes is fast.
    match number {
        0..=9 => game.texts.push_front(&[digit(1)], 1, Charset::UTF_8),
        10..=99 => game
            .texts
            .push_front(&[digit(10), digit(1)], 2, Charset::UTF_8),
        _ => game
            .texts
            .push(number.to_string().as_bytes(), Charset::UTF_8),
    }
}

/// Fills the start position from a FEN. Returns false if it cannot be read.
pub(crate) fn read_fen(
    fen: &[u8],
    game: &mut Game,
    report: &mut GameReport<'_>,
    offset: u64,
) -> Result<bool> {
    let setup = match Setup::from_fen(fen) {
        Ok((setup, _)) => setup,
        Err(fault) => {
            report.byte(Severity::Lost, fault.into_kind(fen), offset)?;
            return Ok(false);
        }
    };
    // The writer creates a canonical FEN, so another spelling is kept as text.
    let verbatim = !setup.is_written_as(fen, &mut Vec::with_capacity(fen.len()));
    game.header.start = Start::Setup(Box::new(setup));
    // A FEN implies this tag, which the reference program leaves out (section 6).
    let name = game.add_text("SetUp");
    let value = game.add_text("1");
    game.header.tags.push(Tag::Other { name, value });
    if verbatim {
        let text = game.texts.push(fen, Charset::UTF_8);
        game.header.tags.push(Tag::Verbatim(Field::Fen, text));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_numbers_as_text() {
        for number in [1, 9, 10, 999, 1000, 65535] {
            let mut game = Game::new();
            let text = round(number, &mut game);
            assert_eq!(game.text(text).decode(), number.to_string());
        }
        assert_eq!(round(0, &mut Game::new()), TextId::NONE);
    }
}
