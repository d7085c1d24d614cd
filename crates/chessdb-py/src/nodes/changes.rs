//! Changes of the moves of a game at its nodes.

use std::sync::{Arc, PoisonError};

use chessdb::core::PackedMove;
use chessdb::core::Square;
use chessdb::core::commands::{Command, Eval, EvalValue, Shape, ShapeColor, scan};
use chessdb::core::model::Place;
use chessdb::core::rules::read_san;
use chessdb::core::tree::MovesEdit;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::move_tree::MoveTree;
use super::{Node, PyShape};
use crate::arrays::to_uci;
use crate::errors::invalid_argument;
use crate::game::Game;

impl Game {
    /// Returns the tree of the moves.
    pub(super) fn tree(&self) -> Arc<MoveTree> {
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || Arc::new(MoveTree::read(&self.model(), None));
        Arc::clone(tree.get_or_insert_with(read))
    }

    /// Changes the moves at a node and returns the node that is current afterwards.
    pub(super) fn edit_moves(&self, py: Python<'_>, id: u32, edit: MovesEdit<'_>) -> PyResult<u32> {
        let before = self.tree();
        let half_move = before.half_move(id).ok_or_else(deleted)?;
        let edited = self.change(|game| game.edit_moves_numbered(half_move, edit));
        let edited = edited.map_err(|error| invalid_argument(py, &error.to_string()))?;
        let after = Arc::new(MoveTree::read(&self.model(), Some((&before, &edited))));
        let current = after.id(edited.current);
        *self.tree.lock().unwrap_or_else(PoisonError::into_inner) = Some(after);
        Ok(current)
    }
}

pub(super) fn deleted() -> PyErr {
    PyValueError::new_err("the node was deleted from its game")
}

impl Node {
    pub(super) fn edit(&self, py: Python<'_>, edit: MovesEdit<'_>) -> PyResult<Node> {
        let current = self.game.get().edit_moves(py, self.id, edit)?;
        Ok(self.with_id(py, current))
    }

    pub(super) fn children(&self) -> PyResult<Vec<u32>> {
        self.read(|tree, _| tree.children(self.id).collect())
    }

    pub(super) fn set_children(&self, py: Python<'_>, ids: &[u32]) -> PyResult<()> {
        let tree = self.game.get().tree();
        let half_moves: Option<Vec<u32>> = ids.iter().map(|&id| tree.half_move(id)).collect();
        let half_moves = half_moves.ok_or_else(deleted)?;
        self.edit(py, MovesEdit::Variations(&half_moves))?;
        Ok(())
    }

    /// Returns the parent of a node and the index among its moves.
    pub(super) fn place(&self, py: Python<'_>) -> PyResult<(Node, usize)> {
        let parent = self.read(|_, node| node.parent)?;
        let parent = parent.ok_or_else(|| invalid_argument(py, "the start is not a move"))?;
        let parent = self.with_id(py, parent);
        let index = parent.children()?.iter().position(|&id| id == self.id);
        Ok((parent, index.ok_or_else(deleted)?))
    }

    /// Returns a node after this one, given by itself, its index or its move; by default this node.
    pub(super) fn child<'py>(
        &self,
        py: Python<'py>,
        which: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Node> {
        let Some(which) = which else {
            return Ok(self.with_id(py, self.id));
        };
        let children = self.children()?;
        let child = if let Ok(node) = which.cast::<Node>() {
            let node = node.get();
            children
                .into_iter()
                .find(|&id| id == node.id && self.game.is(&node.game))
        } else if let Ok(index) = which.extract::<usize>() {
            let missing = || PyIndexError::new_err(format!("there are {} moves", children.len()));
            Some(*children.get(index).ok_or_else(missing)?)
        } else {
            let mv = self.parse_move(py, which)?;
            let number = self.number(mv)?;
            let tree = self.game.get().tree();
            let is_move = |&id: &u32| tree.get(id).is_some_and(|node| node.mv == number);
            children.into_iter().find(is_move)
        };
        let missing = || invalid_argument(py, "the move does not follow this node");
        Ok(self.with_id(py, child.ok_or_else(missing)?))
    }

    /// Moves a node to another index among the moves of its parent.
    pub(super) fn move_to(
        &self,
        py: Python<'_>,
        index: impl FnOnce(usize) -> usize,
    ) -> PyResult<()> {
        let (parent, old) = self.place(py)?;
        let mut ids = parent.children()?;
        let new = index(old).min(ids.len().saturating_sub(1));
        let id = ids.remove(old);
        ids.insert(new, id);
        parent.set_children(py, &ids)
    }

    fn number(&self, mv: PackedMove) -> PyResult<i16> {
        let game = self.game.get().model();
        Ok(chessdb::arrow::Packer::new(&game).pack(mv))
    }

