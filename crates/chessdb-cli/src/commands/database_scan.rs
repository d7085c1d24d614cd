//! Shared code of the commands that read games: a value is computed for each matching game of
//! several databases, or for the first one.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::core::search::{MainlineObserver, observe_game};
use chessdb::query::Query;
use chessdb::query::stats::GameLabel;
use chessdb::{Database, Error, Game, Scan, Selection};

use crate::args::ScanOptions;
use crate::commands::game_label;
use crate::exit::{Completion, Failure};
use crate::findings::{Finding, FindingLog};
use crate::input::{self, Access};
use crate::inputs::{Inputs, failed_json};
use crate::json::Json;
use crate::output::count;

/// The result of a run.
pub(super) struct ScanOutcome {
    pub(super) done: Completion,
    /// The databases, and the errors of those that could not be read.
    pub(super) bases: Vec<Json>,
}

impl ScanOptions {
    /// Calls `map` on all threads for each game, and `take` with the values in the order of the
    /// databases.
    pub(super) fn each<T: Send>(
        &self,
        map: impl Fn(&Game) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<ScanOutcome, Failure> {
        let map = |_: &Database, game: &mut Game| Ok(map(game));
        self.each_of(false, map, |_, value| {
            take(value);
            Ok(())
        })
    }

    /// Like [`ScanOptions::each`], with the database as an argument. With `headers` the games have
    /// no moves, except those of a stream; `map` then searches for positions itself.
    pub(super) fn each_of<T: Send>(
        &self,
        headers: bool,
        map: impl Fn(&Database, &mut Game) -> Result<T, Error> + Sync,
        take: impl FnMut(&Database, T) -> Result<(), Error>,
    ) -> Result<ScanOutcome, Failure> {
        self.each_of_chosen(headers, |_| None, map, take)
    }

    /// Like [`ScanOptions::each_of`]; if `choose` returns games of a database, only these are read.
    pub(super) fn each_of_chosen<T: Send>(
        &self,
        headers: bool,
        mut choose: impl FnMut(&Database) -> Option<Selection>,
        map: impl Fn(&Database, &mut Game) -> Result<T, Error> + Sync,
        mut take: impl FnMut(&Database, T) -> Result<(), Error>,
    ) -> Result<ScanOutcome, Failure> {
        let (paths, query) = self.choice.databases_and_query()?;
        let inputs = Inputs::new(paths, &self.input_options);
        let mut bases = Vec::new();
        let mut failed = Vec::new();
        let is_one = !inputs.are_several();
        let mut one = |path: &std::path::Path| -> Result<Completion, Failure> {
            let unread = self.base(path, &query, headers, &mut choose, &map, &mut take)?;
            bases.push(path.display().to_string().into());
            Ok(Completion::of_reading(unread > 0, self.strict))
        };
        let done = match inputs.bases.as_slice() {
            [base] if is_one => one(&base.path)?,
            _ => inputs.each(
                |base| one(&base.path),
                |name, message| failed.push(failed_json(name, message)),
            )?,
        };
        bases.append(&mut failed);
        Ok(ScanOutcome { done, bases })
    }

    /// Shows the mainline of each game to an observer, on all threads, and calls `add` in the order of
    /// the databases with what `finish` returns for the header, if anything.
    pub(super) fn each_mainline<O: MainlineObserver, T: Send>(
        &self,
        observer: impl Fn() -> O + Sync,
        finish: impl Fn(O, &Game) -> Option<T> + Sync,
        mut add: impl FnMut(T, GameLabel),
    ) -> Result<ScanOutcome, Failure> {
        let map = |db: &Database, game: &mut Game| -> Result<_, Error> {
            let mut observer = observer();
            // Only headers were read, except of a stream.
            if db.is_stream() {
                observe_game(game, &mut observer);
            } else {
                db.observe_mainline(game.index(), game, &mut observer)?;
            }
            Ok(finish(observer, game).map(|value| (value, game_label::new(db, game))))
        };
        self.each_of(true, map, |_, value| {
            if let Some((value, label)) = value {
                add(value, label);
            }
            Ok(())
        })
    }

    /// Returns the number of unreadable games and of findings with data loss.
    fn base<T: Send>(
        &self,
        path: &std::path::Path,
        query: &Arc<Query>,
        headers: bool,
        choose: &mut impl FnMut(&Database) -> Option<Selection>,
        map: &(impl Fn(&Database, &mut Game) -> Result<T, Error> + Sync),
        take: &mut impl FnMut(&Database, T) -> Result<(), Error>,
    ) -> Result<u64, Failure> {
        // With only the headers read, `map` searches for positions itself, which the index speeds
        // up.
        let positions = headers || query.needs_positions();
        let access = Access::InOrder;
        let (how, jobs) = (&self.input_options, self.jobs);
        let db = input::open_for_search(positions, path, how, jobs, access)?;
        let mut findings = FindingLog::from_name(path.display().to_string());
        findings.add_all(Finding::lost(db.diagnostics()));
        let games = choose(&db).unwrap_or_else(|| self.choice.games.clone());
        let scan = db.scan().select(games);
        let scan = scan.filter(Arc::clone(query));
        let scan = if headers { scan.headers() } else { scan };
        let diagnostics = scan.map_in_order(
            |game, result| -> Result<(T, Vec<Finding>), Error> {
                let value = result.and_then(|()| map(&db, game))?;
                Ok((value, Finding::lost(game.diagnostics()).collect()))
            },
            |value: Result<(T, Vec<Finding>), Error>| {
                let taken = value.and_then(|(value, lost)| {
                    let taken = take(&db, value);
                    findings.add_all(lost);
                    taken
                });
                // One unreadable game does not end the scan.
                if let Err(error) = &taken {
                    findings.add(error);
                }
                ControlFlow::Continue(())
            },
        )?;
        findings.add_all(Finding::lost(&diagnostics));
        Ok(findings.finish())
    }
}

/// Returns the first game of a scan, as far as it can be read. `None` if there is none.
pub(super) fn first_game(scan: Scan<'_>) -> Result<Option<Game>, Failure> {
    let mut first = Ok(None);
    scan.for_each(|game, result| {
        first = result.map(|()| Some(game.clone()));
        ControlFlow::Break(())
    })?;
    Ok(first?)
}

/// Returns the number if the selection is a single game.
pub(super) fn single_game(games: &Selection) -> Option<u32> {
    (games.count_in(u32::MAX) == 1).then(|| games.last())
}

/// Returns a message about a query and a selection that match no game.
pub(super) fn no_match(db: &Database, games: &Selection, query: &Query) -> String {
    if query.is_empty() {
        no_such_game(db, games)
    } else {
        "no matching game".to_owned()
    }
}

/// Returns a message about games that the database does not have.
pub(super) fn no_such_game(db: &Database, games: &Selection) -> String {
    let what = match single_game(games) {
        Some(number) => format!("no game {number}"),
        None => "no such game".to_owned(),
    };
    match game_count(db) {
        Some(games) => format!("{what}; the database has {}", count(games, "game")),
        None => what,
    }
}

/// Returns the number of games. `None` for a pipe, which can be read only once.
fn game_count(db: &Database) -> Option<u64> {
    if let Ok(games) = db.len() {
        return Some(games.into());
    }
    let mut games = 0;
    let scan = db.scan().numbers().for_each(|_, _| {
        games += 1;
        ControlFlow::Continue(())
    });
    scan.is_ok().then_some(games)
}
