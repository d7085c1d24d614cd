//! What is said at a move, kept until the next one comes: only then is it known what of it is an
//! annotation, what is a text, and in front of which move that stands.
//!
//! The annotations of a move have one form, so that writing what was read gives the same bytes: symbols,
//! commands, texts. Commands that begin the first text are annotations, unless they are all of it and
//! another text follows, from which only their own text keeps them apart.

use chessdb_core::{Game, LossKind, Place, TextId, Token};

use super::encode::Here;
use super::notes::{NotesOut, Zone, about};
use crate::text::{Change, Encoder};

/// The remarks at the last moves of all open lines, those of the innermost last.
pub(super) struct Remarks<'p, 'g> {
    notes: &'p mut NotesOut,
    texts: &'p Encoder,
    nags: Vec<u8>,
    commands: Vec<Token<'g>>,
    /// Where the commands begin that no remark has yet.
    run: usize,
    list: Vec<Remark>,
    /// The remarks before this one were marked as moved by a variation where they wait.
    interrupted: usize,
    /// Commands of several remarks that become one.
    joined: Vec<Token<'g>>,
}

/// Where the remarks of a line begin.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Spot {
    nags: usize,
    commands: usize,
    list: usize,
}

/// Commands, and the comment that they stand before.
#[derive(Clone, Copy, Debug)]
struct Remark {
    commands: (usize, usize),
    /// A comment that says something.
    words: Option<TextId>,
    /// Whether a comment that says nothing keeps the commands apart from what follows.
    is_mark: bool,
    /// Where it stands: at the game's start what is said about it may put it before the first move.
    zone: Zone,
    /// Whether it waits for the next move.
    waits: bool,
    /// Whether a text is stored elsewhere than where it came.
    moved: bool,
    /// Whether it waits for the next move, or one before it at the same place does.
    follows_waiting: bool,
}

/// What became of the next move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// It is this one.
    Move(u32),
    /// There is none.
    None,
}

