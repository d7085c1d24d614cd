//! The terminal screen of `show`: the board, the moves next to it, and keys.

mod played;

use std::sync::Arc;

use chessdb::core::{Board, Square};
use chessdb::query::Query;
use chessdb::{Database, Game};
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use self::played::PlayedMoves;
use super::moves::{GameMoves, Word};
use super::{heading, piece_char, squares};
use crate::args::{PositionOptions, Show};
use crate::commands::arrange::{Needs, map_scan};
use crate::commands::database_scan::single_game;
use crate::exit::{Completion, Failure, Outcome};
use crate::output::{grouped, plain};
use crate::query;

const LIGHT: Color = Color::Rgb(0xF0, 0xD9, 0xB5);
const DARK: Color = Color::Rgb(0xB5, 0x88, 0x63);
const MOVED: Color = Color::Rgb(0xCD, 0xD2, 0x6A);

const KEYS: [(&str, &str); 11] = [
    ("→ l  space", "next move"),
    ("← h", "previous move"),
    ("↓ j", "enter a variation, next variation"),
    ("↑ k", "start of the variation, leave it"),
    ("Home End", "first and last position"),
    ("n p", "next game, previous game"),
    ("/", "filter games by a query; empty: all"),
    ("f", "flip the board"),
    ("t", "show or hide the moves played in the position"),
    ("?", "show these keys"),
    ("q Esc", "quit"),
];

/// The state of the screen.
pub(super) struct Screen {
    name: String,
    /// The numbers of the listed games, and the position of the current one in the list.
    games: Vec<u32>,
    game: usize,
    /// Whether a query selected them.
    is_narrowed: bool,
    heading: [String; 3],
    moves: GameMoves,
    /// The move on the board; `None` before the first.
    node: Option<usize>,
    from_black: bool,
    ascii: bool,
    help: bool,
    played: PlayedMoves,
    /// The query that is being typed.
    typed: Option<String>,
    message: String,
}

/// A request of a key that needs the database.
#[derive(Clone, PartialEq, Eq, Debug)]
enum KeyAction {
    Nothing,
    End,
    /// The game at this position of the list.
    Game(usize),
    Find(String),
}

pub(super) fn run(args: &Show, name: &str, db: &Database, query: Arc<Query>) -> Outcome {
    let mut numbers = find(db, &query)?;
    let games = &args.choice.games;
    // A single number is the game to begin with; a list narrows the games.
    let mut index = 0;
    match single_game(games) {
        Some(number) => index = numbers.binary_search(&number).unwrap_or(numbers.len()),
        None => numbers.retain(|&number| games.contains(number)),
    }
    if index >= numbers.len() {
        return Ok(super::nothing(name, db, args, &query));
    }
    let numbers_are_listed = !games.is_all() && single_game(games).is_none();
    let mut screen = Screen::new(name, args.ascii, args.black);
    screen.games = numbers;
    screen.is_narrowed = !query.is_empty() || numbers_are_listed;
    screen.load(db, index, &query)?;
    let mut terminal = ratatui::try_init().map_err(Failure::from)?;
    let ended = event_loop(
        &mut screen,
        &mut terminal,
        db,
        query,
        args.choice.position_options,
    );
    // Before the error is returned, which is printed on the normal screen.
    ratatui::restore();
    ended.map(|()| Completion::Success)
}

