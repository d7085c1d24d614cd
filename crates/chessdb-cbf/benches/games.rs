//! Nanoseconds per ply for reading and writing databases, and for the move numbering compared with
//! a straightforward implementation.
//!
//! Set the environment variable CHESSDB_BENCH_CBF to a `.cbf` file, with its index next to it, to
//! read that database. Otherwise a database of random games is generated.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    missing_docs
)]

#[path = "../../chessdb-core/tests/all/common/cbf_twin.rs"]
mod cbf_twin;

use std::hint::black_box;

use cbf_twin::nth as twin_nth;
use chessdb_cbf::{CBF, CBF_FILE, CBI_FILE};
use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::cbf::{CbfNumbering, EpRegister};
use chessdb_core::limits::Limits;
use chessdb_core::options::Allow;
use chessdb_core::rules::legal_moves;
use chessdb_core::{
    Board, FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch, WriteOptions,
};
use chessdb_testkit::rng::Rng;
use criterion::{Criterion, Throughput};

/// Returns a database of random games from the standard start position.
fn random_base() -> MemorySet {
    let mut set = MemorySet::new();
    let mut writer = CBF.create.unwrap()(&mut set, options()).unwrap();
    let mut rng = Rng::new(1);
    let (mut game, mut legal) = (Game::new(), Vec::new());
    for _ in 0..500 {
        game.clear();
        let mut tape = game.moves.builder(&Limits::default());
        let mut board = Board::standard();
        for _ in 0..80 {
            legal.clear();
            legal_moves(&board, &mut legal);
            if legal.is_empty() {
                break;
            }
            let mv = rng.pick(&legal);
            tape.mv(mv).unwrap();
            board.play(mv);
        }
        tape.finish();
        writer.write(&game).unwrap();
    }
    writer.finish().unwrap();
    set
}

fn options() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    options
}

fn base() -> MemorySet {
    let Ok(path) = std::env::var("CHESSDB_BENCH_CBF") else {
        return random_base();
    };
    let path = std::path::Path::new(&path);
    let mut set = MemorySet::new();
    set.insert(CBF_FILE, std::fs::read(path).expect("the games file"));
    set.insert(
        CBI_FILE,
        std::fs::read(path.with_extension("cbi")).expect("the index"),
    );
    set
}

/// Returns the move numbers of all games without variations from the standard start position.
fn numbers(store: &dyn GameStore, most: u32) -> Vec<Vec<u8>> {
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut all = Vec::new();
    for n in 0..store.len().min(most) {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        if game.header.start != chessdb_core::Start::Standard {
            continue;
        }
        let (mut board, mut register) = (Board::standard(), EpRegister::default());
        let mut line = Vec::new();
        for mv in game.moves.mainline() {
            CbfNumbering
                .encode(&register, &board, mv, &mut line)
                .unwrap();
            let played = board.play(mv);
            CbfNumbering.play(&mut register, &board, mv, &played);
        }
        all.push(line);
    }
    all
}

/// Returns the processor time of this thread where Linux provides it. On a busy machine wall-clock
/// time is of little use.
fn cpu_time() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split(' ').next()?.parse().ok()
}

fn report(what: &str, plies: u64, mut run: impl FnMut()) {
    let mut best = u64::MAX;
    for _ in 0..5 {
        let before = cpu_time();
        run();
        if let (Some(before), Some(after)) = (before, cpu_time()) {
            best = best.min(after - before);
        }
    }
    if best != u64::MAX {
        eprintln!(
            "{what}: {:.1} ns of processor time per ply",
            best as f64 / plies as f64
        );
    }
}

fn main() {
    let files = base();
    let store = (CBF.open)(&files, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let (mut plies, mut games) = (0u64, Vec::new());
    for n in 0..store.len() {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        plies += u64::from(game.moves.plies());
        if n < 2000 {
            games.push(game.clone());
        }
    }
    let bytes = files.get(CBF_FILE).unwrap().len();
    eprintln!("{} games, {plies} plies, {bytes} bytes", store.len());

    report("read games", plies, || {
        for n in 0..store.len() {
            store.game_into(n, &mut game, &mut scratch).unwrap();
        }
    });

    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("base");
    group.sample_size(10);
    group.throughput(Throughput::Elements(plies));
    group.bench_function("read games", |b| {
        b.iter(|| {
            for n in 0..store.len() {
                store.game_into(n, &mut game, &mut scratch).unwrap();
            }
        });
    });
    group.throughput(Throughput::Elements(store.len().into()));
    group.bench_function("read heads", |b| {
        b.iter(|| {
            for n in 0..store.len() {
                store.header_into(n, &mut game, &mut scratch).unwrap();
            }
        });
    });
    let written: u64 = games.iter().map(|game| u64::from(game.moves.plies())).sum();
    group.throughput(Throughput::Elements(written));
    group.bench_function("write games", |b| {
        b.iter(|| {
            let mut set = MemorySet::new();
            let mut writer = CBF.create.unwrap()(&mut set, options()).unwrap();
            for game in &games {
                writer.write(game).unwrap();
            }
            writer.finish().unwrap();
            black_box(set);
        });
    });
    group.finish();

    let lines = numbers(store.as_ref(), 500);
    let plies: usize = lines.iter().map(Vec::len).sum();
    let mut group = criterion.benchmark_group("numbering");
    group.throughput(Throughput::Elements(plies as u64));
    group.bench_function("decode and play", |b| {
        b.iter(|| {
            for line in &lines {
                let (mut board, mut register) = (Board::standard(), EpRegister::default());
                for number in line {
                    let (mv, _) = CbfNumbering.decode(&register, &board, &[*number]).unwrap();
                    let played = board.play(mv);
                    CbfNumbering.play(&mut register, &board, mv, &played);
                }
                black_box(&board);
            }
        });
    });
    group.bench_function("the twin", |b| {
        b.iter(|| {
            for line in &lines {
                let (mut board, mut register) = (Board::standard(), EpRegister::default());
                for number in line {
                    let mv = twin_nth(&board, register.0, *number).unwrap();
                    let played = board.play(mv);
                    CbfNumbering.play(&mut register, &board, mv, &played);
                }
                black_box(&board);
            }
        });
    });
    group.finish();
    criterion.final_summary();
}
