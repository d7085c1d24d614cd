//! Meaning of queries, and errors in queries.

use chessdb_core::model::{Eco, GameFlags, Rating, RatingKind};
use chessdb_core::{Color, Game, Outcome};
use chessdb_query::{Needs, Query};

fn game() -> Game {
    let mut game = Game::builder()
        .white("Tal, Mihail")
        .black("Łukasz Öst")
        .event("Bled \"Candidates\"")
        .site("Блед")
        .round("3.2")
        .date("1959.09.??")
        .tag("Opening", "Sicilian: Najdorf")
        .tag("Annotator", "Élan")
        .sans(["e4", "c5", "Nf3"])
        .unwrap()
        .comment("A sacrifice comes.")
        .build();
    let rating = |value| Rating {
        value,
        kind: RatingKind::Elo,
    };
    game.header.white.rating = Some(rating(2610));
    game.header.black.rating = Some(rating(2480));
    game.header.eco = Eco::from_ascii(b"B90a1");
    game.header.outcome = Outcome::Draw;
    game.header.white.title = game.add_text("GM");
    game.header.flags = GameFlags::from_letters(b"DN").unwrap();
    game
}

fn fits(query: &str) -> bool {
    let parsed: Query = query.parse().unwrap_or_else(|error| panic!("{error}"));
    let fits = parsed.matches(&game());
    if let Some(by_header) = parsed.matches_header(&game()) {
        assert_eq!(by_header, fits, "{query}");
    }
    assert_eq!(parsed.to_string(), query.trim());
    fits
}

#[test]
fn terms_find_what_is_there() {
    for query in [
        "",
        "tal",
        "TAL ost",
        "player:Öst white:/^tal, m/ black:lukasz",
        "event:\"bled \\\"cand\"",
        "site:bled site:БЛЕД site:/^BLED$/",
        "round:3.2",
        "annotator:elan",
        "opening:najdorf",
        "title:gm,im",
        "eco:B90 eco:b9 eco:B eco:B80-B99 eco:B80..B90 eco:b90a eco:A00,B90a1",
        "date:1959 date:1959.09 date:1950..1959.09 date:1959.09.. date>=1959.9 date<1959.10",
        "date>1959.8 date:1958,1959-09",
        "year:1959 year:..1960 year>1958 year<=1959 year:1900,1950..1960",
        "elo:2480 elo>=2600 whiteelo:2610 blackelo:..2500 minelo:2480 elodiff:100..",
        "-minelo:2500 elodiff:-200..200",
        "result:draw result:1/2 result:1-0,1/2-1/2 -result:*",
        "moves:2 plies:3 plies:1..3",
        "start:standard -start:setup,chess960 -has:fen",
        "flag:n flag:novelty flag:DN -flag:!",
        "deleted:yes deleted:no,yes -deleted:no",
        "has:comments has:comments,variations -has:variations,nags,clocks,evals,arrows,fen",
        "tag:Opening tag:opening=najdorf tag:Opening=\"sicilian: n\" tag:Opening=/^sic.*DORF$/",
        "-tag:WhiteTeam -tag:Opening=caro",
        "text:sacrifice text:najdorf comment:\"SACRIFICE comes\" -comment:najdorf",
        "karpov or tal",
        "(karpov or keres) or (tal -karpov)",
        "-(karpov or keres) --tal",
        "tal,m",
        "player:karpov or player:tal",
        "or tal".trim_start_matches("or "),
        "\"or\" or tal",
    ] {
        assert!(fits(query), "{query}");
    }
}

#[test]
fn and_nothing_else() {
    for query in [
        "karpov",
        "white:ost",
        "event:moscow",
        "eco:B91 or eco:A,C-E or eco:B90b",
        "date:1959.09.07 or date:1959.10.. or date:..1959.08 or date>1959.09",
        "year:1960.. or year:..1958 or year>1959",
        "elo:2611.. or minelo:2481 or elodiff:..0",
        "result:1-0,0-1,*",
        "moves:3.. or plies:4",
        "has:variations",
        "tal -tal",
        "(tal or karpov) keres",
        "-(karpov or tal)",
        "player:\"or\"",
    ] {
        assert!(!fits(query), "{query}");
    }
}

