//! Tests of databases with missing parts: files, names, the end of an index.

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::common::{GAMES, Lab};

#[test]
fn what_opening_finds_lost_counts_as_lost() {
    let lab = Lab::new();
    let index = lab.read("games.si4");
    lab.write("games.si4", &index[..index.len() - 47]);
    let fault = "games.si4: lost: si4 file, byte 0xe: the number of index entries is 2";
    let ran = lab
        .run([
            "convert",
            "games.si4",
            "two.si4",
            "--loss-report",
            "losses.tsv",
        ])
        .expect(1);
    assert_eq!(ran.err.matches(fault).count(), 1, "{}", ran.err);
    assert!(
        ran.err.starts_with("games.si4 → two.si4: 2 games\n"),
        "{}",
        ran.err
    );
    let lines = lab.text("losses.tsv");
    assert!(
        lines.contains("games.si4\t\tlost\tmismatch\t1\t\tlost: si4 file"),
        "{lines}"
    );
    let ran = lab
        .run(["convert", "--strict", "games.si4", "strict.si4"])
        .expect(1);
    assert!(ran.err.contains("nothing written, 2 games"), "{}", ran.err);
    assert!(!lab.names().contains(&"strict.si4".to_owned()));
    let ran = lab
        .run(["convert", "--json", "games.si4", "json.si4"])
        .expect(1);
    assert!(ran.out.contains("\"severity\":\"lost\""), "{}", ran.out);
    for look in [
        ["cat", "games.si4"].as_slice(),
        &["cat", "--json", "games.si4"],
        &["ls", "games.si4"],
    ] {
        let ran = lab.run(look).expect(0);
        lab.run([look, &["--strict"]].concat()).expect(3);
        assert_eq!(ran.err.matches(fault).count(), 1, "{look:?}: {}", ran.err);
    }
    // Without a problem nothing changes.
    fs::write(lab.path("games.si4"), index).unwrap();
    lab.run(["convert", "--strict", "games.si4", "strict.si4"])
        .expect(0);
}

#[test]
fn without_its_names_a_base_still_has_its_games() {
    for (format, index, games, names) in [
        ("si3", "b.si3", "b.sg3", "b.sn3"),
        ("si4", "b.si4", "b.sg4", "b.sn4"),
        ("si5", "b.si5", "b.sg5", "b.sn5"),
    ] {
        let lab = Lab::new();
        lab.run(["convert", "-q", "games.pgn", "b", "-t", format])
            .expect(0);
        fs::remove_file(lab.path(names)).unwrap();
        for named in [index, games, "b"] {
            let out = lab
                .run(["convert", "--force", named, "out.pgn"])
                .expect(1)
                .err;
            // The missing file is reported once, not for every game.
            assert!(out.contains("3 games\n"), "{named}: {out}");
            assert!(
                out.contains(&format!("{} file is missing", &names[2..])),
                "{out}"
            );
            assert!(lab.text("out.pgn").contains("2. Nf3 (2. c3 d5)"));
        }
        lab.run(["info", "b"]).expect(0);
        let out = lab.run(["check", "b"]).expect(1).out;
        assert_eq!(out.matches("lost: ").count(), 1, "{out}");
    }
}

#[test]
fn what_is_no_pgn_is_not_taken_for_pgn() {
    let lab = Lab::new();
    let mut records = lab.read("games.sg4");
    // A binary file soon contains something that a PGN lexer takes for a tag.
    records.extend_from_slice(b"\n[Event \"?\"]\n");
    lab.write("b.sg5", &records);
    let err = lab.run(["info", "b.sg5"]).expect(3).err;
    let advice = "`chessdb salvage b.sg5 OUT` may recover games";
    assert_eq!(
        err,
        format!("chessdb: b.sg5: the si5 file is missing; {advice}\n")
    );
    lab.write("records", &records);
    let err = lab.run(["info", "records"]).expect(3).err;
    assert!(err.contains("not in a known format"), "{err}");
    for command in ["info", "ls", "cat", "check"] {
        for input in [records.as_slice(), &lab.read("games.si4")] {
            let ran = lab.run_with(input, &[command, "-"]).expect(3);
            let text = "standard input: only PGN can be read from a pipe";
            assert!(ran.err.contains(text), "{command}: {}", ran.err);
        }
        lab.run_with(b"", &[command, "-"]).expect(0);
        lab.run_with(GAMES.as_bytes(), &[command, "-"]).expect(0);
    }
    // An explicit format is accepted.
    lab.run_with(&records, &["info", "-", "-f", "pgn"])
        .expect(0);
    let err = lab
        .run_with(&records, &["info", "-", "-f", "jose"])
        .expect(3)
        .err;
    assert!(err.contains("only PGN can be read from a pipe"), "{err}");
}

