//! Tests that report files, images and lists never replace a database.

use std::fs;

use crate::common::{Lab, symlink};

/// Options that name a file to write, each in a command.
const REPORTS: &[&[&str]] = &[
    &["convert", "games.si4", "out.pgn", "--loss-report", "FILE"],
    &[
        "merge",
        "games.si4",
        "games.pgn",
        "out.pgn",
        "--loss-report",
        "FILE",
    ],
    &[
        "sort",
        "games.si4",
        "out.pgn",
        "--by",
        "date",
        "--loss-report",
        "FILE",
    ],
    &["eco", "games.si4", "out.pgn", "--loss-report", "FILE"],
    &["dedupe", "games.si4", "out.pgn", "--map", "FILE"],
    &[
        "split",
        "games.si4",
        "--by",
        "year",
        "-o",
        "parts",
        "--loss-report",
        "FILE",
    ],
    &["salvage", "games.si4", "out.pgn", "--report", "FILE"],
    &["stats", "games.si4", "--svg", "FILE"],
    &["stats", "games.si4", "--html", "FILE"],
];

#[test]
fn reports_never_replace_a_database_that_is_read() {
    let lab = Lab::new();
    fs::create_dir(lab.path("sub")).unwrap();
    fs::hard_link(lab.path("games.sg4"), lab.path("hard")).unwrap();
    if !symlink("games.sn4", lab.path("soft")) {
        fs::hard_link(lab.path("games.sn4"), lab.path("soft")).unwrap();
    }
    let before: Vec<_> = ["games.si4", "games.sg4", "games.sn4", "games.pgn"]
        .map(|name| lab.read(name))
        .into();
    let files = [
        "games.si4",
        "./games.sg4",
        "games.sn4",
        "sub/../games.si4",
        "hard",
        "soft",
        "games.si4.chessdb-index",
        "games.si3",
        "out.pgn",
    ];
    for args in REPORTS {
        for file in files {
            for force in [false, true] {
                let what = format!("{args:?} {file} {force}");
                // In these cases the file is neither an input nor an output.
                let is_other =
                    file == "games.si3" || file == "out.pgn" && !args.contains(&"out.pgn");
                if is_other {
                    continue;
                }
                let mut args: Vec<&str> = args
                    .iter()
                    .map(|arg| if *arg == "FILE" { file } else { *arg })
                    .collect();
                args.extend(force.then_some("--force"));
                let ran = lab.run(&args).expect(4);
                assert!(
                    ran.err.contains("choose another name"),
                    "{what}: {}",
                    ran.err
                );
                let after: Vec<_> = ["games.si4", "games.sg4", "games.sn4", "games.pgn"]
                    .map(|name| lab.read(name))
                    .into();
                assert!(after == before, "{what}");
                assert!(!lab.path("games.si4.chessdb-index").exists(), "{what}");
            }
        }
    }
}

#[test]
fn reports_replace_a_file_only_if_asked() {
    let lab = Lab::new();
    for args in REPORTS {
        for name in ["report", "other.pgn"] {
            lab.write(name, "precious");
            let args: Vec<&str> = args
                .iter()
                .map(|arg| if *arg == "FILE" { name } else { *arg })
                .collect();
            let ran = lab.run(&args).expect(4);
            assert!(
                ran.err.contains("use --force to replace it"),
                "{args:?}: {}",
                ran.err
            );
            assert_eq!(lab.text(name), "precious", "{args:?}");
            let ran = lab.run([&args[..], &["--force"]].concat());
            assert!(ran.code < 2, "{args:?}: {}", ran.err);
            assert_ne!(lab.text(name), "precious", "{args:?}");
        }
        for name in ["out.pgn", "report", "other.pgn"] {
            let _ = fs::remove_file(lab.path(name));
        }
        let _ = fs::remove_dir_all(lab.path("parts"));
        // A failing command leaves no file.
        let args: Vec<&str> = args
            .iter()
            .map(|arg| match *arg {
                "FILE" => "report",
                "games.si4" => "missing.si4",
                arg => arg,
            })
            .collect();
        assert_ne!(lab.run(&args).code, 0);
        assert!(!lab.path("report").exists(), "{args:?}");
    }
    // Manual pages.
    lab.run(["man", "--dir", "man"]).expect(0);
    lab.run(["man", "--dir", "man"]).expect(4);
    lab.run(["man", "--dir", "man", "--force"]).expect(0);
}

#[cfg(unix)]
#[test]
fn a_report_is_written_to_a_pipe() {
    use crate::common::{end, fifo, start};
    let lab = Lab::new();
    fifo(&lab, "pipe");
    let child = start(
        &lab,
        &["convert", "games.si4", "p.pgn", "--loss-report", "pipe"],
    );
    let report = fs::read_to_string(lab.path("pipe")).unwrap();
    assert!(report.starts_with("source\tgame"), "{report}");
    end(child, "a pipe").expect(0);
}
