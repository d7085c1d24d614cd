//! Scores, cross-tables and novelties, compared with plain loops.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use chessdb_core::{Color, Game, Outcome};
use chessdb_query::novelty::Novelties;
use chessdb_query::stats::crosstable::{Crosstable, Crosstables, TableEntry, TableKind};
use chessdb_query::stats::groups::{GROUP_KEYS, GroupKey, Groups};
use chessdb_query::stats::player::{PlayerEntry, PlayerFilter, PlayerReport};
use chessdb_query::stats::{GameLabel, GameStats, Stats};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

/// Moves of each side that can be played in any order, so that games transpose.
const WHITE: [&str; 5] = ["Nf3", "Nc3", "g3", "b3", "a3"];
const BLACK: [&str; 5] = ["Nf6", "Nc6", "g6", "b6", "a6"];

const OUTCOMES: [Outcome; 4] = [
    Outcome::WhiteWins,
    Outcome::BlackWins,
    Outcome::Draw,
    Outcome::Unknown,
];

/// Returns random games of few players, in two events.
fn games(seed: u64, number: usize) -> Vec<Game> {
    let mut rng = Rng::new(seed);
    let mut made = Vec::new();
    while made.len() < number {
        let names = [
            "Tal, M",
            "TAL, M",
            "Kérés, P",
            "Keres, P",
            "Bronstein",
            "Geller",
            "?",
        ];
        let [white, black] = [(); 2].map(|()| rng.pick(&names));
        let mut moves = Vec::new();
        let [mut whites, mut blacks] = [WHITE.to_vec(), BLACK.to_vec()];
        // Without moves, a game without an opponent is a bye.
        let least = usize::from([white, black].contains(&"?"));
        for _ in 0..rng.below(5).max(least) {
            let at = rng.below(whites.len());
            moves.push(whites.remove(at));
            let at = rng.below(blacks.len());
            moves.push(blacks.remove(at));
        }
        let year = 1950 + rng.below(3);
        let game = Game::builder()
            .white(white)
            .black(black)
            .event(rng.pick(&["Zürich", "Zurich", "Bled"]))
            .date(&format!("{year}.0{}.01", 1 + rng.below(9)))
            .round(rng.pick(&["1", "2", "?"]))
            .result(rng.pick(&OUTCOMES));
        let game = if rng.chance(70) {
            game.elo(Color::White, 2000 + rng.below(800) as u16)
        } else {
            game
        };
        made.push(game.sans(moves).unwrap().build());
    }
    made
}

fn folded(name: &str) -> String {
    let mut out = String::new();
    chessdb_query::names::fold(name, &mut out);
    out
}

fn name(game: &Game, side: Color) -> String {
    side.pick(game.white(), game.black()).into_owned()
}

/// Returns half points of White and Black.
fn half_points(game: &Game) -> Option<[u32; 2]> {
    match game.result() {
        Outcome::WhiteWins => Some([2, 0]),
        Outcome::BlackWins => Some([0, 2]),
        Outcome::Draw => Some([1, 1]),
        Outcome::Unknown => None,
    }
}

#[test]
fn lengths_are_those_of_the_mainlines() {
    let (mut stats, mut expected) = (Stats::default(), BTreeMap::new());
    for seed in 0..100 {
        let game = strategy::game(seed, &GameOptions::all());
        *expected.entry(game.plies().div_ceil(2)).or_insert(0) += 1;
        stats.add(GameStats::from_game(&game));
    }
    assert!(stats.annotations.variations.0 > 0);
    assert_eq!(stats.lengths, expected);
}

#[test]
fn scores_by_player_are_those_of_a_plain_loop() {
    for seed in 0..20 {
        let games = games(seed, 200);
        let mut groups = Groups::new(GroupKey::Player);
        let mut plain: BTreeMap<String, [u64; 4]> = BTreeMap::new();
        for game in &games {
            groups.add(groups.entry(game));
            for side in Color::ALL {
                let name = name(game, side).trim_matches('?').to_owned();
                let sum = plain.entry(name).or_default();
                sum[0] += 1;
                if let Some(points) = half_points(game) {
                    sum[1 + points[side as usize] as usize] += 1;
                }
            }
        }
        assert_eq!(groups.len(), plain.len());
        let values = groups.most(usize::MAX);
        assert!(
            values
                .windows(2)
                .all(|two| two[0].1.games() >= two[1].1.games())
        );
        for (name, score) in values {
            let found = [score.games(), score.losses(), score.draws(), score.wins()];
            assert_eq!(found, plain[name], "{name}");
        }
    }
}

