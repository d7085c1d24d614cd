//! Genuine databases through the model and back: games, names and, where the format page promises
//! it, bytes. `CHESSDB_TESTDATA` is the folder.

use std::collections::BTreeMap;

use crate::common::bases;
use chessdb_cbh::raw::{AnnotationRecord, GameRecord, Index, MoveRecord, Record};
use chessdb_cbh::{CBA_FILE, CBG_FILE, CBH, CBH_FILE};
use chessdb_core::options::Allow;
use chessdb_core::{Event, FileSet as _, Game, LossKind, MemorySet, WriteOptions};
use chessdb_testkit::judge::{self, Problem};
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{facts, identity};
use proptest::prelude::*;

/// Returns the records of each game: index record, moves, annotations.
fn records(files: &MemorySet) -> Vec<(GameRecord, Vec<u8>, Vec<u8>)> {
    let index = Index::parse(files.get(CBH_FILE).unwrap());
    let count = index.index_header.unwrap().next_game as usize - 1;
    let games = index.records.iter().take(count).map(Record::parse);
    let games = games.filter_map(|record| match record {
        Record::Game(game) => Some(game),
        Record::Text(_) => None,
    });
    let at = |file, offset: u32| files.get(file).unwrap_or_default().get(offset as usize..);
    let found = games.map(|game| {
        let moves = at(CBG_FILE, game.moves).unwrap_or_default();
        let moves = MoveRecord::parse(moves).map_or(Vec::new(), |record| {
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            bytes
        });
        let notes = at(CBA_FILE, game.annotations).filter(|_| game.annotations > 0);
        let notes = notes.and_then(AnnotationRecord::parse);
        let notes = notes.map_or(Vec::new(), |record| {
            let mut bytes = Vec::new();
            record.annotations().for_each(|note| note.write(&mut bytes));
            bytes
        });
        (game, moves, notes)
    });
    found.collect()
}

/// The number of equal items, and the total.
#[derive(Clone, Copy, Default)]
struct Share(u32, u32);

impl Share {
    fn add(&mut self, is_same: bool) {
        self.0 += u32::from(is_same);
        self.1 += 1;
    }
}

/// Reports for each file whether the raw structures restore it, and whether the model does, or how
/// many of its bytes differ.
fn files_again(files: &MemorySet, rewritten: &MemorySet) -> String {
    let raw = (CBH.raw.unwrap())(files).unwrap();
    let each = CBH.roles.iter().filter_map(|&role| {
        let own = files.get(role)?;
        let raw = if raw.get(role) == Some(own) { "raw" } else { "-" };
        let model = match rewritten.get(role) {
            Some(again) if again == own => "model".to_owned(),
            Some(again) => {
                let same = own.iter().zip(again).filter(|(left, right)| left == right);
                format!(
                    "{} of {}",
                    own.len().max(again.len()) - same.count(),
                    own.len()
                )
            }
            None => "none".to_owned(),
        };
        Some(format!("{role} {raw} {model}"))
    });
    each.collect::<Vec<_>>().join(", ")
}

