//! Changing a database in place.

use std::path::{Path, PathBuf};

use chessdb_core::model::{Field, GameFlags};
use chessdb_core::options::Allow;
use chessdb_core::store::{ChangeGames, TextChange};
use chessdb_core::{
    Charset, Diagnostic, ErrorKind, Format, GameStore, Losses, Severity, WriteOptions,
};
use chessdb_database::{Database, Game, OpenOptions};
use chessdb_files::error::{Error, Problem, Result, target_error};
use chessdb_files::filesystem::DirSink;

use super::{Converter, Replacement};

/// The number of findings about damaged games that are kept.
const MAX_FINDINGS: usize = 3;

/// A database that is being changed in place. While it is open, other writers are locked out. It is
/// replaced when the new one is complete; if that fails, it stays unchanged.
///
/// ```
/// use chessdb::convert::{Editor, Observer};
/// use chessdb::{Database, Game};
///
/// struct Correct;
///
/// impl Observer for Correct {
///     fn edit(&mut self, game: &mut Game) {
///         game.set_tag("Site", "Riga");
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("base.pgn");
/// std::fs::write(&path, "[White \"Tal\"]\n\n1. e4 *\n")?;
/// let mut editor = Editor::open(&path, Database::options())?;
/// let report = editor.converter().observer(&mut Correct).run()?;
/// assert_eq!((report.written(), &*Database::open(&path)?.game(0)?.site()), (1, "Riga"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Editor {
    db: Database,
    format: &'static Format,
    sink: DirSink,
    /// The number of changed games that are damaged, and the damage of the first ones.
    damaged: (u64, Vec<String>),
}

impl Editor {
    /// Opens the database at a path and locks out other writers.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`OpenOptions::open`] and [`chessdb_files::filesystem::create`], and an error if the
    /// database is packed or in a format that can only be read.
    pub fn open(path: impl AsRef<Path>, options: OpenOptions) -> Result<Editor> {
        let path = path.as_ref();
        let database = chessdb_files::filesystem::find_as(path, options.format_hint()?)?;
        if database.is_packed() || database.is_pipe() {
            let what = "cannot change a packed database; unpack it first";
            return Err(Error::new(path, Problem::Packed(what)).while_writing());
        }
        let format = database.format();
        let main = database.files().first().map_or(path, |(_, file)| file);
        let mut sink =
            chessdb_files::filesystem::create(main, format, true).map_err(Error::while_writing)?;
        // Another writer may have changed the database before we had the lock.
        let options = options.for_target(format);
        // Texts are copied from a store, not from a stream.
        // With the index a text file need not be scanned for its games.
        let options = options.streaming(false).numbered(true).index(true);
        let db = options.open(sink.path())?;
        sink.guard(db.snapshot())?;
        if db.format().id == format.id {
            Ok(Editor {
                db,
                format,
                sink,
                damaged: Default::default(),
            })
        } else {
            Err(Error::new(path, Problem::Replaced))
        }
    }

    /// Returns the current database, for selecting games.
    pub fn database(&self) -> &Database {
        &self.db
    }

    /// Sets whether the database is backed up before it is replaced ([`Editor::backups`]).
    pub fn keep_old(&mut self, keep: bool) {
        self.sink.keep_old(keep);
    }

    /// Returns the files of the backup, the main file first.
    pub fn backups(&self) -> &[PathBuf] {
        self.sink.backups()
    }

    /// Returns the index files that the database had before it was replaced. They were removed.
    pub fn old_indexes(&self) -> &[PathBuf] {
        self.sink.old_indexes()
    }

    /// Replaces game `number`, counted from 1, in time proportional to the game, if the format
    /// supports it (DC*): the new version is appended, and the old one is marked as deleted.
    /// Returns the number of games afterwards; `None` if the database must be rewritten.
    ///
    /// # Errors
    ///
    /// Returns an error for a loss that is not allowed, or if the files cannot be written.
    pub fn replace(&mut self, number: u32, game: &Game, allow: Allow) -> Result<Option<u32>> {
        let Some(replace) = self.format.replace else {
            return Ok(None);
        };
        let options = WriteOptions::default().with_allowed(allow);
        let n = number.saturating_sub(1);
        let path = self.sink.path().to_owned();
        let replaced = replace(&mut self.sink, n, game, options);
        replaced.map_err(|error| target_error(error, Some(&path)))
    }

    /// Sets what is recorded about a change in place, for `chessdb undo`: the command, and the number
    /// of games that it changes.
    pub fn record(&mut self, command: &str, games: u64) {
        self.sink.record(command, Some(games));
    }

    /// Sets whether a change in place can be undone, which is the default.
    pub fn keep_undo(&mut self, keep: bool) {
        self.sink.keep_undo(keep);
    }

    /// Changes the games with these numbers (from 1) in time proportional to the change, if the
    /// format supports it. `edit` changes each of them. Returns false, and changes nothing, if the
    /// database must be rewritten with [`Editor::converter`]: because the format or the state of the
    /// files does not allow a change in place, a game is damaged and its format does not store
    /// texts, or something would be lost that `allow` does not contain.
    ///
    /// # Errors
    ///
    /// Returns an error if a game cannot be read or the files cannot be written.
    pub fn change(
        &mut self,
        numbers: &[u32],
        allow: Allow,
        edit: &mut dyn FnMut(&mut Game),
    ) -> Result<bool> {
        self.change_games(numbers, allow, edit, None)
    }

