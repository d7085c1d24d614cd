//! The report as Markdown, which is also what a terminal shows.

use std::fmt::Write as _;

use chessdb::Color;
use chessdb::query::preparation::PreparedPosition;

use super::{Report, SideReport, base_name, line_title, mover, opening_name, percent, score_of};
use crate::commands::game_label;
use crate::output::grouped;

pub(super) fn text(report: &Report) -> String {
    let mut text = format!("# {}\n\n{}\n", escaped(&report.name), report.summary());
    if let Some(line) = report.also_counted(escaped) {
        let _ = writeln!(text, "\n{line}");
    }
    text.push('\n');
    text += &report.score_table().markdown(escaped);
    for side in &report.sides {
        push_side(&mut text, report, side);
    }
    text
}

fn push_side(text: &mut String, report: &Report, of: &SideReport) {
    let side = of.side;
    let _ = write!(text, "\n## {}\n", of.title());
    if let Some(table) = report.opening_table(side) {
        text.push_str("\n### Openings\n\n");
        *text += &table.markdown(escaped);
    }
    for position in of.shown() {
        push_position(text, report, side, position);
    }
    if !of.deviations.is_empty() {
        text.push_str("\n### Where others play something else\n\n");
        *text += &of.deviation_table().markdown(escaped);
    }
    if !of.new_moves.is_empty() {
        text.push_str("\n### New moves\n\n");
        for new in &of.new_moves {
            let novelty = &new.novelty;
            let san = novelty.san().unwrap_or_default();
            let _ = writeln!(
                text,
                "* {} **{}** after {} older games: {} ({}, game {})",
                novelty.line(),
                game_label::numbered(novelty.board(), &san),
                grouped(novelty.games()),
                escaped(&game_label::text(&new.game)),
                escaped(&base_name(&new.game)),
                new.game.number
            );
        }
    }
    if !of.best_wins.is_empty() {
        text.push_str("\n### Wins against the highest rated opponents\n\n");
        for game in &of.best_wins {
            let _ = writeln!(
                text,
                "* {} ({}, game {})",
                escaped(&game_label::text(game)),
                escaped(&base_name(game)),
                game.number
            );
        }
    }
}

fn push_position(text: &mut String, report: &Report, side: Color, position: &PreparedPosition) {
    let _ = write!(text, "\n### {}\n\n", line_title(position));
    let opening = opening_name(position);
    let opening = opening.map(|name| format!("{name}. ")).unwrap_or_default();
    let _ = write!(
        text,
        "{opening}{}: {}, score {}\n\n",
        escaped(&mover(side, position, &report.name)),
        crate::output::count(position.tally.games, "game"),
        percent(score_of(&position.tally, side))
    );
    *text += &report.move_table(side, position).markdown(escaped);
}

/// Returns a text in which no character means anything in Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
