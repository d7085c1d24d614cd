//! Whether two games are one, by the evidence for and against it. docs/reference/duplicates.md
//! explains the rules.

mod fits;

use std::fmt;

use chessdb_core::Outcome;

use crate::candidate::Candidate;
use crate::evidence::SharedId;

use fits::{
    DateFit, Fit, MovesFit, PlayerFit, RoundFit, compare_dates, compare_moves, compare_persons,
    compare_players, compare_rounds, compare_texts, may_begin,
};
pub(crate) use fits::{can_be_one_date, can_be_one_line, date_sets_fit};

/// How much evidence makes two games one. Under every rule, contrary evidence separates games;
/// docs/reference/duplicates.md has the table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DuplicateRule {
    /// Same moves, and players spelled the same.
    Strict,
    /// No reasonable doubt: spellings, missing or cut parts and slips do not separate games.
    #[default]
    Sure,
    /// Probably one game, even if little besides names and moves supports it.
    Likely,
}

impl DuplicateRule {
    /// Returns the rule with this name, as in `chessdb dedupe --by`: `strict`, `sure` or `likely`.
    pub fn from_name(name: &str) -> Option<DuplicateRule> {
        match name {
            "strict" => Some(DuplicateRule::Strict),
            "sure" => Some(DuplicateRule::Sure),
            "likely" => Some(DuplicateRule::Likely),
            _ => None,
        }
    }
}

/// With fewer half-moves than these, the round must agree too: agreed draws, forfeits.
const FEW_PLIES: usize = 10;
/// So many half-moves two players hardly play twice. Draws often follow a known line to its end, so
/// they need more.
const MANY_PLIES: usize = 30;
const OF_DRAWS: usize = 16;
/// So many equal half-moves outweigh another round, or a missing name.
const FAR_BEYOND_THEORY: usize = 40;
const WHOLE_GAME: usize = 60;

/// Everything that two games have in common, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CandidateComparison {
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

impl CandidateComparison {
    /// Compares two games. Cheap comparisons come first: `None` if one of them shows two games.
    pub(crate) fn new(a: &Candidate, b: &Candidate) -> Option<CandidateComparison> {
        let outcomes = [a.outcome, b.outcome];
        let has_unknown = outcomes.contains(&Outcome::Unknown);
        let fits = a.start == b.start
            && (a.outcome == b.outcome || has_unknown)
            && !a.facts.contradict(&b.facts);
        let date = compare_dates(a.dates, b.dates);
        if !fits || date == DateFit::Different || !may_begin(&a.moves, &b.moves) {
            return None;
        }
        let (moves, plies) = compare_moves(&a.moves, &b.moves);
        if moves == MovesFit::Different {
            return None;
        }
        let shared = a.facts.shared(&b.facts);
        let ([white, black], [other_white, other_black]) = (&a.players, &b.players);
        let players = [
            compare_players(white, other_white),
            compare_players(black, other_black),
        ];
        // An address outweighs another name, but not another number of FIDE.
        if players.contains(&PlayerFit::OtherFideId)
            || players.contains(&PlayerFit::OtherName) && shared != SharedId::Address
        {
            return None;
        }
        let programs = |game: &Candidate| {
            let [white, black] = &game.players;
            white.is_program && black.is_program
                // A player of both sides is a program that plays against itself.
                || white.name == black.name && !white.name.is_empty()
        };
        let (short, long) = if a.moves.len() <= b.moves.len() { (a, b) } else { (b, a) };
        Some(CandidateComparison {
            shared,
            players,
            persons: compare_persons(a, b),
            date,
            event: compare_texts(&a.event, &b.event),
            round: compare_rounds(a.round, b.round),
            moves,
            plies,
            is_drawn: outcomes.contains(&Outcome::Draw),
            may_repeat: programs(a) || programs(b),
            is_unfinished: short.outcome == Outcome::Unknown
                && short.moves.len() < long.moves.len(),
            is_copy: a.header == b.header && moves == MovesFit::Equal,
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
                let is_equal = self.moves == MovesFit::Equal && self.names_equal;
                let is_addressed =
                    self.shared == SharedId::Address && self.moves >= MovesFit::Beginning;
                (is_equal || is_addressed) && self.is_sure()
            }
            DuplicateRule::Sure => self.is_sure(),
            DuplicateRule::Likely => self.is_sure() || self.is_likely(),
        };
        is_one.then_some(self.shared)
    }

    /// Returns whether the dates are days of one event, not of one game.
    pub(crate) fn is_apart(&self) -> bool {
        self.date == DateFit::OneEvent
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
        let is_long = self.plies >= 2 * FEW_PLIES;
        // Equal tags alone do not identify a short game of unknown players.
        if self.is_copy && (self.is_position || is_long || player > PlayerFit::Unknown) {
            return true;
        }
        let is_one_round = self.round >= RoundFit::Partly && self.event >= Fit::Partly;
        // Programs play whole games again, so nearly everything must agree.
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
            // Two rounds of one event are two games.
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
                let is_full = self.moves == MovesFit::Equal && is_long;
                let needed = if depth >= MANY_PLIES { 3 } else { 4 };
                is_full && occasion >= needed || depth >= FAR_BEYOND_THEORY && occasion >= 2
            }
            _ if self.plies < FEW_PLIES => {
                // A game without moves may be another one that was not played.
                let is_common = self.moves == MovesFit::Equal
                    || self.moves == MovesFit::Beginning && self.plies > 0;
                is_common && is_one_round && self.date >= DateFit::Slip
            }
            _ if depth < MANY_PLIES => match self.moves {
                MovesFit::Equal => occasion >= 3,
                MovesFit::Beginning => {
                    let is_cut = self.is_unfinished || self.round >= RoundFit::Partly;
                    // A decisive game hardly begins like another one of the same day.
                    let is_unlikely = self.plies >= MANY_PLIES || is_long && !self.is_drawn;
                    occasion >= 3 && is_cut || occasion >= 4 && is_unlikely
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
        CandidateComparison::new(self, other).map_or(Vec::new(), |comparison| comparison.evidence())
    }
}

impl CandidateComparison {
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
        let judged = players.map(|(fit, side)| {
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
        let rest = [date, event, round, persons, repeats];
        shared
            .map(owned)
            .into_iter()
            .chain([owned(moves), plies])
            .chain(judged)
            .chain(rest.into_iter().flatten().map(owned))
            .map(|(is_for, text)| Evidence { is_for, text })
            .collect()
    }
}
