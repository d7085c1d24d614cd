//! Changing a database in place.

use std::io;
use std::path::{Path, PathBuf};

use chessdb_core::model::{Field, GameFlags};
use chessdb_core::options::Allow;
use chessdb_core::store::ChangeGames;
use chessdb_core::{Charset, ErrorKind, FileSet, Format, Losses, WriteOptions};
use chessdb_database::{Database, Game, OpenOptions};
use chessdb_files::error::{Error, Problem, Result, target_error};
use chessdb_files::filesystem::DirSink;

use super::Converter;

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
        let db = options.streaming(false).numbered(true).open(sink.path())?;
        sink.guard(db.snapshot())?;
        if db.format().id == format.id {
            Ok(Editor { db, format, sink })
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
    /// files does not allow a change in place, a game is damaged, or something would be lost that
    /// `allow` does not contain.
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
            let changed = if game.is_damaged() || !changer.locate(n, self.db.store()?) {
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
                    self.sink.discard();
                    return Ok(false);
                }
            }
        }
        // The library of the format cannot write while it also reads.
        if let Some(reading) = self.db.files().and_then(FileSet::transaction) {
            reading.end();
        }
        match changer.finish() {
            Err(error) if is_busy(&error) => {
                self.sink.discard();
                Ok(false)
            }
            finished => finished.map(|()| true).map_err(failed),
        }
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

/// Returns whether other programs read the files, so that they can only be replaced.
fn is_busy(error: &chessdb_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(cause) if cause.kind() == io::ErrorKind::ResourceBusy)
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
    if let Some((before, after)) = flag_change(&old, game)
        && let Some(losses) = changer.set_flags(n, before, after)?
    {
        return Ok(Some(losses));
    }
    changer.replace(n, &old, game)
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
