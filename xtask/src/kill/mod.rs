//! `kill`: the program is killed while it replaces a base, again and again, and afterwards nothing
//! may be lost.
//!
//! For every format that can be written, and for several things that may stand where the new base is
//! to go ([`lab::Case`]), one run is noted and others are ended: half of the points lie in the
//! commit, as many as there are between its first and its last rename among them; the others are
//! spread over the bytes and the calls before it. After each: every file is the old one or the new
//! one; if some are old and some are new, the next command makes them all new and says so, even if it
//! is killed itself; somebody without the right to rename anything reads the new base all the same;
//! `check` finds what it finds in the old or the new base; and another run of the writer leaves the
//! new base and nothing else.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;

use crate::{
    Outcome,
    cmd::{self, cargo, root},
    metadata::{Metadata, items},
};

mod lab;
mod trace;

use lab::{Case, Format, Lab, files};
use trace::{Call, Killers, Point};

/// Kills per format, unless the arguments say otherwise.
const KILLS: u64 = 200;

/// Kills per format of the step in `ci`.
const SHORT: u64 = 20;

/// Kills before a failure ends everything.
const FAULTS: usize = 10;

/// What the arguments ask for.
#[derive(Debug)]
struct Plan {
    seed: u64,
    kills: u64,
    formats: Vec<String>,
}

impl Plan {
    fn of(args: &[String]) -> Result<Plan, String> {
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut plan = Plan {
            seed: time.map_or(1, |time| u64::from(time.subsec_nanos())),
            kills: KILLS,
            formats: Vec::new(),
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut number = || {
                let word = args.next().and_then(|word| word.parse().ok());
                word.ok_or(format!("{arg} needs a number"))
            };
            match arg.as_str() {
                "--seed" => plan.seed = number()?,
                "--kills" => plan.kills = number()?,
                word if word.starts_with('-') => {
                    return Err("usage: [--seed N] [--kills N] [FORMAT…]".to_owned());
                }
                format => plan.formats.push(format.to_owned()),
            }
        }
        Ok(plan)
    }
}

/// The step of `ci`: few kills per format. Without strace it is left out, unless the reference
/// programs, with which `.ci/run` installs it, are required.
pub(crate) fn short() -> Outcome {
    match Killers::find() {
        Err(why) if env::var_os("CHESSDB_PEERS").is_none() => {
            println!("not run: {why}");
            Ok(())
        }
        _ => kill(&["--kills".to_owned(), SHORT.to_string()]),
    }
}

/// Numbers that look random and are the same for the same seed (SplitMix64).
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    fn below(&mut self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let place = self.below(list.len() as u64);
        list.get(usize::try_from(place).ok()?)
    }
}

/// What was counted for a format.
#[derive(Debug, Default)]
struct Tally {
    kills: u64,
    bytes: u64,
    commit: u64,
    between: u64,
    points: BTreeSet<String>,
    old: u64,
    new: u64,
    mixed: u64,
    again: u64,
    around: u64,
    faults: Vec<String>,
}

/// Kills the program. Arguments: `--seed N`, `--kills N` per format, ids of formats.
pub(crate) fn kill(args: &[String]) -> Outcome {
    let plan = Plan::of(args)?;
    let killers = Killers::find()?;
    cmd::run(&mut cargo(["build", "--locked", "-p", "chessdb-cli"]))?;
    let file = format!("chessdb{}", env::consts::EXE_SUFFIX);
    let built = Metadata::of_workspace()?.target.join("debug").join(file);
    // Where somebody without rights can go.
    let work = env::temp_dir().join(format!("chessdb-kill-{}", std::process::id()));
    let result = all(&plan, &killers, &built, &work);
    let _ = fs::remove_dir_all(&work);
    result
}

