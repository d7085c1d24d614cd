//! Random annotated games, written to a database and read back.

use chessdb_core::annotation::read_comment;
use chessdb_core::compare::first_difference;
use chessdb_core::limits::Limits;
use chessdb_core::model::{Builder, Field, Place};
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{
    BaseInfo, Event, FileSet, Game, LossKind, MemorySet, PackedMove, ReadOptions, Setup, Square,
    Start, WriteOptions,
};
use chessdb_scid::{Generation, SG4_FILE, SI4, SI4_FILE, Store, raw, translate};
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{facts, identity, readings};
use proptest::prelude::*;

/// Returns the games that a generation reproduces exactly: the testkit's list, and empty comments
/// and Chess960, which Scid itself would not write but can read.
fn options(generation: Generation) -> GameOptions {
    let mut options = match generation {
        Generation::Si3 => GameOptions::for_si3(),
        Generation::Si4 => GameOptions::for_scid(),
        Generation::Si5 => {
            // Tag values have at most 255 bytes in all generations.
            let mut options = GameOptions::for_si5();
            options.name_bytes = 255;
            options
        }
    };
    options.empty_comments = true;
    options.chess960 = true;
    options
}

fn generations() -> impl Strategy<Value = Generation> {
    prop::sample::select(Generation::ALL.to_vec())
}

/// Generates a generation and games that it reproduces exactly.
fn exact() -> impl Strategy<Value = (Generation, Vec<Game>)> {
    generations().prop_flat_map(|generation| {
        let game = strategy::games(options(generation)).prop_filter(
            "only SCID 5 marks a Chess960 game that its castling rights do not show",
            move |game| generation == Generation::Si5 || !is_hidden_chess960(game),
        );
        (Just(generation), prop::collection::vec(game, 1..5))
    })
}

/// Returns whether king and rooks are on their standard squares, so that the FEN does not show
/// Chess960.
fn is_hidden_chess960(game: &Game) -> bool {
    match &game.header.start {
        Start::Setup(setup) => setup.chess960 && !Setup::from_board(setup.board.clone()).chess960,
        Start::Standard => false,
    }
}

/// Returns options for all games, except missing names: these are read back as empty names, without
/// a loss.
fn anything() -> GameOptions {
    let mut options = GameOptions::all();
    options.missing_names = false;
    options
}

fn read_strictly(files: &MemorySet) -> Vec<Game> {
    let mut options = ReadOptions::default();
    options.mode = Mode::Strict;
    let store = Store::open(files, options).unwrap();
    identity::read_all(&store)
}

/// Returns the first difference, except that an impossible event date that the index cannot store
/// is read back as the text of a tag, with the possible parts as its value.
fn difference(game: &Game, back: &Game) -> Option<String> {
    let date = game.header.event_date;
    if date == back.header.event_date || date.is_possible() {
        return first_difference(game, back).map(|found| found.to_string());
    }
    let text = back.field(Field::EventDate);
    (text.as_deref() != Some(&*date.to_string())).then(|| format!("{date} became {text:?}"))
}

