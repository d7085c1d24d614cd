//! The moves of a game as words, and navigation between them.

use chessdb::core::commands::render_command;
use chessdb::core::rules::san;
use chessdb::core::{Board, Color, Event, Game, PackedMove};
use chessdb::html::nag_sign;

use crate::output::plain;

/// A half-move with links to its neighbours, as indexes in [`GameMoves::nodes`].
#[derive(Clone, Debug)]
pub(super) struct MoveNode {
    mv: PackedMove,
    /// The number of half-moves from the start, including this one.
    pub(super) ply: u32,
    /// The previous move. `None` at the start.
    pub(super) before: Option<usize>,
    /// The next move in the same line.
    pub(super) next: Option<usize>,
    /// The first moves of the variations that replace this move.
    pub(super) others: Vec<usize>,
    /// The move that this one, the first of a variation, replaces.
    pub(super) replaces: Option<usize>,
}

/// The kind of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// The move of this node, with its move number where one is written.
    Move(usize),
    Comment,
    /// A parenthesis of a variation, a NAG, or the result.
    Sign,
}

/// The moves of a game.
#[derive(Clone, Default, Debug)]
pub(super) struct GameMoves {
    pub(super) nodes: Vec<MoveNode>,
    /// The words, each with its depth of variations.
    pub(super) words: Vec<(Word, usize, String)>,
    /// The first move of the mainline.
    pub(super) first: Option<usize>,
    start: Board,
}

/// A line that is being read.
#[derive(Clone, Default)]
struct Line {
    board: Board,
    /// The position before the last move.
    earlier: Board,
    last: Option<usize>,
    replaces: Option<usize>,
    before: Option<usize>,
    ply: u32,
    /// Whether the next move gets a move number even if it is Black's.
    numbered: bool,
}

impl GameMoves {
    /// Collects the moves of a game.
    pub(super) fn from_game(game: &Game) -> GameMoves {
        let start = game.start().board;
        let mut moves = GameMoves {
            start: start.clone(),
            ..GameMoves::default()
        };
        let mut line = Line {
            earlier: start.clone(),
            board: start,
            numbered: true,
            ..Line::default()
        };
        let mut outer: Vec<Line> = Vec::new();
        for event in game.events() {
            match event {
                Event::Move(mv) => moves.push_move(&mut line, mv, outer.len()),
                Event::Open(_) => {
                    moves
                        .words
                        .push((Word::Sign, outer.len() + 1, "(".to_owned()));
                    // A variation replaces the last move, so it begins before that.
                    let inner = Line {
                        board: line.earlier.clone(),
                        earlier: line.earlier.clone(),
                        last: None,
                        replaces: line.last,
                        before: line.last.and_then(|last| moves.nodes.get(last)?.before),
                        ply: line.ply.saturating_sub(1),
                        numbered: true,
                    };
                    outer.push(std::mem::replace(&mut line, inner));
                }
                Event::Close => {
                    moves.words.push((Word::Sign, outer.len(), ")".to_owned()));
                    // The number of a black move is repeated after a variation, and after a
                    // comment.
                    if let Some(before) = outer.pop() {
                        line = before;
                    }
                    line.numbered = true;
                }
                Event::Comment(_, text) if !text.is_empty() => {
                    moves.comment(&text.decode(), outer.len());
                    line.numbered = true;
                }
                Event::Nag(nag) => {
                    let text = sign(nag);
                    match moves.words.last_mut() {
                        // `!` and the like belong to the move; the signs of evaluations are words.
                        Some((Word::Move(_), _, word)) if nag < 7 => word.push_str(&text),
                        _ => moves.words.push((Word::Sign, outer.len(), text)),
                    }
                }
                event => {
                    if let Some(command) = event.command() {
                        let mut text = Vec::new();
                        render_command(&command, &mut text);
                        moves.comment(&String::from_utf8_lossy(&text), outer.len());
                    }
                }
            }
        }
        if let Some(nag) = game.header.line_evaluation(&game.texts) {
            moves.words.push((Word::Sign, 0, sign(nag.into())));
        }
        let result = game.result().as_pgn().to_owned();
        moves.words.push((Word::Sign, 0, result));
        moves
    }

    fn push_move(&mut self, line: &mut Line, mv: PackedMove, depth: usize) {
        let index = self.nodes.len();
        let san = san(&line.board, mv);
        let number = line.board.fullmove_number();
        let text = match line.board.turn() {
            Color::White => format!("{number}.{san}"),
            Color::Black if line.numbered => format!("{number}...{san}"),
            Color::Black => san,
        };
        self.words.push((Word::Move(index), depth, text));
        self.nodes.push(MoveNode {
            mv,
            ply: line.ply + 1,
            before: line.last.or(line.before),
            next: None,
            others: Vec::new(),
            replaces: line.replaces.take(),
        });
        match (line.last, self.nodes.last().and_then(|node| node.replaces)) {
            (Some(last), _) => {
                if let Some(last) = self.nodes.get_mut(last) {
                    last.next = Some(index);
                }
            }
            (None, Some(replaced)) => {
                if let Some(replaced) = self.nodes.get_mut(replaced) {
                    replaced.others.push(index);
                }
            }
            (None, None) if depth == 0 => self.first = Some(index),
            (None, None) => {}
        }
        line.earlier.clone_from(&line.board);
        line.board.play(mv);
        line.last = Some(index);
        line.ply += 1;
        line.numbered = false;
    }

    /// Adds a comment word by word, so that lines can be broken between them.
    fn comment(&mut self, text: &str, depth: usize) {
        for word in plain(text).split_whitespace() {
            self.words.push((Word::Comment, depth, word.to_owned()));
        }
    }

