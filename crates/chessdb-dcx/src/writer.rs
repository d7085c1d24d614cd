//! Writing a database (docs/formats/dcx.md, section 14).

mod append;
mod tables;

use std::sync::Arc;

use chessdb_core::files::{FileId, FileSink};
use chessdb_core::loss::LimitExceeded;
use chessdb_core::options::Allow;
use chessdb_core::store::{Prepare, Prepared, preparer};
use chessdb_core::{
    Error, ErrorKind, Game, GameWrite, LossKind, Losses, Result, Start, WriteOptions,
};

use crate::format::CHESS960;
use crate::header;
use crate::moves::MoveEncoder;
use crate::raw::edit::NewGame;
use crate::raw::{Entry, FileHeader, FileKind, Layout, Length, Magic, Record, StartField};
use tables::NameTableBuilder;

/// Bytes of .dcg that are collected before they go to the sink.
const CHUNK: usize = 1 << 16;

/// A writer of databases in the form of the reference writer.
///
/// Entries and names stay in memory until [`GameWrite::finish`], because the order of the names
/// determines all references.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    files: OutputFiles,
    allow: Allow,
    base_losses: Losses,
    exceeded: Vec<LimitExceeded>,
    /// The game to open first, from 1.
    open_first: Option<u32>,
    tables: NameTableBuilders,
    /// The previous number of games, when appending.
    before: Option<u32>,
    /// The game (from 0) that the new one replaces.
    replaced: Option<u32>,
    entries: Vec<[u8; 39]>,
    work: EncodedGame,
    /// Number of .dcg bytes written or waiting.
    offset: u64,
    waiting: Vec<u8>,
}

/// An encoded game without the numbers of its names and without its offset.
#[derive(Default)]
struct EncodedGame {
    entry: Entry,
    /// White, Black, site, event.
    names: [Vec<u8>; 4],
    coder: RecordEncoder,
    losses: Losses,
    /// Why there is no record.
    fault: Option<Error>,
}

impl EncodedGame {
    fn encode(&mut self, game: &Game) {
        self.losses.clear();
        let losses = &mut self.losses;
        self.entry = header::write_header(game, losses);
        self.names = NameTableBuilders::of(game).map(|(_, named)| tables::fit(game, named, losses));
        self.fault = self.coder.encode(game, losses).err();
    }
}

struct OutputFiles {
    players: FileId,
    sites: FileId,
    events: FileId,
    games: FileId,
    index: FileId,
}

