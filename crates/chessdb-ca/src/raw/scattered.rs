//! Records at arbitrary offsets of a file, with junk between them (docs/formats/chess-assistant.md,
//! sections 4.2 and 7).

/// A record that states its own length.
pub trait ScatteredRecord<'a>: Sized {
    /// Reads the first record, as far as the bytes contain it. Returns `None` if even its length is
    /// missing.
    fn parse(bytes: &'a [u8]) -> Option<Self>;

    /// Returns the number of bytes that [`ScatteredRecord::write`] appends: less than the record
    /// declares if the file cuts it.
    fn size(&self) -> usize;

    /// Appends the bytes of the record.
    fn write(&self, out: &mut Vec<u8>);
}

/// The records of a file in the order of their offsets, and the ranges that no record covers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScatteredRecords<'a, R> {
    /// Offset and record; records may overlap.
    pub records: Vec<(u32, R)>,
    /// Offset and bytes of the uncovered ranges.
    pub gaps: Vec<(u32, &'a [u8])>,
    len: usize,
}

impl<'a, R: ScatteredRecord<'a>> ScatteredRecords<'a, R> {
    /// Reads the records at these offsets, each once. Offsets beyond the end are ignored.
    pub fn parse(
        file: &'a [u8],
        offsets: impl IntoIterator<Item = u32>,
    ) -> ScatteredRecords<'a, R> {
        let mut sorted: Vec<u32> = offsets.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut spread = ScatteredRecords {
            records: Vec::new(),
            gaps: Vec::new(),
            len: file.len(),
        };
        let mut covered = 0;
        for offset in sorted {
            let start = offset as usize;
            let Some(record) = file.get(start..).and_then(R::parse) else {
                continue;
            };
            if let Some(gap) = file.get(covered..start).filter(|gap| !gap.is_empty()) {
                spread.gaps.push((covered as u32, gap));
            }
            covered = covered.max(start + record.size());
            spread.records.push((offset, record));
        }
        if let Some(gap) = file.get(covered..).filter(|gap| !gap.is_empty()) {
            spread.gaps.push((covered as u32, gap));
        }
        spread
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        let mut put = |offset: u32, content: &[u8]| {
            let start = offset as usize;
            if let Some(place) = bytes.get_mut(start..start + content.len()) {
                place.copy_from_slice(content);
            }
        };
        for &(offset, gap) in &self.gaps {
            put(offset, gap);
        }
        let mut written = Vec::new();
        for (offset, record) in &self.records {
            written.clear();
            record.write(&mut written);
            put(*offset, &written);
        }
        bytes
    }
}
