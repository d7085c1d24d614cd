//! Queries as people type them: what they mean in full, and the errors about those that cannot mean
//! anything.

use chessdb_core::Game;
use chessdb_query::Query;
use proptest::prelude::*;

const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

/// What is typed, and the query in full. `E4` is the board after 1.e4, `{FEN}` the full text of its
/// position.
const MEANINGS: &[(&str, &str)] = &[
    // Positions.
    ("E4 b KQkq - 0 1", "{FEN}"),
    ("\"E4 b KQkq - 0 1\"", "{FEN}"),
    ("fen:E4 b KQkq - 0 1", "fen:\"E4 b KQkq - 0 1\""),
    ("E4_b_KQkq_-_0_1", "{FEN}"),
    ("fen:E4_b_KQkq_-_0_1", "fen:E4_b_KQkq_-_0_1"),
    ("E4 b KQkq -", "fen:\"E4 b KQkq -\""),
    ("E4 b KQkq e3", "fen:\"E4 b KQkq e3\""),
    ("E4 b", "fen:\"E4 b\""),
    ("E4", "fen:\"E4\""),
    ("E4 Tal", "Tal fen:\"E4\""),
    ("E4 b Tal", "Tal fen:\"E4 b\""),
    ("E4 b KQkq - white:Tal", "white:Tal fen:\"E4 b KQkq -\""),
    ("not E4 b", "-fen:\"E4 b\""),
    ("(E4 b) or Tal", "(fen:\"E4 b\") or Tal"),
    ("https://lichess.org/analysis/E4_b_KQkq_-_0_1", "{FEN}"),
    (
        "https://lichess.org/analysis/standard/E4_b_KQkq_-_0_1",
        "{FEN}",
    ),
    (
        "https://lichess.org/analysis/standard/E4_b_KQkq_-_0_1?color=black#1",
        "{FEN}",
    ),
    (
        "https://lichess.org/editor/E4_b_KQkq_-_0_1?color=white",
        "{FEN}",
    ),
    (
        "https://lichess.org/editor/E4%20b%20KQkq%20-%200%201",
        "{FEN}",
    ),
    ("lichess.org/editor/E4_b_KQkq_-_0_1", "{FEN}"),
    ("https://lichess.org/analysis/E4", "fen:\"E4\""),
    (
        "https://www.chess.com/analysis?fen=E4+b+KQkq+-+0+1",
        "{FEN}",
    ),
    (
        "https://www.chess.com/analysis?fen=E4%20b%20KQkq%20-%200%201&flip=true",
        "{FEN}",
    ),
    (
        "https://www.chess.com/analysis?tab=analysis&fen=rnbqkbnr%2Fpppppppp%2F8%2F8%2F4P3%2F8%2FPPPP1PPP%2FRNBQKBNR+b+KQkq+-+0+1",
        "{FEN}",
    ),
    (
        "https://www.chess.com/practice/custom?fen=E4%2Bb%2BKQkq%2B-%2B0%2B1",
        "{FEN}",
    ),
    // Operators.
    ("not Tal", "-Tal"),
    ("NOT Tal", "-Tal"),
    ("!Tal", "-Tal"),
    ("-Tal", "-Tal"),
    ("- Tal", "-Tal"),
    ("not not Tal", "Tal"),
    ("not white:Tal", "-white:Tal"),
    ("!(Tal or Keres)", "-(Tal or Keres)"),
    ("not(Tal)", "-(Tal)"),
    ("Tal and Keres", "Tal Keres"),
    ("Tal AND Keres", "Tal Keres"),
    ("Tal && Keres", "Tal Keres"),
    ("Tal & Keres", "Tal Keres"),
    ("Tal or Keres", "Tal or Keres"),
    ("Tal OR Keres", "Tal or Keres"),
    ("Tal || Keres", "Tal or Keres"),
    ("Tal | Keres", "Tal or Keres"),
    ("Tal and not Keres", "Tal -Keres"),
    ("Tal && !Keres", "Tal -Keres"),
    ("not Tal and Keres or Geller", "-Tal Keres or Geller"),
    ("Tal and (Keres or Geller)", "Tal (Keres or Geller)"),
    ("\"And\" \"Or\" \"Not\"", "\"And\" \"Or\" \"Not\""),
    ("\"vs\"", "\"vs\""),
    ("result!=1-0", "-result:1-0"),
    ("elo != 2600", "-elo:2600"),
    ("Tal, year:1960", "Tal year:1960"),
    ("white:Tal, black:Keres", "white:Tal black:Keres"),
    ("white: Tal", "white:Tal"),
    ("elo > 2600", "elo>2600"),
    ("elo >= 2600 year = 1960", "elo>=2600 year:1960"),
    ("elo:>2600", "elo:>2600"),
    // Names and pairings.
    ("Kasparov,G", "player:\"Kasparov, G\""),
    ("Kasparov, G.", "player:\"Kasparov, G.\""),
    ("Kasparov , G", "player:\"Kasparov, G\""),
    ("Carlsen, Magnus", "player:\"Carlsen, Magnus\""),
    ("\"Carlsen, Magnus\"", "player:\"Carlsen, Magnus\""),
    ("Tal,Keres", "player:\"Tal, Keres\""),
    ("Tal, or Keres", "Tal or Keres"),
    ("Van Wely, Loek", "Van player:\"Wely, Loek\""),
    ("white:Kasparov,G", "white:\"Kasparov, G\""),
    ("white:Carlsen, Magnus", "white:\"Carlsen, Magnus\""),
    ("white:Tal,Keres", "white:\"Tal, Keres\""),
    ("white:\"Tal\",\"Keres\"", "white:\"Tal\",\"Keres\""),
    ("player:\"Van Wely\",L", "player:\"Van Wely, L\""),
    ("annotator:adams,mi", "annotator:\"adams, mi\""),
    // Keys in other spellings and languages, and tags with comparisons.
    ("white.elo>2600", "whiteelo>2600"),
    ("Black_Elo:2600..", "blackelo:2600.."),
    ("wei\u{df}:Tal", "white:Tal"),
    ("WEISS:Tal", "white:Tal"),
    ("\u{431}\u{435}\u{43b}\u{44b}\u{435}:Tal", "white:Tal"),
    ("negras:Tal", "black:Tal"),
    ("er\u{f6}ffnung:Pirc", "opening:Pirc"),
    ("jahr>1960", "year>1960"),
    ("tag:WhiteElo>2600", "tag:WhiteElo>2600"),
    ("tag:WhiteElo!=2600", "-tag:WhiteElo=2600"),
    ("tag:\"WhiteElo > 2600\"", "tag:\"WhiteElo > 2600\""),
    ("tag:PuzzleRating:1500..1800", "tag:PuzzleRating=1500..1800"),
    ("tag:White=Adams,Mi", "tag:White=Adams,Mi"),
    ("round:3", "round:3"),
    ("round>3", "round>3"),
    // Moves and dates.
    ("1.e4 c5", "line:\"1.e4 c5\""),
    ("1. e4 c5 2. Nf3", "line:\"1. e4 c5 2. Nf3\""),
    ("Tal 1.e4 c5 1-0", "Tal result:1-0 line:\"1.e4 c5\""),
    ("(1.e4) or (1.d4)", "(line:\"1.e4\") or (line:\"1.d4\")"),
    ("e2e4 c7c5", "line:\"e2e4 c7c5\""),
    ("e4", "line:\"e4\""),
    ("\"e4\"", "\"e4\""),
    ("line:1.e4 c5 Tal", "Tal line:\"1.e4 c5\""),
    ("2014.05", "date:2014.05"),
    ("2014-05-01", "date:2014-05-01"),
    ("2014.05..2014.06", "date:2014.05..2014.06"),
    ("2014-15", "2014-15"),
    ("\"Tal\",\"Keres\"", "player:\"Tal\",\"Keres\""),
    ("/^tal/,/^keres/", "player:/^tal/,/^keres/"),
    ("event:paris, london", "event:paris,london"),
    (
        "Tal - Keres",
        "(white:Tal black:Keres or white:Keres black:Tal)",
    ),
    (
        "Tal \u{2013} Keres",
        "(white:Tal black:Keres or white:Keres black:Tal)",
    ),
    (
        "Tal\u{2013}Keres",
        "(white:Tal black:Keres or white:Keres black:Tal)",
    ),
    (
        "Tal\u{2014}Keres",
        "(white:Tal black:Keres or white:Keres black:Tal)",
    ),
    (
        "Tal vs Keres",
        "(white:Tal black:Keres or white:Keres black:Tal)",
    ),
    (
        "Tal VS. Keres",
        "(white:Tal black:Keres or white:Keres black:Tal)",
    ),
    (
        "Tal v Keres",
        "(white:Tal black:Keres or white:Keres black:Tal)",
    ),
    ("Tal -Keres", "Tal -Keres"),
    ("Vachier-Lagrave", "Vachier-Lagrave"),
    (
        "not Tal vs Keres",
        "-(white:Tal black:Keres or white:Keres black:Tal)",
    ),
    (
        "Magnus Carlsen vs Nakamura, Hikaru 2022",
        "(white:Magnus white:Carlsen black:\"Nakamura, Hikaru\" or white:\"Nakamura, Hikaru\" \
         black:Magnus black:Carlsen) year:2022",
    ),
    // Words that are no names.
    ("Tal 1-0", "Tal result:1-0"),
    ("Tal B90", "Tal eco:B90"),
    ("B90-B99", "eco:B90-B99"),
    ("Tal 1960..1965", "Tal year:1960..1965"),
    ("\"1960\"", "\"1960\""),
    ("Linares", "Linares"),
    ("\"Bled 1959\"", "\"Bled 1959\""),
    ("fischer black", "black:fischer"),
    ("white fischer", "white:fischer"),
    ("-fischer black", "-black:fischer"),
    ("Kasparov,G black 1993", "black:\"Kasparov, G\" year:1993"),
    ("fischer white spassky black", "white:fischer black:spassky"),
    ("black", "\"black\""),
    ("\"black\" fischer", "\"black\" fischer"),
    ("Fischer Black", "Fischer Black"),
    ("KRPvKR", "material:KRPvKR"),
    ("KRPKR", "material:KRPKR"),
    ("KRP vs KR", "material:KRPKR"),
];

