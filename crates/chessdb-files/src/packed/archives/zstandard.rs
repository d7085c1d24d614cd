//! Zstandard by the reference library.

use std::io::{self, BufReader};

use zstd::stream::{read, write};

use crate::packed::Stream;

pub(super) type Encoder = write::Encoder<'static, Vec<u8>>;

/// Reads the contents of the frames of a file, one after another.
pub(super) fn frames(packed: Stream<'_>) -> io::Result<read::Decoder<'_, BufReader<Stream<'_>>>> {
    read::Decoder::new(packed)
}

/// Returns an encoder with the default level.
pub(super) fn encoder() -> io::Result<Encoder> {
    write::Encoder::new(Vec::new(), 0)
}
