//! Games as Python objects.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use chessdb::core::limits::Limits;
use chessdb::core::model::{GameFlags, Movetext, Token};
use chessdb::core::rules::write_san;
use chessdb::core::{Color, Start};
use chessdb::pgn::{GameText, Layout};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use crate::errors::to_exception;
use crate::metadata::Diagnostic;
use crate::{arrays, events};

/// A game: players, event and date as attributes, moves as text, numbers or a tree.
///
/// It owns its data and can be stored, compared, and sent to other processes.
#[pyclass(frozen, module = "chessdb")]
pub(crate) struct Game {
    model: chessdb::core::Game,
    number: u32,
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

impl Game {
    /// Copies a game out of a reused buffer. `read` is the result of reading it.
    pub(crate) fn take(game: &chessdb::Game, read: chessdb::Result<()>) -> Game {
        Game {
            model: game.as_ref().clone(),
            number: game.number(),
            findings: Diagnostic::all(game.diagnostics()),
            error: match read {
                Ok(()) => game.fault(),
                Err(error) => Some(error.problem().to_string()),
            },
            lazy_moves: None,
        }
    }

    /// Copies a game with only its header, like [`Game::take`].
    pub(crate) fn take_header(
        game: &chessdb::Game,
        read: chessdb::Result<()>,
        db: &Arc<chessdb::Database>,
    ) -> Game {
        let lazy_moves = LazyMoves {
            db: Arc::clone(db),
            whole: OnceLock::new(),
        };
        Game {
            lazy_moves: Some(lazy_moves),
            ..Game::take(game, read)
        }
    }

    /// Returns the game with its moves.
    fn whole(&self) -> &Game {
        let Some(lazy_moves) = &self.lazy_moves else {
            return self;
        };
        lazy_moves.whole.get_or_init(|| {
            let mut game = chessdb::Game::new();
            let read = lazy_moves
                .db
                .game_into(self.number.saturating_sub(1), &mut game);
            Box::new(Game::take(&game, read))
        })
    }

    /// Returns the model with its moves.
    pub(crate) fn model(&self) -> &chessdb::core::Game {
        &self.whole().model
    }

    fn text(&self, width: u32) -> String {
        let mut text = Vec::new();
        GameText::new(Layout::with_width(width)).append(self.model(), &mut text);
        into_string(text)
    }
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
        Ok(Game::take(&game, Ok(())))
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
    fn white(&self) -> Cow<'_, str> {
        self.model.white()
    }

