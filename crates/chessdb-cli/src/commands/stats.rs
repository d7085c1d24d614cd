//! The command `stats`: statistics of databases.

mod crosstable;
mod groups;
mod player;
#[cfg(feature = "plots")]
mod plots;
mod times;

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
#[cfg(feature = "plots")]
use std::path::Path;

use chessdb::Outcome as GameResult;
use chessdb::core::Game;
use chessdb::core::model::Eco;
use chessdb::query::stats::accuracy::{Accuracies, AccuracyEntry};
use chessdb::query::stats::player::PlayerFilter;
use chessdb::query::stats::thinking::{ThinkingEntry, ThinkingTimes};
use chessdb::query::stats::{GameLabel, GameStats, Results, Stats as Numbers};

use crate::args::{ScanOptions, Stats};
use crate::commands::chosen_player::ChosenPlayer;
use crate::commands::database_scan::ScanOutcome;
use crate::commands::game_label;
use crate::csv;
use crate::exit::{Completion, Failure, Outcome};
use crate::json::{Json, SCHEMA, games_by_name, list, members, object};
use crate::output::{bar, column, count, grouped, plain, print_json, print_text};
use crate::query;
#[cfg(feature = "plots")]
use crate::report_file::ReportFile;
use crate::report_file::refuse;
use crate::table::percent;

pub(super) use player::{only, score_cells};

/// The width of the longest bar.
const BAR: usize = 40;

/// The number of openings, players and events listed by default.
const TOP: u32 = 10;

pub(crate) fn run(args: &Stats) -> Outcome {
    let scan = StatsScan::new(args)?;
    match (&args.by, &args.player, &args.crosstable) {
        (Some(key), ..) => groups::run(args, &scan, key),
        (None, Some(_), _) => player::run(args, &scan),
        (None, None, Some(kind)) => crosstable::run(args, &scan, kind.0),
        _ if args.clocks || args.accuracy => times::run(args, &scan),
        _ => general(args, &scan),
    }
}

/// Returns the number of values to list.
fn top(args: &Stats, default: u32) -> usize {
    let default = if args.csv { u32::MAX } else { default };
    args.top.unwrap_or(default) as usize
}

/// The games that are counted.
struct StatsScan {
    options: ScanOptions,
    /// The player of `--player`.
    player: Option<ChosenPlayer>,
}

impl StatsScan {
    /// Returns the scan of the games that match, and that the player of `--player` played.
    fn new(args: &Stats) -> Result<StatsScan, Failure> {
        let (bases, terms) = query::split_query(&args.scan_options.choice.words);
        let chosen = |name: &String| ChosenPlayer::from_name(bases, name, &args.scan_options);
        let player = args.player.as_ref().map(chosen).transpose()?;
        let term = |player: &ChosenPlayer| PlayerFilter::term("player", &player.name);
        let own = player.as_ref().map(term).into_iter().collect();
        Ok(StatsScan {
            options: args.scan_options.with_terms(bases, own, terms),
            player,
        })
    }