fn event_loop(
    screen: &mut Screen,
    terminal: &mut ratatui::DefaultTerminal,
    db: &Database,
    mut query: Arc<Query>,
    position_options: PositionOptions,
) -> Result<(), Failure> {
    loop {
        let board = screen.moves.board(screen.node);
        // Reading the games may take seconds, so the message is drawn first.
        if let Some(warning) = screen.played.warning(db, &board) {
            screen.message = warning;
            terminal.draw(|frame| screen.draw(frame))?;
            screen.message.clear();
        }
        screen.look_up(db)?;
        terminal.draw(|frame| screen.draw(frame))?;
        let Event::Key(key) = event::read()? else {
            continue;
        };
        // Windows reports each key twice.
        if key.kind == KeyEventKind::Release {
            continue;
        }
        // In the raw mode of the terminal, Ctrl-C is a key and no signal.
        let interrupts = key.modifiers.contains(KeyModifiers::CONTROL);
        if interrupts && key.code == KeyCode::Char('c') {
            return Ok(());
        }
        match screen.key(key.code) {
            KeyAction::Nothing => {}
            KeyAction::End => return Ok(()),
            KeyAction::Game(index) => screen.load(db, index, &query)?,
            KeyAction::Find(text) => match query::read_text(&text, position_options) {
                Err(failure) => screen.message = failure.into_message(),
                Ok(wanted) => {
                    let numbers = find(db, &wanted)?;
                    if numbers.is_empty() {
                        screen.message = "no matching game".to_owned();
                        continue;
                    }
                    let current = screen.games.get(screen.game).copied().unwrap_or(0);
                    // The next one from here, or the first one.
                    let index = numbers.partition_point(|number| *number < current);
                    let index = if index < numbers.len() { index } else { 0 };
                    screen.games = numbers;
                    screen.is_narrowed = !wanted.is_empty();
                    query = wanted;
                    screen.load(db, index, &query)?;
                }
            },
        }
    }
}

/// Returns the numbers of the matching games.
fn find(db: &Database, query: &Arc<Query>) -> Result<Vec<u32>, Failure> {
    if query.is_empty() {
        return Ok((1..=db.len()?).collect());
    }
    let mut numbers = Vec::new();
    let scan = db.scan().filter(Arc::clone(query));
    map_scan(
        scan,
        Needs::Headers,
        |_| (),
        |number, ()| numbers.push(number),
    )?;
    Ok(numbers)
}

impl Screen {
    fn new(name: &str, ascii: bool, from_black: bool) -> Screen {
        Screen {
            name: plain(name),
            games: Vec::new(),
            game: 0,
            is_narrowed: false,
            heading: Default::default(),
            moves: GameMoves::default(),
            node: None,
            from_black,
            ascii,
            help: false,
            played: PlayedMoves::new(),
            typed: None,
            message: String::new(),
        }
    }

    /// Shows the game at a position of the list, at the matching position.
    fn load(&mut self, db: &Database, index: usize, query: &Query) -> Result<(), Failure> {
        let Some(number) = self.games.get(index).copied() else {
            return Ok(());
        };
        self.game = index;
        match db.game(number.saturating_sub(1)) {
            Ok(game) => self.show(&game, query),
            // A damaged game does not end the program: the keys lead on to the others.
            Err(error) => {
                self.show(&Game::new(), query);
                self.message = plain(&format!("game {number}: {}", error.problem()));
            }
        }
        Ok(())
    }

    fn show(&mut self, game: &Game, query: &Query) {
        self.heading = heading(game);
        self.moves = GameMoves::from_game(game);
        let hit = query
            .find(game)
            .and_then(|matches| matches.hit().map(|hit| hit.ply()));
        self.node = self.moves.at_ply(hit.unwrap_or(0));
        self.message.clear();
    }

    /// Looks up the moves played in the position.
    fn look_up(&mut self, db: &Database) -> Result<(), Failure> {
        let board = self.moves.board(self.node);
        Ok(self.played.look_up(db, &board)?)
    }

    fn key(&mut self, key: KeyCode) -> KeyAction {
        if let Some(typed) = &mut self.typed {
            match key {
                KeyCode::Enter => return KeyAction::Find(self.typed.take().unwrap_or_default()),
                KeyCode::Esc => self.typed = None,
                KeyCode::Backspace => _ = typed.pop(),
                KeyCode::Char(c) => typed.push(c),
                _ => {}
            }
            return KeyAction::Nothing;
        }
        self.message.clear();
        if self.help {
            self.help = false;
            return KeyAction::Nothing;
        }
        let moves = &self.moves;
        let step = match key {
            KeyCode::Right | KeyCode::Char('l' | ' ') => moves.forward(self.node),
            KeyCode::Down | KeyCode::Char('j') => moves.down(self.node),
            KeyCode::Up | KeyCode::Char('k') => moves.up(self.node),
            KeyCode::End => moves.at_ply(u32::MAX),
            KeyCode::Left | KeyCode::Char('h') => {
                self.node = moves.back(self.node);
                return KeyAction::Nothing;
            }
            KeyCode::Home => {
                self.node = None;
                return KeyAction::Nothing;
            }
            KeyCode::Char('q') | KeyCode::Esc => return KeyAction::End,
            KeyCode::Char('n') | KeyCode::PageDown => return self.go_to(Some(self.game + 1)),
            KeyCode::Char('p') | KeyCode::PageUp => return self.go_to(self.game.checked_sub(1)),
            KeyCode::Char('f') => {
                self.from_black = !self.from_black;
                None
            }
            KeyCode::Char('t') => {
                self.played.toggle();
                None
            }
            KeyCode::Char('?') => {
                self.help = true;
                None
            }
            KeyCode::Char('/') => {
                self.typed = Some(String::new());
                None
            }
            _ => None,
        };
        self.node = step.or(self.node);
        KeyAction::Nothing
    }

