//! Reading games by number.

use chessdb_core::{
    BaseInfo, Charset, Diagnostic, Error, ErrorKind, FileSet, Game, GameStore, Limits, Location,
    NameRecord, NameTable, ReadOptions, Result, Scratch, Severity, TextId,
};

use crate::head::{NameLookup, read_entry, read_fen, read_tags};
use crate::moves::{Counts, decode};
use crate::raw::{
    Entry, Header, Index, IndexFlags, NameFile, ROLES, RecordParts, Tags, count_code,
};
use crate::report::Report;
use crate::text::FALLBACK;
use crate::{SG4_FILE, SI4_FILE, SN4_FILE};

/// An open base.
#[derive(Debug)]
pub struct Store<'a> {
    entries: &'a [[u8; Entry::SIZE]],
    games: &'a [u8],
    names: NameLookup,
    base: BaseInfo,
    options: ReadOptions,
    fallback: Charset,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'a> Store<'a> {
    /// Opens the base in these files. Faults of single games show when the games are read.
    ///
    /// # Errors
    ///
    /// A missing file, a foreign or cut header, another version than 400; in strict mode also a
    /// wrong number of entries and a damaged name file.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let index = files.require(SI4_FILE)?;
        let games = files.require(SG4_FILE)?;
        let name_bytes = files.require(SN4_FILE)?;
        let header = Header::parse(index)?;
        if header.version != Header::VERSION {
            let found = ErrorKind::Unsupported("an index of another version than 400 (SCID 4)");
            return Err(Error::new(found).at(Location::byte(SI4_FILE, 8)));
        }
        let mut scratch = Scratch::new();
        let (entries, tail) = Index::split(&header, index);
        let found = entries.len() as u64;
        if found < u64::from(header.games) {
            let expected = u64::from(header.games);
            let kind = ErrorKind::Mismatch {
                what: "the number of index entries",
                found,
                expected,
            };
            scratch.deviation(&options, Severity::Lost, kind, Location::byte(SI4_FILE, 14))?;
        }
        if !tail.is_empty() {
            let found = tail.len() as u64;
            let kind = ErrorKind::Mismatch {
                what: "bytes behind the index",
                found,
                expected: 0,
            };
            let at = Location::byte(SI4_FILE, index.len() as u64 - found);
            scratch.deviation(&options, Severity::Note, kind, at)?;
        }
        let (file, fault) = NameFile::parse(name_bytes)?;
        if let Some(fault) = fault {
            let (kind, at) = fault.into_parts();
            scratch.deviation(&options, Severity::Lost, kind, at)?;
        }
        let fallback = options.charset.unwrap_or(FALLBACK);
        let mut base = base_info(&header, fallback);
        let names = read_names(&file, fallback, &mut base, &options, &mut scratch)?;
        let diagnostics = scratch.diagnostics;
        Ok(Store {
            entries,
            games,
            names,
            base,
            options,
            fallback,
            diagnostics,
        })
    }

    fn entry(&self, n: u32) -> Result<Entry> {
        let bytes = self.entries.get(n as usize).ok_or_else(|| {
            let available = self.entries.len() as u64;
            ErrorKind::Mismatch {
                what: "the number of a game",
                found: n.into(),
                expected: available,
            }
        })?;
        Ok(Entry::parse(bytes))
    }

    /// Fills the head and hands out what the moves are in, and where that is; nothing if the
    /// record cannot be followed that far.
    fn head(
        &self,
        entry: &Entry,
        game: &mut Game,
        report: &mut Report<'_>,
    ) -> Result<Option<(RecordParts<'a>, u64)>> {
        game.clear();
        read_entry(entry, &self.names, &self.base, game, report)?;
        let start = u64::from(entry.offset);
        let Some(record) = self.record(entry, report)? else {
            return Ok(None);
        };
        let mut tags = Tags::new(record);
        if !read_tags(&mut tags, start, self.fallback, game, report)? {
            return Ok(None);
        }
        let parts = match RecordParts::parse(tags.rest(), record.len()) {
            Ok(parts) => parts,
            Err(fault) => {
                let (kind, at) = fault.into_parts(start);
                report.add(Severity::Lost, kind, at)?;
                return Ok(None);
            }
        };
        if parts.fen.is_some() != entry.flags.contains(IndexFlags::START) {
            let kind = ErrorKind::Mismatch {
                what: "the start flag of the index",
                found: entry.flags.contains(IndexFlags::START).into(),
                expected: parts.fen.is_some().into(),
            };
            report.add(
                Severity::Note,
                kind,
                Location::byte(SI4_FILE, place(report.game) + 8),
            )?;
        }
        // The flags byte stands before the FEN.
        let fen_start = start + tags.offset() + 1;
        if !read_fen(
            parts.flags,
            parts.fen,
            fen_start,
            self.fallback,
            game,
            report,
        )? {
            return Ok(None);
        }
        let moves_start = fen_start + parts.fen.map_or(0, |fen| fen.len() as u64 + 1);
        Ok(Some((parts, moves_start)))
    }

    /// The bytes of a game's record, as far as there are any.
    fn record(&self, entry: &Entry, report: &mut Report<'_>) -> Result<Option<&'a [u8]>> {
        let start = entry.offset as usize;
        let length = entry.length as usize;
        let Limits { game_bytes, .. } = report.options.limits;
        let there = self.games.get(start..).unwrap_or_default();
        let record = there.get(..length).unwrap_or(there);
        let at = Location::byte(SG4_FILE, start as u64);
        if record.is_empty() || record.len() < length {
            let (needed, had) = (length.max(1) as u64, record.len() as u64);
            let kind = ErrorKind::Truncated {
                what: "the game record",
                needed,
                had,
            };
            report.add(Severity::Lost, kind, at)?;
        }
        if length > game_bytes as usize {
            let limit = game_bytes.into();
            let kind = ErrorKind::LimitExceeded {
                what: "bytes in a game",
                limit,
            };
            report.add(Severity::Lost, kind, at)?;
        }
        let record = record.get(..game_bytes as usize).unwrap_or(record);
        Ok(Some(record).filter(|record| !record.is_empty()))
    }

    fn compare_counts(&self, entry: &Entry, counts: Counts, report: &mut Report<'_>) -> Result<()> {
        let place = place(report.game);
        let counted = [
            (
                "the number of variations",
                entry.variations,
                counts.variations,
                22,
            ),
            (
                "the number of comments",
                entry.comments,
                counts.comments,
                22,
            ),
            ("the number of NAGs", entry.nags, counts.nags, 21),
        ];
        for (what, code, count, offset) in counted {
            if code != count_code(count) {
                let (found, expected) = (code.0.into(), count_code(count).0.into());
                let kind = ErrorKind::Mismatch {
                    what,
                    found,
                    expected,
                };
                report.add(
                    Severity::Note,
                    kind,
                    Location::byte(SI4_FILE, place + offset),
                )?;
            }
        }
        if u32::from(entry.plies) != counts.plies & 0x3FF {
            let (found, expected) = (entry.plies.into(), (counts.plies & 0x3FF).into());
            let kind = ErrorKind::Mismatch {
                what: "the number of half-moves",
                found,
                expected,
            };
            report.add(Severity::Note, kind, Location::byte(SI4_FILE, place + 37))?;
        }
        Ok(())
    }
}

