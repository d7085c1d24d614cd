//! The players, dates and moves of a few new games, to find their copies in a database.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use chessdb_core::search::HeaderColumns;
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Date, Game, Outcome, PackedMove};

use crate::candidate::{Candidate, Dates, SideTags, comparable_name, start_key};
use crate::evidence::Facts;
use crate::judgement::{can_be_one_date, can_be_one_line};
use crate::similar_names::SimilarNames;

/// The number of half-moves of new games that stay in memory. Further games are compared without their
/// moves.
const MAX_PLIES: usize = 16 << 20;
/// The number of new games of the same players with which the dates and moves of a game are
/// compared. With more games it is not ruled out.
const MAX_COMPARED: usize = 256;
/// The number of names of a database for which the matches are kept.
const MAX_KNOWN_NAMES: usize = 1 << 20;

/// The parts of the new games that can be compared without their other tags, sorted by players.
#[derive(Default, Debug)]
pub(crate) struct ComparedHeaders {
    /// The names of the players. Number 0 is the unknown name.
    names: SimilarNames,
    games: Vec<ComparedGame>,
    /// The first of `games` for each name of White.
    starts: Vec<u32>,
    /// The name of Black and the index of each game, sorted.
    by_black: Vec<(u32, u32)>,
    /// The players by their numbers of FIDE.
    by_fide_id: HashMap<u32, Vec<u32>>,
    /// The identifiers.
    ids: HashSet<u64>,
    /// Whether a game of each year can be equal to a new one. Empty if games of any year can.
    years: Vec<bool>,
    moves: Vec<PackedMove>,
    /// The matches of names of the database.
    known_names: RwLock<HashMap<Box<str>, NameMatches>>,
}

#[derive(Clone, Debug)]
struct ComparedGame {
    players: [u32; 2],
    dates: Dates,
    outcome: Outcome,
    start: u64,
    /// The range of its moves in `ComparedHeaders::moves`, if they are in memory.
    moves: Option<(usize, usize)>,
}

/// The new players whom a player of the database may be.
#[derive(Clone, Debug)]
pub(crate) enum NameMatches {
    /// Anyone: the name is unknown.
    Any,
    /// Those with these names, ascending.
    Names(Arc<[u32]>),
}

impl NameMatches {
    fn contains(&self, name: u32) -> bool {
        match self {
            NameMatches::Any => true,
            NameMatches::Names(names) => names.contains(&name),
        }
    }
}

impl ComparedHeaders {
    pub(crate) fn add(&mut self, game: &Candidate) {
        // The unknown name is the first.
        self.names.add("");
        let players = game.players.each_ref().map(|player| {
            let number = self.names.add(&player.name);
            if player.fide_id > 0 {
                let names = self.by_fide_id.entry(player.fide_id).or_default();
                if !names.contains(&number) {
                    names.push(number);
                }
            }
            number
        });
        self.ids.extend(game.facts.ids());
        let place = (self.moves.len(), self.moves.len() + game.moves.len());
        let moves = (place.1 <= MAX_PLIES).then_some(place);
        if moves.is_some() {
            self.moves.extend_from_slice(&game.moves);
        }
        self.games.push(ComparedGame {
            players,
            dates: game.dates,
            outcome: game.outcome,
            start: game.start,
            moves,
        });
    }

    /// Prepares lookups, after all games were added.
    pub(crate) fn sort(&mut self) {
        self.games.sort_by_key(|game| game.players);
        let games = &self.games;
        let start = |name| games.partition_point(|game| game.players[0] < name) as u32;
        self.starts = (0..=self.names.len() as u32).map(start).collect();
        let blacks = (0..).zip(games).map(|(n, game)| (game.players[1], n));
        self.by_black = blacks.collect();
        self.by_black.sort_unstable();
        if games.iter().all(|game| game.dates.day.year > 0) {
            self.years = vec![false; usize::from(HeaderColumns::MOST_YEAR) + 1];
            let dates = games.iter().map(|game| game.dates);
            for date in dates.flat_map(|dates| [dates.day, dates.event]) {
                let near = usize::from(date.year.max(1)) - 1..usize::from(date.year) + 2;
                let near = self.years.iter_mut().take(near.end).skip(near.start);
                near.for_each(|is_possible| *is_possible = true);
            }
        }
    }

    /// Returns whether a game with this header can be equal to a new one.
    pub(crate) fn may_have_header(&self, game: &Game) -> bool {
        self.may_have(game, &|_| true)
    }

    /// Returns whether a game with this header and these moves can be equal to a new one.
    pub(crate) fn may_have_moves(&self, game: &Game) -> bool {
        let moves: OnceLock<(u64, Vec<PackedMove>)> = OnceLock::new();
        self.may_have(game, &|new| {
            let (start, moves) = moves.get_or_init(|| (start_key(game), game.mainline().collect()));
            let outcomes = [new.outcome, game.result()];
            let is_one_result =
                new.outcome == game.result() || outcomes.contains(&Outcome::Unknown);
            let own = new
                .moves
                .and_then(|(first, end)| self.moves.get(first..end));
            is_one_result
                && new.start == *start
                && own.is_none_or(|own| can_be_one_line(own, moves))
        })
    }

