//! The state of an existing database that is changed or appended to.

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::{Charset, ErrorKind, Result};

use super::MAX_ADDRESS;
use crate::guesses::Guesses;
use crate::info::TextEvidence;
use crate::names::NameListsBuilder;
use crate::raw::{
    Address, Cdp, Emb, EmbHeader, RawHeader, RecordBytes, VolumeChanges, addresses, resolve,
};
use crate::roles::{A02_FILE, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE, SIDE_FILES};
use crate::sample::{Sample, is_first_byte_free};
use crate::text::{SAMPLE, mark_of_charset, texts_of_record};

/// The number of headers read together.
const PORTION: u32 = 1 << 12;

/// The sizes of the files of an existing database, and its description.
pub(super) struct ExistingBase {
    pub(super) cdp: Cdp,
    /// The number of headers, and of addresses.
    pub(super) games: u32,
    pub(super) entries: u32,
    /// The length of the records.
    pub(super) records_bytes: u64,
}

/// The references of headers and aliases to records.
pub(super) struct References {
    /// How many headers and aliases refer to each address, at most 255. `None` if no two refer to the
    /// same one.
    uses: Option<Vec<u8>>,
    /// Whether all addresses are inside the records.
    pub(super) are_inside: bool,
    /// Whether all headers and aliases refer to addresses of the table.
    pub(super) are_listed: bool,
    /// Whether a record is at the first byte.
    pub(super) has_first_byte: bool,
}

/// The evidence of the charset in the texts of a database, and whether a mark can be set.
pub(super) struct ExistingTexts {
    pub(super) evidence: TextEvidence,
    pub(super) can_mark: bool,
    /// Whether all records were examined.
    pub(super) is_complete: bool,
}

impl References {
    /// The references of a database in which each game has a record of its own, inside the file and
    /// not at its first byte. Changes keep it so.
    const SOUND: References = References {
        uses: None,
        are_inside: true,
        are_listed: true,
        has_first_byte: false,
    };

    /// Returns whether these are [`References::SOUND`].
    pub(super) fn are_sound(&self) -> bool {
        let mut uses = self.uses.iter().flatten();
        self.are_inside && self.are_listed && !self.has_first_byte && uses.all(|uses| *uses <= 1)
    }

    /// Returns whether one header or alias alone refers to an entry of the table.
    pub(super) fn is_single(&self, entry: u32) -> bool {
        let uses = self.uses.as_ref();
        uses.is_none_or(|uses| uses.get(entry as usize) == Some(&1))
    }
}

impl ExistingBase {
    /// Reads the sizes. `None` if a file is missing, or does not consist of whole entries.
    pub(super) fn read(base: &dyn Growing) -> Result<Option<ExistingBase>> {
        let lengths = [CDP_FILE, D00_FILE, A02_FILE, D02_FILE, EMB_FILE].map(|it| base.length(it));
        let [
            Some(_),
            Some(headers),
            Some(table),
            Some(records_bytes),
            Some(_),
        ] = lengths
        else {
            return Ok(None);
        };
        let bytes = base.read_whole(CDP_FILE)?;
        let is_whole = headers % RawHeader::SIZE as u64 == 0 && table % 4 == 0;
        if !is_whole || bytes.len() < Cdp::SIZE || !Cdp::fits(&bytes) {
            return Ok(None);
        }
        let counts = [headers / RawHeader::SIZE as u64, table / 4].map(u32::try_from);
        let [Ok(games), Ok(entries)] = counts else {
            return Ok(None);
        };
        Ok(Some(ExistingBase {
            cdp: Cdp::parse(&bytes)?,
            games,
            entries,
            records_bytes,
        }))
    }

    /// Returns whether games may be appended: all files that are about games are known and fit.
    pub(super) fn can_append(&self, base: &dyn Growing, references: &References) -> bool {
        let has_side_files = SIDE_FILES.iter().any(|role| base.length(*role).is_some());
        self.cdp.count == self.games
            && references.are_inside
            && references.are_listed
            && !has_side_files
    }

    /// Returns whether the headers and addresses of one more game fit after `new` ones.
    pub(super) fn has_room(&self, new: u32) -> bool {
        let [headers, table] = [self.games, self.entries].map(|count| u64::from(count) + 1);
        (headers + u64::from(new)) * RawHeader::SIZE as u64 <= MAX_ADDRESS
            && (table + u64::from(new)) * 4 <= MAX_ADDRESS
    }

    /// Writes changed and new addresses and headers, and the number of games.
    pub(super) fn write(&self, base: &mut dyn Growing, games: &ChangedGames) -> Result<()> {
        let is_grown = !games.new_headers.is_empty();
        if is_grown || !games.addresses.is_empty() {
            let file = base.grow(A02_FILE)?;
            for (offset, bytes) in &games.addresses {
                base.patch(file, *offset, bytes)?;
            }
            base.write(file, &games.new_addresses)?;
        }
        let file = base.grow(D00_FILE)?;
        for (offset, bytes) in &games.headers {
            base.patch(file, *offset, bytes)?;
        }
        base.write(file, &games.new_headers)?;
        // The description comes last. It is a part of each change, so that undoing notices whether
        // another program has changed the database since.
        let cdp = base.grow(CDP_FILE)?;
        let count = self.cdp.count + games.added();
        base.patch(cdp, Cdp::COUNT_AT as u64, &count.to_le_bytes())?;
        base.commit()
    }

