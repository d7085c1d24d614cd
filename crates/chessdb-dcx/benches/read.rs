//! Benchmarks of reading: headers of a synthetic index with a million entries, and half-moves.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a benchmark is not a library"
)]

use std::hint::black_box;

use chessdb_core::options::Allow;
use chessdb_core::{Game, GameStore, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb_dcx::raw::{Base, Entry, FileHeader, FileKind, Magic, NameFile};
use chessdb_dcx::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCS_FILE, DCX, Store};
use chessdb_testkit::identity::write_all;
use chessdb_testkit::strategy::{GameOptions, game};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ENTRIES: u32 = 1_000_000;
/// Size in bytes of a record in the synthetic database: length, marker, 40 moves for each side.
const RECORD: usize = 164;

/// Returns one of 40,000 players, the lower numbers more often.
fn player(random: u32) -> u32 {
    let part = u64::from(random >> 16);
    ((part * part * 40_000) >> 32) as u32
}

/// Returns a database with a million games, each with its own record. It has 40,000 players, some
/// of whom play much more often than others, 5,000 events and 2,000 sites.
fn million() -> MemorySet {
    let mut set = MemorySet::new();
    for (kind, role, names) in [
        (FileKind::Players, DCN_FILE, 40_000u32),
        (FileKind::Sites, DCS_FILE, 2_000),
        (FileKind::Events, DCE_FILE, 5_000),
    ] {
        let mut file = Magic::new(kind).as_bytes().to_vec();
        for n in 0..names {
            let name = format!("Surname{n:05}, First {:>w$}", n, w = (n % 12) as usize);
            file.extend_from_slice(
                format!("{:<36}", name.trim_end())
                    .get(..36)
                    .expect("padded")
                    .as_bytes(),
            );
        }
        set.insert(role, file);
    }
    let mut index = Vec::new();
    FileHeader::new().write(&mut index);
    let mut games = Magic::new(FileKind::Games).as_bytes().to_vec();
    let reference = |n: u32| NameFile::reference(n).expect("a small number");
    for n in 0..ENTRIES {
        let scattered = n.wrapping_mul(2_654_435_761);
        let entry = Entry {
            offset: games.len() as u64,
            white: reference(player(scattered)),
            black: reference(player(scattered.wrapping_mul(747_796_405))),
            site: reference(n / 60 % 2_000),
            event: reference(n / 40 % 5_000),
            round: (n % 40 / 4 + 1) as u16,
            white_elo: 1500 + (scattered % 1200) as u16,
            black_elo: 1500 + (scattered / 3 % 1200) as u16,
            result: (n % 4) as u8,
            eco: *b"B90",
            year: 1990 + (n / 40_000) as u16,
            month: 1 + (n % 12) as u8,
            day: 1 + (n % 28) as u8,
            ..Entry::default()
        };
        index.extend_from_slice(&entry.to_bytes());
        games.extend_from_slice(&[0x81, 161, 0]);
        games.resize(10 + RECORD * (n as usize + 1), 0);
    }
    set.insert(DCI_FILE, index);
    set.insert(DCG_FILE, games);
    set
}

fn headers(c: &mut Criterion) {
    let set = million();
    let mut group = c.benchmark_group("heads");
    group.sample_size(10);
    group.throughput(Throughput::Elements(ENTRIES.into()));
    let store = Store::open(&set, ReadOptions::default()).expect("a sound base");
    group.bench_function("entries", |b| {
        b.iter(|| {
            let mut sum = 0;
            for n in 0..ENTRIES {
                let entry = store.entry(n).unwrap_or_default();
                sum += u64::from(entry.white_elo) + entry.offset + u64::from(entry.year);
            }
            sum
        });
    });
    group.bench_function("head_into", |b| {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        b.iter(|| {
            for n in 0..ENTRIES {
                store
                    .header_into(n, &mut game, &mut scratch)
                    .expect("a sound game");
                black_box(&game);
            }
        });
    });
    group.bench_function("open", |b| {
        b.iter(|| {
            black_box(Store::open(&set, ReadOptions::default()).expect("a sound base")).len()
        });
    });
    group.finish();
}

fn games(c: &mut Criterion) {
    let mut group = c.benchmark_group("plies");
    for (name, options) in [
        (
            "bare",
            GameOptions {
                setups: false,
                ..GameOptions::plain()
            },
        ),
        (
            "annotated",
            GameOptions {
                commands: false,
                odd_events: false,
                chess960: false,
                ..GameOptions::all()
            },
        ),
    ] {
        let all: Vec<Game> = (0..2000).map(|seed| game(seed, &options)).collect();
        let mut options = WriteOptions::default();
        options.allow = Allow::Everything;
        let (set, _) = write_all(&DCX, &all, options).expect("games that can be written");
        let store = Store::open(&set, ReadOptions::default()).expect("a sound base");
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let mut plies = 0;
        for n in 0..store.len() {
            store
                .game_into(n, &mut game, &mut scratch)
                .expect("a sound game");
            plies += u64::from(game.moves.plies());
        }
        group.throughput(Throughput::Elements(plies));
        group.bench_function(format!("{name}/tokens"), |b| {
            let base = Base::parse(&set).expect("a sound base");
            let games = base.games.expect("games");
            b.iter(|| {
                let mut tokens = 0;
                for segment in &games.segments {
                    if let chessdb_dcx::raw::Segment::Record { record, .. } = segment {
                        tokens += record.tokens().count();
                    }
                }
                tokens
            });
        });
        group.bench_function(format!("{name}/unchecked"), |b| {
            b.iter(|| {
                for n in 0..store.len() {
                    store
                        .game_unchecked_into(n, &mut game, &mut scratch)
                        .expect("a sound game");
                    black_box(&game);
                }
            });
        });
        group.bench_function(format!("{name}/checked"), |b| {
            b.iter(|| {
                for n in 0..store.len() {
                    store
                        .game_into(n, &mut game, &mut scratch)
                        .expect("a sound game");
                    black_box(&game);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, headers, games);
criterion_main!(benches);
