//! Comparison of two databases of any formats, game by game.
//!
//! Both are read side by side. Memory grows with the number of games that are not equal to the game
//! at the same place: by 24 bytes for each.

mod content;
mod keys;
mod reading;
mod report;
mod similar;

use std::collections::HashSet;
use std::ops::ControlFlow;

use chessdb_core::compare::{self, Difference};
use chessdb_core::model::NameRole;
use chessdb_core::{Diagnostic, LossKind, Severity};
use chessdb_database::{Database, Game};
use chessdb_files::error::{Error, Result};

use content::compare_by_content;
use reading::{Databases, ReadResult, compare_in_order};

/// How games of the two databases are paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matching {
    /// The first with the first, and so on.
    Order,
    /// Equal games wherever they are, then similar ones.
    Content,
}

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
    /// The games at the next place are not equal. Each of them comes again in another pair, unless
    /// the other database has an equal game at another place; such games are only counted.
    Undecided,
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
    /// Number of equal pairs that are not in the order of the others: the fewest games that have to
    /// be moved. 0 if games were paired by order.
    pub moved: u64,
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
            moved: 0,
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

    /// Sets how games are paired. By default it is by content; if both databases have the same
    /// number of games, games without a similar one are then paired by order.
    #[must_use]
    pub fn matching(mut self, matching: Matching) -> Diff<'d> {
        self.matching = Some(matching);
        self
    }

    /// Reads both databases to their ends, or until `visit` breaks. By content, games that have no
    /// equal game at the same place are read again.
    ///
    /// # Errors
    ///
    /// Returns an error if a database failed as a whole, or has to be read again and is a stream
    /// that can be read only once, or was replaced in the meantime.
    pub fn run(&self, mut visit: impl FnMut(Pair<'_>) -> ControlFlow<()>) -> Result<Summary> {
        let matching = self.matching.unwrap_or(Matching::Content);
        let databases = Databases::new(self.left, self.right)?;
        let mut comparison = Comparison {
            summary: Summary::new(matching),
            names: self.names(),
            visit: &mut visit,
        };
        let diagnostics = match matching {
            Matching::Order => compare_in_order(&databases, &mut comparison)?,
            Matching::Content => {
                compare_by_content(&databases, self.matching.is_none(), &mut comparison)?
            }
        };
        let Comparison {
            mut summary, names, ..
        } = comparison;
        summary.lost = (lost(diagnostics.0), lost(diagnostics.1));
        let opening = self.left.diagnostics().iter();
        let mut opening = opening.chain(self.right.diagnostics());
        summary.opened_damaged = opening.any(|diagnostic| is_lost(diagnostic.severity));
        summary.base = self.bases(&names.unwrap_or_default());
        Ok(summary)
    }

    /// Returns a set for the names that the left games use, if the comparison depends on them.
    fn names(&self) -> Option<UsedNames> {
        let of_names = [LossKind::NameTable, LossKind::NameDetails];
        let differences = compare::bases(self.left.info(), self.right.info(), &UsedNames::new());
        let matters = differences
            .iter()
            .any(|difference| has_any(difference, &of_names));
        matters.then(UsedNames::new)
    }

    /// Returns the differences between the databases as a whole. In databases of the same format,
    /// data that only the right one has is included.
    fn bases(&self, names: &UsedNames) -> Vec<Difference> {
        let (left, right) = (self.left.info(), self.right.info());
        let mut differences = compare::bases(left, right, names);
        // Between formats, what only the right database has may be data that the left format lacks.
        if self.left.format().id == self.right.format().id {
            let of_names = [LossKind::NameTable, LossKind::NameDetails];
            let mut added = compare::bases(right, left, &UsedNames::new());
            let is_known =
                |what: &str| differences.iter().any(|difference| difference.what == what);
            added.retain(|added| !is_known(&added.what) && !has_any(added, &of_names));
            for added in &mut added {
                std::mem::swap(&mut added.left, &mut added.right);
            }
            differences.append(&mut added);
        }
        differences
    }
}

