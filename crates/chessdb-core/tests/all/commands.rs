//! Tests of comment commands: they are extracted only if writing them gives back the same bytes.

use chessdb_core::commands::*;
use chessdb_core::{Color, Square};
use proptest::collection::vec;
use proptest::prelude::*;

/// A command that owns its shapes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Owned {
    Clock(Clock),
    Eval(Eval),
    Shapes(Vec<Shape>),
    Extra(u16, Vec<u8>),
}

impl Owned {
    pub(crate) fn of(command: Command<'_>) -> Owned {
        match command {
            Command::Clock(clock) => Owned::Clock(clock),
            Command::Eval(eval) => Owned::Eval(eval),
            Command::Shapes(shapes) => Owned::Shapes(shapes.to_vec()),
            Command::Extra {
                format,
                field,
                bytes,
            } => {
                assert_eq!(format, "ca");
                Owned::Extra(field, bytes.to_vec())
            }
        }
    }

    fn borrow(&self) -> Command<'_> {
        match self {
            Owned::Clock(clock) => Command::Clock(*clock),
            Owned::Eval(eval) => Command::Eval(*eval),
            Owned::Shapes(shapes) => Command::Shapes(shapes),
            Owned::Extra(field, bytes) => Command::Extra {
                format: "ca",
                field: *field,
                bytes,
            },
        }
    }
}

/// Returns the commands and the text of a comment, after checking that they render to the comment.
fn parse(comment: &[u8]) -> (Vec<Owned>, &[u8]) {
    let mut commands = Vec::new();
    let offset = parse_leading(comment, &mut |command| commands.push(Owned::of(command)));
    let text = &comment[offset..];
    assert_eq!(commands.is_empty(), offset == 0);
    assert_eq!(
        rendered(&commands, text).escape_ascii().to_string(),
        comment.escape_ascii().to_string()
    );
    (commands, text)
}

pub(crate) fn rendered(commands: &[Owned], text: &[u8]) -> Vec<u8> {
    let mut out = b"before".to_vec();
    render(commands.iter().map(Owned::borrow), text, &mut out);
    out.split_off(6)
}

fn square(name: &str) -> Square {
    Square::from_ascii(name.as_bytes()).unwrap()
}

fn shape(color: ShapeColor, from: &str, to: Option<&str>) -> Shape {
    Shape {
        color,
        from: square(from),
        to: to.map(square),
    }
}

fn clock(kind: ClockKind, milliseconds: u32) -> Owned {
    Owned::Clock(Clock { kind, milliseconds })
}

fn eval(value: EvalValue, depth: Option<u16>) -> Owned {
    Owned::Eval(Eval { value, depth })
}

#[test]
fn each_command_is_understood() {
    use ClockKind::{Clock, Elapsed};
    use EvalValue::{Centipawns, Mate, WinDraw};
    let samples = [
        ("[%clk 1:23:45]", clock(Clock, 5_025_000)),
        ("[%clk 0:02:59.9]", clock(Clock, 179_900)),
        ("[%clk 0:00:00.001]", clock(Clock, 1)),
        ("[%clk 1193:02:47.295]", clock(Clock, u32::MAX)),
        ("[%emt 0:00:07]", clock(Elapsed, 7000)),
        ("[%eval 0.35]", eval(Centipawns(35), None)),
        ("[%eval -0.05]", eval(Centipawns(-5), None)),
        ("[%eval 0.00]", eval(Centipawns(0), None)),
        ("[%eval 1.20,24]", eval(Centipawns(120), Some(24))),
        ("[%eval -21474836.48]", eval(Centipawns(i32::MIN), None)),
        ("[%eval #-3]", eval(Mate(-3), None)),
        ("[%eval #5,0]", eval(Mate(5), Some(0))),
        ("[%eval #0]", eval(Mate(0), None)),
        (
            "[%wd 16383,8000]",
            eval(
                WinDraw {
                    win: 16383,
                    draw: 8000,
                },
                None,
            ),
        ),
        (
            "[%csl Gd4,Ra1]",
            Owned::Shapes(vec![
                shape(ShapeColor::GREEN, "d4", None),
                shape(ShapeColor::RED, "a1", None),
            ]),
        ),
        (
            "[%cal Ye2e4,Bd1d8,Og1f3]",
            Owned::Shapes(vec![
                shape(ShapeColor::YELLOW, "e2", Some("e4")),
                shape(ShapeColor::BLUE, "d1", Some("d8")),
                shape(ShapeColor::from_letter(b'O').unwrap(), "g1", Some("f3")),
            ]),
        ),
        ("[%ca 7]", Owned::Extra(7, vec![])),
        ("[%ca 65535 00ff]", Owned::Extra(65535, vec![0, 255])),
    ];
    for (comment, command) in samples {
        assert_eq!(
            parse(comment.as_bytes()),
            (vec![command.clone()], &b""[..]),
            "{comment}"
        );
        let with_text = format!("{comment} and [%clk 0:00:01] text ");
        assert_eq!(
            parse(with_text.as_bytes()),
            (vec![command], &b"and [%clk 0:00:01] text "[..]),
            "{comment}"
        );
    }
}

