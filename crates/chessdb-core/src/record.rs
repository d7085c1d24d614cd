//! Records of fixed size: one declaration gives the struct, its reading and writing, and the
//! explanation of its bytes in `dump --raw` (docs/decisions/0034-one-description-of-a-record.md).
//!
//! Hidden from the docs: the format crates use it, and its form may change.

mod declaration;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::Range;

use crate::dump::{Fields, Region, RegionKind};

/// The order of the bytes of a number.
pub trait ByteOrder {
    /// Returns the number in these bytes, at most eight.
    fn number<const N: usize>(bytes: [u8; N]) -> u64;

    /// Returns the lowest `N` bytes of a number.
    fn bytes<const N: usize>(number: u64) -> [u8; N];
}

/// The highest byte comes first.
#[derive(Clone, Copy, Debug)]
pub enum Big {}

/// The lowest byte comes first.
#[derive(Clone, Copy, Debug)]
pub enum Little {}

impl ByteOrder for Big {
    #[inline(always)]
    fn number<const N: usize>(bytes: [u8; N]) -> u64 {
        let mut wide = [0; 8];
        if let Some(low) = wide.last_chunk_mut() {
            *low = bytes;
        }
        u64::from_be_bytes(wide)
    }

    #[inline(always)]
    fn bytes<const N: usize>(number: u64) -> [u8; N] {
        number.to_be_bytes().last_chunk().copied().unwrap_or([0; N])
    }
}

impl ByteOrder for Little {
    #[inline(always)]
    fn number<const N: usize>(bytes: [u8; N]) -> u64 {
        let mut wide = [0; 8];
        if let Some(low) = wide.first_chunk_mut() {
            *low = bytes;
        }
        u64::from_le_bytes(wide)
    }

    #[inline(always)]
    fn bytes<const N: usize>(number: u64) -> [u8; N] {
        number
            .to_le_bytes()
            .first_chunk()
            .copied()
            .unwrap_or([0; N])
    }
}

/// The value of a field of `N` bytes. Any bytes are a value.
pub trait FieldValue<const N: usize> {
    /// Returns the value in these bytes.
    fn from_field<O: ByteOrder>(bytes: [u8; N]) -> Self;

    /// Returns the bytes of the value. Of a number wider than the field, the lowest bytes remain.
    fn to_field<O: ByteOrder>(&self) -> [u8; N];
}

macro_rules! numbers {
    ($($number:ident)+) => {$(
        impl<const N: usize> FieldValue<N> for $number {
            #[inline(always)]
            fn from_field<O: ByteOrder>(bytes: [u8; N]) -> $number {
                O::number(bytes) as $number
            }

            #[inline(always)]
            fn to_field<O: ByteOrder>(&self) -> [u8; N] {
                O::bytes(*self as u64)
            }
        }
    )+};
}

numbers!(u8 u16 u32 u64 i8 i32);

impl<const N: usize> FieldValue<N> for bool {
    #[inline(always)]
    fn from_field<O: ByteOrder>(bytes: [u8; N]) -> bool {
        O::number(bytes) != 0
    }

    #[inline(always)]
    fn to_field<O: ByteOrder>(&self) -> [u8; N] {
        O::bytes((*self).into())
    }
}

impl<const N: usize> FieldValue<N> for [u8; N] {
    #[inline(always)]
    fn from_field<O: ByteOrder>(bytes: [u8; N]) -> [u8; N] {
        bytes
    }

    #[inline(always)]
    fn to_field<O: ByteOrder>(&self) -> [u8; N] {
        *self
    }
}

macro_rules! arrays {
    ($([$item:ty; $count:literal] of $width:literal bytes)+) => {$(
        impl FieldValue<{ $count * $width }> for [$item; $count] {
            #[inline(always)]
            fn from_field<O: ByteOrder>(bytes: [u8; $count * $width]) -> [$item; $count] {
                let mut chunks = bytes.as_chunks::<$width>().0.iter();
                std::array::from_fn(|_| {
                    let chunk = chunks.next().copied().unwrap_or([0; $width]);
                    <$item as FieldValue<$width>>::from_field::<O>(chunk)
                })
            }

            #[inline(always)]
            fn to_field<O: ByteOrder>(&self) -> [u8; $count * $width] {
                let mut bytes = [0; $count * $width];
                for (chunk, item) in bytes.as_chunks_mut::<$width>().0.iter_mut().zip(self) {
                    *chunk = <$item as FieldValue<$width>>::to_field::<O>(item);
                }
                bytes
            }
        }
    )+};
}

arrays! {
    [u16; 2] of 2 bytes
    [u32; 3] of 4 bytes
}

/// A struct declared with [`record!`](crate::record!).
pub trait Record: Sized {
    /// The size in bytes.
    const SIZE: usize;

    /// Parses the first bytes; missing bytes read as zero.
    fn from_slice(bytes: &[u8]) -> Self;

