//! The format of the index and of the tree file: a header, pieces with a checksum each, two tables,
//! the checksums of the pieces, and a checksum of all bytes except the pieces
//! (docs/formats/chessdb-index.md, section 1).

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use chessdb_core::files::SharedBytes;
use chessdb_owned::release_mapped_pages;

use super::{FileStamp, bytes_at};

/// Length of the header, padded with zeros, so that full blocks begin at pages of a mapped file.
pub(crate) const HEADER_SIZE: usize = 4096;
const STAMPS_OFFSET: usize = 72;
/// Maximum number of files of a database; no format has more.
const MAX_FILES: u32 = 64;
pub(crate) const CHECKSUM_SIZE: usize = 4;

/// The numbers of the sections, in the order of the file.
pub(crate) const PIECES: usize = 0;
pub(crate) const FIRST_TABLE: usize = 1;
pub(crate) const SECOND_TABLE: usize = 2;
const SUMS: usize = 3;

/// The minimum length of a file from which pieces are copied. All pages of a smaller one are mapped
/// at once.
const MIN_COPIED: usize = 64 << 20;

/// Number of bytes after which a pass over the file releases its memory.
const PASS_BYTES: usize = 64 << 20;

/// The verification state of a piece.
const UNCHECKED: u8 = 0;
const GOOD: u8 = 1;
const BAD: u8 = 2;

pub(crate) const WRONG_LENGTH: &str = "it is damaged: its length is wrong";
pub(crate) const WRONG_COUNTS: &str = "it is damaged: its counts are wrong";

/// A kind of file: its magic bytes, with the version, and the reason to refuse other files.
pub(crate) struct FileKind {
    pub(crate) magic: [u8; 16],
    pub(crate) mismatch: &'static str,
}

/// The header of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Header {
    /// The number of games.
    pub(crate) games: u32,
    /// Numbers with another meaning in each kind of file.
    pub(crate) numbers: [u32; 4],
    /// The lengths of the sections.
    pub(crate) lengths: [u64; 4],
    /// The state of the files of the database.
    pub(crate) stamps: Vec<FileStamp>,
}

impl Header {
    fn to_bytes(&self, kind: &FileKind) -> Vec<u8> {
        let mut out = kind.magic.to_vec();
        let counts = [self.games, self.stamps.len() as u32];
        for number in counts.iter().chain(&self.numbers) {
            out.extend(number.to_le_bytes());
        }
        for length in self.lengths {
            out.extend(length.to_le_bytes());
        }
        self.stamps.iter().for_each(|stamp| stamp.write(&mut out));
        out.resize(HEADER_SIZE, 0);
        out
    }

    /// Parses the start of a file; returns the reason if it is invalid.
    fn parse(bytes: &[u8], kind: &FileKind) -> Result<Header, &'static str> {
        if !bytes.starts_with(&kind.magic) {
            return Err(kind.mismatch);
        }
        let number = |offset: usize| u32::from_le_bytes(bytes_at(bytes, offset));
        let length = |offset: usize| u64::from_le_bytes(bytes_at(bytes, offset));
        let files = number(20);
        if files > MAX_FILES {
            return Err(WRONG_COUNTS);
        }
        let stamps = bytes.get(STAMPS_OFFSET..).unwrap_or_default();
        let (stamps, _) = stamps.as_chunks::<{ FileStamp::SIZE }>();
        Ok(Header {
            games: number(16),
            numbers: [24, 28, 32, 36].map(number),
            lengths: [40, 48, 56, 64].map(length),
            stamps: stamps
                .iter()
                .take(files as usize)
                .map(FileStamp::read)
                .collect(),
        })
    }

    /// Returns the length of the whole file; `None` if it exceeds 64 bits.
    fn file_length(&self) -> Option<u64> {
        let around = (HEADER_SIZE + CHECKSUM_SIZE) as u64;
        let mut lengths = self.lengths.iter();
        lengths.try_fold(around, |sum, length| sum.checked_add(*length))
    }

    /// Returns the range of a section of a file with the correct length.
    pub(crate) fn section(&self, number: usize) -> Range<usize> {
        let before: u64 = self.lengths.iter().take(number).sum();
        let start = HEADER_SIZE + before as usize;
        let length = self.lengths.get(number).copied().unwrap_or_default();
        start..start + length as usize
    }
}

/// A range of bytes with its own checksum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The number of its checksum.
    pub(crate) number: usize,
    /// The offset in the file.
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl Piece {
    #[inline]
    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.start.saturating_add(self.length)
    }
}

