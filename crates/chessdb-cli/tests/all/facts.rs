//! Tests of format-specific facts about a database in `info` and `check`.

use crate::common::{GAMES, Lab, set_editor};

/// Creates a database of three games with a modified index.
fn changed(index: &str, change: impl Fn(&mut [u8])) -> Lab {
    let lab = Lab::empty();
    lab.write("games.pgn", GAMES);
    lab.run(["convert", "-q", "games.pgn", index]).expect(0);
    let mut bytes = lab.read(index);
    change(&mut bytes);
    lab.write(index, bytes);
    lab
}

/// Returns the line of `info` with this title.
fn fact(lab: &Lab, name: &str, title: &str) -> Option<String> {
    let text = lab.run(["info", name]).expect(0).out;
    let mut lines = text.lines().map(str::trim_start);
    let line = lines.find_map(|line| line.strip_prefix(title))?;
    Some(line.trim().to_owned())
}

#[test]
fn info_states_type_and_autoload_of_scid() {
    let lab = changed("x.si4", |index| (index[13], index[19]) = (15, 2));
    assert_eq!(fact(&lab, "x.si4", "type").unwrap(), "15, tactics");
    assert_eq!(
        fact(&lab, "x.si4", "autoload").unwrap(),
        "2, game 2 in Scid 4.7 and later, game 1 in older programs"
    );
    let json = lab.run(["info", "--json", "x.si4"]).expect(0).out;
    assert!(
        json.contains(r#""remarks":[{"title":"type","text":"15, tactics"}"#),
        "{json}"
    );
}

#[test]
fn info_states_which_game_opens_first_in_dcx() {
    let lab = changed("x.dci", |_| {});
    assert_eq!(fact(&lab, "x.dci", "opens first"), None);
    let lab = changed("x.dci", |index| index[18] = 19 + 39);
    assert_eq!(fact(&lab, "x.dci", "opens first").unwrap(), "game 2");
}

/// One game in which a8 is promoted with code 4: a rook for programs, a queen in the published
/// text.
#[test]
fn promotions_of_dcx_are_stated_and_can_be_chosen() {
    let lab = Lab::empty();
    lab.write(
        "games.pgn",
        "[FEN \"8/P6k/8/8/8/8/7K/8 w - - 0 1\"]\n\n1. a8=R Kg6 2. Rg8+ *\n",
    );
    lab.run(["convert", "-q", "games.pgn", "x.dci"]).expect(0);
    let cat = |numbering: &[&str]| {
        let args = [&["cat", "x.dci"][..], numbering].concat();
        lab.run(args).expect(0).out
    };
    for (numbering, piece) in [
        (&[][..], "a8=R"),
        (&["--dcx-promotions", "auto"], "a8=R"),
        (&["--dcx-promotions", "program"], "a8=R"),
        (&["--dcx-promotions", "seed"], "a8=Q"),
        (&["--dcx-promotions=published"], "a8=Q"),
    ] {
        let text = cat(numbering);
        assert!(text.contains(piece), "{numbering:?}: {text}");
    }
    lab.run(["cat", "x.dci", "--dcx-promotions", "queen"])
        .expect(2);
    let info = fact(&lab, "x.dci", "promotions").unwrap();
    assert!(info.starts_with("1 read as programs number them"), "{info}");
    assert!(info.contains("1 would be another piece"), "{info}");
    let check = lab.run(["check", "x.dci"]).expect(0).out;
    assert!(
        check.contains("1 promotion is possible with both"),
        "{check}"
    );
    assert!(
        check.contains("x.dci: promotions: 1 read as programs"),
        "{check}"
    );
    let check = lab
        .run(["check", "x.dci", "--dcx-promotions", "seed"])
        .expect(0)
        .out;
    assert!(
        check.contains("1 read as the published text numbers them"),
        "{check}"
    );
    // The option does not affect other formats.
    lab.run(["cat", "games.pgn", "--dcx-promotions", "seed"])
        .expect(0);
    lab.run([
        "convert",
        "-q",
        "x.dci",
        "x.pgn",
        "--dcx-promotions",
        "seed",
    ])
    .expect(0);
    assert!(lab.text("x.pgn").contains("a8=Q"));
}

/// The texts of jose are written after their codes on request.
#[test]
fn texts_of_jose_can_be_written_inline() {
    let lab = Lab::empty();
    lab.write("games.pgn", GAMES);
    lab.run([
        "convert",
        "-q",
        "games.pgn",
        "x.sql",
        "--jose-texts",
        "inline",
    ])
    .expect(0);
    assert!(lab.text("x.sql").contains("GameText"));
    let cat = |name: &str| lab.run(["cat", name]).expect(0).out;
    lab.run(["convert", "-q", "games.pgn", "y.sql"]).expect(0);
    assert!(!lab.text("y.sql").contains("GameText"));
    assert_eq!(cat("x.sql"), cat("y.sql"));
}

/// Rating, birthday and sex of players: as a list, as JSON, and in a file.
#[test]
fn details_of_players_are_listed_and_exported() {
    let lab = Lab::empty();
    lab.write(
        "games.pgn",
        "[White \"Tal, Mihail\"]\n[Black \"Gaprindashvili, Nona\"]\n\n1. e4 *\n",
    );
    lab.run(["convert", "-q", "games.pgn", "x.cdp"]).expect(0);
    lab.run(["names", "--details", "x.cdp"]).expect(1);
    let mut names = lab.read("x.emb");
    // Rows of ten bytes; the first one belongs to the empty name.
    let birthday = |year: u32, month: u32, day: u32| (year * 13 + month) * 32 + day;
    let row = |rating: u16, fide: u32, born: u32, sex: u8| {
        let mut row = rating.to_le_bytes().to_vec();
        row.extend(fide.to_le_bytes());
        row.extend(&born.to_le_bytes()[..3]);
        row.push(sex);
        row
    };
    let rows = [
        row(0, 0, 0, 0),
        row(2705, 11_600_001, birthday(1936, 11, 9), 1),
        row(0, 0, birthday(1941, 0, 0), 2),
    ]
    .concat();
    let at = players_d00(&names).unwrap();
    names[at..at + 30].copy_from_slice(&rows);
    lab.write("x.emb", names);
    let table = lab.run(["names", "--details", "x.cdp"]).expect(0).out;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "Name\tTitle\tRating\tFideId\tBirthday\tSex");
    assert!(
        lines[1..].contains(&"Tal, Mihail\t\t2705\t11600001\t1936.11.09\tmale"),
        "{table}"
    );
    assert!(
        lines[1..].contains(&"Gaprindashvili, Nona\t\t\t\t1941.??.??\tfemale"),
        "{table}"
    );
    let json = lab
        .run(["names", "--details", "--json", "x.cdp"])
        .expect(0)
        .json();
    assert_eq!(json["players"][0]["rating"], 2705);
    lab.run(["names", "--players", "p.csv", "x.cdp"]).expect(0);
    assert!(
        lab.text("p.csv")
            .contains("\"Tal, Mihail\",,2705,11600001,1936.11.09,male\n")
    );
    // An existing file is replaced only on request.
    // A file of the database is never replaced.
    let own = lab.run(["names", "--force", "--players", "x.d00", "x.cdp"]);
    own.expect(4);
    assert_ne!(lab.run(["names", "--players", "p.csv", "x.cdp"]).code, 0);
    lab.run(["names", "--players", "p.csv", "--force", "x.cdp"])
        .expect(0);
    let info = fact(&lab, "x.cdp", "players").unwrap();
    assert_eq!(
        info,
        "2 with rating, FIDE number, birthday or sex: `chessdb names --details`"
    );
}

