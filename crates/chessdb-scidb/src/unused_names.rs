//! Names that no game uses, with the details that the name tables of the model have no field for:
//! extras of the database (docs/formats/scidb.md, section 11). Also their number.

use std::collections::{BTreeSet, HashMap};

use chessdb_core::model::{Extra, NameTable};
use chessdb_core::{BaseInfo, Charset, Text};

use crate::extras::{self, FORMAT, extra};
use crate::header::split_title;
use crate::names::{NameLookup, NewName};
use crate::raw::{Entry, Index, NameDetails, NameFile, NameKind, NameRecord};
use crate::text;

/// A name that no game uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UnusedName {
    pub(crate) kind: NameKind,
    /// The name; of an event without the number of its site.
    pub(crate) name: NewName,
    /// Of an event: its site.
    pub(crate) site: NewName,
}

impl UnusedName {
    /// Returns the name of a record. The writer stores the same bytes.
    fn from_record(kind: NameKind, record: &NameRecord, sites: &HashMap<u32, &NameRecord>) -> Self {
        let site = match kind {
            NameKind::Event => sites.get(&record.details.site).copied(),
            _ => None,
        };
        let mut name = new_name(record);
        name.details.site = 0;
        UnusedName {
            kind,
            name,
            site: site.map(new_name).unwrap_or_default(),
        }
    }

    /// Reads the bytes of an extra. Returns `None` for bytes that this version does not write.
    pub(crate) fn parse(bytes: &[u8]) -> Option<UnusedName> {
        let (number, rest) = bytes.split_first()?;
        let kind = *NameKind::ALL.get(usize::from(*number))?;
        let (name, rest) = NewName::from_key(rest)?;
        let (site, rest) = match kind {
            NameKind::Event => NewName::from_key(rest)?,
            _ => (NewName::default(), rest),
        };
        let parsed = UnusedName { kind, name, site };
        let fits = parsed.name.fits(kind) && parsed.site.fits(NameKind::Site);
        (rest.is_empty() && fits).then_some(parsed)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.kind as u8];
        self.name.append_key(&mut bytes);
        if self.kind == NameKind::Event {
            self.site.append_key(&mut bytes);
        }
        bytes
    }

    /// Returns the names among the extras of a database that are of this kind and in this table: a
    /// database without its tables has no names that no game uses.
    pub(crate) fn from_table(
        kind: NameKind,
        table: &NameTable,
        base: &BaseInfo,
    ) -> Vec<UnusedName> {
        let is_own = |extra: &&Extra| (extra.format, extra.field) == (FORMAT, extras::UNUSED_NAME);
        let own = base.extras.iter().filter(is_own);
        let all = own.filter_map(|extra| UnusedName::parse(&extra.bytes));
        let mut names: Vec<UnusedName> = all.filter(|name| name.kind == kind).collect();
        if names.is_empty() {
            return names;
        }
        let stored = table.records.iter().map(|record| {
            let mut name = Vec::new();
            text::put_name(base.texts.get(record.text), &mut name);
            name
        });
        let texts: BTreeSet<Vec<u8>> = stored.collect();
        names.retain(|name| texts.contains(&name.name.name));
        names
    }
}

/// Returns the name of a record as the writer stores it.
fn new_name(record: &NameRecord) -> NewName {
    let mut name = Vec::new();
    text::put_name(Text::new(&record.name, Charset::UTF_8), &mut name);
    NewName {
        name,
        details: record.details,
    }
}