/// Where the entry of a game, counted from 1, stands in the index.
fn place(game: u32) -> u64 {
    Header::SIZE as u64 + u64::from(game.saturating_sub(1)) * Entry::SIZE as u64
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    fn base(&self) -> &BaseInfo {
        &self.base
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn head_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = Report {
            options: &self.options,
            scratch,
            game: n.saturating_add(1),
        };
        let entry = self.entry(n)?;
        self.head(&entry, game, &mut report)?;
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = Report {
            options: &self.options,
            scratch,
            game: n.saturating_add(1),
        };
        let entry = self.entry(n)?;
        let Some((parts, start)) = self.head(&entry, game, &mut report)? else {
            return Ok(());
        };
        match decode(&parts, start, self.fallback, game, &mut report)? {
            Some(counts) => self.compare_counts(&entry, counts, &mut report),
            None => Ok(()),
        }
    }
}

/// What the header says about the base.
fn base_info(header: &Header, fallback: Charset) -> BaseInfo {
    let mut base = BaseInfo {
        kind: Some(header.kind),
        ..BaseInfo::default()
    };
    // 1 is what Scid writes into every new base (section 1): nobody chose it, and nothing is lost
    // where it has no home.
    base.open_first = (header.autoload != Header::new().autoload).then_some(header.autoload);
    let mut text = |bytes: &[u8]| match bytes {
        [] => TextId::NONE,
        _ => base
            .texts
            .push(bytes, Charset::detect_utf8_or(bytes, fallback)),
    };
    let description = text(header.description());
    base.flag_names = header.flag_names().map(text).collect();
    base.description = description;
    base
}

/// Takes over the four name lists.
fn read_names(
    file: &NameFile,
    fallback: Charset,
    base: &mut BaseInfo,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<NameLookup> {
    let mut names = NameLookup::default();
    for ((list, by_id), role) in file.lists.iter().zip(&mut names.by_id).zip(ROLES) {
        let count = list.records().len();
        by_id.resize(count, TextId::NONE);
        let mut records = Vec::with_capacity(count);
        for record in list.records() {
            let name = list.name(record);
            let text = base
                .texts
                .push(name, Charset::detect_utf8_or(name, fallback));
            let slot = by_id
                .get_mut(record.id as usize)
                .filter(|slot| slot.is_none());
            match slot {
                Some(slot) => *slot = text,
                None => {
                    let value = record.id.into();
                    let kind = ErrorKind::BadField {
                        field: "the number of a name",
                        value,
                    };
                    let at = Location {
                        file: Some(SN4_FILE),
                        ..Location::default()
                    };
                    scratch.deviation(options, Severity::Lost, kind, at)?;
                }
            }
            records.push(NameRecord {
                key: record.id,
                text,
                player: None,
            });
        }
        base.names.push(NameTable { role, records });
    }
    Ok(names)
}
