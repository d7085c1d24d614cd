//! Damaged databases cause no panic, no hang and no memory use beyond the limits, and intact games
//! are delivered.

use chessdb_cbf::raw::{Index, Position, RawHeader, Record};
use chessdb_cbf::{CBF, CBF_FILE, CBI_FILE, FBK, FBK_FILE, Store, raw};
use chessdb_core::compare::first_difference;
use chessdb_core::limits::Limits;
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{
    Error, FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch, Severity, WriteOptions,
};
use chessdb_testkit::corrupt::{Corruptor, Records};
use chessdb_testkit::identity::{self, survive};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::{fixtures, readings};

use crate::common::{examples, made, unusual};

const ENTRIES: Records = Records { start: 4, size: 4 };

fn small() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = Limits::small();
    options
}

pub(crate) fn strict() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.mode = Mode::Strict;
    options
}

/// Every database is restored byte for byte from its raw structures, damaged or not.
fn raw_identity(set: &dyn FileSet, what: &str) {
    if let Ok(parsed) = raw::Base::parse(set) {
        for (role, bytes) in [CBI_FILE, CBF_FILE].into_iter().zip(parsed.to_bytes()) {
            assert!(set.get(role) == Some(&bytes), "{what}: {role}");
        }
    }
}

#[test]
fn every_truncation_of_every_file() {
    for base in [examples(), unusual::base(&unusual::unusual_records())] {
        for &role in CBF.roles {
            for variant in Corruptor::new(&base, 1).truncations(role) {
                survive(&CBF, &variant, &small(), 30);
                raw_identity(&variant, &variant.name);
                readings::check(&CBF, &variant, &small());
            }
        }
    }
}

#[test]
fn flipped_bits_extreme_numbers_noise_and_missing_files() {
    for base in [examples(), unusual::base(&unusual::unusual_records())] {
        for variant in Corruptor::new(&base, 2).usual(240, 400) {
            survive(&CBF, &variant, &small(), 30);
            raw_identity(&variant, &variant.name);
        }
        for variant in Corruptor::new(&base, 3).bit_flips(CBF_FILE, 60, 250) {
            readings::check(&CBF, &variant, &ReadOptions::default());
        }
    }
    if let Some(base) = made().first() {
        for variant in Corruptor::new(&base.files, 5).bit_flips(CBF_FILE, 0, 1500) {
            survive(&CBF, &variant, &ReadOptions::default(), 8);
        }
    }
}

#[test]
fn entries_swapped_repeated_and_shifted() {
    let base = unusual::base(&unusual::unusual_records());
    let corruptor = || Corruptor::new(&base, 4);
    let all = (corruptor().swapped_records(CBI_FILE, ENTRIES, 30))
        .chain(corruptor().repeated_records(CBI_FILE, ENTRIES, 30))
        .chain(corruptor().shifted_records(CBI_FILE, ENTRIES, 30));
    for variant in all {
        let survived = survive(&CBF, &variant, &small(), 100);
        assert!(survived.opened, "{}", variant.name);
        readings::check(&CBF, &variant, &ReadOptions::default());
    }
}

/// Damage to one game does not affect the others.
#[test]
fn the_other_games_are_delivered() {
    let records = unusual::unusual_records();
    let base = unusual::base(&records);
    let whole = identity::open_all(&CBF, &base);
    let index = Index::parse(base.get(CBI_FILE).unwrap());
    for (damaged, record) in records.iter().enumerate() {
        let start = Index::offset(damaged as u32 + 1, index.words[damaged + 1]).unwrap() as usize;
        let length = record.raw_header.record_len();
        for place in [0, 1, 3, 7, 10, 13, 20]
            .into_iter()
            .filter(|at| *at < length)
        {
            let mut files = base.clone();
            if let Some(byte) = files.get_mut(CBF_FILE).unwrap().get_mut(start + place) {
                *byte ^= 0xFF;
            }
            others_are_equal(&files, damaged, &whole);
        }
        for word in [0u32, 1, u32::MAX, 1 << 31] {
            let mut files = base.clone();
            let at = 4 + 4 * damaged;
            files.get_mut(CBI_FILE).unwrap()[at..at + 4].copy_from_slice(&word.to_be_bytes());
            let said = others_are_equal(&files, damaged, &whole);
            assert!(said > 0, "game {damaged}, entry {word}: nothing noticed");
        }
    }
}

