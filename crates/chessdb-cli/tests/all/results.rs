//! Tests of `--fix-result`, of flags in `check`, and of the columns about the end of a game.

use crate::common::Lab;

const MATE: &str = "1. f3 e5 2. g4 Qh4#";
/// The shortest stalemate (Sam Loyd, 1866).
const STALEMATE: &str = "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 \
                         8. Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6";

fn game(white: &str, result: &str, tags: &str, moves: &str) -> String {
    format!(
        "[White \"{white}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n{tags}\n{moves} {result}\n\n"
    )
}

/// Games, and the result that each should have.
fn games() -> (String, Vec<&'static str>) {
    let fen = |fen: &str| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
    let mate_in_one = fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
    let variant = "[Variant \"Crazyhouse\"]\n";
    let games = [
        ("1", "*", "", MATE, "0-1"),
        ("2", "1-0", "", MATE, "0-1"),
        ("3", "0-1", "", MATE, "0-1"),
        ("4", "*", "", STALEMATE, "1/2-1/2"),
        ("5", "1-0", "", STALEMATE, "1/2-1/2"),
        ("6", "*", mate_in_one.as_str(), "1. Ra8#", "1-0"),
        ("7", "*", "", "1. e4 e5", "*"),
        // Resigned, although the other side could be mated.
        ("8", "1-0", "", "1. f3 e5 2. g4", "1-0"),
        // Mate in a variation is not the end.
        ("9", "*", "", "1. f3 e5 2. g4 Nc6 (2... Qh4#)", "*"),
        // With another rule, a piece may be dropped.
        ("10", "*", variant, MATE, "*"),
        (
            "11",
            "*",
            "",
            &format!("{{Fool}} {MATE} $1 {{mate}}"),
            "0-1",
        ),
    ];
    let text = games
        .iter()
        .map(|(name, result, tags, moves, _)| game(name, result, tags, moves));
    (
        text.collect(),
        games.map(|(.., expected)| expected).to_vec(),
    )
}

fn results(lab: &Lab, base: &str) -> Vec<String> {
    let list = lab.run(["ls", base, "--columns", "result"]).expect(0).out;
    list.lines().map(str::to_owned).collect()
}

#[test]
fn results_follow_from_the_board() {
    let (text, expected) = games();
    let changed = "game 1: * → 0-1 (mate), game 2: 1-0 → 0-1 (mate), game 4: * → 1/2-1/2 (stalemate), \
                   game 5: 1-0 → 1/2-1/2 (stalemate), game 6: * → 1-0 (mate), game 11: * → 0-1 (mate)";
    let lines = |name: &str| -> String {
        let lines = changed
            .split(", ")
            .map(|change| format!("{name}: {change}\n"));
        lines.collect()
    };
    for format in ["pgn", "si4", "si5"] {
        let lab = Lab::empty();
        lab.write("games.pgn", &text);
        let base = format!("base.{format}");
        lab.run(["convert", "-q", "games.pgn", &base]).expect(0);
        let before = results(&lab, &base);
        let dry = ["convert", &base, "out.pgn", "--fix-result", "--dry-run"];
        let dry = lab.run(dry).expect(0);
        let list = lines(&base) + "6 results corrected\n";
        assert!(dry.out.ends_with(&list), "{format}: {}", dry.out);
        let ran = lab
            .run(["convert", &base, "out.pgn", "--fixresult"])
            .expect(0);
        assert!(ran.err.ends_with(&list), "{format}: {}", ran.err);
        assert_eq!(results(&lab, "out.pgn"), expected, "{format}");
        assert!(
            lab.text("out.pgn")
                .contains("{Fool} 1. f3 e5 2. g4 Qh4# $1 {mate} 0-1")
        );
        assert_eq!(results(&lab, &base), before);
        let dry = lab
            .run(["tag", &base, "-n", "1-", "--fix-result", "--dry-run"])
            .expect(0);
        assert!(dry.err.contains(&lines(&base)), "{format}: {}", dry.err);
        assert_eq!(results(&lab, &base), before);
        lab.run(["tag", &base, "-n", "1-", "--fix-result"])
            .expect(0);
        assert_eq!(results(&lab, &base), expected, "{format}");
        let again = lab
            .run(["tag", &base, "-n", "1-", "--fix-result"])
            .expect(0)
            .err;
        assert!(again.contains("nothing to do"), "{again}");
    }
}

#[test]
fn corrected_results_are_in_the_report() {
    let lab = Lab::empty();
    lab.write("a.pgn", game("x", "*", "", "1. e4"));
    lab.write("b.pgn", game("y", "1-0", "", MATE));
    let args = [
        "convert",
        "a.pgn",
        "b.pgn",
        "out.pgn",
        "--fix-result",
        "--json",
        "-q",
    ];
    let json = lab.run(args).expect(0).out;
    let change =
        "\"fixedResults\":[{\"source\":\"b.pgn\",\"game\":1,\"old\":\"1-0\",\"new\":\"0-1\"}]";
    assert!(json.contains(change), "{json}");
    lab.run(["tag", "a.pgn", "1", "--fix-result", "--set", "Round=1"])
        .expect(2);
}

