//! Where deviations go: errors in strict mode, otherwise diagnostics.

use chessdb_core::{ErrorKind, Location, ReadOptions, Result, Role, Scratch, Severity};

use crate::raw::{FileKind, Magic, MagicFault};
use crate::{DCG_FILE, DCI_FILE};

/// Takes the deviations of one game, or of opening the base.
#[derive(Debug)]
pub(crate) struct Report<'s> {
    options: &'s ReadOptions,
    scratch: &'s mut Scratch,
    /// The game, from 1, and where its entry begins in the index.
    game: Option<(u32, u64)>,
}

impl<'s> Report<'s> {
    pub(crate) fn new(
        options: &'s ReadOptions,
        scratch: &'s mut Scratch,
        game: Option<(u32, u64)>,
    ) -> Report<'s> {
        Report {
            options,
            scratch,
            game,
        }
    }

    /// A deviation at a place; the game is filled in.
    #[cold]
    pub(crate) fn deviation(
        &mut self,
        severity: Severity,
        kind: ErrorKind,
        mut at: Location,
    ) -> Result<()> {
        at.game = at.game.or(self.game.map(|(game, _)| game));
        self.scratch.deviation(self.options, severity, kind, at)
    }

    /// A deviation of a file as a whole.
    #[cold]
    pub(crate) fn file(&mut self, severity: Severity, kind: ErrorKind, file: Role) -> Result<()> {
        let at = Location {
            file: Some(file),
            ..Location::default()
        };
        self.deviation(severity, kind, at)
    }

    /// A field of the game's entry with an odd value.
    #[cold]
    pub(crate) fn entry(
        &mut self,
        severity: Severity,
        field: &'static str,
        value: u64,
    ) -> Result<()> {
        let offset = self.game.map_or(0, |(_, offset)| offset);
        let at = Location::byte(DCI_FILE, offset);
        self.deviation(severity, ErrorKind::BadField { field, value }, at)
    }

    /// A deviation at a byte of .dcg.
    #[cold]
    pub(crate) fn byte(&mut self, severity: Severity, kind: ErrorKind, offset: u64) -> Result<()> {
        self.deviation(severity, kind, Location::byte(DCG_FILE, offset))
    }
    /// Odd magic bytes of a file.
    pub(crate) fn magic(&mut self, magic: &Magic, kind: FileKind) -> Result<()> {
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
