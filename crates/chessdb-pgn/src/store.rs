//! Games of a file that is in memory, by number.

use chessdb_core::{
    BaseInfo, Diagnostic, Error, ErrorKind, Game, GameStore, Location, Mode, ReadOptions, Result,
    Scratch, Severity,
};

use crate::PGN_FILE;
use crate::game::{Want, read_game};
use crate::raw::{Splitter, Step};
use crate::reader::{refuse_utf_16, too_much_text};
use crate::report::{Source, report_rest};

/// A PGN file with a table of where its games are, made in one pass.
#[derive(Debug)]
pub struct Store<'a> {
    bytes: &'a [u8],
    options: ReadOptions,
    base: BaseInfo,
    /// Where each game starts, and where the last one ends.
    bounds: Vec<u64>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Store<'a> {
    /// Finds the games.
    ///
    /// # Errors
    /// UTF-16 text; in strict mode also text that belongs to no game.
    pub fn open(bytes: &'a [u8], options: ReadOptions) -> Result<Store<'a>> {
        refuse_utf_16(bytes)?;
        let mut store = Store {
            bytes,
            options,
            base: BaseInfo::default(),
            bounds: Vec::new(),
            diagnostics: Vec::new(),
        };
        let limit = store.options.limits.game_bytes as usize;
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let mut splitter = Splitter::new();
            let Step::Game { end } = splitter.advance(rest, true) else {
                break;
            };
            let foreign = splitter.game_start().filter(|&start| start > limit);
            if foreign.is_some() {
                store.too_much_text(at)?;
            }
            store.bounds.push((at + foreign.unwrap_or(0)) as u64);
            at += end;
            if store.bounds.len() >= u32::MAX as usize {
                return Err(
                    ErrorKind::Unsupported("a file of more than 4,294,967,294 games").into(),
                );
            }
        }
        let source = Source {
            bytes: bytes.get(at..).unwrap_or_default(),
            offset: at as u64,
            number: store.len(),
            cut: false,
        };
        report_rest(source, &store.options, &mut store.diagnostics)?;
        store.bounds.push(at as u64);
        store.bounds.shrink_to_fit();
        Ok(store)
    }

    fn too_much_text(&mut self, at: usize) -> Result<()> {
        let kind = too_much_text(&self.options);
        let at = Location::byte(PGN_FILE, at as u64);
        if self.options.mode == Mode::Strict {
            return Err(Error::new(kind).at(at));
        }
        if self.diagnostics.len() < self.options.limits.diagnostics as usize {
            self.diagnostics
                .push(Diagnostic::new(Severity::Lost, kind, at));
        }
        Ok(())
    }

    /// The bytes of a game, with whatever stands before it and behind the one before; none beyond
    /// the last game.
    pub fn game_bytes(&self, n: u32) -> Option<&'a [u8]> {
        let (start, end) = self.range(n)?;
        self.bytes.get(start..end)
    }

    /// The findings on opening, for good.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    fn range(&self, n: u32) -> Option<(usize, usize)> {
        let start = *self.bounds.get(n as usize)?;
        let end = *self.bounds.get(n as usize + 1)?;
        Some((usize::try_from(start).ok()?, usize::try_from(end).ok()?))
    }

    fn read(&self, n: u32, want: Want, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let Some((start, end)) = self.range(n) else {
            let kind = ErrorKind::BadField {
                field: "game number",
                value: n.into(),
            };
            return Err(kind.into());
        };
        let kept = (end - start).min(self.options.limits.game_bytes as usize);
        let source = Source {
            bytes: self.bytes.get(start..start + kept).unwrap_or_default(),
            offset: start as u64,
            number: n.saturating_add(1),
            cut: start + kept < end,
        };
        read_game(source, &self.options, want, game, scratch)
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        let games = self.bounds.len().saturating_sub(1);
        u32::try_from(games).unwrap_or(u32::MAX)
    }

    fn base(&self) -> &BaseInfo {
        &self.base
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn head_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, Want::Head, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, Want::Everything, game, scratch)
    }
}
