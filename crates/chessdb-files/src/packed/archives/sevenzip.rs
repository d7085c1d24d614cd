//! 7z archives: their members and contents.
//!
//! Members are compressed together in blocks, and a block can be read from its beginning only.
//! [`UnpackedBlock`] keeps the last one, so the files of a set are unpacked once.

use std::io::{self, Read, Seek, Write};

use sevenz_rust2::{Archive, ArchiveEntry, BlockDecoder, EncoderMethod, Error, Password};

use super::directory::{ArchiveListing, MemberLocation, StatedMember};
use super::{Open, Stream};
use crate::error::Problem;
use crate::packed::UNPACKED;
use crate::temporary::{TemporaryFile, temporary_file};

/// The memory that a decoder takes besides its dictionary, in KiB.
const DECODER_KIB: usize = 1 << 10;

/// The memory limit of each decoder in KiB. The highest level of 7-Zip has a dictionary of 256 MiB
/// for LZMA, and needs 192 MiB for PPMd.
const MEMORY_KIB: usize = (256 << 10) + DECODER_KIB;

/// The limit of the unpacked table of contents, and of the memory for unpacking it, in KiB. py7zr
/// packs the table with a dictionary of 16 MiB.
const TABLE_KIB: usize = (16 << 10) + DECODER_KIB;

/// An archive with more files is considered an attack.
const MEMBERS: usize = 100_000;

/// The largest block that is unpacked, in bytes.
const LARGEST_BLOCK: u64 = if cfg!(target_family = "wasm") { UNPACKED } else { 8 << 30 };

const DAMAGED: &str = "damaged 7z archive";
const ENCRYPTED: &str = "an encrypted 7z archive, which is not supported; unpack it first";

/// A member: its place in the list of the archive, and the block that contains it. An empty member
/// is in no block.
#[derive(Clone, Copy, Debug)]
pub(super) struct SevenZipMember {
    index: usize,
    block: Option<usize>,
}

/// Lists the file members of the archive.
pub(super) fn list<R: Read + Seek>(open: Open<'_, R>) -> Result<ArchiveListing, Problem> {
    let archive = read(&mut open()?)?;
    let blocks = &archive.stream_map.file_block_index;
    let is_file = |entry: &ArchiveEntry| !entry.is_directory() && !entry.is_anti_item();
    let files = archive.files.iter().zip(blocks).enumerate();
    let members = files.filter(|(_, (entry, _))| is_file(entry));
    let members = members.map(|(index, (entry, &block))| StatedMember {
        name: entry.name().to_owned(),
        place: MemberLocation::SevenZip(SevenZipMember { index, block }),
    });
    let members: Vec<_> = members.take(MEMBERS + 1).collect();
    if members.len() > MEMBERS {
        return Err(Problem::Packed("a 7z archive with too many files"));
    }
    Ok(ArchiveListing {
        members,
        unread: Vec::new(),
    })
}

fn read<R: Read + Seek>(file: &mut R) -> Result<Archive, Problem> {
    Archive::read_with_memory_limit(file, &Password::empty(), TABLE_KIB)
        .map_err(|error| problem(&error))
}

/// Converts an error of the decoder, which a damaged archive may cause anywhere.
fn problem(error: &Error) -> Problem {
    Problem::Packed(match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => ENCRYPTED,
        Error::UnsupportedCompressionMethod(name)
            if name == EncoderMethod::AES256_SHA256.name() =>
        {
            ENCRYPTED
        }
        Error::UnsupportedCompressionMethod(_) | Error::Unsupported(_) => {
            "a 7z archive packed with an unsupported method; unpack it first"
        }
        Error::MaxMemLimited { .. } => "a 7z archive that needs too much memory; unpack it first",
        _ => DAMAGED,
    })
}

/// The unpacked content of a block.
#[derive(Debug)]
pub(super) struct UnpackedBlock {
    block: usize,
    content: TemporaryFile,
    members: Vec<Part>,
    /// Why the block ends early, if it does.
    failure: Option<&'static str>,
}

