//! Tests of `--clean-headers`: the tags of servers' exports, as these servers write them.

use std::fmt::Write as _;

use crate::common::Lab;

type Tags<'t> = &'t [(&'t str, &'t str)];

/// The name of a case, the tags before, and the tags after as far as they change.
const CASES: &[(&str, Tags<'_>, Tags<'_>)] = &[
    (
        "a round of a broadcast as the event",
        &[
            ("Event", "Round 7: Aroshidze Levan - Garriga Cazorla Pere"),
            ("White", "Aroshidze Levan"),
            ("Black", "Garriga Cazorla Pere"),
            ("UTCDate", "2022.11.01"),
            ("BroadcastName", "Campionat Absolut 2022"),
        ],
        &[
            ("Event", "Campionat Absolut 2022"),
            ("Round", "7"),
            ("Date", "2022.11.01"),
        ],
    ),
    (
        "a round of a broadcast without its name, and with boards",
        &[
            ("Event", "Round 1: Aravindh, C - Praggnanandhaa R"),
            ("Round", "1.1"),
            ("White", "Aravindh, C"),
            ("Black", "Praggnanandhaa R"),
            ("StudyName", "Round 1"),
            ("ChapterName", "Aravindh, C - Praggnanandhaa R"),
            ("UTCDate", "2025.06.18"),
        ],
        &[("Event", "?"), ("Date", "2025.06.18")],
    ),
    (
        "players that are only in the event",
        &[("Event", "Round 2: GM Tal, M - Keres, P (2700)")],
        &[
            ("Event", "?"),
            ("Round", "2"),
            ("White", "Tal, M"),
            ("WhiteTitle", "GM"),
            ("Black", "Keres, P"),
            ("BlackElo", "2700"),
        ],
    ),
    (
        "an event that the other tags contradict stays under another name",
        &[
            ("Event", "Round 2: A, B - C, D"),
            ("Round", "3"),
            ("White", "Other, One"),
            ("Black", "C, D"),
        ],
        &[("Event", "?"), ("OldEvent", "Round 2: A, B - C, D")],
    ),
    (
        "a chapter of a study",
        &[
            ("Event", "Endgames: Lucena"),
            ("StudyName", "Endgames"),
            ("ChapterName", "Lucena"),
            ("UTCDate", "2024.01.01"),
        ],
        &[("Event", "Endgames")],
    ),
    (
        "a chapter of an older export",
        &[
            ("Event", "2025: Capablanca - K"),
            ("Site", "https://lichess.org/study/w7W4RA4b/u6BmzBKg"),
            ("UTCDate", "2025.01.04"),
        ],
        &[("Event", "2025"), ("ChapterName", "Capablanca - K")],
    ),
    (
        "a chapter that is no game",
        &[
            ("Event", "Openings: Sicilian - Najdorf"),
            ("StudyName", "Openings"),
            ("ChapterName", "Sicilian - Najdorf"),
        ],
        &[("Event", "Openings")],
    ),
    (
        "a game in a study",
        &[
            ("Event", "rated rapid game"),
            ("StudyName", "Game study"),
            ("ChapterName", "anna61 (1899) - ben2 (1881)"),
        ],
        &[
            ("White", "anna61"),
            ("WhiteElo", "1899"),
            ("Black", "ben2"),
            ("BlackElo", "1881"),
        ],
    ),
    (
        "a match of clubs on chess.com",
        &[
            ("Event", "Team Match"),
            ("Match", "https://www.chess.com/club/matches/live/67890"),
            (
                "ECOUrl",
                "https://www.chess.com/openings/Sicilian-Defense-Open-6.Be3",
            ),
        ],
        &[
            ("Event", "Team Match 67890"),
            ("Opening", "Sicilian Defense Open 6.Be3"),
        ],
    ),
    (
        "an ICCF export",
        &[
            ("Event", "1997 NAPZ/ MPP(F) M-01"),
            ("Site", "ICCF"),
            ("White", "Everitt, Gordon T. (USA)"),
            ("Black", "SIM Wang, Mong Lin (SIN)"),
        ],
        &[
            ("White", "Everitt, Gordon T."),
            ("WhiteCountry", "USA"),
            ("Black", "Wang, Mong Lin"),
            ("BlackCountry", "SIN"),
            ("BlackTitle", "SIM"),
        ],
    ),
    (
        "country, rating and title in any order",
        &[
            ("White", "Tal, M (2700) (LAT)"),
            ("Black", "Keres, P GM (EST) (2690)"),
        ],
        &[
            ("White", "Tal, M"),
            ("WhiteElo", "2700"),
            ("WhiteCountry", "LAT"),
            ("Black", "Keres, P"),
            ("BlackTitle", "GM"),
            ("BlackElo", "2690"),
            ("BlackCountry", "EST"),
        ],
    ),
    (
        "a name that contradicts the tags",
        &[
            ("White", "GM Tal, M (2700)"),
            ("WhiteElo", "2705"),
            ("WhiteTitle", "IM"),
        ],
        &[],
    ),
    (
        "parentheses and words that are part of names",
        &[("White", "Němec, Zdeněk (*1960)"), ("Black", "Im, Sun")],
        &[],
    ),
    (
        "an export of the Lechenicher SchachServer is clean",
        &[
            ("Event", "FO-2009-0-00001"),
            ("Site", "Lechenicher SchachServer"),
            ("Date", "2009.06.13"),
            ("White", "Walker, Jeffrey"),
            ("Black", "Szabo, Eleonora"),
            ("EventDate", "2009.06.13"),
        ],
        &[],
    ),
    (
        "a result in words",
        &[("Result", "White wins")],
        &[("Result", "1-0")],
    ),
    (
        "a result in German",
        &[("Result", "Weiß gewinnt")],
        &[("Result", "1-0")],
    ),
    (
        "a draw in words",
        &[("Result", "Remis.")],
        &[("Result", "1/2-1/2")],
    ),
    (
        "words with a reason",
        &[("Result", "Draw by repetition")],
        &[("Result", "1/2-1/2"), ("OldResult", "Draw by repetition")],
    ),
    (
        "the loser in words",
        &[("Result", "black resigned")],
        &[("Result", "1-0"), ("OldResult", "black resigned")],
    ),
    ("an offer is no draw", &[("Result", "draw offered")], &[]),
    (
        "a result in another spelling",
        &[("Result", "0:1")],
        &[("Result", "0-1")],
    ),
    (
        "a result with more than a score",
        &[("Result", "1-0 ff")],
        &[("Result", "1-0"), ("OldResult", "1-0 ff")],
    ),
    ("an unknown word", &[("Result", "adjourned")], &[]),
];

