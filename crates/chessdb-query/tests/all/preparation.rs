//! What a player plays, compared with a plain loop over all games and positions.

use std::collections::{BTreeMap, BTreeSet};

use chessdb_core::{Board, Color, Game, Outcome, PackedMove};
use chessdb_query::preparation::{Preparation, PreparedGame};
use chessdb_query::stats::GameLabel;
use chessdb_query::stats::player::PlayerFilter;
use chessdb_testkit::rng::Rng;

/// Moves of each side that can be played in any order, so that games transpose, and that can be
/// taken back, so that positions occur twice.
const WHITE: [&str; 6] = ["Nf3", "Nc3", "g3", "b3", "Ng1", "Nb1"];
const BLACK: [&str; 6] = ["Nf6", "Nc6", "g6", "b6", "Ng8", "Nb8"];

fn games(seed: u64, number: usize) -> Vec<Game> {
    let mut rng = Rng::new(seed);
    let mut made = Vec::new();
    while made.len() < number {
        let names = ["Tal, M", "Keres, P", "Geller"];
        let [white, black] = [(); 2].map(|()| rng.pick(&names));
        let outcomes = [
            Outcome::WhiteWins,
            Outcome::BlackWins,
            Outcome::Draw,
            Outcome::Unknown,
        ];
        let mut game = Game::builder()
            .white(white)
            .black(black)
            .date(&format!("{}.01.01", 1950 + rng.below(6)))
            .elo(Color::White, 2000 + rng.below(500) as u16)
            .elo(Color::Black, 2000 + rng.below(500) as u16)
            .result(rng.pick(&outcomes));
        for ply in 0..rng.below(9) {
            let moves = if ply % 2 == 0 { WHITE } else { BLACK };
            game = match game.clone().san(rng.pick(&moves)) {
                Ok(next) => next,
                Err(_) => break,
            };
        }
        made.push(game.build());
    }
    made
}

/// Returns the position before each move and the move, at the first occurrence of each position,
/// and the position at the end without a move.
fn first_occurrences(game: &Game) -> Vec<(u64, Option<PackedMove>)> {
    let moves: Vec<PackedMove> = game.mainline().collect();
    let mut board = game.start_board();
    let mut found: Vec<(u64, Option<PackedMove>)> = Vec::new();
    for n in 0..=moves.len() {
        let (key, mv) = (board.placement_key(), moves.get(n).copied());
        if !found.iter().any(|(known, _)| *known == key) {
            found.push((key, mv));
        }
        if let Some(mv) = mv {
            board.play(mv);
        }
    }
    found
}

#[test]
fn moves_and_scores_are_those_of_a_plain_loop() {
    let tal = PlayerFilter::new("Tal").unwrap();
    for seed in 0..30 {
        let games = games(seed, 150);
        let label = |game: &Game, n: usize| GameLabel::new(game, "games", n as u32);
        let mut preparation = Preparation::default();
        for (n, game) in games.iter().enumerate() {
            let sides = tal.sides(game);
            if sides != [false, false] {
                preparation.add(PreparedGame::from_game(game, sides, || label(game, n)));
            }
        }
        let mut comparison = preparation.comparison(2);
        let search = comparison.search();
        for (n, game) in games.iter().enumerate() {
            let matches = search.matches(game, tal.sides(game) != [false, false]);
            comparison.add(&matches, || label(game, n));
        }
        preparation.complete(comparison);
        let recent = preparation.recent_since();
        for side in Color::ALL {
            let is_his = |game: &&Game| side.pick(tal.sides(game)[0], tal.sides(game)[1]);
            let is_others = |game: &&Game| tal.sides(game) == [false, false];
            // For each position its games and those with each move: his, recent, of others.
            let mut counts: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
            let mut moves: BTreeMap<(u64, String), [u64; 4]> = BTreeMap::new();
            for game in &games {
                for (key, mv) in first_occurrences(game) {
                    let (his, others) = (is_his(&game), is_others(&game));
                    let of = counts.entry(key).or_default();
                    of[0] += u64::from(his);
                    of[1] += u64::from(others && mv.is_some());
                    let Some(mv) = mv else { continue };
                    let of = moves.entry((key, mv.to_string())).or_default();
                    let won = game.result() == side.pick(Outcome::WhiteWins, Outcome::BlackWins);
                    of[0] += u64::from(his);
                    of[1] += u64::from(his && game.date().year >= recent);
                    of[2] += u64::from(others);
                    of[3] += u64::from(his && won);
                }
            }
            let repertoire = preparation.repertoire(side, 2);
            assert!(!repertoire.is_empty(), "seed {seed}");
            let mut listed = BTreeSet::new();
            for position in &repertoire {
                let key = position.board.placement_key();
                assert!(listed.insert(key), "seed {seed}: listed twice");
                let mut board = Board::standard();
                for &mv in &position.line {
                    board.play(mv);
                }
                assert_eq!(board.placement_key(), key, "seed {seed}");
                let found = [position.tally.games, position.others.games];
                assert_eq!(found, counts[&key], "seed {seed} {}", position.san_line());
                let wanted = moves
                    .iter()
                    .filter(|((of, _), counts)| *of == key && counts[0] > 0);
                assert_eq!(position.moves.len(), wanted.count(), "seed {seed}");
                for mv in &position.moves {
                    let wins = mv.tally.wins(side);
                    let found = [mv.tally.games, mv.recent, mv.others.games, wins];
                    assert_eq!(
                        found,
                        moves[&(key, mv.mv.to_string())],
                        "seed {seed} {}",
                        mv.san
                    );
                    let best = mv.best.as_ref().map(|game| game.ratings[side.pick(1, 0)]);
                    let ratings = games.iter().filter(is_his).filter(|game| {
                        game.result() == side.pick(Outcome::WhiteWins, Outcome::BlackWins)
                            && first_occurrences(game).contains(&(key, Some(mv.mv)))
                    });
                    let highest = ratings.map(|game| game.rating(side.other()).map(|r| r.value));
                    assert_eq!(best, highest.max(), "seed {seed} {}", mv.san);
                }
            }
        }
    }
}

