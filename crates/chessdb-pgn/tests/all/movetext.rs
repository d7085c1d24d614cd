//! Words among the moves that are read, not played because of doubt, or end their line.

use chessdb_core::{Charset, Event, Game, ReadOptions, Severity};

use crate::common::{read_one, read_with};

/// Returns the moves of a game in coordinates, with parentheses, comments in braces and NAGs.
fn tape(game: &Game) -> String {
    let words = game.events().map(|event| match event {
        Event::Move(mv) => mv.to_string(),
        Event::Open(_) => "(".to_owned(),
        Event::Close => ")".to_owned(),
        Event::Comment(_, text) => format!("{{{}}}", text.decode()),
        Event::Nag(nag) => format!("${nag}"),
        other => format!("{other:?}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn lost(bytes: &[u8]) -> (String, usize) {
    let (game, findings) = read_one(bytes);
    let lost = findings.iter().filter(|f| f.severity == Severity::Lost);
    (tape(&game), lost.count())
}

#[test]
fn what_people_write_as_moves_is_read() {
    for (text, moves) in [
        ("1. e4 e5 2. ♘f3 ♞c6 *", "e2e4 e7e5 g1f3 b8c6"),
        ("1. ♙e4 ♟\u{FE0E}e5 2. Nf3 *", "e2e4 e7e5 g1f3"),
        (
            "1. e4\u{A0}e5\u{2009}2.\u{202F}Nf3\u{200B} Nc6\u{3000}*",
            "e2e4 e7e5 g1f3 b8c6",
        ),
        ("\u{A0}1. e4 e5 *", "e2e4 e7e5"),
        ("1. e4 1…e5 2.Nf3 … Nc6 *", "e2e4 e7e5 g1f3 b8c6"),
        (
            "1. e2–e4 e7—e5 2. Ng1−f3 d7‐d5 3. e4×d5 Q×d5 *",
            "e2e4 e7e5 g1f3 d7d5 e4d5 d8d5",
        ),
        (
            "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0–0 O−O 1–0",
            "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8",
        ),
        (
            "1. e4 e5 2. Qh5 Ke7 3. Qxe5‡ ½–½",
            "e2e4 e7e5 d1h5 e8e7 h5e5",
        ),
        ("1. e4 e5 2. Qh5 Nc6 3. Qxf7† *", "e2e4 e7e5 d1h5 b8c6 h5f7"),
        (
            "1. e4 (e.p.) e5 (+) 2. Nf3 (2. Bc4 (ch) Nc6) Nc6(mate)*",
            "e2e4 e7e5 g1f3 ( f1c4 b8c6 ) b8c6",
        ),
        ("1 e4 e5 2 Nf3 Nc6 *", "e2e4 e7e5 g1f3 b8c6"),
        ("1.e4!e5 2.Nf3$1Nc6 *", "e2e4 $1 e7e5 g1f3 $1 b8c6"),
        (
            "1. e4 N e5 2. Nf3 D 2... Nc6 *",
            "e2e4 $146 e7e5 g1f3 $201 b8c6",
        ),
    ] {
        assert_eq!(lost(text.as_bytes()), (moves.to_owned(), 0), "{text}");
    }
    let western = b"1. e4\xA0e5 2.\x85 *";
    assert_eq!(lost(western), ("e2e4 e7e5".to_owned(), 0));
    let dashes = b"1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0\x960 0\x970 {\xE9} 1\x960";
    let (moves, lost) = lost(dashes);
    assert_eq!(
        (moves.ends_with("e1g1 e8g8 {é}"), lost),
        (true, 0),
        "{moves}"
    );
}

#[test]
fn whatever_cannot_be_read_ends_its_line_and_is_kept() {
    for (text, kept) in [
        ("1. e4 e5 2. Ωf3 Nc6 *", "e2e4 e7e5 {Ωf3 Nc6}"),
        ("1. e4 е5 2. Nf3 *", "e2e4 {е5 2. Nf3}"),
        ("1. e4 e5 2. Ｎf3 Nc6 1-0", "e2e4 e7e5 {Ｎf3 Nc6}"),
        ("1. e4 e5² 2. Nf3 *", "e2e4 {e5² 2. Nf3}"),
        ("1. e4 – 2. Nf3 *", "e2e4 {– 2. Nf3}"),
        ("1. e4 - 2. Nf3 *", "e2e4 {- 2. Nf3}"),
        ("1. e4 ___ 2. Nf3 *", "e2e4 {___ 2. Nf3}"),
        ("1. e4 \u{0} 2. Nf3 *", "e2e4 {\u{0} 2. Nf3}"),
        ("1. e4 <e5> 2. Nf3 *", "e2e4 {<e5> 2. Nf3}"),
        ("1. e4 [e5] 2. Nf3 *", "e2e4 {[e5] 2. Nf3}"),
        ("1. e4 ,e5 2. Nf3 *", "e2e4 {,e5 2. Nf3}"),
        ("Ωf3 *", "{Ωf3}"),
        ("1. Ωf3 *", "{Ωf3}"),
        (
            "1. e4 (1. Ωd4 d5 (1... x) 2. c4 {y} $1) 1... e5 *",
            "e2e4 ( {Ωd4 d5 (1... x) 2. c4 {y} $1} ) e7e5",
        ),
        (
            "1. e4 (1. d4 Ωd5 2. c4) e5 2. Nf3 *",
            "e2e4 ( d2d4 {Ωd5 2. c4} ) e7e5 g1f3",
        ),
        (
            "1. e4 (1. d4 Ωd5 (1... e6) {in it}) {behind} e5 *",
            "e2e4 ( d2d4 {Ωd5 (1... e6) {in it}} ) {behind} e7e5",
        ),
        (
            "1. e4 Ωe5 {before} 1-0 {behind}",
            "e2e4 {Ωe5 {before}} {behind}",
        ),
        (
            "1. e4 Ωe5\n2. Nf3 ; said\nNc6",
            "e2e4 {Ωe5 2. Nf3 ; said Nc6}",
        ),
        ("1. e4 (1. d4 Ωd5", "e2e4 ( d2d4 {Ωd5} )"),
        // A part of a move is not read as a move, and a part of a glyph not as a glyph.
        ("1. e4 e5 2. N f3 Nc6 *", "e2e4 e7e5 $146 {f3 Nc6}"),
        ("1. e4 e5 2. N\u{200B}f3 Nc6 *", "e2e4 e7e5 $146 {f3 Nc6}"),
        ("1. e4 e5 2. ? Nc6 *", "e2e4 e7e5 {? Nc6}"),
        ("1. 94 d5 *", "{94 d5}"),
        ("1. e4 e5 2. 8c4 Nc6 *", "e2e4 e7e5 {8c4 Nc6}"),
        ("1. e4 d5 2. xd5 *", "e2e4 d7d5 {xd5}"),
        ("1. e4 e5 2. Pf3 *", "e2e4 e7e5 {Pf3}"),
        ("1. e4--e5 *", "e2e4 {--e5}"),
        ("1. e4 ------- *", "e2e4 {-------}"),
        ("1. e4 –—– *", "e2e4 {–—–}"),
        ("1. e4 ===== *", "e2e4 {=====}"),
        // Signs attached to the word belong to its text.
        ("1. e4 e5 2. Nf3 +0.5 Nc6 *", "e2e4 e7e5 g1f3 {+0.5 Nc6}"),
        ("1A. e4 1a. e5 *", "{1A. e4 1a. e5}"),
        ("1. e4 e5 +:- *", "e2e4 e7e5 {+:-}"),
        (
            "1. e4 e5 2. Qh5 Ke7 3. Qxe5+-Kd8 *",
            "e2e4 e7e5 d1h5 e8e7 h5e5 {+-Kd8}",
        ),
        ("1. 2-c4 e5 *", "{2-c4 e5}"),
        ("1. d4 d5 2. bd2 *", "d2d4 d7d5 {bd2}"),
        (
            "1. e4 e5 (1... d5 1-0. Nc3) 2. Nf3 *",
            "e2e4 e7e5 ( d7d5 {1-0. Nc3} ) g1f3",
        ),
    ] {
        let (moves, number) = lost(format!("[Event \"x\"]\n\n{text}").as_bytes());
        assert_eq!((&*moves, number), (kept, 1), "{text}");
    }
    let castling = "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n1. O-O -O O-O *";
    assert_eq!(lost(castling.as_bytes()).0, "{O-O -O O-O}");
}

#[test]
fn lines_drawn_and_second_results_are_no_games() {
    for (text, number) in [
        ("1. e4 *\n\n* * *\n\n* one\n\n1. d4 *", 2),
        ("1. e4 1-0 1-0\n\n1. d4 1/2 1-0\n1/2", 2),
        ("----------\n\n1. e4 *\n\n-- \nme\n", 1),
        ("-- e5 *\n\n{c} 1-0\n\n0-1\n", 3),
        ("1-0 for White\n1. e4 *", 1),
    ] {
        let (games, findings) = read_with(text.as_bytes(), &ReadOptions::default());
        assert_eq!(games.len(), number, "{text}");
        let nulls = games.iter().flat_map(Game::events);
        let nulls = nulls.filter(|e| matches!(e, Event::Move(mv) if mv.is_null()));
        assert_eq!(
            nulls.count(),
            usize::from(text.starts_with("-- e5")),
            "{text}"
        );
        let odd = findings.iter().any(|f| f.severity == Severity::Lost);
        assert_eq!(odd, !text.starts_with("-- e5"), "{text}");
    }
}

#[test]
fn a_start_position_in_small_letters_is_one() {
    let (game, findings) =
        read_one(b"[Event \"x\"]\n[fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 *");
    assert_eq!(tape(&game), "e2e4 e8d7");
    assert!(
        findings
            .iter()
            .any(|f| f.to_string().contains("another spelling"))
    );
}

#[test]
fn no_promotion_is_guessed_where_a_piece_is_named() {
    for (text, kept) in [
        ("1. a8=K a1=Q", "{a8=K a1=Q}"),
        ("1. a8=P a1=Q", "{a8=P a1=Q}"),
        ("1. a8=(K) a1=Q", "{a8=(K) a1=Q}"),
        ("1. a8 = N a1=Q", "{a8 = N a1=Q}"),
        ("1. a8 (N) a1=Q", "{a8 (N) a1=Q}"),
        ("1. a8 N a1=Q", "{a8 N a1=Q}"),
        ("1. a8(♘) a1=Q", "{a8(♘) a1=Q}"),
        ("1. a8♘ a1=♛", "a7a8n a2a1q"),
        ("1. a8=Q a1/N", "a7a8q a2a1n"),
        ("1. a8 a1", "a7a8q a2a1q"),
    ] {
        let fen = "[FEN \"8/P6k/8/8/8/8/p6K/8 w - - 0 1\"]\n[SetUp \"1\"]\n\n";
        let (game, _) = read_one(format!("{fen}{text} *").as_bytes());
        assert_eq!(tape(&game), kept, "{text}");
    }
}

#[test]
fn letters_of_other_languages_are_read_where_all_moves_fit() {
    for (text, moves) in [
        (
            "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        ),
        (
            "1. e4 e5 2. Pf3 Pc6 3. Lb5 a6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        ),
        (
            "1. e4 e5 2. Cf3 Cc6 3. Fb5 a6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        ),
        (
            "1. e4 e5 2. Cf3 Cc6 3. Ab5 a6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        ),
        (
            "1. e4 e5 2. Cf3 Cc6 3. Bb5 a6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        ),
        (
            "1. e4 e5 2. Кf3 Кc6 3. Сb5 (3. Сc4 Фf6) a6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 ( f1c4 d8f6 ) a7a6",
        ),
        ("1. пe4 e5 2. Крe2 *", "e2e4 e7e5 e1e2"),
        (
            "1. e4 e5 2. Sf3 Sc6 3. Gb5 Hf6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 d8f6",
        ),
        (
            "1. e4 e5 2. Jf3 Jc6 3. Sb5 Df6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 d8f6",
        ),
        (
            "1. e4 e5 2. Hf3 Hc6 3. Fb5 Vf6 *",
            "e2e4 e7e5 g1f3 b8c6 f1b5 d8f6",
        ),
        ("1. Pe4 Pe5 2. Pf3 Nc6 *", "e2e4 e7e5 f2f3 b8c6"),
        ("1. e4 e5 2. Rf3 Rc6 3. Lb5 *", "e2e4 e7e5 g1f3 b8c6 f1b5"),
        (
            "[FEN \"7q/6P1/8/8/8/8/3k4/6K1 w - - 0 1\"]\n\n1. gxh8=P Ke3 2. Pg6 *",
            "g7h8n d2e3 h8g6",
        ),
    ] {
        let (game, findings) = read_one(text.as_bytes());
        assert_eq!(tape(&game), moves, "{text}: {findings:?}");
        let [finding] = &*findings else {
            panic!("{text}: {findings:?}")
        };
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.to_string().contains("letters of"), "{finding}");
    }
    let mut options = ReadOptions::default();
    options.charset = Some(Charset::WINDOWS_1251);
    let (games, _) = read_with(b"1. e4 e5 2. \xCAf3 \xCAc6 3. \xD1b5 *", &options);
    assert_eq!(tape(&games[0]), "e2e4 e7e5 g1f3 b8c6 f1b5");
}

#[test]
fn half_a_language_is_none() {
    for (text, moves) in [
        // A single typo, a second language, or letters that are English too.
        (
            "1. e4 e5 2. Sf3 Sc6 3. Lb5 xx *",
            "e2e4 e7e5 {Sf3 Sc6 3. Lb5 xx}",
        ),
        ("1. e4 e5 2. Sf3 Nc6 *", "e2e4 e7e5 {Sf3 Nc6}"),
        (
            "1. e4 e5 2. Pf3 Pc6 3. Lb5 xx *",
            "e2e4 e7e5 {Pf3 Pc6 3. Lb5 xx}",
        ),
        (
            "1. e4 e5 2. Sf3 (2. Sc3 yy) Sc6 *",
            "e2e4 e7e5 {Sf3 (2. Sc3 yy) Sc6}",
        ),
        // A Latin K that looks Cyrillic, or a knight: ambiguous.
        ("1. e4 e5 2. Кe2 *", "e2e4 e7e5 {Кe2}"),
        // A king or a rook, before a word that proves French.
        (
            "[FEN \"4k3/8/8/8/8/8/4P3/4KR2 w - - 0 1\"]\n\n1. Rf2 Re7 2. Cc9 *",
            "{Rf2 Re7 2. Cc9}",
        ),
        // A Dutch knight, or a pawn left unpromoted by mistake: no other word proves Dutch.
        (
            "[FEN \"7q/6P1/8/8/8/8/3k4/6K1 w - - 0 1\"]\n\n1. gxh8=P Ke3 2. Kg2 *",
            "{gxh8=P Ke3 2. Kg2}",
        ),
    ] {
        let (game, findings) = read_one(text.as_bytes());
        assert_eq!(tape(&game), moves, "{text}: {findings:?}");
        assert!(
            findings.iter().any(|f| f.severity == Severity::Lost),
            "{text}"
        );
    }
}

#[test]
fn variants_that_are_not_played_are_told() {
    let told = |text: &str| {
        let (game, findings) = read_one(text.as_bytes());
        let told = findings
            .iter()
            .filter(|f| f.to_string().contains("a chess variant"))
            .count();
        (tape(&game), told)
    };
    for (variant, number) in [
        ("Standard", 0),
        ("From Position", 0),
        ("Chess 960", 0),
        ("Fischerandom", 0),
        ("", 0),
        ("Horde", 1),
        ("Three-check", 1),
        ("King of the Hill", 1),
        ("sittuyin", 1),
    ] {
        let text = format!("[Variant \"{variant}\"]\n\n1. e4 e5 *");
        assert_eq!(told(&text), ("e2e4 e7e5".to_owned(), number), "{variant}");
    }
    let drop = "[Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 Qxd5 3. @e4 Qxe4+ *";
    assert_eq!(
        told(drop),
        ("e2e4 d7d5 e4d5 d8d5 {@e4 Qxe4+}".to_owned(), 1)
    );
    let atomic =
        "[Variant \"Atomic\"]\n\n1. e4 d5 (1... e5) 2. exd5 (2. d4 e6 3. exd5) e6 3. Nf3 *";
    let moves = "e2e4 d7d5 ( e7e5 ) e4d5 ( d2d4 e7e6 e4d5 ) {e6 3. Nf3}";
    assert_eq!(told(atomic), (moves.to_owned(), 1));
}

#[test]
fn moves_without_a_start_are_kept_as_text() {
    let text = "[FEN \"none\"]\n\n{a} 1. e4 e5 (1... c5) 1-0 {b}";
    let (game, _) = read_one(text.as_bytes());
    assert_eq!(tape(&game), "{a} {1. e4 e5 (1... c5)} {b}");
}

#[test]
fn commands_outside_of_braces_are_comments() {
    let (game, findings) = read_one(b"1. e4 [%clk 0:01:00] e5 *");
    assert_eq!(game.moves.plies(), 2);
    assert!(game.events().any(|event| matches!(event, Event::Clock(_))));
    assert_eq!(findings.len(), 1);
}

/// Every token has at least one byte, so that reading advances, even for a result followed by a dot
/// in a variation.
#[test]
fn no_token_is_empty() {
    for text in [
        "1. e4 (1. d4 *. d5) *",
        "1. e4 (1. d4 ½-½. d5) *",
        "1. e4 (1. d4 1/2-1/2. 0-1.) *",
    ] {
        let tokens = chessdb_pgn::raw::Lexer::new(text.as_bytes()).take(100);
        let mut end = 0;
        for token in tokens {
            assert_eq!((token.start, token.end > end), (end, true), "{text}");
            end = token.end;
        }
        assert_eq!(end, text.len(), "{text}");
    }
}