    fn go_to(&mut self, index: Option<usize>) -> KeyAction {
        match index.filter(|index| *index < self.games.len()) {
            Some(index) => KeyAction::Game(index),
            None => {
                self.message = "no more games in this direction".to_owned();
                KeyAction::Nothing
            }
        }
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let [top, middle, bottom] = Layout::vertical([
            Constraint::Length(4),
            Constraint::Min(9),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        let [first, second, third] = &self.heading;
        let header = vec![
            Line::styled(first.as_str(), Modifier::BOLD),
            Line::from(second.as_str()),
            Line::styled(third.as_str(), Modifier::DIM),
        ];
        frame.render_widget(Paragraph::new(header), top);
        // Squares of these widths and heights in characters look roughly square.
        let sizes = [(6, 3), (4, 2), (2, 1)];
        let fits = |&&(width, height): &&(u16, u16)| {
            height * 8 < middle.height && width * 8 + 2 <= middle.width / 2
        };
        let &(width, height) = sizes.iter().find(fits).unwrap_or(&(2, 1));
        let columns = [
            Constraint::Length(width * 8 + 2),
            Constraint::Length(2),
            Constraint::Min(1),
        ];
        let [board, _, moves] = Layout::horizontal(columns).areas(middle);
        frame.render_widget(self.board(width, height), board);
        // At most half of the height, with a blank line above.
        let height = match self.played.lines.len() {
            0 => 0,
            lines => (lines + 1).min(usize::from(moves.height / 2)) as u16,
        };
        let rows = [Constraint::Min(1), Constraint::Length(height)];
        let [moves, played] = Layout::vertical(rows).areas(moves);
        self.draw_moves(frame, moves);
        let lines = self
            .played
            .lines
            .iter()
            .map(|line| Line::from(line.as_str()));
        let lines: Vec<Line<'_>> = [Line::default()].into_iter().chain(lines).collect();
        frame.render_widget(Paragraph::new(lines), played);
        frame.render_widget(self.footer(), bottom);
        if let Some(typed) = &self.typed {
            let used = u16::try_from(typed.chars().count() + 1).unwrap_or(u16::MAX);
            let x = bottom
                .x
                .saturating_add(used)
                .min(bottom.right().saturating_sub(1));
            frame.set_cursor_position((x, bottom.y));
        }
        if self.help {
            draw_help(frame);
        }
    }

    fn board(&self, width: u16, height: u16) -> Paragraph<'static> {
        let board = self.moves.board(self.node);
        let moved = self.moves.mv(self.node).map(|mv| [mv.from(), mv.to()]);
        let is_moved = |square: Square| moved.is_some_and(|moved| moved.contains(&square));
        let mut lines = Vec::new();
        for rank in squares(self.from_black) {
            let [first, ..] = rank;
            for row in 0..height {
                let is_middle = row == (height - 1) / 2;
                let label = if is_middle { char::from(b'1' + first.rank()) } else { ' ' };
                let mut spans = vec![Span::raw(format!("{label} "))];
                for square in rank {
                    spans.push(self.square(&board, square, is_moved(square), is_middle, width));
                }
                lines.push(Line::from(spans));
            }
        }
        let files = if self.from_black { "hgfedcba" } else { "abcdefgh" };
        let mut below = String::from("  ");
        for file in files.chars() {
            below.push_str(&centred(file, width));
        }
        lines.push(Line::from(below));
        Paragraph::new(lines)
    }

    fn square(
        &self,
        board: &Board,
        square: Square,
        is_moved: bool,
        is_middle: bool,
        width: u16,
    ) -> Span<'static> {
        let is_dark = (square.file() + square.rank()).is_multiple_of(2);
        let ground = match (is_moved, is_dark) {
            (true, _) => MOVED,
            (_, true) => DARK,
            (_, false) => LIGHT,
        };
        let piece_char = piece_char(board.piece_at(square).filter(|_| is_middle), self.ascii);
        let style = Style::new().fg(Color::Black).bg(ground);
        Span::styled(centred(piece_char.unwrap_or(' '), width), style)
    }

