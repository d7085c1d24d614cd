//! Conversion of an index record to the header fields of the model.

use chessdb_core::error::Location;
use chessdb_core::model::{Eco, EcoSub, Field, GameFlags, Named, Player, Rating, RatingKind, Tag};
use chessdb_core::report::GameReport;
use chessdb_core::{Charset, Date, ErrorKind, Game, Outcome, Result, Start};

use super::{nations, tags};
use crate::extras::{self, extra};
use crate::name_tables::NameTables;
use crate::raw::{Entity, Extended, GameRecord, Record, Table};
use crate::roles::CBTT_FILE;

/// The sources of a header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeaderSources<'a> {
    pub(crate) record: GameRecord,
    pub(crate) extended: Option<Extended<'a>>,
    pub(crate) names: &'a NameTables<'a>,
    /// The location of the index record.
    pub(crate) at: Location,
}

/// The lowest ECO value that represents the number of a Chess960 position (section 2).
pub(crate) const CHESS960: u16 = 64576;

/// The stored kind of a FIDE rating (section 4).
pub(crate) const FIDE: [u8; 16] = *b"\0\x01\0\x01\0FIDE\0\0\0\0\0\0\0";

/// Bits of [`chessdb_core::model::Header::spare`]: the kind is not stored although there is a
/// rating (`KIND_UNSAID`), or is FIDE's although there is none (`KIND_IDLE`). Black's bit is one
/// higher.
pub(super) const KIND_UNSAID: u16 = 1;
pub(super) const KIND_IDLE: u16 = 4;
/// The position of the two lowest flags of the tournament in the same field: complete or not.
pub(crate) const COMPLETE_SHIFT: u32 = 4;

/// Decodes a date: 9 bits for day and month, and the year above.
pub(crate) fn date(stored: u32) -> Date {
    let year = (stored >> 9 & 0xFFF) as u16;
    Date::new(year, (stored >> 5 & 15) as u8, (stored & 31) as u8)
}

/// Encodes a date. Parts that do not fit are set to zero. The flag is true if all parts fit.
pub(super) fn pack_date(wanted: Date) -> (u32, bool) {
    let fitting = |part: u16, limit: u16| u32::from(if part > limit { 0 } else { part });
    let year = fitting(wanted.year, 0xFFF);
    let [month, day] = [(wanted.month, 15), (wanted.day, 31)];
    let stored = year << 9 | fitting(month.0.into(), month.1) << 5 | fitting(day.0.into(), day.1);
    (stored, date(stored) == wanted)
}

/// Fills a header with a start position that has already been set.
///
/// # Errors
///
/// Returns an error for the first deviation from the format page in strict mode.
pub(crate) fn read_header(
    sources: &HeaderSources<'_>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let record = &sources.record;
    let understood = Record::PRESENT | Record::DELETED;
    if record.kind & !understood != 0 {
        game.header.extras.push(extra(extras::KIND, &[record.kind]));
    }
    game.header
        .flags
        .set(GameFlags::DELETED, record.kind & Record::DELETED != 0);
    game.header.date = date(record.date);
    read_result(record.result, record.line_nag, game);
    read_eco(record.eco, game);
    read_ratings(sources, game);
    read_round(record.round.into(), record.subround.into(), game);
    read_names(sources, game, report)?;
    tags::put_medals(game, record.medals);
    read_extended(sources, game, report)
}

/// Reads the round and the round within the round; 0 for none.
pub(crate) fn read_round(round: u32, subround: u32, game: &mut Game) {
    if round | subround == 0 {
        return;
    }
    let texts = &mut game.texts;
    texts.begin();
    texts.extend_number(round);
    if subround != 0 {
        texts.extend(b".");
        texts.extend_number(subround);
    }
    game.header.round = texts.finish(Charset::UTF_8).into();
}

/// The result of a game that both players lost (section 2).
pub(super) const DOUBLE_FORFEIT: u8 = 7;

/// Returns the outcome of a result byte (section 2) and the termination, if the game was not
/// decided on the board.
pub(super) fn outcome_of(result: u8) -> (Outcome, Option<&'static str>) {
    let outcome = match result {
        0 | 4 => Outcome::BlackWins,
        1 | 5 => Outcome::Draw,
        2 | 6 => Outcome::WhiteWins,
        _ => Outcome::Unknown,
    };
    let termination = match result {
        4..=6 => Some("forfeit"),
        DOUBLE_FORFEIT => Some("double forfeit"),
        _ => None,
    };
    (outcome, termination)
}

/// Reads the result and the NAG of a line (section 2).
pub(crate) fn read_result(result: u8, line_nag: u8, game: &mut Game) {
    let (outcome, termination) = outcome_of(result);
    game.header.outcome = outcome;
    // The model has no outcome for two losses, so the text of the tag keeps it (section 19).
    if result == DOUBLE_FORFEIT {
        let text = game.add_text("0-0");
        game.header.tags.push(Tag::Verbatim(Field::Result, text));
    }
    if let Some(termination) = termination {
        tags::put_termination(game, termination);
    }
    match (result, line_nag) {
        (0..=7, 0) => {}
        (3, nag) => game.header.put_line_evaluation(nag, &mut game.texts),
        (result, nag) => game
            .header
            .extras
            .push(extra(extras::RESULT, &[result, nag])),
    }
}

