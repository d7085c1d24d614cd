//! Changes to the moves of a game: playing and deleting moves, reordering variations, and setting
//! annotations.

mod annotations;
mod arena;

use std::collections::BTreeSet;

use crate::annotation::read_comment;
use crate::board::PackedMove;
use crate::commands::{Clock, ClockKind, Eval, Shape, StrippedKinds};
use crate::limits::Limits;
use crate::line::Walk;
use crate::model::{Movetext, Place, Token};
use crate::rules::is_legal;
use crate::{Board, Charset, Color, Error, ErrorKind, Event, Game, Result};

use annotations::{first_variation, insert_command, set_comment, set_nags};
use arena::{Item, MoveArena, Owner};

/// A change to the moves of a game, for [`Game::edit_moves`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum MovesEdit<'a> {
    /// Plays a move in the position: steps to an equal move that follows already, continues the
    /// line at its end, or adds a variation.
    Play(PackedMove),
    /// Deletes the move and its continuation. Its first variation, if any, takes the place.
    DeleteFrom,
    /// Deletes the variation that contains the move.
    DeleteVariation,
    /// Exchanges the variation that contains the move with the line that it replaces.
    PromoteVariation,
    /// Promotes variations until the move is part of the mainline.
    MakeMainline,
    /// Sets the comment before or after the move, read like a PGN comment; an empty text removes
    /// it. Clocks, evaluations and shapes remain. Several comments in the place become one.
    Comment(Place, &'a str),
    /// Sets the NAGs.
    Nags(&'a [u16]),
    /// Sets the arrows and coloured squares.
    Shapes(&'a [Shape]),
    /// Sets the time left or spent in milliseconds, or removes it.
    Time(ClockKind, Option<u32>),
    /// Sets the evaluation, or removes it.
    Eval(Option<Eval>),
    /// Arranges the moves that follow, each by its half-move: the first one continues the line, the
    /// others become its variations. Moves that are not listed are deleted.
    Variations(&'a [u32]),
}

impl MovesEdit<'_> {
    /// Returns the kind of values that the change replaces, wherever they are.
    fn replaced_values(&self) -> StrippedKinds {
        match self {
            MovesEdit::Shapes(_) => StrippedKinds::SHAPES,
            MovesEdit::Time(kind, _) => StrippedKinds::of_clock(*kind),
            MovesEdit::Eval(_) => StrippedKinds::EVALS,
            _ => StrippedKinds::empty(),
        }
    }
}

/// The half-moves of a game after a change, from [`Game::edit_moves_numbered`].
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct EditedMoves {
    /// The half-move that is current; 0 is the start of the game.
    pub current: u32,
    /// The former number of each half-move, from the first one; 0 for a new one.
    pub former: Vec<u32>,
}

impl Game {
    /// Changes the moves at a half-move and returns the number of the half-move that is current
    /// afterwards.
    ///
    /// Half-moves of all lines are counted in the order of the movetext, from 1; 0 is the start of
    /// the game.
    ///
    /// ```
    /// use chessdb_core::Game;
    /// use chessdb_core::rules::read_san;
    /// use chessdb_core::tree::MovesEdit;
    ///
    /// let mut game = Game::builder().sans(["e4", "e5", "Nf3"])?.build();
    /// let reply = read_san(&game.position_after(1).unwrap(), b"c5").unwrap();
    /// let at = game.edit_moves(1, MovesEdit::Play(reply))?;
    /// assert_eq!(game.edit_moves(at, MovesEdit::MakeMainline)?, 2);
    /// assert_eq!(game.sans(), ["e4", "c5"]);
    /// # Ok::<(), chessdb_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::BadMove`] if a played move is illegal, and [`ErrorKind::Structure`] if
    /// there is no such half-move or it is not part of a variation. The game is then unchanged.
    pub fn edit_moves(&mut self, half_move: u32, edit: MovesEdit<'_>) -> Result<u32> {
        let edited = self.edit_moves_numbered(half_move, edit)?;
        Ok(edited.current)
    }

    /// Changes the moves like [`Game::edit_moves`] and returns the new numbers of all half-moves.
    ///
    /// # Errors
    ///
    /// See [`Game::edit_moves`]. [`ErrorKind::Structure`] is also returned if a listed move does not
    /// follow the half-move, or is listed twice.
    pub fn edit_moves_numbered(
        &mut self,
        half_move: u32,
        edit: MovesEdit<'_>,
    ) -> Result<EditedMoves> {
        if half_move > self.moves.plies() {
            return Err(NO_MOVE.into());
        }
        if let MovesEdit::Play(mv) = edit {
            self.check_legal(half_move, mv)?;
        }
        let replaced_values = edit.replaced_values();
        let unchanged = (!replaced_values.is_empty()).then(|| self.moves.clone());
        if unchanged.is_some() {
            let next = self.position_after(half_move).map(|board| board.turn());
            let mover = next.unwrap_or(Color::Black).other();
            self.remove_values(half_move, replaced_values, mover);
        }
        let limits = Limits::of_tape();
        // The new tokens must outlive the arena.
        let mut typed = Movetext::default();
        if let MovesEdit::Comment(place, text) = edit
            && !text.is_empty()
        {
            // The comment of the start precedes the first move.
            let place = if half_move == 0 { Place::Before } else { place };
            let mut tape = typed.builder(&limits);
            let read = read_comment(
                text.as_bytes(),
                Charset::UTF_8,
                place,
                &mut self.texts,
                &mut tape,
            );
            read.map_err(|_| ErrorKind::Structure("the comment is too long"))?;
            tape.finish();
        }
        let old = std::mem::take(&mut self.moves);
        let mut arena = MoveArena::read(&old);
        let current = arena.apply(half_move, edit, &typed);
        let mut tape = self.moves.builder(&limits);
        let written = current.and_then(|current| {
            let order = arena.write(&mut tape);
            let order = order.map_err(|_| ErrorKind::Structure("the game is too long"))?;
            let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
            let place = |node| order.iter().position(|&written| written == node);
            let former = order.iter().map(|&node| number(node));
            Ok(EditedMoves {
                current: current.and_then(place).map_or(0, number),
                // Nodes beyond the old half-moves are new.
                former: former
                    .map(|number| if number > old.plies() { 0 } else { number })
                    .collect(),
            })
        });
        tape.finish();
        drop(arena);
        if written.is_err() {
            // After a refusal the game is as it was.
            self.moves = unchanged.unwrap_or(old);
        }
        written
    }

    /// Returns the position after a half-move, counted like in [`Game::edit_moves`]; `None` if there
    /// is no such half-move.
    pub fn position_after(&self, half_move: u32) -> Option<Board> {
        if half_move == 0 {
            return Some(self.start_board());
        }
        let mut walk = Walk::plain(self).ok()?;
        let mut count = 0;
        while let Some(event) = walk.step() {
            let Event::Move(mv) = event else { continue };
            count += 1;
            if count == half_move {
                let mut board = walk.lines().board().clone();
                board.play(mv);
                return Some(board);
            }
        }
        None
    }

    fn check_legal(&self, half_move: u32, mv: PackedMove) -> Result<()> {
        let board = self.position_after(half_move).ok_or(NO_MOVE)?;
        if is_legal(&board, mv) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::BadMove {
            found: mv.to_string().into(),
            why: "illegal move",
        }))
    }
}

