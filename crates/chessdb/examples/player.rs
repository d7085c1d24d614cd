//! Prints the games of one player: `cargo run --example player -- old.si4 Morphy`
#![allow(clippy::print_stdout)]

use chessdb::Database;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which base?")?;
    let name = std::env::args().nth(2).ok_or("which player?")?;
    for game in Database::open(path)?.games() {
        let game = game?;
        if game.white().contains(&name) || game.black().contains(&name) {
            println!("{game} {}", game.sans().join(" "));
        }
    }
    Ok(())
}
