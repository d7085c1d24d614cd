//! The first positions of games, kept in memory so that the next position of a tree is found
//! without reading the games again.

use std::ops::ControlFlow;

use chessdb_core::board::{Bitboard, PieceType, Played};
use chessdb_core::rules::legal_moves;
use chessdb_core::search::MainlineObserver;
use chessdb_core::{Board, Color, Game, PackedMove, Start};

use super::{OpeningTree, TreeLine, TreeObserver};
use crate::tally::GameFacts;

/// The number of half-moves that are kept of a game.
const KEPT_PLIES: usize = 40;

/// The positions that are kept: those before the kept half-moves, and the one after them.
const KEPT: usize = KEPT_PLIES + 1;

/// The first positions of the games of a database, and what a tree counts of a game. Of a position
/// 32 bits of its key are kept; an answer rests on two successive positions, so that a wrong one has
/// a probability of about 10^-17 for each game and position.
#[derive(Clone, Default, Debug)]
pub struct GameTraces {
    /// The keys of all games, [`KEPT`] of each.
    keys: Vec<u32>,
    games: Vec<Trace>,
}

/// What is known of a game.
#[derive(Clone, Copy, Default, Debug)]
struct Trace {
    state: State,
    facts: GameFacts,
    /// The number of pieces in the last kept position.
    pieces: u8,
    /// The pawns that stand on their initial squares in the last kept position.
    home: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum State {
    /// The game was not read.
    #[default]
    Unread,
    /// A tree does not count it: it has rules of its own, or an unknown start position.
    Uncounted,
    Kept,
}

/// A position that is looked up.
#[derive(Clone, Debug)]
pub struct TraceSearch {
    key: u32,
    pieces: u8,
    home: u64,
    /// The legal moves, with the keys of the positions after them.
    replies: Vec<(u32, PackedMove)>,
}

/// What the traces say about a position in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceAnswer {
    /// Only the game itself can say it: see [`GameTraces::observer`].
    Unknown,
    /// The position does not occur, or the game does not count.
    Absent,
    /// The contribution of the game to a tree of one half-move.
    Found(TreeLine),
}

impl TraceSearch {
    /// Prepares to look up a position.
    pub fn new(board: &Board) -> TraceSearch {
        let mut moves = Vec::new();
        legal_moves(board, &mut moves);
        let after = |mv| {
            let mut next = board.clone();
            next.play(mv);
            (short_key(&next), mv)
        };
        TraceSearch {
            key: short_key(board),
            pieces: board.occupied().len() as u8,
            home: home_pawns(board),
            replies: moves.into_iter().map(after).collect(),
        }
    }

    /// Returns the only legal move that leads to a position with this key.
    fn reply(&self, key: u32) -> Option<PackedMove> {
        // Two moves may lead to the same 32 bits; then only the game itself can tell.
        let mut replies = self.replies.iter().filter(|(reply, _)| *reply == key);
        let first = replies.next();
        first
            .filter(|_| replies.next().is_none())
            .map(|(_, mv)| *mv)
    }
}

fn short_key(board: &Board) -> u32 {
    board.placement_key() as u32
}

/// Returns the pawns on their initial squares. They only become fewer during a game.
fn home_pawns(board: &Board) -> u64 {
    let initial_pawns = |color: Color| {
        let rank = Bitboard::rank(color.rank(1));
        board.pieces(color, PieceType::Pawn).0 & rank.0
    };
    initial_pawns(Color::White) | initial_pawns(Color::Black)
}

impl GameTraces {
    /// The number of bytes that are kept of a game.
    pub const BYTES_PER_GAME: usize = 4 * KEPT + size_of::<Trace>();

    /// Prepares to keep this many games.
    pub fn new(games: u32) -> GameTraces {
        let count = games as usize;
        GameTraces {
            keys: vec![0; count * KEPT],
            games: vec![Trace::default(); count],
        }
    }

