//! Changes of single games of a database in place, for formats that support it.

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use chessdb_core::format::ChangeFn;
use chessdb_core::loss::Loss;
use chessdb_core::model::{Field, GameFlags};
use chessdb_core::options::Allow;
use chessdb_core::store::{ChangeGames, TextChange};
use chessdb_core::{
    ErrorKind, FileSet, Format, Game, GameStore, Losses, Scratch, Severity, WriteOptions,
};
use chessdb_database::reading::{GameSlot, Source};
use chessdb_database::{Database, index_change, read_in_order};
use chessdb_files::error::{Problem, Result, is_too_large_for_journal, target_error};
use chessdb_files::filesystem::{ChangedGame, DirSink, IndexedChange, KnownChanges};

use super::charset::detector_of;
use super::conversion::Failure;
use super::options::ConvertOptions;
use super::{GameRef, Observer, OnError, Report};

/// The largest number of games that are changed in place. More would take too much memory, so the
/// database is rewritten.
const MAX_CHANGES: u64 = 1 << 20;

impl ConvertOptions {
    /// Returns whether nothing but the observer changes the games.
    pub(super) fn only_observes(&self) -> bool {
        #[cfg(feature = "ascii")]
        if self.ascii {
            return false;
        }
        self.keeps_text
            && self.request.is_all()
            && !self.drop_deleted
            && self.on_error == OnError::Keep
            && self.encoding.is_none()
    }
}

/// Lets the observer change the games of the database `db`, which `sink` writes, and appends the games
/// of other stores, in time proportional to the changes. `None` if the database must be rewritten:
/// the format or the state of the files does not allow a change in place, or more than a mark of a
/// damaged game changes. The sink is then as before, and the observer was notified
/// ([`Observer::restart`]).
pub(super) fn change_games(
    sink: &mut DirSink,
    format: &'static Format,
    db: &Database,
    appended: &[&dyn GameStore],
    options: &mut ConvertOptions,
    observer: &mut dyn Observer,
) -> Result<Option<Report>> {
    let has_changes = observer.edits() || !appended.is_empty();
    let is_same = db.format().id == format.id;
    let is_changeable = options.only_observes() && has_changes && is_same;
    let Some(open) = format.change.filter(|_| is_changeable) else {
        return Ok(None);
    };
    let reopened = db.opened_for(format)?;
    let Source::Store(store) = db.games_for(format, reopened.as_ref())? else {
        return Ok(None);
    };
    let path = sink.path().to_owned();
    let failed = |error| target_error(error, Some(&path));
    if let Some(command) = &options.command {
        sink.record(command, None);
    }
    let mut last = 0;
    let mut changed = try_rename(sink, open, (db, store), options);
    if matches!(changed, Ok(None)) {
        sink.discard();
        let stores = (db, store, appended);
        changed = try_change(sink, open, stores, options, observer, &mut last);
    }
    if !matches!(&changed, Ok(Some(report)) if report.changed > Some(0)) {
        sink.discard();
    }
    match changed {
        Ok(Some(report)) => {
            if report.changed == Some(0) {
                let checked = sink.check_unchanged();
                checked.map_err(|error| failed(error.into()))?;
            }
            Ok(Some(report))
        }
        Ok(None) => {
            if last > 0 {
                options.last_observed = last;
                observer.restart();
            }
            Ok(None)
        }
        Err(Failure::Source(error)) => Err(error.with_path(db.path())),
        Err(Failure::Target(error)) => Err(failed(error)),
        Err(Failure::Interrupted) => Err(Problem::Interrupted.into()),
    }
}

