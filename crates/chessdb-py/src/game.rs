//! Games as Python objects.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use chessdb::core::model::{GameFlags, Parts};
use chessdb::core::rules::write_san;
use chessdb::core::store::Origin;
use chessdb::core::{Color, Start};
use chessdb::pgn::raw::is_tag_name;
use chessdb::pgn::{GameText, Layout};
use chessdb::query::search::Match;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use crate::errors::to_exception;
use crate::hints::{cannot_set, missing};
use crate::metadata::Diagnostic;
use crate::nodes::{MoveTree, Node, NodeIterator, move_text};
use crate::{arrays, events, row};

mod model;

use model::tag;

/// A game: players, event and date as attributes, moves as text, numbers or a tree.
///
/// It owns its data and can be stored, compared, and sent to other processes.
#[pyclass(frozen, module = "chessdb")]
pub(crate) struct Game {
    /// Shared with its copies in other threads; copied when it is changed.
    model: RwLock<Arc<chessdb::core::Game>>,
    /// The number of changes.
    changes: AtomicU32,
    /// The moves as a tree, once they are used as one.
    pub(crate) tree: Mutex<Option<Arc<MoveTree>>>,
    number: u32,
    /// The file name of its database.
    base: Option<Box<str>>,
    /// Where it matches the query that found it.
    found: Match,
    findings: Box<[Diagnostic]>,
    error: Option<String>,
    /// The source of the moves, if only the header was read.
    lazy_moves: Option<LazyMoves>,
}

/// Reads the moves of a game on demand.
struct LazyMoves {
    db: Arc<chessdb::Database>,
    whole: OnceLock<Box<Game>>,
}

