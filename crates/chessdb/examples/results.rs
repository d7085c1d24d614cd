//! Counts the results in a database of any format: `cargo run --example results -- old.si4`
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;

use chessdb::Database;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which base?")?;
    let mut counts = BTreeMap::new();
    // Reading headers decodes no moves.
    for game in Database::open(path)?.headers() {
        *counts.entry(game?.result().to_string()).or_insert(0) += 1;
    }
    for (result, count) in counts {
        println!("{result} {count}");
    }
    Ok(())
}
