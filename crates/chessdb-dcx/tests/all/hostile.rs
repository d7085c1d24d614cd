//! Damaged databases: no panic, no hang, no memory beyond the limits, and intact games are
//! delivered.

use chessdb_core::compare::{first_difference, moves_difference};
use chessdb_core::limits::Limits;
use chessdb_core::options::Mode;
use chessdb_core::{
    Diagnostic, FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch, Severity,
};
use chessdb_dcx::raw::{Base, Entry, FileHeader, FileKind, Layout, Length, Magic};
use chessdb_dcx::{DCG_FILE, DCI_FILE, DCN_FILE, DCX, Store};
use chessdb_testkit::corrupt::{Corruptor, Records};
use chessdb_testkit::identity::{self, survive};
use chessdb_testkit::readings;
use chessdb_testkit::strategy::GameOptions;

use crate::common::{all_sets, load, random_base};

const ENTRIES: Records = Records {
    start: 19,
    size: 39,
};

fn small() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = Limits::small();
    options
}

/// Returns short annotated games with their own start positions.
fn base(games: u64) -> MemorySet {
    let options = GameOptions {
        plies: 12,
        all_plies: 40,
        ..GameOptions::for_dcx()
    };
    random_base(games, &options).1
}

/// Everything that can be parsed is written back byte for byte.
fn raw_level(set: &dyn FileSet, what: &str) {
    if let Ok(parsed) = Base::parse(set) {
        let bytes = parsed.to_bytes();
        for &role in DCX.roles {
            assert_eq!(set.get(role), bytes.get(role), "{what}: {role}");
        }
    }
}

#[test]
fn every_truncation_of_every_file() {
    let base = base(6);
    for &role in DCX.roles {
        for variant in Corruptor::new(&base, 1).truncations(role) {
            survive(&DCX, &variant, &small(), 30);
            readings::check(&DCX, &variant, &ReadOptions::default());
            raw_level(&variant, &variant.name);
        }
    }
}

#[test]
fn flipped_bits_extreme_numbers_noise_and_missing_files() {
    let base = base(8);
    for variant in Corruptor::new(&base, 2).usual(120, 150) {
        survive(&DCX, &variant, &small(), 30);
        raw_level(&variant, &variant.name);
    }
    for variant in Corruptor::new(&base, 3).bit_flips(DCG_FILE, 200, 400) {
        readings::check(&DCX, &variant, &ReadOptions::default());
    }
    for variant in Corruptor::new(&base, 3).bit_flips(DCI_FILE, 0, 200) {
        readings::check(&DCX, &variant, &ReadOptions::default());
    }
}

#[test]
fn genuine_bases_damaged() {
    for stem in all_sets() {
        let set = load(&stem);
        if set.get(DCG_FILE).unwrap().len() > 2000 {
            continue;
        }
        for variant in Corruptor::new(&set, 5).usual(20, 10) {
            survive(&DCX, &variant, &small(), 10);
            raw_level(&variant, &variant.name);
        }
    }
}

#[test]
fn entries_swapped_repeated_and_shifted() {
    let base = base(12);
    let corruptor = || Corruptor::new(&base, 4);
    let all = (corruptor().swapped_records(DCI_FILE, ENTRIES, 20))
        .chain(corruptor().repeated_records(DCI_FILE, ENTRIES, 20))
        .chain(corruptor().shifted_records(DCI_FILE, ENTRIES, 20));
    for variant in all {
        let survived = survive(&DCX, &variant, &small(), 100);
        assert!(survived.opened, "{}", variant.name);
        assert_eq!(survived.failed, 0, "{}", variant.name);
        readings::check(&DCX, &variant, &ReadOptions::default());
        raw_level(&variant, &variant.name);
    }
}

