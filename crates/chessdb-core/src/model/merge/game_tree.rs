//! Several games as one tree of moves.

use std::collections::{HashMap, HashSet};

use super::notes::{ExistingNotes, Note, NoteCounts, NoteTexts};
use super::written_tree::{TreeComments, WrittenTree, source_text};
use crate::PackedMove;
use crate::board::Facts;
use crate::model::move_tree::write_whole_tree;
use crate::model::{Game, GamesOfTree, Movetext, Outcome, Place, Token, Tokens};
use crate::text::Texts;

/// Games from one start position as one tree of moves, with the annotations of all of them.
///
/// In a position the most frequent move comes first, then the others by their frequency; moves of
/// equal frequency have the order of their games. A game counts for every move of its mainline and
/// variations, once. Annotations that are equal at one place are kept once; a move keeps the first
/// clock, evaluation and arrows.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_core::model::{GameTree, TreeComments};
///
/// let games = ["e4 e5", "e4 c5", "e4 c5"].map(|moves| {
///     Game::builder().sans(moves.split(' ')).unwrap().build()
/// });
/// let mut tree = GameTree::new(TreeComments { counts: true, sources: false });
/// for game in &games {
///     tree.add(game);
/// }
/// let merged = tree.into_games().next().unwrap()?;
/// assert_eq!(merged.sans(), ["e4", "c5"]);
/// let reply = merged.tree().mainline().nth(1).unwrap().comment().to_owned();
/// assert_eq!(reply, "2 games");
/// # Ok::<(), chessdb_core::limits::OverLimit>(())
/// ```
#[derive(Debug)]
pub struct GameTree<'g> {
    /// The tags that all games have in common, and all texts.
    common: Game,
    pub(super) comments: TreeComments,
    pub(super) nodes: Vec<Node<'g>>,
    by_move: HashMap<(u32, PackedMove), u32>,
    /// The index of the annotations of a node, before and after its move.
    existing: HashMap<(u32, Place), ExistingNotes>,
    games: u32,
    left_out: usize,
    /// The bytes of comments searched so far.
    searched: usize,
}

#[derive(Debug)]
pub(super) struct Node<'g> {
    pub(super) mv: PackedMove,
    pub(super) facts: Facts,
    pub(super) parent: u32,
    /// The first of the nodes after this one, and the next one with the same parent; 0 for none.
    pub(super) first_child: u32,
    pub(super) last_child: u32,
    pub(super) sibling: u32,
    /// Whether a line has the move after its parent, and not only a variation that begins with it.
    pub(super) continues_line: bool,
    /// The last game that was counted.
    pub(super) last_game: u32,
    pub(super) games: u32,
    /// Half points of White in the games with a result and with the move in their mainline.
    pub(super) half_points: u64,
    pub(super) decided: u32,
    pub(super) notes: Option<Box<NodeNotes<'g>>>,
}

/// The annotations of a move, or of the start.
#[derive(Default, Debug)]
pub(super) struct NodeNotes<'g> {
    pub(super) before: Vec<Note<'g>>,
    pub(super) nags: Vec<u16>,
    pub(super) nag_set: HashSet<u16>,
    pub(super) after: Vec<Note<'g>>,
    /// The games that end there.
    pub(super) sources: Vec<String>,
}

/// A line of a game while the game is added.
#[derive(Clone, Copy)]
struct CurrentLine {
    /// The last move; `None` if the tree does not take the line.
    node: Option<u32>,
    /// The node before it, where a variation begins.
    branch: Option<u32>,
    has_move: bool,
    /// Whether its last move is new in the tree.
    is_new: bool,
}

impl<'g> Node<'g> {
    fn new(parent: u32, mv: PackedMove) -> Node<'g> {
        Node {
            mv,
            facts: Facts::UNKNOWN,
            parent,
            first_child: 0,
            last_child: 0,
            sibling: 0,
            continues_line: false,
            last_game: 0,
            games: 0,
            half_points: 0,
            decided: 0,
            notes: None,
        }
    }

    fn notes(&mut self) -> &mut NodeNotes<'g> {
        self.notes.get_or_insert_default()
    }
}

