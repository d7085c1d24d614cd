//! Tests of encoding with [`write_lines`], with a toy format: the rules that apply to all formats.
//!
//! The sink writes each call as text, with the ply of each place. It rejects moves to h8 and
//! variations that replace nothing, and loses results.

use std::fmt::Write as _;

use chessdb_core::annotation::{CommentRun, read_comment};
use chessdb_core::board::Piece;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::legacy::scid::ScidNumbering;
use chessdb_core::limits::Limits;
use chessdb_core::line::{CommentOut, LineSink, Lines, Out, TokenSource, write_game, write_lines};
use chessdb_core::model::{Place, Token};
use chessdb_core::text::TextId;
use chessdb_core::{
    Board, Charset, Color, Game, LossKind, Losses, Outcome, PackedMove, Setup, Square, Start,
};

#[derive(Default)]
struct Toy {
    text: String,
    /// Takes NAGs with this number, and the token after them.
    taken: Option<u16>,
}

type ToyOut<'p, 'g> = Out<'p, 'g, Lines<PlainNumbering>>;

impl<'g> LineSink<'g> for Toy {
    type Lines = Lines<PlainNumbering>;

    fn mv(&mut self, out: &mut ToyOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        if mv.to().to_ascii() == *b"h8" {
            return Err(LossKind::UnnumberedPiece);
        }
        let turn = out.lines.board().turn().pick("w", "b");
        write!(self.text, "{}{turn}", out.lines.ply()).unwrap();
        Ok(())
    }

    fn played(&mut self, out: &mut ToyOut<'_, 'g>) {
        write!(self.text, "-{} ", out.lines.ply()).unwrap();
    }

    fn nag(&mut self, _: &mut ToyOut<'_, 'g>, nag: u16) {
        write!(self.text, "${nag} ").unwrap();
    }

    fn comment(&mut self, _: &mut ToyOut<'_, 'g>, comment: CommentOut<'_>) {
        let rest = comment.rest.map(|rest| rest.decode().into_owned());
        assert!(comment.commands > 0 || rest.as_deref() == Some(&*comment.text.decode()));
        let rest = rest.map_or("-".into(), |rest| format!("{rest:?}"));
        let (place, text) = (comment.place, comment.text.decode());
        write!(self.text, "{{{place:?} {text} {rest}}} ").unwrap();
        assert_eq!(comment.commands, text.matches("[%clk").count());
    }

    fn settle(&mut self, _: &mut ToyOut<'_, 'g>) {
        self.text.push('.');
    }

    fn open(&mut self, out: &mut ToyOut<'_, 'g>) -> Result<(), LossKind> {
        if out.lines.at_line_start() {
            return Err(LossKind::VariationBeforeMove);
        }
        write!(self.text, "{}( ", out.lines.ply()).unwrap();
        Ok(())
    }

    fn close(&mut self, out: &mut ToyOut<'_, 'g>) {
        write!(self.text, "){} ", out.lines.ply()).unwrap();
    }

    fn take(
        &mut self,
        _: &mut ToyOut<'_, 'g>,
        token: Token<'g>,
        rest: &mut impl TokenSource<'g>,
    ) -> bool {
        match token {
            Token::Nag(nag) if self.taken == Some(nag) => rest.next().is_some(),
            _ => false,
        }
    }
}

/// Builds a game from codes: `m` a null move, `x` a rejected move, `(`, `)`, `n` a NAG, `c` a
/// comment, `e` an empty one, `a` an absent one, `k` a comment that is only a clock, `K` one with a
/// text, `r` a result.
fn game(codes: &str) -> Game {
    let mut game = Game::new();
    let empty = game.add_text("");
    let Game { moves, texts, .. } = &mut game;
    let mut tape = moves.builder(&Limits::default());
    let h8 = Square::from_ascii(b"h8").unwrap();
    for code in codes.bytes() {
        let mut comment = |text: &[u8]| {
            read_comment(text, Charset::UTF_8, Place::Before, texts, &mut tape).unwrap();
        };
        match code {
            b'c' => comment(b"text"),
            b'k' => comment(b"[%clk 0:00:01]"),
            b'K' => comment(b"[%clk 0:00:01] text"),
            b'm' => tape.mv(PackedMove::NULL).unwrap(),
            b'x' => tape.mv(PackedMove::normal(h8, h8)).unwrap(),
            b'(' => tape.open().unwrap(),
            b')' => assert!(tape.close()),
            b'n' => tape.nag(7).unwrap(),
            b'e' => tape.comment(Place::After, empty).unwrap(),
            b'a' => tape.comment(Place::After, TextId::NONE).unwrap(),
            b'r' => tape.outcome(Outcome::Draw).unwrap(),
            _ => panic!("{code}"),
        }
    }
    tape.finish();
    game
}

fn write_with(codes: &str, mut toy: Toy) -> (String, Vec<(LossKind, u32)>) {
    let game = game(codes);
    let mut lines = Lines::new(PlainNumbering, &game).unwrap();
    let mut losses = Losses::new();
    let mut out = Out::new(&game, &mut lines, &mut losses);
    let mut run = CommentRun::default();
    write_lines(game.moves.tokens(), &mut run, &mut out, &mut toy);
    assert_eq!(lines.depth(), 0);
    let losses = losses.iter().map(|loss| (loss.kind, loss.count));
    (toy.text, losses.collect())
}

fn write(codes: &str) -> (String, Vec<(LossKind, u32)>) {
    write_with(codes, Toy::default())
}

