//! Lists players by their number of games: `cargo run --example players -- old.si4`
#![allow(clippy::print_stdout)]

use std::collections::HashMap;

use chessdb::Database;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which base?")?;
    let mut games: HashMap<String, u32> = HashMap::new();
    for game in Database::open(path)?.headers() {
        let game = game?;
        for name in [game.white(), game.black()] {
            *games.entry(name.into_owned()).or_default() += 1;
        }
    }
    let mut games: Vec<_> = games.into_iter().collect();
    games.sort_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
    for (name, count) in games {
        println!("{count:5} {name}");
    }
    Ok(())
}
