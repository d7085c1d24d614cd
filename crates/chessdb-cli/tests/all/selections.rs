//! Selections of games: which games a command changes, words that can mean two things, and what is
//! said about them.

use std::fs;
use std::thread;

use serde_json::Value;

use crate::common::{Lab, Ran};

/// Names, events and years of the same words.
const GAMES: &str = r#"[Event "Linares"]
[Date "1990.05.01"]
[White "Ashby,Mi"]
[Black "Quince,Te"]
[WhiteElo "2810"]
[Result "1-0"]

1. e4 e5 1-0

[Event "Club 1990"]
[Date "1991.01.01"]
[White "Miller,Jo"]
[Black "Quince,Te"]
[WhiteElo "2400"]
[Result "0-1"]

1. d4 d5 0-1

[Event "Ashby Memorial"]
[Date "1990.07.01"]
[White "Ashby,Ro"]
[Black "Linares, Jose"]
[WhiteElo "2700"]
[Result "1/2-1/2"]

1. c4 c5 1/2-1/2

[Event "Miller 3"]
[Date "2014.05.02"]
[White "Ashby, M"]
[Black "Miller,Jo"]
[Result "1-0"]

1. e4 c5 1-0

[Event "Club"]
[White "Ashby, Michael"]
[Black "Smith"]
[Result "*"]

1. Nf3 *
"#;

/// Creates a folder with a database, a folder and a database with the names of players.
fn lab() -> Lab {
    let lab = Lab::empty();
    lab.write("games.pgn", GAMES);
    lab.write("Ashby/other.pgn", GAMES);
    lab.write("Quince.pgn", GAMES);
    lab
}

/// The commands that change games, without the database and the selection.
const CHANGES: [&[&str]; 6] = [
    &["tag", "--set", "Annotator=zz9"],
    &["delete"],
    &["undelete"],
    &["flag", "--set", "novelty"],
    &["eco", "--all"],
    &["names", "--rename", "Miller,Jo", "Miller, Joan"],
];

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Pseudo-random numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// A random selection: words of a query, or game numbers.
fn selection(numbers: &mut Numbers) -> Vec<&'static str> {
    const TERMS: [&str; 40] = [
        "Ashby",
        "Miller",
        "Linares",
        "Quince",
        "Smith",
        "player:Ashby,Mi",
        "Ashby,Mi",
        "white:Ashby,Ro",
        "player:Ashby",
        "event:Ashby",
        "event:Miller",
        "-player:Miller,Jo",
        "1990",
        "3",
        "2-4",
        "1991-1995",
        "5",
        "year:1990",
        "elo>2600",
        "tag:WhiteElo>2600",
        "1.e4",
        "line:1.e4",
        "-(event:Club)",
        "result:1-0",
        "\"Ashby\"",
        "player:Nobody",
        "2014.05",
        "E00",
        "Ashby vs Quince",
        "white.elo>2500",
        "round>1",
        "not",
        "-n2,3",
        "-n1-",
        "-Ashby",
        "white:/^ashby/",
        "date:1990..1991.01",
        "Ashby - Quince",
        "Ashby, M",
        "(event:Club or 1991)",
    ];
    let mut pick = |limit: usize| numbers.below(limit);
    let mut words = Vec::new();
    for n in 0..=pick(3) {
        if n > 0 && pick(4) == 0 {
            words.push("or");
        }
        words.push(TERMS[pick(TERMS.len())]);
    }
    words
}

/// A command that changes games changes those that `ls` lists with the same selection, or none.
#[test]
fn the_games_changed_are_those_that_ls_lists() {
    let lab = lab();
    let mut numbers = Numbers(1);
    let selections = (0..500).map(|_| {
        let words = selection(&mut numbers);
        let list = ["ls", "games.pgn", "--columns", "game"];
        let listed = lab.run([&list[..], &words[..]].concat());
        (words, listed)
    });
    let selections: Vec<(Vec<&str>, Ran)> = selections.collect();
    let removing: [&[&str]; 2] = [
        &["flag", "--remove", "novelty"],
        &["tag", "--remove", "WhiteElo"],
    ];
    thread::scope(|scope| {
        for command in CHANGES.into_iter().chain(removing) {
            let selections = &selections;
            scope.spawn(move || compare_with_ls(command, selections));
        }
    });
}

