//! Differences of moves and annotations.

use std::fmt;

use super::{Difference, Differences, excuse};
use crate::board::MoveKind;
use crate::commands::render_command;
use crate::{Event, Game, LossKind, PackedMove, PieceType};

/// A game's moves and annotations, separated.
#[derive(Default)]
struct TapeParts {
    /// Moves, and the starts and ends of variations.
    skeleton: Vec<MoveToken>,
    /// Annotations: kind, number of skeleton entries before it, content.
    notes: Vec<(NoteKind, usize, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MoveToken {
    Move(PackedMove),
    Open,
    Close,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NoteKind {
    Nag,
    Comment,
    Clock,
    Eval,
    Shapes,
    Outcome,
    Fault,
    /// Data that only the source format understands, written as a command in comments.
    Command,
    /// Data that only the source format understands and that has no command.
    Extra,
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoteKind::Nag => "NAG",
            NoteKind::Comment => "comment",
            NoteKind::Clock => "clock",
            NoteKind::Eval => "evaluation",
            NoteKind::Shapes => "arrows and coloured squares",
            NoteKind::Outcome => "result within the moves",
            NoteKind::Fault => "text that is no move",
            NoteKind::Command => "command",
            NoteKind::Extra => "data of its own format",
        })
    }
}

impl NoteKind {
    const ALL: [NoteKind; 9] = [
        NoteKind::Nag,
        NoteKind::Comment,
        NoteKind::Clock,
        NoteKind::Eval,
        NoteKind::Shapes,
        NoteKind::Outcome,
        NoteKind::Fault,
        NoteKind::Command,
        NoteKind::Extra,
    ];

    /// Returns whether a format without a field for it writes it into comments.
    const fn is_command(self) -> bool {
        matches!(
            self,
            NoteKind::Clock | NoteKind::Eval | NoteKind::Shapes | NoteKind::Command
        )
    }

    /// Returns the kind of loss if an annotation of this kind is lost.
    fn kind(self) -> LossKind {
        match self {
            NoteKind::Nag => LossKind::Nag,
            NoteKind::Comment => LossKind::Comment,
            NoteKind::Clock => LossKind::Clock,
            NoteKind::Eval => LossKind::Eval,
            NoteKind::Shapes => LossKind::Shapes,
            NoteKind::Outcome => LossKind::MoveResult,
            NoteKind::Fault => LossKind::Fault,
            NoteKind::Command | NoteKind::Extra => LossKind::GameExtra,
        }
    }
}

impl TapeParts {
    fn new(game: &Game) -> TapeParts {
        let mut parts = TapeParts::default();
        for event in game.events() {
            let index = parts.skeleton.len();
            let (note, content) = match event {
                Event::Move(mv) => {
                    parts.skeleton.push(MoveToken::Move(mv));
                    continue;
                }
                Event::Open(_) => {
                    parts.skeleton.push(MoveToken::Open);
                    continue;
                }
                Event::Close => {
                    parts.skeleton.push(MoveToken::Close);
                    continue;
                }
                Event::Nag(nag) => (NoteKind::Nag, nag.to_string()),
                Event::Comment(place, text) => {
                    (NoteKind::Comment, format!("{place:?} {}", text.decode()))
                }
                Event::Clock(clock) => (NoteKind::Clock, format!("{clock:?}")),
                Event::Eval(eval) => (NoteKind::Eval, format!("{eval:?}")),
                Event::Shapes(shapes) => (NoteKind::Shapes, format!("{shapes:?}")),
                Event::Outcome(outcome) => (NoteKind::Outcome, format!("{outcome:?}")),
                Event::Fault(kind, text) => {
                    (NoteKind::Fault, format!("{kind:?} {}", text.decode()))
                }
                Event::Extra(extra) => {
                    let note = match event.command() {
                        Some(_) => NoteKind::Command,
                        None => NoteKind::Extra,
                    };
                    (note, format!("{extra:?}"))
                }
            };
            parts.notes.push((note, index, content));
        }
        parts
    }

    fn moves(&self) -> impl Iterator<Item = PackedMove> + '_ {
        self.skeleton.iter().filter_map(|token| match token {
            MoveToken::Move(mv) => Some(*mv),
            _ => None,
        })
    }

    fn count(&self, wanted: impl Fn(PackedMove) -> bool) -> usize {
        self.moves().filter(|&mv| wanted(mv)).count()
    }

    fn notes(&self, wanted: NoteKind) -> Vec<(usize, &str)> {
        self.notes
            .iter()
            .filter(|(note, ..)| *note == wanted)
            .map(|(_, index, content)| (*index, content.as_str()))
            .collect()
    }
}

