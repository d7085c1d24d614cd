//! Novelties: the first positions of games that no other game reached.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use chessdb_core::rules::san;
use chessdb_core::search::{MainlineObserver, observe_game};
use chessdb_core::{Board, Color, Date, Game, PackedMove, Start};

use crate::stats::{GameLabel, Score, identity, may_be_same_date};
use crate::tally::GameFacts;

/// The number of games kept of each list.
const MOST_LISTED: usize = 5;

/// Compares games with the games of databases: up to which position others agree, by any order of
/// moves, and what was played there. A game that is the same, by players, date and moves, does not
/// count, also if its source writes first names or the date in another way.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::novelty::Novelties;
/// use chessdb_query::stats::GameLabel;
///
/// let game = |white, moves: &str| Game::builder().white(white).sans(moves.split(' '));
/// let asked = game("Tal", "e4 e5 Nf3 Nc6 Bb5")?.build();
/// let other = game("Morphy", "e4 Nc6 Nf3 e5 Bc4")?.build();
/// let mut novelties = Novelties::new([asked.clone()], false);
/// for game in [&asked, &other] {
///     let matches = novelties.search().matches(game);
///     novelties.add(&matches, || GameLabel::new(game, "", 1));
/// }
/// let novelty = novelties.of(0).unwrap();
/// assert_eq!((novelty.ply, novelty.games()), (4, 1));
/// assert_eq!(novelty.san().as_deref(), Some("Bb5"));
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Default, Debug)]
pub struct Novelties {
    asked: Vec<Novelty>,
    search: Arc<NoveltySearch>,
}

/// Searches games for the positions of the asked ones, in any thread.
#[derive(Default, Debug)]
pub struct NoveltySearch {
    asked: Vec<AskedGame>,
    /// The asked games and plies of each position. Of a repeated position the last ply counts.
    positions: HashMap<u64, Vec<(u32, u32)>>,
    is_earlier: bool,
}

/// A game that is compared.
#[derive(Debug)]
struct AskedGame {
    /// The number of [`identity`].
    identity: u64,
    date: Date,
    /// The largest ply found so far. It only saves work: smaller plies do not matter.
    best: AtomicU32,
}

/// What the comparison needs of a game.
pub(crate) struct ComparedGame {
    /// The number of [`identity`].
    pub(crate) identity: u64,
    pub(crate) date: Date,
    pub(crate) start: Board,
    pub(crate) moves: Vec<PackedMove>,
}

/// A game and what others played.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Novelty {
    /// The number of half-moves up to the last position that another game reached.
    pub ply: u32,
    /// The score of the games that reached it. Its `white` and `black` are both sides of each game.
    pub score: Score,
    /// The highest rated of these games.
    pub highest: Vec<GameLabel>,
    /// The most recent of these games.
    pub latest: Vec<GameLabel>,
    moves: Vec<PackedMove>,
    board: Board,
    start: Board,
    replies: HashMap<PackedMove, Score>,
}

/// The contribution of one game. It can be computed in any thread, and is then added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoveltyMatches {
    /// For each asked game its number, the last common ply, and the move played there.
    common: Vec<(u32, u32, Option<PackedMove>)>,
    score: GameFacts,
}

/// Searches one game for the positions of the asked games. Created by [`NoveltySearch::observer`].
#[derive(Debug)]
pub struct NoveltyObserver<'n> {
    search: &'n NoveltySearch,
    moves: Vec<PackedMove>,
    /// For each asked game reached: the ply there and the ply here.
    reached: HashMap<u32, (u32, u32)>,
}

impl MainlineObserver for NoveltyObserver<'_> {
    fn begin(&mut self, _: &Start, board: &Board) -> ControlFlow<()> {
        self.look(board);
        ControlFlow::Continue(())
    }

    fn played(
        &mut self,
        mv: PackedMove,
        _: &chessdb_core::board::Played,
        board: &Board,
    ) -> ControlFlow<()> {
        self.moves.push(mv);
        self.look(board);
        ControlFlow::Continue(())
    }
}