#[test]
fn commands_follow_each_other_in_source_order() {
    let (commands, text) = parse(b"[%eval 0.17] [%clk 0:00:30] [%csl Gd4] fine");
    assert_eq!(text, b"fine");
    assert_eq!(
        commands,
        [
            eval(EvalValue::Centipawns(17), None),
            clock(ClockKind::Clock, 30_000),
            Owned::Shapes(vec![shape(ShapeColor::GREEN, "d4", None)]),
        ]
    );
    // The first invalid command ends the list, but keeps the commands before it.
    for (comment, count, text) in [
        ("[%emt 0:00:07] [%mdl 4]", 1, "[%mdl 4]"),
        ("[%emt 0:00:07] [%clk 01:00:00]", 1, "[%clk 01:00:00]"),
        (
            "[%emt 0:00:07] [%clk 0:00:01][%eval 0.10]",
            1,
            "[%clk 0:00:01][%eval 0.10]",
        ),
        ("[%emt 0:00:07] [%clk 0:00:01] ", 1, "[%clk 0:00:01] "),
    ] {
        let (commands, rest) = parse(comment.as_bytes());
        assert_eq!(commands.len(), count, "{comment}");
        assert_eq!(rest, text.as_bytes(), "{comment}");
    }
}

#[test]
fn blanks_after_the_one_that_separates_belong_to_the_text() {
    for text in [
        " text",
        "  ",
        " ",
        "\ttext",
        "\ntext",
        " [%clk 0:00:01]",
        "a  ",
    ] {
        let comment = format!("[%clk 1:23:45] {text}");
        let (commands, rest) = parse(comment.as_bytes());
        assert_eq!((commands.len(), rest), (1, text.as_bytes()), "{comment:?}");
    }
}

#[test]
fn what_is_not_canonical_remains_text() {
    for comment in [
        "",
        "text",
        " [%clk 1:23:45]",
        "[%clk 1:23:45] ",
        "[%clk 1:23:45]\ntext",
        "[%clk 1:23:45]text",
        "[%clk 1:23:45][%emt 0:00:07]",
        "[%clk  1:23:45]",
        "[%clk 1:23:45 ]",
        "[%clk 01:23:45]",
        "[%clk 1:60:00]",
        "[%clk 1:00:60]",
        "[%clk 1:2:45]",
        "[%clk 1:23]",
        "[%clk 1:23:45.]",
        "[%clk 1:23:45.0]",
        "[%clk 1:23:45.50]",
        "[%clk 1:23:45.1234]",
        "[%clk 1193:02:47.296]",
        "[%clk 4294967296:00:00]",
        "[%clk -1:00:00]",
        "[%clk 1:23:45",
        "[%clk ]",
        "[%clk]",
        "[%CLK 1:23:45]",
        "[%eval +0.35]",
        "[%eval 0.3]",
        "[%eval 0.350]",
        "[%eval .35]",
        "[%eval 00.35]",
        "[%eval -0.00]",
        "[%eval 35]",
        "[%eval 21474836.48]",
        "[%eval -21474836.49]",
        "[%eval #-0]",
        "[%eval #+3]",
        "[%eval #03]",
        "[%eval #2147483648]",
        "[%eval 0.35,]",
        "[%eval 0.35,024]",
        "[%eval 0.35,65536]",
        "[%eval 0.35, 24]",
        "[%wd 1]",
        "[%wd 65536,0]",
        "[%csl ]",
        "[%csl Gd4,]",
        "[%csl Gd4, Ra1]",
        "[%csl gd4]",
        "[%csl GD4]",
        "[%csl Gd9]",
        "[%csl Ge2e4]",
        "[%cal Ge2]",
        "[%cal Ge2e4,Gd4]",
        "[%ca]",
        "[%ca ]",
        "[%ca 7 ]",
        "[%ca 7 0]",
        "[%ca 7 000]",
        "[%ca 7 0F]",
        "[%ca 07]",
        "[%ca 65536]",
        "[%ca -1]",
        "[%cb 7]",
        "[%",
        "[%x",
    ] {
        let (commands, text) = parse(comment.as_bytes());
        assert_eq!((commands, text), (vec![], comment.as_bytes()), "{comment}");
    }
}

#[test]
fn long_lists_of_shapes_remain_text() {
    let list = |n| format!("[%csl {}]", vec!["Ga1"; n].join(","));
    let (commands, text) = {
        let comment = list(MAX_SHAPES);
        let (commands, text) = parse(comment.as_bytes());
        (commands, text.len())
    };
    assert_eq!((commands.len(), text), (1, 0));
    assert!(parse(list(MAX_SHAPES + 1).as_bytes()).0.is_empty());
}