#[test]
fn every_key_counts_every_game_once() {
    let games = games(7, 100);
    for key in GROUP_KEYS {
        let key: GroupKey = key.replace("position:N", "position:4").parse().unwrap();
        let mut groups = Groups::new(key.clone());
        for game in &games {
            groups.add(groups.entry(game));
        }
        let times = if key == GroupKey::Player { 2 } else { 1 };
        let values = groups.most(usize::MAX);
        let sum: u64 = if key.is_of_players() {
            values.iter().map(|(_, score)| score.games()).sum()
        } else {
            values.iter().map(|(_, score)| score.white.games).sum()
        };
        assert_eq!(sum, 100 * times, "{key:?}");
    }
    for (text, key) in [
        ("ECO", Some(GroupKey::Eco)),
        (
            "tag:Termination",
            Some(GroupKey::Tag("Termination".to_owned())),
        ),
        ("players", Some(GroupKey::Player)),
        ("position:12", Some(GroupKey::Position(12))),
        ("position", None),
        ("tag:", None),
        ("eco:x", None),
        ("colour", None),
    ] {
        assert_eq!(text.parse().ok(), key, "{text}");
    }
}

#[test]
fn openings_without_a_tag_are_named_by_their_moves() {
    let of = |game: &Game| {
        let mut groups = Groups::new(GroupKey::Opening);
        groups.add(groups.entry(game));
        let name = groups.most(1)[0].0.to_owned();
        let mut families = Groups::new(GroupKey::Family);
        families.add(families.entry(game));
        (name, families.most(1)[0].0.to_owned())
    };
    let moves = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3".split(' ');
    let game = Game::builder().sans(moves).unwrap();
    let names = of(&game.clone().build());
    assert_eq!(names.0, "Sicilian Defense: Najdorf Variation");
    assert_eq!(names.1, "Sicilian Defense");
    let tagged = game.tag("Opening", "Sicilian").tag("Variation", "Najdorf");
    let names = of(&tagged.build());
    assert_eq!(
        names,
        ("Sicilian: Najdorf".to_owned(), "Sicilian".to_owned())
    );
    // `?` is PGN's placeholder.
    let game = Game::builder().tag("Opening", "?").sans(["e4"]).unwrap();
    assert_eq!(of(&game.build()).0, "King's Pawn Game");
}

#[test]
fn points_of_a_cross_table_are_those_of_a_plain_loop() {
    for seed in 0..30 {
        let games = games(seed, 60);
        let mut tables = Crosstables::new(100);
        let mut plain: BTreeMap<(String, u16), BTreeMap<String, u32>> = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut repeated = 0;
        for game in &games {
            // Byes have a test of their own.
            let names = Color::ALL.map(|side| folded(&name(game, side)));
            if names.contains(&"?".to_owned()) {
                continue;
            }
            if let Some(entry) = TableEntry::from_game(game) {
                tables.add(entry);
            }
            let round = game.round().into_owned();
            let key = format!("{names:?} {} {round} {:?}", game.date(), game.result());
            if !seen.insert((key, game.ucis())) {
                repeated += 1;
                continue;
            }
            let event = plain
                .entry((folded(&game.event()), game.date().year))
                .or_default();
            for (name, side) in names.into_iter().zip([0, 1]) {
                *event.entry(name).or_default() += half_points(game).map_or(0, |both| both[side]);
            }
        }
        // An event in December and January is one; here none is.
        let found = tables.tables(None).unwrap();
        assert_eq!(found.len(), plain.len());
        assert_eq!(
            found.iter().map(|table| table.repeated).sum::<usize>(),
            repeated
        );
        for table in found {
            let year = table.dates.unwrap().0.year;
            let expected = &plain[&(folded(&table.event), year)];
            assert_eq!(table.players.len(), expected.len());
            for (rank, player) in table.players.iter().enumerate() {
                assert_eq!(player.half_points, expected[&folded(&player.name)]);
                let mut tie_break = 0;
                for game in &player.games {
                    let other = &table.players[game.opponent.unwrap()];
                    tie_break += match table.kind {
                        TableKind::Grid => game.half_points.unwrap_or(0) * other.half_points,
                        _ => 2 * other.half_points,
                    };
                    let back = other.games.iter().any(|theirs| {
                        theirs.opponent == Some(rank)
                            && theirs.side == game.side.other()
                            && theirs.half_points == game.half_points.map(|half| 2 - half)
                    });
                    assert!(back, "{}", player.name);
                }
                assert_eq!(first_tie_break(&table, rank), tie_break);
            }
            let key = |rank: usize| {
                (
                    table.players[rank].half_points,
                    first_tie_break(&table, rank),
                )
            };
            let keys: Vec<(u32, u32)> = (0..table.players.len()).map(key).collect();
            assert!(keys.is_sorted_by(|a, b| a >= b));
        }
    }
}