impl<'p, 'g> Remarks<'p, 'g> {
    pub(super) fn new(notes: &'p mut NotesOut, texts: &'p Encoder) -> Remarks<'p, 'g> {
        Remarks {
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

    /// Where those of a new line begin.
    pub(super) fn spot(&self) -> Spot {
        Spot {
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

    /// Whether there are commands that no remark has yet.
    #[inline]
    pub(super) fn is_running(&self) -> bool {
        self.run < self.commands.len()
    }

    /// The commands that no remark has yet.
    pub(super) fn running(&self) -> &[Token<'g>] {
        self.commands.get(self.run..).unwrap_or_default()
    }

    /// The commands that came since the last remark, and the comment behind them.
    pub(super) fn end_run(
        &mut self,
        spot: Spot,
        zone: Zone,
        comment: Option<(Place, TextId)>,
        game: &Game,
    ) {
        let (start, end) = (self.run, self.commands.len());
        self.run = end;
        let words = comment.map(|(_, id)| id);
        let words = words.filter(|id| !game.text(*id).is_empty());
        if start == end && words.is_none() {
            return;
        }
        let mut remark = Remark {
            commands: (start, end),
            words,
            is_mark: matches!(comment, Some((_, TextId::NONE))),
            zone,
            waits: zone == Zone::Next,
            moved: comment.is_some_and(|(place, _)| place != zone.usual()),
            follows_waiting: self
                .list
                .get(spot.list..)
                .and_then(<[Remark]>::last)
                .is_some_and(|last| last.follows_waiting),
        };
        let before_move = |command: &Token<'_>| {
            let about = about(zone, *command);
            about.is_some_and(|(_, about, _)| about == Zone::Next)
        };
        if !remark.waits && words.is_some() {
            let run = self.commands.get(start..end).unwrap_or_default();
            if let Some(at) = run.iter().position(before_move) {
                if at > 0 {
                    self.list.push(Remark {
                        commands: (start, start + at),
                        words: None,
                        is_mark: false,
                        ..remark
                    });
                }
                remark.commands.0 = start + at;
                remark.waits = true;
            }
        }
        remark.moved |= !remark.waits && remark.follows_waiting;
        remark.follows_waiting |= remark.waits;
        self.list.push(remark);
    }

    /// A variation stands between what waits and the next move.
    pub(super) fn interrupt(&mut self, spot: Spot) {
        let from = self.interrupted.max(spot.list);
        let here = self.list.get_mut(from..).unwrap_or_default();
        here.iter_mut()
            .filter(|remark| remark.waits)
            .for_each(|remark| remark.moved = true);
        self.interrupted = self.list.len();
    }

    /// Whether a line has any.
    #[inline]
    pub(super) fn is_empty(&self, spot: Spot) -> bool {
        self.list.len() <= spot.list && self.nags.len() <= spot.nags
    }

    /// Writes those of a line: at the move that came last or the game, and before the next one. Without
    /// either they are lost.
    pub(super) fn write(
        &mut self,
        spot: Spot,
        at: Option<Zone>,
        next: Next,
        out: &mut Here<'_, 'g>,
    ) {
        if let Some(zone) = at {
            let nags = self.nags.get(spot.nags..).unwrap_or_default();
            nags.iter().for_each(|nag| self.notes.nag(zone, *nag));
            self.write_behind(spot, zone, next == Next::None, out);
        }
        if let Next::Move(node) = next {
            for n in spot.list..self.list.len() {
                if let Some(remark) = self.list.get(n).copied().filter(|remark| remark.waits) {
                    let note = self.put(&remark, remark.commands, remark.zone, out);
                    self.notes.before(note, node);
                }
            }
        }
        self.nags.truncate(spot.nags);
        self.commands.truncate(spot.commands);
        self.list.truncate(spot.list);
        self.interrupted = self.interrupted.min(spot.list);
        self.run = self.commands.len();
    }

    /// Writes what stands at a move or at the game, and, if no move comes, what waits for one behind it.
    fn write_behind(&mut self, spot: Spot, zone: Zone, all: bool, out: &mut Here<'_, 'g>) {
        let first_note = self.notes.len();
        let mut has_text = false;
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
                let is_last = match waiting {
                    true => later.iter().all(|other| !other.waits),
                    false => {
                        let here = self.list.get(spot.list..).unwrap_or_default();
                        later.iter().all(|other| other.waits)
                            && !(all && here.iter().any(|other| other.waits))
                    }
                };
                let (mut start, end) = remark.commands;
                let is_alone = remark.words.is_none();
                // What waited is a text of its own.
                let stays = is_alone && (remark.is_mark || waiting) && !is_last;
                if !has_text && !stays {
                    while start < end
                        && let Some(command) = self.commands.get(start)
                        && self.notes.command(zone, *command)
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
                    // The first text is commands alone, and another one follows.
                    self.notes.truncate(first_note);
                    self.join(spot, n, waiting);
                    self.put_joined(zone, &remark, out);
                } else {
                    self.put_behind(&remark, (start, end), zone, out);
                }
                has_text = true;
            }
        }
    }

    /// Collects the commands of all remarks up to this one, in their order.
    fn join(&mut self, spot: Spot, last: usize, waiting: bool) {
        self.joined.clear();
        let list = self.list.get(spot.list..).unwrap_or_default();
        let up_to = self.list.get(spot.list..=last).unwrap_or_default();
        let behind = if waiting { list } else { up_to };
        let behind = behind.iter().filter(|remark| !remark.waits);
        let waited = up_to.iter().filter(|remark| remark.waits && waiting);
        for remark in behind.chain(waited) {
            let (start, end) = remark.commands;
            let commands = self.commands.get(start..end).unwrap_or_default();
            self.joined.extend_from_slice(commands);
        }
    }

    fn put_joined(&mut self, zone: Zone, remark: &Remark, out: &mut Here<'_, 'g>) {
        let put = self
            .notes
            .text(zone, &self.joined, None, out.game, self.texts);
        count(put.change, out);
        if remark.moved {
            out.lose(LossKind::CommentMoved);
        }
    }

    /// A text at a move or at the game.
    fn put_behind(
        &mut self,
        remark: &Remark,
        commands: (usize, usize),
        zone: Zone,
        out: &mut Here<'_, 'g>,
    ) {
        if !remark.waits {
            self.put(remark, commands, zone, out);
            return;
        }
        let first = self.commands.get(commands.0..commands.1);
        let first = first.and_then(|commands| commands.first());
        let about = first.and_then(|first| about(remark.zone, *first));
        match (zone, about.filter(|_| remark.words.is_some())) {
            (Zone::Move(node), Some(_)) => {
                // What the page says of a text before a move it does not say behind one.
                out.lose(LossKind::GameExtra);
                let note = self.put(remark, commands, remark.zone, out);
                self.notes.behind(note, node);
            }
            (_, Some(_)) => {
                out.lose(LossKind::GameExtra);
                let note = self.put(remark, commands, remark.zone, out);
                self.notes.of_game(note);
            }
            (_, None) => {
                self.put(remark, commands, zone, out);
            }
        }
    }

    /// A text of commands and words; its number.
    fn put(
        &mut self,
        remark: &Remark,
        (start, end): (usize, usize),
        zone: Zone,
        out: &mut Here<'_, 'g>,
    ) -> usize {
        let commands = self.commands.get(start..end).unwrap_or_default();
        let text = remark.words.map(|id| out.game.text(id));
        let put = self.notes.text(zone, commands, text, out.game, self.texts);
        count(put.change, out);
        if remark.moved {
            out.lose(LossKind::CommentMoved);
        }
        put.note
    }
}

/// Counts what a text lost.
fn count(change: Change, out: &mut Here<'_, '_>) {
    if change.text {
        out.lose(LossKind::CommentText);
    }
    if change.cut {
        out.lose(LossKind::CommentCut);
    }
}
