//! `stats --crosstable`: the tables of events.

mod frame;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chessdb::query::stats::crosstable::{
    Crosstable, Crosstables, EventSummary, TableEntry, TableGame, TableKind, TablePlayer, TieBreak,
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
    // Games of the web often have their address as the site.
    let is_known = !matches!(table.site.trim(), "" | "?") && !table.site.contains("://");
    if is_known && table.site != table.event {
        let _ = write!(title, ", {}", plain(&table.site));
    }
    if let Some((first, last)) = table.dates {
        let [first, last] = [first, last].map(|date| date.to_string().replace(".??", ""));
        let _ = if first == last {
            write!(title, ", {first}")
        } else {
            write!(title, ", {first} to {last}")
        };
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

/// Returns points from half points: `8½`.
fn points(half_points: u32) -> String {
    match (half_points / 2, half_points % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    }
}

/// Returns the result of a game as one character.
fn result(game: &TableGame) -> char {
    match game.half_points {
        Some(0) => '0',
        Some(1) => '½',
        Some(_) => '1',
        None => '*',
    }
}

/// Appends a table of players against players. Returns false if it does not fit.
fn push_grid(
    text: &mut String,
    table: &Crosstable,
    ratings: Option<RatingFactor>,
    width: usize,
) -> bool {
    // Byes are in a last column, so that the results of a row add up to the points.
    let byes = (table.byes > 0).then_some(None);
    let opponents: Vec<Option<usize>> = (0..table.players.len()).map(Some).chain(byes).collect();
    let cell = |rank: usize, player: &TablePlayer, opponent: Option<usize>| -> String {
        let games = player.games.iter().filter(|game| game.opponent == opponent);
        let results: String = games.map(result).collect();
        match results.is_empty() {
            true if Some(rank) == opponent => "x".to_owned(),
            true => ".".to_owned(),
            false => results,
        }
    };
    let all = table.players.iter().enumerate().flat_map(|(rank, player)| {
        let cells = opponents
            .iter()
            .map(move |opponent| cell(rank, player, *opponent));
        cells.map(|cell| cell.chars().count())
    });
    let widest = all.max().unwrap_or(1);
    let digits = table.players.len().to_string().len();
    let mut frame = Frame::new(table, ratings);
    // Before the table gives up, numbers of opponents lose digits, and then columns their gaps.
    for (size, gap) in [(widest.max(digits), 1), (widest, 1), (widest, 0)] {
        if !frame.fit(opponents.len() * (size + gap) + 1 - gap, width) {
            continue;
        }
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let cells = cells.map(|cell| {
                // Numbers that do not fit lose their first digits.
                let over = cell.chars().count().saturating_sub(size);
                let cell: String = cell.chars().skip(over).collect();
                format!("{:gap$}{cell:>size$}", "")
            });
            let cells: String = cells.collect();
            format!("{:1$}{cells}", "", 1 - gap)
        };
        let mut titles = opponents.iter().map(|opponent| match opponent {
            Some(opponent) => (opponent + 1).to_string(),
            None => "-".to_owned(),
        });
        text.push_str(&frame.title(&line(&mut titles)));
        text.push_str(&frame.rows(|rank, player| {
            line(
                &mut opponents
                    .iter()
                    .map(|opponent| cell(rank, player, *opponent)),
            )
        }));
        return true;
    }
    false
}

/// Appends the opponents round by round, in several blocks if they do not fit.
fn push_rounds(text: &mut String, table: &Crosstable, ratings: Option<RatingFactor>, width: usize) {
    let games = table.players.iter().flat_map(|player| &player.games);
    let rounds = games.map(|game| game.round_number).max().unwrap_or(0);
    let size = table.players.len().to_string().len() + 2;
    let mut frame = Frame::new(table, ratings);
    let fixed = frame.fixed() + LEAST_NAME.min(frame.name);
    let fitting = (width.saturating_sub(fixed) / (size + 1)).max(1);
    // Blocks of about equal width, so that the last one is not a single column.
    let blocks = rounds.div_ceil(fitting).max(1);
    let of_block = rounds.div_ceil(blocks).max(1);
    frame.fit(of_block * (size + 1), width);
    for block in 0..blocks {
        let rounds_shown = block * of_block + 1..=((block + 1) * of_block).min(rounds);
        if block > 0 {
            text.push('\n');
        }
        let numbers: String = rounds_shown
            .clone()
            .map(|round| format!(" {round:>size$}"))
            .collect();
        text.push_str(&frame.title(&numbers));
        text.push_str(&frame.rows(|_, player| {
            let cells = rounds_shown.clone().map(|round| {
                let mut games = player.games.iter();
                let game = games.find(|game| game.round_number == round);
                let cell = game.map_or(String::new(), round_cell);
                format!(" {cell:>size$}")
            });
            cells.collect()
        }));
    }
}

/// Returns opponent, colour and result of a game: `12w+`; of a bye its points: `-½`.
fn round_cell(game: &TableGame) -> String {
    let Some(opponent) = game.opponent else {
        return format!("-{}", result(game));
    };
    let sign = match game.half_points {
        Some(0) => '-',
        Some(1) => '=',
        Some(_) => '+',
        None => '*',
    };
    format!("{}{}{sign}", opponent + 1, game.side.pick('w', 'b'))
}

/// A match of two players, by their ranks.
struct Pair<'t> {
    players: [usize; 2],
    games: Vec<&'t TableGame>,
}

/// Returns the matches in the order in which they began.
fn pairs(table: &Crosstable) -> Vec<Pair<'_>> {
    let mut pairs: BTreeMap<(usize, usize), Pair<'_>> = BTreeMap::new();
    for (rank, player) in table.players.iter().enumerate() {
        for game in &player.games {
            let Some(opponent) = game.opponent.filter(|opponent| *opponent > rank) else {
                continue;
            };
            let pair = pairs.entry((rank, opponent)).or_insert(Pair {
                players: [rank, opponent],
                games: Vec::new(),
            });
            pair.games.push(game);
        }
    }
    let mut pairs: Vec<Pair<'_>> = pairs.into_values().collect();
    pairs.sort_by_key(|pair| pair.games.first().map(|game| game.place));
    pairs
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
    let pairs = pairs(table);
    let lengths = pairs.iter().flat_map(|pair| pair.players);
    let longest = lengths.map(|rank| name(rank).chars().count()).max();
    let size = longest.unwrap_or(0).min(width.saturating_sub(14) / 2);
    for pair in pairs {
        let [one, other] = pair.players;
        let of = |half: fn(u32) -> u32| {
            let half_points = pair.games.iter().filter_map(|game| game.half_points);
            points(half_points.map(half).sum())
        };
        let mut line = String::new();
        column(&mut line, &name(one), size);
        let _ = write!(
            line,
            " {:>4} – {:<4} ",
            of(|half| half),
            of(|half| 2 - half)
        );
        column(&mut line, &name(other), size);
        let results: String = pair.games.iter().map(|game| result(game)).collect();
        let line = line.trim_end();
        text.push_str(line);
        if pair.games.len() > 1 {
            if size * 2 + 14 + results.chars().count() <= width {
                let blanks = size * 2 + 14 - line.chars().count();
                let _ = write!(text, "{:blanks$}{results}", "");
            } else {
                let results: Vec<char> = results.chars().collect();
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
        let byes: String = byes.map(result).collect();
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
                row.insert(title, round_cell(game).into());
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
