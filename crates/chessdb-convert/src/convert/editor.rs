//! Changing a database in place.

use std::path::{Path, PathBuf};

use chessdb_core::options::Allow;
use chessdb_core::{ErrorKind, Format};
use chessdb_database::{Database, Game, OpenOptions, Selection};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::filesystem::DirSink;

use super::changing::change_games;
use super::converter::execution::error_if_refused;
use super::game_edits::EditsObserver;
use super::options::ConvertOptions;
use super::{Converter, GameEdits, Observer, Report, Strictness};

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
        let options = options.read_only(false);
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
        // With the index, a large database is not compared, nor a text file scanned for its games.
        let options = options.streaming(false).numbered(true).index(true);
        let db = options.open(sink.path())?;
        sink.guard(db.snapshot())?;
        sink.record("change", None);
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

    /// Returns the files next to the database that do not describe it any more
    /// ([`DirSink::old_indexes`]).
    pub fn old_indexes(&self) -> &[PathBuf] {
        self.sink.old_indexes()
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

    /// Saves changes of games and new games as one change: in place if the format supports it
    /// ([`Report::changed`]), otherwise by rewriting the database. The observer is told about losses
    /// and progress, and must not change games.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such game, if a changed or new game cannot be stored without a
    /// loss, or if the files cannot be written.
    pub fn save(&mut self, edits: &GameEdits, watch: &mut dyn Observer) -> Result<Report> {
        let games = self.db.len()?;
        let numbers: Vec<u32> = edits.numbers().collect();
        let is_outside = |number: &&u32| **number == 0 || **number > games;
        if let Some(&number) = numbers.iter().find(is_outside) {
            let error = chessdb_core::Error::new(ErrorKind::NoSuchGame { number, games });
            return Err(Error::from(error).with_path(Some(self.sink.path())));
        }
        let converter = self.converter().edit_only(Selection::in_order(numbers));
        let converter = if edits.added().is_empty() {
            converter
        } else {
            converter.append_games(edits.added())
        };
        converter.run_observed(&mut EditsObserver { edits, watch })
    }

    /// Changes the games with these numbers (from 1) in time proportional to the change, if the
    /// format supports it. `edit` changes each of them. Returns false, and changes nothing, if the
    /// database must be rewritten ([`Editor::converter`]).
    ///
    /// # Errors
    ///
    /// Returns an error if a game cannot be read, if something would be lost that `allow` does not
    /// contain, or if the files cannot be written.
    pub fn change(
        &mut self,
        numbers: &[u32],
        allow: Allow,
        edit: &mut dyn FnMut(&mut Game),
    ) -> Result<bool> {
        let mut options = ConvertOptions {
            keeps_text: true,
            edited: Some(Selection::in_order(numbers.to_vec())),
            ..ConvertOptions::default()
        };
        match allow {
            Allow::Everything => {}
            Allow::Nothing => options.strict = Strictness::Everything,
            Allow::Kinds(kinds) => {
                options.strict = Strictness::Everything;
                options.allowed = kinds;
            }
        }
        let mut observer = EditObserver(edit);
        let observer = &mut observer;
        let changed = change_games(
            &mut self.sink,
            self.format,
            &self.db,
            &[],
            &mut options,
            observer,
        )?;
        match changed {
            Some(report) => error_if_refused(report).map(|_| true),
            None => Ok(false),
        }
    }

    /// Returns a converter that changes the database in place, to be used with an observer that
    /// changes games. If the format cannot do that, the database is rewritten: a loss is then also
    /// refused in games that are not changed. Games of a PGN file that are not changed keep their
    /// bytes ([`Converter::in_place`]).
    pub fn converter(&mut self) -> Converter<'_> {
        Converter::to_existing(&mut self.sink)
            .format(self.format)
            .strict(true)
            .in_place(true)
            .add_database(&self.db)
    }
}

/// An observer that changes games with a function.
struct EditObserver<'e>(&'e mut dyn FnMut(&mut Game));

impl Observer for EditObserver<'_> {
    fn edit(&mut self, game: &mut Game) {
        (self.0)(game);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use chessdb_core::model::GameFlags;

    use super::*;

    #[test]
    fn change_with_too_large_a_journal_is_left_to_rewriting() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games.pgn");
        fs::write(&games, "[White \"Tal\"]\n\n1. e4 *\n\n".repeat(40)).unwrap();
        let numbers: Vec<u32> = (1..=40).collect();
        for suffix in ["si4", "si5"] {
            let path = folder.path().join("base").with_extension(suffix);
            let source = Database::open(&games).unwrap();
            Converter::to(&path).add_database(&source).run().unwrap();
            let old = fs::read(&path).unwrap();
            let mut editor = Editor::open(&path, Database::options()).unwrap();
            let mut delete = |game: &mut Game| game.header.flags |= GameFlags::DELETED;
            // Old and new bytes of the 40 entries need more than 3,000 bytes.
            editor.sink.limit_journal(3000);
            let changed = editor
                .change(&numbers, Allow::Nothing, &mut delete)
                .unwrap();
            assert!(!changed, "{suffix}");
            assert!(fs::read(&path).unwrap() == old, "{suffix}");
            let left = fs::read_dir(folder.path()).unwrap();
            let left = left.filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                let name = name.to_string_lossy();
                name.starts_with(&format!(".base.{suffix}")) && !name.ends_with("-lock")
            });
            assert_eq!(left.count(), 0, "{suffix}");
            assert!(
                editor
                    .change(&numbers[..3], Allow::Nothing, &mut delete)
                    .unwrap()
            );
            let deleted = Database::open(&path).unwrap();
            let deleted = deleted.headers().map(|game| game.unwrap().header.flags);
            let marked = deleted.filter(|flags| flags.contains(GameFlags::DELETED));
            assert_eq!(marked.count(), 3, "{suffix}");
        }
    }
}
