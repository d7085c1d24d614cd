//! Reading of a book as a game with variations.

use chessdb_core::error::Location;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::limits::OverLimit;
use chessdb_core::line::Lines;
use chessdb_core::model::Builder;
use chessdb_core::report::GameReport;
use chessdb_core::store::Opened;
use chessdb_core::{
    BaseInfo, ErrorKind, FileSet, Game, GameStore, PackedMove, ReadOptions, Result, Scratch,
    Severity,
};

use super::raw::{Book, Entry};
use super::tree::{Imbalance, Tree, resolve};
use crate::roles::FBK_FILE;

/// The NAG of moves that should not be played.
pub(super) const WEAK: u16 = 6;

/// An open book.
#[derive(Debug)]
pub struct Store {
    tree: Tree,
    pub(super) opened: Opened,
    options: ReadOptions,
}

impl Store {
    /// Opens the book. Moves beyond the limit for one game are not read.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is missing or, in strict mode, if its lines do not form a tree.
    pub fn open(files: &dyn FileSet, options: ReadOptions) -> Result<Store> {
        let bytes = files.require(FBK_FILE)?;
        let (entries, tail) = Book::split(bytes);
        let mut scratch = Scratch::new();
        let mut report = |severity, kind, byte: usize| {
            scratch.deviation(
                &options,
                severity,
                kind,
                Location::byte(FBK_FILE, byte as u64),
            )
        };
        if !tail.is_empty() {
            let kind = ErrorKind::Structure("an incomplete move at the end");
            report(Severity::Lost, kind, bytes.len() - tail.len())?;
        }
        let limit = options.limits.plies;
        let taken = match entries.get(..limit as usize) {
            Some(taken) if taken.len() < entries.len() => {
                let kind = ErrorKind::over_limit("plies in a game", limit.into());
                report(Severity::Lost, kind, 2 * taken.len())?;
                taken
            }
            _ => entries,
        };
        let cut = taken.len() < entries.len();
        let mut unused = 0;
        let parsed = taken.iter().map(Entry::parse).inspect(|entry| {
            unused += u64::from(entry.unused);
        });
        let tree = Tree::parse(parsed, &mut |imbalance| {
            let (what, byte) = match imbalance {
                // Moves beyond the limit were not read, so these faults are expected.
                Imbalance::Missing(_) | Imbalance::Open if cut => return Ok(()),
                Imbalance::NoAlternative { entry } => {
                    ("a move after the end of the last line", 2 * entry)
                }
                Imbalance::Missing(_) => ("announced alternatives that are missing", bytes.len()),
                Imbalance::Open => ("the end of the last line is missing", bytes.len()),
            };
            report(Severity::Repaired, ErrorKind::Structure(what), byte)
        })?;
        if unused > 0 {
            let kind = ErrorKind::bad_field("the number of moves with the unused bit set", unused);
            report(Severity::Note, kind, 1)?;
        }
        let diagnostics = scratch.diagnostics;
        Ok(Store {
            tree,
            opened: Opened::new(BaseInfo::default(), diagnostics),
            options,
        })
    }
}

impl GameStore for Store {
    fn len(&self) -> u32 {
        u32::from(self.tree.root.is_some())
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, _: &mut Scratch) -> Result<()> {
        game.clear();
        if n >= self.len() {
            return Err(ErrorKind::no_such_game(n, self.len()).into());
        }
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.header_into(n, game, scratch)?;
        let lines = Lines::new(PlainNumbering, game)?;
        let mut report = GameReport::new(&self.options, scratch, Some(1));
        let emission = TreeEmitter {
            tree: &self.tree,
            lines,
            tape: game.moves.builder(&self.options.limits),
            report: &mut report,
            steps: Vec::new(),
        };
        emission.run()
    }
}

/// A pending step of the traversal.
enum EmitStep {
    /// The moves from this position: the first possible one continues the line, the others become
    /// variations.
    Position(u32),
    Alternative(PackedMove, u32),
    Close,
}

/// Writes the tree to the tape, which needs the alternatives of a move directly after it.
struct TreeEmitter<'a, 'r, 'o> {
    tree: &'a Tree,
    lines: Lines<PlainNumbering>,
    tape: Builder<'a>,
    report: &'r mut GameReport<'o>,
    steps: Vec<EmitStep>,
}

impl TreeEmitter<'_, '_, '_> {
    fn run(mut self) -> Result<()> {
        self.steps.extend(self.tree.root.map(EmitStep::Position));
        while let Some(step) = self.steps.pop() {
            match step {
                EmitStep::Position(first) => {
                    if let Err(over) = self.position(first)? {
                        self.over_limit(over)?;
                        break;
                    }
                }
                EmitStep::Alternative(mv, node) => {
                    if let Err(over) = self.tape.open() {
                        // Too deep: this alternative is left out, the others are kept.
                        self.over_limit(over)?;
                        continue;
                    }
                    self.lines.open();
                    self.steps.push(EmitStep::Close);
                    if let Err(over) = self.play(mv, node) {
                        self.over_limit(over)?;
                        break;
                    }
                }
                EmitStep::Close => {
                    self.tape.close();
                    self.lines.close();
                }
            }
        }
        self.tape.finish();
        Ok(())
    }

    /// Plays the first possible move and schedules the others as alternatives.
    fn position(&mut self, first: u32) -> Result<std::result::Result<(), OverLimit>> {
        let mut main = None;
        let mut others = Vec::new();
        let mut next = Some(first);
        while let Some(number) = next {
            let Some(&node) = self.tree.node(number) else {
                break;
            };
            next = node.next;
            match resolve(self.lines.board(), node.from, node.to) {
                Some(mv) if main.is_none() => main = Some((mv, number)),
                Some(mv) => others.push(EmitStep::Alternative(mv, number)),
                None => {
                    let squares = format!("{}{}", node.from, node.to).into();
                    let kind = ErrorKind::BadMove {
                        found: squares,
                        why: "not possible in this position",
                    };
                    let location = Location::file(FBK_FILE);
                    self.report.lost(kind, location.at_ply(self.lines.ply()))?;
                }
            }
        }
        let Some((mv, number)) = main else {
            return Ok(Ok(()));
        };
        if let Err(over) = self.play(mv, number) {
            return Ok(Err(over));
        }
        // Steps are popped from the end: the alternatives come first, in their order, then the
        // continuation that `play` pushed.
        self.steps.extend(others.into_iter().rev());
        Ok(Ok(()))
    }

    fn play(&mut self, mv: PackedMove, number: u32) -> std::result::Result<(), OverLimit> {
        self.tape.mv(mv)?;
        self.lines.play(mv);
        if let Some(node) = self.tree.node(number) {
            if node.weak {
                self.tape.nag(WEAK)?;
            }
            self.steps.extend(node.child.map(EmitStep::Position));
        }
        Ok(())
    }

    fn over_limit(&mut self, over: OverLimit) -> Result<()> {
        let kind = over.into_kind(&self.report.options.limits);
        let location = Location::file(FBK_FILE);
        self.report.lost(kind, location.at_ply(self.lines.ply()))
    }
}
