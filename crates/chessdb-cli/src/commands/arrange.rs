//! The commands `sort` and `eco`: conversions that order or change games.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use chessdb::convert::OpeningTags;
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::query::order::Order;
use chessdb::{Database, Game, Scan};

use crate::args::{Arrangement, Eco, OutputOptions, PartOptions, Sort};
use crate::commands::convert::{Arranging, ConversionSteps, run_all};
use crate::commands::plan::in_place;
use crate::exit::{Failure, Outcome};
use crate::output::{count, plain};

pub(crate) fn sort(args: &Sort) -> Outcome {
    if args.by.is_none() {
        return Err(missing_key(&args.output_options.choice.words));
    }
    let arrangement = Arrangement {
        sort: args.by.clone(),
        ..Arrangement::default()
    };
    let options = in_place("sort", &args.output_options, false)?;
    let mut steps = Arranging::new(&arrangement, &options, PartOptions::default());
    run_all("sort", &options, &mut steps)
}

/// Returns the error for a sort without a key. A key that is the last word is meant to be one.
fn missing_key(words: &[PathBuf]) -> Failure {
    let key = words.split_last().and_then(|(last, databases)| {
        let key = last.to_str()?;
        key.parse::<Order>().ok().map(|_| (key, databases))
    });
    let (key, databases) = key.unwrap_or(("date", words));
    let mut names: Vec<String> = databases
        .iter()
        .map(|path| shown(path).to_string())
        .collect();
    if names.len() < 2 {
        names.push("OUT".to_owned());
    }
    Failure::Usage(format!(
        "sort needs the option --by: chessdb sort {} --by {key}",
        plain(&names.join(" "))
    ))
}

/// The parts of a game that a scan reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Needs {
    Headers,
    Moves,
}

/// Calls `make` on all threads for each matching game of a database, and `take` with the values in
/// order. For a game that cannot be read completely, `make` gets the readable part.
pub(super) fn map_games<T: Send>(
    db: &Database,
    output_options: &OutputOptions,
    query: &Arc<Query>,
    needs: Needs,
    make: impl Fn(&Game) -> T + Sync,
    take: impl FnMut(u32, T),
) -> Result<(), Failure> {
    let scan = db.scan().select(output_options.choice.games.clone());
    let scan = scan.filter(Arc::clone(query));
    map_scan(
        scan.jobs(output_options.jobs.thread_count()),
        needs,
        make,
        take,
    )
}

/// Calls `make` on all threads for each game of a scan, and `take` with the values in order.
pub(super) fn map_scan<T: Send>(
    scan: Scan<'_>,
    needs: Needs,
    make: impl Fn(&Game) -> T + Sync,
    mut take: impl FnMut(u32, T),
) -> Result<(), Failure> {
    let scan = match needs {
        Needs::Headers => scan.headers(),
        Needs::Moves => scan,
    };
    scan.map_in_order(
        |game, _| (game.number(), make(game)),
        |(number, value)| {
            take(number, value);
            ControlFlow::Continue(())
        },
    )?;
    Ok(())
}

pub(crate) fn eco(args: &Eco) -> Outcome {
    let options = in_place("eco", &args.output_options, true)?;
    let mut openings = OpeningTags::default();
    (openings.all, openings.variants, openings.names) = (args.all, args.variants, args.names);
    let mut naming = OpeningTagging(openings);
    run_all("eco", &options, &mut naming)
}

/// Sets the ECO code and the opening's name of games.
struct OpeningTagging(OpeningTags);

impl ConversionSteps for OpeningTagging {
    fn edit(&mut self, game: &mut Game) {
        self.0.edit(game);
    }

    fn restart(&mut self) {
        self.0.restart();
    }

    fn summary(&self) -> Option<String> {
        let openings = &self.0;
        let (classified, all) = (openings.classified, count(openings.games, "game"));
        let mut summary = format!(
            "{all}, {classified} with a known opening, {} written",
            count(openings.changed, "ECO code")
        );
        if openings.contrary > 0 {
            let contrary = count(openings.contrary, "game");
            summary += &format!("; {contrary} kept a code that differs from the moves (--all)");
        }
        Some(summary)
    }
}
