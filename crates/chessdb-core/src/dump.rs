//! An annotated hex map of every byte of a database, in one layout for all formats.
//!
//! A format reports its regions ([`DumpFn`]). [`render`] prints them with their bytes, and also
//! prints the bytes that no region covers, so that every byte of every file is in the map once. The
//! owner of a database that no existing reader understands can send us this map.

use std::borrow::Cow;
use std::io;

use crate::FileSet;
use crate::files::Role;

/// How well a range of bytes is understood.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RegionKind {
    /// The format page describes the field.
    Known,
    /// The format page lists the field, but not its meaning.
    Unknown,
    /// Unused space that belongs to a structure, or remains of a structure.
    Slack,
    /// No structure refers to it.
    Unowned,
}

impl RegionKind {
    /// Returns one character for tables: blank, `?`, `-` or `*`.
    pub const fn mark(self) -> char {
        match self {
            RegionKind::Known => ' ',
            RegionKind::Unknown => '?',
            RegionKind::Slack => '-',
            RegionKind::Unowned => '*',
        }
    }

    /// Returns the machine-readable name of the kind.
    pub const fn code(self) -> &'static str {
        match self {
            RegionKind::Known => "known",
            RegionKind::Unknown => "unknown",
            RegionKind::Slack => "slack",
            RegionKind::Unowned => "unowned",
        }
    }
}

/// A range of bytes of one file and its meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The file.
    pub file: Role,
    /// The offset of the first byte.
    pub start: u64,
    /// The offset after the last byte.
    pub end: u64,
    /// The meaning, with the value where that helps: `White, player 17`.
    pub what: Cow<'static, str>,
    /// How well the range is understood.
    pub kind: RegionKind,
}

impl Region {
    /// Creates a region with a known meaning.
    pub fn known(file: Role, start: u64, end: u64, what: impl Into<Cow<'static, str>>) -> Region {
        let what = what.into();
        Region {
            file,
            start,
            end,
            what,
            kind: RegionKind::Known,
        }
    }

    /// Returns the region with another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: RegionKind) -> Region {
        self.kind = kind;
        self
    }
}

/// Reports the fields of structures one after another, beginning at an offset of a file.
pub struct Fields<'t> {
    file: Role,
    at: u64,
    report: &'t mut dyn FnMut(Region),
}

impl<'t> Fields<'t> {
    /// Begins at byte `start` of a file.
    pub fn new(file: Role, start: u64, report: &'t mut dyn FnMut(Region)) -> Fields<'t> {
        Fields {
            file,
            at: start,
            report,
        }
    }

    /// Returns the file.
    pub fn file(&self) -> Role {
        self.file
    }

    /// Reports the next `len` bytes as a region of this kind.
    pub fn add(&mut self, len: u64, kind: RegionKind, what: impl Into<Cow<'static, str>>) {
        let end = self.at.saturating_add(len);
        (self.report)(Region::known(self.file, self.at, end, what).of_kind(kind));
        self.at = end;
    }

    /// Reports the next `len` bytes as known.
    pub fn known(&mut self, len: u64, what: impl Into<Cow<'static, str>>) {
        self.add(len, RegionKind::Known, what);
    }

    /// Reports the next `len` bytes as unknown.
    pub fn unknown(&mut self, len: u64, what: impl Into<Cow<'static, str>>) {
        self.add(len, RegionKind::Unknown, what);
    }

    /// Reports the next `len` bytes as slack.
    pub fn slack(&mut self, len: u64, what: impl Into<Cow<'static, str>>) {
        self.add(len, RegionKind::Slack, what);
    }
}

/// Reports every region of a database: file by file, and within a file in ascending order of start
/// offsets. Bytes that no structure refers to need not be reported. A region beyond the end of a
/// file or within an earlier region is no error: damaged databases contain such regions.
pub type DumpFn = fn(&dyn FileSet, &mut dyn FnMut(Region));

/// Calls `visit` for every byte of the files once, in order: for the regions of the format, cut to
/// bytes that exist and were not reported before, and for the unowned ranges between them. Files
/// without any reported region come last, each as one unknown region.
pub fn cover(
    files: &dyn FileSet,
    roles: &[Role],
    dump: Option<DumpFn>,
    visit: &mut dyn FnMut(Region, &[u8]),
) {
    let mut cover = Cover {
        files,
        current: None,
        done: Vec::new(),
        visit,
    };
    if let Some(dump) = dump {
        dump(files, &mut |region| cover.add(region));
    }
    cover.close();
    for &role in roles {
        if !cover.done.contains(&role)
            && let Some(bytes) = files.get(role)
        {
            let what = if dump.is_some() {
                "not analysed"
            } else {
                "no byte map is available for this format"
            };
            let region = Region::known(role, 0, bytes.len() as u64, what);
            cover.report(region.of_kind(RegionKind::Unknown));
        }
    }
}

struct Cover<'c> {
    files: &'c dyn FileSet,
    /// The current file and the offset of its next unreported byte.
    current: Option<(Role, u64)>,
    done: Vec<Role>,
    visit: &'c mut dyn FnMut(Region, &[u8]),
}

