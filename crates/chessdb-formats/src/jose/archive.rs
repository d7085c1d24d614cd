//! jose's archives: table files packed with tar and gzip, or with zip (docs/formats/bytecode.md,
//! section 8).

use std::borrow::Cow;
use std::io::{Cursor, Read};

use chessdb_bytecode::raw::myisam::{self, ARCHIVE};
use chessdb_bytecode::{LIMITS, Store, check_with};
use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::report::Finding;
use chessdb_core::{Error, ErrorKind, FileSet, Format, ReadOptions, Result};

/// The role of a packed archive.
pub const JOSE_FILE: Role = Role("jose");

/// A packed archive of jose. Read only.
pub static JOSE_ARCHIVE: Format = Format::new(
    "jose-archive",
    "jose, archive",
    probe,
    |files, options| Ok(Box::new(store(files, options)?)),
    check,
)
.with_files(&[JOSE_FILE], &[JOSE_FILE])
.with_limits(LIMITS);

/// The largest size in bytes that an archive may unpack to.
const UNPACKED: u64 = 1 << 30;

/// Returns whether a file in an archive has a name like jose's tables.
fn is_table(name: &str) -> bool {
    name.starts_with("IO_Game.")
}

fn probe(files: &dyn FileSet) -> Score {
    let Some(file) = files.get(JOSE_FILE) else {
        return Score::No;
    };
    match Packing::detect(file) {
        Packing::Rar | Packing::Bzip => Score::Likely,
        // A stream is unpacked up to the first names.
        Packing::Gzip => {
            let mut start = Vec::new();
            let mut stream = flate2::read::MultiGzDecoder::new(file).take(1 << 16);
            // The beginning of a truncated archive is enough.
            let _ = stream.read_to_end(&mut start);
            tar_score(&start)
        }
        Packing::Tar => tar_score(file),
        Packing::Zip => match zip::ZipArchive::new(Cursor::new(file)) {
            Ok(archive) if archive.file_names().any(is_table) => Score::Certain,
            _ => Score::No,
        },
    }
}

fn tar_score(start: &[u8]) -> Score {
    match Tar::new(start).next() {
        Some((name, _)) if name.starts_with("IO_") || name.starts_with("MetaInfo.") => {
            Score::Certain
        }
        _ => Score::No,
    }
}

/// The compression of an archive, judged by its first bytes like in jose itself.
enum Packing {
    Gzip,
    Zip,
    Tar,
    Rar,
    /// bzip2 without the two letters that it begins with.
    Bzip,
}

impl Packing {
    fn detect(file: &[u8]) -> Packing {
        match file {
            [0x1F, 0x8B, ..] => Packing::Gzip,
            [b'R', b'a', b'r', ..] => Packing::Rar,
            [b'h', b'1'..=b'9', ..] | [b'B', b'Z', b'h', ..] => Packing::Bzip,
            [b'P', b'K', 3, 4, ..] => Packing::Zip,
            _ => Packing::Tar,
        }
    }
}

fn store<'a>(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
    let file = files.require(JOSE_FILE)?;
    let members = members(file).map_err(|error| {
        error.at(Location {
            file: Some(JOSE_FILE),
            ..Location::default()
        })
    })?;
    let tables = myisam::open_with(ARCHIVE, &options, &mut |role| {
        members
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(role.0))
            .map(|(_, content)| content.clone())
    })?;
    Store::open(tables, options)
}

fn check(files: &dyn FileSet, options: &ReadOptions, report: &mut dyn FnMut(Finding)) {
    check_with(options, |options| store(files, options), report);
}

type Members<'a> = Vec<(String, Cow<'a, [u8]>)>;

/// Returns the files in an archive, without their folders.
fn members(file: &[u8]) -> Result<Members<'_>> {
    match Packing::detect(file) {
        Packing::Gzip => {
            let mut whole = Vec::new();
            let mut stream = flate2::read::MultiGzDecoder::new(file).take(UNPACKED + 1);
            stream.read_to_end(&mut whole)?;
            if whole.len() as u64 > UNPACKED {
                return Err(too_large());
            }
            let members = Tar::new(&whole);
            let owned = members.map(|(name, content)| (name, content.to_vec().into()));
            Ok(owned.collect())
        }
        Packing::Tar => Ok(Tar::new(file)
            .map(|(name, content)| (name, content.into()))
            .collect()),
        Packing::Zip => zip_members(file),
        Packing::Rar => Err(unsupported(
            "a RAR archive (unpack it with unrar or 7z into a folder, then open the folder)",
        )),
        Packing::Bzip => Err(unsupported(
            "an archive packed by bzip2 (unpack it with bunzip2, then open the result)",
        )),
    }
}

fn unsupported(what: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported(what))
}

fn too_large() -> Error {
    Error::new(ErrorKind::over_limit("bytes in an archive", UNPACKED))
}

