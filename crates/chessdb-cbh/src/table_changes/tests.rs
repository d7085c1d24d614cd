use std::cmp::Ordering;

use chessdb_core::MemorySet;
use chessdb_testkit::rng::Rng;

use super::*;
use crate::raw::{Entity, Table};
use crate::table_writers::TableWriters;

/// Returns an annotator with this name, without the references.
fn annotator(name: &str) -> Vec<u8> {
    let mut data = vec![0; 45];
    data[..name.len()].copy_from_slice(name.as_bytes());
    data
}

/// Checks the order, the balance and the reachability of a tree, and returns its number of levels.
pub(crate) fn check_tree(kind: &TableKind, bytes: &[u8]) -> Result<usize, String> {
    let header = TableHeader::parse(bytes.first_chunk().unwrap());
    let (records, rest) =
        bytes[28 + header.extra as usize..].split_at(header.records as usize * kind.stride());
    assert!(rest.is_empty());
    let records: Vec<&[u8]> = records.chunks(kind.stride()).collect();
    let is_live = |record: &&&[u8]| Node::from_slice(record).left != Node::DELETED;
    let mut in_order = Vec::new();
    let height = check_subtree(kind, &records, header.root as i32, &mut in_order)?;
    if in_order.len() != records.iter().filter(is_live).count() {
        return Err(format!("{} of {} records", in_order.len(), records.len()));
    }
    let is_sorted = |a: &Vec<u8>, b: &Vec<u8>| (kind.compare)(a, b) != Ordering::Greater;
    if in_order.is_sorted_by(is_sorted) {
        Ok(height)
    } else {
        Err("not sorted".to_owned())
    }
}

/// The tree is balanced, so the recursion is shallow.
fn check_subtree(
    kind: &TableKind,
    records: &[&[u8]],
    number: i32,
    in_order: &mut Vec<Vec<u8>>,
) -> Result<usize, String> {
    let Some(record) = usize::try_from(number).ok().and_then(|n| records.get(n)) else {
        return Ok(0);
    };
    let node = Node::from_slice(record);
    let left = check_subtree(kind, records, node.left, in_order)?;
    in_order.push(kind.normalized(record));
    let right = check_subtree(kind, records, node.right, in_order)?;
    if right as i64 - left as i64 != i64::from(node.balance as i8) || left.abs_diff(right) > 1 {
        return Err(format!(
            "balance {} of {number}: {left}, {right}",
            node.balance as i8
        ));
    }
    Ok(1 + left.max(right))
}

fn open(base: &MemorySet) -> TableChanges {
    TableChanges::open(&TABLE_KINDS[2], base).unwrap().unwrap()
}

/// Returns the number of a name, which is added if necessary, and counts a reference.
fn number(table: &mut TableChanges, base: &MemorySet, name: &[u8], game: u32) -> u32 {
    let known = table.find(base, name, &mut |_| Ok(true)).unwrap();
    let number = match known {
        Some(number) => number,
        None => table.add(base, name).unwrap().unwrap(),
    };
    table.refer(base, number, game).unwrap();
    number
}

fn random_name(rng: &mut Rng) -> Vec<u8> {
    // Bytes from 0x80 sort before ASCII in this table.
    const LETTERS: [char; 6] = ['a', 'b', 'c', 'Z', '\u{e9}', '\u{7ff}'];
    let length = rng.below(8);
    annotator(&(0..length).map(|_| rng.pick(&LETTERS)).collect::<String>())
}

#[test]
fn inserted_names_keep_the_tree_exact() {
    for seed in 0..4 {
        let mut rng = Rng::new(1987 + seed);
        let mut base = MemorySet::new();
        let mut known: Vec<Vec<u8>> = Vec::new();
        for _ in 0..2000 {
            let name = match seed {
                // Ascending and descending names need the most rotations of one kind.
                0 => annotator(&format!("{:05}", known.len())),
                1 => annotator(&format!("{:05}", 9999 - known.len())),
                _ => random_name(&mut rng),
            };
            let mut table = open(&base);
            let place = number(&mut table, &base, &name, 7) as usize;
            table.finish(&mut base).unwrap();
            base = base
                .iter()
                .map(|(role, bytes)| (role, bytes.to_vec()))
                .collect();
            match known.iter().position(|other| *other == name) {
                Some(old) => assert_eq!(place, old),
                None => {
                    assert_eq!(place, known.len());
                    known.push(name);
                }
            }
        }
        let bytes = base.iter().next().unwrap().1;
        let height = check_tree(&TABLE_KINDS[2], bytes).unwrap();
        let least = usize::BITS - known.len().leading_zeros();
        assert!(height as f64 <= f64::from(least) * 1.45, "{height} {least}");
        let table = Table::<Annotator>::parse(bytes);
        let references = (0..table.len() as u32).map(|n| table.get(n).unwrap().1.references);
        assert_eq!(references.sum::<u32>(), 2000);
    }
}

