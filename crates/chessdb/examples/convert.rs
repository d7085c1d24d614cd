//! Converts a database and prints the losses: `cargo run --example convert -- old.pgn new.cbf`
#![allow(clippy::print_stdout)]

use chessdb::{Converter, Database, OnError};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let from = std::env::args().nth(1).ok_or("which base?")?;
    let to = std::env::args().nth(2).ok_or("into what?")?;
    // All options of the command line are available, with the same defaults.
    let db = Database::open(from)?;
    let report = Converter::to(to)
        .add_database(&db)
        .on_error(OnError::Keep)
        .run()?;
    println!("{} games", report.written());
    for loss in report.losses() {
        println!("{loss}"); // 12 comments left out (games 3, 9, …)
    }
    Ok(())
}