/// A member in the content of a block.
#[derive(Debug)]
struct Part {
    index: usize,
    start: u64,
    length: u64,
    /// Whether the content is complete and has the right checksum.
    is_whole: bool,
}

/// Returns the content of a member. `last` holds the block that was unpacked last.
pub(super) fn member<R: Read + Seek>(
    open: Open<'_, R>,
    member: SevenZipMember,
    last: &mut Option<UnpackedBlock>,
) -> Result<Stream<'static>, Problem> {
    let Some(block) = member.block else {
        return Ok(Box::new(io::empty()));
    };
    if last.as_ref().is_none_or(|last| last.block != block) {
        // The space of the old one is free before the new one takes more.
        *last = None;
        *last = Some(UnpackedBlock::read(open, block)?);
    }
    last.as_ref().ok_or(Problem::NotFound)?.member(member.index)
}

impl UnpackedBlock {
    fn read<R: Read + Seek>(open: Open<'_, R>, block: usize) -> Result<UnpackedBlock, Problem> {
        let mut file = open()?;
        let archive = read(&mut file)?;
        let first = archive.stream_map.block_first_file_index.get(block);
        let first = *first.ok_or(Problem::Packed(DAMAGED))?;
        let mut content = temporary_file()?;
        let mut members = Vec::new();
        let mut start = 0;
        let mut written = Ok(());
        let (index, password) = (first, Password::empty());
        let decoder = BlockDecoder::new_with_memory_limit(
            1, MEMORY_KIB, block, &archive, &password, &mut file,
        );
        let mut indexes = index..;
        let decoded = decoder.for_each_entries(&mut |_, reader| {
            let mut part = Part {
                index: indexes.next().unwrap_or(usize::MAX),
                start,
                length: 0,
                is_whole: false,
            };
            let copied = copy(
                reader,
                &mut content,
                LARGEST_BLOCK - start,
                &mut part.length,
            );
            start += part.length;
            part.is_whole = matches!(copied, Ok(Copied::Whole));
            members.push(part);
            match copied {
                Ok(Copied::Whole) => Ok(true),
                // What follows is damaged too, as a rule; reading ends here.
                Ok(Copied::Damaged) => Ok(false),
                Err(problem) => {
                    written = Err(problem);
                    Ok(false)
                }
            }
        });
        written?;
        let failure = match decoded {
            Err(error) => match problem(&error) {
                Problem::Packed(what) if members.is_empty() => return Err(Problem::Packed(what)),
                _ => Some(DAMAGED),
            },
            Ok(_) => None,
        };
        Ok(UnpackedBlock {
            block,
            content,
            members,
            failure,
        })
    }

    fn member(&self, index: usize) -> Result<Stream<'static>, Problem> {
        let part = self.members.iter().find(|part| part.index == index);
        let part = part.ok_or(Problem::Packed(self.failure.unwrap_or(DAMAGED)))?;
        let content =
            super::directory::PositionedReader::new(self.content.try_clone()?, part.start);
        let content = content.take(part.length);
        if part.is_whole {
            Ok(Box::new(content))
        } else {
            Ok(Box::new(content.chain(DamagedEnd)))
        }
    }
}

/// How far a member was copied.
enum Copied {
    Whole,
    /// Up to damage.
    Damaged,
}

/// Copies a member and counts its bytes in `length`.
fn copy(
    reader: &mut dyn Read,
    content: &mut dyn Write,
    limit: u64,
    length: &mut u64,
) -> Result<Copied, Problem> {
    let mut buffer = [0; 16 << 10];
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(0) => return Ok(Copied::Whole),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(Copied::Damaged),
        };
        *length += count as u64;
        if *length > limit {
            return Err(Problem::TooLarge(LARGEST_BLOCK));
        }
        content.write_all(buffer.get(..count).unwrap_or_default())?;
    }
}

/// The end of a damaged member, which is an error.
struct DamagedEnd;

impl Read for DamagedEnd {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the 7z archive is damaged",
        ))
    }
}
