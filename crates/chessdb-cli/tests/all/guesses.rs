//! What one types first: a bare file, game numbers, a pipe, mistypes.

use std::process::Stdio;

use crate::common::{GAMES, Lab, Ran};

#[test]
fn a_bare_database_is_described_and_listed() {
    let lab = Lab::new();
    lab.write("many.pgn", GAMES.repeat(5));
    lab.write("folder/a.pgn", GAMES);
    lab.write("folder/b.pgn", GAMES);
    let ran = lab.run(["games.pgn"]).expect(0);
    let mut lines = ran.out.lines();
    assert_eq!(
        lines.next(),
        Some("games.pgn: Portable Game Notation, 3 games, 1959–1985")
    );
    assert_eq!(lines.count(), 3, "{}", ran.out);
    assert_eq!(ran.err, "");
    for named in ["games.si4", "games.sg4", "./games.si4"] {
        let ran = lab.run([named]).expect(0);
        assert!(ran.out.contains("SCID"), "{}", ran.out);
        assert_eq!(ran.out.lines().count(), 4, "{}", ran.out);
    }
    let ran = lab.run(["many.pgn"]).expect(0);
    assert_eq!(ran.out.lines().count(), 11, "{}", ran.out);
    let more = "… and 5 more games; see `chessdb ls many.pgn`\n";
    assert_eq!(ran.err, more);
    // Several databases are listed as by `info`.
    let ran = lab.run(["folder"]).expect(0);
    assert_eq!(ran.out, lab.run(["info", "folder"]).expect(0).out);
    let ran = lab.run(["games.pgn", "many.pgn"]).expect(0);
    assert_eq!(ran.out, lab.run(["info", "games.pgn", "many.pgn"]).out);
    let ran = lab.run(["gmaes.pgn"]).expect(3);
    assert!(ran.err.contains("gmaes.pgn: no such file"), "{}", ran.err);
    // A stem that only one database has.
    lab.write("only.pgn", GAMES);
    lab.run(["only"]).expect(0);
    // Commands have priority over files of the same name.
    lab.write("stats", GAMES);
    lab.run(["stats"]).expect(2);
    let ran = lab.run(["./stats"]).expect(0);
    assert_eq!(ran.out.lines().count(), 4, "{}", ran.out);
}

#[test]
fn a_bare_database_with_a_query_is_answered_with_the_command_to_use() {
    let lab = Lab::new();
    for (words, line) in [
        (&["games.pgn", "Tal"][..], "chessdb find games.pgn Tal"),
        (&["games.pgn", "stats"], "chessdb stats games.pgn\n"),
        (
            &["games.pgn", "ls", "player:Tal"],
            "chessdb ls games.pgn player:Tal\n",
        ),
        (
            &["games.pgn", "event:Bled 1959"],
            "chessdb find games.pgn \"event:Bled 1959\"",
        ),
        (
            &["games.pgn", "games.si4", "elo>2600", "Tal's"],
            "chessdb find games.pgn games.si4 \"elo>2600\" \"Tal's\"",
        ),
    ] {
        let ran = lab.run(words).expect(2);
        assert!(ran.err.contains(line), "{}", ran.err);
    }
}

#[test]
fn numbers_after_a_database_are_games() {
    let lab = Lab::new();
    let cat = |words: &[&str]| lab.run([&["cat", "games.pgn"], words].concat());
    for (words, list) in [
        (&["2"][..], "2"),
        (&["2-3"], "2,3"),
        (&["1,3"], "1,3"),
        (&["1", "3"], "1,3"),
        (&["2-"], "2-"),
    ] {
        let (short, long) = (cat(words).expect(0), cat(&["-n", list]).expect(0));
        assert_eq!(short.out, long.out, "{words:?}");
    }
    let show = lab.run(["show", "games.si4", "3"]).expect(0).out;
    assert_eq!(show, lab.run(["show", "games.si4", "-n", "3"]).out);
    assert!(show.contains("Karpov"), "{show}");
    lab.run(["delete", "games.si4", "2"]).expect(0);
    let deleted = lab.run(["find", "games.si4", "deleted:yes", "--ids"]);
    assert_eq!(deleted.expect(0).out, "2\n");
    lab.run(["undelete", "games.si4", "1-3"]).expect(0);
    lab.run(["tag", "games.pgn", "3", "--set", "Round=25"])
        .expect(0);
    assert!(cat(&["3"]).out.contains("[Round \"25\"]"));
    lab.run(["flag", "games.si4", "1", "--set", "novelty"])
        .expect(0);
    for line in [
        &["cat", "games.pgn", "9"][..],
        &["show", "games.pgn", "9"],
        &["tag", "games.pgn", "9", "--set", "Round=2"],
        &["edit", "games.pgn", "9"],
        &["edit", "games.pgn", "-n", "9"],
    ] {
        let ran = lab.run(line).expect(1);
        let said = "no game 9; the database has 3 games";
        assert!(ran.err.contains(said), "{line:?}: {}", ran.err);
    }
    let ran = cat(&["3-4", "-n", "2"]).expect(2);
    assert!(ran.err.contains("selected twice"), "{}", ran.err);
    lab.run(["edit", "games.pgn", "Tal"]).expect(2);
    lab.run(["edit", "games.pgn"]).expect(2);
    // Next to other words a number is a word.
    lab.run(["find", "games.pgn", "2", "Tal"]).expect(1);
}

