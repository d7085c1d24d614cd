//! Construction of games in code.

mod line;

use line::Item;
pub use line::LineBuilder;

use crate::annotation::read_comment;
use crate::limits::Limits;
use crate::model::{
    Date, Eco, Field, Game, GameFlags, NamedResult, Outcome, Rating, RatingKind, Start, Tag,
    read_number,
};
use crate::{Charset, Color, ErrorKind, PackedMove, Result, Setup};

/// A builder of games from tags, moves, comments and variations. Created by [`Game::builder`].
///
/// Tags can be set in any order, except that a start position must be set before the moves, which
/// depend on it. Setting a tag again replaces its value. A value that its typed field cannot
/// reproduce, such as the date `1985/11`, is also kept as text.
///
/// Comments, NAGs and variations belong to the last move. Comments are parsed as in PGN: `[%clk
/// 1:30:00]` at the beginning is a clock time.
///
/// ```
/// use chessdb_core::Game;
///
/// let game = Game::builder()
///     .white("Anderssen, Adolf")
///     .black("Kieseritzky, Lionel")
///     .date("1851.06.21")
///     .comment("London")
///     .sans(["e4", "e5", "f4"])?
///     .comment("The gambit.")
///     .variation(|line| line.sans(["Nf3", "Nc6"]))?
///     .san("exf4")?
///     .nag(1)
///     .build();
/// assert_eq!(game.to_string(), "Anderssen, Adolf - Kieseritzky, Lionel, 1851, *");
/// let error = Game::builder().sans(["e4", "e4"]).unwrap_err();
/// assert_eq!(error.to_string(), "ply 1: move \"e4\": no piece can move there");
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GameBuilder {
    game: Game,
    line: LineBuilder,
}

impl Game {
    /// Returns a builder for a game.
    pub fn builder() -> GameBuilder {
        GameBuilder::default()
    }
}

/// Tags.
impl GameBuilder {
    /// Sets the white player.
    #[must_use]
    pub fn white(self, name: &str) -> GameBuilder {
        self.field(Field::White, name)
    }

    /// Sets the black player.
    #[must_use]
    pub fn black(self, name: &str) -> GameBuilder {
        self.field(Field::Black, name)
    }

    /// Sets the tournament or match.
    #[must_use]
    pub fn event(self, name: &str) -> GameBuilder {
        self.field(Field::Event, name)
    }

    /// Sets the place.
    #[must_use]
    pub fn site(self, name: &str) -> GameBuilder {
        self.field(Field::Site, name)
    }

    /// Sets the round, such as `3` or `3.2`.
    #[must_use]
    pub fn round(self, round: &str) -> GameBuilder {
        self.field(Field::Round, round)
    }

    /// Sets the date in PGN notation: `1851.06.21`, `1851.??.??`.
    #[must_use]
    pub fn date(self, date: &str) -> GameBuilder {
        self.field(Field::Date, date)
    }

    /// Sets the date of the event in PGN notation.
    #[must_use]
    pub fn event_date(self, date: &str) -> GameBuilder {
        self.field(Field::EventDate, date)
    }

    /// Sets the result.
    #[must_use]
    pub fn result(self, outcome: Outcome) -> GameBuilder {
        self.field(Field::Result, outcome.as_pgn())
    }

    /// Sets a player's Elo rating; 0 means none.
    #[must_use]
    pub fn elo(self, color: Color, value: u16) -> GameBuilder {
        let kind = RatingKind::Elo;
        self.rating(color, Rating { value, kind })
    }

    /// Sets a player's rating of any kind; 0 points mean none.
    #[must_use]
    pub fn rating(mut self, color: Color, rating: Rating) -> GameBuilder {
        self.remove_entry(Field::rating(color));
        self.game.header.player_mut(color).rating = Some(rating).filter(|rating| rating.value > 0);
        self
    }

    /// Sets a player's title, such as `GM`.
    #[must_use]
    pub fn title(self, color: Color, title: &str) -> GameBuilder {
        self.field(Field::title(color), title)
    }

    /// Sets a player's FIDE number; 0 means none.
    #[must_use]
    pub fn fide_id(mut self, color: Color, number: u32) -> GameBuilder {
        self.remove_entry(Field::fide_id(color));
        self.game.header.player_mut(color).fide_id = Some(number).filter(|&number| number > 0);
        self
    }

    /// Sets the ECO code, such as `C51`.
    #[must_use]
    pub fn eco(self, code: &str) -> GameBuilder {
        self.field(Field::Eco, code)
    }

