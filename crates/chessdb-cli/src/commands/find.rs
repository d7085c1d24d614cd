//! The command `find`: games that match a query, and the matching positions.

use crate::args::{Cat, CatFormat, Find, Shaping};
use crate::commands::cat;
use crate::commands::ls::{Form, List};
use crate::exit::{Failure, Outcome};
use crate::query::divide;

pub(crate) fn run(args: Find) -> Outcome {
    if divide(&args.words).1.is_empty() {
        let message = "missing query after the database; `chessdb ls` lists all games";
        return Err(Failure::Usage(message.to_owned()));
    }
    if args.pgn {
        return cat::run(&Cat {
            texts: false,
            words: args.words,
            choice: args.choice,
            format: CatFormat::Pgn,
            shaping: Shaping::default(),
            no_tags: false,
            json: false,
            quiet: false,
            strict: args.strict,
            reading: args.reading,
            jobs: args.jobs,
        });
    }
    List {
        words: &args.words,
        choice: &args.choice,
        form: match (args.count, args.ids) {
            (true, _) => Form::Count,
            (_, true) => Form::Ids,
            _ => Form::Hits,
        },
        json: args.json,
        reading: &args.reading,
        strict: args.strict,
        jobs: args.jobs,
    }
    .print()
}