#[test]
fn a_packed_file_that_ends_too_early_gives_what_is_there() {
    let lab = Lab::empty();
    // Comments that hardly compress, so that half of the file contains about half of the games.
    let mut games = String::new();
    for n in 0..300_u64 {
        let noise = (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        games += &format!("[Event \"{n}\"]\n\n1. e4 {{{noise:x}}} e5 *\n\n");
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(games.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    lab.write("cut.pgn.gz", &packed[..packed.len() / 2]);
    for how in ["keep", "skip"] {
        let ran = lab
            .run([
                "convert",
                "--force",
                "cut.pgn.gz",
                "out.si4",
                "--on-error",
                how,
            ])
            .expect(1);
        assert!(
            ran.err.contains("cut.pgn.gz: lost: pgn file, byte 0x"),
            "{}",
            ran.err
        );
    }
    let listed = lab.run(["ls", "out.si4"]).expect(0).out;
    let count = listed.lines().count();
    assert!((50..250).contains(&count), "{count} games");
    assert!(
        listed
            .lines()
            .last()
            .unwrap()
            .contains(&format!("{}", count - 1))
    );
    for refused in ["--strict", "--on-error=stop"] {
        let code = if refused == "--strict" { 1 } else { 3 };
        lab.run(["convert", "cut.pgn.gz", "no.si4", refused])
            .expect(code);
    }
    assert_eq!(lab.names(), ["cut.pgn.gz", "out.sg4", "out.si4", "out.sn4"]);
    // `cat` reports that, too, and also prints the readable part of the truncated game.
    let ran = lab.run(["cat", "cut.pgn.gz"]).expect(0);
    assert_eq!(ran.out.matches("[Event ").count(), count + 1);
}

#[test]
fn games_that_are_not_there_do_not_empty_a_base() {
    let lab = Lab::new();
    let before = lab.text("games.pgn");
    for target in ["games.pgn", "-", "new.si4"] {
        let ran = lab
            .run(["convert", "--force", "games.pgn", target, "-n", "4-9"])
            .expect(1);
        let text = "chessdb: games.pgn: no such game\n";
        assert!(ran.err.ends_with(text), "{}", ran.err);
        assert_eq!(ran.out, "");
    }
    assert_eq!(lab.text("games.pgn"), before);
    assert_eq!(lab.names().len(), 4);
    // One of several sources may have none.
    lab.write("one.pgn", "[Event \"1\"]\n\n1. e4 *\n");
    lab.run(["convert", "one.pgn", "games.pgn", "third.pgn", "-n", "3"])
        .expect(0);
    assert_eq!(lab.text("third.pgn").matches("[Event ").count(), 1);
}

#[test]
fn what_is_left_of_a_base_is_not_passed_over() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "all/whole.si4"])
        .expect(4);
    fs::create_dir_all(lab.path("all/below")).unwrap();
    lab.run(["convert", "-q", "games.pgn", "all/whole.si4"])
        .expect(0);
    for (file, suffix) in [
        ("all/Left", "SG4"),
        ("all/left", "sn4"),
        ("all/below/a", "dcg"),
    ] {
        lab.write(&format!("{file}.{suffix}"), "something");
    }
    let ran = lab.run(["convert", "all", "out", "-t", "pgn"]).expect(3);
    assert!(
        ran.err.contains("all/whole.si4 → out/whole.pgn: 3 games\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("all/Left.SG4: the si4 file is missing"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("all/below/a.dcg: the dci file is missing"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.ends_with("3 databases, 3 games, 2 not read\n"),
        "{}",
        ran.err
    );
    let ran = lab.run(["info", "all"]).expect(3);
    assert!(ran.out.starts_with("all/whole.si4 "), "{}", ran.out);
    assert!(ran.err.contains("2 of 3 databases not read"), "{}", ran.err);
    let err = lab.run(["info", "all/below"]).expect(3).err;
    assert!(err.contains("a.dcg: the dci file is missing"), "{err}");
    let err = lab.run(["info", "all/left"]).expect(3).err;
    assert!(err.contains("the si4 file is missing"), "{err}");
    lab.write("index.cbi", [0; 8]);
    let err = lab.run(["info", "index"]).expect(3).err;
    assert!(err.contains("index.cbi: the cbf file is missing"), "{err}");
}

#[test]
fn games_that_a_cut_index_does_not_name_come_out() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "b.dci"]).expect(0);
    let index = lab.read("b.dci");
    lab.write("b.dci", &index[..index.len() - 2 * 39]);
    let err = lab.run(["convert", "b", "out.pgn"]).expect(1).err;
    assert!(err.starts_with("b → out.pgn: 3 games, 2 cut\n"), "{err}");
    let text = "the number of games in the index is 1, but 3 was expected";
    assert!(err.contains(text), "{err}");
    assert!(lab.text("out.pgn").contains("2. Nf3 (2. c3 d5)"));
    lab.run(["convert", "--strict", "b", "strict.pgn"])
        .expect(1);
}

#[test]
fn losses_of_one_kind_are_told_a_few_times_and_counted() {
    let lab = Lab::new();
    let games: String = (1..=7)
        .map(|n| format!("[White \"W{n}\"]\n[Result \"*\"]\n\n1. e4 Nxe9 2. d4 *\n\n"))
        .collect();
    lab.write("odd.pgn", games.as_bytes());
    lab.write("same.pgn", games.as_bytes());
    for (look, bases) in [
        (["find", "odd.pgn", "white:W"].as_slice(), 1),
        (&["tree", "odd.pgn"], 1),
        (&["stats", "odd.pgn"], 1),
        (&["names", "odd.pgn"], 1),
        (&["cat", "--json", "odd.pgn"], 1),
        (&["cat", "--format", "uci", "odd.pgn"], 1),
        (&["cat", "odd.pgn"], 1),
        (&["diff", "odd.pgn", "same.pgn"], 2),
        (&["find", "odd.pgn", "same.pgn", "white:W"], 2),
    ] {
        let ran = lab.run(look);
        let times = |text: &str| ran.err.matches(text).count();
        assert_eq!(
            times("\"Nxe9\": not a move"),
            3 * bases,
            "{look:?}: {}",
            ran.err
        );
        assert_eq!(
            times("… and 4 more of this kind"),
            bases,
            "{look:?}: {}",
            ran.err
        );
    }
}
