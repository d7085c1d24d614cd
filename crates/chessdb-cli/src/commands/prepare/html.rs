//! The report as a page with boards, without scripts.

use std::fmt::Write as _;

use chessdb::Color;
use chessdb::html::{PIECES, STYLE, board_svg, escaped};
use chessdb::query::preparation::PreparedPosition;

use super::{
    Report, SideReport, base_name, line_title, mover, opening_name, percent, score_of, share,
};
use crate::commands::game_label;
use crate::output::{count, grouped};

pub(super) fn page(report: &Report) -> String {
    let name = escaped(&report.name);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{name}</title>\n\
         <style>\n{STYLE}</style>\n{}<main>\n<h1>{name}</h1>\n<p>{}</p>\n",
        PIECES,
        escaped(&report.summary())
    );
    if let Some(line) = report.also_counted(escaped) {
        let _ = writeln!(page, "<p class=\"quiet\">{line}</p>");
    }
    page += &report.score_table().html(escaped);
    for side in &report.sides {
        push_side(&mut page, report, side);
    }
    page.push_str("</main>\n</html>\n");
    page
}

fn push_side(page: &mut String, report: &Report, of: &SideReport) {
    let side = of.side;
    let _ = writeln!(page, "<h2>{}</h2>", of.title());
    if let Some(table) = report.opening_table(side) {
        page.push_str("<h3>Openings</h3>\n");
        *page += &table.html(escaped);
    }
    for position in of.shown() {
        push_position(page, report, side, position);
    }
    if !of.deviations.is_empty() {
        page.push_str("<h3>Where others play something else</h3>\n");
        for deviation in &of.deviations {
            let position = &deviation.position;
            let Some(choice) = position.moves.get(deviation.choice) else {
                continue;
            };
            let (usual, games) = &deviation.usual;
            let own = share(choice.tally.games, position.tally.games);
            let text = format!(
                "{} in {} of {} ({}), score {}. Of others, {} play {}.",
                game_label::numbered(&position.board, &choice.san),
                grouped(choice.tally.games),
                count(position.tally.games, "game"),
                percent(own),
                percent(score_of(&choice.tally, side)),
                percent(share(*games, position.others.games)),
                usual
            );
            let title = line_title(position);
            push_board(
                page,
                side,
                &position.board,
                &title,
                &format!("<p>{}</p>", escaped(&text)),
            );
        }
    }
    if !of.new_moves.is_empty() {
        page.push_str("<h3>New moves</h3>\n<ul>\n");
        for new in &of.new_moves {
            let novelty = &new.novelty;
            let san = novelty.san().unwrap_or_default();
            let _ = writeln!(
                page,
                "<li>{} <b>{}</b> after {} older games: {}</li>",
                escaped(&novelty.line()),
                escaped(&game_label::numbered(novelty.board(), &san)),
                grouped(novelty.games()),
                place(&new.game)
            );
        }
        page.push_str("</ul>\n");
    }
    if !of.best_wins.is_empty() {
        page.push_str("<h3>Wins against the highest rated opponents</h3>\n<ul>\n");
        for game in &of.best_wins {
            let _ = writeln!(page, "<li>{}</li>", place(game));
        }
        page.push_str("</ul>\n");
    }
}

/// Returns a game with its place.
fn place(game: &chessdb::query::stats::GameLabel) -> String {
    let (label, base) = (game_label::text(game), base_name(game));
    let (label, base) = (escaped(&label), escaped(&base));
    format!(
        "{label} <span class=\"quiet\">({base}, game {})</span>",
        game.number
    )
}

fn push_position(page: &mut String, report: &Report, side: Color, position: &PreparedPosition) {
    let mut text = String::from("<p>");
    if let Some(name) = opening_name(position) {
        let _ = write!(text, "{}<br>", escaped(&name));
    }
    let _ = writeln!(
        text,
        "{}: {}, score {}</p>",
        escaped(&mover(side, position, &report.name)),
        count(position.tally.games, "game"),
        percent(score_of(&position.tally, side))
    );
    text += &report.move_table(side, position).html(escaped);
    push_board(page, side, &position.board, &line_title(position), &text);
}

/// Appends a board with a title, and with `details` next to it.
fn push_board(
    page: &mut String,
    side: Color,
    position: &chessdb::core::Board,
    title: &str,
    details: &str,
) {
    let title = escaped(title);
    let board = board_svg(position, side, &title);
    let _ = writeln!(
        page,
        "<section><h4>{title}</h4>{board}<div class=\"beside\">{details}</div></section>"
    );
}