/// Wherever the games file is cut, games before the cut are unchanged.
#[test]
fn games_before_a_cut_are_delivered() {
    let base = base(6);
    let whole = identity::open_all(&DCX, &base);
    let entries = Base::parse(&base).unwrap().index.entries;
    let len = base.get(DCG_FILE).unwrap().len();
    for cut in Corruptor::new(&base, 6).truncations(DCG_FILE) {
        let cut_len = cut.get(DCG_FILE).unwrap().len() as u64;
        let store = Store::open(&cut, ReadOptions::default()).unwrap();
        assert_eq!(store.len() as usize, whole.len());
        for (n, expected) in whole.iter().enumerate() {
            let mut game = Game::new();
            let mut scratch = Scratch::new();
            store.game_into(n as u32, &mut game, &mut scratch).unwrap();
            let end = entries.get(n + 1).map_or(len as u64, |next| next.offset);
            if end <= cut_len {
                assert_eq!(first_difference(&game, expected), None, "{}", cut.name);
                assert!(scratch.diagnostics.is_empty());
            } else {
                assert!(!scratch.diagnostics.is_empty(), "{}, game {n}", cut.name);
            }
        }
    }
}

/// Wherever the index is cut, games with remaining entries are unchanged, and the others still have
/// their moves.
#[test]
fn games_of_a_cut_index_are_delivered() {
    let base = base(6);
    let whole = identity::open_all(&DCX, &base);
    for cut in Corruptor::new(&base, 7).truncations(DCI_FILE) {
        let len = cut.get(DCI_FILE).unwrap().len();
        if len < 19 {
            continue;
        }
        let store = Store::open(&cut, ReadOptions::default()).unwrap();
        let lost = |found: &Diagnostic| found.severity == Severity::Lost;
        assert!(store.diagnostics().iter().any(lost), "{}", cut.name);
        let games = identity::read_all(&store);
        assert_eq!(games.len(), whole.len(), "{}", cut.name);
        let named = (len - 19) / 39;
        for (n, (game, expected)) in games.iter().zip(&whole).enumerate() {
            let difference = if n < named {
                first_difference(game, expected)
            } else {
                moves_difference(game, expected)
            };
            assert_eq!(difference, None, "{}", cut.name);
        }
        let mut strict = ReadOptions::default();
        strict.mode = Mode::Strict;
        assert!(Store::open(&cut, strict).is_err(), "{}", cut.name);
    }
}

/// Damage to one game does not change the others.
#[test]
fn the_other_games_are_delivered() {
    let base = base(6);
    let whole = identity::open_all(&DCX, &base);
    let entries = Base::parse(&base).unwrap().index.entries;
    let len = base.get(DCG_FILE).unwrap().len() as u64;
    for (damaged, entry) in entries.iter().enumerate() {
        let end = entries.get(damaged + 1).map_or(len, |next| next.offset);
        for place in entry.offset..end {
            for mask in [0x01, 0x80, 0xFF] {
                let mut files = base.clone();
                files.get_mut(DCG_FILE).unwrap()[place as usize] ^= mask;
                others_are_equal(&files, damaged, &whole);
            }
        }
        for at in 0..39 {
            let mut files = base.clone();
            files.get_mut(DCI_FILE).unwrap()[19 + 39 * damaged + at] ^= 0xFF;
            others_are_equal(&files, damaged, &whole);
        }
    }
}

fn others_are_equal(files: &MemorySet, damaged: usize, whole: &[Game]) {
    let store = Store::open(files, ReadOptions::default()).unwrap();
    assert_eq!(store.layout(), Layout::CURRENT);
    assert_eq!(store.len() as usize, whole.len());
    let mut game = Game::new();
    for (n, expected) in whole.iter().enumerate() {
        let mut scratch = Scratch::new();
        store.game_into(n as u32, &mut game, &mut scratch).unwrap();
        if n != damaged {
            assert_eq!(first_difference(&game, expected), None, "game {}", n + 1);
            assert!(scratch.diagnostics.is_empty());
        }
    }
}

