//! The bodies of the fuzz targets. They are here so that the normal tests run inputs that once
//! found a fault in the same way (docs/fuzzing.md).

use chessdb_core::compare::first_difference;
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::limits::Limits;
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{FileSet, Format, Game, MemorySet, ReadOptions, Scratch, WriteOptions};

use crate::identity;
use crate::readings;
use crate::strategy::{GameOptions, Recipe};

/// The mark before each file of a set; the byte after it identifies the file.
const MARK: [u8; 3] = [0xF7, b'|', b'|'];
/// Number of games that are read from the front, and from the end.
const MOST_GAMES: u32 = 32;

/// Makes a set of files from any bytes. The bytes before the first mark are the first file. A mark
/// is followed by the number of a role, taken modulo the number of roles. A role without a part is
/// a missing file, and of two parts for one role the later is used.
///
/// Marks are used instead of lengths, so that an additional or missing byte in one file leaves the
/// others intact.
pub fn cut(bytes: &[u8], roles: &[Role]) -> MemorySet {
    let mut set = MemorySet::new();
    let mut role = 0;
    let mut rest = bytes;
    if let ([_, _, ..], Some(after)) = (roles, rest.strip_prefix(&MARK)) {
        (role, rest) = split_role(after, roles);
    }
    loop {
        let end = match roles {
            [_, _, ..] => rest.windows(MARK.len()).position(|part| part == MARK),
            _ => None,
        };
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        if let Some(&role) = roles.get(role) {
            set.insert(role, part);
        }
        if end.is_none() {
            return set;
        }
        (role, rest) = split_role(after.get(MARK.len()..).unwrap_or_default(), roles);
    }
}

fn split_role<'b>(after: &'b [u8], roles: &[Role]) -> (usize, &'b [u8]) {
    match after.split_first() {
        Some((&role, rest)) => (usize::from(role) % roles.len(), rest),
        None => (0, after),
    }
}

/// Returns the bytes from which [`cut`] makes this set; `None` if a file happens to contain a mark.
pub fn join(set: &MemorySet, roles: &[Role]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for (n, &role) in roles.iter().enumerate() {
        let Some(file) = set.get(role) else {
            continue;
        };
        if roles.len() > 1 {
            bytes.extend(MARK);
            bytes.push(n as u8);
        }
        bytes.extend(file);
    }
    (cut(&bytes, roles).iter().eq(set.iter())).then_some(bytes)
}

fn options(mode: Mode) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.mode = mode;
    // A fuzzer tries short inputs, and large counts in them would only cost time.
    options.limits = Limits::small();
    options
}

/// Probes, opens, checks and reads these bytes leniently, strictly, and as a damaged database.
///
/// # Panics
///
/// Panics if a limit is exceeded.
pub fn decode(format: &Format, bytes: &[u8]) {
    let set = cut(bytes, format.roles);
    identity::survive(format, &set, &options(Mode::Lenient), MOST_GAMES);
    let salvage = options(Mode::Lenient).with_salvage(true);
    for options in [options(Mode::Strict), salvage] {
        let Ok(store) = (format.open)(&set, options) else {
            continue;
        };
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for n in 0..store.len().min(MOST_GAMES) {
            // Only `skip` checks which games strict reading rejects.
            let _ = store.game_into(n, &mut game, &mut scratch);
        }
    }
}

/// Compares the ways of reading these bytes: header and game, skipping and reading, stream and
/// store, strict and lenient. Also compares the on-disk structures with their bytes.
///
/// # Panics
///
/// Panics at the first disagreement.
pub fn skip(format: &Format, bytes: &[u8]) {
    let set = cut(bytes, format.roles);
    readings::check(format, &set, &options(Mode::Lenient));
    if let Some(raw) = format.raw
        && let Ok(again) = raw(&set)
    {
        let difference = identity::first_difference(&set, &again);
        assert!(difference.is_none(), "{}: raw: {difference:?}", format.id);
    }
}

/// Runs the probes of all formats on these bytes.
pub fn probe(formats: &[&Format], format: &Format, bytes: &[u8]) {
    let set = cut(bytes, format.roles);
    for format in formats {
        (format.probe)(&set);
    }
}

