//! gzip files with several members and trailing bytes.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

/// Reads the contents of the members of a gzip file, one after another.
///
/// Trailing NULs are padding. Other trailing bytes are damage, which is reported after all content
/// has been returned.
pub(crate) struct Members<R> {
    state: State<R>,
}

enum State<R> {
    Member(Box<GzDecoder<BufReader<R>>>),
    /// After a member.
    Behind(BufReader<R>),
    End,
}

impl<R: Read> Members<R> {
    pub(crate) fn new(packed: R) -> Members<R> {
        let first = GzDecoder::new(BufReader::new(packed));
        Members {
            state: State::Member(Box::new(first)),
        }
    }

    /// Skips padding and returns whether another member follows.
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
