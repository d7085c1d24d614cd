//! Searches that read as little as possible find the same games as searches that read everything.
#![cfg(feature = "all-formats")]

use std::ops::ControlFlow;
use std::path::PathBuf;

use chessdb::core::board::{Bitboard, Played};
use chessdb::core::model::Start;
use chessdb::core::search::{MainlineObserver, MoveFilter, observe_game};
use chessdb::core::{Board, Color, PackedMove, PieceType, Square};
use chessdb::query::Query;
use chessdb::query::tree::OpeningTree;
use chessdb::{Database, Game, Problem};
use chessdb_testkit::{fixtures, rng::Rng};

use crate::index::copy;

/// The number of a matching game, and the first matching position.
pub(crate) type Found = (u32, Option<(u32, String)>);

fn place(game: &Game) -> Found {
    let hit = game.found().hit();
    let hit = hit.map(|hit| (hit.ply(), hit.board().to_string()));
    (game.number(), hit)
}

/// Returns the results of a search.
pub(crate) fn search(db: &Database, query: &Query, jobs: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let scan = db.scan().headers().filter(query.clone()).jobs(jobs);
    scan.for_each(|game, read| {
        read.unwrap();
        found.push(place(game));
        ControlFlow::Continue(())
    })
    .unwrap();
    found
}

/// Returns the results of the same query by reading every game.
pub(crate) fn plain(db: &Database, query: &Query) -> Vec<Found> {
    let fits = |game: Game| {
        let found = query.find(&game)?;
        let hit = found.hit().map(|hit| (hit.ply(), hit.board().to_string()));
        Some((game.number(), hit))
    };
    db.games().filter_map(Result::ok).filter_map(fits).collect()
}

/// Returns a pattern of a board's pawns that allows anything but pawns on the other squares.
fn pawns(board: &Board) -> String {
    let rank = |rank: u8| -> String {
        let square = |file| match board.piece_at(Square::from_coords(file, rank).unwrap()) {
            Some(man) if man.kind == PieceType::Pawn && man.color == Color::White => "P",
            Some(man) if man.kind == PieceType::Pawn => "p",
            _ => "[^Pp]",
        };
        (0..8).map(square).collect()
    };
    let ranks: Vec<String> = (0..8).rev().map(rank).collect();
    ranks.join("/")
}

fn material(board: &Board) -> String {
    let side = |color| -> String {
        let kinds = ["K", "Q", "R", "B", "N", "P"];
        let piece_counts = PieceType::ALL.into_iter().rev().zip(kinds);
        piece_counts
            .map(|(kind, letter)| letter.repeat(board.pieces(color, kind).len() as usize))
            .collect()
    };
    format!("{}-{}", side(Color::White), side(Color::Black))
}

/// Returns queries about positions of the database's own games, from all phases, alone and combined
/// with others.
pub(crate) fn questions(db: &Database, most: usize) -> Vec<Query> {
    let mut questions = Vec::new();
    let step = (db.len().unwrap() as usize / most).max(1);
    for (n, game) in db.games().filter_map(Result::ok).step_by(step).enumerate() {
        let positions: Vec<Board> = game.positions().collect();
        let board = &positions[(7 * n) % positions.len()];
        let (fen, turn) = (board.to_string(), 5 * n % positions.len());
        let other = positions[turn].to_string();
        let placement = fen.split(' ').next().unwrap();
        questions.push(format!("fen:\"{fen}\""));
        questions.push(format!("fen:\"{placement}\" at:..30"));
        questions.push(format!("-fen:\"{fen}\" result:1-0"));
        questions.push(format!(
            "(fen:\"{fen}\") or (fen:\"{other}\" for:2) or pattern:\"{}\"",
            pawns(board)
        ));
        questions.push(format!("pattern:\"{}\"", pawns(board)));
        questions.push(format!("material:{}", material(board)));
        questions.push(format!(
            "(material:{}) (-material:{})",
            material(board),
            material(&positions[turn])
        ));
        let sans = game.sans();
        if sans.len() > 4 && positions[0] == Board::standard() {
            questions.push(format!("line:\"{}\"", sans[..4].join(" ")));
        }
    }
    questions.extend(
        [
            "sub:\"Nf5\" for:3",
            "sub:\"Nf5\"",
            "sub:\"Kg1 Rf1\" -sub:\"kg8 rf8\"",
            "sub:\"Qd1 qd8\" -sub:\"Ke1\"",
            "sub:\"Pe5 pd4\" or sub:\"Rd1 rd8\" year:1900..1990",
            "sub:\"pa6 pc6 pd5 pe6\" result:1-0",
            "material:KQPKQ -sub:\"Nf3\"",
            "pattern:*/*/*/3Aa*/*/*/*/* has:comments",
        ]
        .map(str::to_owned),
    );
    questions
        .iter()
        .map(|text| {
            text.parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"))
        })
        .collect()
}

