//! Random annotated games, written and read back.

use chessdb_core::options::{Allow, Mode};
use chessdb_core::{MemorySet, ReadOptions, WriteOptions, compare};
use chessdb_scidb::SCIDB;
use chessdb_testkit::judge::{Excused, judge};
use chessdb_testkit::strategy::{GameOptions, games};
use chessdb_testkit::{facts, identity, readings};
use proptest::prelude::*;

fn options(allow: Allow) -> WriteOptions {
    WriteOptions::default().with_allowed(allow)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// The third promise: what is not announced comes back.
    #[test]
    fn the_third_promise_conversion(all in prop::collection::vec(games(GameOptions::all()), 1..4)) {
        let mut written = MemorySet::new();
        let mut announced = Vec::new();
        let create = SCIDB.create.unwrap();
        let mut writer = create(&mut written, options(Allow::Everything)).unwrap();
        for game in &all {
            let before = writer.assess(game);
            let losses = writer.write(game).unwrap();
            prop_assert_eq!(&before, &losses);
            if losses.count(chessdb_core::LossKind::Game) == 0 {
                announced.push((game, losses));
            }
        }
        writer.finish().unwrap();
        let mut findings = Vec::new();
        let strict = ReadOptions::default().with_mode(Mode::Strict);
        chessdb_core::format::check(&SCIDB, &written, &ReadOptions::default(), &mut |finding| {
            findings.push(finding)
        });
        prop_assert!(findings.is_empty(), "{:?}", findings);
        let back = identity::read_all(&*(SCIDB.open)(&written, strict).unwrap());
        prop_assert_eq!(back.len(), announced.len());
        for ((game, losses), back) in announced.into_iter().zip(&back) {
            let problems = judge(&compare::games(game, back), &losses, &mut Excused::new());
            prop_assert!(problems.is_empty(), "{:?}", problems);
        }
        // A command that was stored as text before a move is a token when it is read, so that the
        // first rewrite may differ. The second one is the same.
        let once = identity::rewrite(&SCIDB, &written, &Allow::Nothing).unwrap();
        let twice = identity::rewrite(&SCIDB, &once.set, &Allow::Nothing).unwrap();
        prop_assert_eq!(identity::first_difference(&once.set, &twice.set), None);
        readings::check(&SCIDB, &written, &ReadOptions::default());
    }

    /// Known move facts change neither the output nor the losses.
    #[test]
    fn what_is_known_changes_no_byte(
        games in prop::collection::vec(games(GameOptions::all()), 1..4),
    ) {
        facts::check(&SCIDB, &games);
    }
}
