//! The moves played in the position on the board, from the tree file of the database.

use std::ops::ControlFlow;

use chessdb::core::Board;
use chessdb::query::{OpeningTree, Tally};
use chessdb::{Database, Error};

use crate::output::grouped;

/// Maximum number of games that are read because the tree file does not count them.
const MOST_UNREAD: usize = 20_000;

/// Returns a heading and a line for each move, the most frequent first. `None` if the tree file does
/// not have the position.
pub(super) fn played_moves(db: &Database, board: &Board) -> Result<Option<Vec<String>>, Error> {
    let found = db.position_moves(board);
    let Some(found) = found.filter(|found| found.uncounted.len() <= MOST_UNREAD) else {
        return Ok(None);
    };
    let mut tree = OpeningTree::new(board.clone(), 1);
    tree.add_tallies(&found.ended, []);
    for played in &found.moves {
        tree.add_tallies(&Tally::default(), [(played.mv, played.tally)]);
    }
    db.scan().select(found.unread()).for_each(|game, read| {
        // `chessdb check` reports games that cannot be read.
        if let Some(line) = read.ok().and_then(|()| tree.line(game)) {
            tree.add(&line);
        }
        ControlFlow::Continue(())
    })?;
    let mut lines = vec![line("", &tree.tally(tree.root()))];
    for node in tree.moves(tree.root()) {
        lines.push(line(&tree.san(node), &tree.tally(node)));
    }
    Ok(Some(lines))
}

fn line(name: &str, tally: &Tally) -> String {
    let percent = |share: Option<f64>| {
        share.map_or_else(String::new, |share| format!("{:.0} %", 100.0 * share))
    };
    let games = grouped(tally.games);
    let (score, draws) = (percent(tally.score()), percent(tally.draw_share()));
    format!("{name:7}{games:>11} {score:>6} {draws:>6}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_of_the_tree_file_has_lines() {
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
        let start = Board::standard();
        assert_eq!(played_moves(&open(), &start).unwrap(), None);
        open().write_index(|_| {}).unwrap();
        let db = open();
        // The damaged game counts, too.
        let lines = played_moves(&db, &start).unwrap().unwrap();
        let words = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = lines.iter().map(words).collect();
        assert_eq!(lines, ["5 62 % 25 %", "e4 3 67 % 0 %", "d4 1 50 % 100 %"]);
        let mut rare = start;
        rare.play(chessdb::core::rules::read_san(&rare, b"d4").unwrap());
        assert_eq!(played_moves(&db, &rare).unwrap(), None);
    }
}
