//! Damaged databases: no panic, no hang, no memory use beyond the limits, and undamaged games are
//! delivered.

use chessdb_core::compare::first_difference;
use chessdb_core::limits::Limits;
use chessdb_core::options::Allow;
use chessdb_core::{FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch, Severity};
use chessdb_scid::raw::{Entry, FileHeader, GameFile, Index, si5};
use chessdb_scid::{
    Generation, SG4_FILE, SI4, SI4_FILE, SI5, SN4_FILE, SN5_FILE, Store, raw, translate,
};
use chessdb_testkit::corrupt::{Corruptor, Records};
use chessdb_testkit::identity::{self, survive};
use chessdb_testkit::{fixtures, readings};

use crate::common::{format, raw_identity};

fn entries(generation: Generation) -> Records {
    let (start, size) = match generation {
        Generation::Si3 => (FileHeader::SI3_SIZE, Entry::SI3_SIZE),
        Generation::Si4 => (FileHeader::SIZE, Entry::SIZE),
        Generation::Si5 => (0, si5::Entry::SIZE),
    };
    Records { start, size }
}

/// Returns a fixture in a generation for which it exists.
fn base_of(generation: Generation, name: &str) -> MemorySet {
    let folder = match generation {
        Generation::Si3 => "scid3",
        Generation::Si4 => "scid",
        Generation::Si5 => "scid5",
    };
    fixtures::load_set(fixtures::path(folder).join(name), format(generation).roles)
}

fn base(name: &str) -> MemorySet {
    base_of(Generation::Si4, name)
}

fn small() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = Limits::small();
    options
}

#[test]
fn every_truncation_of_every_file() {
    for generation in Generation::ALL {
        let format = format(generation);
        for name in ["starts", "commands"] {
            let base = base_of(generation, name);
            for &role in format.roles {
                for variant in Corruptor::new(&base, 1).truncations(role) {
                    survive(format, &variant, &small(), 30);
                    raw_identity(generation, &variant, &variant.name);
                }
            }
        }
    }
}

#[test]
fn flipped_bits_extreme_numbers_noise_and_missing_files() {
    let si4 = ["starts", "commands", "edited"].map(|name| (Generation::Si4, name));
    let others = [Generation::Si3, Generation::Si5].map(|generation| (generation, "starts"));
    for (generation, name) in si4.into_iter().chain(others) {
        let format = format(generation);
        let base = base_of(generation, name);
        for variant in Corruptor::new(&base, 2).usual(240, 60) {
            survive(format, &variant, &small(), 30);
            raw_identity(generation, &variant, &variant.name);
        }
        let [index, games, _] = *generation.files();
        // The games file is the same in all generations; the index differs.
        let file = if generation == Generation::Si4 { games } else { index };
        for variant in Corruptor::new(&base, 3).bit_flips(file, 0, 250) {
            readings::check(format, &variant, &ReadOptions::default());
        }
    }
}

/// A damaged database is translated without a panic, and the result can be read.
#[test]
fn damaged_bases_are_translated() {
    for (from, to) in [
        (Generation::Si4, Generation::Si5),
        (Generation::Si5, Generation::Si4),
        (Generation::Si5, Generation::Si3),
    ] {
        let base = base_of(from, "starts");
        for variant in Corruptor::new(&base, 5).usual(120, 30) {
            let Ok(store) = Store::open(&variant, small()) else {
                continue;
            };
            let mut sink = MemorySet::new();
            let done = translate(&store, to, &mut sink, Allow::Everything).unwrap();
            let survived = survive(format(to), &sink, &small(), 100);
            assert!(survived.opened, "{}", variant.name);
            assert_eq!(survived.games, done.games, "{}", variant.name);
        }
    }
}

