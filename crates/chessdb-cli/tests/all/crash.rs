//! Writing that fails because space or rights are missing: the old database remains.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::common::{GAMES, Lab, Ran};
use crate::interrupted::interrupted;
use crate::old_database::{content, many, own_suffixes, suffixes};

/// Runs the program with a file size limit in blocks of 512 bytes. Exceeding it is an error instead
/// of a signal.
pub(crate) fn with_limit(lab: &Lab, blocks: u32, args: &[&str]) -> Ran {
    let program = env!("CARGO_BIN_EXE_chessdb");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    let folder = lab.path("");
    command.current_dir(folder).args(["-c", &script, program]);
    Ran::of(command.args(args).output().unwrap())
}

#[test]
fn a_file_that_cannot_grow_leaves_the_old_base() {
    for suffix in own_suffixes() {
        let lab = many(suffix);
        let target = format!("base.{suffix}");
        let before = content(&lab);
        for blocks in [0, 1, 3] {
            // Repeated moves result in a small book and a small table.
            if suffix == "fbk" && blocks > 0 {
                continue;
            }
            let args = ["convert", "-q", "--force", "many.pgn", &target];
            let ran = with_limit(&lab, blocks, &args).expect(4);
            assert!(
                ran.err.contains("; this database was not changed"),
                "{}",
                ran.err
            );
            assert!(ran.err.contains("base."), "{}", ran.err);
            assert!(content(&lab) == before, "{suffix} with {blocks} blocks");
        }
    }
}

/// Changes in place of a SCID database: a mark, a new name, a new record, more games.
const CHANGES: [&[&str]; 4] = [
    &["delete", "-n", "1"],
    &["tag", "-n", "2", "--set", "White=A player without games"],
    &["tag", "-n", "3", "--set", "Annotator=Someone"],
    &["convert", "--append", "many.pgn"],
];

#[test]
fn a_change_in_place_that_cannot_be_written_changes_nothing() {
    for suffix in ["si3", "si4", "si5"] {
        let lab = many(suffix);
        let target = &*format!("base.{suffix}");
        let before = content(&lab);
        for change in CHANGES {
            let args = [change, &["-q", target]].concat();
            let ran = with_limit(&lab, 0, &args).expect(4);
            assert!(ran.err.contains("base."), "{}", ran.err);
            assert!(content(&lab) == before, "{suffix}: {change:?}");
            let ran = without_rights(&lab, &args).expect(4);
            assert!(ran.err.contains("Permission denied"), "{}", ran.err);
            assert!(ran.err.contains("its folder must be"), "{}", ran.err);
            assert!(content(&lab) == before, "{suffix}: {change:?}");
        }
    }
}

#[test]
fn a_full_disk_leaves_the_old_base() {
    let lab = Lab::empty();
    let disk = lab.path("disk");
    fs::create_dir(&disk).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=256k", "none"]);
    if !mount
        .arg(&disk)
        .output()
        .is_ok_and(|ran| ran.status.success())
    {
        println!("not run: a small disk cannot be mounted here");
        return;
    }
    // The disk is unmounted in any case.
    let result = std::panic::catch_unwind(|| {
        lab.write("games.pgn", GAMES);
        lab.write("many.pgn", GAMES.repeat(2000));
        for suffix in ["si3", "si4", "si5"] {
            let target = format!("disk/base.{suffix}");
            lab.run(["convert", "-q", "games.pgn", &target]).expect(0);
            // As much as fits, with or without an error at the end.
            let _ = fs::write(disk.join("full"), vec![1; 256 << 10]);
            let before = content(&lab);
            for change in CHANGES {
                let ran = lab.run([change, &["-q", &target]].concat()).expect(4);
                assert!(ran.err.contains("No space left"), "{}", ran.err);
                assert!(ran.err.contains("free some space"), "{}", ran.err);
                assert!(content(&lab) == before, "{suffix}: {change:?}");
            }
            for entry in fs::read_dir(&disk).unwrap() {
                fs::remove_file(entry.unwrap().path()).unwrap();
            }
        }
        // Repeated moves result in a small book and a small table.
        for suffix in suffixes().filter(|suffix| !matches!(*suffix, "fbk" | "parquet")) {
            let target = format!("disk/base.{suffix}");
            let ran = lab.run(["convert", "-q", "games.pgn", &target]);
            assert!(ran.code < 2, "{suffix}: {}", ran.err);
            let before = content(&lab);
            let ran = lab.run(["convert", "-q", "--force", "many.pgn", &target]);
            let ran = ran.expect(4);
            // SQLite has words of its own.
            let is_full = ["No space left", "disk is full"].map(|words| ran.err.contains(words));
            assert!(is_full.contains(&true), "{}", ran.err);
            assert!(
                ran.err.contains("; this database was not changed"),
                "{}",
                ran.err
            );
            assert!(content(&lab) == before, "{suffix}");
            for entry in fs::read_dir(&disk).unwrap() {
                fs::remove_file(entry.unwrap().path()).unwrap();
            }
        }
    });
    assert!(
        Command::new("umount")
            .arg(&disk)
            .status()
            .unwrap()
            .success()
    );
    result.unwrap();
}

/// Runs the program as a user who may not change anything in the folder.
fn without_rights(lab: &Lab, args: &[&str]) -> Ran {
    let folder = lab.path("");
    let rights = |mode| fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
    // The program may be in a folder that only its builder can access.
    let outside = tempfile::tempdir().unwrap();
    fs::set_permissions(outside.path(), Permissions::from_mode(0o755)).unwrap();
    let program = outside.path().join("chessdb");
    // Copied by another process: a file that this process has open for writing, even if only in a
    // child started by a concurrent test, cannot be executed.
    let copy = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_chessdb"))
        .arg(&program)
        .status();
    assert!(copy.unwrap().success());
    let mut command = Command::new(program);
    command.current_dir(&folder).args(args);
    if fs::metadata(&folder).unwrap().uid() == 0 {
        command.uid(65534).gid(65534);
    }
    rights(0o555);
    let output = command.output();
    rights(0o755);
    Ran::of(output.unwrap())
}

#[test]
fn a_folder_that_may_not_be_changed_is_said_and_left_alone() {
    let lab = many("si4");
    let before = content(&lab);
    let new = suffixes().map(|suffix| format!("new.{suffix}"));
    for target in new.chain(["base.si4".to_owned()]) {
        let args = ["convert", "-q", "--force", "many.pgn", &target];
        let ran = without_rights(&lab, &args).expect(4);
        assert!(ran.err.contains("Permission denied"), "{}", ran.err);
        assert!(content(&lab) == before, "{target}");
    }
    without_rights(&lab, &["check", "base.si4"]).expect(0);
}

#[test]
fn without_rights_the_new_base_is_read_under_hidden_names() {
    let Some(lab) = interrupted() else { return };
    let before = content(&lab);
    for name in ["base", "base.si4", "base.sn4"] {
        let ran = without_rights(&lab, &["check", name]).expect(0);
        assert!(ran.err.contains("is not writable"), "{}", ran.err);
        assert!(ran.out.contains("1,200 games, no damage"), "{}", ran.out);
    }
    let args = ["convert", "-q", "--force", "games.pgn", "base.si4"];
    let ran = without_rights(&lab, &args).expect(4);
    assert!(ran.err.contains("denied"), "{}", ran.err);
    assert!(content(&lab) == before);
}
