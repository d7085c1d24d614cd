//! The games of a tree, with comments on counts and sources.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::game_tree::{GameTree, Node};
use super::is_placeholder;
use crate::limits::OverLimit;
use crate::model::{Builder, MoveTree, Outcome, Place};
use crate::sorting::sort_by_key;
use crate::text::Texts;
use crate::{Charset, Game};

/// The comments that a [`GameTree`] adds.
#[derive(Clone, Copy, Default, Debug)]
pub struct TreeComments {
    /// The number of games, and White's score in per cent, after each move with another number of
    /// games than the move before: `12 games, 58 %`.
    pub counts: bool,
    /// Players, place, year and result of each game after its last move: `Tal - Botvinnik, Moscow
    /// 1960, 1-0`.
    pub sources: bool,
}

/// Returns surnames, place, year and result of a game, as far as they are known.
pub(super) fn source_text(game: &Game) -> String {
    let unless_unknown =
        |text: Cow<'_, str>| Some(text.into_owned()).filter(|text| !is_placeholder(text));
    let surname = |name: Cow<'_, str>| {
        let name = unless_unknown(name)?;
        let surname = name.split(',').next().unwrap_or_default().trim();
        Some(surname.to_owned())
    };
    let players = match (surname(game.white()), surname(game.black())) {
        (None, None) => None,
        (white, black) => {
            let name = |name: Option<String>| name.unwrap_or_else(|| "?".to_owned());
            Some(format!("{} - {}", name(white), name(black)))
        }
    };
    let place = unless_unknown(game.site()).or_else(|| unless_unknown(game.event()));
    let year = Some(game.effective_date().year).filter(|year| *year > 0);
    let time_and_place = match (place, year) {
        (Some(place), Some(year)) => Some(format!("{place} {year}")),
        (place, year) => place.or(year.map(|year| year.to_string())),
    };
    let result = Some(game.result()).filter(|result| *result != Outcome::Unknown);
    let result = result.map(|result| result.as_pgn().to_owned());
    let parts = [players, time_and_place, result];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A [`GameTree`] that is written.
#[derive(Debug)]
pub struct WrittenTree<'g> {
    pub(super) tree: GameTree<'g>,
    /// Whether the most frequent move continues a line, and not the one that was added first.
    pub(super) is_by_frequency: bool,
}

impl WrittenTree<'_> {
    /// Returns the comment with the number of games, if the move before has another number.
    fn count_text(&self, node: &Node<'_>) -> Option<String> {
        let parent = self.tree.nodes.get(node.parent as usize)?;
        if !self.tree.comments.counts || node.parent != 0 && parent.games == node.games {
            return None;
        }
        let noun = if node.games == 1 { "game" } else { "games" };
        let games = format!("{} {noun}", node.games);
        let all = 2 * u64::from(node.decided);
        // Rounded to the nearest number.
        let percent = (100 * node.half_points + all / 2).checked_div(all);
        Some(match percent {
            Some(percent) => format!("{games}, {percent} %"),
            None => games,
        })
    }
}

impl MoveTree for WrittenTree<'_> {
    fn children(&self, node: u32) -> Vec<u32> {
        let node_of = |number: u32| self.tree.nodes.get(number as usize);
        let some = |number: u32| (number != 0).then_some(number);
        let first = node_of(node).and_then(|node| some(node.first_child));
        let next = |&number: &u32| node_of(number).and_then(|node| some(node.sibling));
        let mut children: Vec<u32> = std::iter::successors(first, next).collect();
        // The sort is stable: others keep the order of their games.
        sort_by_key(&mut children, |&child| {
            let node = node_of(child);
            let games = node.map(|node| node.games).filter(|_| self.is_by_frequency);
            (Reverse(games), node.is_none_or(|node| !node.continues_line))
        });
        children
    }

    fn parent(&self, node: u32) -> u32 {
        self.tree
            .nodes
            .get(node as usize)
            .map_or(0, |node| node.parent)
    }

    fn write_node(
        &mut self,
        number: u32,
        is_repeated: bool,
        tape: &mut Builder<'_>,
        texts: &mut Texts,
    ) -> Result<(), OverLimit> {
        let Some(node) = self.tree.nodes.get(number as usize) else {
            return Ok(());
        };
        let notes = node.notes.as_ref().filter(|_| !is_repeated);
        for &token in notes.iter().flat_map(|notes| notes.before.iter().flatten()) {
            tape.token(token)?;
        }
        if number != 0 {
            tape.known(node.mv, node.facts)?;
        }
        for &nag in notes.iter().flat_map(|notes| &notes.nags) {
            tape.nag(nag)?;
        }
        for &token in notes.iter().flat_map(|notes| notes.after.iter().flatten()) {
            tape.token(token)?;
        }
        if is_repeated {
            return Ok(());
        }
        let sources = notes.map_or(String::new(), |notes| notes.sources.join("; "));
        let counts = self.count_text(node).filter(|_| number != 0);
        for text in counts.into_iter().chain(Some(sources)) {
            if !text.is_empty() {
                let text = texts.push(text.as_bytes(), Charset::UTF_8);
                tape.comment(Place::After, text)?;
            }
        }
        Ok(())
    }
}
