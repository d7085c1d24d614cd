//! Comparisons with Scid.

use std::{fs, path::Path, process::Command};

use chessdb::core::{FileSet, MemorySet};
use chessdb::{Database, pgn::PGN, scid::SI4};
use chessdb_proof::peer::{self, capture};
use chessdb_testkit::{fixtures, identity};

use super::{
    known::{self, KnownDifference},
    lab::{CORPUS_GAMES, Lab, PYTHON, SCID, fixtures_of, has, label, name},
};

/// The suffixes of the three files of a database.
pub(super) const SUFFIXES: [&str; 3] = ["si4", "sg4", "sn4"];

/// Compares Scid's PGN export of every database with ours, game by game as trees.
///
/// The trees are built with python-chess' board.
#[test]
fn scid_exports_the_games_that_we_export() {
    let Some(lab) = Lab::new("scid-export", &[SCID, PYTHON]) else {
        return;
    };
    let (mut bases, mut games) = (0, 0);
    let mut listed: Vec<_> = known::SCID_EXPORT.iter().collect();
    for base in lab.scid_bases() {
        // Scid may modify files that it opens, so it gets a copy.
        let label = label(&base);
        let place = lab.folder.join(format!("{bases:02}"));
        let copy = copy_base(&base, &place, SUFFIXES, &name(&base));
        let (theirs, ours) = (place.join("scid.pgn"), place.join("chessdb.pgn"));
        let count = lab
            .scid("scid_export.tcl", &[&copy, &theirs], &["base"])
            .number("games");
        // The code page that Scid assumes for a name that is not UTF-8.
        if !lab.convert(&["-e", "windows-1252"], &base, &ours).whole {
            lab.fault(format!("{label}: our conversion skipped or cut games"));
        }
        if flag_tags(&theirs) != flag_tags(&ours) {
            lab.fault(format!("{label}: the ScidFlags tags differ"));
        }
        let script: [&Path; 3] = [&theirs, &ours, Path::new("1000")];
        let answer = lab.script_on("pgn_tree.py", &script);
        let compared = format!("{count} / {count} games compared");
        let mut lines = answer.lines();
        if !lines
            .next_back()
            .is_some_and(|last| last.starts_with(&compared))
        {
            lab.fault(format!("{label}: {count} games in the base; {answer}"));
        }
        for difference in lines {
            let is_listed =
                |entry: &KnownDifference| entry.file == label && difference.starts_with(entry.says);
            if !known::SCID_EXPORT.iter().any(is_listed) {
                lab.fault(format!("{label}, {difference}"));
            }
            listed.retain(|entry| !is_listed(entry));
        }
        games += count;
        bases += 1;
    }
    for entry in listed.iter().filter(|entry| has(entry.file)) {
        lab.fault(format!("listed, but it did not occur: {entry:?}"));
    }
    lab.finish(&format!("{bases} bases, {games} games"));
}

/// Returns the ScidFlags tags in order; the trees contain only the flag for deleted games.
fn flag_tags(pgn: &Path) -> Vec<Vec<u8>> {
    let data = fs::read(pgn).unwrap();
    let lines = data.split(|&byte| byte == b'\n');
    let flags = lines.filter(|line| line.starts_with(b"[ScidFlags "));
    flags.map(|line| line.trim_ascii().to_vec()).collect()
}

/// Our si4 databases from the clean fixtures are identical byte for byte to those of Scid's import.
#[test]
fn scid_imports_clean_fixtures_to_the_same_bytes() {
    let Some(lab) = Lab::new("scid-import", &[SCID]) else {
        return;
    };
    let files = fixtures_of("pgn/clean", &["pgn"]);
    assert!(!files.is_empty());
    let (mut games, mut bytes) = (0, 0);
    for pgn in &files {
        let (more, size) = import_both(&lab, pgn);
        games += more;
        bytes += size;
    }
    let count = files.len();
    lab.finish(&format!(
        "{count} files, {games} games, {bytes} bytes compared"
    ));
}

