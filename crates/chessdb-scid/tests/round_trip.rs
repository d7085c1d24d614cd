//! Random annotated games go into a base and come out again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use chessdb_core::compare::first_difference;
use chessdb_core::{
    Allow, BaseInfo, Builder, Event, FileSet, Game, GameStore, Limits, LossKind, MemorySet, Mode,
    PackedMove, Place, ReadOptions, Scratch, Square, WriteOptions,
};
use chessdb_scid::{SG4_FILE, SI4, SI4_FILE, Store, raw};
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{identity, readings};
use proptest::prelude::*;

/// What si4 gives back exactly; beyond the testkit's list empty comments and Chess960, which
/// Scid itself would not write but reads.
fn options() -> GameOptions {
    let mut options = GameOptions::for_scid();
    options.empty_comments = true;
    options.chess960 = true;
    options
}

/// Everything, but that a missing name comes back as an empty one, which is no loss.
fn anything() -> GameOptions {
    let mut options = GameOptions::all();
    options.missing_names = false;
    options
}

fn read_strictly(files: &MemorySet) -> Vec<Game> {
    let mut options = ReadOptions::default();
    options.mode = Mode::Strict;
    let store = Store::open(files, options).unwrap();
    let mut scratch = Scratch::new();
    (0..store.len())
        .map(|n| {
            let mut game = Game::new();
            store
                .game_into(n, &mut game, &mut scratch)
                .unwrap_or_else(|e| panic!("{e}"));
            game
        })
        .collect()
}

/// Nothing that this crate writes gives its own check a reason to complain.
fn complaints(files: &MemorySet) -> Vec<String> {
    let mut found = Vec::new();
    chessdb_scid::check(files, &ReadOptions::default(), &mut |finding| {
        found.push(format!(
            "{}: {}: {}",
            finding.severity, finding.at, finding.kind
        ));
    });
    // The filler before a block border belongs to no record.
    found.retain(|line| !line.contains("unused bytes"));
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn games_come_back_equal(games in prop::collection::vec(strategy::games(options()), 1..5)) {
        let nothing = identity::nothing_lost(&BaseInfo::default());
        let (files, losses) = identity::write_all(&SI4, &games, nothing).unwrap();
        prop_assert!(losses.is_empty());
        let back = read_strictly(&files);
        prop_assert_eq!(back.len(), games.len());
        for (game, back) in games.iter().zip(&back) {
            prop_assert_eq!(first_difference(game, back), None);
        }
        prop_assert_eq!(complaints(&files), Vec::<String>::new());
        readings::check(&SI4, &files, &ReadOptions::default());
    }

    /// Any game at all: what is lost is announced, what is written is clean, and writing what was
    /// read loses nothing more.
    #[test]
    fn any_game_is_written_cleanly(games in prop::collection::vec(
        strategy::games(anything()), 1..5)) {
        let mut everything = WriteOptions::default();
        everything.allow = Allow::Everything;
        let (files, losses) = identity::write_all(&SI4, &games, everything).unwrap();
        let back = read_strictly(&files);
        let left_out = losses.count(LossKind::Game) as usize;
        prop_assert_eq!(back.len() + left_out, games.len());
        if losses.is_empty() {
            for (game, back) in games.iter().zip(&back) {
                prop_assert_eq!(first_difference(game, back), None);
            }
        }
        prop_assert_eq!(complaints(&files), Vec::<String>::new());
        let rewritten = identity::rewrite(&SI4, &files, &Allow::Nothing).unwrap();
        prop_assert_eq!(identity::first_difference(&files, &rewritten.set), None);
        let (parsed, fault) = raw::Base::parse(&files).unwrap();
        prop_assert!(fault.is_none());
        prop_assert_eq!(&parsed.to_bytes()[0][..], files.get(SI4_FILE).unwrap());
        prop_assert_eq!(&parsed.to_bytes()[1][..], files.get(SG4_FILE).unwrap());
    }

    /// One loss at a time: a game from which nothing is lost is equal afterwards, one from which
    /// something is lost is refused when that is not allowed, and then not written.
    #[test]
    fn a_forbidden_loss_writes_nothing(game in strategy::games(anything())) {
        let options = identity::nothing_lost(&BaseInfo::default());
        let mut files = MemorySet::new();
        let mut writer = (SI4.create.unwrap())(&mut files, options).unwrap();
        let assessed = writer.assess(&game);
        let written = writer.write(&game);
        let count = writer.finish().unwrap();
        prop_assert_eq!(assessed.is_empty(), written.is_ok());
        prop_assert_eq!(count, u32::from(written.is_ok()));
        let back = read_strictly(&files);
        prop_assert_eq!(back.len() as u32, count);
        if let Some(back) = back.first() {
            prop_assert_eq!(first_difference(&game, back), None);
        }
    }
}