    /// Sets the annotator.
    #[must_use]
    pub fn annotator(self, name: &str) -> GameBuilder {
        self.field(Field::Annotator, name)
    }

    /// Sets the source of the game.
    #[must_use]
    pub fn source(self, name: &str) -> GameBuilder {
        self.field(Field::Source, name)
    }

    /// Sets any PGN tag, including those with a typed field.
    #[must_use]
    pub fn tag(self, name: &str, value: &str) -> GameBuilder {
        match Field::of_tag(name.as_bytes()) {
            Some((field @ (Field::WhiteRating | Field::BlackRating), kind)) => {
                self.rating_tag(field, kind, value)
            }
            Some((field, _)) => self.field(field, value),
            None => self.other_tag(name, value),
        }
    }

    /// Sets the start position; must be called before any move is added.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Syntax`] if `fen` is not a FEN, and [`ErrorKind::Structure`] if there
    /// are moves already.
    pub fn fen(self, fen: &str) -> Result<GameBuilder> {
        if self.line.ply > 0 {
            let late = ErrorKind::Structure("the start position must be set before the moves");
            return Err(late.into());
        }
        if let Err(fault) = Setup::from_fen(fen.as_bytes()) {
            return Err(fault.into_kind(fen.as_bytes()).into());
        }
        Ok(self.field(Field::Fen, fen))
    }

    /// Sets a rating. It goes into the typed field if that is free or of the same kind, and
    /// otherwise becomes an untyped tag. An unreadable rating in the field makes way for one of
    /// another kind.
    fn rating_tag(mut self, field: Field, kind: RatingKind, value: &str) -> GameBuilder {
        let color = field.color().unwrap_or(Color::White);
        let (points, exact) = read_number(value.as_bytes());
        let points = points.and_then(|points| u16::try_from(points).ok());
        let taken = self.game.header.player(color).rating;
        let fits = match taken {
            Some(taken) => taken.kind == kind,
            None => points.is_some() || kind == RatingKind::Elo,
        };
        if !fits {
            return self.other_tag(kind.tag(color), value);
        }
        if let Some(unread) = self.game.header.verbatim(field)
            && taken.is_none()
            && kind != RatingKind::Elo
        {
            let unread = self.game.text(unread).to_string();
            self = self.other_tag(RatingKind::Elo.tag(color), &unread);
        }
        self.remove_entry(field);
        self.game.header.player_mut(color).rating = points.map(|value| Rating { value, kind });
        if points.is_some() || kind == RatingKind::Elo {
            return self.add_entry(field, exact && points.is_some(), value);
        }
        // A text in the field would lose the kind.
        self.other_tag(kind.tag(color), value)
    }

    /// Sets a typed field from the text of its tag.
    fn field(mut self, field: Field, value: &str) -> GameBuilder {
        self.remove_entry(field);
        let Game { header, texts, .. } = &mut self.game;
        let bytes = value.as_bytes();
        if header.text_of(field).is_some() {
            header.set_text(field, texts.push(bytes, Charset::UTF_8));
        }
        let player = header.player_mut(field.color().unwrap_or(Color::White));
        match field {
            Field::Date => header.date = Date::read(bytes).0,
            Field::EventDate => {
                // In name tables with dates, another date is another event.
                header.event_date = Date::read(bytes).0;
                header.event.key = None;
            }
            Field::Result => {
                let named = NamedResult::read(bytes);
                header.outcome = named.map_or(Outcome::Unknown, |named| named.outcome);
            }
            Field::Eco => {
                header.eco = Eco::from_ascii(bytes).or_else(|| Eco::from_lenient_ascii(bytes))
            }
            Field::Flags => header.flags = GameFlags::from_lenient_letters(bytes),
            Field::WhiteFideId | Field::BlackFideId => player.fide_id = read_number(bytes).0,
            Field::Fen => {
                let setup = Setup::from_fen(bytes).ok();
                header.start =
                    setup.map_or(Start::Standard, |(setup, _)| Start::Setup(Box::new(setup)));
            }
            // A text, or set by `rating_tag`: the kind of a rating is part of its tag's name.
            _ => {}
        }
        if field == Field::Fen && self.line.ply == 0 {
            self.line.board = self.game.start_board();
        }
        let exact = self.game.field_or_unknown(field).as_deref() == Some(value);
        self.add_entry(field, exact, value)
    }

