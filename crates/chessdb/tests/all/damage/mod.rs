//! Small databases of every format, and the requirements for reading them after damage.

pub(crate) mod map;
mod sqlite_map;
mod tables;
mod text_lines;

use std::ops::Range;

use chessdb::core::compare::{first_difference, moves_difference};
use chessdb::core::files::Role;
use chessdb::core::options::Mode;
use chessdb::core::{FileSet, Game, GameWrite, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb::formats::reading_for;
use chessdb::{Allow, Format};
use chessdb_testkit::identity::{self, Ranges};
use chessdb_testkit::{cbh2, fixtures, readings};

use map::Map;
pub(crate) use text_lines::TEXT_LINES;

/// A database before it is damaged.
pub(crate) struct Sample {
    pub(crate) format: &'static Format,
    pub(crate) name: String,
    pub(crate) set: MemorySet,
    pub(crate) games: Vec<Game>,
    pub(crate) map: Option<Map>,
}

/// Maximum bytes of a database used as a sample.
const MOST: usize = 4500;
/// PGN files that are converted to every writable format.
const MADE: [&str; 3] = ["starts", "nullmoves", "miniatures"];

impl Sample {
    fn new(format: &'static Format, name: String, set: MemorySet) -> Sample {
        let games = identity::open_all(format, &set);
        let map = map::of(format, &set);
        if let Some(map) = &map {
            assert_eq!(map.own.len(), games.len(), "{} {name}", format.id);
        }
        Sample {
            format,
            name,
            set,
            games,
            map,
        }
    }
}

/// Returns the sample databases of a format: small fixtures, and databases made from PGN.
pub(crate) fn samples(format: &'static Format) -> Vec<Sample> {
    let mut samples = Vec::new();
    for name in MADE {
        let path = fixtures::path("pgn/clean").join(name).with_extension("pgn");
        let mut pgn = MemorySet::new();
        pgn.insert(Role("pgn"), fixtures::read(path));
        let games = games_for(format, &pgn);
        let set = if format.id == "pgn" {
            pgn
        } else if format.id == "fbk" {
            samples.extend(books(format, &games));
            continue;
        } else if let Some(set) = made(format, &games) {
            set
        } else {
            continue;
        };
        samples.push(Sample::new(format, format!("{name} from PGN"), set));
    }
    samples.extend(tables::sets(format.id).map(|set| Sample::new(format, "jose's".into(), set)));
    for path in chessdb::fs::survey(fixtures::root(), None).unwrap().bases {
        let Ok(base) = chessdb::fs::find(&path).and_then(chessdb::fs::FoundDatabase::read) else {
            continue;
        };
        let size: u64 = base.iter().map(|(.., size)| size).sum();
        let broken = path.components().any(|part| part.as_os_str() == "broken");
        let hidden = path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("x-");
        if base.format().id != format.id || size as usize > MOST || broken || hidden {
            continue;
        }
        let mut set = MemorySet::new();
        for (role, file, _) in base.iter() {
            set.insert(role, fixtures::read(file));
        }
        samples.push(Sample::new(format, path.display().to_string(), set));
        if samples.len() >= 6 {
            break;
        }
    }
    samples
}

/// A book stores only moves of standard games.
fn books(format: &'static Format, games: &[Game]) -> Option<Sample> {
    let set = made(format, games)?;
    let any = set.iter().any(|(_, bytes)| !bytes.is_empty());
    any.then(|| Sample::new(format, "a book from PGN".into(), set))
}

/// Makes a database of these games; `None` if the format cannot be written.
pub(crate) fn made(format: &Format, games: &[Game]) -> Option<MemorySet> {
    let tables = tables::made(format, games);
    if let Some(set) = tables.or_else(|| text_lines::made(format, games)) {
        return Some(set);
    }
    if format.id == "2cbh" {
        // Only tests write it, from the content of CBH.
        let cbh = &chessdb::cbh::CBH;
        let games = identity::open_all(cbh, &made(cbh, games)?);
        return Some(cbh2::write(&games, cbh2::Content::Known));
    }
    let mut set = MemorySet::new();
    let mut writer = format.create?(&mut set, leaving_out()).unwrap();
    write(games, &mut *writer);
    writer.finish().unwrap();
    Some(set)
}

fn leaving_out() -> WriteOptions {
    WriteOptions::default().with_allowed(Allow::Everything)
}

/// Games that the format refuses are left out; other losses do not matter.
fn write(games: &[Game], writer: &mut dyn GameWrite) {
    for game in games {
        let _ = writer.write(game);
    }
}

/// Reads the games of a PGN file as for a conversion into this format.
fn games_for(format: &Format, pgn: &MemorySet) -> Vec<Game> {
    let options = reading_for(format, ReadOptions::default());
    let store = (chessdb::pgn::PGN.open)(pgn, options).unwrap();
    identity::read_all(store.as_ref())
}

/// Returns the byte ranges of the undamaged database that were changed or moved.
pub(crate) fn touched(before: &MemorySet, after: &dyn FileSet) -> Ranges {
    let mut touched = Vec::new();
    for (role, old) in before.iter() {
        let new = after.get(role).unwrap_or_default();
        let mut start = None;
        for n in 0..=old.len() {
            match (start, n < old.len() && new.get(n) != Some(&old[n])) {
                (None, true) => start = Some(n),
                (Some(from), false) => {
                    touched.push((role, from..n));
                    start = None;
                }
                _ => {}
            }
        }
    }
    touched
}

pub(crate) fn meet(all: &[(Role, Range<usize>)], touched: &Ranges) -> bool {
    all.iter().any(|(role, range)| {
        let meets = |hit: &Range<usize>| hit.start < range.end && range.start < hit.end;
        touched.iter().any(|(file, hit)| file == role && meets(hit))
    })
}

/// The result for one damaged database.
#[derive(Default, Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) variants: usize,
    pub(crate) opened: usize,
    pub(crate) strict: usize,
    pub(crate) intact: usize,
}

