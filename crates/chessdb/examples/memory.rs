//! Reads bytes instead of files, one format alone, with limits for hostile input:
//! `cargo run --example memory -- old.cbf old.cbi`
#![allow(clippy::print_stdout)]

use chessdb::Database;
use chessdb::options::Limits;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for name in std::env::args().skip(1) {
        let bytes = std::fs::read(&name)?;
        files.push((name, bytes));
    }
    let db = Database::options()
        .format("cbf")
        .encoding("cp437")
        .strict(true)
        .limits(Limits::small())
        .open_files(files)?;
    println!("{} games in {}", db.len()?, db.format().name);
    Ok(())
}
