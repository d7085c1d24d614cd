//! The corpus of many games, unpacked once into the scratch folder.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::cmd;

/// Writes the first `games` games of `data`/corpus to `target` (all of them with `None`), if the
/// file is not there already. Returns how many it holds.
pub(crate) fn unpack(data: &Path, games: Option<u64>, target: &Path) -> Result<u64, String> {
    let packed = data.join("corpus/games-100k.pgn.zst");
    if !packed.is_file() {
        return Err(format!("no {}", packed.display()));
    }
    let fault = |e: std::io::Error| format!("{}: {e}", target.display());
    if target.is_file() {
        return count(target);
    }
    let zstd = cmd::find("zstd").ok_or("zstd is not installed (apt install zstd)")?;
    let mut child = Command::new(zstd)
        .args(["-dc", "-q"])
        .arg(&packed)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("zstd did not start: {e}"))?;
    let pipe = child.stdout.take().ok_or("zstd has no output")?;
    let part = target.with_extension("part");
    let written = copy_games(BufReader::new(pipe), games, &part).map_err(fault)?;
    // With a limit the pipe is closed early and zstd ends with a broken pipe.
    let status = child.wait().map_err(fault)?;
    if games.is_none() && !status.success() {
        return Err(format!("zstd failed on {}", packed.display()));
    }
    fs::rename(&part, target).map_err(fault)?;
    Ok(written)
}

fn copy_games(mut from: impl BufRead, games: Option<u64>, to: &PathBuf) -> std::io::Result<u64> {
    let mut out = BufWriter::new(File::create(to)?);
    let mut line = Vec::new();
    let mut begun = 0;
    while from.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(b"[Event ") {
            if games == Some(begun) {
                break;
            }
            begun += 1;
        }
        out.write_all(&line)?;
        line.clear();
    }
    out.flush()?;
    Ok(begun)
}

/// Games of the corpus: lines that begin an Event tag, which every game of it has once.
fn count(file: &Path) -> Result<u64, String> {
    let fault = |e: std::io::Error| format!("{}: {e}", file.display());
    let mut from = BufReader::new(File::open(file).map_err(fault)?);
    let (mut line, mut games) = (Vec::new(), 0);
    while from.read_until(b'\n', &mut line).map_err(fault)? > 0 {
        games += u64::from(line.starts_with(b"[Event "));
        line.clear();
    }
    Ok(games)
}
