//! How a game ended: by the rules at its final position, or by what the source states.

use std::borrow::Cow;
use std::cell::OnceCell;

use chessdb_core::board::MoveKind;
use chessdb_core::model::Token;
use chessdb_core::rules::{has_legal_move, in_check, is_legal};
use chessdb_core::{Board, Color, Game, Outcome, PackedMove, PieceType, Square};

use crate::annotated_moves::last_clocks;
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

/// The evidence for the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EndingSource {
    /// The final position, or the moves that led to it.
    Board,
    /// The tag Termination.
    Termination,
    /// The comment after the last move.
    Comment,
    /// The result alone: a win is presumed to be a resignation, a draw to be agreed.
    Presumed,
}

impl EndingSource {
    /// Returns the name: `board`, `termination`, `comment`, `presumed`.
    pub fn name(self) -> &'static str {
        match self {
            EndingSource::Board => "board",
            EndingSource::Termination => "termination",
            EndingSource::Comment => "comment",
            EndingSource::Presumed => "presumed",
        }
    }
}

/// Returns how a game ended, by its name in queries, and the evidence; `None` if nothing is known.
/// A game that fits several endings has the one that ended it: mate or stalemate, then what the
/// source states, then the other draws by rule.
///
/// ```
/// use chessdb_core::{Game, Outcome};
/// use chessdb_query::endings::{EndingSource, ending};
///
/// let game = Game::builder().result(Outcome::WhiteWins).tag("Termination", "Time forfeit");
/// assert_eq!(ending(&game.build()), Some(("time", EndingSource::Termination)));
/// ```
pub fn ending(game: &Game) -> Option<(&'static str, EndingSource)> {
    const ORDER: [Ending; 13] = [
        Ending::Mate,
        Ending::Stalemate,
        Ending::Time,
        Ending::Adjudicated,
        Ending::Abandoned,
        Ending::Illegal,
        Ending::Infraction,
        Ending::Forfeit,
        Ending::Repetition,
        Ending::Fifty,
        Ending::Insufficient,
        Ending::Resigned,
        Ending::Agreed,
    ];
    let evidence = EndingEvidence::new(game);
    let mut fitting = ORDER.into_iter().filter_map(|ending| {
        // A player may resign in a position that has occurred three times.
        let is_possible = ending == Ending::Stalemate
            || !DRAWS_BY_RULE.contains(&ending)
            || game.result() == Outcome::Draw;
        let source = evidence.source(ending).filter(|_| is_possible)?;
        let (name, _) = NAMES.iter().find(|(_, one)| *one == ending)?;
        Some((*name, source))
    });
    fitting.next()
}

/// Returns the side that lost on time. Known if the source names the player or the colour, or if
/// the source states that time was up and only one of the last clocks shows no time.
pub fn fallen_flag(game: &Game) -> Option<Color> {
    let stated = StatedReason::from_game(game)?;
    if stated.0 != TIME {
        return None;
    }
    let text = game.tag("Termination").into_iter().map(Cow::into_owned);
    let named = text
        .chain(last_comment(game))
        .find_map(|text| loser_on_time(game, &text));
    named.or_else(|| match last_clocks(game) {
        [Some(0), Some(1..)] => Some(Color::White),
        [Some(1..), Some(0)] => Some(Color::Black),
        _ => None,
    })
}

/// Phrases between a player or colour and the end of a text, and whether that player won.
const ON_TIME: [(&str, bool); 6] = [
    ("forfeits on time", false),
    ("loses on time", false),
    ("lost on time", false),
    ("ran out of time", false),
    ("wins on time", true),
    ("won on time", true),
];