/// Reads the ECO field (section 2).
pub(crate) fn read_eco(stored: u16, game: &mut Game) {
    let header = &mut game.header;
    if stored >= CHESS960 {
        // The position implies its number; only a different one must be kept.
        let number = match &header.start {
            Start::Setup(setup) if setup.chess960 => setup.board.chess960_number(),
            _ => None,
        };
        if number != Some(stored - CHESS960) {
            header
                .extras
                .push(extra(extras::ECO, &stored.to_be_bytes()));
        }
        return;
    }
    header.eco = eco_of(stored);
    let is_whole = match header.eco {
        Some(eco) => eco.sub != EcoSub::None || stored.is_multiple_of(128),
        None => stored == 0,
    };
    if !is_whole {
        header
            .extras
            .push(extra(extras::ECO, &stored.to_be_bytes()));
    }
}

/// Returns the ECO code of a stored value (section 2).
pub(super) fn eco_of(stored: u16) -> Option<Eco> {
    let code = (stored / 128)
        .checked_sub(1)
        .filter(|_| stored < CHESS960)?;
    let sub = match stored % 128 {
        sub @ 1..100 => EcoSub::Number(sub as u8),
        _ => EcoSub::None,
    };
    Some(Eco { code, sub })
}

/// Reads the ratings (section 4). Without extended headers all ratings are FIDE ratings.
fn read_ratings(sources: &HeaderSources<'_>, game: &mut Game) {
    let header = &mut game.header;
    let kinds = sources.extended.and_then(Extended::rating_kinds);
    let players = [&mut header.white, &mut header.black];
    for (n, (player, value)) in players.into_iter().zip(sources.record.elo).enumerate() {
        let stored = kinds
            .as_ref()
            .and_then(|kinds| kinds.get(n))
            .unwrap_or(&FIDE);
        let kind = rating_kind(stored);
        player.rating = (value != 0).then_some(Rating { value, kind });
        // Either FIDE's kind and a rating, or neither, is the default. Two bits mark the other
        // common cases, which saves an extra.
        match (kinds.is_some(), value != 0) {
            (true, true) if *stored == [0; 16] => header.spare |= KIND_UNSAID << n,
            (true, false) if *stored == FIDE => header.spare |= KIND_IDLE << n,
            (true, false) if *stored == [0; 16] => {}
            (true, _) if *stored != FIDE => {
                header.extras.push(extra(extras::RATING + n as u16, stored));
            }
            _ => {}
        }
    }
}

/// Returns the kind of a rating (section 4).
pub(super) fn rating_kind(stored: &[u8; 16]) -> RatingKind {
    let [_, system, _, speed, nation, name @ ..] = stored;
    kind_of_list(*system, *speed, *nation, name)
}

/// Returns the kind of the ratings of a list: international (1) or national (2), its speed, the
/// nation and the name.
pub(crate) fn kind_of_list(system: u8, speed: u8, nation: u8, name: &[u8]) -> RatingKind {
    if name.starts_with(b"ICCF") {
        return RatingKind::Iccf;
    }
    match (system, speed) {
        (2, _) => match nations::code(nation) {
            Some("GER") => RatingKind::Dwz,
            Some("USA") => RatingKind::Uscf,
            Some("ENG") => RatingKind::Ecf,
            _ => RatingKind::Elo,
        },
        (1, 3) => RatingKind::Rapid,
        (1, 4) => RatingKind::Iccf,
        _ => RatingKind::Elo,
    }
}

/// Encodes the kind of a rating. An unspecified kind is stored as Elo.
pub(super) fn pack_kind(kind: RatingKind) -> [u8; 16] {
    let (speed, country, name) = match kind {
        RatingKind::Elo | RatingKind::Rating => return FIDE,
        RatingKind::Rapid => (3, "", "FIDE"),
        RatingKind::Iccf => (4, "", "ICCF"),
        RatingKind::Dwz => (0, "GER", "DWZ"),
        RatingKind::Uscf => (0, "USA", "USCF"),
        RatingKind::Ecf => (0, "ENG", "ECF"),
    };
    let mut stored = [0; 16];
    let [_, system, national, international, nation, rest @ ..] = &mut stored;
    match nations::number(country) {
        Some(number) => (*system, *national, *nation) = (2, 1, number),
        None => (*system, *international) = (1, speed),
    }
    for (place, byte) in rest.iter_mut().zip(name.bytes()) {
        *place = byte;
    }
    stored
}

/// A reader of the names that an index record refers to. Missing tables were reported when the
/// database was opened; in salvage mode they are reported for each game.
struct NameReader<'r, 'o> {
    /// The location of the index record.
    at: Location,
    report: &'r mut GameReport<'o>,
}

