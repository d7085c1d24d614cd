//! Cross-tables of events.

mod cells;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use chessdb_core::{Color, Date, Game, Outcome};

use super::fingerprint::fingerprint;
use super::score::Score;
use super::thinking::{folded_names, names_of};
use super::tie_breaks;
pub use super::tie_breaks::{RatingChange, TieBreak, TieBreaks};
use crate::fold::folded;
use crate::names::{absent_side, is_bye, known_text};
use crate::natural::round_key;
use crate::tally::GameFacts;
pub use cells::{TableColumn, TablePair, points_text, round_title};

/// The form of a cross-table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TableKind {
    /// Players against players: round robins.
    Grid,
    /// The opponents round by round: Swiss events.
    Rounds,
    /// A list of pairs: matches and knock-outs.
    Pairs,
}

impl TableKind {
    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Option<TableKind> {
        let kinds = [TableKind::Grid, TableKind::Rounds, TableKind::Pairs];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name of the kind: `grid`, `rounds`, `pairs`.
    pub fn name(self) -> &'static str {
        match self {
            TableKind::Grid => "grid",
            TableKind::Rounds => "rounds",
            TableKind::Pairs => "pairs",
        }
    }
}

/// A player of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TablePlayer {
    /// The name as first spelled.
    pub name: String,
    /// The rating that the games state first.
    pub rating: Option<u16>,
    /// The score.
    pub score: Score,
    /// Twice the points.
    pub half_points: u32,
    /// The tie-breaks.
    pub tie_breaks: TieBreaks,
    /// The games in the order of the rounds.
    pub games: Vec<TableGame>,
}

/// A game of an event, from one player's point of view.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TableGame {
    /// The index of the opponent in [`Crosstable::players`]; `None` for a bye.
    pub opponent: Option<usize>,
    /// The colour of this player.
    pub side: Color,
    /// Twice the points of this player; `None` if the result is unknown.
    pub half_points: Option<u32>,
    /// The round as spelled in the source.
    pub round: String,
    /// The number of the round, from 1. If a round of the event is unknown, the number of the game
    /// among those of this player.
    pub round_number: usize,
    /// The date.
    pub date: Date,
    /// The place of the game in the order of the event's rounds and dates.
    pub place: usize,
}

/// The table of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Crosstable {
    /// The event as first spelled.
    pub event: String,
    /// The place.
    pub site: String,
    /// The earliest and the latest known date.
    pub dates: Option<(Date, Date)>,
    /// The number of games between two players.
    pub games: usize,
    /// The number of byes: points without an opponent.
    pub byes: usize,
    /// The number of further games that are the same as another one: players, round, date, result
    /// and moves. They do not count.
    pub repeated: usize,
    /// The form that fits the event.
    pub kind: TableKind,
    /// The tie-breaks by which players with equal points are ranked.
    pub ranked_by: Vec<TieBreak>,
    /// The players, the best first.
    pub players: Vec<TablePlayer>,
}

/// The largest number of players of an incomplete round robin that is shown as a grid. A grid has a cell
/// for each pair, and otherwise a few games could make millions of cells.
const MOST_IN_GRID: usize = 200;

/// An event: its folded name and place, and its year.
type EventKey = (String, String, u16);

/// The games of events. Only the names of events are kept once there are more than asked for, so
/// memory is bounded by the number of events.
#[derive(Clone, Debug)]
pub struct Crosstables {
    limit: usize,
    ranked_by: Vec<TieBreak>,
    events: BTreeMap<EventKey, EventGames>,
    /// Whether there are too many events, so that no games are kept.
    is_overfull: bool,
}

/// An event and its number of games.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EventSummary {
    /// The event as first spelled.
    pub event: String,
    /// The place.
    pub site: String,
    /// The year; 0 if unknown.
    pub year: u16,
    /// The number of games.
    pub games: u64,
}

#[derive(Clone, Default, Debug)]
struct EventGames {
    name: String,
    site: String,
    count: u64,
    dates: Option<(Date, Date)>,
    games: Vec<PlayedGame>,
    seen: HashSet<u64>,
    repeated: usize,
}

/// The contribution of one game. It can be computed in any thread, and is then added.
#[derive(Clone, Debug)]
pub struct TableEntry {
    key: EventKey,
    event: String,
    site: String,
    game: PlayedGame,
    fingerprint: u64,
}

#[derive(Clone, Debug)]
struct PlayedGame {
    /// The folded and original names of White and Black.
    names: [(String, String); 2],
    ratings: [Option<u16>; 2],
    /// The side without a player, if the entry is a bye.
    absent: Option<Color>,
    score: GameFacts,
    outcome: Outcome,
    round: String,
    /// The key by which rounds are sorted.
    round_key: String,
    date: Date,
}

