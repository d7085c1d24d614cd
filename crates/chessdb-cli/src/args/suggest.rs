//! Suggestions for mistyped commands, commands of other programs, and terms written as options.

use std::collections::BTreeSet;
use std::path::Path;

use chessdb::query::language::KEYS;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, CommandFactory};

use super::Args;
use crate::query::{address_advice, is_address};

/// Words that people try, and the commands that do this.
const OTHER_WORDS: &[(&str, &[&str])] = &[
    ("add", &["merge", "convert"]),
    ("append", &["convert", "merge"]),
    ("bulletin", &["convert --bulletin"]),
    ("clean", &["tag --clean-headers", "salvage", "names"]),
    ("combine", &["merge"]),
    ("compare", &["diff"]),
    ("copy", &["convert"]),
    ("count", &["find", "stats"]),
    ("cross-table", &["stats --crosstable"]),
    ("crosstable", &["stats --crosstable"]),
    ("doctor", &["check"]),
    ("duplicates", &["dedupe"]),
    ("excel", &["ls --csv"]),
    ("export", &["convert"]),
    ("extract", &["convert"]),
    ("filter", &["find", "convert"]),
    ("fix", &["salvage", "check"]),
    ("fsck", &["check"]),
    ("games", &["ls"]),
    ("grep", &["find"]),
    ("head", &["ls"]),
    ("import", &["convert"]),
    ("join", &["merge"]),
    ("lint", &["check"]),
    ("list", &["ls"]),
    ("novelties", &["novelty"]),
    ("opening", &["tree"]),
    ("openings", &["tree"]),
    ("pgn", &["cat"]),
    ("players", &["names"]),
    ("position", &["find"]),
    ("print", &["cat"]),
    ("query", &["find"]),
    ("recover", &["salvage"]),
    ("remove", &["delete"]),
    ("rename", &["names"]),
    ("repair", &["salvage"]),
    ("restore", &["undelete"]),
    ("revert", &["undo"]),
    ("rollback", &["undo"]),
    ("search", &["find"]),
    ("select", &["find"]),
    ("serve", &["view"]),
    ("spreadsheet", &["ls --csv"]),
    ("standings", &["stats --crosstable"]),
    ("statistics", &["stats"]),
    ("strip", &["convert"]),
    ("summary", &["info", "stats"]),
    ("table", &["stats --crosstable"]),
    ("tournament", &["stats --crosstable", "convert --bulletin"]),
    ("vacuum", &["compact"]),
    ("validate", &["check"]),
    ("verify", &["check"]),
    ("web", &["view"]),
    ("write", &["convert"]),
];

/// Replaces the suggestions of clap, which ranks short words too high and knows no other programs.
pub(super) fn improve(error: &mut Error) {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
                return;
            };
            let commands = commands_like(word);
            let tip = match commands.is_empty() {
                true if is_address(Path::new(word)) => Some(address_advice(Path::new(word))),
                true => Some(format!("there is no command, file or database '{word}'")),
                false if word.eq_ignore_ascii_case("undo") => {
                    Some("changes with --backup leave a copy NAME.bak.SUFFIX".to_owned())
                }
                false => None,
            };
            if commands.is_empty() {
                error.remove(ContextKind::SuggestedSubcommand);
            } else {
                error.insert(
                    ContextKind::SuggestedSubcommand,
                    ContextValue::Strings(commands),
                );
            }
            if let Some(tip) = tip {
                let tip = ContextValue::StyledStrs(vec![tip.into()]);
                error.insert(ContextKind::Suggested, tip);
            }
        }
        ErrorKind::UnknownArgument => {
            let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
                return;
            };
            let word = word.clone();
            let usage = error.get(ContextKind::Usage).map(ToString::to_string);
            // clap's error names no command, but its usage line shows whether a query may follow.
            let takes_query = usage.is_some_and(|usage| usage.contains("QUERY"));
            let suggested = error
                .get(ContextKind::SuggestedArg)
                .map(ToString::to_string);
            let is_suggested = suggested.is_some_and(|option| is_near(&word, &option));
            if !is_suggested {
                error.remove(ContextKind::SuggestedArg);
            }
            if let Some(term) = takes_query.then(|| term(&word)).flatten()
                && !is_suggested
            {
                let tip = format!("a term of a query has no dashes: {term}");
                let tip = ContextValue::StyledStrs(vec![tip.into()]);
                error.insert(ContextKind::Suggested, tip);
            }
        }
        _ => {}
    }
}

