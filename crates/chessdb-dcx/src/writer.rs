//! Writing a database (docs/formats/dcx.md, section 14).

mod append;
mod change;
mod existing;
mod tables;

use chessdb_core::files::{BufferedFile, FileId, FileSink};
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::{BaseInfo, ErrorKind, Game, LossKind, Losses, Result, Start, WriteOptions};

use crate::format::CHESS960;
use crate::header;
use crate::moves::MoveEncoder;
use crate::raw::{Entry, FileHeader, FileKind, Layout, Length, Magic, Record, StartField};
pub(crate) use change::GameChanger;
use tables::NameTableBuilder;

/// A writer of databases in the form of the reference writer.
///
/// Entries and names stay in memory until [`chessdb_core::GameWrite::finish`], because the order of
/// the names determines all references.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    state: WriterState<GameEncoder>,
    files: OutputFiles,
    /// The game to open first, from 1.
    open_first: Option<u32>,
    tables: NameTableBuilders,
    entries: Vec<[u8; 39]>,
}

/// The encoder of games; names get their numbers, and records their offsets, when they are written.
#[derive(Clone, Debug)]
pub struct GameEncoder;

/// An encoded game without the numbers of its names and without its offset.
#[derive(Default)]
pub struct EncodedGame {
    entry: Entry,
    /// White, Black, site, event.
    names: [Vec<u8>; 4],
    coder: RecordEncoder,
}

impl EncodeGame for GameEncoder {
    type Encoded = EncodedGame;

    fn encode(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> Result<bool> {
        encoded.entry = header::write_header(game, losses);
        encoded.names =
            NameTableBuilders::names(game).map(|(_, named)| tables::fit(game, named, losses));
        encoded.coder.encode(game, losses).map(|()| true)
    }
}

struct OutputFiles {
    players: FileId,
    sites: FileId,
    events: FileId,
    games: BufferedFile,
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
        let WriteOptions {
            allow,
            base,
            renumbers_names,
            ..
        } = options;
        let state = WriterState::new(GameEncoder, allow, base.losses())?;
        // The index comes last: without it there is no database.
        let mut create = |kind: FileKind| sink.create(kind.role());
        let mut files = OutputFiles {
            players: create(FileKind::Players)?,
            sites: create(FileKind::Sites)?,
            events: create(FileKind::Events)?,
            games: BufferedFile::new(create(FileKind::Games)?),
            index: create(FileKind::Index)?,
        };
        let magic = Magic::new(FileKind::Games);
        files.games.buffer.extend_from_slice(magic.as_bytes());
        Ok(Writer {
            sink,
            state,
            files,
            open_first: base.open_first.filter(|&n| n > 0),
            tables: if renumbers_names {
                NameTableBuilders::new(&BaseInfo::default())
            } else {
                NameTableBuilders::new(&base)
            },
            entries: Vec::new(),
        })
    }

    /// Returns the index. The names in the entries are still numbers in the order
    /// of their first use.
    fn index(&self, orders: &NameOrders) -> Result<Vec<u8>> {
        let mut index = Vec::with_capacity(19 + self.entries.len() * 39);
        let mut file_header = FileHeader::new();
        let first = self.open_first.map(|n| n - 1);
        if let Some(n) = first.filter(|&n| (n as usize) < self.entries.len()) {
            file_header.open_default = Some(Layout::CURRENT.entry_offset(n));
        }
        file_header.write(&mut index);
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

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(GameEncoder);

    fn put(&mut self, game: &Game, encoded: &mut EncodedGame) -> Result<()> {
        let entry = &mut encoded.entry;
        self.tables.refer(game, &encoded.names, entry)?;
        let games = &mut self.files.games;
        entry.offset = games.end();
        games.buffer.extend_from_slice(&encoded.coder.record);
        // All entries stay in memory until the end; as bytes they take about half of it.
        self.entries.push(entry.to_bytes());
        self.state
            .compare_limit(&CHESS960, game.is_chess960().into());
        games.flush_portion(self.sink)
    }

    fn losses_at_end(&self) -> Losses {
        let mut losses = Losses::new();
        // Its entry determines its number: without an entry there is nothing to point to.
        let first = self.open_first.unwrap_or(0) as usize;
        losses.add_if(LossKind::OpenFirst, first > self.entries.len());
        losses
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.state.check(&self.losses_at_end())?;
        self.files.games.flush(self.sink)?;
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
            sink.write(file, &table.to_bytes(kind, order))?;
        }
        sink.write(files.index, &index)?;
        sink.commit()
    }
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
        let record = Record::new(start, &self.body)
            .ok_or_else(|| ErrorKind::over_limit("bytes in a game", u32::MAX.into()))?;
        record.write(&mut self.record);
        Ok(())
    }
}
