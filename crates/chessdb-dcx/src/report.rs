//! Shortcuts for reporting findings of this format.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::report::GameReport;
use chessdb_core::{ErrorKind, Result, Severity};

use crate::raw::{FileKind, Magic, MagicFault};
use crate::roles::DCG_FILE;

/// Reporting of findings of this format through a [`GameReport`].
pub(crate) trait ReportExt {
    /// Reports a deviation of a file as a whole.
    fn file(&mut self, severity: Severity, kind: ErrorKind, file: Role) -> Result<()>;

    /// Reports each of these counts of damage in a file that is not 0.
    fn lost_counts(&mut self, counts: &[(&'static str, u64)], file: Role) -> Result<()> {
        for &(what, found) in counts.iter().filter(|&&(_, count)| count > 0) {
            let kind = ErrorKind::mismatch(what, found, 0);
            self.file(Severity::Lost, kind, file)?;
        }
        Ok(())
    }

    /// Reports a field with an irregular value in the game's entry, which begins at `entry`.
    fn entry(
        &mut self,
        severity: Severity,
        field: &'static str,
        value: u64,
        entry: Location,
    ) -> Result<()>;

    /// Reports a deviation at a byte of .dcg.
    fn byte(&mut self, severity: Severity, kind: ErrorKind, offset: u64) -> Result<()>;

    /// Reports irregular magic bytes of a file.
    fn magic(&mut self, magic: &Magic, kind: FileKind) -> Result<()>;
}

impl ReportExt for GameReport<'_> {
    #[cold]
    fn file(&mut self, severity: Severity, kind: ErrorKind, file: Role) -> Result<()> {
        self.add(severity, kind, Location::file(file))
    }

    #[cold]
    fn entry(
        &mut self,
        severity: Severity,
        field: &'static str,
        value: u64,
        entry: Location,
    ) -> Result<()> {
        self.add(severity, ErrorKind::bad_field(field, value), entry)
    }

    #[cold]
    fn byte(&mut self, severity: Severity, kind: ErrorKind, offset: u64) -> Result<()> {
        self.add(severity, kind, Location::byte(DCG_FILE, offset))
    }

    fn magic(&mut self, magic: &Magic, kind: FileKind) -> Result<()> {
        let Some(fault) = magic.fault(kind) else {
            return Ok(());
        };
        let severity = match fault {
            MagicFault::OldSpelling | MagicFault::OtherFile(_) => Severity::Note,
            MagicFault::Short | MagicFault::Foreign => Severity::Lost,
        };
        let expected = Magic::COMMON;
        self.file(severity, ErrorKind::BadMagic { expected }, kind.role())
    }
}
