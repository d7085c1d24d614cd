//! Conversion of index entry and record into a header.

use chessdb_core::error::Location;
use chessdb_core::model::{Eco, Field, GameFlags, Named, Rating, RatingKind, Tag};
use chessdb_core::report::GameReport;
use chessdb_core::search::{HeaderColumnSet, HeaderColumns};
use chessdb_core::text::{EncodingDetector, TextId, Texts};
use chessdb_core::{Color, Date, ErrorKind, Game, Outcome, Result, Setup, Severity, Start};

use crate::entry::{Entries, GameEntry, StoredEntry};
use crate::generation::Spec;
use crate::raw::{DateCode, RatingCode, RecordFlags, TagName, TagRecord, Tags};

/// The names of a database by number: players, events, sites, rounds. The texts are in the arena of
/// the [`BaseInfo`](chessdb_core::BaseInfo).
#[derive(Clone, Default, Debug)]
pub(crate) struct NameLookup {
    pub(crate) by_id: [Vec<TextId>; 4],
    /// Whether names are missing. This is reported once, for the database.
    pub(crate) is_cut: bool,
}

impl NameLookup {
    #[inline]
    pub(crate) fn get(&self, list: usize, id: u32) -> TextId {
        let names = self.by_id.get(list);
        names
            .and_then(|names| names.get(id as usize))
            .copied()
            .unwrap_or(TextId::NONE)
    }

    /// Returns whether all names of a game are present.
    #[inline]
    pub(crate) fn has_all(&self, entry: &GameEntry) -> bool {
        let names = [
            (0, entry.white),
            (0, entry.black),
            (1, entry.event),
            (2, entry.site),
            (3, entry.round),
        ];
        names
            .into_iter()
            .all(|(list, id)| self.get(list, id).is_some())
    }
}

/// Fills the header from the index entry.
pub(crate) fn read_entry(
    entry: &GameEntry,
    spec: &Spec,
    names: &NameLookup,
    texts: &Texts,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let places = &spec.field_offsets;
    let mut field = |severity, field, value: u64, offset| {
        let kind = ErrorKind::BadField { field, value };
        report.add(severity, kind, spec.in_entry(report, offset))
    };
    let mut name = |list, id: u32, what, offset| -> Result<Named> {
        let stored = names.get(list, id);
        if stored.is_none() {
            // Otherwise a lost name file would give five findings per game.
            if !names.is_cut {
                field(Severity::Lost, what, id.into(), offset)?;
            }
            return Ok(Named::default());
        }
        Ok(Named {
            text: game.texts.push_from(texts, stored),
            key: Some(id),
        })
    };
    let header = &mut game.header;
    header.event = name(1, entry.event, "the number of the event", places.event)?;
    header.site = name(2, entry.site, "the number of the site", places.site)?;
    header.round = name(3, entry.round, "the number of the round", places.round)?;
    header.white.name = name(0, entry.white, "the number of White", places.white)?;
    header.black.name = name(0, entry.black, "the number of Black", places.black)?;
    header.date = entry.date.to_date();
    header.event_date = entry.event_date;
    header.flags = entry.flags.marks();
    header.spare = entry.spare();
    header.outcome = outcome(entry.result);
    if entry.result > 3 {
        field(
            Severity::Repaired,
            "the result",
            entry.result.into(),
            places.result,
        )?;
    }
    header.eco = entry.eco.to_eco();
    if header.eco.is_none() && entry.eco.0 != 0 {
        field(
            Severity::Lost,
            "the ECO code",
            entry.eco.0.into(),
            places.eco,
        )?;
    }
    for (color, code, offset) in [
        (Color::White, entry.white_rating, places.white_rating),
        (Color::Black, entry.black_rating, places.black_rating),
    ] {
        header.player_mut(color).rating = rating(code);
        if code.kind() > 6 {
            field(
                Severity::Repaired,
                "the type of a rating",
                code.kind().into(),
                offset,
            )?;
        }
    }
    if entry.spare {
        field(Severity::Note, "the spare bit", 1, 6)?;
    }
    Ok(())
}

