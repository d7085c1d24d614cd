//! Setting tags, with checks of the values that have a form.

use chessdb::core::model::{Date, Eco, Field, GameFlags, Outcome};
use chessdb::core::{Game, Setup};
use serde_json::{Value, json};

use crate::failure::{Failure, Result};

/// The maximum rating.
const MOST_RATING: u32 = 4000;
/// The maximum number of bytes of a value.
const MOST_VALUE: usize = 32 << 10;

/// Sets or removes tags: `[[name, value or null]]`. An empty value removes the tag.
///
/// # Errors
///
/// Fails with the code `tag`, the name, and the expected form if a value does not have it.
pub(super) fn set_tags(game: &mut Game, tags: &Value) -> Result<()> {
    for tag in tags.as_array().into_iter().flatten() {
        let name = tag.get(0).and_then(Value::as_str).unwrap_or_default();
        let value = tag.get(1).and_then(Value::as_str).unwrap_or_default();
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((expected, words)) = wrong(game, name, &value) {
            return Err(Failure::with(
                "tag",
                format!("tag {name}: expected {words}"),
                json!({ "tag": name, "expected": expected }),
            ));
        }
        match value.is_empty() {
            true => {
                game.remove_tag(name);
            }
            false => game.set_tag(name, &value),
        }
    }
    Ok(())
}

/// Sets the flags by their letters.
pub(super) fn set_flags(game: &mut Game, letters: &str) -> Result<()> {
    let flags = GameFlags::from_letters(letters.as_bytes());
    let flags = flags.ok_or_else(|| Failure::new("request", "unknown flags"))?;
    let mut letters = Vec::new();
    flags.write_letters(&mut letters);
    let letters: String = letters.into_iter().map(char::from).collect();
    match letters.is_empty() {
        true => {
            game.remove_tag(Field::Flags.tag());
        }
        false => game.set_tag(Field::Flags.tag(), &letters),
    }
    Ok(())
}

/// Returns the form that a value should have, as a code and in words, if it has another.
fn wrong(game: &Game, name: &str, value: &str) -> Option<(&'static str, &'static str)> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || name.len() > 255 || !name.bytes().all(is_name) {
        return Some(("name", "a name of letters, digits and _"));
    }
    if value.len() > MOST_VALUE {
        return Some(("length", "at most 32 KiB"));
    }
    let bytes = value.as_bytes();
    let number = || value.parse::<u32>().ok();
    match Field::of_tag(name.as_bytes()) {
        Some((Field::Fen, _)) => {
            let is_same = game.tag(name).as_deref().unwrap_or_default() == value;
            let is_free = game.moves.is_empty() && value.parse::<Setup>().is_ok();
            (!is_same && !is_free).then_some(("fen", "a FEN, and no moves yet"))
        }
        _ if value.is_empty() => None,
        Some((Field::Date | Field::EventDate, _)) => Date::from_pgn(bytes)
            .is_none_or(|date| !is_possible(date))
            .then_some(("date", "a date such as 1999.12.31 or 1999.??.??")),
        Some((Field::Result, _)) => Outcome::from_pgn(bytes)
            .is_none()
            .then_some(("result", "1-0, 0-1, 1/2-1/2 or *")),
        Some((Field::WhiteRating | Field::BlackRating, _)) => number()
            .is_none_or(|rating| !(1..=MOST_RATING).contains(&rating))
            .then_some(("rating", "a number from 1 to 4000")),
        Some((Field::WhiteFideId | Field::BlackFideId, _)) => number()
            .is_none_or(|number| number == 0)
            .then_some(("number", "a number")),
        Some((Field::Eco, _)) => Eco::from_ascii(bytes)
            .is_none()
            .then_some(("eco", "a code such as B90")),
        Some((Field::Flags, _)) => GameFlags::from_letters(bytes)
            .is_none()
            .then_some(("flags", "letters such as D or WB")),
        _ => None,
    }
}

fn is_possible(date: Date) -> bool {
    let leap = date.year.is_multiple_of(4)
        && (!date.year.is_multiple_of(100) || date.year.is_multiple_of(400));
    let days = match date.month {
        2 if date.year == 0 || leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    date.month <= 12 && date.day <= days
}
