//! Tests of games that are appended to a database that has copies of them.

use crate::arrange::{LONG, ids, tagged};
use crate::common::Lab;

/// Returns a game with another day and round for each number.
pub(crate) fn numbered(n: u32, moves: &str) -> String {
    let (day, round) = (format!("2024.05.{n:02}"), n.to_string());
    tagged(&[("Date", &day), ("Round", &round)], moves)
}

#[test]
fn games_that_are_appended_are_compared_with_those_there() {
    for format in ["pgn", "si4", "si5", "cbh", "cdp"] {
        let lab = Lab::empty();
        let game = numbered;
        let noted = LONG.replace("2. Nf3", "2. Nf3 {best}");
        let base = format!("base.{format}");
        lab.write(
            "old.pgn",
            (1..=5).map(|n| game(n, LONG)).collect::<String>(),
        );
        lab.run(["convert", "-q", "old.pgn", &base]).expect(0);
        // Two of the old games, one of them with a comment, and two new ones, one of them twice.
        let new = [
            game(2, LONG),
            game(3, &noted),
            game(8, LONG),
            game(9, LONG),
            game(9, LONG),
        ];
        lab.write("new.pgn", new.concat());
        let dry = ["dedupe", "new.pgn", &base, "--append", "--dry-run"];
        let dry = lab.run(dry).expect(0);
        assert_eq!(dry.out.lines().count(), 3, "{format}: {}", dry.out);
        let said = lab
            .run(["merge", "new.pgn", &base, "--append", "--dedupe"])
            .expect(0)
            .err;
        let count = format!(
            "left out 3 duplicates of 5 games; 2 already in {base}, 1 of them poorer\n{base}: 1 game completed"
        );
        assert!(said.contains(&count), "{format}: {said}");
        assert_eq!(ids(&lab, &base, "event:Live"), "1,2,3,4,5,6,7", "{format}");
        assert_eq!(
            ids(&lab, &base, "date:2024.05.08..2024.05.09"),
            "6,7",
            "{format}"
        );
        assert!(lab.run(["cat", &base, "-n", "3"]).out.contains("{best}"));
        // A second run adds nothing.
        let args = ["merge", "-q", "new.pgn", &base, "--append", "--dedupe"];
        lab.run(args);
        assert_eq!(ids(&lab, &base, "event:Live"), "1,2,3,4,5,6,7", "{format}");
        let args = [
            "dedupe",
            "new.pgn",
            &base,
            "--append",
            "--merge-annotations",
        ];
        let refused = lab.run(args).expect(2).err;
        assert!(refused.contains("--merge-annotations"), "{refused}");
    }
}

/// The database keeps its names and everything else; `--prefer` decides about the rest.
#[test]
fn a_better_copy_completes_the_one_in_the_database() {
    // The moves end with the result of the tag.
    let ended = |game: String| {
        if game.contains("[Result \"1-0\"]") {
            game.replace(" *\n", " 1-0\n")
        } else {
            game
        }
    };
    let old = |more: &[(&str, &str)], moves: &str| {
        let own = [
            ("Event", "Club championship"),
            ("Round", "3"),
            ("White", "Alpha, Anna"),
            ("WhiteElo", "1900"),
            ("Date", "2024.05.??"),
        ];
        ended(tagged(&[&own, more].concat(), moves))
    };
    let new = |more: &[(&str, &str)], moves: &str| {
        let own = [
            ("Event", "ch Club"),
            ("Round", "3"),
            ("White", "Alpha,A"),
            ("BlackElo", "1850"),
            ("Date", "2024.05.01"),
        ];
        ended(tagged(&[&own, more].concat(), moves))
    };
    let cut = "1. e4 e5 2. Nf3 {main line} Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7";
    let won: &[(&str, &str)] = &[("Result", "1-0")];
    let other_end = LONG.replace("6. Re1", "6. d3");
    for format in ["pgn", "si4", "si5", "cbh", "cdp", "db3"] {
        for (prefer, base_game, new_game, white, has, code) in [
            (
                "better",
                old(&[], cut),
                new(won, LONG),
                "Alpha, Anna",
                "1-0",
                0,
            ),
            ("base", old(&[], cut), new(won, LONG), "Alpha, Anna", "*", 0),
            ("new", old(won, LONG), new(&[], cut), "Alpha,A", "1-0", 0),
            // The copies end differently: the database stays as it is.
            (
                "better",
                old(&[], LONG),
                new(won, &other_end),
                "Alpha, Anna",
                "*",
                1,
            ),
        ] {
            let lab = Lab::empty();
            let base = format!("base.{format}");
            lab.write("old.pgn", base_game);
            lab.write("new.pgn", new_game);
            lab.run(["convert", "-q", "old.pgn", &base]);
            let args = [
                "merge",
                "new.pgn",
                &base,
                "--append",
                "--dedupe=likely",
                "--prefer",
                prefer,
            ];
            let said = lab.run(args).expect(code).err;
            let cat = lab.run(["cat", &base, "-w", "0", "-n", "1"]).out;
            let white = format!("[White \"{white}\"]");
            let result = format!("[Result \"{has}\"]");
            for part in [&white, &result, "[WhiteElo \"1900\"]"] {
                assert!(cat.contains(part), "{format} {prefer} {part}: {cat}{said}");
            }
            let is_completed = cat.contains("[BlackElo \"1850\"]");
            assert_eq!(
                is_completed,
                said.contains("1 game completed"),
                "{cat}{said}"
            );
            if is_completed {
                assert!(
                    cat.contains("main line") && cat.contains("6. Re1"),
                    "{format} {prefer}: {cat}"
                );
            }
        }
    }
}