    /// Returns the number of bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.games.len() as u64 * GameTraces::BYTES_PER_GAME as u64
    }

    /// Returns what is known of a position in the game with this index.
    pub fn look(&self, index: u32, search: &TraceSearch) -> TraceAnswer {
        let Some(trace) = self.games.get(index as usize) else {
            return TraceAnswer::Unknown;
        };
        match trace.state {
            State::Unread => return TraceAnswer::Unknown,
            State::Uncounted => return TraceAnswer::Absent,
            State::Kept => {}
        }
        let keys = self.keys_of(index, trace);
        let Some(ply) = keys.iter().position(|key| *key == search.key) else {
            // The position may come after the kept half-moves.
            return if trace.may_be_followed_by(search) {
                TraceAnswer::Unknown
            } else {
                TraceAnswer::Absent
            };
        };
        // The next key confirms the first one: 32 bits alone are too few to count a game.
        let next = keys.get(ply + 1);
        match next.and_then(|next| search.reply(*next)) {
            Some(mv) => TraceAnswer::Found(trace.line(ply as u32, mv)),
            None => TraceAnswer::Unknown,
        }
    }

    /// Returns whether the game with this index may have a position, whether a tree counts the game
    /// or not.
    pub fn may_have(&self, index: u32, search: &TraceSearch) -> bool {
        self.games.get(index as usize).is_none_or(|trace| {
            // In variants with other rules, pieces and pawns may come back.
            trace.state != State::Kept
                || trace.may_be_followed_by(search)
                || self.keys_of(index, trace).contains(&search.key)
        })
    }

    /// Returns the kept keys of a game.
    fn keys_of(&self, index: u32, trace: &Trace) -> &[u32] {
        let start = index as usize * KEPT;
        let count = KEPT.min(trace.facts.plies as usize + 1);
        self.keys.get(start..start + count).unwrap_or_default()
    }

    /// Forgets a game that was changed.
    pub fn forget(&mut self, index: u32) {
        if let Some(trace) = self.games.get_mut(index as usize) {
            *trace = Trace::default();
        }
    }

    /// Returns a search of one game for the position of a tree that also keeps its positions.
    pub fn observer(tree: &OpeningTree) -> TraceObserver<'_> {
        TraceObserver {
            tree: tree.observer(None),
            keys: [0; KEPT],
            key: 0,
            plies: 0,
            is_over: false,
            trace: Trace::default(),
        }
    }

    /// Keeps what an observer has seen of the game with this index ([`TraceObserver::finish`]).
    /// Returns whether nothing was kept of it before.
    pub fn keep(&mut self, index: u32, seen: &SeenGame) -> bool {
        let slot = index as usize;
        let start = slot * KEPT;
        let place = self
            .keys
            .get_mut(start..start + KEPT)
            .zip(self.games.get_mut(slot));
        let Some((keys, trace)) = place else {
            return false;
        };
        let is_new = trace.state == State::Unread;
        keys.copy_from_slice(&seen.keys);
        *trace = seen.trace;
        is_new
    }
}

/// What is kept of a game. It can be computed in any thread.
#[derive(Clone, Debug)]
pub struct SeenGame {
    keys: [u32; KEPT],
    trace: Trace,
}

impl Trace {
    /// Returns whether a position may come after the kept ones.
    fn may_be_followed_by(&self, search: &TraceSearch) -> bool {
        self.facts.plies as usize > KEPT_PLIES
            && search.pieces <= self.pieces
            && search.home & !self.home == 0
    }

    fn line(&self, ply: u32, mv: PackedMove) -> TreeLine {
        let plies = self.facts.plies.saturating_sub(ply);
        let facts = GameFacts {
            plies,
            ..self.facts
        };
        TreeLine::counted(mv, facts)
    }
}

/// Searches one game for the position of a tree and keeps its first positions. Created by
/// [`GameTraces::observer`].
#[derive(Debug)]
pub struct TraceObserver<'t> {
    tree: TreeObserver<'t>,
    keys: [u32; KEPT],
    /// The placement key of the position on the board, while positions are kept.
    key: u64,
    plies: u32,
    /// Whether the position of the tree cannot occur any more.
    is_over: bool,
    trace: Trace,
}

impl TraceObserver<'_> {
    /// Returns what is to be kept of the game with this header, and its contribution to the tree.
    pub fn finish(self, header: &Game) -> (SeenGame, Option<TreeLine>) {
        let counts = header.has_standard_rules() && header.has_known_start();
        let trace = Trace {
            state: if counts { State::Kept } else { State::Uncounted },
            facts: GameFacts::with_plies(header, self.plies),
            ..self.trace
        };
        let seen = SeenGame {
            keys: self.keys,
            trace,
        };
        (seen, self.tree.finish(header))
    }

    fn see(&mut self, board: &Board) {
        if let Some(key) = self.keys.get_mut(self.plies as usize) {
            *key = self.key as u32;
        }
        // `Trace::may_be_followed_by` judges later positions by this one.
        if self.plies as usize == KEPT_PLIES {
            self.trace.pieces = board.occupied().len() as u8;
            self.trace.home = home_pawns(board);
        }
    }
}

impl MainlineObserver for TraceObserver<'_> {
    fn begin(&mut self, start: &Start, board: &Board) -> ControlFlow<()> {
        self.key = board.placement_key();
        self.see(board);
        self.is_over = self.tree.begin(start, board).is_break();
        ControlFlow::Continue(())
    }

    #[inline]
    fn played(&mut self, mv: PackedMove, played: &Played, board: &Board) -> ControlFlow<()> {
        self.plies = self.plies.saturating_add(1);
        if self.plies as usize <= KEPT_PLIES {
            // Of a move that changes no more than its squares, the piece is on the target square.
            let piece = board.piece_at(mv.to());
            self.key = board.placement_key_after(mv, piece, played, self.key);
            self.see(board);
        }
        // The half-moves are counted to the end.
        self.is_over = self.is_over || self.tree.played(mv, played, board).is_break();
        ControlFlow::Continue(())
    }
}
