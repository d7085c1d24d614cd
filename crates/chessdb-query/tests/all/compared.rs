//! Copies of a few new games in a database: the games that are ruled out change nothing.

use chessdb_core::Game;
use chessdb_query::duplicates::{
    Candidate, ComparedGames, DuplicateRule, Duplicates, find_duplicates,
};
use chessdb_testkit::rng::Rng;

const RULES: [DuplicateRule; 3] = [
    DuplicateRule::Strict,
    DuplicateRule::Sure,
    DuplicateRule::Likely,
];

const LINES: [&str; 4] = [
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 Bc2 Re8 Nf1 \
     Bf8 Ng3 g6 a4 c5 d5 c4 Bg5 h6 Be3 Nc5",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7 Nbd2 cxd4 cxd4 \
     Nc6 Nb3 a5 Be3 a4 Nbd2 Bd7",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6 d5 Ne7 Ne1 Nd7 Nd3 f5 Bd2 Nf6 f3 f4 c5 g5",
    "c4 e5 Nc3 Nf6",
];

fn pick<'t>(rng: &mut Rng, texts: &[&'t str]) -> &'t str {
    texts[rng.below(texts.len())]
}

/// What a game is made of.
#[derive(Clone)]
struct Facts {
    players: [String; 2],
    event: &'static str,
    round: &'static str,
    date: String,
    id: Option<String>,
    moves: Vec<&'static str>,
}

impl Facts {
    /// Returns any game of one of `players` players.
    fn any(rng: &mut Rng, players: usize, dates: &[&str]) -> Facts {
        let mut player = || {
            format!(
                "Player {}, Ann",
                ["One", "Two", "Six", "Ten"][rng.below(4)].repeat(1 + rng.below(players))
            )
        };
        let players = [player(), player()];
        let mut moves: Vec<&str> = pick(rng, &LINES).split_whitespace().collect();
        if rng.below(3) == 0 {
            moves.truncate(rng.below(moves.len() + 1));
        }
        Facts {
            players,
            event: pick(rng, &["Riga", "Riga open", "Tallinn"]),
            round: pick(rng, &["1", "2", "?"]),
            date: pick(rng, dates).to_owned(),
            id: (rng.below(8) == 0).then(|| rng.below(20).to_string()),
            moves,
        }
    }

    /// Returns the game as another database may have it.
    fn copied(&self, rng: &mut Rng) -> Facts {
        let mut copy = self.clone();
        match rng.below(5) {
            0 => copy.players = copy.players.map(|name| name.replace(", Ann", ",A")),
            1 => copy.moves.truncate(copy.moves.len() * 3 / 4),
            2 => copy.round = "?",
            3 => copy.date = copy.date.get(..4).unwrap_or_default().to_owned() + ".??.??",
            _ => copy.id = None,
        }
        copy
    }

    fn game(&self) -> Game {
        let [white, black] = &self.players;
        let game = Game::builder()
            .white(white)
            .black(black)
            .event(self.event)
            .round(self.round)
            .date(&self.date);
        let game = match &self.id {
            Some(id) => game.tag("GameId", id),
            None => game,
        };
        game.sans(self.moves.iter().copied()).unwrap().build()
    }
}

/// Returns which of the first `new` games are copies of later ones.
fn with_copies(groups: &[Duplicates], new: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for group in groups {
        let mut members = group.others.clone();
        members.push(group.kept);
        if members.iter().any(|n| *n >= new) {
            found.extend(members.into_iter().filter(|n| *n < new));
        }
    }
    found.sort_unstable();
    found
}

/// Compares a few new games with a database: with all of its games, and with those that are not
/// ruled out. Returns the new games that have copies, and the number of games that are left.
fn compare_both(new: &[Facts], base: &[Facts], by: DuplicateRule) -> ([Vec<usize>; 2], usize) {
    let candidates = |facts: &[Facts]| -> Vec<(Game, Candidate)> {
        let games = facts.iter().map(Facts::game);
        games
            .map(|game| (game.clone(), Candidate::from_game(&game)))
            .collect()
    };
    let only_candidates = |games: Vec<(Game, Candidate)>| -> Vec<Candidate> {
        games.into_iter().map(|(_, candidate)| candidate).collect()
    };
    let new = only_candidates(candidates(new));
    let compared = ComparedGames::new(&&new[..], by);
    let query = compared.query();
    let all = candidates(base);
    let mut left = all.clone();
    left.retain(|(game, _)| query.matches(game) && compared.candidate(game).is_some());
    let number_left = left.len();
    let copies = [all, left].map(|base| {
        let all = [new.clone(), only_candidates(base)].concat();
        with_copies(&find_duplicates(&all, by), new.len())
    });
    (copies, number_left)
}

#[test]
fn games_that_are_ruled_out_are_no_copies() {
    let new_dates = ["1959.09.07", "1959.09.08", "1959.12.31"];
    let base_dates = [
        "1959.09.07",
        "1960.01.01",
        "1959.10.01",
        "1959.03.09",
        "1961.01.01",
        "1950.05.05",
    ];
    let mut copies = 0;
    let mut ruled_out = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let new: Vec<Facts> = (0..8)
            .map(|_| Facts::any(&mut rng, 20, &new_dates))
            .collect();
        let mut base: Vec<Facts> = (0..60)
            .map(|_| Facts::any(&mut rng, 20, &base_dates))
            .collect();
        for game in new.iter().take(4) {
            let place = rng.below(base.len());
            base.insert(place, game.copied(&mut rng));
        }
        for by in RULES {
            let ([among_all, among_left], left) = compare_both(&new, &base, by);
            assert_eq!(among_all, among_left, "seed {seed}, {by:?}");
            copies += among_all.len();
            ruled_out += base.len() - left;
        }
    }
    assert!(
        copies > 400 && ruled_out > 3_600,
        "{copies} copies, {ruled_out} ruled out"
    );
}

/// A game with a partial date may be a copy of either of two games with other dates. Without the
/// one that is ruled out, it is a copy of the other.
#[test]
fn games_of_two_dates_find_at_least_as_many_copies() {
    let dates = [
        "1959.09.07",
        "1959.09.08",
        "1959.09.??",
        "1959.??.??",
        "????.??.??",
        "1958.01.02",
    ];
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let new: Vec<Facts> = (0..8).map(|_| Facts::any(&mut rng, 1, &dates)).collect();
        let base: Vec<Facts> = (0..60).map(|_| Facts::any(&mut rng, 1, &dates)).collect();
        for by in RULES {
            let ([among_all, among_left], _) = compare_both(&new, &base, by);
            for n in among_all {
                assert!(among_left.contains(&n), "seed {seed}, {by:?}, game {n}");
            }
        }
    }
}
