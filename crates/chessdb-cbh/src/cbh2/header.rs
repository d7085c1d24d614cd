//! Conversion of an index record, with the names it refers to, to the header of a game
//! (docs/formats/2cbh.md, sections 2 and 3).

use chessdb_core::error::Location;
use chessdb_core::model::{GameFlags, Named, Player, Rating, RatingKind};
use chessdb_core::report::GameReport;
use chessdb_core::text::TextId;
use chessdb_core::{ErrorKind, Game, Result};

use crate::extras::{self, extra_2cbh};
use crate::header::{COMPLETE_SHIFT, date, kind_of_list, read_eco, read_result, read_round, tags};
use crate::raw::cbh2::{self, EntityFile, EntityKind, Record, RecordKind, Titles};
use crate::raw::{Entity as _, Tournament};
use crate::text::TextCharsets;

/// The names of a database.
#[derive(Clone, Debug)]
pub(super) struct Names<'a> {
    /// The file of names; `None` if it is missing.
    pub(super) file: Option<EntityFile<'a>>,
    pub(super) charsets: TextCharsets,
}

/// The offsets of the numbers of names in a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameFields {
    /// White, Black, tournament and teams, which only games have.
    of_game: Option<[usize; 5]>,
    pub(super) annotator: usize,
    pub(super) source: usize,
    pub(super) titles: usize,
}

impl NameFields {
    pub(super) const TITLES_OF_TEXT: usize = 0x28;

    const GAME: NameFields = NameFields {
        of_game: Some([0x18, 0x20, 0x28, 0x40, 0x48]),
        annotator: 0x30,
        source: 0x38,
        titles: 0x50,
    };
    const ANALYSIS: NameFields = NameFields {
        of_game: None,
        annotator: 0x28,
        source: 0x20,
        titles: 0x18,
    };

    fn from_kind(kind: RecordKind) -> NameFields {
        match kind {
            RecordKind::Analysis => NameFields::ANALYSIS,
            _ => NameFields::GAME,
        }
    }
}

/// The nations whose languages have a tag for titles, in the order of the tags.
const TITLE_LANGUAGES: [u32; 7] = [42, 53, 49, 43, 70, 103, 117];

impl Names<'_> {
    /// Returns true if every name that a record refers to exists.
    pub(super) fn has_all(&self, record: &Record<'_>) -> bool {
        let Some(file) = &self.file else { return true };
        let fields = NameFields::from_kind(record.kind());
        let has = |kind, offset| file.get(kind, record.name(offset)).is_some();
        let has_game = |[white, black, tournament, _, _]: [usize; 5]| {
            has(EntityKind::Player, white)
                && has(EntityKind::Player, black)
                && has(EntityKind::Tournament, tournament)
        };
        fields.of_game.is_none_or(has_game)
            && has(EntityKind::Player, fields.annotator)
            && has(EntityKind::Source, fields.source)
    }
}

/// Reads the names that one record refers to.
struct NameReader<'n, 'r, 'o> {
    names: &'n Names<'n>,
    record: Record<'n>,
    at: Location,
    report: &'r mut GameReport<'o>,
}

