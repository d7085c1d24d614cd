//! The bytes of an index (docs/formats/chessdb-index.md).

use std::fmt;

use chessdb_core::{HomePawns, KeyFilter, Men, Places, SharedBytes, Signature};

/// The first bytes, with the version.
const MAGIC: &[u8; 16] = b"chessdb index 2\n";
/// Magic, number of games, number of files, number of places.
pub(super) const HEADER: usize = 32;
/// What is known of a file of the base.
const FILE: usize = 32;
/// What is known of a game.
const RECORD: usize = 48;
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
        let parts = [(files, FILE), (games, RECORD), (places, PLACE)];
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
        let before = HEADER + files * FILE + games as usize * RECORD;
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
        let start = HEADER + self.files * FILE + game as usize * RECORD;
        let record = self.bytes().get(start..)?.first_chunk::<RECORD>()?;
        read(record)
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
    let word = |n: usize| u64::from_le_bytes(part(record, 16 + 8 * n));
    Some(Signature {
        men: [
            Men::new([low(a), a >> 4, low(b), b >> 4, low(c)]),
            Men::new([c >> 4, low(d), d >> 4, low(e), e >> 4]),
        ],
        promotes: flags & PROMOTES != 0,
        home: (flags & USUAL != 0).then_some(home),
        opening: 0,
        plies: (plies < u16::MAX).then_some(plies.into()),
        keys: Some(KeyFilter([word(0), word(1), word(2), word(3)])),
    })
}

/// Puts an index together.
#[derive(Debug)]
pub(crate) struct Maker {
    bytes: Vec<u8>,
    games: u32,
}

impl Maker {
    /// Of a base of these files.
    pub(crate) fn new(stamps: &[Stamp]) -> Maker {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend((stamps.len() as u32).to_le_bytes());
        bytes.extend(0_u64.to_le_bytes());
        for stamp in stamps {
            stamp.write(&mut bytes);
        }
        Maker { bytes, games: 0 }
    }

    /// The next game; none of which nothing certain is known.
    pub(crate) fn add(&mut self, signature: Option<&Signature>) {
        self.games += 1;
        self.bytes.extend(signature.map_or([0; RECORD], record));
    }

    /// The bytes of the index; with where each game begins and the last one ends, or without.
    pub(crate) fn finish(self, places: Option<&[u64]>) -> Vec<u8> {
        let Maker { mut bytes, games } = self;
        let places = places.unwrap_or_default();
        if let Some(games_at) = bytes.get_mut(16..20) {
            games_at.copy_from_slice(&games.to_le_bytes());
        }
        if let Some(count) = bytes.get_mut(24..32) {
            count.copy_from_slice(&(places.len() as u64).to_le_bytes());
        }
        bytes.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
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
    // A signature without positions may have any.
    let keys = signature.keys.unwrap_or(KeyFilter([u64::MAX; 4]));
    let mut bytes = men
        .into_iter()
        .chain([flags])
        .chain(plies.unwrap_or(u16::MAX).to_le_bytes())
        .chain(home.order().to_le_bytes())
        .chain(keys.0.into_iter().flat_map(u64::to_le_bytes));
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

    #[test]
    fn what_is_written_is_read() {
        let known = Signature {
            men: [Men::new([8, 2, 2, 2, 1]), Men::new([7, 15, 0, 1, 9])],
            promotes: true,
            home: Some(HomePawns::new(0xFEDC_BA98_7654_3210, 16)),
            opening: 0,
            plies: Some(317),
            keys: Some(KeyFilter([1, 2 << 60, 3, u64::MAX])),
        };
        let setup = Signature {
            home: None,
            plies: None,
            ..known
        };
        let mut maker = Maker::new(&[stamp(), stamp()]);
        for signature in [Some(&known), None, Some(&setup)] {
            maker.add(signature);
        }
        let places = [7, 8, 1 << 40, u64::MAX];
        for places in [None, Some(&places[..])] {
            let maker = Maker {
                bytes: maker.bytes.clone(),
                ..maker
            };
            let bytes = maker.finish(places);
            let index = Index::parse(Arc::new(bytes)).unwrap();
            assert_eq!(index.games(), 3);
            assert_eq!(index.stamps().collect::<Vec<_>>(), [stamp(), stamp()]);
            let read: Vec<_> = (0..4).map(|game| index.signature(game)).collect();
            assert_eq!(read, [Some(known), None, Some(setup), None]);
            let found = index
                .places()
                .map(|places| (0..=4).map_while(|n| places.get(n)));
            assert_eq!(found.map(Vec::from_iter), places.map(<[u64]>::to_vec));
        }
    }

    #[test]
    fn every_damage_is_seen() {
        let parse = |bytes: &[u8]| Index::parse(Arc::new(bytes.to_vec()));
        for places in [None, Some(&[0, 5][..])] {
            let mut maker = Maker::new(&[stamp()]);
            maker.add(None);
            let bytes = maker.finish(places);
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
            let mut maker = Maker::new(&[stamp()]);
            maker.add(None);
            let mut bytes = maker.finish(Some(&[0, 5]));
            bytes[at] = wrong;
            let body = bytes.len() - CHECKSUM;
            let sum = crc32fast::hash(&bytes[..body]);
            bytes[body..].copy_from_slice(&sum.to_le_bytes());
            assert!(Index::parse(Arc::new(bytes)).is_err(), "{at}: {wrong}");
        }
    }
}
