//! Half-moves per second for reading games, with and without facts about the rules, and for writing
//! them with headers and names; headers per second for reading headers. Uses random games, and the
//! database with the stem in the variable `CHESSDB_BENCH_BASE`. The benchmarks of formats include
//! this file.
#![allow(unreachable_pub, reason = "included")]

use std::hint::black_box;

use chessdb_core::options::Allow;
use chessdb_core::{Format, Game, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb_testkit::fixtures;
use chessdb_testkit::identity::{self, open_all};
use chessdb_testkit::strategy::{self, GameOptions};
use criterion::{Criterion, Throughput};

fn plies(games: &[Game]) -> u64 {
    games.iter().map(|game| u64::from(game.moves.plies())).sum()
}

fn base(format: &Format, options: &GameOptions, count: u64) -> (Vec<Game>, MemorySet) {
    let games: Vec<_> = (0..count)
        .map(|seed| strategy::game(seed, options))
        .collect();
    let mut write = WriteOptions::default();
    write.allow = Allow::Everything;
    let (set, _) = identity::write_all(format, &games, write).unwrap();
    (games, set)
}

/// Measures a format. `reads` are the names of the ways to read, and whether facts about the rules are
/// computed.
pub fn measure(format: &Format, annotated: GameOptions, reads: &[(&str, bool)]) {
    let mut criterion = Criterion::default().configure_from_args();
    let random =
        [("plain", GameOptions::plain()), ("annotated", annotated)].map(|(name, options)| {
            let (games, set) = base(format, &options, 2000);
            (name, games, set)
        });
    let named = std::env::var_os("CHESSDB_BENCH_BASE").map(|stem| {
        let set = fixtures::load_set(&stem, format.roles);
        ("named base", open_all(format, &set), set)
    });
    for (name, games, set) in random.into_iter().chain(named) {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(plies(&open_all(format, &set))));
        for &(name, facts) in reads {
            group.bench_function(name, |bencher| {
                let options = ReadOptions::default().with_facts(facts);
                let store = (format.open)(&set, options).unwrap();
                let mut game = Game::new();
                let mut scratch = Scratch::new();
                bencher.iter(|| {
                    for n in 0..store.len() {
                        store.game_into(n, &mut game, &mut scratch).unwrap();
                        black_box(&game);
                    }
                });
            });
        }
        group.bench_function("read heads", |bencher| {
            let store = (format.open)(&set, ReadOptions::default()).unwrap();
            let mut game = Game::new();
            let mut scratch = Scratch::new();
            bencher.iter(|| {
                for n in 0..store.len() {
                    store.header_into(n, &mut game, &mut scratch).unwrap();
                    black_box(&game);
                }
            });
        });
        group.bench_function("write", |bencher| {
            bencher.iter(|| {
                let mut write = WriteOptions::default();
                write.allow = Allow::Everything;
                let mut set = MemorySet::new();
                let mut writer = (format.create.unwrap())(&mut set, write).unwrap();
                for game in &games {
                    writer.write(game).unwrap();
                }
                black_box(writer.finish().unwrap())
            });
        });
        group.finish();
    }
    criterion.final_summary();
}
