//! How a game ended: by the rules at its final position, or by what the source states.

use std::cell::LazyCell;

use chessdb_core::board::MoveKind;
use chessdb_core::model::Token;
use chessdb_core::rules::{has_legal_move, in_check, is_legal};
use chessdb_core::{Board, Color, Game, Outcome, PackedMove, PieceType, Square};

use crate::position::DARK;
use crate::syntax::Fault;

/// A way to end a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Mate,
    Stalemate,
    /// The final position has occurred at least three times.
    Repetition,
    /// A hundred half-moves without a capture or a pawn move, and the next move is possible.
    Fifty,
    /// No sequence of moves can mate, by the pieces alone, or the server states so.
    Insufficient,
    Resigned,
    Agreed,
    Time,
    Adjudicated,
    Abandoned,
    /// An illegal move lost the game.
    Illegal,
    /// A player broke the rules, or used help.
    Infraction,
    /// A player did not appear, or lost for another reason than the position.
    Forfeit,
}

/// The endings by their names in queries.
const NAMES: [(&str, Ending); 13] = [
    ("mate", Ending::Mate),
    ("stalemate", Ending::Stalemate),
    ("repetition", Ending::Repetition),
    ("fifty", Ending::Fifty),
    ("insufficient", Ending::Insufficient),
    ("resigned", Ending::Resigned),
    ("agreed", Ending::Agreed),
    ("time", Ending::Time),
    ("adjudicated", Ending::Adjudicated),
    ("abandoned", Ending::Abandoned),
    ("illegal", Ending::Illegal),
    ("infraction", Ending::Infraction),
    ("forfeit", Ending::Forfeit),
];

/// The reason that a tag or a comment states for the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StatedReason {
    Ending(Ending),
    /// Mate or a draw by rule, which have no term here, because the position decides.
    Other,
}

use StatedReason::Other;

const RESIGNED: StatedReason = StatedReason::Ending(Ending::Resigned);
const AGREED: StatedReason = StatedReason::Ending(Ending::Agreed);
const TIME: StatedReason = StatedReason::Ending(Ending::Time);
const ADJUDICATED: StatedReason = StatedReason::Ending(Ending::Adjudicated);
const ABANDONED: StatedReason = StatedReason::Ending(Ending::Abandoned);
const INSUFFICIENT: StatedReason = StatedReason::Ending(Ending::Insufficient);
const ILLEGAL: StatedReason = StatedReason::Ending(Ending::Illegal);
const INFRACTION: StatedReason = StatedReason::Ending(Ending::Infraction);
const FORFEIT: StatedReason = StatedReason::Ending(Ending::Forfeit);

/// Phrases in the tag Termination, in the spellings of the PGN standard, Lichess, chess.com, FICS
/// and programs for engine matches. The first that occurs counts: `timeout vs insufficient
/// material` is a draw on time.
const IN_TAG: [(&str, StatedReason); 30] = [
    ("resign", RESIGNED),
    ("time forfeit", TIME),
    ("on time", TIME),
    ("out of time", TIME),
    ("timeout", TIME),
    ("time out", TIME),
    ("flag", TIME),
    ("agree", AGREED),
    ("adjudic", ADJUDICATED),
    ("abandon", ABANDONED),
    ("disconnect", ABANDONED),
    ("stalled", ABANDONED),
    ("unterminated", ABANDONED),
    ("emergency", ABANDONED),
    ("death", ABANDONED),
    // Before "infraction": the rules call an illegal move one.
    ("illegal", ILLEGAL),
    ("infraction", INFRACTION),
    ("cheat", INFRACTION),
    ("fair play", INFRACTION),
    ("forfeit", FORFEIT),
    ("no show", FORFEIT),
    ("walkover", FORFEIT),
    ("insufficient", INSUFFICIENT),
    ("mating material", INSUFFICIENT),
    ("mate", Other),
    ("repetition", Other),
    ("50", Other),
    ("fifty", Other),
    ("75", Other),
    ("bare king", Other),
];

