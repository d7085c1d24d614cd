//! The examples are short and work.
#![cfg(all(feature = "cbf", feature = "pgn", feature = "scid"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs an example with these arguments in a folder and returns its output.
fn run(name: &str, arguments: &[&str], folder: &Path) -> String {
    let test = std::env::current_exe().unwrap();
    let build = test.parent().unwrap().parent().unwrap();
    let program = build.join("examples").join(name);
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{} is built by `cargo build -p chessdb --examples`, and by every `cargo test`",
        program.display()
    );
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{name}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn fixture(name: &str) -> String {
    let path = fs::canonicalize(root().join("fixtures").join(name)).unwrap();
    path.into_os_string().into_string().unwrap()
}

#[test]
fn examples_fit_a_glance() {
    let mut count = 0;
    for entry in fs::read_dir(root().join("crates/chessdb/examples")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let program = text.lines().filter(|line| !line.starts_with("//!"));
        assert!(program.count() <= 25, "{}", path.display());
        count += 1;
    }
    assert!(count >= 10);
}

#[test]
fn what_is_counted_is_there() {
    let here = tempfile::tempdir().unwrap();
    let base = fixture("scid/annotated.si4");
    let results = run("results", &[&base], here.path());
    let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<u32>().unwrap();
    let games: u32 = results.lines().map(number).sum();
    assert!(games >= 60, "{results}");
    let players = run("players", &[&base], here.path());
    let count = |line: &str| {
        line.split_whitespace()
            .next()
            .unwrap()
            .parse::<u32>()
            .unwrap()
    };
    assert_eq!(players.lines().map(count).sum::<u32>(), 2 * games);
    let player = players.lines().next().unwrap()[6..].to_owned();
    let printed = run("player", &[&base, &player], here.path());
    assert!(printed.lines().count() as u32 >= count(&players));
    assert!(
        printed.lines().all(|line| line.contains(&player)),
        "{printed}"
    );
    let plies = run("plies", &[&base], here.path());
    assert!(plies.trim().parse::<u32>().unwrap() > 1000);
    assert_eq!(run("cores", &[&base], here.path()), plies);
}

#[test]
fn an_open_base_is_asked() {
    let here = tempfile::tempdir().unwrap();
    let base = fixture("scid/annotated.si4");
    let said = run(
        "ask",
        &[&base, "result:1-0", "-result:1-0", "has:comments"],
        here.path(),
    );
    let found = |line: &str| line.split('\t').next().unwrap().parse::<u32>().unwrap();
    let found: Vec<u32> = said.lines().map(found).collect();
    let results = run("results", &[&base], here.path());
    let all: u32 = results
        .lines()
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u32>().unwrap())
        .sum();
    assert_eq!((found.len(), found[0] + found[1]), (3, all), "{said}");
    assert!(found[2] > 0, "{said}");
}

#[test]
fn a_query_finds_games_and_positions() {
    let here = tempfile::tempdir().unwrap();
    let base = fixture("scid/miniatures.si4");
    let found = run("find", &[&base, "sub:Qh5"], here.path());
    assert!(found.lines().count() > 0);
    assert!(
        found.lines().all(|line| line.ends_with(" half-moves")),
        "{found}"
    );
    let won = run("find", &[&base, "result:1-0"], here.path());
    assert!(won.lines().count() > 0);
    assert!(won.lines().all(|line| line.ends_with(", 1-0")), "{won}");
}

#[test]
fn a_conversion_says_what_was_lost() {
    let here = tempfile::tempdir().unwrap();
    let base = fixture("scid/annotated.si4");
    let report = run("convert", &[&base, "games.cbf"], here.path());
    assert!(
        report.lines().next().unwrap().ends_with(" games"),
        "{report}"
    );
    assert!(
        report
            .lines()
            .skip(1)
            .all(|line| line.as_bytes()[0].is_ascii_digit())
    );
    assert!(report.contains("(game"), "{report}");
    let files = ["games.cbf", "games.cbi"];
    let again = run("memory", &files, here.path());
    assert_eq!(again.split(' ').next(), report.split(' ').next());
    assert!(run("wrong", &["games.cbi"], here.path()).ends_with(" games\n"));
    fs::write(here.path().join("letter.txt"), "Dear Sir,").unwrap();
    let refused = run("wrong", &["letter.txt"], here.path());
    assert_eq!(refused, "no chess database\n");
}

#[test]
fn what_is_written_can_be_read() {
    let here = tempfile::tempdir().unwrap();
    assert_eq!(run("write", &["new.si4"], here.path()), "2 games\n");
    let printed = run("player", &["new.si4", "Anderssen"], here.path());
    assert!(
        printed.contains("1851") && printed.ends_with("e4 e5 f4\n"),
        "{printed}"
    );
    let tree = run("tree", &["new.si4", "1"], here.path());
    assert!(tree.contains("Bg4 [2] pins"), "{tree}");
    let base = fixture("scid/annotated.si4");
    let kept = run("filter", &[&base, "white.pgn"], here.path());
    assert!(kept.lines().next().unwrap().ends_with(" games"), "{kept}");
    let results = run("results", &["white.pgn"], here.path());
    assert_eq!(results.lines().count(), 1, "{results}");
    assert!(results.starts_with("1-0 "), "{results}");
}
