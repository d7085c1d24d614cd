//! Queries on the command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use chessdb::formats::{FormatHint, named, shown};
use chessdb::fs::{Finder, in_archive, open_for_queries};
use chessdb::query::advice::{NameSpellings, WordCounts};
use chessdb::query::{Query, QueryOptions};
use chessdb::{Game, Selection};

use crate::args::{PositionOptions, has_short_option};
use crate::exit::{Failure, note};
use crate::json::{Json, games_by_name, line, list, object};
use crate::output::names_with_games;

/// Converts the words of a command line to a form that clap accepts: negated terms, which begin
/// like options, are put in parentheses.
pub(crate) fn arguments(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    words.map(|word| match word.to_str() {
        Some(text)
            if text.starts_with('-')
                && (is_term(text) || text.starts_with("-(") || is_negated_name(text)) =>
        {
            format!("({})", Query::join([text])).into()
        }
        _ => word,
    })
}

/// Returns whether a word begins like a query term.
fn is_term(word: &str) -> bool {
    word.starts_with('(') || Query::begins_with_key(word)
}

/// Returns whether a word has the form `key:value`, also with a key that no query knows. One letter
/// before a colon is a drive.
fn has_key_form(word: &Path) -> bool {
    let key = word.to_str().and_then(|text| text.split_once(':'));
    key.is_some_and(|(key, value)| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        key.chars().count() > 1 && key.chars().all(is_part) && !value.is_empty()
    })
}

/// Returns whether a word is a name with a sign of negation, such as `-Tal`, and no options: it
/// begins with one capital letter, and some letter is no option.
fn is_negated_name(word: &str) -> bool {
    let mut letters = word.chars().skip(1);
    let (first, second) = (letters.next(), letters.next());
    first.is_some_and(char::is_uppercase)
        && second.is_some_and(char::is_lowercase)
        && word.chars().skip(1).any(|letter| !has_short_option(letter))
}

/// Splits the words into databases and query. The query starts at the first argument that is not,
/// and does not look like, a file name. A word that looks like a file name counts as one, so that a
/// missing file is reported.
pub(crate) fn split_query(words: &[PathBuf]) -> (&[PathBuf], &[PathBuf]) {
    // The first word is a database even if there is no such file, so that the message is about it.
    let is_base = |(n, word): (usize, &PathBuf)| n == 0 || is_file_name(word);
    let bases = words.iter().enumerate().take_while(|&word| is_base(word));
    let count = bases.count();
    words.split_at_checked(count).unwrap_or((words, &[]))
}

/// Splits the words of a command with an output at the first term; everything before it is a file.
/// A word after the name of a new file begins the query too: only one output is written.
pub(crate) fn split_query_at_term(words: &[PathBuf]) -> (&[PathBuf], &[PathBuf]) {
    let begins = |n: usize, word: &PathBuf| {
        let is_after_output = n > 1
            && words
                .get(n - 1)
                .is_some_and(|output| looks_like_file(output) && !output.exists());
        word.to_str()
            .is_some_and(|text| is_term(text) || n > 0 && game_list(text).is_some())
            || (is_after_output || n > 0 && has_key_form(word)) && !is_file_name(word)
    };
    // An existing file is a file, even if its name looks like a term.
    let is_file = |&(n, word): &(usize, &PathBuf)| word.exists() || !begins(n, word);
    let mut count = words.iter().enumerate().take_while(is_file).count();
    let is_negation = |word: &PathBuf| {
        let text = word.to_str().unwrap_or_default();
        (text == "!" || text.eq_ignore_ascii_case("not")) && !word.exists()
    };
    // `not` before the first term belongs to it.
    while count < words.len() && count > 0 && words.get(count - 1).is_some_and(is_negation) {
        count -= 1;
    }
    words.split_at_checked(count).unwrap_or((words, &[]))
}

/// Returns whether a word names, or looks like the name of, a file or folder.
pub(crate) fn is_file_name(word: &Path) -> bool {
    word.exists() || in_archive(word).is_some() || looks_like_file(word)
}

fn looks_like_file(word: &Path) -> bool {
    // A query is Unicode, so another word cannot belong to one.
    let Some(text) = word.to_str() else {
        return true;
    };
    let suffix = word.extension().and_then(|suffix| suffix.to_str());
    // A pattern between slashes is a term. A folder that is written like this exists.
    let is_regex = text.starts_with('/') && text.ends_with('/');
    text == "-"
        || !text.split_whitespace().any(is_term)
            && !is_regex
            && (text.contains(std::path::is_separator)
                || suffix.is_some_and(|suffix| named(suffix).is_some()))
}

/// Returns advice if the first word is no database but a later one is: the query was written first.
pub(crate) fn wrong_order(words: &[PathBuf]) -> Option<String> {
    let (first, others) = words.split_first()?;
    let database = others.iter().find(|word| word.exists())?;
    let is_missing = || Finder::new().find(first, FormatHint::default()).is_err();
    (first.as_os_str() != "-" && !is_file_name(first) && is_missing()).then(|| {
        let (first, database) = (shown(first), shown(database));
        format!("{first}: no such file or database; the database comes first: {database} {first}")
    })
}

