//! Copies the games that White won: `cargo run --example filter -- old.si4 white.pgn`
#![allow(clippy::print_stdout)]

use chessdb::{Allow, Database, Losses, Outcome, Writer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let from = std::env::args().nth(1).ok_or("which base?")?;
    let to = std::env::args().nth(2).ok_or("into what?")?;
    let db = Database::open(from)?;
    // Without `allow`, a game with losses would be refused.
    let mut writer = Writer::options().allow(Allow::Everything).create(to)?;
    let mut losses = Losses::new();
    for game in &db {
        let game = game?;
        if game.result() == Outcome::WhiteWins {
            losses.merge(&writer.write(&game)?);
        }
    }
    println!("{} games", writer.finish()?);
    for loss in &losses {
        println!("lost: {} {}", loss.count, loss.kind);
    }
    Ok(())
}
