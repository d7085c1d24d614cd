//! Whether two games are one, by the evidence for and against it. docs/reference/duplicates.md
//! explains the rules.

use std::fmt;

use chessdb_core::{Date, Outcome, PackedMove};

use crate::candidate::{Candidate, Dates, Player, Round};
use crate::duplicates::DuplicateRule;
use crate::evidence::SharedId;
use crate::person::{NameMatch, match_names};

/// The number of moves that may differ in similar games: one in `ONE_IN` and `BESIDES` more, but at
/// most one in `AT_MOST_ONE_IN`.
const ONE_IN: usize = 25;
const BESIDES: usize = 2;
const AT_MOST_ONE_IN: usize = 4;

/// With fewer half-moves than these, the round must agree too: agreed draws, forfeits.
const FEW_PLIES: usize = 10;
/// So many half-moves two players hardly play twice. Draws often follow a known line to its end, so
/// they need more.
const MANY_PLIES: usize = 30;
const OF_DRAWS: usize = 16;
/// So many equal half-moves outweigh another round, or a missing name.
const FAR_BEYOND_THEORY: usize = 40;
const WHOLE_GAME: usize = 60;

/// The most days between the first day of an event and a game of it.
const EVENT_DAYS: i32 = 31;

/// How two values of one kind fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    Different,
    Unknown,
    /// Nearly equal, or a part is unknown in one game.
    Partly,
    Equal,
}

/// How the dates of two games fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum DateFit {
    Different,
    /// Both may be days of one event.
    OneEvent,
    /// One day apart, or day and month exchanged.
    Slip,
    Unknown,
    /// The known parts are equal.
    Partly,
    /// One game has the first day of the event as its date.
    FirstDay,
    Equal,
}

/// How two rounds fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum RoundFit {
    Different,
    /// The same round, another board or game.
    OtherBoard,
    Unknown,
    /// Only one has a board: `3` and `3.4`.
    Partly,
    Equal,
}

/// How the moves of two games fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum MovesFit {
    Different,
    Near,
    /// One game begins the other.
    Beginning,
    Equal,
}

/// How two players fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum PlayerFit {
    /// Other numbers of FIDE.
    OtherFideId,
    OtherName,
    Unknown,
    Doubtful,
    Likely,
    Equal,
    /// The same number of FIDE.
    SameFideId,
}

/// Everything that two games have in common, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    shared: SharedId,
    players: [PlayerFit; 2],
    /// Ratings and federations are those of the same persons.
    persons: Fit,
    date: DateFit,
    event: Fit,
    round: RoundFit,
    moves: MovesFit,
    /// The number of equal half-moves.
    plies: usize,
    is_drawn: bool,
    /// Programs play the same game again.
    may_repeat: bool,
    /// Whether the shorter game has no result.
    is_unfinished: bool,
    /// All tags and moves are equal.
    is_copy: bool,
    is_position: bool,
    names_equal: bool,
}

impl Comparison {
    /// Compares two games. Cheap comparisons come first: `None` if one of them shows two games.
    pub(crate) fn of(a: &Candidate, b: &Candidate) -> Option<Comparison> {
        let comparison = Comparison::without_moves(a, b)?;
        let (moves, plies) = compare_moves(&a.moves, &b.moves);
        (moves != MovesFit::Different).then_some(Comparison {
            moves,
            plies,
            is_copy: a.header == b.header && moves == MovesFit::Equal,
            ..comparison
        })
    }

    fn without_moves(a: &Candidate, b: &Candidate) -> Option<Comparison> {
        let outcomes = [a.outcome, b.outcome];
        let has_unknown = outcomes.contains(&Outcome::Unknown);
        let fits = a.start == b.start
            && (a.outcome == b.outcome || has_unknown)
            && !a.facts.contradict(&b.facts);
        let date = compare_dates(a.dates, b.dates);
        if !fits || date == DateFit::Different || !may_begin(&a.moves, &b.moves) {
            return None;
        }
        let shared = a.facts.shared(&b.facts);
        let [one, other] = [(0, 0), (1, 1)].map(|(n, k)| {
            let pair = a.players.get(n).zip(b.players.get(k));
            pair.map_or(PlayerFit::Unknown, |(a, b)| compare_players(a, b))
        });
        let players = [one, other];
        if players.contains(&PlayerFit::OtherFideId)
            || players.contains(&PlayerFit::OtherName) && shared != SharedId::Address
        {
            return None;
        }
        let programs = |game: &Candidate| {
            let [white, black] = &game.players;
            white.is_program && black.is_program
                || white.name == black.name && !white.name.is_empty()
        };
        let (short, long) = if a.moves.len() <= b.moves.len() {
            (a, b)
        } else {
            (b, a)
        };
        Some(Comparison {
            shared,
            players,
            persons: compare_persons(a, b),
            date,
            event: compare_texts(&a.event, &b.event),
            round: compare_rounds(a.round, b.round),
            moves: MovesFit::Different,
            plies: 0,
            is_drawn: outcomes.contains(&Outcome::Draw),
            may_repeat: programs(a) || programs(b),
            is_unfinished: short.outcome == Outcome::Unknown
                && short.moves.len() < long.moves.len(),
            is_copy: false,
            is_position: a.is_position,
            names_equal: a
                .players
                .iter()
                .zip(&b.players)
                .all(|(a, b)| a.name == b.name),
        })
    }

