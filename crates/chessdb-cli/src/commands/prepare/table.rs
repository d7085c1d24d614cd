//! The tables of the report, which each form prints in its way.

use chessdb::Color;
use chessdb::query::preparation::{PreparedMove, PreparedPosition};
use chessdb::query::stats::Score;

use super::{DECIMALS, Report, SideReport, line_title, percent, score_of, share, short_label};
use crate::commands::game_label::numbered;
use crate::commands::stats::{only, score_cells};
use crate::output::grouped;
use crate::table::{Table, text_of};

/// The largest number of moves of a position that are listed.
const MOST_MOVES: usize = 12;

/// Returns a table of scores, the names with this title.
fn score_table<S: AsRef<str>>(title: &str, scores: impl Iterator<Item = (S, Score)>) -> Table {
    let mut table = Table::new(title, "Games, Won, Drawn, Lost, Score, Opponents, Perf");
    for (name, score) in scores {
        table.row(name.as_ref(), score_cells(&score, DECIMALS));
    }
    table
}

impl Report {
    /// Returns the scores by colour.
    pub(super) fn score_table(&self) -> Table {
        let scores = self.sides.iter().map(|of| {
            let name = of.side.pick("White", "Black");
            (name, only(&self.preparation.report.score, of.side))
        });
        score_table("Colour", scores)
    }

    /// Returns the scores by opening, most games first; `None` without any.
    pub(super) fn opening_table(&self, side: Color) -> Option<Table> {
        let openings = self.openings(side);
        let scores = openings.iter().map(|(name, score)| {
            let name = if name.is_empty() { "(unknown)" } else { name };
            (name, *score)
        });
        (!openings.is_empty()).then(|| score_table("Opening", scores))
    }

    /// Returns the moves of a position.
    pub(super) fn move_table(&self, side: Color, position: &PreparedPosition) -> Table {
        let since = match self.preparation.recent_since() {
            0 => String::new(),
            since => format!("Since {since}"),
        };
        let titles = format!("Games, Share, Score, Perf, {since}, Others, Model game");
        let mut table = Table::new("Move", &titles).texts(&["Model game"]);
        for mv in position.moves.iter().take(MOST_MOVES) {
            let name = numbered(&position.board, &mv.san);
            table.row(&name, move_cells(side, position, mv));
        }
        table
    }
}

impl SideReport {
    /// Returns the deviations.
    pub(super) fn deviation_table(&self) -> Table {
        let titles = "Plays, Games, Share, Score, Others play, Share of others";
        let mut table = Table::new("Line", titles).texts(&["Plays", "Others play"]);
        for deviation in &self.deviations {
            let position = &deviation.position;
            let Some(choice) = position.moves.get(deviation.choice) else {
                continue;
            };
            let (usual, games) = &deviation.usual;
            let cells = [
                numbered(&position.board, &choice.san),
                grouped(choice.tally.games),
                percent(share(choice.tally.games, position.tally.games)),
                percent(score_of(&choice.tally, self.side)),
                usual.clone(),
                percent(share(*games, position.others.games)),
            ];
            table.row(&line_title(position), cells);
        }
        table
    }
}

/// Returns the row of a move, with the score and performance of the player.
fn move_cells(side: Color, position: &PreparedPosition, mv: &PreparedMove) -> [String; 7] {
    let tally = &mv.tally;
    let recent: u64 = position.moves.iter().map(|mv| mv.recent).sum();
    let of_others = share(mv.others.games, position.others.games);
    [
        grouped(tally.games),
        percent(share(tally.games, position.tally.games)),
        percent(score_of(tally, side)),
        text_of(tally.performance()),
        match mv.recent {
            0 => String::new(),
            games => format!("{} ({})", grouped(games), percent(share(games, recent))),
        },
        match mv.others.games {
            0 => String::new(),
            games => format!("{} ({})", grouped(games), percent(of_others)),
        },
        text_of(mv.best.as_ref().map(|best| short_label(best, side))),
    ]
}
