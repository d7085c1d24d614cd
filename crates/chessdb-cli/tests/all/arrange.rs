//! Tests of the commands that sort, deduplicate, split, join and classify games.

use std::fs;

use chessdb::FORMATS;

use crate::common::Lab;

/// Three games; the second one appears again, longer and annotated.
const TWICE: &str = r#"[Event "Bled"]
[Date "1959.09.08"]
[Round "10"]
[White "Keres, Paul"]
[Black "Tal, Mihail"]
[Result "1-0"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 1-0

[Event "Bled"]
[Date "1959.09.07"]
[Round "2"]
[White "Tal, Mihail"]
[Black "Smyslov, Vasily"]
[Result "*"]

1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Nd7 5. Nf3 Ngf6 *

[Event "Bled"]
[Date "1959.09.07"]
[Round "2"]
[White "Tal, Mihail"]
[Black "Smyslov, Vasily"]
[Result "1-0"]

1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Nd7 5. Nf3 {best} Ngf6 6. Nxf6+ 1-0
"#;

fn lab() -> Lab {
    let lab = Lab::empty();
    lab.write("in.pgn", TWICE);
    lab
}

pub(crate) fn ids(lab: &Lab, base: &str, query: &str) -> String {
    let ran = lab.run(["ls", base, query]);
    let numbers = ran.out.lines().map(|line| line.split('\t').next().unwrap());
    numbers.collect::<Vec<_>>().join(",")
}

#[test]
fn games_are_put_in_order() {
    let lab = lab();
    lab.run(["convert", "-q", "in.pgn", "in.si4"]).expect(0);
    for (base, out) in [("in.pgn", "out.si4"), ("in.si4", "out.pgn")] {
        lab.run(["sort", "-q", base, out, "--by", "date,-plies"])
            .expect(0);
        assert_eq!(ids(&lab, out, "date:1959.09.07"), "1,2");
        assert_eq!(ids(&lab, out, "plies:11"), "1");
        assert_eq!(ids(&lab, out, "white:Keres"), "3");
    }
    lab.run([
        "sort",
        "-q",
        "in.pgn",
        "few.pgn",
        "--by",
        "round",
        "white:Tal",
    ])
    .expect(0);
    assert_eq!(ids(&lab, "few.pgn", "-deleted:yes"), "1,2");
    let bad = lab
        .run(["sort", "in.pgn", "x.pgn", "--by", "name"])
        .expect(2);
    assert!(bad.err.contains("games are ordered by date"), "{}", bad.err);
    lab.run(["sort", "in.pgn", "in.si4", "x.pgn", "--by", "date"])
        .expect(2);
}

#[test]
fn games_that_are_there_twice_go() {
    let lab = lab();
    let listed = lab
        .run(["dedupe", "--dry-run", "in.pgn", "--by", "strict"])
        .expect(1);
    assert_eq!(listed.out, "");
    let listed = lab.run(["dedupe", "--dry-run", "in.pgn"]).expect(0);
    assert_eq!(listed.out, "in.pgn\t2\tin.pgn\t3\n");
    // As for the real command: an OUT that does not exist yet is not read.
    let dry = ["dedupe", "--dry-run", "in.pgn", "out.si4", "--by", "prefix"];
    let dry = lab.run(dry).expect(0);
    assert_eq!(dry.out, listed.out);
    assert!(dry.err.contains("out.si4: not written"), "{}", dry.err);
    let args = [
        "dedupe", "in.pgn", "out.si4", "--by", "prefix", "--map", "gone",
    ];
    let said = lab.run(args).expect(0).err;
    assert!(said.contains("left out 1 duplicate of 3 games"), "{said}");
    assert_eq!(lab.text("gone"), "in.pgn\t2\tin.pgn\t3\n");
    assert_eq!(ids(&lab, "out.si4", "has:comments"), "2");
    lab.run(["merge", "-q", "in.pgn", "out.si4", "all.pgn"])
        .expect(0);
    assert_eq!(ids(&lab, "all.pgn", "event:Bled"), "1,2,3,4,5");
    lab.run(["merge", "-q", "in.pgn", "out.si4", "once.pgn", "--dedupe"])
        .expect(0);
    assert_eq!(ids(&lab, "once.pgn", "event:Bled"), "1,2");
}

#[test]
fn a_base_is_divided() {
    let lab = lab();
    for (by, names) in [
        ("year", &["1959.pgn"][..]),
        (
            "player",
            &["Keres, Paul.pgn", "Smyslov, Vasily.pgn", "Tal, Mihail.pgn"],
        ),
        ("eco", &["unknown.pgn"]),
        ("decade", &["1950-1959.pgn"]),
        ("tag:Event,year", &["Bled - 1959.pgn"]),
        ("event,2", &["Bled - 000001.pgn", "Bled - 000002.pgn"]),
        ("time", &["unknown.pgn"]),
        ("2", &["000001.pgn", "000002.pgn"]),
    ] {
        let folder = format!("by-{}", by.replace(':', "-"));
        lab.run(["split", "-q", "in.pgn", "--by", by, "-o", &folder])
            .expect(0);
        let mut found: Vec<String> = fs::read_dir(lab.path(&folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(found, names, "{by}");
    }
    assert_eq!(
        ids(&lab, "by-player/Tal, Mihail.pgn", "event:Bled"),
        "1,2,3"
    );
    assert_eq!(ids(&lab, "by-2/000002.pgn", "event:Bled"), "1");
    lab.run(["split", "in.pgn", "--by", "mouth", "-o", "x"])
        .expect(2);
    let name = "{year}/games of {player}";
    lab.run([
        "split",
        "-q",
        "in.pgn",
        "--by",
        "player,year",
        "--name",
        name,
        "-o",
        "named",
    ])
    .expect(0);
    assert_eq!(
        ids(&lab, "named/1959/games of Keres, Paul.pgn", "event:Bled"),
        "1"
    );
}

#[test]
fn openings_get_their_codes() {
    let lab = lab();
    let said = lab
        .run(["eco", "in.pgn", "out.pgn", "--names"])
        .expect(0)
        .err;
    assert!(said.contains("3 games, 3 with a known opening"), "{said}");
    assert_eq!(ids(&lab, "out.pgn", "eco:B90"), "1");
    assert_eq!(ids(&lab, "out.pgn", "eco:B17"), "2,3");
    assert_eq!(ids(&lab, "out.pgn", "opening:Najdorf"), "1");
}

#[test]
fn names_are_listed_and_mended() {
    let lab = lab();
    lab.write(
        "other.pgn",
        "[Date \"1960.03.15\"]\n[White \"Tal,M\"]\n[Black \"Botvinnik\"]\n\n1. e4 *\n",
    );
    let listed = lab.run(["names", "in.pgn", "other.pgn"]).expect(0).out;
    assert!(listed.starts_with("3\t1959\tTal, Mihail\n"), "{listed}");
    let found = lab
        .run(["names", "in.pgn", "other.pgn", "--suggest"])
        .expect(0)
        .out;
    assert!(
        found.starts_with("Tal,M\tTal, Mihail\t# 1 game, 1960; 3 games, 1959\n"),
        "{found}"
    );
    lab.write("list", &found);
    let args = ["names", "--apply", "list", "in.pgn", "other.pgn", "out.si4"];
    let said = lab.run(args).expect(0).err;
    assert!(said.contains("renamed in 1 place"), "{said}");
    assert_eq!(ids(&lab, "out.si4", "white:\"Tal, Mihail\""), "2,3,4");
    lab.write(
        "scid.ssp",
        "@SITE\nParis\n=Tal,M\n@PLAYER\nTal, Mikhail #GM LAT\n=Tal, Mihail\n=Tal,M\n",
    );
    let args = [
        "names",
        "-q",
        "--apply",
        "scid.ssp",
        "in.pgn",
        "other.pgn",
        "two.pgn",
    ];
    lab.run(args).expect(0);
    assert_eq!(ids(&lab, "two.pgn", "player:Mikhail"), "1,2,3,4");
    let events = lab
        .run(["names", "in.pgn", "--of", "events", "--json"])
        .expect(0)
        .json();
    assert_eq!(events["names"][0]["name"], "Bled");
    // The name table of the new database does not keep unused names.
    lab.run(["convert", "-q", "in.pgn", "old.si4"]).expect(0);
    let args = ["names", "--apply", "scid.ssp", "old.si4", "new.si4"];
    lab.run(args).expect(0);
    let has = |base: &str, name: &str| lab.run(["dump", base]).out.contains(name);
    assert!(has("old.si4", "Tal, Mihail") && !has("new.si4", "Tal, Mihail"));
    assert!(has("new.si4", "Tal, Mikhail"));
    lab.write("empty", "");
    lab.run(["names", "--apply", "empty", "in.pgn", "x.pgn"])
        .expect(3);
}

#[test]
fn notes_of_what_goes_are_put_into_what_stays() {
    let lab = Lab::empty();
    let header = "[White \"Tal\"]\n[Black \"Keres\"]\n[Result \"1-0\"]\n\n";
    let game = |moves: &str| format!("{header}{moves} 1-0\n\n");
    let one = game("1. e4 $1 {best} e5 {Open game} (1... c5 2. Nf3) 2. Nf3 Nc6");
    let two = game("1. e4 {by test} e5 {Open} (1... c5 2. Nf3) (1... e6) 2. Nf3 $5 Nc6 {drawn?}");
    lab.write("in.pgn", one.clone() + &two + &game("1. d4 d5"));
    for format in ["pgn", "si4"] {
        let out = format!("out.{format}");
        let said = lab
            .run(["dedupe", "in.pgn", &out, "--merge-annotations"])
            .expect(0);
        assert!(said.err.contains("3 annotations merged"), "{said:?}");
        let cat = lab.run(["cat", &out, "-n", "1", "-w", "0"]).expect(0).out;
        for part in [
            "$1",
            "best",
            "by test",
            "(1... c5 2. Nf3)",
            "(1... e6)",
            "$5",
            "drawn?",
        ] {
            assert_eq!(cat.matches(part).count(), 1, "{part}: {cat}");
        }
        assert!(!cat.contains("{Open}"), "{cat}");
    }
    let said = lab.run(["dedupe", "in.pgn", "plain.pgn"]).expect(0);
    let lost =
        "1 of them had annotations, which the kept copies lack; --merge-annotations keeps these";
    assert!(said.err.contains(lost), "{said:?}");
}

/// Returns a game with these tags in addition to players, event and date.
pub(crate) fn tagged(tags: &[(&str, &str)], moves: &str) -> String {
    let mut game = String::new();
    let known = [
        ("Event", "Live"),
        ("Date", "2024.05.01"),
        ("White", "alpha"),
        ("Black", "beta"),
        ("Result", "*"),
    ];
    let is_given = |name: &str| tags.iter().any(|(given, _)| *given == name);
    let known = known.iter().filter(|(name, _)| !is_given(name));
    for (name, value) in known.chain(tags) {
        game += &format!("[{name} \"{value}\"]\n");
    }
    game + &format!("\n{moves} *\n\n")
}

pub(crate) const LONG: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1";

#[test]
fn a_deleted_copy_never_outlives_a_live_one() {
    let lab = Lab::empty();
    let deleted = tagged(
        &[("ScidFlags", "D")],
        "1. e4 {x} e5 {y} 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1",
    );
    lab.write("in.pgn", deleted + &tagged(&[], LONG));
    lab.run(["convert", "-q", "in.pgn", "in.si4"]).expect(0);
    for base in ["in.pgn", "in.si4"] {
        for by in ["moves", "prefix", "similar"] {
            let out = format!("{by}-{base}");
            lab.run(["dedupe", "-q", base, &out, "--by", by, "--drop-deleted"])
                .expect(0);
            assert_eq!(ids(&lab, &out, "deleted:no"), "1", "{by} {base}");
        }
        let out = format!("merged-{base}");
        lab.run(["merge", "-q", base, &out, "--dedupe"]).expect(0);
        assert_eq!(ids(&lab, &out, "event:Live"), "1", "{base}");
        assert_eq!(ids(&lab, &out, "deleted:no"), "1", "{base}");
    }
}

#[test]
fn parts_whose_names_collide_are_files_of_their_own() {
    let long = "A very long name of an event that goes on and on ".repeat(2);
    for (a, b) in [
        (format!("{long}A"), format!("{long}B")),
        ("Open".to_owned(), "OPEN".to_owned()),
        ("A/B".to_owned(), "A:B".to_owned()),
        ("x".to_owned(), "x-2".to_owned()),
    ] {
        for format in ["pgn", "si4"] {
            let lab = Lab::empty();
            let game = |event: &str| tagged(&[("Event", event)], LONG);
            lab.write(
                "in.pgn",
                [game(&a), game(&b), game(&a)]
                    .concat()
                    .replace("[Event \"Live\"]\n", ""),
            );
            lab.run([
                "split", "-q", "in.pgn", "--by", "event", "-t", format, "-o", "out",
            ])
            .expect(0);
            let files = fs::read_dir(lab.path("out")).unwrap();
            let paths = files.map(|entry| entry.unwrap().path());
            let paths = paths.filter(|path| path.extension().is_some_and(|end| end == format));
            let mut counts: Vec<usize> = paths
                .map(|path| {
                    ids(&lab, path.to_str().unwrap(), "white:alpha")
                        .split(',')
                        .count()
                })
                .collect();
            counts.sort_unstable();
            assert_eq!(counts, [1, 2], "{a} {b} {format}");
        }
    }
}

#[test]
fn games_of_one_day_are_put_in_order() {
    let lab = Lab::empty();
    let at = |time: &str| tagged(&[("UTCDate", "2024.05.01"), ("UTCTime", time)], LONG);
    lab.write("in.pgn", at("12:00:00") + &at("11:00:00"));
    for by in ["date,time", "utcdate,utctime", "time", "UTCTime"] {
        let out = format!("{}.pgn", by.replace(',', "-"));
        lab.run(["sort", "-q", "in.pgn", &out, "--by", by])
            .expect(0);
        let first = lab.run(["cat", &out, "-n", "1"]).expect(0).out;
        assert!(first.contains("11:00:00"), "{by}: {first}");
    }
}

#[test]
fn bishops_of_opposite_colours_are_found_in_every_format() {
    let lab = Lab::empty();
    let game = |bishop: &str| {
        let fen = format!("6k1/{bishop}/8/8/8/8/1P3B2/4K3 w - - 0 1");
        tagged(&[("SetUp", "1"), ("FEN", &fen)], "1. Kd2 Kf8")
    };
    lab.write("in.pgn", game("5b2") + &game("6b1") + &tagged(&[], LONG));
    let written = FORMATS.iter().filter(|format| format.create.is_some());
    let mut formats = 0;
    for format in written.map(|format| format.roles[0].0) {
        let base = format!("base.{format}");
        lab.run(["convert", "-q", "in.pgn", &base]);
        // Some formats have no start positions, and a book is one game.
        if lab.run(["ls", &base]).out.lines().count() < 3 {
            continue;
        }
        formats += 1;
        for index in [false, true] {
            if index {
                lab.run(["index", &base]).expect(0);
            }
            assert_eq!(
                ids(&lab, &base, "bishops:opposite"),
                "1",
                "{format} {index}"
            );
            assert_eq!(ids(&lab, &base, "bishops:same"), "2", "{format} {index}");
            let both = "bishops:same,opposite";
            let args = ["find", &base, both, "material:KBPKB", "--ids"];
            let found = lab.run(args).expect(0);
            assert_eq!(found.out, "1\n2\n", "{format} {index}");
            let tree = lab.run(["tree", &base, "bishops:same"]);
            assert_ne!(tree.code, 2, "{format} {index}: {}", tree.err);
            let cat = lab.run(["cat", &base, "bishops:opposite"]).expect(0).out;
            assert!(
                cat.contains("5b2") && !cat.contains("6b1"),
                "{format}: {cat}"
            );
        }
    }
    assert!(formats >= 7, "{formats} formats");
}
