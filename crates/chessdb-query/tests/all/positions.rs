//! Positions are found where they occur, and nowhere else.

use chessdb_core::model::Place;
use chessdb_core::{Board, Game, Setup, Start};
use chessdb_query::{Query, QueryOptions};

fn game(sans: &str) -> Game {
    let sans = sans.split_whitespace();
    Game::builder().sans(sans).unwrap().build()
}

fn from_position(fen: &str, sans: &str) -> Game {
    let mut made = Game::new();
    made.header.start = Start::Setup(Box::new(fen.parse::<Setup>().unwrap()));
    let mut board = made.start_board();
    let limits = chessdb_core::limits::Limits::default();
    let mut tape = chessdb_core::model::Movetext::default();
    let mut builder = tape.builder(&limits);
    for san in sans.split_whitespace() {
        let mv = chessdb_core::rules::read_san(&board, san.as_bytes()).unwrap();
        builder.mv(mv).unwrap();
        board.play(mv);
    }
    builder.finish();
    made.moves = tape;
    made
}

/// Returns the half-move of the first hit.
fn ply(query: &str, game: &Game) -> Option<u32> {
    let query: Query = query
        .parse()
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    let found = query.find(game)?;
    Some(found.hit()?.ply())
}

const SICILIAN: &str = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6";

#[test]
fn boards_and_lines() {
    let game = game(SICILIAN);
    let start = Board::standard().to_string();
    assert_eq!(ply(&format!("fen:\"{start}\""), &game), Some(0));
    // After 1.e4 no pawn can capture en passant, so the square does not count.
    let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    assert_eq!(ply(&format!("fen:{e4}"), &game), Some(1));
    assert_eq!(ply(&format!("fen:\"{e4} b\""), &game), Some(1));
    assert_eq!(ply(&format!("fen:\"{e4} w\""), &game), None);
    assert_eq!(ply(&format!("fen!:\"{e4} b KQkq -\""), &game), Some(1));
    assert_eq!(ply(&format!("fen!:\"{e4} b KQkq e3\""), &game), Some(1));
    assert_eq!(ply(&format!("fen!:\"{e4} b KQk -\""), &game), None);
    assert_eq!(ply(&format!("fen:8/8/8/8/8/8/8/8,{e4}"), &game), Some(1));
    assert_eq!(ply("line:\"1.e4 c5 2. Nf3\"", &game), Some(3));
    assert_eq!(ply("line:\"e4 e5\",\"e2e4 c7c5\"", &game), Some(2));
    assert_eq!(ply("line:\"1.e4 e5\"", &game), None);
    // Another order of moves leads to the same position, but is another line.
    assert_eq!(ply("line:\"1.Nf3 c5 2.e4\"", &game), None);
    let query = "fen:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b\"";
    assert_eq!(ply(query, &self::game("Nf3 c5 e4 d6")), Some(3));
    let long = format!("line:\"{SICILIAN} Be3\"");
    assert_eq!(ply(&long, &game), None);
    assert_eq!(ply(&format!("line:\"{SICILIAN}\""), &game), Some(10));
}

#[test]
fn negation_and_alternatives_keep_their_place() {
    let game = game(SICILIAN);
    assert_eq!(ply("(line:e4) (line:\"e4 c5\")", &game), Some(1));
    assert_eq!(ply("line:d4 or line:\"e4 c5\"", &game), Some(2));
    assert_eq!(ply("(sub:Nd4 player:x) or sub:pa6", &game), Some(10));
    let query: Query = "-line:d4 -(sub:pa6 at:..9)".parse().unwrap();
    assert_eq!(
        query.find(&game).map(|found| found.hit().is_none()),
        Some(true)
    );
    assert!(!"-sub:pa6".parse::<Query>().unwrap().matches(&game));
}