/// Returns the offset of Players.d00 in an EMB file that this program wrote as one fragment.
fn players_d00(emb: &[u8]) -> Option<usize> {
    let name = b"Players.d00\0";
    let entry = emb.windows(name.len()).position(|bytes| bytes == name)? - 28;
    let number = |at: usize| u32::from_le_bytes(emb[at..at + 4].try_into().unwrap()) as usize;
    let table = number(entry + 12);
    Some(number(table + 4))
}

/// Folders and selections of Chess Assistant.
#[test]
fn info_names_what_is_in_files_of_chess_assistant() {
    let lab = Lab::empty();
    lab.write("games.pgn", GAMES);
    lab.run(["convert", "-q", "games.pgn", "x.cdp"]).expect(0);
    lab.write("x.a01", [1, 0, 0, 0, 9, 0, 0, 0]);
    lab.write("x.d01", *b"?Openings");
    lab.write("x.axx", [1]);
    let folders = fact(&lab, "x.cdp", "folders").unwrap();
    assert_eq!(
        folders,
        "A01: 2 addresses, probably of folders created by the user"
    );
    let other = fact(&lab, "x.cdp", "other file").unwrap();
    assert_eq!(other, "AXX: 1 bytes without a known meaning");
}

/// Changes in place leave unused bytes, which `info` counts and `compact` removes.
#[test]
fn compact_removes_what_changes_left() {
    for (name, files) in [
        ("x.dci", &["dci", "dcn", "dcs", "dce", "dcg"][..]),
        ("x.cbf", &["cbi", "cbf"]),
    ] {
        let lab = Lab::empty();
        // More entries than fit into the first 4,096 bytes.
        lab.write("games.pgn", GAMES.repeat(50));
        lab.run(["convert", "-q", "games.pgn", name]).expect(0);
        let bytes = |stem: &str| {
            let file = |suffix: &&str| lab.read(&format!("{stem}.{suffix}"));
            files.iter().map(file).collect::<Vec<_>>()
        };
        let listed = || {
            lab.run(["ls", name, "-n", "1-"])
                .expect(0)
                .out
                .lines()
                .count()
        };
        let new = bytes("x");
        assert_eq!(fact(&lab, name, "unused"), None);
        for (number, edits) in [
            ("148", "Tal/Nezhmetdinov\nNd2/Nf3"),
            ("2", "Nf3/Nc3"),
            ("148", "Nf3/Nd2"),
        ] {
            let mut command = lab.command();
            set_editor(&mut command, edits).args(["edit", name, "-n", number]);
            crate::common::Ran::of(command.output().unwrap()).expect(0);
        }
        lab.run(["undo", name]).expect(0);
        lab.run(["tag", name, "-n", "7", "--set", "Event=Riga"])
            .expect(0);
        lab.run(["delete", name, "-n", "9"]).expect(0);
        assert_eq!(listed(), 150);
        for ((old, changed), file) in new.iter().zip(bytes("x")).zip(files) {
            let differing = old.iter().zip(&changed).filter(|(old, new)| old != new);
            assert!(
                changed.len() >= old.len() && differing.count() < 50,
                "{file}"
            );
        }
        let list = lab.run(["ls", name, "-n", "7,9,148"]).expect(0).out;
        let lines: Vec<&str> = list.lines().collect();
        assert!(lines[0].contains("Riga"), "{list}");
        assert!(lines[1].contains("deleted"), "{list}");
        assert!(lines[2].contains("Nezhmetdinov"), "{list}");
        lab.run(["check", name]).expect(0);
        let unused = fact(&lab, name, "unused").unwrap();
        assert!(unused.contains(" byte"), "{unused}");
        lab.run(["compact", "-q", name]).expect(0);
        assert_eq!(fact(&lab, name, "unused"), None);
        assert_eq!(listed(), 149);
        let fresh = name.replace('x', "fresh");
        lab.run(["convert", "-q", name, &fresh]).expect(0);
        assert_eq!(bytes("x"), bytes("fresh"));
    }
}
