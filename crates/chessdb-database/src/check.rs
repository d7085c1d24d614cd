//! The counts of a check.

use chessdb_core::board::Facts;
use chessdb_core::error::Location;
use chessdb_core::model::{Start, Token, is_rating};
use chessdb_core::rules::{has_legal_move, in_check, is_valid_position};
use chessdb_core::{Color, ErrorKind, Outcome, Severity};
use chessdb_files::error::{Error, Problem};

use crate::game::Game;

/// The numbers of games and findings of a check, as `chessdb check` reports them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct CheckCounts {
    /// The number of games, including those that cannot be read.
    pub games: u64,
    /// The number of findings without data loss.
    pub notes: u64,
    /// The number of findings that were corrected while reading.
    pub repaired: u64,
    /// The number of findings with data loss.
    pub lost: u64,
    /// The number of findings that were not kept because a game had too many.
    pub dropped: u64,
}

impl CheckCounts {
    /// Counts a finding.
    pub fn add(&mut self, severity: Severity) {
        *match severity {
            Severity::Note => &mut self.notes,
            Severity::Repaired => &mut self.repaired,
            Severity::Lost => &mut self.lost,
        } += 1;
    }

    /// Counts a game and its findings, and passes these to `visit`. `error` is the error of a game
    /// that could not be read.
    pub fn add_game(
        &mut self,
        game: &Game,
        error: Option<&Error>,
        visit: &mut dyn FnMut(Severity, &ErrorKind, &Location),
    ) {
        self.games += 1;
        // A damaged game may have any number of diagnostics, so only the first ones are stored; the
        // others are counted.
        self.dropped += u64::from(game.dropped_diagnostics());
        for diagnostic in game.diagnostics() {
            self.add(diagnostic.severity);
            visit(diagnostic.severity, &diagnostic.kind, &diagnostic.at);
        }
        if let Some(Problem::Format(error)) = error.map(Error::problem) {
            self.add(Severity::Lost);
            visit(Severity::Lost, error.kind(), error.location());
            // What was read of such a game is no evidence of an implausible value.
            return;
        }
        visit_implausible(game, |what, ply| {
            let mut location = Location::game(game.number());
            location.ply = ply;
            self.add(Severity::Note);
            visit(Severity::Note, &ErrorKind::Structure(what), &location);
        });
    }

    /// Returns whether the check found damage, so that `chessdb check` exits with 1.
    pub fn has_problems(&self) -> bool {
        self.repaired + self.lost > 0
    }
}

/// Passes the values of a game that cannot be true to `visit`, each with its place among the moves.
fn visit_implausible(game: &Game, mut visit: impl FnMut(&'static str, Option<u32>)) {
    let header = &game.header;
    if !header.date.is_in_calendar() {
        visit("the calendar does not have the date", None);
    }
    if !header.event_date.is_in_calendar() {
        visit("the calendar does not have the date of the event", None);
    }
    for (color, what) in [
        (Color::White, "the rating of White is not from 1 to 4000"),
        (Color::Black, "the rating of Black is not from 1 to 4000"),
    ] {
        let rating = header.player(color).rating;
        if rating.is_some_and(|rating| !is_rating(rating.value.into())) {
            visit(what, None);
        }
    }
    if let Some((what, ply)) = contradicted_result(game) {
        visit(what, Some(ply));
    }
}

/// Returns the finding if the final position contradicts the result, and the number of half-moves
/// before it.
fn contradicted_result(game: &Game) -> Option<(&'static str, u32)> {
    let outcome = game.header.outcome;
    if outcome == Outcome::Unknown
        || game.is_damaged()
        || !game.has_known_start()
        || !game.has_standard_rules()
    {
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
    let what = match right {
        Outcome::Draw => "the game ends with stalemate, but the result is not a draw",
        _ => "the game ends with mate, but the result is not a win for that side",
    };
    (outcome != right).then_some((what, line.plies))
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