    /// Returns whether this is enough evidence of one game, and the identifier that both have.
    pub(crate) fn is_one_game(&self, by: DuplicateRule) -> Option<SharedId> {
        let is_one = match by {
            DuplicateRule::Strict => {
                let is_named = self.names_equal || self.shared == SharedId::Address;
                self.moves == MovesFit::Equal && is_named && self.is_sure()
            }
            DuplicateRule::Sure => self.is_sure(),
            DuplicateRule::Likely => self.is_sure() || self.is_likely(),
        };
        is_one.then_some(self.shared)
    }

    /// The half-moves that count as evidence.
    fn depth(&self) -> usize {
        let of_theory = if self.is_drawn { OF_DRAWS } else { 0 };
        self.plies.saturating_sub(of_theory)
    }

    fn worst_player(&self) -> PlayerFit {
        let [white, black] = self.players;
        white.min(black)
    }

    /// The weight of what names the occasion of the game: date, event and round.
    fn occasion(&self) -> u32 {
        let date = match self.date {
            DateFit::Equal | DateFit::FirstDay => 2,
            DateFit::Partly | DateFit::Slip => 1,
            _ => 0,
        };
        let event = match self.event {
            Fit::Equal => 2,
            Fit::Partly => 1,
            _ => 0,
        };
        let round = match self.round {
            RoundFit::Equal => 2,
            RoundFit::Partly => 1,
            _ => 0,
        };
        date + event + round
    }

    /// Returns whether the games are one at the usual strictness. A doubt separates them.
    fn is_sure(&self) -> bool {
        match self.shared {
            SharedId::Address => return true,
            SharedId::Number => return self.worst_player() >= PlayerFit::Unknown,
            SharedId::None => {}
        }
        let player = self.worst_player();
        if self.is_copy && (self.is_position || player > PlayerFit::Unknown) {
            return true;
        }
        let is_one_round = self.round >= RoundFit::Partly && self.event >= Fit::Partly;
        if self.may_repeat {
            let is_one_day = self.date >= DateFit::Partly;
            return is_one_round
                && self.round == RoundFit::Equal
                && is_one_day
                && self.moves >= MovesFit::Beginning
                && player >= PlayerFit::Likely;
        }
        if self.persons == Fit::Different && player < PlayerFit::SameFideId {
            return false;
        }
        let depth = self.depth();
        let occasion = self.occasion();
        match self.round {
            RoundFit::Different if self.event >= Fit::Partly => return false,
            RoundFit::Different | RoundFit::OtherBoard => {
                let is_one_day = self.date >= DateFit::FirstDay;
                return is_one_day && depth >= FAR_BEYOND_THEORY && player >= PlayerFit::Likely;
            }
            _ => {}
        }
        match self.date {
            DateFit::OneEvent => {
                return is_one_round && depth >= MANY_PLIES && player >= PlayerFit::Likely;
            }
            DateFit::Slip if depth < FAR_BEYOND_THEORY && !is_one_round => return false,
            _ => {}
        }
        match player {
            PlayerFit::Unknown | PlayerFit::Doubtful => {
                let is_full = self.moves == MovesFit::Equal && self.plies >= 2 * FEW_PLIES;
                is_full && occasion >= 4 || depth >= FAR_BEYOND_THEORY && occasion >= 2
            }
            _ if self.plies < FEW_PLIES => {
                let is_played = self.moves >= MovesFit::Beginning;
                is_played && is_one_round && self.date >= DateFit::Slip
            }
            _ if depth < MANY_PLIES => match self.moves {
                MovesFit::Equal => occasion >= 3,
                MovesFit::Beginning => {
                    let is_cut = self.is_unfinished || self.round >= RoundFit::Partly;
                    occasion >= 3 && is_cut || occasion >= 4 && self.plies >= MANY_PLIES
                }
                _ => occasion >= 4 && (is_one_round || self.plies >= MANY_PLIES),
            },
            _ => true,
        }
    }