    /// Returns the length field of the record at this offset and its end. `None` outside the file.
    pub(super) fn record(&self, base: &dyn Growing, offset: u32) -> Result<Option<(u64, u64)>> {
        let available = self.records_bytes.saturating_sub(offset.into()).min(2);
        if available == 0 {
            return Ok(None);
        }
        let mut start = vec![0; available as usize];
        base.read_old(D02_FILE, offset.into(), &mut start)?;
        let record = RecordBytes::find(&start, 0, Guesses::PAGE.long_lengths);
        let range = record.map(|record| {
            let body = u64::from(offset) + record.start as u64;
            (body, body + record.declared as u64)
        });
        Ok(range.filter(|(_, end)| *end <= self.records_bytes))
    }

    /// Reads the addresses.
    pub(super) fn table(&self, base: &dyn Growing) -> Result<Vec<i32>> {
        Ok(addresses(&base.read_whole(A02_FILE)?).0)
    }

    /// Examines the headers and addresses of all games. A database that is as our last change left it
    /// was examined then.
    pub(super) fn references(&self, base: &mut dyn Growing) -> Result<References> {
        if base.is_known_sound() {
            return Ok(References::SOUND);
        }
        let references = self.all_references(base)?;
        if references.are_sound() {
            base.note_sound();
        }
        Ok(references)
    }

    fn all_references(&self, base: &dyn Growing) -> Result<References> {
        let table = self.table(base)?;
        let mut uses = vec![0_u8; table.len()];
        let mut are_listed = true;
        let mut add = |number: u32| match uses.get_mut(number as usize) {
            Some(uses) => *uses = uses.saturating_add(1),
            None => are_listed = false,
        };
        let mut last = None;
        for &number in &table {
            match u32::try_from(number) {
                Ok(offset) => last = last.max(Some(offset)),
                Err(_) => add(number.unsigned_abs()),
            }
        }
        self.for_each_header(base, &mut |raw_header| {
            add(raw_header.game);
            Ok(true)
        })?;
        let are_inside = match last {
            Some(offset) => self.record(base, offset)?.is_some(),
            None => true,
        };
        Ok(References {
            uses: Some(uses),
            are_inside,
            are_listed,
            has_first_byte: table.contains(&0),
        })
    }

    fn for_each_header(
        &self,
        base: &dyn Growing,
        each: &mut dyn FnMut(RawHeader) -> Result<bool>,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        let mut first = 0;
        while first < self.games {
            let portion = PORTION.min(self.games - first);
            bytes.resize(portion as usize * RawHeader::SIZE, 0);
            base.read_old(D00_FILE, header_offset(first), &mut bytes)?;
            for raw_header in bytes.as_chunks().0.iter().map(RawHeader::parse) {
                if !each(raw_header)? {
                    return Ok(());
                }
            }
            first += portion;
        }
        Ok(())
    }

    /// Returns whether a comment of any game has text beyond ASCII.
    pub(super) fn has_texts_beyond_ascii(&self, base: &dyn Growing) -> Result<bool> {
        let (table, games) = (self.table(base)?, base.read_whole(D02_FILE)?);
        let offsets = table
            .iter()
            .filter_map(|&number| u32::try_from(number).ok());
        let mut records = offsets
            .filter_map(|offset| RecordBytes::find(&games, offset, Guesses::PAGE.long_lengths));
        Ok(records.any(|record| texts_of_record(record.body).any(|text| !text.is_ascii())))
    }

