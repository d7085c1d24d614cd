//! The moves played in one position after another: from the tree file, from what is kept of the games,
//! and by reading games.

use chessdb_core::Board;
use chessdb_files::error::Result;
use chessdb_query::tree::traces::{GameTraces, SeenGame, TraceAnswer, TraceSearch};
use chessdb_query::tree::{GameFacts, OpeningTree, TreeLine};

use crate::database::{Database, add_read};
use crate::game::Game;
use crate::selection::Selection;
use crate::tree_index::PositionMoves;

/// Counts the moves played in one position of a database after another. It uses the tree file, and
/// keeps the first positions of the games that it reads ([`GameTraces`]), so that further positions
/// are counted without reading most games again.
///
/// ```
/// use chessdb::core::Board;
/// use chessdb::explorer::Explorer;
///
/// # fn main() -> Result<(), chessdb::Error> {
/// # let bytes = &b"1. e4 e5 1-0\n\n1. d4 *\n\n1. e4 c5 *\n"[..];
/// # let db = chessdb::Database::options().open_files([("games.pgn", bytes)])?;
/// let mut explorer = Explorer::new(Explorer::STANDARD_BYTES);
/// let tree = explorer.count(&db, &Board::standard(), None)?;
/// let moves = tree.moves(tree.root());
/// let games: Vec<(String, u64)> = moves.map(|mv| (tree.san(mv), tree.tally(mv).games)).collect();
/// assert_eq!(games, [("e4".to_owned(), 2), ("d4".to_owned(), 1)]);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Explorer {
    most_bytes: usize,
    traces: Option<GameTraces>,
    /// The number of games of the database, and of those that were read.
    games: u32,
    kept: u32,
}

impl Explorer {
    /// A limit for [`Explorer::new`] that fits the memory of a personal computer: 2.8 million games.
    pub const STANDARD_BYTES: usize = 512 << 20;

    /// Creates an explorer that keeps at most this many bytes, or nothing if a database needs more:
    /// [`GameTraces::BYTES_PER_GAME`] for each game.
    pub fn new(most_bytes: usize) -> Explorer {
        Explorer {
            most_bytes,
            traces: None,
            games: 0,
            kept: 0,
        }
    }

    /// Returns whether the positions of a database with this many games can be kept.
    pub fn can_keep(&self, games: u32) -> bool {
        games as usize * GameTraces::BYTES_PER_GAME <= self.most_bytes
    }

