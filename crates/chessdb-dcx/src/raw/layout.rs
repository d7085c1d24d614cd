//! The layouts of the index (docs/formats/dcx.md, section 3.1).

/// How long the part before the first entry is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeaderSize {
    /// 10: the magic bytes alone.
    Magic = 10,
    /// 11: a version byte as well.
    Version = 11,
    /// 19: version byte and OpenDefault.
    Full = 19,
}

/// How long an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntrySize {
    /// 35: without EventRef; such bases have no .dce file.
    Short = 35,
    /// 39
    Standard = 39,
    /// 61: with the data of the 2018 text.
    Long = 61,
}

impl EntrySize {
    /// The size in bytes.
    pub const fn bytes(self) -> usize {
        self as usize
    }
}

/// A layout of the index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// What stands before the first entry.
    pub file_header: HeaderSize,
    /// What an entry is like.
    pub entry: EntrySize,
}

impl Layout {
    /// A: what the reference writer and this crate write.
    pub const CURRENT: Layout = Layout::of(HeaderSize::Full, EntrySize::Standard);
    /// B: what the reference writer wrote in the first days of 2017.
    pub const OLD: Layout = Layout::of(HeaderSize::Magic, EntrySize::Short);

    /// All layouts, the likelier first.
    pub const ALL: [Layout; 8] = [
        Layout::CURRENT,
        Layout::OLD,
        Layout::of(HeaderSize::Magic, EntrySize::Standard),
        Layout::of(HeaderSize::Version, EntrySize::Standard),
        Layout::of(HeaderSize::Full, EntrySize::Short),
        Layout::of(HeaderSize::Version, EntrySize::Short),
        Layout::of(HeaderSize::Full, EntrySize::Long),
        Layout::of(HeaderSize::Version, EntrySize::Long),
    ];

    const fn of(file_header: HeaderSize, entry: EntrySize) -> Layout {
        Layout { file_header, entry }
    }

    /// The letter of section 3.1: A to C were written by programs, D and E stand in texts only.
    pub const fn letter(self) -> char {
        match (self.file_header, self.entry) {
            (_, EntrySize::Long) => 'E',
            (HeaderSize::Full, EntrySize::Standard) => 'A',
            (HeaderSize::Magic, EntrySize::Short) => 'B',
            (HeaderSize::Magic, EntrySize::Standard) => 'C',
            _ => 'D',
        }
    }

    /// Where entry `n` begins in the file.
    pub const fn entry_offset(self, n: u32) -> u64 {
        self.file_header as u64 + n as u64 * self.entry as u64
    }
}
