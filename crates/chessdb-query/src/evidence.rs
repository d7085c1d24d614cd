//! Facts in tags that separate games: identifiers, times, the variant.

use std::hash::{DefaultHasher, Hash, Hasher};

use chessdb_core::model::is_placeholder;

use crate::addresses;

/// Tags, by their lower-case letters, whose address is the game's, whatever its site.
const GAME_ADDRESSES: [&str; 7] = [
    "chapterurl",
    "gamelink",
    "gameuri",
    "gameurl",
    "linktogame",
    "urlgame",
    "weblink",
];

/// Tags with the number that a database or a site gave to the game. Sums of the moves (`HashCode` of
/// pgn-extract) and numbers within a file or an event (`GameNumber`, `GameNo`) are not among them:
/// different games have the same.
const GAME_NUMBERS: [&str; 9] = [
    "chesscomid",
    "ficsgamesdbgameno",
    "ficsid",
    "gameid",
    "gameguid",
    "gameuuid",
    "guid",
    "iccid",
    "lichessid",
];

/// A question that a tag answers, and its answer, as hashes. Games with different answers to one
/// question are different.
pub(crate) type Fact = (u64, u64);

/// The facts in the tags of one game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Facts {
    /// The facts, sorted by question.
    facts: Box<[Fact]>,
    /// The identifiers, sorted. The lowest bit is set if an identifier is globally unique.
    ids: Box<[u64]>,
    /// The hash of the variant; 0 for standard chess and for variants that differ only in the start
    /// position.
    variant: u64,
}

/// The kind of an identifier that two games share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SharedId {
    None,
    /// An identifier of a database, which another database may have given to another game.
    Number,
    /// An address.
    Address,
}

impl Facts {
    /// Extracts the facts from the tags of a game.
    pub(crate) fn from_tags<'t>(tags: impl Iterator<Item = (&'t str, &'t str)>) -> Facts {
        let mut reader = TagReader::default();
        for (name, value) in tags {
            reader.tag(name, value.trim());
        }
        let TagReader {
            mut facts,
            mut ids,
            variant,
            ..
        } = reader;
        facts.sort_unstable();
        facts.dedup();
        // Contradicting answers within one game are discarded.
        let is_alone = |index: usize| {
            let question = |index: usize| facts.get(index).map(|fact| fact.0);
            let own = question(index);
            question(index + 1) != own && (index == 0 || question(index - 1) != own)
        };
        let consistent = (0..facts.len())
            .filter(|&index| is_alone(index))
            .filter_map(|index| facts.get(index).copied())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        Facts {
            facts: consistent,
            ids: ids.into_boxed_slice(),
            variant,
        }
    }

    /// Returns the facts, the identifiers and the variant, as [`Facts::from_parts`] takes them.
    pub(crate) fn parts(&self) -> (&[Fact], &[u64], u64) {
        (&self.facts, &self.ids, self.variant)
    }

    pub(crate) fn from_parts(facts: Box<[Fact]>, ids: Box<[u64]>, variant: u64) -> Facts {
        Facts {
            facts,
            ids,
            variant,
        }
    }

    /// Returns all facts, including the variant.
    pub(crate) fn all(&self) -> impl Iterator<Item = Fact> + '_ {
        let variant = (hash(&"variant"), self.variant);
        self.facts.iter().copied().chain([variant])
    }

    pub(crate) fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// Returns whether some question has different answers.
    pub(crate) fn contradict(&self, other: &Facts) -> bool {
        // Both lists are sorted by question, so one pass is enough.
        let (mut left, mut right) = (self.facts.iter(), other.facts.iter());
        let (mut a, mut b) = (left.next(), right.next());
        while let (Some(x), Some(y)) = (a, b) {
            match x.0.cmp(&y.0) {
                std::cmp::Ordering::Less => a = left.next(),
                std::cmp::Ordering::Greater => b = right.next(),
                std::cmp::Ordering::Equal if x.1 != y.1 => return true,
                std::cmp::Ordering::Equal => (a, b) = (left.next(), right.next()),
            }
        }
        self.variant != other.variant
    }

    /// Returns the best identifier that both have.
    pub(crate) fn shared(&self, other: &Facts) -> SharedId {
        let both = self
            .ids
            .iter()
            .filter(|id| other.ids.binary_search(id).is_ok());
        let best = both.map(|id| match id & 1 {
            0 => SharedId::Number,
            _ => SharedId::Address,
        });
        let is_address = |shared: &SharedId| *shared == SharedId::Address;
        best.reduce(|best, next| if is_address(&next) { next } else { best })
            .unwrap_or(SharedId::None)
    }
}

pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[derive(Default)]
struct TagReader {
    facts: Vec<Fact>,
    ids: Vec<u64>,
    variant: u64,
    /// The tag's name, reduced to lower-case letters and digits.
    name: String,
}

