//! Duplicates in a list of games, by each rule.

use chessdb_core::Game;
use chessdb_core::model::{GameBuilder, GameFlags};
use chessdb_query::duplicates::{Candidate, Details, DuplicateRule, find_duplicates};

const LINE: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 \
    Bc2 Re8 Nf1 Bf8 Ng3 g6";

/// The half-moves of [`LINE`] and so many more that two players hardly play them twice.
fn long_line() -> String {
    format!("{LINE} a4 c5 d5 c4 Bg5 h6 Be3 Nc5")
}

struct Header(&'static str, &'static str, &'static str, &'static str);

const HEAD: Header = Header("Karpov, Anatoly", "Kasparov, Garry", "1985.11.09", "24");

fn game(header: &Header, moves: &str) -> Game {
    let game = Game::builder()
        .event("Moscow")
        .white(header.0)
        .black(header.1);
    let game = game.date(header.2).round(header.3);
    game.sans(moves.split_whitespace()).unwrap().build()
}

/// Returns the games that equal the first one, by each rule.
fn same(games: &[Game]) -> [Vec<usize>; 3] {
    let games: Vec<Candidate> = games.iter().map(Candidate::from_game).collect();
    [
        DuplicateRule::Strict,
        DuplicateRule::Sure,
        DuplicateRule::Likely,
    ]
    .map(|by| {
        let found = find_duplicates(&games, by);
        let of_first = found.into_iter().find_map(|group| {
            let mut all = group.others;
            all.push(group.kept);
            all.sort_unstable();
            all.contains(&0).then_some(all)
        });
        of_first
            .unwrap_or_default()
            .into_iter()
            .filter(|n| *n > 0)
            .collect()
    })
}

#[test]
fn each_rule_finds_more() {
    let cut = LINE.rsplitn(3, ' ').last().unwrap();
    let typed = LINE.replace("h3 Nb8", "h3 Na5").replace("Nbd7 ", "c5 ");
    let other = "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6 Nxc6 bxc6 e5 Qe7 Qe2 Nd5 c4 Ba6 b3 g6";
    let games = [
        game(&HEAD, LINE),
        game(&HEAD, LINE),
        game(&HEAD, cut),
        game(&Header("Karpov, A", "Kasparow,G", "1985.??.??", "?"), LINE),
        game(&Header(HEAD.0, HEAD.1, "1985.11.09", "24"), &typed),
        // None of these is the same game.
        game(&Header(HEAD.0, HEAD.1, "1985.10.03", "23"), LINE),
        game(&Header(HEAD.1, HEAD.0, HEAD.2, HEAD.3), LINE),
        game(&Header("Short, N", HEAD.1, HEAD.2, HEAD.3), LINE),
        game(&HEAD, other),
    ];
    let [strict, sure, likely] = same(&games);
    assert_eq!(strict, [1]);
    assert_eq!(sure, [1, 2, 3, 4]);
    assert_eq!(likely, [1, 2, 3, 4]);
}

/// Returns the indexes of the games that a rule keeps.
fn kept(games: &[Game], by: DuplicateRule) -> Vec<usize> {
    let games: Vec<Candidate> = games.iter().map(Candidate::from_game).collect();
    let mut kept: Vec<usize> = (0..games.len()).collect();
    for group in find_duplicates(&games, by) {
        kept.retain(|n| !group.others.contains(n));
    }
    kept
}

const RULES: [DuplicateRule; 3] = [
    DuplicateRule::Strict,
    DuplicateRule::Sure,
    DuplicateRule::Likely,
];

fn tagged(tags: &[(&str, &str)], moves: &str) -> Game {
    let game = Game::builder()
        .event("Live Chess")
        .white("alpha")
        .black("beta");
    let game = game.date("2024.05.01").round("-");
    let game = tags
        .iter()
        .fold(game, |game, (name, value)| game.tag(name, value));
    game.sans(moves.split_whitespace()).unwrap().build()
}

