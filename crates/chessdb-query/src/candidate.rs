//! What is compared of a game when duplicates are sought.

use std::borrow::Cow;

use chessdb_core::model::{GameFlags, Rating, Start, is_placeholder};
use chessdb_core::{Color, Date, Game, Outcome, PackedMove};

mod stored;

use crate::annotations::AnnotationSample;
use crate::evidence::{Fact, Facts, hash, without_ep_square};
use crate::fold::folded;
use crate::names::{fold_name, is_unknown_name};
use crate::person::surname_key;

/// The data of one game that is compared. It can be computed in any thread.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub(crate) players: [Player; 2],
    /// The event's name, folded.
    pub(crate) event: Box<str>,
    pub(crate) round: Round,
    pub(crate) dates: Dates,
    pub(crate) outcome: Outcome,
    pub(crate) facts: Facts,
    /// A hash of all tags that have a value, in any order.
    pub(crate) header: u64,
    /// The key of the start position.
    pub(crate) start: u64,
    annotations: AnnotationSample,
    /// Short hashes of the names of the tags that have a value, sorted, without those of the other
    /// fields.
    tag_names: Box<[u16]>,
    has_site: bool,
    /// Whether it is a position of its own without moves.
    pub(crate) is_position: bool,
    pub(crate) moves: Box<[PackedMove]>,
    /// The number of tags with a value.
    tags: u32,
    is_live: bool,
    stays: bool,
    is_before_equals: bool,
}

/// What is known of a player. Numbers are 0 if they are unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Player {
    /// The name, folded. Empty if it is unknown.
    pub(crate) name: Box<str>,
    /// A hash of the beginning of the surname.
    pub(crate) surname: u32,
    pub(crate) fide_id: u32,
    pub(crate) rating: u16,
    /// The letters of the federation's code.
    pub(crate) federation: [u8; 3],
    /// Whether it is a program, which may play the same game again.
    pub(crate) is_program: bool,
}

/// The day of a game and the first day of its event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Dates {
    pub(crate) day: Date,
    pub(crate) event: Date,
}

/// A round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Round {
    Unknown,
    /// Round and board, or match and game: `3.4`, `03.4`, `Round 3`. 0 is unknown.
    Numbers([u16; 3]),
    /// A hash of another text, such as `Final`.
    Text(u64),
}

/// The key of the standard start position.
const STANDARD_START: u64 = 0x463b_9618_1691_fc9c;

/// Words that mean only that a round follows.
const ROUND_WORDS: [&str; 14] = [
    "board", "game", "match", "partie", "r", "rd", "rnd", "ronda", "ronde", "round", "runde",
    "tour", "tur", "turno",
];

impl Round {
    pub(crate) fn parse(text: &str) -> Round {
        let folded = folded(text.trim());
        let mut numbers = [0; 3];
        let mut places = numbers.iter_mut();
        let is_letter = |c: char| c.is_ascii_alphabetic();
        for word in folded.split(|c: char| !c.is_ascii_alphanumeric()) {
            // `R3` is a word and a number.
            let digits = word.trim_start_matches(is_letter);
            let letters = word.get(..word.len() - digits.len()).unwrap_or_default();
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            if !is_number || !letters.is_empty() && !ROUND_WORDS.contains(&letters) {
                return Round::Text(hash(&folded));
            }
            if !digits.is_empty() {
                let (Some(place), Ok(number)) = (places.next(), digits.parse()) else {
                    return Round::Text(hash(&folded));
                };
                *place = number;
            }
        }
        match numbers {
            [0, ..] => Round::Unknown,
            numbers => Round::Numbers(numbers),
        }
    }
}

