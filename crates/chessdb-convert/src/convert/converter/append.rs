//! Appending of games to a database: in place if the format can, otherwise by rewriting it.

use std::path::Path;

use chessdb_core::files::Growing;
use chessdb_core::format::Charsets;
use chessdb_core::options::Allow;
use chessdb_core::{Format, WriteOptions};
use chessdb_database::OpenOptions;
use chessdb_files::error::{Error, Problem, Result, target_error};
use chessdb_files::filesystem::{DirSink, FoundDatabase};

use super::execution::complete_report;
use super::{Converter, Input};
use crate::convert::changing::locked;
use crate::convert::charset::detector_of;
use crate::convert::conversion::Conversion;
use crate::convert::{Observer, Report};

impl Converter<'_> {
    /// Appends the games to the database `found`.
    pub(super) fn run_append(
        mut self,
        database: FoundDatabase,
        observer: &mut dyn Observer,
    ) -> Result<Report> {
        let format = database.format();
        let named_path = database.path().to_owned();
        let failed = |problem| Error::new(&named_path, problem).while_writing();
        if let Some(named) = &self.options.format
            && named.find().map_err(failed)?.id != format.id
        {
            return Err(failed(Problem::FormatMismatch(format.name)));
        }
        if database.is_packed() || database.is_pipe() {
            let what = "cannot append to a packed database; unpack it first";
            return Err(failed(Problem::Packed(what)));
        }
        let charset = match &self.options.encoding {
            Some(charset) if format.charsets != Charsets::Own => charset.find()?,
            Some(_) => return Err(failed(Problem::FixedCharset(format.name))),
            None => None,
        };
        self.find_sources()?;
        let path = database
            .files()
            .first()
            .map_or(database.path(), |(_, path)| path);
        let mut sink =
            chessdb_files::filesystem::create(path, format, true).map_err(Error::while_writing)?;
        sink.keep_old(self.options.backup);
        sink.keep_undo(!self.options.drops_undo);
        // The number of games is known only when the files are already being written.
        sink.record(self.options.command.as_deref().unwrap_or("append"), None);
        sink.guard(Some(database.snapshot()))?;
        // No game of the database changes.
        locked(&sink.changed_games()).games = Some(Vec::new());
        // The commit fails if another program has changed a source that it replaces.
        for source in &self.sources {
            sink.guard(source.snapshot())?;
        }
        let path = sink.path().to_owned();
        // The library of the format cannot write while the file is also read.
        drop(database);
        let mut sources = self.sources;
        let mut options = WriteOptions::default();
        options.allow = Allow::Everything;
        options.charset = charset;
        if charset.is_none() && !format.pages.is_empty() && format.append.is_some() {
            // All texts of a database have one code page. The files are protected by our lock.
            let old = OpenOptions::default().for_target(format).index(true);
            let old = old.open(&path)?;
            options.detector = Some(detector_of(&old));
            options.games = old.len().ok();
        }
        options.settings.clone_from(&self.options.settings);
        // Both ways consume the options; only one of them is taken.
        let mut waiting = Some(self.options);
        let mut report = None;
        let append = format
            .append
            .filter(|_| can_grow(format, &sink, &path, &sources));
        if let Some(append) = append {
            let (counter, known_changes) = (sink.game_counter(), sink.changed_games());
            let writer = append(&mut sink, options);
            let writer = writer.map_err(|error| target_error(error, Some(&path)))?;
            if let Some(writer) = writer
                && let Some(options) = waiting.take()
            {
                let mut conversion = Conversion::new(format, options, Some(&path));
                conversion.charset = charset;
                conversion.writer = Some(writer);
                conversion.is_existing = true;
                conversion.counter = Some(counter);
                conversion.known_changes = Some(known_changes);
                report = Some(conversion.run(std::mem::take(&mut sources), observer)?);
            }
        }
        let is_rewritten = report.is_none() && format.append.is_some();
        if let Some(options) = waiting {
            // Rewrite the whole database. The current files are protected by our lock.
            let old = OpenOptions::default().for_target(format).open(&path)?;
            let mut conversion = Conversion::new(format, options, Some(&path));
            conversion.charset = charset;
            conversion.kept = Some(sources.len());
            conversion.sink = Some(&mut sink);
            // The old games come first, and keep their numbers.
            conversion.add(sources.len(), &old, None, observer)?;
            report = Some(conversion.run(sources, observer)?);
        }
        let mut report = report.ok_or(Problem::Interrupted)?;
        report.rewritten = is_rewritten;
        report.appended = true;
        complete_report(report, path, &sink)
    }
}

/// Returns whether the library of the format can append games to the file itself: if it is intact, and
/// not also one of the sources. Other formats find that out when they append.
fn can_grow(format: &Format, sink: &DirSink, path: &Path, sources: &[Input<'_>]) -> bool {
    let is_source =
        |source: &Input<'_>| source.snapshot().is_some_and(|files| files.contains(path));
    let is_intact = || {
        let db = OpenOptions::default().for_target(format).index(true);
        let db = db.open(path);
        db.is_ok_and(|db| db.store().is_ok_and(|store| store.stored_rows().is_some()))
    };
    format.disk.is_none()
        || !sources.iter().any(is_source) && (sink.is_known_sound() || is_intact())
}
