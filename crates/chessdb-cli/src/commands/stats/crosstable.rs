//! `stats --crosstable`: the tables of events.

mod frame;

use std::fmt::Write as _;

use chessdb::query::stats::crosstable::{
    Crosstable, Crosstables, EventSummary, TableColumn, TableEntry, TableGame, TableKind, TieBreak,
    points_text,
};

use self::frame::{Frame, LEAST_NAME};
use super::StatsScan;
use super::groups::byes;
use super::times::color;
use crate::args::{RatingFactor, Stats};
use crate::csv;
use crate::exit::{Completion, Failure, Outcome};
use crate::json::{Json, SCHEMA, list, members, object, with_first};
use crate::output::{column, count, grouped, plain, print_json, print_text, width, wrap};

/// The largest number of events.
const MOST_EVENTS: usize = 10;

/// The largest number of events named in a message.
const MOST_NAMED: usize = 20;

pub(super) fn run(args: &Stats, scan: &StatsScan, kind: Option<TableKind>) -> Outcome {
    let mut tables = Crosstables::new(MOST_EVENTS).ranked_by(args.tie_breaks.clone());
    let outcome = scan.each(
        |game, _| TableEntry::from_game(game),
        |entry| {
            if let Some(entry) = entry {
                tables.add(entry);
            }
        },
    )?;
    let tables = tables.tables(kind).map_err(|events| too_many(&events))?;
    let games = tables.iter().map(|table| table.games as u64).sum();
    let factor = args.ratings.and_then(|RatingFactor(factor)| factor);
    if args.csv {
        let rows: Vec<Json> = tables
            .iter()
            .flat_map(|table| csv_rows(table, factor))
            .collect();
        csv::print(&rows)?;
    } else if args.json {
        let events = list(tables.iter().map(|table| json(table, factor)));
        print_json(&object! { "schema": SCHEMA, "bases": list(outcome.bases), "events": events })?;
    } else {
        let texts: Vec<String> = tables
            .iter()
            .map(|table| text(table, args.ratings, width()))
            .collect();
        print_text(&texts.join("\n"))?;
    }
    Ok(outcome.done.max(Completion::of_search(games)))
}

fn too_many(events: &[EventSummary]) -> Failure {
    let mut text = format!(
        "{} events match, and cross-tables are made of at most {MOST_EVENTS}; \
         select one with a query such as event:\"Linares\" year:1993",
        grouped(events.len() as u64)
    );
    for event in events.iter().take(MOST_NAMED) {
        let year = if event.year > 0 { format!(" {}", event.year) } else { String::new() };
        let _ = write!(
            text,
            "\n  {}, {}{year}: {}",
            plain(&event.event),
            plain(&event.site),
            count(event.games, "game")
        );
    }
    if events.len() > MOST_NAMED {
        let _ = write!(text, "\n  … {} more", events.len() - MOST_NAMED);
    }
    Failure::Usage(text)
}

/// Returns a table for a terminal of this width.
fn text(table: &Crosstable, ratings: Option<RatingFactor>, width: usize) -> String {
    let mut title = plain(&table.event);
    if let Some(place) = table.place() {
        let _ = write!(title, ", {}", plain(place));
    }
    if let Some(period) = table.period() {
        let _ = write!(title, ", {period}");
    }
    let _ = write!(title, ", {}", count(table.games as u64, "game"));
    title += &byes(table.byes as u64);
    let mut text = String::new();
    wrap(&title, width, &mut text);
    if table.repeated > 0 {
        let _ = writeln!(
            text,
            "{} twice in the database, counted once",
            count(table.repeated as u64, "game")
        );
    }
    text.push('\n');
    match table.kind {
        TableKind::Pairs => push_pairs(&mut text, table, width),
        TableKind::Grid => {
            if !push_grid(&mut text, table, ratings, width) {
                push_rounds(&mut text, table, ratings, width);
            }
        }
        _ => push_rounds(&mut text, table, ratings, width),
    }
    text
}

