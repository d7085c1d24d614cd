//! What the index and the tree file contain about one game.

use std::ops::ControlFlow;

use chessdb_core::board::Played;
use chessdb_core::model::Token;
use chessdb_core::search::{Features, MainlineObserver, MainlineSummary, Signature, observe_game};
use chessdb_core::{Board, GameStore, PackedMove, Severity, Start, Text};
use chessdb_files::filesystem::ChangedGame;
use chessdb_query::tree::GameFacts;

use super::changes::changed_data;
use super::collect::{CountedGame, PositionCollector};
use super::frequent::FrequentPositions;
use crate::game::Game;

/// What the index contains about a game, and what the tree file counts of it.
pub(crate) type CollectedGame = ((Signature, Features), Option<CountedGame>);

/// Collects game `number` of a store. `None` if nothing is certain about it, because it is damaged.
pub(crate) fn collect(
    store: &dyn GameStore,
    game: &mut Game,
    number: u32,
    unneeded: CountedGame,
    frequent: Option<&FrequentPositions>,
) -> Option<CollectedGame> {
    let mut collector = GameCollector::new(PositionCollector::new(unneeded, frequent));
    let read = game.read_or_observe(store, number, &mut collector);
    let is_whole = read.is_ok()
        && game.dropped_diagnostics() == 0
        && game
            .diagnostics()
            .iter()
            .all(|diagnostic| diagnostic.severity < Severity::Lost);
    if matches!(read, Ok(false)) {
        observe_game(game, &mut collector);
    }
    collector.finish(game).filter(|_| is_whole)
}

/// Returns what the index of a database must know about a game that is changed in place: `None` if
/// it contains nothing that changes.
pub fn index_change(
    number: u32,
    old: &chessdb_core::Game,
    new: &chessdb_core::Game,
) -> Option<ChangedGame> {
    let collected = |game: &chessdb_core::Game| {
        let positions = PositionCollector::new(CountedGame::default(), None);
        let mut collector = GameCollector::new(positions);
        observe_game(game, &mut collector);
        collector.finish(game)
    };
    let (before, after) = (collected(old), collected(new));
    // Of a very long game, only frequent positions may be counted.
    let facts = |game| GameFacts::with_plies(game, 0);
    let is_same = before == after && facts(old) == facts(new) && old.mainline().eq(new.mainline());
    // The index may state that the comments are ASCII.
    let is_plain = comments(new).all(|text| text.as_bytes().is_ascii());
    if is_same && (is_plain || comments(old).eq(comments(new))) {
        return None;
    }
    let counted = before.and_then(|(_, counted)| counted);
    let data = changed_data(counted.as_ref());
    Some(ChangedGame { number, data })
}

fn comments(game: &chessdb_core::Game) -> impl Iterator<Item = Text<'_>> {
    game.moves.tokens().filter_map(|token| match token {
        Token::Comment(_, id) => Some(game.text(id)),
        _ => None,
    })
}

/// Collects what the index and the tree file contain about a game.
struct GameCollector<'f> {
    summary: Option<MainlineSummary>,
    positions: PositionCollector<'f>,
}

impl<'f> GameCollector<'f> {
    fn new(positions: PositionCollector<'f>) -> GameCollector<'f> {
        GameCollector {
            summary: None,
            positions,
        }
    }

    /// Returns the data of the game with this header; `None` if its positions are unknown.
    fn finish(self, header: &chessdb_core::Game) -> Option<CollectedGame> {
        let summary = self.summary?.finish();
        Some((summary, self.positions.finish(header)))
    }
}

impl MainlineObserver for GameCollector<'_> {
    fn begin(&mut self, start: &Start, board: &Board) -> ControlFlow<()> {
        let summary = MainlineSummary::new(board, start.is_standard());
        let (key, pieces) = (summary.key(), summary.pieces());
        self.positions.begin(board.turn(), key, pieces);
        self.summary = Some(summary);
        ControlFlow::Continue(())
    }

    #[inline]
    fn played(&mut self, mv: PackedMove, played: &Played, board: &Board) -> ControlFlow<()> {
        if let Some(summary) = &mut self.summary {
            summary.add(mv, played, board);
            let (key, pieces) = (summary.key(), summary.pieces());
            self.positions.play(mv, board.turn(), key, pieces);
        }
        ControlFlow::Continue(())
    }
}
