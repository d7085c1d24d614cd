//! Reading of names while a database is opened.

use chessdb_core::error::Location;
use chessdb_core::model::NameRecord;
use chessdb_core::text::{EncodingDetector, TextId, is_overwritten, is_printable};
use chessdb_core::{Charset, ErrorKind, Result, Severity};

use super::Opening;
use crate::generation::in_file;
use crate::info::LogInfo;
use crate::raw::si5::NameKind;
use crate::raw::{NameOutline, NameRecords, restore, si5};

impl Opening<'_> {
    /// Reads the four sorted lists of SCID 3 and SCID 4.
    pub(super) fn lists(&mut self, bytes: &[u8]) -> Result<()> {
        let before = self.base.texts.clone();
        if self.sound_lists(bytes) {
            return Ok(());
        }
        // The pass over sound lists has added texts up to the fault.
        self.base.texts = before;
        (self.names.by_id, self.tables) = Default::default();
        let file = self.spec.names_file();
        // Findings about the file as a whole come before findings about its names.
        let mut outline = match NameOutline::scan(bytes) {
            Ok(outline) => outline,
            Err(fault) => return self.no_names(fault),
        };
        let restored = if outline.is_whole() { None } else { restore(bytes) };
        if let Some(restored) = &restored {
            for &place in &restored.places {
                let kind = ErrorKind::Structure("a line feed without its carriage return");
                self.report(Severity::Repaired, kind, Location::byte(file, place))?;
            }
            outline = NameOutline::scan(&restored.bytes)?;
        }
        let bytes = restored.as_ref().map_or(bytes, |restored| &restored.bytes);
        if let Some(fault) = outline.fault {
            let (kind, location) = fault.at(in_file(file)).into_parts();
            self.names.is_cut = true;
            self.report(Severity::Lost, kind, location)?;
        }
        let names = outline.counts.iter().sum();
        self.base.texts.reserve(names, outline.bytes);
        let sizes = outline.counts.into_iter().zip(outline.ids);
        let lists = self.names.by_id.iter_mut().zip(&mut self.tables);
        for ((count, ids), (by_id, table)) in sizes.zip(lists) {
            by_id.resize(ids, TextId::NONE);
            table.reserve_exact(count);
        }
        let (_, records) = NameRecords::new(bytes)?;
        let mut name = Vec::new();
        for (list, stored) in records.map_while(Result::ok) {
            name.truncate(stored.prefix.into());
            name.extend_from_slice(stored.own);
            self.name(list, stored.id, &name)?;
        }
        Ok(())
    }

    /// Reads undamaged lists in one pass. Returns false on the first fault.
    fn sound_lists(&mut self, bytes: &[u8]) -> bool {
        let Ok((file_header, mut records)) = NameRecords::new(bytes) else {
            return false;
        };
        let counts = file_header.counts.map(|count| count as usize);
        let names = counts.iter().sum();
        // Each name takes at least four bytes.
        if names > bytes.len() / 4 {
            return false;
        }
        self.base.texts.reserve(names, bytes.len());
        let lists = self.names.by_id.iter_mut().zip(&mut self.tables);
        for (count, (by_id, table)) in counts.into_iter().zip(lists) {
            by_id.resize(count, TextId::NONE);
            table.reserve_exact(count);
        }
        let mut name = Vec::new();
        for record in &mut records {
            let Ok((list, stored)) = record else {
                return false;
            };
            name.truncate(stored.prefix.into());
            name.extend_from_slice(stored.own);
            if !is_printable(&name) && is_overwritten(&name) {
                return false;
            }
            let text = self.name_text(&name);
            if !self.put_name(list, stored.id, text) {
                return false;
            }
        }
        records.rest.is_empty()
    }

    /// Adds a name with its number. Names come in stored order.
    fn name(&mut self, list: usize, id: u32, name: &[u8]) -> Result<()> {
        if !is_printable(name) && is_overwritten(name) {
            let kind = ErrorKind::Structure("a name contains bytes that are not text");
            self.report(Severity::Lost, kind, in_file(self.spec.names_file()))?;
        }
        let text = self.name_text(name);
        if self.put_name(list, id, text) {
            Ok(())
        } else {
            let kind = ErrorKind::bad_field("the number of a name", id);
            self.report(Severity::Lost, kind, in_file(self.spec.names_file()))
        }
    }

    #[inline]
    fn name_text(&mut self, name: &[u8]) -> TextId {
        self.base
            .texts
            .push(name, name_charset(&self.detector, name))
    }

    /// Adds a name to its table. Returns false if its number is already used or out of range.
    fn put_name(&mut self, list: usize, id: u32, text: TextId) -> bool {
        let by_id = self.names.by_id.get_mut(list);
        let slot = by_id
            .and_then(|by_id| by_id.get_mut(id as usize))
            .filter(|slot| slot.is_none());
        let is_free = slot.is_some();
        if let Some(slot) = slot {
            *slot = text;
        }
        if let Some(table) = self.tables.get_mut(list) {
            table.push(NameRecord {
                key: id,
                text,
                player: None,
            });
        }
        is_free
    }

    /// Reads the log of SCID 5.
    pub(super) fn log(&mut self, bytes: &[u8]) -> Result<()> {
        let mut info = LogInfo::default();
        let mut log = si5::Names::new(bytes);
        loop {
            let place = log.offset();
            let record = match log.read() {
                Ok(Some(record)) => record,
                Ok(None) => break,
                Err(fault) => {
                    // After a crash the last names of a log are missing.
                    let (kind, location) = fault.at(in_file(self.spec.names_file())).into_parts();
                    self.names.is_cut = true;
                    self.report(Severity::Lost, kind, location)?;
                    break;
                }
            };
            let list = match record.kind {
                NameKind::Player => 0,
                NameKind::Event => 1,
                NameKind::Site => 2,
                NameKind::Round => 3,
                NameKind::Info => {
                    info.read(record.text, place);
                    continue;
                }
            };
            let Some(by_id) = self.names.by_id.get_mut(list) else {
                continue;
            };
            if by_id.len() >= MAX_NAMES {
                let kind = ErrorKind::over_limit("names in a list", MAX_NAMES as u64);
                let location = Location::byte(self.spec.names_file(), place);
                self.report(Severity::Lost, kind, location)?;
                break;
            }
            let id = by_id.len() as u32;
            // The number belongs to the record even if its name turns out to be damaged.
            by_id.push(TextId::NONE);
            self.name(list, id, record.text)?;
        }
        self.info(&info)
    }
}

/// Returns the charset of a name.
#[inline]
pub(in crate::store) fn name_charset(detector: &EncodingDetector, name: &[u8]) -> Charset {
    // Most names are ASCII.
    if is_printable(name) { Charset::UTF_8 } else { detector.charset(name) }
}

/// The largest number of names read per list. Each takes some forty bytes of memory, but may take
/// only one byte in the file.
const MAX_NAMES: usize = 1 << 24;
