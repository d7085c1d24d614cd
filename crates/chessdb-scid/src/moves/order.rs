//! SCID's order of annotations: after a move its NAGs, its comment, its variations (section 4.3).

use chessdb_core::model::{Place, Token};
use chessdb_core::text::Texts;
use chessdb_core::{Event, Game, LossKind, Losses};

/// The last kind of annotation seen after a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Nags,
    /// Commands. A text may follow that belongs to the same comment.
    Commands,
    Comment,
    Variations,
}

/// Returns whether a game's annotations are already in SCID's order, as nearly all are.
pub(super) fn is_in_order(game: &Game) -> bool {
    if game.moves.len() == game.moves.plies() as usize {
        return true; // Only moves.
    }
    let mut stage = Stage::Nags;
    let mut line_start = true;
    let mut tokens = game.moves.tokens();
    loop {
        // Moves come in runs.
        while tokens.next_move().is_some() {
            stage = Stage::Nags;
            line_start = false;
        }
        let Some(token) = tokens.next() else {
            return true;
        };
        if matches!(token, Token::Comment(_, id) if id.is_none()) && stage != Stage::Commands {
            continue; // It ends no commands, so it has no effect.
        }
        match token.event(&game.texts) {
            Event::Open(_) => {
                stage = Stage::Nags;
                line_start = true;
            }
            Event::Close => {
                stage = Stage::Variations;
                line_start = false;
            }
            Event::Nag(_) => {
                if stage > Stage::Nags {
                    return false;
                }
            }
            Event::Comment(place, _) => {
                if stage > Stage::Commands || place == Place::Before && !line_start {
                    return false;
                }
                stage = Stage::Comment;
            }
            event if event.is_command() => {
                if stage > Stage::Commands {
                    return false;
                }
                stage = Stage::Commands;
            }
            _ => {
                if stage == Stage::Commands {
                    stage = Stage::Comment;
                }
            }
        }
    }
}

/// An annotation that is written at another place than in the source.
struct Note {
    /// The token that it is written after: its move, or the start of its line (0: the game, `n +
    /// 1`: token `n`).
    owner: usize,
    is_comment: bool,
    token: usize,
}

/// An open line.
struct OpenLine {
    owner: usize,
    stage: Stage,
    has_comment: bool,
    /// Whether a text may follow that belongs to the preceding commands.
    in_run: bool,
    start: bool,
}

impl OpenLine {
    fn new() -> OpenLine {
        OpenLine {
            owner: 0,
            stage: Stage::Nags,
            has_comment: false,
            in_run: false,
            start: true,
        }
    }
}

/// Returns the tokens in SCID's order. Counts as losses the annotations that were moved or joined.
pub(super) fn in_order<'g>(game: &'g Game, losses: &mut Losses) -> Vec<Token<'g>> {
    let tokens: Vec<Token<'g>> = game.moves.tokens().collect();
    let mut moved = notes(&tokens, &game.texts, losses);
    // Of one owner, NAGs precede comments, and each kind keeps the order of the source.
    moved.sort_by_key(|note| (note.owner, note.is_comment, note.token));
    let mut notes = moved.into_iter().peekable();
    let mut ordered = Vec::with_capacity(tokens.len());
    for owner in 0..=tokens.len() {
        let token = owner.checked_sub(1).and_then(|n| tokens.get(n));
        if let Some(token) = token
            && !is_note(&token.event(&game.texts))
        {
            ordered.push(*token);
        }
        while let Some(note) = notes.next_if(|note| note.owner == owner) {
            ordered.extend(tokens.get(note.token));
        }
    }
    ordered
}

fn is_note(event: &Event<'_>) -> bool {
    matches!(event, Event::Nag(_) | Event::Comment(..)) || event.is_command()
}

fn notes(tokens: &[Token<'_>], texts: &Texts, losses: &mut Losses) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut line = OpenLine::new();
    let mut open = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        if matches!(token, Token::Comment(_, id) if id.is_none()) && !line.in_run {
            continue; // It ends no commands, so it has no effect.
        }
        match &token.event(texts) {
            Event::Move(_) => {
                line = OpenLine {
                    owner: n + 1,
                    start: false,
                    ..OpenLine::new()
                }
            }
            Event::Open(_) => {
                line.stage = Stage::Variations;
                line.in_run = false;
                open.push(std::mem::replace(
                    &mut line,
                    OpenLine {
                        owner: n + 1,
                        ..OpenLine::new()
                    },
                ));
            }
            Event::Close => line = open.pop().unwrap_or_else(OpenLine::new),
            Event::Nag(_) => {
                losses.add_if(LossKind::NagMoved, line.stage > Stage::Nags);
                line.in_run = false;
                notes.push(Note {
                    owner: line.owner,
                    is_comment: false,
                    token: n,
                });
            }
            event if matches!(event, Event::Comment(..)) || event.is_command() => {
                line.comment(event, losses);
                notes.push(Note {
                    owner: line.owner,
                    is_comment: true,
                    token: n,
                });
            }
            _ => line.in_run = false,
        }
    }
    notes
}

impl OpenLine {
    /// Counts the loss for a comment, or for a command that begins one.
    fn comment(&mut self, event: &Event<'_>, losses: &mut Losses) {
        let is_text = matches!(event, Event::Comment(..));
        let misplaced = matches!(event, Event::Comment(Place::Before, _)) && !self.start;
        let begins = !self.in_run;
        let is_merged = begins && self.has_comment;
        let follows_variations = begins && self.stage == Stage::Variations;
        losses.add_if(LossKind::CommentMerged, is_merged);
        // A comment that is both joined and moved counts once, as joined.
        losses.add_if(
            LossKind::CommentMoved,
            follows_variations || misplaced && !is_merged,
        );
        self.has_comment = true;
        self.in_run = !is_text;
        self.stage = self.stage.max(Stage::Comment);
    }
}
