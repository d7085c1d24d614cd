//! Headers of exports, with their values moved to the tags where they belong.
//!
//! Broadcasts and studies of Lichess write rounds and chapters as events, chess.com gives all matches
//! of clubs one event, and servers and pairing programs put titles, ratings and countries into names.
//! No value is lost: a replaced one that the new tags do not contain stays under its name with `Old`
//! before it, such as `OldEvent`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chessdb_core::model::{MAX_RATING, is_placeholder};
use chessdb_core::{Color, Game, Outcome};

use crate::fold::folded;
use crate::names::known_text;
use crate::natural::is_number;

/// A rule by which a header is changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct CleaningRule {
    /// A short constant name, such as `event`.
    pub code: &'static str,
    /// A description, such as `title moved out of a name`.
    pub text: &'static str,
}

const fn rule(code: &'static str, text: &'static str) -> CleaningRule {
    CleaningRule { code, text }
}

const COUNTRY: CleaningRule = rule("country", "country moved out of a name");
const DATE: CleaningRule = rule("date", "date from UTCDate");
const EVENT: CleaningRule = rule("event", "event instead of a round, a chapter or any match");
const OPENING: CleaningRule = rule("opening", "opening from its address");
const PLAYERS: CleaningRule = rule("players", "players from another tag");
const RATING: CleaningRule = rule("rating", "rating moved out of a name");
const RESULT: CleaningRule = rule("result", "result from words or another spelling");
const ROUND: CleaningRule = rule("round", "round from another tag");
const TITLE: CleaningRule = rule("title", "title moved out of a name");

/// The changes of a header.
#[derive(Clone, Default, Debug)]
pub struct HeaderChanges {
    tags: Vec<(String, String)>,
    rules: Vec<CleaningRule>,
}

/// The number of games that each rule changed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CleaningCounts(BTreeMap<CleaningRule, u64>);

impl HeaderChanges {
    /// Returns the changes that the header of a game needs.
    ///
    /// ```
    /// use chessdb_core::Game;
    /// use chessdb_query::cleaning::HeaderChanges;
    ///
    /// let mut game = Game::builder()
    ///     .event("Round 3: GM Tal, M - Keres, P")
    ///     .tag("BroadcastName", "Bled")
    ///     .build();
    /// HeaderChanges::of_game(&game).apply(&mut game);
    /// assert_eq!((&*game.event(), &*game.round(), &*game.white()), ("Bled", "3", "Tal, M"));
    /// assert_eq!(game.tag("WhiteTitle").as_deref(), Some("GM"));
    /// assert!(HeaderChanges::of_game(&game).is_empty());
    /// ```
    pub fn of_game(game: &Game) -> HeaderChanges {
        let mut draft = Draft {
            game,
            changes: HeaderChanges::default(),
        };
        draft.clean_event();
        draft.clean_names();
        draft.clean_result();
        draft.clean_date();
        draft.clean_opening();
        draft.changes
    }

    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Changes the tags of a game.
    pub fn apply(&self, game: &mut Game) {
        for (name, value) in &self.tags {
            game.set_tag(name, value);
        }
    }
}

impl CleaningCounts {
    /// Cleans the header of a game, and counts it.
    pub fn clean(&mut self, game: &mut Game) {
        let changes = HeaderChanges::of_game(game);
        if !changes.is_empty() {
            changes.apply(game);
            self.add(&changes);
        }
    }

    /// Counts a game.
    pub fn add(&mut self, changes: &HeaderChanges) {
        for rule in &changes.rules {
            *self.0.entry(*rule).or_default() += 1;
        }
    }

    /// Returns the rules that changed games, each with the number of games.
    pub fn iter(&self) -> impl Iterator<Item = (CleaningRule, u64)> + '_ {
        self.0.iter().map(|(rule, games)| (*rule, *games))
    }
}

/// Splits the end or the beginning off a name. Returns the rest and the part.
type SplitName = fn(&str) -> Option<(&str, &str)>;

/// A header while it is cleaned.
struct Draft<'g> {
    game: &'g Game,
    changes: HeaderChanges,
}

