//! Format-independent access to a game: names as text, moves in notation.

use std::borrow::Cow;
use std::fmt;

use crate::board::UciNotation;
use crate::model::{
    Date, Eco, Event, Field, Game, Named, Outcome, Player, Rating, RatingKind, Start, Tag,
};
use crate::rules::san;
use crate::text::TextId;
use crate::{Board, Color, PackedMove, Setup};

/// The value shown for a name that the source does not give.
const UNKNOWN: &str = "?";

/// Access to the header. Names that the source does not give are `?`, as in PGN; [`Game::tag`]
/// distinguishes them from an explicit `?`.
impl Game {
    /// Returns the name of the white player, or `?`.
    ///
    /// ```
    /// use chessdb_core::{Color, Game};
    ///
    /// let game = Game::builder().white("Anderssen, Adolf").elo(Color::White, 2600).build();
    /// assert_eq!(game.white(), "Anderssen, Adolf");
    /// assert_eq!(game.black(), "?");
    /// assert_eq!(game.tag("Black"), None);
    /// assert_eq!(game.elo(Color::White), Some(2600));
    /// ```
    pub fn white(&self) -> Cow<'_, str> {
        self.name(self.header.white.name)
    }

    /// Returns the name of the black player, or `?`.
    pub fn black(&self) -> Cow<'_, str> {
        self.name(self.header.black.name)
    }

    /// Returns the tournament or match, or `?`.
    pub fn event(&self) -> Cow<'_, str> {
        self.name(self.header.event)
    }

    /// Returns the place, or `?`.
    pub fn site(&self) -> Cow<'_, str> {
        self.name(self.header.site)
    }

    /// Returns the round as spelled in the source, such as `3` or `3.2`, or `?`.
    pub fn round(&self) -> Cow<'_, str> {
        self.name(self.header.round)
    }

    /// Returns the annotator.
    pub fn annotator(&self) -> Option<Cow<'_, str>> {
        self.text_of(self.header.annotator.text)
    }

    /// Returns the source of the game.
    pub fn source(&self) -> Option<Cow<'_, str>> {
        self.text_of(self.header.source.text)
    }

    /// Returns the date of the game; unknown parts are 0.
    pub fn date(&self) -> Date {
        self.header.date
    }

    /// Returns the date by which the game is found, sorted and counted: [`Game::date`], or if its
    /// year is unknown, the date of the tag `UTCDate`. Lichess's dumps of 2013 to 2017 have no other
    /// date.
    ///
    /// ```
    /// use chessdb_core::{Date, Game};
    ///
    /// let game = Game::builder().date("????.??.??").tag("UTCDate", "2015.03.05").build();
    /// assert_eq!(game.effective_date(), Date::new(2015, 3, 5));
    /// assert_eq!(game.date(), Date::UNKNOWN);
    /// ```
    pub fn effective_date(&self) -> Date {
        let date = self.header.date;
        if date.year != 0 {
            return date;
        }
        self.header
            .tags
            .iter()
            .find_map(|tag| match *tag {
                Tag::Other { name, value } if self.text(name).as_bytes() == b"UTCDate" => {
                    Some(Date::from_lenient_ascii(self.text(value).as_bytes()))
                }
                _ => None,
            })
            .filter(|date| date.year != 0)
            .unwrap_or(date)
    }

    /// Returns the date of the event; unknown parts are 0.
    pub fn event_date(&self) -> Date {
        self.header.event_date
    }

    /// Returns the result.
    pub fn result(&self) -> Outcome {
        self.header.outcome
    }

    /// Returns the ECO code.
    pub fn eco(&self) -> Option<Eco> {
        self.header.eco
    }

    /// Returns a player's Elo rating. For ratings of other kinds, use [`Game::rating`].
    pub fn elo(&self, color: Color) -> Option<u16> {
        let rating = self.rating(color)?;
        (rating.kind == RatingKind::Elo).then_some(rating.value)
    }

    /// Returns a player's rating of any kind.
    pub fn rating(&self, color: Color) -> Option<Rating> {
        self.player(color).rating
    }

    /// Returns a player's title, such as `GM`.
    pub fn title(&self, color: Color) -> Option<Cow<'_, str>> {
        self.text_of(self.player(color).title)
    }

    /// Returns a player's FIDE number.
    pub fn fide_id(&self, color: Color) -> Option<u32> {
        self.player(color).fide_id
    }

    /// Returns the names and values of all tags in PGN's order: always the seven-tag roster, then
    /// the other tags in the order of the source, if it has one.
    ///
    /// A value that the source spells in its own way, such as an ECO code `?` or a date `1985/11`,
    /// is returned in this spelling. A start position is returned as the tag `FEN`, with the tags
    /// that PGN requires for it ([`Game::start_tags`]).
    ///
    /// ```
    /// use chessdb_core::Game;
    ///
    /// let game = Game::builder().white("Legal").tag("Opening", "Philidor").build();
    /// let tags = game.tags().map(|(name, value)| format!("{name}={value}"));
    /// let tags: Vec<String> = tags.collect();
    /// assert_eq!(tags.join(" "),
    ///     "Event=? Site=? Date=????.??.?? Round=? White=Legal Black=? Result=* Opening=Philidor");
    /// ```
    pub fn tags(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> + '_ {
        self.header.tags_in_order().flat_map(|tag| {
            let (derived, shown) = match tag {
                Tag::Other { name, value } => {
                    let (name, value) = (self.text(name).decode(), self.text(value).decode());
                    (None, Some((name, value)))
                }
                Tag::Place(field) | Tag::Verbatim(field, _) => {
                    let name = self.header.tag_name(field).into();
                    let value = self.field_or_unknown(field);
                    let derived = (field == Field::Fen).then(|| self.start_tags());
                    (derived, value.map(|value| (name, value)))
                }
            };
            let derived = derived.into_iter().flatten();
            derived
                .map(|(name, value)| (name.into(), value.into()))
                .chain(shown)
        })
    }

    /// Returns the tags that PGN requires for a start position, in order: `Variant` for Chess960
    /// and `SetUp`. Tags that the source itself contains are left out.
    pub fn start_tags(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        let setup = match &self.header.start {
            Start::Standard => None,
            Start::Setup(setup) => Some(setup),
        };
        let variant = setup
            .filter(|setup| setup.chess960)
            .map(|_| ("Variant", "Chess960"));
        let setup = setup.map(|_| ("SetUp", "1"));
        let is_missing = |(required, _): &(&str, &str)| {
            !self.header.tags.iter().any(|tag| match *tag {
                Tag::Other { name, .. } => self.text(name).as_bytes() == required.as_bytes(),
                _ => false,
            })
        };
        variant.into_iter().chain(setup).filter(is_missing)
    }

    /// Returns the value of a tag; `None` if the source has none. An unknown date is also `None`.
    /// Tag names are case-sensitive. If several tags have the same name, the first counts.
    pub fn tag(&self, name: &str) -> Option<Cow<'_, str>> {
        let typed = Field::of_tag(name.as_bytes())
            .filter(|&(field, _)| self.header.tag_name(field) == name)
            .and_then(|(field, _)| self.field(field));
        let other = || {
            self.header.tags.iter().find_map(|tag| match *tag {
                Tag::Other { name: id, value } if self.text(id).decode() == name => {
                    Some(self.text(value).decode())
                }
                _ => None,
            })
        };
        let derived = || {
            self.start_tags()
                .find_map(|(tag, value)| (tag == name).then_some(value.into()))
        };
        typed.or_else(other).or_else(derived)
    }

    /// Returns a typed field as the value of its PGN tag; `None` if it is not set. A value that the
    /// source spells in its own way is returned in this spelling.
    pub fn field(&self, field: Field) -> Option<Cow<'_, str>> {
        let header = &self.header;
        if let Some(text) = header.verbatim(field) {
            return Some(self.text(text).decode());
        }
        if let Some(text) = header.text_of(field) {
            return self.text_of(text);
        }
        match field {
            Field::Result => return Some(header.outcome.as_pgn().into()),
            Field::Date if header.date.is_unknown() => return None,
            _ => {}
        }
        let mut value = Vec::new();
        header.write_value(field, &mut value);
        let value: String = value.into_iter().map(char::from).collect();
        (!value.is_empty()).then_some(Cow::Owned(value))
    }

    /// Like [`Game::field`], but fields of the seven-tag roster always have a value: `?`, or
    /// `????.??.??` for the date.
    pub fn field_or_unknown(&self, field: Field) -> Option<Cow<'_, str>> {
        self.field(field).or_else(|| match field {
            Field::Date => Some(Date::UNKNOWN.to_string().into()),
            _ => Field::ROSTER.contains(&field).then_some(UNKNOWN.into()),
        })
    }

    /// Returns the field that already has a value under this name, so that another tag of the name
    /// is a repetition.
    pub fn repeated_field(&self, name: &[u8]) -> Option<Field> {
        let (field, _) = Field::of_tag(name)?;
        let is_same = self.header.tag_name(field).as_bytes() == name;
        (is_same && self.field_or_unknown(field).is_some()).then_some(field)
    }

    fn player(&self, color: Color) -> &Player {
        self.header.player(color)
    }

    fn name(&self, named: Named) -> Cow<'_, str> {
        self.text_of(named.text).unwrap_or(UNKNOWN.into())
    }

    fn text_of(&self, id: TextId) -> Option<Cow<'_, str>> {
        id.is_some().then(|| self.text(id).decode())
    }
}

