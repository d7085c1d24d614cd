//! The frame of a page: styles, the script, and texts in HTML.

use chessdb_core::text::plain;

use crate::board::PIECES;

/// The style sheet of pages with boards, for the screen and for paper.
pub const STYLE: &str = include_str!("page.css");

/// The rules for games.
const GAME_STYLE: &str = include_str!("games.css");

/// The script that lets the boards follow the moves.
const SCRIPT: &str = include_str!("games.js");

/// Returns a text in which no character means anything in HTML, without control characters.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(&plain(text), &mut out);
    out
}

/// Appends a text in which no character means anything in HTML. Control characters are kept.
pub(crate) fn push_escaped(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

/// Returns the page up to the first game.
pub(crate) fn beginning(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"generator\" content=\"chessdb\">\n<title>{title}</title>\n\
         <style>\n{STYLE}{GAME_STYLE}</style>\n{PIECES}<main>\n<h1>{title}</h1>\n\
         <p class=\"tools\"><a href=\"#contents\">Contents</a></p>\n"
    )
}

/// Returns the table of contents, made of the HTML of its lists. `others` is the number of games that
/// it does not have.
pub(crate) fn contents(lists: &str, others: u32) -> String {
    let others = match others {
        0 => String::new(),
        others => format!("<p class=\"quiet\">{others} more games follow.</p>\n"),
    };
    format!("<nav id=\"contents\" aria-label=\"Contents\">\n{lists}{others}</nav>\n")
}

/// Returns the page after the last game. `first` is the HTML that is shown before the games: it is
/// written last, because the games are not known before.
pub(crate) fn end(first: &str) -> String {
    format!("{first}</main>\n<script>\n{SCRIPT}</script>\n</html>\n")
}
