//! Parsing of the command line, with little work at startup: a query of a small database takes only
//! a few milliseconds.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use chessdb::formats::{FormatHint, TARGETS, named, other_names};
use chessdb::fs::Finder;
use chessdb::{FORMATS, Format};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, CommandFactory, FromArgMatches, Subcommand as _};

use super::help::with_help;
use super::suggest::improve;
use super::{
    Args, Cat, CatFormat, Check, Command, Compact, Completions, Convert, Dedupe, Delete, Diff,
    Dump, Eco, Edit, Find, Flag, Formats, Index, Info, Ls, ManArgs, Merge, Names, Novelty, Open,
    Prepare, RepertoireArgs, Salvage, Show, Sort, Split, Stats, StructureReport, TagArgs, Tree,
    Undelete, Undo, View,
};
use crate::query::is_file_name;

/// A function that adds the arguments of a command to its parser.
type AddArguments = fn(clap::Command) -> clap::Command;

/// The commands with arguments, except `book`, which has commands of its own.
const COMMANDS: [(&str, AddArguments); 35] = [
    ("info", Info::augment_args),
    ("ls", Ls::augment_args),
    ("find", Find::augment_args),
    ("tree", Tree::augment_args),
    ("stats", Stats::augment_args),
    ("novelty", Novelty::augment_args),
    ("prepare", Prepare::augment_args),
    ("repertoire", RepertoireArgs::augment_args),
    ("index", Index::augment_args),
    ("cat", Cat::augment_args),
    ("show", Show::augment_args),
    ("convert", Convert::augment_args),
    ("sort", Sort::augment_args),
    ("merge", Merge::augment_args),
    ("dedupe", Dedupe::augment_args),
    ("split", Split::augment_args),
    ("eco", Eco::augment_args),
    ("names", Names::augment_args),
    ("tag", TagArgs::augment_args),
    ("delete", Delete::augment_args),
    ("undelete", Undelete::augment_args),
    ("flag", Flag::augment_args),
    ("compact", Compact::augment_args),
    ("edit", Edit::augment_args),
    ("undo", Undo::augment_args),
    ("check", Check::augment_args),
    ("diff", Diff::augment_args),
    ("salvage", Salvage::augment_args),
    ("dump", Dump::augment_args),
    ("report", StructureReport::augment_args),
    ("view", View::augment_args),
    ("formats", Formats::augment_args),
    ("completions", Completions::augment_args),
    ("man", ManArgs::augment_args),
    ("open", Open::augment_args),
];

/// Returns whether a letter is a short option of any command.
pub(crate) fn has_short_option(letter: char) -> bool {
    let command = Args::command();
    let shorts = command
        .get_subcommands()
        .flat_map(clap::Command::get_arguments);
    shorts
        .into_iter()
        .any(|option| option.get_short() == Some(letter))
}

/// Parses a command line, including the program's name.
///
/// # Errors
///
/// Returns the parse error, or the help or version text if it is requested.
pub(crate) fn read(words: impl Iterator<Item = OsString>) -> Result<Args, clap::Error> {
    let words = command_for_file(words.collect())?;
    let mut program = alone(&words).unwrap_or_else(|| program(&words));
    let mut matches = program
        .try_get_matches_from_mut(words)
        .map_err(|mut error| {
            improve(&mut error);
            error
        })?;
    // Asked before the matches are consumed: the default `1-` looks like a given `-n 1-`.
    let gives_games = matches.subcommand().is_some_and(|(_, of_command)| {
        let is_option = of_command.try_contains_id("games").unwrap_or_default();
        is_option && of_command.value_source("games") == Some(ValueSource::CommandLine)
    });
    let json = wants_json(&matches);
    let args = Args::from_arg_matches_mut(&mut matches);
    let mut args = args.map_err(|error| error.format(&mut program))?;
    args.json = json;
    // `--format json` is `--json` by another name, also for errors.
    if let Command::Cat(cat) = &mut args.command {
        cat.json |= cat.format == CatFormat::Json;
        args.json = cat.json;
    }
    if let Some((choice, _)) = args.command.selection() {
        choice.is_given = gives_games;
    }
    Ok(args)
}

