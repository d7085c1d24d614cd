//! The database that games are appended to, or compared with: its copies of them, which better
//! ones complete.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chessdb::convert::{Duplicate, DuplicateSearch, Editor, FoundDuplicates, GamePlace, Observer};
use chessdb::formats::shown;
use chessdb::{Database, Error, Game, Selection};

use crate::args::{OutputOptions, PreferArg};
use crate::commands::arrange::{Needs, map_scan};
use crate::commands::undo::command_line;
use crate::exit::{Completion, Failure, say};
use crate::input;
use crate::output::count;

/// The database that games are appended to or compared with. It keeps all its games, at their
/// places.
pub(super) struct Target {
    path: Option<PathBuf>,
    prefer: PreferArg,
    /// Open until its games have been added to the search.
    db: Option<Database>,
    /// The number of games that it already has.
    copies: u64,
    /// The better copies of its games, by their numbers there.
    better: BTreeMap<u32, Game>,
    /// The places of the better copies, ascending.
    places: Vec<GamePlace>,
}

impl Target {
    pub(super) fn new(db: Database, prefer: PreferArg) -> Target {
        Target {
            path: db.path().map(Path::to_owned),
            db: Some(db),
            prefer,
            copies: 0,
            better: BTreeMap::new(),
            places: Vec::new(),
        }
    }

    /// Adds the games of the target that can be equal to one of the games in a search, as games of
    /// database `number`. Closes the target.
    pub(super) fn add_to(
        &mut self,
        search: &mut DuplicateSearch,
        number: usize,
        options: &OutputOptions,
    ) -> Result<(), Failure> {
        let Some(db) = self.db.take() else {
            return Ok(());
        };
        let compared = search.compared();
        let scan = db.scan().filter(compared.query());
        let scan = scan.jobs(options.jobs.thread_count());
        let prefer = self.prefer;
        let candidate = |game: &Game| {
            // A damaged game cannot be compared reliably.
            let candidate = Some(game).filter(|game| !game.is_damaged())?;
            let candidate = compared.candidate(candidate)?;
            Some(match prefer {
                PreferArg::Base => candidate.staying(),
                PreferArg::Better | PreferArg::New => candidate.before_equals(),
            })
        };
        map_scan(scan, Needs::Moves, candidate, |game, candidate| {
            if let Some(candidate) = candidate {
                search.add_compared((number, game), candidate);
            }
        })
    }

    pub(super) fn name(&self) -> String {
        let name = self.path.as_deref().map(Path::display);
        name.map_or("-".to_owned(), |name| name.to_string())
    }

    /// Changes what was found so that all games of the target stay, and notes the copies that are
    /// better than its own. The target is the database after `bases`.
    pub(super) fn keep_all(
        &mut self,
        duplicates: &mut FoundDuplicates,
        bases: &[Database],
    ) -> Result<(), Failure> {
        let is_own = |place: GamePlace| place.0 == bases.len();
        let mut poorer = Vec::new();
        duplicates.removed.retain(|game| {
            if is_own(game.place) && !is_own(game.kept) {
                poorer.push((game.place, game.kept));
            }
            !is_own(game.place)
        });
        for (own, copy) in poorer {
            let place = self.places.binary_search(&copy);
            // Of several copies in the target, the first is completed.
            if let (Err(index), Some(db)) = (place, bases.get(copy.0)) {
                self.better
                    .insert(own.1, db.game(copy.1.saturating_sub(1))?);
                self.places.insert(index, copy);
                duplicates.removed.push(Duplicate::new(copy, own));
            }
            let removed = duplicates.removed.iter_mut();
            for game in removed.filter(|game| game.kept == copy) {
                game.kept = own;
            }
        }
        duplicates.removed.sort_unstable_by_key(|game| game.place);
        let copies = duplicates.removed.iter().filter(|game| is_own(game.kept));
        self.copies = copies.count() as u64;
        Ok(())
    }