/// Fills header columns from the entries starting at `first`. Each column is a separate loop, which
/// decodes only the fields of an entry that it needs.
pub(crate) fn read_columns(
    all: &[impl StoredEntry],
    first: usize,
    names: &NameLookup,
    parts: HeaderColumnSet,
    into: &mut HeaderColumns,
) {
    let entries = all.get(first..).unwrap_or_default();
    let bit = |n: usize, is: bool| u64::from(is) << (n % HeaderColumns::GAMES);
    if parts.contains(HeaderColumnSet::PLAYERS) {
        let slots = into.whites.iter_mut().zip(&mut into.blacks);
        for ((white, black), bytes) in slots.zip(entries) {
            let entry = bytes.entry();
            *white = names.get(0, entry.white);
            *black = names.get(0, entry.black);
        }
    }
    if parts.contains(HeaderColumnSet::EVENT) {
        let pairs = into.events.iter_mut().zip(&mut into.sites);
        let slots = pairs.zip(&mut into.rounds);
        for (((event, site), round), bytes) in slots.zip(entries) {
            let entry = bytes.entry();
            *event = names.get(1, entry.event);
            *site = names.get(2, entry.site);
            *round = names.get(3, entry.round);
        }
    }
    if parts.contains(HeaderColumnSet::RESULT) {
        let slots = into.outcomes.iter_mut().zip(&mut into.ecos);
        for ((slot, eco), bytes) in slots.zip(entries) {
            let entry = bytes.entry();
            *slot = outcome(entry.result);
            *eco = entry.eco.to_eco();
        }
    }
    // A tag holds a date that the entry stores only in part, or a rating too large for it.
    if parts.contains(HeaderColumnSet::DATE) {
        into.open_dates = 0;
        for (n, (slot, bytes)) in into.dates.iter_mut().zip(entries).enumerate() {
            let date = bytes.entry().date.to_date();
            let is_whole = date.year != 0 && date.month != 0 && date.day != 0;
            into.open_dates |= bit(n, !is_whole);
            *slot = date;
        }
    }
    if parts.contains(HeaderColumnSet::RATINGS) {
        let [whites, blacks] = &mut into.ratings;
        let [white_open, black_open] = &mut into.open_ratings;
        (*white_open, *black_open) = (0, 0);
        let slots = whites.iter_mut().zip(blacks);
        for (n, ((white, black), bytes)) in slots.zip(entries).enumerate() {
            let entry = bytes.entry();
            *white = entry.white_rating.value();
            *black = entry.black_rating.value();
            *white_open |= bit(n, *white == 0);
            *black_open |= bit(n, *black == 0);
        }
    }
    if parts.contains(HeaderColumnSet::OPENING) {
        for (slot, bytes) in into.openings.iter_mut().zip(entries) {
            *slot = bytes
                .entry()
                .signature()
                .map_or(0, |signature| signature.opening);
        }
    }
}

/// Returns the mask of games, among those from `first` and set in `games`, with records that have
/// no tags. The index entries describe the headers of these games completely.
pub(crate) fn without_tags(entries: &Entries<'_>, records: &[u8], first: u32, games: u64) -> u64 {
    let (mut remaining, mut matches) = (games, 0);
    while remaining != 0 {
        let n = remaining.trailing_zeros();
        remaining &= remaining - 1;
        let begins = entries.get(first.saturating_add(n)).and_then(|entry| {
            let start = usize::try_from(entry.offset).ok()?;
            let end = start.checked_add(entry.length as usize)?;
            records.get(start..end)?.first()
        });
        // A record without tags begins with the byte that ends them (section 4.1).
        matches |= u64::from(begins == Some(&0)) << n;
    }
    matches
}

/// QUIRK: Scid reads only the lowest two of the four bits (section 2.6).
fn outcome(code: u8) -> Outcome {
    match code & 3 {
        1 => Outcome::WhiteWins,
        2 => Outcome::BlackWins,
        3 => Outcome::Draw,
        _ => Outcome::Unknown,
    }
}

/// QUIRK: Scid reads only the lowest three of the four bits of the type (section 2.5). For type 7
/// only the value is known.
fn rating(code: RatingCode) -> Option<Rating> {
    let kind = RatingKind::ALL.get(usize::from(code.kind() & 7)).copied();
    let rating = Rating {
        value: code.value(),
        kind: kind.unwrap_or_default(),
    };
    (rating.value != 0).then_some(rating)
}

