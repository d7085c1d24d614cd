//! Reading of games by number from a file in memory.

use std::borrow::Cow;

use chessdb_core::error::Location;
use chessdb_core::files::GameOffsets;
use chessdb_core::report::GameReport;
use chessdb_core::store::{Opened, StoreDetails};
use chessdb_core::utf16::utf_8;
use chessdb_core::{
    BaseInfo, Charset, ErrorKind, Game, GameStore, ReadOptions, Result, Scratch, Severity,
};
use chessdb_pgn::read_embedded;

use crate::layout::{Kind, Layout};
use crate::pgn_text::PgnText;
use crate::splitter::{Division, Splitter, Step};

/// A text file with a table of the offsets of its games.
#[derive(Debug)]
pub struct Store<'a> {
    /// The text in UTF-8, converted if the file is in UTF-16.
    bytes: Cow<'a, [u8]>,
    layout: Layout,
    options: ReadOptions,
    opened: Opened,
    offsets: GameOffsets,
}

impl<'a> Store<'a> {
    pub(crate) fn open(kind: Kind, bytes: &'a [u8], options: ReadOptions) -> Result<Store<'a>> {
        let options = in_utf_8(options);
        let (bytes, utf_16) = utf_8(bytes);
        let layout = Layout::find(kind, &bytes, &options.limits)?;
        let mut scratch = Scratch::new();
        // Saved offsets count bytes of the file, not of converted text.
        let saved = options.game_offsets.clone();
        let saved = saved.filter(|saved| utf_16.is_none() && !saved.are_outdated());
        let offsets = match saved {
            Some(offsets) => offsets,
            None => find(&bytes, &layout, &options, &mut scratch)?,
        };
        let mut diagnostics = scratch.diagnostics;
        diagnostics.extend(layout.notes());
        diagnostics.extend(
            utf_16
                .into_iter()
                .flat_map(|utf_16| utf_16.diagnostics(layout.role)),
        );
        Ok(Store {
            bytes,
            layout,
            options,
            opened: Opened::new(BaseInfo::default(), diagnostics),
            offsets,
        })
    }

    /// Returns the bytes of a game and their offset.
    fn record(&self, n: u32) -> Result<(&[u8], u64)> {
        let range = self.offsets.game_range(n, self.bytes.len())?;
        let start = range.start as u64;
        let bytes = self.bytes.get(range).unwrap_or_default();
        // Blanks and remarks may follow.
        let record = match Splitter::new(self.layout.division).advance(bytes, true) {
            Step::Record { end } => bytes.get(..end).unwrap_or(bytes),
            _ => bytes,
        };
        Ok((record, start))
    }

    fn read(
        &self,
        n: u32,
        headers_only: bool,
        game: &mut Game,
        scratch: &mut Scratch,
    ) -> Result<()> {
        game.clear();
        let (record, offset) = self.record(n)?;
        let location = Location::byte(self.layout.role, offset).in_game(n.saturating_add(1));
        read_record(
            record,
            &self.layout,
            &self.options,
            headers_only,
            location,
            game,
            scratch,
        )
    }
}

/// Returns the options with the charset of all these formats, regardless of the one set for others.
pub(crate) fn in_utf_8(options: ReadOptions) -> ReadOptions {
    options.with_charset(Charset::UTF_8)
}

/// Reads a game from its bytes.
pub(crate) fn read_record(
    record: &[u8],
    layout: &Layout,
    options: &ReadOptions,
    headers_only: bool,
    location: Location,
    game: &mut Game,
    scratch: &mut Scratch,
) -> Result<()> {
    game.clear();
    // The PGN reader has its own use for the buffer in `scratch`.
    let mut text = std::mem::take(&mut scratch.bytes);
    let mut report = GameReport::new(options, scratch, location.game);
    let mut out = PgnText::new(&mut text, headers_only, location, &mut report);
    let written = layout.write_pgn(record, &mut out);
    let read =
        written.and_then(|()| read_embedded(&text, options, headers_only, location, game, scratch));
    scratch.bytes = text;
    read
}

/// Finds the start of each game, and the end of the last one.
fn find(
    bytes: &[u8],
    layout: &Layout,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<GameOffsets> {
    let mut offsets: Vec<u8> = Vec::new();
    let mut start = layout.start;
    loop {
        let rest = bytes.get(start..).unwrap_or_default();
        let step = Splitter::new(layout.division).advance(rest, true);
        let end = match step {
            Step::Record { end } => {
                offsets.extend((start as u64).to_le_bytes());
                end
            }
            Step::Blank { end } | Step::Remark { end } | Step::Foreign { end } => {
                let part = rest.get(..end).unwrap_or_default();
                let location = Location::byte(layout.role, start as u64);
                report_between(step, part, location, options, scratch)?;
                end
            }
            Step::More | Step::Nothing => break,
        };
        start += end;
    }
    offsets.extend((start as u64).to_le_bytes());
    GameOffsets::from_file(offsets)
}

/// Reports text between games.
pub(crate) fn report_between(
    step: Step,
    text: &[u8],
    location: Location,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<()> {
    let (severity, kind) = match step {
        Step::Remark { .. } => (
            Severity::Note,
            ErrorKind::Structure("a line with a remark was skipped"),
        ),
        Step::Foreign { .. } => (Severity::Lost, ErrorKind::syntax("a JSON object", text)),
        _ => return Ok(()),
    };
    scratch.deviation(options, severity, kind, location)
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        self.offsets.games()
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, true, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, false, game, scratch)
    }

    fn details(&self) -> StoreDetails<'_> {
        // In a list of objects, the bytes of a game are divided again when it is read.
        let is_plain = matches!(self.bytes, Cow::Borrowed(_))
            && self.opened.diagnostics.is_empty()
            && self.layout.division != Division::Objects;
        StoreDetails::default().with_game_offsets(is_plain.then_some(&self.offsets))
    }
}
