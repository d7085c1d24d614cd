//! Tests of the README's promises: its commands run, its tables are true.

use std::fs;

use crate::common::{Lab, root};

/// Returns the lines of the README's console blocks that begin with `$`.
fn commands() -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut commands = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            let command = line
                .strip_prefix("$ ")
                .expect("only commands stand in console blocks");
            commands.push(command.to_owned());
        }
    }
    commands
}

#[test]
fn the_session_runs_as_it_stands() {
    let commands = commands();
    assert!(commands[0].starts_with("cargo run --release -- convert fixtures/scid/"));
    assert_eq!(commands[1], "cargo xtask ci");
    let lab = Lab::empty();
    fs::create_dir_all(lab.path("fixtures/scid")).unwrap();
    for entry in fs::read_dir(root().join("fixtures/scid")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(
            entry.path(),
            lab.path("fixtures/scid").join(entry.file_name()),
        )
        .unwrap();
    }
    let mut ran = 0;
    for command in &commands {
        let words = command.strip_prefix("cargo run --release -- ");
        let Some(words) = words.or_else(|| command.strip_prefix("chessdb ")) else {
            // The tests do not run themselves; only the alias is checked.
            assert_eq!(command, "cargo xtask ci");
            let config = fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
            assert!(config.contains("xtask ="), "{config}");
            continue;
        };
        let result = lab.run(words.split(' ')).expect(0);
        assert!(
            !(result.out + &result.err).is_empty(),
            "{command} says something"
        );
        ran += 1;
    }
    assert!(ran >= 5);
    let games = |name: &str| lab.run(["ls", name]).expect(0).out.lines().count();
    let number = games("fixtures/scid/annotated.si4");
    assert!(number >= 60);
    assert_eq!((games("games.pgn"), games("again.si4")), (number, number));
}

#[test]
fn every_command_is_described() {
    let lab = Lab::empty();
    let page = fs::read_to_string(root().join("docs/program.md")).unwrap();
    let help = lab.run(["--help"]).expect(0).out;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let mut count = 0;
    for line in list.lines() {
        let (name, what) = line.trim().split_once(' ').unwrap();
        if name == "help" {
            continue;
        }
        assert!(
            page.contains(&format!("* `{name}")) || page.contains(&format!("`{name} ")),
            "{name}"
        );
        // Every long option is documented on the page or explained in a help of one screen.
        let help = lab.run([name, "--help"]).expect(0).out;
        assert!(help.contains("--help"));
        assert!(help.starts_with(what.trim()), "{name}: {what}\n{help}");
        let lines = help.lines().count();
        assert!(lines <= 36, "{name} --help has {lines} lines");
        count += 1;
    }
    assert_eq!(count, 29);
}
