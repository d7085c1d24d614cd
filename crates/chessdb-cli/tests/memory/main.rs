//! Tests that the memory of the program stays near the size of its input: for files that claim or
//! nest without limit, and for ordinary conversions.
//!
//! A finished process reports its peak resident memory to its parent as the maximum over all
//! children. Therefore each figure comes from a process of its own: this test binary, started
//! again. `CHESSDB_PROGRAM` names another program to measure instead of the one built with the
//! tests.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

#[cfg(feature = "parquet")]
mod tables;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chessdb::FORMATS;
use chessdb_testkit::fixtures;
use nix::sys::resource::{UsageWho, getrusage};

/// The memory that the program may use in addition to the size of its input.
const BAR_MIB: u64 = 64;
/// The variable with the name of the file that lists the runs to measure, one per line, with
/// arguments separated by tabs.
const RUNS: &str = "CHESSDB_MEASURE";
/// Stands for the exit code of a run that printed a panic.
const PANIC: i32 = -2;

/// Not a test by itself: performs the runs listed by [`RUNS`], and writes the peak and the exit
/// codes.
#[test]
fn measured_process() {
    let Some(runs) = env::var_os(RUNS) else {
        return;
    };
    let program = env::var_os("CHESSDB_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_chessdb").into());
    let mut said = String::new();
    for run in fs::read_to_string(&runs).unwrap().lines() {
        let output = Command::new(&program)
            .args(run.split('\t'))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        let has_panicked = ["panicked", "internal error"];
        let code = if has_panicked.iter().any(|word| messages.contains(word)) {
            PANIC
        } else {
            output.status.code().unwrap_or(-1)
        };
        said.push_str(&format!(" {code}"));
    }
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    fs::write(&runs, format!("{peak}{said}")).unwrap();
}

/// Returns the peak in KiB and the exit codes; -1 for a process that was killed, [`PANIC`] for one
/// that printed a panic.
fn measure(folder: &Path, runs: &[Vec<String>]) -> (u64, Vec<i32>) {
    let file = folder.join("runs");
    let lines: Vec<_> = runs.iter().map(|run| run.join("\t")).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "measured_process"])
        .env(RUNS, &file)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let said = fs::read_to_string(&file).unwrap();
    let mut numbers = said.split(' ');
    let peak = numbers.next().unwrap().parse().unwrap();
    (peak, numbers.map(|code| code.parse().unwrap()).collect())
}

/// Runs the common commands on a database and checks the peak against the limit.
fn within_the_bar(folder: &Path, base: &Path, size: u64, targets: &[&str]) -> u64 {
    let base = base.to_str().unwrap();
    let run = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect();
    let mut runs: Vec<Vec<String>> = vec![
        run(&["info", base]),
        run(&["ls", base]),
        run(&["cat", base]),
        run(&["check", base]),
    ];
    for target in targets {
        let out = folder.join("out").join(format!("x-{target}"));
        let out = out.to_str().unwrap();
        runs.push(run(&["convert", "-q", "--force", base, out, "-t", target]));
    }
    fs::create_dir_all(folder.join("out")).unwrap();
    let (peak, codes) = measure(folder, &runs);
    for (run, code) in runs.iter().zip(&codes) {
        assert!((0..=4).contains(code), "{run:?} ended with {code}");
    }
    let above = (peak * 1024).saturating_sub(size);
    assert!(
        above < BAR_MIB << 20,
        "{base} of {size} bytes: peak {peak} KiB"
    );
    peak
}

struct Bomb {
    name: &'static str,
    /// The file that names the database, and the others.
    files: Vec<(&'static str, Vec<u8>)>,
}

fn bomb(name: &'static str, files: Vec<(&'static str, Vec<u8>)>) -> Bomb {
    Bomb { name, files }
}

fn scid(games: u32, record: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut index = b"Scid.si\0\x01\x90\0\0\0\0".to_vec();
    index.extend(&games.to_be_bytes()[1..]);
    index.resize(182, 0);
    let length = record.len() as u32;
    // Offset, length, and its highest bit.
    let mut entry = vec![0; 47];
    entry[4..6].copy_from_slice(&(length as u16).to_be_bytes());
    entry[6] = ((length >> 16) as u8) << 7;
    for _ in 0..18 {
        index.extend(&entry);
    }
    // Four lists that claim 16 million names each.
    let mut names = b"Scid.sn\0\0\0\0\0".to_vec();
    names.extend([0xFF; 24]);
    names.resize(80, 1);
    vec![("si4", index), ("sg4", record.to_vec()), ("sn4", names)]
}