fn spelled_out(text: &str) -> String {
    text.replace("{FEN}", "fen:\"E4 b KQkq - 0 1\"")
        .replace("E4", E4)
}

#[test]
fn what_people_type_has_the_meaning_they_expect() {
    assert!(MEANINGS.len() >= 60);
    for (typed, meaning) in MEANINGS {
        let typed = spelled_out(typed);
        let query: Query = typed
            .parse()
            .unwrap_or_else(|error| panic!("{typed}: {error}"));
        assert_eq!(query.canonical(), spelled_out(meaning), "{typed}");
        let again: Query = query.canonical().parse().unwrap();
        assert_eq!(again.canonical(), query.canonical(), "{typed}");
    }
}

/// Spellings of the same value: the first one of each row is the reference.
const SAME: &[&[&str]] = &[
    &[
        "date:2024.02",
        "date:2024-02",
        "date:2024/02",
        "date:2024-2",
        "date:2024.02.??",
    ],
    &[
        "date:2024.02.15",
        "date:2024-02-15",
        "date:2024/2/15",
        "date:20240215",
    ],
    &["date:2024", "date:2024.??.??", "year:2024", "2024"],
    &[
        "date:2023..2024",
        "date:2023-2024",
        "year:2023-2024",
        "2023..2024",
        "year:2023\u{2013}2024",
    ],
    &["elo:2600..2700", "elo:2600-2700", "elo:2600\u{2026}2700"],
    &[
        "elo:2600..",
        "elo>=2600",
        "elo:2600+",
        "elo:>=2600",
        "elo \u{2265} 2600",
        "elo>2599",
    ],
    &[
        "result:1-0",
        "result:white",
        "result:1:0",
        "result:1\u{2013}0",
        "1-0",
    ],
    &[
        "result:1/2-1/2",
        "result:1/2",
        "result:\u{bd}",
        "result:\u{bd}-\u{bd}",
        "result:draw",
        "result:0.5-0.5",
        "result:remis",
        "result:=",
    ],
    &["result:*", "result:unknown"],
    &["has:comments", "has:comment", "has:Comments"],
    &["deleted:yes", "deleted:true", "deleted:1"],
    &[
        "opening:najdorf",
        "opening:Najdorf",
        "opening:\"Sicilian, Najdorf\"",
        "opening:\"najdorf sicilian\"",
    ],
];

