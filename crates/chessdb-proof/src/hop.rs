//! One conversion, as `chessdb convert` does it, and what came of it.

use std::collections::HashSet;

use chessdb::convert::{GameRef, Observer};
use chessdb::core::{
    FileSet, Game, GameStore, Loss, MemorySet, ReadOptions, Result, Scratch, compare,
};
use chessdb::formats::reading_for;
use chessdb::{BaseInfo, Converter, Format, LossKind, Losses};
use chessdb_testkit::judge::{Excused, Problem, judge};

/// Problems kept of one conversion; later ones are only counted.
const KEPT: usize = 100;

/// What one or several conversions between two formats did.
#[derive(Clone, Default, Debug)]
pub struct Outcome {
    /// Games that were written.
    pub games: u64,
    /// What the writer announced, base and games together.
    pub losses: Losses,
    /// What is wrong, with the place; the first few.
    pub problems: Vec<String>,
    /// How many problems there are.
    pub problem_count: u64,
    /// Differences that are no loss.
    pub excused: Excused,
}

impl Outcome {
    /// Notes what is wrong at a place.
    pub fn problem(&mut self, place: &str, problem: &Problem) {
        self.problem_count += 1;
        if self.problems.len() < KEPT {
            self.problems.push(format!("{place}: {problem}"));
        }
    }

    /// Adds what another one found.
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

/// Games in memory as a base, of which no format is known.
#[derive(Debug, Default)]
pub struct Model {
    /// What belongs to no single game.
    pub base: BaseInfo,
    /// The games.
    pub games: Vec<Game>,
}

impl GameStore for Model {
    fn len(&self) -> u32 {
        self.games.len() as u32
    }

    fn base(&self) -> &BaseInfo {
        &self.base
    }

    fn diagnostics(&self) -> &[chessdb::Diagnostic] {
        &[]
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.game_into(n, game, scratch)?;
        game.moves.clear();
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, _: &mut Scratch) -> Result<()> {
        let found = self.games.get(n as usize);
        *game = found
            .ok_or(chessdb::core::ErrorKind::Structure("no such game"))?
            .clone();
        Ok(())
    }
}

/// Collects what is announced, game by game.
struct Announced(Vec<Losses>);

impl Observer for Announced {
    fn loss(&mut self, at: GameRef, loss: &Loss) {
        if let Some(losses) = self.0.get_mut(at.game.saturating_sub(1) as usize) {
            losses.add_many(loss.kind, loss.count, loss.ply);
        }
    }
}

/// How the games of a base went into another one.
pub struct Converted {
    /// The new base.
    pub files: MemorySet,
    /// What was announced of each game.
    pub announced: Vec<Losses>,
    /// What was announced of the base.
    pub of_base: Losses,
    /// What was found.
    pub outcome: Outcome,
    /// The target holds fewer games than were written into it: it joins them.
    pub joined: bool,
}

/// Writes a base, of this format if it is of any, into another one and compares.
pub fn hop(
    place: &str,
    store: &dyn GameStore,
    from: Option<&'static Format>,
    target: &'static Format,
) -> Converted {
    let mut files = MemorySet::new();
    let mut announced = Announced(vec![Losses::new(); store.len() as usize]);
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

/// What a format announces must be in its list. Tables of names get lost on any way into another
/// format, which is no writer's matter.
fn unlisted(place: &str, target: &Format, outcome: &mut Outcome) {
    for loss in &outcome.losses.clone() {
        let of_tables = [LossKind::NameTable, LossKind::NameDetails].contains(&loss.kind);
        if !target.losses.contains(&loss.kind) && !of_tables {
            let what = format!("{} does not list the loss {}", target.id, loss.kind.code());
            outcome.problem(place, &Problem::Failed(what));
        }
    }
}

/// Opens the new base and compares; whether the target joins its games, so that they cannot be
/// compared.
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
    let kept = announced.len() - announced.iter().filter(left_out).count();
    if result.len() < 2 && kept > 1 {
        return true;
    }
    compare(place, store, announced, &*result, base_losses, outcome);
    false
}

/// Compares all games, and what belongs to no single one.
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
        // A game that cannot be read is reported, not written.
        if store
            .game_into(n as u32, &mut before, &mut scratch)
            .is_err()
        {
            continue;
        }
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

/// The way from a base of format `source` into `target` and back.
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

/// The same for a base that is open; without a way back if the source cannot be written.
pub fn both_ways(
    place: &str,
    store: &dyn GameStore,
    source: &'static Format,
    target: &'static Format,
    outcomes: &mut (Outcome, Outcome),
) {
    let there = format!("{place} to {}", target.id);
    let there = hop(&there, store, Some(source), target);
    if there.joined {
        return one_by_one(place, store, source, target, outcomes);
    }
    outcomes.0.merge(there.outcome);
    if source.id == target.id || source.create.is_none() {
        return;
    }
    let place = format!("{place} to {} and back", target.id);
    let options = reading_for(source, ReadOptions::default());
    // A base that does not open was reported on the way there.
    if let Ok(store) = (target.open)(&there.files, options) {
        let back = hop(&place, &*store, Some(target), source);
        outcomes.1.merge(back.outcome);
    }
}

/// Games that the target would join go one by one.
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
            base: without_tables(store.base()),
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

/// What is said of a base, but for its tables of names, which make sense beside all its games only.
fn without_tables(base: &BaseInfo) -> BaseInfo {
    let mut base = base.clone();
    base.names.clear();
    base
}

/// The games of `store` written into `target`, which joins games or not.
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
            base: without_tables(store.base()),
            games: vec![game],
        };
        let place = format!("{place}, game {}", n + 1);
        outcome.merge(hop(&place, &single, None, target).outcome);
    }
    outcome
}