    /// Puts a game in place of game `number` (from 1) like [`Editor::change`]: with its text, if the
    /// format stores texts.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Editor::change`].
    pub fn put(&mut self, number: u32, new: &Replacement, allow: Allow) -> Result<bool> {
        let mut replace = |game: &mut Game| game.replace(new.game.clone());
        self.change_games(&[number], allow, &mut replace, new.text.as_deref())
    }

    /// Returns the number of damaged games that [`Editor::change`] changed, and the damage of the
    /// first ones: in a text format their tags are new, and their moves keep their bytes.
    pub fn damaged(&self) -> (u64, &[String]) {
        (self.damaged.0, &self.damaged.1)
    }

    fn change_games(
        &mut self,
        numbers: &[u32],
        allow: Allow,
        edit: &mut dyn FnMut(&mut Game),
        text: Option<&str>,
    ) -> Result<bool> {
        let Some(open) = self.format.change else {
            return Ok(false);
        };
        let mut options = WriteOptions::default().with_allowed(allow);
        let usual = self.format.default_charset.unwrap_or(Charset::WINDOWS_1252);
        options.detector = Some(self.db.reading().detector(usual));
        let path = self.sink.path().to_owned();
        let failed = |error| target_error(error, Some(&path));
        let Some(mut changer) = open(&mut self.sink, options).map_err(failed)? else {
            return Ok(false);
        };
        let mut game = Game::new();
        for &number in numbers {
            let n = number.saturating_sub(1);
            self.db.game_into(n, &mut game)?;
            let store = self.db.store()?;
            let changed = if store.stored_text(n).is_some() {
                if text.is_none() {
                    note_damage(&game, &mut self.damaged);
                }
                change_text(&mut *changer, store, &mut game, edit, text)
            } else if game.is_damaged() {
                Ok(None)
            } else {
                change_game(&mut *changer, n, &mut game, edit)
            };
            match changed {
                Ok(Some(_)) => {}
                Err(error) if !matches!(error.kind(), ErrorKind::Unrepresentable(_)) => {
                    return Err(failed(error));
                }
                // The database must be rewritten, which also reports a loss in full.
                Ok(None) | Err(_) => {
                    drop(changer);
                    self.damaged = Default::default();
                    self.sink.discard();
                    return Ok(false);
                }
            }
        }
        changer.finish().map_err(failed)?;
        Ok(true)
    }

    /// Returns a converter that rewrites the database in place, to be used with an observer that
    /// changes games. By default it refuses any loss, also in games that are not changed. Games of a
    /// PGN file that are not changed keep their bytes ([`Converter::in_place`]).
    pub fn converter(&mut self) -> Converter<'_> {
        Converter::to_sink(&mut self.sink)
            .format(self.format)
            .strict(true)
            .in_place(true)
            .add_database(&self.db)
    }
}

/// Notes the damage of a game.
fn note_damage(game: &Game, (games, first): &mut (u64, Vec<String>)) {
    let is_lost = |finding: &&Diagnostic| finding.severity == Severity::Lost;
    *games += u64::from(game.is_damaged());
    let lost = game.diagnostics().iter().filter(is_lost);
    let free = MAX_FINDINGS.saturating_sub(first.len());
    first.extend(lost.take(free).map(Diagnostic::to_string));
}

/// Changes the text of a game that was read as `game`.
fn change_text(
    changer: &mut dyn ChangeGames,
    store: &dyn GameStore,
    game: &mut Game,
    edit: &mut dyn FnMut(&mut Game),
    text: Option<&str>,
) -> chessdb_core::Result<Option<Losses>> {
    let (n, is_damaged) = (game.index(), game.is_damaged());
    edit(game);
    let change = match text {
        Some(text) => TextChange::Text(text),
        None if game.may_be_changed() => TextChange::Game(game),
        None => TextChange::Unchanged,
    };
    changer.change_text(store, n, change, is_damaged)
}

/// Changes game `n`, which was read as `game`.
fn change_game(
    changer: &mut dyn ChangeGames,
    n: u32,
    game: &mut Game,
    edit: &mut dyn FnMut(&mut Game),
) -> chessdb_core::Result<Option<Losses>> {
    let old = (**game).clone();
    edit(game);
    match flag_change(&old, game) {
        Some((old, new)) => changer.set_flags(n, old, new),
        None => changer.replace(n, &old, game),
    }
}

/// Returns the marks of both games if nothing else differs and the header does not spell them in its
/// own way.
fn flag_change(
    old: &chessdb_core::Game,
    new: &chessdb_core::Game,
) -> Option<(GameFlags, GameFlags)> {
    let has_spelling = |game: &chessdb_core::Game| game.header.verbatim(Field::Flags).is_some();
    if old.header.flags == new.header.flags || has_spelling(old) || has_spelling(new) {
        return None;
    }
    let mut marked = old.clone();
    marked.header.flags = new.header.flags;
    (marked == *new).then_some((old.header.flags, new.header.flags))
}
