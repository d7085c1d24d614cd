//! Runs queries on an open database and prints the number of games and the time in microseconds:
//! `cargo run --release --example ask -- games.si4 white:carlsen "material:KRPKR"`
#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;
use std::time::Instant;

use chessdb::Database;
use chessdb::query::Query;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let db = Database::open(words.next().ok_or("which base?")?)?;
    for word in words {
        let query: Query = word.parse()?;
        let start = Instant::now();
        let mut found = 0;
        // Games are read only if necessary.
        db.scan().filter(query).numbers().for_each(|_, read| {
            found += u32::from(read.is_ok());
            ControlFlow::Continue(())
        })?;
        println!("{found}\t{}\t{word}", start.elapsed().as_micros());
    }
    Ok(())
}
