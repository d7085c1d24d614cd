//! Opening of a database: the index of its generation, the names, and the metadata.

mod names;
pub(crate) mod record_order;

use chessdb_core::error::Location;
use chessdb_core::model::{Extra, NameRecord, NameTable};
use chessdb_core::store::Opened;
use chessdb_core::text::{EncodingDetector, TextId};
use chessdb_core::{
    BaseInfo, Diagnostic, Error, ErrorKind, FileSet, ReadOptions, Result, Scratch, Severity,
};

pub(super) use names::name_charset;

use super::Store;
use super::name_tables::{CAN_DEFER, NameTables, ReadNames};
use crate::check::SearchFields;
use crate::entry::{Entries, aligned};
use crate::generation::{Generation, SI3_NAMED_SI4, Spec, in_file};
use crate::header::NameLookup;
use crate::info::{INFO_FIELD, InfoKey, LogInfo};
use crate::raw::{FileHeader, Index, ROLES};
use crate::text::FALLBACK;

/// A database being opened, which becomes a [`Store`].
pub(super) struct Opening<'o> {
    spec: &'static Spec,
    options: &'o ReadOptions,
    detector: EncodingDetector,
    base: BaseInfo,
    names: NameLookup,
    tables: [Vec<NameRecord>; 4],
    scratch: Scratch,
}

impl<'a> Store<'a> {
    /// Opens the database in these files, of the first of [`Generation::ALL`] with an index.
    ///
    /// # Errors
    ///
    /// Returns an error as [`Store::open_as`] does.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let is_present =
            |generation: &Generation| files.get(generation.spec().index_file()).is_some();
        let generation = Generation::ALL.into_iter().find(is_present);
        Store::open_as(generation.unwrap_or(Generation::Si4), files, options)
    }

    /// Opens the database as this generation. Errors in single games are reported when the games
    /// are read.
    ///
    /// # Errors
    ///
    /// Returns an error for a missing index or games file, a foreign or truncated header of the
    /// index, and a version other than 300 and 400; in strict mode also for a wrong number of
    /// entries and a missing or damaged name file.
    pub fn open_as(
        generation: Generation,
        files: &'a dyn FileSet,
        options: ReadOptions,
    ) -> Result<Store<'a>> {
        let spec = generation.spec();
        let index = files.require(spec.index_file());
        let games = files.require(spec.games_file())?;
        let names = files.require(spec.names_file());
        let mut opening = Opening::new(spec, &options);
        let mut whole = index.is_ok();
        let index = match index {
            Err(missing) if options.salvage => {
                opening.no_index(missing)?;
                &[]
            }
            index => index?,
        };
        let entries = match generation {
            Generation::Si5 => opening.bare_index(index)?,
            Generation::Si3 | Generation::Si4 => {
                match opening.index(index) {
                    Err(fault) if options.salvage => {
                        // A missing index has been reported above.
                        if std::mem::take(&mut whole) {
                            opening.no_index(fault)?;
                        }
                        aligned(index, opening.spec)
                    }
                    entries => entries?,
                }
            }
        };
        // In a database without faults, names are not read before many games need them.
        let is_deferred = CAN_DEFER
            && options.known_intact
            && !options.salvage
            && !options.check
            && opening.scratch.diagnostics.is_empty();
        let unread = names.as_ref().ok().copied().filter(|_| is_deferred);
        if unread.is_none() {
            opening.read_names(names)?;
        }
        if !options.known_intact {
            opening.check_record_order(&entries, games)?;
        }
        let (spec, detector) = (opening.spec, opening.detector.clone());
        let names = match unread {
            Some(bytes) => NameTables::unread(bytes, opening.base),
            None => NameTables::from(opening.finish()),
        };
        let salvage = options.salvage;
        let search_fields = options.check.then(SearchFields::new);
        let mut store = Store {
            spec,
            entries,
            games,
            detector,
            names,
            options,
            search_fields,
            places: None,
        };
        if salvage {
            let of_index = |finding: &Diagnostic| finding.at.file == Some(spec.index_file());
            whole = whole && !store.names.diagnostics().iter().any(of_index);
            store.recover(whole);
        }
        Ok(store)
    }
}

