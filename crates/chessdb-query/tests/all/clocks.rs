//! Thinking times and the accuracy of moves.

use chessdb_core::{Game, Outcome};
use chessdb_query::Query;
use chessdb_query::stats::GameLabel;
use chessdb_query::stats::accuracy::{Accuracies, AccuracyEntry};
use chessdb_query::stats::thinking::{ThinkingEntry, ThinkingTimes};

/// Returns a game with a comment after each half-move.
fn commented(tags: &[(&str, &str)], result: Outcome, comments: &[&str]) -> Game {
    let mut sans = ["Nf3", "Nf6", "Ng1", "Ng8"].into_iter().cycle();
    let mut game = Game::builder().white("A").black("B").result(result);
    for (name, value) in tags {
        game = game.tag(name, value);
    }
    for comment in comments {
        game = game.sans([sans.next().unwrap()]).unwrap();
        game = game.comment(comment);
    }
    game.build()
}

fn thinking(game: &Game) -> ThinkingTimes {
    let mut times = ThinkingTimes::default();
    if let Some(entry) = ThinkingEntry::from_game(game, || GameLabel::new(game, "", 1)) {
        times.add(entry);
    }
    times
}

#[test]
fn thinking_times_count_increments_and_stages() {
    let times = |control: &str, comments: &[&str]| {
        let times = thinking(&commented(
            &[("TimeControl", control)],
            Outcome::Draw,
            comments,
        ));
        let [white, black] = times.sides;
        let longest = times.longest.map_or(0, |think| think.milliseconds);
        (white.milliseconds, white.moves, black.milliseconds, longest)
    };
    let clocks = [
        "[%clk 0:03:00]",
        "[%clk 0:03:00]",
        "[%clk 0:02:55]",
        "[%clk 0:03:01]",
    ];
    // The clocks start after the first moves.
    assert_eq!(times("180+2", &clocks), (7000, 1, 1000, 7000));
    let clocks = ["[%clk 0:02:58]", "[%clk 0:03:01.5]", "[%clk 0:02:50]"];
    assert_eq!(times("180+2", &clocks), (14_000, 2, 500, 10_000));
    // In minutes.
    let clocks = ["[%clk 1:30:00]", "[%clk 1:29:00]", "[%clk 1:20:30]"];
    assert_eq!(times("90+30", &clocks), (600_000, 1, 90_000, 600_000));
    // The second stage adds half an hour.
    let clocks = ["[%clk 0:59:50]", "[%clk 0:59:40]", "[%clk 1:29:45]"];
    assert_eq!(times("1/3600:1800", &clocks), (15_000, 2, 20_000, 20_000));
    // Times that the file states, also without a time control.
    let spent = ["[%emt 0:00:07]", "[%emt 0:00:09]"];
    assert_eq!(times("", &spent), (7000, 1, 9000, 9000));
    // An unknown increment.
    let clocks = ["[%clk 0:03:00]", "", "[%clk 0:03:01]"];
    let found = thinking(&commented(&[], Outcome::Draw, &clocks));
    assert_eq!((found.games, found.unknown, found.both().moves), (1, 1, 0));
    // Time that the opponent gave is no reason to take seconds for minutes.
    let clocks = ["[%clk 0:00:59]", "[%clk 0:00:58]", "[%clk 0:01:13]"];
    assert_eq!(times("60", &clocks), (1000, 1, 2000, 2000));
    // A clock that is missing in between.
    let clocks = ["[%clk 0:02:50]", "", "", "", "[%clk 0:02:00]"];
    assert_eq!(times("180", &clocks), (10_000, 1, 0, 10_000));
    assert_eq!(
        thinking(&commented(&[], Outcome::Draw, &["", "good"])).games,
        0
    );
}

