//! Detection of the layout of an index (docs/formats/dcx.md, section 3.4).

use super::entry::Entry;
use super::layout::{EntrySize, HeaderSize, Layout};
use super::magic::Magic;
use super::names::NameFile;

impl Layout {
    /// Returns the layout that fits the content of an index best.
    pub fn detect(index: &[u8], sizes: &FileSizes) -> Detected {
        Layout::detect_by(index, index.len() as u64, sizes)
    }

    /// Like [`Layout::detect`], by the start of an index that has `length` bytes.
    pub(crate) fn detect_by(index: &[u8], length: u64, sizes: &FileSizes) -> Detected {
        let mut best = Detected {
            layout: Layout::CURRENT,
            score: i32::MIN,
            empty: false,
        };
        for layout in Layout::ALL {
            let score = layout.score(index, length, sizes);
            // Of equal layouts the first one is the most likely.
            if score > best.score {
                best.layout = layout;
                best.score = score;
            }
        }
        best.empty = length == best.layout.entry_offset(0) || index.is_empty();
        best
    }

    /// Returns how well an index fits this layout, at most [`Detected::BEST`].
    fn score(self, index: &[u8], length: u64, sizes: &FileSizes) -> i32 {
        let Some(body) = index.get(self.file_header as usize..) else {
            return i32::MIN;
        };
        if self.entry == EntrySize::Long && index.get(Magic::SIZE) != Some(&1) {
            // The text that describes this layout calls it version 1.
            return i32::MIN;
        }
        let entries = body.chunks_exact(self.entry.bytes());
        // A database that was cut still has its other entries, so leftover bytes do not exclude a
        // layout.
        let entry_bytes = length.saturating_sub(self.file_header as u64);
        let whole = entry_bytes.is_multiple_of(self.entry.bytes() as u64);
        let mut score = 200 * i32::from(whole);
        score += 300 * i32::from(self.header_fits(index, length, sizes));
        let (mut fits, mut fails, mut first) = (0, 0, u64::MAX);
        for bytes in entries.take(Layout::SAMPLE) {
            let Some(entry) = Entry::parse(self.entry, bytes) else {
                continue;
            };
            let (fit, fail) = sizes.plausible(&entry, self.entry);
            fits += fit;
            fails += fail;
            first = first.min(entry.offset);
        }
        // A field that does not fit is stronger evidence than one that does: zeros fit everywhere.
        score += (1000 * (fits - 2 * fails))
            .checked_div(fits + fails)
            .unwrap_or(0);
        score + 100 * i32::from(first == Magic::SIZE as u64)
    }

    /// Maximum number of entries examined.
    const SAMPLE: usize = 64;

    fn header_fits(self, index: &[u8], length: u64, sizes: &FileSizes) -> bool {
        let version = index.get(Magic::SIZE).is_some_and(|&version| version <= 1);
        let open_default = index.get(11..19).and_then(|bytes| bytes.first_chunk());
        let number = open_default.map_or(0, |bytes| u64::from_be_bytes(*bytes));
        // Without a header this number is the offset of the first game, at least 10.
        let offset = (Magic::SIZE as u64..sizes.games.max(11)).contains(&number);
        match self.file_header {
            HeaderSize::Magic => offset,
            HeaderSize::Version => version && !offset && number != 0,
            HeaderSize::Full => version && (!offset || number < length),
        }
    }
}

/// A layout, and how well it fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detected {
    /// The layout.
    pub layout: Layout,
    /// Higher is better, up to [`Detected::BEST`].
    score: i32,
    /// Whether there is no entry to judge by.
    empty: bool,
}

impl Detected {
    /// The score if everything fits.
    const BEST: i32 = 1600;

    /// Returns whether the only evidence against the layout is single damaged fields.
    pub const fn is_sure(self) -> bool {
        self.score >= Detected::BEST / 10 * 7 || self.empty
    }
}

/// Sizes in bytes of the files that an index refers to; 0 if missing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FileSizes {
    /// `.dcn`
    pub players: u64,
    /// `.dcs`
    pub sites: u64,
    /// `.dce`
    pub events: u64,
    /// `.dcg`
    pub games: u64,
}

impl FileSizes {
    /// Returns the weight of an entry's fields with plausible values, and of those with implausible
    /// values.
    fn plausible(&self, entry: &Entry, size: EntrySize) -> (i32, i32) {
        let reference = |reference: u32, file: u64| {
            reference == 0
                || (NameFile::number(reference).is_some()
                    && (file == 0 || u64::from(reference) < file))
        };
        // Without the games file, any offset that a real file can have is plausible.
        let games = if self.games == 0 { 1 << 40 } else { self.games };
        let eco = entry.eco;
        let fields = [
            // The offset alone distinguishes most layouts.
            (4, (Magic::SIZE as u64..games).contains(&entry.offset)),
            (1, entry.status == 0 || entry.status == Entry::DELETED),
            (1, reference(entry.white, self.players)),
            (1, reference(entry.black, self.players)),
            (1, reference(entry.site, self.sites)),
            // Without event references there is no event file.
            match size {
                EntrySize::Short => (4, self.events == 0),
                _ => (1, reference(entry.event, self.events)),
            },
            (1, entry.result <= 3),
            (
                1,
                eco == [0; 3] || eco.iter().all(|byte| (0x20..0x7F).contains(byte)),
            ),
            (1, entry.year < 10_000),
            (1, entry.month <= 12 && entry.day <= 31),
        ];
        fields.iter().fold((0, 0), |(fit, fail), &(weight, fits)| {
            if fits { (fit + weight, fail) } else { (fit, fail + weight) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reference to the end of a file is to no record.
    #[test]
    fn references_are_within_their_file() {
        let mut entry = Entry::parse(EntrySize::Standard, &[0; 39]).unwrap();
        (entry.offset, entry.white) = (10, NameFile::reference(1).unwrap());
        let mut sizes = FileSizes {
            games: 11,
            ..FileSizes::default()
        };
        for (players, fails) in [(0, 0), (u64::from(entry.white), 1), (1000, 0)] {
            sizes.players = players;
            let plausible = sizes.plausible(&entry, EntrySize::Standard);
            assert_eq!(plausible, (13 - fails, fails), "{players}");
        }
    }

    /// What might be the first offset of an index without this field is a game number if there are
    /// enough entries.
    #[test]
    fn a_game_number_is_no_offset() {
        let mut index = [0; 19 + 39];
        let sizes = FileSizes {
            games: 100,
            ..FileSizes::default()
        };
        for (number, fits) in [
            (0u64, true),
            (12, true),
            (57, true),
            (58, false),
            (100, true),
        ] {
            index[11..19].copy_from_slice(&number.to_be_bytes());
            assert_eq!(
                Layout::CURRENT.header_fits(&index, index.len() as u64, &sizes),
                fits,
                "{number}"
            );
        }
    }
}
