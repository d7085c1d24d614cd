//! Checks on opening whether a file of the database is damaged or older than the others.
//!
//! The files have no checksums: zeros look like empty names, and a truncated table looks like a
//! shorter one. However, the records of a table form a tree that contains every record, and each
//! record counts the games that refer to it.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::sorting::visit_in_order;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Result, Scratch, Severity};

use crate::name_tables::NameTables;
use crate::raw::{Entity, Index, Node, Record, Records, Table, TableHeader};
use crate::roles::{
    CBC_FILE, CBE_FILE, CBH_FILE, CBJ_FILE, CBL_FILE, CBP_FILE, CBS_FILE, CBT_FILE,
};

/// Reports damaged tables of names, and an index that is older than the other files.
///
/// # Errors
///
/// Returns an error for the first finding in strict mode.
pub(crate) fn check_files(
    files: &dyn FileSet,
    index: &Index<'_>,
    names: &NameTables<'_>,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<()> {
    let tables = [
        (CBP_FILE, table_fault(&names.players)),
        (CBT_FILE, table_fault(&names.tournaments)),
        (CBC_FILE, table_fault(&names.annotators)),
        (CBS_FILE, table_fault(&names.sources)),
        (CBE_FILE, table_fault(&names.teams)),
        (CBL_FILE, table_fault(&names.tags)),
    ];
    for (file, table_fault) in tables {
        if let Some((kind, offset)) = table_fault.filter(|_| files.get(file).is_some()) {
            scratch.deviation(options, Severity::Lost, kind, Location::byte(file, offset))?;
        }
    }
    for (file, kind) in outdated_index(files, index) {
        scratch.deviation(options, Severity::Lost, kind, Location::byte(file, 0))?;
    }
    Ok(())
}

/// Returns the fault of a table and its offset, if any.
fn table_fault<E: Entity>(table: &Table<'_, E>) -> Option<(ErrorKind, u64)> {
    let Some(header) = table.header else {
        let kind = ErrorKind::truncated(
            "the header of a name table",
            TableHeader::SIZE as u64,
            table.tail.len() as u64,
        );
        return Some((kind, 0));
    };
    let wrong = |field, value: u32, offset| Some((ErrorKind::bad_field(field, value), offset));
    if header.magic != TableHeader::MAGIC {
        return wrong("the mark of a name table", header.magic, 8);
    }
    if header.data_size as usize != E::SIZE {
        return wrong("the size of the records", header.data_size, 12);
    }
    let count = table.len();
    if header.records as usize != count || !table.tail.is_empty() {
        let kind = ErrorKind::mismatch("the number of names", count as u64, header.records.into());
        return Some((kind, 0));
    }
    let start = TableHeader::SIZE + header.extra as usize;
    let record_offset = |number: usize| (start + number * (Node::SIZE + E::SIZE)) as u64;
    // Every record except the root must be the child of exactly one other.
    let mut has_parent = vec![false; count];
    if let Some(root) = has_parent.get_mut(header.root as usize) {
        *root = true;
    }
    let mut live = vec![true; count];
    for (number, (node, _)) in (0..).map_while(|number| table.get(number)).enumerate() {
        // Deleted records are chained by their right child and are not in the tree (section 9).
        if node.left == Node::DELETED {
            if let Some(place) = live.get_mut(number) {
                *place = false;
            }
            continue;
        }
        for child in [node.left, node.right]
            .into_iter()
            .filter(|child| *child != -1)
        {
            let place = usize::try_from(child)
                .ok()
                .and_then(|child| has_parent.get_mut(child));
            // A second parent, or a child beyond the table, shows that records were overwritten or
            // cut off.
            match place {
                Some(has_parent) if !*has_parent => *has_parent = true,
                _ => {
                    return wrong(
                        "the position of a name in its tree",
                        child as u32,
                        record_offset(number),
                    );
                }
            }
        }
    }
    let orphan = has_parent
        .iter()
        .zip(&live)
        .position(|(has_parent, live)| *live && !*has_parent);
    orphan.and_then(|number| {
        wrong(
            "a name that is not in its tree",
            number as u32,
            record_offset(number),
        )
    })
}

/// Returns the findings that show that other files contain more games than the index.
fn outdated_index(files: &dyn FileSet, index: &Index<'_>) -> Vec<(Role, ErrorKind)> {
    let mut findings = Vec::new();
    let games = index.records.len();
    let extended = files.get(CBJ_FILE).map(Records::parse).unwrap_or_default();
    if extended.count as usize > games {
        let kind =
            ErrorKind::mismatch("the number of records", games as u64, extended.count.into());
        findings.push((CBH_FILE, kind));
    }
    // ChessBase leaves no empty record in an index (section 18), so a gap is damage.
    let is_gap = |record: &&[u8; Record::SIZE]| record[0] & Record::PRESENT == 0;
    let gaps = index.records.iter().filter(is_gap).count() as u64;
    if gaps > 0 {
        findings.push((
            CBH_FILE,
            ErrorKind::bad_field("the number of empty records of the index", gaps),
        ));
    }
    let records = index.records.iter().filter(|record| !is_gap(record));
    // Games and texts have their offset at the same place, so the rest is not parsed.
    let fields = records.filter_map(|record| record.get(1..5)?.first_chunk::<4>());
    let offsets = fields.map(|field| u32::from_be_bytes(*field));
    // Offsets ascend in genuine databases (section 5), so they seldom need to be sorted.
    if !offsets.clone().is_sorted_by(|a, b| a < b) {
        let (mut last, mut shared) = (None, None);
        visit_in_order(offsets, &mut |offset| {
            if last.replace(offset) == Some(offset) {
                shared.get_or_insert(offset);
            }
        });
        if let Some(offset) = shared {
            let kind = ErrorKind::bad_field("the offset of two games", offset);
            findings.push((CBH_FILE, kind));
        }
    }
    findings
}
