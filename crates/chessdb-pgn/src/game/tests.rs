//! Comparison of the fast loop over standard moves with a reader that examines every move closely
//! and uses no shortcuts.

use chessdb_core::Charset;
use chessdb_core::limits::Limits;
use chessdb_core::options::Mode;
use chessdb_testkit::fixtures;
use proptest::prelude::*;

use super::*;
use crate::raw::{Splitter, Step};

/// Returns everything that reading a game produces, including the known facts of its moves.
fn reading(bytes: &[u8], reading: Reading, options: &ReadOptions) -> String {
    let source = Source {
        bytes,
        offset: 0,
        number: 1,
        start: &Start::Standard,
        cut: None,
        followed: false,
    };
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let read = read_as(
        reading,
        source,
        options,
        ReadScope::Everything,
        &mut game,
        &mut scratch,
        None,
    );
    let reported = scratch.diagnostics;
    let read = read.map_err(|error| error.to_string());
    format!(
        "{read:?}\n{reported:?}\n{:?}\n{:?}",
        game.header, game.moves
    )
}

fn compare(bytes: &[u8]) {
    let lenient = ReadOptions::default().with_charset(Charset::UTF_8);
    let small = lenient.clone().with_limits(Limits::small().with_plies(7));
    let strict = lenient.clone().with_mode(Mode::Strict);
    for options in [lenient, small, strict] {
        let usual = reading(bytes, Reading::English, &options);
        let close = reading(bytes, Reading::Doubting(0), &options);
        assert_eq!(usual, close, "{}", String::from_utf8_lossy(bytes));
    }
}

fn games() -> Vec<Vec<u8>> {
    let mut games = Vec::new();
    for folder in ["pgn/edge", "pgn/broken", "pgn/clean"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            let bytes = fixtures::read(path);
            let mut rest = &bytes[..];
            while let Step::Game { end } = Splitter::new().advance(rest, true) {
                games.push(rest[..end].to_vec());
                rest = &rest[end..];
            }
        }
    }
    games
}

#[test]
fn readers_agree_on_fixtures() {
    let games = games();
    assert!(games.len() > 100);
    games.iter().for_each(|game| compare(game));
}

#[test]
fn readers_agree_on_variations() {
    for text in [
        "1. e4 e5 2. Nf3 (2. f4 exf4 (2... d5 3. exd5) 3. Nf3) 2... Nc6 (2... d6) 3. Bb5 *",
        "1. e4 e5 2. (2. x) (1... c5 2. Nf3) 2. Nf3 ep (2. f4) mate (2. d4) N (2. c3) Nc6 *",
        "1. e4 $1 (1. d4 d5 2. c4 (2. Nf3)) {x} (1. c4) 1... e5!? (1... c5) 2. Nf3! *",
        "1. e4 d5 2. exd5 (2. e5 f5 3. exf6 (3. d4) 3... exf6) (2. Nc3) 2... Qxd5 *",
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O (4. b4 Bxb4 (4... Bb6)) 4... Nf6 (4... d6) *",
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# (4. Qd1) 1-0",
        "1. e4 -- (1... e5) 2. d4 -- 3. Qh5 (3. Qg4) *",
    ] {
        compare(text.as_bytes());
    }
}

proptest! {
    #[test]
    fn both_read_damaged_games_alike(
        n in any::<prop::sample::Index>(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(b" \n.()1239abgxNKQO-+#=!?$*{}[;\xE2".to_vec())),
            0..5,
        ),
    ) {
        let games = games();
        let mut bytes = n.get(&games).clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        compare(&bytes);
    }
}

/// Reading only the header finds the same result as reading the whole game.
#[test]
fn first_of_several_results_counts_in_header() {
    for text in [
        "[Result \"*\"]\n\n1. e4 1/2-1/2\n *\n",
        "[Result \"1-0\"]\n\n1. e4 0-1 1-0\n",
        "[Result \"1-0\"]\n\n1. e4 0-1 {agreed} 1-0\n",
        "[Result \"1-0\"]\n\n1. e4 e5 1-0\n",
    ] {
        let outcome = |scope| {
            let source = Source {
                bytes: text.as_bytes(),
                offset: 0,
                number: 1,
                start: &Start::Standard,
                cut: None,
                followed: false,
            };
            let (mut game, mut scratch) = (Game::new(), Scratch::new());
            let options = ReadOptions::default();
            read_game(source, &options, scope, &mut game, &mut scratch).unwrap();
            game.header.outcome
        };
        assert_eq!(
            outcome(ReadScope::Header),
            outcome(ReadScope::Everything),
            "{text}"
        );
    }
}
