//! From a path on the command line to a base.

use std::ops::Deref;
use std::path::Path;

use chessdb::formats::shown;
use chessdb::fs::{FoundDatabase, IndexUse, stdin};
use chessdb::options::OpenOptions;
use chessdb::{Database, Error};

use crate::args::{Encoding, Jobs, Reading};
use crate::exit::say;

/// How a command wants its games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// One after another, with as little memory as possible.
    InOrder,
    /// Some of them, soon.
    Random,
    /// All of them by their numbers, however large the file is.
    Numbered,
}

/// Finds a base; what a writer that was interrupted left undone is done, and said.
pub(crate) fn find(path: &Path, reading: &Reading) -> Result<FoundDatabase, Error> {
    if path.as_os_str() == "-" {
        return stdin(reading.from);
    }
    end_interrupted(path, reading)?;
    let found = reading.finder.find(path, reading.wanted())?;
    for recovery in found.recoveries() {
        say(format_args!("chessdb: {recovery}"));
    }
    for member in found.left_out() {
        let (archive, member) = (shown(path), shown(&member));
        say(format_args!(
            "chessdb: {archive}: {member} is no part of the base and is not read"
        ));
    }
    Ok(found)
}

/// Ends what another run began to write there and did not end, and says so. Apart from finding or
/// writing the base, so that it is said even if that fails.
pub(crate) fn end_interrupted(path: &Path, reading: &Reading) -> Result<(), Error> {
    for recovery in reading.finder.recover(path)? {
        say(format_args!("chessdb: {recovery}"));
    }
    Ok(())
}

/// Finds a base and opens it as the arguments say.
pub(crate) fn open(
    path: &Path,
    reading: &Reading,
    jobs: Jobs,
    access: Access,
) -> Result<Database, Error> {
    let found = find(path, reading)?;
    let options = options(reading).jobs(jobs.number());
    options
        .streaming(access == Access::InOrder)
        .numbered(access == Access::Numbered)
        .open_found(found)
}

/// A base that is searched. Whatever a search finds damaged of the index beside it is said when it ends.
pub(crate) struct Searched(Database);

impl Deref for Searched {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.0
    }
}

impl Drop for Searched {
    fn drop(&mut self) {
        if let IndexUse::Damaged(index) = self.indexed() {
            let index = shown(index);
            say(format_args!(
                "chessdb: {index} is damaged: games of which it cannot tell were read; `chessdb index` makes it anew"
            ));
        }
    }
}

/// The same for a search: where it is one for positions, or games of a file are wanted by number that would be
/// gone through to find them, the index beside the base is used.
pub(crate) fn open_for(
    positions: bool,
    path: &Path,
    reading: &Reading,
    jobs: Jobs,
    access: Access,
) -> Result<Searched, Error> {
    let found = find(path, reading)?;
    let by_number = access == Access::Random && found.can_stream();
    let options = options(reading).jobs(jobs.number());
    let options = options
        .streaming(access == Access::InOrder)
        .index(positions || by_number);
    let db = options.open_found(found)?;
    if let IndexUse::Refused(index, why) = db.indexed() {
        let index = shown(index);
        say(format_args!(
            "chessdb: {index} is not used: {why}; `chessdb index` makes it anew"
        ));
    }
    Ok(Searched(db))
}

/// The options that the arguments mean.
pub(crate) fn options(reading: &Reading) -> OpenOptions {
    let mut options = Database::options();
    if let Some(password) = reading.password() {
        options = options.password(password);
    }
    if let Some(Encoding::Named(charset)) = reading.encoding {
        options = options.encoding(charset);
    }
    if let Some(numbering) = &reading.dcx_promotions {
        options = options.setting("dcx-promotions", numbering);
    }
    let fields = reading.encoding_for.iter();
    fields.fold(options, |options, &(field, charset)| {
        options.encoding_for(field, charset)
    })
}
