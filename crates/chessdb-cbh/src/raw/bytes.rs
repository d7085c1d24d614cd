//! Numbers and fields at fixed offsets. Bytes beyond the end read as zero.

/// Returns `N` bytes at `offset`.
#[inline]
pub(crate) fn array<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let field = bytes.get(offset..).and_then(|rest| rest.first_chunk());
    field.copied().unwrap_or([0; N])
}

pub(crate) fn be16(bytes: &[u8], offset: usize) -> u16 {
    u16::from_be_bytes(array(bytes, offset))
}

pub(crate) fn be24(bytes: &[u8], offset: usize) -> u32 {
    let [a, b, c] = array(bytes, offset);
    u32::from_be_bytes([0, a, b, c])
}

pub(crate) fn be32(bytes: &[u8], offset: usize) -> u32 {
    u32::from_be_bytes(array(bytes, offset))
}

pub(crate) fn be64(bytes: &[u8], offset: usize) -> u64 {
    u64::from_be_bytes(array(bytes, offset))
}

pub(crate) fn le16(bytes: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes(array(bytes, offset))
}

pub(crate) fn le64(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(array(bytes, offset))
}

pub(crate) fn le32(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(array(bytes, offset))
}

/// Returns the bytes from an offset on; none if it is beyond the end.
pub(crate) fn bytes_from(bytes: &[u8], offset: u64) -> &[u8] {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    bytes.get(start..).unwrap_or_default()
}

/// Appends the lower three bytes, highest first.
pub(crate) fn put24(number: u32, out: &mut Vec<u8>) {
    let [_, a, b, c] = number.to_be_bytes();
    out.extend_from_slice(&[a, b, c]);
}

/// Returns a fixed string up to its zero. The rest of the field is unused.
pub fn cut(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|&byte| byte == 0);
    field.get(..end.unwrap_or(field.len())).unwrap_or_default()
}

/// A reader of little-endian fields that consumes bytes from the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        Some(array::<1>(self.take(1)?, 0)[0])
    }

    pub(crate) fn short(&mut self) -> Option<u16> {
        Some(le16(self.take(2)?, 0))
    }

    pub(crate) fn long(&mut self) -> Option<u32> {
        Some(le32(self.take(4)?, 0))
    }

    /// Reads bytes preceded by their length in two bytes.
    pub(crate) fn counted_short(&mut self) -> Option<&'a [u8]> {
        let length = self.short()?.into();
        self.take(length)
    }

    /// Reads bytes preceded by their length in four bytes.
    pub(crate) fn counted(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.long()?).ok()?;
        self.take(length)
    }
}
