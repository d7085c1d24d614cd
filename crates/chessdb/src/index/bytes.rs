//! The bytes of an index (docs/formats/chessdb-index.md).

use std::fmt;
use std::io::{self, Write};

use chessdb_core::{Feature, Features, HomePawns, Men, Places, SharedBytes, Signature};

/// The first bytes, with the version.
const MAGIC: &[u8; 16] = b"chessdb index 4\n";
/// Magic, number of games, number of files, number of places.
pub(super) const HEADER: usize = 32;
/// What is known of a file of the base.
const FILE: usize = 32;
/// What is known of a game.
const RECORD: usize = 16;
/// So many games stand in a block: their records first, then a word for each bit of a set of features.
const GAMES: usize = 64;
const RECORDS: usize = GAMES * RECORD;
const BLOCK: usize = RECORDS + Features::BITS * 8;
/// Where a game begins, or the last one ends.
const PLACE: usize = 8;
/// The checksum at the end.
const CHECKSUM: usize = 4;
/// No format has more files.
const MOST_FILES: u64 = 64;

const KNOWN: u8 = 1;
const PROMOTES: u8 = 2;
const USUAL: u8 = 4;

/// What a file of the base was when the index was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp {
    /// The checksum of the file's role.
    pub(crate) role: u32,
    pub(crate) size: u64,
    /// When it was last changed: seconds and nanoseconds since 1970.
    pub(crate) time: (i64, u32),
    /// The checksum of the whole file, and that of some parts.
    pub(crate) whole: u32,
    pub(crate) parts: u32,
}

impl Stamp {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.role.to_le_bytes());
        out.extend(self.size.to_le_bytes());
        out.extend(self.time.0.to_le_bytes());
        out.extend(self.time.1.to_le_bytes());
        out.extend(self.whole.to_le_bytes());
        out.extend(self.parts.to_le_bytes());
    }

    fn read(bytes: &[u8; FILE]) -> Stamp {
        let word = |at: usize| u32::from_le_bytes(part(bytes, at));
        Stamp {
            role: word(0),
            size: u64::from_le_bytes(part(bytes, 4)),
            time: (i64::from_le_bytes(part(bytes, 12)), word(20)),
            whole: word(24),
            parts: word(28),
        }
    }
}

/// Bytes of a record of a fixed length; the place is always within it.
fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let part = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    part.copied().unwrap_or([0; N])
}

/// An index, wherever its bytes are.
pub(crate) struct Index {
    bytes: SharedBytes,
    games: u32,
    files: usize,
    places: Option<Places>,
}

impl Index {
    /// How long the index is that begins with these bytes; why it is none otherwise.
    pub(crate) fn length(start: &[u8]) -> Result<u64, &'static str> {
        if start.get(..MAGIC.len()) != Some(MAGIC) {
            return Err("it is no index of this version");
        }
        let games = u64::from(u32::from_le_bytes(part(start, 16)));
        let files = u64::from(u32::from_le_bytes(part(start, 20)));
        let places = u64::from_le_bytes(part(start, 24));
        if files > MOST_FILES || places != 0 && places != games + 1 {
            return Err("it is damaged: its counts are wrong");
        }
        let blocks = games.div_ceil(GAMES as u64);
        let parts = [(files, FILE), (blocks, BLOCK), (places, PLACE)];
        let parts = parts.map(|(count, size)| count * size as u64);
        Ok(parts.into_iter().sum::<u64>() + (HEADER + CHECKSUM) as u64)
    }

    /// Takes the bytes of an index; why it is none otherwise.
    pub(crate) fn parse(bytes: SharedBytes) -> Result<Index, &'static str> {
        let all = (*bytes).as_ref();
        if Index::length(all)? != all.len() as u64 {
            return Err("it is damaged: its length is wrong");
        }
        let body = all.len() - CHECKSUM;
        let sum = u32::from_le_bytes(part(all, body));
        if all.get(..body).map(crc32fast::hash) != Some(sum) {
            return Err("it is damaged: its checksum is wrong");
        }
        let games = u32::from_le_bytes(part(all, 16));
        let files = u32::from_le_bytes(part(all, 20)) as usize;
        let blocks = (games as usize).div_ceil(GAMES);
        let before = HEADER + files * FILE + blocks * BLOCK;
        let places = Places::new(SharedBytes::clone(&bytes), before..body);
        Ok(Index {
            bytes,
            games,
            files,
            places,
        })
    }

    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// How many games the base has.
    pub(crate) fn games(&self) -> u32 {
        self.games
    }

    /// Where the games are in the base's main file, if that is known.
    pub(crate) fn places(&self) -> Option<&Places> {
        self.places.as_ref()
    }

    /// What the files of the base were.
    pub(crate) fn stamps(&self) -> impl Iterator<Item = Stamp> + '_ {
        let files = self.bytes().get(HEADER..).unwrap_or_default();
        let (files, _) = files.as_chunks::<FILE>();
        files.iter().take(self.files).map(Stamp::read)
    }

    /// What is known of a game, counted from 0.
    #[inline]
    pub(crate) fn signature(&self, game: u32) -> Option<Signature> {
        if game >= self.games {
            return None;
        }
        let game = game as usize;
        let start = self.block(game / GAMES) + game % GAMES * RECORD;
        let record = self.bytes().get(start..)?.first_chunk::<RECORD>()?;
        read(record)
    }

    /// In which of the 64 games from this one on, counted from 0, something may come up, a bit for each. Those
    /// behind the last have no meaning.
    #[inline]
    pub(crate) fn may_have(&self, first: u32, feature: Feature) -> u64 {
        let (block, offset) = (first as usize / GAMES, first as usize % GAMES);
        let word = |block: usize, bit: usize| {
            let at = self.block(block) + RECORDS + bit * 8;
            let word = self.bytes().get(at..).and_then(|rest| rest.first_chunk());
            word.map_or(0, |word| u64::from_le_bytes(*word))
        };
        let games = |bit: usize| match offset {
            0 => word(block, bit),
            _ => word(block, bit) >> offset | word(block + 1, bit) << (GAMES - offset),
        };
        let bits = feature.bits().into_iter();
        bits.fold(u64::MAX, |all, bit| all & games(bit))
    }

    /// Where a block begins.
    fn block(&self, block: usize) -> usize {
        HEADER + self.files * FILE + block * BLOCK
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index({} games)", self.games)
    }
}

