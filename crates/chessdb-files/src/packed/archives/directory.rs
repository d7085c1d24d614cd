//! The table of contents of an archive, read once, and access to the members.
//!
//! Names are untrusted. For every kind of archive, [`safe_name`] is the only place that converts
//! them to paths: no name leads out of the folder that represents the archive.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{Archive, Open, Packing, Stream, cbv, sevenzip, tar, zip};
use crate::error::Problem;
use crate::paths::{is_system_file, split};
use crate::temporary::{TemporaryFile, temporary_file};
use chessdb_core::sorting::sort_by;

/// The files in an archive, sorted by name.
#[derive(Debug)]
pub struct Directory {
    archive: Archive,
    members: Vec<Member>,
    /// Changed names, each with the original spelling in the archive.
    renamed: Vec<(PathBuf, String)>,
    /// Entries that are files, but of an unsupported kind.
    unread: Vec<PathBuf>,
    spool: Mutex<Spool>,
    /// The block of a 7z archive that was unpacked last.
    block: Mutex<Option<sevenzip::UnpackedBlock>>,
}

/// A file in an archive.
#[derive(Debug)]
pub(crate) struct Member {
    /// A unique relative path of plain names.
    pub(crate) name: PathBuf,
    place: MemberLocation,
}

/// The location of a member's content.
#[derive(Debug)]
pub(super) enum MemberLocation {
    Zip(zip::ZipEntry),
    #[cfg_attr(
        not(feature = "archives"),
        expect(dead_code, reason = "such archives are not listed")
    )]
    SevenZip(sevenzip::SevenZipMember),
    Tar {
        /// The offset in the unpacked archive.
        start: u64,
        size: u64,
    },
    Cbv(chessdb_cbh::archive::Member),
}

/// A member as stated in the archive.
pub(super) struct StatedMember {
    pub(super) name: String,
    pub(super) place: MemberLocation,
}

/// The result of reading the table of contents of one kind of archive.
#[derive(Default)]
pub(super) struct ArchiveListing {
    pub(super) members: Vec<StatedMember>,
    /// Names of entries of an unsupported kind.
    pub(super) unread: Vec<String>,
}

/// The unpacked copy of a packed tar archive.
///
/// Such an archive can be read from its beginning only. If several members are requested, it is
/// unpacked once, into an unnamed temporary file.
#[derive(Debug)]
enum Spool {
    /// The number of members read so far.
    Opened(u32),
    File(TemporaryFile),
    /// It cannot be unpacked to disk: not enough space, or too large.
    Never,
}

impl Spool {
    fn new() -> Spool {
        // Memory is too small for what unpacks to disk elsewhere.
        if cfg!(target_family = "wasm") { Spool::Never } else { Spool::Opened(0) }
    }
}

/// The count of members from which a packed tar archive is unpacked to disk. The files of one set
/// are read without it.
const SPOOL_FROM: u32 = 4;

/// The largest archive that is unpacked to disk, in bytes.
const LARGEST_SPOOL: u64 = 8 << 30;

