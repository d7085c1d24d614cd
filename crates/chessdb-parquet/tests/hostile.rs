//! Damaged tables: an error or games, but no panic and no end to memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use chessdb_core::{Allow, FileSet, Game, Limits, MemorySet, ReadOptions, WriteOptions};
use chessdb_parquet::{PARQUET, PARQUET_FILE};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::{identity, strategy};

fn table(games: u64) -> MemorySet {
    let options = strategy::GameOptions::all();
    let mut files = MemorySet::new();
    let allowed = WriteOptions::default().with_allowed(Allow::Everything);
    let mut writer = PARQUET.create.unwrap()(&mut files, allowed).unwrap();
    for seed in 0..games {
        let game: Game = strategy::game(seed, &options);
        writer.write(&game).unwrap();
    }
    writer.finish().unwrap();
    files
}

fn options() -> ReadOptions {
    ReadOptions::default().with_limits(Limits::small())
}

#[test]
fn damaged_tables() {
    let files = table(6);
    let length = files.get(PARQUET_FILE).unwrap().len();
    let corruptor = Corruptor::new(&files, 1);
    // The description of the table.
    let ends = length.saturating_sub(200)..length;
    let variants = corruptor
        .some_truncations(PARQUET_FILE, 8, 100)
        .chain(corruptor.bit_flips(PARQUET_FILE, 64, 1500))
        .chain(corruptor.bit_flips_in(PARQUET_FILE, ends))
        .chain(corruptor.noise(PARQUET_FILE, 200));
    for variant in variants {
        identity::survive(&PARQUET, &variant, &options(), 50);
    }
}
