//! Tests of the splitter.
use proptest::prelude::*;

use super::block::matters;
use super::*;

/// Returns the ends of games as found by the lexer.
fn slow_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut lexer = Lexer::new(bytes);
    let mut game = false;
    while let Some(token) = lexer.next() {
        if token.next_game {
            assert!(game);
            ends.push(token.start);
            game = false;
        }
        game |= token.kind == TokenKind::Tag || lexer.is_in_moves();
    }
    if game {
        ends.push(bytes.len());
    }
    ends
}

fn fast_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    while let Step::Game { end } = Splitter::new().advance(&bytes[start..], true) {
        start += end;
        ends.push(start);
    }
    ends
}

/// Returns the ends of games through a window that grows by `portion` bytes and drops all it can.
fn window_ends(bytes: &[u8], portion: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut splitter = Splitter::new();
    let (mut start, mut known) = (0, 0);
    loop {
        match splitter.advance(&bytes[start..known], known == bytes.len()) {
            Step::Game { end } => {
                start += end;
                ends.push(start);
                splitter = Splitter::new();
            }
            Step::Nothing => return ends,
            Step::More => {
                known = bytes.len().min(known + portion);
                let gone = splitter.forgettable();
                splitter.forget(gone);
                start += gone;
            }
        }
    }
}

/// Generates fragments of PGN chosen to trigger every rule, and blanks to keep words short.
fn pgn_soup() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        "[Event \"a\"]",
        "[Event \"",
        "[A \"1\"]",
        "[B",
        "\"]",
        "\\",
        "]",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        " ",
        "\t",
        "1.",
        "1. d4 d5",
        "\n1. e4 e5 2. Nf3",
        "\n\n1. Nf3",
        "2. c4 ",
        "[FEN \"x\"]",
        "\n",
        "e4",
        "Nf3",
        "O-O",
        "0-0-0",
        "e8(Q)",
        "e8=N",
        "(",
        ")",
        "{",
        "}",
        "{c}",
        ";",
        "%",
        "\n%",
        "$1",
        "1-0",
        "0-1",
        "1/2-1/2",
        "1/2",
        "*",
        "1:0",
        ":",
        "½-½",
        "1–0",
        "½−½",
        "–",
        "♘f3",
        "♙e8(Q)",
        "Кf3",
        "e4",
        "\u{A0}",
        "\u{2009}",
        "…",
        "=K",
        "=(K)",
        "e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4",
        "--",
        "-",
        "0000",
        "!",
        "+-",
        "x",
        "1",
        "0",
        "/",
        "prose",
        "\u{FEFF}",
        ".",
        "\n\n[Event \"b\"]\n",
        "[Event \"b\"]\n[Site \"c\"]",
        "[Event \"b[Event \"c\"]\n",
        "[Event \"",
        "[White \"w\"]",
        "[Black \"w\"]\n",
        "[White \"w",
        "[Wh",
        "* (1. d4 d5) ",
    ]);
    let soup = prop::collection::vec(pieces, 0..40);
    let noise = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    (soup, noise).prop_map(|(pieces, noise)| {
        let mut bytes = pieces.concat().into_bytes();
        for (index, byte) in noise {
            if !bytes.is_empty() {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10000))]
    #[test]
    fn the_fast_way_and_the_lexer_agree(bytes in pgn_soup(), portion in 1usize..60) {
        let slow = slow_ends(&bytes);
        prop_assert_eq!(&fast_ends(&bytes), &slow);
        prop_assert_eq!(&window_ends(&bytes, portion), &slow);
    }
}

#[test]
fn fast_and_slow_ends_agree_after_result() {
    for text in [
        "1. d4 1-0(1-0",
        "1. d4 1-0 (1-0",
        "1. d4 1-0 (0-1 x",
        "1. d4 *$1 {c} (1-0",
    ] {
        assert_eq!(
            fast_ends(text.as_bytes()),
            slow_ends(text.as_bytes()),
            "{text}"
        );
    }
}

