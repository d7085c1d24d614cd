//! Writing of a header.

use chessdb_core::model::{Eco, Field, Rating, RatingKind, Tag, read_number};
use chessdb_core::{Color, Date, Game, LossKind, Losses, Outcome, Text};

use super::tag_writer::TagWriter;
use super::{
    ECO_CODES, EVENT_DAY, EVENT_FLAGS, EVENT_YEAR_BITS, ILLEGAL_MOVE, MODEL_FLAGS,
    MOST_FIDE_NUMBER, OWN_FLAGS, PLAYER_FLAGS, RATINGS, details, tags, title_bits, titles,
};
use crate::extras::{self, FORMAT};
use crate::names::NewName;
use crate::raw::{Entry, NameDetails, NameKind, Record, Tags};
use crate::start::StoredStart;
use crate::text;

/// The header of a game in stored form, except the entry.
#[derive(Clone, Default, Debug)]
pub(crate) struct EncodedHeader {
    pub(crate) white: NewName,
    pub(crate) black: NewName,
    pub(crate) site: NewName,
    /// The event, without the number of its site.
    pub(crate) event: NewName,
    pub(crate) annotator: NewName,
    /// The tags with the 0 at their end; empty if there are none.
    pub(crate) tags: Vec<u8>,
    /// The names of the engines, with their number before them; empty if there are none.
    pub(crate) engines: Vec<u8>,
}

/// The fields that tags of the game were stored in, instead of among the tags.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct StoredTags {
    /// The second rating of each side.
    pub(super) ratings: [bool; 2],
    pub(super) termination: bool,
    /// The date of the event in its details.
    pub(super) event_date: Date,
    /// A bit for each of the first 64 tags that is a detail of a name.
    pub(super) details: u64,
}

/// Encodes the header of a game: puts its fields into the entry and returns the rest.
pub(crate) fn encode_header(
    game: &Game,
    has_illegal_move: bool,
    start: &StoredStart,
    keeps_years: bool,
    entry: &mut Entry,
    losses: &mut Losses,
) -> EncodedHeader {
    let mut encoded = EncodedHeader::default();
    let own = OwnExtras::read(game, losses);
    let header = &game.header;
    for (named, out) in [
        (header.white.name, &mut encoded.white),
        (header.black.name, &mut encoded.black),
        (header.site, &mut encoded.site),
        (header.event, &mut encoded.event),
        (header.annotator, &mut encoded.annotator),
    ] {
        let name = game.text(named.text);
        if let Some(loss) = text::put_name(name, &mut out.name) {
            losses.add(loss, None);
        }
        losses.add_if(LossKind::EmptyTag, named.text.is_some() && name.is_empty());
    }
    let mut used = 0;
    let (flags, country) = own.event;
    let flags = details::write(details::OF_EVENT, flags, None, game, &mut used);
    let country = details::write(details::OF_SITE, country, None, game, &mut used);
    encoded.site.details.flags = country;
    let keeps_date = keeps_years && header.event.key.is_some();
    let event_date = stored_event_date(header.event_date, keeps_date);
    encoded.event.details = event_details(event_date, flags);
    let mut title_tags = Vec::new();
    for (color, name) in [
        (Color::White, &mut encoded.white),
        (Color::Black, &mut encoded.black),
    ] {
        let (flags, more) = color.pick(own.white, own.black);
        let flags = details::write(details::OF_PLAYER, flags, Some(color), game, &mut used);
        let more = details::write(details::OF_TITLE, more, Some(color), game, &mut used);
        let stored = (flags, more);
        name.details = player_details(game, color, stored, &mut title_tags, losses);
    }
    let date = storable_date(header.date);
    entry.year = stored_year(date.year);
    entry.month = date.month.into();
    entry.day = date.day.into();
    let flags = header.flags.bits();
    losses.add_many(LossKind::Flags, (flags & !MODEL_FLAGS).count_ones(), None);
    let mut stored = flags & MODEL_FLAGS | u32::from(own.flags) << OWN_FLAGS;
    if has_illegal_move {
        stored |= ILLEGAL_MOVE;
    }
    entry.flags = stored;
    let result = match header.outcome {
        Outcome::Unknown if header.is_double_forfeit(&game.texts) => 4,
        Outcome::Unknown => 0,
        Outcome::WhiteWins => 1,
        Outcome::BlackWins => 2,
        Outcome::Draw => 3,
    };
    entry.result = result;
    let has_round = write_round(game, entry);
    let stored = StoredTags {
        event_date,
        details: used,
        ..write_ratings(game, entry)
    };
    let mut writer = TagWriter::new(game, start, stored, has_round, &mut encoded.tags, losses);
    writer.write(&title_tags, &own.tags, entry);
    if let Some(engines) = own.engines {
        let count = engines.iter().filter(|&&byte| byte == 0).count();
        encoded.engines.push(count as u8);
        encoded.engines.extend(engines);
    }
    encoded
}