/// Unknown values match no range.
#[test]
fn the_unknown_fits_nothing() {
    let game = Game::new();
    for query in [
        "year:..1900",
        "date:..1900",
        "elo:..3000",
        "eco:A",
        "elodiff:..0",
        "a",
        "site:/^/",
    ] {
        let parsed: Query = query.parse().unwrap();
        assert!(!parsed.matches(&game), "{query}");
    }
    let mut rated = Game::new();
    rated.header.player_mut(Color::Black).rating = game_rating();
    assert!(!"elodiff:..5000".parse::<Query>().unwrap().matches(&rated));
}

fn game_rating() -> Option<Rating> {
    Some(Rating {
        value: 2000,
        kind: RatingKind::Elo,
    })
}

#[test]
fn heads_decide_where_they_can() {
    let by_header = |query: &str| {
        let query: Query = query.parse().unwrap();
        (query.needs(), query.matches_header(&game()))
    };
    assert_eq!(by_header("tal"), (Needs::Header, Some(true)));
    assert_eq!(by_header("has:fen"), (Needs::Header, Some(false)));
    assert_eq!(by_header("plies:3"), (Needs::Moves, None));
    assert_eq!(by_header("plies:3 karpov"), (Needs::Moves, Some(false)));
    assert_eq!(by_header("plies:3 or tal"), (Needs::Moves, Some(true)));
    assert_eq!(by_header("-(plies:3 or tal)"), (Needs::Moves, Some(false)));
}

/// The query, the part that causes the error, and a word of the message.
#[test]
fn faults_name_their_place() {
    for (query, word, message) in [
        ("tal elo:x", "x", "a number or a range"),
        ("elo:2600..2500", "2600..2500", "write 2500..2600"),
        ("elo>=1..2", "1..2", "cannot have a comparison sign"),
        ("year:..", "..", "a beginning or an end"),
        ("tal colour:white", "colour", "unknown key"),
        ("player:", "player:", "a value is missing"),
        ("player>tal", "player>tal", "only numbers"),
        ("(tal or (keres)", "(", "missing closing parenthesis"),
        ("tal) keres", ")", "unmatched closing parenthesis"),
        ("tal or", "or", "on both sides"),
        ("or tal", "or", "on both sides"),
        ("tal -", "", "is missing"),
        ("tal -)", "-", "is missing"),
        ("event:\"Bled", "\"Bled", "not closed"),
        ("event:/Bled", "/Bled", "not closed"),
        (",Tal", ",Tal", "unexpected comma"),
        ("event:/(/", "/(/", "regular expression"),
        ("result:2-0", "2-0", "1-0"),
        ("eco:B99-B90", "B99-B90", "write B90-B99"),
        ("eco:B90,H1", "H1", "an ECO code"),
        ("date:1959.13.1.1", "1959.13.1.1", "a date"),
        ("has:engines", "engines", "variations"),
        ("flag:Y", "Y", "letters of"),
        ("start:x", "x", "standard"),
        ("deleted:maybe", "maybe", "yes or no"),
        ("player:\u{200b}", "\u{200b}", "expected text"),
        ("fen:\"8/8/8/9/8/8/8/8 w\"", "9", "expected a piece"),
        ("fen:8/8", "8/8", "64 squares"),
        ("line:\"1.e4 e6 2.Ke3\"", "Ke3", "no piece"),
        ("line:1.", "1.", "moves from the start"),
        ("pattern:8/8/8/8/8/8/8/7x", "x", "wildcard"),
        ("pattern:8/8/8/8/8/8/8/7", "7", "eight squares"),
        ("pattern:8/8", "8/8", "eight ranks"),
        ("pattern:8/8/8/8/8/8/8/7[KQ", "[", "missing closing ]"),
        ("pattern:*/*/*/*/*/*/*/**", "*", "one *"),
        ("material:KRP", "KRP", "both sides"),
        ("material:KRXK", "X", "the pieces are"),
        ("material:RKK", "R", "both sides"),
        ("material:KRpkr", "p", "all upper case"),
        ("material:KP3-1K", "P", "range is empty"),
        ("sub:Nf9", "N", "a piece and its square"),
        ("sub:Nf5+Bf5", "B", "already"),
        ("at:3 tal", "at:3", "a position is missing"),
        ("-at:3 sub:Nf5", "-", "parentheses"),
        ("for:0 sub:Nf5", "0", "at least 1"),
        ("at:1,3 sub:Nf5", "1,3", "one range"),
        (
            "line:e4 fen:8/8/8/8/8/8/8/8",
            "fen:8/8/8/8/8/8/8/8",
            "a second position",
        ),
    ] {
        let error = query.parse::<Query>().expect_err(query);
        let found = query.get(error.span()).unwrap();
        if word != "1,3" && query != "-at:3 sub:Nf5" {
            assert_eq!(found, word, "{query}: {error}");
        }
        assert!(error.to_string().contains(message), "{query}: {error}");
    }
}

