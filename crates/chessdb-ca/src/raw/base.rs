//! All files of a database together.

use chessdb_core::files::Role;
use chessdb_core::{FileSet, Result};

use super::address::{Address, addresses, addresses_to_bytes, resolve};
use super::cdp::Cdp;
use super::emb::Emb;
use super::raw_header::RawHeader;
use super::record::GameRecord;
use super::scattered::ScatteredRecords;
use crate::roles::{A02_FILE, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE, SIDE_FILES};

/// The bytes of a database as structs, without interpretation and without omissions.
#[derive(Clone, Debug)]
pub struct Base<'a> {
    /// The description, if there is one.
    pub cdp: Option<Cdp>,
    /// The names, if there are any.
    pub emb: Option<Emb<'a>>,
    /// The headers of the games.
    pub raw_headers: Vec<RawHeader>,
    /// The bytes after the last whole header.
    pub raw_header_tail: &'a [u8],
    /// The table of addresses.
    pub addresses: Vec<i32>,
    /// The bytes after the last whole address.
    pub address_tail: &'a [u8],
    /// The records of the games.
    pub games: ScatteredRecords<'a, GameRecord<'a>>,
    /// The undocumented files.
    pub side_files: Vec<(Role, &'a [u8])>,
}

impl<'a> Base<'a> {
    /// Reads a database.
    ///
    /// # Errors
    ///
    /// Returns an error if d00, a02 or d02 is missing, or if a description or a volume is shorter
    /// than its header.
    pub fn parse(files: &'a dyn FileSet) -> Result<Base<'a>> {
        let (rows, raw_header_tail) = files.require(D00_FILE)?.as_chunks();
        let (table, address_tail) = addresses(files.require(A02_FILE)?);
        let offsets = resolve(&table)
            .into_iter()
            .filter_map(|address| address.offset());
        let games = ScatteredRecords::parse(files.require(D02_FILE)?, offsets);
        let side_files = SIDE_FILES
            .iter()
            .filter_map(|&role| Some((role, files.get(role)?)));
        Ok(Base {
            cdp: files.get(CDP_FILE).map(Cdp::parse).transpose()?,
            emb: files.get(EMB_FILE).map(Emb::parse).transpose()?,
            raw_headers: rows.iter().map(RawHeader::parse).collect(),
            raw_header_tail,
            addresses: table,
            address_tail,
            games,
            side_files: side_files.collect(),
        })
    }

    /// Returns the bytes of all files.
    pub fn to_bytes(&self) -> Vec<(Role, Vec<u8>)> {
        let mut files = Vec::new();
        files.extend(self.cdp.as_ref().map(|cdp| (CDP_FILE, cdp.to_bytes())));
        files.extend(self.emb.as_ref().map(|emb| (EMB_FILE, emb.to_bytes())));
        let mut raw_headers: Vec<u8> = self
            .raw_headers
            .iter()
            .flat_map(RawHeader::to_bytes)
            .collect();
        raw_headers.extend_from_slice(self.raw_header_tail);
        let mut table = addresses_to_bytes(&self.addresses);
        table.extend_from_slice(self.address_tail);
        files.extend([
            (D00_FILE, raw_headers),
            (A02_FILE, table),
            (D02_FILE, self.games.to_bytes()),
        ]);
        files.extend(
            self.side_files
                .iter()
                .map(|&(role, bytes)| (role, bytes.to_vec())),
        );
        files
    }
}

/// Returns the offsets of all records reachable from a header, each once, in ascending order.
pub(crate) fn record_offsets(files: &dyn FileSet) -> Vec<u32> {
    let table = addresses(files.get(A02_FILE).unwrap_or_default()).0;
    let resolved = resolve(&table);
    let raw_headers = files.get(D00_FILE).unwrap_or_default().as_chunks().0;
    let mut offsets: Vec<u32> = raw_headers
        .iter()
        .filter_map(|bytes| {
            let raw_header = RawHeader::parse(bytes);
            resolved
                .get(raw_header.game as usize)
                .copied()
                .and_then(Address::offset)
        })
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}
