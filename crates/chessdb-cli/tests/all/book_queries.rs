//! Tests of the term `book:` of queries.

use chessdb_testkit::fixtures;

use crate::common::Lab;
use crate::opening_books::weights;

/// The book has 1.e4 c5 2.Nf3 and 1.e4 e5; its lines end there.
#[test]
fn a_query_finds_the_games_that_follow_a_book() {
    let lab = Lab::empty();
    let game = |white: &str, moves: &str| format!("[White \"{white}\"]\n\n{moves} *\n\n");
    let lines = ["1. e4 c5 2. Nf3", "1. e4 e5"].map(|moves| game("Book", moves));
    lab.write("lines.pgn", lines.concat());
    lab.run(["book", "make", "lines.pgn", "my book.bin", "--uniform"])
        .expect(0);
    let games = [
        ("ends", "1. e4 c5 2. Nf3"),
        ("beyond", "1. e4 c5 2. Nf3 d6 3. d4"),
        ("short", "1. e4"),
        ("left", "1. e4 c5 2. Nc3"),
        ("other", "1. d4 d5"),
        ("empty", ""),
        ("variation", "1. d4 (1. e4 e5)"),
    ];
    let all: String = games.map(|(name, moves)| game(name, moves)).concat();
    let fischer = "[White \"960\"]\n[Variant \"Crazyhouse\"]\n\n1. e4 e5 *\n\n";
    lab.write("games.pgn", all + fischer);
    let names = |query: &str| {
        let ran = lab.run(["find", "games.pgn", query, "--columns", "white", "-q"]);
        assert!(ran.code < 2, "{query}: {}", ran.err);
        ran.out.lines().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("book:my book.bin"), "ends beyond short");
    assert_eq!(names("-book:my book.bin"), "left other empty variation 960");
    assert_eq!(names("book:my book.bin,2.."), "ends beyond left");
    assert_eq!(names("book:my book.bin,3"), "ends beyond");
    assert_eq!(names("book:my book.bin,..1"), "short other empty variation");
    assert_eq!(
        names("book:\"my book.bin\",0 -white:empty"),
        "other variation"
    );
    assert_eq!(
        names("(white:left or white:ends) book:\"my book.bin\""),
        "ends"
    );
    let path = lab.path("my book.bin").display().to_string();
    assert_eq!(names(&format!("book:{path}")), "ends beyond short");
    // Other commands have it too.
    let ran = lab.run(["convert", "games.pgn", "out.pgn", "book:my book.bin,3"]);
    assert_eq!(
        lab.text("out.pgn").matches("[White ").count(),
        2,
        "{}",
        ran.err
    );
    for (query, reason) in [
        ("book:none.bin", "no such file"),
        ("book:games.pgn", "not an opening book"),
        ("book:3", "expected the file"),
        ("book>my.bin", "compared"),
    ] {
        let refused = lab.run(["find", "games.pgn", query]).expect(2);
        assert!(refused.err.contains(reason), "{query}: {}", refused.err);
    }
}

/// A query asks a genuine book in each format, and finds what `book ls` lists.
#[test]
fn books_of_all_formats_answer_queries() {
    let folder = "fixtures-real/books/perfect2021/Perfect_2021";
    let Some(folder) = fixtures::testdata(folder) else {
        return;
    };
    let lab = Lab::empty();
    let lines: [&[&str]; 4] = [
        &[
            "e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6", "a3",
        ],
        &[
            "d4", "Nf6", "c4", "e6", "Nc3", "Bb4", "e3", "O-O", "Bd3", "d5", "Nf3",
        ],
        &[
            "e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1",
        ],
        &["a3", "h5", "b3"],
    ];
    let game = |line: &&[&str]| format!("[White \"{}\"]\n\n{} *\n\n", line[0], line.join(" "));
    lab.write("games.pgn", lines.iter().map(game).collect::<String>());
    let mut known = 0;
    for book in [
        "CTG/Perfect2021.ctg",
        "BIN/Perfect2021.bin",
        "ABK/Perfect2021.abk",
    ] {
        let book = folder.join(book);
        let book = book.to_str().unwrap();
        for (number, line) in lines.iter().enumerate() {
            let is_in_book = |ply: &usize| {
                let before = line[..*ply].join(" ");
                let moves = weights(&lab, book, &before);
                moves.iter().any(|(san, _)| san == line[*ply])
            };
            let plies = (0..line.len()).take_while(is_in_book).count();
            known += plies;
            let query = format!("book:{book},{plies}");
            let ran = lab.run(["find", "games.pgn", &query, "--columns", "game"]);
            let numbers: Vec<&str> = ran.out.lines().collect();
            assert!(
                numbers.contains(&&*(number + 1).to_string()),
                "{query}: {numbers:?}"
            );
        }
    }
    assert!(known > 60, "{known}");
}
