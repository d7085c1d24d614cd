//! Reads a PGN file with this crate or with pgn-reader and counts the replayed moves: every
//! mainline move by move, checking legality. `cargo xtask bench` compares the times of the two.
//!
//! ```console
//! $ cargo run --release -p chessdb-pgn --example replay -- chessdb games.pgn
//! $ cargo run --release -p chessdb-pgn --example replay -- pgn-reader games.pgn
//! ```
//! 8r: a command-line program
#![allow(clippy::print_stdout, reason = "a program for people")]

use std::error::Error;
use std::fs::File;
use std::ops::ControlFlow;

use chessdb_core::{ErrorKind, Game, ReadOptions, Scratch};
use pgn_reader::shakmaty::{Chess, Position};
use pgn_reader::{SanPlus, Skip, Visitor};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [reader, path] = arguments.as_slice() else {
        return Err("usage: replay chessdb|pgn-reader FILE.pgn".into());
    };
    let file = File::open(path)?;
    let (games, plies) = match reader.as_str() {
        "chessdb" => with_chessdb(file)?,
        "pgn-reader" => with_pgn_reader(file)?,
        other => return Err(format!("no reader is called {other}").into()),
    };
    println!("{games} games, {plies} plies");
    Ok(())
}

fn with_chessdb(file: File) -> Result<(u64, u64), Box<dyn Error>> {
    let stream = chessdb_pgn::PGN
        .stream
        .ok_or(ErrorKind::Unsupported("streaming"));
    let mut reader =
        stream.map_err(chessdb_core::Error::from)?(Box::new(file), ReadOptions::default())?;
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let (mut games, mut plies) = (0, 0);
    while reader.read_into(&mut game, &mut scratch)? {
        games += 1;
        plies += game.moves.mainline().count() as u64;
        scratch.diagnostics.clear();
    }
    Ok((games, plies))
}

fn with_pgn_reader(file: File) -> Result<(u64, u64), Box<dyn Error>> {
    let mut reader = pgn_reader::Reader::new(file);
    let mut counter = Counter { plies: 0 };
    let mut games = 0;
    while reader.read_game(&mut counter)?.is_some() {
        games += 1;
    }
    Ok((games, counter.plies))
}

/// Plays the moves delivered by pgn-reader. A game ends at its first illegal move.
struct Counter {
    plies: u64,
}

impl Visitor for Counter {
    type Tags = ();
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(Chess::default())
    }

    fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn san(&mut self, position: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        match san.san.to_move(position) {
            Ok(mv) => {
                position.play_unchecked(mv);
                self.plies += 1;
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn end_game(&mut self, _: Chess) {}
}
