//! Comparisons with two other readers of ChessBase databases, on databases written from PGN and
//! from databases of other programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chessdb::core::model::GameFlags;
use chessdb::core::{Charset, Color, Event, Start, Text};
use chessdb::{Database, cbh::CBH};
use chessdb_proof::peer::{self, capture};
use chessdb_testkit::{fixtures, time::one_of};

use super::known::{CBH2PGN, CBVAULT, Unequal};
use super::lab::{self, CBH2PGN_PROGRAM, CBVAULT_PROGRAM, Lab, fixtures_of};

/// The tags that the readers output.
const TAGS: [&str; 10] = [
    "White", "Black", "Event", "Site", "Date", "Round", "Result", "ECO", "WhiteElo", "BlackElo",
];

/// The parts of a game that a reader outputs.
#[derive(Default)]
struct ComparedGame {
    tags: BTreeMap<&'static str, String>,
    /// The half-moves, and parentheses around variations.
    line: Vec<String>,
    /// The NAGs and the letters of comments, by the number of preceding entries in `line`.
    notes: BTreeMap<usize, String>,
}

impl ComparedGame {
    fn of(game: &chessdb::Game) -> ComparedGame {
        let mut compared = ComparedGame::default();
        for name in TAGS {
            let value = game.tag(name).unwrap_or_default();
            let value = value.trim_end_matches('.').trim_end();
            let code = value.split('/').next().filter(|_| name == "ECO");
            let value = code.unwrap_or(value);
            if !value.is_empty() && value != "?" && value != "????.??.??" {
                compared.tags.insert(name, value.to_owned());
            }
        }
        // The readers ignore the type of a rating.
        for (name, color) in [("WhiteElo", Color::White), ("BlackElo", Color::Black)] {
            if let Some(rating) = game.header.player(color).rating {
                compared.tags.insert(name, rating.value.to_string());
            }
        }
        let mut nags = Vec::new();
        for event in game.events() {
            match event {
                Event::Move(mv) => compared.line.push(mv.to_string()),
                Event::Open(_) => compared.line.push("(".to_owned()),
                Event::Close => compared.line.push(")".to_owned()),
                Event::Nag(nag) => nags.push((compared.line.len(), nag)),
                Event::Comment(_, text) => {
                    let letters = letters(&text.decode());
                    compared
                        .notes
                        .entry(compared.line.len())
                        .or_default()
                        .push_str(&letters);
                }
                _ => {}
            }
        }
        nags.sort_unstable();
        for (ply, nag) in nags {
            let note = compared.notes.entry(ply).or_default();
            *note = format!("{note} ${nag}");
        }
        compared.notes.retain(|_, note| !note.is_empty());
        compared
    }

    /// Returns the mainline without variations, and the number of its half-moves before the first
    /// variation, or all of them if there is no variation.
    fn main_line(&self) -> (Vec<&str>, usize) {
        let (mut depth, mut line, mut plain) = (0, Vec::new(), None);
        for word in &self.line {
            match word.as_str() {
                "(" => {
                    depth += 1;
                    plain.get_or_insert(line.len() - 1);
                }
                ")" => depth -= 1,
                word if depth == 0 => line.push(word),
                _ => {}
            }
        }
        let plain = plain.unwrap_or(line.len());
        (line, plain)
    }
}

/// Returns the letters and digits of a comment without its commands.
///
/// The readers write symbols with characters of their own.
fn letters(text: &str) -> String {
    let mut rest = text;
    let mut text_only = String::new();
    while let Some((before, command)) = rest.split_once("[%") {
        text_only.push_str(before);
        rest = command.split_once(']').map_or("", |(_, after)| after);
    }
    text_only.push_str(rest);
    text_only.retain(char::is_alphanumeric);
    text_only
}

/// Reads the games of a PGN file.
fn games(path: &Path) -> Vec<chessdb::Game> {
    let base = Database::open(path).unwrap();
    base.games().map(Result::unwrap).collect()
}

