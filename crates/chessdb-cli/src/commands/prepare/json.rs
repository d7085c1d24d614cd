//! The report as JSON.

use chessdb::query::{PreparedMove, PreparedPosition, Tally};

use super::{Report, SideReport, score_of};
use crate::commands::chosen_player::ChosenPlayer;
use crate::commands::game_label;
use crate::json::{Json, SCHEMA, list, object};

pub(super) fn document(report: &Report, bases: Vec<Json>, chosen: &ChosenPlayer) -> Json {
    let spellings = report.spellings.iter();
    let spellings = spellings
        .map(|(name, games)| object([("name", name.as_str().into()), ("games", (*games).into())]));
    object([
        ("schema", SCHEMA.into()),
        ("bases", list(bases)),
        ("player", report.name.as_str().into()),
        ("spellings", list(spellings)),
        ("possible", chosen.possible_json()),
        ("games", report.preparation.report.score.games().into()),
        ("recentSince", report.preparation.recent_since().into()),
        (
            "colors",
            list(report.sides.iter().map(|side| side_json(report, side))),
        ),
    ])
}

fn side_json(report: &Report, of: &SideReport) -> Json {
    let side = of.side;
    let openings = report.openings(side).into_iter().map(|(name, score)| {
        let mut row = tally_json(of, score.side(side));
        if let Json::Object(members) = &mut row {
            members.shift_insert(0, "opening".to_owned(), name.into());
        }
        row
    });
    let deviations = of.deviations.iter().filter_map(|deviation| {
        let choice = deviation.position.moves.get(deviation.choice)?;
        let (usual, games) = &deviation.usual;
        Some(object([
            ("line", deviation.position.san_line().into()),
            ("fen", deviation.position.board.to_string().into()),
            ("move", choice.san.as_str().into()),
            ("games", choice.tally.games.into()),
            ("othersMove", usual.as_str().into()),
            ("othersGames", (*games).into()),
        ]))
    });
    let new_moves = of.new_moves.iter().map(|new| {
        object([
            ("line", new.novelty.line().into()),
            ("fen", new.novelty.board().to_string().into()),
            ("move", new.novelty.san().into()),
            ("olderGames", new.novelty.games().into()),
            ("game", game_label::json(&new.game)),
        ])
    });
    object([
        ("color", side.pick("white", "black").into()),
        (
            "total",
            tally_json(of, report.preparation.report.score.side(side)),
        ),
        ("leastGames", of.least.into()),
        ("openings", list(openings)),
        (
            "positions",
            list(of.repertoire.iter().map(|at| position_json(of, at))),
        ),
        ("deviations", list(deviations)),
        ("newMoves", list(new_moves)),
        ("bestWins", game_label::json_list(&of.best_wins)),
    ])
}

fn position_json(of: &SideReport, position: &PreparedPosition) -> Json {
    let moves = position.moves.iter().map(|mv| move_json(of, mv));
    object([
        ("line", position.san_line().into()),
        ("fen", position.board.to_string().into()),
        ("total", tally_json(of, &position.tally)),
        ("othersGames", position.others.games.into()),
        ("moves", list(moves)),
    ])
}

fn move_json(of: &SideReport, mv: &PreparedMove) -> Json {
    object([
        ("san", mv.san.as_str().into()),
        ("total", tally_json(of, &mv.tally)),
        ("recentGames", mv.recent.into()),
        ("othersGames", mv.others.games.into()),
        ("modelGame", mv.best.as_ref().map(game_label::json).into()),
    ])
}

/// Returns results from the player's view.
fn tally_json(of: &SideReport, tally: &Tally) -> Json {
    let share = score_of(tally, of.side);
    object([
        ("games", tally.games.into()),
        ("won", tally.wins(of.side).into()),
        ("drawn", tally.draws.into()),
        ("lost", tally.wins(of.side.other()).into()),
        (
            "score",
            share
                .map(|share| (share * 10_000.0).round() / 10_000.0)
                .into(),
        ),
        ("performance", tally.performance().into()),
        (
            "lastYear",
            Some(tally.last_year).filter(|year| *year > 0).into(),
        ),
    ])
}