/// Endings of the last comment, as servers and programs for engine matches write them. Prose rarely
/// ends so.
const AT_END_OF_COMMENT: [(&str, StatedReason); 31] = [
    ("resigns", RESIGNED),
    ("resigned", RESIGNED),
    ("resignation", RESIGNED),
    ("forfeits on time", TIME),
    ("loses on time", TIME),
    ("lost on time", TIME),
    ("wins on time", TIME),
    ("won on time", TIME),
    ("ran out of time", TIME),
    ("time forfeit", TIME),
    ("no material to mate", TIME),
    ("neither player has mating material", INSUFFICIENT),
    ("neither side has mating material", INSUFFICIENT),
    ("insufficient material", INSUFFICIENT),
    ("insufficient mating material", INSUFFICIENT),
    ("mutual agreement", AGREED),
    ("by agreement", AGREED),
    ("draw agreed", AGREED),
    ("adjudication", ADJUDICATED),
    ("disconnects", ABANDONED),
    ("disconnection", ABANDONED),
    ("connection stalls", ABANDONED),
    ("left the game", ABANDONED),
    ("checkmate", Other),
    ("checkmated", Other),
    ("by repetition", Other),
    ("fold repetition", Other),
    ("by stalemate", Other),
    ("50 move rule", Other),
    ("fifty moves rule", Other),
    ("illegal move", ILLEGAL),
];

impl StatedReason {
    fn from_tag(text: &str) -> Option<StatedReason> {
        let lower = text.to_ascii_lowercase();
        let (_, reason) = IN_TAG.iter().find(|(phrase, _)| lower.contains(phrase))?;
        Some(*reason)
    }

    fn from_comment(text: &str) -> Option<StatedReason> {
        let lower = text.trim().trim_end_matches('.').to_ascii_lowercase();
        let (_, reason) = AT_END_OF_COMMENT
            .iter()
            .find(|(phrase, _)| lower.ends_with(phrase))?;
        Some(*reason)
    }

    /// Returns the reason in the tag Termination, else in the last comment after the last move of
    /// the main line.
    fn from_game(game: &Game) -> Option<StatedReason> {
        game.tag("Termination")
            .and_then(|text| StatedReason::from_tag(&text))
            .or_else(|| StatedReason::from_comment(&last_comment(game)?))
    }
}

/// Returns whether the source states that the time of a player was up. The only judgement of that:
/// `ending:time` and the statistics of clocks agree.
pub(crate) fn is_on_time(game: &Game) -> bool {
    StatedReason::from_game(game) == Some(TIME)
}

/// Returns the last comment after the last move of the main line.
fn last_comment(game: &Game) -> Option<String> {
    let mut last = None;
    let mut tokens = game.moves.tokens();
    while let Some(token) = tokens.next() {
        match token {
            // A comment before the last move is not about the end.
            Token::Move(_) => last = None,
            Token::Open(branch) => tokens.skip_variation(branch),
            Token::Comment(_, text) if text.is_some() => last = Some(text),
            _ => {}
        }
    }
    last.map(|text| game.text(text).decode().into_owned())
}

impl Ending {
    /// Reads a name of [`NAMES`].
    pub(crate) fn read(text: &str) -> Result<Ending, Fault> {
        let name = text.to_ascii_lowercase();
        let ending = NAMES.iter().find(|(entry, _)| *entry == name);
        ending.map(|&(_, ending)| ending).ok_or_else(|| {
            let names = NAMES.map(|(name, _)| name).join(", ");
            Fault::from(format!("the endings are {names}"))
        })
    }

