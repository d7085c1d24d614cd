//! Games to jose's tables and back: equal but for what was announced.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]
#![allow(missing_docs)]
#![cfg(all(
    feature = "archives",
    feature = "ca",
    feature = "cbf",
    feature = "dcx",
    feature = "pgn",
    feature = "scid",
    feature = "sqlite"
))]

use std::path::Path;

use chessdb::bytecode::JOSE_SQL;
use chessdb::ca::CA;
use chessdb::cbf::CBF;
use chessdb::compare::first_difference;
use chessdb::convert::{Share, Source, carry_base};
use chessdb::dcx::DCX;
use chessdb::jose::JOSE;
use chessdb::pgn::PGN;
use chessdb::scid::{SI3, SI4, SI5};
use chessdb::{
    Allow, ConvertOptions, Format, Game, LossKind, Losses, MemorySet, ReadOptions, Report, Role,
    Scratch, Tag, WriteOptions, reading_for,
};
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{fixtures, identity};
use proptest::prelude::*;

fn write(format: &Format, games: &[Game]) -> (MemorySet, Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    identity::write_all(format, games, options).unwrap()
}

fn pgn(path: impl AsRef<Path>) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), fixtures::read(path));
    set
}

/// What each game loses on its way into a format.
fn losses_of(format: &Format, games: &[Game]) -> Vec<Losses> {
    let mut sink = MemorySet::new();
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let writer = (format.create.unwrap())(&mut sink, options).unwrap();
    games.iter().map(|game| writer.assess(game)).collect()
}

fn other_tags(game: &Game) -> u32 {
    let tags = game.head.tags.iter();
    tags.filter(|tag| matches!(tag, Tag::Other { .. })).count() as u32
}

/// Holds what happened to each game against what was announced; how many were whole, how many not.
fn agree(what: &str, before: &[Game], after: &[Game], losses: &[Losses]) -> (usize, usize) {
    let mut after = after.iter();
    let mut counts = (0, 0);
    for (n, (before, losses)) in before.iter().zip(losses).enumerate() {
        let place = format!("{what}, game {}", n + 1);
        if losses.count(LossKind::Game) > 0 {
            counts.1 += 1;
            continue;
        }
        let after = after.next().expect("every other game is there");
        let difference = first_difference(before, after);
        if losses.is_empty() {
            assert_eq!(difference, None, "{place}");
            counts.0 += 1;
        } else {
            // Extras are not compared, and PGN makes a code with its letter of the source's text.
            let shows = |kind| !matches!(kind, LossKind::GameExtra | LossKind::Eco);
            let must_differ = losses.iter().any(|loss| shows(loss.kind));
            let place = format!("{place}: {losses:?}, and all is there");
            assert!(difference.is_some() || !must_differ, "{place}");
            counts.1 += 1;
        }
        let lost = other_tags(before) - other_tags(after);
        assert!(lost <= losses.count(LossKind::Tag), "{place}: {lost} tags");
    }
    assert_eq!(after.count(), 0, "{what}: games that nobody wrote");
    counts
}

/// PGN to jose to PGN, game by game.
fn through(what: &str, start: &[Game], format: &Format) -> (usize, usize) {
    let losses = losses_of(format, start);
    let (base, _) = write(format, start);
    let stored = identity::open_all(format, &base);
    let (text, more) = write(&PGN, &stored);
    let back = identity::open_all(&PGN, &text);
    assert!(more.is_empty(), "{what}, back to PGN: {more:?}");
    agree(what, start, &back, &losses)
}

#[test]
fn fixtures_survive_as_announced() {
    let (mut whole, mut lossy) = (0, 0);
    for folder in ["pgn/clean", "pgn/edge"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            let set = pgn(&path);
            // What cannot be written as PGN again as it was is no matter of jose.
            let (text, _) = write(&PGN, &identity::open_all(&PGN, &set));
            let start = identity::open_all(&PGN, &text);
            for format in [&JOSE, &JOSE_SQL] {
                let what = format!("{}, {}", path.display(), format.id);
                let counts = through(&what, &start, format);
                whole += counts.0;
                lossy += counts.1;
            }
        }
    }
    println!("{whole} games came back equal, {lossy} with announced losses");
    assert!(whole > 1000, "{whole} games");
}