/// A flag that fell is found by names, colours and clocks; the result is not changed.
#[test]
fn check_finds_winners_on_time() {
    let tag = |text: &str| format!("[Termination \"{text}\"]\n");
    let clocks = |white: &str, black: &str| {
        format!("1. e4 {{[%clk {white}]}} e5 {{[%clk {black}]}} 2. Nf3 {{[%clk {white}]}}")
    };
    let time = tag("Time forfeit");
    let games = [
        // Each with whether the winner's flag fell.
        ("1-0", time.clone(), clocks("0:00:00", "0:01:00"), true),
        ("0-1", time.clone(), clocks("0:00:00", "0:01:00"), false),
        ("0-1", time.clone(), clocks("0:01:00", "0:00:00"), true),
        ("1-0", time.clone(), clocks("0:00:00", "0:00:00"), false),
        ("1-0", tag("Normal"), clocks("0:00:00", "0:01:00"), false),
        ("1-0", tag("B won on time"), "1. e4 e5".to_owned(), true),
        ("0-1", tag("B won on time"), "1. e4 e5".to_owned(), false),
        (
            "1-0",
            String::new(),
            "1. e4 e5 {White forfeits on time}".to_owned(),
            true,
        ),
        (
            "1-0",
            String::new(),
            "1. e4 e5 {Black forfeits on time}".to_owned(),
            false,
        ),
        (
            "0-1",
            String::new(),
            "1. e4 e5 {White wins on time.}".to_owned(),
            true,
        ),
        ("1/2-1/2", time, clocks("0:00:00", "0:01:00"), false),
    ];
    let lab = Lab::empty();
    let text = games
        .iter()
        .map(|(result, tags, moves, _)| game("A", result, tags, moves));
    lab.write("games.pgn", text.collect::<String>());
    let ran = lab.run(["check", "games.pgn", "--all"]).expect(0);
    for (n, (.., is_found)) in games.iter().enumerate() {
        let finding = format!("game {}: the flag of ", n + 1);
        let finding = ran.out.lines().any(|line| line.contains(&finding));
        assert_eq!(finding, *is_found, "game {}: {}", n + 1, ran.out);
    }
    lab.run(["convert", "-q", "games.pgn", "out.pgn", "--fix-result"])
        .expect(0);
    assert_eq!(results(&lab, "out.pgn"), results(&lab, "games.pgn"));
}

#[test]
fn endings_and_their_evidence_are_columns() {
    let tag = |text: &str| format!("[Termination \"{text}\"]\n");
    let lab = Lab::empty();
    let games = [
        ("0-1", String::new(), MATE, "mate board"),
        ("1/2-1/2", String::new(), STALEMATE, "stalemate board"),
        ("1-0", tag("Time forfeit"), "1. e4", "time termination"),
        (
            "1-0",
            tag("adjudication"),
            "1. e4",
            "adjudicated termination",
        ),
        (
            "1-0",
            String::new(),
            "1. e4 {White wins by adjudication}",
            "adjudicated comment",
        ),
        (
            "1-0",
            tag("rules infraction"),
            "1. e4",
            "infraction termination",
        ),
        ("1-0", tag("Illegal move"), "1. e4", "illegal termination"),
        ("1-0", String::new(), "1. e4", "resigned presumed"),
        ("1/2-1/2", String::new(), "1. e4", "agreed presumed"),
        (
            "1/2-1/2",
            String::new(),
            "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8",
            "repetition board",
        ),
        ("*", String::new(), "1. e4", ""),
    ];
    let text = games
        .iter()
        .map(|(result, tags, moves, _)| game("A", result, tags, moves));
    lab.write("games.pgn", text.collect::<String>());
    let list = lab
        .run(["ls", "games.pgn", "--columns", "ending,endingsource"])
        .expect(0)
        .out;
    let expected: Vec<String> = games
        .iter()
        .map(|(.., end)| end.replace(' ', "\t"))
        .collect();
    let list: Vec<&str> = list.lines().map(str::trim).collect();
    assert_eq!(list, expected);
    // The query finds the same games.
    for (word, expected) in [
        ("adjudication", "4\n5\n"),
        ("adjudicated", "4\n5\n"),
        ("timeout", "3\n"),
    ] {
        let ids = lab.run(["find", "games.pgn", &format!("ending:{word}"), "--ids"]);
        assert_eq!(ids.expect(0).out, expected, "{word}");
    }
}