impl TableEntry {
    /// Returns the contribution of a game or a bye; `None` if a player of a game has no name.
    pub fn from_game(game: &Game) -> Option<TableEntry> {
        let names = folded_names(game);
        let [white, black] = names_of(&names);
        let absent = absent_side(game, [white, black]);
        let has_players = [white, black]
            .iter()
            .all(|name| !name.is_empty() && !is_bye(name));
        if absent.is_none() && !has_players {
            return None;
        }
        let (event, site) = (game.event().into_owned(), game.site().into_owned());
        let round = match known_text(&game.round()) {
            "-" => String::new(),
            round => round.to_owned(),
        };
        let year = match game.event_date().year {
            0 => game.effective_date().year,
            year => year,
        };
        // Servers give each game a place of its own.
        let place = if site.contains("://") { String::new() } else { folded(site.trim()) };
        Some(TableEntry {
            key: (folded(event.trim()), place, year),
            fingerprint: fingerprint(game, &[&round, game.result().as_pgn()]),
            game: PlayedGame {
                names,
                ratings: Color::ALL.map(|color| game.rating(color).map(|rating| rating.value)),
                absent,
                score: GameFacts::new(game),
                outcome: game.result(),
                round_key: round_key(&folded(round.trim())),
                round,
                date: game.effective_date(),
            },
            event,
            site,
        })
    }
}

impl Crosstables {
    /// Creates tables of at most this number of events.
    pub fn new(limit: usize) -> Crosstables {
        Crosstables {
            limit,
            ranked_by: Vec::new(),
            events: BTreeMap::new(),
            is_overfull: false,
        }
    }

    /// Ranks players with equal points by these tie-breaks instead of
    /// [`TieBreak::defaults`].
    #[must_use]
    pub fn ranked_by(mut self, tie_breaks: Vec<TieBreak>) -> Crosstables {
        self.ranked_by = tie_breaks;
        self
    }

    /// Returns whether there are too many events: [`Crosstables::tables`] then returns an error.
    pub fn is_overfull(&self) -> bool {
        self.is_overfull
    }

    /// Adds the contribution of a game.
    pub fn add(&mut self, entry: TableEntry) {
        let event = self.events.entry(entry.key.clone()).or_default();
        if event.count == 0 {
            (event.name, event.site) = (entry.event, entry.site);
        }
        event.count += 1;
        let date = entry.game.date;
        if date.year > 0 {
            let (first, last) = event.dates.unwrap_or((date, date));
            event.dates = Some((first.min(date), last.max(date)));
        }
        // An event over the turn of a year has two keys.
        if self.events.len() > 2 * self.limit {
            if !std::mem::replace(&mut self.is_overfull, true) {
                for event in self.events.values_mut() {
                    (event.games, event.seen) = (Vec::new(), HashSet::new());
                }
            }
            return;
        }
        let Some(event) = self.events.get_mut(&entry.key) else {
            return;
        };
        if event.seen.insert(entry.fingerprint) {
            event.games.push(entry.game)
        } else {
            event.repeated += 1
        }
    }

    /// Returns the tables of the events, ordered by name, place and year. Without a `kind` each has
    /// the form that fits.
    ///
    /// # Errors
    ///
    /// Returns the events, the largest first, if there are more than asked for.
    pub fn tables(self, kind: Option<TableKind>) -> Result<Vec<Crosstable>, Vec<EventSummary>> {
        let mut events: Vec<(EventKey, EventGames)> = Vec::new();
        for (key, games) in self.events {
            match events.last_mut() {
                Some((last, before)) if continues(last, before, &key, &games) => {
                    last.2 = key.2;
                    before.extend(games);
                }
                _ => events.push((key, games)),
            }
        }
        join_byes(&mut events);
        if events.len() > self.limit {
            let mut list: Vec<EventSummary> = events
                .into_iter()
                .map(|((.., year), event)| EventSummary {
                    event: event.name,
                    site: event.site,
                    year,
                    games: event.count,
                })
                .collect();
            list.sort_by_key(|event| Reverse(event.games));
            return Err(list);
        }
        let tables = events.into_iter();
        let tables = tables.map(|(_, event)| event.table(kind, &self.ranked_by));
        Ok(tables.collect())
    }
}

/// Returns whether an event continues in the next year: it was played in December and January.
fn continues(last: &EventKey, before: &EventGames, key: &EventKey, games: &EventGames) -> bool {
    let months = before
        .dates
        .zip(games.dates)
        .map(|((_, end), (start, _))| (end.month, start.month));
    (&last.0, &last.1, last.2 + 1) == (&key.0, &key.1, key.2) && months == Some((12, 1))
}

/// Joins events that consist of byes with the only other event of their name and year: pairing
/// programs give byes another site, or none.
fn join_byes(events: &mut Vec<(EventKey, EventGames)>) {
    let (byes, mut others): (Vec<_>, Vec<_>) = std::mem::take(events)
        .into_iter()
        .partition(|(_, event)| event.has_only_byes());
    for (key, event) in byes {
        let mut same = others
            .iter_mut()
            .filter(|(other, _)| (&other.0, other.2) == (&key.0, key.2));
        match (same.next(), same.next()) {
            (Some((_, only)), None) => only.extend(event),
            _ => events.push((key, event)),
        }
    }
    events.append(&mut others);
    events.sort_by(|(a, _), (b, _)| a.cmp(b));
}

