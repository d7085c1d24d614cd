//! Databases made by an independent encoder (outside the repository), with their expected games.

use chessdb_ca::raw::{Base, Emb, Envelope, Item, LIST_NAMES, ListFiles, NameList};
use chessdb_ca::{CA, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE};
use chessdb_core::compare::first_difference;
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{FileSet, Game, MemorySet, ReadOptions};
use chessdb_testkit::expected::{self, CompareOptions, ExpectedBase};
use chessdb_testkit::fixtures;
use chessdb_testkit::identity::{
    self, changed_letter, drop_extras, open_all, rewrite, rewrite_with,
};
use chessdb_testkit::readings;

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
            // The untidy database has game types and titles that its expected games do not state.
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

/// Strict mode finds nothing in the tidy databases.
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

/// Promise 1: the raw structs return every byte.
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

/// Promise 2: the tidy databases byte for byte, including the EMB.
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

/// Promise 2: the untidy database is rewritten as a tidy one. Games, names and data are equal. The
/// bytes differ only in the ways listed in docs/SHORTCOMINGS.md: numbers of records, their order,
/// junk between them, the lengths of comments, aliases, offsets in the EMB.
#[test]
fn the_untidy_base_comes_back_tidy() {
    let Some(bases) = bases() else { return };
    let (_, set) = bases
        .iter()
        .find(|(base, _)| base.name.starts_with("untidy"))
        .unwrap();
    let first = rewrite(&CA, set, &Allow::Nothing).unwrap();
    let kinds: Vec<_> = first
        .diagnostics
        .iter()
        .map(|found| found.kind.code())
        .collect();
    assert!(kinds.is_empty(), "{kinds:?}");
    let (old, new) = (open_all(&CA, set), open_all(&CA, &first.set));
    for (n, (old, new)) in old.iter().zip(&new).enumerate() {
        if let Some(difference) = first_difference(old, new) {
            panic!("game {}: {difference}", n + 1);
        }
        assert_eq!(old.header.extras, new.header.extras);
        let keys = |game: &Game| {
            [
                game.header.white.name.key,
                game.header.site.key,
                game.header.source.key,
            ]
        };
        assert_eq!(keys(old), keys(new));
    }
    let text = |set: &MemorySet| crate::common::base_text(identity::open(&CA, set).as_ref());
    assert_eq!(text(set), text(&first.set));
    // d00: only the number of the record.
    let differing = identity::differing_ranges(set, &first.set);
    for (_, range) in differing.iter().filter(|(role, _)| *role == D00_FILE) {
        assert!(
            range.start % 38 >= 24 && (range.end - 1) % 38 < 28,
            "{range:?}"
        );
    }
    assert!(!differing.iter().any(|(role, _)| *role == CDP_FILE));
    // d02: junk, and comments with a needless length of four bytes.
    let before = Base::parse(set).unwrap();
    let junk: usize = before.games.gaps.iter().map(|(_, gap)| gap.len()).sum();
    let unneeded: usize = before
        .games
        .records
        .iter()
        .flat_map(|(_, record)| record.items())
        .map(|(_, item)| match item {
            Item::Comment(comment) if comment.envelope == Envelope::Long => {
                let short = matches!(comment.content.len(), 0..=255);
                let symbol = comment.content.first() == Some(&2) && comment.content.len() == 2;
                3 * usize::from(short) + usize::from(symbol)
            }
            _ => 0,
        })
        .sum();
    let lengths = |base: &Base<'_>| -> usize {
        base.games
            .records
            .iter()
            .map(|(_, record)| record.size())
            .sum()
    };
    let after = Base::parse(&first.set).unwrap();
    assert!(junk > 1 && unneeded > 0);
    println!("junk {junk}, lengths of comments {unneeded}");
    assert_eq!(after.games.gaps.len(), 1);
    // Records shared by two games are written twice: there are none here.
    let shorter = lengths(&before) - lengths(&after);
    assert!(shorter >= unneeded, "{shorter} {unneeded}");
    // Another rewrite changes nothing.
    let second = rewrite(&CA, &first.set, &Allow::Nothing).unwrap();
    assert_eq!(identity::first_difference(&first.set, &second.set), None);
}

/// The first anti-cheat test.
#[test]
fn a_changed_letter_shows_in_one_byte() {
    for (base, set) in bases().into_iter().flatten() {
        let mut changed = 0;
        for n in 0..base.games.len() as u32 {
            let Some(ranges) = changed_letter(&CA, &set, &Allow::Nothing, n).unwrap() else {
                continue;
            };
            let [(role, range)] = &ranges[..] else {
                panic!("{} game {n}: {ranges:?}", base.name)
            };
            assert_eq!((*role, range.len()), (D02_FILE, 1));
            changed += 1;
            if changed == 12 {
                break;
            }
        }
        // Most comments of the Cyrillic database have no ASCII letter.
        assert!(
            changed >= 12 || base.name.starts_with("cyril"),
            "{}: {changed}",
            base.name
        );
    }
}

/// The second anti-cheat test.
#[test]
fn without_extras_the_games_are_the_same() {
    for (base, set) in bases().into_iter().flatten() {
        let mut dropped = 0;
        let without = rewrite_with(&CA, &set, &Allow::Nothing, |_, game| {
            dropped += game.header.extras.len();
            drop_extras(game);
        });
        let without = without.unwrap().set;
        for (old, new) in open_all(&CA, &set).iter().zip(&open_all(&CA, &without)) {
            assert_eq!(first_difference(old, new), None);
        }
        assert_eq!(dropped > 0, base.name.starts_with("untidy"));
    }
}

/// All ways of reading agree.
#[test]
fn readings_agree() {
    for (_, set) in bases().into_iter().flatten() {
        readings::check(&CA, &set, &ReadOptions::default());
    }
}