fn games() -> Vec<Game> {
    let mut games = Vec::new();
    for (n, date) in [
        "2022.12.31",
        "2023.??.??",
        "2024.02.15",
        "2024.02.??",
        "2025.01.01",
    ]
    .into_iter()
    .enumerate()
    {
        for result in chessdb_core::Outcome::ALL {
            let sans = [
                "e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6",
            ];
            let mut game = Game::builder()
                .white(["Tal, Mihail", "Kasparov, Garry", "Anand"][n % 3])
                .black("Keres, Paul")
                .date(date)
                .sans(sans.into_iter().take(n * 3))
                .unwrap()
                .build();
            game.header.outcome = result;
            game.header.white.rating = Some(chessdb_core::model::Rating {
                value: 2500 + 60 * n as u16,
                kind: chessdb_core::model::RatingKind::Elo,
            });
            games.push(game);
        }
    }
    games
}

fn matches(query: &str) -> Vec<bool> {
    let query: Query = query
        .parse()
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    games().iter().map(|game| query.matches(game)).collect()
}

#[test]
fn spellings_of_a_value_are_the_same() {
    for row in SAME {
        let expected = matches(row[0]);
        for query in *row {
            assert_eq!(matches(query), expected, "{query}");
        }
    }
}

/// Parts of queries, to be put together at random.
fn part() -> impl Strategy<Value = String> {
    let parts = MEANINGS.iter().map(|(typed, _)| spelled_out(typed));
    let rows = SAME
        .iter()
        .flat_map(|row| row.iter().map(|typed| (*typed).to_owned()));
    let more = [
        "not",
        "!",
        "-",
        "(",
        ")",
        "and",
        "or",
        "&&",
        "||",
        "vs",
        " - ",
        "\u{2013}",
        ",",
        ":",
        "\"",
        "/",
        "\\",
        "*",
        "material:",
        "fen:",
        "elo",
        ">",
        "white:\"a\\\"b\\\\\"",
        "white:/a\\/b/",
        "tag:A=\"b c\"",
        "tag:ECO",
        "at:3",
        "for:2",
        "sub:Nf5",
        "line:e4",
        "_",
        "%2F",
        "\u{f6}",
        "black",
        "white",
        "K",
        "v",
    ];
    let all: Vec<String> = parts.chain(rows).chain(more.map(str::to_owned)).collect();
    prop_oneof![4 => proptest::sample::select(all), 1 => "\\PC{0,6}"]
}

proptest! {
    /// The full text of a query is the same query.
    #[test]
    fn the_full_text_is_the_same_query(
        parts in prop::collection::vec((part(), prop::bool::weighted(0.7)), 0..7),
    ) {
        let mut typed = String::new();
        for (part, is_apart) in parts {
            typed.push_str(&part);
            if is_apart {
                typed.push(' ');
            }
        }
        match typed.parse::<Query>() {
            Ok(query) => {
                let again = query.canonical().parse::<Query>();
                prop_assert!(again.is_ok(), "{typed}: {}: {again:?}", query.canonical());
                let again = again.unwrap();
                prop_assert_eq!(again.canonical(), query.canonical(), "{}", typed);
                for game in games() {
                    prop_assert_eq!(again.matches(&game), query.matches(&game), "{}", typed);
                }
            }
            Err(error) => {
                let span = error.span();
                prop_assert!(span.end <= typed.len() && span.start <= span.end, "{typed}: {error}");
                let _ = error.pointer(&typed);
            }
        }
    }
}
