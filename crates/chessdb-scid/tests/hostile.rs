//! Damaged bases: no panic, no hang, no memory beyond the limits, and the games that are intact
//! are delivered.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use chessdb_core::compare::first_difference;
use chessdb_core::{FileSet, Game, GameStore, Limits, MemorySet, ReadOptions, Scratch, Severity};
use chessdb_scid::raw::{Entry, GameFile, Header, Index};
use chessdb_scid::{SG4_FILE, SI4, SI4_FILE, SN4_FILE, Store, raw};
use chessdb_testkit::corrupt::{Corruptor, Records};
use chessdb_testkit::identity::{self, survive};
use chessdb_testkit::{fixtures, readings};

const ENTRIES: Records = Records {
    start: Header::SIZE,
    size: Entry::SIZE,
};

fn base(name: &str) -> MemorySet {
    fixtures::load_set(fixtures::path("scid").join(name), SI4.roles)
}

fn small() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = Limits::small();
    options
}

/// Whatever can be parsed at all comes back byte for byte, damaged or not.
fn raw_identity(set: &dyn FileSet, what: &str) {
    if let Ok((parsed, _)) = raw::Base::parse(set) {
        for (role, bytes) in [SI4_FILE, SG4_FILE, SN4_FILE]
            .into_iter()
            .zip(parsed.to_bytes())
        {
            assert!(set.get(role) == Some(&bytes), "{what}: {role}");
        }
    }
}

#[test]
fn every_truncation_of_every_file() {
    for name in ["starts", "nullmoves"] {
        let base = base(name);
        for &role in SI4.roles {
            for variant in Corruptor::new(&base, 1).truncations(role) {
                survive(&SI4, &variant, &small(), 30);
                raw_identity(&variant, &variant.name);
            }
        }
    }
}

#[test]
fn flipped_bits_extreme_numbers_noise_and_missing_files() {
    for name in ["starts", "commands", "edited"] {
        let base = base(name);
        for variant in Corruptor::new(&base, 2).usual(240, 60) {
            survive(&SI4, &variant, &small(), 30);
            raw_identity(&variant, &variant.name);
        }
        for variant in Corruptor::new(&base, 3).bit_flips(SG4_FILE, 0, 250) {
            readings::check(&SI4, &variant, &ReadOptions::default());
        }
    }
}

#[test]
fn entries_swapped_repeated_and_shifted() {
    let base = base("starts");
    let corruptor = || Corruptor::new(&base, 4);
    let all = (corruptor().swapped_records(SI4_FILE, ENTRIES, 20))
        .chain(corruptor().repeated_records(SI4_FILE, ENTRIES, 20))
        .chain(corruptor().shifted_records(SI4_FILE, ENTRIES, 20));
    for variant in all {
        let survived = survive(&SI4, &variant, &small(), 100);
        assert!(survived.opened, "{}", variant.name);
        readings::check(&SI4, &variant, &ReadOptions::default());
    }
}

/// Damage to one game leaves the others as they were.
#[test]
fn the_other_games_are_delivered() {
    let base = base("text");
    let whole = identity::open_all(&SI4, &base);
    let index = Index::parse(base.get(SI4_FILE).unwrap()).unwrap();
    for (damaged, entry) in index.entries.iter().enumerate() {
        let places = [
            entry.offset as usize,
            (entry.offset + entry.length - 1) as usize,
        ];
        for place in places {
            let mut files = base.clone();
            files.get_mut(SG4_FILE).unwrap()[place] ^= 0xFF;
            others_are_equal(&files, damaged, &whole);
        }
        for (offset, value) in [
            (4, [0, 0]),
            (4, [0xFF, 0xFF]),
            (0, [0xFF, 0xFF]),
            (10, [0x7F; 2]),
        ] {
            let mut files = base.clone();
            let at = Header::SIZE + damaged * Entry::SIZE + offset;
            files.get_mut(SI4_FILE).unwrap()[at..at + 2].copy_from_slice(&value);
            let diagnostics = others_are_equal(&files, damaged, &whole);
            assert!(
                diagnostics > 0,
                "game {damaged}, byte {offset}: nothing noticed"
            );
        }
    }
}

