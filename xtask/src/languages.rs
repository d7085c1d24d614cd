//! The table of languages that the core uses for guessing encodings: letters and the frequency of
//! letter pairs, counted in lists of names (docs/encodings.md, section 2).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use fs_err as fs;

use crate::Outcome;
use crate::cmd::{self, cargo, root};

/// The table's path in the core.
const TABLE: &str = "crates/chessdb-core/src/text/guess/languages.bin";

/// The lists of names, and the letters beyond a-z of their languages: those in the lists and others
/// that are possible.
const LANGUAGES: [(&str, &str); 17] = [
    ("international", "áàâãäåæçéèêëíîïñóôöøúûüýčćšž"),
    ("english", "áâàçéèêëïíñóöü"),
    ("german", "äöüß"),
    ("french", "àâæçéèêëîïôœùûüÿ"),
    ("spanish-portuguese", "áàâãçéêíïñóôõúü"),
    ("scandinavian", "áäåæéíðóöøúüýþ"),
    ("polish", "ąćęłńóśźż"),
    ("czech-slovak", "áäčďéěíĺľňóôŕřšťúůýž"),
    ("hungarian", "áéíóöőúüű"),
    ("yugoslav-latin", "čćđšž"),
    ("turkish", "âçəğıîöşûü"),
    ("baltic", "āäąčēėęģīįķļņõöšūüųž"),
    ("russian", "абвгдежзийклмнопрстуфхцчшщъыьэюяё"),
    ("ukrainian", "абвгдежзийклмнопрстуфхцчшщьюяєіїґ"),
    ("bulgarian", "абвгдежзийклмнопрстуфхцчшщъьюя"),
    ("greek", "αβγδεζηθικλμνξοπρςστυφχψωάέήίόύώϊϋΐΰ"),
    ("hebrew", "אבגדהוזחטיךכלםמןנסעףפץצקרשת"),
];

/// The maximum count of a pair; higher counts would add no information. With it a pair takes three
/// bytes.
const MAX_COUNT: u32 = 15;

/// The percentage of a list's lines that a table is made from to be tested on the others.
const TRAINED: usize = 70;

/// Implements `languages [--check|--held-out] [FOLDER]`: writes the table from the lists in a
/// folder, or compares it, or measures how well a table made from the first lines of each list
/// works on its last ones.
pub(crate) fn languages(args: &[String]) -> Outcome {
    let has = |option: &str| args.iter().any(|arg| arg == option);
    let folder = args.iter().find(|arg| !arg.starts_with("--"));
    let folder = match (folder, std::env::var_os("CHESSDB_TESTDATA")) {
        (Some(folder), _) => PathBuf::from(folder),
        (None, Some(data)) => Path::new(&data).join("encodings"),
        (None, None) => bail!("name the folder of the lists"),
    };
    let lists = LANGUAGES.map(|(name, letters)| {
        let path = folder.join(name).with_extension("txt");
        Ok((name, letters, fs::read_to_string(path)?))
    });
    let lists: Outcome<Vec<_>> = lists.into_iter().collect();
    let mut lists = lists?;
    let path = root().join(TABLE);
    if has("--held-out") {
        for (_, _, text) in &mut lists {
            *text = first_lines(text);
        }
        return held_out(&path, &table(&lists)?);
    }
    let table = table(&lists)?;
    if has("--check") {
        return match fs::read(&path) {
            Ok(content) if content == table => Ok(()),
            _ => Err(anyhow!("{TABLE} does not match the lists")),
        };
    }
    fs::write(&path, &table)?;
    println!("{TABLE}: {} bytes", table.len());
    Ok(())
}