fn first_tie_break(table: &Crosstable, rank: usize) -> u32 {
    let tie_breaks = table.players[rank].tie_breaks;
    tie_breaks.quarters(table.ranked_by[0]).unwrap()
}

fn event(pairs: &[(&str, &str)]) -> Crosstables {
    let mut tables = Crosstables::new(3);
    for (n, (white, black)) in pairs.iter().enumerate() {
        let game = Game::builder().white(white).black(black).event("X");
        let game = game.date("2000.01.01").round(&(n + 1).to_string());
        let game = game.result(Outcome::WhiteWins).build();
        tables.add(TableEntry::from_game(&game).unwrap());
    }
    tables
}

#[test]
fn the_kind_of_an_event_follows_from_who_met_whom() {
    let kind = |pairs: &[(&str, &str)]| event(pairs).tables(None).unwrap()[0].kind;
    assert_eq!(
        kind(&[("A", "B"), ("B", "A"), ("A", "B")]),
        TableKind::Pairs
    );
    assert_eq!(
        kind(&[("A", "B"), ("C", "D"), ("A", "C")]),
        TableKind::Pairs
    );
    assert_eq!(kind(&[("A", "B"), ("C", "A"), ("B", "C")]), TableKind::Grid);
    let double = ["AB", "CA", "BC", "BA", "AC", "CB"].map(|two| two.split_at(1));
    assert_eq!(kind(&double), TableKind::Grid);
    // A simultaneous exhibition, and a round robin with the games of two players.
    let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
    let others = |name| names.into_iter().filter(move |other| *other != name);
    let mut some: Vec<_> = others("A").map(|other| ("A", other)).collect();
    assert_eq!(kind(&some), TableKind::Pairs);
    some.extend(others("B").map(|other| ("B", other)));
    assert_eq!(kind(&some), TableKind::Grid);
    let swiss: Vec<_> = [1, 2, 3]
        .into_iter()
        .flat_map(|step| (0..4).map(move |n| (names[n], names[(n + step) % 4 + 4])))
        .collect();
    assert_eq!(kind(&swiss), TableKind::Rounds);
}

#[test]
fn an_event_over_new_year_is_one_and_too_many_are_listed() {
    let mut tables = Crosstables::new(1);
    for date in ["1993.12.29", "1994.01.02"] {
        let game = Game::builder().white("A").black("B").event("Hastings");
        tables.add(TableEntry::from_game(&game.date(date).build()).unwrap());
    }
    let found = tables.clone().tables(None).unwrap();
    assert_eq!((found.len(), found[0].games), (1, 2));
    for (n, event) in ["Linares", "Linares", "Linares", "Wijk"].iter().enumerate() {
        let game = Game::builder().white("A").black("B").event(event);
        let game = game.date(&format!("1990.01.0{}", n + 1));
        tables.add(TableEntry::from_game(&game.build()).unwrap());
    }
    let events = tables.tables(None).unwrap_err();
    let events: Vec<_> = events
        .iter()
        .map(|event| (event.event.as_str(), event.year, event.games))
        .collect();
    assert_eq!(
        events,
        [
            ("Linares", 1990, 3),
            ("Hastings", 1994, 2),
            ("Wijk", 1990, 1)
        ]
    );
}

