//! The moves of a game, and its board.

use std::fmt::Write as _;

use chessdb_core::commands::{Command, render_command};
use chessdb_core::rules::san;
use chessdb_core::{Board, Color, Event, Game, PackedMove};

use crate::board::board_svg;
use crate::diagrams::{Diagrams, requested_side};
use crate::page::escaped;
use crate::signs::{belongs_to_move, nag_sign};

/// Appends the board with the final position of the mainline, and the moves.
///
/// Each move is an element with its position, so that the script needs no rules. Moves are numbered
/// from 1 in the order of the page; `data-b` is the number of the move before, unless that is the
/// previous element, and 0 is the start.
pub(crate) fn push_moves(game: &Game, diagrams: &Diagrams, out: &mut String) {
    let start = game.start_board();
    // The moves of a variant are known, but the rules are not.
    let has_boards = game.has_known_start();
    let mut writer = MoveWriter {
        line: Line::at(start.clone(), 0),
        outer: Vec::new(),
        count: 0,
        paragraph: Paragraph::None,
        is_in_move: false,
        needs_space: false,
        has_boards,
        diagrams,
        html: String::new(),
    };
    for event in game.events() {
        writer.push_event(event);
    }
    writer.end_move();
    writer.draw_chosen_diagram();
    if let Some(nag) = game.header.line_evaluation(&game.texts) {
        writer.push_nag(nag.into());
    }
    writer.push_word(&format!("<b>{}</b>", game.result().as_pgn()));
    writer.end_paragraph();
    let MoveWriter { html, line, .. } = writer;
    out.push_str("<div class=\"game\">\n");
    if has_boards {
        let name = if line.last == 0 { "the position" } else { "the final position" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<div class=\"side\" data-start=\"{}\">{}</div>",
            placement(&start),
            board_svg(&line.board, Color::White, name)
        );
    }
    let _ = writeln!(
        out,
        "<div class=\"moves\" tabindex=\"0\">\n{html}</div>\n</div>"
    );
}

/// Returns the first field of the FEN.
fn placement(board: &Board) -> String {
    let mut fen = board.to_string();
    fen.truncate(fen.find(' ').unwrap_or(fen.len()));
    fen
}

/// A line of moves that is being written.
struct Line {
    board: Board,
    /// The position before the last move, where its variations begin.
    earlier: Board,
    /// The number of the last move, or of the move before a variation.
    last: u32,
    /// The number of the move before the last one.
    before: u32,
    /// Whether the next move gets a number even if it is Black's.
    needs_number: bool,
}

impl Line {
    fn at(board: Board, last: u32) -> Line {
        Line {
            earlier: board.clone(),
            board,
            last,
            before: last,
            needs_number: true,
        }
    }
}

/// The element that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paragraph {
    None,
    Mainline,
    /// A variation of the mainline. Variations of variations are in parentheses within it, so that
    /// the depth of the page does not depend on the game.
    Variation,
}

struct MoveWriter<'d> {
    line: Line,
    /// The lines outside the current variation.
    outer: Vec<Line>,
    /// The number of moves written.
    count: u32,
    paragraph: Paragraph,
    /// Whether the element of a move is open, so that its signs can be added.
    is_in_move: bool,
    /// Whether a space comes before the next word.
    needs_space: bool,
    has_boards: bool,
    diagrams: &'d Diagrams,
    html: String,
}