/// Returns the lines of a list that the table is made from with `--held-out`.
fn first_lines(text: &str) -> String {
    let lines = text.lines().count() * TRAINED / 100;
    text.lines()
        .take(lines)
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// Runs the core's test of guesses with this table on the remaining lines, then restores the
/// previous table. If it is interrupted, `languages` creates that table again.
fn held_out(path: &Path, table: &[u8]) -> Outcome {
    let stored = fs::read(path)?;
    fs::write(path, table)?;
    let test = "test -p chessdb-core --test all guess::lists_come_out_right -- --exact --nocapture";
    let outcome = cmd::run(cargo(test).env("CHESSDB_GUESS_SKIPS", TRAINED.to_string()));
    fs::write(path, &stored)?;
    outcome
}

/// Returns the table: the letters of all languages, then for each language its name, its own
/// letters, its pairs and their counts. A letter is its number in the list of all, from 1; 0 is the
/// start or end of a word.
fn table(lists: &[(&str, &str, String)]) -> Outcome<Vec<u8>> {
    let mut all: BTreeSet<char> = ('a'..='z').collect();
    all.extend(lists.iter().flat_map(|(_, letters, _)| letters.chars()));
    for (name, _, text) in lists {
        let unknown = text
            .chars()
            .map(lower)
            .find(|&c| is_letter(c) && !all.contains(&c));
        if let Some(letter) = unknown {
            bail!("{name}: no language has the letter {letter:?}");
        }
    }
    let all: Vec<char> = all.into_iter().collect();
    let number = |letter: char| {
        let index = all.binary_search(&letter).ok()?;
        u8::try_from(index + 1).ok()
    };
    let number = |letter| number(letter).with_context(|| format!("too many letters: {letter:?}"));
    let letters: String = all.iter().collect();
    let mut table = Vec::new();
    put_length(letters.len(), &mut table)?;
    table.extend_from_slice(letters.as_bytes());
    for (name, own, text) in lists {
        put_length(name.len(), &mut table)?;
        table.extend_from_slice(name.as_bytes());
        let own: BTreeSet<char> = own.chars().collect();
        put_length(own.len(), &mut table)?;
        for letter in own {
            table.push(number(letter)?);
        }
        let pairs = pairs(text);
        put_length(pairs.len(), &mut table)?;
        for ((before, after), count) in pairs {
            let of = |letter: Option<char>| letter.map_or(Ok(0), number);
            let count = u8::try_from(count.min(MAX_COUNT))?;
            table.extend([of(before)?, of(after)?, count]);
        }
    }
    Ok(table)
}

fn put_length(length: usize, table: &mut Vec<u8>) -> Outcome {
    let length = u16::try_from(length)?;
    table.extend(length.to_le_bytes());
    Ok(())
}

/// A letter and the next one; `None` is the start or end of a word.
type Pair = (Option<char>, Option<char>);

/// Counts how often letters follow each other in the distinct words of a text.
fn pairs(text: &str) -> BTreeMap<Pair, u32> {
    let text: String = text.chars().map(lower).collect();
    let words: BTreeSet<&str> = text
        .split(|c| !is_letter(c))
        .filter(|word| !word.is_empty())
        .collect();
    let mut pairs = BTreeMap::new();
    for word in words {
        let mut before = None;
        for letter in word.chars().map(Some).chain([None]) {
            *pairs.entry((before, letter)).or_default() += 1;
            before = letter;
        }
    }
    pairs
}

/// Maps one letter to one lower-case letter, as the core does.
fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !matches!(c, 'ª' | 'º')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_distinct_words_are_counted() {
        let counted = pairs("Ab, ab b");
        let expected = [
            ((None, Some('a')), 1),
            ((None, Some('b')), 1),
            ((Some('a'), Some('b')), 1),
            ((Some('b'), None), 2),
        ];
        assert_eq!(counted.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn seven_lines_of_ten_are_trained_on() {
        let lines = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
        assert_eq!(first_lines(lines), "a\nb\nc\nd\ne\nf\ng\n");
    }

    #[test]
    fn letter_outside_every_language_is_reported() {
        let list = |text: &str| [("german", "äöüß", text.to_owned())];
        assert!(table(&list("Łódź")).unwrap_err().to_string().contains('ł'));
        assert!(table(&list("Köln")).is_ok());
    }
}
