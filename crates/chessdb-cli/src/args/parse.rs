//! Parsing of the command line, with little work at startup: a query of a small database takes only
//! a few milliseconds.

use std::ffi::{OsStr, OsString};

use chessdb::formats::{TARGETS, named, other_names};
use chessdb::{FORMATS, Format};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as _, CommandFactory, FromArgMatches};

use super::{Args, Find, Ls};

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
    let words: Vec<OsString> = words.collect();
    let mut program = alone(&words).unwrap_or_else(Args::command);
    let mut matches = program.try_get_matches_from_mut(words)?;
    let args = Args::from_arg_matches_mut(&mut matches);
    args.map_err(|error| error.format(&mut program))
}

/// Returns a parser with only the called command, without the parts that only the help needs.
/// `None` if the command is not one of the frequent queries or help may be requested.
fn alone(words: &[OsString]) -> Option<clap::Command> {
    let may_ask_help = |word: &OsString| {
        let word = word.as_encoded_bytes();
        word.starts_with(b"-") && word.contains(&b'h')
    };
    if words.iter().any(may_ask_help) {
        return None;
    }
    let name = words.get(1)?.to_str()?;
    let command = match name {
        "ls" => Ls::augment_args(clap::Command::new("ls")),
        "find" => Find::augment_args(clap::Command::new("find")),
        _ => return None,
    };
    Some(clap::Command::new("chessdb").subcommand(command))
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
    fn known() -> impl Iterator<Item = PossibleValue> {
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
        let names = PossibleValuesParser::new(FormatParser::known());
        let names = names.try_map(|name| named(&name).ok_or("no format"));
        names.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(FormatParser::known()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both parsers report errors with the same text.
    #[test]
    fn a_command_alone_is_as_among_all() {
        for line in [
            "chessdb ls",
            "chessdb find",
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
}
