//! Damaged tables: each is read, or is an error, without a line of a panic and with limited memory.

use std::env;
use std::fs;

use chessdb::core::{FileSet, MemorySet};
use chessdb::parquet::PARQUET_FILE;
use chessdb_testkit::corrupt::{Corruptor, Variant};
use chessdb_testkit::fixtures;

use crate::measure;

/// The maximum memory of a run, for a table of a few kilobytes.
const MOST_MIB: u64 = 1024;
/// The number of runs that one process measures.
const BATCH: usize = 500;
/// The number of damaged tables, unless the variable sets another one.
const TABLES: usize = 240;
const TABLES_BY: &str = "CHESSDB_DAMAGED_TABLES";
/// The end of the file that is damaged more often: the positions of pages and the description.
const END: usize = 8000;
/// The part of it in which numbers are replaced.
const EXTREMES: usize = 2000;

/// Returns `count` damaged tables: half of them anywhere, the others in the description.
fn damaged<'a>(table: &'a MemorySet, count: usize) -> impl Iterator<Item = Variant<'a>> {
    let corruptor = Corruptor::new(table, 39);
    let length = table.get(PARQUET_FILE).unwrap().len();
    let end = length.saturating_sub(END)..length;
    let quarter = count.div_ceil(4);
    let step = |all: usize| (all / quarter).max(1);
    let flips = corruptor.bit_flips_in(PARQUET_FILE, end.clone());
    let flips = flips.step_by(step(end.len() * 8)).take(quarter);
    let numbers = end.start..end.start + EXTREMES.min(end.len());
    let all = corruptor.extremes(PARQUET_FILE, numbers.clone()).count();
    let numbers = corruptor.extremes(PARQUET_FILE, numbers);
    corruptor
        .bit_flips(PARQUET_FILE, 0, quarter)
        .chain(flips)
        .chain(numbers.step_by(step(all)).take(quarter))
        .chain(corruptor.noise(PARQUET_FILE, count))
        .take(count)
}

#[test]
fn damaged_tables_are_errors() {
    let count = env::var(TABLES_BY).map_or(TABLES, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let source = fixtures::root().join("pgn/clean");
    let made = path("made.parquet");
    let run = ["convert", "-q", source.to_str().unwrap(), &made].map(str::to_owned);
    let (_, codes) = measure(folder.path(), &[run.into()]);
    assert!(codes.iter().all(|code| [0, 1].contains(code)), "{codes:?}");
    let mut table = MemorySet::new();
    table.insert(PARQUET_FILE, fs::read(&made).unwrap());

    let (mut peak, mut seen, mut refused) = (0, 0, 0);
    let mut variants = damaged(&table, count).peekable();
    while variants.peek().is_some() {
        let mut runs = Vec::new();
        let mut names = Vec::new();
        for (n, variant) in variants.by_ref().take(BATCH).enumerate() {
            let file = path(&format!("{n}.parquet"));
            fs::write(&file, variant.get(PARQUET_FILE).unwrap()).unwrap();
            let command = if n % 2 == 0 { "cat" } else { "check" };
            runs.push([command, "-q", &file].map(str::to_owned).into());
            names.push(variant.name);
        }
        let (most, codes) = measure(folder.path(), &runs);
        peak = peak.max(most);
        for (name, code) in names.iter().zip(&codes) {
            assert!((0..=4).contains(code), "{name}: exit code {code}");
        }
        seen += codes.len();
        refused += codes.iter().filter(|code| **code != 0).count();
    }
    println!("{seen} damaged tables: {refused} refused or with damage, peak {peak} KiB");
    assert!(peak < MOST_MIB << 10, "peak {peak} KiB");
    // The test would be worthless if the damage were never seen.
    assert!(refused * 4 > seen, "{refused} of {seen}");
}