    /// Returns the position after a move; `None` is the start.
    pub(super) fn board(&self, mut index: Option<usize>) -> Board {
        let mut path = Vec::new();
        while let Some(node) = index.and_then(|index| self.nodes.get(index)) {
            path.push(node.mv);
            index = node.before;
        }
        let mut board = self.start.clone();
        for mv in path.into_iter().rev() {
            board.play(mv);
        }
        board
    }

    /// Returns the move of a node.
    pub(super) fn mv(&self, index: Option<usize>) -> Option<PackedMove> {
        Some(self.nodes.get(index?)?.mv)
    }

    /// Returns the mainline move at this ply, or the last one.
    pub(super) fn at_ply(&self, ply: u32) -> Option<usize> {
        let mut last = None;
        let mut next = self.first;
        while let Some(node) = next.and_then(|next| self.nodes.get(next))
            && node.ply <= ply
        {
            last = next;
            next = node.next;
        }
        last
    }

    /// Returns the number of half-moves of the mainline.
    pub(super) fn plies(&self) -> u32 {
        let last = self.at_ply(u32::MAX).and_then(|last| self.nodes.get(last));
        last.map_or(0, |node| node.ply)
    }

    /// Returns the text of a move.
    pub(super) fn word(&self, index: usize) -> &str {
        let mut words = self.words.iter();
        let word = words.find(|(word, ..)| *word == Word::Move(index));
        word.map_or("", |(_, _, text)| text)
    }

    /// Returns the next move in the same line.
    pub(super) fn forward(&self, index: Option<usize>) -> Option<usize> {
        match index {
            None => self.first,
            Some(index) => self.nodes.get(index)?.next,
        }
    }

    /// Returns the previous move. For the first move of a variation, that is the one before the
    /// replaced move.
    pub(super) fn back(&self, index: Option<usize>) -> Option<usize> {
        self.nodes.get(index?)?.before
    }

    /// Returns the next alternative to a move: its first variation, or the next sibling variation.
    pub(super) fn down(&self, index: Option<usize>) -> Option<usize> {
        let index = index?;
        let node = self.nodes.get(index)?;
        if let Some(first) = node.others.first() {
            return Some(*first);
        }
        let all = &self.nodes.get(node.replaces?)?.others;
        let place = all.iter().position(|other| *other == index)?;
        all.get(place + 1).copied()
    }

    /// Returns the previous alternative or the replaced move. Within a variation, returns its first
    /// move.
    pub(super) fn up(&self, index: Option<usize>) -> Option<usize> {
        let index = index?;
        let node = self.nodes.get(index)?;
        if let Some(replaced) = node.replaces {
            let all = &self.nodes.get(replaced)?.others;
            let place = all.iter().position(|other| *other == index).unwrap_or(0);
            let before = place.checked_sub(1).and_then(|place| all.get(place));
            return Some(before.copied().unwrap_or(replaced));
        }
        let mut first = index;
        while let Some(node) = self.nodes.get(first) {
            match (node.replaces, node.before) {
                (Some(_), _) => return Some(first),
                (None, Some(before)) => first = before,
                (None, None) => return None,
            }
        }
        None
    }
}

/// Returns the common sign of a NAG, or its number.
fn sign(nag: u16) -> String {
    nag_sign(nag).map_or_else(|| format!("${nag}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves() -> GameMoves {
        let game = Game::builder()
            .sans(["e4", "e5"])
            .unwrap()
            .nag(1)
            .variation(|line| line.sans(["c5", "Nf3"]))
            .unwrap()
            .variation(|line| {
                let line = line.san("c6")?.comment("Caro Kann");
                line.variation(|line| line.san("e6"))
            })
            .unwrap()
            .san("Nf3")
            .unwrap()
            .build();
        GameMoves::from_game(&game)
    }

    #[test]
    fn a_game_is_words() {
        let moves = moves();
        let words: Vec<&str> = moves
            .words
            .iter()
            .map(|(_, _, text)| text.as_str())
            .collect();
        assert_eq!(
            words.join(" "),
            "1.e4 e5! ( 1...c5 2.Nf3 ) ( 1...c6 Caro Kann ( 1...e6 ) ) 2.Nf3 *"
        );
        assert_eq!((moves.plies(), moves.at_ply(9)), (3, moves.at_ply(3)));
        assert_eq!(moves.at_ply(0), None);
    }

    #[test]
    fn every_variation_is_reached_and_left() {
        let moves = moves();
        let word = |at: Option<usize>| at.map_or("", |at| moves.word(at));
        let reply = moves.at_ply(2);
        let down = moves.down(reply);
        assert_eq!(word(down), "1...c5");
        assert_eq!(word(moves.down(down)), "1...c6");
        assert_eq!(word(moves.down(moves.down(down))), "1...e6");
        let inside = moves.forward(down);
        assert_eq!(word(inside), "2.Nf3");
        assert_eq!(moves.up(inside), down);
        assert_eq!(moves.up(down), reply);
        assert_eq!(moves.up(moves.down(down)), down);
        assert_eq!(moves.up(reply), None);
        assert_eq!(word(moves.back(down)), "1.e4");
        assert_eq!(moves.back(moves.at_ply(1)), None);
        let board = moves.board(inside).to_string();
        assert!(
            board.starts_with("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/"),
            "{board}"
        );
        let board = moves.board(moves.down(moves.down(down))).to_string();
        assert!(board.starts_with("rnbqkbnr/pppp1ppp/4p3/"), "{board}");
    }
}
