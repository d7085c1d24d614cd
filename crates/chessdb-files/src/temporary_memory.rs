//! Memory in place of temporary files, for WebAssembly, which has no files.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Memory that is read and written like a file. Clones share the content; each has its own position.
#[derive(Clone, Default, Debug)]
pub struct TemporaryFile {
    content: Arc<Mutex<Vec<u8>>>,
    position: u64,
}

/// Creates an empty file.
///
/// # Errors
///
/// Never fails.
pub fn temporary_file() -> io::Result<TemporaryFile> {
    Ok(TemporaryFile::default())
}

impl TemporaryFile {
    /// Returns another handle of the content.
    ///
    /// # Errors
    ///
    /// Never fails.
    pub fn try_clone(&self) -> io::Result<TemporaryFile> {
        Ok(self.clone())
    }

    fn with<T>(
        &mut self,
        act: impl FnOnce(&mut Cursor<&mut Vec<u8>>) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cursor = Cursor::new(&mut *content);
        cursor.set_position(self.position);
        let result = act(&mut cursor);
        self.position = cursor.position();
        result
    }
}

impl Read for TemporaryFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(|cursor| cursor.read(buffer))
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|cursor| cursor.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for TemporaryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.with(|cursor| cursor.seek(to))
    }
}