impl Cover<'_> {
    fn add(&mut self, mut region: Region) {
        if self.current.is_none_or(|(file, _)| file != region.file) {
            // A file that was left is finished: its bytes may be visited only once.
            self.close();
            if self.done.contains(&region.file) || self.files.get(region.file).is_none() {
                return;
            }
            self.current = Some((region.file, 0));
        }
        let Some((file, next)) = self.current else {
            return;
        };
        let len = self.files.get(file).map_or(0, <[u8]>::len) as u64;
        // Damaged databases have regions beyond the end and within others; each byte belongs to the
        // first.
        region.end = region.end.min(len);
        if region.start > next && region.end > region.start {
            self.report(unowned(file, next, region.start));
        }
        region.start = region.start.max(next);
        if region.end > region.start {
            self.current = Some((file, region.end));
            self.report(region);
        }
    }

    /// Reports the rest of the current file as unowned.
    fn close(&mut self) {
        let Some((file, next)) = self.current.take() else {
            return;
        };
        self.done.push(file);
        let len = self.files.get(file).map_or(0, <[u8]>::len) as u64;
        if next < len {
            self.report(unowned(file, next, len));
        }
    }

    fn report(&mut self, region: Region) {
        let bytes = self.files.get(region.file).unwrap_or_default();
        let range = usize::try_from(region.start)
            .ok()
            .zip(usize::try_from(region.end).ok());
        let bytes = range
            .and_then(|(start, end)| bytes.get(start..end))
            .unwrap_or_default();
        (self.visit)(region, bytes);
    }
}

fn unowned(file: Role, start: u64, end: u64) -> Region {
    Region::known(file, start, end, "not referenced by any structure").of_kind(RegionKind::Unowned)
}

/// Prints the map: sixteen bytes per line, each region on separate lines.
///
/// ```text
/// d00 file, 76 bytes
/// 00000000    01 00 00                                         |...|              White: player 1
/// 0000001c ?  00                                               |.|                not described
/// ```
///
/// The mark after the offset shows how well a region is understood ([`RegionKind::mark`]).
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn render(
    files: &dyn FileSet,
    roles: &[Role],
    dump: Option<DumpFn>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut result = Ok(());
    let mut file = None;
    let mut line = String::new();
    cover(files, roles, dump, &mut |region, bytes| {
        // `cover` cannot stop early, and only the first error counts.
        if result.is_err() {
            return;
        }
        if file != Some(region.file) {
            let len = files.get(region.file).map_or(0, <[u8]>::len);
            let gap = if file.is_some() { "\n" } else { "" };
            file = Some(region.file);
            result = writeln!(out, "{gap}{} file, {len} bytes", region.file);
        }
        for (n, row) in bytes.chunks(WIDTH).enumerate() {
            if result.is_err() {
                return;
            }
            let what = if n == 0 { &*region.what } else { "" };
            write_row(
                region.start + (n * WIDTH) as u64,
                region.kind,
                row,
                what,
                &mut line,
            );
            result = out.write_all(line.as_bytes());
        }
    });
    result
}

/// Number of bytes per line.
const WIDTH: usize = 16;

