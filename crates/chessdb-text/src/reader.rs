//! Reading of games from a stream, one after another, with memory for one game.

use std::io::Read;

use chessdb_core::error::Location;
use chessdb_core::input_window::InputWindow;
use chessdb_core::store::Portion;
use chessdb_core::{Diagnostic, Game, GameRead, ReadOptions, Result, Scratch};

use crate::layout::{Kind, Layout};
use crate::splitter::{Splitter, Step};
use crate::store::{in_utf_8, read_record, report_between};

/// The largest number of games cut off at once, and the number of bytes that are enough.
const CUT_GAMES: usize = 256;
const CUT_BYTES: usize = 128 << 10;

/// Reads games from a stream.
///
/// A record longer than [`chessdb_core::limits::Limits::game_bytes`] is an error, and its rest is
/// skipped without being stored. An input error without an operating system code means that the
/// stream is damaged; it is returned after the games before it.
pub struct Reader<'a> {
    window: InputWindow<Box<dyn Read + Send + 'a>>,
    kind: Kind,
    layout: Option<Layout>,
    options: ReadOptions,
    number: u32,
    /// Findings that belong to no game.
    scratch: Scratch,
}

/// A record at the start of the window.
#[derive(Clone, Copy)]
struct FoundRecord {
    length: usize,
    is_cut: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        kind: Kind,
        input: Box<dyn Read + Send + 'a>,
        options: ReadOptions,
    ) -> Result<Reader<'a>> {
        let mut reader = Reader {
            window: InputWindow::new(input, kind.role()),
            kind,
            layout: None,
            options: in_utf_8(options),
            number: 0,
            scratch: Scratch::new(),
        };
        reader.layout()?;
        Ok(reader)
    }

    /// Returns the layout, which the first call determines.
    fn layout(&mut self) -> Result<Layout> {
        if let Some(layout) = &self.layout {
            return Ok(layout.clone());
        }
        while !self.window.at_end
            && !Layout::is_determined(self.kind, self.window.bytes(), &self.options.limits)
        {
            self.window.fill()?;
        }
        let layout = Layout::find(self.kind, self.window.bytes(), &self.options.limits)?;
        self.window.drop_front(layout.start);
        self.scratch.diagnostics.extend(layout.notes());
        self.layout = Some(layout.clone());
        Ok(layout)
    }

    /// Finds the next record and leaves it in the window; `None` at the end.
    fn find(&mut self) -> Result<Option<FoundRecord>> {
        if self.window.failed {
            return Ok(None);
        }
        let layout = self.layout()?;
        let limit = self.options.limits.game_bytes as usize;
        let mut splitter = Splitter::new(layout.division);
        loop {
            let step = splitter.advance(self.window.bytes(), self.window.at_end);
            let is_long = self.window.bytes().len() > limit;
            match step {
                Step::Nothing => return Ok(None),
                Step::Record { end } => {
                    return Ok(Some(FoundRecord {
                        length: end,
                        is_cut: false,
                    }));
                }
                Step::Blank { end } | Step::Remark { end } | Step::Foreign { end } => {
                    let part = self.window.bytes().get(..end).unwrap_or_default();
                    let location = Location::byte(layout.role, self.window.offset());
                    let reported =
                        report_between(step, part, location, &self.options, &mut self.scratch);
                    // Before an error is returned: the next call continues after this part.
                    self.window.drop_front(end);
                    reported?;
                    splitter = Splitter::new(layout.division);
                }
                Step::More if is_long => {
                    return Ok(Some(FoundRecord {
                        length: self.window.bytes().len(),
                        is_cut: true,
                    }));
                }
                Step::More => self.window.fill()?,
            }
        }
    }

    /// Leaves a record behind.
    fn pass(&mut self, record: FoundRecord) -> Result<()> {
        if !record.is_cut {
            self.window.drop_front(record.length);
            return Ok(());
        }
        let division = self.layout()?.division;
        let mut splitter = Splitter::new(division);
        loop {
            match splitter.advance(self.window.bytes(), self.window.at_end) {
                Step::Record { end } | Step::Foreign { end } => {
                    self.window.drop_front(end);
                    return Ok(());
                }
                Step::Blank { .. } | Step::Remark { .. } | Step::Nothing => return Ok(()),
                Step::More => {
                    // A record beyond the limit leaves the window as it is examined.
                    let examined = splitter.forget().min(self.window.bytes().len());
                    self.window.drop_front(examined);
                    self.window.fill()?;
                }
            }
        }
    }

    /// Handles the end of the stream.
    fn rest(&mut self) -> Result<bool> {
        let utf_16 = self.window.take_utf_16_diagnostics();
        self.scratch.diagnostics.extend(utf_16);
        match self.window.damage.take() {
            Some(damage) => Err(damage),
            None => Ok(false),
        }
    }
}

