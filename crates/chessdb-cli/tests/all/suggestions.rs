//! Suggestions for words that are no commands or options.

use crate::common::Lab;

#[test]
fn mistyped_words_are_answered_with_those_that_exist() {
    let lab = Lab::new();
    for (line, tip) in [
        ("convrt a.pgn b.pgn", "'convert'"),
        ("search games.pgn Tal", "'find'"),
        ("serch games.pgn Tal", "'find'"),
        ("repair games.pgn", "'salvage'"),
        ("ls games.pgn --limt 3", "'--limit'"),
        ("ls games.pgn --player Tal", "player:…"),
        ("cat games.pgn --formt epd", "'--format'"),
        ("bulletin games.pgn", "'convert --bulletin'"),
        ("clean games.pgn", "'tag --clean-headers'"),
    ] {
        let said = lab.run(line.split(' ')).expect(2).err;
        let tips = said.lines().filter(|line| line.contains("tip: "));
        let tips: Vec<&str> = tips.collect();
        assert!(tips.len() == 1 && tips[0].contains(tip), "{line}: {said}");
    }
    let said = lab.run(["xyzzy", "games.pgn"]).expect(2).err;
    assert!(
        said.contains("tip: there is no command, file or database 'xyzzy'"),
        "{said}"
    );
}

#[test]
fn outputs_of_other_programs_are_answered_with_what_they_read() {
    let lab = Lab::new();
    for (output, advice) in [
        ("games.pdf", ".html"),
        ("games.XLSX", ".csv"),
        ("book.bin", "book make"),
        ("games.xyz", "-t"),
    ] {
        let refused = lab.run(["convert", "games.pgn", output]).expect(2).err;
        assert!(refused.contains(advice), "{output}: {refused}");
    }
}

/// Options under the names by which people guess them.
#[test]
fn options_have_the_names_that_people_guess() {
    let lab = Lab::new();
    let random = ["ls", "games.pgn", "--random", "2", "--seed", "1"];
    assert_eq!(lab.run(random).expect(0).out.lines().count(), 2);
    let source = [
        "merge",
        "games.pgn",
        "games.si4",
        "all.pgn",
        "--source",
        "-q",
    ];
    lab.run(source).expect(0);
    assert!(lab.text("all.pgn").contains("[SourceFile \"games.si4\"]"));
    let table = [
        "stats",
        "games.pgn",
        "event:Bled",
        "--crosstable=rounds",
        "--tiebreaks",
        "wins",
    ];
    assert!(lab.run(table).expect(0).out.contains("Wins"));
}

#[test]
#[cfg(not(feature = "parquet"))]
fn a_suffix_of_another_build_is_named() {
    let lab = Lab::new();
    let said = lab.run(["convert", "games.pgn", "games.parquet"]).expect(2);
    assert!(
        said.err.contains("without the feature parquet"),
        "{}",
        said.err
    );
}

#[test]
#[cfg(feature = "parquet")]
fn the_usual_build_writes_and_reads_parquet() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "games.parquet"])
        .expect(0);
    lab.run(["convert", "-q", "games.parquet", "again.pgn"])
        .expect(0);
    lab.run(["diff", "-q", "games.pgn", "again.pgn"]).expect(0);
}
