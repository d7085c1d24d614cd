//! Queries on the command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::Selection;
use chessdb::formats::named;
use chessdb::formats::shown;
use chessdb::fs::in_archive;
use chessdb::query::{Query, QueryOptions};

use crate::args::PositionOptions;
use crate::exit::{Failure, say};

/// Converts the words of a command line to a form that clap accepts: negated terms, which begin
/// like options, are put in parentheses.
pub(crate) fn arguments(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    words.map(|word| match word.to_str() {
        Some(text) if text.starts_with('-') && (is_term(text) || text.starts_with("-(")) => {
            format!("({})", Query::join([text])).into()
        }
        _ => word,
    })
}

/// Returns whether a word begins like a query term.
fn is_term(word: &str) -> bool {
    word.starts_with('(') || Query::begins_with_key(word)
}

/// Splits the words into databases and query. The query starts at the first argument that is not,
/// and does not look like, a file name. A word that looks like a file name counts as one, so that a
/// missing file is reported.
pub(crate) fn split_query(words: &[PathBuf]) -> (&[PathBuf], &[PathBuf]) {
    let is_base = |(n, word): (usize, &PathBuf)| n == 0 || is_file_name(word);
    let bases = words.iter().enumerate().take_while(|&word| is_base(word));
    let count = bases.count();
    words.split_at_checked(count).unwrap_or((words, &[]))
}

/// Splits the words at the first term; everything before it is a file.
pub(crate) fn split_query_at_term(words: &[PathBuf]) -> (&[PathBuf], &[PathBuf]) {
    let is_file = |word: &&PathBuf| word.exists() || !word.to_str().is_some_and(is_term);
    let count = words.iter().take_while(is_file).count();
    words.split_at_checked(count).unwrap_or((words, &[]))
}

/// Returns whether a word names, or looks like the name of, a file or folder.
pub(crate) fn is_file_name(word: &Path) -> bool {
    word.exists() || in_archive(word).is_some() || looks_like_file(word)
}

fn looks_like_file(word: &Path) -> bool {
    let Some(text) = word.to_str() else {
        return true;
    };
    let suffix = word.extension().and_then(|suffix| suffix.to_str());
    let is_regex = text.starts_with('/') && text.ends_with('/');
    text == "-"
        || !text.split_whitespace().any(is_term)
            && !is_regex
            && (text.contains('/') || suffix.is_some_and(|suffix| named(suffix).is_some()))
}

/// Returns whether a word can only be the beginning of a query.
pub(crate) fn begins_query(word: &Path) -> bool {
    word.to_str().is_some_and(is_term)
}

/// Returns the games if the terms are only numbers, such as `17` or `3-7,12`.
pub(crate) fn game_numbers(terms: &[PathBuf]) -> Option<Selection> {
    let is_list = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text
                .chars()
                .all(|c| c.is_ascii_digit() || c == ',' || c == '-')
    };
    let lists: Option<Vec<&str>> = terms
        .iter()
        .map(|word| word.to_str().filter(|text| is_list(text)))
        .collect();
    let lists = lists.filter(|lists| !lists.is_empty())?;
    lists.join(",").parse().ok()
}

/// Parses the query of these words. Numbers alone are names in a query, so a hint names the option
/// for game numbers.
pub(crate) fn read(
    words: &[PathBuf],
    position_options: PositionOptions,
) -> Result<Arc<Query>, Failure> {
    let mut texts = Vec::with_capacity(words.len());
    for word in words {
        let bad = || Failure::Usage(format!("{}: not valid Unicode", shown(&word)));
        texts.push(word.to_str().ok_or_else(bad)?);
    }
    if game_numbers(words).is_some() {
        let numbers = texts.join(",");
        say(format_args!(
            "chessdb: {numbers} is searched as a name; for game numbers use -n {numbers}"
        ));
    }
    read_text(&Query::join(texts), position_options)
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
    fn bases_end_where_the_query_begins() {
        let divided = |words: &[&str]| {
            let words: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
            (
                split_query(&words).0.len(),
                split_query_at_term(&words).0.len(),
            )
        };
        assert_eq!(divided(&["a", "Tal", "year:1960"]), (1, 2));
        assert_eq!(divided(&["a", "b.si4", "c/d", "Tal"]), (3, 4));
        assert_eq!(divided(&["a", "b.pgn", "-"]), (3, 3));
        assert_eq!(divided(&["a", "/^Tal/", "b.pgn"]), (1, 3));
        assert_eq!(divided(&["a", "(Tal", "or", "Keres)"]), (1, 1));
        assert_eq!(divided(&["a", "elo>=2600"]), (1, 1));
        assert_eq!(divided(&["player:a"]), (1, 0));
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
        ];
        let words = arguments(words.into_iter().map(OsString::from));
        let words: Vec<String> = words.map(|word| word.into_string().unwrap()).collect();
        let expected = "-n5 -Tal --json (-event:\"Bled 1959\") (-(a or b)) - (-elo>=3)";
        assert_eq!(words.join(" "), expected);
    }
}
