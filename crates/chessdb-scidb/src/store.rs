//! Reading of games by number.

use chessdb_core::error::Location;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::Place;
use chessdb_core::store::{Opened, Remark};
use chessdb_core::{
    BaseInfo, Error, ErrorKind, FileSet, Game, GameStore, ReadOptions, Result, Scratch, Severity,
};

use crate::header::{read_entry, read_tags};
use crate::moves::{Decoded, decode, stated_plies};
use crate::names::NameLookup;
use crate::raw::{Entry, GameFile, Index, IndexHeader, NameFile, Record, VERSION};
use crate::roles::{SCG_FILE, SCI_FILE, SCN_FILE};
use crate::{info, start, unused_names};

/// An open database.
#[derive(Debug)]
pub struct Store<'a> {
    pub(crate) index: Index<'a>,
    pub(crate) games: &'a [u8],
    pub(crate) names: NameLookup,
    pub(crate) opened: Opened,
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
        check_end(&index, games, &mut report)?;
        let mut store = Store {
            index,
            games,
            names,
            opened: Opened::new(base, scratch.diagnostics),
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
        let kind = ErrorKind::Mismatch {
            what: "the number of a game",
            found: n.into(),
            expected: self.len().into(),
        };
        Ok(place.ok_or(kind)?)
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
                let at = place.in_index();
                read_entry(entry, &self.names, &self.opened.base, at, game, report)?;
            }
            None => {
                let kind = "no index entry refers to the game; its header is unknown";
                let at = Location::byte(SCG_FILE, place.offset.unwrap_or(0) as u64);
                report.add(Severity::Lost, ErrorKind::Structure(kind), at)?;
            }
        }
        let Some((record, at, is_whole)) = self.record(place, report)? else {
            return Ok(None);
        };
        let idn = record.flags & Record::IDN;
        if let Some(entry) = &place.entry
            && entry.idn != idn.into()
        {
            let kind = ErrorKind::Mismatch {
                what: "the number of the start position",
                found: entry.idn.into(),
                expected: idn.into(),
            };
            let at = place.in_index().plus(Entry::IDN_AT);
            report.add(Severity::Lost, kind, at)?;
        }
        let is_known = start::read(&record, at, game, report)?;
        read_tags(&record, at, game, report)?;
        Ok(is_known.then_some((record, at, is_whole)))
    }

    /// Returns the record of a game, its location, and whether it is whole.
    fn record(
        &self,
        place: &GamePlace,
        report: &mut GameReport<'_>,
    ) -> Result<Option<(Record<'a>, Location, bool)>> {
        let offset = place.offset.unwrap_or(usize::MAX);
        let at = Location::byte(SCG_FILE, offset as u64);
        let there = self.games.get(offset..);
        let there = there.filter(|_| offset >= GameFile::HEADER);
        let there = there.unwrap_or_default();
        let Some(size) = Record::size(there) else {
            let kind = ErrorKind::Truncated {
                what: "the record of the game",
                needed: Record::LEAST as u64,
                had: there.len() as u64,
            };
            report.add(Severity::Lost, kind, at)?;
            return Ok(None);
        };
        let most = report.options.limits.game_bytes as usize;
        if size > most {
            let (what, limit) = ("bytes in a game", most as u64);
            report.add(Severity::Lost, ErrorKind::LimitExceeded { what, limit }, at)?;
        }
        let bytes = there.get(..size.min(most)).unwrap_or(there);
        let bytes = bytes.get(..most).unwrap_or(bytes);
        let (record, fault) = Record::parse_partly(bytes);
        if let Some(fault) = fault {
            let kind = if size > there.len() {
                ErrorKind::Truncated {
                    what: "the record of the game",
                    needed: size as u64,
                    had: there.len() as u64,
                }
            } else {
                fault.into()
            };
            report.add(Severity::Lost, kind, at.plus(fault.at as u64))?;
        }
        Ok(Some((record, at, fault.is_none())))
    }

    /// Reads a whole game.
    pub(crate) fn read(
        &self,
        place: &GamePlace,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let Some((record, at, is_whole)) = self.header(place, game, report)? else {
            return Ok(());
        };
        let decoded = decode(&record, at, game, report)?;
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
    at: Location,
    decoded: &Decoded,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let plies = stated_plies(decoded.counts.plies);
    for (what, found, offset, expected) in [
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
        if found != expected {
            let (found, expected) = (found.into(), expected.into());
            let kind = ErrorKind::Mismatch {
                what,
                found,
                expected,
            };
            report.add(Severity::Lost, kind, at.plus(offset))?;
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
    let at = |offset| Location::byte(SCI_FILE, offset);
    let index = match parsed {
        Err(error) if report.options.salvage => {
            let (kind, at) = error.into_parts();
            report.add(Severity::Lost, kind, at)?;
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
        let error = Error::new(ErrorKind::Unsupported(what)).at(at(8));
        if !report.options.salvage {
            return Err(error);
        }
        let (kind, at) = error.into_parts();
        report.add(Severity::Lost, kind, at)?;
    }
    let (stated, found) = (u64::from(index.header.games), index.entries.len() as u64);
    if stated != found {
        let kind = ErrorKind::Mismatch {
            what: "the number of games",
            found: stated,
            expected: found,
        };
        report.add(Severity::Lost, kind, at(IndexHeader::GAMES_AT))?;
    }
    if !index.tail.is_empty() {
        let kind = ErrorKind::Truncated {
            what: "an index entry",
            needed: Entry::SIZE as u64,
            had: index.tail.len() as u64,
        };
        let end = IndexHeader::SIZE + index.entries.len() * Entry::SIZE;
        report.add(Severity::Lost, kind, at(end as u64))?;
    }
    Ok((index, unsupported.is_none()))
}

fn open_names(
    files: &dyn FileSet,
    index: &Index<'_>,
    base: &mut BaseInfo,
    report: &mut GameReport<'_>,
) -> Result<NameLookup> {
    let file = match files.require(SCN_FILE).and_then(NameFile::parse) {
        Ok((file, fault)) => {
            if let Some(fault) = fault {
                let at = Location::byte(SCN_FILE, fault.at as u64);
                report.add(Severity::Lost, ErrorKind::Structure(fault.what), at)?;
            }
            (file, fault.is_some())
        }
        Err(error) => {
            if !index.entries.is_empty() {
                let (kind, at) = error.into_parts();
                report.add(Severity::Lost, kind, at)?;
            }
            (NameFile::default(), true)
        }
    };
    let (file, is_cut) = file;
    check_version(file.header.version, SCN_FILE, report)?;
    let mut names = NameLookup::new(&file, base);
    unused_names::add_extras(&file, index, base);
    names.is_cut = is_cut;
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
    let (field, value) = ("the version of the file", version.into());
    let at = Location::byte(file, 8);
    report.add(Severity::Repaired, ErrorKind::BadField { field, value }, at)
}

fn open_games<'a>(
    files: &'a dyn FileSet,
    index: &Index<'_>,
    report: &mut GameReport<'_>,
) -> Result<&'a [u8]> {
    let Some(games) = files.get(SCG_FILE) else {
        if !index.entries.is_empty() {
            let at = Location {
                file: Some(SCG_FILE),
                ..Location::default()
            };
            report.add(Severity::Lost, ErrorKind::MissingFile(SCG_FILE), at)?;
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
            let at = Location::byte(SCG_FILE, 0);
            report.add(Severity::Repaired, ErrorKind::BadMagic { expected }, at)?;
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
        let entries = index.entries.iter().map(Entry::parse);
        entries.map(|entry| entry.record)
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
            report.add(Severity::Lost, kind, Location::byte(SCG_FILE, end as u64))
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

    fn remarks(&self) -> Vec<Remark> {
        let text = "the format is known from Scidb's source and from files of its converter; no \
                    database of a user was available";
        vec![Remark::new("evidence", text).of_reading()]
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