pub(super) fn compare(before: &Game, after: &Game, differences: &mut Differences) {
    let (old, new) = (TapeParts::new(before), TapeParts::new(after));
    let lost_moves = skeleton(&old, &new, differences);
    // An annotation without a field in the target may come back as a comment.
    let count = |parts: &TapeParts, note| parts.notes(note).len();
    let gone = |note: &NoteKind| *note != NoteKind::Nag && count(&old, *note) > count(&new, *note);
    let mut reasons = lost_moves.clone();
    reasons.extend(NoteKind::ALL.into_iter().filter(gone).map(NoteKind::kind));
    let mut unequal = false;
    // A joined comment keeps the commands of its second part as text, and a format may store
    // commands that others do not recognise as such.
    let all_commands = commands(before) == commands(after);
    let moved_into_text = has_more_commands_in_texts(after, before);
    if moved_into_text {
        reasons.push(LossKind::CommentMerged);
    }
    for note in NoteKind::ALL {
        let reasons = match note {
            NoteKind::Comment => &reasons,
            _ => &lost_moves,
        };
        let is_command = note.is_command();
        if is_command && all_commands && old.notes(note) != new.notes(note) {
            let kinds = [LossKind::CommentMerged, LossKind::CommentMoved, note.kind()];
            let what = format!("{note} is in the text of a comment on one side only");
            let what = Difference::in_words(what, "", "");
            differences.excused(what, &kinds, excuse::COMMANDS);
            unequal = true;
            continue;
        }
        // A lost comment takes its commands with it, and a joined one makes them text.
        let with: &[LossKind] = if is_command && gone(&NoteKind::Comment) {
            &[LossKind::Comment, LossKind::CommentMerged]
        } else if is_command && moved_into_text {
            &[LossKind::CommentMerged]
        } else {
            &[]
        };
        let both = (old.notes(note), new.notes(note));
        unequal |= notes(note, (&both.0, &both.1), reasons, with, differences);
    }
    // Each kind of annotation is unchanged, but not their order relative to one another. If a kind
    // has changed, the order may have changed too.
    if old.notes != new.notes {
        let what = "order of NAGs, comments and commands at a move";
        let what = Difference::in_words(what, "", "");
        let kinds = [LossKind::NagMoved, LossKind::CommentMoved];
        if lost_moves.is_empty() && !unequal {
            differences.add(what, &kinds);
        } else {
            differences.excused(what, &kinds, excuse::ORDER);
        }
    }
}

/// Returns the number of commands, both real ones and those within the text of comments.
fn commands(game: &Game) -> usize {
    let mut text = Vec::new();
    for event in game.events() {
        match (event, event.command()) {
            (Event::Comment(_, comment), _) => text.extend_from_slice(comment.as_bytes()),
            (_, Some(command)) => render_command(&command, &mut text),
            _ => {}
        }
    }
    command_starts(&text)
}

/// Returns whether the texts of comments in `game` contain a command that those in `other` do not
/// have, or not as often.
fn has_more_commands_in_texts(game: &Game, other: &Game) -> bool {
    let own = commands_in_texts(game);
    if own.is_empty() {
        return false;
    }
    let mut remaining = commands_in_texts(other);
    own.iter().any(|command| {
        remaining
            .iter()
            .position(|candidate| candidate == command)
            .map(|index| remaining.swap_remove(index))
            .is_none()
    })
}

/// Returns the commands within the texts of comments.
fn commands_in_texts(game: &Game) -> Vec<Vec<u8>> {
    let mut commands = Vec::new();
    for event in game.events() {
        let Event::Comment(_, comment) = event else {
            continue;
        };
        let mut rest = comment.as_bytes();
        while let Some(start) = rest.windows(2).position(|start| start == b"[%") {
            let (_, command) = rest.split_at(start);
            let length = command
                .iter()
                .position(|&byte| byte == b']')
                .unwrap_or(command.len());
            let (command, after) = command.split_at(length);
            commands.push(command.to_vec());
            rest = after;
        }
    }
    commands
}

fn command_starts(text: &[u8]) -> usize {
    text.windows(2).filter(|start| start == b"[%").count()
}

/// Returns the kinds of loss that the moves show; empty if the moves are equal.
fn skeleton(old: &TapeParts, new: &TapeParts, differences: &mut Differences) -> Vec<LossKind> {
    use LossKind as L;
    if old.skeleton == new.skeleton {
        return Vec::new();
    }
    let moves = |parts: &TapeParts| parts.count(|_| true);
    let opens = |parts: &TapeParts| {
        parts
            .skeleton
            .iter()
            .filter(|token| **token == MoveToken::Open)
            .count()
    };
    let mut kinds = Vec::new();
    if moves(old) > moves(new) {
        kinds.extend([L::MovesCut, L::IllegalMove, L::UnnumberedPiece]);
    }
    if opens(old) > opens(new) {
        kinds.push(L::Variation);
    }
    if opens(old) > 0 {
        kinds.extend([L::VariationBeforeMove, L::VariationMoved, L::VariationMoves]);
    }
    let castling =
        |mv: PackedMove| matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong);
    if old.count(castling) > new.count(castling) {
        kinds.push(L::Chess960);
    }
    let null = |mv: PackedMove| mv.is_null();
    if old.count(null) > new.count(null) {
        kinds.push(L::NullMove);
    }
    let ghost = |mv: PackedMove| mv.kind() == MoveKind::GhostEnPassant;
    if old.count(ghost) > new.count(ghost) {
        kinds.push(L::GhostEnPassant);
    }
    let promotion = |mv: PackedMove| {
        mv.promotion()
            .is_some_and(|piece| piece != PieceType::Queen)
    };
    if old.count(promotion) > new.count(promotion) {
        kinds.push(L::Promotion);
    }
    let size = |parts: &TapeParts| format!("{} moves, {} variations", moves(parts), opens(parts));
    differences.add(Difference::in_words("moves", size(old), size(new)), &kinds);
    kinds
}

