//! Byes in cross-tables.

use chessdb_core::{Game, Outcome};
use chessdb_query::stats::crosstable::{Crosstable, Crosstables, TableEntry, TableKind, TieBreak};

#[test]
fn byes_are_points_without_an_opponent() {
    let rounds = [
        ("1", "Ada", "Bo", Outcome::WhiteWins),
        ("2", "Cy", "Ada", Outcome::Draw),
        ("3", "Bo", "Cy", Outcome::WhiteWins),
    ];
    for bye in [
        "BYE",
        "bye",
        "Bye 1",
        "Spielfrei",
        "freilos",
        "Half-point bye",
        "½-point bye",
        "-",
        "?",
        "??",
        "---",
        "",
    ] {
        let add = |tables: &mut Crosstables, round: &str, white: &str, black: &str, result| {
            let game = Game::builder().white(white).black(black).event("Open");
            let game = game.round(round).date("2024.01.01").result(result).build();
            tables.add(TableEntry::from_game(&game).unwrap());
        };
        let (mut with, mut without) = (Crosstables::new(1), Crosstables::new(1));
        for (round, white, black, result) in rounds {
            add(&mut with, round, white, black, result);
            add(&mut without, round, white, black, result);
        }
        add(&mut with, "1", "Cy", bye, Outcome::WhiteWins);
        add(&mut with, "2", bye, "Bo", Outcome::BlackWins);
        add(&mut with, "3", "Ada", bye, Outcome::Draw);
        let rounds_of =
            |tables: Crosstables| tables.tables(Some(TableKind::Rounds)).unwrap().remove(0);
        let (with, without) = (rounds_of(with), rounds_of(without));
        assert_eq!(
            (with.games, with.byes, with.players.len()),
            (3, 3, 3),
            "{bye}"
        );
        let points = |name: &str, table: &Crosstable| {
            let player = table.players.iter().find(|player| player.name == name);
            let player = player.unwrap();
            (player.half_points, player.score.games())
        };
        for (name, half_points) in [("Ada", 4), ("Bo", 4), ("Cy", 3)] {
            let games = points(name, &without).1;
            assert_eq!(points(name, &with), (half_points, games), "{bye} {name}");
        }
        // Bo met Ada (2) and Cy (1½), and the bye counts as an opponent with Bo's own 2 points.
        let bo = with
            .players
            .iter()
            .find(|player| player.name == "Bo")
            .unwrap();
        let buchholz = bo.tie_breaks.quarters(TieBreak::Buchholz);
        assert_eq!(buchholz, Some(4 * 5 + 2), "{bye}");
    }
    let alone = Game::builder().white("?").black("BYE").build();
    assert!(TableEntry::from_game(&alone).is_none());
}

/// Pairing programs give byes another site, or none. They belong to the event nevertheless.
#[test]
fn byes_of_another_site_belong_to_the_event() {
    let table = |sites: &[&str]| {
        let mut tables = Crosstables::new(9);
        let add = |tables: &mut Crosstables, site: &str, black: &str| {
            let game = Game::builder().white("Ada").black(black).event("Open");
            let game = game
                .site(site)
                .date("2024.01.01")
                .result(Outcome::WhiteWins);
            tables.add(TableEntry::from_game(&game.build()).unwrap());
        };
        sites.iter().for_each(|site| add(&mut tables, site, "Bo"));
        add(&mut tables, "https://example.org", "bye");
        let tables = tables.tables(None).unwrap();
        tables
            .iter()
            .map(|it| (it.site.clone(), it.games, it.byes))
            .collect::<Vec<_>>()
    };
    let named = |site: &str, games, byes| (site.to_owned(), games, byes);
    assert_eq!(table(&["Biel"]), [named("Biel", 1, 1)]);
    // Which of several events of one name it is, is unknown.
    assert_eq!(
        table(&["Biel", "Bern"]),
        [
            named("https://example.org", 0, 1),
            named("Bern", 1, 0),
            named("Biel", 1, 0)
        ]
    );
    assert_eq!(table(&[]), [named("https://example.org", 0, 1)]);
}
