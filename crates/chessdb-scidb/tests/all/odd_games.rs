//! Random games with unusual parts: start positions of all kinds, notes and variations at any
//! place, and tags and dates that have no field. What comes back is the game without the announced
//! losses.

use chessdb_core::commands::{Clock, ClockKind, Eval, EvalValue, Shape, ShapeColor};
use chessdb_core::limits::{Limits, OverLimit};
use chessdb_core::model::{Builder, Eco, Extra, Field, GameFlags, Place, Rating, RatingKind, Tag};
use chessdb_core::options::Allow;
use chessdb_core::rules::{is_valid_position, legal_moves};
use chessdb_core::text::TextId;
use chessdb_core::{
    Board, Color, Date, Game, LossKind, MemorySet, Outcome, PackedMove, ReadOptions, Setup, Square,
    Start, WriteOptions, compare,
};
use chessdb_scidb::SCIDB;
use chessdb_testkit::identity;
use chessdb_testkit::judge::{Excused, judge};
use chessdb_testkit::strategy::{random_board, valid_board};
use proptest::prelude::*;

/// Writes a game and reads it, twice; returns the uncounted and the wrongly counted losses.
fn problems(game: &Game) -> Vec<String> {
    let (mut problems, first) = once(game);
    if let Some(first) = first {
        problems.extend(once(&first).0);
    }
    problems
}

/// Writes a game and reads it; returns the problems, and the game unless it could not be stored.
fn once(game: &Game) -> (Vec<String>, Option<Game>) {
    let mut files = MemorySet::new();
    let options = WriteOptions::default().with_allowed(Allow::Everything);
    let mut writer = SCIDB.create.unwrap()(&mut files, options).unwrap();
    let losses = writer.write(game).unwrap();
    writer.finish().unwrap();
    if losses.count(LossKind::Game) > 0 {
        return (Vec::new(), None);
    }
    let store = (SCIDB.open)(&files, ReadOptions::default()).unwrap();
    let mut all = identity::read_all(&*store);
    assert_eq!(all.len(), 1);
    let back = all.pop().unwrap();
    let seen = compare::games(game, &back);
    let problems = judge(&seen, &losses, &mut Excused::new());
    (
        problems.iter().map(ToString::to_string).collect(),
        Some(back),
    )
}

/// Spellings of a FEN that are read as the same position.
fn respelt(fen: &str, spelling: u8) -> String {
    match spelling {
        0 => format!("{fen} "),
        1 => fen.replace(' ', "  "),
        2 => fen.replace(" 0 1", ""),
        3 => fen.replace("KQkq", "HAha"),
        4 => "no position".to_owned(),
        _ => fen.to_owned(),
    }
}

fn starts() -> impl Strategy<Value = Start> {
    let boards = prop_oneof![
        1 => Just(Board::standard()),
        2 => (0u16..960).prop_map(|number| Board::chess960(number).unwrap()),
        1 => Just(Board::chess960(518).unwrap()),
        1 => random_board(),
        3 => valid_board(),
    ];
    let setups = (boards, any::<bool>()).prop_map(|(board, chess960)| {
        let found = Setup::from_board(board);
        let chess960 = found.chess960 || chess960;
        Start::Setup(Box::new(Setup { chess960, ..found }))
    });
    prop_oneof![1 => Just(Start::Standard), 4 => setups]
}

const SQUARES: [&str; 4] = ["a1", "e4", "h8", "c6"];
const TEXTS: [&str; 8] = [
    "",
    " ",
    "word",
    "[%clk 0:01:00] x",
    "<xml>",
    "a\nb",
    "\u{4e2d}",
    "a  ",
];

