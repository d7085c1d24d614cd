//! Zstandard on the web, where the reference implementation in C is not available.

use std::io::{self, BufRead, BufReader, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::packed::Stream;

/// Reads the contents of the frames of a file, one after another. Skippable frames are skipped.
#[expect(clippy::unnecessary_wraps, reason = "the reference library may fail")]
pub(super) fn frames(packed: Stream<'_>) -> io::Result<Frames<Stream<'_>>> {
    Ok(Frames::new(packed))
}

/// Reads the contents of the frames of a file, one after another. Skippable frames are skipped.
pub(super) struct Frames<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    /// Whether a frame was started but not finished.
    inside: bool,
}

impl<R: Read> Frames<R> {
    fn new(packed: R) -> Frames<R> {
        Frames {
            source: BufReader::new(packed),
            decoder: FrameDecoder::new(),
            inside: false,
        }
    }

    /// Starts the next frame. Returns false at the end.
    fn enter(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => {
                    self.inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut passed = self.source.by_ref().take(length.into());
                    io::copy(&mut passed, &mut io::sink())?;
                }
                Err(error) => return Err(damaged(&error)),
            }
        }
        Ok(false)
    }
}

fn damaged(error: &FrameDecoderError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() && (self.inside || self.enter()?) {
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.source, blocks);
                decoded.map_err(|error| damaged(&error))?;
            }
            let length = self.decoder.read(buffer)?;
            if length > 0 {
                return Ok(length);
            }
            self.inside = false;
        }
        Ok(0)
    }
}
