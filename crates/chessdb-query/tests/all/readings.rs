//! How words are read: names, endings, openings; errors and notes about other words.

use chessdb_core::Game;
use chessdb_query::Query;

/// The query, the part that is wrong, and a part of the message.
const ERRORS: &[(&str, &str, &str)] = &[
    ("white:An*", "*", "/^An/"),
    ("An*", "*", "/^An/"),
    ("white:*", "*", "matches anywhere"),
    ("event:Bled*", "*", "matches anywhere"),
    ("white:\"An* B\"", "*", "matches anywhere"),
    ("white:An%", "%", "matches anywhere"),
    ("player:An?nd", "?", "matches anywhere"),
    ("tag:WhiteTeam=Riga*", "*", "matches anywhere"),
    ("An,%", "An,%", "matches anywhere"),
    ("date:2024-13", "13", "months are 1 to 12"),
    ("date:2024.00", "00", "months are 1 to 12"),
    ("date:2024.02.31", "31", "2024.02 has 29 days"),
    ("date:2023/02/29", "29", "2023.02 has 28 days"),
    ("date:2024.04.31..2025", "31", "30 days"),
    ("date:1960..1961.13", "13", "months"),
    ("date:15.02.2024", "15.02.2024", "2024.02.15"),
    ("date:02/15/2024", "02/15/2024", "2024.02.15"),
    ("date:59", "59", "four digits"),
    ("date:2024..2020", "2024..2020", "2020..2024"),
    ("date:yesterday", "yesterday", "a date"),
    ("year:59", "59", "four digits"),
    ("year:1960..59", "59", "four digits"),
    ("year:1961..1960", "1961..1960", "write 1960..1961"),
    ("elo:2700-2600", "2700-2600", "write 2600..2700"),
    ("moves:-5", "-5", "negative"),
    ("eco:Z99", "Z99", "A00 to E99"),
    ("eco:B100", "B100", "A00 to E99"),
    ("eco:B90-B8x", "B8x", "A00 to E99"),
    ("eco:B99-B90", "B99-B90", "write B90-B99"),
    ("eco:Najdorf", "Najdorf", "opening:Najdorf"),
    ("result:drwa", "drwa", "did you mean draw?"),
    ("result:2-0", "2-0", "1-0"),
    ("start:chess96", "chess96", "did you mean chess960?"),
    ("flag:novelti", "novelti", "did you mean novelty?"),
    ("has:comnents", "comnents", "did you mean comments?"),
    ("bishops:oposite", "oposite", "did you mean opposite?"),
    ("title:grandmaster", "grandmaster", "GM"),
    ("plyer:Tal", "plyer", "did you mean player?"),
    ("rating:2600", "rating", "did you mean elo?"),
    ("elo", "elo", "'elo>2600'"),
    ("tal elo", "elo", "elo:2600.."),
    ("year", "year", "year:1959.."),
    ("and Tal", "and", "both sides"),
    ("Tal and", "and", "both sides"),
    ("Tal and and Keres", "and", "both sides"),
    ("Tal and or Keres", "and", "both sides"),
    ("Tal && || Keres", "&&", "both sides"),
    ("not", "", "missing"),
    ("Tal vs", "vs", "both sides"),
    ("vs Tal", "vs", "without keys"),
    ("white:Tal vs Keres", "vs", "without keys"),
    ("Tal vs Keres vs Geller", "vs", "two players"),
    ("8/8/8/9/8/8/8/8 w", "9", "expected a piece"),
    ("8/8/8/8/8/8/8 w", " ", "64 squares"),
    (
        "https://lichess.org/abcd1234",
        "https://lichess.org/abcd1234",
        "no position",
    ),
    (
        "fen:https://www.chess.com/game/1",
        "https://www.chess.com/game/1",
        "no position",
    ),
    ("material:KRPvv", "v", ""),
    // A comma belongs to one name.
    (
        "white:Tal,Keres,Geller",
        "Geller",
        "white:Tal or white:Keres or white:Geller",
    ),
    ("Tal,Keres,Geller", "Geller", "Tal or Keres or Geller"),
    (
        "player:Adams,Mi,Kasparov,G",
        "Kasparov",
        "player:Adams,Mi or player:Kasparov,G",
    ),
    ("player:/^tal/,Keres", "/^tal/", "quotes or slashes"),
    // Values that no game can have.
    ("opening:B90", "B90", "eco:B90"),
    ("opening:\"B90-B99\"", "\"B90-B99\"", "eco:B90-B99"),
    ("opening:b9x,B90", "B90", "eco:B90"),
    ("white.name:Tal", "white.name", "unknown key"),
    ("tag:Elo.White>2600", "Elo.White>2600", "name of a tag"),
    ("tag:Event>Bled", "Bled", "only numbers and dates"),
    ("tag:WhiteElo=2700..2600", "2700..2600", "reversed"),
    ("tag:EventDate>2014.13", "13", "months"),
    ("round:5..3", "5..3", "reversed"),
    ("round>first", "first", "number"),
    (">2600", ">2600", "elo>2600"),
    ("01.05.2014", "01.05.2014", "2014.05.01"),
    ("05/2014", "05/2014", "2014.05"),
    ("2014.13", "13", "months are 1 to 12"),
    ("c5", "c5", "for words write \"c5\""),
    ("1.e4 e4", "e4", "first moves"),
    ("e2e4 e2e4", "e2e4", "first moves"),
    ("material:vKR", "v", ""),
];

