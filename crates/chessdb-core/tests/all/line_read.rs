//! Tests of decoding with [`LineReader`], with a toy format: the rules that apply to all formats.
//!
//! Its codes are single letters: `m` a null move, `x` an unreadable move, `(` and `)` a variation,
//! `[` a variation that needs no move to replace, `n` a NAG, `c` and `w` a comment of three bytes
//! (added at once, built in the arena), `f` a fault with a text of three bytes, `r` a result.

use chessdb_core::board::Piece;
use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::legacy::scid::ScidNumbering;
use chessdb_core::line::{Closed, Counts, LineReader, Lines, Step, Stop};
use chessdb_core::model::FaultKind;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::{
    Board, Charset, ErrorKind, Event, Game, Outcome, PackedMove, ReadOptions, Result, Scratch,
    Setup, Severity, Square, Start,
};

const FILE: Role = Role("toy");
const TEXT: &[u8] = b"abc";

type Line<'r, 'o> = LineReader<'r, 'o, Lines<PlainNumbering>>;

fn run(codes: &str, line: &mut Line<'_, '_>) -> Step {
    for code in codes.bytes() {
        match code {
            b'm' if line.is_skipping() => {}
            b'm' => line.mv(PackedMove::NULL)?,
            b'x' => line.bad_move(ErrorKind::Structure("x"))?,
            b'(' => line.open()?,
            b'[' => line.open_here()?,
            b')' => line.close_or_repair()?,
            b'n' => line.nag(7)?,
            b'c' => line.comment(TEXT, Charset::UTF_8, line.place())?,
            b'w' => line.comment_with(TEXT.len(), line.place(), |texts| {
                texts.extend(TEXT);
                Charset::UTF_8
            })?,
            b'f' => line.fault(FaultKind::IllegalMove, TEXT, Charset::UTF_8)?,
            b'r' => line.note(|tape, _| tape.outcome(Outcome::Draw))?,
            _ => panic!("{code}"),
        }
        line.at += 1;
    }
    Ok(())
}

/// The result of reading a game of the toy format.
#[derive(Debug, PartialEq)]
struct ReadResult {
    tape: String,
    /// Severity, offset, ply and kind of each finding.
    findings: Vec<String>,
    counts: Counts,
    complete: bool,
}

fn read_with(codes: &str, surplus: usize, options: &ReadOptions) -> Result<ReadResult> {
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    let mut report = GameReport::new(options, &mut scratch, 5);
    let start = Location::byte(FILE, 100);
    let line = LineReader::begin(PlainNumbering, &mut game, &mut report, start)?;
    let mut line = line.unwrap();
    let read = run(codes, &mut line);
    let counts = line.end(read)?;
    assert!(!line.is_skipping());
    if surplus > 0 && line.takes_surplus(ErrorKind::Structure("surplus"), line.here())? {
        for _ in 0..surplus {
            Stop::into_result(line.comment(TEXT, Charset::UTF_8, line.place()))?;
        }
    }
    let complete = line.finish();
    let tape = game.events().map(|event| match event {
        Event::Move(_) => "m".into(),
        Event::Nag(nag) => format!("${nag}"),
        Event::Comment(place, text) => format!("{{{place:?} {}}}", text.decode()),
        Event::Open(_) => "(".into(),
        Event::Close => ")".into(),
        Event::Fault(_, text) => format!("!{}", text.decode()),
        Event::Outcome(_) => "=".into(),
        event => panic!("{event:?}"),
    });
    Ok(ReadResult {
        tape: tape.collect(),
        findings: scratch
            .diagnostics
            .iter()
            .map(|diagnostic| {
                assert_eq!(
                    (diagnostic.at.file, diagnostic.at.game),
                    (Some(FILE), Some(5))
                );
                let (offset, ply) = (
                    diagnostic.at.offset.unwrap() - 100,
                    diagnostic.at.ply.unwrap(),
                );
                format!("{} {offset}/{ply} {}", diagnostic.severity, diagnostic.kind)
            })
            .collect(),
        counts,
        complete,
    })
}

fn read(codes: &str) -> ReadResult {
    read_with(codes, 0, &ReadOptions::default()).unwrap()
}

fn limited(change: impl Fn(&mut chessdb_core::limits::Limits)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options.limits);
    options
}

const CUT: &str = "the rest was skipped";

