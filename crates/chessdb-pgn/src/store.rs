//! Reading of games by number from a file in memory.

use std::borrow::Cow;

use chessdb_core::utf16::utf_8;
use chessdb_core::{
    BaseInfo, Diagnostic, Error, ErrorKind, Game, GameStore, Location, Mode, Places, ReadOptions,
    Result, Scratch, Start, Watch, watch_whole,
};

use crate::game::{ReadScope, read_game, watch_game};
use crate::raw::{Splitter, Step};
use crate::report::{CutReason, Source, refuse_utf_16, report_rest, too_much_text};
use crate::roles::PGN_FILE;

/// A PGN file with a table of its game offsets, built in one pass or given by the caller.
#[derive(Debug)]
pub struct Store<'a> {
    /// The text in UTF-8, converted if the file is in UTF-16.
    bytes: Cow<'a, [u8]>,
    options: ReadOptions,
    base: BaseInfo,
    bounds: GameBounds,
    diagnostics: Vec<Diagnostic>,
}

/// The start of each game, and the end of the last one.
#[derive(Debug)]
enum GameBounds {
    /// Found by splitting the file.
    Found(Vec<u64>),
    /// Given by the caller, and not verified.
    Given(Places),
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
        let bounds = match options.places.clone().filter(|_| utf_16.is_none()) {
            Some(places) => GameBounds::Given(places),
            None => GameBounds::Found(find(&bytes, &options, &mut diagnostics)?),
        };
        if let Some(utf_16) = utf_16 {
            diagnostics.extend(utf_16.diagnostics(PGN_FILE));
        }
        Ok(Store {
            bytes,
            options,
            base: BaseInfo::default(),
            bounds,
            diagnostics,
        })
    }

    /// Returns the bytes of a game, including any text before it. `None` after the last game. For a
    /// file in UTF-16, the bytes are UTF-8.
    pub fn game_bytes(&self, n: u32) -> Option<&[u8]> {
        let (start, end) = self.range(n)?;
        self.bytes.get(start..end)
    }

    fn range(&self, n: u32) -> Option<(usize, usize)> {
        let (start, end) = (self.bound(n)?, self.bound(n.checked_add(1)?)?);
        Some((usize::try_from(start).ok()?, usize::try_from(end).ok()?))
    }

    fn bound(&self, n: u32) -> Option<u64> {
        match &self.bounds {
            GameBounds::Found(bounds) => bounds.get(n as usize).copied(),
            GameBounds::Given(places) => places.get(n),
        }
    }

    /// Returns the bytes of a game, checking given offsets.
    fn source(&self, n: u32) -> Result<Source<'_>> {
        let Some((start, end)) = self.range(n) else {
            let kind = ErrorKind::BadField {
                field: "game number",
                value: n.into(),
            };
            return Err(kind.into());
        };
        if start > end || end > self.bytes.len() {
            let kind = ErrorKind::Structure("the cached offset does not point to a game");
            return Err(Error::new(kind).at(Location::game(n.saturating_add(1))));
        }
        let kept = (end - start).min(self.options.limits.game_bytes as usize);
        Ok(Source {
            bytes: self.bytes.get(start..start + kept).unwrap_or_default(),
            offset: start as u64,
            number: n.saturating_add(1),
            start: &Start::Standard,
            cut: (start + kept < end).then_some(CutReason::TooLong),
            followed: end < self.bytes.len(),
        })
    }

    fn read(&self, n: u32, scope: ReadScope, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        read_game(self.source(n)?, &self.options, scope, game, scratch)
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        match &self.bounds {
            GameBounds::Found(bounds) => {
                u32::try_from(bounds.len().saturating_sub(1)).unwrap_or(u32::MAX)
            }
            GameBounds::Given(places) => places.games(),
        }
    }

    fn base(&self) -> &BaseInfo {
        &self.base
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, ReadScope::Header, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, ReadScope::Everything, game, scratch)
    }

    fn watch_into(
        &self,
        n: u32,
        game: &mut Game,
        watch: &mut dyn Watch,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if self.options.mode == Mode::Strict || self.options.check {
            return watch_whole(self, n, game, watch, scratch);
        }
        watch_game(self.source(n)?, &self.options, watch, game, scratch)
    }

    fn place(&self, n: u32) -> Option<u64> {
        let is_plain = matches!(self.bytes, Cow::Borrowed(_)) && self.diagnostics.is_empty();
        is_plain.then(|| self.bound(n)).flatten()
    }
}

/// Finds the start of each game, and the end of the last one.
fn find(bytes: &[u8], options: &ReadOptions, found: &mut Vec<Diagnostic>) -> Result<Vec<u64>> {
    let mut bounds = Vec::new();
    let limit = options.limits.game_bytes as usize;
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let mut splitter = Splitter::new();
        let Step::Game { end } = splitter.advance(rest, true) else {
            break;
        };
        let foreign = splitter.game_start().filter(|&start| start > limit);
        if foreign.is_some() {
            too_much_text(at as u64, options, found)?;
        }
        bounds.push((at + foreign.unwrap_or(0)) as u64);
        at += end;
        if bounds.len() >= u32::MAX as usize {
            return Err(ErrorKind::Unsupported("a file with more than 4,294,967,294 games").into());
        }
    }
    let rest = bytes.get(at..).unwrap_or_default();
    report_rest(rest, at as u64, options, found)?;
    bounds.push(at as u64);
    bounds.shrink_to_fit();
    Ok(bounds)
}
