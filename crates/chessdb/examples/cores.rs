//! Counts half-moves on all cores: `cargo run --example cores -- old.si4`
#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;

use chessdb::Database;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which base?")?;
    let db = Database::open(path)?;
    let mut total = 0;
    // The first closure runs on all cores, the second here and in database order.
    db.map_in_order(
        |game, read| read.map(|()| u64::from(game.plies())),
        |plies| {
            total += plies.unwrap_or(0);
            ControlFlow::Continue(())
        },
    )?;
    println!("{total}");
    Ok(())
}
