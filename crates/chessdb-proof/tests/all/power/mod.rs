//! Tests that the power fails while a database is changed in place: opening it gives the old or the
//! new database, at once.
//!
//! strace records what a command writes, renames and flushes. After each of these calls, states of
//! the disk are made ([`disk`]): what was flushed stays, and of everything else any part may be lost,
//! in sectors of 512 bytes, with zeros, old content of the disk or other bytes in its place. Each
//! state is opened. Some states of a change that was cut off are opened by a recorded program, and
//! the power fails again.
//!
//! `CHESSDB_POWER` sets the number of random subsets of lost writes after each call,
//! `CHESSDB_KILL_FORMATS` selects formats, and `CHESSDB_SEED` repeats a run. Without strace the test
//! is skipped, unless `CHESSDB_PEERS` is `required`.

mod disk;
mod trace;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

use chessdb::{Database, FORMATS, Format};
use chessdb_proof::peer;
use chessdb_testkit::rng::Rng;

use disk::{Disk, Files};
use trace::Op;

/// The commands of which each is cut off; the next one finds what the one before left. `BASE` is the
/// database.
const COMMANDS: [&[&str]; 12] = [
    &["delete", "-n", "5", "BASE"],
    &["tag", "-n", "3", "--set", "White=Player 11", "BASE"],
    &[
        "tag",
        "-n",
        "7",
        "--set",
        "Site=A place that no game has",
        "BASE",
    ],
    &["tag", "-n", "2", "--set", "Annotator=Someone", "BASE"],
    &["undo", "BASE"],
    &["undo", "BASE"],
    &["convert", "--append", "one.pgn", "BASE"],
    &["convert", "--append", "many.pgn", "BASE"],
    &["undo", "BASE"],
    &[
        "names",
        "--rename",
        "Player 4",
        "Somebody else",
        "-n",
        "1-",
        "BASE",
    ],
    &["tag", "-n", "1-", "--set", "Round=9", "BASE"],
    &["compact", "BASE"],
];

/// The number of states of a command that are opened by a recorded program.
const SECOND_LOSSES: usize = 2;

/// The counters of a format.
#[derive(Default, Debug)]
struct Tally {
    tried: u64,
    states: u64,
    old: u64,
    new: u64,
    second_losses: u64,
}

#[test]
fn old_or_new_after_any_loss_of_power() {
    let Some(strace) = peer::find("strace") else {
        return peer::not_run("strace is not installed");
    };
    let Some(program) = peer::program() else {
        return;
    };
    let number = |name, usual| env::var(name).map_or(usual, |word| word.parse().unwrap());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = number("CHESSDB_SEED", now.subsec_nanos().into());
    let budget = number("CHESSDB_POWER", 1) as usize;
    let wanted = env::var("CHESSDB_KILL_FORMATS").ok();
    let formats = FORMATS.iter().copied().filter(|format| {
        let is_wanted = |ids: &String| ids.split(' ').any(|id| id == format.id);
        let in_place = format.change.is_some() || format.append.is_some();
        in_place && wanted.as_ref().is_none_or(is_wanted)
    });
    let (strace, program) = (&strace, &program);
    thread::scope(|scope| {
        let runs = formats.map(|format| {
            let run = move || replayed(strace, program, format, budget, seed);
            (format, scope.spawn(run))
        });
        let mut states = 0;
        for (format, run) in runs.collect::<Vec<_>>() {
            let tally = run.join().unwrap();
            println!("{}, seed {seed}: {tally:?}", format.id);
            assert!(tally.old > 0 && tally.new > 0, "{}", format.id);
            states += tally.states;
        }
        println!("{states} states");
    });
}

/// Returns games of so many players, with numbers from `first`.
fn games(first: u32, count: u32) -> String {
    let mut text = String::new();
    for n in first..first + count {
        let (white, black) = (n % 17, n % 13 + 20);
        let _ = write!(
            text,
            "[Event \"Event {}\"]\n[Site \"Site {}\"]\n[Date \"2024.05.{:02}\"]\n[Round \"{n}\"]\n\
             [White \"Player {white}\"]\n[Black \"Player {black}\"]\n[Result \"1-0\"]\n\n\
             1. e4 e5 2. Nf3 {{game {n}}} Nc6 3. Bb5 a6 (3... Nf6 4. O-O) 4. Ba4 Nf6 1-0\n\n",
            n / 4,
            n / 5,
            n % 28 + 1,
        );
    }
    text
}

/// Cuts off each command for a database of this format.
fn replayed(
    strace: &Path,
    program: &Path,
    format: &'static Format,
    budget: usize,
    seed: u64,
) -> Tally {
    let work = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("games.pgn", games(0, 30)),
        ("one.pgn", games(100, 1)),
        ("many.pgn", games(200, 40)),
    ] {
        fs::write(work.path().join(name), text).unwrap();
    }
    let mut lab = Lab {
        strace,
        program,
        work: work.path(),
        format,
        budget,
        rng: Rng::new(seed),
        tally: Tally::default(),
    };
    let folder = lab.folder("base");
    let mut command = Command::new(program);
    command
        .args(["convert", "-q", "games.pgn"])
        .arg(lab.base(&folder));
    assert!(command.current_dir(work.path()).status().unwrap().code() < Some(2));
    for command in COMMANDS {
        let before = files(&folder);
        let ops = lab.recorded(&folder, command, &before);
        let after = files(&folder);
        let states = [visible(&before), visible(&after)];
        // The format does not have this mark, or there is nothing to undo.
        if states[0] == states[1] {
            continue;
        }
        let what = format!("{}, seed {seed}: {}", format.id, command.join(" "));
        let mut cut_off = lab.lose_power(&what, &before, &ops, &states, &states[1]);
        let second = lab.folder("second");
        for n in 0..SECOND_LOSSES.min(cut_off.len()) {
            let chosen = cut_off.swap_remove(lab.rng.below(cut_off.len()));
            write(&second, &chosen);
            let ops = lab.recorded(&second, &["info", "BASE"], &chosen);
            lab.tally.second_losses += 1;
            let ended = visible(&files(&second));
            assert!(states.contains(&ended), "{what}, then info {n}");
            lab.lose_power(
                &format!("{what}, then info {n}"),
                &chosen,
                &ops,
                &states,
                &ended,
            );
        }
    }
    lab.tally
}

