//! Damaged databases: every variant of a database that a test should survive, one after another.
//!
//! A [`Variant`] borrows the database and owns at most one changed file, so a whole series needs
//! the memory of one file. Random choices depend only on the seed.

use std::borrow::Cow;
use std::ops::Range;

use chessdb_core::files::Role;
use chessdb_core::{FileSet, MemorySet};

use crate::rng::Rng;
use crate::time::one_of;

/// A database with one damaged file.
#[derive(Clone, Debug)]
pub struct Variant<'a> {
    /// A description of the damage, for messages.
    pub name: String,
    base: &'a MemorySet,
    role: Role,
    /// The bytes of the file; `None` if it is missing.
    content: Option<Cow<'a, [u8]>>,
}

impl FileSet for Variant<'_> {
    fn get(&self, role: Role) -> Option<&[u8]> {
        if role == self.role { self.content.as_deref() } else { self.base.get(role) }
    }
}

impl Variant<'_> {
    /// Returns the role of the damaged file.
    pub fn role(&self) -> Role {
        self.role
    }
}

/// The layout of records of equal size in a file, such as the entries of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Records {
    /// Offset of the first record.
    pub start: usize,
    /// Size of a record in bytes.
    pub size: usize,
}

impl Records {
    /// Returns the number of whole records in a file of this length.
    fn count(self, length: usize) -> usize {
        length
            .saturating_sub(self.start)
            .checked_div(self.size)
            .unwrap_or(0)
    }

    fn range(self, n: usize) -> Range<usize> {
        let start = self.start + n * self.size;
        start..start + self.size
    }
}

/// A generator of damaged variants of a database.
#[derive(Clone, Copy, Debug)]
pub struct Corruptor<'a> {
    base: &'a MemorySet,
    seed: u64,
}

impl<'a> Corruptor<'a> {
    /// Creates a generator for this database; the same seed gives the same variants.
    pub fn new(base: &'a MemorySet, seed: u64) -> Corruptor<'a> {
        Corruptor { base, seed }
    }

    /// Returns every shorter length of a file.
    pub fn truncations(self, role: Role) -> impl Iterator<Item = Variant<'a>> {
        (0..self.bytes(role).len()).map(move |length| self.truncated(role, length))
    }