    /// The player of the black pieces; "?" if unknown.
    #[getter]
    fn black(&self) -> Cow<'_, str> {
        self.model.black()
    }

    /// White's Elo rating.
    #[getter]
    fn white_elo(&self) -> Option<u16> {
        self.model.elo(Color::White)
    }

    /// Black's Elo rating.
    #[getter]
    fn black_elo(&self) -> Option<u16> {
        self.model.elo(Color::Black)
    }

    /// The tournament or match; "?" if unknown.
    #[getter]
    fn event(&self) -> Cow<'_, str> {
        self.model.event()
    }

    /// The site; "?" if unknown.
    #[getter]
    fn site(&self) -> Cow<'_, str> {
        self.model.site()
    }

    /// The round as in the source; "?" if unknown.
    #[getter]
    fn round(&self) -> Cow<'_, str> {
        self.model.round()
    }

    /// The date. Each unknown part is None.
    #[getter]
    fn date<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static DATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let date = self.model.date();
        let year = (date.year > 0).then_some(date.year);
        let month = (date.month > 0).then_some(date.month);
        let day = (date.day > 0).then_some(date.day);
        let class = DATE.import(py, "chessdb._date", "Date")?;
        class.call1((year, month, day))
    }

    /// "1-0", "0-1", "1/2-1/2" or "*".
    #[getter]
    fn result(&self) -> &'static str {
        self.model.result().as_pgn()
    }

    /// The ECO code.
    #[getter]
    fn eco(&self) -> Option<String> {
        self.model.eco().map(|eco| eco.to_string())
    }

    /// The annotator.
    #[getter]
    fn annotator(&self) -> Option<Cow<'_, str>> {
        self.model.annotator()
    }

    /// The start position as FEN, if it is not the standard one.
    #[getter]
    fn fen(&self) -> Option<String> {
        match &self.model.header.start {
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
        self.model.header.flags.contains(GameFlags::DELETED)
    }

    /// The letters of the flags, as in the PGN tag ScidFlags.
    #[getter]
    fn flags(&self) -> String {
        let mut letters = Vec::new();
        self.model.header.flags.write_letters(&mut letters);
        letters.into_iter().map(char::from).collect()
    }

    /// The tags as in PGN, in its order.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in self.model.tags() {
            if !headers.contains(&*name)? {
                headers.set_item(&*name, &*value)?;
            }
        }
        Ok(headers)
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
        arrays::moves(py, self.model())
    }

    /// Returns the mainline in UCI notation: "e2e4".
    fn uci<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        arrays::uci(py, self.model())
    }

    /// Returns the mainline in standard algebraic notation: "Nf3".
    fn san<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
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
        arrays::boards(py, self.model())
    }

    /// Returns the Polyglot keys of the positions of the mainline, uint64.
    fn hashes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::hashes(py, self.model())
    }

    /// Returns the game as a tree with variations, comments, NAGs, clocks, evaluations and arrows.
    fn root<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._tree")?
            .call_method1("tree", (slf,))
    }

    /// Returns the game as PGN. A width of 0 puts the moves on one line.
    #[pyo3(signature = (*, width = 80, comments = true, variations = true, nags = true))]
    fn pgn(&self, width: u32, comments: bool, variations: bool, nags: bool) -> String {
        if comments && variations && nags {
            return self.text(width);
        }
        let mut game = self.model().clone();
        game.moves = filtered(&game.moves, comments, variations, nags);
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
        GameText::new(Layout::default()).append_header(&self.model, &mut text);
        into_string(text).lines().filter_map(tag).collect()
    }

    /// Returns the moves as events, for the modules of this package.
    fn _events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        events::events(py, self.model())
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
        format!("<Game {}: {}>", self.number, self.model)
    }

    /// Games are equal if their PGN is equal.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Game>() else {
            return false;
        };
        self.text(0) == other.get().text(0)
    }

    fn __hash__(&self) -> u64 {
        let text = self.text(0);
        let bytes = text.bytes();
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        hash >> 2
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
            ..Game::take(&game, Ok(()))
        })
    }
}

/// Parses a tag line from the PGN writer into name and value.
fn tag(line: &str) -> Option<(String, String)> {
    let (name, value) = line
        .strip_prefix('[')?
        .strip_suffix("\"]")?
        .split_once(" \"")?;
    let mut plain = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => letters.next().unwrap_or(letter),
            letter => letter,
        });
    }
    Some((name.to_owned(), plain))
}

/// Returns the moves without the kinds of tokens that are not wanted.
fn filtered(moves: &Movetext, comments: bool, variations: bool, nags: bool) -> Movetext {
    let mut filtered = Movetext::default();
    let limits = Limits::default();
    let mut to = filtered.builder(&limits);
    let mut tokens = moves.tokens();
    while let Some(token) = tokens.next() {
        // The limits already accepted these tokens once.
        let _ = match token {
            Token::Move(mv) => to.mv(mv),
            Token::Open(branch) if !variations => {
                tokens.skip_variation(branch);
                Ok(())
            }
            Token::Open(_) => to.open(),
            Token::Close => {
                to.close();
                Ok(())
            }
            Token::Nag(nag) if nags => to.nag(nag),
            Token::Comment(place, text) if comments => to.comment(place, text),
            Token::Clock(clock) if comments => to.clock(clock),
            Token::Eval(eval) if comments => to.eval(eval),
            Token::Shapes(shapes) if comments => to.shapes(shapes),
            Token::Fault(kind, text) if comments => to.fault(kind, text),
            Token::Extra(extra) if comments => to.extra(extra.clone()),
            Token::Outcome(outcome) => to.outcome(outcome),
            _ => Ok(()),
        };
    }
    to.finish();
    filtered
}
