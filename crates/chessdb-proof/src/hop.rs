//! A single conversion, done as `chessdb convert` does it, and the check of its result.

use std::collections::HashSet;

use chessdb::convert::{GameRef, Observer};
use chessdb::core::loss::Loss;
use chessdb::core::store::Opened;
use chessdb::core::{
    ErrorKind, FileSet, Game, GameStore, MemorySet, ReadOptions, Result, Scratch, compare,
};
use chessdb::formats::reading_for;
use chessdb::{BaseInfo, Converter, Format, LossKind, Losses};
use chessdb_testkit::judge::{Excused, Problem, judge};

/// The maximum number of problems kept for one conversion; further problems are only counted.
const KEPT: usize = 100;

/// The result of one or more conversions between two formats.
#[derive(Clone, Default, Debug)]
pub struct Outcome {
    /// The number of games written.
    pub games: u64,
    /// The announced losses, of the database and of its games together.
    pub losses: Losses,
    /// The first problems, each with its place.
    pub problems: Vec<String>,
    /// The total number of problems.
    pub problem_count: u64,
    /// The differences that do not count as losses.
    pub excused: Excused,
}

impl Outcome {
    /// Records a problem at a place.
    pub fn problem(&mut self, place: &str, problem: &Problem) {
        self.problem_count += 1;
        if self.problems.len() < KEPT {
            self.problems.push(format!("{place}: {problem}"));
        }
    }

    /// Adds the results of another outcome.
    pub fn merge(&mut self, other: Outcome) {
        self.games += other.games;
        self.losses.merge(&other.losses);
        self.problem_count += other.problem_count;
        let room = KEPT.saturating_sub(self.problems.len());
        self.problems.extend(other.problems.into_iter().take(room));
        for (excuse, count) in other.excused {
            *self.excused.entry(excuse).or_default() += count;
        }
    }
}

/// A database in memory that has no format.
#[derive(Debug, Default)]
pub struct Model {
    /// The data of the database itself.
    pub opened: Opened,
    /// The games.
    pub games: Vec<Game>,
}

impl GameStore for Model {
    fn len(&self) -> u32 {
        self.games.len() as u32
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.game_into(n, game, scratch)?;
        game.moves.clear();
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, _: &mut Scratch) -> Result<()> {
        let held = self.games.get(n as usize);
        let missing = || ErrorKind::no_such_game(n, self.len());
        game.clone_from(held.ok_or_else(missing)?);
        Ok(())
    }
}

/// Collects the announced losses game by game.
pub(crate) struct Announced(pub(crate) Vec<Losses>);

impl Announced {
    pub(crate) fn new(games: usize) -> Announced {
        Announced(vec![Losses::new(); games])
    }
}

impl Observer for Announced {
    fn loss(&mut self, game_ref: GameRef, loss: &Loss) {
        if let Some(losses) = self.0.get_mut(game_ref.game.saturating_sub(1) as usize) {
            losses.add_many(loss.kind, loss.count, loss.ply);
        }
    }
}

/// A conversion of a database, with its losses and the result of the check.
pub struct Converted {
    /// The files of the new database.
    pub files: MemorySet,
    /// The losses announced for each game.
    pub announced: Vec<Losses>,
    /// The losses announced for the database itself.
    pub of_base: Losses,
    /// The result of the check.
    pub outcome: Outcome,
    /// Whether the target joins games, so that it contains fewer than were written into it.
    pub joined: bool,
}

/// Converts a database into `target` and compares the result with the source.
///
/// `from` is the format of `store`, if it has one.
pub fn hop(
    place: &str,
    store: &dyn GameStore,
    from: Option<&'static Format>,
    target: &'static Format,
) -> Converted {
    let mut files = MemorySet::new();
    let mut announced = Announced::new(store.len() as usize);
    let report = Converter::to_sink(&mut files)
        .format(target)
        .add_store(store, from)
        .observer(&mut announced)
        .run();
    let mut outcome = Outcome::default();
    let mut joined = false;
    let mut of_base = Losses::new();
    match report {
        Ok(report) => {
            of_base.merge(report.base_losses());
            outcome.games = report.written();
            outcome.losses.merge(&of_base);
            for losses in &announced.0 {
                outcome.losses.merge(losses);
            }
            unlisted(place, target, &mut outcome);
            joined = read_again(
                place,
                store,
                &announced.0,
                (target, &files),
                &of_base,
                &mut outcome,
            );
        }
        Err(error) => outcome.problem(place, &Problem::Failed(error.to_string())),
    }
    Converted {
        files,
        announced: announced.0,
        of_base,
        outcome,
        joined,
    }
}

/// Reports announced losses that the target format does not list.
///
/// Losses of name tables are exempt: they occur in any conversion into another format and do not
/// depend on the writer.
fn unlisted(place: &str, target: &Format, outcome: &mut Outcome) {
    // A copy, because problems are added meanwhile.
    for loss in &outcome.losses.clone() {
        let of_tables = [LossKind::NameTable, LossKind::NameDetails].contains(&loss.kind);
        if !target.losses.contains(loss.kind) && !of_tables {
            let what = format!("{} does not list the loss {}", target.id, loss.kind.code());
            outcome.problem(place, &Problem::Failed(what));
        }
    }
}