#[test]
fn the_report_of_a_player_adds_up() {
    let games = games(3, 300);
    let filter = PlayerFilter::new("keres").unwrap();
    let mut report = PlayerReport::default();
    let mut best = 0;
    let mut played = [0, 0];
    for game in &games {
        let sides = filter.sides(game);
        let entry = PlayerEntry::from_game(game, sides, || GameLabel::new(game, "", 1));
        report.add(entry);
        for side in Color::ALL {
            if !name(game, side).ends_with("s, P") {
                continue;
            }
            played[side as usize] += 1;
            let has_won = half_points(game).is_some_and(|both| both[side as usize] == 2);
            let rating = game.rating(side.other()).map_or(0, |rating| rating.value);
            best = if has_won { best.max(rating) } else { best };
        }
    }
    assert_eq!([report.score.white.games, report.score.black.games], played);
    let all = report.score.games();
    let years: u64 = report.years.values().map(|score| score.games()).sum();
    let opponents = report.opponents(usize::MAX);
    let opponents: u64 = opponents.iter().map(|(_, score)| score.games()).sum();
    let openings: u64 = Color::ALL
        .into_iter()
        .flat_map(|side| report.openings(side, usize::MAX))
        .map(|(_, score)| score.games())
        .sum();
    let names: u64 = report.names().iter().map(|(_, games)| games).sum();
    assert_eq!([years, opponents, openings, names], [all; 4]);
    let win = report.best_win.unwrap();
    assert!(win.ratings.contains(&Some(best)));
    assert!(PlayerFilter::new("").is_err() && PlayerFilter::new("/(/").is_err());
    let game = Game::builder().white("Carlsen,M").build();
    assert_eq!(
        PlayerFilter::new("carlsen,m").unwrap().sides(&game),
        [true, false]
    );
    assert_eq!(
        PlayerFilter::new("/^carl/").unwrap().sides(&game),
        [true, false]
    );
}

/// Returns board and side to move of each position.
fn placements(game: &Game) -> Vec<String> {
    let fens = game.positions().map(|board| board.to_string());
    fens.map(|fen| fen.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn novelties_are_those_of_a_plain_loop() {
    for seed in 0..15 {
        let games = games(seed, 40);
        let mut novelties = Novelties::new(games.iter().cloned(), false);
        let search = novelties.search();
        let placed: Vec<Vec<String>> = games.iter().map(placements).collect();
        for (n, game) in games.iter().enumerate() {
            let found = search.matches(game);
            novelties.add(&found, || GameLabel::new(game, "", n as u32 + 1));
        }
        for (n, game) in games.iter().enumerate() {
            let same = |other: &Game| {
                let who = |game: &Game| {
                    let names = Color::ALL.map(|side| folded(name(game, side).trim_matches('?')));
                    (names, game.date(), game.ucis())
                };
                who(game) == who(other)
            };
            let others: Vec<usize> = (0..games.len()).filter(|&o| !same(&games[o])).collect();
            let ply = (0..placed[n].len())
                .rev()
                .find(|&ply| others.iter().any(|&o| placed[o].contains(&placed[n][ply])))
                .unwrap();
            let mut replies: BTreeMap<String, u64> = BTreeMap::new();
            let mut reached = BTreeSet::new();
            for &other in &others {
                let at = placed[other].iter().position(|at| *at == placed[n][ply]);
                let Some(at) = at else { continue };
                reached.insert(other);
                if let Some(san) = games[other].sans().get(at) {
                    *replies.entry(san.clone()).or_default() += 1;
                }
            }
            let found = novelties.of(n).unwrap();
            assert_eq!(
                (found.ply as usize, found.games()),
                (ply, reached.len() as u64)
            );
            assert_eq!(found.san().as_ref(), game.sans().get(ply));
            let played = found.replies().into_iter();
            let played: BTreeMap<_, _> = played
                .map(|(san, score)| (san, score.white.games))
                .collect();
            assert_eq!(played, replies);
            let latest = reached.iter().map(|&o| games[o].date()).max();
            assert_eq!(found.latest.first().map(|game| game.date), latest);
        }
    }
}

#[test]
fn only_older_games_count_if_asked() {
    let game = |white: &str, date: &str, moves: &str| {
        let game = Game::builder().white(white).date(date);
        game.sans(moves.split(' ')).unwrap().build()
    };
    let asked = game("A", "2000.05.05", "e4 e5 Nf3");
    for (date, ply) in [
        ("1999.??.??", 2),
        ("2000.05.04", 2),
        ("2000.05.05", 0),
        ("2000.??.??", 0),
        ("????.??.??", 0),
        ("2001.01.01", 0),
    ] {
        let other = game("B", date, "e4 e5 f4");
        let mut novelties = Novelties::new([asked.clone()], true);
        let found = novelties.search().matches(&other);
        novelties.add(&found, || GameLabel::new(&other, "", 1));
        let found = novelties.of(0).unwrap();
        assert_eq!(
            (found.ply, found.games()),
            (ply, u64::from(ply > 0)),
            "{date}"
        );
    }
}
