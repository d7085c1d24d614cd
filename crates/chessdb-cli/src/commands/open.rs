//! `chessdb DATABASE` without a command: what the database is, and its first games.

use std::io::Write;
#[cfg(feature = "show")]
use std::io::{self, IsTerminal};
use std::path::Path;

use chessdb::Selection;
use chessdb::formats::shown;
use chessdb::fs;
use clap::{Args as _, FromArgMatches};

use crate::args::{Info, InputOptions, Ls, Open};
use crate::commands::{book, info, ls};
use crate::exit::{Completion, Failure, Outcome, say};
use crate::inputs::Inputs;
use crate::output::{count, stdout};

/// The number of games that are listed.
const FIRST: u32 = 10;

pub(crate) fn run(args: Open) -> Outcome {
    if let [path] = args.words.as_slice()
        && args.input_options.from.is_none()
        && fs::is_book(path)
    {
        let mut out = stdout();
        writeln!(out, "{}", book::summary(path)?)?;
        out.flush()?;
        say("see `chessdb help book` for the commands that read it");
        return Ok(Completion::Success);
    }
    let inputs = Inputs::new(&args.words, &args.input_options);
    let [base] = inputs.bases.as_slice() else {
        return info::run(&Info {
            bases: args.words,
            json: false,
            input_options: args.input_options,
        });
    };
    let path = base.path.clone();
    #[cfg(feature = "show")]
    if io::stdout().is_terminal() && io::stdin().is_terminal() {
        return super::show::run(&crate::args::Show::new(path, args.input_options));
    }
    let done = if path.as_os_str() == "-" {
        // A stream can be read only once.
        list(&path, &args.input_options)?
    } else {
        describe(&path, &args.input_options)?
    };
    // Reports the inputs that are no databases, such as other files of a folder.
    inputs.each(|_| Ok(done), |_, _| {})
}

fn describe(path: &Path, input_options: &InputOptions) -> Outcome {
    let (text, games) = info::summary(path, input_options)?;
    let mut out = stdout();
    writeln!(out, "{text}")?;
    out.flush()?;
    drop(out);
    if games == 0 {
        return Ok(Completion::Success);
    }
    let done = list(path, input_options)?;
    let more = games.saturating_sub(FIRST.into());
    if more > 0 {
        let (more, path) = (count(more, "more game"), shown(path));
        say(format_args!("… and {more}; see `chessdb ls {path}`"));
    }
    Ok(done)
}

/// Lists the first games as `ls` does.
fn list(path: &Path, input_options: &InputOptions) -> Outcome {
    // Parsed from words, so that every option has its default.
    let command = Ls::augment_args(clap::Command::new("ls"));
    let matches = command.try_get_matches_from([Path::new("ls"), path]);
    let list = matches.and_then(|matches| Ls::from_arg_matches(&matches));
    let mut list = list.map_err(|error| Failure::Usage(error.to_string()))?;
    list.scan_options.choice.games = Selection::in_order((1..=FIRST).collect());
    list.scan_options.input_options = input_options.clone();
    ls::run(&list)
}