bitflags::bitflags! {
    /// What one copy of a game may have and another lack.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Details: u16 {
        /// Moves that the other copy lacks.
        const MOVES = 1;
        /// The result of a finished game.
        const RESULT = 1 << 1;
        /// A rating.
        const RATINGS = 1 << 2;
        /// The number of a player in the list of FIDE.
        const FIDE_IDS = 1 << 3;
        /// Year, month and day.
        const DATE = 1 << 4;
        /// The names of event and site.
        const EVENT = 1 << 5;
        /// The round.
        const ROUND = 1 << 6;
        /// Comments, symbols, variations, clocks and evaluations.
        const ANNOTATIONS = 1 << 7;
        /// Other tags.
        const TAGS = 1 << 8;
    }
}

impl Details {
    /// Returns the names of the details, in a fixed order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let named = [
            (Details::MOVES, "moves"),
            (Details::RESULT, "a result"),
            (Details::RATINGS, "ratings"),
            (Details::FIDE_IDS, "FIDE numbers"),
            (Details::DATE, "a full date"),
            (Details::EVENT, "an event or site"),
            (Details::ROUND, "a round"),
            (Details::ANNOTATIONS, "annotations"),
            (Details::TAGS, "other tags"),
        ];
        named
            .into_iter()
            .filter(move |(detail, _)| self.contains(*detail))
            .map(|(_, name)| name)
    }
}

/// The ranking by which one of several copies is kept: the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Worth {
    is_live: bool,
    stays: bool,
    has_result: bool,
    plies: u32,
    /// The numbers of known ratings, and of known parts of the date.
    ratings: u8,
    date_parts: u8,
    notes: u32,
    tags: u32,
    /// The number of tags of each player's FIDE number.
    fide_ids: u8,
    has_event: bool,
    has_round: bool,
    is_before_equals: bool,
}

impl Candidate {
    /// Extracts the data of a game.
    pub fn from_game(game: &Game) -> Candidate {
        let annotations = AnnotationSample::from_game(game);
        let tags: Vec<_> = game.tags().collect();
        let has_value = |(_, value): &&(_, Cow<'_, str>)| !is_placeholder(value);
        let sides = SideTags::from_tags(&tags);
        let players = [
            (game.white(), Color::White, &sides[0]),
            (game.black(), Color::Black, &sides[1]),
        ]
        .map(|(name, color, tags)| Player::new(&name, game.header.player(color).rating, tags));
        let event = folded(game.event().trim()).into_boxed_str();
        let dates = Dates::from_game(game);
        let round = Round::parse(&game.round());
        let moves: Box<[PackedMove]> = game.mainline().collect();
        Candidate {
            players,
            event,
            round,
            dates,
            outcome: game.result(),
            facts: Facts::from_tags(tags.iter().map(|(name, value)| (&**name, &**value))),
            header: tags
                .iter()
                .filter(|(_, value)| !is_placeholder(value))
                .map(|(name, value)| match &**name {
                    "FEN" => hash(&(name, without_ep_square(value))),
                    _ => hash(&(name, value)),
                })
                // A sum is the same for any order of the tags.
                .fold(0, u64::wrapping_add),
            start: start_key(game),
            annotations,
            tag_names: tag_names(&tags),
            has_site: !is_placeholder(&game.site()),
            is_position: game.header.start != Start::Standard && moves.is_empty(),
            moves,
            tags: tags.iter().filter(has_value).count() as u32,
            is_live: !game.header.flags.contains(GameFlags::DELETED),
            stays: false,
            is_before_equals: false,
        }
    }

    /// Marks a game of a database that keeps all its games: it is preferred to a game that is only
    /// fuller.
    #[must_use]
    pub fn staying(mut self) -> Candidate {
        self.stays = true;
        self
    }

    /// Marks a game that is preferred to other copies only if they are not better.
    #[must_use]
    pub fn before_equals(mut self) -> Candidate {
        self.is_before_equals = true;
        self
    }

    pub(crate) fn worth(&self) -> Worth {
        let number_of = |is_known: fn(&Player) -> bool| {
            self.players
                .iter()
                .map(|player| u8::from(is_known(player)))
                .sum()
        };
        Worth {
            is_live: self.is_live,
            stays: self.stays,
            has_result: self.outcome != Outcome::Unknown,
            plies: self.moves.len() as u32,
            ratings: number_of(|player| player.rating > 0),
            date_parts: self.dates.known_parts(),
            notes: self.annotations.count,
            tags: self.tags,
            fide_ids: number_of(|player| player.fide_id > 0),
            has_event: !is_placeholder(&self.event),
            has_round: self.round != Round::Unknown,
            is_before_equals: self.is_before_equals,
        }
    }

    /// Returns what this copy of a game has and another lacks.
    pub fn details_beyond(&self, other: &Candidate) -> Details {
        let (own, others) = (self.worth(), other.worth());
        let players = self.players.iter().zip(&other.players);
        let players_with = |is_known: fn(&Player) -> bool| {
            players
                .clone()
                .any(|(own, other)| is_known(own) && !is_known(other))
        };
        let mut names = self.tag_names.iter();
        let pairs = [
            (Details::MOVES, own.plies > others.plies),
            (Details::RESULT, own.has_result && !others.has_result),
            (Details::RATINGS, players_with(|player| player.rating > 0)),
            (Details::FIDE_IDS, players_with(|player| player.fide_id > 0)),
            (Details::DATE, own.date_parts > others.date_parts),
            (
                Details::EVENT,
                own.has_event && !others.has_event || self.has_site && !other.has_site,
            ),
            (Details::ROUND, own.has_round && !others.has_round),
            (
                Details::ANNOTATIONS,
                self.annotations.go_beyond(&other.annotations),
            ),
            (
                Details::TAGS,
                names.any(|name| other.tag_names.binary_search(name).is_err()),
            ),
        ];
        pairs
            .into_iter()
            .filter(|(_, has)| *has)
            .fold(Details::empty(), |all, (detail, _)| all | detail)
    }

    /// Returns the facts that separate this game from others.
    pub(crate) fn separating(&self) -> impl Iterator<Item = Fact> + '_ {
        let is_known = self.outcome != Outcome::Unknown;
        let outcome = is_known.then(|| (hash(&"outcome"), hash(&self.outcome.as_pgn())));
        let fide_ids = self
            .players
            .iter()
            .zip(["white", "black"])
            .filter(|(player, _)| player.fide_id > 0)
            .map(|(player, side)| (hash(&side), player.fide_id.into()));
        self.facts.all().chain(outcome).chain(fide_ids)
    }