/// Runs a command with every selection, first with `--dry-run`, and compares the games that it
/// changes with those that `ls` listed.
fn compare_with_ls(command: &[&str], selections: &[(Vec<&str>, Ran)]) {
    let lab = lab();
    let run = |words: &[&str], options: &[&str]| {
        let database = [command[0], "games.pgn"];
        lab.run([&database[..], words, &command[1..], options].concat())
    };
    let all = ["-q", "-n", "1-"];
    match command {
        ["undelete"] => lab.run([&["delete", "games.pgn"], &all[..]].concat()),
        ["flag", "--remove", flag] => {
            lab.run([&["flag", "games.pgn", "--set", flag], &all[..]].concat())
        }
        _ => lab.run(["ls", "games.pgn"]),
    }
    .expect(0);
    let before = lab.text("games.pgn");
    run(&[], &all).expect(0);
    // A command leaves games alone that are already as requested.
    let changeable = changed_games(&before, &lab.text("games.pgn"));
    assert!(!changeable.is_empty(), "{command:?}");
    let (mut compared, mut refused) = (0, 0);
    for (words, listed) in selections {
        lab.write("games.pgn", &before);
        let dry = run(words, &["--dry-run", "--json"]);
        assert_eq!(lab.text("games.pgn"), before, "{command:?} {words:?}");
        let ran = run(words, &["-q"]);
        let changed = changed_games(&before, &lab.text("games.pgn"));
        assert_eq!(dry.code, ran.code, "{command:?} {words:?}: {}", dry.err);
        if ran.code >= 2 {
            assert!(changed.is_empty(), "{command:?} {words:?}: {changed:?}");
            refused += 1;
            continue;
        }
        assert!(listed.code <= 1, "{command:?} {words:?}: {}", listed.err);
        let listed = listed.out.lines().map(|line| line.parse().unwrap());
        let expected: Vec<u64> = listed.filter(|game| changeable.contains(game)).collect();
        assert_eq!(changed, expected, "{command:?} {words:?}");
        let dry = json(&dry);
        let bases = dry["bases"].as_array().or(dry["conversions"].as_array());
        let first = bases.unwrap()[0]["first"].as_array();
        let first: Vec<u64> = first.map_or(Vec::new(), |games| {
            games.iter().map(|game| game.as_u64().unwrap()).collect()
        });
        assert_eq!(first, expected, "{command:?} {words:?}");
        compared += 1;
    }
    assert!(compared > 150 && refused > 50, "{compared} {refused}");
}

/// Returns the numbers of the games with a different text.
fn changed_games(before: &str, after: &str) -> Vec<u64> {
    let [before, after] = [before, after].map(|text| text.split("[Event ").collect::<Vec<_>>());
    assert_eq!(before.len(), after.len());
    let pairs = (0..).zip(before.iter().zip(&after));
    let changed = pairs.filter(|(_, (before, after))| before != after);
    changed.map(|(number, _)| number).collect()
}

/// Words that can mean two things: the reading command and what it says, and the answer of every
/// command that changes games.
#[test]
fn a_command_that_changes_games_never_guesses() {
    let lab = lab();
    for (words, answer) in [
        (&["Ashby"][..], "./Ashby, for the word player:Ashby"),
        (&["player:Smith", "Ashby"], "player:Ashby"),
        (&["-Ashby"], "player:Ashby"),
        (&["Quince"], "database"),
        (&["1990"], "-n 1990 or year:1990"),
        (&["1990-1995"], "-n 1990-1995 or year:1990..1995"),
        (&["1990,2000"], "year:1990,2000"),
        (&["1990..1995"], "year:1990..1995"),
        (&["Smith", "1990"], "year:1990"),
        (&["Smith", "3"], "-n 3 or event:3"),
        (&["Linares"], "player:Linares or event:Linares"),
        (&["Smith J"], "Tal,M"),
        (&["Smith", "Mi"], "player:Mi"),
        (&["..1990"], "year:..1990"),
        (
            &["player:Ashby,Mi,Quince,Te"],
            "player:Ashby,Mi or player:Quince,Te",
        ),
        (&["opening:B20"], "eco:B20"),
        (&["white.name:Ashby"], "unknown key"),
        (&["3", "-n", "2"], "selected twice"),
        (&[], "-n 1-"),
    ] {
        for command in CHANGES {
            let line = [&command[..1], &["games.pgn"], words, &command[1..]].concat();
            let ran = lab.run(&line);
            // These commands take a word after the database as their output.
            let is_output = matches!(words, [word, ..] if word.starts_with(char::is_uppercase));
            if matches!(command[0], "eco" | "names") && is_output {
                assert_ne!(ran.code, 0, "{line:?}");
                assert_eq!(lab.text("games.pgn"), GAMES, "{line:?}");
                continue;
            }
            assert_eq!(ran.code, 2, "{line:?}: {}", ran.err);
            assert!(ran.err.contains(answer), "{line:?}: {}", ran.err);
            assert_eq!(lab.text("games.pgn"), GAMES, "{line:?}");
        }
    }
    // All games, if they are asked for.
    for command in CHANGES {
        let line = [
            &command[..1],
            &["games.pgn", "-n", "1-", "-q"],
            &command[1..],
        ]
        .concat();
        lab.run(&line).expect(0);
    }
}

