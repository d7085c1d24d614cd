//! A small database, intact and damaged: no panic, no hang, no memory use beyond the limits, and
//! intact data is delivered.

use chessdb_cbh::{CBA2_FILE, CBG2_FILE, CBH2, CBH2_FILE, LID2_FILE};
use chessdb_core::limits::Limits;
use chessdb_core::salvage::Found;
use chessdb_core::{FileSet, Game, MemorySet, ReadOptions, Scratch};
use chessdb_testkit::corrupt::{Corruptor, Records};
use chessdb_testkit::identity::{self, survive};
use chessdb_testkit::readings;

use super::{games, write};

const RECORDS: Records = Records {
    start: 192,
    size: 192,
};

fn small() -> ReadOptions {
    ReadOptions::default().with_limits(Limits::small())
}

fn base() -> MemorySet {
    write(&games("chessbase"))
}

/// The raw structures restore all files, whatever their content.
fn raw_identity(set: &dyn FileSet, what: &str) {
    if let Ok(again) = (CBH2.raw.unwrap())(set) {
        for &role in CBH2.roles {
            assert!(set.get(role) == again.get(role), "{what}: {role}");
        }
    }
}

/// Returns the moves of all games, and the findings.
fn read(files: &MemorySet, options: ReadOptions) -> (Vec<String>, Vec<String>) {
    let store = (CBH2.open)(files, options).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut moves = Vec::new();
    for n in 0..store.len() {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        let mainline: Vec<String> = game.mainline().map(|mv| mv.to_string()).collect();
        moves.push(mainline.join(" "));
    }
    let said = store.diagnostics().iter().chain(&scratch.diagnostics);
    (moves, said.map(ToString::to_string).collect())
}

#[test]
fn truncations_of_every_file() {
    let base = base();
    for (role, bytes) in base.iter() {
        // The file of names is large and mostly zeros.
        let step = bytes.len() / 400 + 1;
        for variant in Corruptor::new(&base, 1).truncations(role).step_by(step) {
            survive(&CBH2, &variant, &small(), 30);
            raw_identity(&variant, &variant.name);
            readings::check(&CBH2, &variant, &small());
        }
    }
}

#[test]
fn flipped_bits_extreme_numbers_noise_and_missing_files() {
    let base = base();
    for variant in Corruptor::new(&base, 2).usual(120, 200) {
        survive(&CBH2, &variant, &small(), 30);
        raw_identity(&variant, &variant.name);
    }
    for role in [CBH2_FILE, CBG2_FILE, CBA2_FILE] {
        for variant in Corruptor::new(&base, 3).bit_flips(role, 60, 200) {
            readings::check(&CBH2, &variant, &ReadOptions::default());
        }
    }
}

#[test]
fn records_swapped_repeated_and_shifted() {
    let base = base();
    let corruptor = || Corruptor::new(&base, 4);
    let all = (corruptor().swapped_records(CBH2_FILE, RECORDS, 30))
        .chain(corruptor().repeated_records(CBH2_FILE, RECORDS, 30))
        .chain(corruptor().shifted_records(CBH2_FILE, RECORDS, 30));
    for variant in all {
        survive(&CBH2, &variant, &small(), 100);
        readings::check(&CBH2, &variant, &ReadOptions::default());
    }
}

/// Every changed byte of a record with a checksum is reported.
#[test]
fn the_checksum_finds_changed_content() {
    let base = base();
    let (whole, said) = read(&base, ReadOptions::default());
    assert_eq!(said, [""; 0]);
    for role in [CBG2_FILE, CBA2_FILE] {
        // From the content of the first record on.
        for at in 38..100 {
            let mut damaged = base.clone();
            damaged.get_mut(role).unwrap()[at] ^= 0x11;
            let (moves, said) = read(&damaged, ReadOptions::default());
            assert_eq!(moves[1..], whole[1..], "{role} {at}");
            let used = u32::from_le_bytes(base.get(role).unwrap()[20..24].try_into().unwrap());
            let counted = used as usize / 8 * 8;
            if at < 38 + counted {
                assert!(!said.is_empty(), "{role} {at}");
            }
        }
    }
}

#[test]
fn games_without_an_index() {
    let (expected, _) = read(&base(), ReadOptions::default());
    let salvage = || ReadOptions::default().with_salvage(true);
    for removed in [&[CBH2_FILE][..], &[CBH2_FILE, LID2_FILE, CBA2_FILE]] {
        let mut base = base();
        for role in removed {
            base.remove(*role);
        }
        let (moves, said) = read(&base, salvage());
        assert_eq!(moves, expected);
        assert!(said[0].contains("the 2cbh file is missing"), "{said:?}");
        readings::check(&CBH2, &base, &salvage());
    }
}

/// A damaged size in a record does not hide the records after it.
#[test]
fn the_search_continues_at_the_next_mark() {
    let whole = base();
    let (expected, _) = read(&whole, ReadOptions::default());
    let mut base = whole;
    base.remove(CBH2_FILE);
    base.get_mut(CBG2_FILE).unwrap()[12 + 10] = 0x70;
    let salvage = ReadOptions::default().with_salvage(true);
    let (moves, _) = read(&base, salvage.clone());
    assert_eq!(moves[moves.len() - expected.len() + 1..], expected[1..]);
    let store = (CBH2.open)(&base, salvage).unwrap();
    let found = &store.details().salvaged.unwrap().games;
    assert!(found.contains(&Found::HeaderUnknown), "{found:?}");
}

#[test]
fn names_that_do_not_exist_are_reported() {
    let mut base = base();
    base.get_mut(CBH2_FILE).unwrap()[192 + 0x18 + 4] = 1;
    let (_, said) = read(&base, ReadOptions::default());
    assert!(said[0].contains("the number of White"), "{said:?}");
    assert_eq!(identity::open_all(&CBH2, &base).len(), 5);
}