    /// Returns the number of games that it already has.
    pub(super) fn copies(&self) -> u64 {
        self.copies
    }

    /// Returns whether the game at this place completes one of the target.
    pub(super) fn takes(&self, place: GamePlace) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    pub(super) fn summary(&self) -> String {
        let better = match self.better.len() {
            0 => String::new(),
            better => format!(", {better} of them poorer"),
        };
        format!("; {} already in {}{better}", self.copies, self.name())
    }

    /// Gives the games of the target what their better copies have.
    pub(super) fn complete(self, options: &OutputOptions) -> Result<Completion, Failure> {
        let Some(path) = self.path.filter(|_| !self.better.is_empty()) else {
            return Ok(Completion::Success);
        };
        let name = shown(&path).to_string();
        let failed = |error: Error| Failure::in_place(error, &name);
        let mut editor =
            Editor::open(&path, input::options(&options.input_options)).map_err(failed)?;
        let games = Selection::in_order(self.better.keys().copied().collect());
        let mut completing = Completing {
            better: self.better,
            prefer: self.prefer,
            completed: 0,
            other_moves: Vec::new(),
        };
        let converter = editor.converter().jobs(options.jobs.thread_count());
        let converter = converter.edit_only(games).command(&command_line());
        let report = converter.observer(&mut completing).run();
        let report = report.or_else(Error::into_report).map_err(failed)?;
        if report.is_refused() {
            let lost: Vec<&str> = report.refused_by().iter().map(|kind| kind.code()).collect();
            let games = count(completing.completed, "game");
            say(format_args!(
                "chessdb: {name}: {games} not completed from the better copies: the format cannot store \
                 all of them ({}); merge into a new database",
                lost.join(", ")
            ));
            return Ok(Completion::Negative);
        }
        if !options.quiet && completing.completed > 0 {
            let games = count(completing.completed, "game");
            say(format_args!("{name}: {games} completed from better copies"));
        }
        if let [first, ..] = completing.other_moves[..] {
            let games = count(completing.other_moves.len() as u64, "game");
            say(format_args!(
                "chessdb: {name}: {games} not completed, as moves of the better copies differ (game {first}); \
                 merge into a new database to keep these"
            ));
            return Ok(Completion::Negative);
        }
        Ok(Completion::Success)
    }
}

/// Completes games from their better copies.
struct Completing {
    better: BTreeMap<u32, Game>,
    prefer: PreferArg,
    completed: u64,
    /// The numbers of games with moves that the better copies lack.
    other_moves: Vec<u32>,
}

impl Observer for Completing {
    fn edit(&mut self, game: &mut Game) {
        let Some(copy) = self.better.get(&game.number()) else {
            return;
        };
        let begins = |short: &Game, long: &Game| {
            let mut moves = long.mainline();
            short.mainline().all(|mv| moves.next() == Some(mv))
        };
        // Of two lines that part, one would be lost.
        let (longer, other) = if begins(game, copy) {
            (copy, &*game)
        } else if begins(copy, game) {
            (&*game, copy)
        } else {
            self.other_moves.push(game.number());
            return;
        };
        let mut joined = chessdb::core::Game::clone(longer);
        joined.take_notes(other);
        // The names of the database are those that its owner chose.
        let names = if self.prefer == PreferArg::New { copy } else { &*game };
        for name in ["Event", "Site", "Round", "White", "Black"] {
            if let Some(own) = names.tag(name).filter(|own| !own.starts_with('?')) {
                joined.set_tag(name, &own);
            }
        }
        joined.take_tags(other);
        // The owner's marks and extra data are added, also those that the copy lacks.
        joined.header.flags |= game.header.flags;
        for extra in &game.header.extras {
            if !joined.header.extras.contains(extra) {
                joined.header.extras.push(extra.clone());
            }
        }
        game.replace(joined);
        self.completed += 1;
    }

    fn restart(&mut self) {
        self.completed = 0;
        self.other_moves.clear();
    }
}
