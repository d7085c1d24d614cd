//! Check that every change of a date is announced, for each writer and for both dates of a game.

use chessdb::core::Game;
use chessdb::core::model::{Date, Field, Tag};
use chessdb::core::store::Opened;
use chessdb_proof::hop::{Model, into_format};
use chessdb_proof::matrix;

/// Known and unknown parts, and parts that are impossible or beyond the field of some format.
const DATES: [Date; 18] = [
    Date::UNKNOWN,
    Date::new(1987, 3, 4),
    Date::new(1987, 0, 0),
    Date::new(1987, 0, 4),
    Date::new(0, 3, 4),
    Date::new(1987, 6, 31),
    Date::new(1987, 12, 32),
    Date::new(1987, 13, 31),
    Date::new(1987, 15, 0),
    Date::new(1987, 16, 1),
    Date::new(1987, 99, 99),
    Date::new(0, 13, 32),
    Date::new(3, 1, 2),
    Date::new(1475, 6, 1),
    Date::new(2047, 1, 1),
    Date::new(2950, 0, 0),
    Date::new(9999, 12, 31),
    Date::new(9999, 13, 31),
];

/// Texts of a tag next to the date that its reader takes from it.
const TEXTS: [&str; 5] = [
    "9999.13.31",
    "1987/13",
    "March 1987",
    "1987-03-04",
    "someday",
];

fn named() -> Game {
    Game::builder().white("A").black("B").build()
}

#[test]
fn every_change_of_a_date_is_announced() {
    let mut games = Vec::new();
    for date in DATES {
        for event_date in DATES {
            let mut game = named();
            (game.header.date, game.header.event_date) = (date, event_date);
            games.push(game);
        }
    }
    for text in TEXTS {
        let date = Date::read(text.as_bytes()).0;
        for field in [Field::Date, Field::EventDate] {
            let mut game = named();
            match field {
                Field::Date => game.header.date = date,
                _ => game.header.event_date = date,
            }
            let text = game.add_text(text);
            game.header.tags.push(Tag::Verbatim(field, text));
            games.push(game);
        }
    }
    let model = Model {
        opened: Opened::default(),
        games,
    };
    let mut problems = Vec::new();
    for target in matrix::targets() {
        let outcome = into_format(&format!("to {}", target.id), &model, target);
        problems.extend(outcome.problems.into_iter().take(8));
        if outcome.problem_count > 8 {
            problems.push(format!(
                "to {}: {} in all",
                target.id, outcome.problem_count
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
