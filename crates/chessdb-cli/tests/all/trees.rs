//! Tests of `merge --one-game`, `convert --split-variations`, `--from-move` and `repertoire`.

use crate::common::Lab;

const TAGS: &str = "[Event \"E\"]\n[Site \"Moscow\"]\n";

fn game(white: &str, year: u16, result: &str, moves: &str) -> String {
    format!(
        "{TAGS}[Date \"{year}.05.01\"]\n[White \"{white}\"]\n[Black \"Botvinnik, Mikhail\"]\n\
         [Result \"{result}\"]\n\n{moves} {result}\n\n"
    )
}

/// Returns the movetexts of a file, each on one line.
fn movetexts(lab: &Lab, name: &str) -> Vec<String> {
    let text = lab.text(name).replace("\r\n", "\n");
    let games = text.split("\n\n").filter(|part| !part.trim().is_empty());
    let games = games.filter(|part| !part.starts_with('['));
    games
        .map(|moves| moves.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn games_become_one_game_with_variations() {
    let lab = Lab::empty();
    let games = [
        game("Tal, Mihail", 1960, "1-0", "1. e4 {Best} c6 2. Nc3 $1 d5"),
        game(
            "Tal, Mihail",
            1961,
            "0-1",
            "1. e4 c5 (1... e5 2. Nf3) 2. Nf3",
        ),
        game(
            "Tal, Mihail",
            1960,
            "1/2-1/2",
            "1. e4 {Best} c5 {Sharp} 2. c3",
        ),
        game("Smyslov, V", 1950, "1-0", "1. d4 Nf6"),
    ];
    lab.write("games.pgn", games.concat());
    let ran = lab
        .run(["merge", "games.pgn", "one.pgn", "--one-game"])
        .expect(0);
    assert!(
        ran.err.contains("4 games joined into 1 tree with 11 moves"),
        "{}",
        ran.err
    );
    let moves = "1. e4 {Best} (1. d4 Nf6) 1... c5 {Sharp} (1... c6 2. Nc3 $1 d5) (1... e5 2. Nf3) \
                 2. Nf3 (2. c3) *";
    assert_eq!(movetexts(&lab, "one.pgn"), [moves]);
    // Tags that differ are unknown, the others stay.
    let text = lab.text("one.pgn");
    assert!(
        text.contains("[Site \"Moscow\"]") && text.contains("[White \"?\"]"),
        "{text}"
    );

    let options = ["--one-game", "--counts", "--sources", "--force"];
    lab.run(["merge", "games.pgn", "one.pgn"].into_iter().chain(options))
        .expect(0);
    let moves = "1. e4 {Best} {3 games, 50 %} (1. d4 {1 game, 100 %} 1... Nf6 {Smyslov - Botvinnik, \
                 Moscow 1950, 1-0}) 1... c5 {Sharp} {2 games, 25 %} (1... c6 {1 game, 100 %} \
                 2. Nc3 $1 d5 {Tal - Botvinnik, Moscow 1960, 1-0}) (1... e5 {1 game} 2. Nf3) \
                 2. Nf3 {1 game, 0 %} {Tal - Botvinnik, Moscow 1961, 0-1} (2. c3 {1 game, 50 %} \
                 {Tal - Botvinnik, Moscow 1960, 1/2-1/2}) *";
    assert_eq!(movetexts(&lab, "one.pgn"), [moves]);
    // A query selects games, and another format takes the tree.
    lab.run(["merge", "games.pgn", "tal.si4", "player:Tal", "--one-game"])
        .expect(0);
    let ran = lab.run(["cat", "tal.si4", "-q"]).expect(0);
    assert!(
        ran.out.contains("[White \"Tal, Mihail\"]") && !ran.out.contains("d4"),
        "{}",
        ran.out
    );
}

#[test]
fn each_start_position_has_its_own_tree() {
    let lab = Lab::empty();
    let fen = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n\n";
    lab.write("games.pgn", format!("1. e4 *\n\n{fen}1. d4 *\n\n{fen}"));
    lab.run(["merge", "games.pgn", "games.pgn", "one.pgn", "--one-game"])
        .expect(0);
    assert_eq!(movetexts(&lab, "one.pgn"), ["1. e4 (1. d4) *", "1. e4 *"]);
}

#[test]
fn variations_become_games_and_one_game_again() {
    let lab = Lab::empty();
    let moves = "{Intro} 1. e4 $1 {best} c5 2. Nf3 {dev} (2. c3 {alapin} Nf6 (2... d5 $5 3. exd5) \
                 3. e5 Nd5) 2... d6 (2... Nc6 {sec}) 3. d4 {end}";
    lab.write("line.pgn", game("Tal, Mihail", 1960, "1-0", moves));
    for option in ["--split-variations", "--splitvariants"] {
        lab.run(["convert", "line.pgn", "lines.pgn", option, "--force"])
            .expect(0);
        // pgn-extract --splitvariants writes these lines too.
        let lines = [
            "{Intro} 1. e4 $1 {best} 1... c5 2. Nf3 {dev} 2... d6 3. d4 {end} 1-0",
            "{Intro} 1. e4 $1 {best} 1... c5 2. c3 {alapin} 2... Nf6 3. e5 Nd5 *",
            "{Intro} 1. e4 $1 {best} 1... c5 2. c3 {alapin} 2... d5 $5 3. exd5 *",
            "{Intro} 1. e4 $1 {best} 1... c5 2. Nf3 {dev} 2... Nc6 {sec} *",
        ];
        let written = movetexts(&lab, "lines.pgn");
        let plain = |text: &String| text.replace("1... c5", "c5").replace("2... ", "");
        assert_eq!(
            written.iter().map(plain).collect::<Vec<_>>(),
            lines.map(|line| plain(&line.to_owned()))
        );
    }
    assert_eq!(
        lab.text("lines.pgn")
            .matches("[White \"Tal, Mihail\"]")
            .count(),
        4
    );
    lab.run(["merge", "lines.pgn", "again.pgn", "--one-game"])
        .expect(0);
    lab.run([
        "convert",
        "again.pgn",
        "again-lines.pgn",
        "--split-variations",
    ])
    .expect(0);
    let mut lines = movetexts(&lab, "again-lines.pgn");
    let mut expected = movetexts(&lab, "lines.pgn");
    lines.sort();
    // Only the result of the mainline is gone.
    expected
        .iter_mut()
        .for_each(|line| *line = line.replace(" 1-0", " *"));
    expected.sort();
    assert_eq!(lines, expected);
}

#[test]
fn games_are_written_from_a_move() {
    let lab = Lab::empty();
    let games = [
        game(
            "A",
            1960,
            "1-0",
            "1. e4 e5 2. Nf3 (2. f4) Nc6 {there} 3. Bb5 (3. Bc4 Bc5) a6",
        ),
        game("B", 1960, "0-1", "1. f3 e5 2. g4 Qh4#"),
    ];
    lab.write("games.pgn", games.concat());
    let ran = lab
        .run(["convert", "games.pgn", "end.pgn", "--from-move", "3"])
        .expect(0);
    assert!(
        ran.err.contains("1 game left out: no move 3"),
        "{}",
        ran.err
    );
    assert_eq!(
        movetexts(&lab, "end.pgn"),
        ["3. Bb5 (3. Bc4 Bc5) 3... a6 1-0"]
    );
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    assert!(lab.text("end.pgn").contains(fen));
    let words = [
        "convert",
        "games.pgn",
        "-",
        "--from-move",
        "3",
        "--split-variations",
        "-q",
    ];
    let ran = lab.run(words).expect(0);
    assert_eq!(ran.out.matches("[FEN ").count(), 2);
}

/// Returns a repertoire for Black, and games that follow and leave it.
fn repertoire_lab() -> Lab {
    let lab = Lab::empty();
    lab.write(
        "black.pgn",
        "[Event \"R\"]\n\n1. e4 c5 2. Nf3 (2. c3 Nf6) 2... d6 3. d4 cxd4 *\n\n",
    );
    let games = [
        // By transposition to the end of a line.
        game("A", 2019, "1-0", "1. Nf3 c5 2. e4 d6 3. d4 cxd4 4. Nxd4"),
        game("B", 2020, "0-1", "1. e4 c5 2. Nc3 Nc6"),
        game("C", 2021, "1-0", "1. e4 c5 2. Nc3 d6"),
        game("D", 2022, "1-0", "1. e4 c5 2. c3 d5"),
        game("E", 2023, "1/2-1/2", "1. e4 e5"),
        game("F", 2024, "1/2-1/2", "1. d4 d5"),
    ];
    lab.write("games.pgn", games.concat());
    lab
}

#[test]
fn a_repertoire_is_compared_with_games() {
    let lab = repertoire_lab();
    let words = [
        "repertoire",
        "black.pgn",
        "games.pgn",
        "--min-games",
        "1",
        "--json",
    ];
    let json = lab.run(words).expect(0).json();
    assert_eq!(json["color"], "black");
    let counts = ["games", "toTheEnd", "leftByOpponent", "leftBySide"].map(|key| &json[key]);
    assert_eq!(counts.map(|count| count.as_u64().unwrap()), [5, 1, 2, 2]);
    let moves = |key: &str| {
        let moves = json[key].as_array().unwrap().iter();
        let moves = moves.map(|each| {
            let of = (
                each["games"].as_u64().unwrap(),
                each["of"].as_u64().unwrap(),
            );
            (
                format!("{} {}", each["line"], each["move"]).replace('"', ""),
                of,
            )
        });
        moves.collect::<Vec<_>>()
    };
    let gap = |line: &str, games, of| (line.to_owned(), (games, of));
    assert_eq!(
        moves("gaps"),
        [
            gap("1.e4 c5 Nc3", 2, 3),
            gap(" Nf3", 1, 6),
            gap(" d4", 1, 6)
        ]
    );
    assert_eq!(
        moves("deviations"),
        [gap("1.e4 e5", 1, 4), gap("1.e4 c5 2.c3 d5", 1, 1)]
    );
    let first = &json["followed"][0];
    assert_eq!(first["game"]["white"], "A");
    assert!(first["leftBy"].is_null());

    let words = [
        "repertoire",
        "black.pgn",
        "games.pgn",
        "--since",
        "2021",
        "--min-games",
        "1",
    ];
    let ran = lab.run(words).expect(0);
    assert!(
        ran.out
            .starts_with("Repertoire for Black: 3 games touch it\n"),
        "{}",
        ran.out
    );
    let words = [
        "repertoire",
        "black.pgn",
        "games.pgn",
        "--player",
        "Botvinnik",
    ];
    let ran = lab.run(words).expect(0);
    assert!(ran.out.contains("2  left by Botvinnik\n"), "{}", ran.out);
}

#[test]
fn the_colour_of_a_repertoire_is_found_or_asked_for() {
    let lab = repertoire_lab();
    let color = |tags: &str, moves: &str, options: &[&str]| {
        lab.write("lines.pgn", format!("{tags}\n{moves} *\n"));
        let words = ["repertoire", "lines.pgn", "games.pgn", "--json"];
        let ran = lab.run(words.iter().chain(options));
        if ran.code == 2 {
            assert!(ran.err.contains("--white or --black"), "{}", ran.err);
            return String::new();
        }
        ran.json()["color"].as_str().unwrap().to_owned()
    };
    let unclear = "1. e4 e5";
    for (tags, moves, options, expected) in [
        ("[Event \"E\"]\n", unclear, &[][..], ""),
        ("[Event \"E\"]\n", unclear, &["--white"], "white"),
        ("[Event \"E\"]\n", unclear, &["--color", "black"], "black"),
        ("[White \"Rep\"]\n[Black \"?\"]\n", unclear, &[], "white"),
        ("[Event \"Black repertoire\"]\n", unclear, &[], "black"),
        (
            "[Orientation \"black\"]\n[White \"Rep\"]\n",
            unclear,
            &[],
            "black",
        ),
        ("[Event \"E\"]\n", "1. e4 e5 (1... c5) 2. Nf3", &[], "white"),
    ] {
        assert_eq!(
            color(tags, moves, options),
            expected,
            "{tags}{moves} {options:?}"
        );
    }
}