impl NoveltyObserver<'_> {
    /// Returns whether there are no games to compare with.
    pub(crate) fn is_idle(&self) -> bool {
        self.search.asked.is_empty()
    }

    fn look(&mut self, board: &Board) {
        let Some(places) = self.search.positions.get(&board.placement_key()) else {
            return;
        };
        let own_ply = self.moves.len() as u32;
        for &(asked, ply) in places {
            let game = self.search.asked.get(asked as usize);
            // A game that agrees less far than an earlier one changes nothing.
            if game.is_some_and(|game| ply < game.best.load(Ordering::Relaxed)) {
                continue;
            }
            let furthest = self.reached.entry(asked).or_insert((ply, own_ply));
            if ply > furthest.0 {
                *furthest = (ply, own_ply);
            }
        }
    }

    /// Ends the search after the line has ended. Returns the contribution of the game with this
    /// header. A game with rules of its own, or with an unknown start position, has none.
    pub fn finish(self, header: &Game) -> NoveltyMatches {
        let mut common = Vec::new();
        let counts = header.has_standard_rules() && header.has_known_start();
        if counts && !self.reached.is_empty() {
            let own_identity = identity(header, self.moves.iter().copied());
            for (asked, (ply, own_ply)) in self.reached {
                let Some(game) = self.search.asked.get(asked as usize) else {
                    continue;
                };
                let is_late =
                    self.search.is_earlier && !is_before(header.effective_date(), game.date);
                let is_same = game.identity == own_identity
                    && may_be_same_date(game.date, header.effective_date());
                if !is_same && !is_late {
                    common.push((asked, ply, self.moves.get(own_ply as usize).copied()));
                }
            }
            // The order of a map is random; that of a contribution should not be.
            common.sort_unstable_by_key(|&(asked, ..)| asked);
            for &(asked, ply, _) in &common {
                // The searches of other threads now skip what agrees less far.
                if let Some(game) = self.search.asked.get(asked as usize) {
                    game.best.fetch_max(ply, Ordering::Relaxed);
                }
            }
        }
        NoveltyMatches {
            common,
            score: GameFacts::with_plies(header, self.moves.len() as u32),
        }
    }
}

/// Returns whether a date is certainly before another one.
fn is_before(date: Date, other: Date) -> bool {
    let parts = |date: Date| [date.year.into(), u32::from(date.month), u32::from(date.day)];
    for (part, other) in parts(date).into_iter().zip(parts(other)) {
        match part.cmp(&other) {
            // An unknown part leaves open which date is earlier.
            _ if part == 0 || other == 0 => return false,
            std::cmp::Ordering::Equal => {}
            order => return order.is_lt(),
        }
    }
    false
}

impl Novelties {
    /// Prepares the comparison of these games. With `is_earlier` they are only compared with games
    /// that are certainly older.
    pub fn new(games: impl IntoIterator<Item = Game>, is_earlier: bool) -> Novelties {
        let compared = games.into_iter().map(|game| ComparedGame {
            identity: identity(&game, game.mainline()),
            date: game.effective_date(),
            start: game.start_board(),
            moves: game.mainline().collect(),
        });
        Novelties::comparing(compared, is_earlier)
    }

    /// Like [`Novelties::new`], for games of which only the moves are kept.
    pub(crate) fn comparing(
        games: impl Iterator<Item = ComparedGame>,
        is_earlier: bool,
    ) -> Novelties {
        let mut positions: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
        let (mut asked, mut compared) = (Vec::new(), Vec::new());
        for (number, game) in (0..).zip(games) {
            let mut add_position = |ply: u32, board: &Board| {
                let places = positions.entry(board.placement_key()).or_default();
                match places.last_mut() {
                    // The positions of one game come one after another, so its entry can only be
                    // the last.
                    Some((last, last_ply)) if *last == number => *last_ply = ply,
                    _ => places.push((number, ply)),
                }
            };
            let ComparedGame { start, moves, .. } = game;
            let mut board = start.clone();
            add_position(0, &board);
            for (ply, &mv) in (1..).zip(&moves) {
                board.play(mv);
                add_position(ply, &board);
            }
            compared.push(AskedGame {
                identity: game.identity,
                date: game.date,
                best: AtomicU32::new(0),
            });
            asked.push(Novelty {
                ply: 0,
                score: Score::default(),
                highest: Vec::new(),
                latest: Vec::new(),
                board: start.clone(),
                start,
                moves,
                replies: HashMap::new(),
            });
        }
        Novelties {
            asked,
            search: Arc::new(NoveltySearch {
                asked: compared,
                positions,
                is_earlier,
            }),
        }
    }

    /// Returns the search, to compute contributions in other threads.
    pub fn search(&self) -> Arc<NoveltySearch> {
        Arc::clone(&self.search)
    }

