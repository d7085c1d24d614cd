//! Complete reading and byte-identical rewriting of genuine databases and databases made for tests.

use chessdb_core::options::Allow;
use chessdb_core::{Game, ReadOptions, Scratch};
use chessdb_scid::{Generation, raw};
use chessdb_testkit::{expected, fixtures, golden, identity, readings};

use crate::common::{GENUINE, MADE, bases, complaints, own_bases, raw_identity};

fn all() -> impl Iterator<Item = crate::common::Base> {
    let outside = GENUINE.into_iter().chain(MADE).flat_map(bases);
    own_bases().into_iter().chain(outside)
}

#[test]
fn raw_structs_hold_every_byte() {
    for base in all() {
        let fault = match base.generation {
            Generation::Si3 => raw::Base::parse_si3(&base.files).unwrap().1,
            Generation::Si4 => raw::Base::parse(&base.files).unwrap().1,
            Generation::Si5 => raw::si5::Base::parse(&base.files).unwrap().1,
        };
        assert!(fault.is_none(), "{}: {fault:?}", base.path());
        assert!(raw_identity(base.generation, &base.files, &base.path()));
    }
}

#[test]
fn every_game_is_read_without_a_diagnostic() {
    for base in all() {
        let store = identity::open(base.format, &base.files);
        let mut unexpected: Vec<String> = store
            .diagnostics()
            .iter()
            .map(ToString::to_string)
            .collect();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for n in 0..store.len() {
            store.game_into(n, &mut game, &mut scratch).unwrap();
        }
        unexpected.extend(scratch.diagnostics.iter().map(ToString::to_string));
        println!("{}: {} games", base.path(), store.len());
        assert_eq!(unexpected, documented(&base.path()), "{}", base.path());
    }
}

/// Returns the findings for stale fields of genuine databases (docs/formats/scid.md, section 6.5).
fn documented(base: &str) -> &'static [&'static str] {
    match base {
        "scidvspc-si4/matein1.si4" => &[
            "note: si4 file, game 2, byte 0x10a: the number of half-moves is 3, but 1 was expected",
            "note: si4 file, game 8, byte 0x224: the number of half-moves is 5, but 1 was expected",
            "note: si4 file, game 8, byte 0x221: the final material is 0x613223, but 0x214223 was expected",
            "note: si4 file, game 621, byte 0x72ac: the final material is 0x1000, but 0xc01000 was expected",
        ],
        "scidvspc-si3/matein1.si3" => &[
            "note: si3 file, game 2, byte 0xd2: the number of half-moves is 3, but 1 was expected",
            "note: si3 file, game 8, byte 0x1e6: the number of half-moves is 5, but 1 was expected",
            "note: si3 file, game 8, byte 0x1e3: the final material is 0x613223, but 0x214223 was expected",
            "note: si3 file, game 621, byte 0x7009: the final material is 0x1000, but 0xc01000 was expected",
        ],
        _ => &[],
    }
}

#[test]
fn all_ways_of_reading_agree() {
    for base in all() {
        readings::check(base.format, &base.files, &ReadOptions::default());
    }
}

/// Files written by Scid 4.7 and 5.0 are rewritten unchanged, with every loss forbidden.
#[test]
fn bases_of_the_current_scid_are_rewritten_byte_for_byte() {
    let folders = [
        "fixtures-real/scid/benini-scid",
        "fixtures-real/scid/oracle-made",
    ];
    let own = own_bases()
        .into_iter()
        .filter(|base| base.path() != "scid/edited.si4");
    let mut counts = [0; 3];
    for base in own.chain(folders.into_iter().chain(MADE).flat_map(bases)) {
        let rewritten = identity::rewrite(base.format, &base.files, &Allow::Nothing).unwrap();
        let ranges = identity::differing_ranges(&base.files, &rewritten.set);
        println!("{}: {} differing ranges", base.path(), ranges.len());
        assert_eq!(ranges, [], "{}", base.path());
        counts[base.generation as usize] += 1;
    }
    println!("bases of si3, si4, si5: {counts:?}");
}

/// Compares readable dumps of the fixtures with those written by `cargo xtask bless`.
#[test]
fn dumps_are_as_they_were() {
    let long = [
        "blocks",
        "counts",
        "frequency",
        "lengths",
        "random",
        "stored-lines",
    ];
    for base in own_bases() {
        let name = base.name.split('/').nth(1).unwrap();
        if !long.contains(&name) {
            let store = identity::open(base.format, &base.files);
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
            let suffix = match base.generation {
                Generation::Si4 => "",
                Generation::Si3 => ".si3",
                Generation::Si5 => ".si5",
            };
            golden::check(
                format!("{folder}/{name}{suffix}.txt"),
                &golden::dump(store.as_ref()),
            );
        }
    }
}

/// `check` has no findings for the fixtures.
#[test]
fn the_check_is_content_with_what_scid_writes() {
    for base in own_bases() {
        let found = complaints(base.generation, &base.files);
        assert!(found.is_empty(), "{}: {found:?}", base.path());
    }
}

#[test]
fn the_made_bases_hold_the_expected_games() {
    for (made, generation) in MADE.into_iter().zip([Generation::Si4, Generation::Si5]) {
        let Some(folder) = fixtures::testdata(made) else {
            return;
        };
        let format = crate::common::format(generation);
        let bases = expected::bases(&folder);
        assert!(!bases.is_empty(), "{made}");
        for base in bases {
            let files = fixtures::load_set(&base.stem, format.roles);
            let games = identity::open_all(format, &files);
            assert_eq!(games.len(), base.games.len());
            for (n, (game, expected)) in games.iter().zip(&base.games).enumerate() {
                // The expected games do not list Scid's own tag for flags.
                let options = expected::CompareOptions::default().ignoring("ScidFlags");
                if let Err(difference) = expected::compare(game, expected, &options) {
                    panic!("{made} {} game {}: {difference}", base.name, n + 1);
                }
            }
            println!("{made} {}: {} games", base.name, games.len());
        }
    }
}