    /// Appends the record.
    fn write(&self, out: &mut Vec<u8>);

    /// Reports the fields, each after `title`.
    fn explain(&self, title: &str, fields: &mut Fields<'_>);
}

/// Returns the bytes of a field.
#[inline(always)]
pub const fn part<const START: usize, const N: usize, const SIZE: usize>(
    record: &[u8; SIZE],
) -> [u8; N] {
    const { assert!(START + N <= SIZE) }
    let (_, rest) = record.split_at(START);
    match rest.first_chunk() {
        Some(bytes) => *bytes,
        None => [0; N],
    }
}

/// Replaces the bytes of a field.
#[inline(always)]
pub const fn put<const START: usize, const N: usize, const SIZE: usize>(
    record: &mut [u8; SIZE],
    bytes: [u8; N],
) {
    const { assert!(START + N <= SIZE) }
    let (_, rest) = record.split_at_mut(START);
    if let Some(place) = rest.first_chunk_mut() {
        *place = bytes;
    }
}

/// Returns the bytes of a record from bytes that lack some of them from `start` on; these are zero.
#[inline(always)]
pub fn widen<const STORED: usize, const SIZE: usize>(
    stored: &[u8; STORED],
    start: usize,
) -> [u8; SIZE] {
    let mut record = [0; SIZE];
    let (first, rest) = stored.split_at(start);
    let (before, after) = record.split_at_mut(start);
    before.copy_from_slice(first);
    if let Some(after) = after.get_mut(SIZE.saturating_sub(STORED)..) {
        after.copy_from_slice(rest);
    }
    record
}

/// Returns the bytes of a record without some of them from `start` on.
#[inline(always)]
pub fn narrow<const SIZE: usize, const STORED: usize>(
    record: &[u8; SIZE],
    start: usize,
) -> [u8; STORED] {
    let mut stored = [0; STORED];
    let (first, rest) = record.split_at(start);
    let (before, after) = stored.split_at_mut(start);
    before.copy_from_slice(first);
    if let Some(rest) = rest.get(SIZE.saturating_sub(STORED)..) {
        after.copy_from_slice(rest);
    }
    stored
}

/// Reports the fields of a record that is stored without the bytes in these ranges.
pub fn explain_without(
    record: &impl Record,
    omitted: &[Range<u64>],
    title: &str,
    fields: &mut Fields<'_>,
) {
    let file = fields.file();
    let report = &mut |region: Region| {
        let missing = omitted.iter().map(|range| {
            let start = range.start.max(region.start);
            range.end.min(region.end).saturating_sub(start)
        });
        let length = region.end - region.start - missing.sum::<u64>();
        if length > 0 {
            fields.add(length, region.kind, region.what);
        }
    };
    record.explain(title, &mut Fields::new(file, 0, report));
}

/// Returns a text in a field up to its first NUL, for explanations.
pub fn text_up_to_nul(field: &[u8]) -> Cow<'_, str> {
    let text = field.split(|&byte| byte == 0).next();
    String::from_utf8_lossy(text.unwrap_or_default())
}

/// Returns a number with its lowest `bits` bits set.
#[inline(always)]
pub const fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Returns whether ranges follow each other without gaps up to `size`. Fields of bits share the
/// range of the number that contains them.
pub const fn is_complete(mut ranges: &[(usize, usize)], size: usize) -> bool {
    let mut current = (0, 0);
    while let [range, rest @ ..] = ranges {
        let is_shared = range.0 == current.0 && range.1 == current.1;
        if !is_shared && range.0 != current.1 {
            return false;
        }
        current = *range;
        ranges = rest;
    }
    current.1 == size
}

/// The explanation of a record. Fields with the same bytes become one region.
pub struct Explanation<'f, 't> {
    title: &'f str,
    fields: &'f mut Fields<'t>,
    range: (usize, usize),
    kind: RegionKind,
    text: String,
}

impl<'f, 't> Explanation<'f, 't> {
    /// Begins an explanation. The title precedes the text of each region, because it names what
    /// the bytes belong to.
    pub fn new(title: &'f str, fields: &'f mut Fields<'t>) -> Explanation<'f, 't> {
        Explanation {
            title,
            fields,
            range: (0, 0),
            kind: RegionKind::Known,
            text: String::new(),
        }
    }

    /// Adds a field.
    pub fn add(&mut self, range: (usize, usize), kind: RegionKind, text: fmt::Arguments<'_>) {
        if range == self.range {
            self.text.push_str("; ");
        } else {
            self.finish();
            (self.range, self.kind) = (range, kind);
            self.text.push_str(self.title);
        }
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(text);
    }

    /// Reports the last field.
    pub fn finish(&mut self) {
        let (start, end) = self.range;
        if end > start {
            let text = std::mem::take(&mut self.text);
            self.fields.add((end - start) as u64, self.kind, text);
        }
    }
}