impl MoveWriter<'_> {
    fn push_event(&mut self, event: Event<'_>) {
        match event {
            Event::Move(mv) => self.push_move(mv),
            Event::Nag(nag) => self.push_nag(nag),
            Event::Comment(_, text) => {
                let lines: Vec<String> = text.decode().lines().map(escaped).collect();
                self.push_comment(&lines.join("<br>"));
            }
            Event::Open(_) => self.open_variation(),
            Event::Close => self.close_variation(),
            Event::Shapes(_) => {
                if let Some(command) = event.command() {
                    self.push_shapes(&command);
                }
            }
            Event::Clock(_) | Event::Eval(_) => {
                if let Some(command) = event.command() {
                    self.push_word(&format!("<small>{}</small>", escaped(&operand(&command))));
                }
            }
            Event::Fault(_, text) => self.push_comment(&escaped(&text.decode())),
            // The PGN of the page contains them.
            Event::Outcome(_) | Event::Extra(_) => {}
        }
    }

    fn push_move(&mut self, mv: PackedMove) {
        self.end_move();
        self.draw_chosen_diagram();
        let san = san(&self.line.board, mv);
        let (number, side) = (self.line.board.fullmove_number(), self.line.board.turn());
        let number = match side {
            Color::White => format!("{number}."),
            Color::Black if self.line.needs_number => format!("{number}…"),
            Color::Black => String::new(),
        };
        let line = &mut self.line;
        line.earlier.clone_from(&line.board);
        line.board.play(mv);
        let before = line.last;
        self.begin_word();
        self.html.push_str("<span class=\"m\"");
        // Writing to a string cannot fail.
        if before != self.count {
            let _ = write!(self.html, " data-b=\"{before}\"");
        }
        if self.has_boards {
            let (from, to) = (mv.from(), mv.to());
            let placement = placement(&self.line.board);
            let _ = write!(self.html, " data-m=\"{from}{to}\" data-p=\"{placement}\"");
        }
        let _ = write!(self.html, ">{number}{}", escaped(&san));
        self.is_in_move = true;
        self.count = self.count.saturating_add(1);
        self.line.before = before;
        self.line.last = self.count;
        self.line.needs_number = false;
    }

    fn push_nag(&mut self, nag: u16) {
        if let Some(side) = requested_side(nag) {
            self.end_move();
            return self.draw_diagram(side);
        }
        let sign = nag_sign(nag).map_or_else(|| format!("${nag}"), str::to_owned);
        if self.is_in_move && belongs_to_move(nag) {
            self.html.push_str(&sign);
        } else {
            self.push_word(&sign);
        }
    }

    /// Appends a comment in HTML.
    fn push_comment(&mut self, html: &str) {
        if !html.is_empty() {
            self.push_word(&format!("<i>{html}</i>"));
            self.line.needs_number = true;
        }
    }

    fn push_shapes(&mut self, command: &Command<'_>) {
        self.end_move();
        let shapes = escaped(&operand(command));
        let last = self.line.last;
        // Writing to a string cannot fail.
        let _ = write!(
            self.html,
            "<span hidden data-n=\"{last}\" data-s=\"{shapes}\"></span>"
        );
    }

    fn open_variation(&mut self) {
        if self.outer.is_empty() {
            self.end_paragraph();
        } else {
            self.push_word("(");
            self.needs_space = false;
        }
        let inner = Line::at(self.line.earlier.clone(), self.line.before);
        self.outer.push(std::mem::replace(&mut self.line, inner));
    }

    fn close_variation(&mut self) {
        self.end_move();
        // A game never closes more variations than it opens.
        if let Some(outer) = self.outer.pop() {
            self.line = outer;
        }
        if self.outer.is_empty() {
            self.end_paragraph();
        } else {
            self.html.push(')');
        }
        self.line.needs_number = true;
    }

    /// Draws the position after the last move of the mainline if the user chose it.
    fn draw_chosen_diagram(&mut self) {
        if !self.outer.is_empty() || self.line.last == 0 {
            return;
        }
        let board = &self.line.earlier;
        if self
            .diagrams
            .has_move(board.fullmove_number().into(), board.turn())
        {
            self.draw_diagram(Color::White);
        }
    }

    fn draw_diagram(&mut self, side: Color) {
        if self.has_boards {
            self.end_paragraph();
            self.html.push_str("<figure>");
            self.html += &board_svg(&self.line.board, side, "the position");
            self.html.push_str("</figure>\n");
            self.line.needs_number = true;
        }
    }

    fn push_word(&mut self, html: &str) {
        self.end_move();
        self.begin_word();
        self.html.push_str(html);
    }

    /// Opens a paragraph if none is open, and separates the next word from the last one.
    fn begin_word(&mut self) {
        if self.paragraph == Paragraph::None {
            let (paragraph, tag) = if self.outer.is_empty() {
                (Paragraph::Mainline, "<p>")
            } else {
                (Paragraph::Variation, "<p class=\"v\">")
            };
            self.paragraph = paragraph;
            self.html.push_str(tag);
        } else if self.needs_space {
            self.html.push(' ');
        }
        self.needs_space = true;
    }

    fn end_move(&mut self) {
        if std::mem::take(&mut self.is_in_move) {
            self.html.push_str("</span>");
        }
    }

    fn end_paragraph(&mut self) {
        self.end_move();
        if self.paragraph != Paragraph::None {
            self.html.push_str("</p>\n");
            self.paragraph = Paragraph::None;
        }
        self.needs_space = false;
    }
}

/// Returns the text of a command without its name: `1:30:00` of `[%clk 1:30:00]`.
fn operand(command: &Command<'_>) -> String {
    let mut text = Vec::new();
    render_command(command, &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    let operands = text
        .split("[%")
        .filter_map(|command| command.split_once(' '));
    let operands: Vec<&str> = operands
        .map(|(_, operand)| operand.trim_end_matches([' ', ']']))
        .collect();
    operands.join(",")
}