/// Returns whether a word is an address in the web, which chessdb does not open.
pub(crate) fn is_address(word: &Path) -> bool {
    let text = word.to_str().unwrap_or_default();
    ["http://", "https://", "ftp://", "file://"]
        .iter()
        .any(|scheme| text.len() > scheme.len() && text.starts_with(scheme))
}

/// Returns the message about an address given as a database.
pub(crate) fn address_advice(word: &Path) -> String {
    let name = shown(word);
    format!(
        "{name}: chessdb does not load addresses; download the file first: curl -LO {name}, or pipe \
         it: curl -L {name} | chessdb ls -"
    )
}

/// Returns whether a word can only be the beginning of a query.
pub(crate) fn begins_query(word: &Path) -> bool {
    word.to_str().is_some_and(is_term)
}

/// Returns the kind of a word that names a file or folder, but may as well be a word of a query: it
/// has no separator and no known extension.
pub(crate) fn ambiguous_path(word: &Path) -> Option<&'static str> {
    let is_plain = !looks_like_file(word) && in_archive(word).is_none();
    match is_plain {
        true if word.is_dir() => Some("folder"),
        true if word.exists() => Some("file"),
        _ => None,
    }
}

/// Returns the list of numbers that a text is, such as `17`, `3-7,12` or `3..7`. The results `1-0`
/// and `0-1` are none.
pub(crate) fn game_list(text: &str) -> Option<String> {
    let list = text.replace("..", "-");
    let is_part = |c: char| c.is_ascii_digit() || c == ',' || c == '-';
    let is_list = list.chars().all(is_part) && list.contains(|c: char| c.is_ascii_digit());
    let is_number = is_list && !text.starts_with('-') && !matches!(text, "1-0" | "0-1");
    is_number.then_some(list)
}

/// Returns the list of numbers, and the games, if the terms are only numbers. Years with two dots
/// are a query.
pub(crate) fn game_numbers(terms: &[PathBuf]) -> Option<(String, Selection)> {
    let lists: Option<Vec<String>> = terms.iter().map(|word| game_list(word.to_str()?)).collect();
    let list = lists.filter(|lists| !lists.is_empty())?.join(",");
    let has_dots = terms
        .iter()
        .any(|word| word.as_os_str().as_encoded_bytes().contains(&b'.'));
    if has_dots && years_of(&list).is_some() {
        return None;
    }
    let games = list.parse().ok()?;
    Some((list, games))
}

/// Returns the term for the years of a list of numbers, if each of these can be a year.
pub(crate) fn years_of(list: &str) -> Option<String> {
    // No games are as old or as late as other numbers, which are those of games.
    let is_year = |text: &str| {
        text.is_empty()
            || text.len() == 4
                && text
                    .parse()
                    .is_ok_and(|year: u16| (1400..2200).contains(&year))
    };
    let ranges: Option<Vec<String>> = list
        .split(',')
        .map(|range| match range.split_once('-') {
            Some((first, last)) => {
                (is_year(first) && is_year(last)).then(|| format!("{first}..{last}"))
            }
            None => is_year(range).then(|| range.to_owned()),
        })
        .collect();
    Some(format!("year:{}", ranges?.join(",")))
}

/// Parses the query of these words.
pub(crate) fn read(
    words: &[PathBuf],
    position_options: PositionOptions,
) -> Result<Arc<Query>, Failure> {
    let mut texts = Vec::with_capacity(words.len());
    for word in words {
        let bad = || Failure::Usage(format!("{}: not valid Unicode", shown(&word)));
        texts.push(word.to_str().ok_or_else(bad)?);
    }
    // cmd.exe passes single quotes on, and divides the words between them.
    let is_quoted = |word: &str| word.strip_prefix('\'').is_some_and(is_term);
    if let Some(word) = texts.iter().find(|word| is_quoted(word)) {
        return Err(Failure::Usage(format!(
            "{word}: a term does not begin with a single quote; the command line of Windows knows only \
             double quotes: \"line:1.e4 e5\""
        )));
    }
    let query = read_text(&Query::join(texts), position_options);
    // The address of a file is no position, so it fails as a term.
    let query = match words
        .first()
        .filter(|word| query.is_err() && is_address(word))
    {
        Some(address) => return Err(Failure::Usage(address_advice(address))),
        None => query?,
    };
    // Some commands parse their query several times.
    static NOTED: Once = Once::new();
    NOTED.call_once(|| {
        for meaning in query.notes() {
            note(format_args!("chessdb: query: {meaning}"));
        }
    });
    Ok(query)
}

/// The words of a query in the games found: their kinds, and the names for which abbreviated names
/// stand.
pub(crate) struct QueryWords {
    pub(crate) counts: WordCounts,
    spellings: NameSpellings,
}

