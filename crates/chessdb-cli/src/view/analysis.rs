//! The user's engine, which analyses for the page: a process for each position, ended as soon as
//! the page does not listen any more.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use chessdb::core::Setup;
use chessdb::core::rules::is_valid_position;
use serde_json::Value;

use super::http::{BAD, Connection};

/// The most lines that the page can ask for.
const MAX_LINES: u64 = 5;
/// Longer lines of an engine are cut.
const MAX_LENGTH: u64 = 1 << 14;
/// How often a silent connection is tried, so that the engine of a closed page does not continue.
const HEARTBEAT: Duration = Duration::from_millis(300);
/// The time in which a program must have shown that it is an engine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process that ends with this value.
struct Engine(Child);

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the commands for a request `{ fen, isChess960, lines }`. Nothing of the request reaches
/// the engine as it is: a line break would let a page give any command, such as one that writes a
/// log file.
fn commands(request: &str) -> Option<String> {
    let request: Value = serde_json::from_str(request).ok()?;
    let setup: Setup = request.get("fen")?.as_str()?.parse().ok()?;
    if !is_valid_position(&setup.board) {
        return None;
    }
    let lines = request.get("lines")?.as_u64()?.clamp(1, MAX_LINES);
    let chess960 = setup.chess960;
    let mut fen = Vec::new();
    setup.write_fen(&mut fen);
    let fen = String::from_utf8(fen).ok()?;
    Some(format!(
        "uci\nsetoption name UCI_Chess960 value {chess960}\nsetoption name MultiPV value {lines}\n\
         ucinewgame\nposition fen {fen}\ngo infinite\n"
    ))
}

/// Passes on what the engine says about a position, line by line, until the page closes the
/// connection or the engine ends. A line that begins with `error` is for the user.
pub(super) fn analyse(to: &mut Connection, program: &Path, request: &str) -> io::Result<()> {
    let Some(commands) = commands(request) else {
        return to.refuse(BAD);
    };
    to.begin()?;
    let started = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut engine = match started {
        Ok(child) => Engine(child),
        Err(error) => {
            return to.write(format!("error {}: {error}\n", program.display()).as_bytes());
        }
    };
    // Kept open: an engine ends at the end of its input.
    let mut input = engine.0.stdin.take();
    if let Some(input) = &mut input {
        // An engine that ended at once is reported below.
        let _ = input.write_all(commands.as_bytes());
    }
    let Some(output) = engine.0.stdout.take() else {
        return Ok(());
    };
    let lines = lines_of(output);
    let begun = Instant::now();
    let mut is_engine = false;
    loop {
        match lines.recv_timeout(HEARTBEAT) {
            Ok(line) => {
                is_engine |= line.starts_with(b"uciok");
                to.write(&line)?;
            }
            Err(RecvTimeoutError::Timeout) => to.write(b"\n")?,
            Err(RecvTimeoutError::Disconnected) => return to.write(b"error the engine ended\n"),
        }
        if !is_engine && begun.elapsed() > PATIENCE {
            return to.write(b"error the program does not answer as a UCI engine\n");
        }
    }
}

/// Reads lines in a thread, which ends with the process.
fn lines_of(output: ChildStdout) -> Receiver<Vec<u8>> {
    // A full channel stops the engine, instead of filling the memory for a slow page.
    let (sender, receiver) = mpsc::sync_channel(64);
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut line = Vec::new();
            match (&mut output).take(MAX_LENGTH).read_until(b'\n', &mut line) {
                Ok(1..) => {}
                _ => return,
            }
            // The page reads line by line, so a cut line must end as well.
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn a_request_gives_no_command_of_its_own() {
        let asked =
            |fen: &str| commands(&serde_json::json!({ "fen": fen, "lines": 900 }).to_string());
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let text = asked(fen).unwrap();
        assert!(
            text.contains(&format!("position fen {fen}\ngo infinite\n")),
            "{text}"
        );
        assert!(text.contains("MultiPV value 5\n"), "{text}");
        for bad in [
            "",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1",
        ] {
            assert_eq!(asked(bad), None, "{bad}");
        }
        for evil in [
            "\nsetoption name Debug Log File value x",
            "\rquit",
            " moves e2e4\nquit",
        ] {
            let text = asked(&format!("{fen}{evil}")).unwrap_or_default();
            assert!(!text.contains("Debug") && !text.contains("quit"), "{text}");
        }
    }
}
