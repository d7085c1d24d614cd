//! The moves of a game as a flat list, from which `python/chessdb` builds games of python-chess.

use chessdb::arrow::Packer;
use chessdb::core::annotation::CommentRun;
use chessdb::core::rules::is_legal;
use chessdb::core::{Charset, Event, Game, GameRead, ReadOptions, Scratch};
use chessdb::pgn::{GameText, Layout, Reader};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Returns the game as read back from its PGN, with PGN's replacements for everything that it
/// cannot express.
fn as_read_from_pgn(game: &Game) -> Game {
    let mut text = Vec::new();
    GameText::new(Layout::with_width(0)).append_moves(game, &mut text);
    let mut options = ReadOptions::default();
    options.charset = Some(Charset::UTF_8);
    options.preserve_comment_whitespace = true;
    let mut reader = Reader::new(text.as_slice(), options).with_start(game.header.start.clone());
    let mut read = Game::new();
    let result = reader.read_into(&mut read, &mut Scratch::new());
    match result {
        Ok(true) => read,
        _ => Game::new(),
    }
}

/// Returns whether the game consists of legal moves without annotations.
fn is_plain(game: &Game) -> bool {
    let mut board = game.start_board();
    let mut is_next_legal = |mv| {
        let is_legal = is_legal(&board, mv);
        board.play(mv);
        is_legal
    };
    game.moves.plain_facts().is_some() && game.mainline().all(&mut is_next_legal)
}

/// Returns the number of each move, and tuples that begin with a letter:
///
/// | tuple | meaning |
/// |---|---|
/// | `n`, number | a NAG of the last move |
/// | `c`, text | a comment |
/// | `o`, `x` | start, end of a variation |
pub(crate) fn events<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyList>> {
    let packer = Packer::new(game);
    if is_plain(game) {
        // These moves come back from PGN as they are.
        let moves: Vec<i16> = game.mainline().map(|mv| packer.pack(mv)).collect();
        return PyList::new(py, moves);
    }
    let game = &as_read_from_pgn(game);
    let list = PyList::empty(py);
    let mut run = CommentRun::default();
    for event in game.events() {
        // Commands are part of the text of the comment that follows.
        if run.command(&event) {
            continue;
        }
        if let Event::Comment(_, text) = event {
            list.append(("c", run.with_text(text).decode()))?;
            continue;
        }
        if let Some(commands) = run.take() {
            list.append(("c", commands.decode()))?;
        }
        match event {
            Event::Move(mv) => list.append(packer.pack(mv))?,
            Event::Nag(nag) => list.append(("n", nag))?,
            Event::Open(_) => list.append(("o",))?,
            Event::Close => list.append(("x",))?,
            _ => {}
        }
    }
    // Commands at the end of the game have no text after them.
    if let Some(commands) = run.take() {
        list.append(("c", commands.decode()))?;
    }
    Ok(list)
}
