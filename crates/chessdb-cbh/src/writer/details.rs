//! The details of tournaments of an existing database that is being changed (docs/formats/cbh.md,
//! section 9.3).

use std::collections::BTreeMap;

use chessdb_core::Result;
use chessdb_core::files::Growing;

use crate::header::NewTournamentDetails;
use crate::raw::{Records, TournamentDetails};
use crate::roles::CBTT_FILE;

/// The records of .cbtt.
#[derive(Debug)]
pub(super) struct TournamentDetailsChanges {
    /// The header; `None` if the database does not have the file.
    header: Option<[u8; Records::HEADER]>,
    /// The size of a record in bytes.
    size: usize,
    /// The number of records in the file.
    stored: u32,
    /// The number of records with the new ones.
    count: u32,
    /// The changed and new records by the number of their tournament.
    changed: BTreeMap<u32, Vec<u8>>,
}

impl TournamentDetailsChanges {
    /// Opens the file. `None` if it does not consist of records that hold the details.
    pub(super) fn open(base: &dyn Growing) -> Result<Option<TournamentDetailsChanges>> {
        let mut details = TournamentDetailsChanges {
            header: None,
            size: NewTournamentDetails::SIZE,
            stored: 0,
            count: 0,
            changed: BTreeMap::new(),
        };
        let Some(length) = base.length(CBTT_FILE) else {
            return Ok(Some(details));
        };
        let mut header = [0; Records::HEADER];
        let Some(bytes) = length.checked_sub(header.len() as u64) else {
            return Ok(None);
        };
        base.read_old(CBTT_FILE, 0, &mut header)?;
        details.size = Records::parse(&header).size as usize;
        // Records of version 2 have no end date.
        let shortest = NewTournamentDetails::SIZE - 4;
        if details.size < shortest || bytes % details.size as u64 != 0 {
            return Ok(None);
        }
        let count = u32::try_from(bytes / details.size as u64).unwrap_or(u32::MAX);
        (details.stored, details.count) = (count, count);
        details.header = Some(header);
        Ok(Some(details))
    }

    /// Returns the record of a tournament; none if it has no details.
    fn record(&self, base: &dyn Growing, number: u32) -> Result<Vec<u8>> {
        if let Some(record) = self.changed.get(&number) {
            return Ok(record.clone());
        }
        let mut record = Vec::new();
        if number < self.stored {
            record.resize(self.size, 0);
            base.read_old(CBTT_FILE, self.offset(number), &mut record)?;
        }
        Ok(record)
    }

    fn offset(&self, number: u32) -> u64 {
        Records::HEADER as u64 + u64::from(number) * self.size as u64
    }

    /// Returns whether a tournament has these details.
    pub(super) fn is_equal(&self, base: &dyn Growing, number: u32, details: &[u8]) -> Result<bool> {
        let stored = self.record(base, number)?;
        let fields = |bytes| {
            let details = TournamentDetails(bytes);
            let coordinates = details.coordinates().map(f64::to_bits);
            (coordinates, details.tie_breaks(), details.end())
        };
        Ok(fields(&stored) == fields(details))
    }

    /// Sets the details of a new tournament. Returns false if the records of the file cannot hold
    /// them.
    pub(super) fn set(&mut self, base: &dyn Growing, number: u32, details: &[u8]) -> Result<bool> {
        // Tournaments after the last record have no details.
        if self.is_equal(base, number, details)? {
            return Ok(true);
        }
        let mut none = Vec::new();
        NewTournamentDetails::NONE.write(&mut none);
        none.resize(self.size, 0);
        let mut record = if details.is_empty() { none.clone() } else { details.to_vec() };
        record.resize(self.size, 0);
        while self.count < number {
            self.changed.insert(self.count, none.clone());
            self.count += 1;
        }
        self.count = self.count.max(number.saturating_add(1));
        self.changed.insert(number, record);
        self.is_equal(base, number, details)
    }

    /// Writes the changes.
    pub(super) fn finish(self, base: &mut dyn Growing) -> Result<()> {
        if self.changed.is_empty() {
            return Ok(());
        }
        // The header has the number of the last record.
        let last = self.count.saturating_sub(1);
        let file = if self.header.is_some() {
            let file = base.grow(CBTT_FILE)?;
            base.patch(file, 8, &last.to_le_bytes())?;
            file
        } else {
            let file = base.create(CBTT_FILE)?;
            let version = NewTournamentDetails::VERSION;
            let header = Records::new(version, self.size as u32, last);
            base.write(file, &header.to_bytes())?;
            file
        };
        for (number, record) in self.changed.range(..self.stored) {
            base.patch(file, self.offset(*number), record)?;
        }
        let new = self.changed.range(self.stored..);
        let new: Vec<u8> = new.flat_map(|(_, record)| record).copied().collect();
        base.write(file, &new)
    }
}