    /// Returns the fact that separates it from games of the same event without a shared identifier.
    pub(crate) fn dividing(&self) -> Option<Fact> {
        match self.round {
            Round::Numbers([round, ..]) => Some((hash(&("round", &self.event)), round.into())),
            _ => None,
        }
    }
}

impl Dates {
    /// Extracts the dates of a game from its header.
    pub(crate) fn from_game(game: &Game) -> Dates {
        Dates {
            day: game.effective_date(),
            event: game.event_date(),
        }
    }

    /// Returns how many of year, month and day are known.
    fn known_parts(self) -> u8 {
        let Date { year, month, day } = self.day;
        u8::from(year > 0) + u8::from(month > 0) + u8::from(day > 0)
    }
}

impl Player {
    fn new(name: &str, rating: Option<Rating>, tags: &SideTags<'_>) -> Player {
        let name = comparable_name(name);
        let letters = tags.federation.trim().to_ascii_lowercase();
        let federation = <[u8; 3]>::try_from(letters.as_bytes());
        let is_program =
            tags.kind.eq_ignore_ascii_case("program") || tags.title.eq_ignore_ascii_case("BOT");
        // The name of a program ends with its version.
        let has_version = name
            .split([' ', ','])
            .any(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.len() < 6);
        Player {
            surname: hash(&surname_key(&name)) as u32,
            name: name.into_boxed_str(),
            fide_id: tags.fide_id(),
            rating: rating.map_or(0, |rating| rating.value),
            federation: federation.unwrap_or_default(),
            is_program: is_program || has_version,
        }
    }
}

/// Returns the key of the start position.
pub(crate) fn start_key(game: &Game) -> u64 {
    match game.header.start {
        Start::Standard => STANDARD_START,
        Start::Setup(_) => game.start_board().polyglot_key(),
    }
}