impl<'g> GameTree<'g> {
    /// Creates a tree without games.
    pub fn new(comments: TreeComments) -> GameTree<'g> {
        GameTree {
            comments,
            common: Game::new(),
            nodes: vec![Node::new(0, PackedMove::NULL)],
            by_move: HashMap::new(),
            existing: HashMap::new(),
            games: 0,
            left_out: 0,
            searched: 0,
        }
    }

    /// Returns a tree for each start position and variant of games, in the order of their first games,
    /// with the indexes of these.
    pub fn by_start(
        games: impl IntoIterator<Item = &'g Game>,
        comments: TreeComments,
    ) -> Vec<(usize, GameTree<'g>)> {
        let mut trees: Vec<(usize, GameTree<'g>)> = Vec::new();
        let mut by_start = HashMap::new();
        for (index, game) in games.into_iter().enumerate() {
            let start = (game.start().to_string(), game.tag("Variant"));
            let tree = *by_start.entry(start).or_insert_with(|| {
                trees.push((index, GameTree::new(comments)));
                trees.len() - 1
            });
            if let Some((_, tree)) = trees.get_mut(tree) {
                tree.add(game);
            }
        }
        trees
    }

    /// Adds a game, which must have the start position of the others.
    pub fn add(&mut self, game: &'g Game) {
        let is_first = self.games == 0;
        if is_first {
            self.common = game.clone();
            self.common.moves.clear();
        } else {
            self.keep_common_tags(game);
        }
        let texts = (!is_first).then_some(&game.texts);
        let (end, _) = self.add_moves(game.moves.tokens(), texts, true, game.header.outcome);
        if self.comments.sources
            && let Some(node) = self.nodes.get_mut(end as usize)
        {
            node.notes().sources.push(source_text(game));
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Returns the number of moves.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Returns whether the tree has no moves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of clocks, evaluations, arrows and data of one format that are left out,
    /// because their move has others.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the tree as a game with variations, or as several if it is very large. It has the tags
    /// that all games have in common.
    pub fn into_games(mut self) -> GamesOfTree<WrittenTree<'g>> {
        let header = std::mem::take(&mut self.common);
        let tree = WrittenTree {
            tree: self,
            is_by_frequency: true,
        };
        GamesOfTree::new(tree, header)
    }

    /// Adds the annotations of another copy of a game to it; of its moves, only the variations.
    /// Returns their number.
    pub(super) fn join(game: &mut Game, other: &'g Game) -> usize {
        let old = std::mem::take(&mut game.moves);
        let mut tree = GameTree::new(TreeComments::default());
        tree.common.texts = std::mem::take(&mut game.texts);
        tree.add_moves(old.tokens(), None, true, Outcome::Unknown);
        let tokens = other.moves.tokens();
        let (_, added) = tree.add_moves(tokens, Some(&other.texts), false, Outcome::Unknown);
        game.texts = std::mem::take(&mut tree.common.texts);
        let mut tree = WrittenTree {
            tree,
            is_by_frequency: false,
        };
        let mut joined = Movetext::default();
        let written = write_whole_tree(&mut tree, &mut joined, &mut game.texts);
        // Writing fails only if both games together exceed 268 million entries.
        if added == 0 || written.is_err() {
            drop(tree);
            game.moves = old;
            return 0;
        }
        game.moves = joined;
        added
    }

    /// Adds the moves and annotations of a game. Without `texts`, the texts are in the tree.
    /// Without `takes_mainline`, moves of the mainline are not added. Returns the last node of the
    /// mainline, and the number of annotations and new variations.
    fn add_moves(
        &mut self,
        mut tokens: Tokens<'g>,
        texts: Option<&Texts>,
        takes_mainline: bool,
        outcome: Outcome,
    ) -> (u32, usize) {
        self.games += 1;
        self.count(0, Some(outcome));
        let mut added = 0;
        let mut outer: Vec<CurrentLine> = Vec::new();
        let mut line = CurrentLine {
            node: Some(0),
            branch: Some(0),
            has_move: false,
            is_new: false,
        };
        // Comments before the next move, and commands of the next comment.
        let (mut before, mut run): (Vec<Note<'g>>, Note<'g>) = (Vec::new(), Vec::new());
        loop {
            let mv = tokens.next_move();
            let token = if mv.is_some() { None } else { tokens.next() };
            let is_part = token
                .is_some_and(|token| matches!(token, Token::Comment(..)) || token.is_command());
            let mut after = Vec::new();
            if !run.is_empty() && !is_part {
                after.push(std::mem::take(&mut run));
            }
            if mv.is_none() && !is_part && !matches!(token, Some(Token::Nag(_))) {
                // No move follows, so they remain at the end of the line.
                after.append(&mut before);
            }
            match token {
                Some(Token::Comment(place, _)) => {
                    run.extend(token);
                    let note = std::mem::take(&mut run);
                    match place {
                        Place::Before => before.push(note),
                        Place::After => after.push(note),
                    }
                }
                Some(Token::Open(_) | Token::Close | Token::Nag(_)) | None => {}
                Some(token) if token.is_command() => run.push(token),
                Some(token) => after.push(vec![token]),
            }
            added += self.add_notes(line.node, Place::After, after, texts);
            if let Some((mv, facts)) = mv {
                let is_main = outer.is_empty();
                line.branch = line.node;
                if let Some(parent) = line.node {
                    let can_add = takes_mainline || !is_main;
                    let (node, is_new) = self.child(parent, mv, facts, can_add);
                    line.node = node;
                    added += usize::from(is_new && !line.is_new);
                    line.is_new = is_new;
                }
                if let Some(node) = line.node {
                    self.count(node, is_main.then_some(outcome));
                    let continues = is_main || line.has_move;
                    if let Some(node) = self.nodes.get_mut(node as usize) {
                        node.continues_line |= continues;
                    }
                }
                line.has_move = true;
                let before = std::mem::take(&mut before);
                added += self.add_notes(line.node, Place::Before, before, texts);
                continue;
            }
            match token {
                None => return (line.node.unwrap_or_default(), added),
                Some(Token::Nag(nag)) => {
                    if let Some(node) = line.node.and_then(|node| self.nodes.get_mut(node as usize))
                    {
                        let notes = node.notes();
                        if notes.nag_set.insert(nag) || texts.is_none() {
                            notes.nags.push(nag);
                            added += 1;
                        }
                    }
                }
                Some(Token::Open(_)) => {
                    outer.push(line);
                    line = CurrentLine {
                        node: if line.has_move { line.branch } else { line.node },
                        branch: None,
                        has_move: false,
                        is_new: false,
                    };
                }
                Some(Token::Close) => line = outer.pop().unwrap_or(line),
                _ => {}
            }
        }
    }

    /// Returns the node after a move, and whether it was created, which only `can_add` allows.
    fn child(
        &mut self,
        parent: u32,
        mv: PackedMove,
        facts: Facts,
        can_add: bool,
    ) -> (Option<u32>, bool) {
        if let Some(&node) = self.by_move.get(&(parent, mv)) {
            return (Some(node), false);
        }
        if !can_add {
            return (None, false);
        }
        let number = self.nodes.len() as u32;
        let mut node = Node::new(parent, mv);
        node.facts = facts;
        self.nodes.push(node);
        self.by_move.insert((parent, mv), number);
        let last = self.nodes.get_mut(parent as usize).map_or(0, |parent| {
            if parent.first_child == 0 {
                parent.first_child = number;
            }
            std::mem::replace(&mut parent.last_child, number)
        });
        if let Some(last) = self.nodes.get_mut(last as usize).filter(|_| last != 0) {
            last.sibling = number;
        }
        (Some(number), true)
    }

    /// Counts the current game for a node, once; its result if it is part of the mainline.
    fn count(&mut self, node: u32, outcome: Option<Outcome>) {
        let Some(node) = self.nodes.get_mut(node as usize) else {
            return;
        };
        if node.last_game != self.games {
            node.last_game = self.games;
            node.games += 1;
        }
        let half_points = match outcome {
            Some(Outcome::WhiteWins) => 2,
            Some(Outcome::Draw) => 1,
            Some(Outcome::BlackWins) => 0,
            Some(Outcome::Unknown) | None => return,
        };
        node.half_points += half_points;
        node.decided += 1;
    }

    /// Adds annotations at a place. They are dropped if the tree does not take the line.
    fn add_notes(
        &mut self,
        node: Option<u32>,
        place: Place,
        notes: Vec<Note<'g>>,
        texts: Option<&Texts>,
    ) -> usize {
        let Some(number) = node.filter(|_| !notes.is_empty()) else {
            return 0;
        };
        let Some(node) = self.nodes.get_mut(number as usize) else {
            return 0;
        };
        let own = match place {
            Place::Before => &mut node.notes().before,
            Place::After => &mut node.notes().after,
        };
        // The first game is taken as it is.
        let Some(other) = texts else {
            own.extend(notes);
            return 0;
        };
        let own_texts = &mut self.common.texts;
        let existing = self.existing.entry((number, place));
        let existing = existing.or_insert_with(|| ExistingNotes::new(own, own_texts));
        let mut texts = NoteTexts {
            own: own_texts,
            other,
            searched: &mut self.searched,
        };
        let mut counts = NoteCounts::default();
        for note in notes {
            existing.add_new_parts(note, own, &mut texts, &mut counts);
        }
        self.left_out += counts.left_out;
        counts.added
    }

    /// Removes the tags that another game does not have, or has with another value.
    fn keep_common_tags(&mut self, game: &Game) {
        let tags = self.common.tags();
        let differing = tags
            .filter(|(name, value)| game.tag(name).as_deref() != Some(value) || name == "PlyCount");
        let differing: Vec<String> = differing.map(|(name, _)| name.into_owned()).collect();
        for name in differing {
            self.common.remove_tag(&name);
        }
        // They describe the first game.
        let header = &mut self.common.header;
        header.clear_name_keys();
        header.extras.clear();
        header.flags &= game.header.flags;
    }
}
