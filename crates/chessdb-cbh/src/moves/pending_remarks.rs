//! The remarks at a move, kept until the next move comes. Only then is it known which of them are
//! annotations, which are texts, and which move a text precedes.
//!
//! The annotations of a move have a canonical order, so that rewriting gives the same bytes:
//! symbols, commands, texts. Commands at the start of the first text are annotations. The exception
//! is a text that consists only of commands and is followed by another text: the two could not be
//! distinguished otherwise.

use chessdb_core::loss::TextLoss;
use chessdb_core::model::{Place, Token};
use chessdb_core::text::TextId;
use chessdb_core::{Game, LossKind};

use super::annotation_builder::{AnnotationBuilder, NoteTarget, about};
use super::encode::CbhOut;
use crate::text::TextEncoder;

/// The remarks at the last moves of all open lines, with the innermost line last.
pub(super) struct PendingRemarks<'p, 'g> {
    notes: &'p mut AnnotationBuilder,
    texts: &'p TextEncoder,
    nags: Vec<u8>,
    commands: Vec<Token<'g>>,
    /// The index of the first command that is not part of a remark yet.
    run: usize,
    list: Vec<Remark>,
    /// The number of remarks already marked as moved by a variation, if they wait.
    interrupted: usize,
    /// The commands of several remarks that become one.
    joined: Vec<Token<'g>>,
}

/// The start of a line's remarks.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct RemarkStart {
    nags: usize,
    commands: usize,
    list: usize,
}

/// A run of commands and the comment that follows it.
#[derive(Clone, Copy, Debug)]
struct Remark {
    commands: (usize, usize),
    /// The comment, if it has content.
    words: Option<TextId>,
    /// True if an empty comment separates the commands from what follows.
    is_mark: bool,
    /// The target of the remark. At the start of the game its first command may assign it to the
    /// first move.
    target: NoteTarget,
    /// True if it waits for the next move.
    waits: bool,
    /// True if the text is stored at another place than its original one.
    moved: bool,
    /// True if this remark or an earlier one at the same place waits for the next move.
    follows_waiting: bool,
}

/// The next move of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NextMove {
    /// The move with this node.
    Move(u32),
    /// There is no further move.
    None,
}

impl<'p, 'g> PendingRemarks<'p, 'g> {
    pub(super) fn new(
        notes: &'p mut AnnotationBuilder,
        texts: &'p TextEncoder,
    ) -> PendingRemarks<'p, 'g> {
        PendingRemarks {
            notes,
            texts,
            nags: Vec::new(),
            commands: Vec::new(),
            run: 0,
            list: Vec::new(),
            interrupted: 0,
            joined: Vec::new(),
        }
    }

    /// Returns the start of a new line's remarks.
    pub(super) fn spot(&self) -> RemarkStart {
        RemarkStart {
            nags: self.nags.len(),
            commands: self.commands.len(),
            list: self.list.len(),
        }
    }

    pub(super) fn nag(&mut self, nag: u8) {
        self.nags.push(nag);
    }

    pub(super) fn command(&mut self, command: Token<'g>) {
        self.commands.push(command);
    }

    /// Returns true if there are commands that are not part of a remark yet.
    #[inline]
    pub(super) fn is_running(&self) -> bool {
        self.run < self.commands.len()
    }

    /// Returns the commands that are not part of a remark yet.
    pub(super) fn running(&self) -> &[Token<'g>] {
        self.commands.get(self.run..).unwrap_or_default()
    }