#[test]
fn a_table_of_the_writer_grows() {
    let mut rng = Rng::new(1987);
    let mut tables = TableWriters::new();
    let names = crate::header::NameRecords {
        players: [vec![0; 50], vec![0; 50]],
        tournament: vec![0; 82],
        source: vec![0; 51],
        ..Default::default()
    };
    for game in 1..=500 {
        let annotator = random_name(&mut rng);
        tables.refer(
            &crate::header::NameRecords {
                annotator,
                ..names.clone()
            },
            game,
        );
    }
    let mut base = MemorySet::new();
    base.insert(CBC_FILE, tables.tables[2].to_bytes());
    check_tree(&TABLE_KINDS[2], base.iter().next().unwrap().1).unwrap();
    let mut table = open(&base);
    for game in 501..=2500 {
        let name = random_name(&mut rng);
        number(&mut table, &base, &name, game);
    }
    table.finish(&mut base).unwrap();
    check_tree(&TABLE_KINDS[2], base.iter().next().unwrap().1).unwrap();
}

#[test]
fn references_and_first_games_follow_changes() {
    let mut base = MemorySet::new();
    let mut table = open(&base);
    let (a, b) = (annotator("a"), annotator("b"));
    assert_eq!(number(&mut table, &base, &a, 5), 0);
    assert_eq!(number(&mut table, &base, &a, 3), 0);
    assert_eq!(number(&mut table, &base, &b, 4), 1);
    table.release(&base, 1, 4).unwrap();
    table.release(&base, 0, 3).unwrap();
    assert_eq!(table.first_game(&base, 1).unwrap(), None);
    assert_eq!(table.without_first, BTreeSet::from([0, 1]));
    table.set_first_game(&base, 0, 5).unwrap();
    // Numbers beyond the table belong to no name.
    table.refer(&base, 9, 3).unwrap();
    table.release(&base, 9, 3).unwrap();
    table.finish(&mut base).unwrap();
    let bytes = base.iter().next().unwrap().1;
    let table = Table::<Annotator>::parse(bytes);
    let fields = [0, 1].map(|n| {
        let (_, annotator) = table.get(n).unwrap();
        (annotator.references, annotator.first_game)
    });
    assert_eq!(fields, [(1, 5), (0, 0)]);
}

#[test]
fn a_damaged_tree_is_built_again() {
    let mut rng = Rng::new(1987);
    let mut base = MemorySet::new();
    let mut table = open(&base);
    for game in 1..=40 {
        let name = random_name(&mut rng);
        number(&mut table, &base, &name, game);
    }
    table.finish(&mut base).unwrap();
    let sound = base.iter().next().unwrap().1.to_vec();
    for damage in 0..300 {
        let mut bytes = sound.clone();
        // A child, the root, or a deleted record.
        let record = 32 + rng.below(20) * (9 + 53);
        let (place, value) = match damage % 4 {
            0 => (4, rng.below(60) as i32),
            1 => (record, -999),
            2 => (record, rng.below(60) as i32),
            _ => (record + 4, rng.below(60) as i32),
        };
        bytes[place..place + 4].copy_from_slice(&value.to_le_bytes());
        let mut damaged = MemorySet::new();
        damaged.insert(CBC_FILE, bytes);
        let mut table = open(&damaged);
        for game in 1..=20 {
            number(&mut table, &damaged, &random_name(&mut rng), game);
        }
        table.finish(&mut damaged).unwrap();
    }
}

#[test]
fn leftovers_after_strings_do_not_hide_a_name() {
    let mut base = MemorySet::new();
    let mut table = open(&base);
    number(&mut table, &base, &annotator("Tal"), 1);
    table.finish(&mut base).unwrap();
    let mut bytes = base.iter().next().unwrap().1.to_vec();
    let end = bytes.len();
    bytes[end - 53 + 4..end - 8].fill(0xCD);
    let mut base = MemorySet::new();
    base.insert(CBC_FILE, bytes);
    let mut table = open(&base);
    assert_eq!(number(&mut table, &base, &annotator("Tal"), 2), 0);
    assert_eq!(number(&mut table, &base, &annotator("Tale"), 2), 1);
}