impl<'n> NameReader<'n, '_, '_> {
    /// Reads the name with the number at an offset of the record and reports a missing one.
    fn name<T>(
        &mut self,
        kind: EntityKind,
        offset: usize,
        field: &'static str,
        parse: fn(&'n [u8]) -> Option<T>,
    ) -> Result<Option<(T, Option<u32>)>> {
        // A missing file was reported when the database was opened; in salvage mode it is reported
        // for each game.
        let Some(file) = &self.names.file else {
            // Every game has these names. Nothing shows whether an empty team or title was lost.
            if self.report.options.salvage && kind as usize <= EntityKind::Source as usize {
                let kind = ErrorKind::bad_field(field, self.record.name(offset) as u32);
                self.report.lost(kind, self.at)?;
            }
            return Ok(None);
        };
        let id = self.record.name(offset);
        if let Some(name) = file.get(kind, id).and_then(parse) {
            return Ok(Some((name, u32::try_from(id).ok())));
        }
        let kind = ErrorKind::bad_field(field, id as u64);
        let location = self.at.plus(offset as u64);
        self.report.lost(kind, location)?;
        Ok(None)
    }
}

/// Fills a header with a start position that has already been set. `at` is the location of the
/// record.
///
/// # Errors
///
/// Returns an error for the first deviation from the format page in strict mode.
pub(super) fn read_header(
    record: Record<'_>,
    names: &Names<'_>,
    location: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    if !record.has_known_bits() {
        let start = record.0.first_chunk::<8>().copied().unwrap_or_default();
        let extra = extra_2cbh(extras::KIND_2CBH, &start);
        game.header.extras.push(extra);
        let kind = ErrorKind::bad_field("the start of the index record", u64::from_le_bytes(start));
        report.lost(kind, location)?;
    }
    let is_deleted = record.bits() & Record::DELETED != 0;
    game.header.flags.set(GameFlags::DELETED, is_deleted);
    let fields = NameFields::from_kind(record.kind());
    let mut reader = NameReader {
        names,
        record,
        at: location,
        report,
    };
    match fields.of_game {
        Some(fields) => read_game(&fields, &mut reader, game)?,
        None => {
            let mark = extra_2cbh(extras::CONTENT, &[Record::ANALYSIS]);
            game.header.extras.push(mark);
        }
    }
    let annotator = reader.name(
        EntityKind::Player,
        fields.annotator,
        "the number of the annotator",
        cbh2::Player::parse,
    )?;
    let charsets = &names.charsets;
    if let Some((stored, key)) = annotator {
        let text = charsets.push_player(stored.last, stored.first, &mut game.texts);
        game.header.annotator = Named { text, key };
    }
    let source = reader.name(
        EntityKind::Source,
        fields.source,
        "the number of the source",
        cbh2::Source::parse,
    )?;
    if let Some((stored, key)) = source {
        let text = charsets.push_name(stored.publisher, &mut game.texts);
        game.header.source = Named { text, key };
        let title = charsets.push_name(stored.title, &mut game.texts);
        let fields = tags::SourceFields {
            publication: stored.publication,
            version: stored.version.into(),
            date: stored.date,
            quality: stored.quality.into(),
        };
        tags::put_source(game, title, &fields);
    }
    if let Some([_, _, _, white, black]) = fields.of_game {
        tags::put_medals(game, record.medals());
        read_teams([white, black], &mut reader, game)?;
    }
    read_titles(fields.titles, &mut reader, game)?;
    Ok(())
}

/// Reads the fields that analyses do not have, except the teams.
fn read_game(
    &[white, black, tournament, _, _]: &[usize; 5],
    reader: &mut NameReader<'_, '_, '_>,
    game: &mut Game,
) -> Result<()> {
    let record = reader.record;
    game.header.date = date(record.date());
    read_result(record.result(), record.line_nag(), game);
    read_eco(record.eco(), game);
    read_ratings(&record, game);
    let [round, subround, board] = record.round();
    read_round(round.into(), subround.into(), game);
    if record.classification() != [0; 6] {
        let scores = extra_2cbh(extras::CLASSIFICATION, &record.classification());
        game.header.extras.push(scores);
    }
    let charsets = &reader.names.charsets;
    let offsets = [
        (white, "the number of White"),
        (black, "the number of Black"),
    ];
    for (n, (offset, field)) in offsets.into_iter().enumerate() {
        let name = reader.name(EntityKind::Player, offset, field, cbh2::Player::parse)?;
        let Some((stored, key)) = name else { continue };
        let text = charsets.push_player(stored.last, stored.first, &mut game.texts);
        let player: &mut Player = match n {
            0 => &mut game.header.white,
            _ => &mut game.header.black,
        };
        player.name = Named { text, key };
        player.fide_id = u32::try_from(stored.fide_id).ok().filter(|id| *id > 0);
    }
    let name = reader.name(
        EntityKind::Tournament,
        tournament,
        "the number of the tournament",
        cbh2::Tournament::parse,
    )?;
    if let Some((stored, key)) = name {
        let text = charsets.push_name(stored.title, &mut game.texts);
        game.header.event = Named { text, key };
        let text = charsets.push_name(stored.place, &mut game.texts);
        game.header.site = Named { text, key };
        game.header.event_date = date(stored.date);
        read_tournament(&stored, game);
    }
    tags::put_number(game, "Board", board.into());
    Ok(())
}

/// Reads the fields of a tournament that become tags.
fn read_tournament(stored: &cbh2::Tournament<'_>, game: &mut Game) {
    let [kind, team, nation, _, category, flags, rounds, _] = stored.fields;
    game.header.spare |= u16::from(flags & 3) << COMPLETE_SHIFT;
    let fields = Tournament {
        kind,
        team,
        nation,
        category,
        flags,
        rounds,
        ..Tournament::from_slice(&[])
    };
    tags::put_tournament(game, &fields);
    let [latitude, longitude] = stored.coordinates;
    if latitude != 0.0 || longitude != 0.0 {
        let place = format!("{latitude}, {longitude}");
        tags::put(game, "EventCoordinates", &place);
    }
    tags::put_date(game, "EventEndDate", stored.end);
    if !stored.tie_breaks.is_empty() {
        let rules = extra_2cbh(extras::TIE_BREAKS, stored.tie_breaks);
        game.header.extras.push(rules);
    }
}

/// The stored kind of a FIDE rating.
const FIDE: [u8; 14] = *b"\x01\0\x01\0\0\0FIDE\0\0\0\0";

/// Reads the ratings with their kinds.
fn read_ratings(record: &Record<'_>, game: &mut Game) {
    let header = &mut game.header;
    let players = [&mut header.white, &mut header.black];
    let stored = record.elo().into_iter().zip(record.rating_kinds());
    for ((n, player), (value, stored)) in (0..).zip(players).zip(stored) {
        let kind = rating_kind(&stored);
        player.rating = (value != 0).then_some(Rating { value, kind });
        // The bits above are the speed; the number of the list follows from both.
        let is_common = stored == [0; 14] || stored == FIDE;
        if value != 0 && !is_common {
            let extra = extra_2cbh(extras::RATING_2CBH + n, &stored);
            header.extras.push(extra);
        }
    }
}

/// Returns the kind of a rating (section 2.2).
fn rating_kind(stored: &[u8; 14]) -> RatingKind {
    let [bits, _, _, _, nation, _, name @ ..] = stored;
    kind_of_list(bits & 7, bits >> 3, *nation, name)
}

/// Reads the teams of White and Black, which are the only names that a game may lack.
fn read_teams(
    offsets: [usize; 2],
    reader: &mut NameReader<'_, '_, '_>,
    game: &mut Game,
) -> Result<()> {
    for (tags, offset) in tags::TEAMS.iter().zip(offsets) {
        if reader.record.name(offset) == -1 {
            continue;
        }
        let field = "the number of a team";
        let name = reader.name(EntityKind::Team, offset, field, cbh2::Team::parse)?;
        let Some((stored, _)) = name else { continue };
        let charsets = &reader.names.charsets;
        let title = charsets.push_name(stored.title, &mut game.texts);
        let fields = tags::StoredTeam {
            number: stored.number.into(),
            season: stored.season,
            year: stored.year.into(),
            nation: stored.nation,
        };
        tags::put_team(game, tags, title, &fields);
    }
    Ok(())
}

/// Reads the titles of a game tag.
fn read_titles(offset: usize, reader: &mut NameReader<'_, '_, '_>, game: &mut Game) -> Result<()> {
    let field = "the number of the game tag";
    let Some((mut titles, _)) = reader.name(EntityKind::Titles, offset, field, Titles::parse)?
    else {
        return Ok(());
    };
    for title in &mut titles {
        let mut languages = TITLE_LANGUAGES.iter();
        let tag = languages.position(|language| *language == title.language);
        if let Some(tag) = tag.and_then(|tag| tags::TITLES.get(tag)) {
            let charsets = &reader.names.charsets;
            let text: TextId = charsets.push_name(title.text, &mut game.texts);
            tags::put_text(game, tag, text);
        } else if !title.text.is_empty() {
            let mut bytes = title.language.to_le_bytes().to_vec();
            bytes.extend_from_slice(title.text);
            let extra = extra_2cbh(extras::TITLE, &bytes);
            game.header.extras.push(extra);
        }
    }
    if titles.is_cut() {
        let kind = ErrorKind::Structure("a game tag ends before its last title");
        let location = reader.at.plus(offset as u64);
        reader.report.lost(kind, location)?;
    }
    Ok(())
}