#[test]
fn genuine_bases_come_back() {
    let mut differences = Vec::new();
    let mut all: BTreeMap<&str, Share> = BTreeMap::new();
    println!("base: moves, annotations, flags, magnitudes, full moves: equal of all");
    for base in bases() {
        let rewritten = identity::rewrite(&CBH, &base.files, &Allow::Everything).unwrap();
        let (before, after) = (records(&base.files), records(&rewritten.set));
        assert_eq!(before.len(), after.len(), "{}", base.name);
        let mut own: BTreeMap<&str, Share> = BTreeMap::new();
        for ((old, old_moves, old_notes), (new, new_moves, new_notes)) in before.iter().zip(&after)
        {
            let mut count = |what, is_same| {
                own.entry(what).or_default().add(is_same);
                all.entry(what).or_default().add(is_same);
            };
            count("1 moves", old_moves == new_moves);
            if !old_notes.is_empty() {
                count("2 annotations", old_notes == new_notes);
            }
            count("3 flags", old.flags == new.flags);
            count("4 magnitudes", old.magnitudes == new.magnitudes);
            count("5 full moves", old.full_moves == new.full_moves);
            count("6 eco", old.eco == new.eco);
        }
        println!(
            "{}: {}",
            base.name,
            files_again(&base.files, &rewritten.set)
        );
        let shares: Vec<String> = own
            .iter()
            .map(|(what, Share(same, all))| format!("{what} {same}/{all}"))
            .collect();
        println!(
            "{}: {}; {:?}",
            base.name,
            shares.join(", "),
            rewritten.losses
        );
        let (left, right) = (
            identity::open_all(&CBH, &base.files),
            identity::open_all(&CBH, &rewritten.set),
        );
        for (n, (left, right)) in left.iter().zip(&right).enumerate() {
            for problem in judge::games(left, right, &rewritten.losses) {
                if !problem.to_string().starts_with("announced, but") {
                    differences.push(format!("{} {}: {problem}", base.name, n + 1));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let different: Vec<u32> = all.values().map(|Share(same, all)| all - same).collect();
    if all.contains_key("1 moves") {
        // Section 20 gives the reasons.
        assert_eq!(different, [8, 208, 1, 14, 0, 4]);
    }
}

/// Texts after a variation, or before a missing move, are attached to the previous move. The
/// commands at their start must become annotations at once, not only when the database is
/// rewritten.
#[test]
fn texts_without_a_move_are_written_as_they_are_read() {
    let texts: [&[&str]; 6] = [
        &["[%cal Ge2e4,Gd2d4] a centre"],
        &["[%cal Ge2e4]"],
        &["[%csl Re4]", "[%emt 0:00:07] seven seconds"],
        &["first", "[%csl Re4] second"],
        &["[%eval 0.31] [%csl Re4] no annotation in front"],
        &[
            "[%cbh 258 2A] in a language",
            "[%cbh 386 2A] [%csl Re4] before, in a language",
        ],
    ];
    for own in ["", "own", "[%csl Gd4]", "[%csl Gd4] own"] {
        for texts in texts {
            let mut game = Game::builder().sans(["e4", "e5"]).unwrap();
            if !own.is_empty() {
                game = game.comment(own);
            }
            game = game
                .variation(|line| {
                    let texts = texts.iter();
                    let line = line.san("c5")?;
                    Ok(texts.fold(line, |line, text| line.comment_before(text)))
                })
                .unwrap();
            for text in texts {
                game = game.comment(text);
            }
            let everything = WriteOptions::default().with_allowed(Allow::Everything);
            let (files, losses) =
                identity::write_all(&CBH, [&game.clone().build()], everything).unwrap();
            assert!(losses.count(LossKind::CommentMoved) > 0, "{losses:?}");
            let again = identity::rewrite(&CBH, &files, &Allow::Nothing).unwrap();
            let difference = identity::first_difference(&files, &again.set);
            assert!(difference.is_none(), "{own} {texts:?}: {difference:?}");
        }
    }
}

fn comes_back(game: &Game) -> Result<(), TestCaseError> {
    // A start position may have a move number above 255, and a sub-code may be 0.
    let allowed = Allow::Kinds(vec![LossKind::StartCounters, LossKind::Eco]);
    let options = WriteOptions::default().with_allowed(allowed);
    let written = identity::write_all(&CBH, [game], options);
    let (files, losses) = written.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let back = identity::open_all(&CBH, &files);
    let problems: Vec<_> = back
        .iter()
        .flat_map(|back| judge::games(game, back, &losses))
        .collect();
    prop_assert!(problems.is_empty(), "{problems:?}");
    Ok(())
}

proptest! {
    /// Writing with known facts about the moves gives the same bytes and losses as playing the
    /// moves.
    #[test]
    fn what_is_known_changes_no_byte(
        legal in prop::collection::vec(strategy::games(GameOptions::for_cbh()), 1..4),
        any in prop::collection::vec(strategy::games(GameOptions::all()), 1..4),
    ) {
        facts::check(&CBH, &legal);
        facts::check(&CBH, &any);
    }

    /// Games that the format can hold are restored exactly.
    #[test]
    fn random_games_come_back(game in strategy::games(GameOptions::for_cbh())) {
        comes_back(&game)?;
    }

    /// Every difference after writing any game has been announced as a loss.
    #[test]
    fn nothing_is_lost_silently(recipe in strategy::recipes(GameOptions::all())) {
        let game = recipe.game();
        let options = WriteOptions::default().with_allowed(Allow::Everything);
        let (files, losses) = identity::write_all(&CBH, [&game], options).unwrap();
        for back in identity::open_all(&CBH, &files) {
            let mut problems = judge::games(&game, &back, &losses);
            // If the content between them is lost, an empty comment separates commands from a
            // comment. It looks like a comment without text, which may be an announced loss.
            let is_mark = |event| matches!(event, Event::Comment(_, text) if text.is_empty());
            if back.events().any(is_mark) {
                problems.retain(|problem| *problem != Problem::DidNotHappen(LossKind::Comment));
            }
            prop_assert!(problems.is_empty(), "{problems:?} {losses:?}");
        }
    }
}
