//! Tests of `book`, and of books given to other commands.

use chessdb_testkit::fixtures;

use crate::common::Lab;

/// Games whose book is small enough to be written by hand.
fn lab() -> Lab {
    let lab = Lab::empty();
    let game = |year: u16, result: &str, moves: &str| {
        format!(
            "[Event \"?\"]\n[Date \"{year}.01.01\"]\n[White \"Tal, M\"]\n[Black \"B\"]\n\
             [Result \"{result}\"]\n\n{moves} {result}\n\n"
        )
    };
    let games = [
        game(1950, "1/2-1/2", "1. e4 e5 2. Nf3 Nc6"),
        game(1960, "1/2-1/2", "1. Nf3 e5 2. e4 Nc6"),
        game(1970, "1-0", "1. e4 c5"),
        game(1980, "0-1", "1. d4 d5"),
    ];
    lab.write("games.pgn", games.concat());
    lab
}

#[test]
fn a_book_is_made_and_its_moves_are_listed() {
    let lab = lab();
    let ran = lab.run(["book", "make", "games.pgn", "made.bin"]).expect(0);
    // 1.d4 and 1...c5 only lost.
    let said = "made.bin: 8 moves of 7 positions from 4 games\n2 moves left out (no point, or by the conditions)\n";
    assert_eq!(ran.err, said);
    let ran = lab.run(["book", "ls", "made.bin"]).expect(0);
    let moves: Vec<&str> = ran.out.lines().skip(3).collect();
    assert!(
        moves[0].starts_with("1.e4                 3   75.0 %"),
        "{}",
        ran.out
    );
    assert!(
        moves[1].starts_with("1.Nf3                1   25.0 %"),
        "{}",
        ran.out
    );
    assert_eq!(moves.len(), 2);
    let json = lab
        .run(["book", "ls", "made.bin", "--line", "1.e4", "--json"])
        .expect(0)
        .json();
    assert_eq!(json["moves"][0]["san"], "e5");
    assert_eq!(json["moves"][0]["weight"], 1);
    assert_eq!(json["moves"][0]["uci"], "e7e5");
    lab.run(["book", "ls", "made.bin", "--line", "1.c4"])
        .expect(1);
    let ran = lab
        .run(["book", "show", "made.bin", "--depth", "3"])
        .expect(0);
    let names = ran
        .out
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().next().unwrap());
    let names: Vec<&str> = names.collect();
    assert_eq!(names[..3], ["1.e4", "1...e5", "2.Nf3"]);
    let json = lab
        .run(["book", "info", "made.bin", "--json"])
        .expect(0)
        .json();
    assert_eq!(json["books"][0]["positions"], 7);
    assert_eq!(json["books"][0]["format"], "polyglot");
}

#[test]
fn conditions_select_games_and_moves() {
    let lab = lab();
    let make = |words: &[&str]| {
        let mut all = vec!["book", "make", "--force", "games.pgn", "some.bin", "--json"];
        all.extend(words);
        lab.run(all)
    };
    assert_eq!(make(&["--min-games", "2"]).expect(0).json()["moves"], 2);
    assert_eq!(make(&["--max-ply", "1"]).expect(0).json()["moves"], 2);
    assert_eq!(make(&["--since", "1960"]).expect(0).json()["games"], 3);
    assert_eq!(
        make(&["year:1950", "or", "year:1980"]).expect(0).json()["games"],
        2
    );
    let json = make(&["--since", "1970", "year:1950", "or", "year:1980"])
        .expect(0)
        .json();
    assert_eq!(json["games"], 1);
    assert_eq!(make(&["--min-score", "60"]).expect(0).json()["moves"], 2);
    // Nothing is written if nothing is left.
    let ran = lab
        .run(["book", "make", "games.pgn", "none.bin", "year:1800"])
        .expect(1);
    assert!(ran.err.contains("nothing was written"), "{}", ran.err);
    assert!(!lab.path("none.bin").exists());
    lab.run(["book", "make", "games.pgn", "some.bin"]).expect(4);
    lab.run(["book", "make", "games.pgn"]).expect(2);
    lab.run(["book", "make", "games.pgn", "x.bin", "--min-score", "101"])
        .expect(2);
}

