//! Measurement of how the time of commands grows with their input and output: per member, file,
//! output, name, game, ply and comment.
//!
//! The tests count operations (`chessdb`, tests of the archive directory and of the finder). This
//! command prints seconds, so that quadratic growth is visible anywhere.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use flate2::Crc;

use crate::Outcome;
use crate::cmd::{self, cargo};

/// The default maximum count of each thing.
const MAX_COUNT: usize = 100_000;

/// Ten times the count may take this many times as long; more is an error.
const FACTOR: f64 = 30.0;

/// Runs shorter than this many seconds are not compared.
const SHORT: f64 = 0.5;

const GAME: &str = "[White \"A\"]\n\n1. e4 e5 *\n\n";

/// A case: its name, the function that creates the input, and the arguments of the program.
struct Case {
    what: &'static str,
    make: fn(&Path, usize) -> std::io::Result<()>,
    args: &'static [&'static str],
}

static CASES: &[Case] = &[
    Case {
        what: "files of a folder, ls",
        make: folder,
        args: &["ls", "in"],
    },
    Case {
        what: "files of a folder, convert each",
        make: folder,
        args: &["convert", "in", "out/", "-t", "pgn"],
    },
    Case {
        what: "files of a folder, convert to one",
        make: folder,
        args: &["convert", "in", "out.si4"],
    },
    Case {
        what: "files of another kind, ls",
        make: others,
        args: &["ls", "in"],
    },
    Case {
        what: "members of a zip, ls",
        make: zip,
        args: &["ls", "in.zip"],
    },
    Case {
        what: "members of a zip, convert to one",
        make: zip,
        args: &["convert", "in.zip", "out.cbh"],
    },
    Case {
        what: "members of a tar, ls",
        make: tar,
        args: &["ls", "in.tar"],
    },
    Case {
        what: "members of a tar.gz, ls",
        make: packed_tar,
        args: &["ls", "in.tar.gz"],
    },
    Case {
        what: "outputs, split",
        make: games,
        args: &["split", "in.pgn", "--by", "1", "-o", "out"],
    },
    Case {
        what: "games, ls",
        make: games,
        args: &["ls", "in.pgn"],
    },
    Case {
        what: "games, convert",
        make: games,
        args: &["convert", "in.pgn", "out.si4"],
    },
    Case {
        what: "names, convert",
        make: names,
        args: &["convert", "in.pgn", "out.cbh"],
    },
    Case {
        what: "names, dedupe",
        make: names,
        args: &["dedupe", "in.pgn", "out.pgn"],
    },
    Case {
        what: "plies, convert",
        make: plies,
        args: &["convert", "in.pgn", "out.cbh"],
    },
    Case {
        what: "comments, convert",
        make: comments,
        args: &["convert", "in.pgn", "out.cbh"],
    },
    Case {
        what: "variations, convert",
        make: variations,
        args: &["convert", "in.pgn", "out.cbh"],
    },
    Case {
        what: "NAGs at one move, diff",
        make: nags,
        args: &["diff", "in.pgn", "in.pgn"],
    },
];

/// Measures the release program. Arguments: `[MOST] [WORD]...`, where the words select cases.
pub(crate) fn growth(args: &[String]) -> Outcome {
    let (max_count, words) = match args.split_first() {
        Some((first, rest)) if first.parse::<usize>().is_ok() => {
            (first.parse().unwrap_or(MAX_COUNT), rest)
        }
        _ => (MAX_COUNT, args),
    };
    cmd::run(&mut cargo("build --release --locked -p chessdb-cli"))?;
    let target: PathBuf = cmd::metadata()?.target_directory.into();
    let program = target.join("release/chessdb");
    let lab = target.join("growth");
    let mut square = Vec::new();
    let chosen = |case: &&Case| {
        words.is_empty() || words.iter().any(|word| case.what.contains(word.as_str()))
    };
    println!("microseconds per item, by number of items");
    for case in CASES.iter().filter(chosen) {
        let mut line = format!("{:<36}", case.what);
        let mut before: Option<f64> = None;
        let counts = std::iter::successors(Some(100), |count| Some(count * 10));
        for count in counts.take_while(|count| *count <= max_count) {
            let _ = fs::remove_dir_all(&lab);
            fs::create_dir_all(&lab).map_err(|error| error.to_string())?;
            (case.make)(&lab, count).map_err(|error| format!("{}: {error}", lab.display()))?;
            let seconds = run(&program, &lab, case.args)?;
            let each = seconds * 1e6 / count as f64;
            let _ = write!(line, "{count:>8}: {each:>8.1}");
            // A short run is mostly the start of the program, so that the next one may seem to take
            // many times as long.
            if before.is_some_and(|before| {
                seconds > SHORT && seconds > FACTOR * before.max(SHORT / FACTOR)
            }) {
                square.push(format!("{} at {count}", case.what));
                break;
            }
            before = Some(seconds);
        }
        println!("{line}");
    }
    let _ = fs::remove_dir_all(&lab);
    match square.as_slice() {
        [] => Ok(()),
        _ => Err(format!(
            "grows faster than its input: {}",
            square.join(", ")
        )),
    }
}