#[test]
fn patterns_and_men() {
    let game = game(SICILIAN);
    assert_eq!(ply("sub:\"Nd4 pd6\"", &game), Some(7));
    assert_eq!(ply("sub:Nd4+nf6", &game), Some(8));
    assert_eq!(ply("sub:nd4", &game), None);
    assert_eq!(ply("sub:_d2+_d7", &game), Some(5));
    assert_eq!(ply("sub:Ad4 at:6..", &game), Some(7));
    assert_eq!(ply("sub:!d4", &game), Some(5));
    // Black has just captured on d4, White has just recaptured.
    assert_eq!(ply("pattern:*/*/*/*/3[^P]????/*/*/*", &game), Some(0));
    assert_eq!(ply("pattern:*/*/*/*/???[pN]????/*/*/*", &game), Some(6));
    assert_eq!(
        ply("pattern:\"*/*/*/*/???[pN]????/*/*/* b\"", &game),
        Some(7)
    );
    assert_eq!(ply("pattern:rnbqkbnr/pp1ppppp/8/*/*/*/*/*", &game), Some(2));
    assert_eq!(ply("pattern:*/*/*/8/8/*/*/*", &game), Some(0));
    assert_eq!(ply("pattern:*/*/*/*/*/2N*/*/*", &game), Some(9));
    let with = |query: &str, mirror, flip| {
        let mut options = QueryOptions::default();
        (options.mirror, options.flip) = (mirror, flip);
        let query = Query::parse(query, options).unwrap();
        query.find(&game).map(|found| found.hit().unwrap().ply())
    };
    assert_eq!(with("sub:Ne4", false, false), None);
    assert_eq!(with("sub:Ne4", true, false), Some(7));
    assert_eq!(with("sub:Nc6+Na1", false, true), None);
    assert_eq!(with("sub:Pf5", false, true), None);
    // Black's pawn on c5: White's on c4 with the colors exchanged, on f4 with left and right
    // exchanged too.
    assert_eq!(with("sub:Pc4", false, true), Some(2));
    assert_eq!(with("sub:Pf4", false, true), None);
    assert_eq!(with("sub:Pf4", true, true), Some(2));
    assert_eq!(
        with("pattern:\"*/*/*/*/2P*/*/*/* b\"", false, true),
        Some(2)
    );
    assert_eq!(
        with("pattern:\"*/*/*/*/2P*/*/*/* w\"", false, true),
        Some(3)
    );
}

#[test]
fn material_of_both_colours_and_of_one() {
    let endgame = from_position("8/8/8/3k4/8/2r5/4KP2/5R2 w - - 0 1", "Rd1 Ke4 Rd3 Rxd3");
    assert_eq!(ply("material:KRPKR", &endgame), Some(0));
    assert_eq!(ply("material:KR-KRP", &endgame), Some(0));
    assert_eq!(ply("material:KRPkr", &endgame), Some(0));
    assert_eq!(ply("material:krKRP", &endgame), Some(0));
    assert_eq!(ply("material:KRkrp", &endgame), None);
    assert_eq!(ply("material:KPKR", &endgame), Some(4));
    assert_eq!(ply("material:KPKR,KRPKR", &endgame), Some(0));
    assert_eq!(ply("material:KP1-3R*KR", &endgame), Some(0));
    assert_eq!(ply("material:KP2+KR", &endgame), None);
    assert_eq!(ply("material:KRPKR for:4", &endgame), Some(0));
    assert_eq!(ply("material:KRPKR for:5", &endgame), None);
    assert_eq!(ply("material:KRPKR at:2..", &endgame), Some(2));
    assert_eq!(ply("material:KRPKR at:2..3 for:2", &endgame), Some(2));
    assert_eq!(ply("material:KRPKR at:2..3 for:3", &endgame), None);
    assert_eq!(ply("material:KRPKR sub:Rd3", &endgame), Some(3));
    assert_eq!(ply("material:KPKR sub:Rd3", &endgame), None);
    let minors = from_position("8/8/8/3k4/8/2n5/4KB2/5N2 w - - 0 1", "");
    for query in ["KM2KM", "KMBKN", "KBNKM", "KM1-2KM", "KMMkm"] {
        assert_eq!(
            ply(&format!("material:{query}"), &minors),
            Some(0),
            "{query}"
        );
    }
    for query in ["KMKM", "KBBMKM", "KM3KM", "kmmKM"] {
        assert_eq!(ply(&format!("material:{query}"), &minors), None, "{query}");
    }
}

/// Promotions produce pieces, so no search ends before them.
#[test]
fn promotions_are_awaited() {
    let game = from_position("8/3PP3/8/8/8/8/k7/2K5 w - - 0 1", "d8=Q Kb3 e8=N Kc4 Qc7");
    assert_eq!(ply("material:KQNK", &game), Some(3));
    assert_eq!(ply("material:KQPK", &game), Some(1));
    assert_eq!(ply("material:KQQK", &game), None);
    assert_eq!(ply("sub:Qc7", &game), Some(5));
}

#[test]
fn a_promoted_piece_is_also_a_minor_piece() {
    // After the capture two pawns are left for a knight, and for a further minor piece.
    let game = from_position("8/PP6/8/8/8/8/2p5/k1K5 w - - 0 1", "Kxc2 Ka2 a8=N Ka3 b8=B");
    assert_eq!(ply("material:KMNK", &game), Some(5));
}