/// One meaning of a bare number and a bare word in all commands that read.
#[test]
fn numbers_and_words_have_one_meaning() {
    let lab = lab();
    let lines = |words: &[&str]| lab.run(words).out.lines().count();
    for command in ["ls", "cat", "stats", "tree", "find", "show"] {
        let run = |words: &[&str]| lab.run([&[command, "games.pgn"], words].concat());
        let (number, option) = (run(&["2"]).expect(0), run(&["-n", "2"]).expect(0));
        assert_eq!(number.out, option.out, "{command}");
        let (year, term) = (run(&["1990"]).expect(0), run(&["year:1990"]).expect(0));
        assert_eq!(year.out, term.out, "{command}");
        assert!(year.err.contains("-n 1990"), "{command}: {}", year.err);
        let folder = run(&["Ashby"]);
        assert!(
            folder.err.contains("player:Ashby"),
            "{command}: {}",
            folder.err
        );
    }
    assert_eq!(lines(&["ls", "games.pgn", "2-3"]), 2);
    assert_eq!(lines(&["ls", "games.pgn", "2..3"]), 2);
    assert_eq!(lines(&["ls", "games.pgn", "4.."]), 2);
    for result in ["1-0", "0-1", "1/2-1/2", "\u{bd}-\u{bd}"] {
        let games = match result {
            "1-0" => 2,
            _ => 1,
        };
        assert_eq!(lines(&["ls", "games.pgn", result]), games, "{result}");
        let dry = lab
            .run(["delete", "games.pgn", result, "--dry-run"])
            .expect(0);
        assert_eq!(dry.out.lines().count(), games, "{result}");
    }
    assert_eq!(lines(&["ls", "games.pgn", "-n", "2..3,5"]), 3);
    assert_eq!(lines(&["ls", "games.pgn", "1990,1991"]), 3);
    lab.run(["convert", "-q", "games.pgn", "out.pgn", "Smith"])
        .expect(0);
    assert_eq!(lines(&["ls", "out.pgn"]), 1);
    lab.run(["convert", "-q", "--force", "games.pgn", "new.pgn", "2-3"])
        .expect(0);
    assert_eq!(lines(&["ls", "new.pgn"]), 2);
    let ran = lab
        .run(["convert", "games.pgn", "o.pgn", "Ashby"])
        .expect(2);
    assert!(ran.err.contains("player:Ashby"), "{}", ran.err);
}