    /// Draws the moves, scrolled so that the current one is visible.
    fn draw_moves(&self, frame: &mut Frame<'_>, area: Rect) {
        let (lines, current) = self.lines(usize::from(area.width));
        let height = usize::from(area.height);
        let last_first = lines.len().saturating_sub(height);
        let first = current.saturating_sub(height / 2).min(last_first);
        let shown: Vec<Line<'_>> = lines.into_iter().skip(first).take(height).collect();
        frame.render_widget(Paragraph::new(shown), area);
    }

    /// Returns the moves in lines of this width, and the index of the line with the current move.
    fn lines(&self, width: usize) -> (Vec<Line<'_>>, usize) {
        let mut lines: Vec<Line<'_>> = vec![Line::default()];
        let (mut current, mut used) = (0, 0);
        let mut glued = true;
        let mut words = self.moves.words.iter().peekable();
        while let Some((word, depth, text)) = words.next() {
            let length = text.chars().count();
            let opens = text == "(" && *word == Word::Sign;
            let blank = usize::from(!glued && text != ")");
            // An opening parenthesis stays with the word after it.
            let next = words.peek().filter(|_| opens);
            let next = next.map_or(0, |(_, _, text)| text.chars().count());
            if used > 0 && used + blank + length + next > width {
                lines.push(Line::default());
                used = 0;
            } else if blank > 0 && used > 0 {
                used += 1;
                if let Some(line) = lines.last_mut() {
                    line.push_span(Span::raw(" "));
                }
            }
            let mut style = match (word, depth) {
                (Word::Comment, _) => Style::new().fg(Color::Green),
                (_, 0) => Style::new().add_modifier(Modifier::BOLD),
                _ => Style::new().fg(Color::Blue),
            };
            if let Word::Move(node) = word
                && self.node == Some(*node)
            {
                style = style.add_modifier(Modifier::REVERSED);
                current = lines.len() - 1;
            }
            used += length;
            if let Some(line) = lines.last_mut() {
                line.push_span(Span::styled(text.as_str(), style));
            }
            glued = opens;
        }
        (lines, current)
    }

    fn footer(&self) -> Paragraph<'_> {
        let line = match &self.typed {
            Some(typed) => format!("/{typed}"),
            None if !self.message.is_empty() => self.message.clone(),
            None => {
                let number = self.games.get(self.game).copied().unwrap_or(0);
                let (index, all) = ((self.game + 1) as u64, self.games.len() as u64);
                let (number, index, all) = (grouped(number.into()), grouped(index), grouped(all));
                let place = if self.is_narrowed {
                    format!("game {number}, {index} of {all} matches")
                } else {
                    format!("game {number} of {all}")
                };
                let name = &self.name;
                format!("{name}: {place}   ←→ moves  ↑↓ variations  n/p games  ? keys  q quit")
            }
        };
        Paragraph::new(Line::styled(line, Modifier::DIM))
    }
}

/// Returns a character centred in `width` columns.
fn centred(c: char, width: u16) -> String {
    let before = usize::from(width.saturating_sub(1) / 2);
    let after = usize::from(width).saturating_sub(before + 1);
    format!("{:before$}{c}{:after$}", "", "")
}

fn draw_help(frame: &mut Frame<'_>) {
    let lines = KEYS.map(|(keys, what)| Line::from(format!(" {keys:<12}{what}")));
    let area = frame.area();
    let (width, height) = (56.min(area.width), (KEYS.len() as u16 + 2).min(area.height));
    let place = Rect {
        x: (area.width - width) / 2,
        y: (area.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, place);
    let block = Block::bordered().title(" Keys ");
    frame.render_widget(Paragraph::new(lines.to_vec()).block(block), place);
}

#[cfg(test)]
mod tests;
