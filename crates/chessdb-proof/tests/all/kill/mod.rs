//! Tests that kill the program while it replaces a database: no data may be lost.
//!
//! For every writable format and every state of the target ([`Case`]), one run is recorded and
//! others are killed. Half of the kill points are in the commit, and half of these between its
//! first and last rename; the other points are spread over the bytes and system calls before the
//! commit. After each kill:
//!
//! * Every file is either the old one or the new one.
//! * If some files are old and some are new, the next command makes them all new and reports it,
//!   even if it is killed itself.
//! * A user without permission to rename files can still read the new database.
//! * `check` reports the same as for the old or the new database.
//! * Another run of the writer leaves the new database and nothing else.
//!
//! Changes in place are killed in every command that makes them ([`changes`]).
//!
//! `CHESSDB_KILLS` sets the number of kills per format and case (with few, each format is tested in
//! only some of the commands), `CHESSDB_KILL_FORMATS` selects
//! formats, and `CHESSDB_SEED` repeats a run. Without strace the tests are skipped, unless
//! `CHESSDB_PEERS` is `required`.

mod changes;
mod lab;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use chessdb::Format;
use chessdb_proof::{matrix, peer};
use chessdb_testkit::{fixtures, rng::Rng};

use changes::Change;
use lab::{Case, Files, Lab};
use trace::{Call, Killers, Point};

#[test]
fn another_base_of_the_name_is_replaced() {
    kill(Case::Replace);
}

#[test]
fn either_may_have_a_file_which_the_other_lacks() {
    kill(Case::Back);
}

#[test]
fn the_old_files_are_called_in_capitals() {
    kill(Case::Capitals);
}

#[test]
fn the_old_files_are_links() {
    kill(Case::Links);
}

#[test]
fn nothing_was_there() {
    kill(Case::Fresh);
}

#[test]
fn games_are_put_behind_others() {
    kill(Case::Append);
}

#[test]
fn a_name_of_a_game_is_changed() {
    kill_changes(&changes::EVERYWHERE);
}

#[test]
fn games_are_marked() {
    kill_changes(&changes::MARKS);
}

#[test]
fn names_are_changed() {
    kill_changes(&changes::NAMES);
}

#[test]
fn records_are_changed() {
    kill_changes(&changes::RECORDS);
}

#[test]
fn the_last_change_is_undone() {
    kill_changes(&changes::UNDO);
}

/// From this number of kills on, each format is tested in all cases of a test.
const ALL_CASES: u64 = 20;

/// The counters of a series.
#[derive(Debug, Default)]
struct Tally {
    kills: u64,
    bytes: u64,
    between: u64,
    points: BTreeSet<String>,
    old: u64,
    new: u64,
    mixed: u64,
    again: u64,
    around: u64,
}

fn kill(case: Case) {
    kill_in(&[case]);
}

fn kill_changes(changes: &'static [Change]) {
    kill_in(&changes.iter().map(Case::Change).collect::<Vec<_>>());
}

/// Kills the program in these cases. With few kills, in one of them for each format.
fn kill_in(cases: &[Case]) {
    let killers = match Killers::find() {
        Ok(killers) => killers,
        Err(why) => return peer::not_run(&why),
    };
    let Some(program) = peer::program() else {
        return;
    };
    let number = |name, usual| env::var(name).map_or(usual, |word| word.parse().unwrap());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = number("CHESSDB_SEED", now.subsec_nanos().into());
    let kills = number("CHESSDB_KILLS", 4);
    // A user without rights must be able to enter it.
    let mut work = tempfile::Builder::new();
    let work = work.permissions(Permissions::from_mode(0o755)).tempdir();
    let work = work.unwrap();
    // Copied by another process: programs started by other tests would inherit a file open for
    // writing here, and such a program file cannot be run ("text file busy").
    let copied = Command::new("cp")
        .arg(program)
        .arg(work.path().join("chessdb"))
        .status();
    assert!(copied.unwrap().success());
    let mut games = sources(work.path());
    if cases.contains(&Case::Back) {
        games.reverse();
    }
    let changes_games = cases
        .iter()
        .any(|case| matches!(case, Case::Append | Case::Change(_)));
    if let [Case::Change(_), ..] = cases {
        games = [(); 2].map(|()| work.path().join(changes::write_sources(work.path())));
    }
    // Some formats have no mark of a deleted game.
    let mut possible = BTreeMap::new();
    for (n, target) in targets().enumerate() {
        let id = target.extension;
        // An opening book is one game without players, and an archive is made from a whole
        // database.
        if ["fbk", "cbv"].contains(&id) && changes_games {
            continue;
        }
        let is_everywhere = !changes_games || cases.len() == 1;
        if !is_everywhere && target.format.change.is_none() {
            continue;
        }
        let only = (n + seed as usize) % cases.len();
        let chosen = if kills < ALL_CASES { only..only + 1 } else { 0..cases.len() };
        for case in &cases[chosen] {
            let lab = Lab::new(&killers, work.path(), target, *case, &games);
            *possible.entry(format!("{case:?}")).or_insert(0) += u32::from(lab.is_some());
            let Some(lab) = lab else {
                println!("{id}, {case:?}: not possible");
                continue;
            };
            let mut rng = Rng::new(seed);
            let mut tally = Tally::default();
            series(&lab, kills, &mut rng, &mut tally)
                .unwrap_or_else(|fault| panic!("CHESSDB_SEED={seed}, {id}, {case:?}: {fault}"));
            let points = std::mem::take(&mut tally.points).len();
            println!("{id}, {case:?}, seed {seed}, {points} points: {tally:?}");
        }
    }
    if kills >= ALL_CASES && env::var_os("CHESSDB_KILL_FORMATS").is_none() {
        let few = possible.iter().find(|(_, formats)| **formats < 4);
        assert_eq!(few, None, "possible in few formats");
    }
}
/// The kind of output: a database of a format, or an archive of one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) format: &'static Format,
    pub(crate) extension: &'static str,
}