    /// Adds the contribution of a game, which `label` describes.
    pub fn add(&mut self, game: &NoveltyMatches, label: impl Fn() -> GameLabel) {
        for &(asked, ply, reply) in &game.common {
            let Some(novelty) = self.asked.get_mut(asked as usize) else {
                continue;
            };
            if ply < novelty.ply {
                continue;
            }
            if ply > novelty.ply {
                // All that was counted belongs to an earlier position.
                novelty.ply = ply;
                novelty.score = Score::default();
                novelty.replies.clear();
                novelty.highest.clear();
                novelty.latest.clear();
            }
            for side in Color::ALL {
                novelty.score.add(side, &game.score);
                if let Some(reply) = reply {
                    let score = novelty.replies.entry(reply).or_default();
                    score.add(side, &game.score);
                }
            }
            // Described only now: most games change nothing, and a description copies texts.
            let described = label();
            let (highest, latest) = (&mut novelty.highest, &mut novelty.latest);
            keep(highest, &described, MOST_LISTED, GameLabel::rating_sum);
            keep(latest, &described, MOST_LISTED, |label| label.date);
        }
    }

    /// Returns the result for a game, by its place among the asked ones.
    pub fn of(&self, number: usize) -> Option<Novelty> {
        let mut novelty = self.asked.get(number)?.clone();
        // `add` is called for every game and leaves the board at the start.
        for &mv in novelty.moves.iter().take(novelty.ply as usize) {
            novelty.board.play(mv);
        }
        Some(novelty)
    }
}

impl NoveltySearch {
    /// Returns the search of one game whose mainline is shown to it.
    pub fn observer(&self) -> NoveltyObserver<'_> {
        NoveltyObserver {
            search: self,
            moves: Vec::new(),
            reached: HashMap::new(),
        }
    }

    /// Returns the contribution of a whole game.
    pub fn matches(&self, game: &Game) -> NoveltyMatches {
        let mut observer = self.observer();
        observe_game(game, &mut observer);
        observer.finish(game)
    }
}

impl NoveltyMatches {
    /// Returns whether the game has no position that matters.
    pub fn is_empty(&self) -> bool {
        self.common.is_empty()
    }
}

/// Keeps at most `limit` items: those with the largest keys; of equal ones, the first.
pub(crate) fn keep<T: Clone, K: Ord>(
    items: &mut Vec<T>,
    item: &T,
    limit: usize,
    key: impl Fn(&T) -> K,
) {
    let index = items.partition_point(|listed| key(listed) >= key(item));
    if index < limit {
        items.insert(index, item.clone());
        items.truncate(limit);
    }
}

impl Novelty {
    /// Returns the number of games that reached the last common position.
    pub fn games(&self) -> u64 {
        self.score.white.games
    }

    /// Returns the last common position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the number of half-moves of the game.
    pub fn plies(&self) -> u32 {
        self.moves.len() as u32
    }

    /// Returns the move that no other game has; `None` if others reached the end of the game.
    pub fn san(&self) -> Option<String> {
        let mv = self.moves.get(self.ply as usize)?;
        Some(san(&self.board, *mv))
    }

    /// Returns the moves that were played in the last common position, the most frequent first, with
    /// the scores of both sides.
    pub fn replies(&self) -> Vec<(String, Score)> {
        let mut replies: Vec<_> = self
            .replies
            .iter()
            .map(|(&mv, score)| (san(&self.board, mv), *score))
            .collect();
        replies.sort_by(|(a, one), (b, other)| {
            let games = |score: &Score| score.white.games;
            games(other).cmp(&games(one)).then_with(|| a.cmp(b))
        });
        replies
    }

    /// Returns the moves up to the last common position in SAN, with move numbers.
    pub fn line(&self) -> String {
        let moves = self.moves.iter().take(self.ply as usize);
        numbered_line(&self.start, moves.copied())
    }
}

/// Returns moves in SAN, with move numbers.
pub(crate) fn numbered_line(start: &Board, moves: impl Iterator<Item = PackedMove>) -> String {
    let mut board = start.clone();
    let mut line = String::new();
    for (n, mv) in moves.enumerate() {
        if n > 0 {
            line.push(' ');
        }
        match board.turn() {
            Color::White => line += &format!("{}.", board.fullmove_number()),
            Color::Black if n == 0 => line += &format!("{}...", board.fullmove_number()),
            Color::Black => {}
        }
        line += &san(&board, mv);
        board.play(mv);
    }
    line
}
