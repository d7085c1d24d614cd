//! Comparison of two databases of any formats, game by game.
//!
//! Both are read side by side, so the memory used does not grow with the number of games.

mod window;

use std::collections::HashSet;
use std::ops::ControlFlow;

use chessdb_core::compare::{self, Difference};
use chessdb_core::model::NameRole;
use chessdb_core::{Diagnostic, LossKind, Severity};
use chessdb_database::{Database, Game};
use chessdb_files::error::{Error, Result};

use window::Window;

/// How games of the two databases are paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matching {
    /// The first with the first, and so on.
    Order,
    /// Similar games, which must be within [`WINDOW`] games of each other.
    Content,
}

/// The maximum distance, in games, at which similar games are paired.
pub const WINDOW: u64 = 1024;

/// A game of one database, or a pair of games.
#[derive(Debug)]
pub enum Pair<'g> {
    /// Two games that are equal.
    Equal(&'g Game, &'g Game),
    /// Two games that differ.
    Changed(&'g Game, &'g Game, &'g [Difference]),
    /// A game that the right database does not have.
    OnlyLeft(&'g Game),
    /// A game that the left database does not have.
    OnlyRight(&'g Game),
    /// A game of the left database that cannot be read.
    UnreadLeft(Error),
    /// A game of the right database that cannot be read.
    UnreadRight(Error),
}

/// The result of a comparison.
#[derive(Debug)]
#[non_exhaustive]
pub struct Summary {
    /// How games were paired.
    pub matching: Matching,
    /// Number of equal pairs.
    pub equal: u64,
    /// Number of equal pairs with different spelling ([`compare::excuse`]).
    pub spelled: u64,
    /// Number of pairs that differ.
    pub changed: u64,
    /// Number of games only in the left database.
    pub only_left: u64,
    /// Number of games only in the right database.
    pub only_right: u64,
    /// Numbers of games that could not be read, left and right.
    pub unread: (u64, u64),
    /// Numbers of games with missing parts because their database is damaged, left and right.
    pub damaged: (u64, u64),
    /// Differences between the databases as a whole.
    pub base: Vec<Difference>,
    /// Losses of the databases as a whole that were found during reading, left and right. Losses
    /// found on opening are in [`Database::diagnostics`].
    pub lost: (Vec<Diagnostic>, Vec<Diagnostic>),
    /// Whether anything was lost on opening.
    opened_damaged: bool,
}

impl Summary {
    fn new(matching: Matching) -> Summary {
        Summary {
            matching,
            equal: 0,
            spelled: 0,
            changed: 0,
            only_left: 0,
            only_right: 0,
            unread: (0, 0),
            damaged: (0, 0),
            base: Vec::new(),
            lost: (Vec::new(), Vec::new()),
            opened_damaged: false,
        }
    }

    /// Returns whether everything that could be read is equal.
    pub fn is_equal(&self) -> bool {
        self.changed + self.only_left + self.only_right == 0 && self.base.is_empty()
    }

    /// Returns whether something could not be read, so that its equality is unknown.
    pub fn is_incomplete(&self) -> bool {
        let (left, right) = &self.lost;
        self.unread != (0, 0)
            || self.damaged != (0, 0)
            || !left.is_empty()
            || !right.is_empty()
            || self.opened_damaged
    }
}

/// A comparison of two databases: headers, moves, variations, comments, NAGs, clocks.
///
/// It reports as a difference exactly what a conversion of the left database into the right one
/// would report as a loss; [`Difference::kinds`] lists the kinds. Different spellings of the same
/// value are not differences. Format-specific data counts if the left database has it and the right
/// one does not.
///
/// ```
/// use chessdb::Database;
/// use chessdb::diff::Diff;
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let a = Database::options().open_files([("a.pgn", &b"1. e4 e5 *"[..])])?;
/// let b = Database::options().open_files([("b.pgn", &b"1. e4 {!} e5 *"[..])])?;
/// let summary = Diff::new(&a, &b).run(|_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!((summary.changed, summary.is_equal()), (1, false));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Diff<'d> {
    left: &'d Database,
    right: &'d Database,
    matching: Option<Matching>,
}

impl<'d> Diff<'d> {
    /// Creates a comparison of these databases.
    pub fn new(left: &'d Database, right: &'d Database) -> Diff<'d> {
        Diff {
            left,
            right,
            matching: None,
        }
    }

    /// Sets how games are paired. By default it is by order if both databases are known to have the
    /// same number of games. If one is read as a stream, games are paired by content; if both files
    /// have the same number of games, games without a similar one are paired by order.
    #[must_use]
    pub fn matching(mut self, matching: Matching) -> Diff<'d> {
        self.matching = Some(matching);
        self
    }

    /// Reads both databases to their ends, or until `visit` breaks.
    ///
    /// # Errors
    ///
    /// Returns an error if a database failed as a whole.
    pub fn run(&self, mut visit: impl FnMut(Pair<'_>) -> ControlFlow<()>) -> Result<Summary> {
        let (left, right) = (self.left, self.right);
        let same_count = || matches!((left.len(), right.len()), (Ok(a), Ok(b)) if a == b);
        let matching = self.matching.unwrap_or_else(|| match same_count() {
            true => Matching::Order,
            false => Matching::Content,
        });
        // Read the left database as a conversion into the right one would.
        let store = left.opened_for(right.format())?;
        let games = left.games_for(right.format(), store.as_ref())?;
        let readers = (left.scan().reader_of(Ok(games)), right.reader());
        let mut comparison = Comparison {
            summary: Summary::new(matching),
            names: self.names(),
            visit: &mut visit,
            counted: self.matching.is_some().then_some(false),
            count: &|| {
                // The cheaper side first; if one is a pipe, the other need not be counted.
                let (first, second) = match left.is_stream() {
                    true => (right, left),
                    false => (left, right),
                };
                let count = first.count();
                count.is_some() && count == second.count()
            },
        };
        let mut window = Window::new(readers.0, readers.1);
        // A break is the visitor's decision.
        let _ = match matching {
            Matching::Order => window.by_order(&mut comparison)?,
            Matching::Content => window.by_content(&mut comparison)?,
        };
        let found = window.take_diagnostics();
        let Comparison {
            mut summary, names, ..
        } = comparison;
        summary.lost = (lost(found.0), lost(found.1));
        let opening = left.diagnostics().iter().chain(right.diagnostics());
        summary.opened_damaged = opening.map(|found| found.severity).any(is_lost);
        summary.base = self.bases(&names.unwrap_or_default());
        Ok(summary)
    }

    /// Returns a set for the names that the left games use, if the comparison depends on them.
    fn names(&self) -> Option<UsedNames> {
        let of_names = [LossKind::NameTable, LossKind::NameDetails];
        let found = compare::bases(self.left.info(), self.right.info(), &UsedNames::new());
        let matters = found.iter().any(|found| has_any(found, &of_names));
        matters.then(UsedNames::new)
    }

    /// Returns the differences between the databases as a whole. In databases of the same format,
    /// data that only the right one has is included.
    fn bases(&self, names: &UsedNames) -> Vec<Difference> {
        let (left, right) = (self.left.info(), self.right.info());
        let mut found = compare::bases(left, right, names);
        if self.left.format().id == self.right.format().id {
            let of_names = [LossKind::NameTable, LossKind::NameDetails];
            let mut added = compare::bases(right, left, &UsedNames::new());
            let is_known = |what: &str| found.iter().any(|found| found.what == what);
            added.retain(|added| !is_known(&added.what) && !has_any(added, &of_names));
            for added in &mut added {
                std::mem::swap(&mut added.left, &mut added.right);
            }
            found.append(&mut added);
        }
        found
    }
}