/// The extras of this format in a header.
#[derive(Default)]
struct OwnExtras<'g> {
    flags: u8,
    event: (u16, u16),
    white: (u16, u16),
    black: (u16, u16),
    engines: Option<&'g [u8]>,
    tags: Vec<&'g [u8]>,
}

impl<'g> OwnExtras<'g> {
    /// Reads the extras, and counts those that cannot be used.
    fn read(game: &'g Game, losses: &mut Losses) -> OwnExtras<'g> {
        let mut own = OwnExtras::default();
        let mut seen = 0_u32;
        for extra in &game.header.extras {
            // Of several extras with one field only the first is used; tags may repeat.
            let is_own = extra.format == FORMAT && extra.field < 32;
            let is_new = extra.field == extras::TAG || seen >> (extra.field & 31) & 1 == 0;
            let is_used = is_own && is_new && own.accept(extra.field, &extra.bytes);
            if is_used {
                seen |= 1 << (extra.field & 31);
            } else {
                losses.add(LossKind::GameExtra, None);
            }
        }
        own
    }

    fn accept(&mut self, field: u16, bytes: &'g [u8]) -> bool {
        match (field, bytes) {
            (extras::FLAGS, &[flags]) => self.flags = flags,
            (extras::EVENT, &[a, b, c, d]) => {
                let flags = u16::from_be_bytes([a, b]);
                self.event = (flags & EVENT_FLAGS, u16::from_be_bytes([c, d]));
                // The bits above belong to the date, which the header has.
                return flags & !EVENT_FLAGS == 0;
            }
            (extras::PLAYER, &[flags, a, b]) => {
                self.white = (flags.into(), u16::from_be_bytes([a, b]));
            }
            (field, &[flags, a, b]) if field == extras::PLAYER + 1 => {
                self.black = (flags.into(), u16::from_be_bytes([a, b]));
            }
            (extras::ENGINES, names) => {
                let count = names.iter().filter(|&&byte| byte == 0).count();
                // One byte holds the number of names.
                let is_whole = count < 256 && names.last().is_none_or(|&byte| byte == 0);
                self.engines = Some(names).filter(|_| is_whole);
                return is_whole;
            }
            (extras::TAG, [number, value @ ..]) => {
                let is_unknown = *number != Tags::NAMED && tags::name(*number).is_none();
                let fits = is_unknown && !value.contains(&0);
                self.tags.extend(fits.then_some(bytes));
                return fits;
            }
            _ => return false,
        }
        true
    }
}

/// Returns the date without the parts that Scidb refuses: years outside its range, days that the
/// calendar does not have, and parts after an unknown one (section 3.1).
pub(super) fn storable_date(date: Date) -> Date {
    let Date { year, month, day } = date;
    let first = Entry::FIRST_YEAR as u16;
    if !(first..first + Entry::NO_YEAR as u16).contains(&year) {
        return Date::UNKNOWN;
    }
    match Date::new(year, month, day) {
        _ if !(1..=12).contains(&month) => Date::new(year, 0, 0),
        date if date.is_in_calendar() => date,
        _ => Date::new(year, month, 0),
    }
}

/// Returns whether all programs agree on the order of events with this date and others: not if it is
/// a year alone, or from 2048 on (section 3.1).
fn has_sure_order(date: Date) -> bool {
    date.month != 0 && date.year < 2048
}

/// Returns the part of an event's date that is stored with the event. A date without a sure order is
/// stored there only if `keeps_date`, for an event of a database of Scidb: otherwise it is a tag,
/// which Scidb shows too.
pub(super) fn stored_event_date(date: Date, keeps_date: bool) -> Date {
    // Without an impossible month, this can be a year alone.
    let stored = storable_date(date);
    if has_sure_order(stored) || keeps_date { stored } else { Date::UNKNOWN }
}

/// Returns the ECO code of the index: it has no sub-codes, and none after other start positions.
pub(super) fn stored_eco(game: &Game, start: &StoredStart) -> Option<Eco> {
    let code = game.header.eco?.code;
    let is_stored = code < ECO_CODES && start.idn == Record::STANDARD;
    is_stored.then(|| Eco::new(code))
}

/// Returns the FIDE number in the details of a player.
pub(super) fn stored_fide_id(number: Option<u32>) -> Option<u32> {
    number.filter(|&number| (1..=MOST_FIDE_NUMBER).contains(&number))
}

fn stored_year(year: u16) -> u32 {
    match u32::from(year) {
        0 => Entry::NO_YEAR,
        year => year.saturating_sub(Entry::FIRST_YEAR),
    }
}

fn event_details(stored: Date, flags: u16) -> NameDetails {
    let month = u16::from(stored.month) << EVENT_YEAR_BITS;
    let is_dated = stored.year != 0 || stored.month != 0;
    NameDetails {
        flags: flags | u16::from(stored.day) << EVENT_DAY,
        more: is_dated.then(|| stored_year(stored.year) as u16 | month),
        ..NameDetails::default()
    }
    .with_presence(NameKind::Event)
}

/// Returns the details of a player. A title without a number becomes a tag.
fn player_details<'g>(
    game: &'g Game,
    color: Color,
    (flags, mut country): (u16, u16),
    title_tags: &mut Vec<(Field, Text<'g>)>,
    losses: &mut Losses,
) -> NameDetails {
    let player = game.header.player(color);
    let title = game.text(player.title);
    let stored_title = title_bits(title.as_bytes());
    if stored_title == 0 && player.title.is_some() {
        title_tags.push((Field::title(color), title));
    }
    // A title with a number needs the bits that the extra kept for an unknown one.
    if stored_title != 0 && country != titles::country(country) {
        losses.add(LossKind::GameExtra, None);
        country = titles::country(country);
    }
    let more = country | stored_title;
    losses.add_if(LossKind::GameExtra, flags & !PLAYER_FLAGS != 0);
    losses.add_if(LossKind::FideId, player.fide_id == Some(0));
    NameDetails {
        flags: flags & PLAYER_FLAGS,
        more: (more != 0).then_some(more),
        fide_id: stored_fide_id(player.fide_id),
        site: 0,
    }
    .with_presence(NameKind::Player)
}

/// Stores a round of one or two numbers. Returns false if the round is something else.
fn write_round(game: &Game, entry: &mut Entry) -> bool {
    let round = game.header.round;
    let text = game.text(round.text).decode();
    let mut parts = text.split('.');
    let mut part = || {
        let digits = parts.next()?;
        let number: u8 = digits.parse().ok()?;
        // Another spelling, such as 04, would not come back.
        (number.to_string() == digits).then_some(number)
    };
    let (first, second) = (part(), part());
    let stored = match (first, second, text.contains('.')) {
        (Some(first @ 1..), None, false) => Some((first, 0)),
        (Some(first), Some(second @ 1..), _) if parts.next().is_none() => Some((first, second)),
        _ => None,
    };
    if let Some((first, second)) = stored {
        entry.round = first.into();
        entry.subround = second.into();
    }
    stored.is_some()
}

/// Stores the rating of each side, and a second one that is among the tags.
fn write_ratings(game: &Game, entry: &mut Entry) -> StoredTags {
    let mut stored = StoredTags::default();
    for (color, is_stored) in Color::ALL.into_iter().zip(&mut stored.ratings) {
        let elo = color.pick(&mut entry.white_elo, &mut entry.black_elo);
        let value = color.pick(&mut entry.white_rating, &mut entry.black_rating);
        let kind = color.pick(&mut entry.white_kind, &mut entry.black_kind);
        let rating = game.header.player(color).rating;
        match rating.filter(is_stored_rating) {
            Some(rating) if rating.kind == RatingKind::Elo => {
                *elo = rating.value.into();
                if let Some((number, points)) = second_rating(game, color) {
                    *value = points;
                    *kind = number;
                    *is_stored = true;
                }
            }
            Some(rating) => {
                let number = RatingKind::ALL
                    .iter()
                    .position(|listed| *listed == rating.kind);
                *value = rating.value.into();
                *kind = number.unwrap_or(0) as u32;
            }
            None => {}
        }
    }
    stored
}

/// Returns whether a field of the entry can hold a rating.
pub(super) fn is_stored_rating(rating: &Rating) -> bool {
    (1..=Entry::MOST_RATING).contains(&rating.value.into())
}

/// Returns the kind and the points of the first rating tag of a side that is not of the kind Elo, if
/// a field can hold it.
fn second_rating(game: &Game, color: Color) -> Option<(u32, u32)> {
    game.header.tags.iter().find_map(|tag| match *tag {
        Tag::Other { name, value } => {
            let number = rating_number(game.text(name).as_bytes(), color)?;
            let (parsed, is_exact) = read_number(game.text(value).as_bytes());
            // The field has twelve bits.
            let points = parsed.filter(|&points| is_exact && points < 1 << 12)?;
            Some((number, points))
        }
        _ => None,
    })
}

/// Returns the number of the kind in the name of a side's rating tag, unless it is Elo.
pub(super) fn rating_number(name: &[u8], color: Color) -> Option<u32> {
    let side: &[u8] = color.pick(b"White", b"Black");
    let kind = name.strip_prefix(side)?;
    let number = RATINGS.iter().position(|suffix| *suffix == kind)?;
    (number > 0).then_some(number as u32)
}
