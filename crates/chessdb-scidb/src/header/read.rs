//! Reading of a header.

use chessdb_core::error::Location;
use chessdb_core::model::{Eco, Field, GameFlags, Named, Rating, RatingKind, Tag};
use chessdb_core::report::GameReport;
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Charset, Color, Date, ErrorKind, Game, Outcome, Result};

use super::{
    ECO_CODES, EVENT_DAY, EVENT_FLAGS, EVENT_YEAR_BITS, MODEL_FLAGS, OWN_FLAGS, PLAYER_FLAGS,
    RATINGS, TERMINATION, TERMINATIONS, details, split_title, tags,
};
use crate::extras::{self, extra};
use crate::names::NameLookup;
use crate::raw::{ByteReader, Entry, NameDetails, NameKind, Record, Tags};

/// Fills the header from the index entry at this location.
pub(crate) fn read_entry(
    entry: &Entry,
    names: &NameLookup,
    base: &BaseInfo,
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let mut name = |kind, id: u32, field, offset| -> Result<(Named, NameDetails)> {
        let Some(record) = names.get(kind, id) else {
            // A missing name file is reported once, for the database.
            if !names.is_cut {
                let value = id.into();
                let kind = ErrorKind::BadField { field, value };
                report.lost(kind, location.plus(offset))?;
            }
            return Ok(Default::default());
        };
        if !record.is_utf8 {
            let what = format!("the text of {field} is not UTF-8");
            let kind = ErrorKind::Other(what.into());
            report.lost(kind, location.plus(offset))?;
        }
        // The empty name stands for a missing one.
        let text = base.texts.get(record.text);
        let text = if text.is_empty() {
            TextId::NONE
        } else {
            game.texts.push(text.as_bytes(), text.charset())
        };
        let key = Some(id);
        Ok((Named { text, key }, record.details))
    };
    let header = &mut game.header;
    let event;
    let event_at = Entry::EVENT_AT;
    (header.event, event) = name(NameKind::Event, entry.event, "event", event_at)?;
    let site;
    // Without the event its site is unknown too, but that is no second fault.
    (header.site, site) = match names.get(NameKind::Event, entry.event) {
        Some(_) => name(NameKind::Site, event.site, "site of the event", event_at)?,
        None => Default::default(),
    };
    let annotator = entry.annotator;
    let annotator_at = Entry::ANNOTATOR_AT;
    (header.annotator, _) = name(NameKind::Annotator, annotator, "annotator", annotator_at)?;
    let [white, black] = entry.players();
    let players = [
        name(NameKind::Player, white, "White", 8)?,
        name(NameKind::Player, black, "Black", 8)?,
    ];
    header.event_date = event_date(&event);
    let flags = details::read(details::OF_EVENT, event.flags & EVENT_FLAGS, None, game);
    let country = details::read(details::OF_SITE, site.flags, None, game);
    if flags != 0 || country != 0 {
        let bytes = [flags.to_be_bytes(), country.to_be_bytes()].concat();
        game.header.extras.push(extra(extras::EVENT, &bytes));
    }
    for (color, (named, details)) in Color::ALL.into_iter().zip(players) {
        game.header.player_mut(color).name = named;
        read_player(color, &details, game);
        read_ratings(color, entry, game);
    }
    let header = &mut game.header;
    let year = entry.year;
    header.date = Date {
        year: year_of(year),
        month: entry.month as u8,
        day: entry.day as u8,
    };
    let flags = entry.flags;
    header.flags = GameFlags::from_bits_truncate(flags & MODEL_FLAGS);
    // The field has another meaning after other start positions.
    if entry.idn == Record::STANDARD.into() {
        let code = entry.eco as u16;
        header.eco = (1..=ECO_CODES).contains(&code).then(|| Eco::new(code - 1));
    }
    // The flags above these are computed when written (section 11).
    let own = flags >> OWN_FLAGS & 0xFF;
    if own != 0 {
        header.extras.push(extra(extras::FLAGS, &[own as u8]));
    }
    read_round(entry, game);
    read_result(entry, location, game, report)
}

fn year_of(stored: u32) -> u16 {
    match stored {
        Entry::NO_YEAR => 0,
        year => (Entry::FIRST_YEAR + year) as u16,
    }
}

fn event_date(event: &NameDetails) -> Date {
    let day = (event.flags >> EVENT_DAY & 31) as u8;
    let (year, month) = match event.more {
        Some(more) => (
            year_of(u32::from(more) & Entry::NO_YEAR),
            (more >> EVENT_YEAR_BITS & 15) as u8,
        ),
        None => (0, 0),
    };
    Date::new(year, month, day)
}

fn read_player(color: Color, details: &NameDetails, game: &mut Game) {
    let (title, country) = split_title(details.more.unwrap_or(0));
    if let Some(title) = title {
        let title = game.texts.push(title, Charset::UTF_8);
        game.header.player_mut(color).title = title;
    }
    game.header.player_mut(color).fide_id = details.fide_id.filter(|&id| id != 0);
    let flags = details.flags & PLAYER_FLAGS;
    let flags = details::read(details::OF_PLAYER, flags, Some(color), game);
    let country = details::read(details::OF_TITLE, country, Some(color), game);
    if flags != 0 || country != 0 {
        let mut bytes = vec![flags as u8];
        bytes.extend(country.to_be_bytes());
        let field = extras::PLAYER + color as u16;
        game.header.extras.push(extra(field, &bytes));
    }
}

