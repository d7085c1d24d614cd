//! The moves of a game as a flat list, from which `python/chessdb` builds trees.

use std::borrow::Cow;

use chessdb::arrow::Packer;
use chessdb::core::annotation::CommentRun;
use chessdb::core::commands::{self, ClockKind, Command, EvalValue};
use chessdb::core::line::Walk;
use chessdb::core::model::Place;
use chessdb::core::rules::write_san;
use chessdb::core::{Charset, Event, Game, GameRead, ReadOptions, Scratch};
use chessdb::pgn::{GameText, Layout, Reader};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

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
/// | `k`, milliseconds, was spent | a clock, part of the next comment or in its text |
/// | `e`, centipawns, mate, depth | an evaluation, part of the next comment or in its text |
/// | `s`, list of colour, from, to | shapes, part of the next comment |
/// | `o`, `x` | start, end of a variation |
pub(crate) fn events<'py>(py: Python<'py>, game: &Game) -> PyResult<Bound<'py, PyList>> {
    let game = &as_read_from_pgn(game);
    let list = PyList::empty(py);
    let Ok(mut walk) = Walk::plain(game) else {
        return Ok(list);
    };
    let packer = Packer::of(game);
    let mut run = CommentRun::default();
    let mut san = Vec::new();
    while let Some(event) = walk.step() {
        if run.command(&event) {
            if let Some(tuple) = command(py, &event)? {
                list.append(tuple)?;
            }
            continue;
        }
        if let Event::Comment(place, text) = event {
            let plain = text.decode().into_owned();
            // Values of commands that remain text, and of programs for engine matches.
            if place == Place::After {
                let mover = walk.lines().board().turn().other();
                let mut values = Ok(());
                commands::scan(text.as_bytes(), Some(mover), &mut |command| {
                    if values.is_ok() {
                        values = append(&list, py, command);
                    }
                });
                values?;
            }
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
    if let Some(commands) = run.take() {
        list.append(("c", commands.decode(), "", false))?;
    }
    Ok(list)
}

/// Appends the tuple of a command.
fn append(list: &Bound<'_, PyList>, py: Python<'_>, found: Command<'_>) -> PyResult<()> {
    let event = match found {
        Command::Clock(clock) => Event::Clock(clock),
        Command::Eval(eval) => Event::Eval(eval),
        _ => return Ok(()),
    };
    match command(py, &event)? {
        Some(tuple) => list.append(tuple),
        None => Ok(()),
    }
}

fn command<'py>(py: Python<'py>, event: &Event<'_>) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let tuple = match event {
        Event::Clock(clock) => {
            let spent = clock.kind == ClockKind::Elapsed;
            ("k", clock.milliseconds, spent).into_pyobject(py)?
        }
        Event::Eval(eval) => {
            let (centipawns, mate) = match eval.value {
                EvalValue::Centipawns(value) => (Some(value), None),
                EvalValue::Mate(moves) => (None, Some(moves)),
                EvalValue::WinDraw { .. } => return Ok(None),
            };
            ("e", centipawns, mate, eval.depth).into_pyobject(py)?
        }
        Event::Shapes(shapes) => {
            let shapes = shapes.iter().map(|shape| {
                let color = char::from(shape.color.letter()).to_string();
                (
                    color,
                    shape.from.to_string(),
                    shape.to.map(|to| to.to_string()),
                )
            });
            ("s", shapes.collect::<Vec<_>>()).into_pyobject(py)?
        }
        _ => return Ok(None),
    };
    Ok(Some(tuple))
}
