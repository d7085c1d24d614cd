//! The order and number of games: `--sort` and `--limit`.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::query::{FirstGames, Query};
use chessdb::{Database, Error, Game, Selection};

use crate::args::{Arrangement, Jobs};
use crate::exit::Failure;

/// Consecutive games of one database: its index and the games.
pub(super) type GameRun = (usize, Selection);

impl Arrangement {
    /// Returns the first games of several databases in the order of the sort keys. Without them
    /// there is exactly one run for each database.
    ///
    /// For a game that cannot be read completely, `keeps` gets the index of its database and
    /// returns whether it counts.
    pub(super) fn choose(
        &self,
        bases: &[&Database],
        games: &Selection,
        query: &Arc<Query>,
        jobs: Jobs,
        mut keeps: impl FnMut(usize, &Error) -> bool,
    ) -> Result<Vec<GameRun>, Failure> {
        let mut all = Vec::new();
        let mut left = self.limit.unwrap_or(u32::MAX);
        let mut first = self
            .sort
            .as_ref()
            .map(|order| FirstGames::new(order, self.limit));
        for (base, db) in bases.iter().enumerate() {
            let scan = db.scan().select(games.clone()).filter(Arc::clone(query));
            let scan = scan.jobs(jobs.thread_count());
            let scan = match &self.sort {
                None => scan.numbers(),
                Some(order) if order.needs_moves() => scan,
                Some(_) => scan.headers(),
            };
            let mut numbers = Vec::new();
            let make = |game: &mut Game, read: Result<(), Error>| {
                let key = self.sort.as_ref().map(|order| order.key(game));
                (game.number(), key, read.err())
            };
            if left > 0 {
                scan.map_in_order(make, |(number, key, error)| {
                    if error.is_some_and(|error| !keeps(base, &error)) {
                        return ControlFlow::Continue(());
                    }
                    match (key, &mut first) {
                        (Some(key), Some(first)) => first.add(key, (base, number)),
                        _ => {
                            numbers.push(number);
                            left -= 1;
                        }
                    }
                    match left {
                        0 => ControlFlow::Break(()),
                        _ => ControlFlow::Continue(()),
                    }
                })?;
            }
            all.push((base, numbers));
        }
        if let Some(first) = first {
            all.clear();
            for (base, number) in first.into_sorted() {
                match all.last_mut() {
                    Some((last, numbers)) if *last == base => numbers.push(number),
                    _ => all.push((base, vec![number])),
                }
            }
            if let (true, [_]) = (all.is_empty(), bases) {
                all.push((0, Vec::new()));
            }
        }
        let runs = all.into_iter();
        Ok(runs
            .map(|(base, numbers)| (base, Selection::in_order(numbers)))
            .collect())
    }
}