/// Returns the number of diagnostics of the damaged game, including its error. The other games must
/// have none.
fn others_are_equal(files: &MemorySet, damaged: usize, whole: &[Game]) -> usize {
    let store = Store::open(files, ReadOptions::default()).unwrap();
    assert_eq!(store.len() as usize, whole.len());
    let (mut game, mut found) = (Game::new(), 0);
    for (n, expected) in whole.iter().enumerate() {
        let mut scratch = Scratch::new();
        let read = store.game_into(n as u32, &mut game, &mut scratch);
        if n == damaged {
            let number = Some(damaged as u32 + 1);
            assert!(scratch.diagnostics.iter().all(|d| d.at.game == number));
            found = scratch.diagnostics.len() + usize::from(read.is_err());
        } else {
            assert_eq!(first_difference(&game, expected), None, "game {}", n + 1);
            assert!(scratch.diagnostics.is_empty());
        }
    }
    found
}

/// Returns the moves and comments of all lines, the diagnostics, and the error of strict reading.
fn read(record: &Record) -> (String, Vec<String>, Option<Error>) {
    let files = unusual::base(std::slice::from_ref(record));
    readings::check(&CBF, &files, &ReadOptions::default());
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    let said = scratch.diagnostics.iter().map(|d| {
        assert!(d.at.file == Some(CBF_FILE) && d.at.offset.is_some() && d.at.game == Some(1));
        format!("{}: {}", d.severity, d.kind)
    });
    let (line, said) = (identity::line(&game), said.collect());
    let store = Store::open(&files, strict()).unwrap();
    let error = store.game_into(0, &mut game, &mut Scratch::new()).err();
    (line, said, error)
}

/// Sections 7, 8 and 10: faults and the way they are handled.
#[test]
fn repairs_are_applied_and_told() {
    type Case<'c> = (&'c [u8], &'c [u8], &'c str, &'c [&'c str]);
    // 0B is e2e4 and e7e5, 0F and 06 are Nf3 and Nc6, 09 and 19 are d4 and others.
    let cases: [Case<'_>; 17] = [
        (&[0x0B, 0x0B], b"", "e2e4 e7e5", &[]),
        (
            &[0x0B, 127],
            b"",
            "e2e4",
            &["lost: there is no move number 127; the position has 20 moves"],
        ),
        (
            &[0x0B, 0x0B, 0x80],
            b"",
            "e2e4 e7e5",
            &["repaired: the end of a variation that was never opened"],
        ),
        (
            &[0x0B, 0x80, 0x0B],
            b"",
            "e2e4",
            &["lost: the end of a variation that was never opened"],
        ),
        (
            &[0x0B, 0, 0x0B],
            b"",
            "e2e4",
            &["lost: the moves end with a byte 0"],
        ),
        (
            &[0x0B, 0x0B, 0xFF, 0x07],
            b"",
            "e2e4 e7e5 ( c7c5 )",
            &["repaired: the game ends inside a variation"],
        ),
        (
            &[0xFF, 0x0B, 0x80, 0x0B],
            b"",
            "e2e4",
            &["lost: a variation without a move to replace"],
        ),
        (
            &[0x0B, 0x0B, 0xFF, 0x7E, 0x01, 0x80, 0x0F],
            b"",
            "e2e4 e7e5 ( ) e1e2",
            &["lost: there is no move number 126; the position has 20 moves"],
        ),
        // One comment too few, a comment of the game, two comments too many.
        (
            &[0x8B, 0x8B],
            b"\xFF\x01\xFF",
            "e2e4 $1 e7e5 {}",
            &["lost: the comment of a move is missing"],
        ),
        (
            &[0x8B, 0x0B],
            b"\xFF\x01\xFF\x02\xFF",
            "$2 e2e4 $1 e7e5",
            &[],
        ),
        (
            &[0x8B, 0x0B],
            b"\xFF\x01\xFF\x03\xFF\x02\xFF",
            "$2 e2e4 $1 e7e5 $5",
            &["lost: the number of bytes after the comments is 2, but 0 was expected"],
        ),
        (
            &[0x8B],
            b"",
            "e2e4 {}",
            &["lost: the comment of a move is missing"],
        ),
        (
            &[0x8B],
            b"\x01\xFF",
            "e2e4 $1",
            &["lost: the comments do not begin with byte FF"],
        ),
        (
            &[0x8B],
            b"\xFF\x01\0\0\0cut",
            "e2e4 $1 {cut}",
            &["lost: the end of the last comment is missing"],
        ),
        (
            &[0x8B],
            b"\xFF\x01\0\0\0\0\0x\xFF",
            "e2e4 $1 {x}",
            &["note: a comment in an unusual form"],
        ),
        (
            &[0x8B],
            b"\xFF\x0A\xFF",
            "e2e4 Extra(Extra { format: \"cbf\", field: 16, bytes: [10] })",
            &["note: the code of a comment has the unexpected value 10"],
        ),
        (
            &[0x0B],
            b"\xFF",
            "e2e4",
            &["note: a comment area without a comment"],
        ),
    ];
    for (moves, comments, shown, said) in cases {
        let mut record = unusual::record("White-Black", "", moves, comments);
        // Byte 12 counts the moves before the fault. With surplus comments all moves are present.
        let cut = |said: &&str| said.starts_with("lost") && !said.contains("after the comments");
        let complete = !said.iter().any(cut);
        if complete {
            let plies = shown.split('(').next().unwrap().split(' ');
            let plies = plies
                .filter(|word| word.len() == 4 && !word.starts_with('{'))
                .count();
            record = unusual::with(record, |h| h.full_moves = plies.div_ceil(2) as u8);
        }
        let (events, found, error) = read(&record);
        let expected: Vec<String> = said.iter().map(ToString::to_string).collect();
        assert_eq!((events.as_str(), &found[..]), (shown, &expected[..]));
        assert_eq!(error.is_some(), !said.is_empty(), "{shown}");
    }
}

