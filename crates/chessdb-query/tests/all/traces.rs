//! What is kept of games, compared with a tree that reads every game.

use chessdb_core::search::observe_game;
use chessdb_core::{Board, Color, Game, Outcome};
use chessdb_query::tree::traces::{GameTraces, TraceAnswer, TraceSearch};
use chessdb_query::tree::{OpeningTree, TreeLine};
use chessdb_testkit::rng::Rng;

/// Moves that lead to the same positions again, before and after the half-moves that are kept.
const WHITE: [&str; 8] = ["Nf3", "Nc3", "Ng1", "Nb1", "Rg1", "Rh1", "a3", "h3"];
const BLACK: [&str; 8] = ["Nf6", "Nc6", "Ng8", "Nb8", "Rg8", "Rh8", "a6", "h6"];

fn games(rng: &mut Rng, number: usize) -> Vec<Game> {
    let outcomes = [
        Outcome::WhiteWins,
        Outcome::BlackWins,
        Outcome::Draw,
        Outcome::Unknown,
    ];
    let made = (0..number).map(|_| {
        let mut game = Game::builder()
            .date(&format!("{}.01.01", 1950 + rng.below(6)))
            .result(rng.pick(&outcomes));
        if rng.chance(70) {
            game = game.elo(Color::White, 2000 + rng.below(500) as u16);
        }
        if rng.chance(70) {
            game = game.elo(Color::Black, 2000 + rng.below(500) as u16);
        }
        if rng.chance(5) {
            game = game.tag("Variant", "Crazyhouse");
        }
        let plies = rng.below(70);
        for ply in 0..plies {
            let moves = if ply % 2 == 0 { WHITE } else { BLACK };
            // Most moves are possible; a null move is none of the legal moves.
            let next = (0..20).find_map(|_| game.clone().san(rng.pick(&moves)).ok());
            game = match next {
                Some(next) => next,
                None => game.mv(chessdb_core::PackedMove::NULL),
            };
        }
        game.build()
    });
    made.collect()
}

/// Returns the contribution of a game by the traces, and whether the game had to be read.
fn line(
    traces: &mut GameTraces,
    tree: &OpeningTree,
    search: &TraceSearch,
    (index, game): (u32, &Game),
) -> (Option<TreeLine>, bool) {
    match traces.look(index, search) {
        TraceAnswer::Absent => (None, false),
        TraceAnswer::Found(line) => (Some(line), false),
        TraceAnswer::Unknown => {
            let mut observer = GameTraces::observer(tree);
            observe_game(game, &mut observer);
            let (seen, line) = observer.finish(game);
            traces.keep(index, &seen);
            (line, true)
        }
    }
}

#[test]
fn answers_are_those_of_a_tree_that_reads_every_game() {
    let mut rng = Rng::new(7);
    let games = games(&mut rng, 60);
    let mut traces = GameTraces::new(games.len() as u32 - 1);
    let mut boards = vec![Board::standard()];
    for game in &games {
        let mut board = game.start_board();
        boards.extend(game.mainline().map(|mv| {
            board.play(mv);
            board.clone()
        }));
    }
    let (mut read, mut asked, mut excluded) = (0, 0, 0);
    for n in 0..600 {
        let at = if n == 0 { 0 } else { rng.below(boards.len()) };
        let tree = OpeningTree::new(boards[at].clone(), 1);
        let search = TraceSearch::new(&boards[at]);
        for of in (0..).zip(&games) {
            let has_position = OpeningTree::new(boards[at].clone(), 1)
                .count_variants(true)
                .line(of.1)
                .is_some();
            let may_have = traces.may_have(of.0, &search);
            assert!(
                may_have || !has_position,
                "game {} and {}",
                of.0,
                boards[at]
            );
            excluded += u32::from(!may_have);
            let (found, is_read) = line(&mut traces, &tree, &search, of);
            assert_eq!(found, tree.line(of.1), "game {} and {}", of.0, boards[at]);
            (read, asked) = (read + u32::from(is_read), asked + 1);
        }
        if rng.chance(5) {
            traces.forget(rng.below(games.len()) as u32);
        }
    }
    // The traces must save most of the work, or they are of no use.
    assert!(read < asked / 2, "{read} of {asked} games were read");
    assert!(
        excluded > asked / 4,
        "{excluded} of {asked} games are excluded"
    );
}
