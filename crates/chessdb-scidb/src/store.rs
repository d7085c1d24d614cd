//! Reading of games by number.

use std::sync::OnceLock;

use chessdb_core::error::Location;
use chessdb_core::format::Segment;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::Place;
use chessdb_core::store::{Opened, Remark, UnusedSpace};
use chessdb_core::{
    BaseInfo, Error, ErrorKind, FileSet, Game, GameStore, ReadOptions, Result, Scratch,
};

use crate::header::{read_entry, read_tags};
use crate::moves::{Decoded, decode, stated_plies};
use crate::names::NameLookup;
use crate::raw::{Entry, GameFile, Index, IndexHeader, Record, VERSION};
use crate::roles::{SCG_FILE, SCI_FILE, SCN_FILE};
use crate::{info, start, unused_names};

/// An open database.
#[derive(Debug)]
pub struct Store<'a> {
    pub(crate) index: Index<'a>,
    pub(crate) games: &'a [u8],
    pub(crate) names: NameLookup,
    pub(crate) opened: Opened,
    /// The data of the database with the names that no game uses, if there are such names. They are
    /// searched for when they are needed, because that reads the whole index.
    base_with_unused: OnceLock<Option<Box<BaseInfo>>>,
    pub(crate) options: ReadOptions,
    /// The places where games were found in a salvaged database.
    pub(crate) places: Option<Vec<Place>>,
}

/// A game: its index entry, if there is one, and the offset of its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GamePlace {
    pub(crate) number: Option<u32>,
    pub(crate) entry: Option<Entry>,
    /// The offset; `None` if the record was not found.
    pub(crate) offset: Option<usize>,
}

impl GamePlace {
    /// Returns the location of the entry in the index.
    pub(crate) fn in_index(&self) -> Location {
        let number = u64::from(self.number.unwrap_or(0));
        let offset = IndexHeader::SIZE as u64 + number * Entry::SIZE as u64;
        Location::byte(SCI_FILE, offset)
    }
}

impl<'a> Store<'a> {
    /// Opens a database. Without the games only headers are available, without the names no names.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is missing or of another format, of a version before 94, or of
    /// another variant of chess; in strict mode also if the files do not match.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let mut scratch = Scratch::new();
        let mut report = GameReport::new(&options, &mut scratch, None);
        let (index, is_whole) = open_index(files, &mut report)?;
        let mut base = BaseInfo::default();
        info::read(&index.header, &mut base);
        let names = open_names(files, &index, &mut base, &mut report)?;
        let games = open_games(files, &index, &mut report)?;
        if !options.known_intact {
            check_end(&index, games, &mut report)?;
        }
        let mut store = Store {
            index,
            games,
            names,
            opened: Opened::new(base, scratch.diagnostics),
            base_with_unused: OnceLock::new(),
            options,
            places: None,
        };
        if store.options.salvage {
            let whole = is_whole && store.opened.diagnostics.is_empty();
            store.recover(whole);
        }
        Ok(store)
    }

    /// Returns the place of game `n`, from 0.
    fn place(&self, n: u32) -> Result<GamePlace> {
        let place = match &self.places {
            None => self.index.entry(n).map(|entry| GamePlace {
                number: Some(n),
                entry: Some(entry),
                offset: usize::try_from(entry.record).ok(),
            }),
            Some(places) => places.get(n as usize).map(|place| GamePlace {
                number: place.entry,
                entry: place.entry.and_then(|entry| self.index.entry(entry)),
                offset: place.range.as_ref().map(|range| range.start),
            }),
        };
        place.ok_or_else(|| ErrorKind::no_such_game(n, self.len()).into())
    }

    /// Fills the header. Returns the record if its moves can be read, with its location, and whether
    /// it is whole.
    pub(crate) fn header(
        &self,
        place: &GamePlace,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<(Record<'a>, Location, bool)>> {
        game.clear();
        match &place.entry {
            Some(entry) => {
                let start = place.in_index();
                read_entry(entry, &self.names, &self.opened.base, start, game, report)?;
            }
            None => {
                let kind = "no index entry refers to the game; its header is unknown";
                let location = Location::byte(SCG_FILE, place.offset.unwrap_or(0) as u64);
                report.lost(ErrorKind::Structure(kind), location)?;
            }
        }
        let Some((record, record_start, is_whole)) = self.record(place, report)? else {
            return Ok(None);
        };
        let idn = record.flags & Record::IDN;
        if let Some(entry) = &place.entry
            && entry.idn != idn.into()
        {
            let kind = ErrorKind::mismatch(
                "the number of the start position",
                entry.idn.into(),
                idn.into(),
            );
            let location = place.in_index().plus(Entry::IDN_AT);
            report.lost(kind, location)?;
        }
        let is_known = start::read(&record, record_start, game, report)?;
        read_tags(&record, record_start, game, report)?;
        Ok(is_known.then_some((record, record_start, is_whole)))
    }

    /// Returns the record of a game, its location, and whether it is whole.
    fn record(
        &self,
        place: &GamePlace,
        report: &mut GameReport<'_>,
    ) -> Result<Option<(Record<'a>, Location, bool)>> {
        let offset = place.offset.unwrap_or(usize::MAX);
        let record_start = Location::byte(SCG_FILE, offset as u64);
        // A place within the header of the file is damaged.
        let rest = self
            .games
            .get(offset..)
            .filter(|_| offset >= GameFile::HEADER)
            .unwrap_or_default();
        let Some(size) = Record::size(rest) else {
            let kind = ErrorKind::truncated(
                "the record of the game",
                Record::LEAST as u64,
                rest.len() as u64,
            );
            report.lost(kind, record_start)?;
            return Ok(None);
        };
        let max_bytes = report.options.limits.game_bytes as usize;
        // The moves within the limit are read all the same.
        if size > max_bytes {
            let kind = ErrorKind::over_limit("bytes in a game", max_bytes as u64);
            report.lost(kind, record_start)?;
        }
        let whole = rest.get(..size.min(max_bytes)).unwrap_or(rest);
        let bytes = whole.get(..max_bytes).unwrap_or(whole);
        let (record, fault) = Record::parse_partly(bytes);
        if let Some(fault) = fault {
            let kind = if size > rest.len() {
                ErrorKind::truncated("the record of the game", size as u64, rest.len() as u64)
            } else {
                fault.into()
            };
            report.lost(kind, record_start.plus(fault.at as u64))?;
        }
        Ok(Some((record, record_start, fault.is_none())))
    }

    /// Reads a whole game.
    pub(crate) fn read(
        &self,
        place: &GamePlace,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let Some((record, record_start, is_whole)) = self.header(place, game, report)? else {
            return Ok(());
        };
        let decoded = decode(&record, record_start, game, report)?;
        match (decoded, &place.entry) {
            (Some(decoded), Some(entry)) if is_whole => {
                compare(entry, place.in_index(), &decoded, report)
            }
            _ => Ok(()),
        }
    }
}