/// Returns the inputs: the name, the file, and whether it is a ChessBase database.
fn inputs() -> Vec<(String, PathBuf, bool)> {
    let mut inputs = Vec::new();
    let mut pgn = fixtures_of("pgn/clean", &["pgn"]);
    pgn.extend(
        fixtures_of("pgn/edge", &["pgn"])
            .into_iter()
            .step_by(one_of(3)),
    );
    inputs.extend(pgn.into_iter().map(|path| (lab::label(&path), path, false)));
    for folder in ["fixtures-real/cbh", "fixtures-made/cbh"] {
        let Some(folder) = fixtures::testdata(folder) else {
            continue;
        };
        for path in chessdb::fs::survey(&folder, Some(&CBH)).unwrap().bases {
            let suffix = path.extension().unwrap_or_default();
            if !suffix.eq_ignore_ascii_case("cbv") && !suffix.eq_ignore_ascii_case("cbz") {
                inputs.push((lab::name(&path), path, true));
            }
        }
    }
    inputs
}

/// A difference: the name of the database, and a description.
type BaseDifference = (String, String);

/// Compares the differences with the table of known ones, each of which must occur the stated
/// number of times.
fn judge(lab: &Lab, seen: &[BaseDifference], listed: &[Unequal], bases: &[String]) {
    let mut excused = vec![0; listed.len()];
    for (base, what) in seen {
        let fits = |entry: &Unequal| entry.base == base && what.contains(entry.says);
        match listed.iter().position(fits) {
            Some(index) => excused[index] += 1,
            None => lab.fault(format!("{base}: {what}")),
        }
    }
    for (entry, count) in listed.iter().zip(excused) {
        let is_there = bases.iter().any(|base| base == entry.base);
        if is_there && count != entry.count {
            lab.fault(format!("{entry:?}: listed, but {count} found"));
        }
        if is_there {
            println!("  {}: {count} games: {}", entry.base, entry.reason);
        }
    }
}

/// Converts an input into a ChessBase database and exports that as PGN.
fn written(lab: &Lab, n: usize, from: &Path) -> (PathBuf, PathBuf) {
    let base = lab.folder.join(format!("{n:02}.cbh"));
    lab.convert(&[], from, &base);
    let ours = lab.folder.join(format!("{n:02}-ours.pgn"));
    // Text that is not UTF-8 is in this code page, which cannot be guessed from a few names.
    lab.convert(&["-e", "windows-1252"], &base, &ours);
    (base, ours)
}

/// Returns cbvault's PGN of a database and its messages about unreadable games.
fn cbvault(base: &Path, out: &Path) -> (Vec<u8>, Vec<String>) {
    let mut command = Command::new(peer::find(CBVAULT_PROGRAM.0).unwrap());
    command.arg("pgn").arg(base.with_extension("")).arg(out);
    let ran = capture(command.args(["--threads", "1"]));
    assert!(
        ran.err.starts_with("exported"),
        "{}: {ran:?}",
        base.display()
    );
    let faults = ran
        .err
        .lines()
        .filter_map(|line| line.strip_prefix("  game "));
    let faults = faults.map(str::to_owned).collect();
    (fs::read(out).unwrap(), faults)
}

/// cbvault reads from every written database the headers, moves, variations, symbols and comments
/// of our PGN export.
///
/// For ChessBase databases its PGN is the same before and after rewriting.
#[test]
fn cbvault_reads_what_is_written() {
    let Some(lab) = Lab::new("cbvault", &[CBVAULT_PROGRAM]) else {
        return;
    };
    let (mut seen, mut bases, mut count) = (Vec::new(), Vec::new(), 0);
    for (n, (name, from, is_cbh)) in inputs().into_iter().enumerate() {
        let (base, ours) = written(&lab, n, &from);
        let out = lab.folder.join(format!("{n:02}-theirs.pgn"));
        let (theirs, faults) = cbvault(&base, &out);
        let mut note = |what: String| seen.push((name.clone(), what));
        let failed: Vec<u32> = faults
            .iter()
            .filter_map(|fault| fault.split([':', ' ']).next()?.parse().ok())
            .collect();
        faults.into_iter().for_each(&mut note);
        if is_cbh {
            let before = lab.folder.join("before.pgn");
            if cbvault(&from, &before).0 != theirs {
                note("another PGN than of the base that it comes from".to_owned());
            }
        }
        let ours = games(&ours).into_iter().filter(|game| {
            !game.header.flags.contains(GameFlags::DELETED) && !failed.contains(&game.number())
        });
        let (ours, theirs): (Vec<_>, _) = (ours.collect(), games(&out));
        if ours.len() != theirs.len() {
            note(format!("{} games of {}", theirs.len(), ours.len()));
        }
        count += theirs.len();
        for (ours, theirs) in ours.iter().zip(&theirs) {
            let number = ours.number();
            let (ours, theirs) = (ComparedGame::of(ours), ComparedGame::of(theirs));
            for tag in TAGS {
                let (a, b) = (ours.tags.get(tag), theirs.tags.get(tag));
                if a != b {
                    note(format!("game {number}: {tag}: {a:?} {b:?}"));
                }
            }
            if ours.line != theirs.line {
                note(format!("game {number}: moves"));
            } else if ours.notes != theirs.notes {
                let places = ours.notes.keys().chain(theirs.notes.keys());
                let of = |compared: &ComparedGame, ply| {
                    compared.notes.get(ply).cloned().unwrap_or_default()
                };
                let both = places.map(|ply| (of(&ours, ply), of(&theirs, ply)));
                let first = both.into_iter().find(|(a, b)| a != b);
                note(format!("game {number}: notes {first:?}"));
            }
        }
        bases.push(name);
    }
    judge(&lab, &seen, CBVAULT, &bases);
    lab.finish(&format!("{} bases, {count} games", bases.len()));
}

