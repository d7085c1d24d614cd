//! Opening a database.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

use chessdb_core::error::Location;
use chessdb_core::store::Opened;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Result, Scratch, Severity};

use super::Store;
use crate::guesses::Guesses;
use crate::info::{self, DatabaseInfo};
use crate::raw::{addresses, resolve};
use crate::roles::{A02_FILE, D00_FILE, D02_FILE};
use crate::salvage;
use crate::sample::Sample;

impl<'a> Store<'a> {
    /// Opens the database in these files. Errors in single games are reported when the games are
    /// read.
    ///
    /// # Errors
    ///
    /// Returns an error if d00, a02 or d02 is missing. In strict mode, also if the description or
    /// the name lists are missing, or if the files other than the records contradict the format
    /// page.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        Store::open_with(files, options, Guesses::PAGE)
    }

    /// Opens a database like [`Store::open`], with other choices for what the published description
    /// leaves open.
    ///
    /// # Errors
    ///
    /// See [`Store::open`].
    pub fn open_with(
        files: &'a dyn FileSet,
        options: ReadOptions,
        guesses: Guesses,
    ) -> Result<Store<'a>> {
        let mut scratch = Scratch::new();
        let mut required = |role| match files.require(role) {
            Err(missing) if options.salvage => {
                // The other files may still lead to games.
                let (kind, location) = missing.at(Location::file(role)).into_parts();
                scratch.deviation(&options, Severity::Lost, kind, location)?;
                Ok(&[][..])
            }
            file => file,
        };
        let d00 = required(D00_FILE)?;
        let a02 = required(A02_FILE)?;
        let games = required(D02_FILE)?;
        let (raw_headers, raw_header_tail) = d00.as_chunks();
        let mut raw_headers = Cow::Borrowed(raw_headers);
        if options.salvage && !raw_header_tail.is_empty() {
            raw_headers = Cow::Owned(salvage::aligned_headers(d00));
        }
        let (table, address_tail) = addresses(a02);
        for (role, whole, tail) in [
            (D00_FILE, d00, raw_header_tail),
            (A02_FILE, a02, address_tail),
        ] {
            if !tail.is_empty() {
                let excess = tail.len() as u64;
                let what = "bytes after the last complete record";
                let kind = ErrorKind::mismatch(what, excess, 0);
                let location = Location::byte(role, whole.len() as u64 - excess);
                scratch.deviation(&options, Severity::Note, kind, location)?;
            }
        }
        let addresses = resolve(&table);
        let sample = Sample {
            raw_headers: &raw_headers,
            addresses: &addresses,
            games,
            guesses: &guesses,
        };
        let DatabaseInfo {
            base,
            lookup,
            detector,
            mark,
            is_own,
            unused_bytes,
        } = info::open(files, &sample, &options, &mut scratch)?;
        let salvage = options.salvage;
        // Adjacent equal aliases are one value written over many entries.
        let again = |n: usize, number: &i32| table.get(n).is_some_and(|other| other == number);
        let aliases = (0u32..).zip(&table).filter(|(n, number)| {
            let n = *n as usize;
            let alone = || !again(n + 1, number) && !again(n.wrapping_sub(1), number);
            salvage && **number < 0 && alone()
        });
        let mut store = Store {
            raw_headers,
            addresses,
            table: a02,
            record_faults: OnceLock::new(),
            compared: AtomicU32::new(0),
            aliases: aliases.map(|(n, _)| n).collect(),
            games,
            lookup,
            opened: Opened::new(base, scratch.diagnostics),
            options,
            guesses,
            detector,
            mark,
            is_own,
            unused_name_bytes: unused_bytes,
            recovered: None,
        };
        if salvage {
            store.recover();
        }
        Ok(store)
    }
}
