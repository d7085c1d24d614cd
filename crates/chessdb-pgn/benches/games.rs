//! Reading and writing of games, in bytes of PGN per second.
//!
//! `CHESSDB_BENCH_PGN` names a PGN file to measure with (its first 8 MiB are used). Without it, a
//! few games of the repository are repeated.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

use std::hint::black_box;

use chessdb_core::{Game, GameRead, GameStore, ReadOptions, Scratch};
use chessdb_pgn::raw::{Lexer, Splitter, Step};
use chessdb_pgn::{GameText, Layout, Reader, Store};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const OWN: &str = r#"[Event "Paris"]
[Site "Paris"]
[Date "1858.??.??"]
[Round "?"]
[White "Morphy, Paul"]
[Black "Duke Karl / Count Isouard"]
[Result "1-0"]
[ECO "C41"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 {A bad move.} 4. dxe5 Bxf3 (4... dxe5 5. Qxd8+ Kxd8 6. Nxe5) 5. Qxf3
dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 $1 c6 9. Bg5 b5 $2 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8
13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0

"#;

fn sample() -> Vec<u8> {
    match std::env::var_os("CHESSDB_BENCH_PGN") {
        Some(path) => {
            let mut bytes = std::fs::read(path).unwrap();
            bytes.truncate(8 << 20);
            bytes
        }
        None => OWN.repeat(5000).into_bytes(),
    }
}

fn games(c: &mut Criterion) {
    let bytes = sample();
    let mut group = c.benchmark_group("pgn");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.sample_size(20);

    group.bench_function("lex", |b| b.iter(|| Lexer::new(black_box(&bytes)).count()));
    group.bench_function("split", |b| {
        b.iter(|| {
            let (mut at, mut games) = (0, 0);
            while let Step::Game { end } = Splitter::new().advance(&bytes[at..], true) {
                at += end;
                games += 1;
            }
            games
        });
    });
    group.bench_function("heads", |b| {
        let store = Store::open(&bytes, ReadOptions::default()).unwrap();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        b.iter(|| {
            for n in 0..store.len() {
                store.header_into(n, &mut game, &mut scratch).unwrap();
            }
            scratch.diagnostics.clear();
        });
    });
    group.bench_function("read", |b| {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        b.iter(|| {
            let mut reader = Reader::new(&bytes[..], ReadOptions::default());
            let mut plies = 0;
            while reader.read_into(&mut game, &mut scratch).unwrap() {
                plies += game.moves.plies();
            }
            scratch.diagnostics.clear();
            plies
        });
    });

    let mut all = Vec::new();
    let mut reader = Reader::new(&bytes[..], ReadOptions::default());
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    while reader.read_into(&mut game, &mut scratch).unwrap() {
        all.push(game.clone());
    }
    let mut out = Vec::new();
    let mut text = GameText::new(Layout::default());
    for game in &all {
        text.append(game, &mut out);
    }
    group.throughput(Throughput::Bytes(out.len() as u64));
    group.bench_function("write", |b| {
        b.iter(|| {
            out.clear();
            for game in &all {
                text.append(game, &mut out);
            }
            out.len()
        });
    });
    group.finish();
}

criterion_group!(benches, games);
criterion_main!(benches);
