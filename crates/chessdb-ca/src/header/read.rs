//! Conversion of a raw header and the name lists into a game's header.

use chessdb_core::error::Location;
use chessdb_core::model::{Eco, GameFlags, Named, Rating, RatingKind, Tag};
use chessdb_core::report::GameReport;
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Charset, Color, ErrorKind, Game, Outcome, Result};

use super::NO_NAME;
use crate::extras::{self, extra};
use crate::guesses::Guesses;
use crate::raw::RawHeader;
use crate::roles::D00_FILE;
use crate::symbols::{OUTCOME_TAG, TYPE_TAG, nag_of_outcome, text_of_type};

/// An entry of a name list. Its texts are in the arena of the [`BaseInfo`].
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct ListEntry {
    /// [`TextId::NONE`] if the list has no readable name with this number.
    pub(crate) name: TextId,
    pub(crate) title: TextId,
    pub(crate) fide_id: u32,
}

/// The four lists by number: players, events, places, sources.
#[derive(Clone, Default, Debug)]
pub(crate) struct NameLookup {
    pub(crate) lists: [Vec<ListEntry>; 4],
    /// Whether the database has no lists at all; this has already been reported.
    pub(crate) missing: bool,
}

impl NameLookup {
    fn get(&self, list: usize, id: u32) -> Option<&ListEntry> {
        self.lists.get(list)?.get(id as usize)
    }

    /// Returns the number of names that no game has. Empty names represent missing ones.
    pub(crate) fn unused(&self, games: impl Iterator<Item = RawHeader>, base: &BaseInfo) -> u64 {
        let mut is_used = self.lists.each_ref().map(|list| vec![false; list.len()]);
        for raw_header in games {
            for (list, id) in raw_header.names() {
                let used = is_used.get_mut(list);
                if let Some(used) = used.and_then(|list| list.get_mut(id as usize)) {
                    *used = true;
                }
            }
        }
        let lists = self.lists.iter().flatten().zip(is_used.iter().flatten());
        let unused = lists.filter(|(entry, is_used)| !**is_used && !is_empty(base, **entry));
        unused.count() as u64
    }
}

/// Fills the header of `game` from the raw header.
pub(crate) fn read_header(
    raw_header: &RawHeader,
    lookup: &NameLookup,
    base: &BaseInfo,
    guesses: &Guesses,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let start =
        u64::from(report.game.map_or(0, |game| game.saturating_sub(1))) * RawHeader::SIZE as u64;
    let mut names = NameReader {
        lookup,
        base,
        guesses,
        report,
        start,
    };
    let (white, white_entry) = names.name(0, raw_header.white, "the number of White", 0, game)?;
    let (black, black_entry) = names.name(0, raw_header.black, "the number of Black", 3, game)?;
    let (event, _) = names.name(1, raw_header.event, "the number of the event", 14, game)?;
    let (site, _) = names.name(2, raw_header.place, "the number of the place", 17, game)?;
    let (annotator, _) = names.name(
        0,
        raw_header.annotator,
        "the number of the annotator",
        32,
        game,
    )?;
    let (source, _) = names.name(3, raw_header.source, "the number of the source", 35, game)?;
    let header = &mut game.header;
    header.white.name = white;
    header.black.name = black;
    header.event = event;
    header.site = site;
    header.annotator = annotator;
    header.source = source;
    for (color, entry, elo) in [
        (Color::White, white_entry, raw_header.white_elo),
        (Color::Black, black_entry, raw_header.black_elo),
    ] {
        let player = header.player_mut(color);
        player.rating = (elo != 0).then_some(Rating {
            value: elo,
            kind: RatingKind::Elo,
        });
        player.title = game.texts.push_from(&base.texts, entry.title);
        player.fide_id = (entry.fide_id != 0).then_some(entry.fide_id);
    }
    header.outcome = match raw_header.outcome {
        1 => Outcome::Draw,
        2 => Outcome::WhiteWins,
        3 => Outcome::BlackWins,
        // The verdicts from 5 on evaluate the last position and are no result (section 5).
        _ => Outcome::Unknown,
    };
    header.date = raw_header.date.to_date();
    // Three bytes reach the year 40329, but the other formats have four digits.
    if header.date.year > 9999 {
        let kind = ErrorKind::bad_field("the year", header.date.year);
        header.date.year = 0;
        report.lost(kind, Location::byte(D00_FILE, start + 11))?;
    }
    // A00 is 0, so "no code" is a number beyond E99 (guess 7).
    header.eco = (raw_header.eco < 500).then(|| Eco::new(raw_header.eco));
    if raw_header.unknown & guesses.deleted_bits != 0 {
        header.flags |= GameFlags::DELETED;
    }
    let round = raw_header.round >> 1;
    if round != 0 {
        let text = number(u32::from(round), game);
        game.header.round = text.into();
    }
    if raw_header.outcome == 0 {
        // Programs write 4 for an unknown outcome (section 5).
        let kind = ErrorKind::bad_field("the result", raw_header.outcome);
        report.lost(kind, Location::byte(D00_FILE, start + 10))?;
    }
    if let Some(nag) = nag_of_outcome(raw_header.outcome) {
        game.header.put_line_evaluation(nag, &mut game.texts);
    } else if !matches!(raw_header.outcome, 1..=4) {
        let value = number(raw_header.outcome.into(), game);
        tag(OUTCOME_TAG, value, game);
    }
    if let Some(text) = text_of_type(raw_header.game_type, guesses.game_types) {
        let value = game.add_text(&text);
        tag(TYPE_TAG, value, game);
    }
    read_unknown(raw_header, guesses, game);
    Ok(())
}

