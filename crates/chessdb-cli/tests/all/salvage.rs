//! Tests of `salvage`: the recovered games and the report.

use std::fs;

use crate::common::Lab;

#[test]
fn a_whole_base_comes_out_exactly() {
    let lab = Lab::new();
    let ran = lab.run(["salvage", "games.si4", "again.si4"]).expect(0);
    assert!(ran.err.contains("        3  exact"), "{}", ran.err);
    for suffix in ["si4", "sg4", "sn4"] {
        let (before, after) = (format!("games.{suffix}"), format!("again.{suffix}"));
        assert_eq!(lab.read(&before), lab.read(&after), "{suffix}");
    }
    // A format without special recovery reports its games as exact.
    let ran = lab.run(["salvage", "games.pgn", "again.pgn"]).expect(0);
    assert!(ran.err.contains("        3  exact"), "{}", ran.err);
}

#[test]
fn games_without_their_index_have_no_heads() {
    let lab = Lab::new();
    fs::remove_file(lab.path("games.si4")).unwrap();
    let ran = lab.run(["convert", "games.sg4", "out.pgn"]).expect(3);
    assert!(
        ran.err.contains("`chessdb salvage games.sg4 OUT`"),
        "{}",
        ran.err
    );
    let ran = lab
        .run(["salvage", "games.sg4", "out.pgn", "--report", "out.tsv"])
        .expect(1);
    assert!(
        ran.err
            .contains("        3  with an unknown or uncertain header"),
        "{}",
        ran.err
    );
    let pgn = lab.text("out.pgn");
    assert!(pgn.contains("{Über alles} 1. e4 e5 $1 {best}"), "{pgn}");
    let report = lab.text("out.tsv");
    assert!(report.contains("game\t3\t\t\t\thead-unknown\n"), "{report}");
    assert!(report.contains("base\t"), "{report}");
}

#[test]
fn bytes_without_a_game_are_told() {
    let lab = Lab::new();
    lab.run(["convert", "games.pgn", "games.cbf"]).expect(0);
    let games = lab.read("games.cbf");
    let mut damaged = games.clone();
    damaged.splice(0..0, [0; 40]);
    lab.write("games.cbf", &damaged);
    fs::remove_file(lab.path("games.cbi")).unwrap();
    let ran = lab
        .run(["salvage", "games.cbf", "out.cbf", "--json"])
        .expect(1);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let found = &json["salvage"];
    assert_eq!(found["barren"][0]["file"], "cbf", "{json}");
    assert_eq!(found["barren"][0]["end"], 40, "{json}");
    assert_eq!(found["games"].as_array().unwrap().len(), 3, "{json}");
    assert_eq!(lab.read("out.cbf"), games);
}

#[test]
fn nothing_is_nothing() {
    let lab = Lab::new();
    lab.write("zeros.cbf", [0; 5000]);
    lab.run(["salvage", "-f", "cbf", "zeros.cbf", "out.pgn"])
        .expect(3);
    lab.run(["salvage", "games.si4", "-", "--json"]).expect(2);
}

#[test]
fn every_base_of_a_folder_is_salvaged() {
    let lab = Lab::new();
    fs::create_dir_all(lab.path("coll/sub")).unwrap();
    for suffix in ["sg4", "sn4"] {
        lab.write(
            &format!("coll/lost.{suffix}"),
            lab.read(&format!("games.{suffix}")),
        );
    }
    lab.write("coll/sub/whole.pgn", lab.read("games.pgn"));
    lab.write("coll/zeros.cbf", [0; 5000]);
    lab.write("coll/book.ctg", "x");
    let salvage = [
        "salvage", "coll", "out/", "-t", "pgn", "--report", "out.tsv",
    ];
    let ran = lab.run(salvage).expect(3);
    for said in [
        "        3  with an unknown or uncertain header",
        "coll/book.ctg: a ChessBase position book",
        "coll/zeros.cbf: no games found",
        "\n4 databases, 2 not read\n",
    ] {
        assert!(ran.err.contains(said), "{said}\n{}", ran.err);
    }
    assert!(lab.text("out/lost.pgn").contains("{Über alles} 1. e4"));
    lab.run(["diff", "out/sub/whole.pgn", "games.pgn"])
        .expect(0);
    let report = lab.text("out.tsv");
    assert!(report.starts_with("base\twhat\tgame"), "{report}");
    assert!(
        report.contains("coll/sub/whole.pgn\tgame\t3\t\t\t\texact\n"),
        "{report}"
    );
    let json = lab.run(["salvage", "--force", "--json", "coll", "out/", "-t", "pgn"]);
    let json = json.expect(3).json();
    let bases = json["bases"].as_array().unwrap();
    assert_eq!(bases.len(), 4, "{json}");
    assert_eq!(bases[1]["salvage"]["counts"]["exact"], 3, "{json}");
    assert!(
        bases[2]["error"].is_string() && bases[3]["error"].is_string(),
        "{json}"
    );
    // Several databases are not joined, because the report could not distinguish their games.
    let ran = lab.run(["salvage", "coll", "all.pgn"]).expect(2);
    assert!(
        ran.err.contains("specify one of them, or an output folder"),
        "{}",
        ran.err
    );
}
