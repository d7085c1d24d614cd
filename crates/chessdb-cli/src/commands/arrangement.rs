//! The order and number of games: `--sort`, `--sample` and `--limit`.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::query::order::{OrderKey, TopGames};
use chessdb::query::sample::Sample;
use chessdb::{Database, Error, Game, Selection};

use crate::args::{Arrangement, Jobs};
use crate::exit::{Completion, Failure, Outcome};
use crate::findings::FindingLog;
use crate::input::{Access, SearchedDatabase};
use crate::inputs::{InputDatabase, Inputs, failed_json};
use crate::json::Json;

/// Consecutive games of one database: its index and the games.
pub(super) type GameRun = (usize, Selection);

/// The games to choose from.
pub(super) struct GameRequest<'a> {
    pub(super) games: &'a Selection,
    pub(super) query: &'a Arc<Query>,
    pub(super) jobs: Jobs,
    /// How much of each game is read later, so that the same games are unreadable now.
    pub(super) depth: ReadDepth,
    /// Whether games that cannot be read completely are chosen too.
    pub(super) keeps_damaged: bool,
    /// Whether damage is an error.
    pub(super) strict: bool,
}

/// The parts of a game that are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadDepth {
    Numbers,
    Headers,
    Moves,
}

impl Arrangement {
    /// Returns how the games are accessed; `otherwise` if all are printed in their order.
    pub(super) fn access(&self, otherwise: Access) -> Access {
        if self.sort.is_some() {
            Access::Ordered
        } else if self.is_nothing() {
            otherwise
        } else {
            Access::Twice
        }
    }

    /// Opens the databases and calls `print` for the games of each, or for each run of the games
    /// that the order and the limit choose. Returns the inputs that could not be read.
    pub(super) fn print_all(
        &self,
        inputs: &Inputs,
        request: &GameRequest<'_>,
        open: impl Fn(&Path) -> Result<SearchedDatabase, Error>,
        mut print: impl FnMut(&Path, &Database, &Selection, bool) -> Outcome,
    ) -> Result<(Completion, Vec<Json>), Failure> {
        let (mut opened, mut unread) = (Vec::new(), Vec::new());
        let mut visit = |base: &InputDatabase| {
            let db = open(&base.path)?;
            if self.is_nothing() {
                return print(&base.path, &db, request.games, true);
            }
            // Which games come first is known only when all databases are open.
            opened.push((base.path.clone(), db));
            Ok(Completion::Success)
        };
        let done = match inputs.bases.as_slice() {
            // With one database, its error is the result of the command, not one message of several.
            [base] if !inputs.are_several() => visit(base)?,
            _ => inputs.each(visit, |name, message| {
                unread.push(failed_json(name, message))
            })?,
        };
        Ok((done.max(self.each_run(&opened, request, print)?), unread))
    }

    /// Calls `print` for each run of the chosen games of open databases, with whether it is the
    /// first of its database. Games that cannot be read are reported and left out.
    fn each_run(
        &self,
        opened: &[(PathBuf, SearchedDatabase)],
        request: &GameRequest<'_>,
        mut print: impl FnMut(&Path, &Database, &Selection, bool) -> Outcome,
    ) -> Outcome {
        let bases: Vec<&Database> = opened.iter().map(|(_, db)| &**db).collect();
        let log = |(path, _): &(PathBuf, _)| FindingLog::from_name(shown(path).to_string());
        let mut findings: Vec<FindingLog> = opened.iter().map(log).collect();
        let runs = self.choose(&bases, request, |base, error| {
            if let Some(log) = findings.get_mut(base) {
                log.add(error);
            }
        })?;
        let unread = findings.into_iter().map(FindingLog::finish).sum::<u64>();
        let mut done = Completion::of_reading(unread > 0, request.strict);
        let mut printed = HashSet::new();
        for (base, games) in runs {
            if let Some((path, db)) = opened.get(base) {
                done = done.max(print(path, db, &games, printed.insert(base))?);
            }
        }
        Ok(done)
    }

    /// Returns the first games of several databases in the order of the sort keys. Without them
    /// there is exactly one run for each database.
    ///
    /// A game that is left out because it cannot be read is passed to `failed` with the index of
    /// its database.
    pub(super) fn choose(
        &self,
        bases: &[&Database],
        request: &GameRequest<'_>,
        mut failed: impl FnMut(usize, &Error),
    ) -> Result<Vec<GameRun>, Failure> {
        let mut chosen = ChosenGames {
            numbers: vec![Vec::new(); bases.len()],
            remaining: self.limit.unwrap_or(u32::MAX),
            first: self
                .sort
                .as_ref()
                .map(|order| TopGames::new(order, self.limit)),
        };
        let mut sample = self.new_sample();
        for (base, db) in bases.iter().enumerate() {
            let scan = db.scan().select(request.games.clone());
            let scan = scan.filter(Arc::clone(request.query));
            let scan = scan.jobs(request.jobs.thread_count());
            let scan = match (&self.sort, request.depth) {
                (_, ReadDepth::Moves) => scan,
                (Some(order), _) if order.needs_moves() => scan,
                (None, ReadDepth::Numbers) => scan.numbers(),
                _ => scan.headers(),
            };
            let make = |game: &mut Game, read: Result<(), Error>| {
                let key = self.sort.as_ref().map(|order| order.key(game));
                (game.number(), key, read.err())
            };
            if chosen.remaining > 0 {
                scan.map_in_order(make, |(number, key, error)| {
                    if let Some(error) = error.filter(|_| !request.keeps_damaged) {
                        failed(base, &error);
                        return ControlFlow::Continue(());
                    }
                    match &mut sample {
                        Some(sample) => sample.add((key, base, number)),
                        None => chosen.add(key, base, number),
                    }
                    match chosen.remaining {
                        0 => ControlFlow::Break(()),
                        _ => ControlFlow::Continue(()),
                    }
                })?;
            }
        }
        for (key, base, number) in sample.into_iter().flat_map(Sample::into_games) {
            chosen.add(key, base, number);
        }
        if let Some(first) = chosen.first {
            let mut runs = Selection::runs(first.into_sorted());
            // The only database is printed even without games: JSON needs its list, and people a
            // message.
            if let (true, [_]) = (runs.is_empty(), bases) {
                runs.push((0, Selection::in_order(Vec::new())));
            }
            return Ok(runs);
        }
        let runs = chosen.numbers.into_iter().enumerate();
        Ok(runs
            .map(|(base, numbers)| (base, Selection::in_order(numbers)))
            .collect())
    }
}

/// The games that an order and a limit choose.
struct ChosenGames<'o> {
    /// The numbers of the games of each database, if they are not sorted.
    numbers: Vec<Vec<u32>>,
    /// The number of games that the limit still allows, if they are not sorted.
    remaining: u32,
    /// The first games in the order, if they are sorted.
    first: Option<TopGames<'o, (usize, u32)>>,
}

impl ChosenGames<'_> {
    fn add(&mut self, key: Option<OrderKey>, base: usize, number: u32) {
        match (key, &mut self.first) {
            (Some(key), Some(first)) => first.add(key, (base, number)),
            _ if self.remaining > 0 => {
                if let Some(numbers) = self.numbers.get_mut(base) {
                    numbers.push(number);
                }
                self.remaining -= 1;
            }
            _ => {}
        }
    }
}
