//! Prints the games that match a query, and after how many half-moves they do:
//! `cargo run --example find -- old.si4 'Morphy sub:"Qh5"'`
#![allow(clippy::print_stdout)]

use chessdb::Database;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which database?")?;
    let query = std::env::args().nth(2).ok_or("which query?")?;
    for game in Database::open(path)?.find(&query)? {
        let game = game?;
        let ply = game.found().ply();
        let at = ply.map_or(String::new(), |ply| format!(" after {ply} half-moves"));
        println!("{} {game}{at}", game.number());
    }
    Ok(())
}
