//! ChessBase archives, with or without a password: their members and contents.

use std::io::{self, Read, Seek, SeekFrom};

use chessdb_cbh::archive::{ArchiveHeader, Deciphered, Key, Member, Unpacked};

use super::directory::{ArchiveListing, MemberLocation, StatedMember};
use super::{Archive, Open, Stream};
use crate::error::Problem;

fn damaged<E>(_: E) -> Problem {
    Problem::Packed("damaged ChessBase archive")
}

/// Recognises an archive by its first bytes, either plain or after decryption with the given
/// password.
pub(crate) fn recognised(start: &[u8], key: Option<Key>) -> Option<Archive> {
    if ArchiveHeader::parse(start).is_some() {
        return Some(Archive::Cbv(None));
    }
    let open = key?.decipher(*start.first_chunk()?);
    ArchiveHeader::parse(&open).map(|_| Archive::Cbv(key))
}

/// Lists the file members of the archive.
pub(super) fn list<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    key: Option<Key>,
) -> Result<ArchiveListing, Problem> {
    let mut archive = from(open, key, 0)?;
    let mut header = [0; ArchiveHeader::SIZE];
    archive.read_exact(&mut header).map_err(damaged)?;
    let header = ArchiveHeader::parse(&header).ok_or_else(|| damaged(()))?;
    let mut table = vec![0; header.table_end() - ArchiveHeader::SIZE];
    archive.read_exact(&mut table).map_err(damaged)?;
    let listed = |member: Member| StatedMember {
        name: member.text(),
        place: MemberLocation::Cbv(member),
    };
    Ok(ArchiveListing {
        members: Member::parse_all(&table).into_iter().map(listed).collect(),
        unread: Vec::new(),
    })
}

/// Returns the content of a member. Its blocks are checked against their checksums.
pub(super) fn member<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    key: Option<Key>,
    member: &Member,
) -> Result<Stream<'static>, Problem> {
    let stream = from(open, key, member.offset)?.take(member.packed);
    Ok(Box::new(Unpacked::new(stream, member.size)))
}

/// Returns the decrypted bytes of the archive from `start` on.
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
    // The cipher works on blocks of eight bytes.
    let within = start % 8;
    file.seek(SeekFrom::Start(start - within))?;
    let mut open = Deciphered::new(file, key);
    io::copy(&mut open.by_ref().take(within), &mut io::sink())?;
    Ok(Box::new(open))
}