/// Compares searches with and without shortcuts; returns the number of results.
pub(crate) fn ask(db: &Database, questions: &[Query]) -> usize {
    let mut found = 0;
    for query in questions {
        let expected = plain(db, query);
        for jobs in [1, 3] {
            assert_eq!(
                search(db, query, jobs),
                expected,
                "{:?}: {query}",
                db.path()
            );
        }
        let whole: Vec<Found> = db
            .scan()
            .filter(query.clone())
            .into_iter()
            .map(|game| place(&game.unwrap()))
            .collect();
        assert_eq!(whole, expected, "{:?}: {query}", db.path());
        found += expected.len();
    }
    found
}

fn scid_bases() -> Vec<PathBuf> {
    bases("scid", &["si4", "si5"])
}

/// Returns the fixtures of a folder with one of these extensions.
fn bases(folder: &str, suffixes: &[&str]) -> Vec<PathBuf> {
    let mut bases = fixtures::files(&fixtures::path(folder));
    bases.retain(|file| {
        suffixes
            .iter()
            .any(|suffix| file.extension().is_some_and(|own| own == *suffix))
    });
    bases
}

#[test]
fn the_fields_of_scid_leave_out_no_game_that_fits() {
    let mut found = 0;
    for base in scid_bases() {
        let Ok(db) = Database::open(&base) else {
            continue;
        };
        if db.diagnostics().is_empty() {
            found += ask(&db, &questions(&db, 12));
        }
    }
    assert!(found > 200, "{found}");
}

