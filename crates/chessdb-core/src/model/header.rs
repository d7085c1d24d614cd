//! The head of a game: who, where, when, and everything else that is not a move.

use crate::model::{Date, Eco, Extra, GameFlags, Outcome, Rating};
use crate::{Board, Color, Setup, TextId};

/// A name, and the number it has in its format's own name table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Named {
    /// The text in the game's arena; [`TextId::NONE`] if the source says nothing.
    pub text: TextId,
    /// The format's own number of this name: lets a rewrite keep the numbering, and an exporter
    /// build dictionaries without hashing.
    pub key: Option<u32>,
}

impl From<TextId> for Named {
    fn from(text: TextId) -> Named {
        Named { text, key: None }
    }
}

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Player {
    /// The name.
    pub name: Named,
    /// The title (`GM`), if the source has one.
    pub title: TextId,
    /// The rating, if the source has one.
    pub rating: Option<Rating>,
    /// The FIDE number, if the source has one.
    pub fide_id: Option<u32>,
}

/// Where a game begins.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub enum Start {
    /// The usual start position, and the source says nothing else.
    #[default]
    Standard,
    /// A position that the source spells out; it may equal the usual one.
    Setup(Box<Setup>),
}

impl Start {
    /// Whether games begin here as usual, whatever the source says of it.
    pub fn is_standard(&self) -> bool {
        match self {
            Start::Standard => true,
            Start::Setup(setup) => setup.is_standard(),
        }
    }

    /// The position before the first move.
    pub fn board(&self) -> Board {
        match self {
            Start::Standard => Board::standard(),
            Start::Setup(setup) => setup.board.clone(),
        }
    }
}

/// The typed fields of a head, as places in the source order of the tags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Field {
    /// Event
    Event,
    /// Site
    Site,
    /// Date
    Date,
    /// Round
    Round,
    /// White
    White,
    /// Black
    Black,
    /// Result
    Result,
    /// WhiteTitle
    WhiteTitle,
    /// BlackTitle
    BlackTitle,
    /// WhiteElo, or another kind of rating
    WhiteRating,
    /// BlackElo, or another kind of rating
    BlackRating,
    /// WhiteFideId
    WhiteFideId,
    /// BlackFideId
    BlackFideId,
    /// ECO
    Eco,
    /// EventDate
    EventDate,
    /// Annotator
    Annotator,
    /// Source
    Source,
    /// FEN
    Fen,
    /// ScidFlags
    Flags,
}

impl Field {
    /// The field of a colour's rating.
    pub const fn rating(color: Color) -> Field {
        match color {
            Color::White => Field::WhiteRating,
            Color::Black => Field::BlackRating,
        }
    }

    /// The field of a colour's title.
    pub const fn title(color: Color) -> Field {
        match color {
            Color::White => Field::WhiteTitle,
            Color::Black => Field::BlackTitle,
        }
    }

    /// The field of a colour's FIDE number.
    pub const fn fide_id(color: Color) -> Field {
        match color {
            Color::White => Field::WhiteFideId,
            Color::Black => Field::BlackFideId,
        }
    }

    /// The PGN tag of this field; of a rating, the one of the Elo kind.
    pub const fn tag(self) -> &'static str {
        match self {
            Field::Event => "Event",
            Field::Site => "Site",
            Field::Date => "Date",
            Field::Round => "Round",
            Field::White => "White",
            Field::Black => "Black",
            Field::Result => "Result",
            Field::WhiteTitle => "WhiteTitle",
            Field::BlackTitle => "BlackTitle",
            Field::WhiteRating => "WhiteElo",
            Field::BlackRating => "BlackElo",
            Field::WhiteFideId => "WhiteFideId",
            Field::BlackFideId => "BlackFideId",
            Field::Eco => "ECO",
            Field::EventDate => "EventDate",
            Field::Annotator => "Annotator",
            Field::Source => "Source",
            Field::Fen => "FEN",
            Field::Flags => "ScidFlags",
        }
    }
}

/// One entry in the source order of a game's tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    /// A tag without a typed field.
    Other {
        /// Its name.
        name: TextId,
        /// Its value, unescaped.
        value: TextId,
    },
    /// Here stood a typed field. Formats without an order of tags leave these out; a writer puts
    /// set fields that have no place in its own fixed order.
    Place(Field),
    /// A typed field whose source text the typed value does not give back, such as an ECO tag
    /// `?` or a date `1985/11`: the field holds what could be understood, this the text.
    Verbatim(Field, TextId),
}

/// Everything about a game but its moves. All texts lie in the game's arena.
///
/// Fill one from `Header::default()`: further fields may come.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Header {
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// The event.
    pub event: Named,
    /// The site.
    pub site: Named,
    /// The round, as text: `3`, `3.2`, `?`.
    pub round: Named,
    /// Who annotated the game.
    pub annotator: Named,
    /// Where the game was taken from.
    pub source: Named,
    /// The date of the game.
    pub date: Date,
    /// The date of the event.
    pub event_date: Date,
    /// The result.
    pub outcome: Outcome,
    /// The ECO code.
    pub eco: Option<Eco>,
    /// Deleted, marked and so on.
    pub flags: GameFlags,
    /// The start position.
    pub start: Start,
    /// Everything else, and the source order of the whole.
    pub tags: Vec<Tag>,
    /// What only the source format understands.
    pub extras: Vec<Extra>,
    /// Bits of the source that say nothing, such as the kind of a rating that is not there. Their
    /// own format writes them back; to all others they are nothing, so they are no loss.
    pub spare: u16,
}

impl Header {
    /// White or Black.
    pub fn player(&self, color: Color) -> &Player {
        color.pick(&self.white, &self.black)
    }

    /// White or Black, to change.
    pub fn player_mut(&mut self, color: Color) -> &mut Player {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        // Field by field: taking the whole apart and putting it together again costs readers of
        // heads alone a tenth of their time.
        let Header {
            white,
            black,
            event,
            site,
            round,
            annotator,
            source,
            date,
            event_date,
            outcome,
            eco,
            flags,
            start,
            tags,
            extras,
            spare,
        } = self;
        *white = Player::default();
        *black = Player::default();
        for named in [event, site, round, annotator, source] {
            *named = Named::default();
        }
        *date = Date::UNKNOWN;
        *event_date = Date::UNKNOWN;
        *outcome = Outcome::default();
        *eco = None;
        *flags = GameFlags::empty();
        *start = Start::Standard;
        tags.clear();
        extras.clear();
        *spare = 0;
    }

    /// The source text of a typed field, where the typed value does not give it back.
    pub fn verbatim(&self, field: Field) -> Option<TextId> {
        self.tags.iter().find_map(|tag| match *tag {
            Tag::Verbatim(found, text) if found == field => Some(text),
            _ => None,
        })
    }
}