    /// Returns the number of bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.traces.as_ref().map_or(0, GameTraces::bytes)
    }

    /// Counts the moves played in a position, when it first occurs, in all games or those with these
    /// indexes, counted from 0 and ascending. Unreadable games count nowhere. All calls must be about the same
    /// database, which must not be changed. Of a stream all games are counted. The tree is one
    /// half-move deep.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be read as a whole.
    pub fn count(
        &mut self,
        db: &Database,
        board: &Board,
        games: Option<&[u32]>,
    ) -> Result<OpeningTree> {
        let mut tree = OpeningTree::new(board.clone(), 1);
        let mut uncounted = None;
        if games.is_none()
            && let Some(moves) = db.position_moves(board)
        {
            moves.add_to(&mut tree);
            // The file lists the best games without their ratings, which decide when other games
            // are added.
            add_best(db, &moves, &mut tree);
            uncounted = Some(moves.uncounted);
        }
        self.add(db, &mut tree, uncounted.as_deref().or(games), |_, _| ())?;
        Ok(tree)
    }

    /// Adds all games or those with these indexes, counted from 0 and ascending, to a tree of one
    /// half-move, and passes their contributions to `each`, in any order ([`Explorer::count`]). The
    /// tree file is not used.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be read as a whole.
    pub fn add(
        &mut self,
        db: &Database,
        tree: &mut OpeningTree,
        games: Option<&[u32]>,
        mut each: impl FnMut(u32, &TreeLine),
    ) -> Result<()> {
        // The threads need the position while the tree is being changed.
        let position = tree.clone();
        let mut scan = db.scan();
        if let Ok(len) = db.len() {
            let unread = self.add_kept(db, len, games, tree, &mut each);
            if unread.is_empty() {
                return Ok(());
            }
            // A small part is read again as fast as it is kept.
            if unread.len() > len as usize / 64 {
                self.keep(len);
            }
            scan = scan.select(Selection::of_indexes(unread)).unread();
        }
        let keeps = db.len().is_ok_and(|len| self.traces_of(len).is_some());
        let line = |game: &mut Game, read: Result<()>| -> Result<ReadLine> {
            read?;
            let index = game.index();
            if !keeps {
                return Ok((index, None, db.line_of(&position, game, false)?));
            }
            let mut observer = GameTraces::observer(&position);
            db.observe_mainline(index, game, &mut observer)?;
            let (seen, line) = observer.finish(game);
            Ok((index, Some(seen), line))
        };
        add_read(scan, line, |(index, seen, line)| {
            if let (Some(seen), Some(traces)) = (seen, &mut self.traces) {
                self.kept += u32::from(traces.keep(index, &seen));
            }
            let Some(line) = line else { return Ok(()) };
            each(index, &line);
            db.add_line(tree, index, &line)
        })
    }

    /// Keeps the positions of the games that are read from now on of a database with this many games,
    /// if they can be kept.
    pub fn keep(&mut self, games: u32) {
        if self.games != games {
            (self.games, self.kept) = (games, 0);
            self.traces = self.can_keep(games).then(|| GameTraces::new(games));
        }
    }

    /// Forgets a game that was changed.
    pub fn forget(&mut self, index: u32) {
        if let Some(traces) = &mut self.traces {
            traces.forget(index);
            self.kept = self.kept.saturating_sub(1);
        }
    }

    /// Returns what was kept of a database with this many games.
    fn traces_of(&self, games: u32) -> Option<&GameTraces> {
        self.traces.as_ref().filter(|_| self.games == games)
    }

    /// Adds the games, of these or of all `len`, of which enough was kept. Returns the indexes of
    /// the games that must be read.
    fn add_kept(
        &self,
        db: &Database,
        len: u32,
        games: Option<&[u32]>,
        tree: &mut OpeningTree,
        each: &mut impl FnMut(u32, &TreeLine),
    ) -> Vec<u32> {
        let traces = self.traces_of(len);
        if let (None, None) = (games, traces)
            && let Some(candidates) = db.tree_candidates(tree)
        {
            return candidates;
        }
        let search = TraceSearch::new(&tree.board(tree.root()));
        let may_exclude = db.has_index();
        let mut block = (u32::MAX, u64::MAX);
        // Empty if the caller lists the games.
        let all = 0..games.map_or(len, |_| 0);
        let mut unread = Vec::new();
        for index in games.into_iter().flatten().copied().chain(all) {
            match traces.map(|traces| traces.look(index, &search)) {
                Some(TraceAnswer::Absent) => continue,
                Some(TraceAnswer::Found(line)) => {
                    each(index, &line);
                    tree.add(index, &line);
                    continue;
                }
                Some(TraceAnswer::Unknown) | None => {}
            }
            // The index answers for 64 games at once, so its answer is reused for neighbours.
            let first = index & !63;
            if may_exclude && block.0 != first {
                let mask = tree.candidates(&|feature| db.may_have(first, feature));
                block = (first, mask);
            }
            if block.1 >> (index & 63) & 1 != 0 {
                unread.push(index);
            }
        }
        unread
    }

    /// Returns the games that may have a position, according to what was kept. `None` if most games
    /// were not read yet.
    pub fn candidates(&self, board: &Board) -> Option<Selection> {
        let traces = self.traces.as_ref();
        // If most games have no trace, the list excludes too little to be worth building.
        let traces = traces.filter(|_| self.kept > self.games / 2)?;
        let search = TraceSearch::new(board);
        let games = (0..self.games).filter(|index| traces.may_have(*index, &search));
        Some(Selection::of_indexes(games))
    }
}

/// A game that was read: its index, what is to be kept, and its contribution.
type ReadLine = (u32, Option<SeenGame>, Option<TreeLine>);

/// Adds the best games that the tree file lists, with the ratings in their headers.
fn add_best(db: &Database, moves: &PositionMoves, tree: &mut OpeningTree) {
    let mut header = Game::new();
    for played in &moves.moves {
        for &game in &played.best {
            let read = db.header_into(game, &mut header);
            let ratings = read.map_or(0, |()| GameFacts::with_plies(&header, 0).rating_sum());
            tree.add_best(played.mv, ratings, game);
        }
    }
}