/// Returns the loser that a text such as `White forfeits on time` names.
fn loser_on_time(game: &Game, text: &str) -> Option<Color> {
    let lower = text.trim().trim_end_matches('.').to_lowercase();
    let (name, has_won) = ON_TIME
        .iter()
        .find_map(|(phrase, has_won)| Some((lower.strip_suffix(phrase)?.trim(), *has_won)))?;
    let names = [(game.white(), "white"), (game.black(), "black")];
    let is_named = names.map(|(player, color)| name == color || name == player.to_lowercase());
    let side = match is_named {
        [true, false] => Color::White,
        [false, true] => Color::Black,
        _ => return None,
    };
    Some(if has_won { side.other() } else { side })
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
    fn from_game(game: &Game) -> Option<(StatedReason, EndingSource)> {
        let tag = game.tag("Termination");
        if let Some(reason) = tag.and_then(|text| StatedReason::from_tag(&text)) {
            return Some((reason, EndingSource::Termination));
        }
        let reason = StatedReason::from_comment(&last_comment(game)?)?;
        Some((reason, EndingSource::Comment))
    }
}

/// Returns whether the source states that the time of a player was up. The only judgement of that:
/// `ending:time` and the statistics of clocks agree.
pub(crate) fn is_on_time(game: &Game) -> bool {
    StatedReason::from_game(game).is_some_and(|(reason, _)| reason == TIME)
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
    /// Reads a name of [`NAMES`], or the noun for it.
    pub(crate) fn read(text: &str) -> Result<Ending, Fault> {
        let name = text.to_ascii_lowercase();
        let name = match name.as_str() {
            "checkmate" => "mate",
            "resignation" => "resigned",
            "agreement" => "agreed",
            "timeout" | "flag" => "time",
            "adjudication" => "adjudicated",
            name => name,
        };
        let ending = NAMES.iter().find(|(entry, _)| *entry == name);
        ending.map(|&(_, ending)| ending).ok_or_else(|| {
            let names = NAMES.map(|(name, _)| name).join(", ");
            Fault::from(format!("the endings are {names}"))
        })
    }

    /// Returns whether a game ended in one of these ways.
    pub(crate) fn any_fits(endings: &[Ending], game: &Game) -> bool {
        let evidence = EndingEvidence::new(game);
        endings
            .iter()
            .any(|&ending| evidence.source(ending).is_some())
    }
}

/// The evidence for the end of a game, read when it is needed.
struct EndingEvidence<'g> {
    game: &'g Game,
    stated: Option<(StatedReason, EndingSource)>,
    /// Computed when needed: only some endings need the positions.
    position: OnceCell<Option<FinalPosition>>,
}

impl EndingEvidence<'_> {
    fn new(game: &Game) -> EndingEvidence<'_> {
        EndingEvidence {
            game,
            stated: StatedReason::from_game(game),
            position: OnceCell::new(),
        }
    }

    /// Returns the evidence that the game ended in this way.
    fn source(&self, ending: Ending) -> Option<EndingSource> {
        let game = self.game;
        let stated = || {
            let (reason, source) = self.stated?;
            (reason == StatedReason::Ending(ending)).then_some(source)
        };
        let is_by_rule = |ending| {
            let position = self.position.get_or_init(|| FinalPosition::new(game));
            position.as_ref().is_some_and(|end| end.fits(ending))
        };
        let by_rule = |ending| is_by_rule(ending).then_some(EndingSource::Board);
        // Few sources state a resignation or an agreement, so they are presumed without any other
        // reason.
        let stated_or_presumed = || {
            let is_presumed = self.stated.is_none() && game.mainline().next().is_some();
            stated().or(is_presumed.then_some(EndingSource::Presumed))
        };
        match ending {
            Ending::Time
            | Ending::Adjudicated
            | Ending::Abandoned
            | Ending::Illegal
            | Ending::Infraction
            | Ending::Forfeit => stated(),
            Ending::Insufficient => {
                let is_draw = game.result() == Outcome::Draw;
                by_rule(ending).or_else(|| stated().filter(|_| is_draw))
            }
            Ending::Resigned => stated_or_presumed().filter(|_| {
                matches!(game.result(), Outcome::WhiteWins | Outcome::BlackWins)
                    && !is_by_rule(Ending::Mate)
                    && !is_by_rule(Ending::Stalemate)
            }),
            Ending::Agreed => stated_or_presumed().filter(|_| {
                game.result() == Outcome::Draw && !DRAWS_BY_RULE.into_iter().any(is_by_rule)
            }),
            ending => by_rule(ending),
        }
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
pub(crate) fn same_moves(board: &Board) -> Board {
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
