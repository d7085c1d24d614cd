//! The examples of the format page and the databases of an independent encoder contain the expected
//! games and are restored byte for byte.

use chessdb_cbf::{CBF, CBF_FILE, CBI_FILE, raw};
use chessdb_core::compare::first_difference;
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::{Event, FileSet, Game, MemorySet, Outcome, ReadOptions, Scratch, Severity};
use chessdb_testkit::{expected, fixtures, identity, readings, tree};

use crate::common::{Base, examples, made};

fn all() -> Vec<Base> {
    let examples = Base {
        name: "examples".into(),
        files: examples(),
    };
    made().into_iter().chain([examples]).collect()
}

/// Section 13.
#[test]
fn the_examples_hold_the_games_shown() {
    let games = identity::open_all(&CBF, &examples());
    let shown: Vec<_> = games.iter().map(tree::Tree::from_game).collect();
    let expected = [
        concat!(
            r#"{"tags":{"Event":"Moskva wm","Site":"?","Date":"1985.??.??","Round":"16","#,
            r#""White":"Kasparov,G","Black":"Karpov,A","Result":"1-0","WhiteElo":"2700","#,
            r#""BlackElo":"2720","ECO":"B50"},"pre":"","line":["e2e4","c7c5",["g1f3",[1],"",[]],"#,
            r#"["d7d6",[],"",[["b8c6",["f1b5",[11],"Rossolimo",[]]]]],"d2d4"]}"#
        ),
        concat!(
            r#"{"tags":{"Event":"Ex 2","Site":"?","Date":"????.??.??","Round":"?","#,
            r#""White":"Study","Black":"","Result":"*","#,
            r#""LineEvaluation":"$11","SetUp":"1","FEN":"4k3/P6p/8/3pP3/8/8/7P/4K2R w K d6 0 40"},"pre":"","#,
            r#""line":["e5d6","e8d7","a7a8n","h7h5","e1g1"]}"#
        ),
        concat!(
            r#"{"tags":{"Event":"Ex 3","Site":"?","Date":"1990.??.??","Round":"?","White":"W","#,
            r#""Black":"B","Result":"1/2-1/2"},"pre":"","#,
            r#""line":["a2a4","h7h6","a4a5","h6h5","g1f3"]}"#
        ),
        concat!(
            r#"{"tags":{"Event":"Ex 4","Site":"?","Date":"1990.??.??","Round":"?","White":"W","#,
            r#""Black":"B","Result":"1/2-1/2"},"pre":"","line":["e2e4","b8c6","e4e5","d7d5","#,
            r#""b1c3","g7g6","g1f3","f8g7","f1e2","g8h6","d2d4","e8g8","f3g5"]}"#
        ),
    ];
    assert_eq!(shown, expected.map(expected::from_json));
    assert_eq!(games[1].header.outcome, Outcome::Unknown);
}

