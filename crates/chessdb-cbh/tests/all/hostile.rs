//! A small database, intact and damaged: no panic, no hang, no memory use beyond the limits, and
//! intact data is delivered.

use chessdb_cbh::raw::MoveRecord;
use chessdb_cbh::{CBA_FILE, CBG_FILE, CBH, CBH_FILE, CBP_FILE, Store};
use chessdb_core::board::Side;
use chessdb_core::limits::Limits;
use chessdb_core::options::Mode;
use chessdb_core::{
    Color, FileSet, Game, GameStore as _, MemorySet, ReadOptions, Scratch, Severity, Start,
};
use chessdb_testkit::corrupt::{Corruptor, Records};
use chessdb_testkit::identity::{self, survive};
use chessdb_testkit::readings;
use hex_literal::hex;

use crate::common::{line, made};

const ENTRIES: Records = Records {
    start: 46,
    size: 46,
};

fn small() -> ReadOptions {
    ReadOptions::default().with_limits(Limits::small())
}

/// The raw structures restore all files, whatever their content.
fn raw_identity(set: &dyn FileSet, what: &str) {
    if let Ok(again) = (CBH.raw.unwrap())(set) {
        for &role in CBH.roles {
            assert!(set.get(role) == again.get(role), "{what}: {role}");
        }
    }
}