#[test]
fn what_cannot_be_meant_is_an_error_at_its_place() {
    for (typed, part, message) in ERRORS {
        let error = typed.parse::<Query>().expect_err(typed);
        assert_eq!(&typed[error.span()], *part, "{typed}: {error}");
        // The place is one of the text as given, with its blanks.
        let shifted = format!("  {typed} ").parse::<Query>().expect_err(typed);
        if !part.is_empty() {
            assert_eq!(shifted.span().start, error.span().start + 2, "{typed}");
        }
        assert!(error.message().contains(message), "{typed}: {error}");
    }
}

#[test]
fn every_spelling_of_an_ending_finds_it() {
    let game = |fen: &str| {
        let setup = fen.parse::<chessdb_core::Setup>().unwrap();
        let mut game = Game::new();
        game.header.start = chessdb_core::Start::Setup(Box::new(setup));
        game
    };
    let white = game("8/8/4k3/r7/8/3K4/4P3/7R w - - 0 1");
    let black = game("7r/4p3/3k4/8/R7/4K3/8/8 w - - 0 1");
    let other = game("8/8/4k3/8/8/3K4/4P3/7R w - - 0 1");
    for typed in [
        "material:KRPKR",
        "material:KRPvKR",
        "material:\"KRP KR\"",
        "material:KRP-KR",
        "material:KRP/KR",
        "material:KRP:KR",
        "material:KRP_KR",
        "material:\"KRP vs KR\"",
        "material:\"KRP v. KR\"",
        "material:KRP\u{2013}KR",
        "material:krpkr",
        "material:krpvkr",
        "material:KRKRP",
        "material:RP-R",
        "material:RPvR",
        "KRP vs KR",
        "KRPvKR",
        "material:KRP1-KR",
        "material:KRP0-1KR",
    ] {
        let query: Query = typed
            .parse()
            .unwrap_or_else(|error| panic!("{typed}: {error}"));
        let found = [&white, &black, &other].map(|game| query.matches(game));
        assert_eq!(found, [true, true, false], "{typed}");
    }
    for typed in ["material:KRPkr", "material:KRPvkr", "material:krKRP"] {
        let query: Query = typed.parse().unwrap();
        assert!(query.matches(&white) && !query.matches(&black), "{typed}");
    }
}

