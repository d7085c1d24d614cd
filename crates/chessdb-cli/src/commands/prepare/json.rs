//! The report as JSON.

use chessdb::query::preparation::{PreparedMove, PreparedPosition};
use chessdb::query::tree::Tally;

use super::{Report, SideReport, score_of};
use crate::commands::chosen_player::ChosenPlayer;
use crate::commands::game_label;
use crate::json::{Json, SCHEMA, games_by_name, list, object, rounded, with_first};

pub(super) fn document(report: &Report, bases: Vec<Json>, chosen: &ChosenPlayer) -> Json {
    object! {
        "schema": SCHEMA, "bases": list(bases), "player": report.name.as_str(),
        "spellings": games_by_name(report.spellings.iter().cloned()), "possible": chosen.possible_json(),
        "games": report.preparation.report.score.games(),
        "recentSince": report.preparation.recent_since(),
        "colors": list(report.sides.iter().map(|side| side_json(report, side))),
    }
}

fn side_json(report: &Report, of: &SideReport) -> Json {
    let side = of.side;
    let openings = report
        .openings(side)
        .into_iter()
        .map(|(name, score)| with_first("opening", name, tally_json(of, score.side(side))));
    let deviations = of.deviations.iter().filter_map(|deviation| {
        let choice = deviation.position.moves.get(deviation.choice)?;
        let (usual, games) = &deviation.usual;
        Some(object! {
            "line": deviation.position.san_line(), "fen": deviation.position.board.to_string(),
            "move": choice.san.as_str(), "games": choice.tally.games, "othersMove": usual.as_str(),
            "othersGames": *games,
        })
    });
    let new_moves = of.new_moves.iter().map(|new| {
        object! {
            "line": new.novelty.line(), "fen": new.novelty.board().to_string(),
            "move": new.novelty.san(), "olderGames": new.novelty.games(),
            "game": game_label::json(&new.game),
        }
    });
    object! {
        "color": side.pick("white", "black"),
        "total": tally_json(of, report.preparation.report.score.side(side)), "leastGames": of.least,
        "openings": list(openings),
        "positions": list(of.repertoire.iter().map(|position| position_json(of, position))),
        "deviations": list(deviations), "newMoves": list(new_moves),
        "bestWins": game_label::json_list(&of.best_wins),
    }
}

fn position_json(of: &SideReport, position: &PreparedPosition) -> Json {
    let moves = position.moves.iter().map(|mv| move_json(of, mv));
    object! {
        "line": position.san_line(), "fen": position.board.to_string(),
        "total": tally_json(of, &position.tally), "othersGames": position.others.games,
        "moves": list(moves),
    }
}

fn move_json(of: &SideReport, mv: &PreparedMove) -> Json {
    object! {
        "san": mv.san.as_str(), "total": tally_json(of, &mv.tally), "recentGames": mv.recent,
        "othersGames": mv.others.games, "modelGame": mv.best.as_ref().map(game_label::json),
    }
}

/// Returns results from the player's view.
fn tally_json(of: &SideReport, tally: &Tally) -> Json {
    let share = score_of(tally, of.side);
    object! {
        "games": tally.games, "won": tally.wins(of.side), "drawn": tally.draws,
        "lost": tally.wins(of.side.other()),
        "score": rounded(share),
        "performance": tally.performance(),
        "lastYear": Some(tally.last_year).filter(|year| *year > 0),
    }
}