/// Returns a database with one game that has this record.
fn one_game(record: &[u8]) -> MemorySet {
    let mut set = MemorySet::new();
    let mut index = Vec::new();
    FileHeader::new().write(&mut index);
    let entry = Entry {
        offset: 10,
        white: 10,
        black: 10,
        site: 10,
        event: 10,
        ..Entry::default()
    };
    index.extend(entry.to_bytes());
    set.insert(DCI_FILE, index);
    set.insert(
        DCG_FILE,
        [Magic::new(FileKind::Games).as_bytes(), record].concat(),
    );
    for kind in [FileKind::Players, FileKind::Sites, FileKind::Events] {
        let name = format!("{:<36}", "?");
        set.insert(
            kind.role(),
            [Magic::new(kind).as_bytes(), name.as_bytes()].concat(),
        );
    }
    set
}

/// Returns the record of a game from the standard start position.
fn record(body: &[u8]) -> Vec<u8> {
    let mut record = Vec::new();
    Length::new(body.len() as u32 + 1).write(&mut record);
    record.push(0);
    record.extend_from_slice(body);
    record
}

/// Reads a body. Returns moves and annotations, and the diagnostics.
fn read(body: &[u8]) -> (String, Vec<String>) {
    let files = one_game(&record(body));
    readings::check(&DCX, &files, &ReadOptions::default());
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    assert!(store.diagnostics().is_empty(), "{:?}", store.diagnostics());
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    let said = scratch.diagnostics.iter().map(|d| {
        assert!(d.at.file == Some(DCG_FILE) && d.at.offset.is_some() && d.at.game == Some(1));
        format!("{}: {}", d.severity, d.kind)
    });
    (identity::line(&game), said.collect())
}

/// Section 12: deviations that are not in the crafted files.
#[test]
fn repairs_are_applied_and_told() {
    const E4: [u8; 2] = [0x03, 0x1C];
    const E5: [u8; 2] = [0x0D, 0x24];
    const D4: [u8; 2] = [0x02, 0xDB];
    const KE2: [u8; 2] = [0x01, 0x0C];
    let body = |parts: &[&[u8]]| parts.concat();
    let cases: [(Vec<u8>, &str, &[&str]); 14] = [
        (body(&[&E4, &E5]), "e2e4 e7e5", &[]),
        (
            body(&[&E4, &[0x80], &D4, &[0x85], &E5]),
            "e2e4 ( d2d4 ) e7e5",
            &["note: beginning of a variation has the unexpected value 128"],
        ),
        // An impossible move ends only its variation.
        (
            body(&[&E4, &[0x84], &D4, &D4, &[0x84], &E4, &[0x85, 0x85], &E5]),
            "e2e4 ( d2d4 ) e7e5",
            &["lost: move \"d2d4\": the square is empty"],
        ),
        // An unreadable token within skipped moves.
        (
            body(&[&E4, &[0x84], &D4, &D4, &[0x8F], &E5, &[0x85], &E5]),
            "e2e4 ( d2d4 )",
            &[
                "lost: move \"d2d4\": the square is empty",
                "lost: a token has the unexpected value 143",
            ],
        ),
        (
            body(&[&E4, &KE2, &E5]),
            "e2e4",
            &["lost: move \"e1e2\": the piece belongs to the other side"],
        ),
        (
            body(&[&[0x01, 0x06]]),
            "",
            &["lost: move \"e1g1\": the piece cannot move this way"],
        ),
        (
            body(&[&[0x53, 0x1C]]),
            "",
            &["lost: move \"e2e4=5\": the piece cannot promote this way"],
        ),
        (
            body(&[&E4, &[0x86, 0x05, b'a']]),
            "e2e4",
            &["lost: a comment or a group of NAGs needs 5 bytes, but only 1 are left"],
        ),
        (
            body(&[&E4, &[0x87, 0x80]]),
            "e2e4",
            &["lost: a length that cannot be read"],
        ),
        (
            body(&[&E4, &[0x86, 0x01, 0xFC]]),
            "e2e4 {\u{FFFD}}",
            &["note: text cannot be written in UTF-8"],
        ),
        (
            body(&[&[0x84, 0x85], &E4]),
            "( ) e2e4",
            &["repaired: a variation without a move to replace"],
        ),
        (body(&[&E4, &[0x84, 0x85], &E5]), "e2e4 ( ) e7e5", &[]),
        (
            body(&[&E4, &[0x86, 0x00, 0x87, 0x00], &E5]),
            "e2e4 {} e7e5",
            &[],
        ),
        // Fool's mate, and a move after it: the king of the side to move stays in check.
        (
            body(&[&[0x03, 0x9E], &E5, &[0x03, 0x55, 0x0E, 0xDF, 0x02, 0x10]]),
            "g2g4 e7e5 f2f3 d8h4 a2a3",
            &["note: move \"a2a3\": illegal move"],
        ),
    ];
    for (body, moves, said) in cases {
        let said: Vec<String> = said.iter().map(ToString::to_string).collect();
        assert_eq!(read(&body), (moves.to_owned(), said));
    }
}