    /// Creates a remark from the commands since the last one and the comment that follows them.
    pub(super) fn end_run(
        &mut self,
        spot: RemarkStart,
        target: NoteTarget,
        comment: Option<(Place, TextId)>,
        game: &Game,
    ) {
        let (start, end) = (self.run, self.commands.len());
        self.run = end;
        let id = comment.map(|(_, id)| id);
        let words = id.filter(|id| !game.text(*id).is_empty());
        if start == end && words.is_none() {
            return;
        }
        let mut remark = Remark {
            commands: (start, end),
            words,
            is_mark: matches!(comment, Some((_, TextId::NONE))),
            target,
            waits: target == NoteTarget::Next,
            moved: comment.is_some_and(|(place, _)| place != target.usual()),
            follows_waiting: self
                .list
                .get(spot.list..)
                .and_then(<[Remark]>::last)
                .is_some_and(|last| last.follows_waiting),
        };
        let before_move = |command: &Token<'_>| {
            about(target, *command).is_some_and(|(_, owner, _)| owner == NoteTarget::Next)
        };
        // At the start of the game a command may assign the text to the first move. Commands before
        // it stay at the game.
        if !remark.waits && words.is_some() {
            let run = self.commands.get(start..end).unwrap_or_default();
            if let Some(first) = run.iter().position(before_move) {
                if first > 0 {
                    self.list.push(Remark {
                        commands: (start, start + first),
                        words: None,
                        is_mark: false,
                        ..remark
                    });
                }
                remark.commands.0 = start + first;
                remark.waits = true;
            }
        }
        // Texts of the last move are written before waiting ones, so a text after these changes its
        // place.
        remark.moved |= !remark.waits && remark.follows_waiting;
        remark.follows_waiting |= remark.waits;
        self.list.push(remark);
    }

    /// Marks the waiting remarks as moved, because a variation separates them from the next move.
    pub(super) fn interrupt(&mut self, spot: RemarkStart) {
        let from = self.interrupted.max(spot.list);
        let pending = self.list.get_mut(from..).unwrap_or_default();
        pending
            .iter_mut()
            .filter(|remark| remark.waits)
            .for_each(|remark| remark.moved = true);
        self.interrupted = self.list.len();
    }

    /// Returns true if a line has no remarks.
    #[inline]
    pub(super) fn is_empty(&self, spot: RemarkStart) -> bool {
        self.list.len() <= spot.list && self.nags.len() <= spot.nags
    }

    /// Writes the remarks of a line: at the last move or the game, and before the next move.
    /// Without either they are lost.
    pub(super) fn write(
        &mut self,
        spot: RemarkStart,
        last: Option<NoteTarget>,
        next: NextMove,
        out: &mut CbhOut<'_, 'g>,
    ) {
        if let Some(target) = last {
            let nags = self.nags.get(spot.nags..).unwrap_or_default();
            nags.iter().for_each(|nag| self.notes.nag(target, *nag));
            self.write_after(spot, target, next == NextMove::None, out);
        }
        if let NextMove::Move(node) = next {
            for n in spot.list..self.list.len() {
                if let Some(remark) = self.list.get(n).copied().filter(|remark| remark.waits) {
                    let note = self.put(&remark, remark.commands, remark.target, out);
                    self.notes.attach_before(note, node);
                }
            }
        }
        self.nags.truncate(spot.nags);
        self.commands.truncate(spot.commands);
        self.list.truncate(spot.list);
        self.interrupted = self.interrupted.min(spot.list);
        self.run = self.commands.len();
    }

    /// Writes the remarks at a move or at the game and, if `all` is set, the remarks that wait for
    /// a further move.
    fn write_after(
        &mut self,
        spot: RemarkStart,
        target: NoteTarget,
        all: bool,
        out: &mut CbhOut<'_, 'g>,
    ) {
        let first_note = self.notes.len();
        let mut has_text = false;
        // Texts that waited in vain come after the texts of the last move.
        for waiting in [false, true] {
            if waiting && !all {
                break;
            }
            for n in spot.list..self.list.len() {
                let Some(mut remark) = self.list.get(n).copied() else {
                    continue;
                };
                if remark.waits != waiting {
                    continue;
                }
                remark.moved |= waiting;
                let later = self.list.get(n + 1..).unwrap_or_default();
                let is_last = if waiting {
                    later.iter().all(|other| !other.waits)
                } else {
                    let remarks = self.list.get(spot.list..).unwrap_or_default();
                    later.iter().all(|other| other.waits)
                        && !(all && remarks.iter().any(|other| other.waits))
                };
                let (mut start, end) = remark.commands;
                let is_alone = remark.words.is_none();
                // A remark that waited is a separate text.
                let stays = is_alone && (remark.is_mark || waiting) && !is_last;
                if !has_text && !stays {
                    while start < end
                        && let Some(command) = self.commands.get(start)
                        && self.notes.command(target, *command)
                    {
                        start += 1;
                    }
                    if start == end && is_alone {
                        if waiting {
                            out.lose(LossKind::CommentMoved);
                        }
                        continue;
                    }
                }
                if !has_text && is_alone && !is_last {
                    // The first text consists only of commands, and another text follows.
                    self.notes.truncate(first_note);
                    self.join(spot, n, waiting);
                    self.put_joined(target, &remark, out);
                } else {
                    self.put_after(&remark, (start, end), target, out);
                }
                has_text = true;
            }
        }
    }

    /// Collects the commands of all remarks up to this one, in their order.
    fn join(&mut self, spot: RemarkStart, last: usize, waiting: bool) {
        self.joined.clear();
        let list = self.list.get(spot.list..).unwrap_or_default();
        let up_to = self.list.get(spot.list..=last).unwrap_or_default();
        let candidates = if waiting { list } else { up_to };
        let first = candidates.iter().filter(|remark| !remark.waits);
        let waited = up_to.iter().filter(|remark| remark.waits && waiting);
        for remark in first.chain(waited) {
            let (start, end) = remark.commands;
            let commands = self.commands.get(start..end).unwrap_or_default();
            self.joined.extend_from_slice(commands);
        }
    }

    fn put_joined(&mut self, target: NoteTarget, remark: &Remark, out: &mut CbhOut<'_, 'g>) {
        let put = self
            .notes
            .text(target, &self.joined, None, out.game, self.texts);
        count(put.change, out);
        if remark.moved {
            out.lose(LossKind::CommentMoved);
        }
    }

    /// Writes a text at a move or at the game.
    fn put_after(
        &mut self,
        remark: &Remark,
        commands: (usize, usize),
        target: NoteTarget,
        out: &mut CbhOut<'_, 'g>,
    ) {
        if !remark.waits {
            self.put(remark, commands, target, out);
            return;
        }
        let run = self.commands.get(commands.0..commands.1);
        let first = run.and_then(|commands| commands.first());
        let about = first.and_then(|first| about(remark.target, *first));
        match (target, about.filter(|_| remark.words.is_some())) {
            (NoteTarget::Move(node), Some(_)) => {
                // The extra describes a text before a move and does not apply to one after a move.
                out.lose(LossKind::GameExtra);
                let note = self.put(remark, commands, remark.target, out);
                self.notes.attach_after(note, node);
            }
            (_, Some(_)) => {
                out.lose(LossKind::GameExtra);
                let note = self.put(remark, commands, remark.target, out);
                self.notes.attach_to_game(note);
            }
            (_, None) => {
                self.put(remark, commands, target, out);
            }
        }
    }

    /// Writes a text of commands and words. Returns the index of its annotation.
    fn put(
        &mut self,
        remark: &Remark,
        (start, end): (usize, usize),
        target: NoteTarget,
        out: &mut CbhOut<'_, 'g>,
    ) -> usize {
        let commands = self.commands.get(start..end).unwrap_or_default();
        let text = remark.words.map(|id| out.game.text(id));
        let put = self
            .notes
            .text(target, commands, text, out.game, self.texts);
        count(put.change, out);
        if remark.moved {
            out.lose(LossKind::CommentMoved);
        }
        put.note
    }
}

/// Counts the losses of a text.
fn count(change: TextLoss, out: &mut CbhOut<'_, '_>) {
    if change.replaced {
        out.lose(LossKind::CommentText);
    }
    if change.cut {
        out.lose(LossKind::CommentCut);
    }
}
