//! Query terms about the moves and texts of a whole game.

use chessdb_core::annotation::MoveValues;
use chessdb_core::commands::Command;
use chessdb_core::{Color, Event, Game, Start};

use crate::book_test::BookTest;
use crate::castling::Castled;
use crate::endings::Ending;
use crate::headers::spelled;
use crate::opening_test::OpeningNames;
use crate::promotions::Promotion;
use crate::sacrifices::Sacrifice;
use crate::syntax::{NumberRanges, TextTest};

/// A condition on moves and comments.
#[derive(Clone, Debug)]
pub(crate) enum MovesTerm {
    /// The number of half-moves of the mainline.
    Plies(NumberRanges),
    /// The number of moves of the mainline; a final half-move counts as one.
    Moves(NumberRanges),
    /// The game has any of these.
    Has(Vec<GameContent>),
    Ending(Vec<Ending>),
    Castled(Vec<Castled>),
    Promotion(Vec<Promotion>),
    Sacrifice(Vec<Sacrifice>),
    Comment(Vec<TextTest>),
    /// A text in the header or in a comment.
    Text(Vec<TextTest>),
    /// The moves are in opening books.
    Book(BookTest),
    /// The opening that the moves reach.
    Opening(OpeningNames),
}

/// A feature that a game may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GameContent {
    Variations,
    Comments,
    Nags,
    Clocks,
    Evals,
    /// A start position given by the source.
    Fen,
    Arrows,
}

impl MovesTerm {
    /// Returns whether a whole game matches. `buffer` is scratch memory for texts.
    pub(crate) fn fits(&self, game: &Game, buffer: &mut String) -> bool {
        let plies = || i32::try_from(game.plies()).unwrap_or(i32::MAX);
        match self {
            MovesTerm::Plies(numbers) => numbers.has(plies()),
            MovesTerm::Moves(numbers) => numbers.has(plies().saturating_add(1) / 2),
            MovesTerm::Has(parts) => {
                let fen = matches!(game.header.start, Start::Setup(_));
                // Which side an evaluation favors does not matter here.
                let mut values = MoveValues::new(Color::White);
                let with_values = parts.iter().any(|part| part.is_value());
                let mut is_match = |event: Event<'_>| {
                    let mut has = parts.iter().any(|part| part.is(&event));
                    if with_values {
                        values.read(&event, &mut |value| {
                            has |= parts.iter().any(|part| part.is_kind_of(&value));
                        });
                    }
                    has
                };
                fen && parts.contains(&GameContent::Fen) || game.events().any(&mut is_match)
            }
            MovesTerm::Book(test) => test.fits(game),
            MovesTerm::Opening(names) => names.fit(game),
            MovesTerm::Ending(endings) => Ending::any_fits(endings, game),
            MovesTerm::Castled(tests) => Castled::any_fits(tests, game),
            MovesTerm::Promotion(tests) => Promotion::any_fits(tests, game),
            MovesTerm::Sacrifice(tests) => Sacrifice::any_fits(tests, game),
            MovesTerm::Comment(tests) => comment_fits(game, tests, buffer),
            MovesTerm::Text(tests) => {
                game.tags().any(|(_, value)| spelled(&value, tests, buffer))
                    || comment_fits(game, tests, buffer)
            }
        }
    }
}

impl GameContent {
    /// Returns whether an event is of this kind, except values of moves.
    fn is(self, event: &Event<'_>) -> bool {
        match (self, event) {
            (GameContent::Comments, Event::Comment(_, text)) => !text.is_empty(),
            (GameContent::Variations, Event::Open(_)) | (GameContent::Nags, Event::Nag(_)) => true,
            _ => false,
        }
    }

    /// Returns whether the kind is that of a value of a move, which [`MoveValues`] reads.
    fn is_value(self) -> bool {
        matches!(
            self,
            GameContent::Clocks | GameContent::Evals | GameContent::Arrows
        )
    }

    /// Returns whether a value of a move is of this kind.
    fn is_kind_of(self, value: &Command<'_>) -> bool {
        matches!(
            (self, value),
            (GameContent::Clocks, Command::Clock(_))
                | (GameContent::Evals, Command::Eval(_))
                | (GameContent::Arrows, Command::Shapes(_))
        )
    }
}

fn comment_fits(game: &Game, tests: &[TextTest], buffer: &mut String) -> bool {
    game.comments()
        .any(|comment| spelled(&comment, tests, buffer))
}