/// The three tables. Until the end, entries refer to names by number.
pub(crate) struct NameTableBuilders {
    pub(crate) players: NameTableBuilder,
    pub(crate) sites: NameTableBuilder,
    pub(crate) events: NameTableBuilder,
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails, or if something of the database as a whole would be lost
    /// and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let WriteOptions { allow, base, .. } = options;
        let base_losses = base.losses();
        allow.check(&base_losses)?;
        // The index comes last: without it there is no database.
        let mut create = |kind: FileKind| sink.create(kind.role());
        let files = OutputFiles {
            players: create(FileKind::Players)?,
            sites: create(FileKind::Sites)?,
            events: create(FileKind::Events)?,
            games: create(FileKind::Games)?,
            index: create(FileKind::Index)?,
        };
        Ok(Writer {
            sink,
            files,
            allow,
            base_losses,
            exceeded: Vec::new(),
            open_first: base.open_first.filter(|&n| n > 0),
            tables: NameTableBuilders::new(&base),
            before: None,
            replaced: None,
            entries: Vec::new(),
            work: EncodedGame::default(),
            offset: Magic::SIZE as u64,
            waiting: Magic::new(FileKind::Games).as_bytes().to_vec(),
        })
    }

    /// Appends an encoded game; its names get their numbers.
    fn put(&mut self, game: &Game, work: &mut EncodedGame) -> Result<Losses> {
        if let Some(fault) = work.fault.take() {
            return Err(fault);
        }
        self.allow.check(&work.losses)?;
        if self.entries.len() >= (u32::MAX - self.before.unwrap_or(0)) as usize {
            let what = "games in a database";
            let limit = u32::MAX.into();
            return Err(ErrorKind::LimitExceeded { what, limit }.into());
        }
        let entry = &mut work.entry;
        self.tables.refer(game, &work.names, entry)?;
        let record = &work.coder.record;
        entry.offset = self.offset;
        self.offset += record.len() as u64;
        self.waiting.extend_from_slice(record);
        self.entries.push(entry.to_bytes());
        if game.is_chess960() {
            let number = self.before.unwrap_or(0) + self.entries.len() as u32;
            LimitExceeded::note(&mut self.exceeded, &CHESS960, number);
        }
        if self.waiting.len() >= CHUNK {
            self.flush()?;
        }
        Ok(std::mem::take(&mut work.losses))
    }

    fn flush(&mut self) -> Result<()> {
        self.sink.write(self.files.games, &self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    /// Returns the index, or its new part. The names in the entries are still numbers in the order
    /// of their first use.
    fn index(&self, orders: &NameOrders) -> Result<Vec<u8>> {
        let mut index = Vec::with_capacity(19 + self.entries.len() * 39);
        if self.before.is_none() {
            let mut file_header = FileHeader::new();
            let first = self.open_first.map(|n| n - 1);
            if let Some(n) = first.filter(|&n| (n as usize) < self.entries.len()) {
                file_header.open_default = Some(Layout::CURRENT.entry_offset(n));
            }
            file_header.write(&mut index);
        }
        for bytes in &self.entries {
            let mut entry = Entry::parse_39(bytes);
            entry.white = orders.players.reference(entry.white)?;
            entry.black = orders.players.reference(entry.black)?;
            entry.site = orders.sites.reference(entry.site)?;
            entry.event = orders.events.reference(entry.event)?;
            index.extend_from_slice(&entry.to_bytes());
        }
        Ok(index)
    }
}

struct NameOrders {
    players: tables::NameOrder,
    sites: tables::NameOrder,
    events: tables::NameOrder,
}

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        // A game that cannot be encoded is reported when it is written.
        let mut work = EncodedGame::default();
        work.encode(game);
        work.losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut work = std::mem::take(&mut self.work);
        work.encode(game);
        let written = self.put(game, &mut work);
        self.work = work;
        written
    }

    fn preparer(&self) -> Option<Arc<dyn Prepare>> {
        Some(preparer(|game, work: &mut EncodedGame| work.encode(game)))
    }

    fn write_prepared(&mut self, game: &Game, prepared: &mut Prepared) -> Result<Losses> {
        match prepared.made() {
            Some(work) => self.put(game, work),
            None => self.write(game),
        }
    }

    fn exceeded(&self) -> &[LimitExceeded] {
        &self.exceeded
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn late_losses(&self) -> Losses {
        let mut losses = Losses::new();
        // Its entry determines its number: without an entry there is nothing to point to.
        let first = self.open_first.unwrap_or(0) as usize;
        losses.add_many(
            LossKind::OpenFirst,
            (first > self.entries.len()).into(),
            None,
        );
        losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        self.allow.check(&self.late_losses())?;
        self.flush()?;
        let NameTableBuilders {
            players,
            sites,
            events,
        } = &mut self.tables;
        let orders = NameOrders {
            players: players.order(),
            sites: sites.order(),
            events: events.order(),
        };
        let index = self.index(&orders)?;
        let Writer {
            sink,
            files,
            tables,
            entries,
            before,
            replaced,
            ..
        } = *self;
        for (file, kind, table, order) in [
            (
                files.players,
                FileKind::Players,
                &tables.players,
                &orders.players,
            ),
            (files.sites, FileKind::Sites, &tables.sites, &orders.sites),
            (
                files.events,
                FileKind::Events,
                &tables.events,
                &orders.events,
            ),
        ] {
            let bytes = table.to_bytes(kind, order);
            let old = before.map_or(0, |_| table.kept_bytes());
            sink.write(file, bytes.get(old..).unwrap_or_default())?;
        }
        sink.write(files.index, &index)?;
        if let Some(n) = replaced {
            sink.patch(
                files.index,
                Layout::CURRENT.entry_offset(n),
                &[Entry::DELETED],
            )?;
        }
        sink.commit()?;
        Ok(entries.len() as u32)
    }
}

/// Encodes a game for adding it to a database in place ([`crate::raw::edit`]), and returns what is
/// lost.
///
/// # Errors
///
/// Returns an error if the game needs more bytes than a record can have.
pub fn encode(game: &Game) -> Result<(NewGame, Losses)> {
    let mut losses = Losses::new();
    let entry = header::write_header(game, &mut losses);
    let names = NameTableBuilders::of(game).map(|(_, named)| tables::fit(game, named, &mut losses));
    let [white, black, site, event] = names;
    let mut coder = RecordEncoder::default();
    coder.encode(game, &mut losses)?;
    let record = coder.record;
    let new = NewGame {
        entry,
        white,
        black,
        site,
        event,
        record,
    };
    Ok((new, losses))
}

/// An encoder of records.
#[derive(Default)]
pub(crate) struct RecordEncoder {
    encoder: MoveEncoder,
    body: Vec<u8>,
    pub(crate) record: Vec<u8>,
}

impl RecordEncoder {
    /// Encodes the record of a game: length, start position, body.
    pub(crate) fn encode(&mut self, game: &Game, losses: &mut Losses) -> Result<()> {
        self.body.clear();
        self.record.clear();
        self.encoder.encode(game, losses, &mut self.body)?;
        let mut fen = Vec::new();
        let start = match &game.header.start {
            // A Chess960 game from the standard position has the same FEN as a standard one.
            Start::Setup(setup) if !setup.board.is_standard_start() => {
                setup.write_fen(&mut fen);
                let length = Length::new(fen.len() as u32);
                StartField::Fen { length, text: &fen }
            }
            _ => StartField::Standard,
        };
        let record = Record::new(start, &self.body).ok_or_else(|| {
            let what = "bytes in a game";
            let limit = u32::MAX.into();
            Error::new(ErrorKind::LimitExceeded { what, limit })
        })?;
        record.write(&mut self.record);
        Ok(())
    }
}
