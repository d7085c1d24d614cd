//! Salvage of damaged databases: nearly every undamaged game is recovered, none twice, whatever
//! file is damaged.
mod floor;
mod parts;

use std::collections::HashMap;
use std::ops::Range;

use chessdb::core::files::Role;
use chessdb::core::salvage::Salvaged;
use chessdb::core::{FileSet, Game, MemorySet, ReadOptions, Scratch};
use chessdb::{FORMATS, Format, formats};
use chessdb_testkit::identity::line;
use chessdb_testkit::strategy::{self, GameOptions};

use crate::damage;
use crate::damage::map::{self, Map};

/// A database of random games, with the location of each game.
struct Base {
    format: &'static Format,
    set: MemorySet,
    games: Vec<Game>,
    map: Map,
}

const GAMES: u64 = 500;

impl Base {
    fn new(id: &str) -> Base {
        let format = formats::by_id(id).unwrap();
        let mut options = GameOptions::held_by(format);
        options.plies = 120;
        let games: Vec<Game> = (0..GAMES)
            .map(|seed| strategy::game(seed, &options))
            .collect();
        let set = damage::made(format, &games).unwrap();
        let games = chessdb_testkit::identity::open_all(format, &set);
        let map = map::of(format, &set).unwrap();
        Base {
            format,
            set,
            games,
            map,
        }
    }

    /// Returns the games with no touched bytes in `file`, or in all files.
    fn intact(&self, file: Option<Role>, touched: &[(Role, Range<usize>)]) -> Vec<&Game> {
        let hit = |(role, range): &(Role, Range<usize>)| {
            let meets = |(hit, bytes): &(Role, Range<usize>)| {
                hit == role && bytes.start < range.end && range.start < bytes.end
            };
            file.is_none_or(|file| file == *role) && touched.iter().any(meets)
        };
        let games = self.games.iter().zip(&self.map.own);
        let intact = games.filter(|(_, own)| !own.iter().any(hit));
        intact.map(|(game, _)| game).collect()
    }
}

/// Damages a file, or removes it (`None`); returns the touched range.
type Damage = fn(&[u8]) -> (Option<Vec<u8>>, Range<usize>);

fn overwrite(file: &[u8], size: usize, byte: u8) -> (Option<Vec<u8>>, Range<usize>) {
    let start = file.len() * 2 / 5;
    let range = start..(start + size).min(file.len());
    let mut file = file.to_vec();
    file[range.clone()].fill(byte);
    (Some(file), range)
}

const DAMAGES: [(&str, Damage); 11] = [
    ("missing", |file| (None, 0..file.len())),
    ("empty", |file| (Some(Vec::new()), 0..file.len())),
    ("cut to 60 %", |file| {
        let kept = file.len() * 3 / 5;
        (Some(file[..kept].to_vec()), kept..file.len())
    }),
    ("first 1,000 bytes zeroed", |file| {
        let range = 0..file.len().min(1000);
        let mut file = file.to_vec();
        file[range.clone()].fill(0);
        (Some(file), range)
    }),
    ("first 1,000 bytes cut off", |file| {
        let range = 0..file.len().min(1000);
        (Some(file[range.end..].to_vec()), range)
    }),
    ("512 bytes zeroed", |file| overwrite(file, 512, 0)),
    ("4 KiB zeroed", |file| overwrite(file, 4096, 0)),
    ("64 KiB zeroed", |file| overwrite(file, 65_536, 0)),
    ("4 KiB of FF", |file| overwrite(file, 4096, 0xFF)),
    ("4 KiB doubled", |file| {
        let (start, size) = (file.len() / 3, (file.len() / 6).min(4096));
        let mut file = file.to_vec();
        file.copy_within(start..start + size, start + size);
        (Some(file), start + size..start + 2 * size)
    }),
    ("two blocks of 4 KiB swapped", |file| {
        let size = (file.len() / 6).min(4096);
        let (a, b) = (file.len() / 5, file.len() / 2);
        let mut file = file.to_vec();
        let first = file[a..a + size].to_vec();
        file.copy_within(b..b + size, a);
        file[b..b + size].copy_from_slice(&first);
        (Some(file), a..b + size)
    }),
];

/// Returns the moves of a game as text, without its header.
fn moves(game: &Game) -> String {
    format!("{} {}", game.start(), line(game))
}

fn mainline(game: &Game) -> String {
    format!("{} {:?}", game.start(), game.ucis())
}

/// Returns the moves with most of the header.
fn whole(game: &Game) -> String {
    let names = [
        game.white(),
        game.black(),
        game.event(),
        game.site(),
        game.round(),
    ];
    let (date, result) = (game.date(), game.result());
    format!("{names:?} {date:?} {result:?} {}", moves(game))
}

