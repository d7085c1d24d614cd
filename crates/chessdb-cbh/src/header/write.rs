//! Conversion of a header to an index record, an extended header and records of the tables of
//! names.

use chessdb_core::loss::TextLoss;
use chessdb_core::model::{Eco, EcoSub, Field, GameFlags, Named, RatingKind, Tag};
use chessdb_core::{Color, Game, LossKind, Losses, Outcome, Start};

use super::fields::TagFields;
use super::read::{
    CHESS960, COMPLETE_SHIFT, DOUBLE_FORFEIT, FIDE, KIND_IDLE, KIND_UNSAID, eco_of, outcome_of,
    pack_date, pack_kind, rating_kind,
};
use super::tags::TITLES;
use crate::extras::{self, find};
use crate::raw::{
    Annotator, Entity, GameRecord, GameTag, Player, Record, Source, Team, Tournament,
};
use crate::text::TextEncoder;

/// The value of the tag `Variant` for losing chess.
pub(crate) const LOSING_CHESS: &str = "losing chess";

/// A writer of headers that reuses its buffers.
#[derive(Debug)]
pub(crate) struct HeaderWriter {
    /// The index record, without offsets, numbers of names, and fields that depend on the moves.
    pub(crate) record: GameRecord,
    /// The kinds of White's and Black's ratings.
    pub(crate) rating_kinds: [[u8; 16]; 2],
    /// The names as stored in the tables.
    pub(crate) names: NameRecords,
    fields: TagFields,
    name: Vec<u8>,
}

/// The names of a game as table records, without the two reference fields at their end.
#[derive(Clone, Default, Debug)]
pub(crate) struct NameRecords {
    /// White and Black.
    pub(crate) players: [Vec<u8>; 2],
    /// The tournament, followed by its details if there are any.
    pub(crate) tournament: Vec<u8>,
    /// The annotator.
    pub(crate) annotator: Vec<u8>,
    /// The source.
    pub(crate) source: Vec<u8>,
    /// The teams of White and Black; empty if missing.
    pub(crate) teams: [Vec<u8>; 2],
    /// The game tag; empty if missing.
    pub(crate) tag: Vec<u8>,
}

impl Default for HeaderWriter {
    fn default() -> HeaderWriter {
        HeaderWriter {
            record: GameRecord::parse(&[0; Record::SIZE]),
            rating_kinds: [[0; 16]; 2],
            names: NameRecords::default(),
            fields: TagFields::default(),
            name: Vec::new(),
        }
    }
}

impl HeaderWriter {
    /// Encodes the header of a game. Extras that concern the moves are ignored.
    pub(crate) fn write(
        &mut self,
        game: &Game,
        texts: &TextEncoder,
        losing_chess: bool,
        losses: &mut Losses,
    ) {
        self.record = GameRecord::parse(&[0; Record::SIZE]);
        self.fields = TagFields::default();
        self.take_tags(game, losing_chess, losses);
        self.write_values(game, losses);
        self.write_result(game, losses);
        self.write_eco(game, losses);
        self.write_ratings(game, losses);
        self.write_players(game, texts, losses);
        self.write_names(game, texts, losses);
        self.write_teams(game, texts, losses);
    }

    /// Reads the tags that ChessBase has fields for.
    fn take_tags(&mut self, game: &Game, losing_chess: bool, losses: &mut Losses) {
        let header = &game.header;
        let setup = match &header.start {
            Start::Setup(setup) => Some(setup),
            Start::Standard => None,
        };
        losses.add_tags(game, |tag| {
            let (name, id) = match tag {
                Tag::Other { name, value } => (game.text(name).as_bytes(), value),
                Tag::Verbatim(Field::Result, text) => {
                    // The index has a result for this text, so the tag is not lost.
                    let is_forfeit = game.text(text).as_bytes() == b"0-0";
                    return is_forfeit && header.outcome == Outcome::Unknown;
                }
                _ => return false,
            };
            let value = game.text(id);
            match name {
                // PGN requires these tags with such a start position, so they carry no information.
                b"SetUp" => setup.is_some() && value.as_bytes() == b"1",
                b"Variant" if losing_chess => value.as_bytes() == LOSING_CHESS.as_bytes(),
                b"Variant" => setup.is_some_and(|setup| setup.chess960) && value.names_chess960(),
                name => self.fields.take(name, value, id, header.outcome),
            }
        });
    }

