//! Kinds of damage by disks, transfers and users, each applied to one file with a seed.

use chessdb::Format;
use chessdb::core::files::Role;
use chessdb::core::{FileSet, Game, MemorySet};
use chessdb_testkit::corrupt::Records;
use chessdb_testkit::identity::Ranges;
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

/// The database to be damaged, with the data that kinds of damage need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// The files.
    pub(crate) files: &'a MemorySet,
    /// The same database when it had fewer games.
    pub(crate) older: &'a MemorySet,
    /// Numbers that apply to the whole database.
    pub(crate) header: &'a Ranges,
    /// The records of the index, in the file that has them.
    pub(crate) index: Option<(Role, Records)>,
}

/// The new content of a file; `None` if it is removed.
pub(crate) type Changed = Option<Vec<u8>>;

/// A kind of damage.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// The name for the table.
    pub(crate) name: &'static str,
    /// Whether a format without checksums can miss it, because the changed data may be as plausible
    /// as the original, such as one letter for another.
    pub(crate) may_hide: bool,
    /// The number of attempts per file and requested seed.
    pub(crate) times: u64,
    /// Damages a file; `None` if the file is too short or has no such data.
    pub(crate) apply: fn(&Subject<'_>, Role, &mut Rng) -> Option<Changed>,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const SECTOR: usize = 512;
const CLUSTER: usize = 4096;
const BLOCK: usize = 65_536;

macro_rules! kinds {
    ($($name:literal $($flag:ident)? * $times:literal: $apply:expr;)*) => {
        /// All kinds of damage.
        pub(crate) const KINDS: &[Kind] = &[
            $(Kind {
                name: $name,
                may_hide: kinds!(@ $($flag)?),
                times: $times,
                apply: $apply,
            },)*
        ];
    };
    (@) => { false };
    (@ hides) => { true };
}

kinds! {
    "head cut off" * 1: |on, role, rng| edit(on, role, |bytes| {
        let cut = 1 + rng.below(bytes.len().min(SECTOR));
        bytes.drain(..cut);
    });
    "cut out of the middle" * 2: |on, role, rng| edit(on, role, |bytes| {
        let at = rng.below(bytes.len());
        let end = bytes.len().min(at + 1 + rng.below(CLUSTER));
        bytes.drain(at..end);
    });
    "tail cut off" * 2: |on, role, rng| edit(on, role, |bytes| {
        bytes.truncate(bytes.len() / 4 + rng.below(bytes.len() * 3 / 4 + 1));
    });
    "last bytes cut off" * 1: |on, role, rng| edit(on, role, |bytes| {
        bytes.truncate(bytes.len().saturating_sub(1 + rng.below(40)));
    });
    "512 B of zeros" * 4: |on, role, rng| fill(on, role, rng, SECTOR, 0);
    "4 KiB of zeros" * 2: |on, role, rng| fill(on, role, rng, CLUSTER, 0);
    "64 KiB of zeros" * 1: |on, role, rng| fill(on, role, rng, BLOCK, 0);
    "zeros from here to the end" * 1: |on, role, rng| edit(on, role, |bytes| {
        let at = rng.below(bytes.len());
        bytes[at..].fill(0);
    });
    "all zeros" * 1: |on, role, _| edit(on, role, |bytes| bytes.fill(0));
    "512 B of FF" * 4: |on, role, rng| fill(on, role, rng, SECTOR, 0xFF);
    "4 KiB of FF" * 2: |on, role, rng| fill(on, role, rng, CLUSTER, 0xFF);
    "512 B of noise" * 3: |on, role, rng| edit(on, role, |bytes| {
        let at = rng.below(bytes.len().saturating_sub(SECTOR) + 1);
        let end = bytes.len().min(at + SECTOR);
        bytes[at..end].fill_with(|| rng.below(256) as u8);
    });
    "two blocks of 512 B swapped" hides * 3: |on, role, rng| swapped(on, role, rng, SECTOR);
    "two blocks of 4 KiB swapped" * 2: |on, role, rng| swapped(on, role, rng, CLUSTER);
    "a block of 512 B over the next" hides * 3: |on, role, rng| copied(on, role, rng, SECTOR);
    "a block of 4 KiB over the next" * 2: |on, role, rng| copied(on, role, rng, CLUSTER);
    "a block of 512 B twice" hides * 3: |on, role, rng| doubled(on, role, rng, SECTOR);
    "a block of 4 KiB twice" * 2: |on, role, rng| doubled(on, role, rng, CLUSTER);
    "one bit flipped" hides * 6: |on, role, rng| edit(on, role, |bytes| flip(bytes, rng));
    "30 bits flipped" hides * 2: |on, role, rng| edit(on, role, |bytes| {
        (0..30).for_each(|_| flip(bytes, rng));
    });
    "a byte too many" hides * 2: |on, role, rng| edit(on, role, |bytes| {
        bytes.insert(rng.below(bytes.len()), rng.below(256) as u8);
    });
    "a byte missing" hides * 2: |on, role, rng| edit(on, role, |bytes| {
        bytes.remove(rng.below(bytes.len()));
    });
    "sent as 7-bit text" hides * 1: |on, role, _| edit(on, role, |bytes| {
        bytes.iter_mut().for_each(|byte| *byte &= 0x7F);
    });
    "LF made CR LF" * 1: |on, role, _| edit(on, role, |bytes| {
        *bytes = bytes.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
    });
    "from an older version" * 1: |on, role, _| {
        let (old, new) = (on.older.get(role)?, on.files.get(role)?);
        // If the database has only one file, its older version is a valid database.
        (old != new && on.files.iter().count() > 1).then(|| Some(old.to_vec()))
    };
    "missing" * 1: |on, role, _| on.files.get(role).map(|_| None);
    "empty" * 1: |on, role, _| {
        // The only file of a database without games may be empty.
        edit(on, role, Vec::clear).filter(|_| on.files.iter().count() > 1)
    };
    "a wrong number in a header" hides * 4: |on, role, rng| {
        let of_file: Vec<_> = on.header.iter().filter(|(file, _)| *file == role).collect();
        let (_, range) = of_file.get(rng.below(of_file.len().max(1)))?;
        edit(on, role, |bytes| {
            let end = range.end.min(range.start + 24).min(bytes.len());
            let at = range.start + rng.below(end - range.start);
            bytes[at] = bytes[at].wrapping_add(rng.pick(&[1, 0xFF]));
        })
    };
    "index entries swapped" hides * 2: |on, role, rng| entries(on, role, rng, |bytes, a, b| {
        a.zip(b).for_each(|(a, b)| bytes.swap(a, b));
    });
    "an index entry over another" * 2: |on, role, rng| entries(on, role, rng, |bytes, a, b| {
        bytes.copy_within(a, b.start);
    });
    "an index entry of zeros" * 2: |on, role, rng| entries(on, role, rng, |bytes, a, _| {
        bytes[a].fill(0);
    });
    "an index entry missing" hides * 2: |on, role, rng| entries(on, role, rng, |bytes, a, _| {
        bytes.drain(a);
    });
}

/// Changes the bytes of a file; `None` if nothing changed.
fn edit(on: &Subject<'_>, role: Role, change: impl FnOnce(&mut Vec<u8>)) -> Option<Changed> {
    let before = on.files.get(role).filter(|bytes| !bytes.is_empty())?;
    let mut bytes = before.to_vec();
    change(&mut bytes);
    (bytes != before).then_some(Some(bytes))
}

/// Returns a random block at a multiple of the block size, as on a disk.
fn block(length: usize, size: usize, rng: &mut Rng) -> std::ops::Range<usize> {
    let start = rng.below(length.div_ceil(size)) * size;
    start..length.min(start + size)
}

fn fill(on: &Subject<'_>, role: Role, rng: &mut Rng, size: usize, with: u8) -> Option<Changed> {
    edit(on, role, |bytes| {
        let block = block(bytes.len(), size, rng);
        bytes[block].fill(with);
    })
}

/// Returns the offsets of two different whole blocks, in order.
fn pair(bytes: &[u8], size: usize, rng: &mut Rng) -> Option<(usize, usize)> {
    let blocks = bytes.len() / size;
    if blocks < 2 {
        return None;
    }
    let a = rng.below(blocks - 1);
    Some((a * size, (a + 1 + rng.below(blocks - a - 1)) * size))
}

fn swapped(on: &Subject<'_>, role: Role, rng: &mut Rng, size: usize) -> Option<Changed> {
    let (a, b) = pair(on.files.get(role)?, size, rng)?;
    edit(on, role, |bytes| {
        (0..size).for_each(|n| bytes.swap(a + n, b + n));
    })
}

fn copied(on: &Subject<'_>, role: Role, rng: &mut Rng, size: usize) -> Option<Changed> {
    let (a, _) = pair(on.files.get(role)?, size, rng)?;
    edit(on, role, |bytes| bytes.copy_within(a..a + size, a + size))
}

fn doubled(on: &Subject<'_>, role: Role, rng: &mut Rng, size: usize) -> Option<Changed> {
    let (a, _) = pair(on.files.get(role)?, size, rng)?;
    edit(on, role, |bytes| {
        let copy = bytes[a..a + size].to_vec();
        bytes.splice(a..a, copy);
    })
}

fn flip(bytes: &mut [u8], rng: &mut Rng) {
    let at = rng.below(bytes.len());
    bytes[at] ^= 1 << rng.below(8);
}

fn entries(
    on: &Subject<'_>,
    role: Role,
    rng: &mut Rng,
    change: impl FnOnce(&mut Vec<u8>, std::ops::Range<usize>, std::ops::Range<usize>),
) -> Option<Changed> {
    let (file, Records { start, size }) = on.index?;
    let length = on.files.get(role).filter(|_| file == role)?.len();
    let count = length.saturating_sub(start).checked_div(size)?;
    if count < 2 {
        return None;
    }
    let a = rng.below(count);
    let b = (a + 1 + rng.below(count - 1)) % count;
    let range = |n: usize| start + n * size..start + (n + 1) * size;
    edit(on, role, |bytes| change(bytes, range(a), range(b)))
}

/// Returns typical games: most are plain, some have everything the format can store, some have a
/// long comment.
pub(crate) fn games(format: &Format, count: u64) -> Vec<Game> {
    let rich = GameOptions {
        name_bytes: 40,
        ..GameOptions::held_by(format)
    };
    let usual = GameOptions {
        comments: true,
        nags: rich.nags,
        depth: 2,
        ..GameOptions::plain()
    };
    let game = |seed| match seed % 16 {
        0 | 4 | 8 | 12 => strategy::game(seed, &rich),
        5 => with_long_comment(&strategy::game(seed, &usual), &mut Rng::new(seed)),
        _ => strategy::game(seed, &usual),
    };
    (0..count).map(game).collect()
}

/// Returns the mainline of a game, with a comment of one to four thousand letters.
fn with_long_comment(game: &Game, rng: &mut Rng) -> Game {
    const WORDS: [&str; 8] = ["a", "better", "plan", "was", "to", "keep", "the", "pair"];
    let length = 1000 + rng.below(3000);
    let mut words = String::from("Here");
    while words.len() < length {
        words.push(' ');
        words.push_str(rng.pick(&WORDS));
    }
    let (white, black) = (game.white(), game.black());
    let mut builder = Game::builder().white(&white).black(&black);
    for (n, mv) in game.moves.mainline().enumerate() {
        builder = builder.mv(mv);
        if n == 4 {
            builder = builder.comment(&words);
        }
    }
    builder.build()
}
