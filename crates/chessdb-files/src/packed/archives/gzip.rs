//! gzip files with several members and trailing bytes.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

/// Reads the contents of the members of a gzip file, one after another.
///
/// Trailing NULs are padding. Other trailing bytes are damage, which is reported after all content
/// has been returned.
pub(crate) struct GzipMembers<R> {
    state: MemberState<R>,
}

enum MemberState<R> {
    Member(Box<GzDecoder<BufReader<R>>>),
    /// After a member.
    After(BufReader<R>),
    End,
}

impl<R: Read> GzipMembers<R> {
    pub(crate) fn new(packed: R) -> GzipMembers<R> {
        let first = GzDecoder::new(BufReader::new(packed));
        GzipMembers {
            state: MemberState::Member(Box::new(first)),
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
                    let text = "unpacked bytes after the packed data";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, text));
                }
            }
        }
    }
}

impl<R: Read> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, MemberState::End) {
                MemberState::Member(mut member) => match member.read(buffer) {
                    Ok(0) if !buffer.is_empty() => {
                        self.state = MemberState::After(member.into_inner());
                    }
                    read => {
                        self.state = MemberState::Member(member);
                        return read;
                    }
                },
                MemberState::After(mut rest) => match Self::another(&mut rest) {
                    Ok(true) => {
                        self.state = MemberState::Member(Box::new(GzDecoder::new(rest)));
                    }
                    Ok(false) => return Ok(0),
                    Err(error) => {
                        self.state = MemberState::After(rest);
                        return Err(error);
                    }
                },
                MemberState::End => return Ok(0),
            }
        }
    }
}
