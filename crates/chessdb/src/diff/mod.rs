//! What differs between two bases of any formats, game by game.
//!
//! Both are read side by side, so that the memory taken does not grow with the number of games.

mod window;

use std::collections::HashSet;
use std::ops::ControlFlow;

use chessdb_core::compare::{self, Difference};
use chessdb_core::{Diagnostic, LossKind, NameRole, Severity};

use crate::error::{Error, Result};
use crate::{Database, Game};
use window::Window;

/// Which game of the one base is compared with which of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matching {
    /// The first with the first, and so on.
    Order,
    /// Those that are alike. Games are looked for within [`WINDOW`] games of one another.
    Content,
}

/// How far apart, in games, two that are alike may stand to be found.
pub const WINDOW: u64 = 1024;

/// A game of one base or one of each.
#[derive(Debug)]
pub enum Pair<'g> {
    /// Two games that are equal.
    Equal(&'g Game, &'g Game),
    /// Two games that differ.
    Changed(&'g Game, &'g Game, &'g [Difference]),
    /// A game that the right base does not have.
    OnlyLeft(&'g Game),
    /// A game that the left base does not have.
    OnlyRight(&'g Game),
    /// A game of the left base that cannot be read.
    UnreadLeft(Error),
    /// A game of the right base that cannot be read.
    UnreadRight(Error),
}

/// How many of what there was.
#[derive(Debug)]
#[non_exhaustive]
pub struct Summary {
    /// How games were matched.
    pub matching: Matching,
    /// Pairs that are equal.
    pub equal: u64,
    /// How many of these are spelled differently ([`compare::excuse`]).
    pub spelled: u64,
    /// Pairs that differ.
    pub changed: u64,
    /// Games of the left base alone.
    pub only_left: u64,
    /// Games of the right base alone.
    pub only_right: u64,
    /// Games that could not be read, left and right.
    pub unread: (u64, u64),
    /// Games of which something is missing because their base is damaged, left and right.
    pub damaged: (u64, u64),
    /// What the bases say of themselves differently.
    pub base: Vec<Difference>,
    /// What is lost with the bases as a whole and was found while they were read, left and right; the
    /// rest is in [`Database::diagnostics`].
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

    /// Whether all that could be read is equal.
    pub fn is_equal(&self) -> bool {
        self.changed + self.only_left + self.only_right == 0 && self.base.is_empty()
    }

    /// Whether something could not be read, so that nobody knows if it is equal.
    pub fn is_incomplete(&self) -> bool {
        let (left, right) = &self.lost;
        self.unread != (0, 0)
            || self.damaged != (0, 0)
            || !left.is_empty()
            || !right.is_empty()
            || self.opened_damaged
    }
}

/// A comparison of two bases: heads, moves, variations, comments, NAGs, clocks.
///
/// It sees as a difference what a conversion of the one into the other would have to announce as a
/// loss, no more and no less: [`Difference::kinds`] says as what. Other spellings are none. What only
/// one format understands counts where the left base has it and the right one has not.
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
    /// Of these bases.
    pub fn new(left: &'d Database, right: &'d Database) -> Diff<'d> {
        Diff {
            left,
            right,
            matching: None,
        }
    }

    /// How games are matched; otherwise by order if both databases are known to have as many games. If one is
    /// read as a stream they are matched by content, and of two files with as many games those are compared in their
    /// order that are like no other.
    #[must_use]
    pub fn matching(mut self, matching: Matching) -> Diff<'d> {
        self.matching = Some(matching);
        self
    }

    /// Reads both bases to their ends, or until `visit` breaks.
    ///
    /// # Errors
    ///
    /// A base failed as a whole.
    pub fn run(&self, mut visit: impl FnMut(Pair<'_>) -> ControlFlow<()>) -> Result<Summary> {
        let (left, right) = (self.left, self.right);
        let same_count = || matches!((left.len(), right.len()), (Ok(a), Ok(b)) if a == b);
        let matching = self.matching.unwrap_or_else(|| match same_count() {
            true => Matching::Order,
            false => Matching::Content,
        });
        // As a conversion of the left one into the right one would read it.
        let store = left.opened_for(right.format())?;
        let games = left.source_for(right.format(), store.as_ref())?.games;
        let readers = (left.scan().reader_of(Ok(games)), right.reader());
        let mut work = Comparison {
            summary: Summary::new(matching),
            names: self.names(),
            visit: &mut visit,
            counted: self.matching.is_some().then_some(false),
            count: &|| {
                // The side without cost first: one pipe is enough to give up.
                let (first, second) = match left.is_stream() {
                    true => (right, left),
                    false => (left, right),
                };
                let count = first.count();
                count.is_some() && count == second.count()
            },
        };
        let mut window = Window::new(readers.0, readers.1);
        // Whether to stop was the visitor's choice.
        let _ = match matching {
            Matching::Order => window.by_order(&mut work)?,
            Matching::Content => window.by_content(&mut work)?,
        };
        let found = window.take_diagnostics();
        let Comparison {
            mut summary, names, ..
        } = work;
        summary.lost = (lost(found.0), lost(found.1));
        let opening = left.diagnostics().iter().chain(right.diagnostics());
        summary.opened_damaged = opening.map(|found| found.severity).any(is_lost);
        summary.base = self.bases(&names.unwrap_or_default());
        Ok(summary)
    }

    /// Where the names that games use are to be collected: if it matters which ones they are.
    fn names(&self) -> Option<Names> {
        let of_names = [LossKind::NameTable, LossKind::NameDetails];
        let found = compare::bases(self.left.info(), self.right.info(), &Names::new());
        let matters = found.iter().any(|found| has_any(found, &of_names));
        matters.then(Names::new)
    }

    /// What the bases say differently, and in bases of one format what only the right one says.
    fn bases(&self, names: &Names) -> Vec<Difference> {
        let (left, right) = (self.left.info(), self.right.info());
        let mut found = compare::bases(left, right, names);
        if self.left.format().id == self.right.format().id {
            let of_names = [LossKind::NameTable, LossKind::NameDetails];
            let mut added = compare::bases(right, left, &Names::new());
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

type Names = HashSet<(NameRole, String)>;

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

/// Takes games as they are matched, and counts.
struct Comparison<'v> {
    summary: Summary,
    /// The names that the left games use, where they matter.
    names: Option<Names>,
    visit: &'v mut dyn FnMut(Pair<'_>) -> ControlFlow<()>,
    /// Whether both databases have as many games, once that was asked.
    counted: Option<bool>,
    count: &'v dyn Fn() -> bool,
}

impl Comparison<'_> {
    /// Whether games that are like no other are compared in their order.
    fn pairs_by_order(&mut self) -> bool {
        let count = self.count;
        *self.counted.get_or_insert_with(count)
    }

    /// A game was read of the left base.
    fn saw_left(&mut self, game: &Game) {
        self.summary.damaged.0 += u64::from(game.is_damaged());
        if let Some(names) = &mut self.names {
            compare::add_names(game, names);
        }
    }

    /// A game was read of the right base.
    fn saw_right(&mut self, game: &Game) {
        self.summary.damaged.1 += u64::from(game.is_damaged());
    }

    /// Two games belong together.
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

    /// The same if they are equal; nothing otherwise.
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

/// Whether a difference is more than another spelling.
fn counts(difference: &Difference) -> bool {
    difference.excuse.is_none()
}
