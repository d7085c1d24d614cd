//! Shows variations, comments and symbols: `cargo run --example tree -- old.si4 7`
#![allow(clippy::print_stdout)]

use chessdb::Database;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which base?")?;
    let number: u32 = std::env::args().nth(2).ok_or("which game?")?.parse()?;
    // Functions count from 0, users from 1.
    let game = Database::open(path)?.game(number.saturating_sub(1))?;
    for node in game.tree().mainline() {
        println!("{} {:?} {}", node.san(), node.nags(), node.comment());
        for variation in node.variations() {
            let moves: Vec<&str> = variation.map(|node| node.san()).collect();
            println!("  ({})", moves.join(" "));
        }
    }
    Ok(())
}
