//! ChessBase's archives, with a password or without: which files lie in them, and what they hold.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use chessdb_cbh::archive::{ArchiveHeader, Deciphered, Key, Member, Unpacked};

use super::{Archive, Open, Stream};
use crate::error::Problem;

fn damaged<E>(_: E) -> Problem {
    Problem::Packed("is a damaged ChessBase archive")
}

/// Whether these are the first bytes of an archive: as they are, or with the password that is known.
pub(crate) fn recognised(start: &[u8], key: Option<Key>) -> Option<Archive> {
    if ArchiveHeader::parse(start).is_some() {
        return Some(Archive::Cbv(None));
    }
    let open = key?.decipher(*start.first_chunk()?);
    ArchiveHeader::parse(&open).map(|_| Archive::Cbv(key))
}

/// The file members of the archive, sorted by name.
pub(crate) fn members<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    key: Option<Key>,
) -> Result<Vec<PathBuf>, Problem> {
    let table = table(open, key)?;
    let mut names: Vec<PathBuf> = table.into_iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The content of a member, whose blocks are checked against their sums.
pub(crate) fn member<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    key: Option<Key>,
    name: &Path,
) -> Result<Stream<'static>, Problem> {
    let mut table = table(open, key)?.into_iter();
    let found = table.find(|(known, _)| known == name);
    let (_, member) = found.ok_or_else(|| damaged(()))?;
    let stream = from(open, key, member.offset)?.take(member.packed);
    Ok(Box::new(Unpacked::new(stream, member.size)))
}

fn table<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    key: Option<Key>,
) -> Result<Vec<(PathBuf, Member)>, Problem> {
    let mut archive = from(open, key, 0)?;
    let mut header = [0; ArchiveHeader::SIZE];
    archive.read_exact(&mut header).map_err(damaged)?;
    let header = ArchiveHeader::parse(&header).ok_or_else(|| damaged(()))?;
    let mut table = vec![0; header.table_end() - ArchiveHeader::SIZE];
    archive.read_exact(&mut table).map_err(damaged)?;
    let named = |member: Member| {
        let path = member.path().map(PathBuf::from);
        let path = path.ok_or(Problem::Packed(
            "holds a name that leads out of the archive",
        ))?;
        Ok((path, member))
    };
    Member::parse_all(&table).into_iter().map(named).collect()
}

/// The bytes of the archive from this one on, without its password.
fn from<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    key: Option<Key>,
    start: u64,
) -> io::Result<Stream<'static>> {
    let mut file = open()?;
    let Some(key) = key else {
        file.seek(SeekFrom::Start(start))?;
        return Ok(Box::new(file));
    };
    // What is enciphered are blocks of eight bytes.
    let within = start % 8;
    file.seek(SeekFrom::Start(start - within))?;
    let mut open = Deciphered::new(file, key);
    io::copy(&mut open.by_ref().take(within), &mut io::sink())?;
    Ok(Box::new(open))
}