/// Returns the seconds that the program takes. Exit code 1 (findings) is not a failure.
fn run(program: &Path, lab: &Path, args: &[&str]) -> Result<f64, String> {
    let mut command = Command::new(program);
    command.args(args).current_dir(lab);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().map_err(|error| error.to_string())?;
    match status.code() {
        Some(0 | 1) => Ok(start.elapsed().as_secs_f64()),
        _ => Err(format!("{command:?} failed ({status})")),
    }
}

fn folder(lab: &Path, count: usize) -> std::io::Result<()> {
    fs::create_dir(lab.join("in"))?;
    (0..count).try_for_each(|n| fs::write(lab.join(format!("in/{n}.pgn")), GAME))
}

/// Creates files that are not chess databases, and one that is.
fn others(lab: &Path, count: usize) -> std::io::Result<()> {
    folder(lab, 1)?;
    (0..count).try_for_each(|n| fs::write(lab.join(format!("in/{n}.txt")), "a letter"))
}

fn games(lab: &Path, count: usize) -> std::io::Result<()> {
    fs::write(lab.join("in.pgn"), GAME.repeat(count))
}

fn names(lab: &Path, count: usize) -> std::io::Result<()> {
    let game = |n: usize| {
        format!(
            "[Event \"E{n}\"]\n[Site \"S{n}\"]\n[White \"W{n}\"]\n[Black \"B{n}\"]\n\n1. e4 *\n\n"
        )
    };
    fs::write(lab.join("in.pgn"), (0..count).map(game).collect::<String>())
}

fn plies(lab: &Path, count: usize) -> std::io::Result<()> {
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(count.div_ceil(4));
    fs::write(lab.join("in.pgn"), format!("[White \"A\"]\n\n{moves}*\n"))
}

fn comments(lab: &Path, count: usize) -> std::io::Result<()> {
    let comments = "{a comment} ".repeat(count);
    fs::write(
        lab.join("in.pgn"),
        format!("[White \"A\"]\n\n1. e4 {comments}*\n"),
    )
}

fn variations(lab: &Path, count: usize) -> std::io::Result<()> {
    let variations = "(1. d4) ".repeat(count);
    fs::write(
        lab.join("in.pgn"),
        format!("[White \"A\"]\n\n1. e4 {variations}*\n"),
    )
}

fn nags(lab: &Path, count: usize) -> std::io::Result<()> {
    let signs: String = (0..count).map(|n| format!("${} ", n % 250 + 1)).collect();
    fs::write(
        lab.join("in.pgn"),
        format!("[White \"A\"]\n\n1. e4 {signs}*\n"),
    )
}

/// Creates a zip archive of stored members; more than 65,535 need the Zip64 records.
fn zip(lab: &Path, count: usize) -> std::io::Result<()> {
    let mut crc = Crc::new();
    crc.update(GAME.as_bytes());
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let length = (GAME.len() as u32).to_le_bytes();
    for n in 0..count {
        let name = format!("{n}.pgn");
        // What both headers of a member contain: version 2.0, no flags, stored, no time.
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        common.extend(crc.sum().to_le_bytes());
        common.extend(length);
        common.extend(length);
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(GAME.as_bytes());
    }
    let (start, size) = (archive.len() as u64, directory.len() as u64);
    archive.extend(directory);
    let long_end = archive.len() as u64;
    // The Zip64 records. All fields of the last record are full, which refers to them.
    archive.extend(b"PK\x06\x06");
    archive.extend(44_u64.to_le_bytes());
    archive.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for value in [count as u64, count as u64, size, start] {
        archive.extend(value.to_le_bytes());
    }
    archive.extend(b"PK\x06\x07\0\0\0\0");
    archive.extend(long_end.to_le_bytes());
    archive.extend([1, 0, 0, 0]);
    archive.extend(b"PK\x05\x06\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0");
    fs::write(lab.join("in.zip"), archive)
}

fn tar_bytes(count: usize) -> Vec<u8> {
    let mut archive = Vec::new();
    for n in 0..count {
        let mut header = [0_u8; 512];
        let mut put = |offset: usize, text: &str| {
            for (place, byte) in header.iter_mut().skip(offset).zip(text.bytes()) {
                *place = byte;
            }
        };
        put(0, &format!("{n}.pgn"));
        put(100, "0000644\0");
        put(124, &format!("{:011o}", GAME.len()));
        // The checksum counts its own field as blanks. The zero after it means a file.
        put(148, "        0");
        put(257, "ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        for (place, byte) in header
            .iter_mut()
            .skip(148)
            .zip(format!("{sum:06o}\0 ").bytes())
        {
            *place = byte;
        }
        archive.extend(header);
        archive.extend(GAME.as_bytes());
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

fn tar(lab: &Path, count: usize) -> std::io::Result<()> {
    fs::write(lab.join("in.tar"), tar_bytes(count))
}

fn packed_tar(lab: &Path, count: usize) -> std::io::Result<()> {
    use std::io::Write as _;
    let file = fs::File::create(lab.join("in.tar.gz"))?;
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    packed.write_all(&tar_bytes(count))?;
    packed.finish().map(drop)
}