/// Compares the moves with the index entry, whose fields show an overwritten game.
fn compare(
    entry: &Entry,
    entry_start: Location,
    decoded: &Decoded,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let plies = stated_plies(decoded.counts.plies);
    for (what, stored, offset, counted) in [
        (
            "the number of half-moves",
            entry.plies,
            Entry::PLIES_AT,
            plies,
        ),
        (
            "the final material",
            entry.material,
            Entry::MATERIAL_AT,
            decoded.material,
        ),
    ] {
        if stored != counted {
            let kind = ErrorKind::mismatch(what, stored.into(), counted.into());
            report.lost(kind, entry_start.plus(offset))?;
        }
    }
    Ok(())
}

/// Returns the index, and whether there is no evidence against it.
fn open_index<'a>(
    files: &'a dyn FileSet,
    report: &mut GameReport<'_>,
) -> Result<(Index<'a>, bool)> {
    let parsed = files.require(SCI_FILE).and_then(Index::parse);
    let in_index = |offset| Location::byte(SCI_FILE, offset);
    let index = match parsed {
        Err(error) if report.options.salvage => {
            let (kind, location) = error.into_parts();
            report.lost(kind, location)?;
            // The header has a fixed size, so the entries are where they always are.
            let file = files.get(SCI_FILE).unwrap_or_default();
            let entries = file.get(IndexHeader::SIZE..).unwrap_or_default();
            let (entries, tail) = entries.as_chunks();
            let header = IndexHeader::default();
            return Ok((
                Index {
                    header,
                    entries,
                    tail,
                },
                false,
            ));
        }
        index => index?,
    };
    let version = index.header.version;
    let unsupported = match (version, index.header.variant) {
        (..VERSION, _) => {
            Some("Scidb's file versions before 94; Scidb converts such a database when it opens it")
        }
        (VERSION, 0) => None,
        (VERSION, 1) => Some("Scidb databases of Bughouse"),
        (VERSION, 2) => Some("Scidb databases of Crazyhouse"),
        (VERSION, 3) => Some("Scidb databases of Three-check chess"),
        (VERSION, 4) => Some("Scidb databases of Antichess"),
        (VERSION, 5) => Some("Scidb databases of Losers chess"),
        (VERSION, _) => Some("Scidb databases of unknown variants of chess"),
        _ => Some("Scidb's file versions after 94"),
    };
    if let Some(what) = unsupported {
        let error = Error::new(ErrorKind::Unsupported(what)).at(in_index(8));
        if !report.options.salvage {
            return Err(error);
        }
        let (kind, location) = error.into_parts();
        report.lost(kind, location)?;
    }
    let (stated, counted) = (u64::from(index.header.games), index.entries.len() as u64);
    if stated != counted {
        let kind = ErrorKind::mismatch("the number of games", stated, counted);
        report.lost(kind, in_index(IndexHeader::GAMES_AT))?;
    }
    if !index.tail.is_empty() {
        let kind = ErrorKind::truncated(
            "an index entry",
            Entry::SIZE as u64,
            index.tail.len() as u64,
        );
        let end = IndexHeader::SIZE + index.entries.len() * Entry::SIZE;
        report.lost(kind, in_index(end as u64))?;
    }
    Ok((index, unsupported.is_none()))
}

