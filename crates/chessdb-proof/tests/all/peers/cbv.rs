//! Comparisons of ChessBase archives with uncbv.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use chessdb::cbh::archive::{Packing, pack};
use chessdb_proof::peer::{self, capture};
use chessdb_testkit::fixtures;

use super::lab::{Lab, UNCBV, name};

/// The members of an archive, by name.
type Members = BTreeMap<String, Vec<u8>>;

/// Extracts an archive with uncbv.
fn theirs(lab: &Lab, archive: &Path) -> Members {
    let out = lab.folder.join("out");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir(&out).unwrap();
    let mut command = Command::new(peer::find(UNCBV.0).unwrap());
    command.arg("extract").arg(archive).arg("--no-confirm");
    capture(command.arg("--output").arg(&out)).success();
    let mut members = Members::new();
    let mut folders = vec![out.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(&out).unwrap();
                members.insert(below.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    members
}

/// uncbv extracts from our archives the files that we packed.
#[test]
fn uncbv_opens_what_is_packed() {
    let Some(lab) = Lab::new("uncbv-packed", &[UNCBV]) else {
        return;
    };
    let mut files = Members::new();
    for folder in ["pgn/clean", "cbf", "scid"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            files.insert(format!("{folder}/{}", name(&path)), fixtures::read(&path));
        }
    }
    files.insert("empty".to_owned(), Vec::new());
    files.insert("runs".to_owned(), vec![7; 200_000]);
    let named: Vec<_> = files
        .iter()
        .map(|(name, bytes)| (name.replace('/', "\\"), bytes))
        .collect();
    for packing in [Packing::Stored, Packing::Smallest] {
        let files_of = named
            .iter()
            .map(|(name, bytes)| (name.as_bytes(), bytes.as_slice()));
        let archive = lab.folder.join("new.cbv");
        fs::write(&archive, pack(files_of, packing).unwrap()).unwrap();
        if theirs(&lab, &archive) != files {
            lab.fault(format!("{packing:?}: other members"));
        }
    }
    lab.finish(&format!("{} files", files.len()));
}

/// uncbv extracts from a converted archive the files that a conversion without an archive writes.
#[test]
fn uncbv_opens_what_is_converted() {
    let Some(lab) = Lab::new("uncbv-converted", &[UNCBV]) else {
        return;
    };
    let source = fixtures::path("pgn/clean/masters.pgn");
    let (archive, base) = (lab.folder.join("new.cbv"), lab.folder.join("new.cbh"));
    for target in [&archive, &base] {
        let source = chessdb::Database::open(&source).unwrap();
        chessdb::Converter::to(target)
            .add_database(&source)
            .run()
            .unwrap();
    }
    let theirs = theirs(&lab, &archive);
    for (name, bytes) in &theirs {
        if fs::read(lab.folder.join(name)).ok().as_ref() != Some(bytes) {
            lab.fault(format!("{name}: other bytes"));
        }
    }
    if !theirs.contains_key("new.cbh") || !theirs.contains_key("new.cbg") {
        lab.fault(format!("{:?}", theirs.keys()));
    }
    lab.finish(&format!("{} files", theirs.len()));
}

/// We extract from genuine archives the same members as uncbv.
#[test]
fn members_are_those_of_uncbv() {
    let Some(lab) = Lab::new("uncbv-members", &[UNCBV]) else {
        return;
    };
    let mut count = 0;
    for path in ["small/small.cbv", "twic1134/twic1134.cbv", "lundi/test.cbv"] {
        let Some(path) = fixtures::testdata(&format!("fixtures-real/cbh/{path}")) else {
            return peer::not_run("CHESSDB_TESTDATA is not set");
        };
        let theirs = theirs(&lab, &path);
        let base = chessdb::fs::find(&path).unwrap();
        let roles: Vec<_> = base.files().to_vec();
        let set = base.read().unwrap();
        for (role, file) in roles {
            let ours = chessdb::core::FileSet::get(&set, role);
            if theirs.get(&file.display().to_string()).map(Vec::as_slice) != ours {
                lab.fault(format!("{}: {}", path.display(), file.display()));
            }
            count += 1;
        }
    }
    lab.finish(&format!("{count} files"));
}