#[test]
fn a_move_is_new_if_no_older_game_has_its_position() {
    let game = |white: &str, year: u16, moves: &str| {
        let game = Game::builder()
            .white(white)
            .black("Geller")
            .date(&format!("{year}.01.01"));
        game.sans(moves.split(' ')).unwrap().build()
    };
    let games = [
        game("Keres", 1950, "e4 c5 Nf3 d6"),
        game("Smyslov", 1951, "Nf3 c5 e4 d6"),
        game("Tal", 1955, "e4 c5 Nf3 d6 Bb5"),
        game("Tal", 1957, "e4 c5 Nf3 d6 Bb5"),
        game("Spassky", 1960, "e4 c5 c3"),
        game("Tal", 1952, "e4 c5 c3"),
    ];
    let tal = PlayerFilter::new("Tal").unwrap();
    let mut preparation = Preparation::default();
    let label = |game: &Game, n: usize| GameLabel::new(game, "games", n as u32 + 1);
    for (n, game) in games
        .iter()
        .enumerate()
        .filter(|(_, game)| tal.sides(game)[0])
    {
        preparation.add(PreparedGame::from_game(game, tal.sides(game), || {
            label(game, n)
        }));
    }
    let mut comparison = preparation.comparison(1);
    let search = comparison.search();
    for (n, game) in games.iter().enumerate() {
        comparison.add(&search.matches(game, tal.sides(game)[0]), || label(game, n));
    }
    preparation.complete(comparison);
    let new = preparation.new_moves(1);
    let found = new
        .iter()
        .map(|new| (new.game.number, new.novelty.games(), new.novelty.san()));
    let found: Vec<_> = found.collect();
    assert_eq!(
        found,
        [
            (3, 2, Some("Bb5+".to_owned())),
            (6, 1, Some("c3".to_owned()))
        ]
    );
    let repertoire = preparation.repertoire(Color::White, 1);
    let deviations = preparation.deviations(Color::White, &repertoire, 1);
    let found: Vec<_> = deviations
        .iter()
        .map(|found| found.position.san_line())
        .collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_deviation_is_a_move_that_others_rarely_play() {
    let game = |white: &str, moves: &str| {
        Game::builder()
            .white(white)
            .sans(moves.split(' '))
            .unwrap()
            .build()
    };
    let mut games = vec![
        game("Tal", "e4 e5 Bc4"),
        game("Tal", "e4 e5 Bc4"),
        game("Tal", "e4 e5 d4"),
    ];
    games.extend((0..10).map(|_| game("Keres", "e4 e5 Nf3")));
    games.push(game("Keres", "e4 e5 Bc4"));
    let tal = PlayerFilter::new("Tal").unwrap();
    let mut preparation = Preparation::default();
    let label = |game: &Game| GameLabel::new(game, "games", 1);
    for game in games.iter().filter(|game| tal.sides(game)[0]) {
        preparation.add(PreparedGame::from_game(game, tal.sides(game), || {
            label(game)
        }));
    }
    let mut comparison = preparation.comparison(1);
    let search = comparison.search();
    for game in &games {
        comparison.add(&search.matches(game, tal.sides(game)[0]), || label(game));
    }
    preparation.complete(comparison);
    let repertoire = preparation.repertoire(Color::White, 1);
    let found = |least| preparation.deviations(Color::White, &repertoire, least);
    let [deviation] = &found(11)[..] else {
        panic!("{:?}", found(11))
    };
    assert_eq!(deviation.position.san_line(), "1.e4 e5");
    assert_eq!(deviation.position.moves[deviation.choice].san, "Bc4");
    assert_eq!(deviation.usual, ("Nf3".to_owned(), 10));
    assert!(found(12).is_empty(), "too few games of others");
}
