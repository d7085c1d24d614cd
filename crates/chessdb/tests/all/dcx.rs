//! Conversions between PGN, SCID and DC*: the reference writer's bytes, the same games, and all
//! losses reported.
#![cfg(all(feature = "dcx", feature = "pgn", feature = "scid"))]

use std::path::{Path, PathBuf};

use chessdb::core::compare::first_difference;
use chessdb::core::files::Role;
use chessdb::core::{FileSet, Game, MemorySet, ReadOptions, WriteOptions};
use chessdb::dcx::DCX;
use chessdb::formats::reading_for;
use chessdb::pgn::PGN;
use chessdb::scid::SI4;
use chessdb::{Allow, Converter, Format, Losses};
use chessdb_testkit::expected::{CompareOptions, compare_trees};
use chessdb_testkit::strategy::{GameOptions, games};
use chessdb_testkit::tree::Tree;
use chessdb_testkit::{fixtures, identity};
use proptest::prelude::*;

const DCI: Role = Role("dci");

/// Sets with their PGN for which our bytes equal the reference writer's in all five files.
const IDENTICAL: &[&str] = &[
    "dcx/clean",
    "jerry-data/complex",
    "jerry-data/kasparov-deep-blue-1997",
    "jerry-data/lichess_test",
    "jerry-data/nakamura_rybka",
    "jerry-data/simple",
    "lichess-sample/lichess_db_10k",
    "own-features/ex1",
    "own-features/ex2",
    "own-features/promo",
    "python-chess-data/nepomniachtchi-liren-game1",
    "python-chess-data/stockfish-learning",
];

/// The other sets: the files that differ, and why the reference writer's bytes cannot be
/// reproduced.
const DIFFERENT: &[(&str, &[&str], &str)] = &[
    (
        "dcx/annotated",
        &["dci"],
        "names over 36 bytes have the reference 0 there",
    ),
    (
        "own-features/comments",
        &["dcg"],
        "a comment before a variation's first move replaces that of the move before; $300 becomes $44",
    ),
    (
        "own-features/dates",
        &["dci"],
        "rounds and ratings above 65535 wrap; 2150.13.32 is no date at all there",
    ),
    (
        "own-features/edge",
        &["dci", "dcn"],
        "names over 36 bytes or with outer blanks have the reference 0, and half characters",
    ),
    (
        "reference-old-35/ex1",
        &["dci", "dcs", "dce"],
        "the old layout B: no header, no events, the players' magic in .dcs",
    ),
    (
        "reference-old-35/ex2",
        &["dci", "dcs", "dce", "dcg"],
        "the old layout B, whose writer drops the comment before the first move",
    ),
    (
        "scid-gtest/res_gameLatin1",
        &["dce", "dcg", "dci", "dcn", "dcs"],
        "tags on one line and Latin-1 are not read there",
    ),
    (
        "scid-gtest/res_gameUTF8",
        &["dcg", "dci", "dcn"],
        "names over 36 bytes; comments before variations' first moves replace others",
    ),
];

fn write(format: &Format, games: &[Game]) -> (MemorySet, Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    identity::write_all(format, games, options).unwrap()
}

/// Reads the games of a PGN file as for a conversion into a format.
fn from_pgn(text: &MemorySet, target: &Format) -> Vec<Game> {
    let options = reading_for(target, ReadOptions::default());
    let store = (PGN.open)(text, options).unwrap();
    identity::read_all(&*store)
}

fn pgn(path: &Path) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), fixtures::read(path));
    set
}

/// Returns all sets that have their source PGN next to them, with their names.
fn sets_with_pgn() -> Vec<(String, PathBuf)> {
    let Some(real) = fixtures::testdata("fixtures-real/dcx") else {
        return Vec::new();
    };
    let made = fixtures::testdata("fixtures-made/dcx").unwrap();
    let folders = [
        "jerry-data",
        "lichess-sample",
        "own-features",
        "python-chess-data",
        "reference-old-35",
        "scid-gtest",
    ];
    let folders = folders.iter().map(|folder| real.join(folder)).chain([made]);
    let stems = folders.flat_map(|folder| fixtures::bases(folder, DCI));
    let with_pgn = stems.filter(|stem| stem.with_extension("pgn").exists());
    let named = with_pgn.map(|stem| {
        let mut parts = stem.iter().rev().map(|part| part.to_str().unwrap());
        let (file, folder) = (parts.next().unwrap(), parts.next().unwrap());
        (format!("{folder}/{file}"), stem.clone())
    });
    named.collect()
}