/// Appends one event of this kind, selected by the number.
fn event(
    kind: u8,
    number: u16,
    texts: &[TextId],
    boards: &mut Vec<(Board, Board)>,
    tape: &mut Builder<'_>,
) -> Result<(), OverLimit> {
    let pick = usize::from(number);
    let square = Square::from_ascii(SQUARES[pick % 4].as_bytes()).unwrap();
    let text = texts[pick % texts.len()];
    match kind {
        0..=5 => {
            let (board, before) = boards.last_mut().unwrap();
            let mut moves = Vec::new();
            if is_valid_position(board) {
                legal_moves(board, &mut moves);
            }
            let mv = match (number % 16, moves.is_empty()) {
                (0, _) | (_, true) => PackedMove::NULL,
                (1, _) => PackedMove::normal(square, Square::from_ascii(b"b3").unwrap()),
                _ => moves[pick % moves.len()],
            };
            tape.mv(mv)?;
            *before = board.clone();
            board.play(mv);
            Ok(())
        }
        6 => {
            let (_, before) = boards.last().unwrap();
            boards.push((before.clone(), before.clone()));
            tape.open()
        }
        7 if boards.len() > 1 => {
            boards.pop();
            tape.close();
            Ok(())
        }
        7 => Ok(()),
        8 | 9 => tape.comment(Place::Before, text),
        10 | 11 => tape.comment(Place::After, text),
        12 => tape.nag(number % 300),
        13 => tape.clock(Clock {
            kind: if number.is_multiple_of(2) { ClockKind::Clock } else { ClockKind::Elapsed },
            milliseconds: u32::from(number) * 1500,
        }),
        14 if number.is_multiple_of(3) => tape.eval(Eval {
            value: EvalValue::Mate(i32::from(number as i16) / 1000),
            depth: None,
        }),
        14 => tape.eval(Eval {
            value: EvalValue::Centipawns(i32::from(number as i16)),
            depth: (number.is_multiple_of(2)).then_some(number % 70),
        }),
        15 if number.is_multiple_of(4) => tape.outcome(Outcome::Draw),
        15 if number % 4 == 1 => tape.extra(Extra {
            format: "nobody",
            field: 1,
            bytes: Box::new(number.to_be_bytes()),
        }),
        _ => {
            let to = (number.is_multiple_of(2)).then_some(Square::from_ascii(b"d5").unwrap());
            let shape = Shape {
                color: if number.is_multiple_of(5) { ShapeColor::RED } else { ShapeColor::GREEN },
                from: square,
                to,
            };
            let shapes = [shape; 2];
            tape.shapes(&shapes[..pick / 8 % 3])
        }
    }
}

fn put_moves(game: &mut Game, events: &[(u8, u16)]) {
    let texts: Vec<TextId> = TEXTS.iter().map(|text| game.add_text(text)).collect();
    let board = game.start_board();
    let mut boards = vec![(board.clone(), board)];
    let mut tape = game.moves.builder(&Limits::default());
    for &(kind, number) in events {
        event(kind, number, &texts, &mut boards, &mut tape).unwrap();
    }
    tape.finish();
}

const NAMES: [&str; 22] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "EventDate",
    "ECO",
    "FEN",
    "SetUp",
    "Variant",
    "WhiteElo",
    "BlackRapid",
    "WhiteFideId",
    "BlackTitle",
    "Annotator",
    "Source",
    "ScidFlags",
    "Termination",
    "WhiteTeam",
    "Own",
];
const VALUES: [&str; 20] = [
    "",
    "?",
    "-",
    "1",
    "0",
    "GM",
    "2400",
    "4096",
    "2400?",
    "1.2",
    "1999.05.07",
    "1999/05",
    "?.?.?",
    "1199.01.01",
    "C20",
    "1/2-1/2",
    "time forfeit",
    "Chess960",
    "\u{fc}ber",
    "x",
];
const FIELDS: [Field; 8] = [
    Field::Date,
    Field::EventDate,
    Field::WhiteRating,
    Field::BlackFideId,
    Field::Eco,
    Field::Flags,
    Field::Result,
    Field::Fen,
];

