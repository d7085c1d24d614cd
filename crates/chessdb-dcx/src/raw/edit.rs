//! Editing in place (docs/formats/dcx.md, sections 3.6 and 16).
//!
//! An edit is a list of changes to make in this order. References are written after their targets.
//! So an interrupted edit leaves at most unreferenced bytes, or both the old game and its
//! replacement.

use std::collections::HashMap;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::{Error, ErrorKind, MemorySet, Result};

use super::base::Base;
use super::entry::Entry;
use super::file_header::FileHeader;
use super::games::Segment;
use super::index::Index;
use super::layout::EntrySize;
use super::magic::{FileKind, Magic, MagicFault};
use super::names::NameFile;
use super::record::Record;
use crate::roles::{DCG_FILE, DCI_FILE};
use crate::text::record_of;

/// One change to one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// Replaces bytes.
    Overwrite {
        /// The file.
        file: Role,
        /// Offset of the first byte to replace.
        offset: u64,
        /// The new bytes, as many as are replaced.
        bytes: Vec<u8>,
    },
    /// Appends bytes.
    Append {
        /// The file.
        file: Role,
        /// The bytes to append.
        bytes: Vec<u8>,
    },
}

impl Change {
    /// Applies the change to files in memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is missing, or too short for the bytes to overwrite.
    pub fn apply(&self, set: &mut MemorySet) -> Result<()> {
        let (Change::Overwrite { file, .. } | Change::Append { file, .. }) = self;
        let content = set
            .get_mut(*file)
            .ok_or(Error::new(ErrorKind::MissingFile(*file)))?;
        match self {
            Change::Append { bytes, .. } => content.extend_from_slice(bytes),
            Change::Overwrite { offset, bytes, .. } => {
                let size = content.len() as u64;
                let place = usize::try_from(*offset)
                    .ok()
                    .and_then(|start| content.get_mut(start..start.checked_add(bytes.len())?));
                let Some(place) = place else {
                    return Err(Error::new(ErrorKind::Truncated {
                        what: "an offset to overwrite",
                        needed: offset.saturating_add(bytes.len() as u64),
                        had: size,
                    }));
                };
                place.copy_from_slice(bytes);
            }
        }
        Ok(())
    }
}

/// A game to add; [`crate::encode`] creates one from a game of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewGame {
    /// Its entry; offset and references are filled in later.
    pub entry: Entry,
    /// White's name, at most 36 bytes, without white space at its ends.
    pub white: Vec<u8>,
    /// Black's name, with the same limits.
    pub black: Vec<u8>,
    /// The site, with the same limits.
    pub site: Vec<u8>,
    /// The event, with the same limits.
    pub event: Vec<u8>,
    /// The bytes of its record.
    pub record: Vec<u8>,
}

/// Marks a game (from 0) as deleted, or removes the mark.
///
/// # Errors
///
/// Returns an error if there is no such game.
pub fn mark(index: &Index, n: u32, deleted: bool) -> Result<Change> {
    if n as usize >= index.entries.len() {
        return Err(no_game(n));
    }
    Ok(Change::Overwrite {
        file: DCI_FILE,
        offset: index.layout().entry_offset(n),
        bytes: vec![if deleted { Entry::DELETED } else { 0 }],
    })
}

/// Adds a game at the end.
///
/// # Errors
///
/// Returns an error if the files of the database do not end at the end of a record or entry, if its
/// layout cannot store the event, or if the layout is only known from a description.
pub fn append(base: &Base<'_>, game: &NewGame) -> Result<Vec<Change>> {
    let layout = base.index.layout();
    let offset = end_of_games(base)?;
    // After a cut entry, the new one would not be at a multiple of the entry size.
    if !base.index.tail.is_empty() {
        return Err(uneven(FileKind::Index));
    }
    let mut changes = vec![Change::Append {
        file: DCG_FILE,
        bytes: game.record.clone(),
    }];
    let mut entry = Entry {
        offset,
        ..game.entry
    };
    let mut players = NameAppender::new(base, FileKind::Players)?;
    entry.white = players.refer(&game.white)?;
    entry.black = players.refer(&game.black)?;
    let mut sites = NameAppender::new(base, FileKind::Sites)?;
    entry.site = sites.refer(&game.site)?;
    changes.extend(players.change());
    changes.extend(sites.change());
    match layout.entry {
        EntrySize::Standard => {
            let mut events = NameAppender::new(base, FileKind::Events)?;
            entry.event = events.refer(&game.event)?;
            changes.extend(events.change());
        }
        // `?` is a missing event, so nothing is lost.
        EntrySize::Short if matches!(&*game.event, b"" | b"?") => {}
        EntrySize::Short => return Err(ErrorKind::Unsupported("an event in this layout").into()),
        EntrySize::Long => return Err(ErrorKind::Unsupported("writing this layout").into()),
    }
    let mut bytes = Vec::with_capacity(layout.entry.bytes());
    entry.write(layout.entry, &mut bytes);
    changes.push(Change::Append {
        file: DCI_FILE,
        bytes,
    });
    Ok(changes)
}

