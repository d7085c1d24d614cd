//! Reading parts of one large file in several processes: bytes of plain PGN, or Zstandard frames.
//!
//! A frame can end within a game. The games of a part are therefore those from the first game that
//! begins in its frames, as recognizable from their bytes alone, up to the first game that begins
//! in the frame after the part. Both sides of a cut examine the same bytes, so no game is lost or
//! read twice.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use chessdb_database::{Database, OpenOptions};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::packed::{Packing, Stream, fill};

/// Opens a part of a file as a stream of games: a range of a plain file that begins and ends with a
/// game, or frames of a file packed with Zstandard.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and the errors of [`OpenOptions::from_reader`].
pub fn open_part(path: &Path, range: &Range<u64>, options: &OpenOptions) -> Result<Database> {
    let failed = |problem: Problem| Error::new(path, problem);
    let mut file = File::open(path).map_err(|error| failed(error.into()))?;
    let mut start = [0; 4];
    let packing = file
        .seek(SeekFrom::Start(range.start))
        .and_then(|_| fill(&mut file, &mut start))
        .and_then(|_| file.seek(SeekFrom::Start(range.start)));
    packing.map_err(|error| failed(error.into()))?;
    let length = range.end.saturating_sub(range.start);
    if Packing::from_start(&start) == Packing::Zstd {
        let own = unpacked(file.take(length)).map_err(failed)?;
        let end = file_length(path).map_err(|error| failed(error.into()))?;
        let next_frame = (range.end < end).then(|| (path.to_owned(), range.end));
        return options.from_reader(FrameGames::new(own, next_frame, range.start > 0));
    }
    options.from_reader(file.take(length))
}

fn file_length(path: &Path) -> io::Result<u64> {
    Ok(std::fs::metadata(path)?.len())
}

/// Returns the offsets at which a file packed with Zstandard can be divided: the first frame after
/// each `step` bytes. Empty if the file is one frame or not packed with Zstandard. The part after
/// damage is not divided.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub fn frames(path: &Path, step: u64) -> Result<Vec<u64>> {
    File::open(path)
        .and_then(|file| cuts(BufReader::new(file), step.max(1)))
        .map_err(|error| Error::new(path, error))
}

/// Magic number of a frame, and of a skippable frame without its lowest digit.
const FRAME: u32 = 0xFD2F_B528;
const SKIPPABLE_FRAME: u32 = 0x184D_2A50;

fn cuts(mut file: BufReader<impl Read + Seek>, step: u64) -> io::Result<Vec<u64>> {
    let end = file.seek(SeekFrom::End(0))?;
    let mut offset = file.seek(SeekFrom::Start(0))?;
    let mut cuts = Vec::new();
    let mut next = step;
    let mut is_first = true;
    while offset < end {
        let length = match frame_length(&mut file) {
            Ok(Some((length, has_content))) => {
                // A part needs a frame with content at its start, and the first part begins at the
                // start of the file.
                if has_content && !is_first && offset >= next {
                    cuts.push(offset);
                    next = offset.saturating_add(step);
                }
                is_first &= !has_content;
                length
            }
            Ok(None) => break,
            // The last frame is incomplete; its games are read as far as they go.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        };
        offset = offset.saturating_add(length);
        let position = file.stream_position()?;
        file.seek_relative(
            offset
                .saturating_sub(position)
                .try_into()
                .unwrap_or(i64::MAX),
        )?;
    }
    Ok(cuts)
}

/// Returns the length of the frame that begins here and whether it has content; `None` if no frame
/// begins here. Skips its blocks.
fn frame_length(file: &mut BufReader<impl Read + Seek>) -> io::Result<Option<(u64, bool)>> {
    let magic = number::<4>(file)?;
    if magic & !0xF == SKIPPABLE_FRAME {
        return Ok(Some((8 + u64::from(number::<4>(file)?), false)));
    }
    if magic != FRAME {
        return Ok(None);
    }
    let descriptor = number::<1>(file)?;
    let is_single = descriptor & 0x20 != 0;
    // A single segment has no window, and states at least one byte of its content size.
    let window = u64::from(!is_single);
    let dictionary = [0, 1, 2, 4].get(descriptor as usize & 3).copied();
    let content = match descriptor >> 6 {
        0 => u64::from(is_single),
        size => 1 << size,
    };
    let rest = window + dictionary.unwrap_or(0) + content;
    let mut length = 5 + rest;
    file.seek_relative(rest.cast_signed())?;
    loop {
        let block = number::<3>(file)?;
        // An RLE block stores the repeated byte once.
        let size = if block >> 1 & 3 == 1 { 1 } else { block >> 3 };
        file.seek_relative(size.into())?;
        length += 3 + u64::from(size);
        if block & 1 == 1 {
            let checksum = if descriptor & 4 == 0 { 0 } else { 4 };
            return Ok(Some((length + checksum, true)));
        }
    }
}

fn number<const N: usize>(file: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(bytes.get_mut(..N).unwrap_or_default())?;
    Ok(u32::from_le_bytes(bytes))
}

fn unpacked<'a>(packed: impl Read + Send + 'a) -> std::result::Result<FrameReader<'a>, Problem> {
    Ok(BufReader::new(Packing::Zstd.undo(Box::new(packed))?))
}

