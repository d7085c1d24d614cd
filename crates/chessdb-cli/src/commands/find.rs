//! The command `find`: games that match a query, and the matching positions.

use crate::args::{Cat, CatFormat, ColumnChoice, ContentOptions, Find};
use crate::commands::cat;
use crate::commands::ls::{GameList, ListForm};
use crate::exit::{Failure, Outcome};
use crate::query::{split_query, wrong_order};

pub(crate) fn run(args: Find) -> Outcome {
    let is_help = matches!(args.columns, Some(ColumnChoice::Help));
    let choice = &args.scan_options.choice;
    if !is_help && !choice.is_given && split_query(&choice.words).1.is_empty() {
        let message = match wrong_order(&choice.words) {
            Some(advice) => advice,
            None => "missing query after the database; `chessdb ls` lists all games".to_owned(),
        };
        return Err(Failure::Usage(message));
    }
    if args.pgn {
        return cat::run(&Cat {
            texts: false,
            columns: None,
            arrangement: args.arrangement,
            format: CatFormat::Pgn,
            content_options: ContentOptions::default(),
            no_tags: false,
            json: false,
            scan_options: args.scan_options,
        });
    }
    GameList {
        form: match (args.count, args.ids) {
            (true, _) => ListForm::Count,
            (_, true) => ListForm::Ids,
            _ => ListForm::Hits,
        },
        columns: args.columns.as_ref(),
        arrangement: &args.arrangement,
        json: args.json,
        csv: args.csv,
        options: &args.scan_options,
    }
    .print()
}