type UsedNames = HashSet<(NameRole, String)>;

fn has_any(difference: &Difference, kinds: &[LossKind]) -> bool {
    difference.kinds.iter().any(|kind| kinds.contains(kind))
}

fn is_lost(severity: Severity) -> bool {
    severity == Severity::Lost
}

fn lost(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.retain(|found| is_lost(found.severity));
    found
}

/// Receives pairs of games and counts them.
struct Comparison<'v> {
    summary: Summary,
    /// The names that the left games use, if the comparison depends on them.
    names: Option<UsedNames>,
    visit: &'v mut dyn FnMut(Pair<'_>) -> ControlFlow<()>,
    /// Whether both databases have the same number of games; `None` until this was determined.
    counted: Option<bool>,
    count: &'v dyn Fn() -> bool,
}

impl Comparison<'_> {
    /// Returns whether games without a similar one are paired by order.
    fn pairs_by_order(&mut self) -> bool {
        let count = self.count;
        *self.counted.get_or_insert_with(count)
    }

    /// Processes a game that was read from the left database.
    fn saw_left(&mut self, game: &Game) {
        self.summary.damaged.0 += u64::from(game.is_damaged());
        if let Some(names) = &mut self.names {
            compare::add_names(game, names);
        }
    }

    /// Processes a game that was read from the right database.
    fn saw_right(&mut self, game: &Game) {
        self.summary.damaged.1 += u64::from(game.is_damaged());
    }

    /// Reports a pair of games.
    fn pair(&mut self, left: &Game, right: &Game) -> ControlFlow<()> {
        let found = compare::games(left, right);
        match self.equal(left, right, &found) {
            Some(flow) => flow,
            None => {
                self.summary.changed += 1;
                let found: Vec<_> = found.into_iter().filter(counts).collect();
                (self.visit)(Pair::Changed(left, right, &found))
            }
        }
    }

    /// Reports a pair of games if they are equal; otherwise returns `None`.
    fn pair_if_equal(&mut self, left: &Game, right: &Game) -> Option<ControlFlow<()>> {
        self.equal(left, right, &compare::games(left, right))
    }

    fn equal(
        &mut self,
        left: &Game,
        right: &Game,
        found: &[Difference],
    ) -> Option<ControlFlow<()>> {
        if found.iter().any(counts) {
            return None;
        }
        self.summary.equal += 1;
        self.summary.spelled += u64::from(!found.is_empty());
        Some((self.visit)(Pair::Equal(left, right)))
    }

    fn only_left(&mut self, game: &Game) -> ControlFlow<()> {
        self.summary.only_left += 1;
        (self.visit)(Pair::OnlyLeft(game))
    }

    fn only_right(&mut self, game: &Game) -> ControlFlow<()> {
        self.summary.only_right += 1;
        (self.visit)(Pair::OnlyRight(game))
    }

    fn unread_left(&mut self, error: Error) -> ControlFlow<()> {
        self.summary.unread.0 += 1;
        (self.visit)(Pair::UnreadLeft(error))
    }

    fn unread_right(&mut self, error: Error) -> ControlFlow<()> {
        self.summary.unread.1 += 1;
        (self.visit)(Pair::UnreadRight(error))
    }
}

/// Returns whether a difference is more than a different spelling.
fn counts(difference: &Difference) -> bool {
    difference.excuse.is_none()
}
