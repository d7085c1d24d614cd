//! The genuine databases, and games in the notation of the lists of expected results.
#![allow(dead_code, unreachable_pub)]

pub mod made;

use std::path::{Path, PathBuf};

use chessdb_cbh::CBH;
use chessdb_core::board::MoveKind;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::Lines;
use chessdb_core::{Event, Game, MemorySet, PackedMove, Start};
use chessdb_testkit::fixtures;

/// A database on disk.
pub struct Base {
    pub name: String,
    pub files: MemorySet,
}

/// Returns all databases below these folders.
pub fn bases() -> Vec<Base> {
    let folders = ["fixtures-real/cbh", "fixtures-made/cbh"];
    let mut folders: Vec<PathBuf> = folders.into_iter().filter_map(fixtures::testdata).collect();
    let mut bases = Vec::new();
    while let Some(folder) = folders.pop() {
        for stem in fixtures::bases(&folder, CBH.roles[0]) {
            bases.push(load(&stem));
        }
        let entries = std::fs::read_dir(&folder).unwrap();
        let entries = entries.map(|entry| entry.unwrap().path());
        folders.extend(entries.filter(|path| path.is_dir()));
    }
    bases.sort_by(|a, b| a.name.cmp(&b.name));
    bases
}

fn load(stem: &Path) -> Base {
    Base {
        name: stem.file_name().unwrap().to_str().unwrap().to_owned(),
        files: fixtures::load_set(stem, CBH.roles),
    }
}

/// Returns a move in coordinates. Castling in Chess960 takes the own rook.
fn uci(game: &Game, lines: &Lines<PlainNumbering>, mv: PackedMove) -> String {
    let chess960 = matches!(&game.header.start, Start::Setup(setup) if setup.chess960);
    let castles = matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong);
    if chess960 && castles {
        let mut board = lines.board().clone();
        let rook = board.play(mv).rook.unwrap().0;
        return format!("{}{rook}", mv.from());
    }
    mv.to_string()
}

/// Returns `id | start or - | moves`, with an alternative in parentheses after the move that it
/// replaces.
pub fn line(id: u32, game: &Game) -> String {
    let start = match &game.header.start {
        Start::Standard => "-".to_owned(),
        Start::Setup(setup) => setup.to_string(),
    };
    let mut lines = Lines::new(PlainNumbering, game).unwrap();
    let mut words = Vec::new();
    for event in game.events() {
        match event {
            Event::Move(mv) => {
                words.push(uci(game, &lines, mv));
                lines.play(mv);
            }
            Event::Open(_) => {
                words.push("(".to_owned());
                lines.open();
            }
            Event::Close => {
                words.push(")".to_owned());
                lines.close();
            }
            _ => {}
        }
    }
    format!("{id} | {start} | {}", words.join(" "))
        .trim_end()
        .to_owned()
}