#[test]
fn the_made_bases_hold_the_expected_games() {
    let Some(folder) = fixtures::testdata(crate::common::MADE) else {
        return;
    };
    let mut compared = 0;
    for base in expected::bases(&folder) {
        let files = fixtures::load_set(&base.stem, CBF.roles);
        let games = identity::open_all(&CBF, &files);
        assert_eq!(games.len(), base.games.len());
        for (n, (game, expected)) in games.iter().zip(&base.games).enumerate() {
            let mut options = expected::CompareOptions::default();
            options.same_glyphs.clone_from(&base.same_glyphs);
            // The user's mark and evaluations are not tags of the expected games.
            let options = options.ignoring("ScidFlags").ignoring("LineEvaluation");
            let mut found = tree::Tree::from_game(game);
            // Neither are sub-codes, as in "B50/04".
            for (_, value) in found.tags.iter_mut().filter(|(name, _)| name == "ECO") {
                value.truncate(3);
            }
            if let Err(difference) = expected::compare_trees(&found, expected, &options) {
                panic!("{} game {}: {difference}", base.name, n + 1);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 160 + 53);
}

#[test]
fn raw_structs_hold_every_byte() {
    for base in all() {
        let parsed = raw::Base::parse(&base.files).unwrap();
        assert_eq!(parsed.games.unplaced, [0; 0], "{}", base.name);
        for (role, bytes) in [CBI_FILE, CBF_FILE].into_iter().zip(parsed.to_bytes()) {
            assert!(
                base.files.get(role) == Some(&bytes),
                "{}: {role} differs",
                base.name
            );
        }
    }
}

#[test]
fn every_game_is_read_without_a_diagnostic() {
    for base in all() {
        let store = identity::open(&CBF, &base.files);
        let mut said: Vec<_> = store
            .diagnostics()
            .iter()
            .map(ToString::to_string)
            .collect();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for n in 0..store.len() {
            store.game_into(n, &mut game, &mut scratch).unwrap();
        }
        said.extend(scratch.diagnostics.iter().map(ToString::to_string));
        assert_eq!(said, [""; 0], "{}", base.name);
    }
}

#[test]
fn all_ways_of_reading_agree() {
    for base in all() {
        readings::check(&CBF, &base.files, &ReadOptions::default());
    }
}

/// All databases are restored byte for byte with no losses allowed, except the one with unordered
/// records, which is compacted.
#[test]
fn rewritten_bases_are_the_same() {
    for base in all() {
        let rewritten = identity::rewrite(&CBF, &base.files, &Allow::Nothing).unwrap();
        if base.name == "moved" {
            same_games(&base.files, &rewritten.set);
            is_compact(&base.files, &rewritten.set);
            continue;
        }
        assert_eq!(
            identity::first_difference(&base.files, &rewritten.set),
            None,
            "{}",
            base.name
        );
    }
}

fn same_games(old: &MemorySet, new: &MemorySet) {
    let (old, new) = (identity::open_all(&CBF, old), identity::open_all(&CBF, new));
    assert_eq!(old.len(), new.len());
    for (n, (a, b)) in old.iter().zip(&new).enumerate() {
        assert_eq!(first_difference(a, b), None, "game {}", n + 1);
        assert_eq!(a.header.extras, b.header.extras);
    }
}

/// Checks that the records are equal and contiguous, in the order of the games.
fn is_compact(old: &MemorySet, new: &MemorySet) {
    let records = |files: &MemorySet| {
        let games = raw::Base::parse(files).unwrap().games;
        let slack = games
            .segments
            .iter()
            .any(|s| matches!(s, raw::Segment::Slack { .. }));
        let mut records: Vec<_> = games
            .segments
            .into_iter()
            .filter_map(|segment| match segment {
                raw::Segment::Record { game, record, .. } => Some((game, record)),
                raw::Segment::Slack { .. } => None,
            })
            .collect();
        let in_order = records.is_sorted_by_key(|(game, _)| *game);
        records.sort_by_key(|(game, _)| *game);
        (records, slack || !in_order)
    };
    let ((before, moved), (after, still)) = (records(old), records(new));
    assert!(moved && !still);
    assert!(before == after);
}

/// The two tests of docs/architecture.md that no stored bytes are copied.
#[test]
fn nothing_stored_is_copied() {
    for base in made() {
        let games = identity::open_all(&CBF, &base.files);
        let has_letter = |game: &Game| identity::change_comment_letter(&mut game.clone());
        let mut count = 0;
        for (n, _) in (0..).zip(&games).filter(|(_, game)| has_letter(game)) {
            // One letter of a comment, which is not enciphered, so that no other byte depends on
            // it.
            let ranges = identity::changed_letter(&CBF, &base.files, &Allow::Nothing, n);
            let ranges = ranges.unwrap().unwrap();
            let [(file, range)] = &ranges[..] else {
                panic!("game {}: {ranges:?}", n + 1)
            };
            assert_eq!(
                (*file, range.len()),
                (CBF_FILE, 1),
                "{} game {}",
                base.name,
                n + 1
            );
            count += 1;
        }
        assert!(count >= 20, "{}: {count}", base.name);
        // The second test: without its extras each game is still the same.
        let bare = identity::rewrite_with(&CBF, &base.files, &Allow::Nothing, |_, game| {
            identity::drop_extras(game);
        });
        for (a, b) in games
            .iter()
            .zip(&identity::open_all(&CBF, &bare.unwrap().set))
        {
            let mut a = a.clone();
            identity::drop_extras(&mut a);
            let mut b = b.clone();
            identity::drop_extras(&mut b);
            assert_eq!(first_difference(&a, &b), None);
        }
    }
}

/// Checks that the made databases contain marks, unusual results and codes, so that the tests above
/// are meaningful.
#[test]
fn the_made_bases_are_rich() {
    let Some(base) = made().into_iter().find(|base| base.name == "annotated") else {
        return;
    };
    let games = identity::open_all(&CBF, &base.files);
    let count = |what: fn(&Game) -> bool| games.iter().filter(|game| what(game)).count();
    assert_eq!(
        count(|game| game.header.flags.contains(GameFlags::DELETED)),
        3
    );
    assert_eq!(
        count(|game| game.header.flags.contains(GameFlags::USER)),
        15
    );
    let field = |game: &Game, field| game.header.extras.iter().any(|extra| extra.field == field);
    assert_eq!(games.iter().filter(|game| field(game, 1)).count(), 7);
    let evaluated = |game: &&Game| game.header.line_evaluation(&game.texts).is_some();
    assert_eq!(games.iter().filter(evaluated).count(), 7 + 5 + 4);
    assert_eq!(games.iter().filter(|game| field(game, 2)).count(), 41);
    let codes = |game: &Game| game.events().any(|event| matches!(event, Event::Extra(_)));
    println!(
        "games with codes that have no NAG: {}",
        games.iter().filter(|g| codes(g)).count()
    );
    let found = {
        let mut found = Vec::new();
        chessdb_core::format::check(&CBF, &base.files, &ReadOptions::default(), &mut |finding| {
            found.push(finding)
        });
        found
    };
    assert!(
        found
            .iter()
            .all(|finding| finding.severity == Severity::Note),
        "{found:?}"
    );
}