impl NameReader<'_, '_> {
    /// Returns a record of a table and reports a missing one. `references` returns the number of
    /// references to a record, `what` names a missing and an unreferenced record, and `offset` is
    /// the place of the number in the index record.
    #[inline]
    fn find<E: Entity>(
        &mut self,
        table: &Table<'_, E>,
        number: u32,
        references: impl Fn(&E) -> u32,
        what: [&'static str; 2],
        offset: u64,
    ) -> Result<Option<E>> {
        let [missing, unreferenced] = what;
        let entity = table.get(number).map(|(_, entity)| entity);
        // A record without references consists of zeros, entirely or from somewhere within its
        // name.
        let (field, location) = match &entity {
            Some(entity) if references(entity) == 0 => (unreferenced, self.at),
            None if table.header.is_some() || self.report.options.salvage => {
                (missing, self.at.plus(offset))
            }
            _ => return Ok(entity),
        };
        let kind = ErrorKind::bad_field(field, number);
        self.report.lost(kind, location)?;
        Ok(entity)
    }
}

/// Reads the names (section 9).
fn read_names(
    sources: &HeaderSources<'_>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let HeaderSources {
        record, names, at, ..
    } = *sources;
    let mut reader = NameReader { at, report };
    let Game { header, texts, .. } = game;
    let what = [
        "the number of a player",
        "the number of an unreferenced player",
    ];
    let white: (&mut Player, _, _) = (&mut header.white, record.white, 9);
    for (player, number, offset) in [white, (&mut header.black, record.black, 12)] {
        let stored = reader.find(
            &names.players,
            number,
            |record| record.references,
            what,
            offset,
        )?;
        if let Some(stored) = stored {
            let text = names.push_player(&stored, texts);
            let key = Some(number);
            player.name = Named { text, key };
        }
    }
    let number = record.annotator;
    let what = [
        "the number of the annotator",
        "the number of an unreferenced annotator",
    ];
    let annotator = reader.find(
        &names.annotators,
        number,
        |record| record.references,
        what,
        18,
    )?;
    if let Some(annotator) = annotator {
        let text = names.push(&annotator.name, texts);
        let key = Some(number);
        header.annotator = Named { text, key };
    }
    let number = record.tournament;
    let what = [
        "the number of the tournament",
        "the number of an unreferenced tournament",
    ];
    let tournament = reader.find(
        &names.tournaments,
        number,
        |record| record.references,
        what,
        15,
    )?;
    if let Some(tournament) = tournament {
        let key = Some(number);
        let text = names.push(&tournament.title, texts);
        header.event = Named { text, key };
        let text = names.push(&tournament.place, texts);
        header.site = Named { text, key };
        header.event_date = date(tournament.date);
        header.spare |= u16::from(tournament.flags & 3) << COMPLETE_SHIFT;
        tags::put_tournament(game, &tournament);
        if let Some(details) = names.details(number) {
            tags::put_details(game, details);
        } else if reader.report.options.salvage && names.lacks_details(number) {
            let kind = ErrorKind::Structure("the details of the tournament are missing");
            let file = Location::file(CBTT_FILE);
            reader.report.lost(kind, file)?;
        }
    }
    let number = record.source;
    let what = [
        "the number of the source",
        "the number of an unreferenced source",
    ];
    let source = reader.find(&names.sources, number, |record| record.references, what, 21)?;
    if let Some(source) = source {
        let text = names.push(&source.publisher, &mut game.texts);
        let key = Some(number);
        game.header.source = Named { text, key };
        let title = names.push(&source.title, &mut game.texts);
        let fields = tags::SourceFields {
            publication: source.publication,
            version: source.version.into(),
            date: source.date,
            quality: source.quality.into(),
        };
        tags::put_source(game, title, &fields);
    }
    Ok(())
}

/// Reads the teams and the game tag.
fn read_extended(
    sources: &HeaderSources<'_>,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let HeaderSources {
        extended,
        names,
        at: location,
        ..
    } = *sources;
    let Some(extended) = extended else {
        return Ok(());
    };
    for (tags, number) in tags::TEAMS.iter().zip(extended.teams()) {
        let Some(number) = number else { continue };
        match names.teams.get(number) {
            Some((_, team)) => {
                let title = names.push(&team.title, &mut game.texts);
                let fields = tags::StoredTeam {
                    number: team.number,
                    season: team.season,
                    year: team.year,
                    nation: team.nation,
                };
                tags::put_team(game, tags, title, &fields);
            }
            None => report.lost(
                ErrorKind::bad_field("the number of a team", number),
                location,
            )?,
        }
    }
    let Some(number) = extended.tag() else {
        return Ok(());
    };
    match names.tags.data(number) {
        Some(data) => tags::put_game_tag(game, data, names),
        // 0 can mean none as well.
        None if number > 0 => {
            report.lost(
                ErrorKind::bad_field("the number of the game tag", number),
                location,
            )?;
        }
        None => {}
    }
    Ok(())
}
