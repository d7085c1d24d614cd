//! The keys of query terms.

/// A key, its values and its meaning, for help texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Key {
    /// The text before the colon.
    pub name: &'static str,
    /// An example or two of the text after the colon.
    pub values: &'static str,
    /// The property that the key tests.
    pub asks: &'static str,
}

const fn key(name: &'static str, values: &'static str, asks: &'static str) -> Key {
    Key { name, values, asks }
}

/// All keys of the language.
pub const KEYS: &[Key] = &[
    key("player", "Tal, /^Tal,/", "the name of either player"),
    key("white", "Tal", "the name of White"),
    key("black", "Tal", "the name of Black"),
    key("event", "Bled", "the event"),
    key("site", "Moscow", "the site"),
    key("round", "3", "the round"),
    key("annotator", "Tal", "the annotator"),
    key("source", "Informant", "the source"),
    key("opening", "Najdorf", "the opening's name in the head"),
    key("title", "GM,IM", "the title of either player"),
    key("eco", "B90, B90-B99, B", "the ECO code"),
    key(
        "date",
        "1959.09..1959.10",
        "the date, as far as it is known",
    ),
    key("year", "1957..1961", "the year"),
    key("elo", "2600.., >=2600", "the rating of either player"),
    key("whiteelo", "2600..", "the rating of White"),
    key("blackelo", "2600..", "the rating of Black"),
    key(
        "minelo",
        "2600",
        "the lower rating: both have at least so much",
    ),
    key("elodiff", "-50..50", "White's rating less Black's"),
    key("result", "1-0, draw, *", "the result"),
    key("moves", "..20", "the number of moves"),
    key("plies", "40..60", "the number of half-moves"),
    key("start", "standard, setup, chess960", "how the game begins"),
    key("flag", "!, novelty", "a mark, by letter or name"),
    key("deleted", "yes, no", "whether it is marked as deleted"),
    key(
        "has",
        "variations, comments, nags",
        "what it contains; also clocks, evals, fen, arrows",
    ),
    key(
        "tag",
        "Opening=Najdorf, ECO",
        "a tag of any name; what it says",
    ),
    key("text", "Scheveningen", "a text in head or comments"),
    key("comment", "sacrifice", "the comments"),
    key(
        "fen",
        "\"… w\"",
        "a position: board, and side to move if it is there",
    ),
    key(
        "fen!",
        "\"… w KQkq -\"",
        "a position with castling rights and en passant",
    ),
    key("line", "\"1.e4 c5 2.Nf3\"", "the first moves"),
    key("pattern", "\"8/8/*/*R*/*/*/*/*\"", "a board with wildcards"),
    key(
        "material",
        "KRPKR, KRPkr, KQKR1-2",
        "how many men there are, Black's in small letters",
    ),
    key(
        "bishops",
        "opposite, same",
        "one bishop each, on squares of these colours",
    ),
    key("sub", "\"Nf5 ke8\"", "some men and their squares"),
    key(
        "at",
        "20..40",
        "after how many half-moves the position stands",
    ),
    key("for", "4", "for how many half-moves"),
];
