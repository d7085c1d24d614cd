//! The tables of the report, which each form prints in its way.

use chessdb::Color;
use chessdb::query::{PreparedMove, PreparedPosition, Score};

use super::{Report, SideReport, line_title, percent, score_of, share, short_label};
use crate::commands::game_label::numbered;
use crate::commands::stats::only;
use crate::output::{grouped, plain};

/// The largest number of moves of a position that are listed.
const MOST_MOVES: usize = 12;

/// A table without columns that have no value.
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<String>>,
}

pub(super) struct Column {
    pub(super) title: String,
    /// Whether the cells are texts, and not numbers.
    pub(super) is_text: bool,
}

impl Table {
    fn new<const N: usize>(titles: [String; N], rows: impl Iterator<Item = [String; N]>) -> Table {
        let rows: Vec<[String; N]> = rows.collect();
        let used: [bool; N] = std::array::from_fn(|n| {
            rows.iter()
                .any(|row| row.get(n).is_some_and(|cell| !cell.is_empty()))
        });
        let kept = |row: [String; N]| {
            let cells = row.into_iter().zip(used);
            cells.filter(|(_, is_used)| *is_used).map(|(cell, _)| cell)
        };
        let texts = ["Model game", "Plays", "Others play"];
        let columns = kept(titles).enumerate().map(|(n, title)| Column {
            is_text: n == 0 || texts.contains(&title.as_str()),
            title,
        });
        Table {
            columns: columns.collect(),
            rows: rows.into_iter().map(|row| kept(row).collect()).collect(),
        }
    }

    /// Returns a table of scores, the names with this title.
    fn of_scores(title: &str, scores: impl Iterator<Item = (String, Score)>) -> Table {
        let titles = SCORE_TITLES.map(|known| if known.is_empty() { title } else { known });
        let rows = scores.map(|(name, score)| score_cells(name, &score));
        Table::new(titles.map(str::to_owned), rows)
    }
}

impl Report {
    /// Returns the scores by colour.
    pub(super) fn score_table(&self) -> Table {
        let scores = self.sides.iter().map(|of| {
            let name = of.side.pick("White", "Black").to_owned();
            (name, only(&self.preparation.report.score, of.side))
        });
        Table::of_scores("Colour", scores)
    }

    /// Returns the scores by opening, most games first; `None` without any.
    pub(super) fn opening_table(&self, side: Color) -> Option<Table> {
        let openings = self.openings(side);
        let scores = openings.iter().map(|(name, score)| {
            let name = if name.is_empty() { "(unknown)" } else { name };
            (plain(name), *score)
        });
        (!openings.is_empty()).then(|| Table::of_scores("Opening", scores))
    }

    /// Returns the moves of a position.
    pub(super) fn move_table(&self, side: Color, position: &PreparedPosition) -> Table {
        let moves = position.moves.iter().take(MOST_MOVES);
        let rows = moves.map(|mv| move_cells(side, position, mv));
        Table::new(move_titles(self.preparation.recent_since()), rows)
    }
}

impl SideReport {
    /// Returns the deviations.
    pub(super) fn deviation_table(&self) -> Table {
        let titles = [
            "Line",
            "Plays",
            "Games",
            "Share",
            "Score",
            "Others play",
            "Share of others",
        ];
        let rows = self.deviations.iter().filter_map(|deviation| {
            let position = &deviation.position;
            let choice = position.moves.get(deviation.choice)?;
            let (usual, games) = &deviation.usual;
            Some([
                line_title(position),
                numbered(&position.board, &choice.san),
                grouped(choice.tally.games),
                percent(share(choice.tally.games, position.tally.games)),
                percent(score_of(&choice.tally, self.side)),
                usual.clone(),
                percent(share(*games, position.others.games)),
            ])
        });
        Table::new(titles.map(str::to_owned), rows)
    }
}

/// The titles of a table of scores; the first one is given by the table.
const SCORE_TITLES: [&str; 8] = [
    "",
    "Games",
    "Won",
    "Drawn",
    "Lost",
    "Score",
    "Opponents",
    "Perf",
];

/// Returns the row of a score.
fn score_cells(name: String, score: &Score) -> [String; 8] {
    let known = |number: Option<String>| number.unwrap_or_default();
    [
        name,
        grouped(score.games()),
        grouped(score.wins()),
        grouped(score.draws()),
        grouped(score.losses()),
        percent(score.share()),
        known(score.opponents().map(|rating| rating.to_string())),
        known(score.performance().map(|rating| rating.to_string())),
    ]
}

/// Returns the titles of a table of moves.
fn move_titles(since: u16) -> [String; 8] {
    [
        "Move".to_owned(),
        "Games".to_owned(),
        "Share".to_owned(),
        "Score".to_owned(),
        "Perf".to_owned(),
        match since {
            0 => String::new(),
            since => format!("Since {since}"),
        },
        "Others".to_owned(),
        "Model game".to_owned(),
    ]
}

/// Returns the row of a move, with the score and performance of the player.
fn move_cells(side: Color, position: &PreparedPosition, mv: &PreparedMove) -> [String; 8] {
    let tally = &mv.tally;
    let recent: u64 = position.moves.iter().map(|mv| mv.recent).sum();
    let of_others = share(mv.others.games, position.others.games);
    [
        numbered(&position.board, &mv.san),
        grouped(tally.games),
        percent(share(tally.games, position.tally.games)),
        percent(score_of(tally, side)),
        tally
            .performance()
            .map(|perf| perf.to_string())
            .unwrap_or_default(),
        match mv.recent {
            0 => String::new(),
            games => format!("{} ({})", grouped(games), percent(share(games, recent))),
        },
        match mv.others.games {
            0 => String::new(),
            games => format!("{} ({})", grouped(games), percent(of_others)),
        },
        mv.best
            .as_ref()
            .map(|best| short_label(best, side))
            .unwrap_or_default(),
    ]
}