/// Searches that found nothing without a word: the number of games, or what is said instead.
#[test]
fn values_match_or_are_answered() {
    let lab = lab();
    for (words, answer) in [
        (&["player:Ashby,Mi"][..], Ok(3)),
        (&["Ashby,Mi"], Ok(3)),
        (&["player:Ashby, M"], Ok(3)),
        (&["player:\"Ashby,Mi\""], Ok(3)),
        (&["player:ashby,michael"], Ok(1)),
        (&["player:\"Ashby,Mi\",\"Miller,Jo\""], Ok(4)),
        (&["tag:WhiteElo>2600"], Ok(2)),
        (&["tag:WhiteElo=2600..2900"], Ok(2)),
        (&["white.elo>2600"], Ok(2)),
        (&["wei\u{df}:Ashby"], Ok(4)),
        (&["opening:B20"], Err("eco:B20")),
        (&["1.e4 e5"], Ok(1)),
        (&["1.e4", "c5"], Ok(1)),
        (&["1.", "e4", "c5"], Ok(1)),
        (&["e2e4"], Ok(2)),
        (&["line:1.e4", "c5"], Ok(1)),
        (&["2014.05"], Ok(1)),
        (&["02.05.2014"], Err("2014.05.02")),
        (&["02/05/2014"], Err("2014.05.02")),
        (&["2014/05/02"], Ok(1)),
        (&["2014.."], Ok(1)),
        (&["..1990"], Ok(2)),
        (&["1990.06.."], Ok(3)),
        (&["1990.06..1991"], Ok(2)),
        (&["2014-5"], Err("date:2014-5 matches 1 game")),
        (&["tag:WhiteElo=27xx"], Err("a rating is a number")),
        (&["tag:WhiteElo=?"], Ok(0)),
        (&["round>3"], Ok(0)),
        (&[">2600"], Err("elo>2600")),
    ] {
        let ran = lab.run([&["find", "games.pgn", "--count"], words].concat());
        match answer {
            Ok(games) => assert_eq!(ran.out.trim(), games.to_string(), "{words:?}: {}", ran.err),
            Err(part) => assert!(ran.err.contains(part), "{words:?}: {}", ran.err),
        }
    }
    let tree = |words: &[&str]| lab.run([&["tree", "games.pgn"], words].concat());
    let expected = tree(&["--line", "1.e4 c5"]).out;
    for words in [
        &["1.e4", "c5"][..],
        &["1.e4 c5"],
        &["--line", "e2e4", "c7c5"],
        &["--line", "1.e4", "c5"],
        &["1.", "e4", "c5"],
    ] {
        assert_eq!(tree(words).out, expected, "{words:?}");
    }
}

/// Names that are spelled almost alike are shown also if few games are found, with true numbers.
#[test]
fn near_names_are_shown_if_few_games_match() {
    let lab = Lab::empty();
    let game = |white: &str| format!("[Event \"E\"]\n[White \"{white}\"]\n\n1. e4 *\n\n");
    let games = game("Kasparov, Garry") + &game("Kasparov,G").repeat(20) + &game("Smith").repeat(9);
    lab.write("games.pgn", games);
    lab.run(["convert", "-q", "games.pgn", "games.si4"])
        .expect(0);
    for base in ["games.pgn", "games.si4"] {
        let ran = lab.run(["find", base, "player:Kasparov, Garry"]).expect(0);
        let (near, games) = ("did you also mean \"Kasparov,G\"", "(21 games)");
        assert!(
            ran.err.contains(near) && ran.err.contains(games),
            "{}",
            ran.err
        );
        let ran = lab.run(["find", base, "Smith"]).expect(0);
        assert_eq!(ran.err, "", "{base}");
        let ran = lab.run(["find", base, "Kasparow"]).expect(1);
        assert!(
            ran.err.contains("\"Kasparov,G\" (20 games)"),
            "{base}: {}",
            ran.err
        );
        // Never for positions.
        let ran = lab.run(["find", base, "fen:8/8/8/8/8/8/8/8"]).expect(1);
        assert_eq!(ran.err, "chessdb: no matching game\n", "{base}");
    }
}

/// `--dry-run` of the commands that write databases.
#[test]
fn a_dry_run_writes_nothing() {
    let lab = lab();
    lab.run(["delete", "-q", "games.pgn", "-n", "2"]).expect(0);
    let before = (lab.names(), lab.text("games.pgn"));
    for (line, answer) in [
        ("compact games.pgn", "1 game would be removed"),
        ("sort games.pgn --by -date", "5 games would be written"),
        (
            "convert games.pgn new.si4 player:Ashby,Mi",
            "3 games would be written",
        ),
        (
            "convert games.pgn Quince.pgn --append",
            "5 games would be written",
        ),
        (
            "merge games.pgn Quince.pgn all.pgn",
            "5 games would be written",
        ),
        ("eco games.pgn new.pgn", "5 games would be written"),
        ("eco games.pgn -n 2,3", "2 games would be changed"),
        ("dedupe games.pgn Quince.pgn once.pgn", "would leave out"),
        (
            "split games.pgn --by year -o parts",
            "4 databases would be written",
        ),
    ] {
        let ran = lab.run(line.split(' ').chain(["--dry-run"])).expect(0);
        assert!(ran.err.contains(answer), "{line}: {}", ran.err);
        assert_eq!((lab.names(), lab.text("games.pgn")), before, "{line}");
    }
    assert!(!fs::exists(lab.path("parts")).unwrap());
}
