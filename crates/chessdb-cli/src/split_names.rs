//! The keys by which `split` divides games, and the names of the new files.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use chessdb::Game;
use chessdb::formats::portable_name;
use chessdb::query::stats::groups::{GROUP_KEYS, GroupKey};

/// The limits of a file name in letters and bytes. File systems allow 255 bytes, including what is
/// appended.
const MAX_LETTERS: usize = 80;
const MAX_BYTES: usize = 200;

/// A key of the option `--by`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SplitKey {
    /// A value of each game. Games with two players are written for both.
    Value(GroupKey),
    /// This number of games per database.
    Count(u32),
}

impl FromStr for SplitKey {
    type Err = String;

    /// Parses a number, or the name of a value.
    fn from_str(text: &str) -> Result<SplitKey, String> {
        match text.trim().parse() {
            Ok(games @ 1..) => Ok(SplitKey::Count(games)),
            Ok(0) => Err("a database gets at least one game".to_owned()),
            Err(_) => text.parse().map(SplitKey::Value).map_err(|_| {
                let keys = GROUP_KEYS.join(", ");
                format!("expected a number of games, or {keys}")
            }),
        }
    }
}

/// The keys of the option `--by`, each with its name as written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SplitKeys(Vec<(String, SplitKey)>);

impl FromStr for SplitKeys {
    type Err = String;

    /// Parses keys separated by commas. A number of games is the last one.
    fn from_str(text: &str) -> Result<SplitKeys, String> {
        let keys = text
            .split(',')
            .map(|name| Ok((name.trim().to_owned(), name.parse()?)));
        let keys = keys.collect::<Result<Vec<(String, SplitKey)>, String>>()?;
        let is_number = |(_, key): &(String, SplitKey)| matches!(key, SplitKey::Count(_));
        match keys.split_last() {
            Some((_, before)) if before.iter().any(is_number) => {
                Err("the number of games is the last key".to_owned())
            }
            _ => Ok(SplitKeys(keys)),
        }
    }
}

impl SplitKeys {
    /// Returns whether a value needs the moves of a game.
    pub(crate) fn need_moves(&self) -> bool {
        self.0.iter().any(|(_, key)| match key {
            SplitKey::Value(key) => key.needs_moves(),
            SplitKey::Count(_) => false,
        })
    }

    /// Returns the number of games per database, if it is limited.
    fn games_per_file(&self) -> Option<u32> {
        match self.0.last() {
            Some((_, SplitKey::Count(games))) => Some(*games),
            _ => None,
        }
    }

    /// Returns the values of each part that a game belongs to, without the number of its file.
    pub(crate) fn values(&self, game: &Game) -> Vec<Vec<String>> {
        let mut parts = vec![Vec::new()];
        for (_, key) in &self.0 {
            let SplitKey::Value(key) = key else {
                continue;
            };
            let values = key.values(game);
            let extended = parts.iter().flat_map(|part: &Vec<String>| {
                values
                    .iter()
                    .map(|value| [part.as_slice(), std::slice::from_ref(value)].concat())
            });
            parts = extended.collect();
        }
        parts
    }
}

/// The number of games with the same values so far, for files with a limited number of games.
#[derive(Default)]
pub(crate) struct FileNumbers(HashMap<Vec<String>, u32>);

impl FileNumbers {
    /// Returns the values of the file into which the next game with these values comes.
    pub(crate) fn part(&mut self, keys: &SplitKeys, mut values: Vec<String>) -> Vec<String> {
        if let Some(games_per_file) = keys.games_per_file() {
            let games = self.0.entry(values.clone()).or_default();
            // With leading zeros, the files sort by their numbers.
            values.push(format!("{:06}", *games / games_per_file + 1));
            *games += 1;
        }
        values
    }
}

/// A pattern for file names: text, and the numbers of keys in their places.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NamePattern(Vec<Vec<NamePiece>>);

#[derive(Clone, PartialEq, Debug)]
enum NamePiece {
    Text(String),
    Key(usize),
}

impl NamePattern {
    /// Returns the pattern of all values in order.
    pub(crate) fn usual(keys: &SplitKeys) -> NamePattern {
        let mut pieces = Vec::new();
        for n in 0..keys.0.len() {
            if n > 0 {
                pieces.push(NamePiece::Text(" - ".to_owned()));
            }
            pieces.push(NamePiece::Key(n));
        }
        NamePattern(vec![pieces])
    }

    /// Parses a pattern such as `{year}/{event}`. The names of keys are in braces, and `/` begins a
    /// file in a folder.
    pub(crate) fn read(text: &str, keys: &SplitKeys) -> Result<NamePattern, String> {
        let folders = text.split('/').map(|part| {
            let mut pieces = Vec::new();
            let mut rest = part;
            while let Some((before, after)) = rest.split_once('{') {
                pieces.push(NamePiece::Text(before.to_owned()));
                let (name, after) = after.split_once('}').ok_or("the name has a { without }")?;
                let is_named =
                    |(key, _): &(String, SplitKey)| key.eq_ignore_ascii_case(name.trim());
                let number = keys.0.iter().position(is_named);
                pieces.push(NamePiece::Key(number.ok_or_else(|| {
                    let keys: Vec<String> =
                        keys.0.iter().map(|(key, _)| format!("{{{key}}}")).collect();
                    format!(
                        "{{{name}}} is no key of --by; these are {}",
                        keys.join(", ")
                    )
                })?));
                rest = after;
            }
            pieces.push(NamePiece::Text(rest.to_owned()));
            Ok(pieces)
        });
        folders.collect::<Result<_, String>>().map(NamePattern)
    }

