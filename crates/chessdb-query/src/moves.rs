//! Terms that the moves and texts of a game answer, without a board.

use chessdb_core::commands::{self, Command};
use chessdb_core::{Event, Game, Start};

use crate::headers::spelled;
use crate::language::{Numbers, TextTest};

/// What moves and comments are asked.
#[derive(Clone, Debug)]
pub(crate) enum MovesTerm {
    /// Half-moves of the main line.
    Plies(Numbers),
    /// Moves of the main line, a half one at the end counted as one.
    Moves(Numbers),
    /// Any of these.
    Has(Vec<Part>),
    Comment(Vec<TextTest>),
    /// Head and comments.
    Text(Vec<TextTest>),
}

/// What a game may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Variations,
    Comments,
    Nags,
    Clocks,
    Evals,
    /// A start position that the source spells out.
    Fen,
    Arrows,
}

impl MovesTerm {
    /// Whether a whole game fits; `buffer` is for texts.
    pub(crate) fn fits(&self, game: &Game, buffer: &mut String) -> bool {
        let plies = || i32::try_from(game.plies()).unwrap_or(i32::MAX);
        match self {
            MovesTerm::Plies(numbers) => numbers.has(plies()),
            MovesTerm::Moves(numbers) => numbers.has(plies().saturating_add(1) / 2),
            MovesTerm::Has(parts) => {
                let fen = matches!(game.header.start, Start::Setup(_));
                let found = |event: Event<'_>| parts.iter().any(|part| part.is(&event));
                fen && parts.contains(&Part::Fen) || game.events().any(found)
            }
            MovesTerm::Comment(tests) => comment_fits(game, tests, buffer),
            MovesTerm::Text(tests) => {
                let mut tags = game.tags();
                tags.any(|(_, value)| spelled(&value, tests, buffer))
                    || comment_fits(game, tests, buffer)
            }
        }
    }
}

impl Part {
    fn is(self, event: &Event<'_>) -> bool {
        match (self, event) {
            (Part::Comments, Event::Comment(_, text)) => !text.is_empty(),
            (Part::Variations, Event::Open(_))
            | (Part::Nags, Event::Nag(_))
            | (Part::Clocks, Event::Clock(_))
            | (Part::Evals, Event::Eval(_))
            | (Part::Arrows, Event::Shapes(_)) => true,
            (Part::Clocks | Part::Evals, Event::Comment(_, text)) => {
                let mut found = false;
                commands::scan(text.as_bytes(), &mut |command| {
                    found |= matches!(
                        (self, command),
                        (Part::Clocks, Command::Clock(_)) | (Part::Evals, Command::Eval(_))
                    );
                });
                found
            }
            _ => false,
        }
    }
}

fn comment_fits(game: &Game, tests: &[TextTest], buffer: &mut String) -> bool {
    game.comments()
        .any(|comment| spelled(&comment, tests, buffer))
}
