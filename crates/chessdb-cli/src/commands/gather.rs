//! Shared code of the commands that read games: a value is computed for each matching game of
//! several databases, or for the first one.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use chessdb::query::Query;
use chessdb::{Database, Error, Game, Scan};

use crate::args::{Choice, Jobs, Reading};
use crate::exit::{Done, Failure};
use crate::input::{self, Access};
use crate::inputs::{Inputs, failed_json};
use crate::json::Json;
use crate::oddities::{Oddities, Oddity};
use crate::query;

/// The games to read, and how to read them.
pub(super) struct Gather<'a> {
    /// The databases and the query.
    pub(super) words: &'a [PathBuf],
    pub(super) choice: &'a Choice,
    pub(super) reading: &'a Reading,
    /// Whether damage is an error.
    pub(super) strict: bool,
    pub(super) jobs: Jobs,
}

/// The result of a run.
pub(super) struct Gathered {
    pub(super) done: Done,
    /// The databases, and the errors of those that could not be read.
    pub(super) bases: Vec<Json>,
}

impl Gather<'_> {
    /// Calls `map` on all threads for each game, and `take` with the values in the order of the
    /// databases.
    pub(super) fn each<T: Send>(
        &self,
        map: impl Fn(&Game) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<Gathered, Failure> {
        let map = |_: &Database, game: &mut Game| Ok(map(game));
        self.each_of(false, map, |_, made| {
            take(made);
            Ok(())
        })
    }

    /// Like [`Gather::each`], with the database as an argument. With `headers` the games have no
    /// moves, except those of a stream; `map` then searches for positions itself.
    pub(super) fn each_of<T: Send>(
        &self,
        headers: bool,
        map: impl Fn(&Database, &mut Game) -> Result<T, Error> + Sync,
        mut take: impl FnMut(&Database, T) -> Result<(), Error>,
    ) -> Result<Gathered, Failure> {
        let (paths, terms) = query::divide(self.words);
        let query = query::read(terms, self.choice.asking)?;
        let inputs = Inputs::of(paths, self.reading);
        let mut bases = Vec::new();
        let mut failed = Vec::new();
        let is_one = !inputs.are_several();
        let mut one = |path: &std::path::Path| -> Result<Done, Failure> {
            let unread = self.base(path, &query, headers, &map, &mut take)?;
            bases.push(path.display().to_string().into());
            Ok(Done::of_reading(unread > 0, !query.is_empty(), self.strict))
        };
        let done = match inputs.bases.as_slice() {
            [base] if is_one => one(&base.path)?,
            _ => inputs.each(
                |base| one(&base.path),
                |name, message| failed.push(failed_json(name, message)),
            )?,
        };
        bases.append(&mut failed);
        Ok(Gathered { done, bases })
    }

    /// Returns the number of unreadable games and of findings with data loss.
    fn base<T: Send>(
        &self,
        path: &std::path::Path,
        query: &Arc<Query>,
        headers: bool,
        map: &(impl Fn(&Database, &mut Game) -> Result<T, Error> + Sync),
        take: &mut impl FnMut(&Database, T) -> Result<(), Error>,
    ) -> Result<u64, Failure> {
        let positions = headers || query.asks_positions();
        let access = Access::InOrder;
        let db = input::open_for(positions, path, self.reading, self.jobs, access)?;
        let mut oddities = Oddities::of(path.display().to_string());
        oddities.add_all(Oddity::lost(db.diagnostics()));
        let scan = db.scan().select(self.choice.games.clone());
        let scan = scan.filter(Arc::clone(query));
        let scan = if headers { scan.headers() } else { scan };
        let found = scan.map_in_order(
            |game, result| -> Result<(T, Vec<Oddity>), Error> {
                let made = result.and_then(|()| map(&db, game))?;
                Ok((made, Oddity::lost(game.diagnostics()).collect()))
            },
            |made: Result<(T, Vec<Oddity>), Error>| {
                let taken = made.and_then(|(made, lost)| {
                    let taken = take(&db, made);
                    oddities.add_all(lost);
                    taken
                });
                if let Err(error) = &taken {
                    oddities.add(error);
                }
                ControlFlow::Continue(())
            },
        )?;
        oddities.add_all(Oddity::lost(&found));
        Ok(oddities.finish())
    }
}

/// Returns the first game of a scan, as far as it can be read. `None` if there is none.
pub(super) fn first(scan: Scan<'_>) -> Result<Option<Game>, Failure> {
    let mut found = Ok(None);
    scan.for_each(|game, result| {
        found = result.map(|()| Some(game.clone()));
        ControlFlow::Break(())
    })?;
    Ok(found?)
}
