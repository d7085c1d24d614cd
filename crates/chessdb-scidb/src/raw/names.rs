//! `.scn`: the names (docs/formats/scidb.md, section 3).

use std::cmp::Ordering;

use chessdb_core::Result;

use super::bytes::{ByteReader, put_u24};
use super::name_reader::{NamePart, NamesRead, read_names};
use super::{Entry, VERSION};

/// The header of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameHeader {
    /// The version of the files.
    pub version: u16,
    /// The number of all names.
    pub names: u32,
}

impl NameHeader {
    /// The first bytes of the file.
    pub const MAGIC: &'static [u8; 8] = b"Scidb.n\0";
    /// The number of bytes.
    pub const SIZE: usize = 14;
}

/// The kind of names of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameKind {
    /// Players.
    Player,
    /// Sites.
    Site,
    /// Events, each at its site.
    Event,
    /// Annotators.
    Annotator,
}

impl NameKind {
    /// All kinds, in the order of the sections.
    pub const ALL: [NameKind; 4] = [
        NameKind::Player,
        NameKind::Site,
        NameKind::Event,
        NameKind::Annotator,
    ];

    /// Returns the first bytes of the section.
    pub const fn label(self) -> [u8; 8] {
        *match self {
            NameKind::Player => b"player\0\0",
            NameKind::Site => b"site\0\0\0\0",
            NameKind::Event => b"event\0\0\0",
            NameKind::Annotator => b"annota\0\0",
        }
    }
}

/// The data after a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct NameDetails {
    /// Of an event: the number of its site.
    pub site: u32,
    /// Of an event: 16 bits. Of a player: 8 bits. Of a site: the country.
    pub flags: u16,
    /// Of an event: year and month. Of a player: country and title.
    pub more: Option<u16>,
    /// Of a player: the FIDE number.
    pub fide_id: Option<u32>,
}

impl NameDetails {
    const EVENT_MORE: u16 = 1 << 15;
    const PLAYER_MORE: u16 = 1 << 6;
    const PLAYER_FIDE: u16 = 1 << 7;

    pub(super) fn parse(kind: NameKind, bytes: &mut ByteReader<'_>) -> Option<NameDetails> {
        let mut details = NameDetails::default();
        match kind {
            NameKind::Site => details.flags = bytes.number(2)? as u16,
            NameKind::Event => {
                details.site = bytes.number(3)?;
                details.flags = bytes.number(2)? as u16;
                if details.flags & NameDetails::EVENT_MORE != 0 {
                    details.more = Some(bytes.number(2)? as u16);
                }
            }
            NameKind::Player => {
                details.flags = bytes.byte()?.into();
                if details.flags & NameDetails::PLAYER_MORE != 0 {
                    details.more = Some(bytes.number(2)? as u16);
                }
                if details.flags & NameDetails::PLAYER_FIDE != 0 {
                    details.fide_id = Some(bytes.number(4)?);
                }
            }
            NameKind::Annotator => {}
        }
        Some(details)
    }

    /// Returns the number by which Scidb orders equal names of a kind (section 3.1). Scidb compares
    /// two events with the same number by their sites.
    pub fn order(&self, kind: NameKind) -> u64 {
        let flags = u64::from(self.flags);
        let second = self.more.map(u64::from);
        match kind {
            NameKind::Site => flags,
            NameKind::Event => {
                // Scidb ignores the day of an event without year and month.
                let (year, month, day) = match second {
                    Some(more) => (more & 0x3FF, more >> 10 & 0xF, flags >> 10 & 0x1F),
                    None => (Entry::NO_YEAR.into(), 0, 0),
                };
                flags & 0x3FF | year << 10 | month << 20 | day << 24
            }
            NameKind::Player => {
                let (kind, sex) = (flags & 3, flags >> 3 & 3);
                let more = second.unwrap_or(0);
                let (country, title) = (more & 0x1FF, more >> 9 & 0xF);
                // Players with a FIDE number are after those without one, so the order is total.
                let fide_id = u64::from(self.fide_id.unwrap_or(0));
                kind | sex << 3 | country << 6 | title << 15 | fide_id << 19
            }
            NameKind::Annotator => 0,
        }
    }

    /// Sets the bits that state which values follow.
    #[must_use]
    pub fn with_presence(mut self, kind: NameKind) -> NameDetails {
        let mut set = |bit: u16, is_set: bool| {
            self.flags = self.flags & !bit | if is_set { bit } else { 0 };
        };
        match kind {
            NameKind::Event => set(NameDetails::EVENT_MORE, self.more.is_some()),
            NameKind::Player => {
                set(NameDetails::PLAYER_MORE, self.more.is_some());
                set(NameDetails::PLAYER_FIDE, self.fide_id.is_some());
            }
            _ => {}
        }
        self
    }

    fn write(&self, kind: NameKind, out: &mut Vec<u8>) {
        match kind {
            NameKind::Site => out.extend(self.flags.to_be_bytes()),
            NameKind::Event => {
                put_u24(self.site, out);
                out.extend(self.flags.to_be_bytes());
            }
            NameKind::Player => out.push(self.flags as u8),
            NameKind::Annotator => {}
        }
        out.extend(self.more.into_iter().flat_map(u16::to_be_bytes));
        out.extend(self.fide_id.into_iter().flat_map(u32::to_be_bytes));
    }
}

/// A name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameRecord {
    /// The number by which the index refers to the name.
    pub id: u32,
    /// The number of bytes that are those of the name before; 0 for the first name.
    pub shared: u8,
    /// The name, at most 255 bytes.
    pub name: Vec<u8>,
    /// The data after the name.
    pub details: NameDetails,
}

