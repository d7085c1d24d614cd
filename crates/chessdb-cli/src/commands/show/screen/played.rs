//! The moves played in the position on the board.

use chessdb::core::Board;
use chessdb::explorer::Explorer;
use chessdb::fs::IndexUse;
use chessdb::query::tree::{OpeningTree, Tally};
use chessdb::{Database, Error};

use crate::output::{count, grouped};
use crate::table::percent_with;

/// Maximum number of games that are read without a request of the user.
const MOST_UNREAD: u32 = 20_000;

/// The lines below the moves of the game, and what they are computed from.
pub(super) struct PlayedMoves {
    explorer: Explorer,
    /// Whether the user asked for them, or to hide them; `None` before the first key.
    wanted: Option<bool>,
    pub(super) lines: Vec<String>,
}

impl PlayedMoves {
    pub(super) fn new() -> PlayedMoves {
        PlayedMoves {
            explorer: Explorer::new(Explorer::STANDARD_BYTES),
            wanted: None,
            lines: Vec::new(),
        }
    }

    /// Shows or hides the moves.
    pub(super) fn toggle(&mut self) {
        // Without lines there is nothing to hide yet.
        self.wanted = Some(self.wanted == Some(false) || self.lines.is_empty());
    }

    /// Returns a message for the user if the next call of [`PlayedMoves::look_up`] takes long.
    pub(super) fn warning(&self, db: &Database, board: &Board) -> Option<String> {
        let is_long = self.is_asked() && self.explorer.bytes() == 0;
        let games = db.len().ok().filter(|_| is_long)?;
        let is_long = self.explorer.can_keep(games) && self.unread(db, board) > MOST_UNREAD;
        is_long.then(|| format!("reading {}", count(games.into(), "game")))
    }

    fn is_asked(&self) -> bool {
        self.wanted == Some(true)
    }

    /// Returns the number of games to read if nothing was kept of them.
    fn unread(&self, db: &Database, board: &Board) -> u32 {
        let games = db.len().unwrap_or(0);
        if let Some(moves) = db.position_moves(board) {
            return moves.uncounted.len() as u32;
        }
        if self.explorer.can_keep(games) || !self.is_asked() {
            return games;
        }
        let candidates = db.tree_candidates(&OpeningTree::new(board.clone(), 1));
        candidates.map_or(games, |candidates| candidates.len() as u32)
    }

    /// Sets the lines: a heading and each move, the most frequent first. If the tree file does not
    /// have the position, games are read, but many only if the user asked for the moves and they can
    /// be kept for the next position.
    pub(super) fn look_up(&mut self, db: &Database, board: &Board) -> Result<(), Error> {
        self.lines.clear();
        if self.wanted == Some(false) {
            return Ok(());
        }
        let is_kept = self.explorer.bytes() > 0;
        let keeps = self.is_asked() && self.explorer.can_keep(db.len()?);
        if !is_kept && !keeps && self.unread(db, board) > MOST_UNREAD {
            if self.is_asked() {
                let hint = match db.indexed() {
                    IndexUse::None => "; run `chessdb index` first",
                    _ => "",
                };
                self.lines.push(format!("too many games to count{hint}"));
            }
            return Ok(());
        }
        let tree = self.explorer.count(db, board, None)?;
        let all = tree.tally(tree.root());
        if all.games == 0 {
            return Ok(());
        }
        self.lines.push(line("", &all));
        for node in tree.moves(tree.root()) {
            self.lines.push(line(&tree.san(node), &tree.tally(node)));
        }
        Ok(())
    }
}

fn line(name: &str, tally: &Tally) -> String {
    let percent = |share| percent_with(0, share);
    let games = grouped(tally.games);
    let (score, draws) = (percent(tally.score()), percent(tally.draw_share()));
    format!("{name:7}{games:>11} {score:>6} {draws:>6}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_with_and_without_a_tree_file() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("games.pgn");
        let games = [
            "1. e4 e5 1-0",
            "1. e4 c5 0-1",
            "1. d4 1/2-1/2",
            "*",
            "1. e4 Ke4 1-0",
        ];
        std::fs::write(&base, games.map(|game| format!("{game}\n\n")).concat()).unwrap();
        let open = || Database::options().index(true).open(&base).unwrap();
        let lines = |db: &Database, board: &Board| -> Vec<String> {
            let mut played = PlayedMoves::new();
            // The second time from what was kept of the games.
            for _ in 0..2 {
                played.look_up(db, board).unwrap();
            }
            let words = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
            played.lines.iter().map(words).collect()
        };
        let start = Board::standard();
        // The damaged game counts, too.
        let expected = ["5 62 % 25 %", "e4 3 67 % 0 %", "d4 1 50 % 100 %"];
        assert_eq!(lines(&open(), &start), expected);
        open().write_index(|_| {}).unwrap();
        assert!(open().position_moves(&start).is_some());
        assert_eq!(lines(&open(), &start), expected);
        let mut rare = start;
        rare.play(chessdb::core::rules::read_san(&rare, b"d4").unwrap());
        assert_eq!(open().position_moves(&rare), None);
        assert_eq!(lines(&open(), &rare), ["1 50 % 100 %"]);
    }

    #[test]
    fn many_games_are_read_only_if_the_user_asks() {
        let text = "1. e4 1-0\n\n"
            .repeat(MOST_UNREAD as usize + 1)
            .into_bytes();
        let options = Database::options();
        let db = options.open_files([("games.pgn", text)]).unwrap();
        let mut played = PlayedMoves::new();
        let start = Board::standard();
        played.look_up(&db, &start).unwrap();
        assert!(played.lines.is_empty());
        assert_eq!(played.warning(&db, &start), None);
        played.toggle();
        let warning = played.warning(&db, &start);
        assert_eq!(warning.as_deref(), Some("reading 20,001 games"));
        played.look_up(&db, &start).unwrap();
        assert_eq!(played.lines.len(), 2, "{:?}", played.lines);
        assert_eq!(played.warning(&db, &start), None);
        played.toggle();
        played.look_up(&db, &start).unwrap();
        assert!(played.lines.is_empty());
        played.explorer = Explorer::new(0);
        played.toggle();
        played.look_up(&db, &start).unwrap();
        assert!(played.lines[0].contains("chessdb index"));
    }
}