fn read_ratings(color: Color, entry: &Entry, game: &mut Game) {
    let elo = color.pick(entry.white_elo, entry.black_elo) as u16;
    let value = color.pick(entry.white_rating, entry.black_rating) as u16;
    let number = color.pick(entry.white_kind, entry.black_kind) as usize;
    let kind = RatingKind::ALL.get(number).copied();
    let first = (elo > 0).then_some(Rating {
        value: elo,
        kind: RatingKind::Elo,
    });
    let second = kind.map(|kind| Rating { value, kind });
    // A second rating is the rating only where there is no Elo (section 11).
    let rating = first.or(second.filter(|_| value > 0));
    game.header.player_mut(color).rating = rating;
    if value == 0 || rating == second {
        return;
    }
    let side: &[u8] = color.pick(b"White", b"Black");
    let kind = RATINGS.get(number).copied().unwrap_or_default();
    push_tag(&[side, kind].concat(), value.to_string().as_bytes(), game);
}

fn push_tag(name: &[u8], value: &[u8], game: &mut Game) {
    let name = game.texts.push(name, Charset::UTF_8);
    let value = game.texts.push(value, Charset::UTF_8);
    game.header.tags.push(Tag::Other { name, value });
}

fn read_round(entry: &Entry, game: &mut Game) {
    let (round, part) = (entry.round, entry.subround);
    if (round, part) == (0, 0) {
        return;
    }
    game.texts.begin();
    game.texts.extend_number(round);
    if part != 0 {
        game.texts.push_byte(b'.');
        game.texts.extend_number(part);
    }
    game.header.round = game.texts.finish(Charset::UTF_8).into();
}

fn read_result(
    entry: &Entry,
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let termination = entry.termination;
    let words = TERMINATIONS.get(termination as usize);
    if let Some(words) = words.filter(|words| !words.is_empty()) {
        push_tag(TERMINATION, words, game);
    }
    let result = entry.result;
    game.header.outcome = match result {
        1 => Outcome::WhiteWins,
        2 => Outcome::BlackWins,
        3 => Outcome::Draw,
        _ => Outcome::Unknown,
    };
    // No outcome of the model means that both players lost.
    if result == 4 {
        let text = game.texts.push(b"0-0", Charset::UTF_8);
        game.header.tags.push(Tag::Verbatim(Field::Result, text));
    }
    for (field, stored, is_known) in [
        ("the result", result, result <= 4),
        ("the termination", termination, words.is_some()),
    ] {
        if !is_known {
            let value = stored.into();
            let kind = ErrorKind::BadField { field, value };
            report.lost(kind, location.plus(Entry::RESULT_AT))?;
        }
    }
    Ok(())
}

/// Fills the header from the tags and the engines of a record at this location.
pub(crate) fn read_tags(
    record: &Record<'_>,
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let tags_start = location.plus(record.tags_offset() as u64);
    let limits = &report.options.limits;
    let (max_tags, mut count) = (limits.tags, 0);
    for (number, name, value) in Tags(ByteReader::new(record.tags.unwrap_or_default())) {
        if count >= max_tags {
            let (what, limit) = ("tags of a game", max_tags.into());
            let kind = ErrorKind::over_limit(what, limit);
            report.lost(kind, tags_start)?;
            break;
        }
        count += 1;
        let limits = &report.options.limits;
        // No name of a numbered tag is longer than 32 bytes.
        let length = value.len() + name.map_or(32, <[u8]>::len);
        if let Err(over) = game.texts.check_room(length, limits) {
            report.lost(over.into_kind(limits), tags_start)?;
            break;
        }
        let Some(name) = name.or_else(|| tags::name(number)) else {
            let bytes = [&[number], value].concat();
            game.header.extras.push(extra(extras::TAG, &bytes));
            continue;
        };
        if !value.is_ascii() && std::str::from_utf8(value).is_err() {
            let name = String::from_utf8_lossy(name);
            let what = format!("the text of {name} is not UTF-8");
            report.lost(ErrorKind::Other(what.into()), tags_start)?;
        }
        let id = game.texts.push(value, Charset::UTF_8);
        let tag = tags::typed(name, value, id, game).unwrap_or_else(|| Tag::Other {
            name: game.texts.push(name, Charset::UTF_8),
            value: id,
        });
        game.header.tags.push(tag);
    }
    if let Some(engines) = record.engines {
        // The first byte is the number of names, which the NULs show too.
        let names = engines.get(1..).unwrap_or_default();
        game.header.extras.push(extra(extras::ENGINES, names));
    }
    let header = &mut game.header;
    let names_chess960 = header.names_chess960(&game.texts);
    if let chessdb_core::Start::Setup(setup) = &mut header.start
        && names_chess960
    {
        setup.chess960 = true;
    }
    Ok(())
}