/// A list of moves that follows another one is a game without tags: those of the game before are
/// not repeated in it.
#[test]
fn list_forgets_tags_of_previous_game() {
    for text in [
        "[A \"1\"]\n\n1. Nf3\n1. e4 e5 2. Nf3[A \"1\"]",
        "[A \"1\"]\n\n1. Nf3\n1. e4 e5 2. Nf3 {[A \"1\"] [A \"2\"]",
        "[A \"1\"]\n\n1. Nf3\n1. e4 e5 2. Nf3 ; c [A \"1\"] [B \"2\"]",
        "[Event \"1\"]\n\n1. Nf3\n1. e4 e5 2. Nf3[Event \"1\"]\n",
    ] {
        let slow = slow_ends(text.as_bytes());
        assert_eq!(fast_ends(text.as_bytes()), slow, "{text}");
        assert_eq!(window_ends(text.as_bytes(), 1), slow, "{text}");
    }
}

/// A tag that nobody closed ends where the first tag's name appears again, also if it is the first
/// tag itself.
#[test]
fn first_tag_is_interrupted_by_its_own_name() {
    for text in [
        "[A \"1\n]e4 [A \"1\"]\n\n1. e4 *\n",
        "[A \"1\\]e4 [A \"1\"]\n\n1. e4 *\n",
        "[Event \"1\n]e4 [Event \"1\"]\n\n1. e4 *\n",
        "[B \"2\"]\n[A \"1\\] [B \"1\"]\n\n1. e4 *\n",
        "[B \"2\"]\n\n1. e4 [B \"1 [B \"1\"]\n\n1. e4 *\n",
    ] {
        let slow = slow_ends(text.as_bytes());
        assert_eq!(fast_ends(text.as_bytes()), slow, "{text}");
        assert_eq!(window_ends(text.as_bytes(), 1), slow, "{text}");
    }
}

#[test]
fn list_may_follow_marks_and_blanks() {
    for blank in ["\u{FEFF}", "\u{A0}", "\u{2009}", " \u{FEFF} "] {
        let text = format!("1. e4 e5 2. Nf3\n{blank}1. d4 d5");
        assert_eq!(
            fast_ends(text.as_bytes()),
            slow_ends(text.as_bytes()),
            "{text}"
        );
        assert_eq!(
            window_ends(text.as_bytes(), 1),
            slow_ends(text.as_bytes()),
            "{text}"
        );
    }
    let nag = "[White \"a\"]\n\n$139\n1.\nh4\n*\n";
    assert_eq!(fast_ends(nag.as_bytes()), [nag.len()]);
    assert_eq!(slow_ends(nag.as_bytes()), [nag.len()]);
}

#[test]
fn long_game_needs_small_window() {
    let times = if cfg!(miri) { 20 } else { 500 };
    let mut text = "1.e4 {".to_owned();
    text.push_str(&"long comment [%x] ".repeat(times));
    text.push_str("} e5 (");
    text.push_str(&"1.d4 d5 1-0 ".repeat(times));
    text.push_str(") 1-0\n\n[Event \"b\"]\n*");
    let expected = vec![text.find("[Event").unwrap(), text.len()];
    assert_eq!(slow_ends(text.as_bytes()), expected);
    assert_eq!(window_ends(text.as_bytes(), 100), expected);
}

#[test]
fn significant_bytes_are_found_at_any_offset() {
    const MATTER: &[u8] = b"{;[()*-/:%\n\r\xE2\x96\x97";
    for byte in 0..=u8::MAX {
        for at in 0..70 {
            let mut bytes = [b'a'; 70];
            bytes[at] = byte;
            let found = Block::next(&bytes).map(|block| {
                assert_eq!(block.signs.count_ones(), 1);
                block.start + block.signs.trailing_zeros() as usize
            });
            assert_eq!(
                found,
                MATTER.contains(&byte).then_some(at),
                "{byte} at {at}"
            );
        }
    }
}

proptest! {
    #[test]
    fn all_that_matter_are_found_together(bytes in "[a-c(){\n]{0,80}") {
        let found = std::iter::successors(Block::next(bytes.as_bytes()), |before| {
            let from = before.start + before.length;
            let next = Block::next(&bytes.as_bytes()[from..])?;
            Some(Block { start: from + next.start, ..next })
        });
        let places = found.flat_map(|block| {
            let bits = (0..32).filter(move |bit| block.signs >> bit & 1 == 1);
            bits.map(move |bit| block.start + bit)
        });
        let signs = bytes.bytes().enumerate().filter(|&(_, byte)| matters(byte));
        prop_assert_eq!(places.collect::<Vec<_>>(), signs.map(|(at, _)| at).collect::<Vec<_>>());
    }
}
