//! Reading of games by number from a file in memory.

use std::borrow::Cow;
use std::ops::Range;

use chessdb_core::files::{GameEnd, GameOffsets};
use chessdb_core::options::Mode;
use chessdb_core::search::MainlineObserver;
use chessdb_core::store::{Opened, StoreDetails, StoredText, observe_whole_game};
use chessdb_core::utf16::{Utf16, utf_8};
use chessdb_core::{BaseInfo, Diagnostic, Game, GameStore, ReadOptions, Result, Scratch, Start};

use crate::game::{ReadScope, observe_game, read_game};
use crate::raw::{Splitter, Step};
use crate::report::{CutReason, Source, refuse_utf_16, report_rest, too_much_text};
use crate::roles::PGN_FILE;

/// A PGN file with a table of its game offsets, built in one pass or given by the caller.
#[derive(Debug)]
pub struct Store<'a> {
    /// The text in UTF-8, converted if the file is in UTF-16.
    bytes: Cow<'a, [u8]>,
    /// The encoding of a file in UTF-16.
    utf_16: Option<Utf16>,
    options: ReadOptions,
    opened: Opened,
    /// Found by splitting the file, or given by the caller and not verified.
    offsets: GameOffsets,
}

impl<'a> Store<'a> {
    /// Finds the games, unless the options contain their offsets.
    ///
    /// # Errors
    ///
    /// Returns an error in strict mode for UTF-16, and for text that belongs to no game.
    pub fn open(bytes: &'a [u8], options: ReadOptions) -> Result<Store<'a>> {
        let (bytes, utf_16) = utf_8(bytes);
        refuse_utf_16(utf_16.as_ref(), options.mode)?;
        let mut diagnostics = Vec::new();
        // Offsets that were saved count bytes of the file, not of converted text.
        let stored = options.game_offsets.as_ref().filter(|_| utf_16.is_none());
        let offsets = match stored.and_then(|stored| current(stored, &bytes, &options)) {
            Some(offsets) => offsets,
            None => find(&bytes, &options, &mut diagnostics)?,
        };
        if let Some(utf_16) = &utf_16 {
            diagnostics.extend(utf_16.diagnostics(PGN_FILE));
        }
        Ok(Store {
            bytes,
            utf_16,
            options,
            opened: Opened::new(BaseInfo::default(), diagnostics),
            offsets,
        })
    }

    /// Returns the bytes of a game, including any text before it. `None` after the last game. For a
    /// file in UTF-16, the bytes are UTF-8.
    pub fn game_bytes(&self, n: u32) -> Option<&[u8]> {
        let range = self.offsets.game_range(n, self.bytes.len()).ok()?;
        self.bytes.get(range)
    }

    /// Returns the bytes of a game, checking given offsets.
    fn source(&self, n: u32) -> Result<Source<'_>> {
        let Range { start, end } = self.offsets.game_range(n, self.bytes.len())?;
        let length = (end - start).min(self.options.limits.game_bytes as usize);
        Ok(Source {
            bytes: self.bytes.get(start..start + length).unwrap_or_default(),
            offset: start as u64,
            number: n.saturating_add(1),
            start: &Start::Standard,
            cut: (start + length < end).then_some(CutReason::TooLong),
            followed: end < self.bytes.len(),
        })
    }

    fn read(&self, n: u32, scope: ReadScope, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        read_game(self.source(n)?, &self.options, scope, game, scratch)
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        self.offsets.games()
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, ReadScope::Header, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, ReadScope::Everything, game, scratch)
    }

    fn observe_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if self.options.mode == Mode::Strict || self.options.check {
            // Both need the findings about all moves.
            return observe_whole_game(self, n, game, observer, scratch);
        }
        observe_game(self.source(n)?, &self.options, observer, game, scratch)
    }

    fn stored_text(&self, n: u32) -> Option<StoredText<'_>> {
        // A file with invalid characters has other bytes than its text.
        if self
            .utf_16
            .as_ref()
            .is_some_and(|utf_16| !utf_16.is_exact())
        {
            return None;
        }
        let offset = |n: u32| usize::try_from(self.offsets.get(n)?).ok();
        // Text before the first game is stored with it.
        let start = if n == 0 { 0 } else { offset(n)? };
        let end = if n == self.len() { self.bytes.len() } else { offset(n.checked_add(1)?)? };
        Some(StoredText {
            bytes: self.bytes.get(start..end)?,
            offset: start as u64,
            utf_16: self.utf_16.as_ref(),
            options: &self.options,
        })
    }

    fn details(&self) -> StoreDetails<'_> {
        let is_plain = matches!(self.bytes, Cow::Borrowed(_)) && self.opened.diagnostics.is_empty();
        StoreDetails::default().with_game_offsets(is_plain.then_some(&self.offsets))
    }
}

/// Returns offsets that were stored, after the games were found that have changed since. `None` if
/// the file must be split again.
fn current(stored: &GameOffsets, bytes: &[u8], options: &ReadOptions) -> Option<GameOffsets> {
    if !stored.are_outdated() {
        return Some(stored.clone());
    }
    let limit = options.limits.game_bytes as usize;
    stored.updated(&mut |offset| {
        let rest = bytes.get(usize::try_from(offset).ok()?..)?;
        let mut splitter = Splitter::new();
        match splitter.advance(rest, true) {
            // Text that belongs to no game is reported when the whole file is split.
            Step::Game { end } if splitter.game_start().is_none_or(|start| start <= limit) => {
                Some(GameEnd::Game(offset + end as u64))
            }
            _ if rest.iter().all(u8::is_ascii_whitespace) => Some(GameEnd::NoGame),
            _ => None,
        }
    })
}

/// Finds the start of each game, and the end of the last one.
fn find(
    bytes: &[u8],
    options: &ReadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<GameOffsets> {
    let mut offsets: Vec<u8> = Vec::new();
    let mut add = |offset: usize| offsets.extend((offset as u64).to_le_bytes());
    let limit = options.limits.game_bytes as usize;
    let mut position = 0;
    loop {
        let rest = bytes.get(position..).unwrap_or_default();
        let mut splitter = Splitter::new();
        let Step::Game { end } = splitter.advance(rest, true) else {
            break;
        };
        let foreign = splitter.game_start().filter(|&start| start > limit);
        if foreign.is_some() {
            too_much_text(position as u64, options, diagnostics)?;
        }
        add(position + foreign.unwrap_or(0));
        position += end;
    }
    let rest = bytes.get(position..).unwrap_or_default();
    report_rest(rest, position as u64, options, diagnostics)?;
    add(position);
    GameOffsets::from_file(offsets)
}
