//! The place where a SQLite file is built before it is complete: a temporary file, or memory where
//! there are no files. Both yield the same bytes.

use chessdb_core::Result;
use chessdb_core::store::StoredRows;
use rusqlite::Connection;

/// The offset of the two bytes that announce a write-ahead log.
pub(super) const VERSIONS: u64 = 18;

/// A SQLite file that no one else sees yet.
#[cfg(not(target_family = "wasm"))]
pub(super) enum Draft {
    /// The hidden file of the sink, which SQLite writes itself.
    Hidden(std::path::PathBuf),
    /// A temporary file for another sink.
    Temporary(tempfile::NamedTempFile),
}

#[cfg(not(target_family = "wasm"))]
impl Draft {
    /// What a large index is sorted in, so that it needs no memory.
    pub(super) const TEMP_STORE: &str = "FILE";

    pub(super) fn new(hidden: Option<&std::path::Path>) -> Result<Draft> {
        Ok(match hidden {
            Some(path) => Draft::Hidden(path.to_owned()),
            None => Draft::Temporary(tempfile::NamedTempFile::new()?),
        })
    }

    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        Connection::open(self.path())
    }

    fn path(&self) -> &std::path::Path {
        match self {
            Draft::Hidden(path) => path,
            Draft::Temporary(file) => file.path(),
        }
    }

    /// Replaces the file, which no one has open, with a copy of another and connects to it. Returns
    /// also the bytes at [`VERSIONS`], which the copy does not have: it includes the pages of the
    /// write-ahead log and is not written with one.
    pub(super) fn connect_to_copy(
        &self,
        source: &dyn StoredRows,
        failed: impl Fn(rusqlite::Error) -> chessdb_core::Error,
    ) -> Result<(Connection, [u8; 2])> {
        use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

        let (mut versions, start) = ([1; 2], SeekFrom::Start(VERSIONS));
        let mut options = std::fs::File::options();
        let opened = options
            .read(true)
            .write(true)
            .truncate(true)
            .open(self.path())?;
        let mut buffered = std::io::BufWriter::new(opened);
        source.copy_file(&mut |bytes| Ok(buffered.write_all(bytes)?))?;
        let mut file = buffered
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        file.seek(start)?;
        file.read_exact(&mut versions)?;
        file.seek(start)?;
        // The copy has the pages of the log and must not announce one.
        file.write_all(&[1; 2])?;
        drop(file);
        Ok((self.connect().map_err(failed)?, versions))
    }

    /// Passes the bytes of the file that the connection wrote to `to`, unless the sink has them.
    pub(super) fn give(
        &self,
        connection: Connection,
        failed: impl Fn(rusqlite::Error) -> chessdb_core::Error,
        to: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        use std::io::Read as _;

        connection.close().map_err(|(_, error)| failed(error))?;
        let Draft::Temporary(file) = self else {
            return Ok(());
        };
        let mut complete = file.reopen()?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = complete.read(&mut buffer)?;
            let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
                return Ok(());
            };
            to(bytes)?;
        }
    }
}

/// A SQLite file that no one else sees yet.
#[cfg(target_family = "wasm")]
pub(super) struct Draft;

#[cfg(target_family = "wasm")]
impl Draft {
    /// What a large index is sorted in: there are no files.
    pub(super) const TEMP_STORE: &str = "MEMORY";

    pub(super) fn new(_: Option<&std::path::Path>) -> Result<Draft> {
        Ok(Draft)
    }

    /// Connects to SQLite's own in-memory file. `:memory:` would not do: its header lacks the
    /// counters of a file.
    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        use rusqlite::OpenFlags;

        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags_and_vfs("file:draft", flags, c"memdb")
    }

    /// Connects to a copy of another file. Returns also the bytes at [`VERSIONS`].
    pub(super) fn connect_to_copy(
        &self,
        source: &dyn StoredRows,
        failed: impl Fn(rusqlite::Error) -> chessdb_core::Error,
    ) -> Result<(Connection, [u8; 2])> {
        let (mut bytes, mut versions) = (Vec::new(), [1; 2]);
        source.copy_file(&mut |page| {
            bytes.extend_from_slice(page);
            Ok(())
        })?;
        let start = VERSIONS as usize;
        if let Some(stored) = bytes.get_mut(start..start + versions.len()) {
            versions.swap_with_slice(stored);
        }
        let mut connection = self.connect().map_err(&failed)?;
        connection
            .deserialize_read_exact("main", &bytes[..], bytes.len(), false)
            .map_err(failed)?;
        Ok((connection, versions))
    }

    /// Passes the bytes of the file that the connection wrote to `to`.
    pub(super) fn give(
        &self,
        mut connection: Connection,
        failed: impl Fn(rusqlite::Error) -> chessdb_core::Error,
        to: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        to(&connection.serialize("main").map_err(failed)?)
    }
}