/// The names of a kind, sorted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameSection {
    /// The kind.
    pub kind: NameKind,
    /// The first eight bytes, of which Scidb reads only the first.
    pub label: [u8; 8],
    /// The number of names; the highest use of a name; the highest use of a name that is not empty;
    /// the next number.
    pub counts: [u32; 4],
    /// The names.
    pub records: Vec<NameRecord>,
}

/// The place where a name file is damaged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameFault {
    /// The damaged part.
    pub what: &'static str,
    /// Its offset in the file.
    pub at: usize,
}

/// The whole file, up to a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameFile {
    /// The header.
    pub header: NameHeader,
    /// The sections, in the order of [`NameKind::ALL`]; the last one may be cut.
    pub sections: Vec<NameSection>,
    /// The bytes after the last whole name.
    pub tail: Vec<u8>,
}

impl NameFile {
    /// Parses a file. After a fault, which is returned too, nothing more can be read.
    ///
    /// # Errors
    ///
    /// Returns an error if the header is missing.
    pub fn parse(file: &[u8]) -> Result<(NameFile, Option<NameFault>)> {
        let mut sections: Vec<NameSection> = Vec::new();
        let NamesRead { header, end, fault } = read_names(file, |part| match part {
            NamePart::Section {
                kind,
                label,
                counts,
                ..
            } => sections.push(NameSection {
                kind,
                label,
                counts,
                records: Vec::new(),
            }),
            NamePart::Name {
                id,
                shared,
                name,
                details,
            } => {
                let record = NameRecord {
                    id,
                    shared,
                    name: name.to_vec(),
                    details,
                };
                if let Some(section) = sections.last_mut() {
                    section.records.push(record);
                }
            }
        })?;
        let parsed = NameFile {
            header,
            sections,
            tail: file.get(end..).unwrap_or_default().to_vec(),
        };
        Ok((parsed, fault))
    }

    /// Returns the bytes that were parsed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = NameHeader::MAGIC.to_vec();
        out.extend(self.header.version.to_be_bytes());
        out.extend(self.header.names.to_be_bytes());
        for section in &self.sections {
            section.write(&mut out);
        }
        out.extend(&self.tail);
        out
    }

    /// Returns the section of a kind; `None` if the file ends before it.
    pub fn section(&self, kind: NameKind) -> Option<&NameSection> {
        self.sections.iter().find(|section| section.kind == kind)
    }
}

impl Default for NameFile {
    fn default() -> NameFile {
        NameFile {
            header: NameHeader {
                version: VERSION,
                names: 0,
            },
            sections: Vec::new(),
            tail: Vec::new(),
        }
    }
}

impl NameSection {
    /// The number of bytes before the first name.
    pub const HEADER: usize = 20;
    /// The offset of the highest uses.
    pub const HIGHEST_AT: u64 = 11;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.label);
        for count in self.counts {
            put_u24(count, out);
        }
        for (n, record) in self.records.iter().enumerate() {
            record.write(self.kind, n == 0, out);
        }
    }
}

/// The places of sites in Scidb's order, by number. Sites that Scidb cannot distinguish have the same
/// place.
#[derive(Clone, Default, Debug)]
pub struct SiteOrder(Vec<(u32, u32)>);

impl SiteOrder {
    /// Returns the places of these sites.
    pub fn new(sites: &[NameRecord]) -> SiteOrder {
        let key = |site: &NameRecord| site.details.order(NameKind::Site);
        let mut sorted: Vec<&NameRecord> = sites.iter().collect();
        sorted.sort_by(|a, b| (&a.name, key(a)).cmp(&(&b.name, key(b))));
        let mut place = 0;
        let mut places = Vec::with_capacity(sorted.len());
        let mut before: Option<&NameRecord> = None;
        for site in sorted {
            let is_same = before.is_some_and(|b| b.name == site.name && key(b) == key(site));
            place += u32::from(!is_same);
            places.push((site.id, place));
            before = Some(site);
        }
        places.sort_unstable();
        SiteOrder(places)
    }

    /// Compares two names of a kind with their details in Scidb's order (section 3.1).
    pub fn compare(
        &self,
        kind: NameKind,
        (a, own): (&[u8], &NameDetails),
        (b, other): (&[u8], &NameDetails),
    ) -> Ordering {
        let site = |details: &NameDetails| match kind {
            NameKind::Event => self.place(details.site),
            _ => 0,
        };
        let by_details = || own.order(kind).cmp(&other.order(kind));
        let by_site = || site(own).cmp(&site(other));
        a.cmp(b).then_with(by_details).then_with(by_site)
    }

    fn place(&self, id: u32) -> u32 {
        let index = self.0.binary_search_by_key(&id, |&(id, _)| id);
        index
            .ok()
            .and_then(|index| self.0.get(index))
            .map_or(0, |&(_, place)| place)
    }
}

impl NameRecord {
    /// Returns the number of bytes in the file.
    pub fn size(&self, kind: NameKind, is_first: bool) -> u64 {
        // Counting what is written keeps both functions in agreement.
        let mut bytes = Vec::new();
        self.write(kind, is_first, &mut bytes);
        bytes.len() as u64
    }

    fn write(&self, kind: NameKind, is_first: bool, out: &mut Vec<u8>) {
        put_u24(self.id, out);
        out.extend((!is_first).then_some(self.shared));
        out.push(self.name.len() as u8);
        let rest = self.name.get(self.shared.into()..);
        out.extend_from_slice(rest.unwrap_or_default());
        self.details.write(kind, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(body in prop::collection::vec(0u8..7, 6..200)) {
            let bytes = [&NameHeader::MAGIC[..], &body].concat();
            let (file, _) = NameFile::parse(&bytes).unwrap();
            prop_assert_eq!(file.to_bytes(), bytes);
        }
    }
}
