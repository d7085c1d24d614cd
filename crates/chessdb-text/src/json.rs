//! Games as JSON objects: of Lichess, of chess.com, and as chessdb writes them
//! (docs/formats/text.md, section 3).

use std::cell::RefCell;
use std::fmt;

use chessdb_core::format::Score;
use chessdb_core::{Error, ErrorKind};
use serde_core::Deserializer;
use serde_core::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Value};

use crate::columns::{self, GameColumn};
use crate::games::GameRow;
use crate::lichess;
use crate::pgn_text::PgnText;

/// The members of an object.
pub(crate) type Object = Map<String, Value>;

/// Returns the length of the part before the first object of a list: `[`, or `{"games":[` as in
/// chess.com's files. `None` if the text is no list.
pub(crate) fn wrapper(text: &[u8]) -> Option<usize> {
    let mut length = 0;
    let mut rest = text;
    for word in [&b"{"[..], b"\"games\"", b":", b"["] {
        if word == b"{" && rest.starts_with(b"[") {
            return Some(1);
        }
        let start = rest.len() - rest.trim_ascii_start().len();
        rest = rest.get(start..)?.strip_prefix(word)?;
        length += start + word.len();
    }
    Some(length)
}

/// Returns how likely the beginning of a JSON text has games, by its keys.
pub(crate) fn score(text: &[u8]) -> Score {
    let has = |key: &str| memchr::memmem::find(text, format!("\"{key}\"").as_bytes()).is_some();
    let is_lichess = has("players") && (has("moves") || has("status"));
    // Tables that chessdb wrote are often next to their database, so they are only likely.
    if is_lichess || has("pgn") && has("url") {
        Score::Certain
    } else if ["moves", "pgn", "movetext"].into_iter().any(has) {
        Score::Likely
    } else {
        Score::No
    }
}

/// Appends an object as PGN.
pub(crate) fn write(text: &[u8], out: &mut PgnText<'_, '_>) -> chessdb_core::Result<()> {
    let text = text.strip_suffix(b",").unwrap_or(text);
    // The library refuses objects nested more than 128 deep.
    let (value, repeated) = parse(text).map_err(|error| {
        let message = format!(
            "not a JSON object: {} (line {}, column {} of the game)",
            reason(&error),
            error.line(),
            error.column()
        );
        Error::new(ErrorKind::Other(message.into())).at(out.location)
    })?;
    let Value::Object(object) = value else {
        let kind = ErrorKind::syntax("a JSON object", text);
        return Err(Error::new(kind).at(out.location));
    };
    for (key, name) in repeated {
        let note = columns::repeated_note("key", &key, &name);
        out.report.note(note, out.location)?;
    }
    let is_list = |name: &str| object.get(name).is_some_and(Value::is_array);
    let is_text = |name: &str| object.get(name).is_some_and(Value::is_string);
    // Lichess's games have players and a text of moves as well.
    let is_row = is_text("movetext")
        || is_list("moves") && object.contains_key("Result")
        || is_text("moves") && !object.contains_key("players") && names_players(&object);
    if is_row {
        write_row(&object, out)
    } else if is_text("moves") || object.contains_key("players") && !is_text("pgn") {
        lichess::write(&object, out)
    } else if is_text("pgn") {
        write_pgn(&object, out)
    } else {
        let kind = ErrorKind::syntax(
            "a game of Lichess (keys players, moves), chess.com (pgn) or chessdb (movetext)",
            text,
        );
        Err(Error::new(kind).at(out.location))
    }
}

/// Returns whether an object with moves is a row of a table, with names of players as its columns.
fn names_players(object: &Object) -> bool {
    let names: Vec<String> = object.keys().cloned().collect();
    let columns = columns::of_games(&names);
    columns.is_some_and(|columns| columns.iter().any(|column| column.name == "White"))
}

/// Parses a JSON value. A key that an object has again gets a number, so that no value is lost.
/// Returns these keys with their new names, too.
fn parse(text: &[u8]) -> serde_json::Result<(Value, Vec<(String, String)>)> {
    let mut input = serde_json::Deserializer::from_slice(text);
    let repeated = RefCell::default();
    let value = AllValues(&repeated).deserialize(&mut input)?;
    input.end()?;
    Ok((value, repeated.take()))
}

/// Reads a value with all values of its objects. The depth is limited by the library.
#[derive(Clone, Copy)]
struct AllValues<'r>(&'r RefCell<Vec<(String, String)>>);

impl<'de> DeserializeSeed<'de> for AllValues<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AllValues<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element_seed(self)? {
            list.push(value);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(self)?;
            let key = match object.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                    continue;
                }
                Entry::Occupied(entry) => entry.key().clone(),
            };
            let mut names = (2_u32..).map(|n| format!("{key}{n}"));
            if let Some(name) = names.find(|name| !object.contains_key(name)) {
                self.0.borrow_mut().push((key, name.clone()));
                object.insert(name, value);
            }
        }
        Ok(object.into())
    }
}

/// Returns the message of the library without the place.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let end = message.find(" at line ").unwrap_or(message.len());
    message.get(..end).unwrap_or_default().to_owned()
}

