//! The example in C, compiled with the sanitizers if the compiler has them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{libraries, of_crate, of_repository};

const SANITIZERS: &str = "-fsanitize=address,undefined";

/// Compiles a C program. Returns `None` if there is no compiler.
fn compiled(source: &Path, folder: &Path) -> Option<PathBuf> {
    let program = folder.join("program");
    let compile = |more: &[&str]| {
        let cc = std::env::var_os("CC").unwrap_or("cc".into());
        Command::new(cc)
            .args([
                "-std=c99",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Werror",
                "-g",
            ])
            .args(more)
            .arg("-o")
            .arg(&program)
            .arg(source)
            .arg("-I")
            .arg(of_crate("."))
            .arg("-L")
            .arg(libraries())
            .args(["-lchessdb_c", "-Wl,-rpath"])
            .arg(format!("-Wl,{}", libraries().display()))
            .output()
    };
    let Ok(with) = compile(&[SANITIZERS, "-fno-sanitize-recover=all"]) else {
        println!("not run: there is no C compiler");
        return None;
    };
    if !with.status.success() {
        println!(
            "without sanitizers: {}",
            String::from_utf8_lossy(&with.stderr)
        );
        let without = compile(&[]).unwrap();
        let messages = String::from_utf8_lossy(&without.stderr);
        assert!(without.status.success(), "{messages}");
    }
    Some(program)
}

fn run(program: &Path, words: &[&str]) -> (Output, String) {
    let output = Command::new(program).args(words).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!messages.contains("Sanitizer"), "{messages}");
    assert!(!messages.contains("runtime error"), "{messages}");
    (output, messages)
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn the_example_lists_prints_and_converts() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(&of_crate("examples/games.c"), folder.path()) else {
        return;
    };
    let database = of_repository("fixtures/scid/annotated.si4");
    let database = database.to_str().unwrap();
    let target = folder.path().join("games.cbh");
    let (output, messages) = run(
        &program,
        &[database, "result:1-0", target.to_str().unwrap()],
    );
    assert_eq!(output.status.code(), Some(0), "{messages}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("si4: "), "{text}");
    assert!(text.contains("[Result \"1-0\"]"), "{text}");
    assert!(text.contains(" games written\n"), "{text}");
    assert!(fs::metadata(&target).unwrap().len() > 0);

    let (output, messages) = run(&program, &[database, "plaer:Tal"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(messages.contains("plaer"), "{messages}");
    let (output, messages) = run(&program, &["no such file.si4", "Tal"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(messages.contains("no such file.si4"), "{messages}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn misuse_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(&of_crate("tests/misuse.c"), folder.path()) else {
        return;
    };
    let database = of_repository("fixtures/scid/annotated.si4");
    let (output, messages) = run(&program, &[database.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{messages}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn changes_are_saved_and_undone() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(&of_crate("tests/edit.c"), folder.path()) else {
        return;
    };
    let base = folder.path().join("base.si4");
    let options = chessdb::Database::options();
    let games = "[White \"A\"]\n[Site \"Bled\"]\n\n1. e4 *\n\n".repeat(4);
    let db = options.open_files([("a.pgn", games)]).unwrap();
    chessdb::Converter::to(&base)
        .add_database(&db)
        .run()
        .unwrap();
    let (output, messages) = run(&program, &[base.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{messages}");
}
