//! The layouts of the index (docs/formats/dcx.md, section 3.1).

/// The size in bytes of the part before the first entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeaderSize {
    /// 10: the magic bytes alone.
    Magic = 10,
    /// 11: also a version byte.
    Version = 11,
    /// 19: version byte and OpenDefault.
    Full = 19,
}

/// The size in bytes of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntrySize {
    /// 35: without EventRef; such databases have no .dce file.
    Short = 35,
    /// 39
    Standard = 39,
    /// 61: with the data of the 2018 text.
    Long = 61,
}

impl EntrySize {
    /// Returns the size in bytes.
    pub const fn bytes(self) -> usize {
        self as usize
    }
}

/// A layout of the index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// The part before the first entry.
    pub file_header: HeaderSize,
    /// The form of an entry.
    pub entry: EntrySize,
}

impl Layout {
    /// A: written by the reference writer and by this crate.
    pub const CURRENT: Layout = Layout::new(HeaderSize::Full, EntrySize::Standard);
    /// B: written by the reference writer in the first days of 2017.
    pub const OLD: Layout = Layout::new(HeaderSize::Magic, EntrySize::Short);

    /// All layouts, most likely first.
    pub const ALL: [Layout; 8] = [
        Layout::CURRENT,
        Layout::OLD,
        Layout::new(HeaderSize::Magic, EntrySize::Standard),
        Layout::new(HeaderSize::Version, EntrySize::Standard),
        Layout::new(HeaderSize::Full, EntrySize::Short),
        Layout::new(HeaderSize::Version, EntrySize::Short),
        Layout::new(HeaderSize::Full, EntrySize::Long),
        Layout::new(HeaderSize::Version, EntrySize::Long),
    ];

    const fn new(file_header: HeaderSize, entry: EntrySize) -> Layout {
        Layout { file_header, entry }
    }

    /// Returns the letter of section 3.1. Programs wrote A to C; D and E appear only in texts.
    pub const fn letter(self) -> char {
        match (self.file_header, self.entry) {
            (_, EntrySize::Long) => 'E',
            (HeaderSize::Full, EntrySize::Standard) => 'A',
            (HeaderSize::Magic, EntrySize::Short) => 'B',
            (HeaderSize::Magic, EntrySize::Standard) => 'C',
            _ => 'D',
        }
    }

    /// Returns the file offset of entry `n`.
    pub const fn entry_offset(self, n: u32) -> u64 {
        self.file_header as u64 + n as u64 * self.entry as u64
    }
}