/// Our si4 database from the first games of the corpus is identical to that of Scid's import.
#[test]
fn scid_imports_the_corpus_to_the_same_bytes() {
    let lab = Lab::new("scid-import-corpus", &[SCID]);
    let Some((pgn, lab)) = lab.and_then(|lab| Some((lab.corpus()?, lab))) else {
        return;
    };
    replace_impossible_dates(&pgn);
    let (games, bytes) = import_both(&lab, &pgn);
    assert_eq!(games, CORPUS_GAMES);
    lab.finish(&format!("{games} games, {bytes} bytes compared"));
}

/// Reduces each date with a month above 12 to its year.
///
/// Scid drops the rest of such a date; we keep its text as a tag, so the bytes would differ.
fn replace_impossible_dates(pgn: &Path) {
    let text = fs::read_to_string(pgn).unwrap();
    let replace = |line: &str| {
        let date = line.strip_prefix("[Date \"")?;
        let month: u8 = date.get(5..7)?.parse().ok()?;
        (month > 12).then(|| format!("[Date \"{}.??.??\"]\n", &date[..4]))
    };
    let lines = text.split_inclusive('\n');
    let replaced: String = lines
        .map(|line| replace(line).unwrap_or_else(|| line.to_owned()))
        .collect();
    assert_ne!(text, replaced, "no impossible date: this function can go");
    fs::write(pgn, replaced).unwrap();
}

/// Imports a PGN file with both programs and compares the files.
///
/// Returns Scid's number of games and the total size of its files in bytes.
fn import_both(lab: &Lab, pgn: &Path) -> (u64, u64) {
    let (theirs, ours) = (lab.folder.join("scid"), lab.folder.join("chessdb"));
    for base in [&theirs, &ours] {
        for suffix in SUFFIXES {
            let _ = fs::remove_file(base.with_extension(suffix));
        }
    }
    let answer = lab.scid("scid_import.tcl", &[pgn, &theirs], &[]);
    let warnings = answer.value("warnings");
    if !warnings.is_empty() {
        lab.fault(format!("{}: not clean, Scid warns: {warnings}", name(pgn)));
    }
    if !lab.convert(&[], pgn, &ours.with_extension("si4")).whole {
        lab.fault(format!(
            "{}: our conversion skipped or cut games",
            name(pgn)
        ));
    }
    let [peer, own] = [&theirs, &ours].map(|base| fixtures::load_set(base, SI4.roles));
    if let Some(difference) = identity::first_difference(&peer, &own) {
        lab.fault(format!("{}, Scid / ours: {difference}", name(pgn)));
    }
    let bytes = peer.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    (answer.number("games"), bytes)
}

/// Scid opens every database we write: rewritten databases, and databases made from PGN.
#[test]
fn scid_opens_every_base_we_write() {
    let Some(lab) = Lab::new("scid-open", &[SCID]) else {
        return;
    };
    let mut inputs = fixtures_of("pgn", &["pgn"]);
    inputs.extend(lab.scid_bases());
    let mut games = 0;
    for (n, input) in inputs.iter().enumerate() {
        let base = lab.folder.join(format!("{n:03}.si4"));
        let written = lab.convert(&[], input, &base).written;
        let answer = lab.scid("scid_open.tcl", &[&base], &[]);
        if input.extension().is_some_and(|suffix| suffix == "si4") {
            // A rewritten database keeps its own data and all flags.
            let place = lab.folder.join(format!("{n:03}-original"));
            let original = copy_base(input, &place, SUFFIXES, &name(input));
            let before = lab.scid("scid_open.tcl", &[&original], &[]);
            if before != answer {
                lab.fault(format!(
                    "{}: Scid sees {before:?} / {answer:?}",
                    name(input)
                ));
            }
        }
        games += written;
        let (seen, unreadable) = (answer.number("games"), answer.number("unreadable"));
        if seen != written || unreadable != 0 {
            lab.fault(format!(
                "{}: {written} games written, Scid: {answer:?}",
                name(input)
            ));
        }
    }
    lab.finish(&format!(
        "{} bases written, {games} games read by Scid",
        inputs.len()
    ));
}

