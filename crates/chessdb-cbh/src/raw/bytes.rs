//! Numbers and fields at fixed offsets. Bytes beyond the end read as zero.

/// Returns `N` bytes at offset `at`.
#[inline]
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let there = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    there.copied().unwrap_or([0; N])
}

pub(crate) fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(array(bytes, at))
}

pub(crate) fn be24(bytes: &[u8], at: usize) -> u32 {
    let [a, b, c] = array(bytes, at);
    u32::from_be_bytes([0, a, b, c])
}

pub(crate) fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(array(bytes, at))
}

pub(crate) fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(array(bytes, at))
}

pub(crate) fn le16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

pub(crate) fn le64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

pub(crate) fn le32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
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
