//! Games that pass through a table equal games that pass through PGN.

use chessdb_core::options::Allow;
use chessdb_core::store::Origin;
use chessdb_core::{
    FileSet, Format, Game, LossKind, MemorySet, ReadOptions, Severity, WriteOptions,
};
use chessdb_parquet::{PARQUET, PARQUET_FILE};
use chessdb_pgn::{GameText, Layout, PGN, PGN_FILE};
use chessdb_testkit::{fixtures, identity, readings, strategy};
use proptest::prelude::*;

/// Returns the games of a PGN text.
fn games_of(text: &[u8]) -> Vec<Game> {
    let set: MemorySet = [(PGN_FILE, text.to_vec())].into_iter().collect();
    identity::open_all(&PGN, &set)
}

fn written(format: &Format, games: &[Game], settings: &[(&'static str, &str)]) -> MemorySet {
    let mut options = WriteOptions::default().with_allowed(Allow::Everything);
    for (name, value) in settings {
        options = options.with_setting(name, *value);
    }
    let mut files = MemorySet::new();
    let mut writer = format.create.unwrap()(&mut files, options).unwrap();
    for game in games {
        let losses = writer.write(game).unwrap();
        assert_eq!(losses, writer.assess(game));
    }
    assert_eq!(writer.finish().unwrap(), games.len() as u32);
    files
}

fn pgn(games: &[Game]) -> String {
    let mut text = Vec::new();
    let mut writer = GameText::new(Layout::default());
    for game in games {
        writer.append(game, &mut text);
    }
    String::from_utf8(text).unwrap()
}

/// Sorts the tags of each game, since tables preserve the order only of tags without a column.
fn with_sorted_tags(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for header in lines.split_mut(|line| !line.starts_with('[')) {
        header.sort();
    }
    lines
}

fn same_as_through_pgn(games: &[Game]) {
    let through_pgn = games_of(pgn(games).as_bytes());
    let table = written(&PARQUET, games, &[]);
    let through_table = identity::open_all(&PARQUET, &table);
    assert_eq!(through_pgn.len(), through_table.len());
    let (from_pgn, from_table) = (pgn(&through_pgn), pgn(&through_table));
    assert_eq!(with_sorted_tags(&from_pgn), with_sorted_tags(&from_table));
    // Equal games give equal bytes.
    assert!(table == written(&PARQUET, games, &[]));
    readings::check(&PARQUET, &table, &ReadOptions::default());
}

#[test]
fn fixtures_are_what_they_are_through_pgn() {
    let mut count = 0;
    for folder in ["pgn/clean", "pgn/edge"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            let games = games_of(&fixtures::read(&path));
            count += games.len();
            same_as_through_pgn(&games);
        }
    }
    assert!(count > 50);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_games(seed in any::<u64>()) {
        let options = strategy::GameOptions::all();
        let games: Vec<Game> = (0..3).map(|n| strategy::game(seed.wrapping_add(n), &options)).collect();
        same_as_through_pgn(&games);
    }

    /// A tag of a typed column is restored, even if its value is not valid.
    #[test]
    fn odd_spellings(
        values in prop::collection::vec((0_usize..18, "[-+0-9.:?/A-Za-z \\\\\"]{0,12}"), 0..12),
    ) {
        const NAMES: [&str; 18] = [
            "Event", "White", "Result", "Date", "Round", "WhiteElo", "BlackElo", "WhiteRapid",
            "WhiteRatingDiff", "UTCDate", "UTCTime", "ECO", "EventDate", "WhiteFideId", "FEN",
            "ScidFlags", "WhiteTitle", "Own",
        ];
        let mut text = String::new();
        let (mut seen, mut repeated) = ([false; 18], false);
        for (name, value) in &values {
            // More than one repeated tag begins another game (docs/SHORTCOMINGS.md).
            if std::mem::replace(&mut seen[*name], true) && std::mem::replace(&mut repeated, true) {
                continue;
            }
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("[{} \"{value}\"]\n", NAMES[*name]));
        }
        same_as_through_pgn(&games_of(format!("{text}\n1. e4 *\n").as_bytes()));
    }
}