/// Returns whether the called command has the option `--json`, and it is given.
fn wants_json(matches: &ArgMatches) -> bool {
    let is_given = matches.try_get_one::<bool>("json").ok().flatten();
    let of_command = || {
        matches
            .subcommand()
            .is_some_and(|(_, inner)| wants_json(inner))
    };
    is_given.is_some_and(|given| *given) || of_command()
}

/// Returns the parser of all commands, with help texts where they may be printed.
fn program(words: &[OsString]) -> clap::Command {
    let is = |wanted: &str| words.iter().any(|word| word == wanted);
    let full = is("--help") || words.get(1).is_some_and(|word| word == "help");
    if full || words.len() == 1 || may_ask_help(words) {
        with_help(Args::command(), full)
    } else {
        Args::command()
    }
}

fn may_ask_help(words: &[OsString]) -> bool {
    words.iter().any(|word| {
        let word = word.as_encoded_bytes();
        // Also `-qh`. A wrong guess costs only the time of building the complete parser.
        word.starts_with(b"-") && word.contains(&b'h')
    })
}

/// Adds the command `open` to a command line that begins with a database.
///
/// # Errors
///
/// Returns an error with the command line to use if a query follows the database.
fn command_for_file(mut words: Vec<OsString>) -> Result<Vec<OsString>, clap::Error> {
    let Some(first) = words.get(1) else {
        return Ok(words);
    };
    let is_command = |name: &str| Command::has_subcommand(name) || name == "help";
    if first
        .to_str()
        .is_some_and(|name| is_command(name) || name.starts_with("--"))
    {
        return Ok(words);
    }
    // A single dash is standard input.
    let is_option = |word: &&OsString| word.as_encoded_bytes().starts_with(b"-") && *word != "-";
    if is_option(&first) || !is_database(first) {
        return Ok(words);
    }
    let rest = words.iter().skip(2).take_while(|word| !is_option(word));
    let terms: Vec<&OsString> = rest.filter(|word| !is_database(word)).collect();
    if !terms.is_empty() {
        let is_name = |word: &&&OsString| word.to_str().is_some_and(is_command);
        let command = terms.iter().find(is_name).copied();
        let others = words.iter().skip(1).filter(|word| Some(*word) != command);
        let others: Vec<String> = others.map(quoted).collect();
        let name = command.map_or_else(|| "find".to_owned(), quoted);
        let line = others.join(" ");
        let message = format!("missing command before the database: chessdb {name} {line}\n");
        let kind = clap::error::ErrorKind::MissingSubcommand;
        return Err(clap::Error::raw(kind, message));
    }
    words.insert(1, "open".into());
    Ok(words)
}

/// Returns whether a word is, or looks like, a database.
fn is_database(word: &OsString) -> bool {
    let path = Path::new(word);
    is_file_name(path) || Finder::new().find(path, FormatHint::default()).is_ok()
}

/// Returns a word with the quotes that a shell needs. Double quotes work in every shell, unless the word
/// has signs that have a meaning within them.
pub(crate) fn quoted(word: impl AsRef<OsStr>) -> String {
    let text = word.as_ref().to_string_lossy();
    let is_plain =
        |c: char| c.is_alphanumeric() || "_-./:=,+@%".contains(c) || cfg!(windows) && c == '\\';
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else if !text.contains(['"', '$', '`', '\\', '!', '%']) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Returns a parser with only the called command, without the parts that only the help needs: a
/// parser of all commands costs more than a query of a small database. `None` if there is no such
/// command or help may be requested.
fn alone(words: &[OsString]) -> Option<clap::Command> {
    if may_ask_help(words) {
        return None;
    }
    let called = words.get(1)?.to_str()?;
    let (name, add_arguments) = COMMANDS.iter().find(|(name, _)| *name == called)?;
    let command = add_arguments(clap::Command::new(*name));
    let program = clap::Command::new("chessdb").bin_name("chessdb");
    Some(program.subcommand(command))
}

/// Returns a parser for the words of a list, each with its help and its value.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    words: &'static [(&str, &str, T)],
) -> impl TypedValueParser<Value = T> {
    let values = words
        .iter()
        .map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(values).try_map(|chosen| {
        let row = words.iter().find(|(word, ..)| *word == chosen);
        row.map(|(.., value)| value.clone()).ok_or("unknown word")
    })
}

