//! Parts of a game as separate games: its lines, and the moves from a move number.

use crate::Setup;
use crate::limits::{Limits, OverLimit};
use crate::model::{Builder, Game, Place, Start, Token, Tokens};

/// The lines of a game as games without variations, an iterator. Created by [`Game::lines`].
#[derive(Debug)]
pub struct LineGames<'g> {
    game: &'g Game,
    lines: Vec<LineTokens>,
    next: usize,
}

/// The tokens of a line.
#[derive(Clone, Copy, Debug)]
struct LineTokens {
    /// The line from which it branches off, and the first token there that is not part of it.
    parent: usize,
    parent_end: u32,
    /// The first token of the line itself, and the token after the last one.
    start: u32,
    end: u32,
    /// Whether it has more than variations.
    has_content: bool,
}

impl Game {
    /// Returns a game for each line: the mainline first, then the variations in their order. Each has
    /// the tags of the game and all annotations of its moves, also of those before it branches off.
    /// The result belongs to the mainline; the other games have none.
    ///
    /// ```
    /// use chessdb_core::Game;
    ///
    /// let game = Game::builder()
    ///     .sans(["e4", "e5"])?
    ///     .variation(|line| line.sans(["c5", "Nf3"]))?
    ///     .san("Nf3")?
    ///     .build();
    /// let lines: Vec<_> = game.lines().map(|line| line.sans().join(" ")).collect();
    /// assert_eq!(lines, ["e4 e5 Nf3", "e4 c5 Nf3"]);
    /// # Ok::<(), chessdb_core::Error>(())
    /// ```
    pub fn lines(&self) -> LineGames<'_> {
        let mut lines = vec![LineTokens {
            parent: 0,
            parent_end: 0,
            start: 0,
            end: self.moves.len() as u32,
            has_content: true,
        }];
        // The current line, and the token at which its last move begins, with the comments before
        // the move.
        let (mut line, mut last_move) = (0, None);
        let mut comments = None;
        let mut interrupted = Vec::new();
        let mut tokens = self.moves.tokens();
        loop {
            let index = tokens.index();
            let Some(token) = tokens.next() else { break };
            if let Some(line) = lines.get_mut(line) {
                line.has_content |= !matches!(token, Token::Open(_) | Token::Close);
            }
            if let Token::Comment(Place::Before, _) = token {
                comments = comments.or(Some(index));
                continue;
            }
            let start = comments.take().unwrap_or(index);
            match token {
                Token::Move(_) => last_move = Some(start),
                Token::Open(branch) => {
                    interrupted.push((line, last_move));
                    lines.push(LineTokens {
                        parent: line,
                        parent_end: last_move.unwrap_or(index),
                        start: index + 1,
                        end: branch.end.saturating_sub(1),
                        has_content: false,
                    });
                    (line, last_move) = (lines.len() - 1, None);
                }
                Token::Close => (line, last_move) = interrupted.pop().unwrap_or_default(),
                _ => {}
            }
        }
        LineGames {
            game: self,
            lines,
            next: 0,
        }
    }

    /// Returns the game from a move number on: its start is the position before White's move of this
    /// number, or the first later position. Variations of earlier moves are left out. Returns `None`
    /// if no move of the mainline follows, and for a variant whose rules the board does not know.
    ///
    /// ```
    /// use chessdb_core::Game;
    ///
    /// let game = Game::builder().sans(["e4", "e5", "Nf3", "Nc6"])?.build();
    /// let end = game.from_move(2).unwrap();
    /// assert_eq!(end.sans(), ["Nf3", "Nc6"]);
    /// assert_eq!(end.start_board().fullmove_number(), 2);
    /// assert!(game.from_move(3).is_none());
    /// # Ok::<(), chessdb_core::Error>(())
    /// ```
    pub fn from_move(&self, number: u16) -> Option<Game> {
        if !self.has_standard_rules() || !self.has_known_start() {
            return None;
        }
        let start = self.start();
        let mut board = start.board.clone();
        let mut tokens = self.moves.tokens();
        let mut comments = None;
        let first = loop {
            let index = tokens.index();
            let token = tokens.next()?;
            if let Token::Comment(Place::Before, _) = token {
                comments = comments.or(Some(index));
                continue;
            }
            let begin = comments.take().unwrap_or(index);
            match token {
                Token::Move(_) if board.fullmove_number() >= number => break begin,
                Token::Move(mv) => {
                    board.play(mv);
                }
                Token::Open(branch) => tokens.skip_variation(branch),
                _ => {}
            }
        };
        let mut game = self.clone();
        if board == start.board {
            return Some(game);
        }
        game.remove_tag("PlyCount");
        game.header.start = Start::Setup(Box::new(Setup {
            board,
            chess960: start.chess960,
        }));
        let mut tape = game.moves.builder(&Limits::of_tape());
        let mut tokens = self.moves.tokens().starting_at(first);
        while let Some(pushed) = push_next(&mut tokens, &mut tape) {
            pushed.ok()?;
        }
        tape.finish();
        Some(game)
    }
}

impl LineGames<'_> {
    /// Returns a line as a game; `None` if it reaches a limit of the tape.
    fn line_game(&self, number: usize) -> Option<Game> {
        let game = self.game;
        let mut own = Game::new();
        own.header = game.header.clone();
        let mut segments = Vec::new();
        let (mut line, mut end) = (number, None);
        loop {
            let tokens = self.lines.get(line)?;
            segments.push((tokens.start, end.unwrap_or(tokens.end)));
            if line == 0 {
                break;
            }
            (line, end) = (tokens.parent, Some(tokens.parent_end));
        }
        own.texts = game.texts.clone();
        let mut tape = own.moves.builder(&Limits::of_tape());
        for (start, end) in segments.into_iter().rev() {
            let mut tokens = game.moves.tokens().starting_at(start);
            while tokens.index() < end {
                let mut next = tokens.clone();
                if let Some(Token::Open(branch)) = next.next() {
                    tokens.skip_variation(branch);
                    continue;
                }
                push_next(&mut tokens, &mut tape)?.ok()?;
            }
        }
        tape.finish();
        if game.moves.has_variations() {
            own.remove_tag("PlyCount");
        }
        if number > 0 {
            own.remove_tag("Result");
        }
        Some(own)
    }
}

impl Iterator for LineGames<'_> {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        loop {
            let number = self.next;
            self.next += 1;
            // An empty variation is no line.
            if self.lines.get(number)?.has_content {
                return self.line_game(number);
            }
        }
    }
}

/// Copies a token with its facts; `None` at the end.
fn push_next(tokens: &mut Tokens<'_>, tape: &mut Builder<'_>) -> Option<Result<(), OverLimit>> {
    match tokens.next_move() {
        Some((mv, facts)) => Some(tape.known(mv, facts)),
        None => tokens.next().map(|token| tape.token(token)),
    }
}