/// Returns all targets, or those with the file extensions in `CHESSDB_KILL_FORMATS`.
fn targets() -> impl Iterator<Item = Target> {
    let wanted = env::var("CHESSDB_KILL_FORMATS").ok();
    let bases = matrix::targets().map(|format| Target {
        format,
        extension: format.roles[0].0,
    });
    let archives = matrix::targets().filter(|format| format.id == "cbh");
    let archives = archives.map(|format| Target {
        format,
        extension: "cbv",
    });
    bases.chain(archives).filter(move |target| {
        let wanted = wanted.as_deref();
        wanted.is_none_or(|wanted| wanted.split(' ').any(|word| word == target.extension))
    })
}

/// Creates two files from the fixtures: one of annotated games, one of games without comments.
fn sources(work: &Path) -> [PathBuf; 2] {
    let clean = fixtures::path("pgn/clean");
    let plain = clean.join("blocks.pgn");
    let mut annotated = Vec::new();
    for file in fixtures::files(&clean) {
        if file != plain {
            annotated.extend(fixtures::read(&file));
            annotated.extend(b"\n\n");
        }
    }
    let paths = [work.join("annotated.pgn"), work.join("plain.pgn")];
    fs::write(&paths[0], annotated).unwrap();
    fs::copy(plain, &paths[1]).unwrap();
    paths
}

/// Kills the program repeatedly in one case and checks the result each time.
fn series(lab: &Lab<'_>, kills: u64, rng: &mut Rng, tally: &mut Tally) -> Result<(), String> {
    // The commit begins when the first file is complete and is flushed to disk.
    let sync = |call: &Call| call.name == "fsync" || call.name == "fchmod";
    let start = lab.calls.iter().position(sync).unwrap_or(lab.calls.len());
    let (writing, commit) = lab.calls.split_at(start);
    let place = |name: &str, text: &str| {
        let is = |call: &Call| call.name.starts_with(name) && call.text.contains(text);
        commit.iter().position(is)
    };
    let from = place("rename", ".chessdb-draft").map_or(0, |first| first + 1);
    let to = place("unlink", ".chessdb-journal").unwrap_or(from);
    let between = if from < to { &commit[from..=to] } else { &[] };
    let largest = lab.new.files.values().map(Vec::len).max().unwrap_or(0);
    for n in 0..kills {
        let calls = match n % 4 {
            0 if !between.is_empty() => between,
            0 | 2 => commit,
            1 => &[],
            _ => writing,
        };
        let point = match calls.len() {
            0 => Point::Byte(rng.below(largest.max(1))),
            // Covers every point between the renames before any is repeated.
            many if n % 4 == 0 => Point::Call(calls[(n / 4) as usize % many].clone()),
            many => Point::Call(calls[rng.below(many)].clone()),
        };
        let is_between = matches!(&point, Point::Call(call) if between.contains(call));
        lab.reset();
        if !lab.until(&point, &lab.writing()) {
            // A change in place may write nothing behind this byte of any file.
            if matches!(point, Point::Byte(_)) && lab.grows() && lab.files() == lab.new.files {
                continue;
            }
            return Err(format!("{point}: it was not killed"));
        }
        tally.kills += 1;
        tally.between += u64::from(is_between);
        tally.bytes += u64::from(matches!(point, Point::Byte(_)));
        tally.points.insert(point.to_string());
        judge(lab, is_between, rng, tally).map_err(|fault| format!("{point}: {fault}"))?;
    }
    Ok(())
}

/// Returns whether a file is a partly written change: some of the old bytes and some of the new ones.
///
/// Space is reserved for the new bytes before they are written, so they may still be zero.
fn is_on_its_way(states: [Option<&Vec<u8>>; 2], bytes: &[u8]) -> bool {
    let [Some(old), Some(new)] = states else {
        return false;
    };
    let is_known = |(n, byte): (usize, &u8)| {
        let is_reserved = n >= old.len() && *byte == 0;
        is_reserved || [old.get(n), new.get(n)].contains(&Some(byte))
    };
    let (shorter, longer) = (old.len().min(new.len()), old.len().max(new.len()));
    (shorter..=longer).contains(&bytes.len()) && bytes.iter().enumerate().all(is_known)
}