#[test]
fn pgn_becomes_the_reference_writers_bytes() {
    let sets = sets_with_pgn();
    for (name, stem) in &sets {
        let theirs = fixtures::load_set(stem, DCX.roles);
        let games = from_pgn(&pgn(&stem.with_extension("pgn")), &DCX);
        let (ours, _) = write(&DCX, &games);
        let mut differ: Vec<_> = DCX
            .roles
            .iter()
            .filter(|role| ours.get(**role) != theirs.get(**role))
            .map(|role| role.0)
            .collect();
        differ.sort_unstable();
        if IDENTICAL.contains(&name.as_str()) {
            let difference = identity::first_difference(&ours, &theirs);
            assert!(difference.is_none(), "{name}: {}", difference.unwrap());
            continue;
        }
        let listed = DIFFERENT.iter().find(|(listed, ..)| listed == name);
        let (_, files, reason) = listed.unwrap_or_else(|| panic!("{name} is not listed"));
        let mut files = files.to_vec();
        files.sort_unstable();
        assert_eq!(differ, files, "{name}: {reason}");
    }
    if !sets.is_empty() {
        assert_eq!(sets.len(), IDENTICAL.len() + DIFFERENT.len());
    }
}

/// Every set contains the games of its PGN, as far as its writer stored them.
#[test]
fn genuine_bases_hold_the_games_of_their_pgn() {
    const HELD: [&str; 11] = [
        "Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo",
        "ECO", "FEN",
    ];
    let mut compared = 0;
    for (name, stem) in sets_with_pgn() {
        let base = fixtures::load_set(&stem, DCX.roles);
        let found = identity::open_all(&DCX, &base);
        let source = identity::open_all(&PGN, &pgn(&stem.with_extension("pgn")));
        assert_eq!(found.len(), source.len(), "{name}");
        let store = chessdb::dcx::Store::open(&base, ReadOptions::default()).unwrap();
        for (n, (game, wanted)) in found.iter().zip(&source).enumerate() {
            let mut options = CompareOptions::default();
            let wanted = Tree::from_game(wanted);
            for (tag, _) in wanted
                .tags
                .iter()
                .filter(|(tag, _)| !HELD.contains(&tag.as_str()))
            {
                options = options.ignoring(tag);
            }
            // References 0: the writer lost the name (docs/formats/dcx.md, section 9).
            let entry = store.entry(n as u32).unwrap();
            for (tag, reference) in [
                ("White", entry.white),
                ("Black", entry.black),
                ("Site", entry.site),
                ("Event", entry.event),
            ] {
                if reference == 0 {
                    options = options.ignoring(tag);
                }
            }
            let (mut found, mut wanted) = (Tree::from_game(game), wanted);
            as_the_writer_saw_it(&name, &mut wanted, &mut options);
            drop_trimmed(&mut found);
            drop_trimmed(&mut wanted);
            if let Err(difference) = compare_trees(&found, &wanted, &options) {
                panic!("{name}, game {}: {difference}", n + 1);
            }
            compared += 1;
        }
    }
    assert!(compared == 0 || compared >= 260, "{compared}");
}

/// Applies the reference writer's changes to single fields (section 6): rounds that are not
/// numbers, codes cut to three letters, ratings `?`; and its losses in the three sets with other
/// faults.
fn as_the_writer_saw_it(name: &str, wanted: &mut Tree, options: &mut CompareOptions) {
    for (tag, value) in &mut wanted.tags {
        match tag.as_str() {
            "Round" if value.parse::<u16>().is_err() => *value = "?".into(),
            "ECO" => value.truncate(3),
            _ => {}
        }
    }
    wanted
        .tags
        .retain(|(tag, value)| !(tag.ends_with("Elo") && value.parse::<u16>().is_err()));
    // A standard start with all its counters is marker 00.
    let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    wanted
        .tags
        .retain(|(tag, value)| !(tag == "FEN" && value == usual));
    // The source does not mark deleted games.
    options.deleted = false;
    match name {
        "own-features/comments" => {
            options.nags = false;
            options.comments = false;
        }
        "own-features/dates" => {
            for tag in ["Date", "Round", "WhiteElo", "Result"] {
                options.ignored_tags.push(tag.into());
            }
        }
        // The old writer drops the comment before the first move.
        "reference-old-35/ex2" => wanted.pre.clear(),
        "scid-gtest/res_gameLatin1" => {
            options.tags = false;
            options.comments = false;
        }
        "scid-gtest/res_gameUTF8" => options.comments = false,
        _ => {}
    }
}

/// Trims names, which have no outer blanks in records.
fn drop_trimmed(tree: &mut Tree) {
    for (tag, value) in &mut tree.tags {
        if matches!(tag.as_str(), "White" | "Black" | "Event" | "Site") {
            *value = value.trim().to_owned();
        }
    }
}