#[test]
fn a_pipe_is_read_where_no_database_is_named() {
    let lab = Lab::new();
    let piped = |args: &[&str]| lab.run_with(GAMES.as_bytes(), args);
    for (short, long) in [
        (&["ls"][..], &["ls", "-"][..]),
        (&["ls", "white:tal"], &["ls", "-", "white:tal"]),
        (&["find", "Tal"], &["find", "-", "Tal"]),
        (
            &["find", "Tal", "--count"],
            &["find", "-", "Tal", "--count"],
        ),
        (&["cat", "--json"], &["cat", "--json", "-"]),
        (&["stats"], &["stats", "-"]),
        (
            &["tree", "--line", "1.e4"],
            &["tree", "-", "--line", "1.e4"],
        ),
        (&["names"], &["names", "-"]),
        (&["info"], &["info", "-"]),
        (&["check"], &["check", "-"]),
    ] {
        let (short, long) = (piped(short).expect(0), piped(long).expect(0));
        assert_eq!((short.out, short.err), (long.out, long.err));
    }
    piped(&["convert", "-q", "new.si4"]).expect(0);
    assert_eq!(lab.run(["ls", "new.si4"]).out.lines().count(), 3);
    // An existing database is not taken for an output.
    let before = lab.read("games.si4");
    piped(&["convert", "--force", "games.si4"]).expect(2);
    assert_eq!(lab.read("games.si4"), before);
    // Nothing is piped.
    for command in ["ls", "cat", "stats", "info", "show"] {
        let ran = lab.run([command]).expect(2);
        assert!(ran.err.contains("missing database"), "{}", ran.err);
    }
    // A redirected file is read, too.
    let file = std::fs::File::open(lab.path("games.pgn")).unwrap();
    let mut command = lab.command();
    let ran = command.arg("ls").stdin(Stdio::from(file)).output().unwrap();
    assert_eq!(Ran::of(ran).expect(0).out.lines().count(), 3);
}

#[test]
fn archives_and_compressed_files_are_read_from_a_pipe() {
    let lab = Lab::new();
    lab.write("a.pgn", GAMES);
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in [("a.pgn", GAMES), ("b.pgn", GAMES)] {
        zip.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut zip, content.as_bytes()).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_cksum();
        tar.append_data(&mut header, name, content.as_bytes())
            .unwrap();
    }
    let zip = zip.finish().unwrap().into_inner();
    let tar = tar.into_inner().unwrap();
    let bz2 = include_bytes!("packed/games.pgn.bz2").to_vec();
    let xz = include_bytes!("packed/games.pgn.xz").to_vec();
    let zst = zstd::encode_all(GAMES.as_bytes(), 3).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gz, GAMES.as_bytes()).unwrap();
    let gz = gz.finish().unwrap();
    for (what, content, games) in [
        ("zip", zip, 6),
        ("tar", tar, 6),
        ("bz2", bz2, 3),
        ("xz", xz, 3),
        ("zst", zst, 3),
        ("gz", gz, 3),
    ] {
        let ran = lab.run_with(&content, &["ls"]).expect(0);
        assert_eq!(ran.out.lines().count(), games, "{what}: {}", ran.out);
        let out = format!("{what}.si4");
        lab.run_with(&content, &["convert", "-q", "-", &out])
            .expect(0);
        let ran = lab.run(["ls", &out]).expect(0);
        assert_eq!(ran.out.lines().count(), games, "{what}");
    }
}

