//! `stats --clocks` and `stats --accuracy`: thinking times and the quality of moves.

use std::fmt::Write as _;

use chessdb::Color;
use chessdb::query::{
    Accuracies, Accuracy, AccuracyEntry, LongestThink, MOVE_BANDS, ThinkingEntry, ThinkingTime,
    ThinkingTimes,
};

use super::groups::rounded;
use super::table::{Table, percent};
use super::{Page, StatsScan};
use crate::args::Stats;
use crate::commands::game_label;
use crate::exit::Outcome;
use crate::json::{Json, SCHEMA, list, object};
use crate::output::{count, grouped, width, wrap};

/// Prints thinking times, accuracy, or both.
pub(super) fn run(args: &Stats, scan: &StatsScan<'_>) -> Outcome {
    let (mut times, mut accuracies) = (ThinkingTimes::default(), Accuracies::default());
    let outcome = scan.each(
        |game, label| {
            let times = args.clocks.then(|| ThinkingEntry::of(game, label));
            let accuracy = args.accuracy.then(|| AccuracyEntry::of(game));
            (times.flatten(), accuracy.flatten())
        },
        |(time, accuracy)| {
            time.into_iter().for_each(|entry| times.add(entry));
            accuracy.into_iter().for_each(|entry| accuracies.add(entry));
        },
    )?;
    let top = usize::from(args.top.unwrap_or(10));
    let page = match args.json {
        true => {
            let of = |is_asked: bool, json: Json| if is_asked { json } else { Json::Null };
            Page::Json(object([
                ("schema", SCHEMA.into()),
                ("bases", list(outcome.bases)),
                ("clocks", of(args.clocks, times_json(&times, top))),
                (
                    "accuracy",
                    of(args.accuracy, accuracies_json(&accuracies, top)),
                ),
            ]))
        }
        false => {
            let mut text = String::new();
            if args.clocks {
                text += &times_text(&times, Some(top));
            }
            if args.clocks && args.accuracy {
                text.push('\n');
            }
            if args.accuracy {
                text += &accuracies_text(&accuracies, Some(top));
            }
            Page::Text(text)
        }
    };
    page.print(outcome.done, times.games + accuracies.games)
}

/// Returns a time in seconds; empty if unknown.
fn seconds(time: Option<f64>) -> String {
    time.map_or(String::new(), |time| format!("{time:.1} s"))
}

/// Returns the average time of moves.
fn mean((moves, milliseconds): (u64, u64)) -> Option<f64> {
    (moves > 0).then(|| milliseconds as f64 / moves as f64 / 1000.0)
}

/// Returns the thinking times as text, with a table of players if `top` is given.
pub(super) fn times_text(times: &ThinkingTimes, top: Option<usize>) -> String {
    let mut text = format!(
        "Thinking time ({} with clocks)\n",
        count(times.games, "game")
    );
    let titles = ["Per move", "Moves", "Time trouble", "Lost on time"];
    let cells = |time: &ThinkingTime| {
        [
            seconds(time.mean()),
            grouped(time.moves),
            percent(time.trouble_share()),
            grouped(time.lost_on_time),
        ]
    };
    let titled = |first| {
        let [mean, moves, trouble, lost] = titles;
        Table::new([first, mean, moves, trouble, lost]).indented()
    };
    let mut table = titled("");
    let [white, black] = &times.sides;
    for (name, time) in [("White", white), ("Black", black), ("Both", &times.both())] {
        table.row(name, cells(time));
    }
    text += &table.print();
    let mut table = Table::new(["By move number", "Per move", "Moves"]).indented();
    let nexts = MOVE_BANDS.into_iter().skip(1).map(Some).chain([None]);
    for ((first, next), &sum) in MOVE_BANDS.into_iter().zip(nexts).zip(&times.bands) {
        let name = match next {
            Some(next) => format!("{first}-{}", next - 1),
            None => format!("{first}-"),
        };
        if sum.0 > 0 {
            table.row(&name, [seconds(mean(sum)), grouped(sum.0)]);
        }
    }
    text.push('\n');
    text += &table.print();
    if let Some(top) = top {
        let mut table = titled("Player");
        for (name, time) in times.players(top) {
            table.row(name, cells(&time));
        }
        text.push('\n');
        text += &table.print();
    }
    if let Some(think) = &times.longest {
        text.push('\n');
        let line = format!("Longest think: {}", longest_text(think));
        wrap(&line, width(), &mut text);
    }
    if times.unknown > 0 {
        let _ = writeln!(
            text,
            "{} without times: the increment is unknown (tag TimeControl).",
            count(times.unknown, "game")
        );
    }
    text
}

fn longest_text(think: &LongestThink) -> String {
    let all = think.milliseconds / 1000;
    let (minutes, seconds) = (all / 60, all % 60);
    let dots = think.side.pick(".", "...");
    format!(
        "{minutes}:{seconds:02} min for move {}{dots} of {} ({})",
        think.number,
        game_label::text(&think.game),
        game_label::place(&think.game)
    )
}

/// Returns one line about the thinking time of a player. `None` if no game has clocks.
pub(super) fn thinking_line(time: &ThinkingTime) -> Option<String> {
    let mean = seconds(Some(time.mean()?));
    let trouble = match time.trouble_share() {
        Some(share) => format!(", {} of moves in time trouble", percent(Some(share))),
        None => String::new(),
    };
    let lost = match time.lost_on_time {
        0 => String::new(),
        games => format!(", {} lost on time", count(games, "game")),
    };
    let games = count(time.games, "game");
    Some(format!(
        "Thinking time: {mean} per move{trouble}{lost} ({games} with clocks)"
    ))
}

