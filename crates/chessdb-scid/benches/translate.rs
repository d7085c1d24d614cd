//! Translation between SCID 4 and SCID 5 without decoding, in games per second. The files are in
//! memory: a database of a million entries made by repetition.
//!
//! Reports processor time, where the system provides it (Linux), next to wall-clock time, since
//! other programs disturb it less.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::fs;
use std::time::Instant;

use chessdb_core::options::Allow;
use chessdb_core::{FileSet, MemorySet, ReadOptions};
use chessdb_scid::raw::{FileHeader, Index};
use chessdb_scid::{Generation, SI4, SI4_FILE, Store, translate};
use chessdb_testkit::fixtures;

const GAMES: u32 = 1_000_000;
const ROUNDS: usize = 5;

/// Creates a million games, each with its own record.
fn sample() -> MemorySet {
    let mut files = fixtures::load_set(fixtures::path("scid").join("masters"), SI4.roles);
    let mut index = Index::parse(files.get(SI4_FILE).unwrap()).unwrap();
    let entries = std::mem::take(&mut index.entries);
    index.entries = entries
        .iter()
        .copied()
        .cycle()
        .take(GAMES as usize)
        .collect();
    index.file_header = FileHeader {
        games: GAMES,
        ..index.file_header
    };
    files.insert(SI4_FILE, index.to_bytes());
    again(&files, Generation::Si4, Generation::Si4)
}

fn again(files: &MemorySet, from: Generation, to: Generation) -> MemorySet {
    let store = Store::open_as(from, files, ReadOptions::default()).unwrap();
    let mut sink = MemorySet::new();
    let done = translate(&store, to, &mut sink, Allow::Nothing).unwrap();
    assert_eq!(done.games, GAMES);
    sink
}

/// Returns the processor time of this thread in seconds.
fn processor() -> Option<f64> {
    let times = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = times.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

fn main() {
    // `cargo test` runs benches too, to check that they work.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let si4 = sample();
    let bytes: usize = si4.iter().map(|(_, bytes)| bytes.len()).sum();
    let si5 = again(&si4, Generation::Si4, Generation::Si5);
    println!("{GAMES} games, {bytes} bytes of si4");
    let directions = [
        ("si4 to si5", &si4, Generation::Si4, Generation::Si5),
        ("si5 to si4", &si5, Generation::Si5, Generation::Si4),
    ];
    for (name, files, from, to) in directions {
        for _ in 0..ROUNDS {
            let (clock, start) = (Instant::now(), processor());
            let made = again(files, from, to);
            let clock = clock.elapsed().as_secs_f64();
            let used = processor().zip(start).map(|(end, start)| end - start);
            let rate = |seconds: f64| f64::from(GAMES) / seconds;
            let used = used.map_or("unknown".to_owned(), |used| format!("{:.0}", rate(used)));
            println!(
                "{name}: {used} games/s of the processor, {:.0} of the clock",
                rate(clock)
            );
            drop(made);
        }
    }
}
