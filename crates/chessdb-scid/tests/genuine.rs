//! Genuine bases, and bases made for tests, are read completely and come back byte for byte.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

mod common;

use chessdb_core::{Allow, FileSet, Game, ReadOptions, Scratch};
use chessdb_scid::{SI4, raw};
use chessdb_testkit::{expected, fixtures, golden, identity, readings};
use common::{GENUINE, MADE, bases, own_bases};

fn all() -> impl Iterator<Item = common::Base> {
    let outside = GENUINE.into_iter().chain([MADE]).flat_map(bases);
    own_bases().into_iter().chain(outside)
}

#[test]
fn raw_structs_hold_every_byte() {
    for base in all() {
        let (parsed, fault) = raw::Base::parse(&base.files).unwrap();
        assert!(fault.is_none(), "{}: {fault:?}", base.name);
        let roles = [
            chessdb_scid::SI4_FILE,
            chessdb_scid::SG4_FILE,
            chessdb_scid::SN4_FILE,
        ];
        for (role, bytes) in roles.into_iter().zip(parsed.to_bytes()) {
            assert!(
                base.files.get(role) == Some(&bytes),
                "{}: {role} differs",
                base.name
            );
        }
    }
}

#[test]
fn every_game_is_read_without_a_diagnostic() {
    for base in all() {
        let store = identity::open(&SI4, &base.files);
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
        println!("{}: {} games", base.name, store.len());
        assert_eq!(unexpected, documented(&base.name), "{}", base.name);
    }
}

/// Stale fields of genuine bases (docs/formats/scid.md, section 6.5).
fn documented(base: &str) -> &'static [&'static str] {
    match base {
        "scidvspc-si4/matein1" => &[
            "note: si4 file, game 2, byte 0x10a: the number of half-moves is 3, but 1 was expected",
            "note: si4 file, game 8, byte 0x224: the number of half-moves is 5, but 1 was expected",
        ],
        _ => &[],
    }
}

#[test]
fn all_ways_of_reading_agree() {
    for base in all() {
        readings::check(&SI4, &base.files, &ReadOptions::default());
    }
}

/// What Scid 4.7 wrote comes back as it is, with every loss forbidden. One byte of the base from
/// Scid's own tests is older: game 679 has neither date nor event date, for which its writer left
/// the field 0, where the current one writes 4 for the year (QUIRK in section 2.4).
#[test]
fn bases_of_the_current_scid_are_rewritten_byte_for_byte() {
    let folders = [
        "fixtures-real/scid/benini-scid",
        "fixtures-real/scid/oracle-made",
        MADE,
    ];
    let own = own_bases()
        .into_iter()
        .filter(|base| base.name != "scid/edited");
    for base in own.chain(folders.into_iter().flat_map(bases)) {
        let rewritten = identity::rewrite(&SI4, &base.files, &Allow::Nothing).unwrap();
        let ranges = identity::differing_ranges(&base.files, &rewritten.set);
        println!("{}: {} differing ranges", base.name, ranges.len());
        let byte = raw::Header::SIZE + 678 * raw::Entry::SIZE + 25;
        let stale = (SI4.roles[0], byte..byte + 1);
        let known = if base.name == "benini-scid/res_database" {
            vec![stale]
        } else {
            vec![]
        };
        assert_eq!(ranges, known, "{}", base.name);
    }
}

/// Readable dumps of the fixtures, rewritten by `cargo xtask bless`.
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
        let name = base.name.trim_start_matches("scid/");
        if !long.contains(&name) {
            let store = identity::open(&SI4, &base.files);
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
            golden::check(
                format!("{folder}/{name}.txt"),
                &golden::dump(store.as_ref()),
            );
        }
    }
}

/// What `check` says about the fixtures, fillers before block borders aside.
#[test]
fn the_check_is_content_with_what_scid_writes() {
    for base in own_bases() {
        let mut found = Vec::new();
        chessdb_scid::check(&base.files, &ReadOptions::default(), &mut |finding| {
            found.push(format!("{}: {}", finding.at, finding.kind));
        });
        found.retain(|line| !line.contains("unused bytes") || base.name == "scid/edited");
        let expected: &[&str] = match base.name.as_str() {
            "scid/edited" => &[
                "sn4 file: no game uses the name: \"Someone Else\"",
                "sg4 file: the number of unused bytes is 947, but 0 was expected",
            ],
            _ => &[],
        };
        assert_eq!(found, expected, "{}", base.name);
    }
}

#[test]
fn the_made_base_holds_the_expected_games() {
    let Some(folder) = fixtures::testdata(MADE) else {
        return;
    };
    for base in expected::bases(&folder) {
        let files = fixtures::load_set(&base.stem, SI4.roles);
        let games = identity::open_all(&SI4, &files);
        assert_eq!(games.len(), base.games.len());
        for (n, (game, expected)) in games.iter().zip(&base.games).enumerate() {
            // The expected games do not list Scid's own tag for flags.
            let options = expected::CompareOptions::default().ignoring("ScidFlags");
            if let Err(difference) = expected::compare(game, expected, &options) {
                panic!("{} game {}: {difference}", base.name, n + 1);
            }
        }
    }
}
