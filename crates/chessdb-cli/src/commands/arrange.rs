//! The commands `sort` and `eco`: conversions that order or change games.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use chessdb::core::model::Tag;
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::query::openings::{opening, opening_of_moves};
use chessdb::query::order::Order;
use chessdb::{Database, Game, Scan};

use crate::args::{Arrangement, Eco, OutputOptions, Sort};
use crate::commands::convert::{Arranging, ConversionSteps, run_all};
use crate::commands::plan::in_place;
use crate::exit::{Failure, Outcome};
use crate::output::{count, plain};

pub(crate) fn sort(args: &Sort) -> Outcome {
    if args.by.is_none() {
        return Err(missing_key(&args.words));
    }
    let arrangement = Arrangement {
        sort: args.by.clone(),
        limit: None,
    };
    let (words, options) = in_place("sort", &args.words, &args.output_options, false)?;
    let mut steps = Arranging {
        arrangement: &arrangement,
        output_options: &options,
    };
    run_all("sort", &words, &options, &mut steps)
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
    let (words, options) = in_place("eco", &args.words, &args.output_options, true)?;
    let mut naming = OpeningTagging {
        all: args.all,
        variants: args.variants,
        names: args.names,
        games: 0,
        classified: 0,
        changed: 0,
        contrary: 0,
    };
    run_all("eco", &words, &options, &mut naming)
}

/// Sets the ECO code and the opening's name of games.
struct OpeningTagging {
    all: bool,
    variants: bool,
    names: bool,
    games: u64,
    classified: u64,
    changed: u64,
    /// The number of games with an ECO code that is not the one of their moves.
    contrary: u64,
}

impl ConversionSteps for OpeningTagging {
    fn edit(&mut self, game: &mut Game) {
        self.games += 1;
        let named = if self.variants { opening_of_moves(game) } else { opening(game) };
        // Moves from an unknown start lead to other positions than they seem to.
        let Some(opening) = named.filter(|_| game.has_known_start()) else {
            return;
        };
        self.classified += 1;
        let old = game.eco();
        if self.all && old.is_none_or(|eco| eco.code != opening.eco.code) || old.is_none() {
            game.header.eco = Some(opening.eco);
            // The verbatim tag has the old code as the source spells it, and would be written
            // again.
            game.header
                .tags
                .retain(|tag| !matches!(tag, Tag::Verbatim(chessdb::core::model::Field::Eco, _)));
            self.changed += 1;
        }
        // A name next to the code of another opening would contradict it.
        let is_same = game.eco().is_some_and(|eco| eco.code == opening.eco.code);
        self.contrary += u64::from(!is_same);
        if self.names && is_same && (self.all || game.tag("Opening").is_none()) {
            set_tag(game, "Opening", opening.name);
        }
    }

    fn restart(&mut self) {
        (self.games, self.classified, self.changed, self.contrary) = (0, 0, 0, 0);
    }

    fn summary(&self) -> Option<String> {
        let (classified, all) = (self.classified, count(self.games, "game"));
        let mut summary = format!(
            "{all}, {classified} with a known opening, {} written",
            count(self.changed, "ECO code")
        );
        if self.contrary > 0 {
            let contrary = count(self.contrary, "game");
            summary += &format!("; {contrary} kept a code that differs from the moves (--all)");
        }
        Some(summary)
    }
}

/// Sets a tag that is no typed field, replacing an existing one.
fn set_tag(game: &mut Game, name: &str, value: &str) {
    let value = game.add_text(value);
    let index = game.header.tags.iter().position(|tag| match *tag {
        Tag::Other { name: other, .. } => game.text(other).as_bytes() == name.as_bytes(),
        _ => false,
    });
    let name = game.add_text(name);
    let tag = Tag::Other { name, value };
    match index.and_then(|index| game.header.tags.get_mut(index)) {
        Some(old) => *old = tag,
        None => game.header.tags.push(tag),
    }
}