/// Mistypes, and the part of the message that helps.
const MISTYPES: [(&str, &str); 33] = [
    ("fnid games.pgn Tal", "'find'"),
    ("lst games.pgn", "'ls'"),
    ("covert games.pgn x.si4", "'convert'"),
    ("stat games.pgn", "'stats'"),
    ("chek games.pgn", "'check'"),
    ("salvge games.pgn x.pgn", "'salvage'"),
    ("name games.pgn", "'names'"),
    ("undelte games.si4", "'undelete'"),
    ("dedup games.pgn x.pgn", "'dedupe'"),
    ("format", "'formats'"),
    ("find games.pgn Tal --cout", "'--count'"),
    ("find games.pgn Tal --jsn", "'--json'"),
    ("ls games.pgn --game 3", "'--games'"),
    ("ls games.pgn --encodin cp1251", "'--encoding'"),
    ("convert games.pgn x.si4 --forc", "'--force'"),
    ("convert games.pgn x.si4 --apend", "'--append'"),
    ("convert games.pgn x.si4 -t sci4", "'si4'"),
    ("convert games.pgn x.si4 -t pqn", "'pgn'"),
    ("ls games.pgn -f pgm", "'pgn'"),
    ("cat games.pgn --format jsn", "'json'"),
    ("sort games.pgn x.pgn --by dat", "date"),
    ("sort games.pgn", "sort games.pgn OUT --by date"),
    ("sort games.pgn year", "sort games.pgn OUT --by year"),
    ("sort games.pgn x.pgn elo", "sort games.pgn x.pgn --by elo"),
    ("split games.pgn --by yer -o d", "year"),
    ("ls games.pgn -e cp12511", "windows-1252"),
    ("ls games.pgn -n a-b", "games"),
    ("find games.pgn whit:Tal", "white"),
    ("find games.pgn elo:abc", "number"),
    ("find games.pgn evnt:Bled", "event"),
    ("convert games.pgn x.xyz", "unknown file extension"),
    ("convert games.pgn", "IN OUT"),
    ("tag games.pgn --set Event", "NAME=VALUE"),
];

#[test]
fn mistypes_are_answered_with_what_was_meant() {
    let lab = Lab::new();
    let before = lab.names();
    for (line, hint) in MISTYPES {
        let ran = lab.run(line.split(' '));
        assert!([2, 4].contains(&ran.code), "{line}: {}", ran.err);
        assert!(ran.err.contains(hint), "{line}: {}", ran.err);
    }
    assert_eq!(lab.names(), before);
}

/// Shells complete the name of a database to a path that begins with `./`.
#[test]
fn a_database_has_the_same_files_with_and_without_its_folder() {
    let lab = Lab::new();
    let here = lab.path("games.si4");
    let here = here.to_str().unwrap();
    for command in ["ls", "check", "cat", "stats"] {
        let expected = lab.run([command, "games.si4"]).expect(0).out;
        for path in ["./games.si4", "./games.sg4", "././games.si4", here] {
            let out = lab.run([command, path]).expect(0).out;
            assert_eq!(out.replace(path, "games.si4"), expected, "{path}");
        }
    }
    lab.run(["convert", "-q", "./games.pgn", "./new.si4"])
        .expect(0);
    lab.run(["convert", "-q", "--append", "./games.pgn", "./new.si4"])
        .expect(0);
    assert_eq!(lab.run(["ls", "./new"]).expect(0).out.lines().count(), 6);
    lab.run(["delete", "./new.si4", "1"]).expect(0);
    lab.run(["convert", "./new.si4", "./new.si4"]).expect(4);
    assert_eq!(lab.run(["ls", "new.si4"]).expect(0).out.lines().count(), 6);
}

/// What the short help leaves out is in the long help, the manual page and the completions.
#[test]
fn every_option_is_described_everywhere() {
    let lab = Lab::empty();
    let rare = [
        ("convert", "backup", "First copy an existing OUT"),
        ("convert", "no-variations", "Omit variations"),
        ("convert", "width", "Line width of PGN"),
        ("cat", "seven-tags", "Only the seven standard PGN tags"),
        (
            "ls",
            "password-file",
            "Read the password from the first line",
        ),
        ("find", "dcx-promotions", "Promotion numbering in DC*"),
        ("names", "players", "Write these details to a CSV file"),
    ];
    let fish = lab.run(["completions", "fish"]).expect(0).out;
    for (command, option, text) in rare {
        let short = lab.run([command, "-h"]).expect(0).out;
        let long = lab.run([command, "--help"]).expect(0).out;
        assert_eq!(long, lab.run(["help", command]).expect(0).out);
        let man = lab.run(["man", command]).expect(0).out;
        assert!(!short.contains(text), "{short}");
        assert!(short.contains("see more with '--help'"), "{short}");
        for page in [&long, &man, &fish] {
            let page = page.replace('\\', "");
            assert!(page.contains(option) && page.contains(text), "{page}");
        }
    }
}