#[test]
fn a_name_with_a_comma_is_one_player() {
    for (typed, name, expected) in [
        ("Kasparov,G", "Kasparov, Garry", true),
        ("Kasparov, G.", "Kasparov,Garry", true),
        ("Kasparov,G", "Kasparov,G", true),
        ("Kasparov,G", "Garry Kasparov", true),
        ("Kasparov,G", "Kasparov Garry", true),
        ("Kasparov,G", "Kasparov, Sergey", false),
        ("Kasparov,G", "Kasparova, Galina", false),
        ("Kasparov,G", "Kasparov", false),
        ("Kasparov, Garry K", "Kasparov, Garry Kimovich", true),
        ("Kasparov, G.K.", "Kasparov, Garry Kimovich", true),
        ("Wely, L", "Van Wely, Loek", true),
        ("Lagrave,M", "Vachier-Lagrave, Maxime", true),
        ("Tal,M", "Portal, Michel", false),
        ("Bluebaum,M", "Bl\u{fc}baum, Matthias", true),
        ("Bl\u{fc}baum,M", "Bluebaum, Matthias", true),
        (
            "Karpov,A",
            "\u{41a}\u{430}\u{440}\u{43f}\u{43e}\u{432}, \u{410}\u{43d}\u{430}\u{442}\u{43e}\u{43b}\u{438}\u{439}",
            true,
        ),
        ("Tal,", "Tal, Mihail", true),
    ] {
        let game = Game::builder().white(name).build();
        let query: Query = typed.parse().unwrap();
        assert_eq!(query.matches(&game), expected, "{typed} in {name}");
    }
}

#[test]
fn two_meanings_are_explained() {
    for (typed, note) in [
        ("Tal,Keres", Some("Tal or Keres")),
        ("white:Tal,Keres", Some("white:Tal or white:Keres")),
        ("white:Tal, Keres", None),
        ("Tal - Keres", Some("not NAME")),
        ("Tal vs Keres", None),
        ("tal black", Some("\"black\"")),
        ("Kasparov,G", None),
        ("Carlsen, Magnus", None),
        ("white:\"Tal\",\"Keres\"", None),
        ("player:Adams,Mi", None),
        ("1.e4 c5", None),
        ("e4 c5", Some("first moves")),
        ("event:Bled,Zagreb", None),
        ("Tal -Keres", None),
        (
            "site:Trinidad and Tobago",
            Some("site:\"Trinidad and Tobago\""),
        ),
        ("white:Tal or Keres", Some("white:Tal or white:Keres")),
        ("white:Tal or white:Keres", None),
    ] {
        let query: Query = typed.parse().unwrap();
        match note {
            Some(part) => assert!(query.notes()[0].contains(part), "{:?}", query.notes()),
            None => assert!(query.notes().is_empty(), "{typed}: {:?}", query.notes()),
        }
    }
}

#[test]
fn openings_are_found_by_tag_or_by_moves() {
    let sans = [
        "e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6",
    ];
    let moves = || Game::builder().sans(sans).unwrap();
    let untagged = moves().build();
    let tagged = moves()
        .tag("Opening", "Sicilian")
        .tag("Variation", "Najdorf")
        .build();
    let other = moves().tag("Opening", "Gr\u{fc}nfeld Defence").build();
    let unknown = moves().tag("Opening", "?").build();
    let short = Game::builder().sans(["e4"]).unwrap().build();
    for (typed, expected) in [
        ("opening:Sicilian", [true, true, false, true, false]),
        ("opening:najdorf", [true, true, false, true, false]),
        (
            "opening:\"Sicilian, Najdorf\"",
            [true, true, false, true, false],
        ),
        (
            "opening:\"Sicilian: Najdorf\"",
            [true, true, false, true, false],
        ),
        (
            "opening:\"Sicilian Defence\"",
            [true, false, false, true, false],
        ),
        (
            "opening:\"Gruenfeld defense\"",
            [false, false, true, false, false],
        ),
        ("opening:/^sicilian/", [true, true, false, true, false]),
        ("opening:French,Najdorf", [true, true, false, true, false]),
        ("-opening:Sicilian", [false, false, true, false, true]),
        ("opening:\"kings pawn\"", [false, false, false, false, true]),
    ] {
        let query: Query = typed.parse().unwrap();
        let games = [&untagged, &tagged, &other, &unknown, &short];
        let found = games.map(|game| query.matches(game));
        assert_eq!(found, expected, "{typed}");
        for game in games {
            if let Some(by_header) = query.matches_header(game) {
                assert_eq!(by_header, query.matches(game), "{typed}");
            }
        }
    }
}