fn counted<T: std::hash::Hash + Eq>(items: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

/// Returns how many of `wanted` are in `there`, and the total of `wanted`.
fn back(wanted: &HashMap<String, usize>, there: &HashMap<String, usize>) -> (usize, usize) {
    let found = wanted.iter().map(|(game, &count)| {
        let there = there.get(game).copied().unwrap_or(0);
        there.min(count)
    });
    (found.sum(), wanted.values().sum())
}

/// Salvages a damaged database; returns its games and how they were found.
fn salvage(format: &Format, files: &MemorySet) -> Option<(Vec<Game>, Salvaged)> {
    let options = ReadOptions::default().with_salvage(true);
    let store = (format.open)(files, options).ok()?;
    let mut games = Vec::new();
    for n in 0..store.len() {
        let mut game = Game::new();
        if store.game_into(n, &mut game, &mut Scratch::new()).is_ok() {
            games.push(game);
        }
    }
    let salvaged = store.details().salvaged.cloned().unwrap_or_default();
    assert!(salvaged.games.is_empty() || salvaged.games.len() == store.len() as usize);
    Some((games, salvaged))
}

/// Tests a format; `games` is the file with the moves, without which nothing can be recovered.
fn test(id: &str, games: Role) {
    let base = Base::new(id);
    let (undamaged, report) = salvage(base.format, &base.set).unwrap();
    assert_eq!(undamaged.len(), base.games.len(), "{id}");
    let how = counted(report.games.iter().map(|found| found.code()));
    assert!(how.keys().all(|&found| found == "exact"), "{id}: {how:?}");
    assert_eq!(report.barren, [], "{id}");
    let mut bad = Vec::new();
    let files: Vec<Role> = base.set.iter().map(|(role, _)| role).collect();
    for file in files {
        for (name, damage) in DAMAGES {
            let mut set = base.set.clone();
            let (content, range) = damage(base.set.get(file).unwrap());
            match content {
                Some(content) => set.insert(file, content),
                None => drop(set.remove(file)),
            }
            let touched = [(file, range)];
            let Some((there, report)) = salvage(base.format, &set) else {
                let nothing =
                    file == games && touched[0].1.len() == base.set.get(file).unwrap().len();
                if !nothing {
                    bad.push(format!("{id}: {file} {name}: not opened"));
                }
                continue;
            };
            let names = base.map.names.iter().any(|(role, _)| *role == file);
            // Names may determine the charset of comments.
            let moves: fn(&Game) -> String = if names { mainline } else { moves };
            let moves_there = counted(there.iter().map(moves));
            let whole_there = counted(there.iter().map(whole));
            let of_moves = base.intact(Some(games), &touched);
            let (found, all) = back(
                &counted(of_moves.iter().map(|game| moves(game))),
                &moves_there,
            );
            let of_all = if names { Vec::new() } else { base.intact(None, &touched) };
            let (exact, headers) = back(
                &counted(of_all.iter().map(|game| whole(game))),
                &whole_there,
            );
            // No game occurs twice: there are no more games with these moves than before.
            let before = counted(base.games.iter().map(moves));
            let twice = moves_there
                .iter()
                .filter(|(moves, _)| moves.len() > 200)
                .map(|(moves, count)| {
                    count.saturating_sub(before.get(moves).copied().unwrap_or(*count))
                });
            let twice: usize = twice.sum();
            let text = format!(
                "{id}: {file} {name}: moves {found} of {all}, whole {exact} of {headers}, {} games, {twice} twice, {:?}, {} places barren",
                there.len(),
                counted(report.games.iter().map(|found| found.code())),
                report.barren.len(),
            );
            println!("{text}");
            if found * 100 < all * 98 || exact * 100 < headers * 98 || twice > 0 {
                bad.push(text);
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Defines one test per format, so that they run in parallel: its id, and the file with the moves.
macro_rules! formats {
    ($($name:ident: $id:literal, $moves:literal;)*) => {
        $(
            #[test]
            fn $name() {
                test($id, Role($moves));
                parts::test($id, Role($moves));
            }
        )*

        #[test]
        fn no_format_is_forgotten() {
            let known = [$($id),*];
            for format in FORMATS.iter().filter(|format| format.salvages) {
                let id = format.id;
                let is_known = known.contains(&id) || ONLY_PARTS.contains(&id) || IN_SQLITE.contains(&id);
                assert!(is_known, "{id}: add a row with the file of its moves");
            }
        }
    };
}

/// The comments of these formats are in a file of their own, and only the index links them to the
/// moves. So games without an index entry lose them, which [`test`] counts as games not found.
const ONLY_PARTS: [&str; 3] = ["cbh", "2cbh", "scidb"];

/// The salvage of these is tested in chessdb-sqlite: SQLite's pages have no map.
const IN_SQLITE: [&str; 4] = ["encroissant", "lucaschess", "ocgdb", "jose"];

#[test]
fn chessbase6() {
    parts::test("cbh", Role("cbg"));
}

#[test]
fn chessbase17() {
    parts::test("2cbh", Role("2cbg"));
}

#[test]
fn scidb() {
    parts::test("scidb", Role("scg"));
}

formats! {
    scid4: "si4", "sg4";
    scid5: "si5", "sg5";
    scid3: "si3", "sg3";
    chessbase: "cbf", "cbf";
    dcx: "dcx", "dcg";
    chess_assistant: "ca", "d02";
}
