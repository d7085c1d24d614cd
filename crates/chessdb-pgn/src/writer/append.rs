//! Appending to an existing PGN file.

use std::borrow::Cow;

use chessdb_core::files::{FileSink, Growing};
use chessdb_core::utf16::Utf16;
use chessdb_core::{ErrorKind, Result};

use crate::raw::{Lexer, OTHER_QUOTES, TagPair, TokenKind};
use crate::roles::PGN_FILE;

/// The number of bytes at the end of a file in which its last game is searched for.
const LAST: u64 = 64 << 10;

/// The size of the pieces in which the charset of a file is checked.
const PIECE: u64 = 1 << 20;

/// The sign by which DOS ended a text.
const TEXT_END: u8 = 0x1A;

/// The line ends of a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum LineEnd {
    #[default]
    Lf,
    CrLf,
    Cr,
}

impl LineEnd {
    /// Returns the most frequent line end.
    pub(super) fn detect(text: &[u8]) -> LineEnd {
        let feeds = memchr::memchr_iter(b'\n', text).count();
        let returns = memchr::memchr_iter(b'\r', text).count();
        // With CR LF both counts are equal. A file may mix line ends; then the majority counts.
        match (feeds, returns) {
            (0, 1..) => LineEnd::Cr,
            _ if 2 * returns > feeds => LineEnd::CrLf,
            _ => LineEnd::Lf,
        }
    }

    /// Returns its bytes.
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            LineEnd::Lf => b"\n",
            LineEnd::CrLf => b"\r\n",
            LineEnd::Cr => b"\r",
        }
    }

    /// Returns the text with these line ends instead of LF.
    pub(super) fn apply(self, text: &[u8]) -> Cow<'_, [u8]> {
        let end = self.bytes();
        if self == LineEnd::Lf {
            return Cow::Borrowed(text);
        }
        let mut lines = text.split(|&byte| byte == b'\n');
        let mut out = lines.next().unwrap_or_default().to_vec();
        for line in lines {
            out.extend_from_slice(end);
            out.extend_from_slice(line);
        }
        Cow::Owned(out)
    }
}

