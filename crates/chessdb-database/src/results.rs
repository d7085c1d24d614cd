//! Results that follow from the final position.

use chessdb_core::board::Facts;
use chessdb_core::model::{Start, Token};
use chessdb_core::rules::{has_legal_move, in_check, is_valid_position};
use chessdb_core::{Color, Outcome};

use crate::game::Game;

/// Returns the result that follows from mate or stalemate at the end of a complete mainline, and
/// its number of half-moves, if the game has another result or none.
///
/// A game with damage, an unknown start or other rules than those of chess has no such result.
///
/// ```
/// use chessdb::core::Outcome;
/// use chessdb::{Database, result_to_fix};
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let pgn = "1. f3 e5 2. g4 Qh4# *\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
/// let db = Database::options().open_files([("mate.pgn", pgn)])?;
/// assert_eq!(result_to_fix(&db.game(0)?), Some((Outcome::BlackWins, 4)));
/// assert_eq!(result_to_fix(&db.game(1)?), None);
/// # Ok(()) }
/// ```
pub fn result_to_fix(game: &Game) -> Option<(Outcome, u32)> {
    let outcome = game.header.outcome;
    if game.is_damaged() || !game.has_known_start() || !game.has_standard_rules() {
        return None;
    }
    let line = MainlineFacts::new(game);
    // Most games need not be played again. A null move has no facts, so a line that
    // ends with one is.
    let is_known = game.moves.is_known() && line.last.are_known();
    if line.plies == 0 || is_known && !line.may_end_game(game, outcome) {
        return None;
    }
    let mut board = game.start_board();
    for mv in game.mainline() {
        board.play(mv);
    }
    // In a position that no legal game reaches, the side to move may have no move without mate or
    // stalemate.
    if has_legal_move(&board) || !is_valid_position(&board) {
        return None;
    }
    let turn = board.turn();
    let right = match (in_check(&board, turn), turn) {
        (true, Color::White) => Outcome::BlackWins,
        (true, Color::Black) => Outcome::WhiteWins,
        (false, _) => Outcome::Draw,
    };
    (outcome != right).then_some((right, line.plies))
}

/// Returns whether the position after the last move may be a mate, or a stalemate although the result
/// is not a draw.
fn may_contradict(last: Facts, outcome: Outcome) -> bool {
    last.gives_mate() || outcome != Outcome::Draw && !last.gives_check()
}

/// The facts about the main line.
struct MainlineFacts {
    plies: u32,
    captures: u32,
    last: Facts,
}

impl MainlineFacts {
    fn new(game: &Game) -> MainlineFacts {
        let mut line = MainlineFacts {
            plies: 0,
            captures: 0,
            last: Facts::UNKNOWN,
        };
        if let Some(mut facts) = game.moves.plain_facts() {
            let is_capture = |facts: Facts| u32::from(facts.taken() != 0);
            line.plies = game.moves.plies();
            line.last = facts.next_back().unwrap_or(Facts::UNKNOWN);
            // This loop has no branches, so the compiler counts several moves at once.
            line.captures = facts.map(is_capture).sum::<u32>() + is_capture(line.last);
            return line;
        }
        // Moves with annotations between them have no plain list of facts.
        let mut tokens = game.moves.tokens();
        loop {
            if let Some((_, facts)) = tokens.next_move() {
                line.plies += 1;
                line.captures += u32::from(facts.taken() != 0);
                line.last = facts;
                continue;
            }
            match tokens.next() {
                None => return line,
                Some(Token::Open(branch)) => tokens.skip_variation(branch),
                Some(_) => {}
            }
        }
    }

    /// Returns whether the line may end with mate, or with stalemate although the result is not a
    /// draw. In a long game with most pieces on the board the side to move has a move.
    fn may_end_game(&self, game: &Game, outcome: Outcome) -> bool {
        const SHORT: u32 = 60;
        const FEW_CAPTURES: u32 = 16;
        let has_many_pieces = game.header.start == Start::Standard
            && self.plies > SHORT
            && self.captures < FEW_CAPTURES;
        may_contradict(self.last, outcome) && (self.last.gives_mate() || !has_many_pieces)
    }
}
