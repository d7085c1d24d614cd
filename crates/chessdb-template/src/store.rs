//! Reading of games, by number or from a stream.

use std::io::{BufRead, BufReader, Read};

use chessdb_core::error::Location;
use chessdb_core::report::GameReport;
use chessdb_core::store::Opened;
use chessdb_core::{
    BaseInfo, Diagnostic, ErrorKind, FileSet, Game, GameRead, GameStore, ReadOptions, Result,
    Scratch, Severity,
};

use crate::raw::{File, Line, MAGIC};
use crate::roles::TEMPLATE_FILE;
use crate::{header, moves};

/// A database that is open for reading.
#[derive(Debug)]
pub struct Store<'a> {
    options: ReadOptions,
    lines: Vec<Line<'a>>,
    opened: Opened,
}

impl<'a> Store<'a> {
    /// Opens a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the file or its magic bytes are missing, and in strict mode also if the
    /// last line is incomplete.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let lines = File::parse(files.require(TEMPLATE_FILE)?)?.lines;
        let mut scratch = Scratch::new();
        if let Some(last) = lines.last().filter(|line| !line.ends) {
            let at = Location::byte(TEMPLATE_FILE, last.offset as u64);
            scratch.deviation(&options, Severity::Lost, INCOMPLETE, at)?;
        }
        Ok(Store {
            options,
            lines,
            opened: Opened::new(BaseInfo::default(), scratch.diagnostics),
        })
    }

    fn line(&self, n: u32) -> Result<&Line<'a>> {
        let available = self.len();
        let kind = ErrorKind::LimitExceeded {
            what: "games in the database",
            limit: available.into(),
        };
        Ok(self.lines.get(n as usize).ok_or(kind)?)
    }
}

/// The finding for a line without its end, which may have lost moves.
const INCOMPLETE: ErrorKind = ErrorKind::Structure("the last line has no end");

/// Fills a game from its line.
fn read_line(
    line: &Line<'_>,
    game: &mut Game,
    report: &mut GameReport<'_>,
    has_moves: bool,
) -> Result<()> {
    game.clear();
    let at = Location::byte(TEMPLATE_FILE, line.offset as u64);
    let Some(([mark, white, black, result, words], offset)) = line.game() else {
        let kind = ErrorKind::Structure("a line with another number of fields");
        return Err(chessdb_core::Error::new(kind).at(at));
    };
    header::read([mark, white, black, result], at, game, report)?;
    if has_moves {
        moves::read(
            words,
            Location::byte(TEMPLATE_FILE, offset as u64),
            game,
            report,
        )
    } else {
        Ok(())
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = GameReport::new(&self.options, scratch, n.saturating_add(1));
        read_line(self.line(n)?, game, &mut report, false)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = GameReport::new(&self.options, scratch, n.saturating_add(1));
        read_line(self.line(n)?, game, &mut report, true)
    }
}

/// A reader of the games of a stream, one after another.
pub struct Reader<'a> {
    input: BufReader<Box<dyn Read + Send + 'a>>,
    options: ReadOptions,
    /// The offset of the next line.
    offset: usize,
    /// The number of games before it.
    games: u32,
    bytes: Vec<u8>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    /// Reads the magic bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if they are missing or the stream fails.
    pub fn new(input: Box<dyn Read + Send + 'a>, options: ReadOptions) -> Result<Reader<'a>> {
        let mut reader = Reader {
            input: BufReader::new(input),
            options,
            offset: 0,
            games: 0,
            bytes: Vec::new(),
            diagnostics: Vec::new(),
        };
        let magic = MAGIC.len() as u64;
        (&mut reader.input)
            .take(magic)
            .read_to_end(&mut reader.bytes)?;
        reader.offset = File::parse(&reader.bytes).map(|_| MAGIC.len())?;
        Ok(reader)
    }

    /// Reads the next line; `None` at the end.
    fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        self.bytes.clear();
        if self.input.read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        let line = Line::parse(&self.bytes, self.offset);
        self.offset += self.bytes.len();
        self.games = self.games.saturating_add(1);
        if !line.ends {
            let at = Location::byte(TEMPLATE_FILE, line.offset as u64);
            let mut scratch = Scratch::new();
            scratch.deviation(&self.options, Severity::Lost, INCOMPLETE, at)?;
            self.diagnostics.append(&mut scratch.diagnostics);
        }
        Ok(Some(line))
    }
}

impl GameRead for Reader<'_> {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        let (options, number) = (self.options.clone(), self.games.saturating_add(1));
        let Some(line) = self.next_line()? else {
            return Ok(false);
        };
        let mut report = GameReport::new(&options, scratch, number);
        read_line(&line, game, &mut report, true).map(|()| true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        Ok(self.next_line()?.is_some())
    }

    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }
}
