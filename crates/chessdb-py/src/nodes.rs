//! The nodes of a game: its moves with annotations and variations, which can be changed.

mod changes;
mod move_tree;

use chessdb::core::commands::{ClockKind, EvalValue, MAX_SHAPES};
use chessdb::core::model::Place;
use chessdb::core::tree::MovesEdit;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString};

use crate::arrays::to_uci;
use crate::errors::invalid_argument;
use crate::game::Game;
use crate::hints::{cannot_set, missing};
pub(crate) use changes::move_text;
use changes::{deleted, shape};
pub(crate) use move_tree::MoveTree;
use move_tree::{Notes, ROOT};

/// A coloured square or arrow: a letter, a square, and the square that the arrow points to.
type PyShape = (char, String, Option<String>);

/// A position in a game and the move that led to it; the root has no move.
///
/// Changes apply to the game, not to its database: `edit.replace(index, game)` and
/// `writer.write(game)` write it.
#[pyclass(frozen, module = "chessdb")]
pub(crate) struct Node {
    game: Py<Game>,
    id: u32,
}

/// The nodes of a mainline.
#[pyclass(module = "chessdb")]
pub(crate) struct NodeIterator {
    game: Py<Game>,
    last: u32,
}

impl Node {
    pub(crate) fn root(game: Py<Game>) -> Node {
        Node { game, id: ROOT }
    }

    fn with_id(&self, py: Python<'_>, id: u32) -> Node {
        Node {
            game: self.game.clone_ref(py),
            id,
        }
    }

    /// Reads from the data of the node.
    fn read<T>(&self, read: impl FnOnce(&MoveTree, &move_tree::NodeData) -> T) -> PyResult<T> {
        let tree = self.game.get().tree();
        let node = tree.get(self.id).ok_or_else(deleted)?;
        Ok(read(&tree, node))
    }

    /// Reads from the annotations of the node; without any, returns the default.
    fn note<T: Default>(&self, read: impl FnOnce(&Notes) -> T) -> PyResult<T> {
        self.read(|_, node| node.notes.as_deref().map_or_else(T::default, read))
    }

    /// Returns a list that sets the attribute `name` of this node when it is changed.
    fn live_list<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
        items: Bound<'py, PyList>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static LIST: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let class = LIST.import(slf.py(), "chessdb._live", "LiveList")?;
        // Nearly all lists are empty.
        if items.is_empty() {
            class.call1((slf, name))
        } else {
            class.call1((slf, name, items))
        }
    }
}

#[pymethods]
impl Node {
    /// The previous node; None at the root.
    #[getter]
    fn parent(&self, py: Python<'_>) -> PyResult<Option<Node>> {
        let parent = self.read(|_, node| node.parent)?;
        Ok(parent.map(|id| self.with_id(py, id)))
    }