/// Access to the moves. Variations are skipped; [`Game::tree`] contains them, and [`Game::events`]
/// iterates over them without allocating.
///
/// ```
/// use chessdb_core::Game;
///
/// let game = Game::builder().sans(["e4", "e5", "Nf3"])?.build();
/// assert_eq!(game.plies(), 3);
/// assert_eq!(game.sans().join(" "), "e4 e5 Nf3");
/// assert_eq!(game.ucis(), ["e2e4", "e7e5", "g1f3"]);
/// let last = game.positions().last().unwrap();
/// assert!(last.to_string().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b"));
/// # Ok::<(), chessdb_core::Error>(())
/// ```
impl Game {
    /// Returns the position before the first move; an empty board if it is unknown
    /// ([`Game::has_known_start`]).
    pub fn start(&self) -> Setup {
        match &self.header.start {
            Start::Standard if !self.has_known_start() => Setup::from_board(Board::empty()),
            Start::Standard => Setup::standard(),
            Start::Setup(setup) => Setup::clone(setup),
        }
    }

    /// Returns the number of half-moves of the mainline. ([`crate::model::Movetext::plies`] counts
    /// the half-moves of all lines.)
    pub fn plies(&self) -> u32 {
        self.mainline().fold(0, |plies, _| plies + 1)
    }

