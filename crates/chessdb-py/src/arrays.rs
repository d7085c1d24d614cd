//! Numeric data of a game as buffers that numpy and similar packages use without a copy.

use chessdb::arrow::Packer;
use chessdb::core::{Board, Color, Game, PieceType, Setup, Square};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::errors::invalid_argument;

/// Returns bytes as an array with items of this type. It can be copied and pickled, which a
/// memoryview cannot.
fn array<'py>(py: Python<'py>, bytes: &[u8], kind: &str) -> PyResult<Bound<'py, PyAny>> {
    static ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    ARRAY
        .import(py, "array", "array")?
        .call1((kind, PyBytes::new(py, bytes)))
}

/// Returns the mainline as numbers composed of origin, target and promotion.
pub(crate) fn moves<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyAny>> {
    let packer = Packer::new(game);
    let mut bytes = Vec::with_capacity(256);
    for mv in game.mainline() {
        // An array reads numbers in the byte order of the machine.
        bytes.extend_from_slice(&packer.pack(mv).to_ne_bytes());
    }
    array(py, &bytes, "h")
}

/// The number of possible move numbers.
const NUMBERS: usize = 6 << 12;

/// Returns the mainline in UCI notation. There are few distinct moves, so the string of each is
/// created only once.
pub(crate) fn uci<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyList>> {
    static NAMES: PyOnceLock<Vec<PyOnceLock<Py<PyString>>>> = PyOnceLock::new();
    let names = NAMES.get_or_init(py, || (0..NUMBERS).map(|_| PyOnceLock::new()).collect());
    let packer = Packer::new(game);
    let list = PyList::empty(py);
    for mv in game.mainline() {
        let number = packer.pack(mv);
        match names.get(usize::from(number.cast_unsigned())) {
            Some(name) => {
                let name = name.get_or_init(py, || PyString::new(py, &to_uci(number)).unbind());
                list.append(name)?;
            }
            None => list.append(to_uci(number))?,
        }
    }
    Ok(list)
}

/// Returns the UCI notation for a move number.
pub(crate) fn to_uci(number: i16) -> String {
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
        // Without a promotion, 0 would be a1a1.
        0 => "0000".to_owned(),
        _ => format!("{from}{to}{promotion}"),
    }
}

/// Returns the positions of the mainline, 64 bytes each, a1 first. An unknown start position has no
/// pieces.
pub(crate) fn boards<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyAny>> {
    let mut board = game.start_board();
    let mut bytes = Vec::with_capacity(64 * 100);
    if game.has_known_start() {
        add_board(&board, &mut bytes);
    } else {
        bytes.resize(64, 0);
    }
    for mv in game.mainline() {
        board.play(mv);
        add_board(&board, &mut bytes);
    }
    static VIEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let view = VIEW.import(py, "builtins", "memoryview")?;
    let view = view.call1((PyBytes::new(py, &bytes),))?;
    // A view with several dimensions may not be empty; this one has the start position.
    let shape = PyTuple::new(py, [bytes.len() / 64, 8, 8])?;
    view.call_method1(intern!(py, "cast"), ("B", shape))
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

/// Returns the Polyglot keys of the positions of the mainline.
pub(crate) fn hashes<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyAny>> {
    let mut bytes = Vec::with_capacity(8 * 100);
    for board in game.positions() {
        bytes.extend_from_slice(&board.polyglot_key().to_ne_bytes());
    }
    array(py, &bytes, "Q")
}

/// Returns a position as FEN.
pub(crate) fn fen(board: &Board) -> String {
    let mut fen = Vec::new();
    Setup::from_board(board.clone()).write_fen(&mut fen);
    fen.into_iter().map(char::from).collect()
}

/// Returns the Polyglot key of a position in FEN.
#[pyfunction]
pub(crate) fn polyglot_key(py: Python<'_>, fen: &str) -> PyResult<u64> {
    match Setup::from_fen(fen.as_bytes()) {
        Ok((setup, _)) => Ok(setup.board.polyglot_key()),
        Err(fault) => Err(invalid_argument(
            py,
            &fault.into_kind(fen.as_bytes()).to_string(),
        )),
    }
}