    /// Calls `map` on all threads for each game, with a function that describes the game, and
    /// `take` with the values in the order of the databases.
    fn each<T: Send>(
        &self,
        map: impl Fn(&Game, &dyn Fn() -> GameLabel) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<ScanOutcome, Failure> {
        let map = |db: &chessdb::Database, game: &mut chessdb::Game| {
            let label = || game_label::new(db, game);
            Ok(map(game, &label))
        };
        self.options.each_of(false, map, |_, made| {
            take(made);
            Ok(())
        })
    }
}

/// The general statistics, with the values that only some games have.
#[derive(Default)]
struct General {
    numbers: Numbers,
    times: ThinkingTimes,
    accuracies: Accuracies,
}

/// Prints the general statistics, or writes them to the files of `--svg` and `--html`.
fn general(args: &Stats, scan: &StatsScan) -> Outcome {
    for path in [&args.svg, &args.html].into_iter().flatten() {
        refuse(
            path,
            args.force,
            query::split_query(&args.scan_options.choice.words).0,
        )?;
    }
    let mut all = General::default();
    let outcome = scan.each(
        |game, label| {
            let stats = GameStats::from_game(game);
            let time = stats
                .has_clocks()
                .then(|| ThinkingEntry::from_game(game, label));
            let accuracy = stats.has_evals().then(|| AccuracyEntry::from_game(game));
            (stats, time.flatten(), accuracy.flatten())
        },
        |(stats, time, accuracy)| {
            all.numbers.add(stats);
            time.into_iter().for_each(|entry| all.times.add(entry));
            let accuracies = &mut all.accuracies;
            accuracy.into_iter().for_each(|entry| accuracies.add(entry));
        },
    )?;
    let top = top(args, TOP);
    save_plots(args, &all.numbers)?;
    match args.json {
        _ if args.svg.is_some() || args.html.is_some() => {}
        _ if args.csv => csv::print_document(&json(&all, top, outcome.bases))?,
        true => print_json(&json(&all, top, outcome.bases))?,
        false => {
            let mut text = StatsText::new(&all.numbers, io::stdout().is_terminal()).print(top);
            if all.times.games > 0 {
                text.push('\n');
                text += &times::times_text(&all.times, None);
            }
            if all.accuracies.games > 0 {
                text.push('\n');
                text += &times::accuracies_text(&all.accuracies, None);
            }
            print_text(&text)?;
        }
    }
    Ok(outcome.done.max(Completion::of_search(all.numbers.games)))
}

/// Writes the files of `--svg` and `--html`.
#[cfg(feature = "plots")]
fn save_plots(args: &Stats, stats: &Numbers) -> Result<(), Failure> {
    let save = |path: &Path, text: String| {
        let databases = query::split_query(&args.scan_options.choice.words).0;
        ReportFile::write(path, args.force, databases, text.as_bytes())
    };
    if let Some(path) = &args.svg {
        save(path, plots::svg(stats).map_err(Failure::Output)?)?;
    }
    if let Some(path) = &args.html {
        let text = StatsText::new(stats, false).print(top(args, TOP));
        save(path, plots::html(stats, &text).map_err(Failure::Output)?)?;
    }
    Ok(())
}

#[cfg(not(feature = "plots"))]
fn save_plots(args: &Stats, _: &Numbers) -> Result<(), Failure> {
    if args.svg.is_some() || args.html.is_some() {
        Err(Failure::Usage(
            "this build cannot draw charts: feature `plots` is missing".to_owned(),
        ))
    } else {
        Ok(())
    }
}

/// The statistics as text.
struct StatsText<'s> {
    stats: &'s Numbers,
    bars: bool,
    text: String,
}

impl StatsText<'_> {
    fn new(stats: &Numbers, bars: bool) -> StatsText<'_> {
        let text = String::new();
        StatsText { stats, bars, text }
    }

    fn print(mut self, top: usize) -> String {
        let stats = self.stats;
        let _ = write!(self.text, "{}", count(stats.games, "game"));
        if stats.deleted > 0 {
            let _ = write!(self.text, ", {} marked as deleted", grouped(stats.deleted));
        }
        self.text.push('\n');
        let results = GameResult::ALL.iter().zip(stats.results);
        self.table(
            "Results",
            results.map(|(result, games)| (result.to_string(), games)),
        );
        self.table("Years", by_decade(stats));
        let lengths = grouped_by(
            stats.lengths.iter().map(|(&moves, &games)| (moves, games)),
            20,
        );
        let to = |(first, games): (u32, u64)| (format!("{first}-{} moves", first + 19), games);
        self.table("Lengths", lengths.into_iter().map(to));
        let ratings = stats
            .ratings
            .iter()
            .map(|(&points, &games)| (points.into(), games));
        let to = |(first, games): (u32, u64)| (format!("{first}-{}", first + 99), games);
        self.table(
            "Ratings of players",
            grouped_by(ratings, 100).into_iter().map(to),
        );
        self.table("Openings", openings(stats, top).into_iter());
        let (players, events) = stats.names();
        let names = stats.players(top).into_iter();
        let names =
            names.map(|(name, results)| (format!("{name}{}", score(results)), results.games));
        self.table(&format!("Players ({})", grouped(players as u64)), names);
        let names = stats.events(top).into_iter();
        let names = names.map(|(name, games)| (name.to_owned(), games));
        self.table(&format!("Events ({})", grouped(events as u64)), names);
        let annotations = stats.annotations.named();
        let with = |(name, (games, all)): (&str, &(u64, u64))| {
            (format!("{name} ({} in total)", grouped(*all)), *games)
        };
        let annotations = annotations.into_iter().filter(|(_, sums)| sums.0 > 0);
        self.table("Games with annotations", annotations.map(with));
        self.text
    }

    /// Appends a table of names and numbers of games. Lines with zero games are omitted.
    fn table(&mut self, title: &str, lines: impl Iterator<Item = (String, u64)>) {
        let lines: Vec<(String, u64)> = lines.filter(|(_, games)| *games > 0).collect();
        let Some(largest) = lines.iter().map(|(_, games)| *games).max() else {
            return;
        };
        let _ = writeln!(self.text, "\n{title}");
        for (name, games) in lines {
            let mut line = "  ".to_owned();
            column(&mut line, &plain(&name), 40);
            let _ = write!(line, " {:>12}", grouped(games));
            if self.bars {
                let _ = write!(line, "  {}", bar(games as f64 / largest.max(1) as f64, BAR));
            }
            self.text.push_str(line.trim_end());
            self.text.push('\n');
        }
    }
}

