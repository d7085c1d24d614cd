//! Comments with languages and markup, times, and marks without a token, in records written by hand.

use chessdb_core::model::Place;
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{Event, Game, MemorySet, ReadOptions};
use chessdb_scidb::raw::{Base, Record};
use chessdb_scidb::{SCG_FILE, SCIDB};
use chessdb_testkit::identity;

use crate::fixtures::set;

/// Returns the database of the example with this record instead of its own. The record must have
/// the mainline of the example.
fn with_record(record: &Record<'_>) -> MemorySet {
    let mut set = set("example");
    let games = set.get_mut(SCG_FILE).unwrap();
    games.truncate(11);
    record.write(games);
    set
}

fn read(set: &MemorySet) -> Game {
    let strict = ReadOptions::default().with_mode(Mode::Strict);
    let store = (SCIDB.open)(set, strict).unwrap();
    identity::read_all(&*store).pop().unwrap()
}

/// Returns the annotations as text.
fn notes(game: &Game) -> Vec<String> {
    let mut notes = Vec::new();
    for event in game.events() {
        match event {
            Event::Move(mv) => notes.push(mv.to_string()),
            Event::Comment(Place::Before, text) => notes.push(format!("< {}", text.decode())),
            Event::Comment(Place::After, text) => notes.push(format!("> {}", text.decode())),
            Event::Nag(nag) => notes.push(format!("${nag}")),
            Event::Clock(clock) => notes.push(format!("{:?} {}", clock.kind, clock.milliseconds)),
            Event::Eval(eval) => notes.push(format!("{:?} {:?}", eval.value, eval.depth)),
            Event::Extra(extra) => notes.push(format!("extra {} {:x?}", extra.field, extra.bytes)),
            other => notes.push(format!("{other:?}")),
        }
    }
    notes
}

/// Rewrites a database and compares its record.
fn comes_back(set: &MemorySet) {
    let again = identity::rewrite(&SCIDB, set, &Allow::Nothing).unwrap();
    let games = |set: &MemorySet| chessdb_core::FileSet::get(set, SCG_FILE).unwrap().to_vec();
    assert_eq!(games(&again.set), games(set));
}

const MOVES: [&[u8]; 5] = [&[0x5F], &[0xCF], &[0xC3, 0x67], &[0x07], &[0xC4]];

#[test]
fn languages_and_markup_are_kept() {
    let moves = [
        MOVES[0],
        &[2],
        MOVES[1],
        MOVES[2],
        MOVES[3],
        MOVES[4],
        &[2, 4, 2],
    ]
    .concat();
    let texts = "<xml><:en>a <b>good</b> move</:en><:de>Zug &amp; gut</:de></xml>\0\
                 <xml><:>see <nag>14</nag></:></xml>\0\
                 the end\0";
    let record = Record {
        flags: Record::STANDARD | Record::TEXTS,
        moves: &moves,
        texts: Some(texts.as_bytes()),
        data: &[0x0D, 0x02, 0x02],
        ..Record::default()
    };
    let set = with_record(&record);
    let game = read(&set);
    let notes = notes(&game);
    let texts: Vec<_> = notes
        .iter()
        .filter(|note| note.starts_with(['<', '>']))
        .collect();
    assert_eq!(
        texts,
        ["< a good move", "< Zug & gut", "> see $14", "> the end"]
    );
    comes_back(&set);
}

#[test]
fn times_evaluations_and_own_marks_are_kept() {
    let moves = [
        MOVES[0],
        &[0, 0, 0],
        MOVES[1],
        &[0],
        MOVES[2],
        &[0],
        MOVES[3],
        &[0],
        MOVES[4],
        &[0, 4, 4],
    ]
    .concat();
    let mut data = Vec::new();
    // An evaluation of -1.25 at depth 20 by engine 1, a clock of 1:02:03, three squares.
    data.extend([0x81, 0x52, 0x00, 0x80 | 25]);
    data.extend([0x90, 0x10, 0x83]);
    data.extend([0x01, 28, 1, 3]);
    // 70.5 seconds for the move.
    data.extend([0xC0, 0x01, 0x19, 0xF4]);
    // A circle, a diagram, a video time.
    data.extend([0x01, 28, 4, 3]);
    data.extend(b"\x02see\0");
    data.extend([0xF0, 0, 0, 9]);
    let record = Record {
        flags: Record::STANDARD | Record::ENGINES,
        moves: &moves,
        engines: Some(b"\x01Engine\0"),
        data: &data,
        ..Record::default()
    };
    let set = with_record(&record);
    let game = read(&set);
    assert_eq!(
        notes(&game),
        [
            "e2e4",
            "extra 2 [1]",
            "Centipawns(-125) Some(20)",
            "Clock 3723000",
            "Shapes([Shape { color: ShapeColor(71), from: e4, to: None }])",
            "e7e5",
            "Elapsed 70500",
            "d1h5",
            "extra 1 [1, 1c, 4, 3]",
            "e8e7",
            "extra 1 [2, 73, 65, 65, 0]",
            "h5e5",
            "extra 1 [f0, 0, 0, 9]",
        ]
    );
    comes_back(&set);
}

#[test]
fn columns_of_times_belong_to_the_mainline() {
    let moves = [MOVES.concat(), vec![4, 4]].concat();
    // Clocks of an hour at the first and at the third move.
    let times = [3, 0x90, 0x10, 0x00, 0, 0x90, 0x10, 0x00, 0];
    let record = Record {
        flags: Record::STANDARD | Record::TIMES,
        plain_moves: 5,
        moves: &moves,
        times: Some(&times),
        ..Record::default()
    };
    let set = with_record(&record);
    assert_eq!(
        notes(&read(&set)),
        [
            "e2e4",
            "Clock 3600000",
            "e7e5",
            "d1h5",
            "Clock 3600000",
            "e8e7",
            "h5e5"
        ]
    );
    let base = Base::parse(&set).unwrap();
    assert_eq!(identity::first_difference(&base.to_files(), &set), None);
}

#[test]
fn tags_have_numbers_and_names() {
    let moves = [MOVES.concat(), vec![4, 4]].concat();
    let record = Record {
        flags: Record::STANDARD | Record::TAGS,
        plain_moves: 5,
        moves: &moves,
        tags: Some(b"\x0cC60a\0\x3f12\0\x80My\0mine\0\x64odd\0\0"),
        ..Record::default()
    };
    let set = with_record(&record);
    let game = read(&set);
    assert_eq!(game.eco().unwrap().to_string(), "C60a");
    assert_eq!(game.tag("Board").as_deref(), Some("12"));
    assert_eq!(game.tag("My").as_deref(), Some("mine"));
    assert_eq!(game.header.extras[0].bytes[..], *b"\x64odd");
    comes_back(&set);
}

#[test]
fn an_illegal_move_is_marked_when_written() {
    let game = Game::builder().sans(["e4", "e5"]).unwrap();
    let mv = chessdb_core::PackedMove::normal(
        chessdb_core::Square::from_ascii(b"a1").unwrap(),
        chessdb_core::Square::from_ascii(b"a5").unwrap(),
    );
    let game = game.mv(mv).build();
    let (back, losses) = crate::losses::through(&game);
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(back.moves, game.moves);
}
