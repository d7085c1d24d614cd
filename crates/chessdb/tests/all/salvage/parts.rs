//! Games reported as exact have lost nothing: every companion file is cut at several places, or
//! missing.

use std::collections::HashSet;

use chessdb::core::files::Role;
use chessdb::core::salvage::Found;
use chessdb::core::{Diagnostic, FileSet, Game, MemorySet, ReadOptions, Scratch};
use chessdb::{Format, formats};
use chessdb_testkit::identity;
use chessdb_testkit::strategy::{self, GameOptions};

use crate::damage;

const GAMES: u64 = 120;
/// Lengths to which files are cut, in thousandths.
const CUTS: [usize; 8] = [0, 3, 100, 333, 500, 700, 900, 985];

/// Returns the PGN of a game and the values that have no tag.
fn shown(game: &Game) -> String {
    let mut text = Vec::new();
    chessdb::pgn::write_game(game, &chessdb::pgn::Layout::default(), &mut text);
    let header = &game.header;
    format!(
        "{} {:?} {:?}",
        String::from_utf8_lossy(&text),
        header.flags,
        header.white.rating
    )
}

/// Returns for each game how it was found, before and after reading it, and the game.
fn read(format: &Format, set: &MemorySet) -> Option<Vec<(Found, Found, String)>> {
    let options = ReadOptions::default().with_salvage(true);
    let store = (format.open)(set, options).ok()?;
    let salvaged = store.details().salvaged?.clone();
    let mut games = Vec::new();
    for n in 0..store.len() {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let known = salvaged.found(n);
        if store.game_into(n, &mut game, &mut scratch).is_err() {
            continue;
        }
        let judge = |found, said: &Diagnostic| salvaged.judge(found, said);
        let found = scratch.diagnostics.iter().fold(known, judge);
        games.push((known, found, shown(&game)));
    }
    Some(games)
}

/// Tests a format; `moves` is the file with the moves.
pub(crate) fn test(id: &str, moves: Role) {
    let format = formats::by_id(id).unwrap();
    let options = GameOptions::held_by(format);
    let games: Vec<Game> = (0..GAMES)
        .map(|seed| strategy::game(seed, &options))
        .collect();
    let set = damage::made(format, &games).unwrap();
    let before: HashSet<String> = identity::open_all(format, &set).iter().map(shown).collect();
    let files: Vec<(Role, usize)> = set
        .iter()
        .map(|(role, bytes)| (role, bytes.len()))
        .collect();
    let (mut bad, mut incomplete) = (Vec::new(), 0);
    for (file, length) in files {
        let lengths = CUTS.map(|part| Some(length * part / 1000));
        let ways = lengths
            .into_iter()
            .chain([None, Some(length.saturating_sub(1))]);
        for kept in ways {
            let mut cut = set.clone();
            match kept {
                Some(kept) => {
                    let bytes = set.get(file).unwrap()[..kept].to_vec();
                    cut.insert(file, bytes);
                }
                None => drop(cut.remove(file)),
            }
            let Some(found) = read(format, &cut) else {
                continue;
            };
            for (n, (known, found, game)) in found.iter().enumerate() {
                let lacks_parts = matches!(known, Found::Incomplete | Found::HeaderUnknown);
                incomplete += u64::from(lacks_parts);
                let is_there = before.contains(game);
                // Except for damage of the moves file, the store knows before a game is read.
                let claims = *found == Found::Exact || *known == Found::Exact && file != moves;
                if claims && !is_there {
                    bad.push(format!(
                        "{id}: {file} of {length} cut to {kept:?}, game {}: {known:?}, {found:?}\n{game}",
                        n + 1
                    ));
                }
            }
        }
    }
    let shown = bad.iter().take(6).cloned().collect::<Vec<_>>().join("\n");
    assert!(bad.is_empty(), "{} of {id}:\n{shown}", bad.len());
    println!("{id}: {incomplete} incomplete");
    assert!(incomplete > 0 || id == "cbf", "{id}");
}