/// A parsed file. Everything except the pieces is verified; each piece is verified at its first use.
pub(crate) struct SectionedFile {
    bytes: SharedBytes,
    /// The file of the bytes, if they are mapped: the system maps 16 pages around each page that is
    /// used, so pieces that are far from each other are copied instead.
    file: Option<File>,
    header: Header,
    /// One state per piece. The bytes do not change, so all threads get the same result and need no
    /// lock.
    states: Box<[AtomicU8]>,
    is_damaged: AtomicBool,
}

impl SectionedFile {
    /// Reads the file at this path, if there is one; returns the reason if it is invalid. No more
    /// bytes are read than its header states. `is_read_only` states whether it is not replaced while
    /// it is open ([`chessdb_files::files::Files::is_read_only`]).
    pub(crate) fn open(
        path: &Path,
        kind: &FileKind,
        is_read_only: bool,
    ) -> Result<Option<SectionedFile>, String> {
        let message = |error: io::Error| error.to_string();
        match fs::metadata(path) {
            Ok(data) if !data.is_file() => return Err("it is not a file".to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(message)?,
        };
        let mut file = File::open(path).map_err(message)?;
        let mut start = Vec::new();
        let read = (&mut file).take(HEADER_SIZE as u64).read_to_end(&mut start);
        read.map_err(message)?;
        // The length is compared before the rest is read, so a wrong header cannot cause a large
        // allocation.
        let length = Header::parse(&start, kind)?.file_length();
        if length != Some(file.metadata().map_err(message)?.len()) {
            return Err(WRONG_LENGTH.to_owned());
        }
        if let Some(bytes) = chessdb_files::filesystem::mapped(path, is_read_only) {
            let is_copied = (*bytes).as_ref().len() >= MIN_COPIED;
            let file = Some(file).filter(|_| is_copied);
            return Ok(Some(SectionedFile::parse(bytes, file, kind)?));
        }
        // A file that grows meanwhile must not be read beyond the length in its header.
        let rest = file
            .take(length.unwrap_or_default())
            .read_to_end(&mut start);
        rest.map_err(message)?;
        Ok(Some(SectionedFile::parse(Arc::new(start), None, kind)?))
    }

    /// Parses a file; returns the reason if it is invalid. `file` has the same bytes, if they are
    /// mapped and the system can read a file at an offset.
    pub(crate) fn parse(
        bytes: SharedBytes,
        file: Option<File>,
        kind: &FileKind,
    ) -> Result<SectionedFile, &'static str> {
        let all = (*bytes).as_ref();
        let header = Header::parse(all, kind)?;
        if header.file_length() != Some(all.len() as u64) {
            return Err(WRONG_LENGTH);
        }
        let body = all.len() - CHECKSUM_SIZE;
        let mut sum = crc32fast::Hasher::new();
        for range in [0..HEADER_SIZE, header.section(FIRST_TABLE).start..body] {
            sum.update(all.get(range).unwrap_or_default());
        }
        if sum.finalize() != u32::from_le_bytes(bytes_at(all, body)) {
            return Err("it is damaged: its checksum is wrong");
        }
        let pieces = header.section(SUMS).len() / CHECKSUM_SIZE;
        Ok(SectionedFile {
            states: (0..pieces).map(|_| AtomicU8::new(UNCHECKED)).collect(),
            bytes,
            file,
            header,
            is_damaged: AtomicBool::new(false),
        })
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    pub(crate) fn shared_bytes(&self) -> SharedBytes {
        SharedBytes::clone(&self.bytes)
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the number of pieces.
    pub(crate) fn pieces(&self) -> usize {
        self.states.len()
    }

    /// Returns the bytes of a section.
    pub(crate) fn section(&self, number: usize) -> &[u8] {
        let section = self.bytes().get(self.header.section(number));
        section.unwrap_or_default()
    }

    /// Returns the checksums of the first pieces.
    pub(crate) fn sums(&self, pieces: usize) -> Option<&[u8]> {
        self.section(SUMS).get(..pieces * CHECKSUM_SIZE)
    }

    /// Returns whether pieces are copied rather than used in place.
    pub(crate) fn is_copied(&self) -> bool {
        self.file.is_some()
    }

    /// Returns whether any data used so far is damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Notes that data used is damaged, although its checksum may be right.
    pub(crate) fn set_damaged(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    /// Verifies these pieces; `None` is a piece that is damaged.
    pub(crate) fn are_intact(&self, mut pieces: impl Iterator<Item = Option<Piece>>) -> bool {
        let mut passed = 0;
        pieces.all(|piece| {
            passed += piece.map_or(0, |piece| piece.length);
            if passed >= PASS_BYTES {
                passed = 0;
                release_mapped_pages();
            }
            piece.is_some_and(|piece| self.verified(self.bytes(), piece).is_some())
        })
    }

    /// Returns the bytes of a piece; `None` if they are damaged or the file has no such piece.
    /// `bytes` are all bytes.
    #[inline]
    pub(crate) fn verified<'b>(&self, bytes: &'b [u8], piece: Piece) -> Option<&'b [u8]> {
        let state = self.states.get(piece.number)?;
        let bytes = bytes.get(piece.range())?;
        let is_good = match state.load(Ordering::Relaxed) {
            UNCHECKED => self.check(piece, bytes, state),
            state => state == GOOD,
        };
        is_good.then_some(bytes)
    }

    /// Returns what [`SectionedFile::verified`] does, copied into `buffer` if pieces are copied.
    pub(crate) fn copied<'b>(&'b self, piece: Piece, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
        let Some(file) = &self.file else {
            return self.verified(self.bytes(), piece);
        };
        let state = self.states.get(piece.number)?;
        let bytes = buffer.get_mut(..piece.length)?;
        let is_good = match state.load(Ordering::Relaxed) {
            BAD => false,
            // The file may have been truncated since it was mapped.
            _ if read_at(file, bytes, piece.start as u64).is_err() => {
                self.set_damaged();
                false
            }
            UNCHECKED => self.check(piece, bytes, state),
            _ => true,
        };
        is_good.then_some(&*bytes)
    }