fn dcx(entries: usize, game: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let magic = |letter: u8| [b"SimpleCDb", &[letter][..]].concat();
    let mut index = magic(b'i');
    index.extend([0; 9]);
    for n in 0..entries {
        let mut entry = vec![0; 39];
        // The first leads to the game, the others far beyond the file.
        entry[1..9].copy_from_slice(&(if n == 0 { 10 } else { u64::MAX >> 1 }).to_be_bytes());
        entry[9..17].fill(0xFE);
        index.extend(entry);
    }
    let mut games = magic(b'g');
    games.extend(game);
    vec![
        ("dci", index),
        ("dcg", games),
        ("dcn", magic(b'n')),
        ("dcs", magic(b's')),
        ("dce", magic(b'e')),
    ]
}

fn chess_assistant() -> Vec<(&'static str, Vec<u8>)> {
    let mut cdp = b"Chess Assistant 3.0 database.".to_vec();
    cdp.resize(50, 0);
    cdp.extend(b"\nChess Data Pro format. Version 1.3");
    cdp.resize(104, 0);
    cdp.extend(16_000_000u32.to_le_bytes());
    cdp.extend(u32::MAX.to_le_bytes());
    // A volume with a directory of 4 GiB, consisting of fragments that are all in its own table of
    // fragments.
    let mut emb = vec![0; 64];
    emb.extend(b"\nData Pro Volume format. Version 1.1");
    emb.resize(136, 0);
    emb.extend(u32::MAX.to_le_bytes());
    emb.extend(144u32.to_le_bytes());
    for _ in 0..4000 {
        emb.extend(30_000u32.to_le_bytes());
        emb.extend(144u32.to_le_bytes());
    }
    let mut headers = vec![0; 26 * 38];
    headers[24..28].copy_from_slice(&[0xFF, 0xFF, 0xFF, 0x7F]);
    // Addresses that are aliases of each other.
    let addresses: Vec<u8> = (1..200i32)
        .flat_map(|n| (-(n % 100) - 1).to_le_bytes())
        .collect();
    let mut records = vec![0xFF; 4];
    records.extend([231].repeat(30_000));
    vec![
        ("cdp", cdp),
        ("d00", headers),
        ("a02", addresses),
        ("d02", records),
        ("emb", emb),
    ]
}

fn chessbase(moves: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    // The largest lengths that the fields can store; the ciphers turn the rest into noise.
    let mut games = vec![0xFF; 14];
    games.extend(moves);
    let mut index = 16_000_001u32.to_be_bytes().to_vec();
    for place in 1..250u32 {
        index.extend((place + 1).to_be_bytes());
    }
    vec![("cbi", index), ("cbf", games)]
}

fn script(rows: &str) -> Vec<u8> {
    let mut text = "CREATE TABLE `Game` (`Id` int, `WhiteId` int, `BlackId` int);\n\
        CREATE TABLE `MoreGame` (`GId` int, `Bin` mediumblob, `Comments` mediumblob);\n"
        .to_owned();
    text.push_str(rows);
    text.into_bytes()
}

/// Returns a number as a SQLite varint, seven bits per byte.
fn varint(number: u64) -> Vec<u8> {
    let mut bytes = vec![(number & 0x7F) as u8];
    while number >> (7 * bytes.len()) != 0 {
        let more = (number >> (7 * bytes.len()) & 0x7F) as u8;
        bytes.push(more | 0x80);
    }
    bytes.reverse();
    bytes
}

const PAGE: usize = 512;

/// Returns a SQLite page with its cells at its end. With `last_child` it is not a leaf.
fn page(first: usize, cells: &[Vec<u8>], last_child: Option<u32>) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    let mut content = PAGE;
    let mut place = first + if last_child.is_some() { 12 } else { 8 };
    for cell in cells {
        content -= cell.len();
        page[content..content + cell.len()].copy_from_slice(cell);
        page[place..place + 2].copy_from_slice(&(content as u16).to_be_bytes());
        place += 2;
    }
    assert!(place <= content);
    page[first] = if last_child.is_some() { 5 } else { 13 };
    page[first + 3..first + 5].copy_from_slice(&(cells.len() as u16).to_be_bytes());
    page[first + 5..first + 7].copy_from_slice(&(content as u16).to_be_bytes());
    if let Some(child) = last_child {
        page[first + 8..first + 12].copy_from_slice(&child.to_be_bytes());
    }
    page
}

