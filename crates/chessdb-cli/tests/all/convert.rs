//! Tests of `convert`: output, refusals and messages.

use crate::common::{BROKEN, GAMES, Lab};

#[test]
fn there_and_back_gives_the_same_games() {
    let lab = Lab::new();
    let ran = lab.run(["convert", "games.si4", "back.pgn"]).expect(0);
    assert!(
        ran.err.starts_with("games.si4 → back.pgn: 3 games\n"),
        "{}",
        ran.err
    );
    assert_eq!(ran.out, "");
    assert_eq!(lab.text("back.pgn").trim_end(), GAMES.trim_end());
    lab.run(["convert", "-q", "back.pgn", "again.si4"])
        .expect(0);
    for suffix in ["si4", "sg4", "sn4"] {
        assert_eq!(
            lab.read(&format!("games.{suffix}")),
            lab.read(&format!("again.{suffix}"))
        );
    }
    lab.run(["convert", "-q", "games.si4", "copy.si4"])
        .expect(0);
    for suffix in ["si4", "sg4", "sn4"] {
        assert_eq!(
            lab.read(&format!("games.{suffix}")),
            lab.read(&format!("copy.{suffix}"))
        );
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let lab = Lab::empty();
    lab.write("many.pgn", GAMES.repeat(500));
    lab.run(["convert", "-q", "-j1", "many.pgn", "one.si4"])
        .expect(0);
    for jobs in ["-j2", "-j7"] {
        lab.run(["convert", "-q", "--force", jobs, "many.pgn", "other.si4"])
            .expect(0);
        for suffix in ["si4", "sg4", "sn4"] {
            let (one, other) = (format!("one.{suffix}"), format!("other.{suffix}"));
            assert_eq!(lab.read(&one), lab.read(&other), "{jobs}");
        }
        lab.run(["convert", "-q", "--force", jobs, "one.si4", "other.pgn"])
            .expect(0);
        assert!(lab.text("other.pgn") == lab.run(["cat", "-q", "-j1", "one.si4"]).expect(0).out);
    }
    lab.run(["convert", "-j0", "one.si4", "x.pgn"]).expect(2);
}

#[test]
fn several_bases_are_joined_in_order() {
    let lab = Lab::new();
    lab.write("more.pgn", "[White \"Fourth\"]\n\n1. d4 *\n");
    let ran = lab
        .run(["convert", "games.si4", "more.pgn", "games.pgn", "all.si4"])
        .expect(0);
    assert!(
        ran.err.starts_with("3 databases → all.si4: 7 games\n"),
        "{}",
        ran.err
    );
    let out = lab.run(["ls", "all.si4"]).expect(0).out;
    let whites: Vec<&str> = out
        .lines()
        .map(|line| line.split('\t').nth(2).unwrap())
        .collect();
    assert_eq!(whites[2..5], ["Karpov, Anatoly", "Fourth", "Tal, Mihail"]);
}

#[test]
fn ranges_and_deleted_games() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.si4", "two.pgn", "-n", "1,3-99"])
        .expect(0);
    assert_eq!(lab.text("two.pgn").matches("[Event ").count(), 2);
    lab.write("flags.pgn", format!("[ScidFlags \"D\"]\n{GAMES}"));
    let ran = lab.run(["convert", "flags.pgn", "kept.si4"]).expect(0);
    assert!(ran.err.contains("kept.si4: 3 games\n"), "{}", ran.err);
    let ran = lab
        .run(["convert", "kept.si4", "dropped.pgn", "--drop-deleted"])
        .expect(0);
    assert!(
        ran.err
            .contains("dropped.pgn: 2 games, 1 left out as deleted\n"),
        "{}",
        ran.err
    );
}

#[test]
fn an_existing_target_is_kept_unless_forced() {
    let lab = Lab::new();
    let before: Vec<Vec<u8>> = ["si4", "sg4", "sn4"]
        .map(|s| lab.read(&format!("games.{s}")))
        .into();
    let ran = lab.run(["convert", "games.pgn", "games.si4"]).expect(4);
    assert_eq!(
        ran.err,
        "chessdb: games.si4: already exists; use --force to replace it\n"
    );
    std::fs::remove_file(lab.path("games.si4")).unwrap();
    let ran = lab.run(["convert", "games.pgn", "games.si4"]).expect(4);
    assert_eq!(
        ran.err,
        "chessdb: games.sg4: already exists; use --force to replace it\n"
    );
    lab.run(["convert", "-q", "--force", "games.pgn", "games.si4"])
        .expect(0);
    let after: Vec<Vec<u8>> = ["si4", "sg4", "sn4"]
        .map(|s| lab.read(&format!("games.{s}")))
        .into();
    assert_eq!(before, after);
    assert_eq!(
        lab.names(),
        ["games.pgn", "games.sg4", "games.si4", "games.sn4"]
    );
}