    #[cold]
    fn check(&self, piece: Piece, bytes: &[u8], state: &AtomicU8) -> bool {
        let (sums, _) = self.section(SUMS).as_chunks::<CHECKSUM_SIZE>();
        let sum = sums.get(piece.number).copied().map(u32::from_le_bytes);
        let is_good = sum == Some(crc32fast::hash(bytes));
        if !is_good {
            self.set_damaged();
        }
        state.store(if is_good { GOOD } else { BAD }, Ordering::Relaxed);
        is_good
    }
}

/// Reads bytes at an offset of a file. Several threads may read at once.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    // Each read also moves the position of the file, which nothing else uses.
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => {
                bytes = bytes.get_mut(length..).unwrap_or_default();
                offset += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// WebAssembly has no files.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A writer of a file: first the pieces, then the tables. `out` is not flushed.
pub(crate) struct SectionWriter<W> {
    out: W,
    /// The length of the pieces, and their checksums.
    length: u64,
    sums: Vec<u8>,
    /// The checksum of all bytes that belong to no piece.
    sum: crc32fast::Hasher,
}

impl<W: Write + Seek> SectionWriter<W> {
    pub(crate) fn new(mut out: W) -> io::Result<SectionWriter<W>> {
        // The header comes last, when the lengths are known; a file without one is not valid.
        out.seek(SeekFrom::Start(HEADER_SIZE as u64))?;
        Ok(SectionWriter {
            out,
            length: 0,
            sums: Vec::new(),
            sum: crc32fast::Hasher::new(),
        })
    }

    /// Returns the length of the pieces so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Writes a piece.
    pub(crate) fn piece(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pieces(bytes, &crc32fast::hash(bytes).to_le_bytes())
    }

    /// Writes pieces with these checksums.
    pub(crate) fn pieces(&mut self, bytes: &[u8], sums: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.sums.extend_from_slice(sums);
        self.out.write_all(bytes)
    }

    /// Passes over the first pieces, which the caller writes after the header.
    pub(crate) fn pass(&mut self, length: usize, sums: &[u8]) -> io::Result<()> {
        self.length += length as u64;
        self.sums.extend_from_slice(sums);
        self.out.seek_relative(length as i64)
    }

    /// Ends the pieces and writes the header, which has the lengths of the tables. They follow.
    pub(crate) fn begin_tables(&mut self, kind: &FileKind, mut header: Header) -> io::Result<()> {
        let [pieces, .., sums] = &mut header.lengths;
        (*pieces, *sums) = (self.length, self.sums.len() as u64);
        let header = header.to_bytes(kind);
        self.out.seek(SeekFrom::Start(0))?;
        self.table(&header)?;
        let end = HEADER_SIZE as u64 + self.length;
        self.out.seek(SeekFrom::Start(end)).map(|_| ())
    }

    /// Writes a table or a part of it.
    pub(crate) fn table(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.out.write_all(bytes)
    }

    /// Ends the tables and the file.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let sums = std::mem::take(&mut self.sums);
        self.table(&sums)?;
        let sum = self.sum.clone().finalize();
        self.out.write_all(&sum.to_le_bytes())?;
        Ok(self.out)
    }
}
