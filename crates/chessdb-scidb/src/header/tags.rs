//! The numbers of tags, and tags that fill typed fields (docs/formats/scidb.md, section 4.2).

use chessdb_core::model::{Eco, Field, Header, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{Date, Game, Setup, Start};

use super::write::{storable_date, stored_event_date};

/// The names of the tags with a number.
const NAMES: [&[u8]; 69] = [
    b"Event",
    b"Site",
    b"Date",
    b"Round",
    b"White",
    b"Black",
    b"Result",
    b"EventDate",
    b"EventCountry",
    b"EventType",
    b"EventRounds",
    b"EventCategory",
    b"ECO",
    b"Opening",
    b"Variation",
    b"SubVariation",
    b"Variant",
    b"SetUp",
    b"FEN",
    b"Idn",
    b"Termination",
    b"TimeControl",
    b"TimeMode",
    b"WhiteCountry",
    b"BlackCountry",
    b"WhiteTitle",
    b"BlackTitle",
    b"WhiteNA",
    b"BlackNA",
    b"WhiteType",
    b"BlackType",
    b"WhiteSex",
    b"BlackSex",
    b"WhiteFideId",
    b"BlackFideId",
    b"WhiteClock",
    b"BlackClock",
    b"WhiteElo",
    b"WhiteRating",
    b"WhiteRapid",
    b"WhiteICCF",
    b"WhiteUSCF",
    b"WhiteDWZ",
    b"WhiteECF",
    b"WhiteIPS",
    b"BlackElo",
    b"BlackRating",
    b"BlackRapid",
    b"BlackICCF",
    b"BlackUSCF",
    b"BlackDWZ",
    b"BlackECF",
    b"BlackIPS",
    b"WhiteTeam",
    b"BlackTeam",
    b"WhiteTeamCountry",
    b"BlackTeamCountry",
    b"Annotator",
    b"Mode",
    b"Source",
    b"SourceDate",
    b"PlyCount",
    b"Remark",
    b"Board",
    b"FICSGamesDBGameNo",
    b"BughouseDBGameNo",
    b"WhiteDays",
    b"BlackDays",
    b"Lag",
];

/// Returns the name of the tag with a number.
pub(super) fn name(number: u8) -> Option<&'static [u8]> {
    NAMES.get(usize::from(number)).copied()
}

/// Returns the number of a tag; 0, which ends the tags, is not one.
pub(super) fn number(name: &[u8]) -> Option<u8> {
    let number = NAMES.iter().position(|listed| *listed == name)?;
    u8::try_from(number).ok().filter(|&number| number > 0)
}

/// Puts a tag into its typed field if that is unset, and returns the entry for the tags. `value` is
/// the id of the bytes.
pub(super) fn typed(name: &[u8], bytes: &[u8], value: TextId, game: &mut Game) -> Option<Tag> {
    let (field, _) = Field::of_tag(name)?;
    let header = &mut game.header;
    match field {
        Field::WhiteTitle | Field::BlackTitle | Field::Annotator | Field::Source => {
            let is_unset = header.text_of(field).is_some_and(TextId::is_none);
            is_unset.then(|| {
                header.set_text(field, value);
                Tag::Place(field)
            })
        }
        Field::Eco if header.is_free(field) => {
            let exact = Eco::from_ascii(bytes);
            let eco = exact.or_else(|| Eco::from_lenient_ascii(bytes));
            // The tag completes the code of the index.
            let is_same = header
                .eco
                .is_none_or(|stored| eco.is_some_and(|eco| eco.code == stored.code));
            is_same.then(|| {
                header.eco = eco;
                match exact {
                    Some(_) => Tag::Place(field),
                    None => Tag::Verbatim(field, value),
                }
            })
        }
        Field::Round if header.round.text.is_none() && header.is_free(field) => {
            header.round = value.into();
            Some(Tag::Place(field))
        }
        Field::Date | Field::EventDate => typed_date(field, bytes, value, header),
        Field::Fen => typed_fen(bytes, value, header),
        _ => header.put_number(name, bytes, value, |_| true),
    }
}

/// Completes a date from its tag: a year that the index cannot store, or another spelling.
fn typed_date(field: Field, bytes: &[u8], value: TextId, header: &mut Header) -> Option<Tag> {
    let is_event_unknown = field == Field::EventDate && header.event_date.is_unknown();
    // A date without a sure order may be stored with the event or not.
    let storable = |date: Date| {
        if is_event_unknown {
            stored_event_date(date, false)
        } else {
            storable_date(date)
        }
    };
    let tag = header.put_date(field, bytes, value, storable)?;
    if is_event_unknown {
        // The numbered event has no date, and a rewrite must not give it this one.
        header.event.key = None;
    }
    let mut plain = Vec::new();
    header.write_value(field, &mut plain);
    let is_plain = !plain.is_empty() && plain == bytes;
    Some(if is_plain { Tag::Place(field) } else { tag })
}

/// Reads the tag `FEN` of a game with a numbered start position. The tag shows that the source had a
/// FEN, and its spelling.
fn typed_fen(bytes: &[u8], value: TextId, header: &mut Header) -> Option<Tag> {
    let (setup, _) = Setup::from_fen(bytes).ok()?;
    let is_same = header.is_free(Field::Fen) && setup.board == header.start.board();
    let tag = if setup.is_written_as(bytes, &mut Vec::new()) {
        Tag::Place(Field::Fen)
    } else {
        Tag::Verbatim(Field::Fen, value)
    };
    // The number of the standard start does not show that the source had a FEN.
    if is_same && header.start == Start::Standard {
        header.start = Start::Setup(Box::new(setup));
    }
    is_same.then_some(tag)
}
