//! Records of fixed size: one declaration gives the struct, its reading and writing, and the
//! explanation of its bytes in `dump --raw` (docs/decisions/0034-one-description-of-a-record.md).
//!
//! Hidden from the docs: the format crates use it, and its form may change.

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
        let wide = number.to_be_bytes();
        wide.last_chunk().copied().unwrap_or([0; N])
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
        let wide = number.to_le_bytes();
        wide.first_chunk().copied().unwrap_or([0; N])
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

    /// Reports the fields, the first one after `title`.
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
    fields: &'f mut Fields<'t>,
    range: (usize, usize),
    kind: RegionKind,
    text: String,
}

impl<'f, 't> Explanation<'f, 't> {
    /// Begins with a title before the first field.
    pub fn new(title: &str, fields: &'f mut Fields<'t>) -> Explanation<'f, 't> {
        Explanation {
            fields,
            range: (0, 0),
            kind: RegionKind::Known,
            text: title.to_owned(),
        }
    }

    /// Adds a field.
    pub fn add(&mut self, range: (usize, usize), kind: RegionKind, text: fmt::Arguments<'_>) {
        if range == self.range {
            self.text.push_str("; ");
        } else {
            self.finish();
            (self.range, self.kind) = (range, kind);
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

/// Declares a record of fixed size: its byte order, its size in bytes, and its fields with their
/// byte ranges, types and explanations.
///
/// ```
/// use chessdb_core::record::{Little, Record as _};
///
/// chessdb_core::record! {
///     /// The place of a game.
///     #[derive(Clone, Copy, PartialEq, Eq, Debug)]
///     pub struct GamePlace: Little, 8 {
///         /// The number of the player.
///         0..3 player: u32 = "player {player}",
///         /// 0.
///         3..4 reserved: u8 = "not described" unknown unless *reserved == 0,
///         /// The number of annotations.
///         4..8 [28..32] annotations: u8 = "annotations: {annotations}",
///         /// The offset of the game.
///         4..8 [0..28] offset: u32 = "offset {:#x}" (offset),
///     }
/// }
///
/// let bytes = [1, 2, 0, 0, 5, 0, 0, 0x30];
/// let place = GamePlace::parse(&bytes);
/// assert_eq!((place.player, place.annotations, place.offset), (0x201, 3, 5));
/// assert_eq!(place.to_bytes(), bytes);
/// ```
///
/// * Several fields of bits may share the range of one number. Their bits are listed from the
///   highest: `[28..32, 0..4]` is a number of eight bits.
/// * An explanation is a format string over the fields, which are references. `unknown` and `slack`
///   state how well the bytes are understood; `unless` gives the condition under which they are
///   known.
/// * `struct Name: Big, 14, parse_plain, plain_bytes` names the two functions otherwise.
/// * `record!(field DateCode(u32))` and `record!(flags IndexFlags(u32))` make a wrapper of a number,
///   or a type of the crate bitflags, the type of a field.
///
/// A gap, an overlap or a wrong size does not compile.
#[macro_export]
macro_rules! record {
    ($(field $name:ident($inner:ty)),+ $(,)?) => {$(
        impl<const N: usize> $crate::record::FieldValue<N> for $name {
            #[inline(always)]
            fn from_field<O: $crate::record::ByteOrder>(bytes: [u8; N]) -> $name {
                $name(<$inner as $crate::record::FieldValue<N>>::from_field::<O>(bytes))
            }

            #[inline(always)]
            fn to_field<O: $crate::record::ByteOrder>(&self) -> [u8; N] {
                <$inner as $crate::record::FieldValue<N>>::to_field::<O>(&self.0)
            }
        }
    )+};
    ($(flags $name:ident($inner:ty)),+ $(,)?) => {$(
        impl<const N: usize> $crate::record::FieldValue<N> for $name {
            #[inline(always)]
            fn from_field<O: $crate::record::ByteOrder>(bytes: [u8; N]) -> $name {
                $name::from_bits_retain(<$inner as $crate::record::FieldValue<N>>::from_field::<O>(bytes))
            }

            #[inline(always)]
            fn to_field<O: $crate::record::ByteOrder>(&self) -> [u8; N] {
                <$inner as $crate::record::FieldValue<N>>::to_field::<O>(&self.bits())
            }
        }
    )+};
    (@read $order:ident $size:literal $bytes:ident $start:literal $end:literal [] $type:ty) => {
        <$type as $crate::record::FieldValue<{ $end - $start }>>::from_field::<$order>(
            $crate::record::part::<$start, { $end - $start }, $size>($bytes),
        )
    };
    (@read $order:ident $size:literal $bytes:ident $start:literal $end:literal
        [$($low:literal $high:literal)+] $type:ty) => {{
        let group = <$order as $crate::record::ByteOrder>::number(
            $crate::record::part::<$start, { $end - $start }, $size>($bytes),
        );
        let value = 0u64;
        $(let value = value << ($high - $low) | group >> $low & $crate::record::mask($high - $low);)+
        <$type as $crate::record::FieldValue<8>>::from_field::<$crate::record::Big>(value.to_be_bytes())
    }};
    (@write $order:ident $size:literal $bytes:ident $start:literal $end:literal [] $type:ty, $value:expr) => {
        $crate::record::put::<$start, { $end - $start }, $size>(
            &mut $bytes,
            <$type as $crate::record::FieldValue<{ $end - $start }>>::to_field::<$order>(&$value),
        )
    };
    (@write $order:ident $size:literal $bytes:ident $start:literal $end:literal
        [$($low:literal $high:literal)+] $type:ty, $value:expr) => {{
        let group = <$order as $crate::record::ByteOrder>::number(
            $crate::record::part::<$start, { $end - $start }, $size>(&$bytes),
        );
        let value = <$type as $crate::record::FieldValue<8>>::to_field::<$crate::record::Big>(&$value);
        let value = u64::from_be_bytes(value);
        let left = 0u32 $(+ ($high - $low))+;
        $(
            let left = left - ($high - $low);
            let mask = $crate::record::mask($high - $low);
            let group = group & !(mask << $low) | (value >> left & mask) << $low;
        )+
        let _ = left;
        $crate::record::put::<$start, { $end - $start }, $size>(
            &mut $bytes,
            <$order as $crate::record::ByteOrder>::bytes(group),
        )
    }};
    (@kind) => { $crate::dump::RegionKind::Known };
    (@kind unknown) => { $crate::dump::RegionKind::Unknown };
    (@kind slack) => { $crate::dump::RegionKind::Slack };
    (@kind $kind:ident $known:expr) => {
        if $known { $crate::dump::RegionKind::Known } else { $crate::record!(@kind $kind) }
    };
    ($(#[$meta:meta])* $visibility:vis struct $name:ident: $order:ident, $size:literal { $($body:tt)* }) => {
        $crate::record! {
            $(#[$meta])* $visibility struct $name: $order, $size, parse, to_bytes { $($body)* }
        }
    };
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident: $order:ident, $size:literal, $parse:ident, $to_bytes:ident {$(
            $(#[$field_meta:meta])*
            $start:literal..$end:literal $([$($low:literal..$high:literal),+])? $field:ident: $type:ty
                = $text:literal $(($($argument:expr),+))? $($kind:ident $(unless $known:expr)?)?,
        )*}
    ) => {
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$field_meta])* $visibility $field: $type,)*
        }

        const _: () = assert!($crate::record::is_complete(&[$(($start, $end)),*], $size));

        impl $name {
            /// The size in bytes.
            $visibility const SIZE: usize = $size;

            /// Parses the bytes, all of which are valid.
            #[inline(always)]
            $visibility fn $parse(bytes: &[u8; $size]) -> $name {
                $name {
                    $($field: $crate::record!(
                        @read $order $size bytes $start $end [$($($low $high)+)?] $type
                    ),)*
                }
            }

            /// Returns the bytes. Of a number that is too large for its field, the lowest bits
            /// are written.
            #[inline]
            #[allow(clippy::wrong_self_convention, reason = "large records are not Copy")]
            $visibility fn $to_bytes(&self) -> [u8; $size] {
                let mut bytes = [0; $size];
                $($crate::record!(
                    @write $order $size bytes $start $end [$($($low $high)+)?] $type, self.$field
                );)*
                bytes
            }
        }

        impl $crate::record::Record for $name {
            const SIZE: usize = $name::SIZE;

            #[inline(always)]
            fn from_slice(bytes: &[u8]) -> $name {
                match bytes.first_chunk() {
                    Some(bytes) => $name::$parse(bytes),
                    None => {
                        let mut padded = [0; $size];
                        for (to, from) in padded.iter_mut().zip(bytes) {
                            *to = *from;
                        }
                        $name::$parse(&padded)
                    }
                }
            }

            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.$to_bytes());
            }

            #[allow(unused_variables)]
            fn explain(&self, title: &str, fields: &mut $crate::dump::Fields<'_>) {
                let $name { $($field),* } = self;
                let mut explanation = $crate::record::Explanation::new(title, fields);
                $(explanation.add(
                    ($start, $end),
                    $crate::record!(@kind $($kind $($known)?)?),
                    format_args!($text $(, $($argument),+)?),
                );)*
                explanation.finish();
            }
        }