fn all(plan: &Plan, killers: &Killers, built: &Path, work: &Path) -> Outcome {
    let error = |e: std::io::Error| format!("{}: {e}", work.display());
    fs::create_dir_all(work).map_err(error)?;
    let program = work.join("chessdb");
    fs::copy(built, &program).map_err(error)?;
    let games = sources(work)?;
    let mut formats = writable(&program)?;
    if !plan.formats.is_empty() {
        for id in &plan.formats {
            if !formats.iter().any(|format| format.id == *id) {
                return Err(format!("no format `{id}` that can be written"));
            }
        }
        formats.retain(|format| plan.formats.contains(&format.id));
    }
    println!("seed {}, {} kills per format", plan.seed, plan.kills);
    println!(
        "{:<8} {:>6} {:>7} {:>7} {:>8} {:>7} {:>7} {:>5} {:>5} {:>6} {:>6} {:>7} {:>6}",
        "format",
        "kills",
        "points",
        "bytes",
        "commit",
        "between",
        "mixed",
        "old",
        "new",
        "again",
        "around",
        "seconds",
        "faults"
    );
    let mut faults = Vec::new();
    for format in &formats {
        let start = Instant::now();
        let mut dice = Dice(plan.seed);
        let mut tally = Tally::default();
        let folder = work.join(&format.id);
        for (n, case) in Case::ALL.into_iter().enumerate() {
            let share = |n: u64| plan.kills * n / Case::ALL.len() as u64;
            let kills = share(n as u64 + 1) - share(n as u64);
            let [a, b] = &games;
            let lab = Lab::new(killers, &program, &folder, format, case, [a, b])?;
            series(&lab, case, kills, &mut dice, &mut tally)?;
            let _ = fs::remove_dir_all(&folder);
        }
        println!(
            "{:<8} {:>6} {:>7} {:>7} {:>8} {:>7} {:>7} {:>5} {:>5} {:>6} {:>6} {:>7.1} {:>6}",
            format.id,
            tally.kills,
            tally.points.len(),
            tally.bytes,
            tally.commit,
            tally.between,
            tally.mixed,
            tally.old,
            tally.new,
            tally.again,
            tally.around,
            start.elapsed().as_secs_f64(),
            tally.faults.len()
        );
        for fault in &tally.faults {
            println!("  {fault}");
        }
        faults.extend(tally.faults);
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(format!("{} faults with seed {}", faults.len(), plan.seed))
}

/// Two files of games made of the fixtures: annotated ones, and plain ones without any comment.
fn sources(work: &Path) -> Result<[PathBuf; 2], String> {
    let clean = root().join("fixtures/pgn/clean");
    let error = |e: std::io::Error| format!("{}: {e}", clean.display());
    let mut annotated = Vec::new();
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&clean).map_err(error)? {
        names.push(entry.map_err(error)?.path());
    }
    names.sort();
    let plain = clean.join("blocks.pgn");
    for name in names.iter().filter(|name| **name != plain) {
        annotated.extend(fs::read(name).map_err(error)?);
        annotated.extend(b"\n\n");
    }
    let paths = [work.join("annotated.pgn"), work.join("plain.pgn")];
    let [first, second] = &paths;
    fs::write(first, annotated).map_err(error)?;
    fs::copy(plain, second).map_err(error)?;
    Ok(paths)
}

/// The formats that can be written, by what the program says.
fn writable(program: &Path) -> Result<Vec<Format>, String> {
    let text = cmd::output(Command::new(program).args(["formats", "--json"]))?;
    let json: Value = serde_json::from_slice(&text).map_err(|e| format!("formats --json: {e}"))?;
    let writable = items(json.get("formats"))
        .filter(|format| format.get("writes") == Some(&Value::Bool(true)));
    let format = |format: &Value| Format {
        id: format
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        suffixes: items(format.get("files"))
            .filter_map(|file| file.as_str().map(str::to_owned))
            .collect(),
    };
    Ok(writable.map(format).collect())
}

