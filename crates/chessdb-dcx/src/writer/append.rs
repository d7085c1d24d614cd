//! Appending to an existing database: records at the end of the games, new names at the ends of
//! their files, entries at the end of the index (docs/formats/dcx.md, section 16).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::store::WriterState;
use chessdb_core::{Result, WriteOptions};

use super::existing::{ExistingIndex, have_magic};
use super::{GameEncoder, NameTableBuilders, OutputFiles, Writer, tables::NameTableBuilder};
use crate::raw::{FileKind, Layout, Magic, NameFile};

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
        }))
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
        if !have_magic(base)? {
            return Ok(None);
        }
        let Some(index) = ExistingIndex::read(base)? else {
            return Ok(None);
        };
        let is_current = index.layout == Layout::CURRENT && index.version == Some(0);
        let offsets = if is_current { index.sorted_offsets(base)? } else { None };
        let Some(offsets) = offsets else {
            return Ok(None);
        };
        // New promotions would decide how the others are read.
        if !index.has_standard_promotions(base, &offsets)? {
            return Ok(None);
        }
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
            count: index.count,
            games: index.sizes.games,
            tables: NameTableBuilders {
                players,
                sites,
                events,
            },
        }))
    }
}
