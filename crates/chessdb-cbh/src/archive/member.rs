//! The unpacked content of an archive member.

use std::io::{self, Read};

use super::block::{BlockFault, REACH, sum, unpack};

/// The maximum size of an unpacked block. ChessBase's blocks hold less than 64 KiB.
const BLOCK: u64 = 1 << 20;

/// A reader that unpacks a member from a reader of its stream. Reading fails if the checksum of a
/// block is wrong, or if the size of the content differs from the one in the entry.
#[derive(Debug)]
pub struct Unpacked<R> {
    stream: R,
    /// The last unpacked bytes, including those not returned yet.
    window: Vec<u8>,
    at: usize,
    left: u64,
    payload: Vec<u8>,
}

impl<R: Read> Unpacked<R> {
    /// Creates a reader for a file of `size` bytes.
    pub fn new(stream: R, size: u64) -> Unpacked<R> {
        Unpacked {
            stream,
            window: Vec::new(),
            at: 0,
            left: size,
            payload: Vec::new(),
        }
    }

    /// Unpacks the next block.
    fn next_block(&mut self) -> io::Result<()> {
        let mut header = [0; 4];
        self.stream.read_exact(&mut header)?;
        let [a, b, c, d] = header;
        let (length, stated) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        self.payload.resize(length.into(), 0);
        self.stream.read_exact(&mut self.payload)?;
        let damaged =
            |fault: BlockFault| io::Error::new(io::ErrorKind::InvalidData, fault.to_string());
        if sum(&self.payload) != stated {
            return Err(damaged(BlockFault::Sum));
        }
        // A copy reaches no further back (section 13).
        let old = self.window.len().saturating_sub(REACH);
        self.window.drain(..old);
        self.at = self.window.len();
        let limit = self.left.min(BLOCK) as usize;
        unpack(&self.payload, &mut self.window, self.at + limit).map_err(damaged)?;
        self.left = self
            .left
            .saturating_sub((self.window.len() - self.at) as u64);
        Ok(())
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A block may be empty, so one block may not suffice.
        while self.at == self.window.len() && self.left > 0 && !buffer.is_empty() {
            self.next_block()?;
        }
        let mut ready = self.window.get(self.at..).unwrap_or_default();
        let count = ready.read(buffer)?;
        self.at += count;
        Ok(count)
    }
}