#[test]
fn an_observer_sees_the_positions_that_reading_gives_in_damaged_games_too() {
    let mut rng = Rng::new(17);
    let mut seen = [0; 4];
    let folder = tempfile::tempdir().unwrap();
    let formats = ["si4", "cbf", "cdp", "pgn"];
    let others = [
        ("ca", "cdp"),
        ("cbf", "cbf"),
        ("pgn/clean", "pgn"),
        ("pgn/edge", "pgn"),
        ("pgn/broken", "pgn"),
    ];
    let others = others
        .into_iter()
        .flat_map(|(folder, suffix)| bases(folder, &[suffix]))
        .chain(formats.map(|suffix| copy(folder.path(), suffix)));
    for base in scid_bases().into_iter().chain(others) {
        let format = |known: &&str| base.extension().is_some_and(|own| *own == **known);
        let kind = formats.iter().position(format).unwrap_or(0);
        let Ok(files) = chessdb::fs::find(&base).and_then(|found| found.read()) else {
            continue;
        };
        for round in 0..6 {
            let copies: Vec<(PathBuf, Vec<u8>)> = files
                .iter()
                .map(|(role, path, _)| {
                    let mut bytes = chessdb::core::FileSet::get(&files, role).unwrap().to_vec();
                    let has_moves = ["sg4", "sg5", "cbf", "d02", "pgn"].contains(&role.0);
                    if has_moves && round > 0 {
                        for _ in 0..bytes.len() / 50 {
                            let at = rng.below(bytes.len());
                            bytes[at] = match role.0 {
                                "pgn" => 32 + rng.below(95) as u8,
                                _ => rng.below(256) as u8,
                            };
                        }
                    }
                    (path.to_owned(), bytes)
                })
                .collect();
            let options = Database::options().format(files.format().id);
            let Ok(db) = options.open_files(copies) else {
                continue;
            };
            for index in 0..db.len().unwrap().min(60) {
                let (Ok(whole), mut game) = (db.game(index), Game::new()) else {
                    continue;
                };
                let tree = OpeningTree::new(whole.positions().last().unwrap(), 1);
                let mut observer = tree.observer(None);
                db.observe_mainline(index, &mut game, &mut observer)
                    .unwrap();
                let mut expected = tree.observer(None);
                observe_game(&whole, &mut expected);
                assert_eq!(
                    observer.finish(&game),
                    expected.finish(&whole),
                    "{base:?} {round} {index}"
                );
                show_some(&db, index, &whole, &mut rng);
                seen[kind] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen > 250), "{seen:?}");
}

/// An observer that records what it is shown, and the number of half-moves.
struct Notes {
    filter: MoveFilter,
    plies: u32,
    shown: Vec<(u32, PackedMove, Played, Board)>,
    has_no_header: bool,
}

impl MainlineObserver for Notes {
    fn begin(&mut self, _: &Start, _: &Board) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn played(&mut self, mv: PackedMove, played: &Played, board: &Board) -> ControlFlow<()> {
        self.plies += 1;
        self.shown.push((self.plies, mv, *played, board.clone()));
        ControlFlow::Continue(())
    }

    fn move_filter(&self) -> MoveFilter {
        self.filter
    }

    fn passed(&mut self, moves: u32) {
        self.plies += moves;
    }

    fn needs_header(&mut self) -> bool {
        self.has_no_header = true;
        false
    }
}

/// An observer with a move filter is shown the moves it wants, and the header is omitted only if
/// there is nothing to report about it.
fn show_some(db: &Database, index: u32, whole: &Game, rng: &mut Rng) {
    let squares = (0..rng.below(4)).fold(0, |set, _| set | 1_u64 << rng.below(64));
    let filter = MoveFilter {
        squares: Bitboard(squares),
        captures: [0, 4, 12, 24, u8::MAX][rng.below(5)],
    };
    let notes = || Notes {
        filter,
        plies: 0,
        shown: Vec::new(),
        has_no_header: false,
    };
    let (mut some, mut all, mut game) = (notes(), notes(), Game::new());
    db.observe_mainline(index, &mut game, &mut some).unwrap();
    observe_game(whole, &mut all);
    assert_eq!(some.plies, all.plies, "{:?} {index}", db.path());
    assert!(some.shown.iter().all(|seen| all.shown.contains(seen)));
    let is_heeded = |(_, mv, played, board): &(u32, PackedMove, Played, Board)| {
        !mv.is_normal()
            || !((mv.from().bit() | mv.to().bit()) & filter.squares).is_empty()
            || played.captured.is_some() && board.occupied().len() <= filter.captures.into()
    };
    some.shown.retain(is_heeded);
    all.shown.retain(is_heeded);
    assert_eq!(some.shown, all.shown);
    let header = db.header(index).unwrap();
    assert!(!some.has_no_header || !header.is_damaged(), "{index}");
    assert!(some.has_no_header || game.header == header.header || game.header == whole.header);
}

/// `Database::find` is the short way for the same results.
#[test]
fn a_text_finds_what_its_query_finds() {
    let db = Database::open(fixtures::path("scid/masters.si4")).unwrap();
    let mut questions: Vec<String> = questions(&db, 20).iter().map(Query::to_string).collect();
    questions.extend(["", "result:1-0", "-result:1-0", "white:zzz"].map(str::to_owned));
    for question in &questions {
        let found = db.find(question).unwrap().map(|game| {
            let game = game.unwrap();
            assert_eq!(game.moves, db.game(game.index()).unwrap().moves);
            assert_eq!(game.found().ply(), game.found().hit().map(|hit| hit.ply()));
            place(&game)
        });
        let query: Query = question.parse().unwrap();
        assert_eq!(found.collect::<Vec<_>>(), plain(&db, &query), "{question}");
    }
    assert!(questions.len() > 20);
    let error = db.find("result:1-0 elo:high").unwrap_err();
    assert!(
        matches!(error.problem(), Problem::InvalidQuery(_)),
        "{error}"
    );
    assert!(error.to_string().contains("high"), "{error}");
}

/// One unreadable game is an error of the iterator, which continues.
#[test]
fn an_unreadable_game_does_not_end_a_search() {
    let text = "[White \"Tal\"]\n\n1. e4 1-0\n\n[White \"Tal\"]\n\n1. e5 1-0\n\n\
        [White \"Tal\"]\n\n1. d4 1-0\n";
    let options = Database::options().strict(true);
    let db = options
        .open_files([("games.pgn", text.as_bytes())])
        .unwrap();
    let found = db.find("Tal moves:1..").unwrap();
    let found: Vec<_> = found
        .map(|game| game.map(|game| game.number()).map_err(|error| error.game()))
        .collect();
    assert_eq!(found, [Ok(1), Err(Some(2)), Ok(3)]);
}

/// Truncated games that might have matched are counted in the result of the search.
#[test]
fn damaged_games_that_are_left_out_are_counted() {
    let text = "[White \"Tal\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
        [White \"Tal\"]\n\n1. e4 e5 2. Nd7 Nc6 1-0\n\n\
        [White \"Keres\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n";
    let db = Database::options().open_files([("games.pgn", text.as_bytes())]);
    let db = db.unwrap();
    let said = |query: &str, jobs: usize| -> (Vec<u32>, Vec<String>) {
        let mut games = Vec::new();
        let scan = db.scan().filter(query.parse::<Query>().unwrap()).jobs(jobs);
        let found = scan.clone().for_each(|game, _| {
            games.push(game.number());
            ControlFlow::Continue(())
        });
        let found: Vec<String> = found.unwrap().iter().map(ToString::to_string).collect();
        let mut reader = scan.reader();
        let mut game = Game::new();
        while reader.read_into(&mut game).unwrap() {}
        let read: Vec<String> = reader
            .take_diagnostics()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(read, found, "{query}");
        (games, found)
    };
    for jobs in [1, 2] {
        let (games, found) = said("line:\"1.e4 e5 2.Nf3\"", jobs);
        assert_eq!(games, [1, 3]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].ends_with("the readable part of one damaged game does not match: 2"),
            "{found:?}"
        );
        // The header, or the readable part, decides: nothing is missed.
        for query in [
            "white:Tal",
            "white:Keres line:\"1.e4 e5 2.Nf3\"",
            "line:\"1.e4 e5\"",
        ] {
            let (_, found) = said(query, jobs);
            assert_eq!(found, Vec::<String>::new(), "{query}");
        }
    }
}
