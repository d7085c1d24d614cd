//! Writing of games.

mod append;
mod change;
mod games;

use chessdb_core::files::{FileId, FileSink};
use chessdb_core::model::Extra;
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::{BaseInfo, Game, LossKind, Losses, Result, Start, WriteOptions, rules};

use crate::format::{GAMES_FILE, NAGS, SAVED_BYTES, SAVED_PLIES, STARTS};
use crate::header::{EncodedHeader, encode_header};
use crate::moves::MoveEncoder;
use crate::names::NameTables;
use crate::raw::{Entry, IndexHeader, NameKind, Record};
use crate::roles::{SCI_FILE, SCN_FILE};
use crate::start;
use crate::{extras, info};

pub(crate) use change::GameChanger;
use games::GamesFile;

/// A database that is being written. Only the index entry of each game and the names stay in memory.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    state: WriterState<GameEncoder>,
    header: IndexHeader,
    base: BaseInfo,
    index: FileId,
    games: GamesFile,
    names_file: FileId,
    names: NameTables,
    entries: Vec<u8>,
}

/// The encoder of games.
#[derive(Clone, Debug)]
pub struct GameEncoder {
    /// Whether a database of Scidb is rewritten, so that events keep dates of a year alone.
    keeps_years: bool,
}

/// Buffers for encoding one game.
#[derive(Default, Debug)]
pub struct GameBuffers {
    entry: Entry,
    header: EncodedHeader,
    moves: MoveEncoder,
    record: Vec<u8>,
    /// Whether Scidb can read the start position.
    is_start_valid: bool,
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails or if a loss that concerns the whole database is not
    /// allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let WriteOptions { allow, base, .. } = options;
        let (header, base_losses) = info::write(&base);
        let is_own = |extra: &Extra| extra.format == extras::FORMAT;
        let encoder = GameEncoder {
            keeps_years: base.extras.iter().any(is_own),
        };
        let state = WriterState::new(encoder, allow, base_losses)?;
        let games = GamesFile::create(sink)?;
        let names_file = sink.create(SCN_FILE)?;
        // The index is created last, because only with it are the files a database.
        let index = sink.create(SCI_FILE)?;
        Ok(Writer {
            sink,
            state,
            header,
            base,
            index,
            games,
            names_file,
            names: NameTables::default(),
            entries: Vec::new(),
        })
    }
}

/// Records the limits of Scidb that a written game exceeds; `games_bytes` is the length of the games
/// file after it.
fn compare_limits(state: &mut WriterState<GameEncoder>, work: &GameBuffers, games_bytes: u64) {
    let plies = work.moves.encoded.plies;
    for (limit, value) in [
        (&NAGS, work.moves.encoded.most_nags as u64),
        (&STARTS, u64::from(!work.is_start_valid)),
        // The program counts without the three bytes of the size.
        (&SAVED_BYTES, work.record.len() as u64 - 3),
        (&SAVED_PLIES, plies.into()),
        (&GAMES_FILE, games_bytes),
    ] {
        state.compare_limit(limit, value);
    }
}

impl GameBuffers {
    /// Encodes a game. Returns false if it cannot be stored at all.
    fn encode(&mut self, game: &Game, keeps_years: bool, losses: &mut Losses) -> bool {
        self.entry = Entry::default();
        let Some(start) = start::write(game, losses) else {
            losses.add(LossKind::StartPosition, None);
            return false;
        };
        self.is_start_valid = match &game.header.start {
            Start::Standard => true,
            _ => rules::is_valid_position(&game.start_board()),
        };
        let entry = &mut self.entry;
        if !self.moves.encode(game, start.fen.is_some(), entry, losses) {
            losses.add(LossKind::StartPosition, None);
            return false;
        }
        let moves = &self.moves.encoded;
        entry.idn = start.idn.into();
        entry.set_up = start.idn != Record::STANDARD;
        self.header = encode_header(
            game,
            moves.has_illegal_move,
            &start,
            keeps_years,
            entry,
            losses,
        );
        let mut flags = start.idn;
        let mut part = |bit: u16, bytes: &[u8]| {
            let is_there = !bytes.is_empty();
            flags |= if is_there { bit } else { 0 };
            is_there
        };
        let has_texts = part(Record::TEXTS, &moves.texts);
        let has_tags = part(Record::TAGS, &self.header.tags);
        let has_engines = part(Record::ENGINES, &self.header.engines);
        let record = Record {
            flags,
            fen: start.fen.as_deref(),
            plain_moves: u16::try_from(moves.plain_moves).unwrap_or(u16::MAX),
            moves: &moves.moves,
            texts: has_texts.then_some(moves.texts.as_slice()),
            tags: has_tags.then_some(self.header.tags.as_slice()),
            engines: has_engines.then_some(self.header.engines.as_slice()),
            times: None,
            data: &moves.data,
        };
        self.record.clear();
        record.write(&mut self.record);
        self.record.len() <= Record::MOST
    }

    /// Gives the entry the numbers of all names, and the offset of the record.
    fn number_names(&mut self, names: &mut NameTables, record: u32) {
        let GameBuffers { entry, header, .. } = self;
        entry.event = names.add_event_use(&mut header.event, &header.site);
        entry.white = names.add_use(NameKind::Player, &header.white);
        entry.black = names.add_use(NameKind::Player, &header.black);
        entry.annotator = names.add_use(NameKind::Annotator, &header.annotator);
        entry.record = record;
    }
}

impl EncodeGame for GameEncoder {
    type Encoded = GameBuffers;

    fn encode(&self, game: &Game, encoded: &mut GameBuffers, losses: &mut Losses) -> Result<bool> {
        Ok(encoded.encode(game, self.keeps_years, losses))
    }
}

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(GameEncoder);

    fn fit(&self, _: &Game, encoded: &mut GameBuffers, _: &mut Losses) -> bool {
        self.state.total() < IndexHeader::MOST_GAMES
            && self.games.has_room(encoded.record.len())
            && !self.names.are_full()
    }

    fn put(&mut self, _: &Game, encoded: &mut GameBuffers) -> Result<()> {
        let start = self.games.append(&encoded.record, self.sink)?;
        encoded.number_names(&mut self.names, start);
        self.entries.extend(encoded.entry.to_bytes());
        compare_limits(&mut self.state, encoded, self.games.end());
        Ok(())
    }

    fn losses_at_end(&self) -> Losses {
        let mut losses = Losses::new();
        let unused = self.names.unused_without_number(&self.base);
        losses.add_many(LossKind::NameTable, unused, None);
        losses
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.games.finish(self.sink)?;
        self.names.keep_unused(&self.base);
        let names = self.names.to_file().to_bytes();
        self.sink.write(self.names_file, &names)?;
        self.header.games = self.state.games();
        let header = self.header.to_bytes();
        self.sink.write(self.index, &header)?;
        self.sink.write(self.index, &self.entries)?;
        self.sink.commit()
    }
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("games", &self.state.games())
            .field("bytes", &self.games.end())
            .finish()
    }
}