#[test]
fn time_trouble_is_a_tenth_of_the_base_time() {
    let clocks = ["[%clk 0:00:31]", "[%clk 0:00:17]", "[%clk 0:00:29]"];
    let share = |tags: &[(&str, &str)]| {
        let both = thinking(&commented(tags, Outcome::WhiteWins, &clocks)).both();
        (both.clocks, both.in_trouble, both.lost_on_time)
    };
    assert_eq!(share(&[("TimeControl", "180")]), (3, 1, 0));
    assert_eq!(share(&[("TimeControl", "5400+30")]), (3, 3, 0));
    assert_eq!(share(&[]), (3, 2, 0));
    assert_eq!(share(&[("Termination", "Time forfeit")]), (3, 2, 1));
    assert_eq!(share(&[("Termination", "A won on time")]), (3, 2, 1));
    assert_eq!(share(&[("Termination", "Normal")]), (3, 2, 0));
}

fn accuracy(comments: &[&str]) -> chessdb_query::stats::accuracy::Accuracies {
    let mut found = Accuracies::default();
    let game = commented(&[], Outcome::Draw, comments);
    AccuracyEntry::from_game(&game)
        .into_iter()
        .for_each(|entry| found.add(entry));
    found
}

#[test]
fn accuracy_follows_the_published_formulas() {
    let found = accuracy(&["[%eval 0.15]", "[%eval 1.15]", "[%eval -1.15]"]);
    let [white, black] = found.sides;
    assert_eq!((white.moves, black.moves), (2, 1));
    // 0 and 230 of two moves, 100 of one.
    assert_eq!(white.centipawn_loss(), Some(115.0));
    assert_eq!(black.centipawn_loss(), Some(100.0));
    let win = |points: f64| 50.0 + 50.0 * (2.0 / (1.0 + (-0.00368208 * points).exp()) - 1.0);
    let lost = win(115.0) - win(15.0);
    let percent = 103.1668 * (-0.04354 * lost).exp() - 3.1669;
    assert!((black.percent().unwrap() - percent).abs() < 1e-9);
    // Winning chances of 0.41 lost, and of 0.18.
    assert_eq!((white.blunders, black.inaccuracies), (1, 1));
}

#[test]
fn errors_around_mates_are_judged_by_the_value_on_the_other_side() {
    for (before, after, errors) in [
        ("0.0", "#-3", [0, 0, 1]),
        ("-8.0", "#-3", [0, 1, 0]),
        ("-12.0", "#-3", [1, 0, 0]),
        ("#3", "0.5", [0, 0, 1]),
        ("#3", "8.0", [0, 1, 0]),
        ("#3", "12.0", [1, 0, 0]),
        ("#3", "#-1", [0, 0, 1]),
        ("#3", "#8", [0, 0, 0]),
        ("#-3", "#-1", [0, 0, 0]),
        ("#-3", "0.0", [0, 0, 0]),
    ] {
        let [before, after] = [before, after].map(|value| format!("[%eval {value}]"));
        let found = accuracy(&["", &before, &after]).sides[0];
        assert_eq!(
            [found.inaccuracies, found.mistakes, found.blunders],
            errors,
            "{after}"
        );
    }
    assert_eq!(accuracy(&["[%eval 0.3]"]).games, 0);
}

#[test]
fn clocks_and_the_query_agree_on_games_lost_on_time() {
    let on_time: Query = "ending:time".parse().unwrap();
    for (termination, comment) in [
        ("Time forfeit", ""),
        ("", "Black forfeits on time"),
        ("normal", "Black ran out of time"),
        ("", "Black's flag fell: White wins on time"),
        ("Black lost by flag", ""),
        ("out of time", ""),
        ("", "Black resigns"),
        ("Normal", ""),
        ("", "Neither player has mating material"),
    ] {
        let clock = format!("[%clk 0:01:00] {comment}");
        let tags = [("Termination", termination)];
        let game = commented(&tags, Outcome::WhiteWins, &[&clock]);
        let lost = thinking(&game).both().lost_on_time;
        assert_eq!(lost == 1, on_time.matches(&game), "{termination} {comment}");
    }
}