/// A SQLite file with two of jose's tables: Game on page 2, MoreGame on page 3.
fn sqlite(claimed_pages: u32, pages: &[Vec<u8>]) -> Vec<u8> {
    let schema = |n: u8, table: &str, columns: &str| {
        let sql = format!("CREATE TABLE {table}({columns})");
        let texts = ["table", table, table];
        let mut record: Vec<u8> = texts.map(|text| 13 + 2 * text.len() as u8).into();
        record.push(1);
        record.extend(varint(13 + 2 * sql.len() as u64));
        record.insert(0, record.len() as u8 + 1);
        texts.iter().for_each(|text| record.extend(text.bytes()));
        record.push(n + 1);
        record.extend(sql.bytes());
        [varint(record.len() as u64), vec![n], record].concat()
    };
    let cells = [
        schema(1, "Game", "Id,WhiteId,BlackId"),
        schema(2, "MoreGame", "GId,Bin,Comments"),
    ];
    let mut file = page(100, &cells, None);
    file[..16].copy_from_slice(b"SQLite format 3\0");
    file[16..24].copy_from_slice(&[2, 0, 1, 1, 0, 64, 32, 32]);
    // Change counters: the number of pages is valid only if both are equal.
    file[27] = 1;
    file[28..32].copy_from_slice(&claimed_pages.to_be_bytes());
    (file[43], file[47], file[59], file[95]) = (1, 4, 1, 1);
    pages.iter().for_each(|page| file.extend(page));
    file
}

/// SQLite files of a few pages that claim to contain far more.
fn sqlite_bombs() -> Vec<Bomb> {
    // Rows of Game: a header of four bytes, then three numbers of one byte.
    let rows = |count: u8| -> Vec<Vec<u8>> {
        (1..=count)
            .map(|n| vec![7, n, 4, 1, 1, 1, n, 1, 1])
            .collect()
    };
    // A row of MoreGame with a blob of this length: 39 bytes are stored here, the rest on a page
    // that continues in itself.
    let blob = |length: u64, child: u32| {
        // The header contains its own length, a number of one byte, the blob, and nothing.
        let size = 3 + varint(12 + 2 * length).len() as u64;
        let kind = varint(12 + 2 * (length - size - 1));
        let header = [vec![size as u8, 1], kind, vec![0]].concat();
        let mut cell = [varint(length), vec![1], header, vec![1]].concat();
        let start = varint(length).len() + 1;
        cell.resize(start + 39, 0x13);
        cell.extend(child.to_be_bytes());
        page(0, &[cell], None)
    };
    let mut endless = vec![0x13; PAGE];
    endless[..4].copy_from_slice(&4u32.to_be_bytes());
    // Pages with only one and the same page as children, three levels deep.
    let fan = |child: u32| {
        let cells: Vec<Vec<u8>> = (1..=70u8)
            .map(|key| [child.to_be_bytes().to_vec(), vec![key.min(127)]].concat())
            .collect();
        page(0, &cells, Some(child))
    };
    let leaf = page(0, &rows(40), None);
    let nothing = page(0, &[], None);
    let far = 39 + 508 * 8_000_000;
    let near = 39 + 508 * 4000;
    let file = |pages: &[Vec<u8>]| sqlite(1 + pages.len() as u32, pages);
    let one = |name, bytes| bomb(name, vec![("sqlite", bytes)]);
    vec![
        one(
            "sqlite of 4 thousand million pages",
            sqlite(u32::MAX, &[leaf.clone(), nothing.clone()]),
        ),
        one(
            "sqlite with a blob of 4 GB",
            file(&[leaf.clone(), blob(far, 4), endless.clone()]),
        ),
        one(
            "sqlite with a blob of 2 MB in one page",
            file(&[leaf.clone(), blob(near, 4), endless]),
        ),
        one(
            "sqlite with pages that are a million",
            file(&[fan(4), nothing, fan(5), fan(6), leaf]),
        ),
        one("sqlite with a page below itself", file(&[fan(2), fan(3)])),
    ]
}

