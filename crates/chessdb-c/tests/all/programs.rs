//! Programs in C that use the library, compiled with the sanitizers if the compiler has them.

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
            .args("-std=c99 -Wall -Wextra -Wpedantic -Werror -g".split(' '))
            .args(more)
            .arg("-o")
            .arg(&program)
            .arg(source)
            .arg("-I")
            .arg(of_crate("."))
            .arg("-L")
            .arg(libraries())
            .arg("-lchessdb_c")
            .arg(format!("-Wl,-rpath,{}", libraries().display()))
            .output()
    };
    let Ok(with) = compile(&[SANITIZERS, "-fno-sanitize-recover=all"]) else {
        println!("not run: there is no C compiler");
        return None;
    };
    if !with.status.success() {
        let messages = String::from_utf8_lossy(&with.stderr);
        println!("without sanitizers: {messages}");
        let without = compile(&[]).unwrap();
        let messages = String::from_utf8_lossy(&without.stderr);
        assert!(without.status.success(), "{messages}");
    }
    Some(program)
}

/// Runs a program in a folder. Returns its output and its messages.
fn run(program: &Path, folder: &Path, words: &[&str]) -> (Output, String) {
    let mut command = Command::new(program);
    output(command.args(words).current_dir(folder))
}

fn output(command: &mut Command) -> (Output, String) {
    // Cargo names the folder of the last build there, which may have an older library.
    let output = command.env_remove("LD_LIBRARY_PATH").output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!messages.contains("Sanitizer"), "{messages}");
    assert!(!messages.contains("runtime error"), "{messages}");
    (output, messages)
}

