//! The header of a game: all its data except the moves.

use crate::model::{Date, Eco, Extra, GameFlags, Outcome, Rating};
use crate::text::TextId;
use crate::{Board, Color, Setup};

/// A name, with its number in the format's own name table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Named {
    /// The text in the game's arena; [`TextId::NONE`] if the source has none.
    pub text: TextId,
    /// The format's own number of this name. It lets a rewrite keep the numbering, and an exporter
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

/// The start position of a game.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub enum Start {
    /// The standard start position, without an explicit position in the source.
    #[default]
    Standard,
    /// A position given explicitly in the source; it may equal the standard one.
    Setup(Box<Setup>),
}

impl Start {
    /// Returns whether this is the standard start position, explicit or not.
    pub fn is_standard(&self) -> bool {
        match self {
            Start::Standard => true,
            Start::Setup(setup) => setup.is_standard(),
        }
    }

    /// Returns the position before the first move.
    pub fn board(&self) -> Board {
        match self {
            Start::Standard => Board::standard(),
            Start::Setup(setup) => setup.board.clone(),
        }
    }
}

/// The typed fields of a header, used to mark their positions in the source order of the tags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Field {
    /// The tag `Event`.
    Event,
    /// The tag `Site`.
    Site,
    /// The tag `Date`.
    Date,
    /// The tag `Round`.
    Round,
    /// The tag `White`.
    White,
    /// The tag `Black`.
    Black,
    /// The tag `Result`.
    Result,
    /// The tag `WhiteTitle`.
    WhiteTitle,
    /// The tag `BlackTitle`.
    BlackTitle,
    /// The tag `WhiteElo`, or the one of another kind of rating.
    WhiteRating,
    /// The tag `BlackElo`, or the one of another kind of rating.
    BlackRating,
    /// The tag `WhiteFideId`.
    WhiteFideId,
    /// The tag `BlackFideId`.
    BlackFideId,
    /// The tag `ECO`.
    Eco,
    /// The tag `EventDate`.
    EventDate,
    /// The tag `Annotator`.
    Annotator,
    /// The tag `Source`.
    Source,
    /// The tag `FEN`.
    Fen,
    /// The tag `ScidFlags`.
    Flags,
}

impl Field {
    /// The titles and FIDE numbers of the players.
    pub const PLAYER_DETAILS: [Field; 4] = [
        Field::WhiteTitle,
        Field::BlackTitle,
        Field::WhiteFideId,
        Field::BlackFideId,
    ];

    /// The fields of a game that any writer must store or count as lost. The start position and the
    /// flags are not among them.
    pub const OF_GAMES: [Field; 17] = [
        Field::Event,
        Field::Site,
        Field::Date,
        Field::Round,
        Field::White,
        Field::Black,
        Field::Result,
        Field::Annotator,
        Field::Source,
        Field::EventDate,
        Field::Eco,
        Field::WhiteRating,
        Field::BlackRating,
        Field::WhiteTitle,
        Field::BlackTitle,
        Field::WhiteFideId,
        Field::BlackFideId,
    ];

    /// Returns whether the value is a text ([`Header::text_of`]).
    pub const fn is_text(self) -> bool {
        !matches!(
            self,
            Field::Date
                | Field::Result
                | Field::WhiteRating
                | Field::BlackRating
                | Field::WhiteFideId
                | Field::BlackFideId
                | Field::Eco
                | Field::EventDate
                | Field::Fen
                | Field::Flags
        )
    }

    /// Returns the name field of a colour's player.
    pub const fn player(color: Color) -> Field {
        match color {
            Color::White => Field::White,
            Color::Black => Field::Black,
        }
    }

    /// Returns the rating field of a colour.
    pub const fn rating(color: Color) -> Field {
        match color {
            Color::White => Field::WhiteRating,
            Color::Black => Field::BlackRating,
        }
    }

    /// Returns the title field of a colour.
    pub const fn title(color: Color) -> Field {
        match color {
            Color::White => Field::WhiteTitle,
            Color::Black => Field::BlackTitle,
        }
    }

    /// Returns the field of a colour's FIDE number.
    pub const fn fide_id(color: Color) -> Field {
        match color {
            Color::White => Field::WhiteFideId,
            Color::Black => Field::BlackFideId,
        }
    }

    /// Returns the PGN tag of this field; for a rating, the tag of the Elo kind.
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

/// An entry in the source order of a game's tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    /// A tag without a typed field.
    Other {
        /// The name.
        name: TextId,
        /// The value, unescaped.
        value: TextId,
    },
    /// The position of a typed field. Formats without an order of tags omit these. A writer puts
    /// fields that are set but have no position in its own fixed order.
    Place(Field),
    /// The source text of a typed field that the typed value cannot reproduce, such as an ECO tag
    /// `?` or a date `1985/11`. The field contains the part that could be understood.
    Verbatim(Field, TextId),
}

/// All data of a game except its moves. All texts are in the game's arena.
///
/// Construct it from `Header::default()`: more fields may be added.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Header {
    /// The white player.
    pub white: Player,
    /// The black player.
    pub black: Player,
    /// The event.
    pub event: Named,
    /// The site.
    pub site: Named,
    /// The round, as text: `3`, `3.2`, `?`.
    pub round: Named,
    /// The annotator.
    pub annotator: Named,
    /// The source of the game.
    pub source: Named,
    /// The date of the game.
    pub date: Date,
    /// The date of the event.
    pub event_date: Date,
    /// The result.
    pub outcome: Outcome,
    /// The ECO code.
    pub eco: Option<Eco>,
    /// The flags, such as deleted or marked.
    pub flags: GameFlags,
    /// The start position.
    pub start: Start,
    /// All other tags, and the source order of all tags.
    pub tags: Vec<Tag>,
    /// Data that only the source format understands.
    pub extras: Vec<Extra>,
    /// Meaningless bits of the source, such as the kind of a missing rating. Only their own format
    /// writes them back. They mean nothing to other formats, so they do not count as a loss.
    pub spare: u16,
}

impl Header {
    /// Removes the numbers of names, which are different in another database.
    pub fn clear_name_keys(&mut self) {
        for named in [
            &mut self.white.name,
            &mut self.black.name,
            &mut self.event,
            &mut self.site,
            &mut self.round,
            &mut self.annotator,
            &mut self.source,
        ] {
            named.key = None;
        }
    }

    /// Returns the player of a colour.
    pub fn player(&self, color: Color) -> &Player {
        color.pick(&self.white, &self.black)
    }

    /// Returns the player of a colour for modification.
    pub fn player_mut(&mut self, color: Color) -> &mut Player {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }

    /// Removes all content and keeps the allocations.
    pub fn clear(&mut self) {
        // Clears field by field: replacing the whole struct takes readers of headers a tenth of
        // their time.
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

    /// Returns the source text of a typed field if the typed value cannot reproduce it.
    pub fn verbatim(&self, field: Field) -> Option<TextId> {
        self.tags.iter().find_map(|tag| match *tag {
            Tag::Verbatim(entry, text) if entry == field => Some(text),
            _ => None,
        })
    }
}