const NO_MOVE: ErrorKind = ErrorKind::Structure("the game has no such move");
const NOT_NEXT: ErrorKind =
    ErrorKind::Structure("a listed move does not follow the position, or is listed twice");
const NO_VARIATION: ErrorKind = ErrorKind::Structure("the move is not part of a variation");

impl<'t> MoveArena<'t> {
    /// Applies a change and returns the node that is current afterwards; `None` is the start.
    fn apply(
        &mut self,
        half_move: u32,
        edit: MovesEdit<'t>,
        typed: &'t Movetext,
    ) -> Result<Option<usize>> {
        let node = match half_move.checked_sub(1) {
            None => None,
            Some(index) if (index as usize) < self.nodes.len() => Some(index as usize),
            Some(_) => return Err(NO_MOVE.into()),
        };
        Ok(match edit {
            MovesEdit::Play(mv) => Some(self.play(node, mv)),
            MovesEdit::DeleteFrom => self.delete_from(node.ok_or(NO_MOVE)?)?,
            MovesEdit::DeleteVariation => {
                let line = node.map_or(0, |node| self.line_of(node));
                let owner = self.owner_of(line).ok_or(NO_VARIATION)?;
                self.remove_variation(owner, line);
                self.before_owner(owner)
            }
            MovesEdit::PromoteVariation => {
                self.promote(node.ok_or(NO_VARIATION)?)?;
                node
            }
            MovesEdit::MakeMainline => {
                let node = node.ok_or(NO_VARIATION)?;
                self.promote(node)?;
                // Each promotion raises the line by one level.
                while self.line_of(node) != 0 {
                    self.promote(node)?;
                }
                Some(node)
            }
            MovesEdit::Comment(Place::Before, _) => {
                self.comment_before(node.ok_or(NO_MOVE)?, typed);
                node
            }
            MovesEdit::Comment(Place::After, _) => {
                match (node, self.node_at(0, 0)) {
                    // The comment at the start of a game precedes its first move.
                    (None, Some(first)) => self.comment_before(first, typed),
                    _ => set_comment(self.items_mut(node), typed),
                }
                node
            }
            MovesEdit::Nags(nags) => {
                set_nags(self.items_mut(node), nags);
                node
            }
            MovesEdit::Shapes(shapes) => {
                if !shapes.is_empty() {
                    insert_command(self.items_mut(node), Token::Shapes(shapes));
                }
                node
            }
            MovesEdit::Time(kind, time) => {
                if let Some(milliseconds) = time {
                    let clock = Clock { kind, milliseconds };
                    insert_command(self.items_mut(node), Token::Clock(clock));
                }
                node
            }
            MovesEdit::Eval(eval) => {
                if let Some(eval) = eval {
                    insert_command(self.items_mut(node), Token::Eval(eval));
                }
                node
            }
            MovesEdit::Variations(order) => {
                let nodes = order.iter().map(|&number| (number as usize).checked_sub(1));
                let nodes: Option<Vec<usize>> = nodes.collect();
                self.arrange(node, &nodes.ok_or(NOT_NEXT)?)?;
                node
            }
        })
    }