    /// Returns the half-moves of the mainline.
    pub fn mainline(&self) -> impl Iterator<Item = PackedMove> + '_ {
        self.moves.mainline()
    }

    /// Returns the mainline in standard algebraic notation, without move numbers.
    pub fn sans(&self) -> Vec<String> {
        let mut board = self.start_board();
        let written = self.mainline().map(|mv| {
            let san = san(&board, mv);
            board.play(mv);
            san
        });
        written.collect()
    }

    /// Returns the mainline in UCI notation: `e2e4`, `e7e8q`, castling as the king's move, in
    /// Chess960 as king takes rook ([`UciNotation`]).
    pub fn ucis(&self) -> Vec<String> {
        let notation = UciNotation::from_game(self);
        self.mainline()
            .map(|mv| notation.show(mv).to_string())
            .collect()
    }

    /// Returns the positions of the mainline: the one before the first move, then the one after
    /// each move.
    pub fn positions(&self) -> impl Iterator<Item = Board> + '_ {
        let mut moves = self.mainline();
        std::iter::successors(Some(self.start().board), move |board| {
            let mut next = board.clone();
            next.play(moves.next()?);
            Some(next)
        })
    }

    /// Returns the texts of all comments in all lines, without clocks, evaluations, arrows and
    /// coloured squares.
    pub fn comments(&self) -> impl Iterator<Item = Cow<'_, str>> + '_ {
        self.events().filter_map(|event| match event {
            Event::Comment(_, text) if !text.is_empty() => Some(text.decode()),
            _ => None,
        })
    }
}

/// Formats the game as one line: `Morphy, Paul - Duke Karl, Paris 1858, 1-0`. The place is the
/// event or else the site. Unknown parts are left out, except the players.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} - {}", self.white(), self.black())?;
        let names = [self.event(), self.site()];
        let is_known = |name: &&Cow<'_, str>| !matches!(name.trim(), "" | UNKNOWN);
        let place = names.iter().find(is_known).map_or("", |name| name.trim());
        let year = match self.effective_date().year {
            0 => String::new(),
            year => year.to_string(),
        };
        match (place, year.as_str()) {
            ("", "") => {}
            (place, year) if year.is_empty() || place.contains(year) => write!(f, ", {place}")?,
            ("", year) => write!(f, ", {year}")?,
            (place, year) => write!(f, ", {place} {year}")?,
        }
        write!(f, ", {}", self.result())
    }
}

impl UciNotation {
    /// Returns the notation for the moves of `game`, in all its lines.
    pub fn from_game(game: &Game) -> UciNotation {
        UciNotation::of_start(&game.header.start)
    }

    /// Returns the notation for games that start at `start`.
    pub fn of_start(start: &Start) -> UciNotation {
        match start {
            Start::Setup(setup) => UciNotation::of_setup(setup),
            _ => UciNotation::default(),
        }
    }
}