/// A word without a key is in any name or in the opening, and counted by kind.
#[test]
fn words_are_searched_everywhere() {
    let najdorf = [
        "e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6",
    ];
    let games = [
        Game::builder()
            .white("Kasparov, Garry")
            .black("Karpov, Anatoly")
            .event("Linares")
            .site("Linares ESP")
            .date("1993.02.23")
            .build(),
        Game::builder()
            .white("Linares, Jos\u{e9}")
            .event("Kasparov Cup")
            .date("1972.01.01")
            .sans(najdorf)
            .unwrap()
            .build(),
        Game::builder()
            .white("A")
            .tag("ECO", "B90")
            .tag("Annotator", "Kasparov")
            .build(),
        Game::builder()
            .white("B")
            .tag("ECO", "B90")
            .tag("Opening", "Vienna Game")
            .sans(najdorf)
            .unwrap()
            .build(),
        Game::builder().sans(["e4", "e5"]).unwrap().build(),
    ];
    for (typed, found, kinds) in [
        ("kasparov", "0,1,2", "player 1, event 1, annotator 1"),
        ("Linares", "0,1", "player 1, event 1, site 1"),
        ("jose", "1", "player 1"),
        // Not every line of B90 is called Najdorf, so the code alone does not decide.
        ("najdorf", "1", "opening 1"),
        ("Sicilian", "1,2", "opening 2"),
        ("vienna", "3", "opening 1"),
        // A part of a word names no opening.
        ("sicil", "", ""),
        ("\"kasparov cup\"", "1", "event 1"),
        ("-kasparov", "3,4", ""),
        (
            "kasparov linares 1993",
            "0",
            "player 1; event 1, site 1; year 1",
        ),
        ("B90", "2,3", "eco 2"),
        ("1972", "1", "year 1"),
        ("Kasparov,G", "0", ""),
        ("Kasparov - Karpov", "0", ""),
        ("karpov black", "0", ""),
        ("karpov white", "", ""),
    ] {
        let query: Query = typed.parse().unwrap();
        let mut counts = query.word_counts();
        let numbers = games.iter().enumerate().filter(|(_, game)| {
            let fits = query.matches(game);
            if let Some(by_header) = query.matches_header(game) {
                assert_eq!(by_header, fits, "{typed}");
            }
            fits
        });
        let numbers: Vec<String> = numbers
            .map(|(n, game)| {
                counts.add(game);
                n.to_string()
            })
            .collect();
        assert_eq!(numbers.join(","), found, "{typed}");
        let mut words: Vec<String> = Vec::new();
        for word in counts.words() {
            assert_eq!(
                typed[word.span.clone()].to_lowercase(),
                word.word.to_lowercase()
            );
            let counts = word.kinds.iter().map(|kind| {
                // The term of a kind finds the games that were counted.
                let term: Query = kind.term.parse().unwrap();
                let alone = games.iter().filter(|game| term.matches(game)).count() as u64;
                assert!(
                    alone >= kind.games || kind.kind.key() == "opening",
                    "{}",
                    kind.term
                );
                format!("{} {}", kind.kind.key(), kind.games)
            });
            words.push(counts.collect::<Vec<String>>().join(", "));
        }
        assert_eq!(words.join("; "), kinds, "{typed}");
    }
}

