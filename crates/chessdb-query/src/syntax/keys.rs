//! The keys of query terms.

use crate::names::fold_name;

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

/// A table of keys: each with its values and its meaning.
macro_rules! keys {
    ($($name:literal, $values:literal: $asks:literal;)*) => {
        &[$(Key { name: $name, values: $values, asks: $asks }),*]
    };
}

/// All keys of the language.
pub const KEYS: &[Key] = keys! {
    "player", "Tal, /^Tal,/": "the name of either player";
    "white", "Tal": "the name of White";
    "black", "Tal": "the name of Black";
    "event", "Bled": "the event";
    "site", "Moscow": "the site";
    "round", "3": "the round";
    "annotator", "Tal": "the annotator";
    "source", "Informant": "the source";
    "opening", "Najdorf": "the opening, by its tags or else by the moves";
    "title", "GM,IM": "the title of either player";
    "eco", "B90, B90-B99, B": "the ECO code";
    "date", "1959.09..1959.10": "the date, as far as it is known";
    "year", "1957..1961": "the year";
    "elo", "2600.., >=2600": "the rating of either player";
    "whiteelo", "2600..": "the rating of White";
    "blackelo", "2600..": "the rating of Black";
    "minelo", "2600": "the lower of the two ratings";
    "elodiff", "-50..50": "White's rating minus Black's";
    "result", "1-0, draw, *": "the result";
    "time", "blitz, rapid, fide-rapid":
        "the time class: bullet, blitz, rapid, classical, correspondence";
    "moves", "..20": "the number of moves";
    "plies", "40..60": "the number of half-moves";
    "start", "standard, setup, chess960": "the kind of start position";
    "flag", "!, novelty": "a flag, by letter or name";
    "deleted", "yes, no": "whether the game is marked as deleted";
    "has", "variations, comments, nags": "the content of the game; also clocks, evals, fen, arrows";
    "ending", "mate, stalemate, repetition":
        "how the game ended; also fifty, insufficient, resigned, agreed, time, adjudicated, abandoned, illegal, infraction, forfeit";
    "book", "my.bin, my.bin,20..":
        "the game follows an opening book; with a number, its first half-moves do";
    "castled", "opposite, white-long, none": "who castled to which side";
    "promotion", "N, under, white-R": "the pieces that pawns became";
    "sacrifice", "Q, 3": "the winner was behind by this piece or number of points";
    "tag", "Opening=Najdorf, ECO": "any other tag, by its name and value";
    "text", "Scheveningen": "text in the header or the comments";
    "comment", "sacrifice": "the comments";
    "fen", "\"… w\"": "a position: board, and the side to move if given; also an address";
    "fen!", "\"… w KQkq -\"": "a position with castling rights and en passant";
    "line", "\"1.e4 c5 2.Nf3\"": "the first moves";
    "pattern", "\"8/8/*/*R*/*/*/*/*\"": "a board with wildcards";
    "material", "KRPKR, KRP-KR, KRPkr, KQKR1-2": "the number of pieces; Black's in lower case";
    "imbalance", "Q-RR, R-M, -q": "the pieces that one side has more; Black's in lower case";
    "balance", "3.., -1..1": "White's material minus Black's, in points";
    "bishops", "opposite, same": "one bishop each, on squares of these colours";
    "sub", "\"Nf5 ke8\"": "some pieces and their squares";
    "at", "20..40": "the number of half-moves before the position";
    "for", "4": "the number of half-moves that the position lasts";
};

/// Keys in the other languages of the page: German, Russian, Spanish.
const TRANSLATIONS: &[(&str, &[&str])] = &[
    ("player", &["spieler", "игрок", "jugador"]),
    ("white", &["weiß", "белые", "blancas"]),
    ("black", &["schwarz", "чёрные", "negras"]),
    (
        "event",
        &["turnier", "ereignis", "турнир", "torneo", "evento"],
    ),
    ("site", &["ort", "место", "lugar"]),
    ("round", &["runde", "тур", "ronda"]),
    ("annotator", &["kommentator", "комментатор", "comentarista"]),
    ("source", &["quelle", "источник", "fuente"]),
    ("opening", &["eröffnung", "дебют", "apertura"]),
    ("title", &["titel", "звание", "título"]),
    ("date", &["datum", "дата", "fecha"]),
    ("year", &["jahr", "год", "año"]),
    ("result", &["ergebnis", "результат", "resultado"]),
    ("time", &["bedenkzeit", "контроль", "ritmo"]),
    ("moves", &["züge", "ходы", "jugadas"]),
    ("plies", &["halbzüge", "полуходы", "mediasjugadas"]),
    ("comment", &["kommentar", "комментарий", "comentario"]),
    ("deleted", &["gelöscht", "удалена", "borrada"]),
    ("ending", &["ende", "конец", "final"]),
    ("line", &["zugfolge", "вариант", "línea"]),
    ("fen", &["stellung", "позиция", "posición"]),
];

/// Returns the key that a word before a sign means: in any case, with dots, hyphens or underscores
/// between its parts (`white.elo`), or in another language of the page (`weiß`).
pub(crate) fn known_key(word: &str) -> Option<&'static str> {
    let is_joint = |c: char| matches!(c, '.' | '-' | '_');
    let joined: String = word.chars().filter(|c| !is_joint(*c)).collect();
    let own = KEYS
        .iter()
        .map(|key| key.name)
        .find(|name| name.eq_ignore_ascii_case(&joined));
    own.or_else(|| {
        let folded = fold_name(&joined);
        let is_meant = |word: &&str| fold_name(word) == folded;
        TRANSLATIONS
            .iter()
            .find(|(_, words)| words.iter().any(is_meant))
            .map(|(key, _)| *key)
    })
}

/// Returns whether the values of a key are names of people.
pub(crate) fn is_name_key(key: &str) -> bool {
    matches!(key, "player" | "white" | "black" | "annotator")
}
