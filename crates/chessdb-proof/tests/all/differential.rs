//! Two comparisons with random input: the same queries asked in different ways and formats, and
//! games sent through chains of conversions.
//!
//! `CHESSDB_QUERIES` and `CHESSDB_CHAINS` set the number of trials.

use std::collections::BTreeMap;
use std::env;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::convert::{GameRef, Observer};
use chessdb::core::Game as Model;
use chessdb::core::loss::Loss;
use chessdb::query::Query;
use chessdb::{Converter, Database, LossKind, Losses};
use chessdb_proof::{chains, matrix, questions::Questions};
use chessdb_testkit::fixtures;
use chessdb_testkit::strategy::{self, GameOptions};

/// Returns the number in an environment variable, or the default.
fn amount(name: &str, usual: u64) -> u64 {
    env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Returns games written by other programs, or the fixtures if there are none.
fn foreign_games() -> Vec<Model> {
    let folder = match fixtures::testdata("zoo") {
        Some(folder) => folder,
        None => fixtures::path("pgn"),
    };
    let mut games = Vec::new();
    for path in chessdb::fs::survey(folder, None).unwrap().bases {
        let Ok(db) = Database::open(&path) else {
            continue;
        };
        let small = db.games().filter_map(Result::ok).take(20);
        games.extend(small.map(chessdb::Game::into_model));
    }
    assert!(games.len() > 50, "{}", games.len());
    games
}

#[test]
fn chains_of_conversions_announce_every_difference() {
    let pool = foreign_games();
    let (first, count) = (amount("CHESSDB_SEED", 0), amount("CHESSDB_CHAINS", 300));
    let (mut games, mut problems) = (0, Vec::new());
    for seed in first..first + count {
        let chain = chains::run(seed, &pool);
        games += chain.games;
        problems.extend(chain.problems);
    }
    println!(
        "{count} chains, {games} games at the end, {} problems",
        problems.len()
    );
    let shown = problems
        .iter()
        .take(40)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    assert!(problems.is_empty(), "{} problems:\n{shown}", problems.len());
    assert!(
        games as u64 > count * 3,
        "{games} games came to the end of {count} chains"
    );
}

/// The announced losses by game number.
#[derive(Default)]
struct Announced(BTreeMap<u32, Losses>);

impl Observer for Announced {
    fn loss(&mut self, game_ref: GameRef, loss: &Loss) {
        let losses = self.0.entry(game_ref.game).or_default();
        losses.add_many(loss.kind, loss.count, loss.ply);
    }
}

/// A database of the same games in one format.
struct Copy {
    id: &'static str,
    db: Database,
    with_index: Option<Database>,
    announced: BTreeMap<u32, Losses>,
}

/// Converts the games of `source` into every format that can store each of them separately.
fn copies(source: &Database, folder: &Path) -> Vec<Copy> {
    let mut copies = Vec::new();
    for format in matrix::targets().filter(|format| format.id != "fbk") {
        let place = folder.join(format.id);
        std::fs::create_dir(&place).unwrap();
        let suffix = format.roles[0].0;
        let target = place.join(format!("games.{suffix}"));
        let mut announced = Announced::default();
        let converter = Converter::to(&target).format(format);
        let converter = converter.allow(LossKind::ALL.iter().copied());
        let report = converter
            .observer(&mut announced)
            .add_database(source)
            .run()
            .unwrap_or_else(|error| panic!("{}: {error}", format.id));
        if report.skipped() > 0 {
            continue;
        }
        let open = |index| {
            Database::options()
                .index(index)
                .format(format.id)
                .open(&target)
        };
        let db = open(false).unwrap();
        assert_eq!(db.len().unwrap(), source.len().unwrap(), "{}", format.id);
        let with_index = open(true).unwrap().write_index(|_| {}).is_ok();
        copies.push(Copy {
            id: format.id,
            db,
            with_index: with_index.then(|| open(true).unwrap()),
            announced: announced.0,
        });
    }
    copies
}

/// Returns the numbers of the matching games found by a scan with a filter.
fn search(db: &Database, query: &Query, jobs: usize) -> Vec<u32> {
    let mut numbers = Vec::new();
    let scan = db.scan().headers().filter(query.clone()).jobs(jobs);
    scan.for_each(|game, read| {
        read.unwrap();
        numbers.push(game.number());
        ControlFlow::Continue(())
    })
    .unwrap();
    numbers
}

/// Returns the numbers of the matching games, reading every game in full.
fn scan(db: &Database, query: &Query) -> Vec<u32> {
    db.games()
        .map(Result::unwrap)
        .filter(|game| query.matches(game))
        .map(|game| game.number())
        .collect()
}

#[test]
fn random_queries_have_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.pgn");
    let plain = GameOptions {
        name_bytes: 12,
        whole_rounds: true,
        depth: 2,
        comments: true,
        ratings: true,
        greatest_rating: 3000,
        ..GameOptions::plain()
    };
    let mut games: Vec<Model> = (0..60).map(|seed| strategy::game(seed, &plain)).collect();
    games.extend((100..140).map(|seed| strategy::game(seed, &GameOptions::for_pgn())));
    let mut writer = chessdb::create(&source).unwrap();
    for game in &games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
    let miniatures = Database::open(fixtures::path("scid/miniatures.si4")).unwrap();
    let all = folder.path().join("all.pgn");
    let db = Database::open(&source).unwrap();
    let converter = Converter::to(&all).allow(LossKind::ALL.iter().copied());
    converter
        .add_database(&db)
        .add_database(&miniatures)
        .run()
        .unwrap();

    let source = Database::open(&all).unwrap();
    let copies = copies(&source, folder.path());
    assert!(copies.len() > 8, "{}", copies.len());
    assert!(
        copies
            .iter()
            .filter(|copy| copy.with_index.is_some())
            .count()
            > 5
    );
    let count = amount("CHESSDB_QUERIES", 30);
    let mut questions = Questions::new(&source, amount("CHESSDB_SEED", 0));
    let (mut problems, mut answers) = (Vec::new(), 0);
    for _ in 0..count {
        let text = questions.next_query();
        let query: Query = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let meant = scan(&source, &query);
        answers += meant.len();
        for copy in &copies {
            let plain = scan(&copy.db, &query);
            let ways = [Some(&copy.db), copy.with_index.as_ref()];
            for (way, db) in ways.into_iter().enumerate() {
                for jobs in [1, 2] {
                    let numbers = db.map(|db| search(db, &query, jobs));
                    if numbers.as_ref().is_some_and(|answer| *answer != plain) {
                        let id = copy.id;
                        problems.push(format!(
                            "{id}: {text}: {numbers:?} with {jobs} threads, index {way}; all games read: {plain:?}"
                        ));
                    }
                }
            }
            let differs = |game: &u32| meant.contains(game) != plain.contains(game);
            let silent = |game: &u32| !copy.announced.contains_key(game);
            let number = source.len().unwrap();
            let other: Vec<u32> = (1..=number).filter(differs).filter(silent).collect();
            if !other.is_empty() {
                problems.push(format!("{}: {text}: other than in PGN: {other:?}", copy.id));
            }
        }
    }
    println!(
        "{count} queries, {} formats, {answers} games found",
        copies.len()
    );
    let shown = problems
        .iter()
        .take(40)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    assert!(problems.is_empty(), "{} problems:\n{shown}", problems.len());
    assert!(
        answers as u64 > count,
        "{answers} games found by {count} queries"
    );
}
