//! Conversions of external databases and random games into every format and back, compared with the
//! announced losses.
//!
//! The repository's own databases are covered by `roundtrip`.

use chessdb::Format;
use chessdb::core::{Game, ReadOptions, Scratch};
use chessdb_proof::bases::examine;
use chessdb_proof::hop::{Model, Outcome, both_ways, into_format};
use chessdb_proof::matrix::targets;
use chessdb_testkit::fixtures;
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::time::one_of;

/// Converts games into every format and back; returns the outcome for each target.
fn through_every_format(what: &str, source: &'static Format, model: &Model) -> Vec<Outcome> {
    let ways = targets().map(|target| {
        let mut outcomes = (Outcome::default(), Outcome::default());
        both_ways(what, model, source, target, &mut outcomes);
        println!("{what} to {}: {:?}", target.id, outcomes.0.losses);
        outcomes.0.problem_count += outcomes.1.problem_count;
        outcomes.0.problems.extend(outcomes.1.problems);
        outcomes.0
    });
    ways.collect()
}

/// Fails with the first problems of each conversion, if there are any.
pub(crate) fn no_problems<'o>(outcomes: impl IntoIterator<Item = &'o Outcome>) {
    let bad = outcomes
        .into_iter()
        .filter(|outcome| outcome.problem_count > 0);
    let shown = bad.map(|outcome| {
        let first: Vec<_> = outcome.problems.iter().take(5).cloned().collect();
        format!(
            "{} problems:\n{}\n",
            outcome.problem_count,
            first.join("\n")
        )
    });
    let shown: String = shown.collect();
    assert!(shown.is_empty(), "{shown}");
}

/// Uses every twentieth game of the corpus; all of them if `CHESSDB_THOROUGH` is set.
#[test]
fn the_corpus() {
    let Some(path) = fixtures::testdata("corpus/games-100k.pgn.zst") else {
        return;
    };
    let base = chessdb::fs::find(path).unwrap().read().unwrap();
    let store = base.store(ReadOptions::default()).unwrap();
    assert_eq!(store.len(), 100_000);
    let mut model = Model::default();
    let mut scratch = Scratch::new();
    for n in (0..store.len()).step_by(one_of(20)) {
        let mut game = Game::new();
        store.game_into(n, &mut game, &mut scratch).unwrap();
        model.games.push(game);
    }
    no_problems(&through_every_format(
        "the corpus",
        &chessdb::pgn::PGN,
        &model,
    ));
}

#[test]
fn bases_of_others() {
    for (folder, least) in [("fixtures-made", 10), ("fixtures-real/scid", 20)] {
        let Some(folder) = fixtures::testdata(folder) else {
            return;
        };
        let mut bases = 0;
        for path in chessdb::fs::survey(&folder, None).unwrap().bases {
            match examine(&path, path.display().to_string(), true) {
                Ok(line) => assert!(line.holds(), "{line}"),
                Err(error) => {
                    println!("{}: not opened: {error}", path.display());
                    continue;
                }
            }
            bases += 1;
        }
        assert!(bases >= least, "{}: {bases} bases", folder.display());
    }
}

/// Converts random games that one format can store into it, into every other format, and back.
#[test]
fn random_games() {
    let mut outcomes = Vec::new();
    for source in targets() {
        let options = GameOptions::held_by(source);
        let games = (0..60).map(|seed| strategy::game(seed, &options)).collect();
        let model = Model {
            games,
            ..Model::default()
        };
        let what = format!("random games for {}", source.id);
        outcomes.push(into_format(&what, &model, source));
        outcomes.extend(through_every_format(&what, source, &model));
    }
    no_problems(&outcomes);
}

/// Nothing is lost from games that every format can store.
#[test]
fn plain_games_lose_nothing() {
    let options = GameOptions {
        name_bytes: 12,
        whole_rounds: true,
        depth: 3,
        comments: true,
        ..GameOptions::plain()
    };
    let games = (0..60).map(|seed| strategy::game(seed, &options)).collect();
    let model = Model {
        games,
        ..Model::default()
    };
    let outcomes = through_every_format("plain games", &chessdb::pgn::PGN, &model);
    no_problems(&outcomes);
    for (target, outcome) in targets().zip(outcomes) {
        // ChessBase's old format has one field for event and site and stores only the year; a book
        // has no headers.
        let is_lossy = ["cbf", "fbk"].contains(&target.id);
        assert!(
            is_lossy || outcome.losses.is_empty(),
            "{}: {:?}",
            target.id,
            outcome.losses
        );
    }
}
