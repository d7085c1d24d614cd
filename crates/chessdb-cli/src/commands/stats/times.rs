//! `stats --clocks` and `stats --accuracy`: thinking times and the quality of moves.

use std::fmt::Write as _;

use chessdb::Color;
use chessdb::query::stats::accuracy::{Accuracies, Accuracy, AccuracyEntry};
use chessdb::query::stats::thinking::{
    LongestThink, MOVE_BANDS, ThinkingEntry, ThinkingTime, ThinkingTimes,
};

use super::StatsScan;
use crate::args::Stats;
use crate::commands::game_label;
use crate::csv;
use crate::exit::{Completion, Outcome};
use crate::json::{Json, SCHEMA, list, object, rounded, with_first};
use crate::output::{count, grouped, print_json, print_text, width, wrap};
use crate::table::{Table, percent, text_of};

/// Prints thinking times, accuracy, or both.
pub(super) fn run(args: &Stats, scan: &StatsScan) -> Outcome {
    let (mut times, mut accuracies) = (ThinkingTimes::default(), Accuracies::default());
    let outcome = scan.each(
        |game, label| {
            let times = args.clocks.then(|| ThinkingEntry::from_game(game, label));
            let accuracy = args.accuracy.then(|| AccuracyEntry::from_game(game));
            (times.flatten(), accuracy.flatten())
        },
        |(time, accuracy)| {
            time.into_iter().for_each(|entry| times.add(entry));
            accuracy.into_iter().for_each(|entry| accuracies.add(entry));
        },
    )?;
    let top = super::top(args, 10);
    if args.json || args.csv {
        let document = object! {
            "schema": SCHEMA, "bases": list(outcome.bases),
            "clocks": args.clocks.then(|| times_json(&times, top)),
            "accuracy": args.accuracy.then(|| accuracies_json(&accuracies, top)),
        };
        if args.csv { csv::print_document(&document)? } else { print_json(&document)? }
    } else {
        let times = args.clocks.then(|| times_text(&times, Some(top)));
        let accuracies = args
            .accuracy
            .then(|| accuracies_text(&accuracies, Some(top)));
        let texts: Vec<String> = times.into_iter().chain(accuracies).collect();
        print_text(&texts.join("\n"))?;
    }
    Ok(outcome
        .done
        .max(Completion::of_search(times.games + accuracies.games)))
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
    let [white, black] = &times.sides;
    let sides = [("White", white), ("Black", black), ("Both", &times.both())];
    text += &times_table("", sides.map(|(name, time)| (name, *time)));
    let mut table = Table::new("By move number", "Per move, Moves").indented();
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
    text += &table.text();
    if let Some(top) = top {
        text.push('\n');
        text += &times_table("Player", times.players(top));
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

/// Returns a table of thinking times.
fn times_table<'a>(
    title: &str,
    times: impl IntoIterator<Item = (&'a str, ThinkingTime)>,
) -> String {
    let titles = "Per move, Moves, Time trouble, Lost on time";
    let mut table = Table::new(title, titles).indented();
    for (name, time) in times {
        let (mean, trouble) = (seconds(time.mean()), percent(time.trouble_share()));
        table.row(
            name,
            [
                mean,
                grouped(time.moves),
                trouble,
                grouped(time.lost_on_time),
            ],
        );
    }
    table.text()
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
pub(super) fn accuracy_line(accuracy: &Accuracy) -> Option<String> {
    let percent = accuracy.percent()?;
    let loss = accuracy.centipawn_loss()?;
    Some(format!(
        "Accuracy: {percent:.1} %, {loss:.0} centipawns lost per move; {}, {}, {} ({} with evaluations)",
        match accuracy.inaccuracies {
            1 => "1 inaccuracy".to_owned(),
            number => format!("{} inaccuracies", grouped(number)),
        },
        count(accuracy.mistakes, "mistake"),
        count(accuracy.blunders, "blunder"),
        count(accuracy.games, "game"),
    ))
}

/// Returns the accuracy as text, with a table of players if `top` is given.
pub(super) fn accuracies_text(accuracies: &Accuracies, top: Option<usize>) -> String {
    let mut text = format!(
        "Accuracy ({} with evaluations)\n",
        count(accuracies.games, "game")
    );
    let [white, black] = &accuracies.sides;
    let both = accuracies.both();
    let sides = [("White", white), ("Black", black), ("Both", &both)];
    text += &accuracy_table("", sides.map(|(name, side)| (name, *side)));
    if let Some(top) = top {
        text.push('\n');
        text += &accuracy_table("Player", accuracies.players(top));
    }
    text
}

/// Returns a table of accuracies.
fn accuracy_table<'a>(
    title: &str,
    accuracies: impl IntoIterator<Item = (&'a str, Accuracy)>,
) -> String {
    let titles = "Accuracy, ACPL, Moves, Inaccuracies, Mistakes, Blunders";
    let mut table = Table::new(title, titles).indented();
    for (name, accuracy) in accuracies {
        let share = percent(accuracy.percent().map(|percent| percent / 100.0));
        let loss = text_of(accuracy.centipawn_loss().map(|loss| format!("{loss:.0}")));
        let [moves, inaccuracies] = [accuracy.moves, accuracy.inaccuracies].map(grouped);
        let [mistakes, blunders] = [accuracy.mistakes, accuracy.blunders].map(grouped);
        table.row(name, [share, loss, moves, inaccuracies, mistakes, blunders]);
    }
    table.text()
}

/// Returns the thinking time of one player or side; null without any.
pub(super) fn thinking_json(time: &ThinkingTime) -> Json {
    if time.moves == 0 && time.clocks == 0 {
        return Json::Null;
    }
    object! {
        "games": time.games, "moves": time.moves, "secondsPerMove": rounded(time.mean()),
        "timeTrouble": rounded(time.trouble_share()), "lostOnTime": time.lost_on_time,
    }
}

/// Returns the accuracy of one player or side; null without any.
pub(super) fn accuracy_json(accuracy: &Accuracy) -> Json {
    if accuracy.moves == 0 {
        return Json::Null;
    }
    object! {
        "games": accuracy.games, "moves": accuracy.moves, "accuracy": rounded(accuracy.percent()),
        "centipawnLoss": rounded(accuracy.centipawn_loss()), "inaccuracies": accuracy.inaccuracies,
        "mistakes": accuracy.mistakes, "blunders": accuracy.blunders,
    }
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
            object! { "from": from, "moves": sum.0, "secondsPerMove": rounded(mean(sum)) }
        });
    let players = times.players(top).into_iter();
    let longest = times.longest.as_ref().map(|think| {
        object! {
            "seconds": think.milliseconds as f64 / 1000.0, "move": think.number,
            "color": color(think.side), "game": game_label::json(&think.game),
        }
    });
    object! {
        "games": times.games, "withoutTimes": times.unknown, "white": thinking_json(white),
        "black": thinking_json(black), "both": thinking_json(&times.both()), "byMove": list(bands),
        "players": list(players.map(|(name, time)| with_first("name", name, thinking_json(&time)))),
        "longest": longest,
    }
}

/// Returns the accuracy of all; null without any.
pub(super) fn accuracies_json(accuracies: &Accuracies, top: usize) -> Json {
    if accuracies.games == 0 {
        return Json::Null;
    }
    let [white, black] = &accuracies.sides;
    let players = accuracies.players(top).into_iter();
    object! {
        "games": accuracies.games, "white": accuracy_json(white), "black": accuracy_json(black),
        "both": accuracy_json(&accuracies.both()),
        "players": list(players.map(|(name, side)| with_first("name", name, accuracy_json(&side)))),
    }
}

/// Returns the name of a colour.
pub(super) fn color(side: Color) -> &'static str {
    side.pick("white", "black")
}