#[test]
fn what_differs_separates_and_what_is_unknown_does_not() {
    let line = long_line();
    for (name, one, other) in [
        (
            "Link",
            "https://www.chess.com/game/live/1",
            "https://www.chess.com/game/live/2",
        ),
        (
            "Site",
            "https://lichess.org/abcdefgh",
            "https://lichess.org/abcdefgi",
        ),
        ("GameId", "1", "2"),
        ("LichessId", "abcdefgh", "abcdefgi"),
        ("FICSGamesDBGameNo", "1", "2"),
        ("UTCDate", "2024.05.01", "2024.05.02"),
        ("UTCTime", "10:00:00", "11:00:00"),
        ("StartTime", "10:00:00", "11:00:00"),
        ("EndTime", "10:00:20", "11:00:20"),
        ("Time", "10:00:20", "11:00:20"),
        ("Variant", "Crazyhouse", "Antichess"),
        ("Variant", "Three-check", ""),
        ("Result", "1-0", "0-1"),
        ("Result", "1/2-1/2", "0-1"),
        ("Date", "2024.05.01", "2024.05.03"),
    ] {
        let game = |value: &str| match value {
            "" => tagged(&[], &line),
            value => tagged(&[(name, value)], &line),
        };
        for by in RULES {
            assert_eq!(
                kept(&[game(one), game(other)], by).len(),
                2,
                "{by:?} {name}"
            );
            assert_eq!(kept(&[game(one), game(one)], by), [0], "{by:?} {name}");
            let unknown = if name == "Result" { "*" } else { "?" };
            // An empty variant is the standard one.
            if name == "Variant" {
                continue;
            }
            let two = [game(one), tagged(&[(name, unknown)], &line)];
            assert_eq!(kept(&two, by).len(), 1, "{by:?} {name}");
            // A game that can be either of two different ones does not join them.
            let three = [tagged(&[(name, unknown)], &line), game(one), game(other)];
            for turn in 0..3 {
                let mut games = three.to_vec();
                games.rotate_left(turn);
                assert_eq!(kept(&games, by).len(), 2, "{by:?} {name} {turn}");
            }
        }
    }
}

#[test]
fn one_identifier_is_one_game() {
    let id = ("Link", "https://www.chess.com/game/live/1");
    let site = ("Site", "https://chess.com/live/game/1");
    let short: Vec<&str> = LINE.split_whitespace().take(4).collect();
    let short = short.join(" ");
    for by in RULES {
        let two = |a: &[(&str, &str)], b: &[(&str, &str)]| {
            kept(&[tagged(a, &short), tagged(b, &short)], by)
        };
        // Without it, the evidence is insufficient.
        assert_eq!(two(&[], &[("Remark", "x")]).len(), 2, "{by:?}");
        assert_eq!(two(&[], &[]).len(), 1, "{by:?}");
        assert_eq!(two(&[id], &[site]).len(), 1, "{by:?}");
        assert_eq!(
            two(&[id], &[site, ("Date", "2024.05.02")]).len(),
            1,
            "{by:?}"
        );
        assert_eq!(
            two(&[id], &[site, ("White", "Alpha, A")]).len(),
            1,
            "{by:?}"
        );
        assert_eq!(two(&[id], &[site, ("Result", "*")]).len(), 1, "{by:?}");
        // It does not outweigh contradictions.
        let (early, late) = (("UTCTime", "10:00:00"), ("UTCTime", "11:00:00"));
        assert_eq!(two(&[id, early], &[site, late]).len(), 2, "{by:?}");
        assert_eq!(
            kept(&[tagged(&[id], "e4 e5"), tagged(&[id], "d4 d5")], by).len(),
            2
        );
        // A cut copy is the same game.
        assert_eq!(kept(&[tagged(&[id], &short), tagged(&[id], LINE)], by), [1]);
        // Numbers are unique only within one database.
        let number = ("GameId", "7");
        assert_eq!(two(&[number], &[number, ("Date", "2024.05.02")]).len(), 1);
        let named = [number, ("White", "Karpov, A"), ("Black", "Tal, M")];
        assert_eq!(two(&[number], &named).len(), 2, "{by:?}");
    }
}