/// Returns one line about the accuracy of a player. `None` if no game has evaluations.
pub(super) fn accuracy_line(found: &Accuracy) -> Option<String> {
    let percent = found.percent()?;
    let loss = found.centipawn_loss()?;
    Some(format!(
        "Accuracy: {percent:.1} %, {loss:.0} centipawns lost per move; {}, {}, {} ({} with evaluations)",
        match found.inaccuracies {
            1 => "1 inaccuracy".to_owned(),
            number => format!("{} inaccuracies", grouped(number)),
        },
        count(found.mistakes, "mistake"),
        count(found.blunders, "blunder"),
        count(found.games, "game"),
    ))
}

/// Returns the accuracy as text, with a table of players if `top` is given.
pub(super) fn accuracies_text(found: &Accuracies, top: Option<usize>) -> String {
    let mut text = format!(
        "Accuracy ({} with evaluations)\n",
        count(found.games, "game")
    );
    let titled = |first| {
        let titles = [
            first,
            "Accuracy",
            "ACPL",
            "Moves",
            "Inaccuracies",
            "Mistakes",
            "Blunders",
        ];
        Table::new(titles).indented()
    };
    let cells = |found: &Accuracy| {
        [
            percent(found.percent().map(|percent| percent / 100.0)),
            found
                .centipawn_loss()
                .map_or(String::new(), |loss| format!("{loss:.0}")),
            grouped(found.moves),
            grouped(found.inaccuracies),
            grouped(found.mistakes),
            grouped(found.blunders),
        ]
    };
    let mut table = titled("");
    let [white, black] = &found.sides;
    for (name, side) in [("White", white), ("Black", black), ("Both", &found.both())] {
        table.row(name, cells(side));
    }
    text += &table.print();
    if let Some(top) = top {
        let mut table = titled("Player");
        for (name, side) in found.players(top) {
            table.row(name, cells(&side));
        }
        text.push('\n');
        text += &table.print();
    }
    text
}

/// Returns the thinking time of one player or side; null without any.
pub(super) fn thinking_json(time: &ThinkingTime) -> Json {
    if time.moves == 0 && time.clocks == 0 {
        return Json::Null;
    }
    object([
        ("games", time.games.into()),
        ("moves", time.moves.into()),
        ("secondsPerMove", rounded(time.mean())),
        ("timeTrouble", rounded(time.trouble_share())),
        ("lostOnTime", time.lost_on_time.into()),
    ])
}

/// Returns the accuracy of one player or side; null without any.
pub(super) fn accuracy_json(found: &Accuracy) -> Json {
    if found.moves == 0 {
        return Json::Null;
    }
    object([
        ("games", found.games.into()),
        ("moves", found.moves.into()),
        ("accuracy", rounded(found.percent())),
        ("centipawnLoss", rounded(found.centipawn_loss())),
        ("inaccuracies", found.inaccuracies.into()),
        ("mistakes", found.mistakes.into()),
        ("blunders", found.blunders.into()),
    ])
}

/// Returns the members of a player.
fn named(name: &str, mut json: Json) -> Json {
    if let Json::Object(members) = &mut json {
        members.shift_insert(0, "name".to_owned(), name.into());
    }
    json
}

/// Returns all thinking times; null without any.
pub(super) fn times_json(times: &ThinkingTimes, top: usize) -> Json {
    if times.games == 0 {
        return Json::Null;
    }
    let [white, black] = &times.sides;
    let bands = MOVE_BANDS
        .into_iter()
        .zip(&times.bands)
        .map(|(from, &sum)| {
            object([
                ("from", from.into()),
                ("moves", sum.0.into()),
                ("secondsPerMove", rounded(mean(sum))),
            ])
        });
    let players = times.players(top).into_iter();
    let longest = times.longest.as_ref().map(|think| {
        object([
            ("seconds", (think.milliseconds as f64 / 1000.0).into()),
            ("move", think.number.into()),
            ("color", color(think.side).into()),
            ("game", game_label::json(&think.game)),
        ])
    });
    object([
        ("games", times.games.into()),
        ("withoutTimes", times.unknown.into()),
        ("white", thinking_json(white)),
        ("black", thinking_json(black)),
        ("both", thinking_json(&times.both())),
        ("byMove", list(bands)),
        (
            "players",
            list(players.map(|(name, time)| named(name, thinking_json(&time)))),
        ),
        ("longest", longest.into()),
    ])
}

/// Returns the accuracy of all; null without any.
pub(super) fn accuracies_json(found: &Accuracies, top: usize) -> Json {
    if found.games == 0 {
        return Json::Null;
    }
    let [white, black] = &found.sides;
    let players = found.players(top).into_iter();
    object([
        ("games", found.games.into()),
        ("white", accuracy_json(white)),
        ("black", accuracy_json(black)),
        ("both", accuracy_json(&found.both())),
        (
            "players",
            list(players.map(|(name, side)| named(name, accuracy_json(&side)))),
        ),
    ])
}

/// Returns the name of a colour.
pub(super) fn color(side: Color) -> &'static str {
    side.pick("white", "black")
}
