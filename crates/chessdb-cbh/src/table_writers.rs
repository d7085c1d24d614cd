//! The tables of names of a database under construction (docs/formats/cbh.md, section 9).

use std::cmp::Ordering;

use chessdb_core::format::Interner;

use crate::header::{NameRecords, NewTournamentDetails};
use crate::raw::{Entity as _, Node, TableHeader, Tournament};
use crate::table_changes::{TABLE_KINDS, TableKind};

/// The maximum number of records of a table: their numbers have three bytes.
pub(crate) const MAX_NAMES: u32 = 0x00FF_FFFF;

/// The size of a tournament's data in bytes, without the references. Its details come after that.
pub(crate) const TOURNAMENT_DATA: usize = Tournament::SIZE - 8;

/// The sort order of the records' data.
pub(crate) type Compare = fn(&[u8], &[u8]) -> Ordering;

/// A table under construction.
#[derive(Debug)]
pub(crate) struct TableWriter {
    kind: &'static TableKind,
    /// The data of the records, without the two reference fields.
    records: Interner,
    /// The number of references to each record, and the first game that refers to it.
    games: Vec<(u32, u32)>,
}

impl TableWriter {
    fn new(kind: &'static TableKind) -> TableWriter {
        TableWriter {
            kind,
            records: Interner::default(),
            games: Vec::new(),
        }
    }

    /// Returns true if a name has a number or can get one after `new` other new names. The last
    /// number is reserved for the empty name, which replaces names that do not fit.
    fn fits(&self, name: &[u8], new: usize) -> bool {
        let used = self.records.len() + new;
        used + 1 < MAX_NAMES as usize || self.records.find(name).is_some()
    }

    /// Returns the number of a name and counts a reference from `game`.
    fn refer(&mut self, name: &[u8], game: u32) -> u32 {
        let id = self.records.number(name);
        match self.games.get_mut(id as usize) {
            Some((references, _)) => *references = references.saturating_add(1),
            None => self.games.push((1, game)),
        }
        id
    }

    /// Returns the bytes of the file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut sorted: Vec<(&[u8], u32)> = self.records.names().zip(0..).collect();
        // Records that the order does not distinguish are sorted by number: the same games always
        // give the same bytes.
        sorted.sort_unstable_by(|(a, x), (b, y)| (self.kind.compare)(a, b).then(x.cmp(y)));
        let ids: Vec<u32> = sorted.into_iter().map(|(_, id)| id).collect();
        let (nodes, root) = tree(&ids);
        let count = self.records.len() as u32;
        let header = TableHeader {
            records: count,
            root,
            magic: TableHeader::MAGIC,
            data_size: self.kind.size as u32,
            first_deleted: u32::MAX,
            live: count,
            extra: 4,
        };
        let mut out = header.to_bytes().to_vec();
        out.reserve(4 + self.records.len() * self.kind.stride());
        // Headers since ChessBase 9 are four bytes longer (section 9).
        out.extend_from_slice(&[0; 4]);
        for ((node, name), (references, first)) in
            nodes.iter().zip(self.records.names()).zip(&self.games)
        {
            node.write(&mut out);
            // The details of a tournament are stored in another file.
            let data = name.get(..self.kind.size - 8).unwrap_or(name);
            out.extend_from_slice(data);
            out.extend_from_slice(&references.to_le_bytes());
            out.extend_from_slice(&first.to_le_bytes());
        }
        out
    }
}

/// Builds a balanced tree from the numbers in sort order. Returns the node of each number, and the
/// root.
pub(crate) fn tree(sorted: &[u32]) -> (Vec<Node>, u32) {
    /// Returns the number of levels of a tree with this many nodes.
    const fn height(nodes: usize) -> u8 {
        (usize::BITS - nodes.leading_zeros()) as u8
    }
    let middle = |part: &[u32]| part.get(part.len() / 2).copied();
    let mut nodes = vec![
        Node {
            left: -1,
            right: -1,
            balance: 0,
        };
        sorted.len()
    ];
    let mut parts = vec![sorted];
    while let Some(part) = parts.pop() {
        let Some((left, [id, right @ ..])) = part.split_at_checked(part.len() / 2) else {
            continue;
        };
        let child = |part| middle(part).map_or(-1, |id| id as i32);
        if let Some(node) = nodes.get_mut(*id as usize) {
            *node = Node {
                left: child(left),
                right: child(right),
                // The difference may be negative; the field is a signed byte.
                balance: height(right.len()).wrapping_sub(height(left.len())),
            };
        }
        parts.extend([left, right].into_iter().filter(|part| !part.is_empty()));
    }
    (nodes, middle(sorted).unwrap_or(0))
}

/// The table with the tournaments.
pub(crate) const TOURNAMENTS: usize = 1;

/// The table of each of a game's names, by its place in [`TABLE_KINDS`]: White, Black, tournament,
/// annotator, source, teams, game tag.
pub(crate) const NAME_TABLES: [usize; 8] = [0, 0, TOURNAMENTS, 2, 3, 4, 4, 5];