/// Appends a row of a table as chessdb writes it.
fn write_row(object: &Object, out: &mut PgnText<'_, '_>) -> chessdb_core::Result<()> {
    let moves = object.get("moves").and_then(Value::as_array);
    let values: Vec<(&str, String)> = object
        .iter()
        .filter(|(name, value)| !value.is_null() && (moves.is_none() || *name != "moves"))
        .map(|(name, value)| (name.as_str(), text_of(value)))
        .collect();
    let result = object.get("Result").map(text_of).unwrap_or_default();
    let moves = moves.map(|moves| moves_of_numbers(moves) + &result);
    // The keys of an object are unique. Those that chessdb wrote have no other meaning.
    let is_own = values.iter().all(|(name, _)| columns::is_own_name(name));
    let columns = if is_own {
        Vec::new()
    } else {
        let names: Vec<String> = values.iter().map(|(name, _)| (*name).to_owned()).collect();
        columns::of_games(&names).unwrap_or_else(|| columns::with_own_names(&names))
    };
    let mut row = GameRow::new(moves.is_some() || object.contains_key("movetext"));
    for (n, (key, value)) in values.iter().enumerate() {
        let (name, original) = match columns.get(n) {
            Some(GameColumn { name, original }) => (name.as_str(), original.as_str()),
            None => (*key, *key),
        };
        if name != "tags" {
            row.add(name, original, value.as_bytes());
        }
    }
    for tag in object
        .get("tags")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let part = |key: &str| tag.get(key).and_then(Value::as_str);
        if let Some((name, value)) = part("key").zip(part("value")) {
            row.add_tag(name, value.as_bytes());
        }
    }
    if let Some(moves) = &moves {
        row.set_moves(moves.as_bytes());
    }
    row.write(out)
}

/// Returns packed moves in coordinates (docs/parquet.md, column `moves`).
fn moves_of_numbers(moves: &[Value]) -> String {
    let mut text = String::new();
    for value in moves {
        let mv = value.as_i64().unwrap_or_default();
        // The null move. Other moves have their squares in six bits each, the origin first.
        if mv == 0 {
            text.push_str("-- ");
            continue;
        }
        for square in [mv & 63, mv >> 6 & 63] {
            text.push(char::from(b'a' + (square & 7) as u8));
            text.push(char::from(b'1' + (square >> 3) as u8));
        }
        text.push_str(match mv >> 12 & 7 {
            2 => "n",
            3 => "b",
            4 => "r",
            5 => "q",
            _ => "",
        });
        text.push(' ');
    }
    text
}

/// Appends the PGN that an object has instead of moves, as those of chess.com, with the other data
/// as tags.
fn write_pgn(object: &Object, out: &mut PgnText<'_, '_>) -> chessdb_core::Result<()> {
    let pgn = object.get("pgn").map(text_of).unwrap_or_default();
    let tags = Tags {
        prefix: if object.contains_key("players") { "Lichess" } else { "ChessCom" },
        // The moves in another notation, and the final position.
        skipped: &["/pgn", "/tcn", "/fen"],
    };
    // A blank line ends the tags.
    let (own, moves) = match pgn.split_once("\n\n") {
        Some((own, moves)) if own.trim_start().starts_with('[') => (own, moves),
        _ if pgn.trim_start().starts_with('[') => (&*pgn, ""),
        _ => ("", &*pgn),
    };
    out.raw(own.trim_end().as_bytes());
    out.raw(b"\n");
    tags.write(object, out);
    out.raw(b"\n");
    out.raw(moves.as_bytes());
    out.raw(b"\n");
    if own.is_empty() {
        let kind = ErrorKind::Structure("the key pgn has no tags");
        out.report.note(kind, out.location)?;
    }
    Ok(())
}

/// Returns a text as it is, and any other value as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// The conversion of values that PGN does not know to tags. A tag is named after the keys that lead
/// to its value.
pub(crate) struct Tags<'s> {
    /// The beginning of the names.
    pub(crate) prefix: &'s str,
    /// The paths of values that have no tag, such as `/players/white/rating`.
    pub(crate) skipped: &'s [&'s str],
}

impl Tags<'_> {
    /// Appends a tag for each value.
    pub(crate) fn write(&self, object: &Object, out: &mut PgnText<'_, '_>) {
        // The depth of a JSON text is limited, but not so low that recursion would be free.
        let mut open = vec![(String::new(), self.prefix.to_owned(), object.iter())];
        while let Some((path, name, values)) = open.last_mut() {
            let Some((key, value)) = values.next() else {
                open.pop();
                continue;
            };
            let path = format!("{path}/{key}");
            if self.skipped.contains(&path.as_str()) || value.is_null() {
                continue;
            }
            let name = format!("{name}{}", capitalised(key));
            match value {
                Value::Object(inner) => open.push((path, name, inner.iter())),
                value => out.tag(&name, text_of(value)),
            }
        }
    }
}

/// Returns the words of a key without signs between them, each with a capital letter.
fn capitalised(key: &str) -> String {
    let words = key.split(|c: char| !c.is_ascii_alphanumeric());
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    for first in words.iter_mut().filter_map(|word| word.get_mut(..1)) {
        first.make_ascii_uppercase();
    }
    words.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_recognised() {
        for (text, length) in [
            ("[{", Some(1)),
            ("{\"games\":[{", Some(10)),
            ("{ \"games\" : [", Some(13)),
            ("{\"game\":[", None),
            ("{\"id\":1}", None),
            ("", None),
        ] {
            assert_eq!(wrapper(text.as_bytes()), length, "{text}");
        }
    }

    #[test]
    fn packed_moves_are_read() {
        let numbers = [12 | 28 << 6, 0, 52 | 60 << 6 | 5 << 12].map(Value::from);
        assert_eq!(moves_of_numbers(&numbers), "e2e4 -- e7e8q ");
    }
}