#[test]
fn the_lines_stand_before_what_is_written() {
    let (text, losses) = write("m(mm(m))mn");
    assert_eq!(text, ".0w-1 .1( .0w-1 .1b-2 .2( .1b-2 .)2 .)2 .1b-2 .$7 .");
    assert!(losses.is_empty());
}

#[test]
fn a_refused_move_takes_the_rest_of_its_line_and_all_of_it_counts() {
    let (text, losses) = write("m(mxncKr(mc))mr");
    assert_eq!(text, ".0w-1 .1( .0w-1 .)1 .1b-2 ..");
    assert_eq!(
        losses,
        [
            (LossKind::UnnumberedPiece, 1),
            (LossKind::Nag, 1),
            (LossKind::Comment, 3),
            (LossKind::Clock, 1),
            (LossKind::MoveResult, 2),
            (LossKind::Variation, 1),
            (LossKind::VariationMoves, 1),
        ]
    );
    let (text, losses) = write("mx(m)m");
    assert_eq!(text, ".0w-1 ..");
    let kinds = [
        LossKind::UnnumberedPiece,
        LossKind::Variation,
        LossKind::VariationMoves,
        LossKind::MovesCut,
    ];
    assert_eq!(losses, kinds.map(|kind| (kind, 1)));
}

#[test]
fn a_refused_variation_is_left_out_whole() {
    let (text, losses) = write("(m(m)c)m");
    assert_eq!(text, "..0w-1 .");
    assert_eq!(
        losses,
        [
            (LossKind::VariationBeforeMove, 1),
            (LossKind::VariationMoves, 2),
            (LossKind::Variation, 1),
            (LossKind::Comment, 1),
        ]
    );
}

#[test]
fn commands_become_part_of_their_comment() {
    // A clock alone at the end of an annotation without a comment; then a clock with a text.
    assert_eq!(write("mkn").0, ".0w-1 {After [%clk 0:00:01] -} .$7 .");
    assert_eq!(write("mk").0, ".0w-1 {After [%clk 0:00:01] -} .");
    assert_eq!(
        write("mK").0,
        ".0w-1 {Before [%clk 0:00:01] text \"text\"} ."
    );
    // Two comments, the first with commands only: an absent comment ends it.
    assert_eq!(
        write("mkc").0,
        ".0w-1 {Before [%clk 0:00:01] \"\"} {Before text \"text\"} ."
    );
    // An empty comment is a comment, an absent one is not.
    assert_eq!(write("me").0, ".0w-1 {After  \"\"} .");
    assert_eq!(write("ma").0, ".0w-1 .");
    let (text, losses) = write("xae");
    assert_eq!(text, "..");
    assert_eq!(
        losses,
        [(LossKind::UnnumberedPiece, 1), (LossKind::Comment, 1)]
    );
}

#[test]
fn a_format_may_take_tokens_and_what_follows_them() {
    let toy = Toy {
        taken: Some(7),
        ..Toy::default()
    };
    assert_eq!(write_with("mncm", toy).0, ".0w-1 .1b-2 .");
}

#[test]
fn lines_are_used_again() {
    let mut retained = None;
    let usual = Game::new();
    let lines = Lines::reuse(&mut retained, ScidNumbering, &usual).unwrap();
    lines.open();
    lines.play(PackedMove::NULL);
    let lines = Lines::reuse(&mut retained, ScidNumbering, &usual).unwrap();
    assert_eq!((lines.ply(), lines.depth()), (0, 0));
    let mut board = Board::empty();
    for square in Square::all().take(17) {
        board.put(square, Piece::from_letter(b'P'));
    }
    let mut full = Game::new();
    full.header.start = Start::Setup(Box::new(Setup::from_board(board)));
    assert!(Lines::reuse(&mut retained, ScidNumbering, &full).is_err());
    let lines = Lines::reuse(&mut retained, ScidNumbering, &usual).unwrap();
    let e2 = Square::from_ascii(b"e2").unwrap();
    assert_eq!(lines.state().number(Color::White, e2), Some(12));
}

/// A sink with the defaults: it writes the moves of the mainline.
struct Mainline(u32);

impl<'g> LineSink<'g> for Mainline {
    type Lines = Lines<PlainNumbering>;

    fn mv(&mut self, out: &mut ToyOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        out.check_legal(mv)?;
        self.0 += 1;
        Ok(())
    }

    fn drops_comments(&self) -> bool {
        true
    }
}

#[test]
fn defaults_count_everything_but_the_mainline() {
    use LossKind::{Clock, Comment, IllegalMove, MoveResult, MovesCut, Nag, Variation};
    for (codes, moves, expected) in [
        ("mm", 2, vec![]),
        ("cmnKkm", 2, vec![(Comment, 2), (Nag, 1), (Clock, 2)]),
        (
            "m(mn)m",
            2,
            vec![(Variation, 1), (LossKind::VariationMoves, 1), (Nag, 1)],
        ),
        (
            "mxmcr",
            1,
            vec![
                (IllegalMove, 1),
                (MovesCut, 1),
                (Comment, 1),
                (MoveResult, 1),
            ],
        ),
    ] {
        let game = game(codes);
        let (mut sink, mut losses) = (Mainline(0), Losses::new());
        write_game(PlainNumbering, &game, &mut losses, &mut sink).unwrap();
        let losses: Vec<_> = losses.iter().map(|loss| (loss.kind, loss.count)).collect();
        assert_eq!((sink.0, losses), (moves, expected), "{codes}");
    }
}