/// The numbers of a game's names, in the order of [`NAME_TABLES`]; `None` for none.
pub(crate) type NameNumbers = [Option<u32>; 8];

/// Returns the names of a game in the order of [`NAME_TABLES`].
pub(crate) fn names_of(names: &NameRecords) -> [&[u8]; 8] {
    let [white, black] = &names.players;
    let [white_team, black_team] = &names.teams;
    [
        white,
        black,
        &names.tournament,
        &names.annotator,
        &names.source,
        white_team,
        black_team,
        &names.tag,
    ]
}

/// The tables of a database, in the order of [`TABLE_KINDS`].
#[derive(Debug)]
pub(crate) struct TableWriters {
    pub(crate) tables: [TableWriter; TABLE_KINDS.len()],
}

impl TableWriters {
    pub(crate) fn new() -> TableWriters {
        TableWriters {
            tables: TABLE_KINDS.each_ref().map(TableWriter::new),
        }
    }

    /// Clears the names that do not fit and returns their number.
    pub(crate) fn leave_out(&self, wanted: &mut NameRecords) -> u32 {
        let NameRecords {
            players: [white, black],
            tournament,
            annotator,
            source,
            teams: [white_team, black_team],
            tag,
        } = wanted;
        let names = [
            white, black, tournament, annotator, source, white_team, black_team, tag,
        ];
        let mut lost = 0;
        for (slot, (table, name)) in NAME_TABLES.into_iter().zip(names).enumerate() {
            // Black comes after White, who may be new too.
            let new = usize::from(matches!(slot, 1 | 6));
            let fits = self
                .tables
                .get(table)
                .is_none_or(|table| table.fits(name, new));
            if fits || name.iter().all(|byte| *byte == 0) {
                continue;
            }
            // A game need not have teams and a tag.
            if slot < 5 {
                name.fill(0);
            } else {
                name.clear();
            }
            lost += 1;
        }
        lost
    }

    /// Returns the numbers of a game's names and counts the references.
    pub(crate) fn refer(&mut self, wanted: &NameRecords, game: u32) -> NameNumbers {
        let mut numbers = [None; NAME_TABLES.len()];
        let names = NAME_TABLES.into_iter().zip(names_of(wanted));
        for ((table, name), number) in names.zip(&mut numbers) {
            let table = self.tables.get_mut(table).filter(|_| !name.is_empty());
            *number = table.map(|table| table.refer(name, game));
        }
        numbers
    }

    /// Returns the records of .cbtt up to the last one with content (section 9.3), and their
    /// number.
    pub(crate) fn details(&self) -> (Vec<u8>, u32) {
        let details = |name: &[u8]| name.len() > TOURNAMENT_DATA;
        let [_, tournaments, ..] = &self.tables;
        let mut records = tournaments.records.names();
        let count = records.rposition(details).map_or(0, |last| last + 1);
        let mut out = Vec::new();
        for name in tournaments.records.names().take(count) {
            match name.get(TOURNAMENT_DATA..) {
                Some(details @ [_, ..]) => out.extend_from_slice(details),
                _ => NewTournamentDetails::NONE.write(&mut out),
            }
        }
        (out, count as u32)
    }
}

/// Returns a field of a record. Fields beyond the end are empty.
fn field(name: &[u8], offset: usize, length: usize) -> &[u8] {
    name.get(offset..offset + length).unwrap_or_default()
}

fn number(name: &[u8], offset: usize) -> u32 {
    crate::raw::bytes::le32(name, offset)
}

/// Compares strings with their bytes as signed numbers.
pub(crate) fn signed(a: &[u8], b: &[u8]) -> Ordering {
    let bytes = |name| <[u8]>::iter(name).map(|byte| *byte as i8);
    bytes(a).cmp(bytes(b))
}

pub(crate) fn by_players(a: &[u8], b: &[u8]) -> Ordering {
    a.cmp(b)
}

pub(crate) fn by_tags(a: &[u8], b: &[u8]) -> Ordering {
    a.cmp(b)
}

pub(crate) fn by_tournaments(a: &[u8], b: &[u8]) -> Ordering {
    let year = |name| number(name, 70) >> 9;
    let day = |name| number(name, 70) & 0x1FF;
    let strings = |offset, length| signed(field(a, offset, length), field(b, offset, length));
    // Section 9: the latest year first, then title and place, then the latest day.
    year(b)
        .cmp(&year(a))
        .then_with(|| strings(0, 40))
        .then_with(|| strings(40, 30))
        .then_with(|| day(b).cmp(&day(a)))
}

pub(crate) fn by_teams(a: &[u8], b: &[u8]) -> Ordering {
    // `false` sorts first: a season over two years comes before a calendar year.
    let key = |name| {
        let [season, nation] = [49, 54].map(|offset| field(name, offset, 1).first().copied());
        (
            number(name, 45),
            season.map(|season| season & 1 == 0),
            number(name, 50),
            nation,
        )
    };
    field(a, 0, 45)
        .cmp(field(b, 0, 45))
        .then_with(|| key(a).cmp(&key(b)))
}