    /// The move as a number, as in `Game.moves`.
    #[getter]
    fn r#move(&self) -> PyResult<Option<i16>> {
        self.read(|_, node| node.parent.map(|_| node.mv))
    }

    /// The move in standard algebraic notation.
    #[getter]
    fn san<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.read(|tree, node| PyString::new(py, tree.san(node)))
    }

    /// The move in UCI notation: "e2e4".
    #[getter]
    fn uci(&self) -> PyResult<Option<String>> {
        self.read(|_, node| {
            node.parent?;
            Some(if node.mv == 0 { "0000".to_owned() } else { to_uci(node.mv) })
        })
    }

    /// Half-moves from the start.
    #[getter]
    fn ply(&self) -> PyResult<u32> {
        self.read(|_, node| node.ply)
    }

    /// The comment after the move, without clocks, evaluations and shapes. At the root, the comment
    /// before the first move.
    #[getter]
    fn comment(&self) -> PyResult<String> {
        self.read(|tree, _| tree.comment_after(self.id).plain)
    }

    /// The comment before the move.
    #[getter]
    fn comment_before(&self) -> PyResult<String> {
        self.note(|notes| notes.before.plain.clone())
    }

    /// Numeric annotation glyphs: 1 is "!", 2 is "?", and so on.
    #[getter]
    fn nags<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let nags = slf.get().note(|notes| notes.nags.clone())?;
        let nags = PyList::new(slf.py(), nags)?;
        Node::live_list(slf, intern!(slf.py(), "nags"), nags)
    }

    /// Milliseconds left after the move.
    #[getter]
    fn clock(&self) -> PyResult<Option<u32>> {
        self.note(|notes| notes.clock)
    }

    /// Milliseconds spent on the move.
    #[getter]
    fn elapsed(&self) -> PyResult<Option<u32>> {
        self.note(|notes| notes.elapsed)
    }

    /// Centipawns, from White's point of view.
    #[getter]
    fn eval(&self) -> PyResult<Option<i32>> {
        self.note(Notes::centipawns)
    }

    /// The number of moves to mate; negative if Black mates.
    #[getter]
    fn mate(&self) -> PyResult<Option<i32>> {
        self.note(Notes::mate)
    }

    /// The depth of the evaluation in half-moves.
    #[getter]
    fn depth(&self) -> PyResult<Option<u16>> {
        self.note(Notes::depth)
    }

    /// Coloured squares and arrows: a letter, a square, and the square the arrow points to.
    #[getter]
    fn shapes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let shapes = slf.get().note(|notes| {
            let shapes = notes.shapes.iter().map(|shape| -> PyShape {
                let target = shape.to.map(|to| to.to_string());
                (
                    char::from(shape.color.letter()),
                    shape.from.to_string(),
                    target,
                )
            });
            shapes.collect::<Vec<_>>()
        })?;
        let shapes = PyList::new(slf.py(), shapes)?;
        Node::live_list(slf, intern!(slf.py(), "shapes"), shapes)
    }

    /// The continuations; the first is the main one.
    #[getter]
    fn variations<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, node) = (slf.py(), slf.get());
        let children = node.children()?.into_iter().map(|id| node.with_id(py, id));
        let nodes: PyResult<Vec<_>> = children.map(|node| Bound::new(py, node)).collect();
        Node::live_list(slf, intern!(py, "variations"), PyList::new(py, nodes?)?)
    }

    /// The node after the main move.
    #[getter]
    fn next(&self, py: Python<'_>) -> PyResult<Option<Node>> {
        let next = self.read(|tree, _| tree.next(self.id))?;
        Ok(next.map(|id| self.with_id(py, id)))
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// Iterates over the nodes of the mainline after this one.
    pub(crate) fn mainline(&self, py: Python<'_>) -> NodeIterator {
        NodeIterator {
            game: self.game.clone_ref(py),
            last: self.id,
        }
    }

    /// Returns the position as a board of python-chess.
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tree = self.game.get().tree();
        let mut node = tree.get(self.id).ok_or_else(deleted)?;
        let mut moves = Vec::new();
        while let Some(parent) = node.parent.and_then(|parent| tree.get(parent)) {
            moves.push(node.mv);
            node = parent;
        }
        moves.reverse();
        py.import("chessdb._bridge")?
            .call_method1("played", (&self.game, moves))
    }

    /// Adds a move after this node, the last one of its continuations, and returns its node. The
    /// move is SAN or UCI text, a number, or a move of python-chess. If it is there already, returns
    /// that node. A comment and NAGs replace the existing ones.
    #[pyo3(signature = (r#move, *, comment = "", starting_comment = "", nags = Vec::new()))]
    fn add_variation<'py>(
        &self,
        py: Python<'py>,
        r#move: &Bound<'py, PyAny>,
        comment: &str,
        starting_comment: &str,
        nags: Vec<u16>,
    ) -> PyResult<Node> {
        self.add(py, r#move, (starting_comment, &nags, comment))
    }

    /// Adds a move like `add_variation` and makes it the main one.
    #[pyo3(signature = (r#move, *, comment = "", nags = Vec::new()))]
    fn add_main_variation<'py>(
        &self,
        py: Python<'py>,
        r#move: &Bound<'py, PyAny>,
        comment: &str,
        nags: Vec<u16>,
    ) -> PyResult<Node> {
        let node = self.add(py, r#move, ("", &nags, comment))?;
        node.move_to(py, |_| 0)?;
        Ok(node)
    }

    /// Adds moves after this node, one after the other, and returns the node of the last one. The
    /// comment before the line belongs to the first move, the other annotations to the last one.
    #[pyo3(signature = (moves, *, comment = "", starting_comment = "", nags = Vec::new()))]
    fn add_line<'py>(
        &self,
        py: Python<'py>,
        moves: &Bound<'py, PyAny>,
        comment: &str,
        starting_comment: &str,
        nags: Vec<u16>,
    ) -> PyResult<Node> {
        let mut node = self.with_id(py, self.id);
        let mut before = starting_comment;
        // A text has several moves, not one of each letter.
        let is_text = moves.is_instance_of::<PyString>();
        let moves = if is_text { moves.call_method0("split")? } else { moves.clone() };
        for mv in moves.try_iter()? {
            node = node.add(py, &mv?, (std::mem::take(&mut before), &[], ""))?;
        }
        node.annotate(py, ("", &nags, comment))?;
        Ok(node)
    }

    /// Deletes this move and what follows. The next variation, if any, takes its place.
    fn delete(&self, py: Python<'_>) -> PyResult<()> {
        let (parent, index) = self.place(py)?;
        let mut ids = parent.children()?;
        ids.remove(index);
        parent.set_children(py, &ids)
    }

    /// Deletes a move after this node, given by its node, its index in `variations` or the move.
    fn remove_variation<'py>(
        &self,
        py: Python<'py>,
        variation: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        self.child(py, Some(variation))?.delete(py)
    }

    /// Moves this move one place up among the variations of its parent; or the given continuation
    /// of this node.
    #[pyo3(signature = (variation = None))]
    fn promote<'py>(&self, py: Python<'py>, variation: Option<&Bound<'py, PyAny>>) -> PyResult<()> {
        self.child(py, variation)?
            .move_to(py, |index| index.saturating_sub(1))
    }

    /// Moves this move one place down among the variations of its parent; or the given continuation
    /// of this node.
    #[pyo3(signature = (variation = None))]
    fn demote<'py>(&self, py: Python<'py>, variation: Option<&Bound<'py, PyAny>>) -> PyResult<()> {
        self.child(py, variation)?.move_to(py, |index| index + 1)
    }

    /// Makes this move the main one after its parent; or the given continuation of this node.
    #[pyo3(signature = (variation = None))]
    fn promote_to_main<'py>(
        &self,
        py: Python<'py>,
        variation: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        self.child(py, variation)?.move_to(py, |_| 0)
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Node::variations(slf)?.try_iter()?.into_any())
    }

    fn __setattr__<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (py, node) = (slf.py(), slf.get());
        match name {
            "comment" => node.set_comment(py, Place::After, value.extract()?),
            "comment_before" => node.set_comment(py, Place::Before, value.extract()?),
            "nags" => {
                let nags = value
                    .try_iter()?
                    .map(|nag| nag?.extract())
                    .collect::<PyResult<Vec<_>>>()?;
                node.edit(py, MovesEdit::Nags(&nags)).map(drop)
            }
            "clock" => node
                .edit(py, MovesEdit::Time(ClockKind::Clock, value.extract()?))
                .map(drop),
            "elapsed" => node
                .edit(py, MovesEdit::Time(ClockKind::Elapsed, value.extract()?))
                .map(drop),
            "eval" => {
                let (depth, other) = (node.depth()?, node.mate()?);
                match value.extract::<Option<i32>>()? {
                    // There is none, and the mate has its own attribute.
                    None if other.is_some() => Ok(()),
                    value => node.set_eval(py, value.map(EvalValue::Centipawns), depth),
                }
            }
            "mate" => {
                let (depth, other) = (node.depth()?, node.eval()?);
                match value.extract::<Option<i32>>()? {
                    None if other.is_some() => Ok(()),
                    value => node.set_eval(py, value.map(EvalValue::Mate), depth),
                }
            }
            "depth" => match node.note(|notes| notes.eval)? {
                Some(eval) => node.set_eval(py, Some(eval.value), value.extract()?),
                None if value.is_none() => Ok(()),
                None => Err(invalid_argument(py, "set the evaluation before its depth")),
            },
            "shapes" => {
                let shapes = value
                    .try_iter()?
                    .map(|item| shape(py, item?.extract()?))
                    .collect::<PyResult<Vec<_>>>()?;
                if shapes.len() > MAX_SHAPES {
                    let message = format!("a move has at most {MAX_SHAPES} shapes");
                    return Err(invalid_argument(py, &message));
                }
                node.edit(py, MovesEdit::Shapes(&shapes)).map(drop)
            }
            "variations" => {
                let children = value
                    .try_iter()?
                    .map(|child| Ok(node.child(py, Some(&child?))?.id))
                    .collect::<PyResult<Vec<_>>>()?;
                node.set_children(py, &children)
            }
            _ => cannot_set(slf, name),
        }
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        missing(slf, name)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Node>();
        other.is_ok_and(|other| other.get().id == self.id && other.get().game.is(&self.game))
    }

    fn __hash__(&self) -> usize {
        (self.game.as_ptr() as usize).wrapping_add(self.id as usize)
    }

    fn __repr__(&self) -> String {
        let shown = self.read(|tree, node| {
            let san = if self.id == ROOT { "start" } else { tree.san(node) };
            format!("<Node {}: {san}>", node.ply)
        });
        shown.unwrap_or_else(|_| "<Node, deleted>".to_owned())
    }
}

#[pymethods]
impl NodeIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> Option<Node> {
        self.last = self.game.get().tree().next(self.last)?;
        Some(Node {
            game: self.game.clone_ref(py),
            id: self.last,
        })
    }
}