/// Section 5: the fields of the header.
#[test]
fn odd_fields_are_told() {
    let plain = || unusual::record("White-Black", "", &[0x0B, 0x0B], b"");
    let set_up = |square: usize, piece: u8| {
        let mut record = plain();
        let mut squares = [0; 64];
        (squares[4], squares[60], squares[square]) = (1, 9, piece);
        record.position = Some(Position {
            squares,
            moves_before: 0,
        });
        record.moves = vec![1];
        assert!(record.set_lengths(11));
        unusual::with(record, |h| h.full_moves = 1)
    };
    let cases = [
        (
            unusual::private(),
            "note: the check byte (perhaps of a private game) is",
        ),
        (
            unusual::with(plain(), |h| h.result = 5),
            "note: the result has the unexpected value 5",
        ),
        (
            unusual::with(plain(), |h| h.extra |= 0x05),
            "note: the ECO sub-code has the unexpected value 5",
        ),
        (
            unusual::with(plain(), |h| h.full_moves = 9),
            "lost: the number of moves is 9, but 1",
        ),
        (
            unusual::with(set_up(20, 0), |h| h.extra |= 9),
            "lost: the en passant file has the unexpected value 9",
        ),
        (
            unusual::with(set_up(20, 0), |h| h.source |= 0x40),
            "note: the ECO code of a game with a start position",
        ),
        (
            set_up(20, 7),
            "lost: a piece of the start position has the unexpected value 7",
        ),
        (
            set_up(20, 15),
            "lost: a piece of the start position has the unexpected value 15",
        ),
    ];
    for (record, expected) in cases {
        let (_, said, error) = read(&record);
        let [said] = &said[..] else {
            panic!("{expected}: {said:?}")
        };
        assert!(said.starts_with(expected), "{said}");
        assert!(error.is_some());
    }
    let (moves, said, _) = read(&set_up(20, 6));
    assert_eq!((moves.as_str(), said.len()), ("e1d1", 0));
}

/// A record that ends too early gives the header and the available moves.
#[test]
fn a_cut_record_gives_its_beginning() {
    let moves = [0x0B, 0x0B, 0x0B, 0x0B, 0x0B, 0x0B];
    let record = unusual::record("White-Black", "Somewhere", &moves, b"");
    for missing in 1..=6 {
        // Two games are needed because an index is rejected if more than half of its entries are
        // invalid.
        let mut two = unusual::base(&[record.clone(), record.clone()]);
        let games = two.get_mut(CBF_FILE).unwrap();
        games.truncate(games.len() - missing);
        let store = Store::open(&two, ReadOptions::default()).unwrap();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        store.game_into(1, &mut game, &mut scratch).unwrap();
        assert_eq!(game.moves.plies() as usize, 6 - missing);
        assert_eq!(game.text(game.header.event.text).decode(), "Somewhere");
        assert_eq!(scratch.diagnostics[0].severity, Severity::Lost);
    }
}