/// Kills the program in one case.
fn series(lab: &Lab<'_>, case: Case, kills: u64, dice: &mut Dice, tally: &mut Tally) -> Outcome {
    // The commit begins when the first file is complete and is brought to the disk.
    let sync = |call: &Call| call.name == "fsync" || call.name == "fchmod";
    let start = lab.calls.iter().position(sync).unwrap_or(lab.calls.len());
    let (writing, commit) = lab.calls.split_at(start);
    let is = |call: &Call, name: &str, text: &str| {
        call.name.starts_with(name) && call.text.contains(text)
    };
    let first = |call: &Call| is(call, "rename", ".chessdb-draft");
    let last = |call: &Call| is(call, "unlink", ".chessdb-journal");
    let from = commit.iter().position(first).map_or(0, |place| place + 1);
    let to = commit
        .iter()
        .position(last)
        .unwrap_or(commit.len().min(from));
    let between = commit
        .get(from..=to)
        .filter(|_| from < to)
        .unwrap_or_default();
    let largest = lab.new.files.values().map(Vec::len).max().unwrap_or(0) as u64;
    for n in 0..kills {
        let in_commit = n % 2 == 0;
        let point = match n % 4 {
            // Every point once before any comes again.
            0 if !between.is_empty() => between.get((n / 4) as usize % between.len()).cloned(),
            0 | 2 => dice.pick(commit).cloned(),
            1 => None,
            _ => dice.pick(writing).cloned(),
        };
        let point = point.map_or_else(|| Point::Byte(dice.below(largest)), Point::Call);
        let is_between = match &point {
            Point::Call(call) => between
                .iter()
                .any(|other| (&other.name, other.ordinal) == (&call.name, call.ordinal)),
            Point::Byte(_) => false,
        };
        lab.reset()?;
        if !lab.write_until(&point)? {
            return Err(format!("{} {point}: it was not killed", case.name()));
        }
        tally.kills += 1;
        tally.commit += u64::from(in_commit);
        tally.between += u64::from(is_between);
        tally.bytes += u64::from(matches!(point, Point::Byte(_)));
        tally.points.insert(format!("{} {point}", case.name()));
        if let Err(fault) = judge(lab, is_between, dice, tally) {
            tally
                .faults
                .push(format!("{} {point}: {fault}", case.name()));
            if tally.faults.len() >= FAULTS {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Looks at what a kill has left, and lets other commands run over it.
fn judge(lab: &Lab<'_>, is_between: bool, dice: &mut Dice, tally: &mut Tally) -> Outcome {
    let (found, hidden) = (files(&lab.real(), false)?, files(&lab.real(), true)?);
    let journal = hidden.keys().any(|name| name.ends_with(".chessdb-journal"));
    // Every name holds what it held before or what it is to hold.
    for (name, bytes) in &found {
        let known = |files: &lab::Files| files.get(name) == Some(bytes);
        if !known(&lab.old.files) && !known(&lab.new.files) {
            return Err(format!("{name} is neither old nor new"));
        }
    }
    let is_mixed = found != lab.old.files && found != lab.new.files;
    if is_mixed && !journal {
        return Err("a mixture without a journal".to_owned());
    }
    if is_between && !journal {
        return Err("no journal between the renames".to_owned());
    }
    tally.mixed += u64::from(is_mixed);
    // With a journal the new base counts, without one what is there.
    let is_new = journal || found == lab.new.files;
    let state = if is_new { &lab.new } else { &lab.old };
    *(if is_new {
        &mut tally.new
    } else {
        &mut tally.old
    }) += 1;
    if journal {
        if dice.below(2) == 0 {
            tally.around += 1;
            read_around(lab, &hidden)?;
        }
        if dice.below(2) == 0 {
            // Whoever goes on may be killed as well.
            let before = (found.clone(), hidden.clone());
            let calls = lab.look_noting("ls")?;
            restore(lab, &before)?;
            if let Some(call) = dice.pick(&calls)
                && lab.look_until("ls", &Point::Call(call.clone()))?
            {
                tally.again += 1;
            }
        }
    }
    let journal = files(&lab.real(), true)?
        .keys()
        .any(|name| name.ends_with(".chessdb-journal"));
    if state.check.is_some() {
        let word = *dice
            .pick(&["check", "info", "ls", "cat"])
            .unwrap_or(&"check");
        let ran = lab.look(word)?;
        let says = ran.err.contains("was interrupted between two files");
        if !matches!(ran.code, Some(0 | 1)) || says != journal {
            let said = ran.err.trim();
            return Err(format!(
                "{word} (journal: {journal}) ends {:?}: {said}",
                ran.code
            ));
        }
        if files(&lab.real(), false)? != state.files {
            return Err(format!("after {word} the base is not what it should be"));
        }
        if lab.checked()? != state.check {
            return Err("check finds something else than before".to_owned());
        }
    }
    if journal && !files(&lab.real(), true)?.is_empty() {
        return Err("hidden files stay behind after the recovery".to_owned());
    }
    lab.write_once()?;
    if files(&lab.real(), false)? != lab.new.files {
        return Err("the next writer leaves something else than the new base".to_owned());
    }
    match files(&lab.real(), true)?.keys().next() {
        Some(name) => Err(format!("the next writer leaves {name}")),
        None => Ok(()),
    }
}

/// Somebody who may rename nothing reads the new base.
fn read_around(lab: &Lab<'_>, hidden: &lab::Files) -> Outcome {
    let found = files(&lab.real(), false)?;
    let ran = lab.look_without_rights()?;
    if files(&lab.real(), false)? != found || files(&lab.real(), true)? != *hidden {
        return Err("a reader without rights changed something".to_owned());
    }
    let linked = lab.target().parent() != Some(&lab.real());
    if linked && ran.code == Some(3) && ran.err.contains("interrupted") {
        // Behind links it is refused, and said.
        return Ok(());
    }
    let (code, out) = lab.new.check.clone().unwrap_or_default();
    if ran.code != Some(code) || ran.out != out || !ran.err.contains("cannot be changed") {
        let said = ran.err.trim();
        return Err(format!(
            "a reader without rights ends {:?}: {said} {}",
            ran.code, ran.out
        ));
    }
    Ok(())
}

/// Puts back what lay there.
fn restore(lab: &Lab<'_>, files: &(lab::Files, lab::Files)) -> Outcome {
    lab.reset()?;
    let real = lab.real();
    let error = |e: std::io::Error| format!("{}: {e}", real.display());
    for name in lab.old.files.keys() {
        fs::remove_file(real.join(name)).map_err(error)?;
    }
    for (name, bytes) in files.0.iter().chain(&files.1) {
        fs::write(real.join(name), bytes).map_err(error)?;
    }
    Ok(())
}