/// Returns a name as cbh2pgn shows it, with UTF-8 read as windows-1252.
fn as_windows(name: &str) -> String {
    let bytes = name.bytes().map(|byte| {
        let text = Text::new(std::slice::from_ref(&byte), Charset::WINDOWS_1252);
        let letter = text.decode();
        match byte {
            0x81 | 0x8D | 0x8F | 0x90 | 0x9D => "\u{FFFD}".to_owned(),
            _ => letter.into_owned(),
        }
    });
    bytes.collect()
}

/// Returns cbh2pgn's PGN of a database.
fn cbh2pgn(base: &Path, out: &Path) -> Vec<u8> {
    let mut command = Command::new(lab::beside_python(CBH2PGN_PROGRAM.0).unwrap());
    command
        .args(["convert", "--include-deleted", "-o"])
        .arg(out);
    let ran = capture(command.arg(base));
    assert_eq!(ran.code, 0, "{}: {ran:?}", base.display());
    fs::read(out).unwrap()
}

/// cbh2pgn reads the headers and moves of our PGN export up to the first variation.
///
/// It supports neither variations nor annotations, and ends a game at the first variation. For
/// ChessBase databases its PGN is the same before and after rewriting.
#[test]
fn cbh2pgn_reads_what_is_written() {
    let Some(lab) = Lab::new("cbh2pgn", &[CBH2PGN_PROGRAM]) else {
        return;
    };
    let (mut seen, mut bases, mut count) = (Vec::new(), Vec::new(), 0);
    for (n, (name, from, is_cbh)) in inputs().into_iter().enumerate() {
        let (base, ours) = written(&lab, n, &from);
        let out = lab.folder.join(format!("{n:02}-theirs.pgn"));
        let theirs = cbh2pgn(&base, &out);
        let mut note = |what: String| seen.push((name.clone(), what));
        if is_cbh {
            let before = lab.folder.join("before.pgn");
            if cbh2pgn(&from, &before) != theirs {
                note("another PGN than of the base that it comes from".to_owned());
            }
        }
        let (ours, theirs) = (games(&ours), games(&out));
        if ours.len() != theirs.len() {
            note(format!("{} games of {}", theirs.len(), ours.len()));
        }
        count += theirs.len();
        for (ours, theirs) in ours.iter().zip(&theirs) {
            let number = ours.number();
            let is_chess960 = matches!(&ours.header.start, Start::Setup(start) if start.chess960);
            let (ours, theirs) = (ComparedGame::of(ours), ComparedGame::of(theirs));
            for tag in TAGS {
                let (a, b) = (ours.tags.get(tag), theirs.tags.get(tag));
                if a != b && a.map(|a| as_windows(a)).as_ref() != b {
                    note(format!("game {number}: {tag}: {a:?} {b:?}"));
                }
            }
            if is_chess960 {
                continue; // cbh2pgn does not support Chess960.
            }
            let ((line, plain), (their_line, _)) = (ours.main_line(), theirs.main_line());
            if their_line.is_empty() && plain > 0 {
                note(format!("game {number}: not read"));
            } else if !line.starts_with(&their_line) || their_line.len() < plain {
                note(format!("game {number}: moves"));
            }
        }
        bases.push(name);
    }
    judge(&lab, &seen, CBH2PGN, &bases);
    lab.finish(&format!("{} bases, {count} games", bases.len()));
}