/// Returns a parser for formats by ID, extension or common name.
pub(super) fn format() -> impl TypedValueParser<Value = &'static Format> {
    FormatParser
}

/// A parser for format names. It collects the names only when they are shown, since many options
/// take a format.
#[derive(Clone, Copy, Debug)]
struct FormatParser;

impl FormatParser {
    fn values() -> impl Iterator<Item = PossibleValue> {
        FORMATS.iter().chain(TARGETS).map(|format| {
            let value = PossibleValue::new(format.id).help(format.name);
            value.aliases(other_names(format))
        })
    }
}

impl TypedValueParser for FormatParser {
    type Value = &'static Format;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<&'static Format, clap::Error> {
        if let Some(format) = value.to_str().and_then(named) {
            return Ok(format);
        }
        let names = PossibleValuesParser::new(FormatParser::values());
        let names = names.try_map(|name| named(&name).ok_or("no format"));
        names.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(FormatParser::values()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both parsers report errors with the same text.
    #[test]
    fn a_command_alone_is_as_among_all() {
        for line in [
            "chessdb find a.pgn --count --ids",
            "chessdb ls a.pgn --jsn",
            "chessdb ls a.pgn -j 0",
            "chessdb ls a.pgn -n x",
            "chessdb ls a.pgn --from xyz",
            "chessdb find a.pgn --from scidd Tal",
            "chessdb find a.pgn --version",
            "chessdb find -j",
        ] {
            let words = || line.split(' ').map(OsString::from);
            let mut alone = alone(&words().collect::<Vec<_>>()).unwrap();
            let said = alone.try_get_matches_from_mut(words()).unwrap_err();
            let expected = Args::command().try_get_matches_from(words()).unwrap_err();
            assert_eq!(said.to_string(), expected.to_string(), "{line}");
        }
        for line in [
            "chessdb",
            "chessdb ls --help",
            "chessdb find -h",
            "chessdb help find",
            "chessdb query",
            "chessdb convrt a b",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(alone(&words).is_none(), "{line}");
        }
        let read = |line: &str| read(line.split(' ').map(OsString::from)).unwrap();
        let found = format!(
            "{:?}",
            read("chessdb find a.pgn Tal --from SCID -j2 --count")
        );
        assert!(found.contains("Find") && found.contains("si4"), "{found}");
        assert!(!format!("{:?}", read("chessdb info a.pgn")).is_empty());
    }

    #[test]
    fn every_command_can_be_parsed_alone() {
        let program = Args::command();
        let with_arguments = program.get_subcommands().map(clap::Command::get_name);
        let with_arguments: Vec<&str> = with_arguments
            .filter(|name| !["book", "query"].contains(name))
            .collect();
        let mut listed: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable_by_key(|name| with_arguments.iter().position(|known| known == name));
        assert_eq!(listed, with_arguments);
        for (name, _) in COMMANDS {
            let words = || ["chessdb", name, "--no-option"].map(OsString::from);
            let mut alone = alone(&words()).unwrap();
            let error = alone.try_get_matches_from_mut(words()).unwrap_err();
            let expected = Args::command().try_get_matches_from(words()).unwrap_err();
            assert_eq!(error.to_string(), expected.to_string());
            let ids = |command: &clap::Command| {
                let ids = command.get_arguments().map(|arg| arg.get_id().to_string());
                ids.collect::<Vec<_>>()
            };
            let of = |program: &clap::Command| program.find_subcommand(name).map(ids);
            let mut whole = Args::command();
            whole.build();
            alone.build();
            assert_eq!(of(&alone), of(&whole));
        }
    }
}