type FrameReader<'a> = BufReader<Stream<'a>>;

/// Maximum bytes of a line that are examined at once; enough to recognize the start of a game.
const PIECE_SIZE: u64 = 64 << 10;

/// The games that begin in some frames.
struct FrameGames {
    source: FrameReader<'static>,
    /// The path and offset of the next frame, until it is opened.
    next_frame: Option<(PathBuf, u64)>,
    /// The lines before the first game; `None` once it has begun.
    before: Option<GameStartScanner>,
    /// The lines after the frames, once these are read.
    after: Option<GameStartScanner>,
    piece: Vec<u8>,
    /// Number of bytes of the piece that were returned.
    taken: usize,
    is_over: bool,
}

impl FrameGames {
    fn new(
        source: FrameReader<'static>,
        next_frame: Option<(PathBuf, u64)>,
        may_begin_inside: bool,
    ) -> FrameGames {
        FrameGames {
            source,
            next_frame,
            before: may_begin_inside.then(GameStartScanner::default),
            after: None,
            piece: Vec::new(),
            taken: 0,
            is_over: false,
        }
    }

    /// Reads the next piece of these games; returns false at their end.
    fn advance(&mut self) -> io::Result<bool> {
        while !self.is_over {
            self.piece.clear();
            self.taken = 0;
            self.read_piece()?;
            let is_long = self.piece.len() as u64 >= PIECE_SIZE;
            // A piece is cut short by its size as well, and only a missing line end means that the
            // frames ended.
            let is_cut = !self.piece.ends_with(b"\n") && !is_long;
            let mut ends = false;
            if is_cut && let Some((path, place)) = self.next_frame.take() {
                // The line continues after the frames.
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(place))?;
                self.source = unpacked(file).map_err(|problem| match problem {
                    Problem::Io(error) => error,
                    other => io::Error::other(other.to_string()),
                })?;
                let own = self.piece.len();
                self.read_piece()?;
                let mut after = GameStartScanner::default();
                after.take(self.piece.get(own..).unwrap_or_default());
                self.after = Some(after);
            } else if let Some(after) = &mut self.after {
                ends = after.take(&self.piece);
            }
            self.is_over = self.piece.is_empty() || ends;
            if self.is_over {
                self.piece.clear();
                break;
            }
            if self
                .before
                .as_mut()
                .is_none_or(|lines| lines.take(&self.piece))
            {
                self.before = None;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read_piece(&mut self) -> io::Result<()> {
        let mut piece = self.source.by_ref().take(PIECE_SIZE);
        piece.read_until(b'\n', &mut self.piece).map(drop)
    }
}

impl Read for FrameGames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken >= self.piece.len() && !self.advance()? {
            return Ok(0);
        }
        let mut rest = self.piece.get(self.taken..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.taken += count;
        Ok(count)
    }
}

/// A scanner for the start of a game. Lines arrive in pieces; the first may begin anywhere.
#[derive(Default)]
struct GameStartScanner {
    /// Whether the next piece begins a line.
    at_start: bool,
    /// Whether the line was seen from its start.
    is_whole: bool,
    /// The last bytes of the line so far, and whether blanks follow.
    tail: Vec<u8>,
    has_blanks: bool,
    /// Whether the previous line is blank or ends with a result.
    ends: bool,
}

/// The start of a game in PGN.
const EVENT: &[u8] = b"[Event \"";
const RESULTS: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", b"*"];
const LONGEST_RESULT: usize = 7;

impl GameStartScanner {
    /// Adds a piece; returns whether a game begins with it.
    fn take(&mut self, piece: &[u8]) -> bool {
        let begins = self.at_start && self.ends && piece.starts_with(EVENT);
        let text = piece.trim_ascii_end();
        if !text.is_empty() {
            if self.has_blanks {
                self.tail.push(b' ');
            }
            let last = text.len().saturating_sub(LONGEST_RESULT);
            self.tail.extend(text.get(last..).unwrap_or_default());
            // A result is recognised by the last characters of a line, however long it is.
            let more = self.tail.len().saturating_sub(LONGEST_RESULT);
            self.tail.drain(..more);
            self.has_blanks = false;
        }
        self.has_blanks |= text.len() < piece.len();
        self.at_start = piece.ends_with(b"\n");
        if self.at_start {
            let is_blank = self.is_whole && self.tail.is_empty();
            let is_result = RESULTS.iter().any(|result| self.tail.ends_with(result));
            self.ends = is_blank || is_result;
            self.is_whole = true;
            self.has_blanks = false;
            self.tail.clear();
        }
        begins
    }
}

#[cfg(test)]
#[cfg(feature = "archives")]
mod tests {
    use super::*;

