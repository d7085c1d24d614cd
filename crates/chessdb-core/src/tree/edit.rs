//! Changes to the moves of a game: playing and deleting moves, reordering variations, and setting
//! annotations.

mod arena;

use crate::annotation::read_comment;
use crate::board::PackedMove;
use crate::commands::Shape;
use crate::limits::{Limits, MOST_NUMBERS};
use crate::line::Walk;
use crate::model::{Movetext, Place};
use crate::rules::is_legal;
use crate::{Board, Charset, Error, ErrorKind, Event, Game, Result};

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
        if let MovesEdit::Play(mv) = edit {
            self.check_legal(half_move, mv)?;
        }
        let limits = Limits::default()
            .with_plies(MOST_NUMBERS)
            .with_depth(MOST_NUMBERS);
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
            arena
                .write(&mut tape, current)
                .map_err(|_| ErrorKind::Structure("the game is too long").into())
        });
        tape.finish();
        drop(arena);
        if written.is_err() {
            // After a refusal the game is as it was.
            self.moves = old;
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
            MovesEdit::DeleteFrom => self.delete_from(node.ok_or(NO_MOVE)?),
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
                set_shapes(self.items_mut(node), shapes);
                node
            }
        })
    }

    fn play(&mut self, after: Option<usize>, mv: PackedMove) -> usize {
        let line = after.map_or(0, |node| self.line_of(node));
        let place = after.map_or(0, |node| self.place_in(line, node) + 1);
        let next = self.node_at(line, place);
        // Variations of the first move of a variation start with the same position.
        let mut candidates: Vec<usize> = next.into_iter().collect();
        if place == 0 {
            let at_start = self.start_variations(line).into_iter();
            candidates.extend(at_start.filter_map(|variation| self.node_at(variation, 0)));
        }
        let mut index = 0;
        while let Some(&candidate) = candidates.get(index) {
            if self.move_of(candidate) == Some(mv) {
                return candidate;
            }
            let variations = self.variations_of(candidate).into_iter();
            candidates.extend(variations.filter_map(|variation| self.node_at(variation, 0)));
            index += 1;
        }
        let new = self.new_node(mv);
        match next {
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

    fn delete_from(&mut self, node: usize) -> Option<usize> {
        let line = self.line_of(node);
        let place = self.place_in(line, node);
        let before = match place.checked_sub(1) {
            Some(before) => self.node_at(line, before),
            None => self
                .owner_of(line)
                .and_then(|owner| self.before_owner(owner)),
        };
        let mut variations = self.variations_of(node).into_iter();
        // The first variation takes the place of the deleted moves.
        match variations.find_map(|variation| self.node_at(variation, 0)) {
            Some(first) => {
                let variation = self.line_of(first);
                if self.promote(first).is_ok()
                    && let Some(owner) = self.owner_of(variation)
                {
                    self.remove_variation(owner, variation);
                }
            }
            None => {
                self.truncate(line, place);
                if place == 0
                    && let Some(owner) = self.owner_of(line)
                {
                    self.remove_variation(owner, line);
                }
            }
        }
        before
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

/// Returns the index of the first variation, or the length.
fn first_variation(items: &[Item<'_>]) -> usize {
    let is_variation = |item: &Item<'_>| matches!(item, Item::Variation(_));
    items.iter().position(is_variation).unwrap_or(items.len())
}

/// Replaces the comments after a move by one.
fn set_comment<'t>(items: &mut Vec<Item<'t>>, typed: &'t Movetext) {
    let old = std::mem::take(items);
    let mut new: Option<Vec<Item<'t>>> =
        (!typed.is_empty()).then(|| typed.tokens().map(Item::Token).collect());
    let has_text = old.iter().any(Item::is_comment);
    for item in old {
        let is_place = if has_text {
            item.is_comment()
        } else {
            // A comment without text ends the commands to which the new text belongs.
            item.is_end_of_commands()
        };
        if !is_place {
            items.push(item);
        } else if let Some(new) = new.take() {
            items.extend(new);
        } else if arena::ends_with_command(items) {
            items.push(Item::end_of_commands());
        }
    }
    if let Some(new) = new {
        let index = first_variation(items);
        items.splice(index..index, new);
    }
}

fn set_nags(items: &mut Vec<Item<'_>>, nags: &[u16]) {
    items.retain(|item| !item.is_nag());
    items.splice(0..0, nags.iter().map(|&nag| Item::nag(nag)));
}

fn set_shapes<'t>(items: &mut Vec<Item<'t>>, shapes: &'t [Shape]) {
    let old = std::mem::take(items);
    for item in old {
        // Without its commands such a comment would be an empty one.
        if item.is_end_of_commands() && !arena::ends_with_command(items) {
            continue;
        }
        if !item.is_shapes() {
            items.push(item);
        }
    }
    if shapes.is_empty() {
        return;
    }
    let leading = items.get(..first_variation(items)).unwrap_or_default();
    let position = leading.iter().position(Item::is_after_comment);
    let index = position.unwrap_or(leading.len());
    items.insert(index, Item::shapes(shapes));
}
