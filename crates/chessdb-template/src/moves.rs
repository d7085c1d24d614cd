//! The words of a game's moves.

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::MoveKind;
use chessdb_core::error::Location;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::{CommentOut, LineReader, LineSink, Lines, Out, Step, write_lines};
use chessdb_core::model::Place;
use chessdb_core::report::GameReport;
use chessdb_core::rules::{is_legal, legal_moves};
use chessdb_core::{
    Board, Charset, ErrorKind, Game, LossKind, Losses, PackedMove, Result as CoreResult,
};

use crate::text;

/// Appends the moves in a field that starts at this location.
pub(crate) fn read(
    field: &[u8],
    at: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> CoreResult<()> {
    let Some(mut line) = LineReader::begin(PlainNumbering, game, report, at)? else {
        return Ok(());
    };
    let read = read_words(field, &mut line);
    line.end(read)?;
    line.finish();
    Ok(())
}

fn read_words(field: &[u8], line: &mut LineReader<'_, '_, Lines<PlainNumbering>>) -> Step {
    let mut legal = Vec::new();
    for word in field.split(|&byte| byte == b' ') {
        match word {
            [] => {}
            b"(" => line.open()?,
            b")" => line.close_or_repair()?,
            _ if line.is_skipping() => {}
            [b'<', rest @ ..] => line.comment(&text::read(rest), Charset::UTF_8, Place::Before)?,
            [b'>', rest @ ..] => line.comment(&text::read(rest), Charset::UTF_8, Place::After)?,
            [b'$', digits @ ..] => match std::str::from_utf8(digits).map(str::parse) {
                Ok(Ok(nag)) => line.nag(nag)?,
                _ => line.repaired(ErrorKind::Structure("a NAG without a number"))?,
            },
            _ => match find(word, line.lines().board(), &mut legal) {
                Some(mv) => line.mv(mv)?,
                None => line.bad_move(ErrorKind::BadMove {
                    found: String::from_utf8_lossy(word).into(),
                    why: "no legal move",
                })?,
            },
        }
        line.at += word.len() + 1;
    }
    Ok(())
}

/// Returns the legal move with these coordinates.
fn find(word: &[u8], board: &Board, legal: &mut Vec<PackedMove>) -> Option<PackedMove> {
    legal.clear();
    legal_moves(board, legal);
    legal.push(PackedMove::NULL);
    let mut moves = legal.iter().copied();
    moves.find(|mv| mv.to_string().as_bytes() == word)
}

/// Appends the moves of a game and counts what is left out.
pub(crate) fn write(game: &Game, losses: &mut Losses, out: &mut Vec<u8>) -> CoreResult<()> {
    let mut lines = Lines::new(PlainNumbering, game)?;
    let mut here = Out::new(game, &mut lines, losses);
    let mut words = Words { out, first: true };
    write_lines(
        game.moves.tokens(),
        &mut CommentRun::default(),
        &mut here,
        &mut words,
    );
    Ok(())
}

/// A sink that writes words.
struct Words<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl Words<'_> {
    fn put(&mut self, word: &str) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b' ');
        }
        self.out.extend_from_slice(word.as_bytes());
    }
}

type Here<'p, 'g> = Out<'p, 'g, Lines<PlainNumbering>>;

impl<'g> LineSink<'g> for Words<'_> {
    type Lines = Lines<PlainNumbering>;

    fn mv(&mut self, out: &mut Here<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        if mv.kind() != MoveKind::Null && !is_legal(out.lines.board(), mv) {
            return Err(LossKind::of_illegal(mv));
        }
        self.put(&mv.to_string());
        Ok(())
    }

    fn nag(&mut self, _: &mut Here<'_, 'g>, nag: u16) {
        self.put(&format!("${nag}"));
    }

    fn comment(&mut self, out: &mut Here<'_, 'g>, comment: CommentOut<'_>) {
        self.put(match comment.place {
            Place::Before => "<",
            Place::After => ">",
        });
        if text::write(comment.text, true, self.out) > 0 {
            out.lose(LossKind::CommentText);
        }
        if comment.hides_empty_text {
            out.lose(LossKind::Comment);
        }
    }

    fn open(&mut self, out: &mut Here<'_, 'g>) -> Result<(), LossKind> {
        if out.lines.at_line_start() {
            return Err(LossKind::VariationBeforeMove);
        }
        self.put("(");
        Ok(())
    }

    fn close(&mut self, _: &mut Here<'_, 'g>) {
        self.put(")");
    }
}
