//! The command `stats`: statistics of databases.

#[cfg(feature = "plots")]
mod plots;

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
#[cfg(feature = "plots")]
use std::path::Path;

use chessdb::Outcome as GameResult;
use chessdb::core::model::Eco;
use chessdb::query::{GameStats, Results, Stats as Numbers};

use crate::args::Stats;
use crate::commands::database_scan::DatabaseScan;
use crate::exit::{Completion, Failure, Outcome};
use crate::json::{Json, SCHEMA, line, list, object};
use crate::output::{bar, column, count, grouped, plain, stdout};
use crate::query;
#[cfg(feature = "plots")]
use crate::report_file::ReportFile;
use crate::report_file::refuse;

/// The width of the longest bar.
const BAR: usize = 40;

pub(crate) fn run(args: &Stats) -> Outcome {
    let scan = DatabaseScan {
        words: &args.words,
        choice: &args.choice,
        input_options: &args.input_options,
        strict: args.strict,
        jobs: args.jobs,
    };
    let mut stats = Numbers::default();
    for path in [&args.svg, &args.html].into_iter().flatten() {
        refuse(path, args.force, query::split_query(&args.words).0)?;
    }
    let outcome = scan.each(|game| GameStats::of(game), |game| stats.add(game))?;
    let top = usize::from(args.top);
    save_plots(args, &stats)?;
    let mut out = stdout();
    match args.json {
        _ if args.svg.is_some() || args.html.is_some() => {}
        true => writeln!(out, "{}", line(&json(&stats, top, outcome.bases)))?,
        false => {
            let page = StatsText {
                stats: &stats,
                bars: io::stdout().is_terminal(),
                text: String::new(),
            };
            out.write_all(page.print(top).as_bytes())?;
        }
    }
    out.flush()?;
    let found = stats.games;
    Ok(outcome.done.max(Completion::of_search(found)))
}

/// Writes the files of `--svg` and `--html`.
#[cfg(feature = "plots")]
fn save_plots(args: &Stats, stats: &Numbers) -> Result<(), Failure> {
    let save = |path: &Path, text: String| {
        let databases = query::split_query(&args.words).0;
        ReportFile::write(path, args.force, databases, text.as_bytes())
    };
    if let Some(path) = &args.svg {
        save(path, plots::svg(stats).map_err(Failure::Output)?)?;
    }
    if let Some(path) = &args.html {
        let page = StatsText {
            stats,
            bars: false,
            text: String::new(),
        };
        let text = page.print(usize::from(args.top));
        save(path, plots::html(stats, &text).map_err(Failure::Output)?)?;
    }
    Ok(())
}

#[cfg(not(feature = "plots"))]
fn save_plots(args: &Stats, _: &Numbers) -> Result<(), Failure> {
    match args.svg.is_some() || args.html.is_some() {
        true => Err(Failure::Usage(
            "this build cannot draw charts: feature `plots` is missing".to_owned(),
        )),
        false => Ok(()),
    }
}

/// The statistics as text.
struct StatsText<'s> {
    stats: &'s Numbers,
    bars: bool,
    text: String,
}

impl StatsText<'_> {
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
        let Some(most) = lines.iter().map(|(_, games)| *games).max() else {
            return;
        };
        let _ = writeln!(self.text, "\n{title}");
        for (name, games) in lines {
            let mut line = "  ".to_owned();
            column(&mut line, &plain(&name), 40);
            let _ = write!(line, " {:>12}", grouped(games));
            if self.bars {
                let _ = write!(line, "  {}", bar(games as f64 / most.max(1) as f64, BAR));
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
            format!(", {:.1} %", 100.0 * share)
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

fn json(stats: &Numbers, top: usize, bases: Vec<Json>) -> Json {
    let pairs = |key: &'static str, pairs: Vec<(Json, u64)>| {
        list(
            pairs
                .into_iter()
                .map(|(value, games)| object([(key, value), ("games", games.into())])),
        )
    };
    let results = GameResult::ALL.iter().zip(stats.results);
    let results = results.map(|(result, games)| (result.as_pgn().into(), games));
    let years = stats.years.iter().map(|(&year, &games)| {
        let year: Option<u16> = Some(year).filter(|year| *year > 0);
        (year.into(), games)
    });
    let lengths = stats
        .lengths
        .iter()
        .map(|(&moves, &games)| (moves.into(), games));
    let ratings = stats.ratings.iter().map(|(&points, &players)| {
        object([("rating", points.into()), ("players", players.into())])
    });
    let openings = openings(stats, top).into_iter();
    let (players, events) = stats.names();
    let top_players = stats.players(top).into_iter().map(|(name, results)| {
        object([
            ("name", name.into()),
            ("games", results.games.into()),
            ("points", (results.half_points as f64 / 2.0).into()),
            ("decided", results.decided.into()),
        ])
    });
    let top_events = stats.events(top).into_iter();
    let annotations = stats.annotations.named().map(|(name, &(games, all))| {
        object([
            ("kind", name.into()),
            ("games", games.into()),
            ("count", all.into()),
        ])
    });
    object([
        ("schema", SCHEMA.into()),
        ("bases", list(bases)),
        ("games", stats.games.into()),
        ("deleted", stats.deleted.into()),
        ("results", pairs("result", results.collect())),
        ("years", pairs("year", years.collect())),
        ("lengths", pairs("moves", lengths.collect())),
        ("ratings", list(ratings)),
        (
            "openings",
            pairs(
                "eco",
                openings.map(|(eco, games)| (eco.into(), games)).collect(),
            ),
        ),
        ("players", (players as u64).into()),
        ("topPlayers", list(top_players)),
        ("events", (events as u64).into()),
        (
            "topEvents",
            pairs(
                "name",
                top_events
                    .map(|(name, games)| (name.into(), games))
                    .collect(),
            ),
        ),
        ("annotations", list(annotations)),
    ])
}