/// Invalid offsets and lengths.
#[test]
fn records_that_cannot_be_found_are_told() {
    let said = |files: &MemorySet| {
        readings::check(&DCX, files, &ReadOptions::default());
        let store = Store::open(files, ReadOptions::default()).unwrap();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        store.game_into(0, &mut game, &mut scratch).unwrap();
        let severities = scratch.diagnostics.iter().map(|d| d.severity);
        let lost = severities.filter(|&s| s == Severity::Lost).count();
        (game.moves.plies(), lost, scratch.diagnostics.len())
    };
    assert_eq!(said(&one_game(&[0x80, 0x00, 0x03, 0x1C])), (1, 1, 1));
    assert_eq!(said(&one_game(&[0xFF, 0x00, 0x03, 0x1C])), (1, 1, 1));
    assert_eq!(said(&one_game(&[0x09, 0x00, 0x03, 0x1C])), (1, 1, 1));
    assert_eq!(
        said(&one_game(&[0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x03, 0x1C])),
        (1, 1, 1)
    );
    assert_eq!(
        said(&one_game(&[0x05, 0x01, 0x7F, b'8', b'/', b'8'])),
        (0, 1, 1)
    );
    assert_eq!(said(&one_game(&[])), (0, 1, 1));
    for offset in [0u64, 9, 11, u64::MAX, 1 << 63] {
        let mut files = one_game(&[0x03, 0x00, 0x03, 0x1C]);
        let index = files.get_mut(DCI_FILE).unwrap();
        index[20..28].copy_from_slice(&offset.to_be_bytes());
        let (_, _, found) = said(&files);
        assert!(found >= 1, "{offset}");
    }
}

/// Deep, wide and long games stop at the limits, in time linear in their size.
#[test]
fn large_games_end_at_the_limits() {
    let mut nested = vec![0x03, 0x1C];
    for _ in 0..500_000 {
        nested.extend([0x84, 0x02, 0xDB]);
    }
    let knights = [0x01, 0x95, 0x0F, 0xAD, 0x05, 0x46, 0x0B, 0x7E].repeat(200_000);
    let comments = [&[0x03, 0x1C][..], &[0x86, 0x01, b'x'].repeat(500_000)].concat();
    let empty = [&[0x03, 0x1C][..], &[0x84, 0x85].repeat(900_000)].concat();
    let before = [0x84u8].repeat(1_000_000);
    let mut nags = vec![0x03, 0x1C, 0x87];
    Length::new(1_500_000).write(&mut nags);
    nags.resize(nags.len() + 1_500_000, 7);
    let mut text = vec![0x03, 0x1C, 0x86];
    Length::new(12_000_000).write(&mut text);
    text.resize(text.len() + 12_000_000, b'x');
    for body in [nested, knights, comments, empty, before, nags, text] {
        let files = one_game(&record(&body));
        for options in [small(), ReadOptions::default()] {
            let survived = survive(&DCX, &files, &options, 1);
            assert_eq!((survived.opened, survived.games), (true, 1));
            assert!(survived.diagnostics > 0);
        }
    }
}