#[test]
fn everything_goes_on_the_tape_and_is_counted() {
    let seen = read("cmnw(cmf)rm");
    assert_eq!(seen.tape, "{Before abc}m$7{After abc}({Before abc}m!abc)=m");
    assert_eq!(
        seen.counts,
        Counts {
            plies: 2,
            variations: 1,
            comments: 3,
            nags: 1,
            faults: 1,
        }
    );
    assert!(seen.complete && seen.findings.is_empty());
}

#[test]
fn an_unreadable_move_takes_the_rest_of_its_line_with_it() {
    let main = read("mmxm(m)");
    assert_eq!((main.tape.as_str(), main.complete), ("mm", false));
    assert_eq!(main.findings, ["lost 2/2 x"]);
    // Everything that depends on it is skipped: moves, NAGs, comments, faults, results, nested
    // variations.
    let inner = read("m(mxmncwfr(m(m)x)[m))m");
    assert_eq!((inner.tape.as_str(), inner.complete), ("m(m)m", false));
    assert_eq!(inner.findings, ["lost 3/1 x"]);
}

#[test]
fn a_variation_needs_a_move_to_replace_unless_the_format_says_otherwise() {
    let kind = "a variation without a move to replace";
    let seen = read("(m(m)c)mc");
    assert_eq!((seen.tape.as_str(), seen.complete), ("m{After abc}", false));
    assert_eq!(seen.findings, [format!("lost 0/0 {kind}")]);
    let seen = read("m((m)m)m");
    assert_eq!((seen.tape.as_str(), seen.complete), ("m(m)m", false));
    assert_eq!(seen.findings, [format!("lost 2/0 {kind}")]);
    let seen = read("[m)m");
    assert_eq!((seen.tape.as_str(), seen.complete), ("(m)m", true));
}

#[test]
fn marks_that_do_not_match_are_repaired() {
    let seen = read("m)m");
    assert_eq!((seen.tape.as_str(), seen.complete), ("mm", true));
    let kind = "the end of a variation that was never opened";
    assert_eq!(seen.findings, [format!("repaired 1/1 {kind}")]);
    let seen = read("m(m(m");
    assert_eq!((seen.tape.as_str(), seen.complete), ("m(m(m))", true));
    let kind = "the game ends inside a variation";
    assert_eq!(seen.findings, [format!("repaired 5/1 {kind}")]);
    // A cut is reported once, and it explains the missing end.
    let seen = read("m(mx");
    assert_eq!((seen.tape.as_str(), seen.findings.len()), ("m(m)", 1));
}

#[test]
fn the_end_of_a_line_says_what_it_was() {
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    let options = ReadOptions::default();
    let mut report = GameReport::new(&options, &mut scratch, None);
    let lines = Lines::new(PlainNumbering, &game).unwrap();
    let mut line = LineReader::new(lines, &mut game, &mut report, Location::byte(FILE, 0));
    run("m(m(x(", &mut line).unwrap();
    assert!(line.is_skipping() && !line.is_complete());
    let closed = [line.close(), line.close(), line.close(), line.close()];
    let expected = [
        Closed::LeftOut,
        Closed::Line,
        Closed::Line,
        Closed::NoneOpen,
    ];
    assert_eq!(closed, expected);
    assert!(!line.is_skipping());
}

#[test]
fn a_full_tape_ends_the_game_once() {
    let options = limited(|limits| limits.plies = 3);
    let seen = read_with("mm(m)mmm(", 0, &options).unwrap();
    assert_eq!((seen.tape.as_str(), seen.complete), ("mm(m)", false));
    let kind = format!("more than 3 plies in a game; {CUT}");
    assert_eq!(seen.findings, [format!("lost 5/2 {kind}")]);
    let seen = read_with(&"n".repeat(30), 0, &options).unwrap();
    let kind = format!("more than 24 annotations in a game; {CUT}");
    assert_eq!(seen.findings, [format!("lost 24/0 {kind}")]);
}

#[test]
fn too_deep_a_variation_is_left_out_and_the_game_goes_on() {
    let options = limited(|limits| limits.depth = 1);
    let seen = read_with("m(m(m(m)n)m)m", 0, &options).unwrap();
    assert_eq!((seen.tape.as_str(), seen.complete), ("m(mm)m", false));
    let kind = format!("more than 1 variations within variations; {CUT}");
    assert_eq!(seen.findings, [format!("lost 3/1 {kind}")]);
}

