//! Tests of the lexer.
use proptest::prelude::*;

use super::*;

fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
    let tokens = Lexer::new(text.as_bytes());
    let shown = tokens.filter(|token| token.kind != TokenKind::Space);
    shown
        .map(|token| (token.kind, &text[token.start..token.end]))
        .collect()
}

/// Returns the kinds of the tokens of movetext, as letters.
fn movetext(text: &str) -> String {
    let letter = |kind| match kind {
        TokenKind::Number => 'n',
        TokenKind::San => 'm',
        TokenKind::Mark => 'k',
        TokenKind::Nag => '$',
        TokenKind::Glyph => 'g',
        TokenKind::Open => '(',
        TokenKind::Close => ')',
        TokenKind::Result(_) => 'r',
        TokenKind::Comment { closed: true } => 'c',
        TokenKind::Comment { closed: false } => 'u',
        TokenKind::LineComment => ';',
        TokenKind::Escape => '%',
        TokenKind::Tag => 't',
        TokenKind::Junk => 'j',
        TokenKind::Bom | TokenKind::Space => ' ',
    };
    kinds(text)
        .into_iter()
        .map(|(kind, _)| letter(kind))
        .collect()
}

#[test]
fn movetext_in_all_notations() {
    for (text, expected) in [
        ("1. e4 e5 2.Nf3 Nc6 1-0", "nmmnmmr"),
        ("1.e4 1...e5 2 Nf3 3. ... Nc6 *", "nmnmnmnnmr"),
        ("1.e4! e5?! 2.Nf3!!? Nc6 +- 3.a3+= b6", "nmgmgnmggmgnmgm"),
        ("1.Qh5+ Ke7 2.Qxe5# Kd7++ 3.a4+-", "nmmnmmnmg"),
        ("1.O-O 0-0 2.0-0-0 O-O-O 1/2-1/2", "nmmnmmr"),
        ("1.e8=Q e8Q 2.e8(Q) exd8/N 3.e8=(Q)+ a1", "nmmnmmnmkm"),
        ("1.e2-e4 Ng1xf3 2.N:f3 ed: 3.exd6e.p. a6", "nmmnmmnmm"),
        ("1.exd6 e.p. ep 2.a4 +", "nmkknmk"),
        ("1.-- Z0 2.0000 @@@@ 3.--+ --", "nmmnmmngm"),
        ("1.e4 $1$14 N RR (=) 1-0", "nm$$gg(g)r"),
        ("1.e4 (1.d4 (1.c4) 1-0) e5 0-1", "nm(nm(nm)r)mr"),
        ("1.e4 {a} ; b\ne5 % c\n% d\n2.a4", "nmc;mjm%nm"),
        ("1.e4 {a\n\n[Event \"x\"]\n", "nmut"),
        ("1.e4 [%clk 1] e5 } \" 2.d4 $ ^^ ä±", "nmjmjjnmjjmg"),
        ("1.e4 ,e5 - _ <e5> é \u{0}", "nmmmmmmm"),
        ("1. ♘f3 ♞\u{FE0E}f6 2…Кf3 пe4 e8=Ф+ e8♕", "nmmnmmmm"),
        ("1.e4 \\$14 e5 <br> 2.a4 <ed>", "nmj$mjnmm"),
        ("1.0–0 O−O—O 1–0", "nmmr"),
        ("1.e4\u{A0}e5\u{200B}†\u{3000}2.a4‡ ½–½", "nmmknmr"),
        ("1.a8=K b8=P c8=(K) d4= e4+–", "nmmm(m)mgmg"),
        ("1.e4 ± e5 ∓ 2.d4 ½-½", "nmgmgnmr"),
        ("1.e4 +/- e5 -/+ 2.d4 =/+ Nf6+/-", "nmgmgnmgmg"),
        ("1.c4= e5 2.Qd5=", "nmgmnmg"),
        ("e4 e5 1/2", "mmr"),
        ("1.Qxf7 mate e5 ch 1:0", "nmkmkr"),
    ] {
        assert_eq!(movetext(text), expected, "{text}");
    }
}

