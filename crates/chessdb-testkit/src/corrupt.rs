//! Damaged bases: every variant of a base that a test should survive, one after the other.
//!
//! A [`Variant`] borrows the base and holds at most one changed file, so that a whole series costs
//! the memory of one file. What is chosen at random depends on the seed alone.

use std::borrow::Cow;
use std::ops::Range;

use chessdb_core::{FileSet, MemorySet, Role};

use crate::rng::Rng;

/// A base of which one file is damaged.
#[derive(Clone, Debug)]
pub struct Variant<'a> {
    /// What was done to it, for messages.
    pub name: String,
    base: &'a MemorySet,
    role: Role,
    /// The file's bytes; none if it is missing.
    content: Option<Cow<'a, [u8]>>,
}

impl FileSet for Variant<'_> {
    fn get(&self, role: Role) -> Option<&[u8]> {
        if role == self.role {
            self.content.as_deref()
        } else {
            self.base.get(role)
        }
    }
}

impl Variant<'_> {
    /// The damaged file.
    pub fn role(&self) -> Role {
        self.role
    }
}

/// Where the records of equal size lie in a file, such as the entries of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Records {
    /// Offset of the first.
    pub start: usize,
    /// Bytes of each.
    pub size: usize,
}

impl Records {
    /// How many whole records a file of this length has.
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

/// Makes damaged variants of a base.
#[derive(Clone, Copy, Debug)]
pub struct Corruptor<'a> {
    base: &'a MemorySet,
    seed: u64,
}

impl<'a> Corruptor<'a> {
    /// Variants of this base; the same seed gives the same ones.
    pub fn new(base: &'a MemorySet, seed: u64) -> Corruptor<'a> {
        Corruptor { base, seed }
    }

    /// Every shorter length of a file.
    pub fn truncations(self, role: Role) -> impl Iterator<Item = Variant<'a>> {
        (0..self.bytes(role).len()).map(move |length| self.truncated(role, length))
    }

