//! `stats --crosstable`: the tables of events.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chessdb::query::stats::crosstable::{
    Crosstable, Crosstables, EventSummary, TableEntry, TableGame, TableKind, TablePlayer,
};

use super::StatsScan;
use super::groups::byes;
use super::times::color;
use crate::args::Stats;
use crate::exit::{Completion, Failure, Outcome};
use crate::json::{Json, SCHEMA, list, object};
use crate::output::{column, count, grouped, plain, print_json, print_text, width, wrap};
use crate::table::text_of;

/// The largest number of events.
const MOST_EVENTS: usize = 10;

/// The largest number of events named in a message.
const MOST_NAMED: usize = 20;

/// The least width of a name.
const LEAST_NAME: usize = 14;

pub(super) fn run(args: &Stats, scan: &StatsScan, kind: Option<TableKind>) -> Outcome {
    let mut tables = Crosstables::new(MOST_EVENTS);
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
    if args.json {
        let events = list(tables.iter().map(json));
        print_json(&object! { "schema": SCHEMA, "bases": list(outcome.bases), "events": events })?;
    } else {
        let texts: Vec<String> = tables.iter().map(|table| text(table, width())).collect();
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
fn text(table: &Crosstable, width: usize) -> String {
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
            if !push_grid(&mut text, table, width) {
                push_rounds(&mut text, table, width);
            }
        }
        _ => push_rounds(&mut text, table, width),
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

/// Returns a tie-break from its fourfold: `58.25`.
fn tie_break(quarters: u32) -> String {
    format!("{:.2}", f64::from(quarters) / 4.0)
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

/// The columns before and after the results.
struct Frame<'t> {
    table: &'t Crosstable,
    rank: usize,
    name: usize,
    rating: usize,
    points: usize,
    tie_break: usize,
    tie_break_title: &'static str,
}

impl<'t> Frame<'t> {
    /// Creates the frame with names of full width.
    fn new(table: &'t Crosstable, tie_break_title: &'static str) -> Frame<'t> {
        let players = table.players.iter();
        let rating = players.clone().filter_map(|player| player.rating);
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        Frame {
            table,
            rank: table.players.len().to_string().len(),
            // At least the width of the titles `Player` and `Points`.
            name: widest(&mut players.clone().map(|player| player.name.clone())).max(6),
            rating: widest(&mut rating.map(|rating| rating.to_string())),
            points: widest(&mut players.clone().map(|it| points(it.half_points))).max(6),
            tie_break: widest(&mut players.map(|it| tie_break(it.tie_break))),
            tie_break_title,
        }
    }

    /// Returns the width of everything except the names and the results.
    fn fixed(&self) -> usize {
        let rating = if self.rating > 0 { self.rating + 1 } else { 0 };
        self.rank + 1 + rating + 1 + self.points + 1 + self.tie_break
    }

    /// Shortens the names so that results of this width fit. Returns false if they do not fit.
    fn fit(&mut self, results: usize, width: usize) -> bool {
        let available = width.saturating_sub(self.fixed() + results);
        let fits = available >= LEAST_NAME.min(self.name);
        if fits {
            self.name = self.name.min(available);
        }
        fits
    }

    fn title(&self, results: &str) -> String {
        let mut line = format!("{:1$} ", "", self.rank);
        column(&mut line, "Player", self.name);
        if self.rating > 0 {
            let _ = write!(line, " {:>1$}", "Elo", self.rating);
        }
        let (points, tie_break) = (self.points, self.tie_break);
        let title = self.tie_break_title;
        line + &format!("{results} {:>points$} {title:>tie_break$}\n", "Points")
    }

    fn row(&self, rank: usize, player: &TablePlayer, results: &str) -> String {
        let mut line = format!("{:>1$} ", rank + 1, self.rank);
        column(&mut line, &plain(&player.name), self.name);
        if self.rating > 0 {
            let _ = write!(line, " {:>1$}", text_of(player.rating), self.rating);
        }
        let _ = write!(
            line,
            "{results} {:>2$} {:>3$}",
            points(player.half_points),
            tie_break(player.tie_break),
            self.points,
            self.tie_break
        );
        line + "\n"
    }

    /// Returns the lines of all players; `results` returns the cells of one.
    fn rows(&self, results: impl Fn(usize, &TablePlayer) -> String) -> String {
        let players = self.table.players.iter().enumerate();
        players
            .map(|(rank, player)| self.row(rank, player, &results(rank, player)))
            .collect()
    }
}

/// Appends a table of players against players. Returns false if it does not fit.
fn push_grid(text: &mut String, table: &Crosstable, width: usize) -> bool {
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
    let mut frame = Frame::new(table, "SB");
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

/// Returns the number at the start of a round: 3 for `3.2`. `None` for a stage such as `1/8`.
fn round_number(round: &str) -> Option<usize> {
    let end = round.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = round.split_at(end.unwrap_or(round.len()));
    let number = number.parse().ok().filter(|_| !rest.starts_with('/'))?;
    // Each round is a column, so a wrong number must not make thousands of them.
    (1..=200).contains(&number).then_some(number)
}

/// Returns the games of each player by round, counted from 1. If a round is unknown or a player has
/// two games in one, the games of each player are numbered.
fn by_round(table: &Crosstable) -> Vec<BTreeMap<usize, &TableGame>> {
    let numbered = table.players.iter().map(|player| {
        let mut rounds = BTreeMap::new();
        for game in &player.games {
            if rounds.insert(round_number(&game.round)?, game).is_some() {
                return None;
            }
        }
        Some(rounds)
    });
    let numbered: Option<Vec<_>> = numbered.collect();
    numbered.unwrap_or_else(|| {
        let players = table.players.iter();
        players
            .map(|player| (1..).zip(&player.games).collect())
            .collect()
    })
}

/// Appends the opponents round by round, in several blocks if they do not fit.
fn push_rounds(text: &mut String, table: &Crosstable, width: usize) {
    let games = by_round(table);
    let rounds = games.iter().flat_map(|rounds| rounds.keys());
    let rounds = rounds.copied().max().unwrap_or(0);
    let size = table.players.len().to_string().len() + 2;
    let title = match table.kind {
        TableKind::Grid => "SB",
        _ => "Buchholz",
    };
    let mut frame = Frame::new(table, title);
    frame.tie_break = frame.tie_break.max(title.len());
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
        text.push_str(&frame.rows(|rank, _| {
            let cells = rounds_shown.clone().map(|round| {
                let game = games.get(rank).and_then(|rounds| rounds.get(&round));
                let cell = game.map_or(String::new(), |game| round_cell(game));
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

fn json(table: &Crosstable) -> Json {
    let players = table.players.iter().enumerate().map(|(rank, player)| {
        let games = player.games.iter().map(|game| {
            object! {
                "opponent": game.opponent.map(|opponent| opponent as u64 + 1),
                "color": color(game.side), "points": game.half_points.map(half),
                "round": Some(&game.round).filter(|it| !it.is_empty()).cloned(),
                "date": game.date.to_string(),
            }
        });
        let tie_break = f64::from(player.tie_break) / 4.0;
        object! {
            "rank": rank as u64 + 1, "name": player.name.as_str(), "rating": player.rating,
            "points": half(player.half_points),
            "tieBreak": Some(tie_break).filter(|_| table.kind != TableKind::Pairs),
            "performance": player.score.performance(), "games": list(games),
        }
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