impl QueryWords {
    pub(crate) fn new(query: &Query) -> QueryWords {
        QueryWords {
            counts: query.word_counts(),
            spellings: query.name_spellings(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.spellings.is_empty()
    }

    /// Adds a game that the query found.
    pub(crate) fn add(&mut self, game: &Game) {
        self.counts.add(game);
        self.spellings.add(game);
    }

    /// Prints on standard error what the words stand for.
    pub(crate) fn say(&self) {
        for sentence in self.counts.sentences() {
            note(format_args!("chessdb: query: {sentence}"));
        }
        self.say_spellings();
    }

    /// Prints on standard error what abbreviated names mean.
    pub(crate) fn say_spellings(&self) {
        say_spellings(&self.spellings);
    }

    /// Returns the members of a JSON object with the words and their numbers of games by kind, and
    /// with the names for which abbreviated names stand; empty without words and such names.
    pub(crate) fn json_member(&self) -> String {
        let spellings = if self.spellings.is_empty() {
            String::new()
        } else {
            format!(",\"spellings\":{}", line(&spellings_json(&self.spellings)))
        };
        if self.counts.is_empty() {
            return spellings;
        }
        let words = self.counts.words().into_iter().map(|word| {
            let kinds = word.kinds.iter();
            let kinds = kinds.map(|kind| (kind.kind.key().to_owned(), kind.games.into()));
            object! { "word": word.word, "kinds": Json::Object(kinds.collect()) }
        });
        format!(",\"words\":{}{spellings}", line(&list(words)))
    }
}

/// Prints on standard error what abbreviated names mean.
pub(crate) fn say_spellings(spellings: &NameSpellings) {
    for (written, games) in spellings.names() {
        let names = names_with_games(&games);
        note(format_args!("chessdb: query: {written} stands for {names}"));
    }
}

/// Returns the names that abbreviated names mean.
pub(crate) fn spellings_json(spellings: &NameSpellings) -> Json {
    let names = spellings.names().into_iter();
    list(
        names.map(|(written, names)| object! { "written": written, "names": games_by_name(names) }),
    )
}

/// Parses a query.
pub(crate) fn read_text(
    text: &str,
    position_options: PositionOptions,
) -> Result<Arc<Query>, Failure> {
    let options = QueryOptions {
        in_variations: position_options.in_variations,
        mirror: position_options.mirror,
        flip: position_options.flip,
        books: Some(open_for_queries),
    };
    let query = Query::parse(text, options);
    let query = query.map_err(|error| Failure::Query {
        message: error.to_string(),
        pointer: error.pointer(text),
    })?;
    Ok(Arc::new(query))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_of_another_shell_are_named() {
        let parsed = |words: &[&str]| {
            let words: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
            read(&words, PositionOptions::default()).map(drop)
        };
        let error = parsed(&["'line:1.e4", "e5'"]).unwrap_err();
        assert!(error.into_message().contains("double quotes"));
        parsed(&["'t", "Hart"]).unwrap();
    }

    #[test]
    fn bases_end_where_the_query_begins() {
        let divided = |words: &[&str]| {
            let words: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
            (
                split_query(&words).0.len(),
                split_query_at_term(&words).0.len(),
            )
        };
        assert_eq!(divided(&["a", "Tal", "year:1960"]), (1, 2));
        assert_eq!(divided(&["a", "b.si4", "c/d", "Tal"]), (3, 3));
        assert_eq!(divided(&["a", "b", "Tal"]), (1, 3));
        assert_eq!(divided(&["a", "b.si4", "5-7", "9"]), (2, 2));
        assert_eq!(divided(&["a", "1.e4", "c5"]), (1, 1));
        assert_eq!(divided(&["a", "b.pgn", "-"]), (3, 3));
        assert_eq!(divided(&["a", "/^Tal/", "b.pgn"]), (1, 3));
        assert_eq!(divided(&["a", "(Tal", "or", "Keres)"]), (1, 1));
        assert_eq!(divided(&["a", "elo>=2600"]), (1, 1));
        assert_eq!(divided(&["player:a"]), (1, 0));
        assert_eq!(divided(&["a", "not", "white:Tal"]), (1, 1));
        assert_eq!(divided(&["a", "!white:Tal"]), (1, 1));
        let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
        let analysis = format!("https://lichess.org/analysis/{board}_b_KQkq_-_0_1");
        let quoted = format!("{board} b KQkq - 0 1");
        assert_eq!(divided(&["a", board, "b", "KQkq", "-"]), (1, 1));
        assert_eq!(divided(&["a", &quoted]), (1, 1));
        assert_eq!(divided(&["a", &analysis]), (1, 1));
        assert_eq!(
            divided(&["a", "https://www.chess.com/analysis?fen=8%2F8"]),
            (1, 1)
        );
    }

    #[test]
    fn terms_that_must_not_fit_are_no_options() {
        let words = [
            "-n5",
            "-Tal",
            "--json",
            "-event:Bled 1959",
            "-(a or b)",
            "-",
            "-elo>=3",
            "-Carlsen",
            "-CVN",
        ];
        let words = arguments(words.into_iter().map(OsString::from));
        let words: Vec<String> = words.map(|word| word.into_string().unwrap()).collect();
        let expected =
            "-n5 (-Tal) --json (-event:\"Bled 1959\") (-(a or b)) - (-elo>=3) (-Carlsen) -CVN";
        assert_eq!(words.join(" "), expected);
    }
}