/// Positions and contents of the annotations of one kind.
type Notes<'n> = [(usize, &'n str)];

/// Compares the annotations of one kind and returns whether they differ.
fn notes(
    note: NoteKind,
    (old, new): (&Notes<'_>, &Notes<'_>),
    reasons: &[LossKind],
    with: &[LossKind],
    differences: &mut Differences,
) -> bool {
    use LossKind as L;
    let same_places = old == new;
    if same_places {
        return false;
    }
    let contents = |notes: &[(usize, &str)]| {
        let mut contents: Vec<_> = notes
            .iter()
            .map(|(_, content)| (*content).to_owned())
            .collect();
        // Sorted, so that `is_in` can bisect.
        contents.sort();
        contents
    };
    let (x, y) = (contents(old), contents(new));
    if x == y {
        // Lost moves shift every later position.
        if !reasons.is_empty() {
            return true;
        }
        let kinds: &[L] = match note {
            NoteKind::Nag => &[L::NagMoved],
            NoteKind::Comment => &[L::CommentMoved],
            // Commands move with their comments.
            _ => &[L::CommentMoved],
        };
        let what = format!("{note} moved");
        differences.add(Difference::in_words(what, "", ""), kinds);
        return true;
    }
    let is_in = |content: &String, list: &[String]| list.binary_search(content).is_ok();
    let mut kinds = Vec::new();
    if note == NoteKind::Comment && same_but_for_layout(old, new) {
        let what = Difference::in_words("blanks and line breaks in comments", "", "");
        differences.excused(what, &[L::CommentText, L::CommentLayout], excuse::LAYOUT);
        return true;
    }
    let fewer = x.len() > y.len();
    match note {
        NoteKind::Nag if fewer => kinds.extend([L::Nag, L::NagChanged, L::NagMoved]),
        NoteKind::Nag => kinds.extend([L::Nag, L::NagChanged]),
        NoteKind::Comment => comments(&x, &y, &mut kinds),
        NoteKind::Command | NoteKind::Extra if x.iter().all(|extra| is_in(extra, &y)) => {
            return true;
        }
        _ => kinds.push(note.kind()),
    }
    kinds.extend(reasons);
    kinds.extend(with);
    let side = |own: &[String], other: &[String]| {
        let first = own.iter().find(|content| !is_in(content, other));
        // The place of a comment precedes its text. Other annotations have no form for people.
        let first = first.filter(|_| matches!(note, NoteKind::Nag | NoteKind::Comment));
        let first = first.map(|first| {
            first
                .split_once(' ')
                .map_or(first.as_str(), |(_, text)| text)
        });
        let first = first.map_or(String::new(), |first| format!(", such as {first:?}"));
        format!("{}{first}", own.len())
    };
    let what = Difference::in_words(note.to_string(), side(&x, &y), side(&y, &x));
    differences.add(what, &kinds);
    true
}

/// Returns whether the comments have the same positions and the same words.
fn same_but_for_layout(old: &Notes<'_>, new: &Notes<'_>) -> bool {
    let same = |((index, x), (other_index, y)): (&(usize, &str), &(usize, &str))| {
        index == other_index && x.split_whitespace().eq(y.split_whitespace())
    };
    old.len() == new.len() && old.iter().zip(new).all(same)
}

fn comments(x: &[String], y: &[String], kinds: &mut Vec<LossKind>) {
    use LossKind as L;
    let size = |texts: &[String]| -> usize {
        texts
            .iter()
            .filter_map(|text| text.split_once(' '))
            .map(|(_, text)| text.chars().filter(|c| !c.is_whitespace()).count())
            .sum()
    };
    let (old, new) = (size(x), size(y));
    if x.len() > y.len() {
        kinds.push(L::CommentMerged);
    }
    if x.len() > y.len() || new < old {
        kinds.push(L::Comment);
    }
    if new < old {
        kinds.push(L::CommentCut);
    }
    kinds.extend([L::CommentText, L::CommentLayout]);
    // The place is part of the compared content.
    kinds.push(L::CommentMoved);
}