/// Reads everything leniently and returns the lines and the diagnostics.
fn read(files: &MemorySet) -> (Vec<String>, Vec<String>) {
    let store = Store::open(files, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut lines = Vec::new();
    for n in 0..store.len() {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        lines.push(line(n + 1, &game));
    }
    let said = store.diagnostics().iter().chain(&scratch.diagnostics);
    (lines, said.map(ToString::to_string).collect())
}

#[test]
fn the_base_is_what_it_should_be() {
    let base = made::base();
    let (lines, said) = read(&base);
    assert_eq!(lines, include_str!("made.txt").lines().collect::<Vec<_>>());
    let behind = "repaired: cba file, game 1, byte 0xb1: the move of an annotation has the unexpected value 40";
    assert_eq!(said, [behind]);
    let games = identity::open_all(&CBH, &base);
    let header = &games[1].header;
    let text = |id| games[1].text(id).decode().into_owned();
    assert_eq!(text(header.white.name.text), "Anderssen, Adolf");
    assert_eq!(text(header.black.name.text), "Dufresne");
    assert_eq!(text(header.event.text), "Casual");
    assert_eq!(text(header.source.text), "Pub");
    assert_eq!(
        (header.date.year, header.date.month, header.date.day),
        (2024, 5, 17)
    );
    assert_eq!(header.eco.unwrap().to_string(), "A20/01");
    assert!(matches!(&games[5].header.start, Start::Setup(setup) if setup.chess960));
    readings::check(&CBH, &base, &ReadOptions::default());
}

#[test]
fn every_truncation_of_every_file() {
    let base = made::base();
    for (role, _) in base.iter() {
        for variant in Corruptor::new(&base, 1).truncations(role) {
            survive(&CBH, &variant, &small(), 30);
            raw_identity(&variant, &variant.name);
            readings::check(&CBH, &variant, &small());
        }
    }
}

#[test]
fn flipped_bits_extreme_numbers_noise_and_missing_files() {
    let base = made::base();
    for variant in Corruptor::new(&base, 2).usual(240, 400) {
        survive(&CBH, &variant, &small(), 30);
        raw_identity(&variant, &variant.name);
    }
    for role in [CBH_FILE, CBG_FILE, CBA_FILE] {
        for variant in Corruptor::new(&base, 3).bit_flips(role, 60, 400) {
            readings::check(&CBH, &variant, &ReadOptions::default());
        }
    }
}

#[test]
fn entries_swapped_repeated_and_shifted() {
    let base = made::base();
    let corruptor = || Corruptor::new(&base, 4);
    let all = (corruptor().swapped_records(CBH_FILE, ENTRIES, 30))
        .chain(corruptor().repeated_records(CBH_FILE, ENTRIES, 30))
        .chain(corruptor().shifted_records(CBH_FILE, ENTRIES, 30));
    for variant in all {
        survive(&CBH, &variant, &small(), 100);
        readings::check(&CBH, &variant, &ReadOptions::default());
    }
}

/// Changes a byte of the moves of one game: the other games are unaffected, and this one keeps the
/// moves before the change.
#[test]
fn damage_stays_within_its_game() {
    let base = made::base();
    let (whole, _) = read(&base);
    let games = base.get(CBG_FILE).unwrap().len();
    for at in 26..games {
        let mut damaged = base.clone();
        damaged.get_mut(CBG_FILE).unwrap()[at] ^= 0x11;
        let (lines, _) = read(&damaged);
        let different = whole.iter().zip(&lines).filter(|(a, b)| a != b).count();
        assert!(different <= 1, "byte {at}: {lines:?}");
    }
}

/// After an unreadable move of a variation or of the mainline, alternatives to earlier moves are
/// still read.
#[test]
fn what_does_not_hang_on_the_damage_is_read() {
    let mut base = made::base();
    // The last move of the third game's first variation.
    let cbg = base.get_mut(CBG_FILE).unwrap();
    let tree = 26 + 14 + 10 + 4;
    // A move of the mainline after the codes of the variations.
    cbg[tree + 28] ^= 0x40;
    let (lines, said) = read(&base);
    assert!(lines[2].contains("e2e4"), "{}", lines[2]);
    assert!(lines[2].contains("( "), "{}", lines[2]);
    assert!(
        said.iter()
            .any(|said| said.starts_with("lost: cbg file, game 3")),
        "{said:?}"
    );
}

/// Only the moves show that a start position lacks a castling right. Reading the header alone adds
/// it as well.
#[test]
fn castling_without_the_right() {
    let mut base = made::base();
    let cbg = base.get_mut(CBG_FILE).unwrap();
    let at = (cbg.len() as u32).to_be_bytes();
    let start = hex!("01000001 0000000088190000A8000000000000000000000000000000");
    let mut body = start.to_vec();
    // O-O, and the end.
    body.extend([0x76, 0x0D]);
    let (flags, body) = (0x40, &body[..]);
    MoveRecord { flags, body }.write(cbg);
    base.get_mut(CBH_FILE).unwrap()[47..51].copy_from_slice(&at);
    readings::check(&CBH, &base, &small());
    let mut header = Game::new();
    let store = Store::open(&base, small()).unwrap();
    store
        .header_into(0, &mut header, &mut Scratch::new())
        .unwrap();
    let board = header.start_board();
    assert!(board.castling_rook(Color::White, Side::Short).is_some());
}

#[test]
fn missing_files() {
    let base = made::base();
    let (whole, _) = read(&base);
    for (role, same) in [(CBA_FILE, true), (CBP_FILE, true), (CBG_FILE, false)] {
        let mut cut = base.clone();
        cut.remove(role);
        let (lines, said) = read(&cut);
        assert_eq!(lines == whole, same, "{role}");
        assert!(
            said.contains(&format!("lost: {role} file: the {role} file is missing")),
            "{said:?}"
        );
        let strict = ReadOptions::default().with_mode(Mode::Strict);
        assert!(Store::open(&cut, strict).is_err());
    }
    let mut cut = base.clone();
    cut.remove(CBH_FILE);
    assert!(Store::open(&cut, ReadOptions::default()).is_err());
}

/// With an unknown mode the header is read and the record is kept.
#[test]
fn unknown_modes_keep_head_and_record() {
    let mut base = made::base();
    base.get_mut(CBG_FILE).unwrap()[26] = 13;
    let store = Store::open(&base, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    assert_eq!(game.moves.plies(), 0);
    assert_eq!(game.header.date.year, 2024);
    let kept: Vec<_> = game
        .header
        .extras
        .iter()
        .map(|extra| (extra.field, &*extra.bytes))
        .collect();
    assert_eq!(kept, [(6, &base.get(CBG_FILE).unwrap()[26..40])]);
    assert_eq!(scratch.diagnostics[0].severity, Severity::Lost);
}