/// Returns whether [`read_header`] would find every name and value.
pub(crate) fn is_complete(
    raw_header: &RawHeader,
    lookup: &NameLookup,
    base: &BaseInfo,
    guesses: &Guesses,
) -> bool {
    let is_listed = |(list, id): (usize, u32)| {
        let entry = lookup.get(list, id).copied().unwrap_or_default();
        entry.name.is_some() || id == NO_NAME || id == guesses.absent_name && is_empty(base, entry)
    };
    raw_header.outcome != 0
        && raw_header.date.to_date().year <= 9999
        && (lookup.missing || raw_header.names().into_iter().all(is_listed))
}

/// Returns whether an entry has no name, title or FIDE number.
fn is_empty(base: &BaseInfo, entry: ListEntry) -> bool {
    base.texts.get(entry.name).is_empty()
        && base.texts.get(entry.title).is_empty()
        && entry.fide_id == 0
}

/// Stores as extras the values that no field of the model can hold.
fn read_unknown(raw_header: &RawHeader, guesses: &Guesses, game: &mut Game) {
    let extras = &mut game.header.extras;
    let byte = raw_header.unknown & !guesses.deleted_bits;
    if byte != guesses.raw_header_byte & !guesses.deleted_bits {
        extras.push(extra(extras::HEADER_BYTE, [byte]));
    }
    let bit = raw_header.round & 1;
    if bit != u8::from(guesses.round_bit) {
        extras.push(extra(extras::ROUND_BIT, [bit]));
    }
    if raw_header.eco >= 500 && raw_header.eco != guesses.no_eco {
        extras.push(extra(extras::ECO_NUMBER, raw_header.eco.to_le_bytes()));
    }
}

/// Adds the `SetUp` tag that goes with a start position.
pub(crate) fn start_tag(game: &mut Game) {
    let value = game.add_text("1");
    tag("SetUp", value, game);
}

fn tag(name: &str, value: TextId, game: &mut Game) {
    let name = game.add_text(name);
    game.header.tags.push(Tag::Other { name, value });
}

fn number(number: u32, game: &mut Game) -> TextId {
    game.texts.begin();
    game.texts.extend_number(number);
    game.texts.finish(Charset::UTF_8)
}

struct NameReader<'n, 'r> {
    lookup: &'n NameLookup,
    base: &'n BaseInfo,
    guesses: &'n Guesses,
    report: &'n mut GameReport<'r>,
    /// Offset of the raw header in `d00`.
    start: u64,
}

impl NameReader<'_, '_> {
    /// Returns the name with number `id` and its list entry.
    fn name(
        &mut self,
        list: usize,
        id: u32,
        field: &'static str,
        offset: u64,
        game: &mut Game,
    ) -> Result<(Named, ListEntry)> {
        let entry = self.lookup.get(list, id).copied().unwrap_or_default();
        if id == NO_NAME || id == self.guesses.absent_name && is_empty(self.base, entry) {
            return Ok(Default::default());
        }
        if entry.name.is_none() {
            // Lists that are missing as a whole were reported once, when the database was opened.
            if !self.lookup.missing {
                let kind = ErrorKind::bad_field(field, id);
                let location = Location::byte(D00_FILE, self.start + offset);
                self.report.lost(kind, location)?;
            }
            return Ok((
                Named {
                    text: TextId::NONE,
                    key: Some(id),
                },
                ListEntry::default(),
            ));
        }
        let text = game.texts.push_from(&self.base.texts, entry.name);
        Ok((
            Named {
                text,
                key: Some(id),
            },
            entry,
        ))
    }
}
