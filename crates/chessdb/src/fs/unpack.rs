//! Packed input: gzip and Zstandard are undone on the way, whatever the file is called.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fs::Problem;

/// A reader that can be handed to another thread.
pub(crate) type Stream<'a> = Box<dyn Read + Send + 'a>;

/// How a file is packed, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
    Zip,
}

impl Packing {
    pub(crate) fn of(start: &[u8]) -> Packing {
        match start {
            [0x1F, 0x8B, 8, ..] => Packing::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Packing::Zstd,
            // A frame to be passed over, as some packers write first.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Packing::Zstd,
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Packing::Zip,
            _ => Packing::None,
        }
    }

    /// What comes out of `packed`.
    pub(crate) fn undo<'a>(self, packed: Stream<'a>) -> Result<Stream<'a>, Problem> {
        match self {
            Packing::None => Ok(packed),
            #[cfg(feature = "archives")]
            Packing::Gzip => Ok(Box::new(gzip::Members::new(packed))),
            #[cfg(feature = "archives")]
            Packing::Zstd => Ok(Box::new(zstd::stream::read::Decoder::new(packed)?)),
            Packing::Zip => Err(Problem::Packed("a zip archive cannot be read from a pipe")),
            #[cfg(not(feature = "archives"))]
            _ => Err(Problem::Packed("is packed, and this build cannot unpack")),
        }
    }
}

/// Reads until `buffer` is full or the input ends; how much it was.
pub(crate) fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Counts the bytes that pass, for whoever shows progress.
#[derive(Debug)]
pub(crate) struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    pub(crate) fn new(inner: R, bytes: Arc<AtomicU64>) -> Counted<R> {
        Counted { inner, bytes }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(feature = "archives")]
mod gzip {
    use std::io::{self, BufRead, BufReader, Read};

    use flate2::bufread::GzDecoder;

    /// What the members of a gzip file hold, one after another. NULs behind the last one are padding;
    /// anything else there is damage, told when everything before it was handed out.
    pub(super) struct Members<R> {
        state: State<R>,
    }

    enum State<R> {
        Member(Box<GzDecoder<BufReader<R>>>),
        /// Behind a member.
        Behind(BufReader<R>),
        End,
    }

    impl<R: Read> Members<R> {
        pub(super) fn new(packed: R) -> Members<R> {
            let first = GzDecoder::new(BufReader::new(packed));
            Members {
                state: State::Member(Box::new(first)),
            }
        }

        /// Whether another member begins here, once the padding is passed.
        fn another(rest: &mut BufReader<R>) -> io::Result<bool> {
            loop {
                let bytes = rest.fill_buf()?;
                match bytes.first() {
                    None => return Ok(false),
                    Some(0) => {
                        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
                        rest.consume(zeros);
                    }
                    Some(0x1F) => return Ok(true),
                    Some(_) => {
                        let text = "bytes behind the packed data that are not packed";
                        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
                    }
                }
            }
        }
    }

    impl<R: Read> Read for Members<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            loop {
                match std::mem::replace(&mut self.state, State::End) {
                    State::Member(mut member) => match member.read(buffer) {
                        Ok(0) if !buffer.is_empty() => {
                            self.state = State::Behind(member.into_inner());
                        }
                        read => {
                            self.state = State::Member(member);
                            return read;
                        }
                    },
                    State::Behind(mut rest) => match Self::another(&mut rest) {
                        Ok(true) => {
                            self.state = State::Member(Box::new(GzDecoder::new(rest)));
                        }
                        Ok(false) => return Ok(0),
                        Err(error) => {
                            self.state = State::Behind(rest);
                            return Err(error);
                        }
                    },
                    State::End => return Ok(0),
                }
            }
        }
    }
}