/// What is known of a game, from its record.
#[inline]
fn read(record: &[u8; RECORD]) -> Option<Signature> {
    let [a, b, c, d, e, flags, ..] = *record;
    if flags & KNOWN == 0 {
        return None;
    }
    let low = |byte: u8| byte & 15;
    let home = HomePawns::new(u64::from_le_bytes(part(record, 8)), flags >> 3);
    let plies = u16::from_le_bytes(part(record, 6));
    Some(Signature {
        men: [
            Men::new([low(a), a >> 4, low(b), b >> 4, low(c)]),
            Men::new([c >> 4, low(d), d >> 4, low(e), e >> 4]),
        ],
        promotes: flags & PROMOTES != 0,
        home: (flags & USUAL != 0).then_some(home),
        opening: 0,
        plies: (plies < u16::MAX).then_some(plies.into()),
    })
}

/// Writes an index, game after game.
pub(crate) struct Maker<W> {
    out: W,
    sum: crc32fast::Hasher,
    /// How many games there will be, and how many there are.
    games: u32,
    done: u32,
    /// The block that is not full yet.
    records: Vec<u8>,
    columns: Box<[u64; Features::BITS]>,
}

impl<W: Write> Maker<W> {
    /// Of a base of these files, with so many games, and so many places of games: one more, or none.
    pub(crate) fn new(out: W, stamps: &[Stamp], games: u32, places: u64) -> io::Result<Maker<W>> {
        let mut maker = Maker {
            out,
            sum: crc32fast::Hasher::new(),
            games,
            done: 0,
            records: Vec::with_capacity(RECORDS),
            columns: Box::new([0; Features::BITS]),
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(games.to_le_bytes());
        bytes.extend((stamps.len() as u32).to_le_bytes());
        bytes.extend(places.to_le_bytes());
        for stamp in stamps {
            stamp.write(&mut bytes);
        }
        maker.write(&bytes)?;
        Ok(maker)
    }

    /// The next game; none of which nothing certain is known.
    pub(crate) fn add(&mut self, known: Option<&(Signature, Features)>) -> io::Result<()> {
        let game = self.records.len() / RECORD;
        let (record, features) = match known {
            Some((signature, features)) => (record(signature), *features),
            None => ([0; RECORD], Features::UNKNOWN),
        };
        self.records.extend(record);
        for (words, columns) in features.0.into_iter().zip(self.columns.chunks_mut(64)) {
            let mut left = words;
            while let Some(column) = columns.get_mut(left.trailing_zeros() as usize) {
                *column |= 1 << game;
                left &= left - 1;
            }
        }
        self.done = self.done.saturating_add(1);
        match game + 1 == GAMES {
            true => self.end_block(),
            false => Ok(()),
        }
    }

    /// Where each game begins and the last one ends, if that was announced; and the end. What `out` holds back is
    /// not written yet.
    pub(crate) fn finish(mut self, places: &[u64]) -> io::Result<W> {
        if self.done != self.games {
            return Err(io::Error::other("the base changed while it was read"));
        }
        if !self.records.is_empty() {
            self.end_block()?;
        }
        for place in places {
            self.write(&place.to_le_bytes())?;
        }
        let sum = self.sum.clone().finalize();
        self.write(&sum.to_le_bytes())?;
        Ok(self.out)
    }

    fn end_block(&mut self) -> io::Result<()> {
        let mut block = std::mem::take(&mut self.records);
        block.resize(RECORDS, 0);
        block.extend(self.columns.iter().flat_map(|word| word.to_le_bytes()));
        self.columns.fill(0);
        self.write(&block)?;
        block.clear();
        self.records = block;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.out.write_all(bytes)
    }
}

/// The record of a game.
fn record(signature: &Signature) -> [u8; RECORD] {
    let mut out = [0; RECORD];
    let [white, black] = signature.men;
    let two = |low: u8, high: u8| low.min(15) | high.min(15) << 4;
    let [a, b, c, d, e] = white.counts();
    let [f, g, h, i, j] = black.counts();
    let men = [two(a, b), two(c, d), two(e, f), two(g, h), two(i, j)];
    let home = signature.home.unwrap_or_default();
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    let flags = KNOWN
        | flag(signature.promotes, PROMOTES)
        | flag(signature.home.is_some(), USUAL)
        | home.count() << 3;
    let plies = signature.plies.and_then(|plies| u16::try_from(plies).ok());
    let mut bytes = men
        .into_iter()
        .chain([flags])
        .chain(plies.unwrap_or(u16::MAX).to_le_bytes())
        .chain(home.order().to_le_bytes());
    for slot in &mut out {
        *slot = bytes.next().unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn stamp() -> Stamp {
        Stamp {
            role: 7,
            size: 1 << 40,
            time: (-3, 999_999_999),
            whole: 0xDEAD_BEEF,
            parts: 5,
        }
    }

    /// An index of these games.
    fn index(games: &[Option<(Signature, Features)>], places: &[u64]) -> Vec<u8> {
        let count = games.len() as u32;
        let stamps = [stamp(), stamp()];
        let mut maker = Maker::new(Vec::new(), &stamps, count, places.len() as u64).unwrap();
        for game in games {
            maker.add(game.as_ref()).unwrap();
        }
        maker.finish(places).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let known = Signature {
            men: [Men::new([8, 2, 2, 2, 1]), Men::new([7, 15, 0, 1, 9])],
            promotes: true,
            home: Some(HomePawns::new(0xFEDC_BA98_7654_3210, 16)),
            opening: 0,
            plies: Some(317),
        };
        let setup = Signature {
            home: None,
            plies: None,
            ..known
        };
        let features = |n: u64| Features([n, !n, n << 32, 7, 0, n * n, 1 << 63, u64::MAX]);
        let games: Vec<_> = (0..150)
            .map(|n| match n % 7 {
                0 => None,
                1 => Some((setup, features(n))),
                _ => Some((known, features(n))),
            })
            .collect();
        let balances = (0..15).map(|n| Feature::of_balance([Men::new([n; 5]), known.men[0]]));
        let balances: Vec<_> = balances.collect();
        let many: Vec<u64> = (0..151).map(|n| n << 40).collect();
        for places in [&[][..], &many] {
            let index = Index::parse(Arc::new(index(&games, places))).unwrap();
            assert_eq!(index.games(), 150);
            assert_eq!(index.stamps().collect::<Vec<_>>(), [stamp(), stamp()]);
            for (n, game) in (0..).zip(&games) {
                assert_eq!(index.signature(n), game.map(|(signature, _)| signature));
                for &feature in &balances {
                    let bits = index.may_have(n, feature);
                    for (ahead, game) in games.iter().skip(n as usize).take(64).enumerate() {
                        let features = game.map_or(Features::UNKNOWN, |(_, features)| features);
                        let may = bits >> ahead & 1 != 0;
                        assert_eq!(may, features.may_have(feature), "{n} {ahead}");
                    }
                }
            }
            assert_eq!(index.signature(150), None);
            let found = index
                .places()
                .map(|places| (0..).map_while(|n| places.get(n)));
            let expected = (!places.is_empty()).then(|| places.to_vec());
            assert_eq!(found.map(Vec::from_iter), expected);
        }
    }

    #[test]
    fn games_that_do_not_come_are_missed() {
        let mut maker = Maker::new(Vec::new(), &[stamp()], 2, 0).unwrap();
        maker.add(None).unwrap();
        assert!(maker.finish(&[]).is_err());
    }

    #[test]
    fn every_damage_is_seen() {
        let parse = |bytes: &[u8]| Index::parse(Arc::new(bytes.to_vec()));
        for places in [&[][..], &[0, 5]] {
            let bytes = index(&[None], places);
            assert!(parse(&bytes).is_ok());
            for cut in 0..bytes.len() {
                assert!(parse(&bytes[..cut]).is_err(), "{cut}");
            }
            for bit in 0..bytes.len() * 8 {
                let mut damaged = bytes.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(parse(&damaged).is_err(), "bit {bit}");
            }
            let mut longer = bytes.clone();
            longer.push(0);
            assert!(parse(&longer).is_err());
        }
    }

    #[test]
    fn counts_that_lie_are_refused_whatever_the_checksum_says() {
        for (at, wrong) in [
            (16, 2),
            (20, 0),
            (20, 65),
            (24, 1),
            (24, 3),
            (31, 0xFF),
            (15, b'1'),
        ] {
            let mut bytes = index(&[None], &[0, 5]);
            bytes[at] = wrong;
            let body = bytes.len() - CHECKSUM;
            let sum = crc32fast::hash(&bytes[..body]);
            bytes[body..].copy_from_slice(&sum.to_le_bytes());
            assert!(Index::parse(Arc::new(bytes)).is_err(), "{at}: {wrong}");
        }
    }
}
