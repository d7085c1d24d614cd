//! The decoder of moves, the hot loop of reading.

use chessdb_core::board::Facts;
use chessdb_core::error::Location;
use chessdb_core::legacy::scid::ReadLines;
use chessdb_core::line::{Counts, LineReader, Step, Stop};
use chessdb_core::report::GameReport;
use chessdb_core::text::EncodingDetector;
use chessdb_core::{ErrorKind, Game, Result};

use crate::derived::material;
use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};
use crate::raw::{Comments, RecordParts};

/// Values counted in a record, to be compared with the index entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    pub(crate) counts: Counts,
    /// The material at the end of the mainline.
    pub(crate) final_material: u32,
}

/// Decodes the moves of a record into `game`, which already has its header. `start` is the location
/// of the moves in the games file. Returns `None` if something had to be left out.
///
/// # Errors
///
/// In strict mode, returns the first deviation from the format page.
pub(crate) fn decode(
    parts: &RecordParts<'_>,
    start: Location,
    detector: &EncodingDetector,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<Option<Decoded>> {
    let options = report.options;
    let facts = options.facts || options.check;
    let with_variations = parts.moves.contains(&OPEN);
    let lines = match ReadLines::new(&game.header.start, with_variations, facts) {
        Ok(lines) => lines,
        Err(error) => {
            let (kind, _) = error.into_parts();
            report.lost(kind, start)?;
            return Ok(None);
        }
    };
    let line = LineReader::new(lines, game, report, start);
    let mut decoder = Decoder {
        bytes: parts.moves,
        line,
        comments: Comments::new(parts.comments),
        detector,
    };
    let mut read = decoder.run();
    if !parts.ended && !matches!(read, Err(Stop::Error(_))) {
        // Everything after it is missing, at least the comments.
        let kind = ErrorKind::Structure("the end mark of the moves is missing");
        read = decoder.line.lost(kind);
    }
    let final_material = material(decoder.line.lines().board());
    let counts = decoder.line.end(read)?;
    if !decoder.comments.rest().is_empty() {
        decoder.surplus_comments()?;
    }
    let decoded = Decoded {
        counts,
        final_material,
    };
    Ok(decoder.line.finish().then_some(decoded))
}

struct Decoder<'a, 'r, 'o> {
    bytes: &'a [u8],
    line: LineReader<'r, 'o, ReadLines>,
    comments: Comments<'a>,
    detector: &'r EncodingDetector,
}

impl Decoder<'_, '_, '_> {
    fn run(&mut self) -> Step {
        while let Some(&byte) = self.bytes.get(self.line.at) {
            match byte {
                END => {
                    self.line.at += 1;
                    return Ok(());
                }
                NAG => {
                    let Some(&nag) = self.bytes.get(self.line.at + 1) else {
                        // The missing end mark is reported by the caller.
                        return Ok(());
                    };
                    self.line.nag(nag.into())?;
                    self.line.at += 1;
                }
                COMMENT => self.comment()?,
                OPEN => self.line.open()?,
                CLOSE => self.line.close_or_repair()?,
                // The second byte of a queen's move is 64 or more and is never taken for a marker.
                _ if self.line.is_skipping() => {}
                _ => {
                    self.half_move()?;
                    continue;
                }
            }
            self.line.at += 1;
        }
        Ok(())
    }

    #[inline]
    fn half_move(&mut self) -> Step {
        let bytes = self.bytes.get(self.line.at..).unwrap_or_default();
        // From fast to slow: a run of plain moves, one plain move, any move.
        let played = self
            .line
            .play_run(|lines, tape| lines.run(bytes, |mv| tape.known(mv, Facts::UNKNOWN).is_ok()));
        if played {
            return Ok(());
        }
        if self.line.has_ply_room()
            && let Some((mv, facts, used)) = self.line.lines_mut().take_plain(bytes)
        {
            self.line.known(mv, facts)?;
            self.line.at += used;
            return Ok(());
        }
        match self.line.lines().decode(bytes) {
            Ok((mv, used)) => {
                self.line.check_ply_room()?;
                let facts = self.line.lines_mut().play(mv);
                self.line.known(mv, facts)?;
                self.line.at += used;
                Ok(())
            }
            Err(fault) => {
                let excerpt = bytes.get(..2).unwrap_or(bytes);
                self.line.bad_move(fault.into_kind(excerpt))
            }
        }
    }

    /// Takes the text for a comment marker.
    fn comment(&mut self) -> Step {
        let text = match self.comments.next() {
            Some(text) => text,
            None if self.comments.rest().is_empty() => {
                let kind = ErrorKind::Structure("a comment marker without a comment text");
                return self.line.lost(kind);
            }
            None => {
                let text = self.comments.rest();
                // What is taken here must not be reported again as surplus.
                self.comments = Comments::new(&[]);
                let kind = ErrorKind::Structure("the end of the last comment is missing");
                self.line.lost(kind)?;
                text
            }
        };
        self.put(text)
    }

    fn put(&mut self, text: &[u8]) -> Step {
        let charset = self.detector.charset(text);
        self.line.comment(text, charset, self.line.place())
    }

    /// Adds texts without a marker to the end of the game.
    fn surplus_comments(&mut self) -> Result<()> {
        let kind = ErrorKind::mismatch(
            "the number of bytes after the comments",
            self.comments.rest().len() as u64,
            0,
        );
        if !self.line.takes_surplus(kind, self.line.here())? {
            return Ok(());
        }
        let mut comments = self.comments.clone();
        while !comments.rest().is_empty() {
            let text = match comments.next() {
                Some(text) => text,
                None => std::mem::replace(&mut comments, Comments::new(&[])).rest(),
            };
            if !text.is_empty()
                && let Err(stop) = self.put(text)
            {
                return Stop::into_result(Err(stop));
            }
        }
        Ok(())
    }
}