/// Returns whether a commit has begun and is not complete: there is a journal for replacing files,
/// or one of a change in place that is pending or being undone and was written completely.
fn has_journal(hidden: &Files) -> bool {
    let is_pending = |bytes: &[u8]| {
        let lines = bytes.splitn(3, |byte| *byte == b'\n').nth(2);
        let parts = lines.and_then(|lines| lines.split_last_chunk::<4>());
        let states = ["pending", "undoing"].map(|state| format!("chessdb journal 2 {state}\n"));
        states
            .iter()
            .any(|state| bytes.starts_with(state.as_bytes()))
            && parts.is_some_and(|(lines, crc)| crc32fast::hash(lines) == u32::from_le_bytes(*crc))
    };
    hidden.iter().any(|(name, bytes)| {
        name.ends_with(".chessdb-journal") || name.ends_with(".chessdb-undo") && is_pending(bytes)
    })
}

/// Returns whether a hidden file stays after a change, so that it can be undone.
fn is_for_undo(name: &str) -> bool {
    let suffixes = [".chessdb-undo", ".chessdb-before", ".chessdb-after"];
    suffixes.iter().any(|suffix| name.ends_with(suffix))
}

/// Checks the files left by a kill and the commands that are run afterwards.
fn judge(lab: &Lab<'_>, is_between: bool, rng: &mut Rng, tally: &mut Tally) -> Result<(), String> {
    if lab.is_changed_by_library() {
        // The library completes or undoes its transaction when the file is opened.
        let ran = lab.run(&lab.command("info"));
        if !matches!(ran.code, Some(0 | 1)) {
            return Err(format!("info ends {ran:?}"));
        }
    }
    let (files, hidden) = (lab.files(), lab.hidden());
    let journal = has_journal(&hidden);
    // Every file has its old or its new contents.
    for (name, bytes) in &files {
        let states = [&lab.old, &lab.new];
        let contents = states.map(|state| state.files.get(name));
        let is_known = contents.contains(&Some(bytes));
        let goes_there = journal && lab.grows() && is_on_its_way(contents, bytes);
        if !is_known && !goes_there {
            return Err(format!("{name} is neither old nor new"));
        }
    }
    let is_mixed = files != lab.old.files && files != lab.new.files;
    if (is_mixed || is_between) && !journal {
        return Err(format!("no journal; a mixture: {is_mixed}"));
    }
    tally.mixed += u64::from(is_mixed);
    // With a journal, the new database is the valid one; without one, the files themselves are.
    let is_new = journal || files == lab.new.files;
    let state = if is_new { &lab.new } else { &lab.old };
    tally.new += u64::from(is_new);
    tally.old += u64::from(!is_new);
    if journal && rng.chance(50) {
        tally.around += 1;
        read_around(lab, &files, &hidden)?;
    }
    if journal && rng.chance(50) {
        // The recovery may be killed as well.
        let calls = lab.noting(&lab.command("ls"));
        lab.restore(&files, &hidden);
        if !calls.is_empty() {
            let point = Point::Call(calls[rng.below(calls.len())].clone());
            tally.again += u64::from(lab.until(&point, &lab.command("ls")));
        }
    }
    let journal = has_journal(&lab.hidden());
    if state.check.is_some() {
        let word = rng.pick(&["check", "info", "ls", "cat"]);
        let ran = lab.run(&lab.command(word));
        let reports_pending = ran.err.contains("was interrupted between two files");
        if !matches!(ran.code, Some(0 | 1)) || reports_pending != journal {
            return Err(format!("{word} (journal: {journal}) ends {ran:?}"));
        }
        if lab.files() != state.files {
            return Err(format!("after {word} the base is not what it should be"));
        }
        if lab.checked() != state.check {
            return Err("check finds something else than before".to_owned());
        }
    }
    let left = || lab.hidden().into_keys().find(|name| !is_for_undo(name));
    if journal && left().is_some() {
        return Err("hidden files stay behind after the recovery".to_owned());
    }
    // Appending again would append the games a second time, and undoing again repeats the change.
    if is_new && lab.case.is_repeated() {
        drop(lab.run(&lab.tidying()));
    } else {
        lab.write_once();
    }
    if lab.files() != lab.new.files {
        return Err("the next writer leaves something else than the new base".to_owned());
    }
    match left() {
        Some(name) => Err(format!("the next writer leaves {name}")),
        None => Ok(()),
    }
}

/// Checks that a user without permission to rename files can read the new database.
fn read_around(lab: &Lab<'_>, files: &Files, hidden: &Files) -> Result<(), String> {
    let ran = lab.check_without_rights();
    if lab.files() != *files || lab.hidden() != *hidden {
        return Err("a reader without rights changed something".to_owned());
    }
    // Through links, and where files grow in place, reading is refused with a message.
    let is_refused = lab.case == Case::Links || lab.grows();
    if is_refused && ran.code == Some(3) && ran.err.contains("interrupted") {
        return Ok(());
    }
    let (code, out) = lab.new.check.clone().unwrap_or_default();
    if ran.code != Some(code) || ran.out != out || !ran.err.contains("is not writable") {
        return Err(format!("a reader without rights ends {ran:?}"));
    }
    Ok(())
}
