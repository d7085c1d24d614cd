//! Conversion of a game's header into a raw header and names.

use chessdb_core::model::{EcoSub, Field, GameFlags, LINE_EVALUATION, RatingKind, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{Color, Date, Game, LossKind, Losses, Outcome, Start};

use crate::extras;
use crate::guesses::Guesses;
use crate::raw::{DateCode, NameRecord, RawHeader};
use crate::symbols::{OUTCOME_TAG, TYPE_TAG, nag_of_outcome, outcome_of_nag, type_of_text};
use crate::text::Encoder;

/// Returns the raw header of `game` without its names and its number.
pub(crate) fn write_header(game: &Game, guesses: &Guesses, losses: &mut Losses) -> RawHeader {
    let header = &game.header;
    let mut raw_header = RawHeader {
        outcome: match header.outcome {
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            Outcome::BlackWins => 3,
            Outcome::Unknown => 4,
        },
        eco: guesses.no_eco,
        unknown: guesses.raw_header_byte & !guesses.deleted_bits,
        round: u8::from(guesses.round_bit),
        ..RawHeader::default()
    };
    if let Some(eco) = header.eco {
        if eco.code < 500 {
            raw_header.eco = eco.code;
        }
        losses.add_if(LossKind::Eco, eco.code >= 500 || eco.sub != EcoSub::None);
    }
    raw_header.date = date(header.date, losses);
    losses.add_if(LossKind::EventDate, !header.event_date.is_unknown());
    raw_header.white_elo = rating(game, Color::White, losses);
    raw_header.black_elo = rating(game, Color::Black, losses);
    raw_header.round |= round(game, losses) << 1;
    write_flags(header.flags, guesses, &mut raw_header, losses);
    write_tags(game, guesses, &mut raw_header, losses);
    write_extras(game, &mut raw_header, losses);
    raw_header
}

/// Converts a date; parts that do not fit become unknown.
fn date(date: Date, losses: &mut Losses) -> DateCode {
    let fitting = date.within_calendar();
    losses.add_if(LossKind::Date, fitting != date);
    DateCode::from_date(fitting).unwrap_or_default()
}

fn rating(game: &Game, color: Color, losses: &mut Losses) -> u16 {
    let Some(rating) = game.header.player(color).rating else {
        return 0;
    };
    // The stored 0 means no rating, so this one is not read back (section 5).
    if rating.value == 0 {
        losses.add(LossKind::Rating, None);
    } else if rating.kind != RatingKind::Elo {
        losses.add(LossKind::RatingType, None);
    }
    rating.value
}

/// Returns the round as a number up to 127: 3 for `3.2` (section 5).
fn round(game: &Game, losses: &mut Losses) -> u8 {
    let id = game.header.round.text;
    let bytes = game.text(id).as_bytes();
    let digits = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let leading = bytes
        .get(..digits)
        .and_then(|digits| std::str::from_utf8(digits).ok());
    let number: u8 = leading.and_then(|digits| digits.parse().ok()).unwrap_or(0);
    // The byte holds the round times two; bit 0 has an unknown meaning.
    let stored = if number <= 127 { number } else { 0 };
    let plain = stored != 0 && digits == bytes.len() && !bytes.starts_with(b"0");
    if !plain {
        losses.add_field(Field::Round, game, game.header.round);
    }
    stored
}

fn write_flags(
    flags: GameFlags,
    guesses: &Guesses,
    raw_header: &mut RawHeader,
    losses: &mut Losses,
) {
    if flags.contains(GameFlags::DELETED) {
        raw_header.unknown |= guesses.deleted_bits;
        losses.add_if(LossKind::DeletedFlag, guesses.deleted_bits == 0);
    }
    losses.add_if(
        LossKind::Flags,
        !flags.difference(GameFlags::DELETED).is_empty(),
    );
}

fn write_tags(game: &Game, guesses: &Guesses, raw_header: &mut RawHeader, losses: &mut Losses) {
    // The header has one field for each of these tags, so a second one of the same name is lost.
    let (mut outcome_set, mut type_set, mut setup_set) = (false, false, false);
    for tag in &game.header.tags {
        match *tag {
            Tag::Place(_) => {}
            // The typed value is stored; only its spelling is lost.
            Tag::Verbatim(field, value) => losses.add_spelling(field, game.text(value)),
            Tag::Other { name, value } => {
                let evaluation = game.text(value).as_evaluation();
                let (name, value) = (game.text(name).decode(), game.text(value).decode());
                let stored = match &*name {
                    // Result and verdict share a byte: a verdict needs an unknown result.
                    LINE_EVALUATION if !outcome_set && game.header.outcome == Outcome::Unknown => {
                        evaluation.and_then(outcome_of_nag).map(|(outcome, exact)| {
                            raw_header.outcome = outcome;
                            outcome_set = true;
                            losses.add_if(LossKind::NagChanged, !exact);
                        })
                    }
                    OUTCOME_TAG if !outcome_set && game.header.outcome == Outcome::Unknown => {
                        outcome_of_text(&value).map(|outcome| {
                            raw_header.outcome = outcome;
                            outcome_set = true;
                            // It is read back as an evaluation, under another name.
                            let changed = nag_of_outcome(outcome).is_some();
                            losses.add_if(LossKind::TagText, changed);
                        })
                    }
                    TYPE_TAG if !type_set => type_of_text(&value, guesses.game_types).map(|kind| {
                        raw_header.game_type = kind;
                        type_set = true;
                    }),
                    // The reader adds this tag for every start position.
                    "SetUp"
                        if !setup_set && value == "1" && game.header.start != Start::Standard =>
                    {
                        setup_set = true;
                        Some(())
                    }
                    _ => None,
                };
                losses.add_if(LossKind::Tag, stored.is_none());
            }
        }
    }
}

/// Returns the outcome that a text holds if it is not one of PGN's four.
fn outcome_of_text(text: &str) -> Option<u8> {
    let outcome: u8 = text.parse().ok()?;
    (outcome.to_string() == text && !matches!(outcome, 1..=4)).then_some(outcome)
}

fn write_extras(game: &Game, raw_header: &mut RawHeader, losses: &mut Losses) {
    for extra in &game.header.extras {
        match (extra.format, extra.field, &*extra.bytes) {
            // The bits of a deleted game may already be set (guess 11).
            (extras::FORMAT, extras::HEADER_BYTE, &[byte]) => raw_header.unknown |= byte,
            (extras::FORMAT, extras::ROUND_BIT, &[bit]) => {
                raw_header.round = raw_header.round & !1 | bit & 1;
            }
            (extras::FORMAT, extras::ECO_NUMBER, &[low, high])
                if game.header.eco.is_none() && u16::from_le_bytes([low, high]) >= 500 =>
            {
                raw_header.eco = u16::from_le_bytes([low, high]);
            }
            _ => losses.add(LossKind::GameExtra, None),
        }
    }
}

/// The names of a game in the charset of the database; `None` if absent.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct HeaderNames {
    /// White and Black with title and FIDE number.
    pub(crate) players: [Option<PlayerName>; 2],
    /// Event, place and source.
    pub(crate) others: [Option<Vec<u8>>; 3],
    pub(crate) annotator: Option<Vec<u8>>,
}