#[test]
fn mixed_and_empty_lists_of_shapes_are_written_sensibly() {
    let d4 = shape(ShapeColor::GREEN, "d4", None);
    let e2e4 = shape(ShapeColor::RED, "e2", Some("e4"));
    let second = clock(ClockKind::Elapsed, 1000);
    for (commands, text, expected) in [
        (
            vec![Owned::Shapes(vec![d4, d4, e2e4, d4])],
            "",
            "[%csl Gd4,Gd4] [%cal Re2e4] [%csl Gd4]",
        ),
        (vec![Owned::Shapes(vec![])], "text", "text"),
        (
            vec![second.clone(), Owned::Shapes(vec![]), second],
            "text",
            "[%emt 0:00:01] [%emt 0:00:01] text",
        ),
        (vec![], "", ""),
    ] {
        let out = rendered(&commands, text.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

fn any_shapes() -> impl Strategy<Value = Owned> {
    let shape = (b'A'..=b'Z', 0u8..64, 0u8..64);
    (any::<bool>(), vec(shape, 1..20)).prop_map(|(arrows, shapes)| {
        let shapes = shapes.into_iter().map(|(letter, from, to)| Shape {
            color: ShapeColor::from_letter(letter).unwrap(),
            from: Square::new_masked(from),
            to: arrows.then_some(Square::new_masked(to)),
        });
        Owned::Shapes(shapes.collect())
    })
}

pub(crate) fn any_command() -> impl Strategy<Value = Owned> {
    let number = prop_oneof![any::<i32>(), -1000..1000];
    let value = prop_oneof![
        number.clone().prop_map(EvalValue::Centipawns),
        number.prop_map(EvalValue::Mate),
        any::<(u16, u16)>().prop_map(|(win, draw)| EvalValue::WinDraw { win, draw }),
    ];
    let milliseconds = prop_oneof![
        any::<u32>(),
        0u32..10_000,
        (0u32..4000).prop_map(|s| s * 1000)
    ];
    prop_oneof![
        (any::<bool>(), milliseconds).prop_map(|(elapsed, milliseconds)| {
            let kind = if elapsed { ClockKind::Elapsed } else { ClockKind::Clock };
            clock(kind, milliseconds)
        }),
        (value, any::<Option<u16>>()).prop_map(|(value, depth)| eval(value, depth)),
        any_shapes(),
        (any::<u16>(), vec(any::<u8>(), 0..10))
            .prop_map(|(field, bytes)| Owned::Extra(field, bytes)),
    ]
}

/// Generates bytes that resemble commands, with and without errors.
pub(crate) fn near_commands() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => any_command().prop_map(|command| rendered(&[command], b"")),
        2 => Just(b" ".to_vec()),
        1 => vec(any::<u8>(), 0..4),
        1 => proptest::sample::select(vec!["[%clk ", "[%cal ", "]", "0", ":00", ".", ",", "#", "-", "e4", "G"])
            .prop_map(|s| s.as_bytes().to_vec()),
    ];
    let changes = vec((any::<prop::sample::Index>(), any::<u8>()), 0..2);
    (vec(piece, 0..8), changes).prop_map(|(pieces, changes)| {
        let mut bytes = pieces.concat();
        for (index, byte) in changes {
            if !bytes.is_empty() {
                let index = index.index(bytes.len());
                bytes[index] = byte;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn commands_come_back(commands in vec(any_command(), 0..6), text in "[ a-z][ -~]{0,20}|") {
        let comment = rendered(&commands, text.as_bytes());
        prop_assert_eq!(parse(&comment), (commands, text.as_bytes()));
    }

    #[test]
    fn near_misses_lose_nothing(comment in near_commands()) {
        parse(&comment);
    }

    #[test]
    fn arbitrary_bytes_lose_nothing(bytes in vec(any::<u8>(), 0..40)) {
        parse(&bytes);
        parse(&[b"[%", &bytes[..]].concat());
    }

    #[test]
    fn any_bytes_can_be_scanned(bytes in vec(any::<u8>(), 0..40), text in "[-+(dM]?[0-9.]{0,12}[/ =][0-9/. ,:sMwvtl=]{0,40}") {
        for comment in [&bytes[..], text.as_bytes()] {
            for mover in [None, Some(Color::White), Some(Color::Black)] {
                scan(comment, mover, &mut |_| {});
            }
        }
    }

    /// Values that are extracted and values that are scanned are the same.
    #[test]
    fn a_command_that_is_extracted_is_scanned_with_the_same_value(command in any_command()) {
        let comment = rendered(std::slice::from_ref(&command), b"");
        let mut scanned = Vec::new();
        scan(&comment, Some(Color::Black), &mut |command| scanned.push(Owned::of(command)));
        let is_scanned = !matches!(command, Owned::Extra(..));
        prop_assert_eq!(scanned, if is_scanned { vec![command] } else { vec![] });
    }

    #[test]
    fn each_byte_of_a_command_matters(command in any_command(), byte in any::<u8>(), position in any::<prop::sample::Index>()) {
        let mut comment = rendered(&[command], b"");
        let index = position.index(comment.len());
        comment[index] = byte;
        parse(&comment);
        comment.truncate(index);
        prop_assert!(parse(&comment).0.is_empty());
    }
}