#[test]
fn entries_swapped_repeated_and_shifted() {
    for generation in Generation::ALL {
        let format = format(generation);
        let base = base_of(generation, "starts");
        let corruptor = || Corruptor::new(&base, 4);
        let (index, records) = (format.roles[0], entries(generation));
        let all = (corruptor().swapped_records(index, records, 20))
            .chain(corruptor().repeated_records(index, records, 20))
            .chain(corruptor().shifted_records(index, records, 20));
        for variant in all {
            let survived = survive(format, &variant, &small(), 100);
            assert!(survived.opened, "{}", variant.name);
            readings::check(format, &variant, &ReadOptions::default());
        }
    }
}

/// Damage to one game does not affect the others.
#[test]
fn the_other_games_are_delivered() {
    for generation in Generation::ALL {
        let base = base_of(generation, "text");
        let whole = identity::open_all(format(generation), &base);
        let [index, games, _] = *generation.files();
        let bytes = base.get(index).unwrap();
        let places: Vec<(u64, u32)> = match generation {
            Generation::Si5 => {
                let entries = si5::Index::parse(bytes).entries;
                entries.iter().map(|e| (e.offset, e.length)).collect()
            }
            _ => {
                let entries = Index::parse(bytes).unwrap().entries;
                entries
                    .iter()
                    .map(|e| (e.offset.into(), e.length))
                    .collect()
            }
        };
        // Length zero and too large, offset, number of White.
        let fields = match generation {
            Generation::Si3 => [(4, 0), (4, 0xFF), (0, 0xFF), (9, 0x7F)],
            Generation::Si4 => [(4, 0), (4, 0xFF), (0, 0xFF), (10, 0x7F)],
            Generation::Si5 => [(34, 0), (34, 0xFF), (38, 0xFF), (0, 0x7F)],
        };
        let Records { start, size } = entries(generation);
        for (damaged, (offset, length)) in places.into_iter().enumerate() {
            for place in [offset, offset + u64::from(length) - 1] {
                let mut files = base.clone();
                files.get_mut(games).unwrap()[place as usize] ^= 0xFF;
                others_are_equal(&files, damaged, &whole);
            }
            for (offset, value) in fields {
                let mut files = base.clone();
                let at = start + damaged * size + offset;
                files.get_mut(index).unwrap()[at..at + 2].fill(value);
                let diagnostics = others_are_equal(&files, damaged, &whole);
                assert!(
                    diagnostics > 0,
                    "{generation:?} game {damaged}, byte {offset}: nothing noticed"
                );
            }
        }
    }
}

/// Returns the number of diagnostics of the damaged game; the others must have none.
fn others_are_equal(files: &MemorySet, damaged: usize, whole: &[Game]) -> usize {
    let store = Store::open(files, ReadOptions::default()).unwrap();
    assert_eq!(store.len() as usize, whole.len());
    let (mut game, mut found) = (Game::new(), 0);
    for (n, expected) in whole.iter().enumerate() {
        let mut scratch = Scratch::new();
        store.game_into(n as u32, &mut game, &mut scratch).unwrap();
        if n == damaged {
            found = scratch.diagnostics.len();
            let number = damaged as u32 + 1;
            assert!(
                scratch
                    .diagnostics
                    .iter()
                    .all(|d| d.at.game == Some(number))
            );
        } else {
            assert_eq!(first_difference(&game, expected), None, "game {}", n + 1);
            assert!(scratch.diagnostics.is_empty());
        }
    }
    found
}

/// Creates a database of one game with this record.
fn one_game(record: &[u8], fen: bool) -> MemorySet {
    let mut files = base("nullmoves");
    let mut file_header = FileHeader::new();
    file_header.games = 1;
    let entry = Entry {
        length: record.len() as u32,
        flags: raw::IndexFlags::from_bits_retain(fen.into()),
        ..Entry::default()
    };
    files.insert(
        SI4_FILE,
        [&file_header.to_bytes()[..], &entry.to_bytes()].concat(),
    );
    files.insert(SG4_FILE, record);
    files
}