impl Draft<'_> {
    /// Returns the known value of a tag; empty if there is none.
    fn get(&self, name: &str) -> Cow<'_, str> {
        let tags = &self.changes.tags;
        let value = match tags.iter().find(|(tag, _)| tag == name) {
            Some((_, value)) => Cow::Borrowed(value.as_str()),
            None => self.game.tag(name).unwrap_or_default(),
        };
        if is_placeholder(&value) { Cow::Borrowed("") } else { value }
    }

    fn is_unknown(&self, name: &str) -> bool {
        known_text(&self.get(name)).is_empty()
    }

    fn set(&mut self, rule: CleaningRule, name: &str, value: &str) {
        let tags = &mut self.changes.tags;
        match tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => value.clone_into(old),
            None => tags.push((name.to_owned(), value.to_owned())),
        }
        if !self.changes.rules.contains(&rule) {
            self.changes.rules.push(rule);
        }
    }

    /// Sets a tag if it is unknown. Returns whether it has this value now.
    fn fill(&mut self, rule: CleaningRule, name: &str, value: &str) -> bool {
        if self.is_unknown(name) {
            self.set(rule, name, value);
        }
        self.get(name) == value
    }

    /// Replaces a value. `is_contained` states whether the new tags contain the old one; otherwise it
    /// stays under another name.
    fn replace(&mut self, rule: CleaningRule, name: &str, value: &str, is_contained: bool) {
        let old = self.get(name).into_owned();
        if old.is_empty() || is_contained || self.fill(rule, &format!("Old{name}"), &old) {
            self.set(rule, name, value);
        }
    }

    /// Sets the event, the round and the players of broadcasts, studies and matches.
    fn clean_event(&mut self) {
        let event = self.get("Event").into_owned();
        let mut study = self.get("StudyName").into_owned();
        let mut chapter = self.get("ChapterName").into_owned();
        // Older exports of studies have both only in the event.
        let parts = event
            .split_once(": ")
            .filter(|_| study.is_empty() && self.has_study_address());
        if let Some((name, rest)) = parts.filter(|(name, _)| Heading::parse(name).is_none())
            && self.fill(EVENT, "ChapterName", rest)
        {
            (study, chapter) = (name.to_owned(), rest.to_owned());
        }
        let broadcast = self.get("BroadcastName").into_owned();
        let of_event = Heading::parse(&event);
        let of_study = Heading::parse(&study).filter(|heading| heading.players.is_none());
        let round = of_event.as_ref().or(of_study.as_ref()).map(|it| it.round);
        let is_broadcast = round.is_some() || !broadcast.is_empty();
        let pairing = of_event.as_ref().and_then(|heading| heading.players);
        let pairing = pairing.or_else(|| Pairing::parse(&chapter));
        // A chapter named `Sicilian - Najdorf` has no players.
        let has_result = self.game.result() != Outcome::Unknown;
        let is_game = |pairing: &Pairing<'_>| is_broadcast || has_result || pairing.is_rated();
        let pairing = pairing.filter(is_game);
        let mut is_contained = true;
        if let Some(round) = round {
            let is_filled = self.fill(ROUND, "Round", round);
            // `3.2` is the second board of the third round.
            let complete = self.get("Round").into_owned();
            let board = complete.strip_prefix(round);
            is_contained &= is_filled || board.is_some_and(|board| board.starts_with('.'));
        }
        if let Some(Pairing([white, black])) = pairing {
            if self.is_unknown("White") && self.is_unknown("Black") {
                self.set(PLAYERS, "White", white);
                self.set(PLAYERS, "Black", black);
            }
            is_contained &= self.get("White") == white && self.get("Black") == black;
        }
        let title = match (broadcast.is_empty(), of_study.is_some()) {
            (false, _) => broadcast.as_str(),
            (true, false) if !study.is_empty() => &study,
            _ => "?",
        };
        if of_event.is_some() {
            self.replace(EVENT, "Event", title, is_contained);
        } else if !study.is_empty() && event == format!("{study}: {chapter}") {
            self.replace(EVENT, "Event", title, true);
        } else if event.is_empty() && title != "?" {
            self.set(EVENT, "Event", title);
        } else if let Some(number) = self.club_match().filter(|number| !event.contains(number)) {
            let event = if event.is_empty() { "Team Match" } else { event.as_str() };
            self.set(EVENT, "Event", &format!("{event} {number}"));
        }
    }

    /// Returns whether the game is from a study of Lichess.
    fn has_study_address(&self) -> bool {
        let addresses = ["Site", "ChapterURL"].map(|name| self.get(name));
        addresses
            .iter()
            .any(|address| address.contains("lichess.org/study/"))
    }

    /// Returns the number of a match of clubs on chess.com.
    fn club_match(&self) -> Option<String> {
        let address = self.get("Match");
        let (_, page) = address.split_once("chess.com/club/matches/")?;
        let number = page.trim_end_matches('/').rsplit('/').next()?;
        is_number(number).then(|| number.to_owned())
    }

    /// Moves titles, ratings and countries out of names.
    fn clean_names(&mut self) {
        for color in Color::ALL {
            let side = color.pick("White", "Black");
            let mut name = self.get(side).into_owned();
            let parts: [(CleaningRule, &str, SplitName); 3] = [
                // The rating is the last part.
                (RATING, "Elo", split_rating),
                (COUNTRY, "Country", split_country),
                (TITLE, "Title", split_title),
            ];
            // Country and rating occur in both orders.
            for (rule, tag, split) in parts.into_iter().chain(parts) {
                let Some((rest, part)) = split(&name) else {
                    continue;
                };
                // A contradiction is for the user to solve.
                if self.fill(rule, &format!("{side}{tag}"), part) {
                    let rest = rest.trim().to_owned();
                    self.set(rule, side, &rest);
                    name = rest;
                }
            }
        }
    }

    fn clean_result(&mut self) {
        let text = self.game.tag("Result").unwrap_or_default().into_owned();
        if Outcome::from_pgn(text.as_bytes()).is_some() || is_placeholder(&text) {
            return;
        }
        let in_words = result_in_words(&text);
        let stated = Some(self.game.result()).filter(|result| *result != Outcome::Unknown);
        let is_score = |c: char| "0125½/:,.=+-–— ".contains(c);
        let (result, is_contained) = match (in_words, stated) {
            // Words that contradict the end of the moves are for the user to decide.
            (Some((word, _)), Some(stated)) if word != stated => return,
            (Some(word), _) => word,
            (None, Some(stated)) => (stated, text.chars().all(is_score)),
            (None, None) => return,
        };
        self.replace(RESULT, "Result", result.as_pgn(), is_contained);
    }

    /// Sets an unknown date. The `UTCDate` of a study is the day on which a chapter was made.
    fn clean_date(&mut self) {
        let is_study = !self.is_unknown("StudyName") || self.has_study_address();
        let is_study = is_study && self.is_unknown("BroadcastName");
        let is_round = Heading::parse(&self.get("StudyName")).is_some();
        let date = self.game.effective_date();
        let is_day_of_game = !is_study || is_round;
        if self.game.date().is_unknown() && !date.is_unknown() && is_day_of_game {
            self.set(DATE, "Date", &date.to_string());
        }
    }

    /// Sets an unknown opening to the name in its address on chess.com.
    fn clean_opening(&mut self) {
        let address = self.get("ECOUrl").into_owned();
        let name = address.split_once("chess.com/openings/");
        let name = name.map(|(_, name)| name.replace('-', " "));
        let name = name.filter(|name| !name.is_empty() && !name.contains(['/', '%']));
        if let Some(name) = name.filter(|_| self.is_unknown("Opening")) {
            self.set(OPENING, "Opening", &name);
        }
    }
}