    /// Returns the folders and the name of a file. Every file system accepts them.
    fn path(&self, values: &[String]) -> Vec<String> {
        let parts = self.0.iter().map(|pieces| {
            let texts = pieces.iter().map(|piece| match piece {
                NamePiece::Text(text) => text.as_str(),
                NamePiece::Key(n) => match values.get(*n).map_or("", String::as_str) {
                    "" => UNKNOWN,
                    value => value,
                },
            });
            file_name(&texts.collect::<String>())
        });
        parts.collect()
    }
}

/// The name for games without a value.
const UNKNOWN: &str = "unknown";

/// File names for the parts. No two differ only in case, because many file systems treat such names
/// as equal.
#[derive(Default)]
pub(crate) struct FileNames {
    /// The names without case.
    taken: HashSet<String>,
    /// The last number appended to each name without case.
    numbers: HashMap<String, u32>,
}

/// Returns a text that is equal for names that differ only in case.
fn without_case(name: &str) -> String {
    // Lower case alone keeps apart what some file systems equate: ß and ss, or the two forms of
    // sigma.
    name.to_uppercase().to_lowercase()
}

impl FileNames {
    /// Returns the path of a part below the output folder, with a number if another part already has
    /// that name.
    pub(crate) fn unique(&mut self, pattern: &NamePattern, values: &[String]) -> String {
        let name = pattern.path(values).join("/");
        let folded = without_case(&name);
        if self.taken.insert(folded.clone()) {
            return name;
        }
        let number = self.numbers.entry(folded).or_insert(1);
        loop {
            *number += 1;
            let other = format!("{name}-{number}");
            if self.taken.insert(without_case(&other)) {
                return other;
            }
        }
    }
}

/// Returns a file name that every file system accepts: letters, digits, spaces and a few signs,
/// neither too long nor the name of a device.
pub(crate) fn file_name(text: &str) -> String {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, ' ' | ',' | '-' | '\'' | '+');
    let letters = text.chars().map(|c| if is_allowed(c) { c } else { '_' });
    let mut name = String::new();
    for c in letters.take(MAX_LETTERS) {
        if name.len() + c.len_utf8() <= MAX_BYTES {
            name.push(c);
        }
    }
    match name.trim().trim_matches('_').trim() {
        "" => UNKNOWN.to_owned(),
        // Windows opens the device of some names instead of a file.
        name => portable_name(name.as_ref()).display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_parts_have_one_file() {
        let long = "A very long name of an event ".repeat(5);
        assert_eq!(file_name("Open: A/B"), "Open_ A_B");
        let sets: [&[String]; 7] = [
            &[
                "Straße".into(),
                "STRASSE".into(),
                "straße".into(),
                "ΣΑΣ".into(),
                "σας".into(),
            ],
            &[format!("{long}A"), format!("{long}B"), format!("{long}C")],
            &["Open".into(), "open".into(), "OPEN".into()],
            &["A/B".into(), "A:B".into(), "A_B".into(), "A?B".into()],
            &["".into(), "unknown".into(), "___".into(), ".".into()],
            &["x".into(), "X".into(), "x-2".into(), "X-2".into()],
            &["棋".repeat(90), "棋".repeat(91), "con".into(), "CON".into()],
        ];
        for keys in sets {
            let mut names = FileNames::default();
            let pattern = NamePattern::usual(&"event".parse().unwrap());
            let unique = |key: &String| names.unique(&pattern, std::slice::from_ref(key));
            let all: Vec<String> = keys.iter().map(unique).collect();
            let different: HashSet<String> = all.iter().map(|name| without_case(name)).collect();
            assert_eq!(different.len(), keys.len(), "{all:?}");
            for name in all {
                assert!(name.len() < 215, "{name}");
                assert!(
                    !name.eq_ignore_ascii_case("con") && name.trim() == name,
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn patterns_of_names() {
        let keys: SplitKeys = "year, event,2".parse().unwrap();
        let values = ["1960", "Open: A/B", "000001"].map(str::to_owned);
        let path = |text: &str| {
            let pattern = NamePattern::read(text, &keys)?;
            Ok::<_, String>(pattern.path(&values).join("/"))
        };
        for (pattern, name) in [
            ("{year}/{event}-{2}", "1960/Open_ A_B-000001"),
            ("games of {YEAR}", "games of 1960"),
            ("../{year}", "unknown/1960"),
            ("a\\b:{year}", "a_b_1960"),
            ("con/{event}", "con_/Open_ A_B"),
        ] {
            assert_eq!(path(pattern).as_deref(), Ok(name), "{pattern}");
        }
        let empty = NamePattern::usual(&keys).path(&["".into(), "x".into(), "000002".into()]);
        assert_eq!(empty, ["unknown - x - 000002"]);
        for (pattern, message) in [("{site}", "{year}, {event}, {2}"), ("{year", "without }")] {
            assert!(path(pattern).unwrap_err().contains(message), "{pattern}");
        }
        for keys in ["5,year", "", "yaer", "0", "year,,event"] {
            assert!(keys.parse::<SplitKeys>().is_err(), "{keys}");
        }
    }
}