/// Reads a record. Returns the moves of all lines, the comments, and the diagnostics except those
/// about the counts of the index, which are all 0 here.
fn read(record: &[u8]) -> (String, Vec<String>) {
    let fen = record.get(1).is_some_and(|flags| flags & 1 != 0);
    let files = one_game(record, fen);
    readings::check(&SI4, &files, &ReadOptions::default());
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    let said = scratch
        .diagnostics
        .iter()
        .filter(|d| d.severity != Severity::Note && d.at.file == Some(SG4_FILE));
    let said = said.map(|d| {
        assert!(d.at.offset.is_some() && d.at.game == Some(1));
        format!("{}: {}", d.severity, d.kind)
    });
    (identity::line(&game), said.collect())
}

/// Section 7: records that Scid refuses, and their repairs here.
#[test]
fn repairs_are_applied_and_told() {
    type Case<'c> = (&'c [u8], &'c str, &'c [&'c str]);
    let cases: [Case<'_>; 16] = [
        (&[0, 0, 0xCF, 0xCF, 15], "e2e4 e7e5", &[]),
        (
            &[0, 0, 0xCF, 0xCF],
            "e2e4 e7e5",
            &["lost: the end mark of the moves is missing"],
        ),
        (
            &[0, 0, 0xCF, 13, 0xBF, 15],
            "e2e4 ( d2d4 )",
            &["repaired: the game ends inside a variation"],
        ),
        (
            &[0, 0, 0xCF, 14, 0xCF, 15],
            "e2e4 e7e5",
            &["repaired: the end of a variation that was never opened"],
        ),
        (
            &[0, 0, 13, 0xBF, 13, 14, 14, 0xCF, 15],
            "e2e4",
            &["lost: a variation without a move to replace"],
        ),
        (
            &[0, 0, 0xCF, 12, 15],
            "e2e4",
            &["lost: a comment marker without a comment text"],
        ),
        (
            &[0, 0, 0xCF, 12, 15, b'a'],
            "e2e4 {a}",
            &["lost: the end of the last comment is missing"],
        ),
        (
            &[0, 0, 0xCF, 12, 15, b'a', 0, b'b', 0],
            "e2e4 {a} {b}",
            &["lost: the number of bytes after the comments is 2, but 0 was expected"],
        ),
        (
            &[0, 0, 0xCF, 0x1F, 0xCF, 15],
            "e2e4",
            &["lost: move \"byte 1fcf\": the piece has no such move in this position"],
        ),
        (
            &[
                0, 0, 0xCF, 13, 0xBF, 0x0A, 12, 13, 14, 14, 12, 0xCF, 15, b'x', 0, b'y', 0,
            ],
            "e2e4 ( d2d4 ) {y} e7e5",
            &["lost: move \"byte 0a0c\": castling is not possible in this position"],
        ),
        (
            &[0, 0, 0xCF, 11],
            "e2e4",
            &["lost: the end mark of the moves is missing"],
        ),
        (
            &[200, b'x'],
            "",
            &["lost: the name of a tag needs 2 bytes, but only 1 are left"],
        ),
        (
            &[1, b'x', 9, b'y'],
            "",
            &["lost: the value of a tag needs 2 bytes, but only 1 are left"],
        ),
        (
            &[0],
            "",
            &["lost: the flags byte needs 1 bytes, but only 0 are left"],
        ),
        (
            &[0, 1, b'8', b'/'],
            "",
            &["lost: the end of the FEN needs 1 bytes, but only 0 are left"],
        ),
        (
            &[252, 1, b'x', 0, 0, 0xCF, 15],
            "e2e4",
            &["lost: a tag without a name"],
        ),
    ];
    for (record, moves, said) in cases {
        assert_eq!(
            read(record),
            (
                moves.to_owned(),
                said.iter().map(ToString::to_string).collect()
            )
        );
    }
}

/// Texts without a marker are left out when a limit is reached, and this is reported.
#[test]
fn surplus_comments_without_room_are_told() {
    let files = one_game(&[0, 0, 0xCF, 15, b'a', b'b', 0, b'c', b'd', 0], false);
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    store.game_into(0, &mut game, &mut scratch).unwrap();
    assert_eq!(identity::line(&game), "e2e4 {ab} {cd}");
    let mut options = ReadOptions::default();
    options.limits.text_bytes = game.texts.bytes_used() as u32 - 1;
    scratch.diagnostics.clear();
    let store = Store::open(&files, options).unwrap();
    store.game_into(0, &mut game, &mut scratch).unwrap();
    assert_eq!(identity::line(&game), "e2e4 {ab}");
    let lost = scratch.diagnostics.iter();
    let lost: Vec<_> = lost.filter(|d| d.severity == Severity::Lost).collect();
    let [_, lost] = lost.as_slice() else {
        panic!("{:?}", scratch.diagnostics)
    };
    assert!(
        lost.kind.to_string().contains("bytes of text"),
        "{}",
        lost.kind
    );
}

/// Deeply nested and wide games end at the limits, in time proportional to their size.
#[test]
fn games_as_large_as_a_record_can_be() {
    let most = Entry::MAX_LENGTH as usize;
    let mut nested = vec![0, 0, 0xCF];
    while nested.len() + 2 < most {
        nested.extend([13, 0xBF]);
    }
    let mut nags = vec![0, 0, 0xCF];
    nags.resize(most, 11);
    let mut empty = vec![0, 0, 0xCF];
    while empty.len() + 2 < most {
        empty.extend([13, 14]);
    }
    let mut markers = vec![0, 0];
    markers.resize(most, 12);
    let tags = [1, b'x', 0].repeat(most / 3);
    for record in [nested, nags, empty, markers, tags] {
        let files = one_game(&record, false);
        for options in [small(), ReadOptions::default()] {
            let survived = survive(&SI4, &files, &options, 1);
            assert_eq!((survived.opened, survived.games), (true, 1));
        }
    }
    assert!(GameFile::BLOCK as usize > most);
}

/// A few bytes that claim to contain many names.
#[test]
fn a_hostile_count_asks_for_no_memory() {
    let mut files = base("nullmoves");
    let names = files.get_mut(SN4_FILE).unwrap();
    names[12..24].fill(0xFF);
    let survived = survive(&SI4, &files, &small(), 30);
    assert!(survived.opened && survived.diagnostics > 0);
    // 255 bytes of name for five bytes of file.
    let mut names = raw::NameHeader {
        counts: [1 << 23, 0, 0, 0],
        ..Default::default()
    };
    names.max_frequencies = [1; 4];
    let mut bytes = Vec::new();
    names.write(&mut bytes);
    bytes.extend([0, 0, 0, 1, 255]);
    bytes.extend([b'x'; 255]);
    bytes.extend([0, 0, 0, 1, 255, 255].repeat(1 << 18));
    files.insert(SN4_FILE, bytes);
    assert!(survive(&SI4, &files, &small(), 30).opened);
}

/// Sizes beyond the end of the file and numbers of ten bytes.
#[test]
fn hostile_records_of_a_log() {
    let base = base_of(Generation::Si5, "starts");
    for hostile in [
        &[0xFF; 20][..],
        &[0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        &[0x80; 300],
        &[0xF8, 0xFF, 0xFF, 0xFF, 0x7F],
        &[0x07],
    ] {
        let mut files = base.clone();
        let log = files.get_mut(SN5_FILE).unwrap();
        let whole = log.len() as u64;
        log.extend_from_slice(hostile);
        raw_identity(Generation::Si5, &files, "a hostile log");
        let store = Store::open(&files, small()).unwrap();
        let [diagnostic] = store.diagnostics() else {
            panic!("{hostile:x?}: {:?}", store.diagnostics())
        };
        assert_eq!(diagnostic.severity, Severity::Lost);
        assert_eq!(diagnostic.at.offset, Some(whole));
        drop(store);
        assert!(survive(&SI5, &files, &small(), 30).opened);
    }
}
