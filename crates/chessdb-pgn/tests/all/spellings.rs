//! Spellings that are not standard, but unambiguous.

use chessdb_core::{Event, Outcome, ReadOptions, Severity};

use crate::common::read_with;

#[test]
fn results_glued_to_moves_are_both() {
    for mv in ["Qh5", "e5", "Bxd7+", "Qxf7#", "O-O-O", "e8=Q", "e2e4"] {
        for (result, outcome) in [
            ("1-0", Outcome::WhiteWins),
            ("0-1", Outcome::BlackWins),
            ("1/2-1/2", Outcome::Draw),
            ("1/2", Outcome::Draw),
            ("1:0", Outcome::WhiteWins),
            ("0\u{2013}1", Outcome::BlackWins),
            ("\u{BD}-\u{BD}", Outcome::Draw),
            ("*", Outcome::Unknown),
        ] {
            let text = format!("[White \"A\"]\n\n1. e4 {mv}{result} \n\n1. d4 d5 *");
            let (games, _) = read_with(text.as_bytes(), &ReadOptions::default());
            assert_eq!(games.len(), 2, "{text}");
            assert_eq!(games[0].header.outcome, outcome, "{text}");
        }
    }
    let (games, found) = read_with(
        b"1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#1-0",
        &ReadOptions::default(),
    );
    assert_eq!(games[0].mainline().count(), 7);
    assert!(found.is_empty(), "{found:?}");
    // Not results: digits of other words.
    for word in ["Ra1-0", "e1-0", "x41-0", "Nf31-01", "1-01-0", "Qh50-0"] {
        let text = format!("[White \"A\"]\n\n1. e4 {word} *");
        let (games, found) = read_with(text.as_bytes(), &ReadOptions::default());
        assert_eq!(games.len(), 1, "{text}");
        assert!(found.iter().any(|f| f.severity == Severity::Lost), "{text}");
    }
}

#[test]
fn null_moves_have_many_spellings() {
    for null in [
        "--",
        "---",
        "Z0",
        "z0",
        "null",
        "0000",
        "@@@@",
        "<>",
        "\u{2013}\u{2013}",
    ] {
        let text = format!("[White \"A\"]\n\n1. e4 {null} 2. d4 ({null} d5) 2... d5 *");
        let (games, found) = read_with(text.as_bytes(), &ReadOptions::default());
        let nulls = games[0].events();
        let nulls = nulls.filter(|e| matches!(e, Event::Move(mv) if mv.is_null()));
        assert_eq!(nulls.count(), 2, "{text}");
        assert!(found.is_empty(), "{text} {found:?}");
    }
    for other in ["----", "pass", "<<>>", "e5---", "---e5"] {
        let text = format!("[White \"A\"]\n\n1. e4 {other} 2. d4 *");
        let (_, found) = read_with(text.as_bytes(), &ReadOptions::default());
        assert!(found.iter().any(|f| f.severity == Severity::Lost), "{text}");
    }
}

#[test]
fn stray_signs_are_notes() {
    for text in [
        "1. e4 e5 {x}} 2. Nf3, Nc6 1-0",
        "1. e4 ] e5 \" 2. Nf3 ' Nc6 1-0 }",
        "1. e4 e5 } 2. Nf3 Nc6 1-0,\n\n}\n",
        "}\n1. e4 | e5 & 2. Nf3 ^ Nc6 1-0",
    ] {
        let text = format!("[White \"A\"]\n[Result \"1-0\"]\n\n{text}\n[White \"B\"]\n\n*");
        let (games, found) = read_with(text.as_bytes(), &ReadOptions::default());
        assert_eq!(games.len(), 2, "{text}");
        assert!(!found.is_empty(), "{text}");
        assert!(
            found.iter().all(|f| f.severity == Severity::Note),
            "{text} {found:?}"
        );
        assert_eq!(games[0].mainline().count(), 4, "{text}");
    }
}

#[test]
fn tags_with_other_quotes_are_read() {
    for (open, close) in [
        ("\u{201C}", "\u{201D}"),
        ("\u{201E}", "\u{201C}"),
        ("\u{BB}", "\u{AB}"),
        ("\u{AB}", "\u{BB}"),
        ("'", "'"),
        ("\u{2018}", "\u{2019}"),
        ("\u{201C}", "\""),
        ("&quot;", "&quot;"),
        ("\\\"", "\\\""),
    ] {
        let tag = |name: &str, value: &str| format!("[{name} {open}{value}{close}]\n");
        let header = [
            tag("Event", "Interzonal"),
            tag("White", "Alpha, Paul"),
            tag("Result", "1-0"),
            tag("WhiteElo", "2500"),
        ]
        .concat();
        let text = format!("{header}\n1.e4 c5 2.Nf3 d6 1-0\n\n{header}\n1. d4 1-0\n");
        let (games, found) = read_with(text.as_bytes(), &ReadOptions::default());
        assert_eq!(games.len(), 2, "{text}");
        for game in &games {
            assert_eq!(
                game.text(game.header.event.text).decode(),
                "Interzonal",
                "{text}"
            );
            assert_eq!(
                game.text(game.header.white.name.text).decode(),
                "Alpha, Paul",
                "{text}"
            );
            assert_eq!(
                game.header.white.rating.map(|r| r.value),
                Some(2500),
                "{text}"
            );
            assert_eq!(game.header.outcome, Outcome::WhiteWins, "{text}");
        }
        assert_eq!(found.len(), 8, "{found:?}");
        assert!(
            found.iter().all(|f| f.severity == Severity::Note),
            "{text} {found:?}"
        );
    }
    let text = b"[Event \x84J\xFCrgen\x93]\n[White \x93O\x94]\n\n1. e4 *\n";
    let (games, _) = read_with(text, &ReadOptions::default());
    assert_eq!(
        games[0].text(games[0].header.event.text).decode(),
        "J\u{FC}rgen"
    );
    // A quote of another kind closes a tag that begins with `"`.
    let text = "[Event \"Open\u{201D}]\n[White \"A\"]\n\n1. e4 *\n";
    let (games, _) = read_with(text.as_bytes(), &ReadOptions::default());
    assert_eq!(games[0].text(games[0].header.event.text).decode(), "Open");
    // Prose in brackets is not a tag.
    let (games, _) = read_with(
        "[see 'above']\n[see \u{201C}x\u{201D}]\n".as_bytes(),
        &ReadOptions::default(),
    );
    assert!(games.is_empty());
}