/// Fills the header from the tags of a record. Returns false if they run beyond the record.
pub(crate) fn read_tags(
    tags: &mut Tags<'_>,
    start: u64,
    spec: &Spec,
    detector: &EncodingDetector,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<bool> {
    let max_tags = report.options.limits.tags as usize;
    let mut others = 0;
    loop {
        let tag_start = spec.in_games(start + tags.offset());
        match tags.next() {
            None => return Ok(true),
            Some(Err(fault)) => {
                let (kind, location) = fault.into_parts(spec.games_file(), start);
                report.lost(kind, location)?;
                return Ok(false);
            }
            Some(Ok(_)) if others >= max_tags => {
                let kind = ErrorKind::over_limit("tags of a game", max_tags as u64);
                report.lost(kind, tag_start)?;
                // The moves follow the tags, so the rest must be read to its end.
                tags.by_ref()
                    .take_while(std::result::Result::is_ok)
                    .for_each(drop);
                return Ok(true);
            }
            Some(Ok(tag)) => {
                let limits = &report.options.limits;
                // A name has at most 240 bytes (section 4.1).
                if let Err(over) = game.texts.check_room(tag.value.len() + 240, limits) {
                    report.lost(over.into_kind(limits), tag_start)?;
                } else {
                    if let Some((severity, kind)) = read_tag(tag, detector, spec, game) {
                        report.add(severity, kind, tag_start)?;
                    }
                    let last = game.header.tags.last();
                    others += usize::from(matches!(last, Some(Tag::Other { .. })));
                }
            }
        }
    }
}

/// Puts one tag into the header. Returns a finding if the tag is irregular.
fn read_tag(
    tag: TagRecord<'_>,
    detector: &EncodingDetector,
    spec: &Spec,
    game: &mut Game,
) -> Option<(Severity, ErrorKind)> {
    if tag.name == TagName::OldEventDate {
        return old_event_date(tag.value, game);
    }
    let Some(name) = tag.name.as_bytes() else {
        let kind = ErrorKind::Structure("a tag without a name");
        return Some((Severity::Lost, kind));
    };
    let charset = detector.charset(tag.value);
    let value = game.texts.push(tag.value, charset);
    let entry = match typed(name, tag.value, value, spec, game) {
        Some(entry) => entry,
        None => {
            let charset = detector.charset(name);
            Tag::Other {
                name: game.texts.push(name, charset),
                value,
            }
        }
    };
    game.header.tags.push(entry);
    None
}

/// Reads the event date of a very old tag of three bytes (section 4.1). The index takes precedence.
fn old_event_date(bytes: &[u8], game: &mut Game) -> Option<(Severity, ErrorKind)> {
    let code = bytes
        .iter()
        .fold(0, |code, &byte| code << 8 | u32::from(byte));
    // The date takes 20 of the 24 bits.
    let date = DateCode(code & 0xF_FFFF).to_date();
    let header = &mut game.header;
    if header.event_date.is_unknown() {
        header.event_date = date;
    }
    let severity = if header.event_date == date { Severity::Note } else { Severity::Lost };
    Some((severity, ErrorKind::bad_field("the old event date", code)))
}

/// Puts a tag for a typed field into that field, if the field is still free.
pub(super) fn typed(
    name: &[u8],
    bytes: &[u8],
    value: TextId,
    spec: &Spec,
    game: &mut Game,
) -> Option<Tag> {
    let header = &mut game.header;
    let free = |field| header.is_free(field);
    let verbatim = |field| Some(Tag::Verbatim(field, value)).filter(|_| free(field));
    match name {
        b"Annotator" | b"Source" | b"WhiteTitle" | b"BlackTitle" => {
            let (field, _) = Field::of_tag(name).filter(|&(field, _)| free(field))?;
            header.set_text(field, value);
            Some(Tag::Place(field))
        }
        b"EventDate" => {
            let date = plain_date(bytes);
            if date.is_none() {
                // A date that the index cannot store is in the tag alone.
                return header.put_date(Field::EventDate, bytes, value, |_| Date::UNKNOWN);
            }
            let is_free = free(Field::EventDate) && header.event_date.is_unknown();
            header.event_date = date.filter(|_| is_free)?;
            Some(Tag::Place(Field::EventDate))
        }
        b"Date" if plain_date(bytes).is_none() => {
            header.put_date(Field::Date, bytes, value, super::write::storable_date)
        }
        b"Result" if Outcome::from_pgn(bytes) != Some(header.outcome) => verbatim(Field::Result),
        b"ECO" if header.eco.is_none() || is_nonstandard_eco(bytes, header.eco) => {
            verbatim(Field::Eco)
        }
        b"ScidFlags" => {
            let entry = verbatim(Field::Flags);
            let declared = GameFlags::from_lenient_letters(bytes);
            // The index holds the marks of its generation; the tag may complete them.
            if entry.is_some() && spec.marks(declared) == header.flags {
                header.flags = declared;
            }
            entry
        }
        // A rating that the index cannot store is in the tag alone.
        _ => header.put_number(name, bytes, value, |rating| {
            RatingCode::from_rating(Some(rating)).is_none()
        }),
    }
}

/// Parses a date that is possible and is written back as the same bytes.
fn plain_date(bytes: &[u8]) -> Option<Date> {
    let date = Date::from_pgn(bytes).filter(|date| date.is_possible())?;
    let mut text = Vec::with_capacity(10);
    date.write_pgn(&mut text);
    (text == bytes).then_some(date)
}

/// Returns whether the text is `stored` in a non-standard spelling. A different code is a repeated
/// tag.
fn is_nonstandard_eco(bytes: &[u8], stored: Option<Eco>) -> bool {
    let read = Eco::from_ascii(bytes).or_else(|| Eco::from_lenient_ascii(bytes));
    let mut standard = Vec::with_capacity(6);
    if let Some(eco) = read {
        eco.write_ascii(&mut standard);
    }
    read == stored && standard != bytes
}

/// Sets the start position from the record's FEN. Returns false if the FEN cannot be read; the
/// moves are then meaningless.
pub(crate) fn read_fen(
    flags: RecordFlags,
    fen: Option<&[u8]>,
    location: Location,
    detector: &EncodingDetector,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<bool> {
    let Some(fen) = fen.filter(|_| flags.contains(RecordFlags::FEN)) else {
        return Ok(true);
    };
    let setup = Setup::from_fen(fen);
    let verbatim = match &setup {
        Ok((setup, _)) => !setup.is_written_as(fen, &mut report.scratch.bytes),
        Err(_) => true,
    };
    if verbatim {
        let limits = &report.options.limits;
        match game.texts.check_room(fen.len(), limits) {
            Ok(()) => {
                let text = game.texts.push(fen, detector.charset(fen));
                game.header.tags.push(Tag::Verbatim(Field::Fen, text));
            }
            Err(over) => {
                report.lost(over.into_kind(limits), location)?;
            }
        }
    }
    match setup {
        Ok((setup, _)) => {
            game.header.start = Start::Setup(Box::new(setup));
            Ok(true)
        }
        Err(fault) => {
            let fault_start = location.plus(fault.offset as u64);
            report.lost(fault.into_kind(fen), fault_start)?;
            Ok(false)
        }
    }
}

/// Applies the Chess960 mark of a SCID 5 index and the variant tag. The start position alone is
/// ambiguous if it has no castling rights, or the castling rights of standard chess.
pub(crate) fn read_variant(
    entry: &GameEntry,
    spec: &Spec,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let has_tag = game.header.names_chess960(&game.texts);
    let from_fen = match &mut game.header.start {
        Start::Setup(setup) => {
            let is_in_fen = setup.chess960;
            setup.chess960 |= entry.chess960 || has_tag;
            is_in_fen || entry.chess960
        }
        Start::Standard => false,
    };
    if spec.chess960 && from_fen != entry.chess960 {
        let kind = ErrorKind::mismatch(
            "the Chess960 flag of the index",
            entry.chess960.into(),
            from_fen.into(),
        );
        report.note(kind, spec.in_entry(report, spec.field_offsets.chess960))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The upper four of 24 bits are no part of the date.
    #[test]
    fn old_event_date_uses_twenty_bits() {
        let mut game = Game::new();
        let date = chessdb_core::Date::new(2000, 5, 17);
        for severity in [Severity::Note, Severity::Lost] {
            let (found, _) = old_event_date(&[0x5F, 0xA0, 0xB1], &mut game).unwrap();
            assert_eq!(found, severity);
            game.header.event_date = chessdb_core::Date::new(2000, 5, 18);
        }
        game.header.event_date = chessdb_core::Date::UNKNOWN;
        old_event_date(&[0x5F, 0xA0, 0xB1], &mut game);
        assert_eq!(game.header.event_date, date);
    }
}