/// Replaces a game (from 0); the new version is added at the end.
///
/// # Errors
///
/// See [`mark`] and [`append`].
pub fn replace(base: &Base<'_>, n: u32, game: &NewGame) -> Result<Vec<Change>> {
    let deletion = mark(&base.index, n, true)?;
    let mut changes = append(base, game)?;
    // The new version comes first, so that an interrupted edit leaves a game too many, not too few.
    changes.push(deletion);
    Ok(changes)
}

/// Writes all files again with only the live games, without gaps between them, and with only the
/// names they use. The bytes of records and names stay unchanged.
///
/// # Errors
///
/// Returns an error if the bytes of a live game cannot be determined, or if the layout is only
/// known from a description.
pub fn compact(base: &Base<'_>) -> Result<MemorySet> {
    let layout = base.index.layout();
    if layout.entry == EntrySize::Long {
        return Err(ErrorKind::Unsupported("writing this layout").into());
    }
    let records = records_by_offset(base);
    let mut names = [FileKind::Players, FileKind::Sites, FileKind::Events]
        .map(|kind| UsedNames::new(base, kind));
    // Names keep their order, so the used ones must be known before any reference is written.
    for entry in live(&base.index).map(|(_, entry)| entry) {
        let [players, sites, events] = &mut names;
        players.note(entry.white);
        players.note(entry.black);
        sites.note(entry.site);
        events.note(entry.event);
    }
    for table in &mut names {
        table.renumber();
    }
    let [players, sites, events] = &names;
    let mut games = Magic::new(FileKind::Games).as_bytes().to_vec();
    let mut entries = Vec::new();
    let mut open_default = None;
    for (n, entry) in live(&base.index) {
        let Some(record) = records.get(&entry.offset) else {
            let kind = ErrorKind::Structure("an existing game with unknown bytes");
            return Err(Error::new(kind).at(Location::game(n.saturating_add(1))));
        };
        if base.index.open_default() == Some(n) {
            open_default = Some(entries.len() as u32);
        }
        entries.push(Entry {
            offset: games.len() as u64,
            white: players.reference(entry.white),
            black: players.reference(entry.black),
            site: sites.reference(entry.site),
            event: events.reference(entry.event),
            ..*entry
        });
        record.write(&mut games);
    }
    let file_header = FileHeader {
        magic: Magic::new(FileKind::Index),
        version: base.index.file_header.version,
        // The oldest layouts do not have the field. A deleted game is no longer opened first.
        open_default: base
            .index
            .file_header
            .open_default
            .map(|_| open_default.map_or(0, |n| layout.entry_offset(n))),
    };
    let mut index = Vec::new();
    file_header.write(&mut index);
    for entry in &entries {
        entry.write(layout.entry, &mut index);
    }
    let mut set = MemorySet::new();
    set.insert(DCI_FILE, index);
    set.insert(DCG_FILE, games);
    for table in &names {
        if let Some(bytes) = table.to_bytes() {
            set.insert(table.kind.role(), bytes);
        }
    }
    Ok(set)
}

/// Returns the entries that are not deleted, with their numbers.
fn live(index: &Index) -> impl Iterator<Item = (u32, &Entry)> {
    (0u32..)
        .zip(&index.entries)
        .filter(|(_, entry)| entry.status != Entry::DELETED)
}

/// Returns the records by their offsets; several entries may share one.
fn records_by_offset<'b>(base: &'b Base<'_>) -> HashMap<u64, &'b Record<'b>> {
    let segments = base.games.iter().flat_map(|games| &games.segments);
    segments
        .filter_map(|segment| match segment {
            Segment::Record { range, record, .. } => Some((range.start as u64, record)),
            Segment::Slack { .. } => None,
        })
        .collect()
}