impl Directory {
    /// Reads the table of contents.
    pub(in crate::packed) fn read<R: Read + Seek + Send + 'static>(
        archive: Archive,
        open: Open<'_, R>,
    ) -> Result<Directory, Problem> {
        let listing = match archive {
            Archive::Zip => zip::list(open)?,
            Archive::SevenZip => sevenzip::list(open)?,
            Archive::Tar(packing) => tar::list(open, packing)?,
            Archive::Cbv(key) => cbv::list(open, key)?,
        };
        let mut names = UniqueNames::default();
        let mut renamed = Vec::new();
        let mut members = Vec::with_capacity(listing.members.len());
        for StatedMember { name, place } in listing.members {
            let safe = safe_name(&name);
            let is_same = is_harmless(&name);
            if is_system_file(&safe) {
                continue;
            }
            let unique = names.unique(safe);
            if !is_same || unique.is_another {
                renamed.push((unique.name.clone(), name));
            }
            members.push(Member {
                name: unique.name,
                place,
            });
        }
        sort_by(&mut members, |a, b| a.name.cmp(&b.name));
        let unread = listing.unread.iter().map(|name| safe_name(name));
        Ok(Directory {
            archive,
            members,
            renamed,
            unread: unread.collect(),
            spool: Mutex::new(Spool::new()),
            block: Mutex::new(None),
        })
    }

    /// Returns the names of the members, sorted.
    pub(crate) fn names(&self) -> Vec<PathBuf> {
        let names = self.members.iter().map(|member| member.name.clone());
        names.collect()
    }

    /// Returns the members that have another name in the archive, with that name: those that lead
    /// out of the archive, and all except the first with the same name.
    pub(crate) fn renamed(&self) -> &[(PathBuf, String)] {
        &self.renamed
    }

    /// Returns the entries of an unsupported kind, such as sparse files.
    pub(crate) fn unread(&self) -> &[PathBuf] {
        &self.unread
    }

    /// Returns whether there is a member with this name.
    pub(crate) fn contains(&self, name: &Path) -> bool {
        self.get(name).is_some()
    }

    fn get(&self, name: &Path) -> Option<&Member> {
        let index = self
            .members
            .binary_search_by(|member| member.name.as_path().cmp(name));
        self.members.get(index.ok()?)
    }

    /// Returns the content of a member. Truncation or damage may only be reported at its end.
    pub(crate) fn member<R: Read + Seek + Send + 'static>(
        &self,
        mut open: impl FnMut() -> io::Result<R>,
        name: &Path,
    ) -> Result<Stream<'static>, Problem> {
        let member = self.get(name).ok_or(Problem::NotFound)?;
        match &member.place {
            MemberLocation::Zip(entry) => zip::member(&mut open, entry),
            MemberLocation::SevenZip(member) => {
                let mut block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
                sevenzip::member(&mut open, *member, &mut block)
            }
            MemberLocation::Tar { start, size } => {
                let archive = self.tar_from(&mut open, *start)?;
                Ok(tar::member(archive, *size))
            }
            MemberLocation::Cbv(member) => {
                let key = match self.archive {
                    Archive::Cbv(key) => key,
                    _ => None,
                };
                cbv::member(&mut open, key, member)
            }
        }
    }

    /// Returns the bytes of an unpacked tar archive from `start` on.
    fn tar_from<R: Read + Seek + Send + 'static>(
        &self,
        open: Open<'_, R>,
        start: u64,
    ) -> Result<Stream<'static>, Problem> {
        let packing = match self.archive {
            Archive::Tar(packing) => packing,
            _ => Packing::None,
        };
        if packing == Packing::None {
            let mut file = open()?;
            file.seek(SeekFrom::Start(start))?;
            return Ok(Box::new(file));
        }
        if let Some(file) = self.spooled(open, packing) {
            return Ok(Box::new(PositionedReader::new(file, start)));
        }
        let mut archive = packing.undo(Box::new(open()?))?;
        io::copy(&mut archive.by_ref().take(start), &mut io::sink())?;
        Ok(archive)
    }

    /// Returns the unpacked archive on disk, if several members have been requested.
    fn spooled<R: Read + Seek + Send + 'static>(
        &self,
        open: Open<'_, R>,
        packing: Packing,
    ) -> Option<TemporaryFile> {
        let mut spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        if let Spool::Opened(times) = &mut *spool {
            *times += 1;
            if *times < SPOOL_FROM {
                return None;
            }
            *spool = match unpack_to_disk(open, packing) {
                Ok(file) => Spool::File(file),
                Err(_) => Spool::Never,
            };
        }
        match &*spool {
            Spool::File(file) => file.try_clone().ok(),
            _ => None,
        }
    }
}