impl<'o> Opening<'o> {
    /// Starts to open a database of this generation.
    pub(super) fn new(spec: &'static Spec, options: &'o ReadOptions) -> Opening<'o> {
        Opening {
            spec,
            options,
            detector: options.detector(FALLBACK),
            base: BaseInfo::default(),
            names: NameLookup::default(),
            tables: Default::default(),
            scratch: Scratch::new(),
        }
    }

    /// Reads the names of an intact database that was opened without them.
    pub(super) fn reading_names(
        spec: &'static Spec,
        options: &'o ReadOptions,
        base: &BaseInfo,
        names: &[u8],
    ) -> ReadNames {
        let mut opening = Opening::new(spec, options);
        opening.base = base.clone();
        if let Err(fault) = opening.read_names(Ok(names)) {
            // Only strict reading ends at a fault, and nothing is known about a database read so.
            let (kind, location) = fault.into_parts();
            opening.names.is_cut = true;
            let diagnostic = Diagnostic::new(Severity::Lost, kind, location);
            opening.scratch.diagnostics.push(diagnostic);
        }
        opening.finish()
    }

    /// Reads the names of any generation.
    fn read_names(&mut self, names: Result<&[u8]>) -> Result<()> {
        match (names, self.spec.generation) {
            (Ok(names), Generation::Si5) => self.log(names),
            (Ok(names), Generation::Si3 | Generation::Si4) => self.lists(names),
            (Err(missing), _) => self.no_names(missing),
        }
    }

    /// Returns what was read.
    fn finish(self) -> ReadNames {
        let mut base = self.base;
        let tables = ROLES.into_iter().zip(self.tables);
        base.names = tables
            .map(|(role, records)| NameTable::new(role, records))
            .collect();
        ReadNames {
            lookup: self.names,
            opened: Opened::new(base, self.scratch.diagnostics),
        }
    }

    fn report(&mut self, severity: Severity, kind: ErrorKind, location: Location) -> Result<()> {
        self.scratch
            .deviation(self.options, severity, kind, location)
    }

    /// Opens the index of SCID 3 and SCID 4.
    fn index<'a>(&mut self, bytes: &'a [u8]) -> Result<Entries<'a>> {
        let file = self.spec.index_file();
        let file_header =
            FileHeader::parse(bytes).map_err(|error| error.at(in_file(self.spec.index_file())))?;
        let (si3, expected) = match self.spec.generation {
            Generation::Si3 => (true, FileHeader::SI3_VERSION),
            _ => (file_header.is_si3(), FileHeader::VERSION),
        };
        if file_header.version != expected && !(si3 && file_header.is_si3()) {
            let kind = ErrorKind::Unsupported(if si3 {
                "an index of a version other than 300 (SCID 3)"
            } else {
                "an index of a version other than 400 (SCID 4)"
            });
            return Err(Error::new(kind).at(Location::byte(file, 8)));
        }
        if file_header.version != expected {
            // Renamed files of SCID 3, which Scid 4.7 reads.
            self.spec = &SI3_NAMED_SI4;
            let kind = ErrorKind::mismatch(
                "the version of the index",
                file_header.version.into(),
                expected.into(),
            );
            self.report(Severity::Note, kind, Location::byte(file, 8))?;
        }
        let (entries, tail) = if si3 {
            let (entries, tail) = self.entries(&file_header, bytes)?;
            (Entries::Si3(entries), tail)
        } else {
            let (entries, tail) = self.entries(&file_header, bytes)?;
            (Entries::Si4(entries), tail)
        };
        let count = u64::from(entries.len());
        if count < u64::from(file_header.games) {
            let kind = ErrorKind::mismatch(
                "the number of index entries",
                count,
                file_header.games.into(),
            );
            self.report(Severity::Lost, kind, Location::byte(file, 14))?;
        }
        self.tail(Severity::Note, bytes, tail)?;
        self.file_header(&file_header);
        Ok(entries)
    }

    /// Handles a missing index. Only a salvaged database is read without one, for its moves.
    fn no_index(&mut self, fault: Error) -> Result<()> {
        let (kind, location) = fault.at(in_file(self.spec.index_file())).into_parts();
        self.report(Severity::Lost, kind, location)
    }

    /// Opens the index of SCID 5.
    fn bare_index<'a>(&mut self, bytes: &'a [u8]) -> Result<Entries<'a>> {
        let (entries, tail) = Entries::split(bytes, Generation::Si5);
        self.tail(Severity::Lost, bytes, tail)?;
        // Part of an entry at the end may mean that bytes are missing at the start.
        Ok(if self.options.salvage && !tail.is_empty() {
            aligned(bytes, self.spec)
        } else {
            entries
        })
    }

    fn tail(&mut self, severity: Severity, index: &[u8], tail: &[u8]) -> Result<()> {
        if tail.is_empty() {
            return Ok(());
        }
        let length = tail.len() as u64;
        let kind = ErrorKind::mismatch("the number of bytes after the index", length, 0);
        let location = Location::byte(self.spec.index_file(), index.len() as u64 - length);
        self.report(severity, kind, location)
    }

    /// Copies the metadata of the header.
    fn file_header(&mut self, file_header: &FileHeader) {
        self.base.kind = Some(file_header.kind);
        // The default of every new Scid database (section 1) is not a choice, so dropping it loses
        // nothing.
        let chosen = file_header.autoload != self.spec.autoload;
        self.base.open_first = chosen.then_some(file_header.autoload);
        let custom_flags = self.spec.custom_flags;
        let mut text = |bytes: &[u8]| match bytes {
            [] => TextId::NONE,
            _ => self.text(bytes),
        };
        let description = text(file_header.description());
        let flag_names = if custom_flags {
            file_header.flag_names().map(text).collect()
        } else {
            Vec::new()
        };
        self.base.flag_names = flag_names;
        self.base.description = description;
    }

    fn text(&mut self, bytes: &[u8]) -> TextId {
        let charset = self.detector.charset(bytes);
        self.base.texts.push(bytes, charset)
    }

    /// Handles missing names; the moves can still be read.
    fn no_names(&mut self, fault: Error) -> Result<()> {
        let (kind, location) = fault.at(in_file(self.spec.names_file())).into_parts();
        self.names.is_cut = true;
        self.report(Severity::Lost, kind, location)
    }

    /// Returns the entries of an index, and the bytes after them. The stated count is a single
    /// number and may be damaged, so whole entries beyond it are included.
    fn entries<'a, const SIZE: usize>(
        &mut self,
        file_header: &FileHeader,
        bytes: &'a [u8],
    ) -> Result<(&'a [[u8; SIZE]], &'a [u8])> {
        let (entries, tail) = Index::split(file_header, bytes);
        if tail.len() < SIZE {
            return Ok((entries, tail));
        }
        let (entries, tail) = bytes
            .get(file_header.size()..)
            .unwrap_or_default()
            .as_chunks();
        let kind = ErrorKind::mismatch(
            "the number of index entries",
            entries.len() as u64,
            file_header.games.into(),
        );
        let location = Location::byte(self.spec.index_file(), 14);
        self.report(Severity::Repaired, kind, location)?;
        Ok((entries, tail))
    }

    /// Copies the metadata of the log.
    fn info(&mut self, info: &LogInfo<'_>) -> Result<()> {
        for (slot, key) in [(0, InfoKey::Type), (1, InfoKey::Autoload)] {
            let Some((value, place)) = info.get(key) else {
                continue;
            };
            let number = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
            if number.is_none() {
                let kind = ErrorKind::syntax("a number", value);
                let location = Location::byte(self.spec.names_file(), place);
                self.report(Severity::Lost, kind, location)?;
            }
            match slot {
                0 => self.base.kind = number,
                _ => self.base.open_first = number,
            }
        }
        if let Some((value, _)) = info.get(InfoKey::Description) {
            self.base.description = self.text(value);
        }
        for flag in 0..6 {
            let name = match info.get(InfoKey::Flag(flag)) {
                Some((value, _)) => self.text(value),
                None => TextId::NONE,
            };
            self.base.flag_names.push(name);
        }
        for text in &info.unknown {
            self.base.extras.push(Extra {
                format: INFO_FIELD.0,
                field: INFO_FIELD.1,
                bytes: (*text).into(),
            });
        }
        Ok(())
    }
}
