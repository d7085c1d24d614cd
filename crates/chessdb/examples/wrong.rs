//! Reports what is wrong with a database: `cargo run --example wrong -- old.si4`
#![allow(clippy::print_stdout)]

use chessdb::Database;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which base?")?;
    match Database::open(&path) {
        Err(error) if error.is_not_recognised() => println!("no chess database"),
        Err(error) => {
            let (file, offset) = (error.file(), error.offset());
            println!(
                "{error} (file {file:?}, byte {offset:?}, game {:?})",
                error.game()
            );
        }
        Ok(db) => {
            for finding in db.diagnostics() {
                println!("{finding}");
            }
            println!("{} games", db.len()?);
        }
    }
    Ok(())
}