/// The name of a round, with or without players: `Round 3`, `Round 3: Tal - Keres`.
struct Heading<'t> {
    round: &'t str,
    players: Option<Pairing<'t>>,
}

impl<'t> Heading<'t> {
    fn parse(text: &'t str) -> Option<Heading<'t>> {
        let rest = text.strip_prefix("Round ")?;
        let (round, players) = match rest.split_once(": ") {
            Some((round, players)) => (round, Some(Pairing::parse(players)?)),
            None => (rest, None),
        };
        let is_number = round
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let starts = round.starts_with(|c: char| c.is_ascii_digit());
        (is_number && starts && round.len() <= 8).then_some(Heading { round, players })
    }
}

/// Two players: `Tal, M - Keres, P`.
#[derive(Clone, Copy)]
struct Pairing<'t>([&'t str; 2]);

impl<'t> Pairing<'t> {
    fn parse(text: &'t str) -> Option<Pairing<'t>> {
        let (white, black) = text.split_once(" - ").or_else(|| text.split_once(" – "))?;
        let players = [white.trim(), black.trim()];
        let are_names = |name: &&str| !name.is_empty() && !name.contains(" - ");
        players.iter().all(are_names).then_some(Pairing(players))
    }

    /// Returns whether both names have ratings, as in the names of chapters with a game.
    fn is_rated(&self) -> bool {
        self.0.iter().all(|name| split_rating(name).is_some())
    }
}

/// Splits a name and a last part in parentheses.
fn split_parentheses(name: &str) -> Option<(&str, &str)> {
    let (rest, part) = name.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    Some((rest, part)).filter(|(rest, _)| has_letters(rest))
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// Splits `Tal, M (2700)`.
fn split_rating(name: &str) -> Option<(&str, &str)> {
    split_parentheses(name).filter(|(_, part)| {
        let rating = part
            .parse()
            .ok()
            .filter(|_| part.starts_with(|c: char| c.is_ascii_digit()));
        rating.is_some_and(|rating: u32| (100..=MAX_RATING).contains(&rating))
    })
}

/// Splits `Tal, M (LAT)`.
fn split_country(name: &str) -> Option<(&str, &str)> {
    split_parentheses(name)
        .filter(|(_, part)| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// The titles of FIDE, of national federations and of the ICCF.
const TITLES: [&str; 19] = [
    "GM", "IM", "FM", "CM", "NM", "WGM", "WIM", "WFM", "WCM", "WNM", "AGM", "AIM", "SIM", "SM",
    "CCM", "CCE", "LGM", "LIM", "HGM",
];

/// Splits `GM Tal, M` and `Tal, M GM`.
fn split_title(name: &str) -> Option<(&str, &str)> {
    let first = name
        .trim_start()
        .split_once(' ')
        .map(|(title, rest)| (rest, title));
    let last = name.trim_end().rsplit_once(' ');
    let is_title = |(rest, title): &(&str, &str)| {
        let title = title.trim_end_matches('.');
        TITLES.contains(&title) && rest.chars().filter(|c| c.is_alphabetic()).count() > 1
    };
    let last = last.filter(|(rest, _)| rest.contains(','));
    let (rest, title) = first.filter(is_title).or(last.filter(is_title))?;
    Some((rest, title.trim_end_matches('.')))
}

/// Words for the players, folded.
const SIDES: [(&str, Color); 8] = [
    ("white", Color::White),
    ("weiss", Color::White),
    ("blancas", Color::White),
    ("blancs", Color::White),
    ("black", Color::Black),
    ("schwarz", Color::Black),
    ("negras", Color::Black),
    ("noirs", Color::Black),
];

/// Words that may be next to that for the winner.
const WINS: [&str; 8] = [
    "win", "wins", "won", "gewinnt", "ganan", "gagnent", "las", "les",
];

/// Words that may be next to that for the loser.
const RESIGNS: [&str; 4] = ["resign", "resigns", "resigned", "abandonnent"];

const DRAWS: [&str; 9] = [
    "draw",
    "drawn",
    "remis",
    "remise",
    "tablas",
    "nulle",
    "patta",
    "empate",
    "unentschieden",
];

/// Words before the reason of a result.
const REASONS: [&str; 7] = ["agreed", "by", "on", "durch", "wegen", "par", "por"];

/// Returns the result that a text states in words, and whether it states nothing else.
fn result_in_words(text: &str) -> Option<(Outcome, bool)> {
    let folded = folded(text);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let end = words.iter().position(|word| REASONS.contains(word));
    let (statement, reason) = words.split_at_checked(end.unwrap_or(words.len()))?;
    if !statement.is_empty() && statement.iter().all(|word| DRAWS.contains(word)) {
        return Some((Outcome::Draw, reason.is_empty()));
    }
    let side = |word: &&str| SIDES.iter().find(|(name, _)| name == word);
    let (sides, verbs): (Vec<&str>, Vec<&str>) = statement
        .iter()
        .copied()
        .partition(|word| side(word).is_some());
    let &[named] = sides.as_slice() else {
        return None;
    };
    let (_, color) = side(&named)?;
    if verbs.iter().all(|verb| WINS.contains(verb)) {
        let winner = color.pick(Outcome::WhiteWins, Outcome::BlackWins);
        return Some((winner, reason.is_empty()));
    }
    let is_lost = verbs.iter().all(|verb| RESIGNS.contains(verb));
    is_lost.then(|| (color.pick(Outcome::BlackWins, Outcome::WhiteWins), false))
}