fn write_row(offset: u64, kind: RegionKind, row: &[u8], what: &str, line: &mut String) {
    use std::fmt::Write as _;
    line.clear();
    // Writing to a string cannot fail.
    let _ = write!(line, "{offset:08x} {} ", kind.mark());
    for n in 0..WIDTH {
        let _ = match row.get(n) {
            Some(byte) => write!(line, " {byte:02x}"),
            None => write!(line, "   "),
        };
    }
    line.push_str("  |");
    for byte in row {
        let shown = (0x20..0x7F).contains(byte);
        line.push(if shown { char::from(*byte) } else { '.' });
    }
    line.push('|');
    if !what.is_empty() {
        for _ in row.len()..WIDTH {
            line.push(' ');
        }
        line.push_str("  ");
        line.extend(
            // A line break in a name must not break the map.
            what.chars()
                .map(|c| if c.is_control() { '\u{B7}' } else { c }),
        );
    }
    line.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemorySet;

    const A: Role = Role("a");
    const B: Role = Role("b");

    /// Reports overlaps, gaps, ranges beyond the end, a missing file and a file twice.
    fn irregular_dump(_: &dyn FileSet, report: &mut dyn FnMut(Region)) {
        report(Region::known(A, 2, 6, "first"));
        report(Region::known(A, 4, 9, "over\nlapping").of_kind(RegionKind::Unknown));
        report(Region::known(A, 5, 6, "inside"));
        report(Region::known(A, 12, 99, "beyond").of_kind(RegionKind::Slack));
        report(Region::known(Role("none"), 0, 1, "missing"));
        report(Region::known(A, 0, 1, "again"));
    }

    fn set() -> MemorySet {
        let mut set = MemorySet::new();
        set.insert(A, (0..40).collect::<Vec<u8>>());
        set.insert(B, *b"text");
        set
    }

    /// Returns the bytes of a file as printed in the map.
    fn read_back(map: &str, file: Role) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut current = false;
        for line in map.lines().filter(|line| !line.is_empty()) {
            if line.contains(" file, ") {
                current = line.starts_with(&format!("{file} file"));
            } else if current {
                let hex = line[11..11 + 3 * WIDTH].split_whitespace();
                bytes.extend(hex.map(|byte| u8::from_str_radix(byte, 16).unwrap()));
            }
        }
        bytes
    }

    #[test]
    fn cover_visits_every_byte_once() {
        let set = set();
        for dump in [None, Some(irregular_dump as DumpFn)] {
            let mut next = Vec::new();
            cover(&set, &[A, B], dump, &mut |region, bytes| {
                assert_eq!(bytes.len() as u64, region.end - region.start);
                next.extend_from_slice(bytes);
            });
            let all = [set.get(A).unwrap(), set.get(B).unwrap()].concat();
            assert_eq!(next, all);
            let mut map = Vec::new();
            render(&set, &[A, B], dump, &mut map).unwrap();
            let map = String::from_utf8(map).unwrap();
            assert_eq!(read_back(&map, A), set.get(A).unwrap());
            assert_eq!(read_back(&map, B), set.get(B).unwrap());
        }
    }

    #[test]
    fn render_shows_kind_bytes_and_meaning() {
        let mut map = Vec::new();
        render(&set(), &[A, B], Some(irregular_dump), &mut map).unwrap();
        let map = String::from_utf8(map).unwrap();
        let lines: Vec<_> = map.lines().collect();
        assert_eq!(lines[0], "a file, 40 bytes");
        assert!(
            lines[1].starts_with("00000000 *  00 01  ")
                && lines[1].ends_with("referenced by any structure")
        );
        assert!(
            lines[3].starts_with("00000006 ?  06 07 08") && lines[3].ends_with("over\u{B7}lapping")
        );
        assert!(
            lines[5].starts_with("0000000c -  0c 0d")
                && lines[5].ends_with("|................|  beyond")
        );
        assert!(
            lines[6].starts_with("0000001c -  1c") && lines[6].ends_with("|.... !\"#$%&'|"),
            "{}",
            lines[6]
        );
        assert_eq!(lines[8], "b file, 4 bytes");
        assert!(lines[9].ends_with("|text|              not analysed"));
    }
}