    /// Returns whether a game ended in one of these ways.
    pub(crate) fn any_fits(endings: &[Ending], game: &Game) -> bool {
        // Only some endings need the positions.
        let by_rule = LazyCell::new(|| FinalPosition::new(game));
        let reason = StatedReason::from_game(game);
        let is_stated = |ending| reason == Some(StatedReason::Ending(ending));
        let is_by_rule = |ending| by_rule.as_ref().is_some_and(|end| end.fits(ending));
        let has_moves = game.mainline().next().is_some();
        endings.iter().any(|&ending| match ending {
            Ending::Time
            | Ending::Adjudicated
            | Ending::Abandoned
            | Ending::Illegal
            | Ending::Infraction
            | Ending::Forfeit => is_stated(ending),
            Ending::Insufficient => {
                is_by_rule(ending) || is_stated(ending) && game.result() == Outcome::Draw
            }
            Ending::Resigned => {
                let is_won = matches!(game.result(), Outcome::WhiteWins | Outcome::BlackWins);
                // Few sources state a resignation; a win without any other reason is one.
                let is_presumed = reason.is_none() && has_moves;
                is_won
                    && !is_by_rule(Ending::Mate)
                    && !is_by_rule(Ending::Stalemate)
                    && (is_presumed || is_stated(ending))
            }
            Ending::Agreed => {
                let is_presumed = reason.is_none() && has_moves;
                game.result() == Outcome::Draw
                    && !DRAWS_BY_RULE.into_iter().any(is_by_rule)
                    && (is_presumed || is_stated(ending))
            }
            ending => is_by_rule(ending),
        })
    }
}

const DRAWS_BY_RULE: [Ending; 4] = [
    Ending::Stalemate,
    Ending::Repetition,
    Ending::Fifty,
    Ending::Insufficient,
];

/// The last position of a main line.
struct FinalPosition {
    board: Board,
    /// Its number of occurrences.
    count: usize,
}

impl FinalPosition {
    /// Plays the main line. `None` if the start is unknown, or if the game has other rules.
    fn new(game: &Game) -> Option<FinalPosition> {
        if !game.has_known_start() || !game.has_standard_rules() {
            return None;
        }
        let mut board = game.start_board();
        game.mainline().for_each(|mv| {
            board.play(mv);
        });
        // The line is played again instead of keeping all its positions.
        let last = same_moves(&board);
        let mut earlier = game.start_board();
        let mut count = usize::from(same_moves(&earlier) == last);
        for mv in game.mainline() {
            earlier.play(mv);
            count += usize::from(same_moves(&earlier) == last);
        }
        Some(FinalPosition { board, count })
    }

    fn fits(&self, ending: Ending) -> bool {
        let board = &self.board;
        // Damaged positions may lack a king, and the rules below need both.
        let are_kings = Color::ALL
            .into_iter()
            .all(|color| board.pieces(color, PieceType::King).len() == 1);
        let is_check = || in_check(board, board.turn());
        match ending {
            Ending::Mate => is_check() && !has_legal_move(board),
            Ending::Stalemate => are_kings && !is_check() && !has_legal_move(board),
            Ending::Repetition => self.count >= 3,
            Ending::Fifty => board.halfmove_clock() >= 100 && has_legal_move(board),
            Ending::Insufficient => are_kings && is_insufficient(board),
            _ => false,
        }
    }
}

/// Returns the position without counters, and with its en passant square only if a legal move
/// captures there. Boards that are then equal allow the same moves.
fn same_moves(board: &Board) -> Board {
    let mut plain = board.clone();
    plain.set_halfmove_clock(0);
    plain.set_fullmove_number(1);
    if let Some(target) = plain.ep_square() {
        let pawns = plain.pieces(plain.turn(), PieceType::Pawn);
        let takes = |from: Square| {
            let mv = PackedMove::new(from, target, MoveKind::EnPassant);
            is_legal(&plain, mv)
        };
        if !pawns.into_iter().any(takes) {
            plain.set_ep_square(None);
        }
    }
    plain
}

/// Returns whether neither side can mate by any sequence of moves, judged by the pieces alone: bare
/// kings, one knight, or only bishops on squares of one color.
fn is_insufficient(board: &Board) -> bool {
    let by_kind = |kind| board.by_type(kind);
    let heavy = [PieceType::Pawn, PieceType::Rook, PieceType::Queen];
    if heavy.into_iter().any(|kind| !by_kind(kind).is_empty()) {
        return false;
    }
    let (knights, bishops) = (by_kind(PieceType::Knight), by_kind(PieceType::Bishop));
    // Bishops on squares of one color cannot mate, however many they are.
    let is_one_color = bishops.0 & DARK.0 == 0 || bishops.0 & !DARK.0 == 0;
    match knights.len() {
        0 => is_one_color,
        knights => knights == 1 && bishops.is_empty(),
    }
}
