//! Numbers of a game as memory that numpy and its like take without a copy.

use chessdb::arrow::Packer;
use chessdb::core::{Board, Color, Game, PieceType, Setup, Square};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::errors::mistake;

/// Bytes as a memoryview of items of this format, read-only.
fn view<'py>(
    py: Python<'py>,
    bytes: &[u8],
    format: &str,
    shape: Option<[usize; 3]>,
) -> PyResult<Bound<'py, PyAny>> {
    static VIEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let view = VIEW.import(py, "builtins", "memoryview")?;
    let view = view.call1((PyBytes::new(py, bytes),))?;
    match shape {
        // A view with several dimensions may not be empty.
        Some(shape) => {
            let shape = PyTuple::new(py, shape)?;
            view.call_method1(intern!(py, "cast"), (format, shape))
        }
        None => view.call_method1(intern!(py, "cast"), (format,)),
    }
}

/// The main line as numbers: from, to, promotion.
pub(crate) fn moves<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyAny>> {
    let packer = Packer::of(game);
    let mut bytes = Vec::with_capacity(256);
    for mv in game.mainline() {
        bytes.extend_from_slice(&packer.pack(mv).to_ne_bytes());
    }
    view(py, &bytes, "h", None)
}

/// How many numbers a move may have.
const NUMBERS: usize = 6 << 12;

/// The main line as engines write it. There are few moves, so each has its string made once.
pub(crate) fn uci<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyList>> {
    static NAMES: PyOnceLock<Vec<PyOnceLock<Py<PyString>>>> = PyOnceLock::new();
    let names = NAMES.get_or_init(py, || (0..NUMBERS).map(|_| PyOnceLock::new()).collect());
    let packer = Packer::of(game);
    let list = PyList::empty(py);
    for mv in game.mainline() {
        let number = packer.pack(mv);
        match names.get(usize::from(number.cast_unsigned())) {
            Some(name) => {
                let name = name.get_or_init(py, || PyString::new(py, &written(number)).unbind());
                list.append(name)?;
            }
            None => list.append(written(number))?,
        }
    }
    Ok(list)
}

/// A number of a move as engines write it.
pub(crate) fn written(number: i16) -> String {
    let square = |shift: u16| Square::from_rank_major((number.cast_unsigned() >> shift & 63) as u8);
    let (Some(from), Some(to)) = (square(0), square(6)) else {
        return String::new();
    };
    let promotion = match number >> 12 {
        2 => "n",
        3 => "b",
        4 => "r",
        5 => "q",
        _ => "",
    };
    match number {
        0 => "0000".to_owned(),
        _ => format!("{from}{to}{promotion}"),
    }
}

/// The positions of the main line, 64 bytes each, a1 first. A start that is not known has no pieces.
pub(crate) fn boards<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyAny>> {
    let mut board = game.start_board();
    let mut bytes = Vec::with_capacity(64 * 100);
    match game.has_known_start() {
        true => add_board(&board, &mut bytes),
        false => bytes.resize(64, 0),
    }
    for mv in game.mainline() {
        board.play(mv);
        add_board(&board, &mut bytes);
    }
    let shape = [bytes.len() / 64, 8, 8];
    view(py, &bytes, "B", Some(shape))
}

fn add_board(board: &Board, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + 64, 0);
    let Some(squares) = bytes.get_mut(start..) else {
        return;
    };
    for (color, first) in [(Color::White, 1), (Color::Black, 7)] {
        for (kind, offset) in [
            (PieceType::Pawn, 0),
            (PieceType::Knight, 1),
            (PieceType::Bishop, 2),
            (PieceType::Rook, 3),
            (PieceType::Queen, 4),
            (PieceType::King, 5),
        ] {
            for square in board.pieces(color, kind) {
                if let Some(cell) = squares.get_mut(usize::from(square.rank_major())) {
                    *cell = first + offset;
                }
            }
        }
    }
}

/// Polyglot's keys of the positions of the main line.
pub(crate) fn hashes<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyAny>> {
    let mut bytes = Vec::with_capacity(8 * 100);
    for board in game.positions() {
        bytes.extend_from_slice(&board.polyglot_key().to_ne_bytes());
    }
    view(py, &bytes, "Q", None)
}

/// A position in Forsyth's notation.
pub(crate) fn fen(board: &Board) -> String {
    let mut fen = Vec::new();
    Setup::from_board(board.clone()).write_fen(&mut fen);
    fen.into_iter().map(char::from).collect()
}

/// Polyglot's key of a position in Forsyth's notation.
#[pyfunction]
pub(crate) fn polyglot_key(py: Python<'_>, fen: &str) -> PyResult<u64> {
    match Setup::from_fen(fen.as_bytes()) {
        Ok((setup, _)) => Ok(setup.board.polyglot_key()),
        Err(fault) => Err(mistake(py, &fault.into_kind(fen.as_bytes()).to_string())),
    }
}