        impl $crate::record::FieldValue<$size> for $name {
            #[inline(always)]
            fn from_field<O: $crate::record::ByteOrder>(bytes: [u8; $size]) -> $name {
                $name::$parse(&bytes)
            }

            #[inline(always)]
            fn to_field<O: $crate::record::ByteOrder>(&self) -> [u8; $size] {
                self.$to_bytes()
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::files::Role;

    record! {
        /// A part of a record.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        struct Inner: Big, 3 {
            /// A number.
            0..3 number: u32 = "number {number}",
        }
    }

    record! {
        /// Every kind of field.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        struct Sample: Big, 28 {
            /// A record.
            0..3 inner: Inner = "inner {}" (inner.number),
            /// Two stretches of bits.
            3..8 [36..40, 16..32] white: u32 = "White {white}",
            /// The bits between them.
            3..8 [32..36, 0..16] black: u32 = "Black {black}",
            /// A field with few meanings.
            8..9 kind: u8 = "kind {kind}" unknown unless *kind < 3,
            /// A negative number.
            9..13 balance: i32 = "balance {balance}",
            /// A truth value.
            13..14 [7..8] is_set: bool = "set: {is_set}",
            /// The rest of its byte.
            13..14 [0..7] rest: u8 = "rest",
            /// Two numbers.
            14..18 ratings: [u16; 2] = "ratings {ratings:?}",
            /// A text.
            18..28 text: [u8; 10] = "text" slack,
        }
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes: [u8; 28], length in 0usize..40) {
            prop_assert_eq!(Sample::parse(&bytes).to_bytes(), bytes);
            let mut cut = Vec::new();
            Sample::from_slice(bytes.get(..length).unwrap_or(&bytes)).write(&mut cut);
            let length = length.min(28);
            prop_assert_eq!(&cut[..length], &bytes[..length]);
            prop_assert!(cut.len() == 28 && cut[length..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn every_bit_belongs_to_one_field() {
        let empty = Sample::parse(&[0; 28]);
        for bit in 0..28 * 8 {
            let mut bytes = [0; 28];
            bytes[bit / 8] = 1 << (bit % 8);
            let sample = Sample::parse(&bytes);
            assert_ne!(sample, empty, "{bit}");
            assert_eq!(sample.to_bytes(), bytes, "{bit}");
        }
    }

    #[test]
    fn values_have_the_declared_order() {
        let mut bytes: [u8; 28] = std::array::from_fn(|n| n as u8);
        bytes[9..13].copy_from_slice(&(-2i32).to_be_bytes());
        let sample = Sample::parse(&bytes);
        assert_eq!(sample.inner.number, 0x00_0102);
        assert_eq!((sample.white, sample.black), (0x00_0405, 0x03_0607));
        assert_eq!((sample.balance, sample.ratings), (-2, [0x0E0F, 0x1011]));
        let little = <u32 as FieldValue<3>>::from_field::<Little>([1, 2, 3]);
        assert_eq!(little, 0x03_0201);
        assert_eq!(FieldValue::<3>::to_field::<Little>(&little), [1, 2, 3]);
    }

    #[test]
    fn fields_are_explained_in_order() {
        let sample = Sample::parse(&[9; 28]);
        let mut lines = Vec::new();
        let mut report = |region: Region| {
            let (length, mark) = (region.end - region.start, region.kind.mark());
            lines.push(format!("{length}{mark}{}", region.what));
        };
        sample.explain("record 1: ", &mut Fields::new(Role("a"), 0, &mut report));
        assert_eq!(lines[0], "3 record 1: inner 592137");
        assert_eq!(lines[1], "5 White 2313; Black 592137");
        assert_eq!(lines[2], "1?kind 9");
        assert_eq!(lines[4], "1 set: false; rest");
        assert_eq!(lines.last().map(String::as_str), Some("10-text"));
    }

    #[test]
    fn omitted_bytes_are_neither_read_nor_explained() {
        let bytes: [u8; 28] = std::array::from_fn(|n| n as u8 + 1);
        let stored: [u8; 26] = narrow(&bytes, 7);
        assert_eq!(stored[6..8], [7, 10]);
        let wide: [u8; 28] = widen(&stored, 7);
        assert_eq!((&wide[..7], &wide[7..9]), (&bytes[..7], &[0, 0][..]));
        assert_eq!(wide[9..], bytes[9..]);
        let mut lengths = Vec::new();
        let mut report = |region: Region| lengths.push(region.end - region.start);
        let fields = &mut Fields::new(Role("a"), 0, &mut report);
        let omitted = std::slice::from_ref(&(7..9));
        explain_without(&Sample::parse(&wide), omitted, "", fields);
        assert_eq!(lengths, [3, 4, 4, 1, 4, 10]);
    }

    #[test]
    fn gaps_and_overlaps_are_found() {
        assert!(is_complete(&[(0, 1), (1, 5), (1, 5), (5, 6)], 6));
        for wrong in [&[(0, 1), (2, 6)][..], &[(0, 2), (1, 6)], &[(0, 5)], &[]] {
            assert!(!is_complete(wrong, 6));
        }
    }
}