fn into_string(text: Vec<u8>) -> String {
    String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[pymethods]
impl Game {
    /// Parses the single game in a PGN text.
    #[classmethod]
    fn from_pgn(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Game> {
        let game = chessdb::Game::from_pgn(text).map_err(to_exception)?;
        Ok(Game::from_read(&game, Ok(())))
    }

    /// Makes a game of moves: a list of SAN, UCI, numbers or moves of python-chess, or one text of
    /// them. `tags` are the tags of the game; FEN is the start position.
    ///
    /// Raises `ValueError` with the half-move if a move is illegal.
    #[classmethod]
    #[pyo3(signature = (moves, tags = None, /, **named))]
    fn from_moves<'py>(
        class: &Bound<'py, PyType>,
        moves: &Bound<'py, PyAny>,
        tags: Option<&Bound<'py, PyAny>>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let commands = class.py().import("chessdb._commands")?;
        commands.call_method1("game_of_moves", (moves, tags, named))
    }

    /// Makes a game of moves in any of these forms from a start position.
    #[staticmethod]
    fn _from_moves(fen: &str, moves: Vec<Bound<'_, PyAny>>) -> PyResult<Game> {
        let mut builder = chessdb::core::Game::builder();
        if !fen.is_empty() {
            builder = builder
                .fen(fen)
                .map_err(|error| to_exception(error.into()))?;
        }
        let moves = moves.iter().map(move_text).collect::<PyResult<Vec<_>>>()?;
        let built = builder
            .sans(moves.iter().map(String::as_str))
            .map_err(|error| to_exception(error.into()))?;
        Ok(Game::from_model(built.build()))
    }

    /// Converts a game of python-chess.
    #[classmethod]
    fn from_chess<'py>(
        class: &Bound<'py, PyType>,
        game: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let bridge = class.py().import("chessdb._bridge")?;
        bridge.call_method1("from_chess", (game,))
    }

    /// The number of the game in the database, from 1.
    #[getter]
    fn number(&self) -> u32 {
        self.number
    }

    /// The player of the white pieces; "?" if unknown.
    #[getter]
    fn white(&self) -> String {
        self.header().white().into_owned()
    }

    /// The player of the black pieces; "?" if unknown.
    #[getter]
    fn black(&self) -> String {
        self.header().black().into_owned()
    }

    /// White's Elo rating.
    #[getter]
    fn white_elo(&self) -> Option<u16> {
        self.header().elo(Color::White)
    }

    /// Black's Elo rating.
    #[getter]
    fn black_elo(&self) -> Option<u16> {
        self.header().elo(Color::Black)
    }

    /// The tournament or match; "?" if unknown.
    #[getter]
    fn event(&self) -> String {
        self.header().event().into_owned()
    }

    /// The site; "?" if unknown.
    #[getter]
    fn site(&self) -> String {
        self.header().site().into_owned()
    }

    /// The round as in the source; "?" if unknown.
    #[getter]
    fn round(&self) -> String {
        self.header().round().into_owned()
    }

    /// The date, or without a year in it that of the tag UTCDate. Each unknown part is None.
    #[getter]
    fn date<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static DATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let date = self.header().effective_date();
        let year = (date.year > 0).then_some(date.year);
        let month = (date.month > 0).then_some(date.month);
        let day = (date.day > 0).then_some(date.day);
        DATE.import(py, "chessdb._date", "Date")?
            .call1((year, month, day))
    }

    /// "1-0", "0-1", "1/2-1/2" or "*".
    #[getter]
    fn result(&self) -> &'static str {
        self.header().result().as_pgn()
    }

    /// The ECO code.
    #[getter]
    fn eco(&self) -> Option<String> {
        self.header().eco().map(|eco| eco.to_string())
    }

    /// The annotator.
    #[getter]
    fn annotator(&self) -> Option<String> {
        self.header().annotator().map(|name| name.into_owned())
    }

    /// The start position as FEN, if it is not the standard one.
    #[getter]
    fn fen(&self) -> Option<String> {
        match &self.header().header.start {
            Start::Setup(setup) => {
                let mut fen = Vec::new();
                setup.write_fen(&mut fen);
                Some(fen.into_iter().map(char::from).collect())
            }
            Start::Standard => None,
        }
    }

    /// Whether the game is marked as deleted.
    #[getter]
    fn deleted(&self) -> bool {
        self.header().header.flags.contains(GameFlags::DELETED)
    }

    /// The letters of the flags, as in the PGN tag ScidFlags.
    #[getter]
    fn flags(&self) -> String {
        let mut letters = Vec::new();
        self.header().header.flags.write_letters(&mut letters);
        letters.into_iter().map(char::from).collect()
    }

    /// The tags as in PGN, in its order. Assignments change this object; `Database.replace` writes
    /// it back.
    #[getter]
    fn headers<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._headers")?
            .call_method1("Headers", (slf,))
    }

    /// Returns the tags as in PGN, in its order.
    fn _tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in self.header().tags() {
            if !headers.contains(&*name)? {
                headers.set_item(&*name, &*value)?;
            }
        }
        Ok(headers)
    }

    /// The number of changes of tags and moves. An equal number means equal tags.
    #[getter]
    fn _changes(&self) -> u32 {
        self.changes.load(Ordering::Acquire)
    }

    /// Sets a tag.
    fn _set_tag(&self, name: &str, value: &str) -> PyResult<()> {
        if !is_tag_name(name.as_bytes()) {
            return Err(PyValueError::new_err(format!(
                "{name:?} cannot be the name of a tag; use letters, digits and _"
            )));
        }
        let is_start = ["FEN", "SetUp", "Variant"].contains(&name);
        // Without moves nothing depends on the start position.
        if is_start && self.model().mainline().next().is_some() {
            return Err(PyValueError::new_err(format!(
                "cannot set {name}, because the moves depend on the start position; \
                 use chessdb.Game.from_pgn"
            )));
        }
        self.change(|game| game.set_tag(name, value));
        Ok(())
    }

    /// Removes a tag. Returns false if it cannot be removed. Tags that PGN requires become unknown.
    fn _remove_tag(&self, name: &str) -> bool {
        self.change(|game| {
            let has_gone = game.remove_tag(name);
            let is_required = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
            if !is_required.contains(&name) {
                // A tag may occur several times.
                while game.remove_tag(name) {}
            }
            has_gone || game.tag(name).is_none() || is_required.contains(&name)
        })
    }

    /// The half-move at which the game matches the query that found it: 0 is the start position.
    /// None if it was not found by a query about a position.
    #[getter]
    fn ply(&self) -> Option<u32> {
        self.found.hit().map(chessdb::query::search::Hit::ply)
    }

    /// Returns the position after `ply` half-moves of the mainline as `chess.Board` of
    /// python-chess. By default the position that a query found, otherwise the start position.
    #[pyo3(signature = (ply = None))]
    fn board<'py>(slf: &Bound<'py, Self>, ply: Option<isize>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._bridge")?
            .call_method1("board", (slf, ply))
    }

    /// Returns the position that a query found as FEN.
    fn _found_fen(&self) -> Option<String> {
        self.found.hit().map(|hit| arrays::fen(hit.board()))
    }

    /// The reason why the game could not be read completely; None if it was.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The findings while the game was read: repairs, and content that was left out.
    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.whole().findings.to_vec()
    }

    /// The half-moves of the mainline as numbers, int16: from + 64 * to + 4096 * promotion, with a1
    /// = 0, b1 = 1, ... h8 = 63, and promotions 2 knight, 3 bishop, 4 rook, 5 queen; the null move
    /// is 0.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::moves(py, &self.model())
    }

    /// Returns the mainline in UCI notation: "e2e4".
    fn ucis<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        arrays::uci(py, &self.model())
    }

    /// Returns the mainline in standard algebraic notation: "Nf3".
    fn sans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let game = self.model();
        let mut board = game.start_board();
        let list = PyList::empty(py);
        let mut san = Vec::new();
        for mv in game.mainline() {
            san.clear();
            write_san(&board, mv, &mut san);
            board.play(mv);
            list.append(PyString::new(
                py,
                std::str::from_utf8(&san).unwrap_or_default(),
            ))?;
        }
        Ok(list)
    }

    /// Returns the positions of the mainline as FEN: the start, and the position after each
    /// half-move.
    fn fens(&self) -> Vec<String> {
        self.model()
            .positions()
            .map(|board| arrays::fen(&board))
            .collect()
    }

    /// Returns the positions of the mainline as uint8 (half-moves + 1, 8, 8): rank 1 first, file a
    /// first; 0 is empty, 1 to 6 are White's pawn, knight, bishop, rook, queen and king, 7 to 12
    /// Black's.
    fn boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::boards(py, &self.model())
    }

    /// Returns the Polyglot keys of the positions of the mainline, uint64.
    fn hashes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::hashes(py, &self.model())
    }

    /// Returns the start of the game as a tree with variations, comments, NAGs, clocks, evaluations
    /// and arrows. Changes of its nodes change this game.
    fn root(slf: Py<Self>) -> Node {
        Node::root(slf)
    }

    /// Iterates over the nodes of the mainline, each after a move.
    fn mainline(slf: Py<Self>, py: Python<'_>) -> NodeIterator {
        Node::root(slf).mainline(py)
    }

    /// Returns the game as PGN. A width of 0 puts the moves on one line.
    #[pyo3(signature = (*, width = 80, comments = true, variations = true, nags = true))]
    fn pgn(&self, width: u32, comments: bool, variations: bool, nags: bool) -> String {
        if comments && variations && nags {
            return self.text(width);
        }
        let mut game = self.model();
        let parts = [
            (comments, Parts::COMMENTS),
            (variations, Parts::VARIATIONS),
            (nags, Parts::NAGS),
        ];
        let left_out = parts.iter().filter(|(is_wanted, _)| !is_wanted);
        Arc::make_mut(&mut game).leave_out(left_out.map(|&(_, part)| part).collect());
        let mut text = Vec::new();
        GameText::new(Layout::with_width(width)).append(&game, &mut text);
        into_string(text)
    }

    /// Converts the game to one of python-chess, equal to the result of `chess.pgn.read_game` for
    /// its PGN.
    fn to_chess<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._bridge")?
            .call_method1("to_chess", (slf,))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._html")?
            .call_method1("game", (slf,))
    }

    /// Returns the tags as in the PGN of the game, including repeated ones.
    fn _pgn_tags(&self) -> Vec<(String, String)> {
        let mut text = Vec::new();
        GameText::new(Layout::default()).append_header(&self.header(), &mut text);
        into_string(text).lines().filter_map(tag).collect()
    }

    /// Returns the moves as events, for the modules of this package.
    fn _events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        events::events(py, &self.model())
    }

    /// The number of half-moves of the mainline.
    fn __len__(&self) -> usize {
        self.model().mainline().count()
    }

    /// Always true, even for a game without moves.
    fn __bool__(&self) -> bool {
        true
    }

    fn __str__(&self) -> String {
        self.text(80)
    }

    fn __repr__(&self) -> String {
        format!("<Game {}: {}>", self.number, self.header())
    }

    /// Games are equal if their PGN is equal.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Game>() else {
            return false;
        };
        self.text(0) == other.get().text(0)
    }

    /// The hash of the moves. Equal games have equal moves, and tags may change.
    fn __hash__(&self) -> u64 {
        let game = self.model();
        let packer = chessdb::arrow::Packer::new(&game);
        let moves = game.mainline().map(|mv| packer.pack(mv).cast_unsigned());
        // FNV-1a, by words of 16 bits instead of bytes.
        let hash = moves.fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| {
            (hash ^ u64::from(word)).wrapping_mul(0x100_0000_01b3)
        });
        hash >> 2
    }

    /// Returns the value of a column for `dataclasses.asdict`, or raises `AttributeError` with a
    /// hint for names that other packages use.
    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let game = slf.get();
        if name.starts_with('_') {
            return missing(slf, name);
        }
        let origin = Origin::new(game.number)
            .of_base(game.base.as_deref())
            .with_fault(game.error.as_deref());
        match row::cell(slf.py(), name, &game.model(), origin)? {
            Some(value) => Ok(value),
            None => missing(slf, name),
        }
    }

    fn __setattr__(slf: &Bound<'_, Self>, name: &str, value: Bound<'_, PyAny>) -> PyResult<()> {
        drop(value);
        cannot_set(slf, name)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, u32))> {
        let class = slf.get_type().getattr(intern!(slf.py(), "_again"))?;
        let game = slf.get();
        Ok((class, (game.text(0), game.number)))
    }

    /// Restores a pickled game.
    #[staticmethod]
    fn _again(text: &str, number: u32) -> PyResult<Game> {
        let game = chessdb::Game::from_pgn(text).map_err(to_exception)?;
        Ok(Game {
            number,
            ..Game::from_read(&game, Ok(()))
        })
    }
}