#[test]
fn tag_sections() {
    for (text, expected) in [
        ("[A \"1\"]\n\n[B \"2\"] [C \"3\"]\n\n1.e4 *", "tttnmr"),
        ("[A \"1\"] junk\n[B \"2\"]\n* [A \"3\"]\n*", "tjtrtr"),
        ("; one\n% two\n{three}\nFour games\n[A \"1\"]\n*", ";%cjtr"),
        ("1.e4\n[A \"1\"]\n*\n[B]\n1.d4", "nmtrjnm"),
        ("* {here} ; here\n\n{there} 1.e4", "rc;cnm"),
    ] {
        assert_eq!(movetext(text), expected, "{text}");
    }
}

#[test]
fn lexer_separates_games() {
    let starts = |text: &str| -> Vec<usize> {
        let tokens = Lexer::new(text.as_bytes());
        tokens
            .filter(|token| token.next_game)
            .map(|token| token.start)
            .collect()
    };
    assert_eq!(starts("1.e4 * 1.d4 (1.c4 *) *"), [7]);
    assert_eq!(starts("1.e4\n[A \"1\"]\n*"), [5]);
    assert!(starts("1.e4 [A \"1\"] *").is_empty());
    assert_eq!(starts("1.e4 * [A \"1\"] *"), [7]);
    assert_eq!(starts("* {a}\n{b}\n\n{c}\n[A \"1\"]"), [11]);
    assert_eq!(starts("[Event \"1\"]\n\n[Event \"2\"]\n\n[A \"\"]"), [13]);
    assert_eq!(starts("[Event \"1\"]\n[Event \"2\"]\n\n[A \"\"]"), [12]);
    // The tags begin again: an event, the first tag, or two consecutive tags.
    assert_eq!(starts("[A \"1\"]\n[B \"1\"]\n[A \"2\"]\n[B \"2\"]"), [16]);
    assert_eq!(starts("[FEN \"1\"]\n[FEN \"2\"]\n[FEN \"3\"]"), [10, 20]);
    assert!(starts("[A \"1\"]\n[FEN \"1\"]\n[FEN \"2\"]").is_empty());
    assert_eq!(
        starts("[A \"1\"]\n[FEN \"1\"]\n[SetUp \"1\"][FEN \"8/8/8/8/8/8/8/8\"]"),
        [29]
    );
    let headers = "[A \"1\"]\n[White \"w\"]\n[Black \"b\"]\n[White \"x\"]\n[Black \"c\"]";
    assert_eq!(starts(headers), [32]);
    assert!(starts("[A \"1\"]\n[White \"w\"]\n[White \"x\"]\n[Black \"c\"]").is_empty());
    assert_eq!(starts("[A \"1\"]\n[White \"w\"]\n\n[White \"x\"]"), [21]);
    assert!(starts("[A \"1\"]\n[B \"w\"]\n[B \"x\"]\n*").is_empty());
    // In the middle of a line.
    assert_eq!(starts("1.e4 [Event \"1\"]\n*"), [5]);
    assert!(starts("1.e4 [Event \"1\"] e5 *").is_empty());
    assert_eq!(starts("[Event \"a[Event \"1\"]\n*"), [9]);
    assert!(starts("[Event \"a [Event \"1\"] x\"]\n*").is_empty());
    // A variation after the result belongs to the game, but not words in parentheses or the next
    // list.
    assert!(starts("1.e4 e5 * (1... c5 2.Nf3) {x} ((1... c6))").is_empty());
    assert_eq!(starts("1.e4 e5 * (drawn) 1.d4 *"), [10]);
    assert_eq!(starts("1.e4 e5 * (1... c5)\n1.d4 *"), [20]);
}

proptest! {
    #[test]
    fn tokens_cover_every_byte(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut at = 0;
        for token in Lexer::new(&bytes) {
            prop_assert_eq!(token.start, at);
            prop_assert!(token.end > at);
            at = token.end;
        }
        prop_assert_eq!(at, bytes.len());
    }
}