/// A folder in which commands for databases of one format are recorded.
struct Lab<'l> {
    strace: &'l Path,
    program: &'l Path,
    work: &'l Path,
    format: &'static Format,
    budget: usize,
    rng: Rng,
    tally: Tally,
}

impl Lab<'_> {
    /// Returns a folder for a database.
    fn folder(&self, name: &str) -> PathBuf {
        let folder = self.work.join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Returns the path of the database in a folder.
    fn base(&self, folder: &Path) -> PathBuf {
        folder.join("base").with_extension(self.format.roles[0].0)
    }

    /// Runs a command for the database in this folder, which has these files, and returns what it
    /// changes there.
    fn recorded(&self, folder: &Path, command: &[&str], before: &Files) -> Vec<Op> {
        let log = self.work.join("calls");
        let base = self.base(folder);
        let words = command.iter().map(|word| match *word {
            "BASE" => base.as_os_str().to_owned(),
            word => word.into(),
        });
        let mut recorded = trace::recording(self.strace, self.program, &log);
        recorded.args(words).current_dir(self.work);
        let output = recorded.output().unwrap();
        assert!(output.status.code().is_some(), "{command:?}: {output:?}");
        let ops = trace::changes(&log, folder, before);
        let mut disk = Disk::new(before);
        ops.iter().for_each(|op| disk.apply(op));
        assert!(
            disk.current() == files(folder),
            "{}: {command:?}: not replayed",
            self.format.id
        );
        ops
    }

    /// Opens states of the disk after each of the calls of a command that turns the first of two
    /// states of the database into the second, or recovers one of them. `last` is the state that it
    /// leaves. Returns some states of a change that was cut off.
    fn lose_power(
        &mut self,
        what: &str,
        before: &Files,
        ops: &[Op],
        states: &[Files; 2],
        last: &Files,
    ) -> Vec<Files> {
        let folder = self.folder("replay");
        let base = self.base(&folder);
        let mut disk = Disk::new(before);
        let mut cut_off = Vec::new();
        for done in 0..=ops.len() {
            if let Some(op) = done.checked_sub(1).and_then(|n| ops.get(n)) {
                disk.apply(op);
            }
            let mut rng = self.rng.clone();
            let tally = &mut self.tally;
            disk.states(self.budget, &mut rng, &mut |state| {
                write(&folder, &state);
                tally.states += 1;
                let fault = |why: &str| -> ! {
                    let kept = env::temp_dir().join("chessdb-power");
                    write(&kept, &state);
                    let call = ops.get(done.saturating_sub(1));
                    let call = format!("{call:?}");
                    panic!(
                        "{what}: {why} after call {done} of {} ({call:.200}); see {}",
                        ops.len(),
                        kept.display()
                    )
                };
                let has_journal = state.iter().any(|file| is_library_journal(file, true));
                let is_pending =
                    chessdb::fs::recover(&base).map(|ended| !ended.is_empty() || has_journal);
                if let Err(error) = Database::open(&base) {
                    fault(&format!("not opened ({error})"));
                }
                let found = visible(&files(&folder));
                let is_new = found == states[1];
                if !is_new && found != states[0] {
                    fault("neither old nor new");
                }
                if done == ops.len() && found != *last {
                    fault("a completed command was lost");
                }
                tally.old += u64::from(!is_new);
                tally.new += u64::from(is_new);
                // The next writer is not blocked.
                if tally.states.is_multiple_of(8)
                    && let Err(error) = chessdb::fs::create(&base, self.format, true)
                {
                    fault(&format!("not writable ({error})"));
                }
                if is_pending.is_ok_and(|pending| pending) && cut_off.len() < 100 {
                    cut_off.push(state);
                }
            });
            self.rng = rng;
        }
        self.tally.tried += disk.tried;
        cut_off
    }
}

/// Reads all files of a folder.
fn files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let file = |entry: fs::DirEntry| {
        let bytes = fs::read(entry.path()).unwrap();
        (entry.file_name().into_string().unwrap(), bytes)
    };
    entries.map(file).collect()
}

/// Returns whether a file is a journal of SQLite with or without a header. Without one, its
/// transaction is complete.
fn is_library_journal((name, bytes): (&String, &Vec<u8>), is_pending: bool) -> bool {
    name.ends_with("-journal") && bytes.starts_with(&[0xD9, 0xD5, 0x05, 0xF9]) == is_pending
}

/// Returns the files of the database itself.
fn visible(files: &Files) -> Files {
    let files = files
        .iter()
        .filter(|file| !file.0.starts_with('.') && !is_library_journal(*file, false));
    files
        .map(|(name, bytes)| (name.clone(), bytes.clone()))
        .collect()
}

/// Makes these the only files of a folder.
fn write(folder: &Path, files: &Files) {
    fs::create_dir_all(folder).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !files.contains_key(path.file_name().unwrap().to_str().unwrap()) {
            fs::remove_file(path).unwrap();
        }
    }
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}