    /// Returns every length up to `first`, and `sampled` greater lengths.
    pub fn some_truncations(
        self,
        role: Role,
        first: usize,
        sampled: usize,
    ) -> impl Iterator<Item = Variant<'a>> {
        let length = self.bytes(role).len();
        let first = first.min(length);
        // Each kind of damage has its own series, so that changing one leaves the others as they
        // are.
        let mut rng = Rng::new(self.seed ^ 1);
        let sampled = if first < length { sampled } else { 0 };
        let rest = (0..sampled).map(move |_| first + rng.below(length - first));
        (0..first)
            .chain(rest)
            .map(move |length| self.truncated(role, length))
    }

    /// Returns variants with one flipped bit: every bit of the first `first` bytes, and `sampled`
    /// bits after them.
    pub fn bit_flips(
        self,
        role: Role,
        first: usize,
        sampled: usize,
    ) -> impl Iterator<Item = Variant<'a>> {
        let length = self.bytes(role).len();
        let first = first.min(length);
        let mut rng = Rng::new(self.seed ^ 2);
        let sampled = if first < length { sampled } else { 0 };
        let rest = (0..sampled).map(move |_| first * 8 + rng.below((length - first) * 8));
        (0..first * 8)
            .chain(rest)
            .map(move |bit| self.flipped(role, bit))
    }

    /// Returns variants with one flipped bit: every bit of a range.
    pub fn bit_flips_in(
        self,
        role: Role,
        range: Range<usize>,
    ) -> impl Iterator<Item = Variant<'a>> {
        let end = range.end.min(self.bytes(role).len());
        (range.start * 8..end * 8).map(move |bit| self.flipped(role, bit))
    }

    fn flipped(self, role: Role, bit: usize) -> Variant<'a> {
        let (byte, bit) = (bit / 8, bit % 8);
        self.changed(role, format!("bit {bit} of byte {byte} flipped"), |bytes| {
            bytes[byte] ^= 1 << bit;
        })
    }

    /// Returns `count` variants with up to eight random bytes replaced by random values.
    pub fn noise(self, role: Role, count: usize) -> impl Iterator<Item = Variant<'a>> {
        let mut rng = Rng::new(self.seed ^ 3);
        let count = if self.bytes(role).is_empty() { 0 } else { count };
        (0..count).map(move |n| {
            self.changed(role, format!("noise {n}"), |bytes| {
                for _ in 0..=rng.below(8) {
                    let offset = rng.below(bytes.len());
                    bytes[offset] = rng.below(256) as u8;
                }
            })
        })
    }

    /// Overwrites every position of the range with numbers of 1 to 4 bytes that programs often do
    /// not handle: 0, 1, all ones, and the greatest and smallest signed number, in both byte
    /// orders.
    pub fn extremes(self, role: Role, range: Range<usize>) -> impl Iterator<Item = Variant<'a>> {
        const VALUES: [u32; 5] = [0, 1, u32::MAX, 0x7FFF_FFFF, 0x8000_0000];
        let end = range.end.min(self.bytes(role).len());
        (range.start..end).flat_map(move |offset| {
            (1..=4.min(end - offset)).flat_map(move |width| {
                VALUES.iter().flat_map(move |&value| {
                    // A shorter number is the upper bytes of the longer one.
                    let value = if value > 1 { value >> (32 - 8 * width) } else { value };
                    let bytes = value.to_be_bytes()[4 - width..].to_vec();
                    // Files have numbers in both byte orders.
                    let mut turned = bytes.clone();
                    turned.reverse();
                    let both = if turned == bytes { vec![bytes] } else { vec![bytes, turned] };
                    both.into_iter().map(move |number| {
                        self.changed(role, format!("{number:02x?} at byte {offset}"), |bytes| {
                            bytes[offset..offset + width].copy_from_slice(&number);
                        })
                    })
                })
            })
        })
    }

    /// Returns `count` variants with two records exchanged.
    pub fn swapped_records(
        self,
        role: Role,
        records: Records,
        count: usize,
    ) -> impl Iterator<Item = Variant<'a>> {
        self.two_records(role, records, count, 4)
            .map(move |(a, b)| {
                self.changed(role, format!("records {a} and {b} exchanged"), |bytes| {
                    for (x, y) in records.range(a).zip(records.range(b)) {
                        bytes.swap(x, y);
                    }
                })
            })
    }

    /// Returns `count` variants in which two records exchanged one field, such as the offsets that
    /// they refer to.
    pub fn exchanged_fields(
        self,
        role: Role,
        records: Records,
        field: Range<usize>,
        count: usize,
    ) -> impl Iterator<Item = Variant<'a>> {
        let length = field.len();
        self.two_records(role, records, count, 8)
            .map(move |(a, b)| {
                let what = format!("records {a} and {b} pointing at each other's");
                self.changed(role, what, |bytes| {
                    let (a, b) = (records.range(a).start, records.range(b).start);
                    for n in field.start..field.start + length {
                        bytes.swap(a + n, b + n);
                    }
                })
            })
    }

    /// Returns `count` variants with a record overwritten by another.
    pub fn repeated_records(
        self,
        role: Role,
        records: Records,
        count: usize,
    ) -> impl Iterator<Item = Variant<'a>> {
        self.two_records(role, records, count, 5)
            .map(move |(a, b)| {
                self.changed(
                    role,
                    format!("record {a} also in place of record {b}"),
                    |bytes| {
                        bytes.copy_within(records.range(a), records.range(b).start);
                    },
                )
            })
    }

    /// Returns `count` variants with a record removed, and as many with a record repeated directly
    /// after itself.
    pub fn shifted_records(
        self,
        role: Role,
        records: Records,
        count: usize,
    ) -> impl Iterator<Item = Variant<'a>> {
        self.two_records(role, records, count, 6)
            .flat_map(move |(a, b)| {
                let without = self.changed(role, format!("record {a} taken out"), |bytes| {
                    bytes.drain(records.range(a));
                });
                let with = self.changed(role, format!("record {b} put in twice"), |bytes| {
                    let copy = bytes[records.range(b)].to_vec();
                    let end = records.range(b).end;
                    bytes.splice(end..end, copy);
                });
                [without, with]
            })
    }

    /// Returns variants with each file of the database missing, empty, replaced by each other file,
    /// and with random bytes appended.
    pub fn whole_files(self) -> impl Iterator<Item = Variant<'a>> {
        let mut rng = Rng::new(self.seed ^ 7);
        self.base.iter().flat_map(move |(role, bytes)| {
            let variant = |name: String, content| Variant {
                name,
                base: self.base,
                role,
                content,
            };
            let mut longer = bytes.to_vec();
            longer.extend((0..64).map(|_| rng.below(256) as u8));
            let mut variants = vec![
                variant(format!("{role} missing"), None),
                variant(format!("{role} empty"), Some(Cow::Borrowed(&[][..]))),
                variant(
                    format!("{role} with bytes appended"),
                    Some(Cow::Owned(longer)),
                ),
            ];
            for (other, bytes) in self.base.iter().filter(|(other, _)| *other != role) {
                let name = format!("{other} in place of {role}");
                variants.push(variant(name, Some(Cow::Borrowed(bytes))));
            }
            variants
        })
    }

    /// Returns the standard mix: whole files, and for each file truncations and bit flips of the
    /// first `first` bytes, `sampled` of each after them, extreme numbers in the first `first`
    /// bytes, and noise. Of these, every third is used unless `CHESSDB_THOROUGH` is set
    /// ([`one_of`]).
    pub fn usual(self, first: usize, sampled: usize) -> impl Iterator<Item = Variant<'a>> {
        let roles = self.base.iter().map(|(role, _)| role);
        self.whole_files().chain(roles.flat_map(move |role| {
            self.some_truncations(role, first, sampled)
                .chain(self.bit_flips(role, first, sampled))
                .chain(self.extremes(role, 0..first))
                .chain(self.noise(role, sampled))
                // A short run takes a third of the variants, a thorough one all.
                .step_by(one_of(3))
        }))
    }

    fn bytes(self, role: Role) -> &'a [u8] {
        self.base
            .get(role)
            .unwrap_or_else(|| panic!("the base has no {role} file"))
    }

    fn truncated(self, role: Role, length: usize) -> Variant<'a> {
        Variant {
            name: format!("{role}: cut to {length} bytes"),
            base: self.base,
            role,
            content: self.bytes(role).get(..length).map(Cow::Borrowed),
        }
    }

    fn changed(self, role: Role, what: String, change: impl FnOnce(&mut Vec<u8>)) -> Variant<'a> {
        let mut bytes = self.bytes(role).to_vec();
        change(&mut bytes);
        let name = format!("{role}: {what}");
        Variant {
            name,
            base: self.base,
            role,
            content: Some(Cow::Owned(bytes)),
        }
    }

    /// Returns `count` pairs of different records; none if there are fewer than two records.
    fn two_records(
        self,
        role: Role,
        records: Records,
        count: usize,
        salt: u64,
    ) -> impl Iterator<Item = (usize, usize)> {
        let available = records.count(self.bytes(role).len());
        let count = if available < 2 { 0 } else { count };
        let mut rng = Rng::new(self.seed ^ salt);
        (0..count).map(move |_| {
            let a = rng.below(available);
            // Never the same record twice.
            (a, (a + 1 + rng.below(available - 1)) % available)
        })
    }
}

#[cfg(test)]
mod tests;
