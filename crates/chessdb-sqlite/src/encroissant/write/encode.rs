//! Encoding of moves, variations, comments and NAGs (docs/formats/encroissant.md, section 3).

use chessdb_core::annotation::CommentRun;
use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::encroissant::EnCroissantNumbering;
use chessdb_core::line::{CommentOut, LineSink, LineTracker as _, Lines, Out, write_lines};
use chessdb_core::{
    Board, Color, Game, LossKind, Losses, PackedMove, PieceType, Result as CoreResult,
};

use crate::encroissant::moves::{CLOSE, COMMENT, LONGEST, NAG, OPEN};

/// The material of a side at the start of a standard game.
const STANDARD_MATERIAL: i64 = 39;

/// The moves of a game and the values that the program computes from them for its searches.
#[derive(Default)]
pub(super) struct EncodedMoves {
    pub(super) blob: Vec<u8>,
    /// The number of half-moves of the mainline.
    pub(super) plies: u32,
    /// The least material of White and of Black.
    pub(super) material: [i64; 2],
    /// The pawns on their first squares at the end of the mainline.
    pub(super) pawn_home: i64,
    lines: Option<Lines<EnCroissantNumbering>>,
    run: CommentRun,
}

impl EncodedMoves {
    /// Encodes the moves of a game.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Lines::reuse`].
    pub(super) fn encode(&mut self, game: &Game, losses: &mut Losses) -> CoreResult<()> {
        self.blob.clear();
        let lines = Lines::reuse(&mut self.lines, EnCroissantNumbering, game)?;
        let mut sink = Sink {
            blob: &mut self.blob,
            plies: 0,
            material: [STANDARD_MATERIAL; 2],
        };
        let mut out = Out::new(game, lines, losses);
        write_lines(game.moves.tokens(), &mut self.run, &mut out, &mut sink);
        let board = lines.board();
        sink.lower_material(board);
        self.pawn_home = pawn_home(board);
        (self.plies, self.material) = (sink.plies, sink.material);
        Ok(())
    }
}

struct Sink<'o> {
    blob: &'o mut Vec<u8>,
    plies: u32,
    material: [i64; 2],
}

impl Sink<'_> {
    /// QUIRK: the program looks at the material before promotions and at the end only.
    fn lower_material(&mut self, board: &Board) {
        for (least, color) in self.material.iter_mut().zip(Color::ALL) {
            *least = material(board, color).min(*least);
        }
    }

    /// Appends a text with its length, in pieces as the program does.
    fn text(&mut self, code: u8, text: &[u8]) {
        let mut pieces = text.chunks(LONGEST);
        let mut piece = pieces.next().unwrap_or_default();
        loop {
            self.blob.push(code);
            self.blob.extend((piece.len() as u16).to_le_bytes());
            self.blob.extend_from_slice(piece);
            // Without an empty piece, a comment after a full piece would be read as its rest.
            if piece.len() < LONGEST {
                return;
            }
            piece = pieces.next().unwrap_or_default();
        }
    }
}

type EncoderOut<'p, 'g> = Out<'p, 'g, Lines<EnCroissantNumbering>>;

impl<'g> LineSink<'g> for Sink<'_> {
    type Lines = Lines<EnCroissantNumbering>;

    fn mv(&mut self, out: &mut EncoderOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        // Moves are numbers of legal moves, of which a null move is none.
        if mv.is_null() {
            return Err(LossKind::NullMove);
        }
        let board = out.lines.board();
        EnCroissantNumbering
            .encode(&(), board, mv, self.blob)
            .map_err(|_| LossKind::of_illegal(mv))?;
        if out.lines.depth() == 0 {
            self.plies += 1;
            if mv.promotion().is_some() {
                self.lower_material(board);
            }
        }
        Ok(())
    }

    fn nag(&mut self, _: &mut EncoderOut<'_, 'g>, nag: u16) {
        self.text(NAG, format!("${nag}").as_bytes());
    }

    fn comment(&mut self, out: &mut EncoderOut<'_, 'g>, comment: CommentOut<'_>) {
        if comment.rest.is_some() && comment.place != out.lines.place() {
            out.lose(LossKind::CommentMoved);
        }
        if comment.hides_empty_text {
            out.lose(LossKind::Comment);
        }
        // The program needs valid UTF-8.
        let text = comment.text.decode();
        if comment.text.decode_strict().is_none() {
            out.lose(LossKind::CommentText);
        }
        self.text(COMMENT, text.as_bytes());
    }

    fn open(&mut self, _: &mut EncoderOut<'_, 'g>) -> Result<(), LossKind> {
        self.blob.push(OPEN);
        Ok(())
    }

    fn close(&mut self, _: &mut EncoderOut<'_, 'g>) {
        self.blob.push(CLOSE);
    }
}

fn material(board: &Board, color: Color) -> i64 {
    let count = |kind| board.pieces(color, kind).len() as i64;
    count(PieceType::Pawn)
        + 3 * (count(PieceType::Knight) + count(PieceType::Bishop))
        + 5 * count(PieceType::Rook)
        + 9 * count(PieceType::Queen)
}

/// Returns a bit for each pawn on its first square: White's from the a file on, then Black's.
fn pawn_home(board: &Board) -> i64 {
    let mut bits = 0;
    for (shift, color, rank) in [(0, Color::White, 1), (8, Color::Black, 6)] {
        for square in board.pieces(color, PieceType::Pawn) {
            if square.rank() == rank {
                bits |= 1 << (shift + square.file());
            }
        }
    }
    bits
}
