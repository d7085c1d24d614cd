//! Tests of who is counted under a name: the names of one person.

use crate::common::Lab;

/// Returns games, each with a name, the number of its games with White, and its FIDE number.
fn games(names: &[(&str, u32, &str)]) -> String {
    let mut text = String::new();
    for (name, games, number) in names {
        for day in 1..=*games {
            text += &format!(
                "[Event \"Club\"]\n[Date \"2020.05.{day:02}\"]\n[White \"{name}\"]\n\
                 [Black \"Oak, Jim\"]\n[Result \"1-0\"]\n[WhiteFideId \"{number}\"]\n\n1. e4 e5 1-0\n\n"
            );
        }
    }
    text
}

fn lab() -> Lab {
    let lab = Lab::new();
    let names = [
        ("Maple,S", 1, ""),
        ("S. Maple", 1, ""),
        ("Maple, Sue", 3, ""),
        ("MAPLE, SUE", 1, ""),
        ("Maple, Sam", 2, ""),
        ("Ash, Ann", 1, "77"),
        ("Elm, Ann", 1, "77"),
        ("Ash, Lee", 1, "5"),
        ("Lee Ash", 1, "6"),
    ];
    lab.write("alike.pgn", games(&names));
    lab.run(["convert", "-q", "alike.pgn", "alike.si4"])
        .expect(0);
    lab
}

#[test]
fn scores_by_player_join_one_person() {
    let lab = lab();
    for base in ["alike.pgn", "alike.si4"] {
        for (key, others) in [("player", 1), ("white", 0), ("black", 1)] {
            let json = lab
                .run(["stats", base, "--by", key, "--json"])
                .expect(0)
                .json();
            let rows = json["scores"].as_array().unwrap();
            let row = |name: &str| {
                let row = rows.iter().find(|row| row["value"] == name);
                row.map_or(0, |row| row["games"].as_u64().unwrap())
            };
            let white = u64::from(key != "black");
            assert_eq!(rows.len() as u64, others + 6 * white, "{json}");
            let found = [
                "Maple, Sue",
                "MAPLE, SUE",
                "Maple, Sam",
                "Ash, Lee",
                "Lee Ash",
            ]
            .map(row);
            assert_eq!(found, [4, 0, 2, 1, 1].map(|games| white * games), "{json}");
            let joined = json["joined"].as_array().unwrap();
            assert_eq!(joined.len() as u64, 3 * white, "{json}");
        }
    }
    let ran = lab.run(["stats", "alike.pgn", "--by", "player"]).expect(0);
    let note = "chessdb: \"Maple, Sue\" counts the games of \"Maple, Sue\" (3 games), \"MAPLE, SUE\" (1 game)\n";
    assert!(ran.err.contains(note), "{}", ran.err);
    let year = lab.run(["stats", "alike.pgn", "--by", "year", "--json"]);
    assert_eq!(
        year.expect(0).json()["joined"].as_array().map(Vec::len),
        Some(0)
    );
}

#[test]
fn a_whole_name_is_one_person() {
    let lab = lab();
    let names = |list: &serde_json::Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    for (name, games, possible) in [
        (
            "Maple,S",
            2,
            &["Maple, Sue", "Maple, Sam", "MAPLE, SUE"][..],
        ),
        ("Maple, Sue", 4, &["Maple,S", "S. Maple"]),
        ("maple, sue", 4, &["Maple,S", "S. Maple"]),
        ("Maple, Sam", 2, &["Maple,S", "S. Maple"]),
        ("Ash, Lee", 1, &[]),
        ("/^(Maple,S|Maple, Sam)$/", 3, &[]),
        // A part of names counts all that contain it.
        ("maple", 8, &[]),
        ("Maple,Sa", 4, &[]),
    ] {
        for base in ["alike.pgn", "alike.si4"] {
            let stats = lab
                .run(["stats", base, "--player", name, "--json"])
                .expect(0)
                .json();
            assert_eq!(stats["total"]["games"], games, "{name}: {stats}");
            assert_eq!(names(&stats["possible"]), possible, "{name}");
            let report = lab.run(["prepare", base, name, "--json"]).expect(0);
            let json = report.json();
            assert_eq!(json["games"], games, "{name}: {json}");
            assert_eq!(names(&json["possible"]), possible, "{name}");
            assert_eq!(
                report.err.contains("not counted"),
                !possible.is_empty(),
                "{}",
                report.err
            );
            let years = lab.run(["stats", base, "--by", "year", "--player", name, "--json"]);
            assert_eq!(years.expect(0).json()["games"], games, "{name}");
        }
    }
    let err = lab
        .run(["stats", "alike.pgn", "--player", "Maple,S"])
        .expect(0)
        .err;
    let note = "to count \"Maple, Sue\" too, write '/^(Maple,S|S\\. Maple|Maple, Sue)$/'";
    assert!(err.contains(note), "{err}");
    // Standard input is read once, so that a name is a part of names.
    let text = lab.read("alike.pgn");
    let piped = lab.run_with(&text, &["stats", "-", "--player", "Maple,S", "--json"]);
    assert_eq!(piped.expect(0).json()["total"]["games"], 8);
}

#[test]
fn an_abbreviated_name_is_never_counted_silently() {
    let lab = lab();
    for query in ["white:Maple,S", "Maple,S"] {
        for command in ["ls", "find", "tree"] {
            let json = lab
                .run([command, "alike.pgn", query, "--json"])
                .expect(0)
                .json();
            let names = json["spellings"][0]["names"].as_array().unwrap();
            assert_eq!(names.len(), 5, "{command} {query}: {json}");
            assert_eq!(
                (&names[0]["name"], &names[0]["games"]),
                (&"Maple, Sue".into(), &3.into())
            );
        }
        let err = lab.run(["tree", "alike.pgn", query]).expect(0).err;
        assert!(
            err.contains("maple, s stands for \"Maple, Sue\" (3 games)"),
            "{err}"
        );
    }
    let whole = lab.run(["tree", "alike.pgn", "white:\"Maple, Sam\"", "--json"]);
    assert_eq!(
        whole.expect(0).json()["spellings"].as_array().map(Vec::len),
        Some(0)
    );
}