#[test]
fn usual_values_are_not_kept_twice() {
    let text = "[White \"A\"]\n[Date \"2020.07.01\"]\n[WhiteElo \"2690\"]\n[WhiteRatingDiff \"+5\"]\n\
        [UTCDate \"2020.07.01\"]\n[UTCTime \"23:01:02\"]\n[Own \"x\"]\n\n1. e4 *\n";
    let files = written(
        &PARQUET,
        &games_of(text.as_bytes()),
        &[("columns", "headers")],
    );
    // Without the column `tags` only the tag that has no column of its own is lost.
    let again = pgn(&identity::open_all(&PARQUET, &files));
    assert!(again.contains("[UTCTime \"23:01:02\"]") && again.contains("[WhiteRatingDiff \"+5\"]"));
    assert!(!again.contains("Own"));
}

#[test]
fn packed_moves_suffice_and_what_they_lack_is_counted() {
    let text = "[White \"A\"]\n[Own \"x\"]\n\n1. e4 {best} e5 (1... c5 2. Nf3) 2. Nf3 $1 Nc6 \
        3. Bb5 {[%clk 0:01:00]} Nf6 4. O-O *\n\n\
        [FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=N -- 2. Nb6 1-0\n";
    let games = games_of(text.as_bytes());
    let mut files = MemorySet::new();
    let options = WriteOptions::default().with_allowed(Allow::Everything);
    let options = options.with_setting("columns", "moves");
    let mut writer = PARQUET.create.unwrap()(&mut files, options).unwrap();
    let losses = writer.write(&games[0]).unwrap();
    for kind in [
        LossKind::Comment,
        LossKind::Variation,
        LossKind::Nag,
        LossKind::Clock,
        LossKind::Tag,
    ] {
        assert_eq!(losses.count(kind), 1, "{kind}");
    }
    writer.write(&games[1]).unwrap();
    writer.finish().unwrap();
    let again = identity::open_all(&PARQUET, &files);
    for (before, after) in games.iter().zip(&again) {
        assert_eq!(before.sans(), after.sans());
        assert_eq!(before.start(), after.start());
    }
}

#[test]
fn a_table_without_games_is_one() {
    let files = written(&PARQUET, &[], &[("zstd", "19"), ("positions", "yes")]);
    assert!(identity::open_all(&PARQUET, &files).is_empty());
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (name, value) in [("columns", "White,Bleck"), ("zstd", "90"), ("zstd", "much")] {
        let options = WriteOptions::default().with_setting(name, value);
        assert!(PARQUET.create.unwrap()(&mut MemorySet::new(), options).is_err());
    }
}

#[test]
fn a_game_that_was_damaged_says_so() {
    let mut files = MemorySet::new();
    let mut writer = PARQUET.create.unwrap()(&mut files, WriteOptions::default()).unwrap();
    let game = Game::builder().sans(["e4"]).unwrap().build();
    let origin = Origin::new(7)
        .of_base(Some("old.cbf"))
        .with_fault(Some("no such move"));
    writer.note_origin(origin);
    writer.write(&game).unwrap();
    writer.write(&game).unwrap();
    writer.finish().unwrap();
    let mut messages = Vec::new();
    chessdb_core::format::check(&PARQUET, &files, &ReadOptions::default(), &mut |finding| {
        messages.push((finding.severity, finding.at.game, finding.kind.to_string()))
    });
    let text = "the table reports an error for this game: no such move".to_owned();
    assert_eq!(messages, [(Severity::Note, Some(1), text)]);
    assert!(
        files
            .get(PARQUET_FILE)
            .unwrap()
            .windows(7)
            .any(|bytes| bytes == b"old.cbf")
    );
}