type UsedNames = HashSet<(NameRole, String)>;

fn has_any(difference: &Difference, kinds: &[LossKind]) -> bool {
    difference.kinds.iter().any(|kind| kinds.contains(kind))
}

fn is_lost(severity: Severity) -> bool {
    severity == Severity::Lost
}

fn lost(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.retain(|diagnostic| is_lost(diagnostic.severity));
    diagnostics
}

/// Receives pairs of games and counts them.
struct Comparison<'v> {
    summary: Summary,
    /// The names that the left games use, if the comparison depends on them.
    names: Option<UsedNames>,
    visit: &'v mut dyn FnMut(Pair<'_>) -> ControlFlow<()>,
}

impl Comparison<'_> {
    /// Processes what was read from the left database; returns the game, if there is one.
    fn see_left<'g>(&mut self, read: ReadResult<'g>) -> ControlFlow<(), Option<&'g Game>> {
        match read {
            ReadResult::End => {}
            ReadResult::Game(game) => {
                self.summary.damaged.0 += u64::from(game.is_damaged());
                if let Some(names) = &mut self.names {
                    compare::add_names(game, names);
                }
                return ControlFlow::Continue(Some(game));
            }
            ReadResult::Failed(error) => {
                self.summary.unread.0 += 1;
                (self.visit)(Pair::UnreadLeft(error))?;
            }
        }
        ControlFlow::Continue(None)
    }

    /// Processes what was read from the right database; returns the game, if there is one.
    fn see_right<'g>(&mut self, read: ReadResult<'g>) -> ControlFlow<(), Option<&'g Game>> {
        match read {
            ReadResult::End => {}
            ReadResult::Game(game) => {
                self.summary.damaged.1 += u64::from(game.is_damaged());
                return ControlFlow::Continue(Some(game));
            }
            ReadResult::Failed(error) => {
                self.summary.unread.1 += 1;
                (self.visit)(Pair::UnreadRight(error))?;
            }
        }
        ControlFlow::Continue(None)
    }

    /// Reports a pair of games.
    fn pair(&mut self, left: &Game, right: &Game, is_moved: bool) -> ControlFlow<()> {
        let differences = compare::games(left, right);
        if !differences.iter().any(counts) {
            return self.visit_equal(left, right, !differences.is_empty(), is_moved);
        }
        self.summary.changed += 1;
        let differences: Vec<_> = differences.into_iter().filter(counts).collect();
        (self.visit)(Pair::Changed(left, right, &differences))
    }

    /// Reports a pair of games if they are equal; otherwise returns `None`.
    fn visit_if_equal(&mut self, left: &Game, right: &Game) -> Option<ControlFlow<()>> {
        let differences = compare::games(left, right);
        let is_equal = !differences.iter().any(counts);
        is_equal.then(|| self.visit_equal(left, right, !differences.is_empty(), false))
    }

    /// Reports a pair of equal games, with whether their spelling differs.
    fn visit_equal(
        &mut self,
        left: &Game,
        right: &Game,
        is_spelled: bool,
        is_moved: bool,
    ) -> ControlFlow<()> {
        self.summary.equal += 1;
        self.summary.spelled += u64::from(is_spelled);
        self.summary.moved += u64::from(is_moved);
        (self.visit)(Pair::Equal(left, right))
    }

    fn only_left(&mut self, game: &Game) -> ControlFlow<()> {
        self.summary.only_left += 1;
        (self.visit)(Pair::OnlyLeft(game))
    }

    fn only_right(&mut self, game: &Game) -> ControlFlow<()> {
        self.summary.only_right += 1;
        (self.visit)(Pair::OnlyRight(game))
    }
}

/// Returns whether a difference is more than a different spelling.
fn counts(difference: &Difference) -> bool {
    difference.excuse.is_none()
}
