//! Files with given game offsets: the same games as without them, and no trust in wrong ones.

use std::sync::Arc;

use chessdb_core::files::GameOffsets;
use chessdb_core::limits::Limits;
use chessdb_core::{Diagnostic, Game, GameStore, ReadOptions, Scratch};
use chessdb_pgn::Store;

const TEXT: &[u8] =
    b"[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. d4 (1. c4) d5 2. c4 dxc4 1-0\n\
    [White \"C\"]\n\n1. e9 *\n\n[White \"D\"]\n\n*\n";

fn offsets(numbers: &[u64]) -> GameOffsets {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let range = 0..bytes.len();
    GameOffsets::new(Arc::new(bytes), range).unwrap()
}

fn of(store: &Store<'_>) -> Option<Vec<u64>> {
    let offsets = store.details().game_offsets?;
    Some(offsets.iter().collect())
}

fn read(store: &Store<'_>) -> Vec<(Game, Result<(), String>, Vec<Diagnostic>)> {
    let mut scratch = Scratch::new();
    let one = |n| {
        let mut game = Game::default();
        let read = store.game_into(n, &mut game, &mut scratch);
        let read = read.map_err(|error| error.to_string());
        (game, read, std::mem::take(&mut scratch.diagnostics))
    };
    (0..store.len()).map(one).collect()
}

#[test]
fn games_are_the_same_whether_their_places_are_found_or_told() {
    let found = Store::open(TEXT, ReadOptions::default()).unwrap();
    let numbers = of(&found).unwrap();
    assert_eq!((found.len(), numbers.len()), (4, 5));
    let options = ReadOptions::default().with_game_offsets(offsets(&numbers));
    let told = Store::open(TEXT, options).unwrap();
    assert_eq!(of(&told), Some(numbers));
    let (found, told) = (read(&found), read(&told));
    assert_eq!(format!("{found:?}"), format!("{told:?}"));
}

#[test]
fn there_are_no_places_of_a_file_with_findings() {
    let none = |bytes: &[u8], options: ReadOptions| {
        let store = Store::open(bytes, options).unwrap();
        assert!(store.details().game_offsets.is_none());
        assert!(!store.diagnostics().is_empty());
    };
    let behind = [TEXT, b"\n\nNothing of it is a game.\n"].concat();
    none(&behind, ReadOptions::default());
    let mut limits = Limits::default();
    limits.game_bytes = 20;
    let before = [b"; nothing of this is a game\n\n", TEXT].concat();
    none(&before, ReadOptions::default().with_limits(limits));
    let utf_16: Vec<u8> = [0xFEFF_u16]
        .into_iter()
        .chain(TEXT.iter().map(|&byte| byte.into()))
        .flat_map(u16::to_le_bytes)
        .collect();
    none(&utf_16, ReadOptions::default());
    // Offsets are ignored if they do not refer to the bytes of the file.
    let options = ReadOptions::default().with_game_offsets(offsets(&[0, 5]));
    assert_eq!(Store::open(&utf_16, options).unwrap().len(), 4);
}

#[test]
fn a_wrong_place_is_an_error_of_its_game() {
    let length = TEXT.len() as u64;
    for wrong in [
        [0, 30, 20, length],
        [0, length + 1, length + 2, length],
        [u64::MAX, u64::MAX, 0, u64::MAX],
        [7, 11, 13, 17],
        [u64::MAX - 1, u64::MAX, 1 << 32, 1 << 63],
    ] {
        let options = ReadOptions::default().with_game_offsets(offsets(&wrong));
        let store = Store::open(TEXT, options).unwrap();
        assert_eq!(store.len(), 3);
        for (n, (pair, (_, read, _))) in wrong.windows(2).zip(read(&store)).enumerate() {
            let is_there = pair[0] <= pair[1] && pair[1] <= length;
            let number = format!("game {}", n + 1);
            match read {
                Ok(()) => assert!(is_there, "{wrong:?} {n}"),
                Err(said) => assert!(!is_there && said.contains(&number), "{wrong:?} {said}"),
            }
            let _ = store.game_bytes(n as u32);
        }
        let (mut game, mut scratch) = (Game::default(), Scratch::new());
        for n in [3, 4, u32::MAX - 1, u32::MAX] {
            assert!(store.header_into(n, &mut game, &mut scratch).is_err());
        }
    }
}