    fn write_values(&mut self, game: &Game, losses: &mut Losses) {
        let header = &game.header;
        let record = &mut self.record;
        let stored = find(header, extras::KIND);
        record.kind = match stored {
            Some(&[kind]) if kind & (Record::PRESENT | Record::TEXT) == Record::PRESENT => {
                // The flag of the model decides, since it may have changed.
                kind & !Record::DELETED
            }
            _ => {
                losses.add_if(LossKind::GameExtra, stored.is_some());
                Record::PRESENT
            }
        };
        if header.flags.contains(GameFlags::DELETED) {
            record.kind |= Record::DELETED;
        }
        losses.add_if(
            LossKind::Flags,
            !header.flags.difference(GameFlags::DELETED).is_empty(),
        );
        let (date, fits) = pack_date(header.date);
        record.date = date;
        losses.add_if(LossKind::Date, !fits);
        match round(game.text(header.round.text).as_bytes()) {
            Some(numbers) => [record.round, record.subround] = numbers,
            None => losses.add_field(Field::Round, game, header.round),
        }
        record.medals = self.fields.medals;
        losses.add_unstored(game, &Field::PLAYER_DETAILS);
    }

    fn write_result(&mut self, game: &Game, losses: &mut Losses) {
        let header = &game.header;
        let nag = self.fields.line_nag;
        let mut termination = self.fields.termination;
        if header.is_double_forfeit(&game.texts) && termination.is_none() {
            // A NAG is stored only with the result of a line (section 3), not with this one.
            match nag {
                0 => termination = outcome_of(DOUBLE_FORFEIT).1,
                _ => losses.add(LossKind::Result, None),
            }
        }
        let wanted = (header.outcome, termination);
        let usual = (0..8)
            .find(|&result| outcome_of(result) == wanted)
            .unwrap_or(3);
        let stored = find(header, extras::RESULT);
        let (result, nag) = match stored {
            // The reader keeps both bytes only in these two cases.
            Some(&[result, other])
                if nag == 0
                    && outcome_of(result) == wanted
                    && (result > 7 || result != 3 && other != 0) =>
            {
                (result, other)
            }
            stored => {
                losses.add_if(LossKind::GameExtra, stored.is_some());
                (usual, nag)
            }
        };
        (self.record.result, self.record.line_nag) = (result, nag);
    }

    fn write_eco(&mut self, game: &Game, losses: &mut Losses) {
        let header = &game.header;
        let usual = match (header.eco, &header.start) {
            (Some(eco), _) => {
                let stored = pack_eco(eco);
                losses.add_if(LossKind::Eco, eco_of(stored) != Some(eco));
                stored
            }
            (None, Start::Setup(setup)) if setup.chess960 => setup
                .board
                .chess960_number()
                .map_or(0, |number| CHESS960 + number),
            _ => 0,
        };
        let extra = find(header, extras::ECO);
        let stored = extra.and_then(|bytes| bytes.try_into().ok().map(u16::from_be_bytes));
        // A code that was changed after reading wins over the stored value.
        self.record.eco = match stored {
            Some(stored) if eco_of(stored) == header.eco => stored,
            _ => {
                losses.add_if(LossKind::GameExtra, extra.is_some());
                usual
            }
        };
    }