/// Returns a player's name, folded; empty if it is unknown.
pub(crate) fn comparable_name(name: &str) -> String {
    let folded = fold_name(name);
    if is_unknown_name(&folded) { String::new() } else { folded }
}

/// The values of a player's tags, such as `WhiteFideId`. Empty without the tag.
#[derive(Clone, Copy, Default)]
pub(crate) struct SideTags<'t> {
    federation: &'t str,
    fide_id: &'t str,
    kind: &'t str,
    title: &'t str,
}

impl<'t> SideTags<'t> {
    /// Returns the player's number of FIDE; 0 if it is unknown.
    pub(crate) fn fide_id(&self) -> u32 {
        self.fide_id.trim().parse().unwrap_or(0)
    }

    pub(crate) fn from_tags(tags: &'t [(Cow<'_, str>, Cow<'_, str>)]) -> [SideTags<'t>; 2] {
        let mut sides = [SideTags::default(); 2];
        for (name, value) in tags {
            let Some((side, field)) = name.split_at_checked("White".len()) else {
                continue;
            };
            let side = match () {
                () if side.eq_ignore_ascii_case("White") => &mut sides[0],
                () if side.eq_ignore_ascii_case("Black") => &mut sides[1],
                () => continue,
            };
            let slot = match () {
                () if field.eq_ignore_ascii_case("FideId") => &mut side.fide_id,
                () if field.eq_ignore_ascii_case("Title") => &mut side.title,
                () if field.eq_ignore_ascii_case("Type") => &mut side.kind,
                () if ["Federation", "Fed", "Country"]
                    .iter()
                    .any(|name| field.eq_ignore_ascii_case(name)) =>
                {
                    &mut side.federation
                }
                () => continue,
            };
            // Of a repeated tag, the first one counts.
            if slot.is_empty() {
                *slot = value;
            }
        }
        sides
    }
}

/// Returns whether a tag states what other fields of a candidate have, or follows from the moves.
fn is_in_other_fields(name: &str) -> bool {
    matches!(
        name,
        "Black"
            | "BlackElo"
            | "BlackFideId"
            | "Date"
            | "ECO"
            | "Event"
            | "FEN"
            | "PlyCount"
            | "Result"
            | "Round"
            | "SetUp"
            | "Site"
            | "White"
            | "WhiteElo"
            | "WhiteFideId"
    )
}

fn tag_names(tags: &[(Cow<'_, str>, Cow<'_, str>)]) -> Box<[u16]> {
    let mut names: Vec<u16> = tags
        .iter()
        .filter(|(name, value)| !is_in_other_fields(name) && !is_placeholder(value))
        .map(|(name, _)| hash(name) as u16)
        .collect();
    names.sort_unstable();
    names.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_start_has_its_key_with_a_fen_too() {
        let plain = Candidate::from_game(&Game::new());
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let mut game = Game::new();
        game.set_tag("FEN", fen);
        assert_eq!(plain.start, Candidate::from_game(&game).start);
        assert_eq!(plain.start, chessdb_core::Board::standard().polyglot_key());
    }

    #[test]
    fn rounds_in_many_forms() {
        for text in ["3", "03", "Round 3", "(3)", "R3", "Runde 3", "rd. 3", " 3 "] {
            assert_eq!(Round::parse(text), Round::Numbers([3, 0, 0]), "{text}");
        }
        for text in [
            "3.4",
            "03.04",
            "Round 3.4",
            "3-4",
            "3 (4)",
            "Round 3, board 4",
        ] {
            assert_eq!(Round::parse(text), Round::Numbers([3, 4, 0]), "{text}");
        }
        for text in ["", "?", "-", "0"] {
            assert_eq!(Round::parse(text), Round::Unknown, "{text}");
        }
        for text in ["Final", "QF", "3rd", "1.2.3.4", "99999999"] {
            assert!(matches!(Round::parse(text), Round::Text(_)), "{text}");
        }
    }
}
