//! Appending to an existing database: records at the end of the games, new names at the ends of
//! their files, entries at the end of the index (docs/formats/dcx.md, section 16).

use chessdb_core::files::{BufferedFile, Growing, Role};
use chessdb_core::store::WriterState;
use chessdb_core::{ErrorKind, Game, GameWrite, Result, WriteOptions};

use super::{GameEncoder, NameTableBuilders, OutputFiles, Writer, tables::NameTableBuilder};
use crate::raw::{Entry, FileKind, FileSizes, Layout, Length, Magic, NameFile};

/// Number of entries read at a time.
const PORTION: u64 = 1 << 14;
/// Number of entries used to detect the layout.
const SAMPLE: u64 = 64;

impl<'a> Writer<'a> {
    /// Appends to a database. Reads its index and its names, but no game.
    ///
    /// Returns `None` if the database must be rewritten: if it has another layout than the current
    /// one, if a file ends within an entry or name, or if an entry points outside its file, where
    /// new records would be mistaken for its own.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be read.
    pub fn append(base: &'a mut dyn Growing, options: WriteOptions) -> Result<Option<Writer<'a>>> {
        let Some(old) = OldDatabase::read(base)? else {
            return Ok(None);
        };
        // The index comes last: without its entries the rest is not referenced.
        let files = OutputFiles {
            players: base.grow(FileKind::Players.role())?,
            sites: base.grow(FileKind::Sites.role())?,
            events: base.grow(FileKind::Events.role())?,
            games: BufferedFile::appending(base.grow(FileKind::Games.role())?, old.games),
            index: base.grow(FileKind::Index.role())?,
        };
        Ok(Some(Writer {
            sink: base,
            state: WriterState::appending(GameEncoder, options.allow, old.count),
            files,
            open_first: None,
            tables: old.tables,
            entries: Vec::new(),
            replaced: None,
        }))
    }

    /// Replaces a game (from 0): appends the new version and marks the old one as deleted (section
    /// 3.6). Returns the new number of games.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Writer::append`] and of writing the game, and an error if there is
    /// no such game.
    pub fn replace(
        base: &mut dyn Growing,
        n: u32,
        game: &Game,
        options: WriteOptions,
    ) -> Result<Option<u32>> {
        let Some(mut writer) = Writer::append(base, options)? else {
            return Ok(None);
        };
        if n >= writer.state.before() {
            let field = "game number";
            let value = u64::from(n) + 1;
            return Err(ErrorKind::BadField { field, value }.into());
        }
        writer.replaced = Some(n);
        writer.write(game)?;
        let before = writer.state.before();
        let new = Box::new(writer).finish()?;
        Ok(Some(before.saturating_add(new)))
    }
}

/// The state of a database before appending.
struct OldDatabase {
    count: u32,
    /// Size of .dcg in bytes.
    games: u64,
    tables: NameTableBuilders,
}

impl OldDatabase {
    fn read(base: &dyn Growing) -> Result<Option<OldDatabase>> {
        let length = |kind: FileKind| base.length(kind.role());
        let lengths = [
            FileKind::Players,
            FileKind::Sites,
            FileKind::Events,
            FileKind::Games,
        ]
        .map(length);
        let [Some(players), Some(sites), Some(events), Some(games)] = lengths else {
            return Ok(None);
        };
        let sizes = FileSizes {
            players,
            sites,
            events,
            games,
        };
        for kind in FileKind::ALL {
            let mut magic = [0; Magic::SIZE];
            if length(kind).is_none_or(|length| length < Magic::SIZE as u64) {
                return Ok(None);
            }
            base.read_old(kind.role(), 0, &mut magic)?;
            if magic != *Magic::new(kind).as_bytes() {
                return Ok(None);
            }
        }
        let Some(count) = count_entries(base, &sizes)? else {
            return Ok(None);
        };
        let table = |kind: FileKind| -> Result<Option<NameTableBuilder>> {
            let bytes = base.read_whole(kind.role())?;
            let records = bytes.get(Magic::SIZE..).unwrap_or_default();
            let (records, rest) = records.as_chunks::<{ NameFile::RECORD }>();
            Ok(rest
                .is_empty()
                .then(|| NameTableBuilder::from_records(records)))
        };
        let names = [FileKind::Players, FileKind::Sites, FileKind::Events];
        let [players, sites, events] = names.map(table);
        let (Some(players), Some(sites), Some(events)) = (players?, sites?, events?) else {
            return Ok(None);
        };
        Ok(Some(OldDatabase {
            count,
            games,
            tables: NameTableBuilders {
                players,
                sites,
                events,
            },
        }))
    }
}

/// Returns the number of entries in an index of the current layout, or `None` if an entry points
/// outside its file.
fn count_entries(base: &dyn Growing, sizes: &FileSizes) -> Result<Option<u32>> {
    let role: Role = FileKind::Index.role();
    let layout = Layout::CURRENT;
    let (file_header, size) = (layout.entry_offset(0), layout.entry.bytes() as u64);
    let length = base.length(role).unwrap_or(0);
    let Some(bytes) = length
        .checked_sub(file_header)
        .filter(|bytes| bytes % size == 0)
    else {
        return Ok(None);
    };
    let Ok(count) = u32::try_from(bytes / size) else {
        return Ok(None);
    };
    let mut sample = vec![0; (file_header + size * SAMPLE.min(count.into())) as usize];
    base.read_old(role, 0, &mut sample)?;
    // The version, and the game to open first, which may be beyond the sample.
    let version = sample.get(Magic::SIZE).copied();
    if let Some(open_default) = sample.get_mut(11..19) {
        let first = <[u8; 8]>::try_from(&*open_default).map_or(0, u64::from_be_bytes);
        if first >= length {
            return Ok(None);
        }
        open_default.fill(0);
    }
    let detected = Layout::detect(&sample, sizes);
    if version != Some(0) || detected.layout != layout || !detected.is_sure() {
        return Ok(None);
    }
    let mut offset = file_header;
    let mut last = 0;
    let mut bytes = Vec::new();
    while offset < length {
        bytes.resize((PORTION * size).min(length - offset) as usize, 0);
        base.read_old(role, offset, &mut bytes)?;
        let entries = bytes.as_chunks().0.iter().map(Entry::parse_39);
        for entry in entries {
            let ends = [
                (entry.offset, sizes.games),
                (entry.white.into(), sizes.players),
                (entry.black.into(), sizes.players),
                (entry.site.into(), sizes.sites),
                (entry.event.into(), sizes.events),
            ];
            if ends.iter().any(|(place, end)| place >= end) {
                return Ok(None);
            }
            last = entry.offset.max(last);
        }
        offset += bytes.len() as u64;
    }
    let is_whole = last == 0 || ends_inside(base, last, sizes.games)?;
    Ok(is_whole.then_some(count))
}

/// Returns whether the last record ends within the file: appended bytes must not become a part of
/// it.
fn ends_inside(base: &dyn Growing, offset: u64, games: u64) -> Result<bool> {
    let remaining = games.saturating_sub(offset);
    // A length has five bytes at most.
    let mut header = vec![0; remaining.min(5) as usize];
    base.read_old(FileKind::Games.role(), offset, &mut header)?;
    let length = Length::parse(&header).map(|(length, _)| length);
    Ok(length.is_some_and(|length| length.size() as u64 + u64::from(length.value) <= remaining))
}
