//! Advice about queries that match nothing.

use chessdb_core::Game;
use chessdb_query::Query;

#[test]
fn proposals_find_what_they_promise() {
    let games = [
        Game::builder()
            .white("Karpov, Anatoly")
            .event("Linares")
            .date("1993.02.23")
            .build(),
        Game::builder()
            .black("Kasparov, Garry")
            .white("Karpov, Anatoly")
            .site("Bled")
            .build(),
        Game::builder().event("Bled 1959").build(),
    ];
    for (typed, count) in [
        ("Karpow", 1),
        ("Karpow 1993", 1),
        ("karpov 1994", 1),
        ("Kasparow - Karpov", 1),
        ("Linars karpov", 1),
        ("event:Blad", 1),
        ("1959", 1),
        ("white:Kasparov", 1),
        ("karpov Nobody", 1),
        ("Karpow or Nobody", 1),
    ] {
        let query: Query = typed.parse().unwrap();
        let mut advice = query.advice();
        games.iter().for_each(|game| advice.add(game));
        let proposals = advice.proposals();
        assert!(proposals.len() >= count, "{typed}: {proposals:?}");
        for proposal in proposals {
            let other: Query = proposal.query.parse().unwrap();
            let found = games.iter().filter(|game| other.matches(game)).count() as u64;
            if typed == "Karpow" || proposal.kind != chessdb_query::advice::ProposalKind::Spelling {
                assert_eq!(proposal.games, Some(found), "{typed}: {proposal:?}");
            }
        }
    }
}

#[test]
fn a_query_without_result_gets_advice() {
    let mut games = Vec::new();
    for (white, black, event, date) in [
        (
            "Karpov, Anatoly",
            "Kasparov, Garry",
            "World-ch",
            "1985.11.09",
        ),
        (
            "Kasparov, Garry",
            "Karpov, Anatoly",
            "Linares",
            "1993.02.01",
        ),
        (
            "Vachier-Lagrave, Maxime",
            "Carlsen,M",
            "Linares",
            "2015.01.01",
        ),
        (
            "Bl\u{fc}baum, Matthias",
            "Tal, Mihail",
            "Bled",
            "1959.09.07",
        ),
    ] {
        let game = Game::builder()
            .white(white)
            .black(black)
            .event(event)
            .date(date);
        games.push(game.build());
    }
    for (typed, advice) in [
        (
            "Karpow",
            "no name matches Karpow; did you mean \"Karpov, Anatoly\" (2 games)?",
        ),
        (
            "white:Kaspraov",
            "no player with White matches Kaspraov; did you mean \"Kasparov, Garry\"",
        ),
        (
            "\"Carlsen, Magnus\"",
            "did you mean \"Carlsen,M\" (1 game)?",
        ),
        (
            "VachierLagrave",
            "did you mean \"Vachier-Lagrave, Maxime\" (1 game)?",
        ),
        (
            "Bluebaun",
            "did you mean \"Bl\u{fc}baum, Matthias\" (1 game)?",
        ),
        (
            "event:Linres",
            "no event matches Linres; did you mean \"Linares\" (2 games)?",
        ),
        (
            "Linras",
            "no name matches Linras; did you mean \"Linares\" (2 games)?",
        ),
        (
            "Sicillian",
            "no name matches Sicillian; did you mean the opening \"Sicilian\"?",
        ),
        (
            "Traxler",
            "opening:Traxler searches the names of all openings",
        ),
        ("stalemate", "ending:stalemate searches games that end so"),
        ("white:Tal", "player:Tal matches 1 game"),
        ("Kasparov-Karpov", "Kasparov vs Karpov matches 2 games"),
        ("Tal,Carlsen", "Tal or Carlsen matches 2 games"),
        ("Tal year:1985", "without Tal: 1 game"),
        ("Tal year:1985", "without year:1985: 1 game"),
        (
            "Kasparow - Karpov",
            "no player with White matches kasparow; did you mean \"Kasparov, Garry\" (1 game)?",
        ),
        (
            "Kasparov fen:8/8/8/8/8/8/8/8",
            "without fen:8/8/8/8/8/8/8/8: 2 games",
        ),
    ] {
        let query: Query = typed.parse().unwrap();
        assert!(games.iter().all(|game| !query.matches(game)), "{typed}");
        let mut found = query.advice();
        games.iter().for_each(|game| found.add(game));
        let found = found.sentences();
        assert!(
            found.iter().any(|one| one.contains(advice)),
            "{typed}: {found:?}"
        );
    }
    let mut none = "Xqzwvrtk".parse::<Query>().unwrap().advice();
    games.iter().for_each(|game| none.add(game));
    assert_eq!(none.sentences(), Vec::<String>::new());
}
