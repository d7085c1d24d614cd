//! Comparison of `chessdb diff` with loss reports: the differences between two databases must be
//! those that the conversions between them announced.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::core::{FileSet, MemorySet, ReadOptions, compare};
use chessdb::diff::{Diff, Pair, Summary};
use chessdb::formats::reading_for;
use chessdb::{Database, Format, LossKind, Losses};
use chessdb_proof::hop::{Converted, hop};
use chessdb_proof::matrix::{own_bases, sources, targets};
use chessdb_testkit::judge::{Excused, judge};

/// Converts every database of the fixtures into every format and back.
#[test]
fn diff_agrees_with_the_loss_report_on_every_chain() {
    let mut chains = Chains::default();
    for source in sources() {
        for path in own_bases(source) {
            let Ok(base) = chessdb::fs::find(&path).and_then(chessdb::fs::FoundDatabase::read)
            else {
                continue;
            };
            let set: MemorySet = base
                .iter()
                .map(|(role, ..)| (role, base.get(role).unwrap_or_default().to_vec()))
                .collect();
            for target in targets() {
                chains.try_one(&path, source, &set, target);
            }
        }
    }
    chains
        .problems
        .retain(|problem| !KNOWN.iter().any(|expected| problem.contains(expected)));
    println!("{} chains; came back: {:?}", chains.count, chains.came_back);
    assert!(chains.count > 300, "{} chains", chains.count);
    let expected: BTreeSet<&str> = COMES_BACK.into();
    let unknown: Vec<_> = chains.came_back.difference(&expected).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(chains.problems.is_empty(), "{}", chains.problems.join("\n"));
}

/// Known exceptions.
///
/// DC* keeps the line breaks of comments, so a command that PGN splits with a line break becomes
/// text there. If the number of games changes too, games are matched by their contents; then a game
/// without moves, with a player's name that lost its letters, does not match.
const KNOWN: [&str; 8] = [
    "commands.dci to pgn and back: game 2: not announced: comment: 0 / 1, such as \"[%eval\\n",
    "commands.dci to pgn and back: game 3: not announced: comment: 3, such as \"Center counter.",
    "chessbase.pgn to ca: game 2 is ",
    "chessbase.pgn to ca and back: game 2 is ",
    "chessbase.cbh to ca: game 2 is ",
    "chessbase.cbh to ca and back: game 2 is ",
    "lichess.ndjson to ca: game ",
    "lichess.ndjson to ca and back: game ",
];

/// Kinds of loss that the conversion back may undo.
const COMES_BACK: [&str; 6] = [
    // The comment is moved in one conversion and moved back in the other.
    "comment-moved",
    // PGN inserts line breaks where it needs them.
    "comment-layout",
    "comment-text",
    // PGN writes `?` for unknown values of its seven required tags.
    "empty-tag",
    // CBH has two places for a text without a move to attach it to; other formats have one.
    "game-extra",
    // A tag that the format derives from other fields, such as SetUp.
    "tag",
];

#[derive(Default)]
struct Chains {
    count: u32,
    problems: Vec<String>,
    came_back: BTreeSet<&'static str>,
}

impl Chains {
    fn try_one(
        &mut self,
        path: &Path,
        source: &'static Format,
        set: &MemorySet,
        target: &'static Format,
    ) {
        let place = format!("{} to {}", path.display(), target.id);
        let Some(first) = converted(source, set, target) else {
            return;
        };
        self.count += 1;
        self.agree(&place, (source, set), (target, &first.files), &first, true);
        if source.create.is_none() {
            return;
        }
        let Some(back) = converted(target, &first.files, source) else {
            return;
        };
        self.count += 1;
        let place = format!("{place} and back");
        let both = sum(first, back);
        self.agree(&place, (source, set), (source, &both.files), &both, false);
    }

    /// Checks that all differences were announced and, with `exact`, that everything announced
    /// differs.
    fn agree(
        &mut self,
        place: &str,
        (a, source_files): (&'static Format, &MemorySet),
        (b, target_files): (&'static Format, &MemorySet),
        way: &Converted,
        exact: bool,
    ) {
        let open = |format: &Format, set: &MemorySet| {
            // As the converter does: the language of random texts cannot be detected.
            let mut options = Database::options().format(format.id);
            if let Some(page) = format.default_charset {
                options = options.encoding(page);
            }
            options.open_set(set.clone()).unwrap()
        };
        let (before, after) = (open(a, source_files), open(b, target_files));
        let mut problems = Vec::new();
        let summary = Diff::new(&before, &after).run(|pair| {
            self.pair(pair, way, exact, &mut problems);
            ControlFlow::Continue(())
        });
        let summary: Summary = summary.unwrap();
        let mut excused = Excused::new();
        for problem in judge(&summary.base, &way.of_base, &mut excused) {
            if exact || problem.to_string().starts_with("not announced") {
                problems.push(format!("base: {problem}"));
            }
        }
        let shown = problems.iter().take(5);
        self.problems
            .extend(shown.map(|problem| format!("{place}: {problem}")));
    }

    fn pair(&mut self, pair: Pair<'_>, way: &Converted, exact: bool, problems: &mut Vec<String>) {
        let announced = |index: u32| &way.announced[index as usize];
        match pair {
            Pair::Equal(a, b) | Pair::Changed(a, b, _) => {
                let announced = announced(a.index());
                let seen = compare::games(a, b);
                let is_equal = matches!(pair, Pair::Equal(..));
                for problem in judge(&seen, announced, &mut Excused::new()) {
                    let silent = problem.to_string().starts_with("not announced");
                    if exact || silent && !is_equal {
                        problems.push(format!("game {}: {problem}", a.number()));
                    }
                }
                if is_equal {
                    let kinds = announced.iter().map(|loss| loss.kind);
                    let back = kinds.filter(|kind| !seen.iter().any(|s| s.kinds.contains(kind)));
                    self.came_back.extend(back.map(LossKind::code));
                }
            }
            Pair::OnlyLeft(a) if announced(a.index()).count(LossKind::Game) > 0 => {}
            Pair::OnlyLeft(a) => problems.push(format!("game {} is gone", a.number())),
            Pair::OnlyRight(b) => problems.push(format!("game {} is new", b.number())),
            // Unreadable games are reported by the converter itself.
            Pair::UnreadLeft(_) | Pair::UnreadRight(_) | Pair::Undecided => {}
        }
    }
}

/// Converts a database; `None` if the target joins games, which can then not be compared one by
/// one.
fn converted(
    source: &'static Format,
    set: &MemorySet,
    target: &'static Format,
) -> Option<Converted> {
    let options = reading_for(target, ReadOptions::default());
    let store = (source.open)(set, options).ok()?;
    let converted = hop("", &*store, Some(source), target);
    (!converted.joined).then_some(converted)
}

/// Merges the losses of both conversions, game by game of the first.
fn sum(first: Converted, back: Converted) -> Converted {
    let mut announced = first.announced;
    let left_out = |losses: &Losses| losses.count(LossKind::Game) > 0;
    let retained = announced.iter_mut().filter(|losses| !left_out(losses));
    for (losses, more) in retained.zip(&back.announced) {
        losses.merge(more);
    }
    let mut of_base = first.of_base;
    of_base.merge(&back.of_base);
    Converted {
        announced,
        of_base,
        ..back
    }
}