    /// Every length up to `first`, and `sampled` greater ones.
    pub fn some_truncations(
        self,
        role: Role,
        first: usize,
        sampled: usize,
    ) -> impl Iterator<Item = Variant<'a>> {
        let length = self.bytes(role).len();
        let first = first.min(length);
        let mut rng = Rng::new(self.seed ^ 1);
        let sampled = if first < length { sampled } else { 0 };
        let rest = (0..sampled).map(move |_| first + rng.below(length - first));
        (0..first)
            .chain(rest)
            .map(move |length| self.truncated(role, length))
    }

    /// Every bit of the first bytes flipped alone, and `sampled` bits behind them.
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
        (0..first * 8).chain(rest).map(move |bit| {
            let (at, bit) = (bit / 8, bit % 8);
            self.changed(role, format!("bit {bit} of byte {at} flipped"), |bytes| {
                bytes[at] ^= 1 << bit;
            })
        })
    }

    /// `count` variants in which up to eight random bytes became random others.
    pub fn noise(self, role: Role, count: usize) -> impl Iterator<Item = Variant<'a>> {
        let mut rng = Rng::new(self.seed ^ 3);
        let count = if self.bytes(role).is_empty() {
            0
        } else {
            count
        };
        (0..count).map(move |n| {
            self.changed(role, format!("noise {n}"), |bytes| {
                for _ in 0..=rng.below(8) {
                    let at = rng.below(bytes.len());
                    bytes[at] = rng.below(256) as u8;
                }
            })
        })
    }

    /// Every place of the range overwritten with numbers of 1 to 4 bytes that are often forgotten:
    /// 0, 1, all ones, and the greatest and smallest signed number, in both orders of bytes.
    pub fn extremes(self, role: Role, range: Range<usize>) -> impl Iterator<Item = Variant<'a>> {
        const VALUES: [u32; 5] = [0, 1, u32::MAX, 0x7FFF_FFFF, 0x8000_0000];
        let end = range.end.min(self.bytes(role).len());
        (range.start..end).flat_map(move |at| {
            (1..=4.min(end - at)).flat_map(move |width| {
                VALUES.iter().flat_map(move |&value| {
                    // A shorter number is the upper bytes of the longer one.
                    let value = if value > 1 {
                        value >> (32 - 8 * width)
                    } else {
                        value
                    };
                    let bytes = value.to_be_bytes()[4 - width..].to_vec();
                    let mut turned = bytes.clone();
                    turned.reverse();
                    let both = if turned == bytes {
                        vec![bytes]
                    } else {
                        vec![bytes, turned]
                    };
                    both.into_iter().map(move |number| {
                        self.changed(role, format!("{number:02x?} at byte {at}"), |bytes| {
                            bytes[at..at + width].copy_from_slice(&number);
                        })
                    })
                })
            })
        })
    }

    /// `count` pairs of records exchanged.
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

    /// `count` records overwritten with others.
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

    /// `count` records taken out, and as many put in a second time behind themselves.
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

    /// Each file of the base missing, empty, replaced by each other file, and with random bytes
    /// appended.
    pub fn whole_files(self) -> impl Iterator<Item = Variant<'a>> {
        let mut rng = Rng::new(self.seed ^ 7);
        self.base.iter().flat_map(move |(role, bytes)| {
            let made = |name: String, content| Variant {
                name,
                base: self.base,
                role,
                content,
            };
            let mut longer = bytes.to_vec();
            longer.extend((0..64).map(|_| rng.below(256) as u8));
            let mut variants = vec![
                made(format!("{role} missing"), None),
                made(format!("{role} empty"), Some(Cow::Borrowed(&[][..]))),
                made(
                    format!("{role} with bytes appended"),
                    Some(Cow::Owned(longer)),
                ),
            ];
            for (other, bytes) in self.base.iter().filter(|(other, _)| *other != role) {
                let name = format!("{other} in place of {role}");
                variants.push(made(name, Some(Cow::Borrowed(bytes))));
            }
            variants
        })
    }

    /// The usual mix: whole files, and for each file all truncations and bit flips of the first
    /// `first` bytes, `sampled` of each behind them, extreme numbers in the first `first` bytes,
    /// and noise.
    pub fn usual(self, first: usize, sampled: usize) -> impl Iterator<Item = Variant<'a>> {
        let roles = self.base.iter().map(|(role, _)| role);
        self.whole_files().chain(roles.flat_map(move |role| {
            self.some_truncations(role, first, sampled)
                .chain(self.bit_flips(role, first, sampled))
                .chain(self.extremes(role, 0..first))
                .chain(self.noise(role, sampled))
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

    /// `count` pairs of different records; none if there are less than two.
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
            (a, (a + 1 + rng.below(available - 1)) % available)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: Role = Role("idx");
    const GAMES: Role = Role("dat");

    fn base() -> MemorySet {
        let mut base = MemorySet::new();
        base.insert(INDEX, *b"headAABBCCDD");
        base.insert(GAMES, *b"moves");
        base
    }

    fn names(variants: &[Variant<'_>]) -> Vec<String> {
        variants
            .iter()
            .map(|variant| variant.name.clone())
            .collect()
    }

    #[test]
    fn truncations_are_all_shorter_lengths() {
        let base = base();
        let cuts: Vec<_> = Corruptor::new(&base, 1).truncations(GAMES).collect();
        assert_eq!(names(&cuts)[3], "dat: cut to 3 bytes");
        for (length, cut) in cuts.iter().enumerate() {
            assert_eq!(cut.get(GAMES), Some(&b"moves"[..length]));
            assert_eq!(cut.get(INDEX), base.get(INDEX));
        }
        assert_eq!(cuts.len(), 5);
        let some: Vec<_> = Corruptor::new(&base, 1)
            .some_truncations(INDEX, 3, 4)
            .collect();
        assert_eq!(some.len(), 7);
        assert!(
            some[3..]
                .iter()
                .all(|cut| (3..12).contains(&cut.get(INDEX).unwrap().len()))
        );
        assert_eq!(
            Corruptor::new(&base, 1)
                .some_truncations(GAMES, 99, 4)
                .count(),
            5
        );
    }

    #[test]
    fn flips_change_one_bit() {
        let base = base();
        let flips: Vec<_> = Corruptor::new(&base, 1).bit_flips(INDEX, 2, 3).collect();
        assert_eq!(flips.len(), 16 + 3);
        for flip in &flips {
            let pairs = flip
                .get(INDEX)
                .unwrap()
                .iter()
                .zip(base.get(INDEX).unwrap());
            assert_eq!(
                pairs.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(),
                1,
                "{}",
                flip.name
            );
        }
        assert_eq!(flips[9].get(INDEX).unwrap()[1], b'e' ^ 2);
    }

    #[test]
    fn the_same_seed_gives_the_same_noise() {
        let base = base();
        let noise = |seed| {
            let noise = Corruptor::new(&base, seed).noise(GAMES, 9);
            noise
                .map(|v| v.get(GAMES).unwrap().to_vec())
                .collect::<Vec<_>>()
        };
        assert_eq!(noise(7), noise(7));
        assert_ne!(noise(7), noise(8));
    }

    #[test]
    fn extremes_reach_every_width_and_order() {
        let base = base();
        let all: Vec<_> = Corruptor::new(&base, 1).extremes(GAMES, 1..4).collect();
        let has = |bytes: &[u8]| all.iter().any(|v| v.get(GAMES) == Some(bytes));
        assert!(has(b"m\xFFves") && has(b"m\xFF\xFF\xFFs") && has(b"m\x80\x00\x00s"));
        assert!(has(b"m\x00\x00\x01s") && has(b"m\x01\x00\x00s") && has(b"mo\x7F\xFFs"));
        assert!(all.iter().all(|v| v.get(GAMES).unwrap().ends_with(b"s")));
    }

    #[test]
    fn records_are_exchanged_and_repeated_whole() {
        let base = base();
        let records = Records { start: 4, size: 2 };
        let corruptor = Corruptor::new(&base, 1);
        for swap in corruptor.swapped_records(INDEX, records, 20) {
            let bytes = swap.get(INDEX).unwrap();
            assert_eq!(bytes.len(), 12);
            let mut found: Vec<_> = bytes[4..].chunks(2).collect();
            assert_ne!(found, [b"AA", b"BB", b"CC", b"DD"]);
            found.sort_unstable();
            assert_eq!(found, [b"AA", b"BB", b"CC", b"DD"]);
        }
        for twice in corruptor.repeated_records(INDEX, records, 20) {
            let mut found: Vec<_> = twice.get(INDEX).unwrap()[4..].chunks(2).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), 3, "{}", twice.name);
        }
        let shifted: Vec<_> = corruptor.shifted_records(INDEX, records, 1).collect();
        assert_eq!(shifted[0].get(INDEX).unwrap().len(), 10);
        assert_eq!(shifted[1].get(INDEX).unwrap().len(), 14);
        assert_eq!(corruptor.swapped_records(GAMES, records, 20).count(), 0);
    }

    #[test]
    fn whole_files_go_missing_empty_and_astray() {
        let base = base();
        let variants: Vec<_> = Corruptor::new(&base, 1).whole_files().collect();
        let find = |name: &str| variants.iter().find(|v| v.name == name).unwrap();
        assert_eq!(find("idx missing").get(INDEX), None);
        assert_eq!(find("idx empty").get(INDEX), Some(&[][..]));
        assert_eq!(find("dat in place of idx").get(INDEX), Some(&b"moves"[..]));
        assert_eq!(
            find("dat with bytes appended").get(GAMES).unwrap().len(),
            69
        );
        assert_eq!(variants.len(), 8);
        assert!(Corruptor::new(&base, 1).usual(4, 2).count() > 200);
    }
}