#[test]
fn a_book_becomes_games_and_a_copy() {
    let lab = lab();
    lab.run(["book", "make", "games.pgn", "made.bin"]).expect(0);
    let ran = lab
        .run(["book", "convert", "made.bin", "lines.pgn"])
        .expect(1);
    // The moves after 1.d4 cannot be reached without it.
    assert!(
        ran.err.contains("made.bin → lines.pgn: 7 moves in 1 game"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("        1  positions or moves left out"),
        "{}",
        ran.err
    );
    let text = lab.text("lines.pgn");
    assert!(
        text.contains("1. e4 {weight 3} (1. Nf3 {weight 1}"),
        "{text}"
    );
    assert!(text.contains("transposition"), "{text}");
    let ran = lab
        .run(["book", "convert", "made.bin", "no.pgn", "--strict"])
        .expect(1);
    assert!(ran.err.contains("--strict refuses this"), "{}", ran.err);
    assert!(!lab.path("no.pgn").exists());
    let ran = lab
        .run(["book", "convert", "made.bin", "copy.bin", "--strict"])
        .expect(0);
    assert_eq!(ran.err, "made.bin → copy.bin: 8 moves\n");
    assert_eq!(lab.read("made.bin"), lab.read("copy.bin"));
    lab.run(["book", "convert", "made.bin", "copy.bin"])
        .expect(4);
    lab.run(["book", "convert", "made.bin", "copy.xyz"])
        .expect(2);
    let json = lab.run([
        "book",
        "convert",
        "made.bin",
        "two.pgn",
        "--max-ply",
        "1",
        "--json",
    ]);
    assert_eq!(json.expect(1).json()["moves"], 2);
}

#[test]
fn a_tree_shows_the_moves_of_a_book() {
    let lab = lab();
    lab.run(["book", "make", "games.pgn", "made.bin"]).expect(0);
    let ran = lab
        .run(["tree", "games.pgn", "year:1970..", "--book", "made.bin"])
        .expect(0);
    let line = |start: &str| {
        ran.out
            .lines()
            .find(|line| line.starts_with(start))
            .unwrap()
    };
    assert!(line("Move").ends_with("    Book"), "{}", ran.out);
    assert!(line("1.e4").contains(" 75.0 %"), "{}", ran.out);
    assert!(!line("1.d4").contains("75.0 %"), "{}", ran.out);
    // Not played in these games.
    assert!(line("1.Nf3").ends_with(" 25.0 %"), "{}", ran.out);
    let json = lab
        .run(["tree", "games.pgn", "--book", "made.bin", "--json"])
        .expect(0)
        .json();
    assert_eq!(json["book"][0]["san"], "e4");
    lab.run(["tree", "games.pgn", "--book", "games.pgn"])
        .expect(3);
}

#[test]
fn commands_for_games_name_the_command_for_books() {
    let lab = lab();
    lab.run(["book", "make", "games.pgn", "made.bin"]).expect(0);
    lab.write("arena.abk", [b"\x03ABK".to_vec(), vec![0; 25_196]].concat());
    let mut page = b"\0\x20\x10\0\0\x01\0\x01\0\0\x10\0".to_vec();
    page.resize(4096, 0);
    lab.write("empty.ctg", page);
    for (book, name) in [
        ("made.bin", "Polyglot"),
        ("arena.abk", "ABK"),
        ("empty.ctg", "CTG"),
    ] {
        for command in [
            &["ls", book][..],
            &["convert", book, "x.pgn"],
            &["find", book, "Tal"],
        ] {
            let ran = lab.run(command).expect(3);
            let said =
                format!("an opening book ({name}), which has no games; see `chessdb help book`");
            assert!(ran.err.contains(&said), "{command:?}: {}", ran.err);
        }
        let ran = lab.run(["info", book]).expect(0);
        assert!(
            ran.out.contains("opening book") && ran.out.contains("positions"),
            "{}",
            ran.out
        );
        let ran = lab.run([book]).expect(0);
        assert!(ran.out.contains("opening book"), "{}", ran.out);
    }
    let json = lab
        .run(["info", "--json", "made.bin", "games.pgn"])
        .expect(0)
        .json();
    assert_eq!(json["bases"][0]["format"], "polyglot");
    assert_eq!(json["bases"][1]["format"], "pgn");
    for (file, said) in [
        ("games.pgn", "not an opening book"),
        ("missing.bin", "no such file"),
    ] {
        let ran = lab.run(["book", "info", file]).expect(3);
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    let ran = lab.run(["book", "make", "made.bin", "more.bin"]).expect(3);
    assert!(ran.err.contains("which has no games"), "{}", ran.err);
    let ran = lab.run(["book", "convert", "made.bin", "x.abk"]).expect(2);
    assert!(
        ran.err.contains("not a format to write a book in"),
        "{}",
        ran.err
    );
    // Any file of a book names it.
    lab.write("empty.cto", vec![0; 16]);
    let ran = lab.run(["book", "info", "empty.cto"]).expect(0);
    assert!(
        ran.out.contains("empty.ctg (") && ran.out.contains("cto file"),
        "{}",
        ran.out
    );
}

/// Everything that the program does with a genuine book.
#[test]
fn a_genuine_ctg_book_is_converted() {
    let folder = "fixtures-real/books/perfect2021/Perfect_2021/CTG";
    let Some(folder) = fixtures::testdata(folder) else {
        return;
    };
    let lab = Lab::empty();
    let book = folder.join("Perfect2021.ctg");
    let book = book.to_str().unwrap();
    let ran = lab.run(["book", "info", book]).expect(0);
    assert!(
        ran.out.contains("  positions    104,224, 255 not reached"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("  moves        112,290\n"), "{}", ran.out);
    assert!(
        ran.out.contains("  health       no problems\n"),
        "{}",
        ran.out
    );
    let ran = lab.run(["book", "convert", book, "book.bin"]).expect(0);
    assert!(ran.err.contains("reduced to weights"), "{}", ran.err);
    lab.run(["book", "info", "book.bin"]).expect(0);
    lab.run(["book", "convert", book, "lines.pgn"]).expect(1);
    lab.run(["check", "lines.pgn"]).expect(0);
}

/// Returns the moves of a position in a book with their weights.
pub(crate) fn weights(lab: &Lab, book: &str, line: &str) -> Vec<(String, u64)> {
    let words = ["book", "ls", book, "--json"].into_iter();
    let line = ["--line", line].into_iter().filter(|_| !line.is_empty());
    let json = lab.run(words.chain(line)).json();
    let moves = json["moves"].as_array().cloned().unwrap_or_default();
    let weight = |each: &serde_json::Value| {
        (
            each["san"].as_str().unwrap().to_owned(),
            each["weight"].as_u64().unwrap(),
        )
    };
    moves.iter().map(weight).collect()
}

#[test]
fn a_repertoire_without_results_becomes_a_book() {
    let lab = Lab::empty();
    let moves = "1. e4 e5 (1... c5 2. Nf3 d6 (2... Nc6 3. Bb5)) 2. Nf3 Nc6 3. Bb5 *";
    lab.write("lines.pgn", format!("[White \"Rep\"]\n\n{moves}\n"));
    let ran = lab.run(["book", "make", "lines.pgn", "made.bin"]).expect(1);
    assert!(ran.err.contains("--uniform"), "{}", ran.err);
    lab.run(["book", "make", "lines.pgn", "made.bin", "--uniform"])
        .expect(0);
    let each = |moves: &[&str]| {
        moves
            .iter()
            .map(|san| ((*san).to_owned(), 1))
            .collect::<Vec<_>>()
    };
    for (line, moves) in [
        ("1.e4", &["c5", "e5"][..]),
        ("1.e4 c5 2.Nf3", &["Nc6", "d6"]),
        ("1.e4 c5 2.Nf3 Nc6", &["Bb5"]),
    ] {
        let mut weights = weights(&lab, "made.bin", line);
        weights.sort();
        let mut moves = each(moves);
        moves.sort();
        assert_eq!(weights, moves, "{line}");
    }
    let words = [
        "book",
        "make",
        "lines.pgn",
        "white.bin",
        "--uniform",
        "--white",
    ];
    lab.run(words).expect(0);
    assert_eq!(weights(&lab, "white.bin", "1.e4 c5"), each(&["Nf3"]));
    assert_eq!(weights(&lab, "white.bin", "1.e4"), []);
}

#[test]
fn shares_and_weights_select_moves() {
    let lab = lab();
    // 1.e4 has 3 of 4 points, 1.Nf3 one.
    for (share, moves) in [("25", 2), ("25.1%", 1), ("76", 0)] {
        let words = [
            "book",
            "make",
            "games.pgn",
            "made.bin",
            "--force",
            "--min-share",
            share,
        ];
        lab.run(words);
        assert_eq!(weights(&lab, "made.bin", "").len(), moves, "{share}");
    }
    let game = |date: &str, white_elo: &str, moves: &str| {
        format!(
            "[Date \"{date}\"]\n[WhiteElo \"{white_elo}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
        )
    };
    // The factors are 1 * 10, 10 * 10, 1 * 40 and 5 * 30: two wins of one point each.
    let games = [
        game("????.??.??", "?", "1. e4 e5"),
        game("1975.01.01", "2700", "1. d4 d5"),
        game("2000.01.01", "1000", "1. c4 c5"),
        game("1995.01.01", "2000", "1. b3 b6"),
    ];
    lab.write("rated.pgn", games.concat());
    lab.run(["book", "make", "rated.pgn", "rated.bin", "--weighted"])
        .expect(0);
    let expected = [("b3", 300), ("d4", 200), ("c4", 80), ("e4", 20)];
    let expected = expected.map(|(san, weight)| (san.to_owned(), weight));
    assert_eq!(weights(&lab, "rated.bin", ""), expected);
}

#[test]
fn merged_books_add_their_weights() {
    let lab = Lab::empty();
    // Entries of the start position: e2e4, d2d4 and c2c4 (docs/formats/polyglot.md, section 1).
    let book = |entries: &[(u16, u16)]| -> Vec<u8> {
        let key = 0x463b_9618_1691_fc9c_u64.to_be_bytes();
        let entries = entries.iter().flat_map(|(mv, weight)| {
            [&key[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
        });
        entries.collect()
    };
    let [e4, d4, c4] = [796, 731, 666];
    lab.write("a.bin", book(&[(e4, 60_000), (d4, 10)]));
    lab.write("b.bin", book(&[(e4, 5_535), (c4, 7)]));
    let ran = lab
        .run(["book", "merge", "a.bin", "b.bin", "both.bin"])
        .expect(0);
    assert_eq!(ran.err, "both.bin: 3 moves of 1 position from 2 books\n");
    let named = |weights: &[(&str, u64)]| {
        let weights = weights
            .iter()
            .map(|(san, weight)| ((*san).to_owned(), *weight));
        weights.collect::<Vec<_>>()
    };
    let sums = named(&[("e4", 65_535), ("d4", 10), ("c4", 7)]);
    assert_eq!(weights(&lab, "both.bin", ""), sums);
    // The sum 125,535 is scaled to 65,535, and the others in proportion, but not to 0.
    let words = ["book", "merge", "both.bin", "a.bin", "c.bin", "--json"];
    let json = lab.run(words).expect(0).json();
    assert_eq!(json["scaled"], 3);
    let scaled = named(&[("e4", 65_535), ("d4", 10), ("c4", 3)]);
    assert_eq!(weights(&lab, "c.bin", ""), scaled);
    lab.run(["book", "merge", "a.bin", "b.bin", "both.bin"])
        .expect(4);
    lab.run(["book", "merge", "a.bin", "b.pgn"]).expect(2);
}