/// Games of maximum size are limited, in time proportional to their size.
#[test]
fn games_as_large_as_a_record_can_be() {
    let mut nested = vec![0x0B];
    while nested.len() + 2 < RawHeader::MAX_MOVES {
        nested.extend([0xFF, 0x0B]);
    }
    let empty: Vec<u8> = [0x0B]
        .into_iter()
        .chain([0xFF, 0x80].repeat(30_000))
        .collect();
    let shuffle: Vec<u8> = [15, 17, 9, 20].repeat(16_000);
    let mut comments = vec![0xFF];
    comments.resize(RawHeader::MAX_COMMENTS, 0xFF);
    for (moves, comments) in [
        (nested, vec![]),
        (empty, vec![]),
        (shuffle, vec![]),
        (vec![0x8B; 60_000], comments.clone()),
        (vec![], comments),
    ] {
        let mut record = unusual::record("a-b", "", &[], &comments);
        record.moves = moves;
        assert!(record.set_lengths(3));
        let files = unusual::base(&[record]);
        for options in [small(), ReadOptions::default()] {
            let survived = survive(&CBF, &files, &options, 1);
            assert_eq!((survived.opened, survived.games), (true, 1));
        }
    }
}

#[test]
fn damaged_books() {
    let book = fixtures::load_set(fixtures::path("cbf").join("book"), FBK.roles);
    for variant in Corruptor::new(&book, 6).truncations(FBK_FILE) {
        survive(&FBK, &variant, &small(), 1);
        readings::check(&FBK, &variant, &ReadOptions::default());
    }
    for variant in Corruptor::new(&book, 7).usual(20, 400) {
        survive(&FBK, &variant, &small(), 1);
        readings::check(&FBK, &variant, &ReadOptions::default());
    }
    let mut rng = Rng::new(10);
    let mut set = MemorySet::new();
    for _ in 0..500 {
        let bytes: Vec<u8> = (0..rng.below(3000)).map(|_| rng.any() as u8).collect();
        set.insert(FBK_FILE, bytes);
        survive(&FBK, &set, &small(), 1);
    }
    // Moves with one alternative each, and the maximum number of moves.
    set.insert(FBK_FILE, [6, 21, 62, 45, 21, 6, 45, 62].repeat(50_000));
    let survived = survive(&FBK, &set, &ReadOptions::default(), 1);
    assert!(survived.opened && survived.diagnostics > 0);
    set.insert(FBK_FILE, [12, 28].repeat(150_000));
    assert!(survive(&FBK, &set, &ReadOptions::default(), 1).diagnostics > 0);
}

/// Variations at the end of the longest record leave space for their ends and the end of the game.
#[test]
fn variations_at_the_limit_of_a_record_can_be_closed() {
    let knights = Game::builder().sans(["Nf3", "Nf6", "Ng1", "Ng8"]);
    let knights: Vec<_> = knights.unwrap().build().mainline().collect();
    let mut limits = Limits::default();
    limits.plies = 1_000_000;
    let depth = 30;
    let mut cut = 0;
    for free in (0..3 * depth).step_by(5) {
        let mut game = Game::new();
        let mut moves = game.moves.builder(&limits);
        let plies = RawHeader::MAX_MOVES - free;
        for n in 0..plies {
            moves.mv(knights[n % 4]).unwrap();
        }
        for _ in 0..depth {
            moves.open().unwrap();
            moves.mv(knights[(plies - 1) % 4]).unwrap();
        }
        for _ in 0..depth {
            moves.close();
        }
        moves.finish();
        let mut options = WriteOptions::default();
        options.allow = Allow::Everything;
        let (set, losses) = identity::write_all(&CBF, [&game], options).unwrap();
        cut += usize::from(!losses.is_empty());
        let store = (CBF.open)(&set, strict()).unwrap();
        let mut back = Game::new();
        store.game_into(0, &mut back, &mut Scratch::new()).unwrap();
        assert!(
            back.plies() as usize >= plies - 1,
            "{free}: {}",
            back.plies()
        );
    }
    assert!(cut > depth / 5);
}