/// Appends a table of players against players. Returns false if it does not fit.
fn push_grid(
    text: &mut String,
    table: &Crosstable,
    ratings: Option<RatingFactor>,
    width: usize,
) -> bool {
    if table.players.len() > width {
        return false;
    }
    let columns = table.results_by_opponent();
    let cells = columns.iter().flat_map(|column| &column.cells);
    let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(1);
    let digits = table.players.len().to_string().len();
    let mut frame = Frame::new(table, ratings);
    // Before the table gives up, numbers of opponents lose digits, and then columns their gaps.
    for (size, gap) in [(widest.max(digits), 1), (widest, 1), (widest, 0)] {
        if !frame.fit(columns.len() * (size + gap) + 1 - gap, width) {
            continue;
        }
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let cells = cells.map(|cell| {
                // Numbers that do not fit lose their first digits.
                let over = cell.chars().count().saturating_sub(size);
                let cell: String = cell.chars().skip(over).collect();
                format!("{:gap$}{cell:>size$}", "")
            });
            let cells: String = cells.collect();
            format!("{:1$}{cells}", "", 1 - gap)
        };
        let titles = line(&mut columns.iter().map(|column| column.title.as_str()));
        text.push_str(&frame.title(&titles));
        text.push_str(&frame.rows(|rank| line(&mut cells_of(&columns, rank))));
        return true;
    }
    false
}

/// Returns the cells of a player.
fn cells_of(columns: &[TableColumn], rank: usize) -> impl Iterator<Item = &str> {
    let cells = columns.iter().map(move |column| column.cells.get(rank));
    cells.map(|cell| cell.map_or("", String::as_str))
}

/// Appends the opponents round by round, in several blocks if they do not fit.
fn push_rounds(text: &mut String, table: &Crosstable, ratings: Option<RatingFactor>, width: usize) {
    let rounds = table.results_by_round();
    let size = table.players.len().to_string().len() + 2;
    let mut frame = Frame::new(table, ratings);
    let fixed = frame.fixed() + LEAST_NAME.min(frame.name);
    let fitting = (width.saturating_sub(fixed) / (size + 1)).max(1);
    // Blocks of about equal width, so that the last one is not a single column.
    let blocks = rounds.len().div_ceil(fitting).max(1);
    let of_block = rounds.len().div_ceil(blocks).max(1);
    frame.fit(of_block * (size + 1), width);
    // Without rounds there is one block, with the names.
    let mut shown = rounds.chunks(of_block).collect::<Vec<_>>();
    shown.resize(blocks, &[]);
    for (block, rounds) in shown.into_iter().enumerate() {
        if block > 0 {
            text.push('\n');
        }
        let line = |cells: &mut dyn Iterator<Item = &str>| -> String {
            cells.map(|cell| format!(" {cell:>size$}")).collect()
        };
        let titles = line(&mut rounds.iter().map(|round| round.title.as_str()));
        text.push_str(&frame.title(&titles));
        text.push_str(&frame.rows(|rank| line(&mut cells_of(rounds, rank))));
    }
}