#[test]
fn depth_is_bounded() {
    let deep = |depth: usize| "(".repeat(depth) + "tal" + &")".repeat(depth);
    assert!(fits(&deep(60)));
    assert!(deep(65).parse::<Query>().is_err());
    assert!(fits(&("-".repeat(100_000) + "tal")));
    assert!("(".repeat(100_000).parse::<Query>().is_err());
}

#[test]
fn words_of_a_shell_are_put_together() {
    for (words, text) in [
        (vec!["tal", "year:1959"], "tal year:1959"),
        (vec!["event:Bled 1959"], "event:\"Bled 1959\""),
        (vec!["-event:Bled 1959"], "-event:\"Bled 1959\""),
        (vec!["event:Bled year:1959"], "event:Bled year:1959"),
        (vec!["(event:Bled or tal)"], "(event:Bled or tal)"),
        (vec!["white:Carlsen, Magnus"], "white:\"Carlsen, Magnus\""),
        (vec!["white:/^karpov, a/"], "white:/^karpov, a/"),
        (
            vec!["site:Trinidad and Tobago"],
            "site:\"Trinidad and Tobago\"",
        ),
        (vec!["event:USSR vs World"], "event:\"USSR vs World\""),
        (vec!["white:Tal or black:Tal"], "white:Tal or black:Tal"),
        (vec!["8/8/8/8/8/8/8/8 w -"], "8/8/8/8/8/8/8/8 w -"),
        (vec!["fen:8/8 w - - 0 1"], "fen:\"8/8 w - - 0 1\""),
        (vec!["line:1.e4 c5 2.Nf3"], "line:\"1.e4 c5 2.Nf3\""),
        (vec!["fen!:8/8 w - -"], "fen!:\"8/8 w - -\""),
    ] {
        assert_eq!(Query::join(words.iter().copied()), text);
    }
}

#[test]
fn umlauts_are_found_in_each_spelling() {
    let find = |query: &str, name: &str| {
        let game = Game::builder().white(name).event("Open").build();
        query.parse::<Query>().unwrap().matches(&game)
    };
    for names in [
        &[
            "Blübaum, Matthias",
            "Bluebaum, Matthias",
            "Blubaum, Matthias",
        ][..],
        &["Höi, C", "Hoei, C", "Hoi, C", "Høi, C"],
        &["Jäger", "Jaeger", "Jager"],
        &["Håkansson", "Haakansson", "Hakansson"],
        &["Weiß", "Weiss"],
    ] {
        for wanted in names {
            for name in names {
                assert!(find(&format!("\"{wanted}\""), name), "{wanted} in {name}");
                let part = wanted.chars().take(4).collect::<String>();
                assert!(find(&format!("white:\"{part}\""), name), "{part} in {name}");
            }
        }
    }
    for (wanted, name) in [
        ("bluebaum", "Bluhm, Georg"),
        ("bluebaum", "Blabaum"),
        ("mul", "Mal"),
        ("/^bluebaum/", "Blübaum"),
        ("bluebaumer", "Blübaum"),
    ] {
        assert!(!find(wanted, name), "{wanted} in {name}");
    }
    assert!(find("el", "Michael") && find("ael", "Michael") && find("ue", "Bluebaum"));
}

#[test]
fn the_text_of_a_query_opens_no_file_by_itself() {
    let error = "Tal book:games.bin,20..".parse::<Query>().unwrap_err();
    assert!(error.message().contains("opens no files"), "{error}");
}