#[test]
fn a_text_without_room_is_left_out_and_the_game_goes_on() {
    let options = limited(|limits| limits.text_bytes = 4);
    let kind = format!("more than 4 bytes of text in a game; {CUT}");
    for codes in ["mccm", "mwwm", "mcfm"] {
        let seen = read_with(codes, 0, &options).unwrap();
        assert_eq!(
            (seen.tape.as_str(), seen.complete),
            ("m{After abc}m", false)
        );
        assert_eq!(seen.findings, [format!("lost 2/1 {kind}")]);
    }
    // Skipped texts need no space.
    let seen = read_with("mc(xcwf)", 0, &options).unwrap();
    assert_eq!(seen.findings, ["lost 3/0 x"]);
}

#[test]
fn surplus_texts_go_to_the_end_and_are_not_counted() {
    let options = limited(|limits| limits.text_bytes = 10);
    let seen = read_with("mc(m", 1, &options).unwrap();
    assert_eq!(seen.tape, "m{After abc}(m){After abc}");
    assert_eq!((seen.counts.comments, seen.findings.len()), (1, 2));
    assert_eq!(seen.findings[1], "lost 4/1 surplus");
    // Texts without space are left out, and this is reported.
    let seen = read_with("mc", 3, &options).unwrap();
    assert_eq!(seen.tape, "m{After abc}{After abc}{After abc}");
    assert!(!seen.complete);
    let kind = format!("more than 10 bytes of text in a game; {CUT}");
    assert_eq!(
        seen.findings,
        ["lost 2/1 surplus".into(), format!("lost 2/1 {kind}")]
    );
    // In a cut game they belong to the missing part.
    let seen = read_with("mx", 1, &options).unwrap();
    assert_eq!(seen.tape, "m");
    assert_eq!(seen.findings[1], "lost 1/1 surplus");
}

#[test]
fn strict_mode_refuses_the_first_finding() {
    let mut options = limited(|limits| {
        limits.plies = 3;
        limits.depth = 1;
        limits.text_bytes = 4;
    });
    options.mode = Mode::Strict;
    assert!(read_with("mc(m)m", 0, &options).unwrap().complete);
    for (codes, offset, what) in [
        ("mxm", 1, "x"),
        ("(m)", 0, "without a move to replace"),
        ("m)", 1, "never opened"),
        ("m(m", 3, "ends inside"),
        ("mmmm", 3, "plies"),
        ("m(m(m))", 3, "variations within"),
        ("cc", 1, "text"),
        ("cw", 1, "text"),
        ("cf", 1, "text"),
    ] {
        let error = read_with(codes, 0, &options).unwrap_err();
        assert_eq!(error.location().offset, Some(100 + offset), "{codes}");
        assert!(error.kind().to_string().contains(what), "{codes}: {error}");
    }
    assert!(read_with("m", 1, &options).is_err());
}

#[test]
fn moves_are_decoded_with_board_and_numbers() {
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    let options = ReadOptions::default();
    let mut report = GameReport::new(&options, &mut scratch, None);
    let start = Location::byte(FILE, 0);
    let line = LineReader::begin(ScidNumbering, &mut game, &mut report, start);
    let mut line = line.unwrap().unwrap();
    // Number 12 is the pawn on e2, a double step; then it is Black's turn.
    let (mv, used) = line.decode(&[0xCF]).unwrap();
    assert_eq!((mv.to_string().as_str(), used), ("e2e4", 1));
    line.mv(mv).unwrap();
    assert_eq!(line.decode(&[0xCF]).unwrap().0.to_string(), "e7e5");
    assert!(line.decode(&[]).is_err());
}

#[test]
fn a_start_position_that_cannot_be_numbered_is_reported() {
    let mut board = Board::empty();
    for square in Square::all().take(17) {
        board.put(square, Piece::from_letter(b'P'));
    }
    let mut game = Game::new();
    game.header.start = Start::Setup(Box::new(Setup::from_board(board)));
    let mut options = ReadOptions::default();
    for strict in [false, true] {
        options.mode = if strict { Mode::Strict } else { Mode::Lenient };
        let mut scratch = Scratch::new();
        let mut report = GameReport::new(&options, &mut scratch, None);
        let start = Location::byte(FILE, 3);
        match LineReader::begin(ScidNumbering, &mut game, &mut report, start) {
            Ok(line) => assert!(!strict && line.is_none()),
            Err(_) => assert!(strict),
        }
        let severity = scratch
            .diagnostics
            .first()
            .map(|diagnostic| diagnostic.severity);
        assert_eq!(severity, Some(Severity::Lost).filter(|_| !strict));
    }
}