fn unpack_to_disk<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    packing: Packing,
) -> io::Result<TemporaryFile> {
    let mut file = temporary_file()?;
    let archive = packing.undo(Box::new(open()?));
    let archive = archive.map_err(|_| io::Error::from(io::ErrorKind::Unsupported))?;
    // Damage ends the copy, and members before it would be complete.
    let copied = io::copy(&mut archive.take(LARGEST_SPOOL + 1), &mut file);
    match copied {
        Ok(length) if length <= LARGEST_SPOOL => Ok(file),
        Ok(_) => Err(io::ErrorKind::FileTooLarge.into()),
        Err(error) => Err(error),
    }
}

/// A reader of a file with its own position, independent of other readers.
pub(super) struct PositionedReader {
    file: TemporaryFile,
    offset: u64,
}

impl PositionedReader {
    /// Returns a reader of the bytes from `offset` on.
    pub(super) fn new(file: TemporaryFile, offset: u64) -> PositionedReader {
        PositionedReader { file, offset }
    }
}

impl Read for PositionedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&self.file, buffer, self.offset)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&self.file, buffer, self.offset)?;
        #[cfg(not(any(unix, windows)))]
        let read = {
            self.file.seek(SeekFrom::Start(self.offset))?;
            self.file.read(buffer)?
        };
        self.offset += read as u64;
        Ok(read)
    }
}

/// Converts the name of a member to a safe path: relative, with plain names only. Slash and
/// backslash both separate names. Drives, the root and `..` are dropped, so that no name leads out
/// of the folder that represents the archive.
///
/// Other names that a file system may reject (reserved names, control characters) matter only when
/// a file is written: see [`crate::paths::portable_name`].
pub(crate) fn safe_name(name: &str) -> PathBuf {
    let parts = name.split(['/', '\\']).map(without_drives);
    let parts: Vec<&str> = parts
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect();
    if parts.is_empty() {
        return PathBuf::from("unnamed");
    }
    PathBuf::from(parts.join("/").replace('\0', "_"))
}

/// Returns whether [`safe_name`] leaves a name unchanged, apart from a leading `./` and
/// backslashes.
fn is_harmless(name: &str) -> bool {
    let name = name.strip_prefix("./").unwrap_or(name);
    let is_plain = |part: &str| {
        !matches!(part, "" | "." | "..") && !part.contains('\0') && without_drives(part) == part
    };
    name.split(['/', '\\']).all(is_plain)
}

/// Removes leading drives such as `C:` from a part of a name, which would make it an absolute path
/// on Windows.
fn without_drives(mut part: &str) -> &str {
    loop {
        let mut letters = part.chars();
        match (letters.next(), letters.next()) {
            (Some(drive), Some(':')) if drive.is_ascii_alphabetic() => part = letters.as_str(),
            _ => return part,
        }
    }
}

/// The names that are taken.
#[derive(Default)]
struct UniqueNames {
    taken: HashSet<PathBuf>,
    /// How often a name was requested.
    requests: HashMap<PathBuf, u32>,
}

struct UniqueName {
    name: PathBuf,
    /// Whether the requested name was taken.
    is_another: bool,
}

impl UniqueNames {
    /// Returns this name, or `name (2).pgn` if it is taken. The files of a set get equal numbers
    /// and so stay together.
    fn unique(&mut self, name: PathBuf) -> UniqueName {
        if self.taken.insert(name.clone()) {
            return UniqueName {
                name,
                is_another: false,
            };
        }
        let count = self.requests.entry(name.clone()).or_insert(1);
        loop {
            *count = count.saturating_add(1);
            let another = with_number(&name, *count);
            if self.taken.insert(another.clone()) {
                return UniqueName {
                    name: another,
                    is_another: true,
                };
            }
        }
    }
}

/// Returns the path with a number before the suffix: `a (2).pgn`.
fn with_number(path: &Path, number: u32) -> PathBuf {
    let (stem, extension) = split(path.file_name().unwrap_or_default());
    let mut name = stem.to_owned();
    name.push(format!(" ({number})"));
    if !extension.is_empty() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