fn open_names(
    files: &dyn FileSet,
    index: &Index<'_>,
    base: &mut BaseInfo,
    report: &mut GameReport<'_>,
) -> Result<NameLookup> {
    let read = files
        .require(SCN_FILE)
        .and_then(|file| NameLookup::read(file, base));
    let (names, version) = match read {
        Ok((names, read)) => {
            if let Some(fault) = read.fault {
                let location = Location::byte(SCN_FILE, fault.at as u64);
                report.lost(ErrorKind::Structure(fault.what), location)?;
            }
            (names, read.header.version)
        }
        Err(error) => {
            // A database without games needs no names.
            if !index.entries.is_empty() {
                let (kind, location) = error.into_parts();
                report.lost(kind, location)?;
            }
            (NameLookup::missing(base), VERSION)
        }
    };
    check_version(version, SCN_FILE, report)?;
    Ok(names)
}

fn check_version(
    version: u16,
    file: chessdb_core::files::Role,
    report: &mut GameReport<'_>,
) -> Result<()> {
    if version == VERSION {
        return Ok(());
    }
    let kind = ErrorKind::bad_field("the version of the file", version);
    report.repaired(kind, Location::byte(file, 8))
}

fn open_games<'a>(
    files: &'a dyn FileSet,
    index: &Index<'_>,
    report: &mut GameReport<'_>,
) -> Result<&'a [u8]> {
    let Some(games) = files.get(SCG_FILE) else {
        if !index.entries.is_empty() {
            let location = Location {
                file: Some(SCG_FILE),
                ..Location::default()
            };
            report.lost(ErrorKind::MissingFile(SCG_FILE), location)?;
        }
        return Ok(&[]);
    };
    let expected = GameFile::MAGIC;
    match games.strip_prefix(expected) {
        Some(rest) => {
            if let Some(version) = rest.first_chunk() {
                check_version(u16::from_be_bytes(*version), SCG_FILE, report)?;
            }
        }
        None => {
            // The index tells where the records are, so nothing is lost.
            let kind = ErrorKind::BadMagic { expected };
            report.repaired(kind, Location::byte(SCG_FILE, 0))?;
        }
    }
    Ok(games)
}

/// Reports bytes after the record that is last in the file: the index may be older than the games.
fn check_end(index: &Index<'_>, games: &[u8], report: &mut GameReport<'_>) -> Result<()> {
    let end_of = |offset: u32| {
        let start = usize::try_from(offset).ok()?;
        start.checked_add(Record::size(games.get(start..)?)?)
    };
    let offsets = || {
        index
            .entries
            .iter()
            .map(Entry::parse)
            .map(|entry| entry.record)
    };
    // Nearly always the last game is last in the file.
    let last = offsets().next_back();
    if last.and_then(end_of) == Some(games.len()) {
        return Ok(());
    }
    let end = match offsets().max() {
        Some(last) => end_of(last),
        None => Some(GameFile::HEADER),
    };
    // Another end, or none, is reported with its game.
    let rest = |end: usize| games.get(end..).unwrap_or_default();
    let is_odd = |end: &usize| !GameFile::is_rest_of_block(*end, rest(*end));
    match end.filter(is_odd) {
        Some(end) => {
            let kind = ErrorKind::Structure("bytes after the last game");
            report.lost(kind, Location::byte(SCG_FILE, end as u64))
        }
        None => Ok(()),
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        let count = match &self.places {
            None => self.index.entries.len(),
            Some(places) => places.len(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn base(&self) -> &BaseInfo {
        let without_unused = &self.opened.base;
        let whole = self.base_with_unused.get_or_init(|| {
            let unused = unused_names::extras(&self.names, &self.index, without_unused);
            (!unused.is_empty()).then(|| {
                let mut base = without_unused.clone();
                base.extras.extend(unused);
                Box::new(base)
            })
        });
        whole.as_deref().unwrap_or(without_unused)
    }

    fn remarks(&self) -> Vec<Remark> {
        let text = "the format is known from Scidb's source and from files of its converter; no \
                    database of a user was available";
        vec![Remark::new("evidence", text).of_reading()]
    }

    fn unused(&self) -> Option<UnusedSpace> {
        let games = GameFile::parse(self.games, &self.index);
        let unused = games.segments.iter().map(|segment| match segment {
            Segment::Slack { range, bytes } if !GameFile::is_rest_of_block(range.start, bytes) => {
                bytes.len() as u64
            }
            _ => 0,
        });
        Some(UnusedSpace {
            bytes: unused.sum(),
            names: unused_names::count(&self.names, &self.index),
        })
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let place = self.place(n)?;
        let mut report = GameReport::new(&self.options, scratch, n.saturating_add(1));
        self.header(&place, game, &mut report)?;
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let place = self.place(n)?;
        let mut report = GameReport::new(&self.options, scratch, n.saturating_add(1));
        self.read(&place, game, &mut report)
    }
}