    /// Parses a move in the position of the node: SAN, UCI, a number, or a move of python-chess.
    fn parse_move(&self, py: Python<'_>, mv: &Bound<'_, PyAny>) -> PyResult<PackedMove> {
        let text = move_text(mv)?;
        let half_move = self
            .game
            .get()
            .tree()
            .half_move(self.id)
            .ok_or_else(deleted)?;
        let model = self.game.get().model();
        let board = model.position_after(half_move).ok_or_else(deleted)?;
        read_san(&board, text.trim().as_bytes())
            .map_err(|fault| invalid_argument(py, &format!("move {text:?}: {fault}")))
    }

    /// Sets the comment before or after the move. Values in the old comment stay, unless the new one
    /// has others of their kind.
    pub(super) fn set_comment(&self, py: Python<'_>, place: Place, text: &str) -> PyResult<()> {
        let mover = self.read(|tree, node| tree.mover(node))?;
        let mut replaced = Vec::new();
        scan(text.as_bytes(), mover, &mut |command| {
            replaced.extend(match command {
                Command::Clock(clock) => Some(MovesEdit::Time(clock.kind, None)),
                Command::Eval(_) => Some(MovesEdit::Eval(None)),
                Command::Shapes(_) => Some(MovesEdit::Shapes(&[])),
                Command::Extra { .. } => None,
            });
        });
        for edit in replaced.into_iter().filter(|_| place == Place::After) {
            self.edit(py, edit)?;
        }
        let old = self.read(|tree, node| match place {
            Place::Before => node.notes.as_deref().map(|notes| notes.before.clone()),
            Place::After => Some(tree.comment_after(self.id)),
        })?;
        let values = old.unwrap_or_default().values;
        let values = String::from_utf8_lossy(values.trim_ascii_start()).into_owned();
        let is_both = !values.is_empty() && !text.is_empty();
        let whole = format!("{values}{}{text}", if is_both { " " } else { "" });
        self.edit(py, MovesEdit::Comment(place, &whole))?;
        Ok(())
    }

    pub(super) fn set_eval(
        &self,
        py: Python<'_>,
        value: Option<EvalValue>,
        depth: Option<u16>,
    ) -> PyResult<()> {
        let eval = value.map(|value| Eval { value, depth });
        self.edit(py, MovesEdit::Eval(eval))?;
        Ok(())
    }

    /// Adds a move with annotations.
    pub(super) fn add<'py>(
        &self,
        py: Python<'py>,
        mv: &Bound<'py, PyAny>,
        notes: NewNotes<'_>,
    ) -> PyResult<Node> {
        let mv = self.parse_move(py, mv)?;
        let node = self.edit(py, MovesEdit::Play(mv))?;
        node.annotate(py, notes)?;
        Ok(node)
    }

    /// Sets the annotations that are not empty.
    pub(super) fn annotate(
        &self,
        py: Python<'_>,
        (before, nags, after): NewNotes<'_>,
    ) -> PyResult<()> {
        if !before.is_empty() {
            self.set_comment(py, Place::Before, before)?;
        }
        if !nags.is_empty() {
            self.edit(py, MovesEdit::Nags(nags))?;
        }
        if !after.is_empty() {
            self.set_comment(py, Place::After, after)?;
        }
        Ok(())
    }
}

/// Returns a move as text: SAN and UCI as they are; a number or a move of python-chess in UCI.
pub(crate) fn move_text(mv: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = mv.py();
    if let Ok(text) = mv.cast::<PyString>() {
        return Ok(text.to_string());
    }
    if let Ok(number) = mv.extract::<i16>() {
        return Ok(if number == 0 { "0000".to_owned() } else { to_uci(number) });
    }
    if mv.hasattr(intern!(py, "uci"))? {
        return mv.call_method0(intern!(py, "uci"))?.extract();
    }
    let kind = mv.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "a move is text such as \"Nf3\" or \"g1f3\", a number, or a chess.Move, not {kind}"
    )))
}

/// The annotations of a new move: the comment before it, the NAGs, the comment after it.
pub(super) type NewNotes<'n> = (&'n str, &'n [u16], &'n str);

pub(super) fn shape(py: Python<'_>, (color, from, to): PyShape) -> PyResult<Shape> {
    let square = |name: &str| Square::from_ascii(name.as_bytes());
    let read = || {
        let color = u8::try_from(color).ok().and_then(ShapeColor::from_letter)?;
        let to = match &to {
            Some(to) => Some(square(to)?),
            None => None,
        };
        Some(Shape {
            color,
            from: square(&from)?,
            to,
        })
    };
    let expected = "a shape is a capital letter, a square, and a square or None";
    read().ok_or_else(|| invalid_argument(py, expected))
}