    /// Returns whether the games are one if doubts count less.
    fn is_likely(&self) -> bool {
        let player = self.worst_player();
        let depth = self.depth();
        let occasion = self.occasion();
        if player < PlayerFit::Unknown || self.may_repeat || self.plies < FEW_PLIES {
            return false;
        }
        if self.persons == Fit::Different {
            return depth >= WHOLE_GAME && self.date >= DateFit::FirstDay;
        }
        let is_event = self.event >= Fit::Partly;
        match self.round {
            RoundFit::Different if is_event => {
                return self.date == DateFit::Equal && depth >= WHOLE_GAME;
            }
            RoundFit::Different | RoundFit::OtherBoard => {
                return self.date >= DateFit::FirstDay && depth >= MANY_PLIES;
            }
            _ => {}
        }
        match self.date {
            DateFit::OneEvent => {
                let is_round = self.round >= RoundFit::Partly;
                is_event && (is_round && self.plies >= 2 * FEW_PLIES || depth >= WHOLE_GAME)
            }
            DateFit::Slip => depth >= MANY_PLIES || is_event && self.plies >= 2 * FEW_PLIES,
            _ if player <= PlayerFit::Doubtful => {
                occasion >= 3 && self.plies >= 2 * FEW_PLIES || depth >= MANY_PLIES
            }
            _ => match self.moves {
                MovesFit::Equal => occasion >= 2 || depth >= 2 * FEW_PLIES,
                MovesFit::Beginning => occasion >= 3 || depth >= 2 * FEW_PLIES,
                _ => occasion >= 3 || depth >= 2 * FEW_PLIES && occasion >= 1,
            },
        }
    }
}

/// A fact that supports or contradicts that two games are one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Evidence {
    /// Whether it supports it.
    pub is_for: bool,
    /// What was compared, and the result.
    pub text: String,
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_for { "for: " } else { "against: " })?;
        f.write_str(&self.text)
    }
}

impl Candidate {
    /// Returns the evidence for and against this and another game being one, the strongest first.
    /// Empty if something separates them for certain.
    pub fn evidence(&self, other: &Candidate) -> Vec<Evidence> {
        Comparison::of(self, other).map_or(Vec::new(), |comparison| comparison.evidence())
    }
}

impl Comparison {
    fn evidence(&self) -> Vec<Evidence> {
        let shared = match self.shared {
            SharedId::Address => Some((true, "address of the game equal")),
            SharedId::Number => Some((true, "number of the game equal")),
            SharedId::None => None,
        };
        let moves = match self.moves {
            MovesFit::Different => (false, "moves different"),
            MovesFit::Near => (true, "nearly all moves equal"),
            MovesFit::Beginning => (true, "one game begins the other"),
            MovesFit::Equal => (true, "moves equal"),
        };
        let date = match self.date {
            DateFit::Different => Some((false, "dates different")),
            DateFit::OneEvent => Some((false, "dates apart, within one event")),
            DateFit::Slip => Some((false, "dates one day apart")),
            DateFit::Unknown => None,
            DateFit::Partly => Some((true, "known parts of the date equal")),
            DateFit::FirstDay => Some((true, "one date is the first day of the event")),
            DateFit::Equal => Some((true, "date equal")),
        };
        let event = match self.event {
            Fit::Different => Some((false, "events named differently")),
            Fit::Unknown => None,
            Fit::Partly => Some((true, "events share words")),
            Fit::Equal => Some((true, "event equal")),
        };
        let round = match self.round {
            RoundFit::Different => Some((false, "rounds different")),
            RoundFit::OtherBoard => Some((false, "boards or games of the round different")),
            RoundFit::Unknown => None,
            RoundFit::Partly => Some((true, "round equal, one without a board")),
            RoundFit::Equal => Some((true, "round equal")),
        };
        let players = self.players.into_iter().zip(["White", "Black"]);
        let players = players.map(|(fit, side)| {
            let (is_for, text) = match fit {
                PlayerFit::OtherFideId => (false, "another FIDE number"),
                PlayerFit::OtherName => (false, "another name"),
                PlayerFit::Unknown => (false, "unknown"),
                PlayerFit::Doubtful => (false, "perhaps another name"),
                PlayerFit::Likely => (true, "the name in another form"),
                PlayerFit::Equal => (true, "equal"),
                PlayerFit::SameFideId => (true, "the FIDE number equal"),
            };
            (is_for, format!("{side}: {text}"))
        });
        let persons = match self.persons {
            Fit::Different => Some((false, "ratings or federations of other persons")),
            Fit::Equal => Some((true, "ratings equal")),
            _ => None,
        };
        let repeats = self
            .may_repeat
            .then_some((false, "programs may repeat a game"));
        let plies = (true, format!("{} half-moves in common", self.plies));
        let owned = |(is_for, text): (bool, &str)| (is_for, text.to_owned());
        let all = shared.map(owned).into_iter();
        let all = all.chain([owned(moves), plies]).chain(players);
        let rest = [date, event, round, persons, repeats];
        let all = all.chain(rest.into_iter().flatten().map(owned));
        all.map(|(is_for, text)| Evidence { is_for, text })
            .collect()
    }
}