#[test]
fn variations_count_only_if_asked_for() {
    let mut game = Game::new();
    let limits = chessdb_core::limits::Limits::default();
    let board = Board::standard();
    let mv =
        |board: &Board, san: &str| chessdb_core::rules::read_san(board, san.as_bytes()).unwrap();
    let (e4, d4) = (mv(&board, "e4"), mv(&board, "d4"));
    let (mut after_e4, mut after_d4) = (board.clone(), board);
    after_e4.play(e4);
    after_d4.play(d4);
    let mut tape = chessdb_core::model::Movetext::default();
    let mut builder = tape.builder(&limits);
    // 1.e4 (1.d4 d5 (1...f5)) 1...c5
    builder.mv(e4).unwrap();
    builder.open().unwrap();
    builder
        .comment(Place::Before, chessdb_core::text::TextId::NONE)
        .unwrap();
    builder.mv(d4).unwrap();
    builder.mv(mv(&after_d4, "d5")).unwrap();
    builder.open().unwrap();
    builder.mv(mv(&after_d4, "f5")).unwrap();
    builder.close();
    builder.close();
    builder.mv(mv(&after_e4, "c5")).unwrap();
    builder.finish();
    game.moves = tape;
    let all = QueryOptions {
        in_variations: true,
        ..options()
    };
    for (query, main, any) in [
        ("line:d4", None, Some(1)),
        ("line:\"d4 f5\"", None, Some(2)),
        ("line:\"e4 f5\"", None, None),
        ("line:\"e4 c5\"", Some(2), Some(2)),
        ("sub:Pd4+pf5", None, Some(2)),
        ("sub:Pe4+pf5", None, None),
        ("sub:Pd4+pd5+pf5", None, None),
        ("sub:Pd4 for:2", None, Some(1)),
        ("sub:Pd4 for:3", None, None),
    ] {
        let plies = |options| {
            let query = Query::parse(query, options).unwrap();
            query.find(&game).map(|found| found.hit().unwrap().ply())
        };
        assert_eq!((plies(options()), plies(all)), (main, any), "{query}");
    }
}

fn options() -> QueryOptions {
    QueryOptions::default()
}

#[test]
fn bishops_of_opposite_and_of_the_same_colour() {
    let find = |query: &str, fen: &str, moves: &str| {
        let game = Game::builder().fen(fen).unwrap();
        let game = game.sans(moves.split_whitespace()).unwrap().build();
        let query: Query = query.parse().unwrap();
        query
            .find(&game)
            .map(|found| found.hit().map(|hit| hit.ply()))
    };
    let opposite = "6k1/5b2/8/8/8/8/1P3B2/4K3 w - - 0 1";
    let same = "6k1/6b1/8/8/8/8/1P3B2/4K3 w - - 0 1";
    for (query, of_opposite, of_same) in [
        ("bishops:opposite", true, false),
        ("bishops:same", false, true),
        ("bishops:opposite,same", true, true),
        ("-bishops:opposite", false, true),
        ("material:KBPKB bishops:opposite", true, false),
        ("bishops:same material:KBPKB", false, true),
        ("material:KBPkb bishops:Opposite at:0..1", true, false),
        ("material:KBKB bishops:opposite", false, false),
    ] {
        assert_eq!(
            find(query, opposite, "Kd2").is_some(),
            of_opposite,
            "{query}"
        );
        assert_eq!(find(query, same, "Kd2").is_some(), of_same, "{query}");
    }
    // After captures, and by a promotion. Two bishops of one side match neither.
    let pair = "6k1/4b3/8/8/7N/8/1P3BB1/4K3 b - - 0 1";
    assert_eq!(find("bishops:same", pair, "Kf7"), None);
    assert_eq!(find("bishops:opposite", pair, "Bxh4 Bxh4"), None);
    let taken = "6k1/3b4/8/8/6B1/8/1P3B2/4K3 b - - 0 1";
    assert_eq!(find("bishops:opposite", taken, "Bxg4 Kd2"), Some(Some(1)));
    let promoted = "8/P5k1/3b4/8/8/8/8/4K3 w - - 0 1";
    assert_eq!(find("bishops:same", promoted, "a8=B"), None);
    assert_eq!(find("bishops:opposite", promoted, "a8=B"), Some(Some(1)));
    assert_eq!(
        find("material:KBKB bishops:opposite", promoted, "a8=B"),
        Some(Some(1))
    );
    assert!("bishops:white".parse::<Query>().is_err());
}
