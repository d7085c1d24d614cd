//! The moves of a game as a flat list, from which `python/chessdb` builds trees.

use std::borrow::Cow;

use chessdb::arrow::Packer;
use chessdb::core::annotation::{CommentRun, MoveValues};
use chessdb::core::commands::{ClockKind, Command, EvalValue, without_commands};
use chessdb::core::line::Walk;
use chessdb::core::model::Place;
use chessdb::core::rules::write_san;
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

/// Returns tuples that begin with a letter:
///
/// | tuple | meaning |
/// |---|---|
/// | `m`, number, SAN | a move |
/// | `n`, number | a NAG of the last move |
/// | `c`, text, text without commands, is before the move | a comment |
/// | `k`, milliseconds, was spent | the clock of the last move, part of the next comment |
/// | `e`, centipawns, mate, depth | the evaluation of the last move, part of the next comment |
/// | `s`, list of colour, from, to | shapes, part of the next comment |
/// | `o`, `x` | start, end of a variation |
pub(crate) fn events<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyList>> {
    let game = &as_read_from_pgn(game);
    let list = PyList::empty(py);
    let Ok(mut walk) = Walk::plain(game) else {
        return Ok(list);
    };
    let packer = Packer::new(game);
    let mut values = MoveValues::new(game.start_board().turn());
    let mut run = CommentRun::default();
    let mut san = Vec::new();
    while let Some(event) = walk.step() {
        let mut appended = Ok(());
        values.read(&event, &mut |command| {
            if appended.is_ok() {
                appended = append(&list, command);
            }
        });
        appended?;
        // Commands are part of the text of the comment that follows.
        if run.command(&event) {
            continue;
        }
        if let Event::Comment(place, text) = event {
            let plain = without_commands(&text.decode()).into_owned();
            let whole: Cow<'_, str> = run.with_text(text).decode();
            list.append(("c", whole, plain, place == Place::Before))?;
            continue;
        }
        if let Some(commands) = run.take() {
            list.append(("c", commands.decode(), "", false))?;
        }
        match event {
            Event::Move(mv) => {
                san.clear();
                write_san(walk.lines().board(), mv, &mut san);
                let san: String = san.iter().copied().map(char::from).collect();
                list.append(("m", packer.pack(mv), san))?;
            }
            Event::Nag(nag) => list.append(("n", nag))?,
            Event::Open(_) => list.append(("o",))?,
            Event::Close => list.append(("x",))?,
            _ => {}
        }
    }
    // Commands at the end of the game have no text after them.
    if let Some(commands) = run.take() {
        list.append(("c", commands.decode(), "", false))?;
    }
    Ok(list)
}

/// Appends the tuple of a value.
fn append(list: &Bound<'_, PyList>, value: Command<'_>) -> PyResult<()> {
    match value {
        Command::Clock(clock) => {
            let is_spent = clock.kind == ClockKind::Elapsed;
            list.append(("k", clock.milliseconds, is_spent))
        }
        Command::Eval(eval) => {
            let (centipawns, mate) = match eval.value {
                EvalValue::Centipawns(value) => (Some(value), None),
                EvalValue::Mate(moves) => (None, Some(moves)),
                EvalValue::WinDraw { .. } => return Ok(()),
            };
            list.append(("e", centipawns, mate, eval.depth))
        }
        Command::Shapes(shapes) => {
            let shapes = shapes.iter().map(|shape| {
                let color = char::from(shape.color.letter()).to_string();
                let target = shape.to.map(|to| to.to_string());
                (color, shape.from.to_string(), target)
            });
            list.append(("s", shapes.collect::<Vec<_>>()))
        }
        Command::Extra { .. } => Ok(()),
    }
}
