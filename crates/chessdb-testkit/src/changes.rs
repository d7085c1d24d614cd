//! Changes of games in place ([`chessdb_core::Format::change`]), as the editor makes them.

use chessdb_core::compare::first_difference;
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::{
    Charset, Format, Game, MemorySet, ReadOptions, Scratch, Severity, WriteOptions,
};

use crate::identity::{open, open_all, rewrite_with};
use crate::rng::Rng;

/// Changes game `n` (from 0) in place. `None` if the database must be rewritten.
///
/// # Panics
///
/// Panics if the format cannot change games, or if the change fails.
pub fn change(
    format: &Format,
    set: &MemorySet,
    n: u32,
    edit: impl FnOnce(&mut Game),
) -> Option<MemorySet> {
    let mut old = Game::new();
    let read = open(format, set).game_into(n, &mut old, &mut Scratch::new());
    read.expect("a game that can be read");
    let mut new = old.clone();
    edit(&mut new);
    let usual = format.default_charset.unwrap_or(Charset::WINDOWS_1252);
    let reading = ReadOptions::default();
    let mut options = WriteOptions::default();
    options.detector = Some(match format.pages {
        [] => reading.detector(usual),
        _ => reading.uniform_detector(usual),
    });
    // A set remembers which of its files are open for writing.
    let mut changed = copy(set);
    let open = format.change.expect("a format with changes in place");
    let mut changer = open(&mut changed, options).expect("opens")?;
    let mut marked = old.clone();
    marked.header.flags = new.header.flags;
    let losses = if marked == new {
        changer.set_flags(n, old.header.flags, new.header.flags)
    } else {
        changer.replace(n, &old, &new)
    };
    assert!(losses.expect("a change without losses")?.is_empty());
    changer.finish().expect("a complete change");
    Some(copy(&changed))
}

/// Changes the event of the first game and appends this one, in one step and in place.
///
/// # Panics
///
/// Panics if the format or the state of the files does not allow that.
pub fn change_and_append(format: &Format, set: &MemorySet, added: &Game) -> MemorySet {
    let old = open_all(format, set).remove(0);
    let mut new = old.clone();
    new.set_tag("Event", "Changed");
    let mut changed = copy(set);
    let open = format.change.expect("a format with changes in place");
    let options = WriteOptions::default();
    let mut changer = open(&mut changed, options)
        .expect("opens")
        .expect("in place");
    for losses in [changer.replace(0, &old, &new), changer.append(added)] {
        assert!(losses.expect("no loss").expect("in place").is_empty());
    }
    changer.finish().expect("a complete change");
    copy(&changed)
}

fn copy(set: &MemorySet) -> MemorySet {
    let files = set.iter().map(|(role, bytes)| (role, bytes.to_vec()));
    files.collect()
}

/// Makes random changes to a database, one after the other, and compares each result with a
/// database that was written again with the same change. Other games must not change, and a check
/// must not report more than before. Returns the database and the number of changes in place.
///
/// # Panics
///
/// Panics if a change has another result.
pub fn random_changes(
    format: &Format,
    set: &MemorySet,
    rounds: usize,
    seed: u64,
    what: &str,
) -> (MemorySet, usize) {
    let mut rng = Rng::new(seed);
    let mut set = copy(set);
    let mut changes = 0;
    for round in 0..rounds {
        let games = open_all(format, &set);
        if games.is_empty() {
            break;
        }
        let n = rng.below(games.len());
        let other = &games[rng.below(games.len())];
        let name = other.text(other.header.white.name.text).decode();
        let kind = rng.below(5);
        let edit = |game: &mut Game| match kind {
            0 => game.header.flags ^= GameFlags::DELETED,
            1 => game.set_tag("White", &name),
            2 => game.set_tag("Event", &format!("Event {round}")),
            3 => game.header.outcome = other.header.outcome,
            _ => {
                let flags = game.header.flags;
                game.clone_from(other);
                game.header.flags = flags;
            }
        };
        let rewritten = rewrite_with(format, &set, &Allow::Nothing, |number, game| {
            if number as usize == n {
                edit(game);
            }
        });
        // What the format cannot store is no change in place either.
        let Ok(rewritten) = rewritten else {
            continue;
        };
        if is_damaged(format, &set, n as u32) {
            continue;
        }
        let Some(next) = change(format, &set, n as u32, edit) else {
            continue;
        };
        changes += 1;
        let what = format!("{what}: round {round}, change {kind} of game {}", n + 1);
        let (read, expected) = (open_all(format, &next), open_all(format, &rewritten.set));
        assert_eq!(read.len(), games.len(), "{what}");
        for (number, (game, old)) in read.iter().zip(&games).enumerate() {
            let wanted = if number == n { &expected[n] } else { old };
            // A rewrite gives a game without a name the name for an unknown one.
            let difference = first_difference(game, wanted)
                .filter(|found| (&*found.left, &*found.right) != ("none", "\"?\""));
            assert_eq!(difference, None, "{what}: game {}", number + 1);
        }
        let (before, after) = (findings(format, &set), findings(format, &next));
        assert!(
            after.len() <= before.len(),
            "{what}: {after:#?}\n{before:#?}"
        );
        set = next;
    }
    (set, changes)
}

/// Returns whether a part of game `n` (from 0) cannot be read. The editor does not change such games.
fn is_damaged(format: &Format, set: &MemorySet, n: u32) -> bool {
    let mut scratch = Scratch::new();
    let read = open(format, set).game_into(n, &mut Game::new(), &mut scratch);
    let mut diagnostics = scratch.diagnostics.iter();
    read.is_err() || diagnostics.any(|diagnostic| diagnostic.severity == Severity::Lost)
}

/// Returns everything that a check reports.
fn findings(format: &Format, set: &MemorySet) -> Vec<String> {
    let mut findings = Vec::new();
    chessdb_core::format::check(format, set, &ReadOptions::default(), &mut |finding| {
        findings.push(format!("{finding:?}"));
    });
    findings
}