/// Scid cannot read a game with eight NAGs at one place, so the ones after the seventh are left out,
/// wherever they stand and whatever lies between them.
#[test]
fn at_most_seven_nags_are_written_at_one_place() {
    let mv = |from: &str, to: &str| {
        let square = |name: &str| Square::from_ascii(name.as_bytes()).unwrap();
        PackedMove::normal(square(from), square(to))
    };
    let mut game = Game::new();
    let text = game.add_text("between");
    let mut tape = game.moves.builder(&Limits::default());
    let nags = |tape: &mut Builder<'_>, numbers: std::ops::Range<u16>| {
        numbers.for_each(|nag| tape.nag(nag).unwrap());
    };
    nags(&mut tape, 30..38);
    tape.mv(mv("e2", "e4")).unwrap();
    nags(&mut tape, 40..43);
    tape.comment(Place::After, text).unwrap();
    nags(&mut tape, 43..47);
    tape.open().unwrap();
    nags(&mut tape, 50..60);
    tape.mv(mv("d2", "d4")).unwrap();
    nags(&mut tape, 60..67);
    tape.close();
    nags(&mut tape, 47..49);
    tape.mv(mv("e7", "e5")).unwrap();
    nags(&mut tape, 70..71);
    tape.finish();

    let mut everything = WriteOptions::default();
    everything.allow = Allow::Everything;
    let (files, losses) = identity::write_all(&SI4, &[game], everything).unwrap();
    assert_eq!(losses.count(LossKind::Nag), 1 + 2 + 3);
    let [back] = &read_strictly(&files)[..] else {
        panic!("one game")
    };
    let kept: Vec<u16> = back
        .events()
        .filter_map(|event| match event {
            Event::Nag(nag) => Some(nag),
            _ => None,
        })
        .collect();
    let expected = [30..37, 40..47, 50..57, 60..67, 70..71];
    assert_eq!(kept, expected.into_iter().flatten().collect::<Vec<u16>>());
    assert_eq!(complaints(&files), Vec::<String>::new());

    // A stored game that has more loses them in a rewrite too.
    let mut games = files.get(SG4_FILE).unwrap().to_vec();
    let mut index = files.get(SI4_FILE).unwrap().to_vec();
    assert_eq!(games[..4], [0, 0, 11, 30], "no tags, no flags, a NAG");
    games.splice(2..2, [11, 29]);
    // The length of the record stands behind its place (section 2).
    let length = &mut index[raw::Header::SIZE + 4..][..2];
    length.copy_from_slice(&(games.len() as u16).to_be_bytes());
    let mut stored = files.clone();
    stored.insert(SG4_FILE, games);
    stored.insert(SI4_FILE, index);
    let rewritten = identity::rewrite(&SI4, &stored, &Allow::Everything).unwrap();
    assert_eq!(rewritten.losses.count(LossKind::Nag), 1);
    let left = rewritten.set.get(SG4_FILE).unwrap();
    assert_eq!(left.len(), files.get(SG4_FILE).unwrap().len());
}