/// Returns the findings of the crate's own check, which must accept everything that it writes.
fn complaints(generation: Generation, files: &MemorySet) -> Vec<String> {
    crate::common::complaints(generation, files)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Known move facts do not change the output or the losses compared with playing the moves.
    #[test]
    fn what_is_known_changes_no_byte(
        generation in generations(),
        games in prop::collection::vec(strategy::games(anything()), 1..4),
    ) {
        facts::check(crate::common::format(generation), &games);
    }

    #[test]
    fn games_come_back_equal((generation, games) in exact()) {
        let format = crate::common::format(generation);
        let nothing = identity::nothing_lost(&BaseInfo::default());
        let (files, losses) = identity::write_all(format, &games, nothing).unwrap();
        prop_assert!(losses.is_empty());
        let back = read_strictly(&files);
        prop_assert_eq!(back.len(), games.len());
        for (game, back) in games.iter().zip(&back) {
            prop_assert_eq!(first_difference(game, back), None);
        }
        prop_assert_eq!(complaints(generation, &files), Vec::<String>::new());
        readings::check(format, &files, &ReadOptions::default());
        // Translates to each other generation and back, without decoding.
        for other in Generation::ALL {
            let store = Store::open(&files, ReadOptions::default()).unwrap();
            let mut there = MemorySet::new();
            let Ok(_) = translate(&store, other, &mut there, Allow::Nothing) else {
                continue; // Custom flags, Chess960 games, event dates out of range.
            };
            let translated = read_strictly(&there);
            prop_assert_eq!(translated.len(), games.len());
            for (game, back) in games.iter().zip(&translated) {
                prop_assert_eq!(first_difference(game, back), None);
            }
            let store = Store::open(&there, ReadOptions::default()).unwrap();
            let mut again = MemorySet::new();
            let marks = Allow::Kinds(vec![LossKind::Chess960]);
            translate(&store, generation, &mut again, marks).unwrap();
            prop_assert_eq!(identity::first_difference(&files, &again), None);
        }
    }

    /// For any game: every loss is reported, the output passes the check, and rewriting what was
    /// read loses nothing more.
    #[test]
    fn any_game_is_written_cleanly(generation in generations(), games in prop::collection::vec(
        strategy::games(anything()), 1..5)) {
        let format = crate::common::format(generation);
        let mut everything = WriteOptions::default();
        everything.allow = Allow::Everything;
        let (files, losses) = identity::write_all(format, &games, everything).unwrap();
        let back = read_strictly(&files);
        let left_out = losses.count(LossKind::Game) as usize;
        prop_assert_eq!(back.len() + left_out, games.len());
        if losses.is_empty() {
            for (game, back) in games.iter().zip(&back) {
                prop_assert_eq!(difference(game, back), None);
            }
        }
        prop_assert_eq!(complaints(generation, &files), Vec::<String>::new());
        let rewritten = identity::rewrite(format, &files, &Allow::Nothing).unwrap();
        prop_assert_eq!(identity::first_difference(&files, &rewritten.set), None);
        prop_assert!(crate::common::raw_identity(generation, &files, "a written base"));
    }

    /// For each kind of loss: a game without losses is read back equal. A game with a loss that is
    /// not allowed is refused and not written.
    #[test]
    fn a_forbidden_loss_writes_nothing(generation in generations(),
                                       game in strategy::games(anything())) {
        let options = identity::nothing_lost(&BaseInfo::default());
        let mut files = MemorySet::new();
        let mut writer = (crate::common::format(generation).create.unwrap())(&mut files, options).unwrap();
        let assessed = writer.assess(&game);
        let written = writer.write(&game);
        let count = writer.finish().unwrap();
        prop_assert_eq!(assessed.is_empty(), written.is_ok());
        prop_assert_eq!(count, u32::from(written.is_ok()));
        let back = read_strictly(&files);
        prop_assert_eq!(back.len() as u32, count);
        if let Some(back) = back.first() {
            prop_assert_eq!(difference(&game, back), None);
        }
    }
}

/// Joining two comments of one move counts as one loss, regardless of the content of the first.
#[test]
fn each_joined_comment_is_counted_once() {
    let merged = |comments: &[&str]| {
        let mut game = Game::new();
        let Game { moves, texts, .. } = &mut game;
        let mut tape = moves.builder(&Limits::default());
        for comment in comments {
            let bytes = comment.as_bytes();
            let charset = chessdb_core::Charset::UTF_8;
            read_comment(bytes, charset, Place::Before, texts, &mut tape).unwrap();
        }
        tape.finish();
        let mut everything = WriteOptions::default();
        everything.allow = Allow::Everything;
        let (files, losses) = identity::write_all(&SI4, &[game], everything).unwrap();
        assert_eq!(read_strictly(&files).len(), 1);
        losses
            .iter()
            .map(|loss| (loss.kind, loss.count))
            .collect::<Vec<_>>()
    };
    let clock = "[%clk 0:01:00]";
    assert_eq!(merged(&[clock]), []);
    assert_eq!(merged(&["[%clk 0:01:00] text"]), []);
    for comments in [[clock, "text"], [clock, clock], ["text", clock], ["a", "b"]] {
        assert_eq!(
            merged(&comments),
            [(LossKind::CommentMerged, 1)],
            "{comments:?}"
        );
    }
    let three = [(LossKind::CommentMerged, 2)];
    assert_eq!(merged(&[clock, clock, "text"]), three);
    assert_eq!(merged(&[clock, "text", clock]), three);
}

/// Scid cannot read a game with eight NAGs at one place, so NAGs after the seventh are left out,
/// even if something else is between them.
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
    assert_eq!(complaints(Generation::Si4, &files), Vec::<String>::new());

    // If a stored game has more, a rewrite loses them too.
    let mut games = files.get(SG4_FILE).unwrap().to_vec();
    let mut index = files.get(SI4_FILE).unwrap().to_vec();
    assert_eq!(games[..4], [0, 0, 11, 30], "no tags, no flags, a NAG");
    games.splice(2..2, [11, 29]);
    // The length of the record follows its offset (section 2).
    let length = &mut index[raw::FileHeader::SIZE + 4..][..2];
    length.copy_from_slice(&(games.len() as u16).to_be_bytes());
    let mut stored = files.clone();
    stored.insert(SG4_FILE, games);
    stored.insert(SI4_FILE, index);
    let rewritten = identity::rewrite(&SI4, &stored, &Allow::Everything).unwrap();
    assert_eq!(rewritten.losses.count(LossKind::Nag), 1);
    let left = rewritten.set.get(SG4_FILE).unwrap();
    assert_eq!(left.len(), files.get(SG4_FILE).unwrap().len());
}