/// Returns a score, such as `, 62.5 %`.
fn score(results: Results) -> String {
    match results.decided {
        0 => String::new(),
        decided => {
            let share = results.half_points as f64 / (2 * decided) as f64;
            format!(", {}", percent(Some(share)))
        }
    }
}

fn by_decade(stats: &Numbers) -> impl Iterator<Item = (String, u64)> {
    let years = stats
        .years
        .iter()
        .map(|(&year, &games)| (year.into(), games));
    grouped_by(years, 10)
        .into_iter()
        .map(|(first, games)| match first {
            0 => ("unknown".to_owned(), games),
            first => (format!("{first}-{}", first + 9), games),
        })
}

/// Sums numbers in groups of `size`, each identified by its first number.
fn grouped_by(numbers: impl Iterator<Item = (u32, u64)>, size: u32) -> Vec<(u32, u64)> {
    let mut groups: Vec<(u32, u64)> = Vec::new();
    for (number, games) in numbers {
        let first = number / size * size;
        // The numbers ascend, so a group is complete when the next one begins.
        match groups.last_mut() {
            Some((last, sum)) if *last == first => *sum += games,
            _ => groups.push((first, games)),
        }
    }
    groups
}

fn openings(stats: &Numbers, top: usize) -> Vec<(String, u64)> {
    let openings = stats.openings.iter();
    let mut openings: Vec<_> = openings.map(|(&code, &games)| (code, games)).collect();
    openings.sort_by_key(|&(code, games)| (std::cmp::Reverse(games), code));
    openings.truncate(top);
    let named = openings.into_iter();
    named
        .map(|(code, games)| (Eco::new(code).to_string(), games))
        .collect()
}

/// Returns values, under this name, with their numbers of games.
fn pairs<T: Into<Json>>(key: &str, pairs: impl Iterator<Item = (T, u64)>) -> Json {
    list(pairs.map(|(value, games)| members([(key, value.into()), ("games", games.into())])))
}

fn json(all: &General, top: usize, bases: Vec<Json>) -> Json {
    let stats = &all.numbers;
    let results = GameResult::ALL.iter().zip(stats.results);
    let results = results.map(|(result, games)| (result.as_pgn(), games));
    let years = stats.years.iter();
    let years = years.map(|(&year, &games)| (Some(year).filter(|year| *year > 0), games));
    let lengths = stats.lengths.iter().map(|(&moves, &games)| (moves, games));
    let ratings = stats.ratings.iter().map(|(&points, &players)| {
        object! { "rating": points, "players": players }
    });
    let (players, events) = stats.names();
    let top_players = stats.players(top).into_iter().map(|(name, results)| {
        object! {
            "name": name, "games": results.games, "points": results.half_points as f64 / 2.0,
            "decided": results.decided,
        }
    });
    let annotations = stats.annotations.named().map(|(name, &(games, all))| {
        object! { "kind": name, "games": games, "count": all }
    });
    object! {
        "schema": SCHEMA, "bases": list(bases), "games": stats.games, "deleted": stats.deleted,
        "results": pairs("result", results), "years": pairs("year", years),
        "lengths": pairs("moves", lengths), "ratings": list(ratings),
        "openings": pairs("eco", openings(stats, top).into_iter()),
        "players": players, "topPlayers": list(top_players), "events": events,
        "topEvents": games_by_name(stats.events(top)),
        "annotations": list(annotations), "clocks": times::times_json(&all.times, top),
        "accuracy": times::accuracies_json(&all.accuracies, top),
    }
}