/// The destination of the text.
pub(super) enum WriterTarget<'a> {
    New(&'a mut dyn FileSink),
    /// A file with existing text, and whether that is known to be UTF-8.
    Existing(&'a mut dyn Growing, bool),
}

impl<'a> WriterTarget<'a> {
    /// Creates a sink for appending.
    pub(super) fn old(base: &'a mut dyn Growing) -> WriterTarget<'a> {
        WriterTarget::Existing(base, false)
    }

    pub(super) fn files(&mut self) -> &mut dyn FileSink {
        match self {
            WriterTarget::New(sink) => *sink,
            WriterTarget::Existing(base, _) => *base,
        }
    }

    /// Refuses text in another charset than the rest of the file.
    #[inline]
    pub(super) fn check(&mut self, text: &[u8]) -> Result<()> {
        match self {
            WriterTarget::Existing(base, is_known_utf_8 @ false) if !text.is_ascii() => {
                *is_known_utf_8 = is_utf_8(*base)?;
                if *is_known_utf_8 {
                    Ok(())
                } else {
                    // This is an error of the target, not of the game: nothing is written.
                    Err(ErrorKind::Io(std::io::Error::other(OTHER_CHARSET)).into())
                }
            }
            _ => Ok(()),
        }
    }
}

const OTHER_CHARSET: &str = "the new games have characters beyond ASCII and would be appended in UTF-8 to a \
    file in another encoding; convert the file first (`chessdb convert OLD NEW.pgn` writes UTF-8), then \
    append to NEW.pgn";

/// The file that is appended to.
pub(super) struct ExistingFile {
    pub(super) line_end: LineEnd,
    /// The line feeds between its last game and the first appended one.
    pub(super) separator: Vec<u8>,
}

impl ExistingFile {
    /// Examines a file. `None` if text cannot simply follow its last byte.
    pub(super) fn examine(base: &dyn Growing) -> Result<Option<ExistingFile>> {
        let Some(length) = base.length(PGN_FILE) else {
            return Ok(None);
        };
        let mut start = vec![0; length.min(LAST) as usize];
        base.read_old(PGN_FILE, 0, &mut start)?;
        let from = length.saturating_sub(LAST);
        let mut end = vec![0; (length - from) as usize];
        base.read_old(PGN_FILE, from, &mut end)?;
        let is_open = end.trim_ascii_end().ends_with(&[TEXT_END]) || is_open(&end, from > 0);
        if Utf16::detect(&start).is_some() || is_open {
            return Ok(None);
        }
        let line_end = LineEnd::detect(&end);
        let breaks = end
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_whitespace());
        let sign = match line_end {
            LineEnd::Cr => b'\r',
            _ => b'\n',
        };
        // An empty file needs no separation.
        let ends = if end.is_empty() { 2 } else { breaks.filter(|&&byte| byte == sign).count() };
        Ok(Some(ExistingFile {
            line_end,
            separator: vec![b'\n'; 2_usize.saturating_sub(ends)],
        }))
    }
}

/// Returns whether a comment or a tag is open at the end of a file; `is_cut` if other bytes precede
/// these. A game without an end is not open, since the next one begins after a blank line.
fn is_open(end: &[u8], is_cut: bool) -> bool {
    let breaks = end.windows(8).enumerate().rev();
    let mut events = breaks.filter(|(_, bytes)| {
        bytes.ends_with(b"[Event ") && bytes.first().is_some_and(|&b| b == b'\n' || b == b'\r')
    });
    let from = match events.next() {
        Some((before, _)) => before + 1,
        // Whether these bytes begin within a comment is unknown.
        None if is_cut => return true,
        None => 0,
    };
    let text = end.get(from..).unwrap_or_default();
    let mut lexer = Lexer::new(text);
    let mut open = false;
    while let Some(token) = lexer.next() {
        open = match token.kind {
            TokenKind::Space => continue,
            TokenKind::Comment { closed } => !closed,
            TokenKind::Tag => TagPair::parse(lexer.text(token))
                .is_none_or(|tag| tag.fault.is_some_and(|fault| fault != OTHER_QUOTES)),
            _ => false,
        };
    }
    open
}

/// The numbers of characters and of stray bytes in a file.
#[derive(Default)]
pub(super) struct Utf8Count {
    wide: usize,
    strays: usize,
}

impl Utf8Count {
    /// Counts these bytes. Returns the length of a character that is cut at their end.
    pub(super) fn add(&mut self, bytes: &[u8]) -> usize {
        let mut rest = 0;
        if bytes.is_ascii() {
            return rest;
        }
        for chunk in bytes.utf8_chunks() {
            self.wide += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
            rest = chunk.invalid().len();
            self.strays += usize::from(rest > 0);
        }
        rest
    }

    /// Returns whether a file is in UTF-8, except for a few stray bytes.
    pub(super) fn is_utf_8(&self) -> bool {
        self.strays == 0 || self.wide / 8 > self.strays
    }
}

/// Returns whether a file is in UTF-8, except for a few stray bytes.
fn is_utf_8(base: &dyn Growing) -> Result<bool> {
    let length = base.length(PGN_FILE).unwrap_or(0);
    let mut bytes = Vec::new();
    let mut count = Utf8Count::default();
    let mut offset = 0;
    while offset < length {
        // A character cut at the end of a piece is examined again with the next one.
        bytes.resize((length - offset).min(PIECE) as usize, 0);
        base.read_old(PGN_FILE, offset, &mut bytes)?;
        offset += bytes.len() as u64;
        let rest = count.add(&bytes);
        // A whole character has at most four bytes; going back in a shorter piece would not end.
        if (1..4).contains(&rest) && offset < length && bytes.len() > 4 {
            count.strays -= 1;
            offset -= rest as u64;
        }
    }
    Ok(count.is_utf_8())
}

#[cfg(test)]
mod tests {
    use chessdb_core::{
        FileSet, Game, GameRead, GameWrite, MemorySet, ReadOptions, Scratch, WriteOptions,
    };

    use super::*;
    use crate::{Reader, Writer};

    const NEW: &str = "[Event \"New\"]\n[White \"N\"]\n\n1. d4 {new} d5 1-0\n";

    fn games(bytes: &[u8]) -> Vec<Game> {
        let mut reader = Reader::new(bytes, ReadOptions::default());
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let mut games = Vec::new();
        while reader.read_into(&mut game, &mut scratch).unwrap() {
            games.push(game.clone());
        }
        games
    }

    /// Returns the file with a game appended to it, or `None` if it must be rewritten.
    fn appended(old: &[u8]) -> Option<Vec<u8>> {
        append(old, NEW).map(Result::unwrap)
    }

    fn append(old: &[u8], new: &str) -> Option<Result<Vec<u8>>> {
        let mut set = MemorySet::new();
        set.insert(PGN_FILE, old.to_vec());
        let mut writer = Box::new(Writer::append(&mut set, WriteOptions::default()).unwrap()?);
        if let Err(error) = writer.write(&games(new.as_bytes())[0]) {
            return Some(Err(error));
        }
        writer.finish().unwrap();
        Some(Ok(set.require(PGN_FILE).unwrap().to_vec()))
    }

    #[test]
    fn append_adds_game_after_any_cut() {
        let whole = "[Event \"Old\"]\n[White \"O\"]\n[Result \"1-0\"]\n\n1. e4 $1 e5 (1... c5 2. Nf3) 1-0\n\n";
        let mut refused = 0;
        for cut in 0..=whole.len() {
            for line_end in [LineEnd::Lf, LineEnd::CrLf, LineEnd::Cr] {
                let old = line_end.apply(&whole.as_bytes()[..cut]).into_owned();
                let Some(all) = appended(&old) else {
                    refused += 1;
                    continue;
                };
                assert!(all.starts_with(&old));
                let (before, after) = (games(&old), games(&all));
                assert_eq!(
                    after.len(),
                    before.len() + 1,
                    "{}",
                    String::from_utf8_lossy(&all)
                );
                assert_eq!(after[..before.len()], before);
                let text = |game: &Game| {
                    let mut text = Vec::new();
                    crate::write_game(game, &crate::Layout::default(), &mut text);
                    text
                };
                assert_eq!(text(&after[before.len()]), text(&games(NEW.as_bytes())[0]));
                if cut > whole.find('\n').unwrap() {
                    assert_eq!(LineEnd::detect(&all), line_end);
                    assert_eq!(LineEnd::detect(&all[old.len()..]), line_end);
                }
            }
        }
        // Within the values of three tags.
        assert!(refused > 0 && refused <= 3 * 40, "{refused}");
    }

    #[test]
    fn append_in_place_requires_closed_end() {
        let utf_16 = "\u{FEFF}[White \"A\"]\n*".encode_utf16();
        for (old, in_place) in [
            (utf_16.flat_map(u16::to_le_bytes).collect(), false),
            (b"1. e4 1-0\n\x1A".to_vec(), false),
            (b"1. e4 {open".to_vec(), false),
            (b"[White \"A".to_vec(), false),
            (b"1. e4 (1. d4".to_vec(), true),
            (b"1. e4 1-0 ; comment".to_vec(), true),
            (b"1. e9".to_vec(), true),
            (Vec::new(), true),
        ] {
            let shown = String::from_utf8_lossy(&old);
            assert_eq!(appended(&old).is_some(), in_place, "{shown}");
        }
    }

    #[test]
    fn append_of_utf_8_requires_utf_8_file() {
        let german = |name: &[u8]| [b"\n[Event \"", name, b"\"]\n\n1. e4 1-0\n"].concat();
        for (old, is_utf_8) in [
            (german(b"Juergen"), true),
            (german("J\u{FC}rgen".as_bytes()), true),
            (german("J\u{FC}rgen".as_bytes()).repeat(60_000), true),
            (
                german(&["\u{E4}\u{F6}\u{FC}".repeat(9).as_bytes(), b"\xFC"].concat()),
                true,
            ),
            (german(b"J\xFCrgen"), false),
            (german(b"J\xFCrgen").repeat(60_000), false),
            (german(b"\xCF\xE5\xF2\xF0\xEE\xE2"), false),
        ] {
            let shown = String::from_utf8_lossy(&old[..old.len().min(80)]);
            let new = "[White \"M\u{FC}ller\"]\n\n1. d4 1-0";
            assert_eq!(append(&old, new).unwrap().is_ok(), is_utf_8, "{shown}");
            assert!(append(&old, NEW).unwrap().is_ok(), "{shown}");
        }
    }
}