/// What an abbreviated name stands for, with every key, in each spelling.
#[test]
fn an_abbreviated_name_is_one_name_for_every_key() {
    let stands_for = [
        "Adams, Michael",
        "Adams,Michael",
        "Adams,Mi",
        "Adams, Mi.",
        "Adams, M",
        "Adams,M.",
        "Michael Adams",
        "M. Adams",
        "ADAMS, MICHAEL",
    ];
    let others = [
        "Adams, John",
        "Adams, J",
        "Adams",
        "Miles, Anthony",
        "Mi, Adam",
        "Adamson, Michael",
        "Smith, Mi",
    ];
    for value in [
        "Adams,Mi",
        "Adams, Mi",
        "adams,mi",
        "ADAMS,MI",
        "Adams,Mi.",
        "Adams , Mi",
        "\"Adams,Mi\"",
        "\"Adams, Mi\"",
        "\"Adams\",Mi",
    ] {
        for key in [
            "player:",
            "white:",
            "annotator:",
            "tag:White=",
            "-white!=",
            "",
        ] {
            let typed = format!("{key}{value}");
            let query: Query = typed
                .parse()
                .unwrap_or_else(|error| panic!("{typed}: {error}"));
            for (names, expected) in [(&stands_for[..], true), (&others[..], false)] {
                for name in names {
                    let game = Game::builder().white(name).tag("Annotator", name).build();
                    assert_eq!(query.matches(&game), expected, "{typed} in {name}");
                }
            }
        }
    }
    // A full name is not its abbreviation, of which there may be several.
    for typed in [
        "player:Adams,Michael",
        "player:adams, michael",
        "Adams, Michael",
    ] {
        let query: Query = typed.parse().unwrap();
        let found = ["Adams, Michael", "Adams, Michael J", "Adams,Mi", "Adams, M"];
        let found = found.map(|name| query.matches(&Game::builder().black(name).build()));
        assert_eq!(found, [true, true, false, false], "{typed}");
    }
}

#[test]
fn tags_are_compared_as_numbers_and_dates() {
    let game = |tag: &str, value: &str| Game::builder().tag(tag, value).build();
    for (typed, tag, value, expected) in [
        ("tag:WhiteElo>2600", "WhiteElo", "2700", true),
        ("tag:WhiteElo>2600", "WhiteElo", "2600", false),
        ("tag:WhiteElo>=2600", "WhiteElo", "2600", true),
        ("tag:WhiteElo<2600", "WhiteElo", "999", true),
        ("tag:WhiteElo=2600..2900", "WhiteElo", "2810", true),
        ("tag:WhiteElo=2600..", "WhiteElo", "2810", true),
        ("tag:WhiteElo=2600+", "WhiteElo", "2599", false),
        ("tag:WhiteElo:>2600", "WhiteElo", "2700", true),
        ("tag:WhiteElo=700", "WhiteElo", "2700", false),
        ("tag:PuzzleRating=1500..1800", "PuzzleRating", "1650", true),
        (
            "tag:PuzzleRating=1500..1800",
            "PuzzleRating",
            "16500",
            false,
        ),
        ("tag:PuzzleRating=1500..1800", "PuzzleRating", "?", false),
        ("tag:Opening=Najdorf", "Opening", "Sicilian, Najdorf", true),
        ("tag:TimeControl=180+2", "TimeControl", "180+2", true),
        ("tag:Depth>9.5", "Depth", "10", true),
        ("tag:EventDate>2014.05", "EventDate", "2014.06.01", true),
        ("tag:EventDate=2014", "EventDate", "2014.06.01", true),
        (
            "tag:EventDate=2014.05..2014.06",
            "EventDate",
            "2014.07.01",
            false,
        ),
        ("round:3", "Round", "3", true),
        ("round:3", "Round", "3.12", true),
        ("round:3", "Round", "13", false),
        ("round:2..4", "Round", "3.1", true),
        ("round>3", "Round", "10", true),
        ("round:3.1", "Round", "3.12", true),
        ("round:final", "Round", "Quarterfinal", true),
    ] {
        let query: Query = typed
            .parse()
            .unwrap_or_else(|error| panic!("{typed}: {error}"));
        assert_eq!(
            query.matches(&game(tag, value)),
            expected,
            "{typed} in {value}"
        );
    }
}