/// Returns a game with these tags.
fn game(tags: Tags<'_>) -> String {
    let mut text = String::new();
    for (name, value) in tags {
        writeln!(text, "[{name} \"{value}\"]").unwrap();
    }
    text + "\n1. e4 e5\n\n"
}

/// Returns the tags of a game as the program prints them, sorted.
fn tags(lab: &Lab, base: &str, number: usize) -> Vec<String> {
    let printed = lab
        .run(["cat", base, "-n", &number.to_string()])
        .expect(0)
        .out;
    let mut tags: Vec<String> = printed
        .lines()
        .filter(|line| line.starts_with('['))
        .map(str::to_owned)
        .collect();
    tags.sort();
    tags
}

/// Returns the tags before, with the changes.
fn expected(before: &[String], changes: Tags<'_>) -> Vec<String> {
    let mut tags = before.to_vec();
    for (name, value) in changes {
        tags.retain(|tag| !tag.starts_with(&format!("[{name} ")));
        tags.push(format!("[{name} \"{value}\"]"));
    }
    tags.sort();
    tags
}

#[test]
fn values_move_to_their_tags() {
    let lab = Lab::empty();
    let all: String = CASES.iter().map(|(_, before, _)| game(before)).collect();
    lab.write("old.pgn", &all);
    lab.run(["convert", "old.pgn", "new.pgn", "--clean-headers"])
        .expect(0);
    lab.write("place.pgn", &all);
    lab.run(["tag", "place.pgn", "-n", "1-", "--clean-headers"])
        .expect(0);
    for (n, (name, _, changes)) in CASES.iter().enumerate() {
        let wanted = expected(&tags(&lab, "old.pgn", n + 1), changes);
        assert_eq!(tags(&lab, "new.pgn", n + 1), wanted, "{name}");
        assert_eq!(tags(&lab, "place.pgn", n + 1), wanted, "{name}, in place");
    }
    // A clean header stays as it is.
    let again = lab
        .run(["tag", "place.pgn", "-n", "1-", "--clean-headers"])
        .expect(0);
    assert!(again.err.contains("nothing to do"), "{}", again.err);
}

#[test]
fn each_rule_is_reported_with_its_games() {
    let lab = Lab::empty();
    let broadcast = "Round 1: GM A, B - C, D";
    let two = [broadcast, "Round 2: IM A, B - C, D"].map(|event| game(&[("Event", event)]));
    lab.write("old.pgn", two.concat() + &game(&[("White", "Plain")]));
    let lines = "2 games: event instead of a round, a chapter or any match\n\
                 2 games: players from another tag\n\
                 2 games: round from another tag\n\
                 2 games: title moved out of a name\n";
    let preview = lab
        .run([
            "convert",
            "old.pgn",
            "new.pgn",
            "--clean-headers",
            "--dry-run",
        ])
        .expect(0);
    assert!(preview.out.ends_with(lines), "{}", preview.out);
    assert!(!lab.path("new.pgn").exists());
    let before = lab.read("old.pgn");
    let preview = lab
        .run(["tag", "old.pgn", "-n", "1-", "--clean-headers", "--dry-run"])
        .expect(0);
    assert!(
        preview
            .err
            .contains("old.pgn: 2 games: round from another tag"),
        "{}",
        preview.err
    );
    assert!(
        preview.err.contains("2 games would be changed"),
        "{}",
        preview.err
    );
    assert_eq!(lab.read("old.pgn"), before);
    let json = lab
        .run(["convert", "old.pgn", "new.pgn", "--clean", "--json"])
        .expect(0)
        .json();
    let rules = &json["conversions"][0]["cleanedHeaders"];
    assert_eq!(rules[0]["rule"], "event");
    assert_eq!(rules[0]["games"], 2);
    assert_eq!(rules.as_array().unwrap().len(), 4);
    // Games of the database that is appended to stay as they are.
    lab.write("target.pgn", game(&[("White", "GM Old, One")]));
    lab.run([
        "convert",
        "old.pgn",
        "target.pgn",
        "--append",
        "--clean-headers",
    ])
    .expect(0);
    assert!(lab.text("target.pgn").contains("[White \"GM Old, One\"]"));
    // Without a change of a header, that is said.
    let clean = lab
        .run(["convert", "new.pgn", "clean.pgn", "--clean-headers"])
        .expect(0);
    assert!(clean.err.contains("no header to clean"), "{}", clean.err);
}