    /// Returns games with comments across cuts, some on one line and some without blank lines.
    fn pgn() -> String {
        let game = |n: u32| match n % 4 {
            0 => format!(
                "[Event \"{n}\"]\n[White \"{n}\"]\n\n1. e4 {{a\n[Event \"no\"]\n}} e5 *\n\n"
            ),
            1 => format!("[Event \"{n}\"]\n[White \"{n}\"]\n\n1. e4 e5 1-0\n"),
            2 => format!(
                "[Event \"{n}\"]\r\n[White \"{n}\"]\r\n\r\n1. d4 {{{}}} *\r\n\r\n",
                "x ".repeat(40)
            ),
            _ => format!("[Event \"{n}\"]\n[White \"{n}\"]\n\n1. c4 c5\n1/2-1/2\n\n"),
        };
        (0..60).map(game).collect()
    }

    fn whites(db: &Database) -> Vec<String> {
        let games = db.scan().into_iter();
        games
            .map(|game| game.unwrap().white().into_owned())
            .collect()
    }

    /// Packs the text in frames of `size` bytes, each after a skippable frame if `pads`.
    fn packed(text: &str, size: usize, pads: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (n, part) in text.as_bytes().chunks(size).enumerate() {
            if pads {
                bytes.extend([0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]);
            }
            match n % 3 {
                0 => bytes.extend(zstd::bulk::compress(part, 1).unwrap()),
                _ => bytes.extend(zstd::stream::encode_all(part, 0).unwrap()),
            }
        }
        bytes
    }

    #[test]
    fn no_game_is_lost_or_twice_wherever_frames_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn.zst");
        let text = pgn();
        let expected: Vec<String> = (0..60).map(|n: u32| n.to_string()).collect();
        for size in [1, 2, 3, 5, 8, 13, 21, 34, 64, 100, 333, 1000, 4000, 1 << 20] {
            let bytes = packed(&text, size, size % 2 == 0);
            let end = bytes.len() as u64;
            std::fs::write(&path, bytes).unwrap();
            for step in [1, 200, 5000] {
                let cuts = frames(&path, step).unwrap();
                let starts = std::iter::once(0).chain(cuts.iter().copied());
                let ends = cuts.iter().copied().chain([end]);
                let mut games = Vec::new();
                for (start, end) in starts.zip(ends) {
                    let options = Database::options().format("pgn");
                    games.extend(whites(&open_part(&path, &(start..end), &options).unwrap()));
                }
                assert_eq!(games, expected, "frames of {size}, step {step}: {cuts:?}");
                if step == 1 {
                    assert_eq!(
                        cuts.len() + 1,
                        text.len().div_ceil(size),
                        "frames of {size}"
                    );
                }
            }
        }
    }

    #[test]
    fn damage_ends_the_search_for_frames() {
        let bytes = packed(&pgn(), 500, true);
        let all = cuts(BufReader::new(io::Cursor::new(&bytes)), 1).unwrap();
        assert!(all.len() > 5);
        for length in (0..bytes.len()).step_by(7) {
            let part = io::Cursor::new(&bytes[..length]);
            let some = cuts(BufReader::new(part), 1).unwrap();
            assert!(all.starts_with(&some), "{length}");
        }
        let plain = io::Cursor::new(pgn().into_bytes());
        assert!(cuts(BufReader::new(plain), 1).unwrap().is_empty());
        // A frame with a stated length beyond the end of the file.
        let claims = [0x50, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0];
        let none = cuts(BufReader::new(io::Cursor::new(claims)), 1);
        assert!(none.unwrap().is_empty());
    }
}
