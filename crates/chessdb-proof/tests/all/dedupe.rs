//! Search for duplicates: typically modified copies are found, and different games are not taken
//! for copies.

use std::collections::{BTreeMap, HashMap};

use chessdb::core::Color;
use chessdb::core::limits::Limits;
use chessdb::query::duplicates::{Candidate, DuplicateRule, find_duplicates};
use chessdb::{Database, Game};
use chessdb_testkit::fixtures;
use chessdb_testkit::rng::Rng;

/// The number of games taken from the corpus; all if `CHESSDB_THOROUGH` is set.
const GAMES: usize = 5_000;

/// A modification of a copied game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    Nothing,
    /// The last third of the moves is missing, as in a game that was transmitted move by move.
    Cut,
    /// First names are abbreviated to initials or written before the last name.
    Respelt,
    /// A name has a wrong letter, and the last move is missing.
    Mistyped,
}

const CHANGES: [Change; 4] = [
    Change::Nothing,
    Change::Cut,
    Change::Respelt,
    Change::Mistyped,
];

fn keep(game: &mut Game, plies: usize) {
    let moves: Vec<_> = game.mainline().take(plies).collect();
    let mut tape = game.moves.builder(&Limits::default());
    for mv in moves {
        tape.mv(mv).unwrap();
    }
    tape.finish();
}

fn rename(game: &mut Game, change: impl Fn(&str) -> String) {
    for (color, tag) in Color::ALL.into_iter().zip(["White", "Black"]) {
        let name = match color {
            Color::White => game.white(),
            Color::Black => game.black(),
        };
        let name = change(&name);
        game.set_tag(tag, &name);
    }
}

fn respelt(name: &str, turn: bool) -> String {
    let parts = name.split_once(',');
    match parts.map(|(last, first)| (last, first.trim())) {
        Some((last, first)) if turn => format!("{first} {last}"),
        Some((last, first)) => format!("{last}, {}.", first.chars().next().unwrap_or('?')),
        None => name.to_owned(),
    }
}

/// Replaces the fourth letter of a sufficiently long name.
fn mistyped(name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    if letters.len() > 5 && letters[3].is_ascii_lowercase() {
        letters[3] = if letters[3] == 'e' { 'a' } else { 'e' };
    }
    letters.into_iter().collect()
}

fn changed(game: &Game, change: Change, rng: &mut Rng) -> Game {
    let mut copy = game.clone();
    let plies = game.plies() as usize;
    match change {
        Change::Nothing => {}
        Change::Cut => keep(&mut copy, plies - plies / 3),
        Change::Respelt => {
            let turn = rng.chance(50);
            rename(&mut copy, |name| respelt(name, turn));
        }
        Change::Mistyped => {
            rename(&mut copy, mistyped);
            keep(&mut copy, plies.saturating_sub(1));
        }
    }
    copy
}

/// Returns the group number of each game that has duplicates.
fn groups(games: &[Candidate], by: DuplicateRule) -> HashMap<usize, usize> {
    let mut groups = HashMap::new();
    for (number, group) in find_duplicates(games, by).into_iter().enumerate() {
        let all = group.others.into_iter().chain([group.kept]);
        groups.extend(all.map(|game| (game, number)));
    }
    groups
}

#[test]
fn copies_are_found_and_nothing_else() {
    let Some(path) = fixtures::testdata("corpus/games-100k.pgn.zst") else {
        return;
    };
    let thorough = std::env::var_os("CHESSDB_THOROUGH").is_some();
    let max_games = if thorough { usize::MAX } else { GAMES };
    let db = Database::options().streaming(true).open(path).unwrap();
    let games: Vec<Game> = db.games().take(max_games).map(Result::unwrap).collect();
    let mut rng = Rng::new(17);
    let mut all: Vec<Candidate> = games
        .iter()
        .map(|game| Candidate::from_game(game))
        .collect();
    let originals = all.len();
    let mut copies: Vec<(usize, Change)> = (0..originals).map(|n| (n, CHANGES[n % 4])).collect();
    for n in (1..copies.len()).rev() {
        copies.swap(n, rng.below(n + 1));
    }
    for &(origin, change) in &copies {
        all.push(Candidate::from_game(&changed(
            &games[origin],
            change,
            &mut rng,
        )));
    }
    for (by, sought) in [
        (DuplicateRule::Strict, &CHANGES[..1]),
        (DuplicateRule::Sure, &CHANGES[..2]),
        (DuplicateRule::Likely, &CHANGES[..]),
    ] {
        let alone = groups(&all[..originals], by);
        let grouped = groups(&all, by);
        let mut tally: BTreeMap<Change, (u64, u64)> = BTreeMap::new();
        for (place, &(origin, change)) in copies.iter().enumerate() {
            let (copy, original) = (grouped.get(&(originals + place)), grouped.get(&origin));
            let counts = tally.entry(change).or_default();
            if copy.is_some() && copy == original {
                counts.0 += 1;
            } else {
                counts.1 += 1;
            }
        }
        // Counts pairs of different games that are in one group only because of their copies.
        let mut joined: HashMap<usize, usize> = HashMap::new();
        let mut wrong = 0;
        for (&game, &group) in &grouped {
            let origin = if game < originals { game } else { copies[game - originals].0 };
            let other = *joined.entry(group).or_insert(origin);
            let same = alone
                .get(&origin)
                .is_some_and(|one| alone.get(&other) == Some(one));
            wrong += u64::from(origin != other && !same);
        }
        println!("{by:?}: found and missed {tally:?}, wrong {wrong}");
        for change in sought {
            let (hits, missed) = tally[change];
            // When this was written, 35 of 1,250 cut games were missed at `Sure`: draws and short
            // games without a round, of which there may be two on one day.
            assert!(
                missed * 100 <= 3 * (hits + missed),
                "{by:?}: {change:?}: {missed} missed"
            );
        }
        assert!(wrong * 1000 <= originals as u64, "{by:?}: {wrong} wrong");
    }
}