    /// Examines the texts that a reader examines to find the charset.
    pub(super) fn texts(&self, base: &dyn Growing, emb: &Emb<'_>) -> Result<ExistingTexts> {
        let guesses = Guesses::PAGE;
        let resolved = resolve(&self.table(base)?);
        let first = resolved.iter().filter_map(|address| address.offset()).min();
        let first = first.unwrap_or(u32::try_from(self.records_bytes).unwrap_or(u32::MAX));
        let next = |offset| {
            let record = self.record(base, offset).ok().flatten();
            record.and_then(|(_, end)| u32::try_from(end).ok())
        };
        let is_free = self.records_bytes > 0 && is_first_byte_free(first, next);
        // The records of the sample one after another, as a small database.
        let mut games = vec![0];
        if is_free {
            base.read_old(D02_FILE, 0, &mut games)?;
        }
        let (mut raw_headers, mut places) = (Vec::new(), Vec::new());
        let mut sampled = 0;
        self.for_each_header(base, &mut |raw_header| {
            let address = resolved.get(raw_header.game as usize).copied();
            let Some(offset) = address.and_then(Address::offset) else {
                return Ok(true);
            };
            if let Some((body, end)) = self.record(base, offset)? {
                let start = games.len();
                games.resize(start + (end - u64::from(offset)) as usize, 0);
                let record = games.get_mut(start..).unwrap_or_default();
                base.read_old(D02_FILE, offset.into(), record)?;
                let game = places.len() as u32;
                places.push(Address::At(start as u32));
                raw_headers.push(RawHeader { game, ..raw_header }.to_bytes());
                sampled += (end - body) as usize;
            }
            Ok(sampled < SAMPLE)
        })?;
        let sample = Sample {
            raw_headers: &raw_headers,
            addresses: &places,
            games: &games,
            guesses: &guesses,
        };
        let evidence = TextEvidence::new(&self.cdp, emb, &sample);
        Ok(ExistingTexts {
            can_mark: is_free && evidence.is_own,
            evidence,
            is_complete: sampled < SAMPLE,
        })
    }
}

/// The changed and new headers and addresses.
#[derive(Default)]
pub(super) struct ChangedGames {
    /// Those that change, with their offsets.
    pub(super) headers: Vec<(u64, [u8; RawHeader::SIZE])>,
    pub(super) addresses: Vec<(u64, [u8; 4])>,
    new_headers: Vec<u8>,
    new_addresses: Vec<u8>,
}

impl ChangedGames {
    /// Returns the number of new games.
    pub(super) fn added(&self) -> u32 {
        (self.new_addresses.len() / 4) as u32
    }

    /// Adds a game whose record is at this offset.
    pub(super) fn add(&mut self, raw_header: RawHeader, record: u32) {
        self.new_headers.extend(raw_header.to_bytes());
        self.new_addresses.extend(record.to_le_bytes());
    }
}

/// Appends a record and returns its offset.
pub(super) fn put_record(records: &mut BufferedFile, body: &[u8]) -> u32 {
    let offset = u32::try_from(records.end()).unwrap_or(u32::MAX);
    RecordBytes::put_length(body.len(), Guesses::PAGE.long_lengths, &mut records.buffer);
    records.buffer.extend_from_slice(body);
    offset
}

/// Returns whether a record of this length still fits.
pub(super) fn has_room(records: &BufferedFile, length: usize) -> bool {
    // The length field has at most two bytes.
    records.end() + length as u64 + 4 <= MAX_ADDRESS
}

/// Returns the offset of a header.
pub(super) fn header_offset(n: u32) -> u64 {
    u64::from(n) * RawHeader::SIZE as u64
}

/// The names of an existing database.
pub(super) struct ExistingNames {
    /// The EMB as it was.
    pub(super) emb: Vec<u8>,
    pub(super) lists: NameListsBuilder,
}

impl ExistingNames {
    /// Reads the EMB. `None` if it is damaged.
    pub(super) fn read(base: &dyn Growing) -> Result<Option<ExistingNames>> {
        let bytes = base.read_whole(EMB_FILE)?;
        if bytes.len() < EmbHeader::SIZE || !EmbHeader::fits(&bytes) {
            return Ok(None);
        }
        let emb = Emb::parse(&bytes)?;
        let lists = NameListsBuilder::existing(&emb, &Guesses::PAGE);
        // Without new names, the changes are empty unless the files do not match.
        let lists = lists.filter(|lists| lists.change_emb(&emb, &Guesses::PAGE).is_some());
        Ok(lists.map(|lists| ExistingNames { emb: bytes, lists }))
    }

    /// Returns the changes of the EMB for the new names.
    ///
    /// # Errors
    ///
    /// Returns an error if the EMB becomes too long.
    fn changes(&self) -> Result<VolumeChanges> {
        let emb = Emb::parse(&self.emb)?;
        let changes = self.lists.change_emb(&emb, &Guesses::PAGE);
        changes.ok_or_else(|| ErrorKind::over_limit("bytes of a file", MAX_ADDRESS).into())
    }

    /// Writes the new names.
    pub(super) fn write(&self, base: &mut dyn Growing) -> Result<()> {
        let changes = self.changes()?;
        if changes == VolumeChanges::default() {
            return Ok(());
        }
        let file = base.grow(EMB_FILE)?;
        base.write(file, &changes.appended)?;
        for (offset, bytes) in &changes.patches {
            base.patch(file, *offset, bytes)?;
        }
        Ok(())
    }
}

impl ExistingTexts {
    /// Returns the mark to set, because the texts, with those that were added, may mislead a reader
    /// about this charset.
    pub(super) fn needed_mark(&self, charset: Option<Charset>) -> Option<u8> {
        let charset = charset?;
        let is_known = self.evidence.mark.is_some()
            || self.evidence.detector.is_sure_of(charset, &Guesses::PAGE);
        mark_of_charset(charset).filter(|_| self.can_mark && !is_known)
    }
}