/// Restricts the options to what both formats can store.
fn options(base: GameOptions) -> GameOptions {
    let dcx = GameOptions::for_dcx();
    GameOptions {
        first_alternatives: false,
        empty_variations: false,
        spelt_out_start: false,
        zero_nags: false,
        comments_before_variation: false,
        comments_after_variation: false,
        several_comments: false,
        empty_comments: false,
        start_nags: false,
        name_bytes: dcx.name_bytes,
        number_rounds: true,
        rating_kinds: false,
        titles: false,
        fide_ids: false,
        annotators: false,
        eco_letters: false,
        eco_numbers: false,
        odd_dates: false,
        event_dates: false,
        flags: b"D",
        tags: false,
        repeated_tags: false,
        chess960: false,
        ..base
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// PGN to DC* to PGN: everything both can store comes back equal, without losses.
    #[test]
    fn random_games_survive_pgn_and_dcx(game in games(options(GameOptions::for_pgn()))) {
        let (text, losses) = write(&PGN, &[game]);
        prop_assert!(losses.is_empty(), "to PGN: {losses:?}");
        let start = identity::open_all(&PGN, &text);
        let (base, losses) = write(&DCX, &start);
        prop_assert!(losses.is_empty(), "to DC*: {losses:?}");
        let stored = identity::open_all(&DCX, &base);
        let (again, losses) = write(&PGN, &stored);
        prop_assert!(losses.is_empty(), "back to PGN: {losses:?}");
        let back = identity::open_all(&PGN, &again);
        prop_assert_eq!(back.len(), 1);
        if let Some(difference) = first_difference(&start[0], &back[0]) {
            let shown = String::from_utf8_lossy(text.get(Role("pgn")).unwrap()).into_owned();
            prop_assert!(false, "{difference}\n{shown}");
        }
    }

    /// DC* to SCID to DC*: the bytes of the database are the same.
    #[test]
    fn random_bases_survive_scid(all in prop::collection::vec(
        games(options(GameOptions::for_pgn_and_scid())), 1..4)) {
        let (base, losses) = write(&DCX, &all);
        prop_assert!(losses.is_empty(), "to DC*: {losses:?}");
        let stored = identity::open_all(&DCX, &base);
        let (scid, losses) = write(&SI4, &stored);
        prop_assert!(losses.is_empty(), "to SCID: {losses:?}");
        let (again, losses) = write(&DCX, &identity::open_all(&SI4, &scid));
        prop_assert!(losses.is_empty(), "back to DC*: {losses:?}");
        let difference = identity::first_difference(&base, &again);
        prop_assert!(difference.is_none(), "{}", difference.unwrap());
    }

    /// SCID to DC* to SCID: the games are the same.
    #[test]
    fn random_scid_bases_survive_dcx(all in prop::collection::vec(
        games(options(GameOptions::for_pgn_and_scid())), 1..4)) {
        let (scid, losses) = write(&SI4, &all);
        prop_assert!(losses.is_empty(), "to SCID: {losses:?}");
        let (base, losses) = write(&DCX, &identity::open_all(&SI4, &scid));
        prop_assert!(losses.is_empty(), "to DC*: {losses:?}");
        for (game, back) in all.iter().zip(identity::open_all(&DCX, &base)) {
            let difference = first_difference(game, &back);
            // SCID does not distinguish a missing round from an empty one.
            let round = difference.as_ref().is_some_and(|d| d.what == "Round");
            prop_assert!(difference.is_none() || round, "{}", difference.unwrap());
        }
    }
}

/// The number of the game to open first survives from SCID's autoload to OpenDefault and back.
#[test]
fn the_game_to_open_first_survives() {
    let scid = fixtures::load_set(fixtures::path("scid").join("annotated"), SI4.roles);
    let convert = |from: &Format, set: &MemorySet, to: &'static Format| {
        let store = (from.open)(set, ReadOptions::default()).unwrap();
        let mut out = MemorySet::new();
        let converter = Converter::to_sink(&mut out).format(to);
        converter.add_store(store.as_ref(), None).run().unwrap();
        out
    };
    let first = |format: &Format, set: &MemorySet| {
        let store = (format.open)(set, ReadOptions::default()).unwrap();
        store.base().open_first
    };
    assert_eq!(first(&SI4, &scid), Some(3));
    let base = convert(&SI4, &scid, &DCX);
    assert_eq!(first(&DCX, &base), Some(3));
    // The offset of the third entry (section 3.5).
    assert_eq!(
        base.get(DCI).unwrap()[11..19],
        (19u64 + 2 * 39).to_be_bytes()
    );
    assert_eq!(first(&SI4, &convert(&DCX, &base, &SI4)), Some(3));
}