    /// Returns the line of the move after a node, and the place of this move there.
    fn next_place(&self, after: Option<usize>) -> (usize, usize) {
        let line = after.map_or(0, |node| self.line_of(node));
        (line, after.map_or(0, |node| self.place_in(line, node) + 1))
    }

    /// Returns the moves at a place, of the line and of all variations from the same position, and
    /// these variations.
    fn continuations(&self, (line, place): (usize, usize)) -> (Vec<usize>, Vec<usize>) {
        let mut nodes: Vec<usize> = self.node_at(line, place).into_iter().collect();
        let mut variations = if place == 0 { self.start_variations(line) } else { Vec::new() };
        let (mut node_index, mut variation_index) = (0, 0);
        loop {
            if let Some(&node) = nodes.get(node_index) {
                node_index += 1;
                variations.extend(self.variations_of(node));
            } else if let Some(&variation) = variations.get(variation_index) {
                variation_index += 1;
                variations.extend(self.start_variations(variation));
                nodes.extend(self.node_at(variation, 0));
            } else {
                return (nodes, variations);
            }
        }
    }

    /// Makes these moves the continuations of a node, in this order.
    fn arrange(&mut self, after: Option<usize>, order: &[usize]) -> Result<()> {
        let (line, place) = self.next_place(after);
        let (nodes, variations) = self.continuations((line, place));
        let mut unlisted: BTreeSet<usize> = nodes.iter().copied().collect();
        if !order.iter().all(|node| unlisted.remove(node)) {
            return Err(NOT_NEXT.into());
        }
        for &node in &nodes {
            self.take_variations(node);
        }
        for &start in [line].iter().chain(&variations) {
            if start != line || place == 0 {
                let items = self.start_mut(start);
                items.retain(|item| matches!(item, Item::Token(_)));
            }
        }
        let tail = self.truncate(line, place);
        let Some(&first) = order.first() else {
            return Ok(());
        };
        if tail.first() == Some(&first) {
            self.append(line, tail);
        } else {
            let promoted = self.line_of(first);
            let (annotations, _) = self.take_start(promoted);
            match after {
                Some(after) => self.items_mut(Some(after)).extend(annotations),
                None => self.start_mut(line).extend(annotations),
            }
            let moves = self.truncate(promoted, 0);
            self.append(line, moves);
            // The moves that were replaced, which may be listed further on.
            self.append(promoted, tail);
        }
        for &other in order.iter().skip(1) {
            let variation = self.line_of(other);
            self.set_owner(variation, Owner::Node(first));
            self.items_mut(Some(first)).push(Item::Variation(variation));
        }
        for variation in variations {
            // A variation without moves may have a comment.
            let has_moves = self.node_at(variation, 0).is_some();
            if !has_moves && !self.start_mut(variation).is_empty() {
                self.set_owner(variation, Owner::Node(first));
                self.items_mut(Some(first)).push(Item::Variation(variation));
            }
        }
        Ok(())
    }