/// Checks that strict reading fails, or agrees with lenient reading without diagnostics, and that
/// lenient reading delivers every game without a touched byte.
pub(crate) fn examine(sample: &Sample, after: &dyn FileSet, what: &str, outcome: &mut Outcome) {
    let format = sample.format;
    let what = format!("{} {}: {what}", format.id, sample.name);
    outcome.variants += 1;
    (format.probe)(after);
    chessdb::core::format::check(format, after, &ReadOptions::default(), &mut |_| {});
    readings::check(format, after, &ReadOptions::default());
    let mut strict = ReadOptions::default();
    strict.mode = Mode::Strict;
    let strict = (format.open)(after, strict).is_ok();
    outcome.strict += usize::from(strict);
    let touched = touched(&sample.set, after);
    let store = match (format.open)(after, ReadOptions::default()) {
        Ok(store) => store,
        Err(error) => {
            let missing = |role: &&Role| after.get(**role).is_none_or(<[u8]>::is_empty);
            let required = format.required.iter().find(missing);
            // A database need not open without its magic bytes, or if nothing in it is intact.
            let excused = sample.map.as_ref().is_none_or(|map| {
                meet(&map.frame, &touched) || map.own.iter().all(|own| meet(own, &touched))
            });
            assert!(excused || required.is_some(), "{what}: {error}");
            return;
        }
    };
    outcome.opened += 1;
    // A note is not a deviation.
    let mut deviations = store.diagnostics().iter();
    let deviation = deviations.find(|found| found.severity > chessdb::Severity::Note);
    if let (true, Some(found)) = (strict, deviation) {
        panic!("{what}: strict opening succeeds, lenient says {found}");
    }
    let Some(map) = &sample.map else {
        return;
    };
    if meet(&map.frame, &touched) {
        // Another format or another layout: nothing can be expected.
        return;
    }
    let names = meet(&map.names, &touched);
    let same = |before: &Game, after: &Game| {
        if names {
            moves_difference(before, after).is_none()
        } else {
            first_difference(before, after).is_none()
        }
    };
    let mut delivered: Option<Vec<Option<Game>>> = None;
    let read = |n: u32| {
        let mut game = Game::new();
        let read = store.game_into(n, &mut game, &mut Scratch::new());
        read.is_ok().then_some(game)
    };
    for (n, before) in sample.games.iter().enumerate() {
        if meet(&map.own[n], &touched) {
            continue;
        }
        outcome.intact += 1;
        let here = read(n as u32).filter(|_| (n as u32) < store.len());
        if here.is_some_and(|game| same(before, &game)) {
            continue;
        }
        // It may have moved if games were added or removed.
        let all = delivered.get_or_insert_with(|| (0..store.len()).map(read).collect());
        let found = all.iter().flatten().any(|game| same(before, game));
        assert!(
            found,
            "{what}: game {} of {} is intact and not delivered ({} games, {:?})",
            n + 1,
            sample.games.len(),
            store.len(),
            store.diagnostics().first().map(ToString::to_string),
        );
    }
}