/// How many diagnostics the damaged game has; the others have none.
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

/// A base of one game with this record.
fn one_game(record: &[u8], fen: bool) -> MemorySet {
    let mut files = base("nullmoves");
    let mut header = Header::new();
    header.games = 1;
    let entry = Entry {
        length: record.len() as u32,
        flags: raw::IndexFlags::from_bits_retain(fen.into()),
        ..Entry::default()
    };
    files.insert(
        SI4_FILE,
        [&header.to_bytes()[..], &entry.to_bytes()].concat(),
    );
    files.insert(SG4_FILE, record);
    files
}

/// What reading a record gives: the moves of all lines, the comments, and what was said about it
/// beside the counts of the index, which are all 0 here.
fn read(record: &[u8]) -> (String, Vec<String>) {
    let fen = record.get(1).is_some_and(|flags| flags & 1 != 0);
    let files = one_game(record, fen);
    readings::check(&SI4, &files, &ReadOptions::default());
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    let events: Vec<String> = game
        .events()
        .map(|event| match event {
            chessdb_core::Event::Move(mv) => mv.to_string(),
            chessdb_core::Event::Nag(nag) => format!("${nag}"),
            chessdb_core::Event::Comment(_, text) => format!("{{{}}}", text.decode()),
            chessdb_core::Event::Open(_) => "(".into(),
            chessdb_core::Event::Close => ")".into(),
            event => format!("{event:?}"),
        })
        .collect();
    let said = scratch
        .diagnostics
        .iter()
        .filter(|d| d.severity != Severity::Note);
    let said = said.map(|d| {
        assert!(d.at.file == Some(SG4_FILE) && d.at.offset.is_some() && d.at.game == Some(1));
        format!("{}: {}", d.severity, d.kind)
    });
    (events.join(" "), said.collect())
}

/// Section 7: what Scid refuses, and what is made of it here.
#[test]
fn repairs_are_applied_and_told() {
    type Case<'c> = (&'c [u8], &'c str, &'c [&'c str]);
    let cases: [Case<'_>; 16] = [
        (&[0, 0, 0xCF, 0xCF, 15], "e2e4 e7e5", &[]),
        (
            &[0, 0, 0xCF, 0xCF],
            "e2e4 e7e5",
            &["repaired: the moves have no end mark"],
        ),
        (
            &[0, 0, 0xCF, 13, 0xBF, 15],
            "e2e4 ( d2d4 )",
            &["repaired: the game ends inside a variation"],
        ),
        (
            &[0, 0, 0xCF, 14, 0xCF, 15],
            "e2e4 e7e5",
            &["repaired: a variation is closed that was never opened"],
        ),
        (
            &[0, 0, 13, 0xBF, 13, 14, 14, 0xCF, 15],
            "e2e4",
            &["lost: a variation with no move to replace"],
        ),
        (
            &[0, 0, 0xCF, 12, 15],
            "e2e4",
            &["lost: a comment marker without a text"],
        ),
        (
            &[0, 0, 0xCF, 12, 15, b'a'],
            "e2e4 {a}",
            &["repaired: the last comment has no end"],
        ),
        (
            &[0, 0, 0xCF, 12, 15, b'a', 0, b'b', 0],
            "e2e4 {a} {b}",
            &["repaired: bytes behind the comments is 2, but 0 was expected"],
        ),
        (
            &[0, 0, 0xCF, 0x1F, 0xCF, 15],
            "e2e4",
            &["lost: move \"byte 1fcf\": this man has no such move here"],
        ),
        (
            &[
                0, 0, 0xCF, 13, 0xBF, 0x0A, 12, 13, 14, 14, 12, 0xCF, 15, b'x', 0, b'y', 0,
            ],
            "e2e4 ( d2d4 ) {y} e7e5",
            &["lost: move \"byte 0a0c\": castling is not possible here"],
        ),
        (
            &[0, 0, 0xCF, 11],
            "e2e4",
            &["repaired: the moves have no end mark"],
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

/// Deep and wide games end at the limits, in time that grows with their bytes.
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

/// A few bytes that claim to be many names.
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