impl EventGames {
    fn has_only_byes(&self) -> bool {
        !self.games.is_empty() && self.games.iter().all(|game| game.absent.is_some())
    }

    fn extend(&mut self, other: EventGames) {
        self.count += other.count;
        self.repeated += other.repeated;
        self.games.extend(other.games);
        self.dates = match (self.dates, other.dates) {
            (Some((first, last)), Some((start, end))) => Some((first.min(start), last.max(end))),
            (dates, others) => dates.or(others),
        };
    }

    fn table(mut self, asked: Option<TableKind>, ranked_by: &[TieBreak]) -> Crosstable {
        self.games
            .sort_by(|a, b| (&a.round_key, a.date).cmp(&(&b.round_key, b.date)));
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut players: Vec<TablePlayer> = Vec::new();
        let mut pairs: HashSet<(usize, usize)> = HashSet::new();
        for (place, game) in self.games.iter().enumerate() {
            let [white, black] = Color::ALL.map(|side| {
                if game.absent == Some(side) {
                    return None;
                }
                let [white, black] = &game.names;
                let (folded, name) = side.pick(white, black).clone();
                let next = players.len();
                let number = *numbers.entry(folded).or_insert(next);
                if number == next {
                    players.push(TablePlayer::new(name));
                }
                Some(number)
            });
            if let (Some(white), Some(black)) = (white, black) {
                pairs.insert((white.min(black), white.max(black)));
            }
            for (side, player, opponent) in
                [(Color::White, white, black), (Color::Black, black, white)]
            {
                if let Some(player) = player.and_then(|number| players.get_mut(number)) {
                    player.add(game, place, side, opponent);
                }
            }
        }
        let byes = self
            .games
            .iter()
            .filter(|game| game.absent.is_some())
            .count();
        let kind = asked.unwrap_or_else(|| kind_of(players.len(), &pairs));
        let ranked_by = if ranked_by.is_empty() { TieBreak::defaults(kind) } else { ranked_by };
        rank(&mut players, kind, ranked_by);
        Crosstable {
            event: self.name,
            site: self.site,
            dates: self.dates,
            games: self.games.len() - byes,
            byes,
            repeated: self.repeated,
            kind,
            ranked_by: ranked_by.to_vec(),
            players,
        }
    }
}

/// Returns the kind of an event with this number of players, given the pairs that met. In a round
/// robin of which only the games of some players are known, these players met all others.
fn kind_of(players: usize, pairs: &HashSet<(usize, usize)>) -> TableKind {
    let all = players * players.saturating_sub(1) / 2;
    let mut opponents = vec![0; players];
    for &(one, other) in pairs.iter().filter(|(one, other)| one != other) {
        for player in [one, other] {
            if let Some(count) = opponents.get_mut(player) {
                *count += 1;
            }
        }
    }
    let met_all = players <= MOST_IN_GRID && opponents.iter().any(|count| count + 1 == players);
    // Withdrawals and missing games leave gaps in a round robin.
    if players > 2 && 10 * pairs.len() >= 7 * all {
        TableKind::Grid
    // A match has one pair, a knock-out of n players n - 1.
    } else if pairs.len() <= players {
        TableKind::Pairs
    } else if met_all {
        TableKind::Grid
    } else {
        TableKind::Rounds
    }
}

/// Computes the tie-breaks and sorts the players.
fn rank(players: &mut Vec<TablePlayer>, kind: TableKind, tie_breaks: &[TieBreak]) {
    tie_breaks::number_rounds(players);
    let order = tie_breaks::rank(players, kind, tie_breaks);
    // Games refer to opponents by number, and sorting changes the numbers.
    let mut ranks = vec![0; order.len()];
    for (rank, &n) in order.iter().enumerate() {
        if let Some(place) = ranks.get_mut(n) {
            *place = rank;
        }
    }
    for game in players.iter_mut().flat_map(|player| &mut player.games) {
        game.opponent = game.opponent.and_then(|number| ranks.get(number).copied());
    }
    let mut ranked: Vec<(usize, TablePlayer)> = ranks.into_iter().zip(players.drain(..)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    players.extend(ranked.into_iter().map(|(_, player)| player));
}

impl TablePlayer {
    fn new(name: String) -> TablePlayer {
        TablePlayer {
            name,
            rating: None,
            score: Score::default(),
            half_points: 0,
            tie_breaks: TieBreaks::default(),
            games: Vec::new(),
        }
    }

    fn add(&mut self, game: &PlayedGame, place: usize, side: Color, opponent: Option<usize>) {
        let half_points = match game.outcome {
            Outcome::WhiteWins => Some(side.pick(2, 0)),
            Outcome::BlackWins => Some(side.pick(0, 2)),
            Outcome::Draw => Some(1),
            Outcome::Unknown => None,
        };
        let [white, black] = game.ratings;
        self.rating = self.rating.or(side.pick(white, black));
        if opponent.is_some() {
            self.score.add(side, &game.score);
        }
        self.half_points += half_points.unwrap_or_default();
        self.games.push(TableGame {
            opponent,
            side,
            half_points,
            round: game.round.clone(),
            round_number: 0,
            date: game.date,
            place,
        });
    }
}
