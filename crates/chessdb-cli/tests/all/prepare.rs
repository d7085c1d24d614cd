//! Tests of `prepare`.

use crate::common::Lab;

/// Returns games of Tal and of others.
fn games() -> String {
    let game = |white: &str, black: &str, year: u16, result: &str, moves: &str| {
        format!(
            "[Event \"Bled\"]\n[Date \"{year}.09.01\"]\n[White \"{white}\"]\n\
             [Black \"{black}\"]\n[Result \"{result}\"]\n[WhiteElo \"2600\"]\n\
             [BlackElo \"2500\"]\n\n{moves} {result}\n\n"
        )
    };
    let mut text = String::new();
    for year in 1950..1975 {
        text += &game(
            "Keres, P",
            "Geller, E",
            year,
            "1/2-1/2",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        );
    }
    text += &game(
        "Tal, M",
        "Geller <E> | *",
        1976,
        "1-0",
        "1. e4 e5 2. Nf3 Nc6 3. h4 a6",
    );
    text += &game(
        "Tal, M",
        "Geller, E",
        1977,
        "1-0",
        "1. e4 e5 2. Nf3 Nc6 3. h4 d6",
    );
    text += &game(
        "Tal, M",
        "Keres, P",
        1979,
        "0-1",
        "1. Nf3 Nc6 2. e4 e5 3. Bc4 Bc5",
    );
    text += &game("Keres, P", "TAL, M", 1980, "0-1", "1. e4 c5 2. Nf3 d6");
    text
}

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("many.pgn", games());
    lab.run(["convert", "-q", "many.pgn", "many.si4"]).expect(0);
    lab
}

#[test]
fn a_report_counts_games_by_position() {
    let lab = lab();
    for base in ["many.pgn", "many.si4"] {
        let json = lab.run(["prepare", base, "Tal", "--json"]).expect(0).json();
        assert_eq!(
            (&json["player"], &json["games"]),
            (&"Tal, M".into(), &4.into())
        );
        assert_eq!(json["spellings"][0]["name"], "TAL, M");
        assert_eq!(json["recentSince"], 1979);
        let white = &json["colors"][0];
        assert_eq!(
            (&white["color"], &white["total"]["won"]),
            (&"white".into(), &2.into())
        );
        let position = |line: &str| {
            let positions = white["positions"].as_array().expect("positions");
            let found = positions.iter().find(|position| position["line"] == line);
            found
                .unwrap_or_else(|| panic!("{line} in {positions:?}"))
                .clone()
        };
        // Three games by two orders of moves.
        let knights = position("1.e4 e5 2.Nf3 Nc6");
        assert_eq!(knights["total"]["games"], 3, "{knights}");
        assert_eq!(knights["othersGames"], 25, "{knights}");
        let moves = &knights["moves"];
        assert_eq!(
            (&moves[0]["san"], &moves[0]["total"]["games"]),
            (&"h4".into(), &2.into())
        );
        assert_eq!(
            (&moves[0]["othersGames"], &moves[0]["recentGames"]),
            (&0.into(), &0.into())
        );
        assert_eq!(
            (&moves[1]["san"], &moves[1]["recentGames"]),
            (&"Bc4".into(), &1.into())
        );
        assert_eq!(moves[0]["modelGame"]["game"], 26, "{moves}");
        assert_eq!(white["deviations"][0]["othersMove"], "Bb5", "{white}");
        let new = &white["newMoves"];
        assert_eq!(
            (&new[0]["move"], &new[0]["olderGames"]),
            (&"Bc4".into(), &27.into())
        );
        assert_eq!(
            (&new[1]["move"], &new[1]["game"]["game"]),
            (&"h4".into(), &26.into())
        );
        assert_eq!(white["bestWins"].as_array().map(Vec::len), Some(2));
    }
    let black = lab.run([
        "prepare", "many.si4", "Tal", "--black", "--least", "1", "--json",
    ]);
    let black = black.expect(0).json();
    assert_eq!(
        (&black["games"], &black["colors"][0]["color"]),
        (&1.into(), &"black".into())
    );
    let since = lab.run([
        "prepare",
        "many.si4",
        "Tal",
        "--since",
        "1977",
        "result:1-0",
        "--json",
    ]);
    assert_eq!(since.expect(0).json()["games"], 1);
}

#[test]
fn a_report_is_text_a_page_or_pgn() {
    let lab = lab();
    let text = lab.run(["prepare", "many.si4", "Tal"]).expect(0).out;
    assert!(
        text.starts_with("# Tal, M\n\n4 games, 1976–1980\n"),
        "{text}"
    );
    assert!(text.contains("### 1.e4 e5 2.Nf3 Nc6\n"), "{text}");
    assert!(
        text.contains("Geller \\<E\\> \\| \\*"),
        "names are texts: {text}"
    );
    lab.run(["prepare", "many.si4", "Tal", "-o", "tal.md"])
        .expect(0);
    assert_eq!(lab.text("tal.md"), text);
    lab.run(["prepare", "many.si4", "Tal", "-o", "tal.html"])
        .expect(0);
    let page = lab.text("tal.html");
    assert!(
        page.contains("<svg class=\"board\"") && page.contains("1.e4 e5 2.Nf3 Nc6"),
        "{page}"
    );
    assert!(
        page.contains("Geller &lt;E&gt; | *") && !page.contains("<script"),
        "{page}"
    );
    lab.run(["prepare", "many.si4", "Tal", "-o", "tal.pgn"])
        .expect(0);
    let pgn = lab.text("tal.pgn");
    assert!(pgn.contains("{2 games, 100 %, performance"), "{pgn}");
    lab.run(["check", "tal.pgn"]).expect(0);
    let cat = lab.run(["cat", "tal.pgn", "--json"]).expect(0).json();
    assert_eq!(cat["games"][0]["tags"]["White"], "Tal, M", "{cat}");
    assert!(
        lab.text("tal.pgn").lines().all(|line| line.len() <= 80),
        "{pgn}"
    );
}

#[test]
fn what_cannot_be_reported_is_said() {
    let lab = lab();
    let ran = lab.run(["prepare", "many.si4"]).expect(2);
    assert!(ran.err.contains("no player is named"), "{}", ran.err);
    lab.run(["prepare", "many.si4", "Nobody"]).expect(1);
    let ran = lab
        .run(["prepare", "many.si4", "Tal", "-o", "tal.doc"])
        .expect(2);
    assert!(ran.err.contains(".html, .pgn or .md"), "{}", ran.err);
    lab.write("tal.html", "mine");
    let ran = lab
        .run(["prepare", "many.si4", "Tal", "-o", "tal.html"])
        .expect(4);
    assert!(ran.err.contains("--force"), "{}", ran.err);
    assert_eq!(lab.text("tal.html"), "mine");
    lab.run(["prepare", "many.si4", "Tal", "-o", "tal.html", "--force"])
        .expect(0);
    let ran = lab.run(["prepare", "many.pgn", "Tal", "-o", "many.pgn", "--force"]);
    ran.expect(4);
    assert_eq!(lab.text("many.pgn"), games());
}

#[test]
fn any_number_of_threads_gives_the_same_report() {
    let lab = lab();
    lab.write("often.pgn", games().repeat(100));
    let [one, three] = ["1", "3"].map(|jobs| {
        let ran = lab.run(["prepare", "often.pgn", "Tal", "--json", "--jobs", jobs]);
        ran.expect(0).json()
    });
    assert_eq!(one, three);
}