/// The script of docs/how-to/import-into-scid.md converts a database of ChessBase and opens it.
#[test]
fn scid_imports_chessbase_by_a_script() {
    let Some(lab) = Lab::new("scid-script", &[SCID]) else {
        return;
    };
    let script = fixtures::root().join("../crates/chessdb-c/examples/scid_import.tcl");
    let run = |source: &Path, target: &Path| {
        let mut tkscid = Command::new(peer::find("tkscid").unwrap());
        tkscid.arg(&script).args([source, target]);
        capture(tkscid.env("CHESSDB", &lab.program))
    };
    let sources = fixtures_of("cbh", &["cbh"]);
    for (n, source) in sources.iter().enumerate() {
        let target = lab.folder.join(format!("{n}.si4"));
        let games = Database::open(source).unwrap().len().unwrap();
        let ran = run(source, &target);
        let expected = format!(": {games} games in Scid");
        assert!(ran.code == 0 && ran.out.contains(&expected), "{ran:?}");
        // The target exists now.
        assert_eq!(run(source, &target).code, 1);
    }
    assert_eq!(
        run(&lab.folder.join("none.cbh"), &lab.folder.join("x")).code,
        1
    );
    lab.finish(&format!("{} databases imported", sources.len()));
}

/// Scid reads every game of the SCID 3 databases we write, and exports the same text as from our
/// si4 with these games.
///
/// Scid 4.7 reads SCID 3 databases if the files have the names of SCID 4.
#[test]
fn scid_opens_every_base_of_scid_3_we_write() {
    let Some(lab) = Lab::new("scid-open-si3", &[SCID]) else {
        return;
    };
    let mut inputs = fixtures_of("pgn/clean", &["pgn"]);
    inputs.extend(lab.scid_bases());
    let (mut games, mut bytes) = (0, 0);
    for (n, input) in inputs.iter().enumerate() {
        let label = label(input);
        let old = lab.folder.join(format!("{n:03}.si3"));
        let written = lab.convert(&[], input, &old).written;
        let place = lab.folder.join(format!("{n:03}-si3"));
        let renamed = copy_base(&old, &place, ["si3", "sg3", "sn3"], "base.si4");
        let answer = lab.scid("scid_open.tcl", &[&renamed], &[]);
        games += written;
        if answer.number("games") != written || answer.number("unreadable") != 0 {
            lab.fault(format!(
                "{label}: {written} games written, Scid: {answer:?}"
            ));
        }
        // A game that is too long for SCID 3 loses its comments or is left out.
        let short = lab.folder.join(format!("{n:03}.si4"));
        let whole = lab.convert(&[], &old, &short);
        if !whole.whole || whole.written != written {
            lab.fault(format!("{label}: si3 to si4 lost something"));
        }
        let export = |base: &Path, pgn: &str| {
            let pgn = place.join(pgn);
            lab.scid("scid_export.tcl", &[base, &pgn], &[]);
            let mut text = MemorySet::new();
            text.insert(PGN.roles[0], fs::read(pgn).unwrap());
            text
        };
        let (from_old, from_new) = (export(&renamed, "si3.pgn"), export(&short, "si4.pgn"));
        bytes += from_old.get(PGN.roles[0]).map_or(0, <[u8]>::len);
        if let Some(difference) = identity::first_difference(&from_new, &from_old) {
            lab.fault(format!(
                "{label}: Scid's exports of si4 and si3 differ: {difference}"
            ));
        }
    }
    let bases = inputs.len();
    lab.finish(&format!(
        "{bases} bases written, {games} games, {bytes} bytes of export compared"
    ));
}

/// Copies the files of a database with these suffixes, renamed as SCID 4 files; returns the path of
/// the copy.
pub(super) fn copy_base(
    base: &Path,
    to: &Path,
    suffixes: [&str; 3],
    name: &str,
) -> std::path::PathBuf {
    fs::create_dir_all(to).unwrap();
    let copy = to.join(name);
    for (old, new) in suffixes.into_iter().zip(SUFFIXES) {
        // Not `copy`, which would also copy the permissions.
        let data = fs::read(base.with_extension(old)).unwrap();
        fs::write(copy.with_extension(new), data).unwrap();
    }
    copy
}
