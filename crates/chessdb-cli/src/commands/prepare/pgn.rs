//! The repertoire as PGN: a game of each colour, with variations and comments.

use std::collections::{HashMap, HashSet};

use chessdb::core::Board;
use chessdb::query::preparation::{PreparedMove, PreparedPosition};

use super::{Report, SideReport, percent, score_of, share};
use crate::commands::game_label::numbered;
use crate::output::{count, wrap};

/// The width of lines in PGN.
const WIDTH: usize = 80;

pub(super) fn games(report: &Report) -> String {
    let sides = report.sides.iter();
    let games = sides.filter(|side| !side.repertoire.is_empty());
    let games: Vec<String> = games.map(|side| game(report, side)).collect();
    games.join("\n")
}

fn game(report: &Report, of: &SideReport) -> String {
    let positions = of.repertoire.iter();
    let mut repertoire = Repertoire {
        of,
        positions: positions
            .map(|position| (position.board.placement_key(), position))
            .collect(),
        written: HashSet::new(),
        words: Vec::new(),
    };
    repertoire.line(Board::standard());
    let [white, black] = of.side.pick(
        [report.name.as_str(), "Opponents"],
        ["Opponents", &report.name],
    );
    let mut text = String::new();
    let event = format!("Repertoire of {}, {}", report.name, report.summary());
    for (name, value) in [
        ("Event", event.as_str()),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "-"),
        ("White", white),
        ("Black", black),
        ("Result", "*"),
    ] {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("[{name} \"{value}\"]\n");
    }
    text.push('\n');
    repertoire.words.push("*".to_owned());
    wrap(&repertoire.words.join(" "), WIDTH, &mut text);
    text
}

/// The moves of one colour while they are written.
struct Repertoire<'r> {
    of: &'r SideReport,
    positions: HashMap<u64, &'r PreparedPosition>,
    /// The positions that are in the text already. What follows them is not repeated.
    written: HashSet<u64>,
    words: Vec<String>,
}

impl<'r> Repertoire<'r> {
    /// Writes the most frequent moves from a position on, with the other moves as variations. A
    /// repertoire has a limited number of half-moves, and so the depth of variations is limited.
    fn line(&mut self, board: Board) {
        let mut path = Vec::new();
        let mut next = self.positions.get(&board.placement_key()).copied();
        // The positions of a line are taken before its variations can reach them.
        while let Some(position) = next {
            if !self.written.insert(position.board.placement_key()) {
                break;
            }
            path.push(position);
            next = position.moves.first().and_then(|mv| {
                let after = self.after(position, mv)?;
                self.positions.get(&after.placement_key()).copied()
            });
        }
        for position in path {
            let moves = &position.moves;
            let often = moves.iter().filter(|mv| mv.tally.games >= self.of.least);
            for (n, mv) in often.enumerate() {
                let Some(after) = self.after(position, mv) else {
                    continue;
                };
                let open = if n > 0 { "(" } else { "" };
                self.words
                    .push(format!("{open}{}", numbered(&position.board, &mv.san)));
                let is_known = self.written.contains(&after.placement_key());
                let comment = self.comment(position, mv, n > 0 && is_known);
                self.words.push(comment);
                if n > 0 {
                    self.line(after);
                    if let Some(last) = self.words.last_mut() {
                        last.push(')');
                    }
                }
            }
        }
    }

    /// Returns the position after a move, if the move is frequent enough.
    fn after(&self, position: &PreparedPosition, mv: &PreparedMove) -> Option<Board> {
        (mv.tally.games >= self.of.least).then(|| {
            let mut board = position.board.clone();
            board.play(mv.mv);
            board
        })
    }

    fn comment(&self, position: &PreparedPosition, mv: &PreparedMove, is_known: bool) -> String {
        let tally = &mv.tally;
        let mut parts = vec![count(tally.games, "game")];
        if let Some(score) = score_of(tally, self.of.side) {
            parts.push(percent(Some(score)));
        }
        if let Some(performance) = tally.performance() {
            parts.push(format!("performance {performance}"));
        }
        if tally.last_year > 0 {
            parts.push(format!("last in {}", tally.last_year));
        }
        if position.others.games > 0 {
            let of_others = percent(share(mv.others.games, position.others.games));
            parts.push(format!("{of_others} of others"));
        }
        if is_known {
            parts.push("a position shown elsewhere".to_owned());
        }
        format!("{{{}}}", parts.join(", "))
    }
}