/// Changes the games. `None` if the database must be rewritten; `last` is then the number of the last
/// game that the observer knows.
fn try_change(
    sink: &mut DirSink,
    open: ChangeFn,
    (db, store, appended): (&Database, &dyn GameStore, &[&dyn GameStore]),
    options: &ConvertOptions,
    observer: &mut dyn Observer,
    last: &mut u32,
) -> std::result::Result<Option<Report>, Failure> {
    let counter = sink.game_counter();
    let (known_changes, has_index) = (sink.changed_games(), sink.has_index());
    let Some(changer) = open(sink, change_options(db, store)).map_err(Failure::Target)? else {
        return Ok(None);
    };
    observer.source(0, db);
    let mut change = GameChange {
        changer,
        store,
        options,
        report: Report::default(),
        last,
        index: has_index.then(Vec::new),
        changes_letters: false,
        changed: 0,
        old: Game::default(),
        scratch: Scratch::default(),
    };
    if !change.run(observer)? {
        return Ok(None);
    }
    let mut games = u64::from(store.len());
    for added in appended {
        if !change.append(*added, observer)? {
            return Ok(None);
        }
        games += u64::from(added.len());
    }
    let GameChange {
        changer,
        mut report,
        index,
        changes_letters,
        changed,
        ..
    } = change;
    if report.is_refused() {
        return Ok(Some(report));
    }
    if changed > 0 {
        counter.store(changed, Ordering::Relaxed);
        *locked(&known_changes) = IndexedChange {
            games: index,
            changes_letters,
        };
        // The library of the format cannot write while it also reads.
        if let Some(reading) = db.files().and_then(FileSet::transaction) {
            reading.end();
        }
        if !finish(changer)? {
            return Ok(None);
        }
    }
    report.written = games;
    report.changed = Some(changed);
    Ok(Some(report))
}

/// Returns the description of a change, which only this thread uses.
pub(super) fn locked(known: &KnownChanges) -> MutexGuard<'_, IndexedChange> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the options for changing games of a database.
fn change_options(db: &Database, store: &dyn GameStore) -> WriteOptions {
    let mut options = WriteOptions::default().with_allowed(Allow::Everything);
    options.detector = Some(detector_of(db));
    options.games = Some(store.len());
    options.known_intact = db.reading().known_intact;
    options
}

/// Writes the changes. Returns false if the journal of so many changes would be too large.
fn finish(changer: Box<dyn ChangeGames + '_>) -> std::result::Result<bool, Failure> {
    match changer.finish() {
        Ok(()) => Ok(true),
        Err(error) if is_too_large_for_journal(&error) || is_busy(&error) => Ok(false),
        Err(error) => Err(Failure::Target(error)),
    }
}

/// Returns whether other programs read the files, so that they can only be replaced.
fn is_busy(error: &chessdb_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(cause) if cause.kind() == io::ErrorKind::ResourceBusy)
}

/// Renames the names that are all that the observer changes, without changing games. `None` if that
/// is not possible.
fn try_rename(
    sink: &mut DirSink,
    open: ChangeFn,
    (db, store): (&Database, &dyn GameStore),
    options: &ConvertOptions,
) -> std::result::Result<Option<Report>, Failure> {
    if options.renames.is_empty() {
        return Ok(None);
    }
    let counter = sink.game_counter();
    // An index contains no names.
    *locked(&sink.changed_games()) = IndexedChange {
        games: Some(Vec::new()),
        changes_letters: options
            .renames
            .iter()
            .any(|(_, old, new)| !old.is_ascii() || !new.is_ascii()),
    };
    let Some(mut changer) = open(sink, change_options(db, store)).map_err(Failure::Target)? else {
        return Ok(None);
    };
    for (role, old, new) in &options.renames {
        let renamed = changer.rename(*role, old, new);
        if renamed.map_err(Failure::Target)?.is_none() {
            return Ok(None);
        }
    }
    let games = u64::from(store.len());
    let edited = options.edited.as_ref();
    let changed = edited.map_or(games, |edited| edited.count_in(store.len()).into());
    counter.store(changed, Ordering::Relaxed);
    if !finish(changer)? {
        return Ok(None);
    }
    let mut report = Report::default();
    (report.read, report.written) = (games, games);
    report.changed = Some(changed);
    Ok(Some(report))
}