    /// Returns whether a game can be equal to a new one for which `test` is true.
    fn may_have(&self, game: &Game, test: &dyn Fn(&ComparedGame) -> bool) -> bool {
        let dates = Dates::from_game(game);
        let tags: Vec<(Cow<'_, str>, Cow<'_, str>)> =
            if self.needs_tags() { game.tags().collect() } else { Vec::new() };
        if !self.ids.is_empty() {
            let facts = Facts::from_tags(tags.iter().map(|(name, value)| (&**name, &**value)));
            if facts.ids().iter().any(|id| self.ids.contains(id)) {
                return true;
            }
        }
        let sides = SideTags::from_tags(&tags);
        let names = [(game.white(), &sides[0]), (game.black(), &sides[1])];
        let players = names.map(|(name, tags)| {
            let matches = self.known_matches(&name);
            match (matches, self.by_fide_id.get(&tags.fide_id())) {
                (NameMatches::Names(names), Some(others)) => {
                    NameMatches::Names(names.iter().chain(others).copied().collect())
                }
                (matches, _) => matches,
            }
        });
        self.has_game(players.each_ref(), |new| {
            can_be_one_date(new.dates, dates) && test(new)
        })
    }

    /// Returns whether players, dates and identifiers in other tags can make a game equal to a new one.
    fn needs_tags(&self) -> bool {
        !self.ids.is_empty() || !self.by_fide_id.is_empty()
    }

    /// Returns the new players whom a player of the database may be.
    pub(crate) fn matches(&self, name: &str) -> NameMatches {
        let name = comparable_name(name);
        if name.is_empty() {
            return NameMatches::Any;
        }
        let mut names = self.names.matches(&name);
        names.push(0);
        NameMatches::Names(names.into())
    }

    /// Like [`ComparedHeaders::matches`], but looks up each name once.
    fn known_matches(&self, name: &str) -> NameMatches {
        let cache = self.known_names.read();
        let cached = cache
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
            .cloned();
        cached.unwrap_or_else(|| {
            let matches = self.matches(name);
            let cache = self.known_names.write();
            let mut cache = cache.unwrap_or_else(PoisonError::into_inner);
            if cache.len() < MAX_KNOWN_NAMES {
                cache.insert(name.into(), matches.clone());
            }
            matches
        })
    }

    /// Returns whether there is a new game of these players for which `test` is true. True if there are
    /// too many to test.
    fn has_game(
        &self,
        [white, black]: [&NameMatches; 2],
        test: impl Fn(&ComparedGame) -> bool,
    ) -> bool {
        let mut compared = 0;
        let mut test = |game: &ComparedGame| {
            compared += 1;
            compared > MAX_COMPARED || test(game)
        };
        match (white, black) {
            (NameMatches::Names(whites), _) => whites.iter().any(|&name| {
                let start = |name: usize| self.starts.get(name).map(|&start| start as usize);
                let name = name as usize;
                let games = start(name).zip(start(name + 1));
                let games = games.and_then(|(first, end)| self.games.get(first..end));
                let mut games = games.unwrap_or_default().iter();
                games.any(|game| black.contains(game.players[1]) && test(game))
            }),
            (NameMatches::Any, NameMatches::Names(blacks)) => blacks.iter().any(|&name| {
                let first = self.by_black.partition_point(|(black, _)| *black < name);
                let games = self.by_black.get(first..).unwrap_or_default().iter();
                let mut games = games.take_while(|(black, _)| *black == name);
                games.any(|(_, n)| self.games.get(*n as usize).is_some_and(&mut test))
            }),
            (NameMatches::Any, NameMatches::Any) => self.games.iter().any(test),
        }
    }
}

/// The games of a database that can be equal to a new one, by the columns of its index. Each name
/// is compared once, by the first thread that needs it.
#[derive(Debug)]
pub(crate) struct CopyColumns {
    headers: Arc<ComparedHeaders>,
    matches: Box<[OnceLock<NameMatches>]>,
}

impl CopyColumns {
    pub(crate) fn new(headers: &Arc<ComparedHeaders>, base: &BaseInfo) -> CopyColumns {
        CopyColumns {
            headers: Arc::clone(headers),
            matches: (0..base.texts.len()).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Returns the games that cannot be equal to a new one with any values of their other tags.
    pub(crate) fn judge(&self, columns: &HeaderColumns, base: &BaseInfo) -> u64 {
        let of_text = |id: TextId| {
            let cell = self.matches.get((id.raw() as usize).wrapping_sub(1));
            let name = || base.texts.get(id).decode();
            cell.map(|cell| cell.get_or_init(|| self.headers.matches(&name())))
        };
        let mut excluded = 0;
        let players = columns.whites.iter().zip(&columns.blacks);
        for (n, ((white, black), date)) in players.zip(&columns.dates).enumerate() {
            let year = if columns.open_dates >> n & 1 == 0 { date.year } else { 0 };
            let is_possible = self.headers.years.get(usize::from(year)).copied();
            let can_be_equal = match is_possible {
                Some(false) => false,
                _ if self.headers.needs_tags() => true,
                _ => match (of_text(*white), of_text(*black)) {
                    (Some(white), Some(black)) => self
                        .headers
                        .has_game([white, black], |new| new.may_be_of_year(year)),
                    // A name is missing, and so unknown.
                    _ => true,
                },
            };
            excluded |= u64::from(!can_be_equal) << n;
        }
        excluded
    }
}

impl ComparedGame {
    /// Returns whether a game of this year can be equal. One of both may have the first day of the
    /// event as its date, in the year before.
    fn may_be_of_year(&self, year: u16) -> bool {
        let is_near = |own: Date| own.year > 0 && own.year.abs_diff(year) <= 1;
        year == 0
            || self.dates.day.year == 0
            || is_near(self.dates.day)
            || is_near(self.dates.event)
    }
}