/// Opens the new database and compares it with the source.
///
/// Returns whether the target joined the games, which makes a comparison impossible.
fn read_again(
    place: &str,
    store: &dyn GameStore,
    announced: &[Losses],
    (target, files): (&Format, &MemorySet),
    base_losses: &Losses,
    outcome: &mut Outcome,
) -> bool {
    let result = match (target.open)(files, ReadOptions::default()) {
        Ok(result) => result,
        Err(error) => {
            let problem = Problem::Failed(format!("the new base does not open: {error}"));
            outcome.problem(place, &problem);
            return false;
        }
    };
    let left_out = |losses: &&Losses| losses.count(LossKind::Game) > 0;
    let retained = announced.len() - announced.iter().filter(left_out).count();
    // A target that joins games has only one.
    if result.len() < 2 && retained > 1 {
        return true;
    }
    compare(place, store, announced, &*result, base_losses, outcome);
    false
}

/// Compares all games and the data of the database itself.
fn compare(
    place: &str,
    store: &dyn GameStore,
    announced: &[Losses],
    result: &dyn GameStore,
    base_losses: &Losses,
    outcome: &mut Outcome,
) {
    let (mut before, mut after) = (Game::new(), Game::new());
    let mut scratch = Scratch::new();
    let mut names = HashSet::new();
    let mut next = 0;
    for (n, losses) in announced.iter().enumerate() {
        scratch.diagnostics.clear();
        // Unreadable games are reported, not written.
        if store
            .game_into(n as u32, &mut before, &mut scratch)
            .is_err()
        {
            continue;
        }
        // Before games that are left out are skipped: name tables may keep their names.
        compare::add_names(&before, &mut names);
        if losses.count(LossKind::Game) > 0 {
            continue;
        }
        let place = format!("{place}, game {}", n + 1);
        scratch.diagnostics.clear();
        let read = result.game_into(next, &mut after, &mut scratch);
        next += 1;
        match read {
            Ok(()) => {
                let seen = compare::games(&before, &after);
                for problem in judge(&seen, losses, &mut outcome.excused) {
                    outcome.problem(&place, &problem);
                }
            }
            Err(error) => {
                let problem = Problem::Failed(format!("not read again: {error}"));
                outcome.problem(&place, &problem);
            }
        }
    }
    if result.len() != next {
        let problem = Problem::Failed(format!("{next} games written, {} there", result.len()));
        outcome.problem(place, &problem);
    }
    let seen = compare::bases(store.base(), result.base(), &names);
    for problem in judge(&seen, base_losses, &mut outcome.excused) {
        outcome.problem(place, &problem);
    }
}

/// Converts a database of format `source` into `target` and back.
pub fn there_and_back(
    place: &str,
    files: &dyn FileSet,
    source: &'static Format,
    target: &'static Format,
) -> (Outcome, Outcome) {
    let mut outcomes = (Outcome::default(), Outcome::default());
    let options = reading_for(target, ReadOptions::default());
    match (source.open)(files, options) {
        Ok(store) => both_ways(place, &*store, source, target, &mut outcomes),
        Err(error) => {
            let problem = Problem::Failed(format!("does not open: {error}"));
            outcomes.0.problem(place, &problem);
        }
    }
    outcomes
}

/// Like [`there_and_back`], for an open database.
///
/// There is no way back if the source format cannot be written.
pub fn both_ways(
    place: &str,
    store: &dyn GameStore,
    source: &'static Format,
    target: &'static Format,
    outcomes: &mut (Outcome, Outcome),
) {
    let route = format!("{place} to {}", target.id);
    let outbound = hop(&route, store, Some(source), target);
    if outbound.joined {
        return one_by_one(place, store, source, target, outcomes);
    }
    outcomes.0.merge(outbound.outcome);
    if source.id == target.id || source.create.is_none() {
        return;
    }
    let place = format!("{place} to {} and back", target.id);
    let options = reading_for(source, ReadOptions::default());
    // If the database does not open, the first conversion has already reported it.
    if let Ok(store) = (target.open)(&outbound.files, options) {
        let back = hop(&place, &*store, Some(target), source);
        outcomes.1.merge(back.outcome);
    }
}

/// Converts the games one at a time, for targets that join games.
fn one_by_one(
    place: &str,
    store: &dyn GameStore,
    source: &'static Format,
    target: &'static Format,
    outcomes: &mut (Outcome, Outcome),
) {
    let mut scratch = Scratch::new();
    for n in 0..store.len() {
        let mut single = Model {
            opened: Opened::new(without_tables(store.base()), Vec::new()),
            games: vec![Game::new()],
        };
        scratch.diagnostics.clear();
        if let [game] = single.games.as_mut_slice()
            && store.game_into(n, game, &mut scratch).is_ok()
        {
            let place = format!("{place}, game {}", n + 1);
            both_ways(&place, &single, source, target, outcomes);
        }
    }
}

/// Returns the data of a database without its name tables, which only fit the complete set of
/// games.
fn without_tables(base: &BaseInfo) -> BaseInfo {
    let mut base = base.clone();
    base.names.clear();
    base
}

/// Converts the games of `store` into `target`, one at a time if the target joins games.
pub fn into_format(place: &str, store: &dyn GameStore, target: &'static Format) -> Outcome {
    let converted = hop(place, store, None, target);
    if !converted.joined {
        return converted.outcome;
    }
    let mut outcome = Outcome::default();
    let mut scratch = Scratch::new();
    for n in 0..store.len() {
        let mut game = Game::new();
        if store.game_into(n, &mut game, &mut scratch).is_err() {
            continue;
        }
        let single = Model {
            opened: Opened::new(without_tables(store.base()), Vec::new()),
            games: vec![game],
        };
        let place = format!("{place}, game {}", n + 1);
        outcome.merge(hop(&place, &single, None, target).outcome);
    }
    outcome
}