/// Appends a list of matches.
fn push_pairs(text: &mut String, table: &Crosstable, width: usize) {
    let name = |rank: usize| {
        let player = table.players.get(rank);
        let rating = player.and_then(|player| player.rating);
        let rating = rating.map_or(String::new(), |rating| format!(" ({rating})"));
        let name = player.map_or("", |player| player.name.as_str());
        format!("{}{rating}", plain(name))
    };
    let pairs = table.pairs();
    let lengths = pairs.iter().flat_map(|pair| pair.players);
    let longest = lengths.map(|rank| name(rank).chars().count()).max();
    let size = longest.unwrap_or(0).min(width.saturating_sub(14) / 2);
    for pair in pairs {
        let [one, other] = pair.players;
        let [points, others] = pair.half_points.map(points_text);
        let mut line = String::new();
        column(&mut line, &name(one), size);
        let _ = write!(line, " {points:>4} – {others:<4} ");
        column(&mut line, &name(other), size);
        let line = line.trim_end();
        text.push_str(line);
        let games = pair.results.chars().count();
        if games > 1 {
            if size * 2 + 14 + games <= width {
                let blanks = size * 2 + 14 - line.chars().count();
                let _ = write!(text, "{:blanks$}{}", "", pair.results);
            } else {
                let results: Vec<char> = pair.results.chars().collect();
                for part in results.chunks(width.saturating_sub(2).max(1)) {
                    let part: String = part.iter().collect();
                    let _ = write!(text, "\n  {part}");
                }
            }
        }
        text.push('\n');
    }
    for (rank, player) in table.players.iter().enumerate() {
        let byes = player.games.iter().filter(|game| game.opponent.is_none());
        let byes: String = byes.map(TableGame::result).collect();
        if !byes.is_empty() {
            let _ = writeln!(text, "{}: {byes} without an opponent", name(rank));
        }
    }
}

/// Returns the totals of a player.
fn totals_json(table: &Crosstable, rank: usize, factor: Option<u32>) -> Json {
    let Some(player) = table.players.get(rank) else {
        return Json::Null;
    };
    let tie_breaks = TieBreak::ALL.map(|tie_break| {
        let quarters = player.tie_breaks.quarters(tie_break);
        let value: Json = quarters.map(|quarters| f64::from(quarters) / 4.0).into();
        (tie_break.name(), value)
    });
    let change = player.rating_change(&table.players, factor);
    object! {
        "rank": rank as u64 + 1, "name": player.name.as_str(), "rating": player.rating,
        "points": half(player.half_points), "tieBreaks": members(tie_breaks),
        "performance": player.score.performance(),
        "expected": change.map(|change| change.expected),
        "ratingChange": change.map(|change| change.points),
        "factor": change.map(|change| change.factor),
    }
}

/// Returns a row for each player, with the games of each round as in the table of a Swiss event.
fn csv_rows(table: &Crosstable, factor: Option<u32>) -> Vec<Json> {
    let rows = table.players.iter().enumerate().map(|(rank, player)| {
        let mut row = with_first(
            "event",
            table.event.as_str(),
            totals_json(table, rank, factor),
        );
        if let Json::Object(row) = &mut row {
            for game in &player.games {
                let title = format!("round{}", game.round_number);
                row.insert(title, game.round_text().into());
            }
        }
        row
    });
    rows.collect()
}

fn json(table: &Crosstable, factor: Option<u32>) -> Json {
    let players = table.players.iter().enumerate().map(|(rank, player)| {
        let games = player.games.iter().map(|game| {
            object! {
                "opponent": game.opponent.map(|opponent| opponent as u64 + 1),
                "color": color(game.side), "points": game.half_points.map(half),
                "round": Some(&game.round).filter(|it| !it.is_empty()).cloned(),
                "date": game.date.to_string(),
            }
        });
        let first = table.ranked_by.first().copied();
        let first = first.filter(|_| table.kind != TableKind::Pairs);
        let first = first.and_then(|first| player.tie_breaks.quarters(first));
        let mut row = totals_json(table, rank, factor);
        if let Json::Object(row) = &mut row {
            row.insert(
                "tieBreak".to_owned(),
                first.map(|first| f64::from(first) / 4.0).into(),
            );
            row.insert("games".to_owned(), list(games));
        }
        row
    });
    let [first, last] = match table.dates {
        Some((first, last)) => [Some(first.to_string()), Some(last.to_string())],
        None => [None, None],
    };
    object! {
        "event": table.event.as_str(), "site": table.site.as_str(), "firstDate": first,
        "lastDate": last, "kind": table.kind.name(), "games": table.games, "byes": table.byes,
        "repeated": table.repeated, "players": list(players),
    }
}

fn half(half_points: u32) -> f64 {
    f64::from(half_points) / 2.0
}