    fn write_ratings(&mut self, game: &Game, losses: &mut Losses) {
        let header = &game.header;
        let places = self.rating_kinds.iter_mut().zip(&mut self.record.elo);
        for (n, ((stored, value), color)) in places.zip(Color::ALL).enumerate() {
            let rating = header.player(color).rating;
            *value = rating.map_or(0, |rating| rating.value);
            // A rating of 0 would be read as none.
            losses.add_if(LossKind::Rating, rating.is_some() && *value == 0);
            let stored_rating = rating.filter(|rating| rating.value > 0);
            let kind = stored_rating.map(|rating| rating.kind);
            let usual = match kind {
                Some(RatingKind::Elo) if header.spare & KIND_UNSAID << n != 0 => [0; 16],
                Some(kind) => pack_kind(kind),
                None if header.spare & KIND_IDLE << n != 0 => FIDE,
                None => [0; 16],
            };
            let is_right = |stored| kind.is_none_or(|kind| kind == rating_kind(&stored));
            let extra = find(header, extras::RATING + n as u16);
            let whole = extra.and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
            *stored = match whole {
                Some(whole) if is_right(whole) => whole,
                _ => {
                    losses.add_if(LossKind::GameExtra, extra.is_some());
                    usual
                }
            };
            losses.add_if(LossKind::RatingType, !is_right(*stored));
        }
    }

    fn write_players(&mut self, game: &Game, texts: &TextEncoder, losses: &mut Losses) {
        for (player, color) in self.names.players.iter_mut().zip(Color::ALL) {
            let named = game.header.player(color).name;
            let mut fields = Player::from_slice(&[]);
            if has_content(game, Field::White, named) {
                self.name.clear();
                let changed = texts.put_name(game.text(named.text), &mut self.name);
                losses.add_if(LossKind::NameText, changed);
                let cut = put_player(&self.name, &mut fields, texts);
                losses.add_if(LossKind::NameCut, cut);
            } else {
                losses.add_field(Field::player(color), game, named);
            }
            put_entity(player, &fields);
        }
    }

    fn write_names(&mut self, game: &Game, texts: &TextEncoder, losses: &mut Losses) {
        let (header, fields) = (&game.header, &self.fields);
        let mut tournament = Tournament::from_slice(&[]);
        let mut annotator = Annotator::from_slice(&[]);
        let mut source = Source::from_slice(&[]);
        let places: [(Field, Named, &mut [u8]); 4] = [
            (Field::Event, header.event, &mut tournament.title),
            (Field::Site, header.site, &mut tournament.place),
            (Field::Annotator, header.annotator, &mut annotator.name),
            (Field::Source, header.source, &mut source.publisher),
        ];
        for (field, named, place) in places {
            if has_content(game, field, named) {
                let change = texts.put_field(game.text(named.text), place);
                losses.add_text(change, LossKind::NameText, LossKind::NameCut);
            } else {
                losses.add_field(field, game, named);
            }
        }
        let (date, fits) = pack_date(header.event_date);
        tournament.date = date;
        losses.add_if(LossKind::EventDate, !fits);
        tournament.flags = (header.spare >> COMPLETE_SHIFT & 3) as u8;
        fields.put_tournament(&mut tournament);
        put_entity(&mut self.names.tournament, &tournament);
        if let Some(details) = fields.details() {
            details.write(&mut self.names.tournament);
        }
        put_entity(&mut self.names.annotator, &annotator);
        fields.put_source(&mut source);
        if let Some(id) = fields.source_title {
            lose_tag(texts.put_field(game.text(id), &mut source.title), losses);
        }
        put_entity(&mut self.names.source, &source);
    }

    fn write_teams(&mut self, game: &Game, texts: &TextEncoder, losses: &mut Losses) {
        for (team, tags) in self.names.teams.iter_mut().zip(&self.fields.teams) {
            team.clear();
            let Some(tags) = tags else { continue };
            let mut entity = Team::from_slice(&[]);
            tags.put(&mut entity);
            if let Some(id) = tags.name {
                // ChessBase uses all bytes of this field.
                lose_tag(texts.put_whole(game.text(id), &mut entity.title), losses);
            }
            put_entity(team, &entity);
        }
        let tag = &mut self.names.tag;
        tag.clear();
        for (n, id) in self.fields.titles.iter().enumerate() {
            if let Some(id) = *id {
                // The first title creates the record. A game without titles refers to none.
                tag.resize(TITLES.len() * GameTag::TITLE, 0);
                let place = tag.chunks_mut(GameTag::TITLE).nth(n);
                lose_tag(
                    texts.put_field(game.text(id), place.unwrap_or_default()),
                    losses,
                );
            }
        }
    }
}

fn lose_tag(change: TextLoss, losses: &mut Losses) {
    losses.add_text(change, LossKind::TagText, LossKind::TagCut);
}

