//! The bulletin of a tournament: its cross-table, and its games by rounds.

use std::fmt::Write as _;

use chessdb_core::{ErrorKind, Game, Outcome, Result};
use chessdb_query::names::known_text;
use chessdb_query::stats::crosstable::{
    Crosstable, Crosstables, TableEntry, TableKind, TieBreak, points_text, round_title,
};

use crate::page::escaped;

/// The largest number of events, such as the groups of a festival.
const MOST_EVENTS: usize = 10;

/// The contribution of a game to a bulletin.
#[derive(Default)]
pub(crate) struct BulletinEntry {
    /// The contribution to the table; `None` for a game without known players.
    table: Option<TableEntry>,
    /// The event, such as `Linares`; empty if it is unknown.
    pub(crate) event: String,
    /// The round, such as `Round 3`; empty if it is unknown.
    round: String,
    /// The line of the list of games in HTML.
    line: String,
}

impl BulletinEntry {
    pub(crate) fn from_game(game: &Game) -> BulletinEntry {
        let name = |text: &str| match known_text(text) {
            "" => "?".to_owned(),
            name => escaped(name),
        };
        BulletinEntry {
            table: TableEntry::from_game(game),
            event: known_text(&game.event()).to_owned(),
            round: round_title(&game.round()).unwrap_or_default(),
            line: format!(
                "<span>{} – {}</span> <b>{}</b>",
                name(&game.white()),
                name(&game.black()),
                match game.result() {
                    Outcome::Draw => "½-½",
                    result => result.as_pgn(),
                }
            ),
        }
    }
}

/// The tables and the list of games, while games are added in the order of their rounds.
pub(crate) struct Bulletin {
    tables: Crosstables,
    /// The event in the title of the page.
    title: String,
    /// The event and the round of the last game.
    section: Option<(String, String)>,
    /// The lists of games in HTML; the last list is open.
    pub(crate) lists: String,
}

impl Bulletin {
    /// Creates a bulletin without games. `tie_breaks` rank players with equal points: names separated
    /// by commas, or nothing for those that fit the kind of the event.
    pub(crate) fn new(tie_breaks: &str) -> Result<Bulletin> {
        let names = tie_breaks.split(',').filter(|name| !name.trim().is_empty());
        let parsed = names.map(|name| {
            name.parse::<TieBreak>()
                .map_err(|why| ErrorKind::Setting(why.into()))
        });
        let ranked_by: Vec<TieBreak> = parsed.collect::<std::result::Result<_, _>>()?;
        Ok(Bulletin {
            tables: Crosstables::new(MOST_EVENTS).ranked_by(ranked_by),
            title: String::new(),
            section: None,
            lists: String::new(),
        })
    }

    /// Sets the event in the title of the page, which the headings of its rounds need not repeat.
    pub(crate) fn set_title(&mut self, event: &str) {
        event.clone_into(&mut self.title);
    }

    /// Adds a game. Returns the heading of its round in HTML if the round begins with it.
    pub(crate) fn add(
        &mut self,
        entry: &mut BulletinEntry,
        number: u32,
        is_listed: bool,
    ) -> Result<Option<String>> {
        if let Some(table) = entry.table.take() {
            self.tables.add(table);
        }
        if self.tables.is_overfull() {
            return Err(too_many_events());
        }
        let section = (entry.event.clone(), entry.round.clone());
        let mut heading = None;
        if self.section.as_ref() != Some(&section) {
            let event = Some(section.0.as_str()).filter(|event| *event != self.title);
            let round = Some(section.1.as_str()).filter(|round| !round.is_empty());
            let parts = event.into_iter().chain(round).map(escaped);
            let title = parts.collect::<Vec<_>>().join(", ");
            let title = if title.is_empty() { "Games".to_owned() } else { title };
            if is_listed {
                self.end_list();
                // Writing to a string cannot fail.
                let _ = write!(
                    self.lists,
                    "<section class=\"round\"><h2>{title}</h2>\n<ul>\n"
                );
            }
            heading = Some(format!("<h2 class=\"round\">{title}</h2>\n"));
            self.section = Some(section);
        }
        if is_listed {
            let line = &entry.line;
            // Writing to a string cannot fail.
            let _ = writeln!(self.lists, "<li><a href=\"#game{number}\">{line}</a></li>");
        }
        Ok(heading)
    }

    fn end_list(&mut self) {
        if !self.lists.is_empty() {
            self.lists += "</ul></section>\n";
        }
    }

    /// Returns the cross-tables and the lists of games in HTML.
    pub(crate) fn finish(mut self) -> Result<(String, String)> {
        self.end_list();
        let tables = self.tables.tables(None).map_err(|_| too_many_events())?;
        let is_only = tables.len() == 1;
        let tables = tables.iter().map(|table| table_html(table, is_only));
        Ok((tables.collect(), self.lists))
    }
}

