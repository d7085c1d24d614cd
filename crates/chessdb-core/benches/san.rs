//! Benchmarks of playing moves, writing SAN and reading it, in nanoseconds per ply.
//!
//! The games are random and therefore more tactical than real ones. If the environment variable
//! CHESSDB_BENCH_PGN names a PGN file without comments and variations, its games are used instead.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    missing_docs
)]

#[path = "../tests/all/common/mod.rs"]
mod common;

use std::hint::black_box;

use chessdb_core::{Board, PackedMove, rules};
use criterion::{Criterion, Throughput};

/// Returns games from the standard start position, each as a list of moves.
fn games() -> Vec<Vec<PackedMove>> {
    let mut games: Vec<Vec<PackedMove>> = Vec::new();
    match std::env::var("CHESSDB_BENCH_PGN") {
        Ok(path) => {
            let pgn = std::fs::read(&path).expect("the PGN file can be read");
            let mut board = Board::standard();
            let mut game = Vec::new();
            for line in pgn.split(|&b| b == b'\n') {
                if line.first() == Some(&b'[') {
                    continue;
                }
                for token in line.split(|b| b.is_ascii_whitespace()) {
                    let token = match token.iter().rposition(|&b| b == b'.') {
                        Some(dot) => &token[dot + 1..],
                        None => token,
                    };
                    if matches!(token, b"1-0" | b"0-1" | b"1/2-1/2" | b"*") {
                        games.push(std::mem::take(&mut game));
                        board = Board::standard();
                    } else if !token.is_empty()
                        && let Ok(mv) = rules::read_san(&board, token)
                    {
                        board.play(mv);
                        game.push(mv);
                    }
                }
            }
        }
        Err(_) => common::random_games(&[Board::standard()], 7, 40_000, |board, _, mv| {
            if board.is_standard_start() {
                games.push(Vec::new());
            }
            games.last_mut().unwrap().push(mv);
        }),
    }
    games
}

fn main() {
    let games = games();
    let plies: usize = games.iter().map(Vec::len).sum();
    let mut text = Vec::new();
    let mut ends = Vec::new();
    let mut boards = Vec::new();
    for game in &games {
        let mut board = Board::standard();
        for &mv in game {
            rules::write_san(&board, mv, &mut text);
            ends.push(text.len());
            boards.push(board.clone());
            board.play(mv);
        }
    }
    let checks = text.iter().filter(|b| matches!(b, b'+' | b'#')).count();
    eprintln!("{} games, {plies} plies, {checks} checks", games.len());

    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("ply");
    group.throughput(Throughput::Elements(plies as u64));
    group.bench_function("play", |b| {
        b.iter(|| {
            for game in &games {
                let mut board = Board::standard();
                for &mv in game {
                    board.play(mv);
                }
                black_box(&board);
            }
        });
    });
    group.bench_function("write_san and play", |b| {
        let mut out = Vec::with_capacity(text.len() + 8);
        b.iter(|| {
            out.clear();
            for game in &games {
                let mut board = Board::standard();
                for &mv in game {
                    rules::write_san(&board, mv, &mut out);
                    board.play(mv);
                }
            }
            black_box(&out);
        });
        assert_eq!(out, text);
    });
    group.bench_function("read_san and play", |b| {
        b.iter(|| {
            let (mut start, mut ply) = (0, 0);
            for game in &games {
                let mut board = Board::standard();
                for _ in game {
                    let end = ends[ply];
                    let mv = rules::read_san(&board, &text[start..end]).unwrap();
                    board.play(mv);
                    (start, ply) = (end, ply + 1);
                }
                black_box(&board);
            }
        });
    });
    boards.truncate(10_000);
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("legal_moves", |b| {
        let mut moves = Vec::with_capacity(256);
        b.iter(|| {
            for board in &boards {
                moves.clear();
                rules::legal_moves(board, &mut moves);
                black_box(&moves);
            }
        });
    });
    group.finish();
    criterion.final_summary();
}
