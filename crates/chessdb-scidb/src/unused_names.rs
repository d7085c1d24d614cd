//! Names that no game uses, with the details that the name tables of the model have no field for:
//! extras of the database (docs/formats/scidb.md, section 11). Also their number.

use std::collections::{BTreeSet, HashMap};

use chessdb_core::BaseInfo;
use chessdb_core::model::{Extra, NameTable};

use crate::extras::{self, FORMAT, extra};
use crate::header::split_title;
use crate::names::{KnownName, NameLookup, NewName};
use crate::raw::{Entry, Index, NameDetails, NameKind};
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
    /// Returns a name of the database, as the writer stores it.
    fn from_known(kind: NameKind, known: &KnownName, names: &NameLookup, base: &BaseInfo) -> Self {
        let new_name = |known: &KnownName| {
            let mut name = Vec::new();
            text::put_name(base.texts.get(known.text), &mut name);
            let details = known.details;
            NewName { name, details }
        };
        let site = match kind {
            NameKind::Event => names.get(NameKind::Site, known.details.site),
            _ => None,
        };
        let mut name = new_name(known);
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

/// Returns an extra for each name that no game uses if the name tables lack its details.
pub(crate) fn extras(names: &NameLookup, index: &Index<'_>, base: &BaseInfo) -> Vec<Extra> {
    let mut unused = BTreeSet::new();
    for kind in [NameKind::Player, NameKind::Site, NameKind::Event] {
        let all = names.all(kind);
        let is_detailed = |name: &&KnownName| has_details(kind, name, names, base);
        // Most databases have no details of players, and the index need not be read for them.
        if !all.iter().any(|name| is_detailed(&name)) {
            continue;
        }
        let events = names.all(NameKind::Event).iter();
        let sites = events.map(|event| event.details.site);
        let in_use = Numbers::in_use(kind, all.iter().map(|name| name.id), sites, index);
        let mut remaining: Vec<&KnownName> = all
            .iter()
            .filter(|name| !in_use.contains(name.id))
            .filter(is_detailed)
            .collect();
        if kind == NameKind::Player {
            let text = |name: &KnownName| base.texts.get(name.text).as_bytes();
            let mut counts: HashMap<&[u8], u32> =
                remaining.iter().map(|name| (text(name), 0)).collect();
            for name in all {
                if let Some(count) = counts.get_mut(text(name)) {
                    *count += 1;
                }
            }
            // The tables have title and FIDE number, but cannot distinguish players of one name.
            remaining.retain(|name| {
                let is_alone = counts.get(text(name)) == Some(&1) && !text(name).is_empty();
                !is_alone || has_own_details(&name.details)
            });
        }
        if remaining.is_empty() {
            continue;
        }
        let bytes = |name| UnusedName::from_known(kind, name, names, base).to_bytes();
        unused.extend(remaining.into_iter().map(bytes));
        // Nothing is lost with a second name that is the same in all details.
        for name in all.iter().filter(|name| in_use.contains(name.id)) {
            unused.remove(&bytes(name));
        }
    }
    let unused = unused.iter();
    unused
        .map(|bytes| extra(extras::UNUSED_NAME, bytes))
        .collect()
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
fn has_details(kind: NameKind, name: &KnownName, names: &NameLookup, base: &BaseInfo) -> bool {
    let NameDetails {
        flags,
        more,
        fide_id,
        site,
    } = name.details;
    let has_site = || {
        let site = names.get(NameKind::Site, site);
        site.is_some_and(|site| site.details.flags != 0 || !base.texts.get(site.text).is_empty())
    };
    flags != 0 || more.is_some() || fide_id.is_some() || kind == NameKind::Event && has_site()
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