#[test]
fn two_unknown_values_are_no_agreement() {
    let game = |header: &Header, event: &str, moves: &str| {
        let game = Game::builder().event(event).white(header.0).black(header.1);
        let game = game.date(header.2).round(header.3);
        game.sans(moves.split_whitespace()).unwrap().build()
    };
    let twelve: Vec<&str> = LINE.split_whitespace().take(12).collect();
    let twelve = twelve.join(" ");
    for by in RULES {
        let copies = |white, black, event, round, moves: &str| {
            // Not identical copies.
            let other =
                |event: &str| game(&Header(white, black, "2024.03.01", round), event, moves);
            let mut noted = other(event);
            noted.set_tag("Remark", "x");
            kept(&[noted, other(event)], by).len()
        };
        for (few, twelve_plies, white, event, round) in [
            (1, 1, "Trainer", "Rep", "1"),
            (2, 1, "Trainer", "Rep", "?"),
            (2, 1, "Trainer", "Rep", "-"),
            (2, 1, "Trainer", "?", "1"),
            (2, 2, "?", "Rep", "1"),
            (2, 2, "NN", "Rep", "1"),
        ] {
            assert_eq!(
                copies(white, "Pupil", event, round, "e4 e5"),
                few,
                "{by:?} {white} {event} {round}"
            );
            assert_eq!(
                copies(white, "Pupil", event, round, &twelve),
                twelve_plies,
                "{by:?}"
            );
            assert_eq!(copies(white, "Pupil", event, round, LINE), 1, "{by:?}");
        }
    }
    // No move in common, although the headers agree.
    for (one, other) in [
        ("e4 e5", "d4 d5"),
        ("e4", "d4"),
        ("e4 e5", ""),
        ("e4 e5 Nf3", "d4 d5 c4"),
        ("e4 e5 Nf3 Nc6", "e4 c5 d4 cxd4"),
        ("f3 e5 g4", "e4"),
    ] {
        let game = |moves| game(&Header("A, A", "B, B", "2024.03.01", "1"), "Rep", moves);
        assert_eq!(
            kept(&[game(one), game(other)], DuplicateRule::Likely).len(),
            2,
            "{one} / {other}"
        );
    }
    let umlauts = ["Blübaum, Matthias", "Bluebaum, M", "Blubaum, Matthias"];
    let games = umlauts.map(|name| game(&Header(name, "Høi, C", "2024.03.01", "1"), "Rep", LINE));
    assert_eq!(kept(&games, DuplicateRule::Likely).len(), 1);
}

#[test]
fn the_live_copy_is_kept() {
    let deleted = |mut game: Game| {
        game.header.flags |= GameFlags::DELETED;
        game
    };
    let rich = |game: GameBuilder| game.comment("good").nag(1).build();
    let line = || {
        let game = Game::builder()
            .event("Moscow")
            .round("24")
            .white("A")
            .black("B");
        game.sans(LINE.split_whitespace()).unwrap()
    };
    let games = [
        deleted(rich(line())),
        line().build(),
        deleted(line().build()),
    ];
    for by in RULES {
        assert_eq!(kept(&games, by), [1]);
        assert_eq!(
            kept(&[deleted(line().build()), deleted(rich(line()))], by),
            [1]
        );
    }
    // The game of a database that keeps its games, unless all copies there are deleted.
    let find = |old: Game, new: Game| {
        let games = [
            Candidate::from_game(&new),
            Candidate::from_game(&old).staying(),
        ];
        find_duplicates(&games, DuplicateRule::Strict)[0].kept
    };
    assert_eq!(find(line().build(), rich(line())), 1);
    assert_eq!(find(deleted(line().build()), rich(line())), 0);
    assert_eq!(find(deleted(line().build()), deleted(rich(line()))), 1);
    assert!(
        Candidate::from_game(&rich(line()))
            .details_beyond(&Candidate::from_game(&line().build()))
            .contains(Details::ANNOTATIONS)
    );
}

#[test]
fn many_games_of_the_same_moves_take_no_square_of_time() {
    // 20,000 games of two players with the same moves, each twice.
    let game = |n: usize| {
        tagged(
            &[("GameId", &(n / 2).to_string())],
            "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#",
        )
    };
    let games: Vec<Candidate> = (0..40_000)
        .map(|n| Candidate::from_game(&game(n)))
        .collect();
    for by in RULES {
        let found = find_duplicates(&games, by);
        assert_eq!(found.len(), 20_000, "{by:?}");
        assert!(found.iter().all(|group| group.others.len() == 1));
    }
}

#[test]
fn few_moves_alone_do_not_make_a_game() {
    let round = |round| Header(HEAD.0, HEAD.1, "????.??.??", round);
    let games = [
        game(&round("1"), "d4 d5"),
        game(&round("2"), "d4 d5"),
        game(&round("1"), "d4 d5"),
        game(&round("?"), "d4 d5"),
    ];
    assert_eq!(same(&games)[0], [2]);
}

#[test]
fn the_richer_game_is_kept() {
    let mut annotated = Game::builder()
        .event("Moscow")
        .round("24")
        .white("A")
        .black("B");
    annotated = annotated
        .sans(LINE.split_whitespace())
        .unwrap()
        .comment("good");
    let short: Vec<&str> = LINE.split_whitespace().take(20).collect();
    let header = Header("A", "B", "????.??.??", "24");
    let games = [
        game(&header, LINE),
        game(&header, &short.join(" ")),
        annotated.build(),
    ];
    let games: Vec<Candidate> = games.iter().map(Candidate::from_game).collect();
    let found = find_duplicates(&games, DuplicateRule::Sure);
    assert_eq!((found.len(), found[0].kept), (1, 2));
    assert_eq!(found[0].others, [0, 1]);
}
