//! Counts half-moves as fast as possible on one thread: `cargo run --example plies -- old.si4`
#![allow(clippy::print_stdout)]

use chessdb::{Database, Game};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which base?")?;
    let db = Database::open(path)?;
    // One game, filled repeatedly: no allocation per game.
    let (mut game, mut plies) = (Game::new(), 0);
    let mut reader = db.reader();
    while reader.read_into(&mut game)? {
        plies += u64::from(game.plies());
    }
    println!("{plies}");
    Ok(())
}