/// A FEN as long as the file, and one with many fields.
#[test]
fn long_fens_end_at_the_limits() {
    for fen in [
        vec![b'8'; 1 << 20],
        b"8/".repeat(1 << 18),
        vec![b' '; 1 << 20],
    ] {
        let mut content = vec![1];
        Length::new(fen.len() as u32).write(&mut content);
        content.extend_from_slice(&fen);
        let mut record = Vec::new();
        Length::new(content.len() as u32).write(&mut record);
        record.extend_from_slice(&content);
        let survived = survive(&DCX, &one_game(&record), &small(), 1);
        assert_eq!((survived.games, survived.failed), (1, 0));
        assert!(survived.diagnostics > 0);
    }
}

/// The reader of the format's author aborts at a length of 127 in one byte (section 5.1).
#[test]
fn check_reports_lengths_that_the_reference_program_refuses() {
    let text = [b'x'; 127];
    for (length, refused) in [(&[0x7F][..], 1), (&[0x81, 0x7F], 0)] {
        let body = [&[0x03, 0x1C, 0x86][..], length, &text].concat();
        let mut reported = 0;
        (DCX.check)(
            &one_game(&record(&body)),
            &ReadOptions::default(),
            &mut |finding| {
                reported += u32::from(finding.kind.to_string().contains("7f alone"));
            },
        );
        assert_eq!(reported, refused);
    }
}

/// Many entries may refer to the same bytes; checking the database takes no longer because of that.
#[test]
fn an_index_that_repeats_itself_is_checked_in_linear_time() {
    let body = [&[0x03, 0x1C, 0x86][..], &{
        let mut text = Vec::new();
        Length::new(4_000_000).write(&mut text);
        text.resize(text.len() + 4_000_000, b'x');
        text
    }]
    .concat();
    let mut files = one_game(&record(&body));
    let entry = files.get(DCI_FILE).unwrap()[19..].to_vec();
    files
        .get_mut(DCI_FILE)
        .unwrap()
        .extend(entry.repeat(20_000));
    let survived = survive(&DCX, &files, &ReadOptions::default(), 3);
    assert_eq!((survived.games, survived.failed), (6, 0));
}

/// Games are delivered without valid name tables.
#[test]
fn games_are_delivered_without_names() {
    let base = base(4);
    let whole = identity::open_all(&DCX, &base);
    for bytes in [
        None,
        Some(&b""[..]),
        Some(b"Simple"),
        Some(b"something else, long enough"),
    ] {
        let mut files = base.clone();
        match bytes {
            Some(bytes) => files.insert(DCN_FILE, bytes),
            None => drop(files.remove(DCN_FILE)),
        }
        let games = identity::open_all(&DCX, &files);
        for (game, expected) in games.iter().zip(&whole) {
            let difference = chessdb_core::compare::moves_difference(game, expected);
            assert_eq!(difference, None);
            assert!(game.header.white.name.text.is_none());
        }
    }
}

#[test]
fn a_reference_without_a_record_is_named() {
    let (_, set) = random_base(1, &GameOptions::all());
    for (offset, field) in [
        (9, "a player"),
        (13, "a player"),
        (19, "a site"),
        (23, "an event"),
    ] {
        let mut set = set.clone();
        let index = set.get_mut(DCI_FILE).unwrap();
        // The entry follows a header of 19 bytes.
        index[19 + offset..][..4].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF]);
        let store = Store::open(&set, ReadOptions::default()).unwrap();
        let mut scratch = Scratch::new();
        store.game_into(0, &mut Game::new(), &mut scratch).unwrap();
        let messages = scratch.diagnostics.iter().map(ToString::to_string);
        let words = format!("reference to {field}");
        assert!(
            messages.clone().any(|message| message.contains(&words)),
            "{words}: {:?}",
            messages.collect::<Vec<_>>()
        );
    }
}
