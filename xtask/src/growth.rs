//! Measurement of how the time of commands grows with their input and output: per member, file,
//! output, name, game, ply and comment.
//!
//! The tests count operations (`chessdb`, tests of the archive directory and of the finder). This
//! command prints seconds, so that quadratic growth is visible anywhere.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::anyhow;
use flate2::Compression;
use flate2::write::GzEncoder;
use fs_err as fs;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

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
type Case = (&'static str, fn(&Path, usize) -> Outcome, &'static str);

#[rustfmt::skip]
static CASES: &[Case] = &[
    ("files of a folder, ls", folder, "ls in"),
    ("files of a folder, convert each", folder, "convert in out/ -t pgn"),
    ("files of a folder, convert to one", folder, "convert in out.si4"),
    ("files of another kind, ls", others, "ls in"),
    ("members of a zip, ls", zip, "ls in.zip"),
    ("members of a zip, convert to one", zip, "convert in.zip out.cbh"),
    ("members of a tar, ls", tar, "ls in.tar"),
    ("members of a tar.gz, ls", packed_tar, "ls in.tar.gz"),
    ("outputs, split", games, "split in.pgn --by 1 -o out"),
    ("games, ls", games, "ls in.pgn"),
    ("games, convert", games, "convert in.pgn out.si4"),
    ("names, convert", names, "convert in.pgn out.cbh"),
    ("names, dedupe", names, "dedupe in.pgn out.pgn"),
    ("plies, convert", plies, "convert in.pgn out.cbh"),
    ("comments, convert", comments, "convert in.pgn out.cbh"),
    ("variations, convert", variations, "convert in.pgn out.cbh"),
    ("NAGs at one move, diff", nags, "diff in.pgn in.pgn"),
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
    let chosen = |(what, ..): &&Case| {
        words.is_empty() || words.iter().any(|word| what.contains(word.as_str()))
    };
    println!("microseconds per item, by number of items");
    for (what, make, args) in CASES.iter().filter(chosen) {
        let mut line = format!("{what:<36}");
        let mut before: Option<f64> = None;
        let counts = std::iter::successors(Some(100), |count| Some(count * 10));
        for count in counts.take_while(|count| *count <= max_count) {
            let _ = fs::remove_dir_all(&lab);
            fs::create_dir_all(&lab)?;
            make(&lab, count)?;
            let seconds = run(&program, &lab, args)?;
            let each = seconds * 1e6 / count as f64;
            let _ = write!(line, "{count:>8}: {each:>8.1}");
            // A short run is mostly the start of the program, so that the next one may seem to take
            // many times as long.
            if before.is_some_and(|before| {
                seconds > SHORT && seconds > FACTOR * before.max(SHORT / FACTOR)
            }) {
                square.push(format!("{what} at {count}"));
                break;
            }
            before = Some(seconds);
        }
        println!("{line}");
    }
    let _ = fs::remove_dir_all(&lab);
    match square.as_slice() {
        [] => Ok(()),
        _ => Err(anyhow!(
            "grows faster than its input: {}",
            square.join(", ")
        )),
    }
}

/// Returns the seconds that the program takes. Exit code 1 (findings) is not a failure.
fn run(program: &Path, lab: &Path, args: &str) -> Outcome<f64> {
    let mut command = Command::new(program);
    command.args(args.split(' ')).current_dir(lab);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    match status.code() {
        Some(0 | 1) => Ok(start.elapsed().as_secs_f64()),
        _ => Err(anyhow!("{command:?} failed ({status})")),
    }
}

fn folder(lab: &Path, count: usize) -> Outcome {
    fs::create_dir(lab.join("in"))?;
    Ok((0..count).try_for_each(|n| fs::write(lab.join(format!("in/{n}.pgn")), GAME))?)
}

/// Creates files that are not chess databases, and one that is.
fn others(lab: &Path, count: usize) -> Outcome {
    folder(lab, 1)?;
    Ok((0..count).try_for_each(|n| fs::write(lab.join(format!("in/{n}.txt")), "a letter"))?)
}

fn write_pgn(lab: &Path, text: &str) -> Outcome {
    Ok(fs::write(lab.join("in.pgn"), text)?)
}

/// Writes one game with this movetext.
fn write_game(lab: &Path, movetext: &str) -> Outcome {
    write_pgn(lab, &format!("[White \"A\"]\n\n{movetext}*\n"))
}

fn games(lab: &Path, count: usize) -> Outcome {
    write_pgn(lab, &GAME.repeat(count))
}

fn names(lab: &Path, count: usize) -> Outcome {
    let game = |n: usize| {
        format!(
            "[Event \"E{n}\"]\n[Site \"S{n}\"]\n[White \"W{n}\"]\n[Black \"B{n}\"]\n\n1. e4 *\n\n"
        )
    };
    write_pgn(lab, &(0..count).map(game).collect::<String>())
}

fn plies(lab: &Path, count: usize) -> Outcome {
    write_game(lab, &"Nf3 Nf6 Ng1 Ng8 ".repeat(count.div_ceil(4)))
}

fn comments(lab: &Path, count: usize) -> Outcome {
    write_game(lab, &format!("1. e4 {}", "{a comment} ".repeat(count)))
}

fn variations(lab: &Path, count: usize) -> Outcome {
    write_game(lab, &format!("1. e4 {}", "(1. d4) ".repeat(count)))
}

fn nags(lab: &Path, count: usize) -> Outcome {
    let signs: String = (0..count).map(|n| format!("${} ", n % 250 + 1)).collect();
    write_game(lab, &format!("1. e4 {signs}"))
}

/// Creates a zip archive of stored members.
fn zip(lab: &Path, count: usize) -> Outcome {
    let mut archive = ZipWriter::new(fs::File::create(lab.join("in.zip"))?);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for n in 0..count {
        archive.start_file(format!("{n}.pgn"), options)?;
        archive.write_all(GAME.as_bytes())?;
    }
    archive.finish()?;
    Ok(())
}

/// Writes a tar archive.
fn write_tar(out: impl Write, count: usize) -> Outcome {
    let mut archive = tar::Builder::new(out);
    let mut header = tar::Header::new_ustar();
    header.set_mode(0o644);
    header.set_size(GAME.len() as u64);
    for n in 0..count {
        archive.append_data(&mut header, format!("{n}.pgn"), GAME.as_bytes())?;
    }
    Ok(archive.finish()?)
}

fn tar(lab: &Path, count: usize) -> Outcome {
    // The writer writes small pieces.
    let file = fs::File::create(lab.join("in.tar"))?;
    write_tar(BufWriter::new(file), count)
}

fn packed_tar(lab: &Path, count: usize) -> Outcome {
    let file = fs::File::create(lab.join("in.tar.gz"))?;
    write_tar(GzEncoder::new(file, Compression::fast()), count)
}