#[test]
fn a_base_may_be_rewritten_in_place() {
    let lab = Lab::new();
    let before = lab.read("games.sg4");
    lab.run(["convert", "-q", "--force", "games.si4", "games.si4"])
        .expect(0);
    assert_eq!(lab.read("games.sg4"), before);
    lab.run([
        "convert",
        "-q",
        "--force",
        "games.pgn",
        "games.pgn",
        "-n",
        "2",
    ])
    .expect(0);
    assert_eq!(lab.text("games.pgn").matches("[Event ").count(), 1);
}

#[test]
fn damaged_games_are_kept_skipped_or_end_it() {
    let lab = Lab::empty();
    lab.write("broken.pgn", BROKEN);
    let ran = lab.run(["convert", "broken.pgn", "keep.pgn"]).expect(1);
    assert!(
        ran.err
            .starts_with("broken.pgn → keep.pgn: 3 games, 1 cut\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("broken.pgn: lost: pgn file, game 2, byte 0x"),
        "{}",
        ran.err
    );
    assert!(lab.text("keep.pgn").contains("1. e4 e5 *"));
    let ran = lab
        .run(["convert", "broken.pgn", "skip.pgn", "--on-error", "skip"])
        .expect(1);
    assert!(
        ran.err
            .starts_with("broken.pgn → skip.pgn: 2 games, 1 skipped\n"),
        "{}",
        ran.err
    );
    assert!(!lab.text("skip.pgn").contains("Two"));
    let ran = lab
        .run(["convert", "broken.pgn", "stop.pgn", "--on-error=stop"])
        .expect(3);
    assert!(
        ran.err
            .starts_with("chessdb: broken.pgn: pgn file, game 2, "),
        "{}",
        ran.err
    );
    assert_eq!(lab.names(), ["broken.pgn", "keep.pgn", "skip.pgn"]);
    // Nothing may be written to standard output either.
    let ran = lab
        .run(["convert", "broken.pgn", "-", "--on-error=stop"])
        .expect(3);
    assert_eq!(ran.out, "");
}

/// Returns a game with a tag value that is too long for SCID, and one that SCID can store.
fn lossy() -> String {
    let long = "x".repeat(300);
    format!("[White \"A\"]\n[Remark \"{long}\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n")
}

#[test]
fn losses_are_reported_and_strictness_refuses_them() {
    let lab = Lab::empty();
    lab.write("lossy.pgn", lossy());
    let ran = lab
        .run([
            "convert",
            "lossy.pgn",
            "out.si4",
            "--loss-report",
            "loss.tsv",
        ])
        .expect(0);
    assert!(ran.err.contains("Not stored by SCID 4:\n"), "{}", ran.err);
    assert!(ran.err.contains("(game 1)"), "{}", ran.err);
    let log = lab.text("loss.tsv");
    let lines: Vec<Vec<&str>> = log.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(
        lines[0],
        ["source", "game", "what", "kind", "count", "ply", "text"]
    );
    assert_eq!(lines[1][..3], ["lossy.pgn", "1", "loss"], "{log}");
    let json = lab
        .run(["convert", "lossy.pgn", "j.si4", "-q", "--json"])
        .expect(0)
        .json();
    let report = &json["conversions"][0];
    assert_eq!(report["written"], 2);
    assert_eq!(report["losses"][0]["kind"], lines[1][3]);
    assert_eq!(report["losses"][0]["games"][0]["game"], 1);

    let ran = lab
        .run(["convert", "lossy.pgn", "strict.si4", "--strict"])
        .expect(1);
    assert!(
        ran.err
            .starts_with("lossy.pgn → strict.si4: nothing written, 2 games read\n")
    );
    assert!(!lab.path("strict.si4").exists());
    lab.run(["convert", "lossy.pgn", "strict.si4", "--strict", "-n", "2"])
        .expect(0);
    assert!(lab.path("strict.si4").exists());
    let left: Vec<String> = lab
        .names()
        .into_iter()
        .filter(|name| name.starts_with('.'))
        .collect();
    assert_eq!(left, [] as [&str; 0]);
}

#[test]
fn a_strict_conversion_to_standard_output_is_all_or_nothing() {
    let lab = Lab::new();
    lab.write("broken.pgn", BROKEN);
    let ran = lab
        .run(["convert", "broken.pgn", "-", "--strict"])
        .expect(1);
    assert_eq!(ran.out, "");
    let ran = lab.run(["convert", "games.pgn", "-", "--strict"]).expect(0);
    assert_eq!(ran.out.trim_end(), GAMES.trim_end());
}

#[test]
fn standard_input_and_output() {
    let lab = Lab::empty();
    let ran = lab
        .run_with(GAMES.as_bytes(), &["convert", "-", "-"])
        .expect(0);
    assert_eq!(ran.out.trim_end(), GAMES.trim_end());
    lab.run_with(GAMES.as_bytes(), &["convert", "-q", "-", "games.si4"])
        .expect(0);
    assert_eq!(lab.names(), ["games.sg4", "games.si4", "games.sn4"]);
    let packed = zstd::encode_all(GAMES.as_bytes(), 1).unwrap();
    let ran = lab
        .run_with(&packed, &["convert", "-q", "-", "-"])
        .expect(0);
    assert_eq!(ran.out.trim_end(), GAMES.trim_end());
    lab.run_with(b"", &["convert", "-", "x", "-f", "si4", "-t", "pgn"])
        .expect(3);
    lab.run(["convert", "games.si4", "-", "-t", "si4"])
        .expect(2);
    lab.run(["convert", "games.si4", "-", "--json"]).expect(2);
}

#[test]
fn packed_input_and_odd_names() {
    use std::io::Write;
    let lab = Lab::new();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(GAMES.as_bytes()).unwrap();
    lab.write("TWIC 1.PGN.gz", packer.finish().unwrap());
    for suffix in ["si4", "sg4", "sn4"] {
        let capitals = suffix.to_uppercase();
        std::fs::rename(
            lab.path(&format!("games.{suffix}")),
            lab.path(&format!("OLD.{capitals}")),
        )
        .unwrap();
    }
    for input in ["TWIC 1.PGN.gz", "OLD.SI4", "old.sg4", "old"] {
        lab.run(["convert", "-q", "--force", input, "out.pgn"])
            .expect(0);
        assert_eq!(lab.text("out.pgn").trim_end(), GAMES.trim_end(), "{input}");
    }
    lab.run(["convert", "-q", "out.pgn", "NEW.SI4"]).expect(0);
    assert!(lab.path("NEW.SG4").exists() && lab.path("NEW.SN4").exists());
}

#[test]
fn a_folder_of_bases_in_one_run() {
    let lab = Lab::new();
    lab.write("in/a.pgn", GAMES);
    lab.write("in/sub/b.pgn", BROKEN);
    lab.write("in/sub/bad.si4", "this is no index");
    lab.write("in/readme.txt", "no base");
    for suffix in ["si4", "sg4", "sn4"] {
        lab.write(
            &format!("in/a.{suffix}"),
            lab.read(&format!("games.{suffix}")),
        );
    }
    let ran = lab.run(["convert", "in", "out", "-t", "pgn"]).expect(3);
    let expected = ["out/a.pgn.pgn", "out/a.si4.pgn", "out/sub/b.pgn"];
    let written: Vec<String> = lab
        .names()
        .into_iter()
        .filter(|n| n.starts_with("out"))
        .collect();
    assert_eq!(written, expected, "{}", ran.err);
    assert!(ran.err.contains("chessdb: in/sub/bad.si4: "), "{}", ran.err);
    assert!(
        ran.err
            .trim_end()
            .ends_with("4 databases, 9 games, 1 not read"),
        "{}",
        ran.err
    );
    let ran = lab.run(["convert", "in", "out", "-t", "pgn"]).expect(4);
    assert!(ran.err.contains("use --force to replace it"), "{}", ran.err);
    lab.run([
        "convert", "-q", "in", "out", "-t", "pgn", "--force", "-f", "pgn",
    ])
    .expect(1);

    lab.run([
        "convert",
        "-q",
        "games.pgn",
        "in/a.si4",
        "elsewhere/",
        "-t",
        "pgn",
    ])
    .expect(0);
    assert!(lab.path("elsewhere/games.pgn").exists() && lab.path("elsewhere/a.pgn").exists());
    let ran = lab.run(["convert", "in", "out"]).expect(2);
    assert!(ran.err.contains("select the format with -t"), "{}", ran.err);
    // All readable databases are joined into one; with --strict, all or none.
    let ran = lab.run(["convert", "--strict", "in", "one.si4"]).expect(3);
    assert!(ran.err.contains("in/sub/bad.si4: "), "{}", ran.err);
    assert!(!lab.path("one.si4").exists());
    let ran = lab.run(["convert", "in", "one.si4"]).expect(3);
    assert!(ran.err.contains("in/sub/bad.si4: "), "{}", ran.err);
    assert!(lab.path("one.si4").exists());
}

#[test]
fn arguments_that_make_no_sense_are_refused_with_advice() {
    let lab = Lab::new();
    for (args, advice) in [
        (&["convert", "games.pgn"][..], "needs input and output"),
        (
            &["convert", "games.pgn", "out.xyz"],
            "select the format with -t",
        ),
        (&["convert", "games.pgn", "out.doc"], "write a page (.html)"),
        (
            &["convert", "games.pgn", "out.pgn.xz"],
            "compress it afterwards",
        ),
        (
            &["convert", "games.pgn", "out.pgn", "-t", "doc"],
            "[possible values: si4, ",
        ),
        (
            &["convert", "games.pgn", "out.pgn", "-n", "3-1"],
            "not a list of game numbers",
        ),
        (
            &["convert", "games.pgn", "out.pgn", "-e", "klingon"],
            "unknown encoding; expected auto",
        ),
        (&["frobnicate"], "unrecognized subcommand"),
    ] {
        let ran = lab.run(args).expect(2);
        assert!(ran.err.contains(advice), "{args:?}: {}", ran.err);
    }
    let ran = lab.run(["convert", "missing.si4", "out.pgn"]).expect(3);
    assert_eq!(ran.err, "chessdb: missing.si4: no such file or database\n");
    let ran = lab
        .run(["convert", "games.pgn", "no/folder/out.pgn"])
        .expect(4);
    assert!(ran.err.contains("create the folder first"), "{}", ran.err);
    assert_eq!(
        lab.names(),
        ["games.pgn", "games.sg4", "games.si4", "games.sn4"]
    );
}

#[test]
fn the_charset_can_be_given() {
    let lab = Lab::empty();
    lab.write("cyrillic.pgn", b"[White \"\xD2\xE0\xEB\xFC\"]\n\n1. e4 *\n");
    let out = lab
        .run(["ls", "cyrillic.pgn", "-e", "cp1251"])
        .expect(0)
        .out;
    assert!(out.contains("Таль"), "{out}");
    lab.run(["convert", "-q", "cyrillic.pgn", "out.si4", "-e", "cp1251"])
        .expect(0);
    assert!(lab.run(["ls", "out.si4"]).expect(0).out.contains("Таль"));
}

#[test]
fn a_base_named_by_several_of_its_files_is_read_once() {
    let lab = Lab::new();
    let files = ["games.sg4", "games.si4", "games.sn4"];
    let all = |target| [["convert", "-t", "pgn"].as_slice(), &files, &[target]].concat();
    let ran = lab.run(all("all.pgn")).expect(0);
    assert_eq!(lab.text("all.pgn").trim_end(), GAMES.trim_end());
    let text = "chessdb: games.si4 belongs to the same database as games.sg4; reading it once\n";
    assert!(ran.err.starts_with(text), "{}", ran.err);
    lab.run(all("folder/")).expect(0);
    assert_eq!(lab.text("folder/games.pgn"), lab.text("all.pgn"));
    // Another format with the same name is another database, and a repeated name is intended.
    let twice = [
        "convert",
        "games.si4",
        "games.pgn",
        "games.si4",
        "twice.pgn",
    ];
    lab.run(twice).expect(0);
    assert_eq!(lab.text("twice.pgn").matches("[Event ").count(), 9);
}

#[test]
fn a_target_is_called_the_same_whether_it_is_replaced_or_new() {
    let lab = Lab::new();
    let convert = ["convert", "--json", "--force", "games.si4", "new.pgn"];
    let first = lab.run(convert).expect(0);
    let second = lab.run(convert).expect(0);
    assert!(first.err.contains(" → new.pgn: "), "{}", first.err);
    assert_eq!((first.err, first.out), (second.err, second.out));
}