/// Adds an extra for each name that no game uses if the name tables lack its details.
pub(crate) fn add_extras(file: &NameFile, index: &Index<'_>, base: &mut BaseInfo) {
    let records = |kind| {
        file.section(kind)
            .into_iter()
            .flat_map(|section| &section.records)
    };
    let known_sites: HashMap<u32, &NameRecord> = match records(NameKind::Event).next() {
        Some(_) => records(NameKind::Site)
            .map(|record| (record.id, record))
            .collect(),
        None => HashMap::new(),
    };
    let mut unused = BTreeSet::new();
    for kind in [NameKind::Player, NameKind::Site, NameKind::Event] {
        // Most databases have no details of players, and the index need not be read for them.
        if !records(kind).any(|record| has_details(kind, record, &known_sites)) {
            continue;
        }
        let numbers = records(kind).map(|record| record.id);
        let sites = records(NameKind::Event).map(|event| event.details.site);
        let in_use = Numbers::in_use(kind, numbers, sites, index);
        let mut remaining: Vec<&NameRecord> = records(kind)
            .filter(|record| !in_use.contains(record.id) && has_details(kind, record, &known_sites))
            .collect();
        if kind == NameKind::Player {
            let mut counts: HashMap<&[u8], u32> =
                remaining.iter().map(|record| (&*record.name, 0)).collect();
            for record in records(kind) {
                if let Some(count) = counts.get_mut(&*record.name) {
                    *count += 1;
                }
            }
            // The tables have title and FIDE number, but cannot distinguish players of one name.
            remaining.retain(|record| {
                let is_alone = counts.get(&*record.name) == Some(&1) && !record.name.is_empty();
                !is_alone || has_own_details(&record.details)
            });
        }
        if remaining.is_empty() {
            continue;
        }
        let bytes = |record| UnusedName::from_record(kind, record, &known_sites).to_bytes();
        unused.extend(remaining.into_iter().map(bytes));
        // Nothing is lost with a second name that is the same in all details.
        for record in records(kind).filter(|record| in_use.contains(record.id)) {
            unused.remove(&bytes(record));
        }
    }
    base.extras
        .extend(unused.iter().map(|bytes| extra(extras::UNUSED_NAME, bytes)));
}

/// Returns the number of names that no game uses. A site is used by its events.
pub(crate) fn count(names: &NameLookup, index: &Index<'_>) -> u64 {
    let all = |kind| names.all(kind).iter();
    let unused = NameKind::ALL.map(|kind| {
        let sites = all(NameKind::Event).map(|event| event.details.site);
        let in_use = Numbers::in_use(kind, all(kind).map(|name| name.id), sites, index);
        all(kind).filter(|name| !in_use.contains(name.id)).count() as u64
    });
    unused.iter().sum()
}

/// Returns whether a name has any details.
fn has_details(kind: NameKind, record: &NameRecord, sites: &HashMap<u32, &NameRecord>) -> bool {
    let listed = sites.get(&record.details.site);
    let site = listed.filter(|_| kind == NameKind::Event);
    let has_site = site.is_some_and(|site| !site.name.is_empty() || site.details.flags != 0);
    let NameDetails {
        flags,
        more,
        fide_id,
        ..
    } = record.details;
    flags != 0 || more.is_some() || fide_id.is_some() || has_site
}

/// Returns whether a player has details other than a known title and a FIDE number.
fn has_own_details(details: &NameDetails) -> bool {
    let plain = NameDetails {
        flags: 0,
        site: 0,
        more: details.more.filter(|&more| more != 0),
        fide_id: details.fide_id.filter(|&id| id != 0),
    }
    .with_presence(NameKind::Player);
    let (_, country) = split_title(details.more.unwrap_or(0));
    plain != *details || country != 0
}

/// A set of numbers of names, as bits.
struct Numbers(Vec<u64>);

impl Numbers {
    /// Returns those of the numbers of this kind that the index refers to, and of sites the events.
    fn in_use(
        kind: NameKind,
        numbers: impl Iterator<Item = u32>,
        sites: impl Iterator<Item = u32>,
        index: &Index<'_>,
    ) -> Numbers {
        // The names bound the set; numbers in a damaged index may be anything.
        let words = numbers.max().map_or(0, |highest| highest as usize / 64 + 1);
        let mut in_use = Numbers(vec![0; words]);
        let entries = index.entries.iter().map(Entry::parse);
        match kind {
            NameKind::Player => entries
                .flat_map(|entry| entry.players())
                .for_each(|number| in_use.insert(number)),
            NameKind::Event => entries.for_each(|e| in_use.insert(e.event)),
            NameKind::Annotator => entries.for_each(|e| in_use.insert(e.annotator)),
            NameKind::Site => sites.for_each(|site| in_use.insert(site)),
        }
        in_use
    }

    fn insert(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    fn contains(&self, number: u32) -> bool {
        let word = self.0.get(number as usize / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }
}