/// Compiles a program of this crate and runs it with each list of arguments in an empty folder, which
/// `prepare` fills. The program must succeed.
fn succeeds(source: &str, prepare: impl FnOnce(&Path), runs: &[&[&str]]) {
    let (folder, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(program) = compiled(&of_crate(source), folder.path()) else {
        return;
    };
    prepare(work.path());
    for words in runs {
        let (output, messages) = run(&program, work.path(), words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {messages}");
    }
}

/// Checks what an example prints that lists the games of `annotated` with `result:1-0`.
fn expect_list(output: &Output, messages: &str) {
    assert_eq!(output.status.code(), Some(0), "{messages}");
    let text = String::from_utf8_lossy(&output.stdout);
    for part in [
        "\n12 of 70 games\n",
        "\npage of 12 rows from row 1: ",
        "\n1 | 1851.06.21 | Anderssen, Adolf | Kieseritzky, Lionel | 1-0 | London casual\n",
        "e4 e5 ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn annotated() -> String {
    let path = of_repository("fixtures/scid/annotated.si4");
    let path = path.canonicalize().unwrap();
    path.to_str().unwrap().to_owned()
}

/// Writes a database in the format of its suffix from PGN.
fn write_database(path: &Path, games: &str, password: &str) {
    let options = chessdb::Database::options();
    let db = options.open_files([("a.pgn", games)]).unwrap();
    let converter = chessdb::Converter::to(path).add_database(&db);
    converter.password(password).run().unwrap();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn the_example_lists_prints_and_converts() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(&of_crate("examples/games.c"), folder.path()) else {
        return;
    };
    let database = annotated();
    let words = [&database, "result:1-0", "games.cbh"];
    let (output, messages) = run(&program, folder.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{messages}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("si4: "), "{text}");
    assert!(text.contains("\t1-0\n"), "{text}");
    assert!(text.contains("\ne2-e4 e4\n"), "{text}");
    assert!(text.contains("[Result \"1-0\"]"), "{text}");
    assert!(text.contains(" games written\n"), "{text}");
    assert!(fs::metadata(folder.path().join("games.cbh")).unwrap().len() > 0);
    assert!(messages.contains("0 of "), "{messages}");

    for (database, query, part) in [
        (database.as_str(), "plaer:Tal", "plaer"),
        ("no such file.si4", "Tal", "no such file.si4"),
    ] {
        let (output, messages) = run(&program, folder.path(), &[database, query]);
        assert_eq!(output.status.code(), Some(3));
        assert!(messages.contains(part), "{messages}");
    }
}

/// Every format that can be changed accepts games in a database that was created empty.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn the_example_writes_games_of_memory_to_a_new_database() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(&of_crate("examples/write.c"), folder.path()) else {
        return;
    };
    let games = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. d4 (1. c4) *\n";
    fs::write(folder.path().join("games.pgn"), games).unwrap();
    for suffix in ["pgn", "si4", "si5", "cbh", "cbf"] {
        let target = format!("new.{suffix}");
        let (output, messages) = run(&program, folder.path(), &["games.pgn", &target]);
        assert_eq!(output.status.code(), Some(0), "{suffix}: {messages}");
        let db = chessdb::Database::open(folder.path().join(&target)).unwrap();
        assert_eq!(db.len().unwrap(), 2, "{suffix}");
        let second = db.game(1).unwrap();
        assert_eq!(
            (&*second.white(), second.sans()),
            ("B", vec!["d4".to_owned()]),
            "{suffix}"
        );
    }
    let (output, messages) = run(&program, folder.path(), &["games.pgn", "new.pgn"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(messages.contains("cannot create"), "{messages}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn misuse_is_an_error() {
    succeeds("tests/misuse.c", |_| {}, &[&[&annotated()]]);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn random_calls_keep_the_promises() {
    let database = annotated();
    let calls = std::env::var("CHESSDB_CALLS").unwrap_or("5000".to_owned());
    for seed in ["1", "2", "3"] {
        succeeds(
            "tests/random_calls.c",
            |_| {},
            &[&[&database, ".", seed, &calls]],
        );
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn rows_moves_memory_and_progress() {
    // Names in windows-1251.
    let games =
        b"[White \"\xC0\"]\n[Black \"\xC1\"]\n\n1. e4 (1. d4 d5 (1... Nf6)) (1. c4) e5 *\n\n\
        [White \"A\tB\"]\n[Black \"\xC6\"]\n[Mode \"OTB\"]\n[Result \"1-0\"]\n\
        [FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. a8=Q+ Kd7 2. O-O 1-0\n";
    let prepare = |folder: &Path| {
        fs::write(folder.join("a.pgn"), games).unwrap();
        write_database(&folder.join("locked.cbz"), "1. e4 *", "geheim");
    };
    let database = annotated();
    let words = [database.as_str(), "a.pgn", "copy.si4", "locked.cbz"];
    succeeds("tests/games.c", prepare, &[&words]);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn changes_are_saved_and_undone() {
    let games = "[White \"A\"]\n[Site \"Bled\"]\n\n1. e4 *\n\n".repeat(4);
    let prepare = |folder: &Path| write_database(&folder.join("base.si4"), &games, "");
    succeeds("tests/edit.c", prepare, &[&["base.si4"]]);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn the_example_in_python_lists_games() {
    let library = libraries().join("libchessdb_c.so");
    let mut python = Command::new("python3");
    python.arg(of_crate("examples/games.py")).arg(&library);
    let (output, messages) = output(python.args([&annotated(), "result:1-0"]));
    expect_list(&output, &messages);
    let mut python = Command::new("python3");
    python.arg(of_crate("examples/games.py")).arg(&library);
    let (output, messages) = self::output(python.arg("no such file.cbh"));
    assert_eq!(output.status.code(), Some(1));
    assert!(messages.contains("no such file.cbh"), "{messages}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the options are those of Linux")]
fn the_example_in_tcl_lists_games() {
    let flags = Command::new("pkg-config")
        .args(["--cflags", "--libs", "tcl"])
        .output();
    let Some(flags) = flags.ok().filter(|flags| flags.status.success()) else {
        println!("not run: pkg-config and tcl-dev are not installed");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let module = folder.path().join("chessdbtcl.so");
    let mut compile = Command::new(std::env::var_os("CC").unwrap_or("cc".into()));
    compile
        .args("-std=c99 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -DUSE_TCL_STUBS".split(' '))
        .arg(of_crate("examples/tcl_module.c"))
        .arg("-o")
        .arg(&module)
        .arg("-I")
        .arg(of_crate("."))
        .args(String::from_utf8(flags.stdout).unwrap().split_whitespace())
        .arg("-L")
        .arg(libraries())
        .arg("-lchessdb_c")
        .arg(format!("-Wl,-rpath,{}", libraries().display()));
    let (compiled, messages) = output(&mut compile);
    assert!(compiled.status.success(), "{messages}");
    let list = |path: &str| {
        let mut tcl = Command::new("tclsh");
        tcl.arg(of_crate("examples/games.tcl")).arg(&module);
        output(tcl.args([path, "result:1-0"]))
    };
    let (output, messages) = list(&annotated());
    expect_list(&output, &messages);
    let (output, messages) = list("no such file.cbh");
    assert_eq!(output.status.code(), Some(1));
    assert!(messages.contains("no such file.cbh"), "{messages}");
}