/// The bases in fixtures/jose: what our writers make of clean PGN. `CHESSDB_BLESS=1` writes them anew
/// (then fixtures/MANIFEST.toml needs their new checksums). The bytes of a SQLite file depend on
/// SQLite's version, so its games are compared.
#[test]
fn fixtures_are_what_our_writers_make_of_their_pgn() {
    const MADE: [&str; 4] = ["headers", "nesting", "starts", "text"];
    let bless = std::env::var(chessdb_testkit::golden::BLESS).is_ok_and(|value| value == "1");
    for name in MADE {
        let start = identity::open_all(&PGN, &pgn(fixtures::path(format!("pgn/clean/{name}.pgn"))));
        let folder = fixtures::root().join("jose");
        for format in [&JOSE_SQL, &JOSE] {
            let (ours, _) = write(format, &start);
            let file = folder.join(name).with_extension(format.roles[0].0);
            if bless {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&file, ours.iter().next().unwrap().1).unwrap();
            }
            let stored = fixtures::load_set(folder.join(name), format.roles);
            let games = identity::open_all(format, &stored);
            assert_eq!(games, identity::open_all(format, &ours), "{name}");
            if format.id == JOSE_SQL.id {
                let difference = identity::first_difference(&ours, &stored);
                assert!(difference.is_none(), "{name}: {}", difference.unwrap());
            }
            let again = identity::rewrite(format, &stored, &Allow::Nothing).unwrap();
            assert_eq!(identity::open_all(format, &again.set), games, "{name}");
        }
    }
}

#[test]
fn ten_thousand_games_of_the_corpus_survive_as_announced() {
    const GAMES: usize = 10_000;
    const PART: usize = 2_500;
    let Some(folder) = fixtures::testdata("corpus") else {
        return;
    };
    let found = chessdb::fs::find(folder.join("games-100k.pgn.zst")).unwrap();
    let mut stream = found
        .stream(ReadOptions::default(), &Default::default())
        .unwrap();
    let (mut scratch, mut whole, mut lossy) = (Scratch::new(), 0, 0);
    for part in 0..GAMES / PART {
        let games: Vec<Game> = (0..PART)
            .map(|_| {
                let mut game = Game::new();
                assert!(stream.read_into(&mut game, &mut scratch).unwrap());
                game
            })
            .collect();
        let counts = through(&format!("part {part}"), &games, &JOSE);
        whole += counts.0;
        lossy += counts.1;
    }
    println!("{whole} games came back equal, {lossy} with announced losses");
    assert_eq!(whole + lossy, GAMES);
}

/// A base converted as the program does it.
fn convert(from: &Format, set: &MemorySet, to: &'static Format) -> (MemorySet, Report) {
    let store = (from.open)(set, reading_for(to, ReadOptions::default())).unwrap();
    let base = carry_base(store.base(), Share::Whole);
    let mut out = MemorySet::new();
    let source = Source::store(store.as_ref());
    let options = ConvertOptions::default();
    let report = chessdb::convert(source, base, to, &mut out, options, &mut ()).unwrap();
    (out, report)
}

/// A base of another format to jose and back: equal games, where nothing is announced.
fn there_and_back(what: &str, format: &'static Format, set: &MemorySet) -> (usize, usize) {
    let before = identity::open_all(format, set);
    // What the format makes of its own games: DC* has no missing names, for one.
    let (own, _) = convert(format, set, format);
    let expected = identity::open_all(format, &own);
    let mut counts = (0, 0);
    for jose in [&JOSE, &JOSE_SQL] {
        let (base, there) = convert(format, set, jose);
        let (again, back) = convert(jose, &base, format);
        assert_eq!(there.written as usize, before.len(), "{what}");
        assert_eq!(back.written as usize, before.len(), "{what}");
        // What the format itself held it can hold again.
        assert!(back.losses.is_empty(), "{what}: {:?}", back.losses);
        let losses = losses_of(jose, &before);
        let more = agree(
            what,
            &expected,
            &identity::open_all(format, &again),
            &losses,
        );
        counts.0 += more.0;
        counts.1 += more.1;
    }
    counts
}

#[test]
fn bases_of_every_format_survive_as_announced() {
    let mut bases: Vec<(&'static Format, std::path::PathBuf)> = Vec::new();
    for (format, folder) in [
        (&SI3, "scid3"),
        (&SI4, "scid"),
        (&SI5, "scid5"),
        (&CBF, "cbf"),
        (&DCX, "dcx"),
    ] {
        let role = format.required[0];
        let stems = fixtures::bases(fixtures::path(folder), role);
        bases.extend(stems.into_iter().map(|stem| (format, stem)));
    }
    for (format, folder) in [
        (&SI4, "scid4"),
        (&SI5, "scid5"),
        (&CBF, "cbf"),
        (&DCX, "dcx"),
        (&CA, "chess-assistant"),
    ] {
        let Some(made) = fixtures::testdata("fixtures-made") else {
            break;
        };
        let stems = fixtures::bases(made.join(folder), format.required[0]);
        bases.extend(stems.into_iter().map(|stem| (format, stem)));
    }
    for (format, stem) in bases {
        let name = stem.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("x-") {
            continue;
        }
        let set = fixtures::load_set(&stem, format.roles);
        let what = format!("{} {name}", format.id);
        let (whole, lossy) = there_and_back(&what, format, &set);
        println!("{what}: {whole} games equal, {lossy} with announced losses");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// What PGN and jose's tables can both hold comes back equal.
    #[test]
    fn random_games_survive_as_announced(game in strategy::games(GameOptions::for_pgn())) {
        let (text, _) = write(&PGN, &[game]);
        through("a random game", &identity::open_all(&PGN, &text), &JOSE_SQL);
    }
}
