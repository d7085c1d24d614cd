//! Reading and writing of games in half-moves per second, of headers in games per second.
//!
//! `CHESSDB_BENCH_SCID` names a database (path without extension) to measure with. Without it, the
//! fixture `masters` is repeated.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::path::Path;

use chessdb_core::{FileSet, Game, GameStore, GameWrite, MemorySet, ReadOptions, Scratch};
use chessdb_scid::raw::{Entry, FileHeader, Index};
use chessdb_scid::{Generation, SI4, SI4_FILE, Store, Writer};
use chessdb_testkit::{fixtures, identity};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn sample() -> MemorySet {
    if let Some(stem) = std::env::var_os("CHESSDB_BENCH_SCID") {
        return fixtures::load_set(Path::new(&stem), SI4.roles);
    }
    let base = fixtures::load_set(fixtures::path("scid").join("masters"), SI4.roles);
    let games = identity::open_all(&SI4, &base);
    let many = games.iter().cycle().take(2000);
    let store = identity::open(&SI4, &base);
    identity::write_all(&SI4, many, identity::nothing_lost(store.base()))
        .unwrap()
        .0
}

fn games(c: &mut Criterion) {
    let files = sample();
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let games: Vec<Game> = identity::open_all(&SI4, &files);
    let plies: u64 = games.iter().map(|game| u64::from(game.moves.plies())).sum();
    let mut group = c.benchmark_group("scid");
    group.sample_size(20);

    group.throughput(Throughput::Elements(games.len() as u64));
    group.bench_function("index", |b| {
        let index = files.get(SI4_FILE).unwrap();
        b.iter(|| Index::parse(black_box(index)).unwrap().entries.len());
    });
    group.bench_function("heads", |b| {
        b.iter(|| {
            for n in 0..store.len() {
                store.header_into(n, &mut game, &mut scratch).unwrap();
            }
        });
    });
    group.throughput(Throughput::Elements(plies));
    group.bench_function("read", |b| {
        b.iter(|| {
            for n in 0..store.len() {
                store.game_into(n, &mut game, &mut scratch).unwrap();
            }
        });
    });
    group.bench_function("write", |b| {
        b.iter(|| {
            let mut sink = MemorySet::new();
            let options = identity::nothing_lost(store.base());
            let mut writer = Box::new(Writer::create(Generation::Si4, &mut sink, options).unwrap());
            for game in &games {
                writer.write(game).unwrap();
            }
            writer.finish().unwrap()
        });
    });
    group.finish();
    assert!(files.get(SI4_FILE).unwrap().len() >= FileHeader::SIZE + games.len() * Entry::SIZE);
}

criterion_group!(benches, games);
criterion_main!(benches);
