//! Tests of results, start positions and variants as stated by tags, in every format and output.

use crate::common::Lab;

const FORFEITS: &str = "[Event \"League\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"0-0\"]\n\n\
    1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 0-0\n\n\
    [Event \"Olympiad\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"0-0\"]\n\n0-0\n";

#[test]
fn a_double_forfeit_is_kept_or_announced_as_a_result() {
    let lab = Lab::empty();
    lab.write("in.pgn", FORFEITS);
    lab.run(["check", "in.pgn"]).expect(0);
    let moves = lab.run(["cat", "in.pgn", "--format", "uci", "--no-tags"]);
    assert_eq!(moves.expect(0).out, "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 *\n*\n");
    for out in ["x.cbh", "x.si4", "x.si3", "x.sqlite", "x.pgn"] {
        lab.run(["convert", "--strict", "in.pgn", out]).expect(0);
        let back = lab.run(["cat", out]).expect(0).out;
        assert_eq!(back.matches("[Result \"0-0\"]").count(), 2, "{out}: {back}");
        let list = lab.run(["ls", out]).expect(0).out;
        assert_eq!(list.matches("\t0-0\t").count(), 2, "{out}: {list}");
    }
    for out in ["x.dci", "x.cbf", "x.cdp"] {
        let report = format!("{out}.txt");
        lab.run(["convert", "in.pgn", out, "--loss-report", &report])
            .expect(0);
        let report = lab.text(&report);
        let lines = report.lines().skip(1);
        let kinds = lines.filter_map(|line| line.split('\t').nth(3));
        assert_eq!(
            kinds.filter(|kind| *kind == "result").count(),
            2,
            "{out}: {report}"
        );
    }
}

const STARTS: &str = "[Event \"unread\"]\n[Result \"0-1\"]\n[FEN \"?\"]\n[SetUp \"1\"]\n\n1. e4 e5 0-1\n\n\
    [Event \"announced\"]\n[Result \"0-1\"]\n[SetUp \"1\"]\n\n1. e4 e5 0-1\n\n\
    [Event \"standard\"]\n[Result \"1-0\"]\n\n1. d4 d5 1-0\n";

#[test]
fn a_game_without_a_known_start_has_no_position() {
    let lab = Lab::empty();
    lab.write("in.pgn", STARTS);
    // Two games lose their moves.
    lab.run(["convert", "-q", "in.pgn", "x.si4"]).expect(1);
    lab.run(["convert", "-q", "in.pgn", "x.sqlite"]).expect(1);
    for base in ["in.pgn", "x.si4", "x.sqlite"] {
        let tree = lab.run(["tree", base]).out;
        assert!(tree.contains("\n1 game:"), "{base}: {tree}");
        let found = lab.run(["find", base, "start:standard"]).out;
        assert!(
            found.contains("standard") && !found.contains("announced"),
            "{base}: {found}"
        );
        let found = lab
            .run([
                "find",
                base,
                "fen:rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            ])
            .out;
        if base == "in.pgn" {
            assert!(
                !found.contains("announced") && !found.contains("unread"),
                "{found}"
            );
        }
        for game in ["1", "2"] {
            for form in ["fen", "epd"] {
                assert_eq!(
                    lab.run(["cat", base, "-n", game, "--format", form]).out,
                    "",
                    "{base}"
                );
            }
            let json = lab.run(["cat", base, "-n", game, "--json"]).out;
            assert!(!json.contains("rnbqkbnr"), "{json}");
        }
    }
}

const VARIANTS: &str = "[Event \"zh\"]\n[Result \"1-0\"]\n[Variant \"Crazyhouse\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0\n\n\
    [Event \"std\"]\n[Result \"0-1\"]\n[Variant \"Standard\"]\n\n1. e4 e5 0-1\n";

#[test]
fn variants_count_only_if_asked() {
    let lab = Lab::empty();
    lab.write("in.pgn", VARIANTS);
    lab.run(["convert", "-q", "in.pgn", "x.si4"]).expect(0);
    for base in ["in.pgn", "x.si4"] {
        let count = |args: &[&str]| {
            let tree = lab.run([&["tree", base], args].concat()).out;
            tree.lines()
                .nth(1)
                .unwrap_or_default()
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        assert_eq!(
            (count(&[]), count(&["--variants"])),
            ("1".to_owned(), "2".to_owned()),
            "{base}"
        );
    }
    lab.run(["eco", "--all", "-q", "in.pgn", "eco.pgn"])
        .expect(0);
    assert_eq!(lab.text("eco.pgn").matches("[ECO ").count(), 1);
    lab.run(["eco", "--all", "--variants", "-q", "in.pgn", "all.pgn"])
        .expect(0);
    assert_eq!(lab.text("all.pgn").matches("[ECO ").count(), 2);
}

const CHESS960: &str = "[Event \"castles\"]\n[Result \"*\"]\n[SetUp \"1\"]\n[Variant \"Chess960\"]\n\
    [FEN \"rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1\"]\n\n1. O-O-O *\n";

#[test]
fn castling_in_chess960_is_king_takes_rook() {
    let lab = Lab::empty();
    lab.write("in.pgn", CHESS960);
    lab.write("king.pgn", CHESS960.replace("O-O-O", "Kc1"));
    for (base, uci) in [("in.pgn", "b1a1"), ("king.pgn", "b1c1")] {
        let line = lab.run(["cat", base, "--format", "uci", "--no-tags"]).out;
        assert_eq!(line, format!("{uci} *\n"));
        let json = lab.run(["cat", base, "--json"]).out;
        assert!(json.contains(&format!("[\"{uci}\"]")), "{json}");
        let fen = "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1";
        let tree = lab.run(["tree", base, "--fen", fen, "--json"]).out;
        assert!(tree.contains(&format!("\"uci\":\"{uci}\"")), "{tree}");
    }
}

#[test]
fn the_tags_beside_a_start_position_are_found_in_every_format() {
    let lab = Lab::empty();
    let fen = "[FEN \"r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1\"]";
    lab.write(
        "in.pgn",
        format!("[Event \"E\"]\n[Result \"*\"]\n{fen}\n\n1. e4 *\n"),
    );
    for base in [
        "in.pgn", "x.cbf", "x.cbh", "x.dci", "x.cdp", "x.si4", "x.sqlite",
    ] {
        if base != "in.pgn" {
            lab.run(["convert", "-q", "in.pgn", base]).expect(0);
        }
        lab.run(["find", base, "tag:SetUp"]).expect(0);
        lab.run(["find", base, "tag:Variant"]).expect(1);
        let json = lab.run(["cat", base, "--json"]).out;
        assert_eq!(json.matches("\"SetUp\":\"1\"").count(), 1, "{base}: {json}");
        let pgn = lab.run(["cat", base]).out;
        assert_eq!(pgn.matches("[SetUp \"1\"]").count(), 1, "{base}: {pgn}");
    }
    lab.write("960.pgn", CHESS960.replace("[Variant \"Chess960\"]\n", ""));
    for base in ["960.pgn", "y.cbh", "y.dci", "y.si4"] {
        if base != "960.pgn" {
            lab.run(["convert", "-q", "960.pgn", base]);
        }
        lab.run(["find", base, "tag:Variant=Chess960"]).expect(0);
    }
}