impl TagReader {
    fn tag(&mut self, name: &str, value: &str) {
        if has_no_facts(name) || is_placeholder(value) {
            return;
        }
        // The buffer is kept, since a game has many tags.
        let mut own = std::mem::take(&mut self.name);
        own.clear();
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        own.extend(letters.map(|c| c.to_ascii_lowercase()));
        match own.as_str() {
            "variant" => self.variant = variant(value),
            "utcdate" | "startdate" | "enddate" => self.date(&own, value),
            "time" | "utctime" | "starttime" | "endtime" | "localtime" | "gametime"
            | "utcstarttime" | "utcendtime" | "datetime" | "starttimestamp" | "timestamp" => {
                self.time(&own, value);
            }
            tag if GAME_ADDRESSES.contains(&tag) => self.address(value, true),
            tag if GAME_NUMBERS.contains(&tag) => {
                if addresses::parse(value).is_some() {
                    self.address(value, true);
                } else {
                    self.facts.push((hash(&("id", tag)), hash(&value)));
                    // The lowest bit is that of addresses.
                    self.ids.push(hash(&(tag, value)) & !1);
                }
            }
            "site" | "source" | "link" | "url" | "annotator" => self.address(value, false),
            _ => {}
        }
        self.name = own;
    }

    /// Adds a web address. `is_of_game` states that the tag contains the address of the game, not of
    /// an event.
    fn address(&mut self, value: &str, is_of_game: bool) {
        let Some(address) = addresses::parse(value) else {
            return;
        };
        let host = address.host;
        match address.game {
            Some(game) => {
                self.facts.push((hash(&("game", &host)), hash(&game)));
                self.ids.push(hash(&(&host, &game)) | 1);
            }
            // A site that is not known has no other form of address for a game.
            None if is_of_game && !address.page.is_empty() && !addresses::is_known(&host) => {
                self.facts
                    .push((hash(&("game", &host)), hash(&address.page)));
                self.ids.push(hash(&(&host, &address.page)) | 1);
            }
            None if !address.page.is_empty() => {
                self.facts
                    .push((hash(&("page", &host)), hash(&address.page)));
            }
            None => {}
        }
    }

    fn date(&mut self, tag: &str, value: &str) {
        let parts = value.split(['.', '-', '/']).map(str::parse::<u32>);
        for (n, part) in parts.take(3).enumerate() {
            // A part of 0 is unknown.
            if let Ok(number @ 1..) = part {
                self.facts.push((hash(&(tag, "date", n)), number.into()));
            }
        }
    }

    /// Adds a time of day, possibly with a date before it and a zone after it. Parts missing in one
    /// game, such as the seconds, contradict nothing.
    fn time(&mut self, tag: &str, value: &str) {
        let (date, clock) = match value.find(['T', ' ']) {
            Some(index)
                if value
                    .get(..index)
                    .is_some_and(|date| date.len() >= 8 && !date.contains(':')) =>
            {
                value.split_at(index)
            }
            _ => ("", value),
        };
        self.date(tag, date);
        let text = clock.trim_start_matches(['T', ' ']);
        let end = text.find(|c: char| !matches!(c, '0'..='9' | ':' | '.'));
        let (clock, zone) = text.split_at(end.unwrap_or(text.len()));
        let zone = match zone.trim() {
            "" | "Z" | "UTC" | "GMT" | "GMT+0000" | "UTC+0000" | "+0000" | "+00:00" => "",
            zone => zone,
        };
        if clock.is_empty() {
            self.facts.push((hash(&(tag, "text")), hash(&value)));
        }
        for (n, part) in clock.split([':', '.']).take(3).enumerate() {
            if let Ok(number) = part.parse::<u32>() {
                // The zone belongs to the question: times of two zones contradict nothing.
                self.facts.push((hash(&(tag, zone, n)), number.into()));
            }
        }
    }
}

/// Returns whether a tag is one of the most common, and of no kind with facts.
fn has_no_facts(name: &str) -> bool {
    matches!(
        name,
        "Black"
            | "BlackElo"
            | "Date"
            | "ECO"
            | "Event"
            | "EventDate"
            | "FEN"
            | "PlyCount"
            | "Result"
            | "Round"
            | "White"
            | "WhiteElo"
    )
}

/// Returns the hash of a variant's name; 0 for variants that differ only in the start position.
fn variant(value: &str) -> u64 {
    let letters = value.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    match name.as_str() {
        "" | "standard" | "normal" | "chess" | "classical" | "orthodox" | "fromposition"
        | "chess960" | "960" | "fischerandom" | "fischerrandom" | "fischerandomchess"
        | "fischerrandomchess" | "freestyle" | "freestylechess" | "frc" | "dfrc" => 0,
        // Never 0, which is standard chess.
        name => hash(&name) | 1,
    }
}