fn zip_members(file: &[u8]) -> Result<Members<'_>> {
    let damaged = || Error::new(ErrorKind::Structure("a damaged zip archive"));
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).map_err(|_| damaged())?;
    let mut members = Vec::new();
    let mut remaining = UNPACKED;
    for n in 0..archive.len() {
        let member = archive.by_index_raw(n).map_err(|_| damaged())?;
        let name = member.name().to_owned();
        let start = member.data_start().ok_or_else(damaged)?;
        let packed = member.compressed_size();
        let deflated = match member.compression() {
            zip::CompressionMethod::STORE => false,
            zip::CompressionMethod::DEFLATE => true,
            _ => {
                return Err(unsupported(
                    "a zip archive packed with a method other than deflate",
                ));
            }
        };
        let (crc, is_locked) = (member.crc32(), member.encrypted());
        drop(member);
        if is_locked {
            return Err(unsupported("a zip archive with a password"));
        }
        let bytes = usize::try_from(start)
            .ok()
            .and_then(|start| file.get(start..start.checked_add(usize::try_from(packed).ok()?)?))
            .ok_or_else(damaged)?;
        let content: Cow<'_, [u8]> = if deflated {
            let mut content = Vec::new();
            let stream = flate2::read::DeflateDecoder::new(bytes);
            stream.take(remaining + 1).read_to_end(&mut content)?;
            content.into()
        } else {
            bytes.into()
        };
        remaining = remaining
            .checked_sub(content.len() as u64)
            .ok_or_else(too_large)?;
        let mut sum = flate2::Crc::new();
        sum.update(&content);
        if sum.sum() != crc {
            return Err(damaged());
        }
        members.push((without_folder(&name), content));
    }
    Ok(members)
}

fn without_folder(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned()
}

/// An iterator over the files in a tar archive.
struct Tar<'a> {
    rest: &'a [u8],
}

impl<'a> Tar<'a> {
    fn new(archive: &'a [u8]) -> Tar<'a> {
        Tar { rest: archive }
    }
}

/// The size of a block in bytes.
const BLOCK: usize = 512;

impl<'a> Iterator for Tar<'a> {
    type Item = (String, &'a [u8]);

    /// Returns the next plain file; a truncated one up to its end.
    fn next(&mut self) -> Option<(String, &'a [u8])> {
        loop {
            let (header, rest) = self.rest.split_at_checked(BLOCK)?;
            let name = header.get(..100)?.split(|&byte| byte == 0).next()?;
            if name.is_empty() || !sum_is_right(header) {
                self.rest = &[];
                return None;
            }
            let size = usize::try_from(octal(header.get(124..136)?)?).ok()?;
            let available = size.min(rest.len());
            let content = rest.get(..available)?;
            let whole = size.checked_next_multiple_of(BLOCK)?;
            self.rest = rest.get(whole..).unwrap_or_default();
            // Other kinds are folders, links and long names.
            if matches!(header.get(156), Some(0 | b'0')) {
                let name = String::from_utf8_lossy(name);
                return Some((without_folder(&name), content));
            }
        }
    }
}

/// Parses a number in octal digits.
fn octal(field: &[u8]) -> Option<u64> {
    let digits = field.trim_ascii_start();
    let digits = digits.split(|byte| b" \0".contains(byte)).next()?;
    digits.iter().try_fold(0u64, |number, &byte| {
        let digit = char::from(byte).to_digit(8)?;
        number.checked_mul(8)?.checked_add(digit.into())
    })
}

/// Returns whether the checksum of the block is correct. Its own field counts as blanks.
fn sum_is_right(header: &[u8]) -> bool {
    let bytes = header.iter().enumerate();
    let sum: u64 = bytes
        .map(
            |(n, &byte)| {
                if (148..156).contains(&n) { 32 } else { u64::from(byte) }
            },
        )
        .sum();
    header.get(148..156).and_then(octal) == Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a tar archive of these files, with its end marker.
    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = Vec::new();
        for (name, content) in files {
            let mut header = vec![0; BLOCK];
            header[..name.len()].copy_from_slice(name.as_bytes());
            let size = format!("{:011o}", content.len());
            header[124..135].copy_from_slice(size.as_bytes());
            header[156] = b'0';
            header[148..156].fill(b' ');
            let sum: u64 = header.iter().map(|&byte| u64::from(byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            archive.extend(header);
            archive.extend(*content);
            archive.resize(archive.len().next_multiple_of(BLOCK), 0);
        }
        archive.resize(archive.len() + 2 * BLOCK, 0);
        archive
    }

    #[test]
    fn tar_members_are_listed() {
        let archive = tar(&[("IO_Game.MYD", b"rows"), ("sub/IO_Game.frm", &[7; 600])]);
        let files: Vec<_> = Tar::new(&archive).collect();
        let expected: [(String, &[u8]); 2] = [
            ("IO_Game.MYD".into(), b"rows"),
            ("IO_Game.frm".into(), &[7; 600]),
        ];
        assert_eq!(files, expected);
        for cut in 0..archive.len() {
            assert!(Tar::new(&archive[..cut]).count() <= 2);
        }
        let mut wrong = archive;
        wrong[0] ^= 1;
        assert_eq!(Tar::new(&wrong).count(), 0, "the checksum does not fit");
    }

    #[test]
    fn unsupported_archives_name_a_remedy() {
        let error = members(b"Rar!\x1a\x07\0").unwrap_err();
        assert!(error.to_string().contains("unrar"), "{error}");
        assert!(members(b"h91AY").is_err());
    }
}