/// Returns true if a name has content. `?` counts as unknown in the tags that PGN requires.
fn has_content(game: &Game, field: Field, named: Named) -> bool {
    let text = game.text(named.text);
    let is_demanded = !matches!(field, Field::Annotator | Field::Source);
    !(text.is_empty() || is_demanded && text.as_bytes() == b"?")
}

/// Writes the record of a table without the two reference fields at its end.
fn put_entity(out: &mut Vec<u8>, entity: &impl Entity) {
    out.clear();
    entity.write(out);
    out.truncate(out.len().saturating_sub(8));
}

/// Splits a name at a comma into the fields of a player, preferably the first comma where both
/// parts fit. Returns true if the name was cut. The last byte of each field stays zero.
fn put_player(name: &[u8], player: &mut Player, texts: &TextEncoder) -> bool {
    let (most_last, most_first) = (player.last.len() - 1, player.first.len() - 1);
    let is_comma =
        |index: &usize| name.get(*index..index + 2) == Some(b", ") && index + 2 < name.len();
    let fits = |index: &usize| *index <= most_last && name.len() - index - 2 <= most_first;
    let mut commas = (0..name.len()).filter(is_comma);
    let mut fitting = commas.clone().filter(fits);
    let index = fitting
        .next()
        .or_else(|| commas.next().filter(|_| name.len() > most_last));
    let parts = index.and_then(|index| Some((name.get(..index)?, name.get(index + 2..)?)));
    let (last, first) = parts.unwrap_or((name, &[]));
    let is_cut = texts.fill(last, player.last.get_mut(..most_last).unwrap_or_default());
    // Both parts must be written, so the operator does not stop at the first.
    is_cut
        | texts.fill(
            first,
            player.first.get_mut(..most_first).unwrap_or_default(),
        )
}

/// Parses a round, and the round within the round; 0 is none.
fn round(text: &[u8]) -> Option<[u8; 2]> {
    let text = std::str::from_utf8(text).ok()?;
    let (round, subround) = text.split_once('.').unwrap_or((text, ""));
    let number = |digits: &str| {
        digits
            .parse::<u8>()
            .ok()
            .filter(|n| n.to_string() == digits)
    };
    match (number(round)?, subround) {
        (round @ 1.., "") if !text.contains('.') => Some([round, 0]),
        (round, subround) => Some([round, number(subround).filter(|&n| n > 0)?]),
    }
}

fn pack_eco(eco: Eco) -> u16 {
    let sub = match eco.sub {
        EcoSub::Number(sub @ 1..=99) => sub.into(),
        _ => 0,
    };
    match eco.code {
        code @ 0..500 => (code + 1) * 128 + sub,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn player_names_split_at_the_comma_that_fits() {
        let texts = TextEncoder::new(None, None);
        let put = |name: &str| {
            let mut player = Player::from_slice(&[]);
            let is_cut = put_player(name.as_bytes(), &mut player, &texts);
            let read = |field| String::from_utf8(crate::raw::cut(field).to_vec()).unwrap();
            (read(&player.last), read(&player.first), is_cut)
        };
        let parts = |last: &str, first: &str, cut| (last.to_owned(), first.to_owned(), cut);
        assert_eq!(put("Anderssen, Adolf"), parts("Anderssen", "Adolf", false));
        assert_eq!(put("A, B, C"), parts("A", "B, C", false));
        assert_eq!(put("Anderssen"), parts("Anderssen", "", false));
        assert_eq!(put("Anderssen, "), parts("Anderssen, ", "", false));
        let long = "A, a first name of many, B";
        assert_eq!(put(long), parts("A, a first name of many", "B", false));
    }

    #[test]
    fn rounds_are_numbers() {
        assert_eq!(round(b"3"), Some([3, 0]));
        assert_eq!(round(b"3.2"), Some([3, 2]));
        assert_eq!(round(b"0.2"), Some([0, 2]));
        for said in ["", "0", "?", "03", "3.", "3.0", "3.2.1", "256", "-"] {
            assert_eq!(round(said.as_bytes()), None, "{said}");
        }
    }
}
