//! The bytes of one file until the commit.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use chessdb_core::files::{ByteRange, Role};
use chessdb_core::{ErrorKind, Result};
use chessdb_owned::HiddenFileGuard;

use super::super::disk::remove;
use crate::filesystem::plain_file;

#[derive(Debug)]
pub(in super::super) struct OutputFile {
    pub(super) output: Output,
    pub(in super::super) role: Role,
    pub(super) hidden: PathBuf,
    pub(super) target: PathBuf,
    /// Set if the bytes are appended to an existing file.
    pub(in super::super) grown: Option<Appending>,
    /// A signal removes the file until the commit begins.
    pub(super) removed_by_signal: Option<HiddenFileGuard>,
}

/// The place of the bytes of a file until the commit.
#[derive(Debug)]
pub(super) enum Output {
    /// In the hidden file.
    File(File),
    /// In memory, for bytes that are appended to an existing file.
    Memory(Vec<u8>),
}

/// The number of appended bytes that are kept in memory. More of them go to a hidden file.
const MAX_IN_MEMORY: usize = 4 << 20;

/// The state of a file that grows.
#[derive(Debug)]
pub(in super::super) struct Appending {
    /// The file with its old bytes.
    pub(in super::super) old: File,
    /// The length before.
    pub(in super::super) before: u64,
    /// Offsets at its beginning, each with the new bytes.
    pub(super) changes: Vec<(u64, Vec<u8>)>,
    /// Replaced ranges, from the end of the file to its start.
    pub(in super::super) splices: Vec<ByteRange>,
}

impl Appending {
    /// Opens a file for appending.
    pub(super) fn open(target: &Path) -> std::io::Result<Appending> {
        let old = plain_file::open(target)?;
        Ok(Appending {
            before: old.metadata()?.len(),
            old,
            changes: Vec::new(),
            splices: Vec::new(),
        })
    }
}

impl OutputFile {
    /// Creates the hidden file and moves the bytes in memory to it.
    pub(super) fn open_hidden(&mut self) -> Result<()> {
        // We hold the lock, so any such file is left over from a killed writer.
        remove(&self.hidden)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let mut file = options.open(&self.hidden)?;
        self.removed_by_signal = Some(HiddenFileGuard::new(&self.hidden));
        if let Output::Memory(bytes) = &self.output {
            file.write_all(bytes)?;
        }
        self.output = Output::File(file);
        Ok(())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.output {
            Output::File(file) => return Ok(file.write_all(bytes)?),
            Output::Memory(written) => written.extend_from_slice(bytes),
        }
        if matches!(&self.output, Output::Memory(written) if written.len() > MAX_IN_MEMORY) {
            self.open_hidden()?;
        }
        Ok(())
    }

    /// Overwrites bytes that were written, at an offset from the first of them.
    pub(super) fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let needed = offset.saturating_add(bytes.len() as u64);
        let length = match &mut self.output {
            Output::File(file) => file.seek(SeekFrom::End(0))?,
            Output::Memory(written) => written.len() as u64,
        };
        if needed > length {
            return Err(ErrorKind::truncated("changing a written file", needed, length).into());
        }
        match &mut self.output {
            Output::File(file) => {
                file.seek(SeekFrom::Start(offset))?;
                file.write_all(bytes)?;
                file.seek(SeekFrom::End(0))?;
            }
            Output::Memory(written) => {
                if let Some(place) = written.get_mut(offset as usize..needed as usize) {
                    place.copy_from_slice(bytes);
                }
            }
        }
        Ok(())
    }
}