fn too_many_events() -> chessdb_core::Error {
    let why = format!(
        "the games are of more than {MOST_EVENTS} events; select those of one with a query such as \
         event:\"Linares\" year:1993"
    );
    ErrorKind::Setting(why.into()).into()
}

/// Returns the table of an event. The title of the page already names an only event.
fn table_html(table: &Crosstable, is_only: bool) -> String {
    let mut html = "<div class=\"standings\">\n".to_owned();
    if !is_only {
        // Writing to a string cannot fail.
        let _ = writeln!(html, "<h2>{}</h2>", escaped(&table.event));
    }
    let counted = |number: usize, noun: &str| match number {
        0 => None,
        1 => Some(format!("1 {noun}")),
        number => Some(format!("{number} {noun}s")),
    };
    let repeated = counted(table.repeated, "repeated game").map(|games| games + " counted once");
    let facts = [
        table.place().map(str::to_owned),
        table.period().map(|period| period.replace('.', "-")),
        counted(table.players.len(), "player"),
        counted(table.games, "game"),
        counted(table.byes, "bye"),
        repeated,
    ];
    let facts: Vec<String> = facts
        .into_iter()
        .flatten()
        .map(|fact| escaped(&fact))
        .collect();
    let _ = writeln!(html, "<p class=\"quiet\">{}</p>", facts.join(" · "));
    if table.kind == TableKind::Pairs {
        push_pairs(table, &mut html);
    } else {
        push_players(table, &mut html);
    }
    html + "</div>\n"
}

/// Appends a table with a row for each player.
fn push_players(table: &Crosstable, html: &mut String) {
    let (results, totals) = (table.results(), table.totals());
    let has_ratings = table.players.iter().any(|player| player.rating.is_some());
    // The style sheet makes the letters of a wide table smaller on paper.
    let _ = write!(
        html,
        "<div class=\"wide\"><table class=\"cross\" style=\"--columns:{}\">\n<thead><tr>\
         <th class=\"n\"></th><th>Player</th>",
        results.len() + 2 * totals.len()
    );
    if has_ratings {
        html.push_str("<th class=\"n\">Elo</th>");
    }
    for column in &results {
        let _ = write!(html, "<th class=\"r\">{}</th>", column.title);
    }
    for column in &totals {
        let _ = write!(html, "<th class=\"n\">{}</th>", column.title);
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for (rank, player) in table.players.iter().enumerate() {
        let name = escaped(&player.name);
        let _ = write!(
            html,
            "<tr><td class=\"n\">{}</td><th scope=\"row\">{name}</th>",
            rank + 1
        );
        if has_ratings {
            let rating = player.rating.map(|rating| rating.to_string());
            let _ = write!(html, "<td class=\"n\">{}</td>", rating.unwrap_or_default());
        }
        for column in &results {
            match column.cells.get(rank).map_or("", String::as_str) {
                "x" => html.push_str("<td class=\"r self\"></td>"),
                "." => html.push_str("<td class=\"r\"></td>"),
                cell => {
                    let _ = write!(html, "<td class=\"r\">{cell}</td>");
                }
            }
        }
        for (n, column) in totals.iter().enumerate() {
            let class = if n == 0 { "n points" } else { "n" };
            let cell = column.cells.get(rank).map_or("", String::as_str);
            let _ = write!(html, "<td class=\"{class}\">{cell}</td>");
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
}

/// Appends a table with a row for each match.
fn push_pairs(table: &Crosstable, html: &mut String) {
    html.push_str("<div class=\"wide\"><table class=\"cross\" style=\"--columns:8\"><tbody>\n");
    let name = |rank: usize| {
        let player = table.players.get(rank);
        let rating = player.and_then(|player| player.rating);
        let rating = rating.map_or(String::new(), |rating| format!(" <small>{rating}</small>"));
        player.map_or(String::new(), |player| escaped(&player.name)) + &rating
    };
    for pair in table.pairs() {
        let [one, other] = pair.players.map(name);
        let [points, others] = pair.half_points.map(points_text);
        let results = if pair.results.chars().count() > 1 { &*pair.results } else { "" };
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{one}</th><td class=\"n points\">{points} – {others}</td>\
             <th>{other}</th><td class=\"r\">{results}</td></tr>"
        );
    }
    html.push_str("</tbody></table></div>\n");
    for (rank, player) in table.players.iter().enumerate() {
        let byes = player.games.iter().filter(|game| game.opponent.is_none());
        let byes: String = byes.map(|game| game.result()).collect();
        if !byes.is_empty() {
            let _ = writeln!(html, "<p>{}: {byes} without an opponent</p>", name(rank));
        }
    }
}