    /// Adds the entry of a field to the tags: its place, or the text that the typed value cannot
    /// reproduce.
    fn add_entry(mut self, field: Field, exact: bool, value: &str) -> GameBuilder {
        if !exact {
            let text = self.game.add_text(value);
            self.game.header.tags.push(Tag::Verbatim(field, text));
        } else if !Field::ROSTER.contains(&field) {
            self.game.header.tags.push(Tag::Place(field));
        }
        self
    }

    fn other_tag(mut self, name: &str, value: &str) -> GameBuilder {
        let value = self.game.add_text(value);
        let Game { header, texts, .. } = &mut self.game;
        let same = header.tags.iter_mut().find_map(|tag| match tag {
            Tag::Other { name: id, value } if texts.get(*id).as_bytes() == name.as_bytes() => {
                Some(value)
            }
            _ => None,
        });
        match same {
            Some(existing) => *existing = value,
            None => {
                let name = texts.push(name.as_bytes(), Charset::UTF_8);
                header.tags.push(Tag::Other { name, value });
            }
        }
        self
    }

    /// Creates a builder that changes the tags of a game.
    pub(super) fn from_game(game: Game) -> GameBuilder {
        GameBuilder {
            game,
            line: LineBuilder::default(),
        }
    }

    /// Returns the game with its previous moves.
    pub(super) fn build_header(self) -> Game {
        self.game
    }

    /// Removes the entry of a field from the tags.
    fn remove_entry(&mut self, field: Field) {
        self.game.header.tags.retain(
            |tag| !matches!(*tag, Tag::Place(entry) | Tag::Verbatim(entry, _) if entry == field),
        );
    }
}

/// Moves.
impl GameBuilder {
    /// Adds moves of the mainline, in any notation that [`read_san`](crate::rules::read_san) reads.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::BadMove`] with the ply of the first move that is not legal.
    pub fn sans<S: AsRef<str>>(mut self, sans: impl IntoIterator<Item = S>) -> Result<GameBuilder> {
        self.line = self.line.sans(sans)?;
        Ok(self)
    }

    /// Adds a move in SAN, or any other notation that [`read_san`](crate::rules::read_san) reads.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::BadMove`] if the move is not legal.
    pub fn san(mut self, san: &str) -> Result<GameBuilder> {
        self.line = self.line.san(san)?;
        Ok(self)
    }

    /// Adds a move in coordinates: `e2e4`, `e7e8q`, castling as the king's move, `0000`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::BadMove`] if the move is not legal.
    pub fn uci(mut self, uci: &str) -> Result<GameBuilder> {
        self.line = self.line.uci(uci)?;
        Ok(self)
    }

    /// Adds a move, legal or not.
    #[must_use]
    pub fn mv(mut self, mv: PackedMove) -> GameBuilder {
        self.line = self.line.mv(mv);
        self
    }

    /// Adds a NAG.
    #[must_use]
    pub fn nag(mut self, nag: u16) -> GameBuilder {
        self.line = self.line.nag(nag);
        self
    }

    /// Adds a comment after the last move, or at the start of the game.
    #[must_use]
    pub fn comment(mut self, text: &str) -> GameBuilder {
        self.line = self.line.comment(text);
        self
    }

    /// Adds a comment before the next move.
    #[must_use]
    pub fn comment_before(mut self, text: &str) -> GameBuilder {
        self.line = self.line.comment_before(text);
        self
    }

    /// Adds a variation that replaces the last move.
    ///
    /// # Errors
    ///
    /// Returns the errors of `fill`, and [`ErrorKind::Structure`] if there is no move to replace.
    pub fn variation(
        mut self,
        fill: impl FnOnce(LineBuilder) -> Result<LineBuilder>,
    ) -> Result<GameBuilder> {
        self.line = self.line.variation(fill)?;
        Ok(self)
    }

    /// Returns the game. A game of more than 2^28 entries is cut there.
    pub fn build(self) -> Game {
        let GameBuilder { mut game, line } = self;
        let limits = Limits::of_tape();
        let Game { moves, texts, .. } = &mut game;
        let mut tape = moves.builder(&limits);
        for item in line.items {
            let fits = match item {
                Item::Move(mv) => tape.mv(mv),
                Item::Nag(nag) => tape.nag(nag),
                Item::Comment(place, text) => {
                    read_comment(text.as_bytes(), Charset::UTF_8, place, texts, &mut tape)
                }
                Item::Open => tape.open(),
                Item::Close => {
                    tape.close();
                    Ok(())
                }
            };
            if fits.is_err() {
                break;
            }
        }
        tape.finish();
        game
    }
}
