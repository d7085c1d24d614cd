//! Games of a file that is in memory, by number.

use std::borrow::Cow;

use chessdb_core::utf16::utf_8;
use chessdb_core::{
    BaseInfo, Diagnostic, ErrorKind, Game, GameStore, ReadOptions, Result, Scratch, Start,
};

use crate::game::{Want, read_game};
use crate::raw::{Splitter, Step};
use crate::report::{Cut, Source, refuse_utf_16, report_rest, too_much_text};
use crate::roles::PGN_FILE;

/// A PGN file with a table of where its games are, made in one pass.
#[derive(Debug)]
pub struct Store<'a> {
    /// The text in UTF-8, if the file has it in UTF-16.
    bytes: Cow<'a, [u8]>,
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
    /// In strict mode UTF-16, and text that belongs to no game.
    pub fn open(bytes: &'a [u8], options: ReadOptions) -> Result<Store<'a>> {
        let (bytes, utf_16) = utf_8(bytes);
        refuse_utf_16(utf_16.as_ref(), options.mode)?;
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
            let rest = store.bytes.get(at..).unwrap_or_default();
            let mut splitter = Splitter::new();
            let Step::Game { end } = splitter.advance(rest, true) else {
                break;
            };
            let foreign = splitter.game_start().filter(|&start| start > limit);
            if foreign.is_some() {
                too_much_text(at as u64, &store.options, &mut store.diagnostics)?;
            }
            store.bounds.push((at + foreign.unwrap_or(0)) as u64);
            at += end;
            if store.bounds.len() >= u32::MAX as usize {
                return Err(
                    ErrorKind::Unsupported("a file of more than 4,294,967,294 games").into(),
                );
            }
        }
        let rest = store.bytes.get(at..).unwrap_or_default();
        report_rest(rest, at as u64, &store.options, &mut store.diagnostics)?;
        if let Some(utf_16) = utf_16 {
            store.diagnostics.extend(utf_16.diagnostics(PGN_FILE));
        }
        store.bounds.push(at as u64);
        store.bounds.shrink_to_fit();
        Ok(store)
    }

    /// The bytes of a game, with whatever stands before it and behind the one before; none beyond
    /// the last game. Those of a file in UTF-16 are in UTF-8.
    pub fn game_bytes(&self, n: u32) -> Option<&[u8]> {
        let (start, end) = self.range(n)?;
        self.bytes.get(start..end)
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
            start: &Start::Standard,
            cut: (start + kept < end).then_some(Cut::TooLong),
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
