//! Appending to files on disk.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use chessdb_core::files::{FileId, Growing, LibraryChange, Role};
use chessdb_core::{ErrorKind, Result};

use super::kept_journal::is_known_sound;
use super::sink::DirSink;

impl Growing for DirSink {
    fn length(&self, role: Role) -> Option<u64> {
        let (_, target) = self.targets.iter().find(|(other, _)| *other == role)?;
        let data = fs::metadata(target).ok()?;
        data.is_file().then_some(data.len())
    }

    fn read_old(&self, role: Role, offset: u64, into: &mut [u8]) -> Result<()> {
        let target = self.targets.iter().find(|(other, _)| *other == role);
        let (_, target) = target.ok_or(ErrorKind::MissingFile(role))?;
        let mut file = File::open(target)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(file.read_exact(into)?)
    }

    fn grow(&mut self, role: Role) -> Result<FileId> {
        self.start(role, true)
    }

    fn is_known_sound(&self) -> bool {
        is_known_sound(self.main(), self.paths().filter(|path| path.exists()))
    }

    fn note_sound(&mut self) {
        self.is_sound = true;
    }

    fn remove(&mut self, role: Role) -> Result<()> {
        let target = self.targets.iter().find(|(other, _)| *other == role);
        let (_, target) = target.ok_or(ErrorKind::MissingFile(role))?;
        if target.is_file() {
            self.removed.push(target.clone());
        }
        Ok(())
    }

    fn lend(&mut self, role: Role) -> Result<Option<PathBuf>> {
        let target = self.targets.iter().find(|(other, _)| *other == role);
        let (_, target) = target.ok_or(ErrorKind::MissingFile(role))?;
        // The libraries put their own files next to the file to which links lead.
        let path = fs::canonicalize(target)?;
        self.back_up_old()?;
        Ok(Some(path))
    }

    fn check_lent(&self, role: Role) -> Result<()> {
        Ok(self.check_lent_file(role)?)
    }

    fn note_change(&mut self, role: Role, change: Option<LibraryChange>) {
        self.note_made(role, change);
    }
}