fn compare_players(a: &Player, b: &Player) -> PlayerFit {
    match () {
        () if a.fide_id > 0 && a.fide_id == b.fide_id => PlayerFit::SameFideId,
        () if a.fide_id > 0 && b.fide_id > 0 => PlayerFit::OtherFideId,
        () if a.name.is_empty() || b.name.is_empty() => PlayerFit::Unknown,
        () if a.name == b.name => PlayerFit::Equal,
        () => match match_names(&a.name, &b.name) {
            NameMatch::Different => PlayerFit::OtherName,
            NameMatch::Doubtful | NameMatch::Misprinted => PlayerFit::Doubtful,
            NameMatch::Likely => PlayerFit::Likely,
            NameMatch::Same => PlayerFit::Equal,
        },
    }
}

/// Compares what is known of the players besides their names. Ratings of one person come from
/// several lists, but they are near.
fn compare_persons(a: &Candidate, b: &Candidate) -> Fit {
    const FAR: u16 = 300;
    let mut fit = Fit::Unknown;
    for (a, b) in a.players.iter().zip(&b.players) {
        let are_known = |a: bool, b: bool| a && b;
        if are_known(a.federation != [0; 3], b.federation != [0; 3]) && a.federation != b.federation
        {
            return Fit::Different;
        }
        if are_known(a.rating > 0, b.rating > 0) {
            if a.rating.abs_diff(b.rating) > FAR {
                return Fit::Different;
            }
            let is_equal = a.rating == b.rating && fit != Fit::Partly;
            fit = if is_equal { Fit::Equal } else { Fit::Partly };
        }
    }
    fit
}

fn compare_texts(a: &str, b: &str) -> Fit {
    let is_known = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if !is_known(a) || !is_known(b) {
        return Fit::Unknown;
    }
    if a == b {
        return Fit::Equal;
    }
    let words = |text| {
        let words = str::split(text, |c: char| !c.is_ascii_alphanumeric());
        words.filter(|word: &&str| word.len() > 2 && !word.bytes().all(|b| b.is_ascii_digit()))
    };
    let shares = words(a).any(|word: &str| words(b).any(|other: &str| word == other));
    if shares { Fit::Partly } else { Fit::Different }
}

fn compare_rounds(a: Round, b: Round) -> RoundFit {
    match (a, b) {
        (Round::Numbers([a, rest @ ..]), Round::Numbers([b, others @ ..])) => {
            let agree = |(a, b): (&u16, &u16)| *a == 0 || *b == 0 || a == b;
            match () {
                () if a != b => RoundFit::Different,
                () if rest == others => RoundFit::Equal,
                () if rest.iter().zip(&others).all(agree) => RoundFit::Partly,
                () => RoundFit::OtherBoard,
            }
        }
        (Round::Text(a), Round::Text(b)) if a == b => RoundFit::Equal,
        _ => RoundFit::Unknown,
    }
}

