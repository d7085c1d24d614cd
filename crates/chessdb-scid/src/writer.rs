//! Writing of games.

mod append;
mod change;
mod copy;
mod existing;
mod games;

use std::sync::Arc;

use chessdb_core::files::{FileId, FileSink};
use chessdb_core::model::Named;
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{BaseInfo, Charset, Game, LossKind, Losses, Result, Setup, Start, WriteOptions};

pub(crate) use self::change::GameChanger;
use self::games::GamesFile;
use crate::entry::{GameEntry, NAME_LISTS};
use crate::format::TAG_EXPORT;
use crate::generation::{Generation, Spec};
use crate::header::{is_refused_by_scid, write_entry, write_fen, write_tags};
use crate::info::Metadata;
use crate::moves::{EncoderPool, MoveEncoder};
use crate::names::NameTables;
use crate::opening_lines::OpeningLines;
use crate::raw::{RecordFlags, count_code};
use crate::text::{FALLBACK, TextEncoder};

/// A database that is being written.
///
/// Games are written to the sink one by one. Only the index entry of each game (46 to 56 bytes) and
/// the names stay in memory.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    spec: &'static Spec,
    /// The files of names and index.
    files: [FileId; 2],
    games: GamesFile,
    state: WriterState<GameEncoder>,
    about: Metadata,
    names: NameTables,
    entries: Vec<u8>,
}

/// The encoder of games; names get their numbers, and records their offsets, when they are written.
#[derive(Clone, Debug)]
pub struct GameEncoder {
    texts: TextEncoder,
    openings: Arc<OpeningLines>,
    spec: &'static Spec,
    moves: Arc<EncoderPool>,
}

/// The encoded form of one game.
#[derive(Default, Debug)]
pub struct EncodedGame {
    entry: GameEntry,
    record: Vec<u8>,
    /// The five names in the order in which they get their numbers.
    names: [Vec<u8>; 5],
    /// The names that are left out because their tables are full.
    left_out: [bool; 5],
    /// The largest combined size of name and value of a tag other than the names, in bytes.
    longest_tag: usize,
}

impl<'a> Writer<'a> {
    /// Starts a database of this generation.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails or a loss of the database as a whole is not allowed.
    pub fn create(
        generation: Generation,
        sink: &'a mut dyn FileSink,
        options: WriteOptions,
    ) -> Result<Writer<'a>> {
        let spec = generation.spec();
        let WriteOptions {
            allow,
            base,
            charset,
            detector,
            renumbers_names,
            ..
        } = options;
        // Current versions of Scid take every text for UTF-8, so a new database gets UTF-8. If the
        // options contain name tables, a database is rewritten, and texts keep their bytes.
        let is_again = !base.names.is_empty();
        let target = charset.or((!is_again).then_some(Charset::UTF_8));
        let keep = is_again.then(|| detector.unwrap_or_else(|| EncodingDetector::new(FALLBACK)));
        let texts = TextEncoder {
            charset: target,
            keep,
        };
        let (names, name_losses) = if renumbers_names {
            NameTables::new(spec, &BaseInfo::default(), &texts)
        } else {
            NameTables::new(spec, &base, &texts)
        };
        let (about, mut base_losses) = Metadata::new(spec, &base, &texts);
        base_losses.merge(&name_losses);
        let encoder = GameEncoder::new(texts, spec);
        let state = WriterState::new(encoder, allow, base_losses)?;
        // The index comes last: without it the files are not a database.
        let games = GamesFile::new(sink.create(spec.games_file())?, spec, 0);
        let files = [
            sink.create(spec.names_file())?,
            sink.create(spec.index_file())?,
        ];
        Ok(Writer {
            sink,
            spec,
            files,
            games,
            state,
            about,
            names,
            entries: Vec::new(),
        })
    }

    /// Returns whether a further game with this record fits.
    fn has_room(&self, record: &[u8]) -> bool {
        self.games.has_room(record.len()) && self.state.total() < self.spec.max_games
    }

    /// Appends a record and its entry, which is complete except for the offset and length.
    fn put_record(&mut self, mut entry: GameEntry, record: &[u8]) -> Result<()> {
        entry.offset = self.games.append(record, self.sink)?;
        entry.length = record.len() as u32;
        for (list, number) in NAME_LISTS.into_iter().zip(entry.names_mut()) {
            self.names.count(list, *number);
        }
        entry.write(self.spec, &mut self.entries);
        Ok(())
    }
}

impl GameEncoder {
    fn new(texts: TextEncoder, spec: &'static Spec) -> GameEncoder {
        GameEncoder {
            texts,
            openings: Arc::new(OpeningLines::new()),
            spec,
            moves: Arc::default(),
        }
    }
}

impl EncodeGame for GameEncoder {
    type Encoded = EncodedGame;

