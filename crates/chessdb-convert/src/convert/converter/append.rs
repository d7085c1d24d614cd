//! Appending of games to a database: in place if the format can, otherwise by rewriting it.

use std::path::Path;

use chessdb_core::Format;
use chessdb_core::format::Charsets;
use chessdb_database::OpenOptions;
use chessdb_files::error::{Error, Problem, Result, target_error};

use super::Converter;
use super::execution::{default_jobs, error_if_refused};
use super::job::{Job, SourceSample};
use crate::convert::{Conversion, Observer, Report};

impl<'a> Converter<'a> {
    /// Appends the games to the database `found`.
    pub(super) fn run_append(
        mut self,
        found: &chessdb_files::filesystem::FoundDatabase,
    ) -> Result<Report> {
        let format = found.format();
        let failed = |problem| Error::new(found.path(), problem).while_writing();
        if let Some(named) = &self.format
            && named.find().map_err(failed)?.id != format.id
        {
            return Err(failed(Problem::FormatMismatch(format.name)));
        }
        if found.is_packed() || found.is_pipe() {
            let what = "cannot append to a packed database; unpack it first";
            return Err(failed(Problem::Packed(what)));
        }
        let written = match &self.encoding {
            Some(charset) if format.charsets != Charsets::Own => charset.find()?,
            Some(_) => return Err(failed(Problem::FixedCharset(format.name))),
            None => None,
        };
        self.find_sources()?;
        let path = found.files().first().map_or(found.path(), |(_, path)| path);
        let mut sink =
            chessdb_files::filesystem::create(path, format, true).map_err(Error::while_writing)?;
        sink.keep_old(self.backup);
        sink.guard(Some(found.snapshot()))?;
        for source in &self.sources {
            sink.guard(source.snapshot())?;
        }
        let path = sink.path().to_owned();
        self.options.charset = written;
        let mut options = chessdb_core::WriteOptions::default();
        options.allow = chessdb_core::options::Allow::Everything;
        options.charset = written;
        options.settings.clone_from(&self.options.settings);
        let mut converter = Some(self);
        let in_place = {
            let writer = format.append.map(|append| append(&mut sink, options));
            let writer = writer.transpose();
            match writer
                .map_err(|error| target_error(error, Some(&path)))?
                .flatten()
            {
                Some(writer) => converter.take().map(|converter| {
                    converter.run_job(format, &path, |job| {
                        let options = job.options.clone();
                        let mut running =
                            Conversion::of(format, writer, options, Report::default());
                        running.is_existing = true;
                        job.running = Some(running);
                        Ok(())
                    })
                }),
                None => None,
            }
        };
        if let Some(report) = in_place {
            return complete_report(report?, &sink, &path, false);
        }
        let Some(converter) = converter else {
            return Err(Problem::Interrupted.into());
        };
        // Rewrite the whole database. The current files are protected by our lock.
        let old = OpenOptions::default().for_target(format).open(&path)?;
        let kept = converter.sources.len();
        let report = converter.run_job(format, &path, |job| {
            job.options.kept = Some(kept);
            job.sink = Some(&mut sink);
            job.take(kept, &old, None)
        });
        complete_report(report?, &sink, &path, format.append.is_some())
    }

    /// Writes the games of all sources after `begin` has prepared the job.
    fn run_job<'j>(
        self,
        format: &'static Format,
        target: &'j Path,
        begin: impl FnOnce(&mut Job<'j>) -> Result<()>,
    ) -> Result<Report>
    where
        'a: 'j,
    {
        let mut options = self.options;
        options.jobs = self.jobs.unwrap_or_else(default_jobs);
        let observer: &mut dyn Observer = match self.observer {
            Some(observer) => observer,
            // A box of `()` allocates no memory.
            None => Box::leak(Box::new(())),
        };
        let mut job = Job {
            format,
            options,
            games_only: self.games_only,
            is_only_source: false,
            others: SourceSample::default(),
            names: None,
            observer,
            target: Some(target),
            sink: None,
            running: None,
        };
        begin(&mut job)?;
        job.run(self.sources)
    }
}

/// Completes the report of appended games.
fn complete_report(
    mut report: Report,
    sink: &chessdb_files::filesystem::DirSink,
    path: &Path,
    rewritten: bool,
) -> Result<Report> {
    report.rewritten = rewritten;
    report.target = Some(path.to_owned());
    report.backups = sink.backups().to_vec();
    report.old_indexes = sink.old_indexes().to_vec();
    report.appended = true;
    error_if_refused(report)
}