/// Makes one to three games from these bytes, writes and reads them, and checks: the losses before
/// and after are equal; the written database is read without findings; writing it again gives the
/// same bytes, with every loss forbidden except those in `again`. If the first byte is even, the
/// games contain only what `held` allows; then a database without losses gives back equal games.
///
/// # Panics
///
/// Panics if one of these does not hold.
pub fn roundtrip(format: &Format, held: &GameOptions, again: &Allow, bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let exact = first & 1 == 0;
    let options = if exact { held } else { &GameOptions::all() };
    let options = GameOptions {
        all_plies: 100,
        ..options.clone()
    };
    let count = 1 + usize::from(first >> 1) % 3;
    let size = rest.len().div_ceil(count).max(1);
    let games: Vec<_> = rest
        .chunks(size)
        .map(|bytes| Recipe::from_bytes(bytes, options.clone()).game())
        .collect();
    let mut everything = WriteOptions::default();
    everything.allow = Allow::Everything;
    let (set, losses) = identity::write_all(format, &games, everything)
        .unwrap_or_else(|error| panic!("{}: writing: {error}", format.id));
    let back = identity::open_all(format, &set);
    // A format for people also writes data that strict reading rejects, such as a second result.
    let for_people = format.stream.is_some();
    if exact || !for_people {
        read_strictly(format, &set, &back);
    }
    // A format that joins games has losses or contains one game.
    if exact && losses.is_empty() {
        games
            .iter()
            .zip(&back)
            .for_each(|(game, back)| same(format, game, back));
    }
    let plies: u32 = back.iter().map(|game| game.moves.plies()).sum();
    // Without moves, a format without magic bytes may have nothing to recognise.
    let score = (format.probe)(&set);
    assert!(plies == 0 || score > Score::No, "{}: probe", format.id);
    let rewritten = identity::rewrite(format, &set, again)
        .unwrap_or_else(|error| panic!("{}: writing again: {error}", format.id));
    let twice = identity::open_all(format, &rewritten.set);
    assert_eq!(back.len(), twice.len(), "{}: games", format.id);
    back.iter()
        .zip(&twice)
        .for_each(|(once, twice)| same(format, once, twice));
    // With such formats the layout may still change if comments contained line breaks.
    if exact || !for_people {
        let difference = identity::first_difference(&set, &rewritten.set);
        assert!(difference.is_none(), "{}: {difference:?}", format.id);
    }
}

fn read_strictly(format: &Format, set: &MemorySet, games: &[Game]) {
    let mut options = ReadOptions::default();
    options.mode = Mode::Strict;
    let store = (format.open)(set, options)
        .unwrap_or_else(|error| panic!("{}: opening: {error}", format.id));
    assert_eq!(store.len() as usize, games.len(), "{}: games", format.id);
    let mut game = Game::new();
    for (n, leniently) in (0..).zip(games) {
        store
            .game_into(n, &mut game, &mut Scratch::new())
            .unwrap_or_else(|error| panic!("{}: reading: {error}", format.id));
        same(format, leniently, &game);
    }
}

fn same(format: &Format, left: &Game, right: &Game) {
    if let Some(difference) = first_difference(left, right) {
        panic!("{}: {difference}", format.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: &[Role] = &[Role("a"), Role("b"), Role("c")];

    #[test]
    fn file_sets_round_trip() {
        let mut set = MemorySet::new();
        assert_eq!(join(&set, ROLES), None);
        set.insert(ROLES[1], b"two".to_vec());
        assert_eq!(join(&set, ROLES).unwrap(), b"\xF7||\x01two");
        set.insert(ROLES[0], b"".to_vec());
        set.insert(ROLES[2], b"|\xF7".to_vec());
        let joined = join(&set, ROLES).unwrap();
        assert_eq!(joined, b"\xF7||\x00\xF7||\x01two\xF7||\x02|\xF7");
        set.insert(ROLES[2], MARK.to_vec());
        assert_eq!(join(&set, ROLES), None);
    }

    #[test]
    fn any_bytes_parse_as_a_set() {
        let set = cut(b"first\xF7||\x05third\xF7||", ROLES);
        assert_eq!(set.get(ROLES[0]), Some(&b""[..]));
        assert_eq!(set.get(ROLES[1]), None);
        assert_eq!(set.get(ROLES[2]), Some(&b"third"[..]));
        let plain = cut(b"\xF7||\x01", &ROLES[..1]);
        assert_eq!(plain.get(ROLES[0]), Some(&b"\xF7||\x01"[..]));
    }
}