/// Returns the fields of a FEN except for the en passant square. The key of the position contains
/// the square if a pawn can capture there; otherwise it makes no other position.
pub(crate) fn without_ep_square(fen: &str) -> Vec<&str> {
    fen.split_ascii_whitespace()
        .enumerate()
        .filter(|(n, _)| *n != 3)
        .map(|(_, field)| field)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(tags: &[(&str, &str)]) -> Facts {
        Facts::from_tags(tags.iter().copied())
    }

    #[test]
    fn identifiers_and_times_that_differ_separate() {
        for (name, one, other) in [
            (
                "Link",
                "https://www.chess.com/game/live/10000",
                "https://www.chess.com/game/live/10001",
            ),
            (
                "Site",
                "https://lichess.org/abcdefgh",
                "https://lichess.org/abcdefgi",
            ),
            (
                "Site",
                "lichess.org/abcdefgh",
                "https://lichess.org/abcdefgi/black",
            ),
            (
                "Site",
                "http://chess.example/game?id=1",
                "http://chess.example/game?id=2",
            ),
            ("GameId", "x1", "x2"),
            ("LichessId", "abcdefgh", "abcdefgi"),
            ("Lichess_ID", "abcdefgh", "abcdefgi"),
            ("FICSGamesDBGameNo", "1", "2"),
            ("GameURL", "https://a.example/1", "https://a.example/2"),
            ("GameUUID", "a-1", "a-2"),
            ("UTCTime", "10:00:00", "11:00:00"),
            ("UTCTime", "10:00:00", "10:00:01"),
            ("UTCDate", "2024.05.01", "2024.05.02"),
            ("StartTime", "10:00", "10:01"),
            ("StartTime", "2024-05-01T10:00:00Z", "2024-05-02T10:00:00Z"),
            ("EndTime", "10:00:20 PDT", "10:00:21 PDT"),
            ("Time", "10:00:20", "10:02:20"),
            ("Variant", "Crazyhouse", "Antichess"),
            ("Variant", "Standard", "Atomic"),
            ("Variant", "", "Three-check"),
        ] {
            let (a, b) = (facts(&[(name, one)]), facts(&[(name, other)]));
            assert!(
                a.contradict(&b) && b.contradict(&a),
                "{name}: {one} / {other}"
            );
            assert_eq!(a.shared(&b), SharedId::None, "{name}: {one} / {other}");
            assert!(!a.contradict(&a.clone()), "{name}: {one}");
        }
    }

    #[test]
    fn unknown_or_equal_meanings_do_not_separate() {
        for (name, one, other) in [
            (
                "Site",
                "https://lichess.org",
                "https://lichess.org/abcdefgh",
            ),
            ("Site", "London", "https://lichess.org/abcdefgh"),
            (
                "Site",
                "https://lichess.org/abcdefgh",
                "https://lichess.org/abcdefghijkl#12",
            ),
            (
                "Link",
                "https://www.chess.com/live/game/12?move=3",
                "https://chess.com/game/live/12",
            ),
            ("GameId", "?", "x2"),
            ("GameId", "", "x2"),
            ("UTCTime", "10:00", "10:00:20"),
            ("UTCTime", "??:??:??", "10:00:20"),
            ("UTCDate", "2024.05.??", "2024.05.02"),
            ("EndTime", "10:00:20 PDT", "17:00:20 GMT+0000"),
            ("EndTime", "17:00:20", "17:00:20 GMT+0000"),
            ("Variant", "", "Standard"),
            ("Variant", "", "Chess960"),
            ("Variant", "From Position", "normal"),
            ("TimeControl", "60", "180"),
            ("WhiteFideId", "1", "2"),
            ("GameURL", "https://a.example/1", "https://b.example/1"),
            ("EventURL", "https://a.example/1", "https://b.example/1"),
            ("WhiteUrl", "https://a.example/1", "https://b.example/1"),
        ] {
            let (a, b) = (facts(&[(name, one)]), facts(&[(name, other)]));
            assert!(
                !a.contradict(&b) && !b.contradict(&a),
                "{name}: {one} / {other}"
            );
        }
    }

    #[test]
    fn an_identifier_is_shared_whatever_its_tag() {
        let link = facts(&[("Link", "https://lichess.org/abcdefgh")]);
        let site = facts(&[("Site", "lichess.org/abcdefgh/black"), ("GameId", "7")]);
        let number = facts(&[("Game_ID", "7")]);
        assert_eq!(link.shared(&site), SharedId::Address);
        assert_eq!(site.shared(&number), SharedId::Number);
        assert_eq!(link.shared(&number), SharedId::None);
        // The address of a page with many games does not identify a game.
        let page = |page: &str| facts(&[("Site", page)]);
        for many in ["https://lichess.org/tournament/may", "https://chess.com"] {
            assert_eq!(page(many).shared(&page(many)), SharedId::None);
        }
        let both = facts(&[
            ("Link", "https://lichess.org/abcdefgh"),
            ("Site", "https://lichess.org/tournament/may"),
        ]);
        assert!(!both.contradict(&link) && both.shared(&link) == SharedId::Address);
    }
}
