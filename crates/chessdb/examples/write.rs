//! Creates games and writes a database: `cargo run --example write -- new.si4`
#![allow(clippy::print_stdout)]

use chessdb::Game;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which base?")?;
    let mut writer = chessdb::create(path)?;
    let trap = "[White \"Legal\"]\n\n1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 $2 {pins} *";
    writer.write(&Game::from_pgn(trap)?)?;
    let game = Game::builder()
        .white("Anderssen, Adolf")
        .date("1851.06.21")
        .sans(["e4", "e5", "f4"])?
        .comment("The gambit.")
        .build();
    writer.write(&game)?;
    println!("{} games", writer.finish()?); // nothing is visible before
    Ok(())
}
