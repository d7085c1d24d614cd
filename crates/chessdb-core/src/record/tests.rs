//! Records of the tests, with every kind of field.

use proptest::prelude::*;

use super::*;
use crate::files::Role;
use crate::record;

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
    assert_eq!(lines[1], "5 record 1: White 2313; Black 592137");
    assert_eq!(lines[2], "1?record 1: kind 9");
    assert_eq!(lines[4], "1 record 1: set: false; rest");
    assert_eq!(lines.last().map(String::as_str), Some("10-record 1: text"));
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
