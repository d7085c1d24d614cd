//! The games of several databases: which ones, in which order.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use chessdb::convert::{Converter, DuplicateSearch, FoundDuplicates};
use chessdb::core::GameStore as _;
use chessdb::options::OpenOptions;
use chessdb::query::Query;
use chessdb::query::duplicates::DuplicateRule;
use chessdb::query::order::{Order, TopGames};
use chessdb::query::sample::Sample;
use chessdb::{Database, Game, Result, Selection};
use pyo3::prelude::*;

use crate::errors::invalid_argument;
use crate::sources::NativeSource;

/// The selected games of open databases.
#[derive(Default)]
pub(crate) struct OpenSources(pub(crate) Vec<(Arc<Database>, Selection)>);

impl OpenSources {
    /// Opens sources. Games in memory become a database.
    pub(crate) fn open(inputs: &[NativeSource], options: &OpenOptions) -> Result<OpenSources> {
        let open = |input: &NativeSource| -> Result<_> {
            Ok(match input {
                NativeSource::Open(db, selection) => {
                    (Arc::clone(db), selection.clone().unwrap_or_default())
                }
                NativeSource::Path(path) => {
                    let options = options.clone().numbered(true).unpacking(true);
                    (Arc::new(options.open(path)?), Selection::all())
                }
                NativeSource::Held(games) => {
                    let mut text = Vec::with_capacity(games.len() as usize * 1000);
                    let converter = Converter::to_writer(&mut text).format("pgn");
                    converter.add_store(games.as_ref(), None).run()?;
                    let options = Database::options().encoding("utf-8");
                    let db = options.open_files([("games.pgn", text)])?;
                    (Arc::new(db), Selection::all())
                }
            })
        };
        Ok(OpenSources(inputs.iter().map(open).collect::<Result<_>>()?))
    }

    /// Selects games of those sources that have no selection yet.
    pub(crate) fn select(&mut self, games: &Selection) {
        for (_, selection) in &mut self.0 {
            if selection.is_all() {
                *selection = games.clone();
            }
        }
    }

    /// Calls `make` on all threads for each game that matches, with the index of its database, and
    /// `take` with the values in order. Of a damaged game, the readable part counts.
    pub(crate) fn each<T: Send>(
        &self,
        query: Option<&Arc<Query>>,
        is_headers: bool,
        make: impl Fn(usize, &mut Game) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<()> {
        for (index, (db, selection)) in self.0.iter().enumerate() {
            let mut scan = db.scan().select(selection.clone());
            if let Some(query) = query {
                scan = scan.filter(Arc::clone(query));
            }
            let scan = if is_headers { scan.headers() } else { scan };
            scan.map_in_order(
                |game, _| make(index, game),
                |value| {
                    take(value);
                    ControlFlow::Continue(())
                },
            )?;
        }
        Ok(())
    }

    /// Finds copies, also of the games of another database, which stay.
    pub(crate) fn duplicates(
        &self,
        query: Option<&Arc<Query>>,
        rule: DuplicateRule,
        base: Option<&Database>,
    ) -> Result<FoundDuplicates> {
        let mut search = DuplicateSearch::new(rule).explained();
        let candidate = |index: usize, game: &mut Game| {
            let place = (index, game.number());
            (place, DuplicateSearch::candidate(game))
        };
        self.each(query, false, candidate, |(place, candidate)| {
            search.add(place, candidate);
        })?;
        let number = self.0.len();
        if let Some(base) = base {
            let compared = search.compared();
            let scan = base.scan().filter(compared.query());
            let candidate = |game: &mut Game, _| {
                let candidate = Some(&*game).filter(|game| !game.is_damaged());
                (
                    game.number(),
                    candidate.and_then(|game| compared.candidate(game)),
                )
            };
            scan.map_in_order(candidate, |(game, candidate)| {
                if let Some(candidate) = candidate {
                    search.add_compared((number, game), candidate.staying());
                }
                ControlFlow::Continue(())
            })?;
        }
        let mut copies = search.finish()?;
        copies.removed.retain(|copy| copy.place.0 < number);
        Ok(copies)
    }
}

/// Parses a rule by its name.
pub(crate) fn duplicate_rule(py: Python<'_>, name: &str) -> PyResult<DuplicateRule> {
    DuplicateRule::from_name(name).ok_or_else(|| {
        let message = format!("copies are \"strict\", \"sure\" or \"likely\", not {name:?}");
        invalid_argument(py, &message)
    })
}

/// The games that a conversion writes.
pub(crate) struct Arrangement {
    dedupe: Option<DuplicateRule>,
    /// The database with the games that are left out.
    only_new: Option<PathBuf>,
    sort: Option<Order>,
    limit: Option<u32>,
    /// The number of random games, and the seed.
    sample: Option<(u32, u64)>,
}

impl Arrangement {
    pub(crate) fn new(
        py: Python<'_>,
        dedupe: Option<&str>,
        only_new: Option<PathBuf>,
        sort: Option<&str>,
        limit: Option<u32>,
        sample: Option<(u32, u64)>,
    ) -> PyResult<Arrangement> {
        let sort = sort.map(str::parse).transpose();
        let dedupe = dedupe.or(only_new.as_ref().map(|_| "sure"));
        Ok(Arrangement {
            dedupe: dedupe.map(|rule| duplicate_rule(py, rule)).transpose()?,
            only_new,
            sort: sort.map_err(|error| invalid_argument(py, &format!("{error}")))?,
            limit,
            sample,
        })
    }

    /// Returns whether all games are written in their order.
    pub(crate) fn is_plain(&self) -> bool {
        self.dedupe.is_none()
            && self.sort.is_none()
            && self.limit.is_none()
            && self.sample.is_none()
    }

    /// Returns the games as runs of one database each, by its index.
    pub(crate) fn choose(
        &self,
        sources: &mut OpenSources,
        query: Option<&Arc<Query>>,
        options: &OpenOptions,
    ) -> Result<Vec<(usize, Selection)>> {
        if let Some(rule) = self.dedupe {
            let base = self.only_new.as_ref().map(|path| options.open(path));
            let copies = sources.duplicates(query, rule, base.transpose()?.as_ref())?;
            let selections = copies.selections(sources.0.len());
            for ((_, selection), retained) in sources.0.iter_mut().zip(selections) {
                *selection = retained;
            }
        }
        let place = |index: usize, game: &mut Game| (index, game.number());
        if let Some((size, seed)) = self.sample {
            let mut sample = Sample::new(size, seed);
            sources.each(query, true, place, |place| sample.add(place))?;
            let mut numbers = vec![Vec::new(); sources.0.len()];
            for (index, number) in sample.into_games() {
                if let Some(numbers) = numbers.get_mut(index) {
                    numbers.push(number);
                }
            }
            for ((_, selection), numbers) in sources.0.iter_mut().zip(numbers) {
                *selection = Selection::in_order(numbers);
            }
        }
        let mut places = Vec::new();
        match &self.sort {
            Some(order) => {
                let mut first = TopGames::new(order, self.limit);
                let key = |index: usize, game: &mut Game| (order.key(game), place(index, game));
                sources.each(query, !order.needs_moves(), key, |(key, place)| {
                    first.add(key, place);
                })?;
                places = first.into_sorted();
            }
            None => {
                sources.each(query, true, place, |place| places.push(place))?;
                places.truncate(self.limit.map_or(usize::MAX, |limit| limit as usize));
            }
        }
        Ok(Selection::runs(places))
    }
}