fn bombs() -> Vec<Bomb> {
    let million = 1_000_000;
    let header = "[Event \"x\"]\n\n1. e4 ";
    let nested = [header, &"( 1. d4 ".repeat(million)].concat();
    let comment = [header, "{", &"never ".repeat(2 * million)].concat();
    let tags = "[Event \"x\"]\n".to_owned() + &"[A \"b\"]\n".repeat(million);
    let one_tag = format!("[Event \"{}\"]\n\n*\n", "x".repeat(10 * million));
    let games = "[Event \"x\"]\n\n*\n\n".repeat(60);
    let blob = format!(
        "INSERT INTO `Game` VALUES (1,0,0);\nINSERT INTO `MoreGame` VALUES (1,0x{},NULL);\n",
        "F0".repeat(8 * million)
    );
    let rows = "INSERT INTO `Game` VALUES ".to_owned() + &"(".repeat(million);
    let nested_rows = format!("{rows}1{};\n", ")".repeat(million));
    let quote = format!(
        "INSERT INTO `Game` VALUES (1,0,'{}",
        "a".repeat(8 * million)
    );
    // A length of 4 GiB, and within it a comment of 4 GiB.
    let long = [
        0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0x86, 0x84, 0xFF, 0xFF, 0xFF, 0xFF,
    ];
    let mut deep = vec![0x83, 0x0F, 0x42, 0x43, 0, 0x03, 0x1C];
    deep.extend([0x84].repeat(million));
    let mut deep_scid = vec![0, 0];
    deep_scid.extend([13].repeat(131_000));
    vec![
        bomb("si4 of 16 million games", scid(16_000_000, &[0; 40])),
        bomb("si4 nested", scid(18, &deep_scid)),
        bomb("dcx that leads far away", dcx(25, &long)),
        bomb("dcx nested", dcx(1, &deep)),
        bomb("cbf of 16 million games", chessbase(&[0xFF; 500])),
        bomb("cbf nested", chessbase(&[0xFF; 140_000])),
        bomb("ca of 16 million games", chess_assistant()),
        bomb("fbk", vec![("fbk", vec![0xFF; 1024])]),
        bomb("script with a blob", vec![("sql", script(&blob))]),
        bomb(
            "script with a million brackets",
            vec![("sql", script(&rows))],
        ),
        bomb(
            "script with nested brackets",
            vec![("sql", script(&nested_rows))],
        ),
        bomb("script without an end", vec![("sql", script(&quote))]),
        bomb("pgn nested", vec![("pgn", nested.into())]),
        bomb(
            "pgn with a comment without an end",
            vec![("pgn", comment.into())],
        ),
        bomb("pgn with a million tags", vec![("pgn", tags.into())]),
        bomb("pgn with a long tag", vec![("pgn", one_tag.into())]),
        bomb("pgn of 1 KB", vec![("pgn", games.into())]),
    ]
}

#[test]
fn bombs_do_not_go_off() {
    for bomb in bombs().into_iter().chain(sqlite_bombs()) {
        let folder = tempfile::tempdir().unwrap();
        let mut size = 0;
        for (suffix, bytes) in &bomb.files {
            size += bytes.len() as u64;
            fs::write(folder.path().join("bomb").with_extension(suffix), bytes).unwrap();
        }
        let base = folder.path().join("bomb").with_extension(bomb.files[0].0);
        let peak = within_the_bar(folder.path(), &base, size, &["pgn", "si4", "cbf", "dcx"]);
        println!("{}: {size} bytes, peak {peak} KiB", bomb.name);
    }
}

#[test]
fn ordinary_conversions_stay_small() {
    let mut greatest = (0, PathBuf::new());
    for kind in fs::read_dir(fixtures::root()).unwrap() {
        let kind = kind.unwrap().path();
        if !kind.is_dir() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let run: Vec<Vec<String>> = FORMATS
            .iter()
            .filter(|format| format.create.is_some())
            .map(|target| {
                let target = target.id;
                let out = folder.path().join(target);
                let (kind, out) = (kind.to_str().unwrap(), out.to_str().unwrap());
                fs::create_dir(out).unwrap();
                ["convert", "-q", kind, out, "-t", target]
                    .map(str::to_owned)
                    .into()
            })
            .collect();
        let (peak, codes) = measure(folder.path(), &run);
        assert!(codes.iter().all(|code| (0..=4).contains(code)), "{codes:?}");
        let written = fs::read_dir(folder.path().join("pgn")).unwrap().count();
        println!(
            "{}: peak {peak} KiB, {codes:?}, {written} as PGN",
            kind.display()
        );
        assert!(peak < BAR_MIB << 10, "{}: {peak} KiB", kind.display());
        greatest = greatest.max((peak, kind));
    }
    assert!(greatest.0 > 0);
}

/// Memory does not grow with the number of games, regardless of the differences.
#[test]
fn diff_takes_the_memory_of_its_window() {
    let folder = tempfile::tempdir().unwrap();
    let game = |n: u32, text: &str| {
        format!("[White \"W{n}\"]\n[Black \"B{n}\"]\n\n1. e4 {{{text} {n}}} e5 2. Nf3 *\n\n")
    };
    let peak = |count: u32| -> u64 {
        let write = |name: &str, games: &mut dyn Iterator<Item = String>| {
            let path = folder.path().join(name);
            fs::write(&path, games.collect::<String>()).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let a = write("a.pgn", &mut (0..count).map(|n| game(n, "a")));
        // One game more, and every third one changed.
        let text = |n| if n % 3 == 0 { "b" } else { "a" };
        let b = write(
            "b.pgn",
            &mut (0..=count)
                .rev()
                .map(|n| count - n)
                .map(|n| game(n, text(n))),
        );
        let (peak, codes) = measure(folder.path(), &[vec!["diff".into(), "-q".into(), a, b]]);
        assert_eq!(codes, [1]);
        peak
    };
    let (small, large) = (peak(10_000), peak(100_000));
    println!("{small} KiB, {large} KiB");
    assert!(large < small + (4 << 10), "{small} KiB, {large} KiB");
}