/// Creates a header as a reader of tags would, with these tags; the last ones spell fields.
fn with_tags(tags: &[(usize, usize)], spelt: &[(usize, usize)], dates: [Date; 2]) -> Game {
    let mut game = Game::new();
    [game.header.date, game.header.event_date] = dates;
    for &(field, value) in spelt {
        let (field, bytes) = (FIELDS[field], VALUES[value].as_bytes());
        if !game.header.is_free(field) {
            continue;
        }
        match field {
            Field::Date => game.header.date = Date::read(bytes).0,
            Field::EventDate => game.header.event_date = Date::read(bytes).0,
            Field::Eco => {
                let eco = Eco::from_ascii(bytes);
                game.header.eco = eco.or_else(|| Eco::from_lenient_ascii(bytes));
            }
            Field::Flags => game.header.flags = GameFlags::from_lenient_letters(bytes),
            Field::WhiteRating | Field::BlackFideId => {
                let value = game.add_text(VALUES[value]);
                let name = field.tag().as_bytes();
                let tag = game.header.put_number(name, bytes, value, |_| true);
                game.header.tags.extend(tag);
                continue;
            }
            _ => {}
        }
        let mut plain = Vec::new();
        game.header.write_value(field, &mut plain);
        if plain != bytes {
            let text = game.add_text(VALUES[value]);
            game.header.tags.push(Tag::Verbatim(field, text));
        }
    }
    // A repeated tag with the text of the field looks like the field.
    let is_spelt = |name: &str| {
        let field = Field::of_tag(name.as_bytes());
        field.is_some_and(|(field, _)| game.header.verbatim(field).is_some())
    };
    let tags: Vec<_> = tags
        .iter()
        .filter(|(name, _)| !is_spelt(NAMES[*name]))
        .collect();
    for &(name, value) in tags {
        let (name, value) = (game.add_text(NAMES[name]), game.add_text(VALUES[value]));
        game.header.tags.push(Tag::Other { name, value });
    }
    game
}

fn dates() -> impl Strategy<Value = Date> {
    let parts = (prop_oneof![Just(0u16), 0u16..=9999], 0u8..=99, 0u8..=99);
    let usual = (1190u16..2230, 0u8..14, 0u8..33);
    prop_oneof![
        Just(Date::UNKNOWN),
        prop_oneof![parts, usual].prop_map(|(year, month, day)| Date::new(year, month, day)),
    ]
}

fn events() -> impl Strategy<Value = Vec<(u8, u16)>> {
    prop::collection::vec((0u8..18, any::<u16>()), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_start_position_comes_back(
        start in starts(),
        spelling in prop::option::of(0u8..6),
        tags in prop::collection::vec((10usize..12, 0usize..VALUES.len()), 0..2),
        moves in prop::collection::vec((0u8..7, any::<u16>()), 0..12),
    ) {
        let mut game = with_tags(&tags, &[], [Date::UNKNOWN; 2]);
        game.header.start = start;
        // Every reader of tags does this.
        let is_named = game.header.names_chess960(&game.texts);
        if let Start::Setup(setup) = &mut game.header.start {
            setup.chess960 |= is_named;
        }
        if let (Some(spelling), Start::Setup(setup)) = (spelling, &game.header.start) {
            let text = respelt(&setup.to_string(), spelling);
            let text = game.add_text(&text);
            game.header.tags.push(Tag::Verbatim(Field::Fen, text));
        }
        put_moves(&mut game, &moves);
        let found = problems(&game);
        prop_assert!(found.is_empty(), "{:?}", found);
    }

    #[test]
    fn notes_at_any_place_come_back(events in events()) {
        let mut game = Game::new();
        put_moves(&mut game, &events);
        let found = problems(&game);
        prop_assert!(found.is_empty(), "{:?}", found);
    }

    #[test]
    fn any_tag_comes_back(
        tags in prop::collection::vec((0..NAMES.len(), 0..VALUES.len()), 0..4),
        spelt in prop::collection::vec((0..FIELDS.len(), 0..VALUES.len()), 0..3),
        dates in [dates(), dates()],
        rating in prop::option::of((any::<u16>(), 0..RatingKind::ALL.len())),
        round in prop::option::of(0..VALUES.len()),
    ) {
        let mut game = with_tags(&tags, &spelt, dates);
        if let Some((value, kind)) = rating {
            let kind = RatingKind::ALL[kind];
            let value = if value % 2 == 0 { value } else { value % 5000 };
            game.header.player_mut(Color::White).rating = Some(Rating { value, kind });
        }
        if let Some(round) = round {
            game.header.round = game.add_text(VALUES[round]).into();
        }
        let found = problems(&game);
        prop_assert!(found.is_empty(), "{:?}", found);
    }
}
