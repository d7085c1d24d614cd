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
