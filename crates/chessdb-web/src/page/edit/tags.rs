//! Setting tags, with checks of the values that have a form.

use chessdb::core::model::{Field, GameFlags, TagForm};
use chessdb::core::{Game, Setup};
use serde_json::{Value, json};

use crate::failure::{Failure, Result};

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
        if value.is_empty() {
            game.remove_tag(name);
        } else {
            game.set_tag(name, &value);
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
    if letters.is_empty() {
        game.remove_tag(Field::Flags.tag());
    } else {
        game.set_tag(Field::Flags.tag(), &letters);
    }
    Ok(())
}

/// Returns the form that a value should have, as a code and in words, if it has another.
fn wrong(game: &Game, name: &str, value: &str) -> Option<(&'static str, &'static str)> {
    if let Some((Field::Fen, _)) = Field::of_tag(name.as_bytes()) {
        let is_same = game.tag(name).as_deref().unwrap_or_default() == value;
        // Moves belong to the position in which they were played.
        let is_free = game.moves.is_empty() && value.parse::<Setup>().is_ok();
        return (!is_same && !is_free).then_some(("fen", "a FEN, and no moves yet"));
    }
    // An empty value removes the tag.
    let checked = if value.is_empty() { "?" } else { value };
    let form =
        TagForm::missed(name, checked).filter(|form| !value.is_empty() || form.code == "name");
    form.map(|form| (form.code, form.expected))
}
