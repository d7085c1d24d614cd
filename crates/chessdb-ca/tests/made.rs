//! Bases made by an independent encoder (outside the repository), with the games they hold.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use chessdb_ca::raw::{Base, Emb, LIST_NAMES, ListFiles, NameList};
use chessdb_ca::{A02_FILE, CA, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE};
use chessdb_core::{Allow, FileSet, Game, MemorySet, Mode, ReadOptions};
use chessdb_testkit::expected::{self, CompareOptions, ExpectedBase};
use chessdb_testkit::fixtures;
use chessdb_testkit::identity::{self, open_all, rewrite, rewrite_with};

fn bases() -> Option<Vec<(ExpectedBase, MemorySet)>> {
    let folder = fixtures::testdata("fixtures-made/chess-assistant")?;
    let bases = expected::bases(&folder);
    assert_eq!(bases.len(), 3);
    let sets = bases
        .iter()
        .map(|base| fixtures::load_set(&base.stem, CA.roles))
        .collect::<Vec<_>>();
    Some(bases.into_iter().zip(sets).collect())
}

#[test]
fn all_games_are_as_expected() {
    let mut games = 0;
    for (base, set) in bases().into_iter().flatten() {
        let found = open_all(&CA, &set);
        assert_eq!(found.len(), base.games.len(), "{}", base.name);
        for (n, (game, expected)) in found.iter().zip(&base.games).enumerate() {
            // The untidy base has types of games and titles that its expected games do not tell.
            let options = CompareOptions {
                more_tags: base.name.starts_with("untidy"),
                ..CompareOptions::default()
            };
            if let Err(message) = expected::compare(game, expected, &options) {
                panic!("{} game {}: {message}", base.name, n + 1);
            }
            games += 1;
        }
    }
    println!("{games} games equal");
}

/// Strict reading finds nothing in the tidy bases.
#[test]
fn tidy_bases_are_strictly_right() {
    for (base, set) in bases().into_iter().flatten() {
        let mut options = ReadOptions::default();
        options.mode = Mode::Strict;
        let store = (CA.open)(&set, options).unwrap();
        let mut game = Game::new();
        let mut scratch = chessdb_core::Scratch::new();
        for n in 0..store.len() {
            if let Err(error) = store.game_into(n, &mut game, &mut scratch) {
                panic!("{}: {error}", base.name);
            }
        }
    }
}

/// Promise 1.
#[test]
fn raw_bytes_come_back() {
    for (base, set) in bases().into_iter().flatten() {
        let parsed = Base::parse(&set).unwrap();
        for (role, bytes) in parsed.to_bytes() {
            assert_eq!(Some(&bytes[..]), set.get(role), "{}", base.name);
        }
        assert_eq!(parsed.to_bytes().len(), set.iter().count());
        let emb = Emb::parse(set.get(EMB_FILE).unwrap()).unwrap();
        for (at, name) in LIST_NAMES.into_iter().enumerate() {
            let files = ListFiles::find(&emb, name);
            let bytes = NameList::new(files, at == 0).to_bytes();
            assert_eq!(bytes, [files.a01, files.d01, files.d00].map(<[u8]>::to_vec));
        }
    }
}

/// Promise 2: the tidy bases byte for byte, the EMB included.
#[test]
fn tidy_bases_are_rewritten_byte_for_byte() {
    for (base, set) in bases()
        .into_iter()
        .flatten()
        .filter(|(base, _)| !base.name.starts_with("untidy"))
    {
        let rewritten = rewrite(&CA, &set, &Allow::Nothing).unwrap();
        assert!(rewritten.diagnostics.is_empty());
        if let Some(difference) = identity::first_difference(&set, &rewritten.set) {
            panic!("{}: {difference}", base.name);
        }
    }
}
