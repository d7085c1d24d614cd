//! Databases with a lost, truncated or wrong index: games are found by searching.

use chessdb_cbf::raw::RawHeader;
use chessdb_cbf::{CBF, CBF_FILE, CBI_FILE, Store, rebuild_index};
use chessdb_core::{FileSet, Severity};
use chessdb_testkit::identity;
use chessdb_testkit::rng::Rng;

use crate::common::{examples, made, unusual};
use crate::hostile::strict;

/// Section 14: the index can be restored.
#[test]
fn a_lost_index_is_found_again() {
    let records = unusual::unusual_records();
    let whole = unusual::base(&records);
    let index = whole.get(CBI_FILE).unwrap();
    let games = whole.get(CBF_FILE).unwrap();
    let found = rebuild_index(games);
    assert_eq!((found.offsets.len(), found.unused), (records.len(), 0));
    assert_eq!(found.index(games.len() as u64).unwrap().to_bytes(), index);

    // A damaged index is restored as well.
    let expected = identity::open_all(&CBF, &whole);
    for broken in [
        &b""[..],
        &[0; 40],
        &[0xFF; 64],
        &[0, 0, 0, 3, 9, 9, 9, 9, 8, 8, 8, 8, 7, 7, 7, 7],
    ] {
        let mut files = whole.clone();
        files.insert(CBI_FILE, broken);
        assert!(Store::open(&files, strict()).is_err());
        let games = identity::open_all(&CBF, &files);
        assert!(games == expected, "{broken:?}");
    }

    // If the index ends too early, the missing entries are restored.
    for length in 4..index.len() {
        let mut files = whole.clone();
        files.insert(CBI_FILE, &index[..length]);
        assert!(Store::open(&files, strict()).is_err());
        let games = identity::open_all(&CBF, &files);
        assert!(games == expected, "{length} bytes of the index");
    }

    // Garbage between the records is skipped.
    let mut rng = Rng::new(8);
    let mut games = Vec::new();
    let mut places = Vec::new();
    for record in &records {
        games.extend((0..rng.below(300)).map(|_| rng.any() as u8));
        places.push(games.len() as u64);
        games.extend(record.to_bytes());
    }
    // A record with no content is hard to distinguish from chance but must be found.
    assert_eq!(rebuild_index(&games).offsets, places);
}

/// Bytes after the end stated in the index are a loss if they are games.
#[test]
fn games_behind_the_end_of_the_index_are_lost_aloud() {
    let whole = unusual::base(&unusual::unusual_records());
    let games = whole.get(CBF_FILE).unwrap();
    for (more, lost) in [(games, true), (&[0; 100][..], false), (&[7; 3], false)] {
        let mut files = whole.clone();
        files.insert(CBF_FILE, [games, more].concat());
        let store = identity::open(&CBF, &files);
        let found = store.diagnostics();
        assert!(!found.is_empty());
        assert_eq!(
            found.iter().any(|found| found.severity == Severity::Lost),
            lost
        );
    }
}

#[test]
fn the_index_of_the_made_base_is_found_again() {
    for base in made() {
        let games = base.files.get(CBF_FILE).unwrap();
        let found = rebuild_index(games);
        let expected = identity::open(&CBF, &base.files).len() as usize;
        println!("{}: {} of {expected} found", base.name, found.offsets.len());
        assert_eq!(found.offsets.len(), expected, "{}", base.name);
    }
}

/// Searching for records takes time proportional to the file, whatever its content.
#[test]
fn looking_for_records_ends() {
    let mut rng = Rng::new(9);
    let noise: Vec<u8> = (0..300_000).map(|_| rng.any() as u8).collect();
    let found = rebuild_index(&noise);
    assert!(found.offsets.len() < 10, "{}", found.offsets.len());
    for byte in [0, 0xFF, 0x65] {
        rebuild_index(&vec![byte; 1 << 20]);
    }
    // A sequence of headers that claim long records.
    let mut raw_header = RawHeader::default();
    raw_header.move_word = u16::MAX;
    raw_header.check = raw_header.check_new();
    rebuild_index(&raw_header.to_bytes().repeat(70_000));
}

/// A first record with a damaged length that exceeds the file does not hide the others.
#[test]
fn a_damaged_length_does_not_hide_the_games_behind_it() {
    let whole = examples();
    let mut games = whole.get(CBF_FILE).unwrap().to_vec();
    let starts = rebuild_index(&games).offsets;
    for value in 0..=255 {
        games[6] = value;
        let found = rebuild_index(&games).offsets;
        assert!(found.ends_with(&starts[1..]), "{value}: {found:?}");
    }
}