    fn play(&mut self, after: Option<usize>, mv: PackedMove) -> usize {
        let (line, place) = self.next_place(after);
        let (candidates, _) = self.continuations((line, place));
        let is_played = |candidate: &usize| self.move_of(*candidate) == Some(mv);
        if let Some(played) = candidates.into_iter().find(is_played) {
            return played;
        }
        let new = self.new_node(mv);
        match self.node_at(line, place) {
            None => self.append(line, [new]),
            Some(next) => {
                let variation = self.new_line();
                self.append(variation, [new]);
                self.set_owner(variation, Owner::Node(next));
                self.items_mut(Some(next)).push(Item::Variation(variation));
            }
        }
        new
    }

    /// Deletes a node and what follows it. Returns the node before it.
    fn delete_from(&mut self, node: usize) -> Result<Option<usize>> {
        let line = self.line_of(node);
        let before = match self.place_in(line, node).checked_sub(1) {
            Some(place) => self.node_at(line, place),
            None => self
                .owner_of(line)
                .and_then(|owner| self.before_owner(owner)),
        };
        let (mut others, _) = self.continuations(self.next_place(before));
        others.retain(|&other| other != node);
        self.arrange(before, &others)?;
        Ok(before)
    }

    /// Exchanges the variation of a node with the continuation that it replaces.
    fn promote(&mut self, node: usize) -> Result<()> {
        let variation = self.line_of(node);
        let owner = self.owner_of(variation).ok_or(NO_VARIATION)?;
        let (line, place) = match owner {
            Owner::Node(replaced) => {
                let line = self.line_of(replaced);
                (line, self.place_in(line, replaced))
            }
            Owner::Start(line) => (line, 0),
        };
        let first = self.node_at(variation, 0).ok_or(NO_VARIATION)?;
        let replaced = self.node_at(line, place);
        let (annotations, at_start) = self.take_start(variation);
        let before = place.checked_sub(1);
        let before = before.and_then(|before| self.node_at(line, before));
        match before {
            Some(before) => self.items_mut(Some(before)).extend(annotations),
            None => self.start_mut(line).extend(annotations),
        }
        self.remove_variation(owner, variation);
        let mut siblings =
            replaced.map_or_else(Vec::new, |replaced| self.take_variations(replaced));
        siblings.extend(at_start);
        let tail = self.truncate(line, place);
        let promoted = self.truncate(variation, 0);
        self.append(line, promoted);
        if !tail.is_empty() {
            // The moves that were replaced become the first variation.
            self.append(variation, tail);
            siblings.insert(0, variation);
        }
        for &sibling in &siblings {
            self.set_owner(sibling, Owner::Node(first));
        }
        let items = self.items_mut(Some(first));
        let index = first_variation(items);
        items.splice(index..index, siblings.into_iter().map(Item::Variation));
        Ok(())
    }

    fn comment_before(&mut self, node: usize, typed: &'t Movetext) {
        let line = self.line_of(node);
        let place = self.place_in(line, node);
        let before = place
            .checked_sub(1)
            .and_then(|before| self.node_at(line, before));
        let container = match before {
            Some(before) => self.items_mut(Some(before)),
            None => self.start_mut(line),
        };
        // Commands before the comment are part of the previous one.
        if before.is_some() && !typed.is_empty() && arena::ends_with_command(container) {
            container.push(Item::end_of_commands());
        }
        self.set_before(node, typed.tokens().map(Item::Token).collect());
    }
}
