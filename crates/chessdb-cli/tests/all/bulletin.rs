//! Tests of the bulletin of a tournament, and of settings of pages that do not fit.

use crate::common::Lab;

/// The games of a round robin of four players, from the last round to the first, as a club files them.
/// The points are 2½, 1½, 1½ and ½; the Sonneborn-Berger numbers, added by hand: 2.75, 2.25, 1.25, 0.75.
const PAIRINGS: [(&str, &str, &str, &str); 6] = [
    ("3.2", "Bea", "Dan", "1/2-1/2"),
    ("3.1", "Ann", "Cid", "1-0"),
    ("2.2", "Dan", "Ann", "0-1"),
    ("2.1", "Cid", "Bea", "1/2-1/2"),
    ("1.2", "Ann", "Bea", "1/2-1/2"),
    ("1.1", "Cid", "Dan", "1-0"),
];

fn games(event: &str) -> String {
    let games = PAIRINGS.iter().map(|(round, white, black, result)| {
        format!(
            "[Event \"{event}\"]\n[Site \"Clubhouse\"]\n[Date \"2024.05.0{}\"]\n[Round \"{round}\"]\n\
             [White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n",
            &round[..1]
        )
    });
    games.collect()
}

/// Returns the texts between tags, without blanks.
fn texts(html: &str) -> Vec<&str> {
    let parts = html.split('<').filter_map(|part| part.split_once('>'));
    let texts = parts.map(|(_, text)| text.trim());
    texts.filter(|text| !text.is_empty()).collect()
}

#[test]
fn the_table_and_the_rounds_of_a_tournament() {
    let lab = Lab::empty();
    lab.write("club.pgn", games("Club & <friends>"));
    lab.run(["convert", "club.pgn", "club.html", "--bulletin"])
        .expect(0);
    let page = lab.text("club.html");
    let title = "Club &amp; &lt;friends&gt;";
    assert!(page.contains(&format!("<h1>{title}</h1>")), "{page}");
    let table = page.split_once("<table class=\"cross\"").unwrap().1;
    let table = texts(table.split_once("</table>").unwrap().0);
    let rows: Vec<&[&str]> = table[8..].chunks(7).collect();
    assert_eq!(
        table[..8],
        ["Player", "1", "2", "3", "4", "Points", "SB", "1"]
    );
    assert_eq!(rows[0], ["Ann", "½", "1", "1", "2½", "2.75", "2"]);
    assert_eq!(rows[1], ["Bea", "½", "½", "½", "1½", "2.25", "3"]);
    assert_eq!(rows[2], ["Cid", "0", "½", "1", "1½", "1.25", "4"]);
    assert_eq!(rows[3][..6], ["Dan", "0", "½", "0", "½", "0.75"]);
    // The rounds in order, each with its games and their results.
    let list = page
        .split_once("<nav")
        .unwrap()
        .1
        .split_once("</nav>")
        .unwrap()
        .0;
    let expected = [
        "Round 1",
        "Cid – Dan",
        "1-0",
        "Ann – Bea",
        "½-½",
        "Round 2",
        "Cid – Bea",
        "½-½",
        "Dan – Ann",
        "0-1",
        "Round 3",
        "Ann – Cid",
        "1-0",
        "Bea – Dan",
        "½-½",
    ];
    assert_eq!(texts(list)[..], expected);
    let headings = page.split("<h2 class=\"round\">").skip(1);
    let headings: Vec<&str> = headings.map(|rest| &rest[.."Round 1".len()]).collect();
    assert_eq!(headings, ["Round 1", "Round 2", "Round 3"]);
    assert_eq!(page.matches("<article").count(), 6);
    // The program prints the same table.
    let stats = lab.run(["stats", "club.pgn", "--crosstable"]).expect(0).out;
    assert!(stats.contains("1 Ann    x ½ 1 1     2½ 2.75"), "{stats}");
}

#[test]
fn tie_breaks_and_the_order_are_chosen() {
    let lab = Lab::empty();
    lab.write("club.pgn", games("Club"));
    let args = ["--bulletin=wins,DE", "--sort", "-round"];
    lab.run(["convert", "club.pgn", "club.html"].iter().chain(&args))
        .expect(0);
    let page = lab.text("club.html");
    assert!(page.contains("<th class=\"n\">Wins</th><th class=\"n\">Direct</th>"));
    let third = page.find("<h2 class=\"round\">Round 3").unwrap();
    assert!(third < page.find("<h2 class=\"round\">Round 1").unwrap());
}

#[test]
fn several_events_have_a_table_each() {
    let lab = Lab::empty();
    lab.write("all.pgn", games("Open B") + &games("Open A"));
    lab.run(["convert", "all.pgn", "all.html", "--bulletin"])
        .expect(0);
    let page = lab.text("all.html");
    assert_eq!(page.matches("<table class=\"cross\"").count(), 2);
    assert!(page.contains("<h1>Open A</h1>"));
    // The headings of the other event name it.
    assert!(page.contains("<h2 class=\"round\">Round 3</h2>"));
    assert!(page.contains("<h2 class=\"round\">Open B, Round 3</h2>"));
}

#[test]
fn matches_are_a_list_and_games_without_players_are_there_too() {
    let lab = Lab::empty();
    let game = |round: u8, white: &str, black: &str, result: &str| {
        format!(
            "[Event \"Match\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
             [Result \"{result}\"]\n\n1. d4 {result}\n\n"
        )
    };
    let match_games = game(1, "Ann", "Bea", "1-0") + &game(2, "Bea", "Ann", "1/2-1/2");
    lab.write("match.pgn", match_games + &game(3, "?", "?", "*"));
    lab.run(["convert", "match.pgn", "match.html", "--bulletin"])
        .expect(0);
    let page = lab.text("match.html");
    assert!(page.contains("1½ – ½</td>"), "{page}");
    assert!(page.contains("<span>? – ?</span> <b>*</b>"), "{page}");
}

/// Values of settings that do not fit are wrong usage, and nothing is written.
#[test]
fn settings_that_do_not_fit_are_wrong_usage() {
    let lab = Lab::new();
    let many: String = (0..30).map(|n| games(&format!("Open {n}"))).collect();
    lab.write("many.pgn", many);
    for (args, reason) in [
        (&["games.si4", "out.html", "--diagrams", "x"][..], "12,20b"),
        (&["games.si4", "out.html", "--diagrams", ""], "12,20b"),
        (
            &["games.si4", "out.html", "--bulletin=elo"],
            "tie-breaks are",
        ),
        (
            &["many.pgn", "out.html", "--bulletin"],
            "more than 10 events",
        ),
        #[cfg(feature = "tables")]
        (
            &["games.si4", "out.csv", "--columns", "no-such column"],
            "column",
        ),
        #[cfg(feature = "parquet")]
        (
            &["games.si4", "out.parquet", "--columns", "nothing"],
            "column",
        ),
        #[cfg(feature = "parquet")]
        (&["games.si4", "out.parquet", "--zstd", "99"], "1 to 22"),
    ] {
        let refused = lab.run(["convert"].iter().chain(args)).expect(2);
        assert!(refused.err.contains(reason), "{args:?}: {}", refused.err);
        assert!(!lab.path(args[1]).exists(), "{args:?}");
    }
    // Another format has no bulletin.
    let refused = lab
        .run(["convert", "games.si4", "out.pgn", "--bulletin"])
        .expect(2);
    assert!(refused.err.contains("bulletin"), "{}", refused.err);
}
