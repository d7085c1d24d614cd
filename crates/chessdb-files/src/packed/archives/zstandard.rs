//! Zstandard by the reference library.

use std::io::{self, BufReader};

use zstd::stream::read;

use crate::packed::Stream;

/// Reads the contents of the frames of a file, one after another.
pub(super) fn frames(packed: Stream<'_>) -> io::Result<read::Decoder<'_, BufReader<Stream<'_>>>> {
    read::Decoder::new(packed)
}
