//! Files that are read in a transaction of their container's library, such as SQLite.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use chessdb_core::files::Transaction;

/// A file that is open in a transaction. The transaction ends before the file is closed.
#[derive(Debug)]
pub(super) struct HeldFile {
    pub(super) transaction: Box<dyn Transaction>,
    pub(super) _file: File,
}

impl Transaction for HeldFile {
    fn verify(&self) -> Vec<String> {
        self.transaction.verify()
    }

    fn end(&self) {
        self.transaction.end();
    }
}

/// Returns the write-ahead log next to a database, if it has content.
pub(super) fn side_log(path: &Path) -> Option<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let log = PathBuf::from(name);
    let data = fs::symlink_metadata(&log);
    data.is_ok_and(|data| data.is_file() && data.len() > 0)
        .then_some(log)
}

/// Reads a write-ahead log. Another program may begin it again at any time; the bytes of one beginning
/// belong together. `None` if it is begun again and again.
pub(super) fn settled(log: &Path) -> Option<Vec<u8>> {
    const TRIES: u32 = 10;
    /// The part of the log that changes when it is begun again.
    const HEADER: u64 = 32;
    for _ in 0..TRIES {
        let mut header = Vec::new();
        let bytes = fs::read(log).ok()?;
        let file = File::open(log).ok()?;
        file.take(HEADER).read_to_end(&mut header).ok()?;
        if bytes.starts_with(&header) && header.is_empty() == bytes.is_empty() {
            return Some(bytes);
        }
    }
    None
}
