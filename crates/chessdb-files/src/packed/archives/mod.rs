//! Unpacking and packing of streams and archives.

mod archive;
mod cbv;
mod directory;
mod gzip;
#[cfg_attr(not(feature = "archives"), path = "no_sevenzip.rs")]
mod sevenzip;
mod sink;
mod tar;
mod zip;
#[cfg(feature = "archives")]
#[cfg_attr(target_family = "wasm", path = "zstandard_wasm.rs")]
mod zstandard;
// Only the reference library, which is written in C, packs.
#[cfg_attr(
    any(target_family = "wasm", not(feature = "archives")),
    path = "no_zstandard_encoder.rs"
)]
mod zstandard_encoder;

use std::ffi::OsStr;

use chessdb_core::Charset;
use chessdb_core::files::FileSink;

use super::{Archive, Method, NO_ARCHIVE, Open, Packing, Stream};
use crate::error::Problem;

pub(super) use cbv::recognised;
pub(super) use tar::is_archive as is_tar;

/// The key of an encrypted archive.
pub use chessdb_cbh::archive::Key;
pub use directory::Directory;

/// The memory limit of the xz decoder in KiB. The highest level needs 64 MiB.
#[cfg(feature = "archives")]
const XZ_KIB: u32 = 128 << 10;

/// Returns the key for a password, which ChessBase encodes in Windows-1252.
pub fn key_of(password: &str) -> Option<Key> {
    let mut bytes = Vec::new();
    let western = Charset::WINDOWS_1252.encode_strict(password, &mut bytes);
    let password = if western.is_ok() { &bytes } else { password.as_bytes() };
    Some(Key::new(password))
}

/// Unpacks `packed`.
pub(super) fn undo(packing: Packing, packed: Stream<'_>) -> Result<Stream<'_>, Problem> {
    Ok(match packing {
        Packing::None => packed,
        Packing::Gzip => Box::new(gzip::GzipMembers::new(packed)),
        #[cfg(feature = "archives")]
        Packing::Zstd => Box::new(zstandard::frames(packed)?),
        #[cfg(feature = "archives")]
        Packing::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(packed)),
        #[cfg(feature = "archives")]
        Packing::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(packed, true, XZ_KIB)),
        #[cfg(not(feature = "archives"))]
        Packing::Zstd | Packing::Bzip2 | Packing::Xz => {
            return Err(Problem::MissingFeature("archives"));
        }
        Packing::Zip | Packing::SevenZip => return Err(Problem::Packed(NO_ARCHIVE)),
    })
}

/// Returns a sink that packs what is written, into `sink`. The files in an archive have the stem of
/// `name`, and `key` encrypts the archive.
///
/// # Errors
///
/// Returns an error if this build cannot pack with this method.
pub fn packing_sink<'s>(
    sink: &'s mut dyn FileSink,
    method: Method,
    name: &OsStr,
    key: Option<Key>,
) -> Result<Box<dyn FileSink + 's>, Problem> {
    Ok(match method {
        Method::Gzip => Box::new(sink::PackedSink::new(sink, sink::Encoder::gzip())),
        Method::Zstd => Box::new(sink::PackedSink::new(sink, sink::Encoder::zstd()?)),
        Method::Archive { locked } => {
            let key = key.filter(|_| locked);
            Box::new(archive::ArchiveSink::new(sink, name, key))
        }
    })
}
