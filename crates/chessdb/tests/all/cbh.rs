//! Genuine ChessBase databases, compared with the PGN that ChessBase exported or that they were
//! made from. `CHESSDB_TESTDATA` is the folder with them.
#![cfg(all(feature = "cbh", feature = "pgn"))]

use std::collections::BTreeMap;

use chessdb::cbh::CBH;
use chessdb::core::model::Tag;
use chessdb::core::{Event, Game, MemorySet, Start};
use chessdb::pgn::PGN;
use chessdb_testkit::{fixtures, identity};

/// A database, its PGN, and the extent to which the PGN is complete. The PGN of NonStandardStart
/// lacks a comment of the database.
const BASES: [(&str, &str, Has); 9] = [
    (
        "Annotation/TestBase",
        "Annotation/TestBaseExport",
        Has::Everything,
    ),
    (
        "ManyPromotions/ManyPromotions",
        "ManyPromotions/Promotions",
        Has::Everything,
    ),
    (
        "UnusualStart/UnusualStartBytes",
        "UnusualStart/UnusualStart",
        Has::Everything,
    ),
    (
        "NormalNoPop/StandardMissingPop",
        "NormalNoPop/StandardNoPop",
        Has::Everything,
    ),
    (
        "Chess960NonStandard/Chess960NonStandard",
        "Chess960NonStandard/Chess960NonStandardStart",
        Has::Everything,
    ),
    (
        "NonStandard/NonStandardStart",
        "NonStandard/NonStandardStart",
        Has::Moves,
    ),
    (
        "WithVariations/WithVariations",
        "WithVariations/GamesWithVariations",
        Has::Annotations,
    ),
    (
        "Chess960Biel/Chess960Biel",
        "Chess960Biel/Chess960",
        Has::Moves,
    ),
    ("NormalGames/BielMTO", "NormalGames/BielMTO", Has::Moves),
];

/// The part of a game that is compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Has {
    /// Moves, from the same start.
    Moves,
    /// Also variations, comments and NAGs.
    Annotations,
    /// Also tags: ChessBase's own export.
    Everything,
}

fn line(game: &Game, has: Has) -> String {
    let start = match &game.header.start {
        Start::Standard => String::new(),
        Start::Setup(setup) => format!("{setup} "),
    };
    let mut words = Vec::new();
    for event in game.events() {
        match event {
            Event::Move(mv) => words.push(format!("{mv:?}")),
            _ if has == Has::Moves => {}
            Event::Nag(nag) => words.push(format!("${nag}")),
            Event::Comment(_, text) => {
                let text = text.decode();
                let text: Vec<&str> = text.split_whitespace().collect();
                words.push(format!("{{{}}}", text.join(" ")));
            }
            Event::Open(_) => words.push("(".to_owned()),
            Event::Close => words.push(")".to_owned()),
            _ => {}
        }
    }
    start + &words.join(" ")
}

/// Returns the tags of a game that have content, as in PGN.
fn tags(game: &Game) -> BTreeMap<String, String> {
    let mut tags = BTreeMap::new();
    let mut buffer = String::new();
    for tag in game.header.tags_in_order() {
        let (name, value) = match tag {
            Tag::Other { name, value } => {
                (game.text(name).to_string(), game.text(value).to_string())
            }
            Tag::Place(field) | Tag::Verbatim(field, _) => {
                buffer.clear();
                buffer.push_str(&game.field_or_unknown(field).unwrap_or_default());
                (game.header.tag_name(field).to_owned(), buffer.clone())
            }
        };
        let says_nothing = value.is_empty() || value.trim_matches(['?', '.']).is_empty();
        if !says_nothing {
            tags.insert(name, value);
        }
    }
    tags
}

/// Returns whether a difference of tags is explained.
fn is_known(name: &str, found: Option<&str>, exported: Option<&str>) -> bool {
    match name {
        // Counted by the exporter; marks of a start position, which is compared itself.
        "PlyCount" | "SetUp" | "FEN" | "Variant" => true,
        // Not exported by ChessBase.
        "SourceDate" | "EventCoordinates" | "WhiteTeamSeason" | "BlackTeamSeason"
        | "WhiteTeamNumber" | "BlackTeamNumber" => exported.is_none(),
        // The export appends the number of a team to its name.
        "WhiteTeam" | "BlackTeam" => {
            found.map(|found| format!("{found} II")).as_deref() == exported
        }
        // The export adds a period after a first name of one letter.
        "White" | "Black" | "Annotator" => {
            found.map(|found| format!("{found}.")).as_deref() == exported
        }
        _ => false,
    }
}

#[test]
fn games_are_those_of_the_pgn() {
    let Some(folder) = fixtures::testdata("fixtures-real/cbh/libcbh") else {
        return;
    };
    let mut differences = Vec::new();
    for (base, pgn, has) in BASES {
        let files = fixtures::load_set(folder.join(base), CBH.roles);
        let games = identity::open_all(&CBH, &files);
        let mut text = MemorySet::new();
        text.insert(
            PGN.roles[0],
            fixtures::read(folder.join(format!("{pgn}.pgn"))),
        );
        let expected = identity::open_all(&PGN, &text);
        assert_eq!(games.len(), expected.len(), "{base}");
        let mut equal = 0;
        for (n, (game, expected)) in games.iter().zip(&expected).enumerate() {
            let (found, exported) = (line(game, has), line(expected, has));
            let is_same = found == exported;
            equal += usize::from(is_same);
            if !is_same {
                differences.push(format!("{base} {}\n  {found}\n  {exported}", n + 1));
            }
            if has < Has::Everything {
                continue;
            }
            let (found, exported) = (tags(game), tags(expected));
            let mut names: Vec<&String> = found.keys().chain(exported.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let found = found.get(name).map(String::as_str);
                let exported = exported.get(name).map(String::as_str);
                if found != exported && !is_known(name, found, exported) {
                    let n = n + 1;
                    differences.push(format!("{base} {n} {name}: {found:?}, not {exported:?}"));
                }
            }
        }
        println!("{base}: {equal} of {} games equal", games.len());
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
