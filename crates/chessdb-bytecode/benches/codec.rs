//! Benchmarks of decoding and encoding byte code columns; the unit is one half-move.
//!
//! The games are random. If CHESSDB_TESTDATA is set, the human games in `fixtures-real/bytecode`
//! are used as well.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs
)]

use std::hint::black_box;
use std::path::Path;

use chessdb_bytecode::{MoveColumns, TextColumn, decode_and_judge, decode_into, encode};
use chessdb_core::{Game, ReadOptions, Scratch};
use chessdb_testkit::strategy::{self, GameOptions};
use criterion::{Criterion, Throughput};

/// Returns the byte code of human games without texts.
fn genuine() -> Option<Vec<Vec<u8>>> {
    let folder = std::env::var_os("CHESSDB_TESTDATA")?;
    let path = Path::new(&folder).join("fixtures-real/bytecode/jose-10k-sample.tsv");
    let text = std::fs::read_to_string(path).expect("the sample can be read");
    let bin = |line: &str| {
        let cells: Vec<_> = line.split('\t').collect();
        let (hex, no_texts) = (cells[15], cells[16] == "-");
        let bytes = (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
        no_texts.then(|| bytes.collect())
    };
    Some(text.lines().skip(1).filter_map(bin).collect())
}

fn random() -> Vec<Vec<u8>> {
    let options = GameOptions {
        plies: 120,
        ..GameOptions::plain()
    };
    (0..400)
        .map(|seed| encode(&strategy::game(seed, &options)).unwrap().bin)
        .collect()
}

type Read = fn(&MoveColumns<'_>, &mut Game, &ReadOptions, &mut Scratch) -> chessdb_core::Result<()>;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let sets = [("random", Some(random())), ("genuine", genuine())];
    for (name, bins) in sets
        .into_iter()
        .filter_map(|(name, bins)| Some((name, bins?)))
    {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let options = ReadOptions::default();
        let mut all = |read: Read| {
            let mut plies = 0;
            for bin in &bins {
                let columns = MoveColumns {
                    bin,
                    texts: TextColumn::Separate(None),
                    eval: None,
                };
                game.header.start = chessdb_core::Start::Standard;
                read(&columns, &mut game, &options, &mut scratch).unwrap();
                plies += u64::from(game.moves.plies());
                scratch.diagnostics.clear();
            }
            plies
        };
        let plies = all(decode_into);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(plies));
        group.bench_function("decode", |bencher| {
            bencher.iter(|| black_box(all(decode_into)));
        });
        group.bench_function("decode and judge", |bencher| {
            bencher.iter(|| black_box(all(decode_and_judge)));
        });
        let games: Vec<Game> = bins
            .iter()
            .map(|bin| {
                let texts = TextColumn::Separate(None);
                chessdb_bytecode::decode(bin, texts, chessdb_core::Start::Standard)
                    .expect("whole games")
            })
            .collect();
        group.bench_function("encode", |bencher| {
            bencher.iter(|| {
                games
                    .iter()
                    .map(|game| encode(game).unwrap().bin.len())
                    .sum::<usize>()
            });
        });
        group.finish();
    }
    criterion.final_summary();
}
