//! Packing with Zstandard by the reference library.

use std::io;

use zstd::stream::write;

pub(super) type Encoder = write::Encoder<'static, Vec<u8>>;

/// Returns an encoder with the default level.
pub(super) fn encoder() -> io::Result<Encoder> {
    write::Encoder::new(Vec::new(), 0)
}