/// A player as stored in a list.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct PlayerName {
    pub(crate) name: Vec<u8>,
    pub(crate) title: Vec<u8>,
    pub(crate) fide_id: u32,
}

/// Encodes the names of a game, in the order in which they get their numbers.
pub(crate) fn write_names(game: &Game, texts: &mut Encoder, losses: &mut Losses) -> HeaderNames {
    let header = &game.header;
    let mut names = HeaderNames::default();
    for (color, place) in Color::ALL.into_iter().zip(&mut names.players) {
        let player = header.player(color);
        let name = encode(game, player.name.text, texts, losses);
        let Some(name) = name else {
            // An absent player cannot have a title or a number.
            losses.add_if(LossKind::Title, player.title.is_some());
            losses.add_if(LossKind::FideId, player.fide_id.is_some());
            continue;
        };
        let title = encode_title(game, player.title, texts, losses);
        losses.add_if(LossKind::FideId, player.fide_id == Some(0));
        *place = Some(PlayerName {
            name,
            title,
            fide_id: player.fide_id.unwrap_or(0),
        });
    }
    names.others = [header.event.text, header.site.text, header.source.text]
        .map(|text| encode(game, text, texts, losses));
    names.annotator = encode(game, header.annotator.text, texts, losses);
    names
}

fn encode(game: &Game, id: TextId, texts: &mut Encoder, losses: &mut Losses) -> Option<Vec<u8>> {
    if id.is_none() {
        return None;
    }
    let mut stored = Vec::new();
    let change = texts.put_cut(game.text(id), NameRecord::MAX, &mut stored);
    losses.add_text(change, LossKind::NameText, LossKind::NameCut);
    Some(stored)
}

fn encode_title(game: &Game, id: TextId, texts: &mut Encoder, losses: &mut Losses) -> Vec<u8> {
    let mut stored = Vec::new();
    if id.is_none() {
        return stored;
    }
    let change = texts.put_cut(game.text(id), NameRecord::MAX, &mut stored);
    // An empty title is read back as none.
    losses.add_if(
        LossKind::Title,
        change.replaced || change.cut || stored.is_empty(),
    );
    stored
}