/// Returns the offset of a new record.
fn end_of_games(base: &Base<'_>) -> Result<u64> {
    let games = base
        .games
        .as_ref()
        .ok_or(Error::new(ErrorKind::MissingFile(DCG_FILE)))?;
    if is_foreign(games.magic.fault(FileKind::Games)) {
        return Err(uneven(FileKind::Games));
    }
    let end = games.segments.last().map(|segment| segment.range().end);
    Ok(end.unwrap_or(Magic::SIZE) as u64)
}

fn is_foreign(fault: Option<MagicFault>) -> bool {
    matches!(fault, Some(MagicFault::Short | MagicFault::Foreign))
}

fn no_game(n: u32) -> Error {
    let field = "game number";
    let value = u64::from(n) + 1;
    ErrorKind::BadField { field, value }.into()
}

fn uneven(kind: FileKind) -> Error {
    let what = ErrorKind::Structure("the file does not end where records can be appended");
    Error::new(what).at(Location::file(kind.role()))
}

/// A name table to which records are added.
struct NameAppender<'b> {
    kind: FileKind,
    file: &'b NameFile,
    added: Vec<[u8; NameFile::RECORD]>,
}

impl<'b> NameAppender<'b> {
    fn new(base: &'b Base<'_>, kind: FileKind) -> Result<NameAppender<'b>> {
        let file = base
            .names(kind)
            .ok_or(Error::new(ErrorKind::MissingFile(kind.role())))?;
        if !file.tail.is_empty() || is_foreign(file.magic.fault(kind)) {
            return Err(uneven(kind));
        }
        Ok(NameAppender {
            kind,
            file,
            added: Vec::new(),
        })
    }

    /// Returns the reference to a name, adding the name if necessary.
    fn refer(&mut self, name: &[u8]) -> Result<u32> {
        let record = record_of(name);
        let mut records = self.file.records.iter().chain(&self.added);
        let existing = records.position(|other| *other == record);
        let number = existing.unwrap_or_else(|| {
            self.added.push(record);
            self.file.records.len() + self.added.len() - 1
        });
        let reference = u32::try_from(number).ok().and_then(NameFile::reference);
        reference.ok_or_else(|| {
            let what = "names in a table";
            let limit = NameFile::MAX_RECORDS.into();
            ErrorKind::LimitExceeded { what, limit }.into()
        })
    }

    fn change(self) -> Option<Change> {
        (!self.added.is_empty()).then(|| Change::Append {
            file: self.kind.role(),
            bytes: self.added.into_flattened(),
        })
    }
}

/// The used records of a table and their new numbers.
struct UsedNames<'b> {
    kind: FileKind,
    file: Option<&'b NameFile>,
    /// The new number of each record, if it is used.
    numbers: Vec<Option<u32>>,
}

impl<'b> UsedNames<'b> {
    fn new(base: &'b Base<'_>, kind: FileKind) -> UsedNames<'b> {
        let file = base.names(kind);
        let records = file.map_or(0, |file| file.records.len());
        UsedNames {
            kind,
            file,
            numbers: vec![None; records],
        }
    }

    fn note(&mut self, reference: u32) {
        let number = NameFile::number(reference);
        if let Some(place) = number.and_then(|n| self.numbers.get_mut(n as usize)) {
            // Any number marks a used name; `renumber` sets the right one.
            *place = Some(0);
        }
    }

    fn renumber(&mut self) {
        let used = self.numbers.iter_mut().filter_map(|number| number.as_mut());
        for (new, number) in (0..).zip(used) {
            *number = new;
        }
    }

    /// Returns the new reference; an invalid reference becomes 0.
    fn reference(&self, reference: u32) -> u32 {
        NameFile::number(reference)
            .and_then(|n| self.numbers.get(n as usize).copied().flatten())
            .and_then(NameFile::reference)
            .unwrap_or(0)
    }

    fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut file = NameFile::new(self.kind);
        let records = self.file?.records.iter().zip(&self.numbers);
        file.records = records
            .filter(|(_, number)| number.is_some())
            .map(|(record, _)| *record)
            .collect();
        Some(file.to_bytes())
    }
}
