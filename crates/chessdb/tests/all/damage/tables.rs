//! Small databases of jose's MyISAM tables: cut from external ones, and made from other databases.

#[path = "../../../../chessdb-bytecode/tests/all/common/tables.rs"]
mod writer;

use std::io::Write;

use chessdb::bytecode::raw::Naming;
use chessdb::bytecode::raw::myisam::{ARCHIVE, LIVE, TableFiles};
use chessdb::bytecode::{Width, Writer};
use chessdb::core::files::Role;
use chessdb::core::{Game, GameWrite, MemorySet};
use chessdb::{Format, bytecode};
use chessdb_testkit::fixtures;

/// The folder with the tables of a jose archive; the games table is cut to its first rows.
const FOLDER: &str = "fixtures-real/bytecode/jose-10k-tables";
/// Bytes of the games table that are used.
const GAMES: usize = 1800;

/// Returns a database in each form that this format has; empty if the external tables are not
/// available.
pub(crate) fn sets(format: &str) -> std::vec::IntoIter<MemorySet> {
    let sets = match format {
        "jose-io" => genuine().into_iter().collect(),
        "jose-archive" => genuine().map(|set| archives(&set)).unwrap_or_default(),
        _ => Vec::new(),
    };
    sets.into_iter()
}

/// Makes tables of these games with our test writer; `None` for other formats.
pub(crate) fn made(format: &Format, games: &[Game]) -> Option<MemorySet> {
    let (naming, tables) = match format.id {
        "jose-myisam" => (Naming::jose(), LIVE),
        "jose-io" => (Naming::archive(), ARCHIVE),
        _ => return None,
    };
    let mut made = writer::Tables::new(&naming);
    let sink = Box::new(&mut made);
    let mut writer = Box::new(Writer::create(sink, Width::Jose, super::leaving_out()).unwrap());
    super::write(games, &mut *writer);
    writer.finish().unwrap();
    Some(made.files(tables).set)
}

fn genuine() -> Option<MemorySet> {
    let folder = fixtures::testdata(FOLDER)?;
    let mut set = MemorySet::new();
    for TableFiles {
        rows, description, ..
    } in ARCHIVE
    {
        let file = |name: &str| folder.join(name);
        let first = file(&rows.0.replace(".MYD", ".first300.MYD"));
        for (role, path) in [
            (*rows, first),
            (*rows, file(rows.0)),
            (*description, file(description.0)),
        ] {
            if !path.is_file() || set.iter().any(|(known, _)| known == role) {
                continue;
            }
            let mut bytes = fixtures::read(path);
            if role == *rows && rows.0.starts_with("IO_Game") {
                bytes.truncate(first_rows(&bytes));
            }
            set.insert(role, bytes);
        }
    }
    Some(set)
}

/// Returns the end of the last whole row used: jose's archives contain whole rows.
fn first_rows(table: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let length = usize::from(u16::from_be_bytes([table[end + 1], table[end + 2]]));
        let next = match table[end] {
            1 => end + 3 + length,
            3 => end + 4 + length + usize::from(table[end + 3]),
            other => panic!("a block of type {other}"),
        };
        if next > GAMES {
            return end;
        }
        end = next;
    }
}

/// Returns the tables in a tar archive, and in a compressed one.
fn archives(tables: &MemorySet) -> Vec<MemorySet> {
    let tar = tar(tables);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&tar).unwrap();
    let set = |bytes: Vec<u8>| {
        let mut set = MemorySet::new();
        set.insert(Role("jose"), bytes);
        set
    };
    vec![set(packer.finish().unwrap()), set(tar)]
}

fn tar(tables: &MemorySet) -> Vec<u8> {
    const BLOCK: usize = 512;
    let mut archive = Vec::new();
    for (role, content) in tables.iter() {
        let mut header = vec![0u8; BLOCK];
        header[..role.0.len()].copy_from_slice(role.0.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = b'0';
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend(header);
        archive.extend(content);
        archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    }
    archive.resize(archive.len() + 2 * BLOCK, 0);
    archive
}
