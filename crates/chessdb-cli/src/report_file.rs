//! Files that options name for reports, lists and charts.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use chessdb::formats::{NO_FILE_NAME, leads_elsewhere, shown};
use chessdb::fs::{HiddenFileGuard, belongs_to, consume_while_held};
use tempfile::NamedTempFile;

use crate::exit::Failure;
use crate::output::stdout;

/// A file that gets its name when it is complete. An existing file keeps its content until then.
pub(crate) struct ReportFile {
    path: PathBuf,
    out: Out,
    /// Removes the temporary file on a signal until it gets its name.
    _hidden: Option<HiddenFileGuard>,
}

enum Out {
    /// Standard output or a special file such as a pipe.
    Stream(Box<dyn Write>),
    /// The temporary file, and whether it may replace an existing one.
    File(BufWriter<NamedTempFile>, bool),
}

impl ReportFile {
    /// Starts a file; `-` is standard output. Files of the `databases` that the command reads and
    /// writes are never replaced, other files only with `force`.
    pub(crate) fn create(
        path: &Path,
        force: bool,
        databases: &[PathBuf],
    ) -> Result<ReportFile, Failure> {
        let mut report = ReportFile {
            path: path.to_owned(),
            out: Out::Stream(Box::new(io::sink())),
            _hidden: None,
        };
        if path.as_os_str() == "-" {
            report.out = Out::Stream(Box::new(stdout()));
            return Ok(report);
        }
        let metadata = fs::metadata(path);
        // A pipe or device cannot be replaced by another file, so it is written directly.
        if metadata
            .as_ref()
            .is_ok_and(|data| !data.is_file() && !data.is_dir())
        {
            let out = File::options().write(true).open(path);
            let out = out.map_err(|error| report.failure(&error))?;
            report.out = Out::Stream(Box::new(BufWriter::new(out)));
            return Ok(report);
        }
        refuse(path, force, databases)?;
        if leads_elsewhere(path) {
            let name = shown(path);
            let message = format!("{name}: {NO_FILE_NAME}; choose another name");
            return Err(Failure::Output(message));
        }
        // The target of a link is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // A temporary file is private. The report gets the rights of the file that it replaces, or
        // those of any new file.
        let mut builder = tempfile::Builder::new();
        builder.prefix(".chessdb-report-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let rights =
                metadata.map_or(fs::Permissions::from_mode(0o666), |data| data.permissions());
            builder.permissions(rights);
        }
        // In the same folder, because a file cannot be renamed to another file system.
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = builder.tempfile_in(folder);
        let file = file.map_err(|error| report.failure(&error))?;
        report.path = target;
        report._hidden = Some(HiddenFileGuard::new(file.path()));
        report.out = Out::File(BufWriter::new(file), force);
        Ok(report)
    }

    /// Writes a complete file.
    pub(crate) fn write(
        path: &Path,
        force: bool,
        databases: &[PathBuf],
        content: &[u8],
    ) -> Result<(), Failure> {
        let mut report = ReportFile::create(path, force, databases)?;
        report
            .write_all(content)
            .map_err(|error| report.failure(&error))?;
        report.finish()
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let ReportFile { path, out, _hidden } = self;
        let failed = |error: &io::Error| failure(&path, error);
        match out {
            Out::Stream(mut out) => out.flush().map_err(|error| failed(&error)),
            Out::File(out, force) => {
                let file = out.into_inner().map_err(|error| failed(error.error()))?;
                // A file that appeared while the report was written is not replaced either.
                let named = consume_while_held(file, &mut |file: NamedTempFile| {
                    let persisted =
                        if force { file.persist(&path) } else { file.persist_noclobber(&path) };
                    let persisted = persisted.map(drop);
                    persisted.map_err(|failed| (failed.file, failed.error))
                });
                named.map_err(|error| failed(&error))
            }
        }
    }

    /// Returns the failure for a write error.
    pub(crate) fn failure(&self, error: &io::Error) -> Failure {
        failure(&self.path, error)
    }
}

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Stream(out) => out.write(bytes),
            Out::File(out, ..) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Stream(out) => out.flush(),
            Out::File(out, ..) => out.flush(),
        }
    }
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    let advice = match error.kind() {
        io::ErrorKind::AlreadyExists => "; use --force to replace it",
        io::ErrorKind::NotFound => "; create the folder first",
        io::ErrorKind::BrokenPipe => return Failure::PipeClosed,
        _ => "",
    };
    Failure::Output(format!("{}: {error}{advice}", shown(path)))
}

/// Refuses a file of one of these databases, and without `force` any existing file.
pub(crate) fn refuse(path: &Path, force: bool, databases: &[PathBuf]) -> Result<(), Failure> {
    refuse_database(path, databases)?;
    // A link to nowhere counts as a file: the report would be created at its other end.
    if !force && fs::symlink_metadata(path).is_ok() {
        let name = shown(path);
        let message = format!("{name}: already exists; use --force to replace it");
        return Err(Failure::Output(message));
    }
    Ok(())
}

/// Refuses a file of one of these databases.
pub(crate) fn refuse_database(path: &Path, databases: &[PathBuf]) -> Result<(), Failure> {
    match databases.iter().find(|database| belongs_to(path, database)) {
        None => Ok(()),
        Some(database) => Err(Failure::Output(format!(
            "{} is a file of {}, which this command reads or writes; choose another name",
            shown(path),
            shown(database)
        ))),
    }
}
