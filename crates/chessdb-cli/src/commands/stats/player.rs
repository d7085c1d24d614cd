//! `stats --player`: the report about a player.

use chessdb::Color;
use chessdb::query::stats::Score;
use chessdb::query::stats::player::{PlayerEntry, PlayerReport};

use super::StatsScan;
use super::groups::{byes, score_json, side_share};
use super::times::{accuracy_json, accuracy_line, thinking_json, thinking_line};
use crate::args::Stats;
use crate::commands::chosen_player::ChosenPlayer;
use crate::commands::game_label;
use crate::csv;
use crate::exit::{Completion, Outcome};
use crate::json::{Json, SCHEMA, games_by_name, list, object, rounded, text_or_null, with_first};
use crate::output::{count, grouped, plain, print_json, print_text, width, wrap};
use crate::table::{Table, percent_with, text_of};

pub(super) fn run(args: &Stats, scan: &StatsScan) -> Outcome {
    let Some(player) = &scan.player else {
        return super::general(args, scan);
    };
    let mut report = PlayerReport::default();
    let outcome = scan.each(
        |game, label| PlayerEntry::from_game(game, player.filter.sides(game), label),
        |entry| report.add(entry),
    )?;
    let top = super::top(args, 10);
    let games = report.score.games();
    if args.json || args.csv {
        let document = json(&report, top, outcome.bases, player);
        if args.csv { csv::print_document(&document)? } else { print_json(&document)? }
    } else {
        print_text(&text(&report, top))?;
    }
    Ok(outcome.done.max(Completion::of_search(games)))
}

/// Returns the cells of a score: games, won, drawn, lost, share with these decimals, rating of the
/// opponents and performance.
pub(in crate::commands) fn score_cells(score: &Score, decimals: usize) -> [String; 7] {
    [
        grouped(score.games()),
        grouped(score.wins()),
        grouped(score.draws()),
        grouped(score.losses()),
        percent_with(decimals, score.share()),
        text_of(score.opponents()),
        text_of(score.performance()),
    ]
}

/// Returns the part of a score with one colour.
pub(in crate::commands) fn only(score: &Score, side: Color) -> Score {
    let mut only = Score::default();
    *side.pick(&mut only.white, &mut only.black) = *score.side(side);
    only
}

fn text(report: &PlayerReport, top: usize) -> String {
    let names = report.names();
    let mut names = names.iter();
    let Some((name, _)) = names.next() else {
        return format!("0 games{}\n", byes(report.byes));
    };
    let score = &report.score;
    let games = count(score.games(), "game");
    let mut text = format!("{}, {games}{}\n", plain(name), byes(report.byes));
    let others: Vec<String> = names
        .by_ref()
        .take(5)
        .map(|(name, games)| format!("{} ({})", plain(name), grouped(*games)))
        .collect();
    if !others.is_empty() {
        let more = names.count();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let line = format!("Also counted: {}{more}", others.join("; "));
        wrap(&line, width(), &mut text);
    }
    text.push('\n');
    let titles = "Games, Won, Drawn, Lost, Score, Elo, Opponents, Perf";
    let mut table = Table::new("Colour", titles);
    let parts = [
        ("White", only(score, Color::White)),
        ("Black", only(score, Color::Black)),
        ("Both", *score),
    ];
    for (name, part) in parts {
        let [games, won, drawn, lost, share, opponents, performance] = score_cells(&part, 1);
        let elo = text_of(part.rating());
        table.row(
            name,
            [games, won, drawn, lost, share, elo, opponents, performance],
        );
    }
    text += &table.text();
    for side in Color::ALL {
        let name = side.pick("White", "Black");
        let openings = report.openings(side, top);
        let title = format!(
            "Openings with {name} ({})",
            grouped(report.opening_count(side) as u64)
        );
        push_table(&mut text, &title, openings.into_iter());
    }
    let title = format!("Opponents ({})", grouped(report.opponent_count() as u64));
    push_table(&mut text, &title, report.opponents(top).into_iter());
    let years: Vec<(String, Score)> = report
        .years
        .iter()
        .map(|(&year, score)| match year {
            0 => ("(unknown)".to_owned(), *score),
            year => (year.to_string(), *score),
        })
        .collect();
    let years = years.iter().map(|(year, score)| (year.as_str(), *score));
    push_table(&mut text, "Years", years);
    let facts = [
        report.best_win.as_ref().map(|game| {
            format!(
                "Highest rated win: {} ({})",
                game_label::text(game),
                game_label::place(game)
            )
        }),
        thinking_line(&report.thinking),
        accuracy_line(&report.accuracy),
    ];
    for (n, fact) in facts.into_iter().flatten().enumerate() {
        if n == 0 {
            text.push('\n');
        }
        wrap(&fact, width(), &mut text);
    }
    text
}

/// Appends a table of scores.
fn push_table<'a>(text: &mut String, title: &str, scores: impl Iterator<Item = (&'a str, Score)>) {
    let titles = "Games, Won, Drawn, Lost, Score, Opp, Perf";
    let mut table = Table::new(title, titles).indented();
    for (name, score) in scores {
        let name = if name.is_empty() { "(unknown)" } else { name };
        table.row(name, score_cells(&score, 1));
    }
    if !table.is_empty() {
        text.push('\n');
        *text += &table.text();
    }
}

fn json(report: &PlayerReport, top: usize, bases: Vec<Json>, player: &ChosenPlayer) -> Json {
    let named = |key: &'static str, scores: Vec<(Json, Score)>| {
        list(
            scores
                .into_iter()
                .map(|(name, score)| with_first(key, name, score_json(&score))),
        )
    };
    let texts = |scores: Vec<(&str, Score)>| -> Vec<(Json, Score)> {
        let scores = scores.into_iter();
        scores
            .map(|(name, score)| (text_or_null(name), score))
            .collect()
    };
    let opening = |side: Color| {
        let scores = report.openings(side, top).into_iter();
        list(scores.map(|(name, score)| {
            let tally = score.side(side);
            object! {
                "opening": text_or_null(name), "games": tally.games,
                "won": tally.wins(side), "drawn": tally.draws, "lost": tally.wins(side.other()),
                "score": rounded(side_share(&score, side)),
                "performance": tally.performance(),
            }
        }))
    };
    let years = report.years.iter().map(|(&year, score)| {
        let year: Option<u16> = Some(year).filter(|year| *year > 0);
        (year.into(), *score)
    });
    object! {
        "schema": SCHEMA, "bases": list(bases), "games": report.score.games(), "byes": report.byes,
        "names": games_by_name(report.names()),
        "possible": player.possible_json(), "total": score_json(&report.score),
        "whiteOpenings": opening(Color::White), "blackOpenings": opening(Color::Black),
        "opponents": named("name", texts(report.opponents(top))),
        "years": named("year", years.collect()),
        "highestRatedWin": report.best_win.as_ref().map(game_label::json),
        "clocks": thinking_json(&report.thinking), "accuracy": accuracy_json(&report.accuracy),
    }
}
