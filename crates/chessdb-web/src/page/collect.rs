//! Joining games of open databases in a new database in memory.

use std::cell::RefCell;
use std::ops::ControlFlow;

use chessdb::convert::{DuplicateSearch, Renaming, Report};
use chessdb::core::files::{FileId, FileSink, Role};
use chessdb::core::{Error, ErrorKind, MemorySet};
use chessdb::{Converter, Database, Selection};
use serde_json::{Value, json};

use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;
use crate::page::open_databases::{OpenDatabases, given_number};
use crate::page::report::report_json;
use crate::page::save::{GameScope, PIECE, ProgressObserver, Receiver};
use crate::page::tasks::duplicates::rule;

/// The format of the new database. It has a place for everything that a game of any format has.
const FORMAT: &str = "pgn";
/// The maximum number of parts.
const MAX_PARTS: usize = 64;

/// A new database in memory, which must not exceed a size.
struct BoundedSet {
    set: MemorySet,
    remaining: u64,
    is_full: bool,
}

impl FileSink for BoundedSet {
    fn create(&mut self, role: Role) -> Result<FileId, Error> {
        self.set.create(role)
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<(), Error> {
        match self.remaining.checked_sub(bytes.len() as u64) {
            Some(remaining) => self.remaining = remaining,
            None => {
                self.is_full = true;
                return Err(ErrorKind::Structure("too large for the memory").into());
            }
        }
        self.set.write(file, bytes)
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.set.patch(file, offset, bytes)
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.set.commit()
    }
}

/// Joins games in a new database, which is opened ([`crate::Session::save`]).
pub(crate) fn collect(
    open: &mut OpenDatabases,
    request: &Value,
    to: &mut dyn Receiver,
) -> Result<Value> {
    let empty = Value::Null;
    let into = request.get("into").unwrap_or(&empty);
    let place = given_number(into)?;
    let name = match place {
        Some(number) => open.new_name(number)?.to_owned(),
        None => into.text("name").to_owned(),
    };
    let mut parts: Vec<(u32, GameScope)> = Vec::new();
    // The database itself comes first, so that added games follow its own.
    parts.extend(place.map(|number| (number, GameScope::All)));
    let from = request.get("from").and_then(Value::as_array);
    for part in from.into_iter().flatten().take(MAX_PARTS) {
        parts.push((open.number(part)?, GameScope::parse(part)?));
    }
    let mut sources = Vec::new();
    let mut games = 0;
    for (number, scope) in &parts {
        let base = open.get(*number)?;
        games += u64::from(scope.len(base));
        sources.push((base, scope.selection(base)?));
    }
    if games == 0 {
        return Err(Failure::new("request", "no games to copy"));
    }
    let mut removed = 0;
    let by = request.text("dedupe");
    if !by.is_empty() {
        removed = remove_duplicates(&mut sources, by)?;
    }
    let mut sink = BoundedSet {
        set: MemorySet::new(),
        remaining: open.room(),
        is_full: false,
    };
    // The sink's error would only say that writing failed.
    let report = join(&sources, &mut sink, to).map_err(|failure| {
        if sink.is_full { OpenDatabases::full() } else { failure }
    })?;
    let set = sink.set;
    if into.flag("bytes") {
        pass_on(&set, to);
    }
    let bytes = set.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    let db = Database::options().format(FORMAT).open_set(set)?;
    let opened = OpenDatabase::new(db, Some(name))?;
    let games = opened.len();
    // A replaced database already has its place.
    if place.is_none() {
        open.check_room(bytes)?;
    }
    let current = open.current();
    let number = open.insert(place, opened, bytes);
    open.mark_new(number);
    // The user goes on in the database from which the games come.
    open.set_current(current);
    Ok(json!({
        "info": open.info(number)?,
        "games": games,
        "removed": removed,
        "report": report_json(&report),
    }))
}

/// Writes the games of the sources to the sink.
fn join(
    sources: &[(&OpenDatabase, Selection)],
    sink: &mut BoundedSet,
    to: &mut dyn Receiver,
) -> Result<Report> {
    // Progress and result go to the same receiver.
    let to = RefCell::new(to);
    let mut report_progress = |games, lost| to.borrow_mut().progress(games, lost);
    let mut watch = ProgressObserver::new(Renaming::default(), &mut report_progress);
    let mut converter = Converter::to_sink(sink)
        .format(FORMAT)
        .games_only(true)
        .observer(&mut watch);
    for (base, selection) in sources {
        converter = converter.add_selected(base.db(), selection.clone());
    }
    Ok(converter.run()?)
}

/// Takes duplicates by the rules of `chessdb merge --dedupe` out of the selections. Returns their
/// number.
fn remove_duplicates(sources: &mut [(&OpenDatabase, Selection)], by: &str) -> Result<u64> {
    let mut search = DuplicateSearch::new(rule(by)?);
    for (part, (base, selection)) in sources.iter().enumerate() {
        let scan = base.db().scan().select(selection.clone());
        scan.for_each(|game, _| {
            search.add((part, game.number()), DuplicateSearch::candidate(game));
            ControlFlow::Continue(())
        })?;
    }
    let duplicates = search.finish()?;
    let selections = duplicates.selections(sources.len());
    for ((_, selection), retained) in sources.iter_mut().zip(selections) {
        *selection = retained;
    }
    Ok(duplicates.removed.len() as u64)
}

/// Passes the files on in pieces.
fn pass_on(set: &MemorySet, to: &mut dyn Receiver) {
    for (file, (role, bytes)) in (0u32..).zip(set.iter()) {
        to.create(role.0);
        for piece in bytes.chunks(PIECE) {
            to.write(file, piece);
        }
    }
}
