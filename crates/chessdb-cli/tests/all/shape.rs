//! Tests of games without some parts, and in other notations.

use crate::common::Lab;

#[test]
fn parts_are_left_out() {
    let lab = Lab::new();
    for base in ["games.pgn", "games.si4"] {
        let cat = |args: &[&str]| {
            lab.run([&["cat", base, "-n", "2"], args].concat())
                .expect(0)
                .out
        };
        let all = cat(&[]);
        assert!(all.contains("Über") && all.contains("$1") && all.contains("(1... c5"));
        let without = cat(&["-C"]);
        assert!(without.contains("\n1. e4 e5 $1 (1... c5"), "{without}");
        let bare = cat(&["-CVN7"]);
        assert!(bare.ends_with("]\n\n1. e4 e5 2. Nf3 1/2-1/2\n\n"), "{bare}");
        assert_eq!(bare.lines().filter(|line| line.starts_with('[')).count(), 7);
        let first = lab.run(["cat", base, "-n", "1", "-7"]).expect(0).out;
        assert!(!first.contains("Elo") && !first.contains("ECO"), "{first}");
        let narrow = cat(&["-w", "20"]);
        assert!(
            narrow
                .lines()
                .skip(7)
                .all(|line| line.chars().count() <= 20),
            "{narrow}"
        );
        assert!(narrow.lines().count() > all.lines().count());
        let json = cat(&["--json", "-V"]);
        assert!(!json.contains("c7c5"), "{json}");
    }
    lab.run(["convert", "-q", "games.pgn", "bare.si4", "-CVN"])
        .expect(0);
    let bare = lab.run(["ls", "bare.si4", "has:comments,variations,nags"]);
    bare.expect(1);
    lab.run(["convert", "games.pgn", "x.si4", "-w", "60"])
        .expect(2);
    lab.run(["convert", "-q", "games.pgn", "long.pgn", "-w", "0"])
        .expect(0);
    assert!(
        lab.text("long.pgn")
            .contains("(1... c5 2. Nf3 (2. c3 d5)) 2. Nf3 1/2-1/2\n")
    );
}

#[test]
fn moves_and_positions_come_line_by_line() {
    let lab = Lab::new();
    let cat = |args: &[&str]| {
        lab.run([&["cat", "games.si4"], args].concat())
            .expect(0)
            .out
    };
    let uci = cat(&["--format", "uci", "--no-tags"]);
    assert_eq!(uci.lines().next(), Some("e2e4 c7c6 d2d3 d7d5 b1d2 1-0"));
    assert_eq!(uci.lines().count(), 3);
    let lan = cat(&["--format", "lan", "-n", "1", "-7"]);
    assert!(lan.starts_with("[Event \"Bled\"]\n"), "{lan}");
    assert!(
        lan.ends_with("\n\ne2-e4 c7-c6 d2-d3 d7-d5 Nb1-d2 1-0\n\n"),
        "{lan}"
    );
    let fen = cat(&["--format", "fen"]);
    assert_eq!(fen.lines().count(), 6 + 4 + 3);
    let epd = cat(&["--format", "epd", "-n", "1"]);
    assert!(
        epd.lines().nth(1).unwrap().contains("b KQkq e3 c0 \"Tal")
            && epd.contains(" ply 1\"; sm c6;\n"),
        "{epd}"
    );
}