    fn encode(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> Result<bool> {
        if is_refused_by_scid(&game.header.start) {
            losses.add(LossKind::StartPosition, None);
            return Ok(false);
        }
        // The losses of the first attempt must not count for the second.
        let before = losses.clone();
        let mut entry = self
            .moves
            .with(|moves| encoded.encode(game, moves, self, true, losses));
        if encoded.record.len() > self.spec.max_record {
            // Storing the moves without the comments is better than storing nothing.
            *losses = before;
            entry = self
                .moves
                .with(|moves| encoded.encode(game, moves, self, false, losses));
        }
        encoded.entry = entry.unwrap_or_default();
        Ok(entry.is_some())
    }
}

impl EncodedGame {
    /// Encodes a game into the buffers and returns its index entry, without names and place. `None`
    /// if the game cannot be stored; the losses then state the reason.
    fn encode(
        &mut self,
        game: &Game,
        moves: &mut MoveEncoder,
        encoder: &GameEncoder,
        comments: bool,
        losses: &mut Losses,
    ) -> Option<GameEntry> {
        let GameEncoder {
            texts,
            openings,
            spec,
            ..
        } = encoder;
        let header = &game.header;
        self.record.clear();
        let mut entry = GameEntry::default();
        self.encode_names(game, texts, spec, losses);
        let overflow = write_entry(game, spec, &mut entry, losses);
        losses.add_extras(game);
        let encoded = match moves.encode(game, texts, openings, comments, losses) {
            Ok(encoded) => encoded,
            Err(kind) => {
                losses.add(kind, None);
                return None;
            }
        };
        let derived = encoded.derived;
        // In the record the tags precede the moves, but a game that cannot be encoded needs none.
        self.longest_tag = write_tags(game, overflow, spec, texts, &mut self.record, losses);
        let mut flags = RecordFlags::empty();
        flags.set(RecordFlags::PROMOTION, derived.promotion);
        flags.set(RecordFlags::UNDER_PROMOTION, derived.under_promotion);
        if let Start::Setup(setup) = &header.start {
            self.record.push((flags | RecordFlags::FEN).bits());
            let start = self.record.len();
            write_fen(game, setup, texts, &mut self.record, losses);
            // In other generations the FEN or a tag must show that a game is Chess960.
            if setup.chess960 && !spec.chess960 && !header.names_chess960(&game.texts) {
                let fen = self.record.get(start..).unwrap_or_default();
                let read = Setup::from_fen(fen.strip_suffix(&[0]).unwrap_or(fen));
                losses.add_if(
                    LossKind::Chess960,
                    !read.is_ok_and(|(read, _)| read.chess960),
                );
            }
        } else {
            self.record.push(flags.bits());
        }
        self.record.extend_from_slice(&moves.moves);
        self.record.extend_from_slice(&moves.comments);
        entry.flags |= derived.flags(&header.start);
        entry.variations = count_code(encoded.variations);
        entry.comments = count_code(encoded.comments);
        entry.nags = count_code(encoded.nags);
        entry.line_code = derived.line_code;
        entry.final_material = derived.final_material;
        // Modulo 1024, as in Scid (section 2).
        entry.plies = (derived.plies & 0x3FF) as u16;
        entry.home_pawn_count = derived.home_pawn_count;
        entry.home_pawns = derived.home_pawns;
        Some(entry)
    }

    /// Empties the names that are left out. [`WriteEncoded::fit`] has made sure that the empty name
    /// has a number.
    fn clear_left_out(&mut self) {
        let names = self.names.iter_mut().zip(self.left_out);
        for (name, _) in names.filter(|(_, out)| *out) {
            name.clear();
        }
    }

    /// Returns the largest combined size of name and value of a tag of the last game, in bytes.
    fn longest_tag(&self) -> usize {
        const FIELDS: [&str; 5] = ["Event", "Site", "Round", "White", "Black"];
        let names = self
            .names
            .iter()
            .zip(FIELDS)
            .map(|(name, field)| name.len() + field.len());
        names.fold(self.longest_tag, usize::max)
    }

    fn encode_names(&mut self, game: &Game, texts: &TextEncoder, spec: &Spec, losses: &mut Losses) {
        let header = &game.header;
        let named = [
            header.event,
            header.site,
            header.round,
            header.white.name,
            header.black.name,
        ];
        for (Named { text, .. }, out) in named.into_iter().zip(&mut self.names) {
            out.clear();
            let change = texts.put_cut(game.text(text), spec.max_name, out);
            losses.add_text(change, LossKind::NameText, LossKind::NameCut);
        }
    }
}

/// Adds the losses of the names that are left out of a game.
fn add_lost_names(left_out: [bool; 5], losses: &mut Losses) {
    for (list, _) in NAME_LISTS.into_iter().zip(left_out).filter(|(_, out)| *out) {
        losses.add(lost_name(list), None);
    }
}

/// Returns the loss for a name of this list.
fn lost_name(list: usize) -> LossKind {
    match list {
        3 => LossKind::Round,
        _ => LossKind::NameLeftOut,
    }
}

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(GameEncoder);

    fn fit(&self, _: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> bool {
        if !self.has_room(&encoded.record) {
            return false;
        }
        let Some(left_out) = self.names.left_out(&encoded.names) else {
            return false;
        };
        encoded.left_out = left_out;
        add_lost_names(left_out, losses);
        true
    }

    fn put(&mut self, _: &Game, encoded: &mut EncodedGame) -> Result<()> {
        encoded.clear_left_out();
        let mut entry = encoded.entry;
        for ((number, list), name) in entry
            .names_mut()
            .into_iter()
            .zip(NAME_LISTS)
            .zip(&encoded.names)
        {
            let list = self.names.lists.get_mut(list);
            *number = list.and_then(|list| list.id(name)).unwrap_or(0);
        }
        self.put_record(entry, &encoded.record)?;
        let longest = encoded.longest_tag() as u64;
        self.state.compare_limit(&TAG_EXPORT, longest);
        Ok(())
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.games.flush(self.sink)?;
        let [names, index] = self.files;
        self.sink.write(names, &self.names.into_bytes())?;
        match self.about {
            Metadata::FileHeader(mut file_header) => {
                file_header.games = self.state.total();
                self.sink.write(index, &file_header.to_bytes())?;
            }
            Metadata::Log(log) => self.sink.write(names, &log)?,
        }
        self.sink.write(index, &self.entries)?;
        self.sink.commit()
    }
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("generation", &self.spec.generation)
            .field("games", &self.state.total())
            .field("bytes", &self.games.end())
            .finish()
    }
}