impl GameRead for Reader<'_> {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        let Some(extent) = self.find()? else {
            return self.rest();
        };
        let layout = self.layout()?;
        self.number = self.number.saturating_add(1);
        let location = Location::byte(layout.role, self.window.offset()).in_game(self.number);
        let record = self.window.bytes().get(..extent.length).unwrap_or_default();
        let read = read_record(
            record,
            &layout,
            &self.options,
            false,
            location,
            game,
            scratch,
        );
        // An error of the stream has precedence over errors in its last game.
        self.pass(extent)?;
        read.map(|()| true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        match self.find()? {
            Some(extent) => {
                self.number = self.number.saturating_add(1);
                self.pass(extent).map(|()| true)
            }
            None => self.rest(),
        }
    }

    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.scratch.diagnostics)
    }

    fn cut(&mut self) -> Result<Option<Portion>> {
        let layout = self.layout()?;
        let mut games = CutGames {
            layout: layout.clone(),
            options: self.options.clone(),
            // The record that fills the portion may exceed the limit.
            bytes: Vec::with_capacity(CUT_BYTES + CUT_BYTES / 2),
            records: Vec::with_capacity(CUT_GAMES),
            number: self.number.saturating_add(1),
            next: 0,
        };
        // Everything else, the end of the stream included, is left to the other methods.
        while games.records.len() < CUT_GAMES && games.bytes.len() < CUT_BYTES {
            let step = Splitter::new(layout.division).advance(self.window.bytes(), false);
            match step {
                Step::Record { end } => {
                    let record = self.window.bytes().get(..end).unwrap_or_default();
                    games.bytes.extend_from_slice(record);
                    games
                        .records
                        .push((games.bytes.len(), self.window.offset()));
                    self.window.drop_front(end);
                    self.number = self.number.saturating_add(1);
                }
                Step::Blank { end } if end > 0 => self.window.drop_front(end),
                Step::More
                    if games.records.is_empty() && !self.window.at_end && !self.window.failed =>
                {
                    if self.window.bytes().len() > self.options.limits.game_bytes as usize {
                        break;
                    }
                    self.window.fill()?;
                }
                _ => break,
            }
        }
        let len = games.records.len() as u32;
        Ok((len > 0).then(|| Portion {
            games: Box::new(games),
            len,
        }))
    }
}

/// Games that were cut off a stream.
struct CutGames {
    layout: Layout,
    options: ReadOptions,
    bytes: Vec<u8>,
    /// The end of each record in the bytes, and its offset in the stream.
    records: Vec<(usize, u64)>,
    /// The number of the first game.
    number: u32,
    next: usize,
}

impl GameRead for CutGames {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        let Some(&(end, offset)) = self.records.get(self.next) else {
            return Ok(false);
        };
        let before = self
            .next
            .checked_sub(1)
            .and_then(|last| self.records.get(last));
        let start = before.map_or(0, |&(end, _)| end);
        let number = self.number.saturating_add(self.next as u32);
        self.next += 1;
        let location = Location::byte(self.layout.role, offset).in_game(number);
        let record = self.bytes.get(start..end).unwrap_or_default();
        read_record(
            record,
            &self.layout,
            &self.options,
            false,
            location,
            game,
            scratch,
        )
        .map(|()| true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        let more = self.next < self.records.len();
        self.next += usize::from(more);
        Ok(more)
    }
}