/// Returns whether an option is spelled nearly like another one: clap's own measure calls
/// `--encoding` similar to `--eco`.
fn is_near(word: &str, option: &str) -> bool {
    let option = option.split([' ', '=']).next().unwrap_or_default();
    let option = option.trim_start_matches('-');
    let word = word
        .split('=')
        .next()
        .unwrap_or_default()
        .trim_start_matches('-');
    strsim::osa_distance(word, option) <= allowed(option)
        || word.len() > 2 && (option.ends_with(word) || word.starts_with(option))
}

/// Returns the term of a query that is written like an option, such as `--player`.
fn term(word: &str) -> Option<String> {
    let name = word.strip_prefix("--")?;
    let is_key = KEYS.iter().any(|key| key.name == name);
    is_key.then(|| format!("{name}:…"))
}

/// Returns the commands that a word may mean, the best first.
fn commands_like(word: &str) -> Vec<String> {
    let word = word.to_lowercase();
    let program = Args::command();
    let shown = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let names: BTreeSet<&str> = shown.map(Command::get_name).collect();
    let own = names.iter().map(|name| (*name, std::slice::from_ref(name)));
    let all = own.chain(OTHER_WORDS.iter().copied());
    let near = all.filter_map(|(name, meant)| {
        let wrong = strsim::osa_distance(&word, name);
        (wrong <= allowed(name)).then_some((wrong, meant))
    });
    let near: Vec<(usize, &[&str])> = near.collect();
    // Only the closest ones: a short word is near to many commands.
    let best = near.iter().map(|(wrong, _)| *wrong).min();
    let mut commands: Vec<String> = Vec::new();
    for (wrong, meant) in near {
        for name in meant {
            if Some(wrong) == best && !commands.iter().any(|listed| listed == name) {
                commands.push((*name).to_owned());
            }
        }
    }
    commands
}

/// Returns the number of wrong letters in a word that is still taken for this one.
fn allowed(word: &str) -> usize {
    match word.len() {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_commands() {
        for (word, expected) in [
            ("convrt", "convert"),
            ("covnert", "convert"),
            ("CONVERT", "convert"),
            ("fnd", "find"),
            ("fidn", "find"),
            ("chek", "check"),
            ("shwo", "show"),
            ("stat", "stats"),
            ("dedup", "dedupe"),
            ("slavage", "salvage"),
            ("mrege", "merge"),
            ("undelte", "undelete"),
            ("serch", "find"),
            ("search", "find"),
            ("list", "ls"),
            ("export", "convert"),
            ("import", "convert"),
            ("repair", "salvage"),
            ("remove", "delete"),
            ("print", "cat"),
            ("compare", "diff"),
            ("crosstable", "stats --crosstable"),
            ("rollback", "undo"),
        ] {
            assert_eq!(commands_like(word).first().unwrap(), expected, "{word}");
        }
        assert_eq!(commands_like("games.sii"), Vec::<String>::new());
        assert_eq!(commands_like("xyzzy"), Vec::<String>::new());
    }

    #[test]
    fn other_words_mean_commands() {
        let program = Args::command();
        let is_command = |name: &str| {
            program
                .find_subcommand(name)
                .is_some_and(|c| !c.is_hide_set())
        };
        for (word, meant) in OTHER_WORDS {
            assert!(!is_command(word), "{word}");
            assert!(
                meant
                    .iter()
                    .all(|name| is_command(name.split(' ').next().unwrap())),
                "{word}: {meant:?}"
            );
        }
        assert!(OTHER_WORDS.is_sorted());
    }

    #[test]
    fn options_that_are_suggested_are_spelled_alike() {
        for (word, option, is_similar) in [
            ("--eco", "--encoding", false),
            ("--jsn", "--json", true),
            ("--limt", "--limit <N>", true),
            ("--player", "--password-file", false),
            ("--table", "--crosstable", true),
        ] {
            assert_eq!(is_near(word, option), is_similar, "{word} {option}");
        }
    }

    #[test]
    fn terms_as_options() {
        assert_eq!(term("--player").unwrap(), "player:…");
        assert_eq!(term("--result").unwrap(), "result:…");
        assert_eq!(term("--fix"), None);
        assert_eq!(term("--"), None);
    }
}
