//! What the places of the records say of damage (docs/formats/chess-assistant.md, section 7).

use chessdb_core::ErrorKind;

use crate::raw::{Address, GameHeader, LongLengths, RecordBytes};

/// What contradicts a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fault {
    /// Several games lead to it by addresses of their own: some of these are not theirs.
    Shared,
    /// It reaches into the next one.
    Overlaps,
    /// What was written over its neighbourhood follows it: its length is not its own.
    Filled,
}

/// The records that are contradicted, by offset: few, or none.
#[derive(Clone, Default, Debug)]
pub(crate) struct Places(Vec<(u32, Fault)>);

impl Places {
    /// Compares the records of all games. `table` are the addresses as stored, `resolved` where they
    /// lead.
    pub(crate) fn new(
        headers: &[[u8; GameHeader::SIZE]],
        table: &[i32],
        resolved: &[Address],
        games: &[u8],
        lengths: LongLengths,
    ) -> Places {
        let mut faults = Vec::new();
        // All ones are an alias too, of the second entry; but no program makes two of these.
        let ones = table.iter().filter(|&&number| number == -1).count() > 1;
        let own = headers.iter().filter_map(|bytes| {
            let game = GameHeader::parse(bytes).game as usize;
            match *table.get(game)? {
                -1 if ones => resolved.get(game)?.offset(),
                // A negative number shares the record of another on purpose.
                number => u32::try_from(number).ok(),
            }
        });
        let own = sorted(own);
        let shared = own.windows(2).filter(|pair| pair.first() == pair.last());
        faults.extend(shared.filter_map(|pair| Some((*pair.first()?, Fault::Shared))));
        let begins = |at| resolved.contains(&Address::At(at));
        if own.first() == Some(&0) && games.first().is_some_and(|&mark| mark < 0x80) && begins(1) {
            // There is the mark of the charset, or a record without a code.
            faults.push((0, Fault::Filled));
        }
        let mut all = sorted(resolved.iter().filter_map(|address| address.offset()));
        all.dedup();
        let ends = all.iter().skip(1).map(|&next| next as usize);
        for (&offset, next) in all.iter().zip(ends.chain([games.len()])) {
            let Some(record) = RecordBytes::find(games, offset, lengths) else {
                continue;
            };
            let end = record.start + record.declared;
            if record.declared > RecordBytes::UNDISPUTED_LENGTH || end == next {
                continue;
            }
            if end > next && next < games.len() {
                faults.push((offset, Fault::Overlaps));
            } else if let Some(rest) = games.get(end..next)
                && is_filled(rest)
            {
                faults.push((offset, Fault::Filled));
            }
        }
        faults.sort_unstable();
        faults.dedup();
        Places(faults)
    }

    /// What contradicts the record at this offset.
    pub(crate) fn fault(&self, offset: u32) -> Option<ErrorKind> {
        let at = self.0.partition_point(|&(other, _)| other < offset);
        let fault = self.0.get(at).filter(|(other, _)| *other == offset)?.1;
        Some(ErrorKind::Structure(match fault {
            Fault::Shared => "the record is that of another game as well",
            Fault::Overlaps => "the record reaches into the next one",
            Fault::Filled => "the record was overwritten",
        }))
    }
}

fn sorted(offsets: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut offsets: Vec<u32> = offsets.collect();
    if !offsets.is_sorted() {
        offsets.sort_unstable();
    }
    offsets
}

/// Whether these bytes begin as what a disk or a program fills blocks with. Bytes of games that were
/// edited or deleted, and whatever else stays between records, do not.
fn is_filled(bytes: &[u8]) -> bool {
    let first = bytes.get(..4).unwrap_or(bytes);
    first.iter().all(|&byte| byte == 0) || first.iter().all(|&byte| byte == 0xFF)
}