/// A change of games in progress.
struct GameChange<'c> {
    changer: Box<dyn ChangeGames + 'c>,
    store: &'c dyn GameStore,
    options: &'c ConvertOptions,
    report: Report,
    /// The number of the last game that the observer knows.
    last: &'c mut u32,
    /// What the index of the database must know about the changed games, if there is an index.
    index: Option<Vec<ChangedGame>>,
    /// Whether texts that are not ASCII are added or removed.
    changes_letters: bool,
    /// The number of changed games.
    changed: u64,
    /// The stored version of a changed game.
    old: Game,
    scratch: Scratch,
}

impl GameChange<'_> {
    /// Reads the games and changes them. Returns false if the database must be rewritten.
    fn run(&mut self, observer: &mut dyn Observer) -> std::result::Result<bool, Failure> {
        let mut request = self.options.request.clone();
        let jobs = self.options.jobs;
        request.jobs = jobs.unwrap_or_else(|| chessdb_database::threads(0));
        if let Some(edited) = &self.options.edited {
            request.selection = edited.clone();
        }
        let mut outcome = Ok(true);
        let diagnostics = read_in_order(Source::Store(self.store), &request, &mut |slot| {
            outcome = self.take(slot, observer);
            if matches!(outcome, Ok(true)) && observer.game(&self.report).is_break() {
                outcome = Err(Failure::Interrupted);
            }
            if matches!(outcome, Ok(true)) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        let diagnostics = diagnostics.map_err(Failure::Source)?;
        if matches!(outcome, Ok(true)) {
            for diagnostic in self.store.diagnostics().iter().chain(&diagnostics) {
                self.report.add_diagnostic(0, diagnostic);
                observer.diagnostic(0, diagnostic);
            }
        }
        outcome
    }

    /// Changes a game if the observer does. Returns false if the database must be rewritten.
    fn take(
        &mut self,
        slot: &mut GameSlot,
        observer: &mut dyn Observer,
    ) -> std::result::Result<bool, Failure> {
        let number = slot.game.number();
        let mut text = None;
        if let Some(replacement) = observer.replacement(number) {
            slot.error = None;
            slot.game.replace(replacement.game);
            text = replacement.text;
        }
        *self.last = number;
        self.report.read += 1;
        self.report.dropped_diagnostics += u64::from(slot.game.dropped_diagnostics());
        for diagnostic in slot.game.diagnostics() {
            self.report.add_diagnostic(0, diagnostic);
            observer.diagnostic(0, diagnostic);
        }
        if slot.error.is_none() {
            observer.edit(&mut slot.game);
        }
        let is_damaged = slot.error.is_some() || slot.game.is_damaged();
        if slot.error.is_some() || !slot.game.may_be_changed() {
            // Its bytes stay as they are.
            self.report.carried += u64::from(is_damaged);
            self.report.damaged_sources.extend(is_damaged.then_some(0));
            // A game that was asked for cannot be left out.
            return Ok(slot.error.is_none() || self.options.edited.is_none());
        }
        let n = slot.game.index();
        let read = self.read_old(self.store, n);
        let is_intact = matches!(read, Ok(true)) && !is_damaged;
        let is_text = self.store.stored_text(n).is_some();
        let (old, new) = (&self.old, &mut *slot.game);
        let is_unchanged = read.is_ok() && text.is_none() && *old == *new;
        let is_marked = read.is_ok() && text.is_none() && only_flags(old, new);
        // The moves of a damaged game cannot be written again, but a mark is stored apart from them.
        if !(is_intact || is_text || is_unchanged || is_marked) {
            return Ok(false);
        }
        self.report.carried += u64::from(is_damaged);
        self.report.damaged_sources.extend(is_damaged.then_some(0));
        if is_unchanged {
            return Ok(true);
        }
        self.changed += 1;
        if self.changed > MAX_CHANGES {
            return Ok(false);
        }
        self.changes_letters |= has_other_letters(old, new);
        if let Some(listed) = &mut self.index {
            // In a text file, another length moves the games after it.
            let has_offsets = self.store.details().game_offsets.is_some();
            let moved = || has_offsets.then(|| ChangedGame::moved(n));
            listed.extend(index_change(n, old, new).or_else(moved));
        }
        let changed = if is_text {
            let change = text
                .as_deref()
                .map_or(TextChange::Game(&*new), TextChange::Text);
            self.changer
                .change_text(self.store, n, old, change, is_damaged)
        } else if !self.changer.locate(n, self.store) {
            return Ok(false);
        } else if is_marked {
            let (old_flags, new_flags) = (old.header.flags, new.header.flags);
            match self.changer.set_flags(n, old_flags, new_flags) {
                Ok(None) if is_intact => self.changer.replace(n, old, new),
                marked => marked,
            }
        } else {
            self.changer.replace(n, old, new)
        };
        self.note_change(
            GameRef {
                source: 0,
                game: number,
            },
            changed,
            observer,
        )
    }

    /// Appends the games of a store. Returns false if the database must be rewritten.
    fn append(
        &mut self,
        store: &dyn GameStore,
        observer: &mut dyn Observer,
    ) -> std::result::Result<bool, Failure> {
        for n in 0..store.len() {
            self.report.read += 1;
            self.changed += 1;
            let is_intact = matches!(self.read_old(store, n), Ok(true));
            if self.changed > MAX_CHANGES || !is_intact {
                return Ok(false);
            }
            // The keys of another database would name other records.
            self.old.header.clear_name_keys();
            self.changes_letters |= !self.old.texts.is_ascii();
            let appended = self.changer.append(&self.old);
            let place = GameRef {
                source: 1,
                game: n.saturating_add(1),
            };
            if !self.note_change(place, appended, observer)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads a game of a store, such as the stored version of a changed one. Returns false if a part of
    /// it could not be read, and an error if nothing could.
    fn read_old(&mut self, store: &dyn GameStore, n: u32) -> chessdb_core::Result<bool> {
        let read = store.game_into(n, &mut self.old, &mut self.scratch);
        let mut diagnostics = self.scratch.diagnostics.drain(..);
        let is_intact = diagnostics.all(|diagnostic| diagnostic.severity != Severity::Lost);
        read.map(|()| is_intact)
    }

    /// Notes the result of a change. Returns false if the database must be rewritten.
    fn note_change(
        &mut self,
        place: GameRef,
        changed: chessdb_core::Result<Option<Losses>>,
        observer: &mut dyn Observer,
    ) -> std::result::Result<bool, Failure> {
        match changed {
            Ok(Some(losses)) => {
                self.note_losses(place, &losses, observer);
                Ok(true)
            }
            Ok(None) => Ok(false),
            // Rewriting reports the loss of the whole game.
            Err(error) if matches!(error.kind(), ErrorKind::Unrepresentable(_)) => Ok(false),
            Err(error) => Err(Failure::Target(error)),
        }
    }

    fn note_losses(&mut self, place: GameRef, losses: &Losses, observer: &mut dyn Observer) {
        self.report.lossy_games += u64::from(!losses.is_empty());
        let forbids =
            |loss: &Loss| self.options.is_strict() && !self.options.allowed.contains(&loss.kind);
        for loss in losses {
            self.report.add_loss(place, loss);
            observer.loss(place, loss);
            if forbids(loss) {
                self.report.refuse(loss.kind);
            }
        }
    }
}

/// Returns whether two games differ in their texts that are not ASCII.
fn has_other_letters(old: &Game, new: &Game) -> bool {
    if old.texts.is_ascii() && new.texts.is_ascii() {
        return false;
    }
    let letters = |game: &Game| -> BTreeSet<String> {
        let texts = game.texts.iter().map(|(_, text)| text);
        let texts = texts.filter(|text| !text.as_bytes().is_ascii());
        texts.map(|text| text.decode().into_owned()).collect()
    };
    letters(old) != letters(new)
}

/// Returns whether two games differ in nothing but their marks, which the headers do not spell in
/// their own way.
fn only_flags(old: &Game, new: &mut Game) -> bool {
    let has_spelling = |game: &Game| game.header.verbatim(Field::Flags).is_some();
    if old.header.flags == new.header.flags || has_spelling(old) || has_spelling(new) {
        return false;
    }
    let flags: GameFlags = std::mem::replace(&mut new.header.flags, old.header.flags);
    let is_equal = *old == *new;
    new.header.flags = flags;
    is_equal
}
