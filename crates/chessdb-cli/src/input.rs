//! Opening of the databases that the command line names.

use std::ops::Deref;
use std::path::Path;

use chessdb::formats::shown;
use chessdb::fs::{FoundDatabase, IndexUse, stdin};
use chessdb::options::OpenOptions;
use chessdb::{Database, Error};

use crate::args::{Encoding, InputOptions, Jobs};
use crate::exit::{Failure, say};
use crate::output::grouped;

/// How a command accesses games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// In order, with as little memory as possible.
    InOrder,
    /// A few games, quickly.
    Random,
    /// All games by number, however large the file is.
    Numbered,
    /// All games in any order. Packed files and pipes are read into memory.
    Ordered,
    /// In order, twice. Pipes are read into memory.
    Twice,
}

/// Finds a database. Completes the work of an interrupted writer and reports that.
pub(crate) fn find(path: &Path, input_options: &InputOptions) -> Result<FoundDatabase, Error> {
    if path.as_os_str() == "-" {
        return stdin(input_options.from);
    }
    finish_interrupted(path, input_options)?;
    let database = input_options
        .finder
        .find(path, input_options.format_hint())?;
    for recovery in database.recoveries() {
        say(format_args!("chessdb: {recovery}"));
    }
    for member in database.left_out() {
        let (archive, member) = (shown(path), shown(&member));
        say(format_args!(
            "chessdb: {archive}: {member} ignored: not part of the database"
        ));
    }
    Ok(database)
}

/// Completes the work of an interrupted writer on this database and reports it. Separate from
/// [`find`], so that it is reported even if finding or writing the database fails.
pub(crate) fn finish_interrupted(path: &Path, input_options: &InputOptions) -> Result<(), Error> {
    for recovery in input_options.finder.recover(path)? {
        say(format_args!("chessdb: {recovery}"));
    }
    Ok(())
}

/// Refuses to replace a database with a file that may not be written, unless `force` is set.
pub(crate) fn refuse_read_only(database: &FoundDatabase, force: bool) -> Result<(), Failure> {
    match database.read_only_file().filter(|_| !force) {
        None => Ok(()),
        Some(path) => Err(Failure::Output(format!(
            "{}: the file is read-only; use --force to replace it, or make it writable first",
            shown(path)
        ))),
    }
}

/// Finds and opens a database as the arguments specify.
pub(crate) fn open(
    path: &Path,
    input_options: &InputOptions,
    jobs: Jobs,
    access: Access,
) -> Result<Database, Error> {
    let database = find(path, input_options)?;
    let options = options(input_options).jobs(jobs.thread_count());
    // A pipe yields its bytes only once.
    if access == Access::Twice && database.is_pipe() {
        return open_by_number(options, database);
    }
    options
        .streaming(matches!(access, Access::InOrder | Access::Twice))
        .numbered(access == Access::Numbered)
        .open_found(database)
}

/// A database that is searched. On drop it reports any damage that the search found in its index.
pub(crate) struct SearchedDatabase(Database);

impl Deref for SearchedDatabase {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.0
    }
}

impl Drop for SearchedDatabase {
    fn drop(&mut self) {
        if let IndexUse::Damaged(index) = self.indexed() {
            let index = shown(index);
            say(format_args!(
                "chessdb: {index} is damaged; the games it does not cover were read directly; run `chessdb index` to rebuild it"
            ));
        }
        match self.tree_indexed() {
            Some(IndexUse::Damaged(tree)) => {
                let tree = shown(tree);
                say(format_args!(
                    "chessdb: {tree} is damaged; games were counted instead; run `chessdb index` to rebuild it"
                ));
            }
            // An index that is refused, too, has been reported.
            Some(IndexUse::Refused(tree, why))
                if !matches!(self.indexed(), IndexUse::Refused(..)) =>
            {
                report_refused(tree, why);
            }
            _ => {}
        }
    }
}

/// Finds and opens a database for a search. The index is used for position searches, and for games
/// by number if the whole file would otherwise be read to find them.
pub(crate) fn open_for_search(
    positions: bool,
    path: &Path,
    input_options: &InputOptions,
    jobs: Jobs,
    access: Access,
) -> Result<SearchedDatabase, Error> {
    let database = find(path, input_options)?;
    // Without the index, a format that is read as a stream is read from its start to each game.
    let by_number = !matches!(access, Access::InOrder) && database.can_stream();
    let options = options(input_options).jobs(jobs.thread_count());
    let options = options
        .streaming(access == Access::InOrder)
        .index(positions || by_number);
    let db = match access {
        Access::Ordered => open_by_number(options, database)?,
        Access::Twice if database.is_pipe() => open_by_number(options, database)?,
        _ => options.open_found(database)?,
    };
    report_index(&db);
    Ok(SearchedDatabase(db))
}

/// Reports an index that is not used, or not for all games.
pub(crate) fn report_index(db: &Database) {
    match db.indexed() {
        IndexUse::Refused(index, why) => report_refused(index, why),
        IndexUse::Partial(index, games) => {
            let (index, games) = (shown(index), grouped((*games).into()));
            say(format_args!(
                "chessdb: {index} covers the first {games} games; later ones are read directly; run `chessdb index` to add them"
            ));
        }
        _ => {}
    }
}

fn report_refused(index: &Path, why: &str) {
    let index = shown(index);
    say(format_args!(
        "chessdb: ignoring {index}: {why}; run `chessdb index` to rebuild it"
    ));
}

/// Opens a database whose games can be read in any order: a packed file or a pipe, of which a stream
/// yields the games in its own order, is read into memory.
pub(crate) fn open_by_number(
    options: OpenOptions,
    database: FoundDatabase,
) -> Result<Database, Error> {
    let options = options.numbered(true);
    if options.is_read_whole(&database) {
        options.open_found(database)
    } else {
        options.open_in_memory(database.read()?)
    }
}

/// Returns the options for opening a database.
pub(crate) fn options(input_options: &InputOptions) -> OpenOptions {
    let mut options = Database::options().read_only(input_options.is_read_only);
    if let Some(password) = input_options.password() {
        options = options.password(password);
    }
    if let Some(Encoding::Named(charset)) = input_options.encoding {
        options = options.encoding(charset);
    }
    if let Some(numbering) = &input_options.dcx_promotions {
        options = options.setting("dcx-promotions", numbering);
    }
    let fields = input_options.encoding_for.iter();
    fields.fold(options, |options, &(field, charset)| {
        options.encoding_for(field, charset)
    })
}
