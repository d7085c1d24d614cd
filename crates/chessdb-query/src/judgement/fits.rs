//! How well the parts of two games fit.

use chessdb_core::{Date, PackedMove};

use crate::candidate::{Candidate, Dates, Player, Round};
use crate::person::{NameMatch, match_names};

/// The number of moves that may differ in similar games: one in `ONE_IN` and `BESIDES` more, but at
/// most one in `AT_MOST_ONE_IN`.
const ONE_IN: usize = 25;
const BESIDES: usize = 2;
const AT_MOST_ONE_IN: usize = 4;

/// The most days between the first day of an event and a game of it.
const EVENT_DAYS: i32 = 31;

/// How two values of one kind fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fit {
    Different,
    Unknown,
    /// Nearly equal, or a part is unknown in one game.
    Partly,
    Equal,
}

/// How the dates of two games fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum DateFit {
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
pub(super) enum RoundFit {
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
pub(super) enum MovesFit {
    Different,
    Near,
    /// One game begins the other.
    Beginning,
    Equal,
}

/// How two players fit, the better one greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum PlayerFit {
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

pub(super) fn compare_players(a: &Player, b: &Player) -> PlayerFit {
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
pub(super) fn compare_persons(a: &Candidate, b: &Candidate) -> Fit {
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

pub(super) fn compare_texts(a: &str, b: &str) -> Fit {
    let is_known = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if !is_known(a) || !is_known(b) {
        return Fit::Unknown;
    }
    if a == b {
        return Fit::Equal;
    }
    let words = |text| {
        // Short words and numbers are in the names of too many events.
        str::split(text, |c: char| !c.is_ascii_alphanumeric())
            .filter(|word: &&str| word.len() > 2 && !word.bytes().all(|b| b.is_ascii_digit()))
    };
    let shares = words(a).any(|word: &str| words(b).any(|other: &str| word == other));
    if shares { Fit::Partly } else { Fit::Different }
}

pub(super) fn compare_rounds(a: Round, b: Round) -> RoundFit {
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

pub(super) fn compare_dates(a: Dates, b: Dates) -> DateFit {
    let (one, other) = (a.day, b.day);
    if one.year == 0 || other.year == 0 {
        return DateFit::Unknown;
    }
    let is_full = |date: Date| date.year > 0 && date.month > 0 && date.day > 0;
    if !is_full(one) || !is_full(other) {
        let agree = |a: u8, b: u8| a == 0 || b == 0 || a == b;
        let agrees =
            one.year == other.year && agree(one.month, other.month) && agree(one.day, other.day);
        return if agrees { DateFit::Partly } else { DateFit::Different };
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
        2..=EVENT_DAYS => DateFit::OneEvent,
        _ => DateFit::Different,
    }
}

/// Returns whether two games with these dates can be one.
pub(crate) fn can_be_one_date(a: Dates, b: Dates) -> bool {
    compare_dates(a, b) != DateFit::Different
}

/// Returns whether the dates of two sets of games may be those of one game. Days of one event are,
/// if the compared games were found to be one in spite of them (`is_apart`), or if other dates of
/// the sets are equal. A game without a date joins no games of two days.
pub(crate) fn date_sets_fit(one: &[Dates], other: &[Dates], is_apart: bool) -> bool {
    let (mut has_apart, mut has_near) = (false, false);
    for a in one {
        for b in other {
            match compare_dates(*a, *b) {
                DateFit::Different => return false,
                DateFit::OneEvent => has_apart = true,
                DateFit::Slip | DateFit::FirstDay | DateFit::Equal => has_near = true,
                DateFit::Unknown | DateFit::Partly => {}
            }
        }
    }
    !has_apart || has_near || is_apart
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
pub(super) fn may_begin(a: &[PackedMove], b: &[PackedMove]) -> bool {
    let limit = most_changes(a.len().min(b.len()), a.len().max(b.len()));
    let equal = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    equal == a.len().min(b.len()) || limit > 0
}

/// Returns whether two games with these moves can be one.
pub(crate) fn can_be_one_line(a: &[PackedMove], b: &[PackedMove]) -> bool {
    may_begin(a, b) && compare_moves(a, b).0 != MovesFit::Different
}

fn most_changes(short: usize, long: usize) -> usize {
    (BESIDES + short / ONE_IN).min(long / AT_MOST_ONE_IN)
}

/// Returns how the moves fit, and the number of equal half-moves.
pub(super) fn compare_moves(a: &[PackedMove], b: &[PackedMove]) -> (MovesFit, usize) {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let equal = |(a, b): &(&PackedMove, &PackedMove)| a == b;
    let first = short.iter().zip(long).take_while(equal).count();
    if first == short.len() {
        let fit = if short.len() == long.len() { MovesFit::Equal } else { MovesFit::Beginning };
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
/// another one. `None` if there are more than `limit`.
fn changes(short: &[PackedMove], long: &[PackedMove], limit: usize) -> Option<usize> {
    if long.len() - short.len() > limit {
        return None;
    }
    // The edit distances up to positions in both lists that differ by at most `limit`.
    let width = 2 * limit + 1;
    let mut row: Vec<usize> = (0..width).map(|n| n.saturating_sub(limit)).collect();
    let mut next = vec![usize::MAX; width];
    for (n, mv) in (1..).zip(short) {
        next.fill(usize::MAX);
        for k in 0..width {
            // Cell `k` is about the first `n + k - limit` moves of the longer list.
            let Some(length) = (n + k)
                .checked_sub(limit)
                .filter(|length| *length <= long.len())
            else {
                continue;
            };
            let cost = |previous: Option<&usize>, more: usize| {
                previous.map_or(usize::MAX, |cost| cost.saturating_add(more))
            };
            let same = length.checked_sub(1).and_then(|last| long.get(last)) == Some(mv);
            let replaced = match length {
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
        if row.iter().all(|cost| *cost > limit) {
            return None;
        }
    }
    (long.len() + limit)
        .checked_sub(short.len())
        .and_then(|k| row.get(k))
        .copied()
        .filter(|cost| *cost <= limit)
}