fn compare_dates(a: Dates, b: Dates) -> DateFit {
    let (one, other) = (a.day, b.day);
    if one.year == 0 || other.year == 0 {
        return DateFit::Unknown;
    }
    let is_full = |date: Date| date.year > 0 && date.month > 0 && date.day > 0;
    if !is_full(one) || !is_full(other) {
        let agree = |a: u8, b: u8| a == 0 || b == 0 || a == b;
        let agrees =
            one.year == other.year && agree(one.month, other.month) && agree(one.day, other.day);
        return if agrees {
            DateFit::Partly
        } else {
            DateFit::Different
        };
    }
    if one == other {
        return DateFit::Equal;
    }
    let is_first_day = |date: Date, event: Date| is_full(event) && date == event;
    if is_first_day(one, b.event) || is_first_day(other, a.event) {
        return DateFit::FirstDay;
    }
    let is_exchanged = one.year == other.year && one.month == other.day && one.day == other.month;
    match (day_number(one) - day_number(other)).abs() {
        0..=1 => DateFit::Slip,
        _ if is_exchanged => DateFit::Slip,
        0..=EVENT_DAYS => DateFit::OneEvent,
        _ => DateFit::Different,
    }
}

/// Returns whether two dates may be those of one game, or of one event.
pub(crate) fn dates_fit(a: Dates, b: Dates) -> bool {
    compare_dates(a, b) != DateFit::Different
}

/// Returns the number of a day in the Gregorian calendar, counted from an arbitrary day.
fn day_number(date: Date) -> i32 {
    // Years begin in March, so that the leap day is the last.
    let month = (i32::from(date.month) + 9) % 12;
    let year = i32::from(date.year) - i32::from(month >= 10);
    365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + i32::from(date.day)
}

/// Returns whether the first moves allow that few changes turn one game into the other. Most pairs
/// end here.
fn may_begin(a: &[PackedMove], b: &[PackedMove]) -> bool {
    let most = most_changes(a.len().min(b.len()), a.len().max(b.len()));
    let equal = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    equal == a.len().min(b.len()) || most > 0
}

fn most_changes(short: usize, long: usize) -> usize {
    (BESIDES + short / ONE_IN).min(long / AT_MOST_ONE_IN)
}

/// Returns how the moves fit, and the number of equal half-moves.
fn compare_moves(a: &[PackedMove], b: &[PackedMove]) -> (MovesFit, usize) {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let equal = |(a, b): &(&PackedMove, &PackedMove)| a == b;
    let first = short.iter().zip(long).take_while(equal).count();
    if first == short.len() {
        let fit = match short.len() == long.len() {
            true => MovesFit::Equal,
            false => MovesFit::Beginning,
        };
        return (fit, first);
    }
    match changes(
        short.get(first..).unwrap_or_default(),
        long.get(first..).unwrap_or_default(),
        most_changes(short.len(), long.len()),
    ) {
        Some(changes) => (MovesFit::Near, short.len().saturating_sub(changes)),
        None => (MovesFit::Different, first),
    }
}

/// Returns the number of changes that turn one list of moves into the other: a move more, less, or
/// another one. `None` if there are more than `most`.
fn changes(short: &[PackedMove], long: &[PackedMove], most: usize) -> Option<usize> {
    if long.len() - short.len() > most {
        return None;
    }
    // The edit distances up to positions in both lists that differ by at most `most`.
    let width = 2 * most + 1;
    let mut row: Vec<usize> = (0..width).map(|n| n.saturating_sub(most)).collect();
    let mut next = vec![usize::MAX; width];
    for (n, mv) in (1..).zip(short) {
        next.fill(usize::MAX);
        for k in 0..width {
            let Some(at) = (n + k).checked_sub(most).filter(|at| *at <= long.len()) else {
                continue;
            };
            let cost = |known: Option<&usize>, more: usize| {
                known.map_or(usize::MAX, |cost| cost.saturating_add(more))
            };
            let same = at.checked_sub(1).and_then(|at| long.get(at)) == Some(mv);
            let replaced = match at {
                0 => usize::MAX,
                _ => cost(row.get(k), usize::from(!same)),
            };
            let left_out = cost(row.get(k + 1), 1);
            let added = cost(k.checked_sub(1).and_then(|k| next.get(k)), 1);
            if let Some(place) = next.get_mut(k) {
                *place = replaced.min(left_out).min(added);
            }
        }
        std::mem::swap(&mut row, &mut next);
        // Later rows cannot be cheaper.
        if row.iter().all(|cost| *cost > most) {
            return None;
        }
    }
    let end = (long.len() + most).checked_sub(short.len());
    end.and_then(|k| row.get(k))
        .copied()
        .filter(|cost| *cost <= most)
}
