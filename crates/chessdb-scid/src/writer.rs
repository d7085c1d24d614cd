//! Writing games, one after another.

use chessdb_core::{
    Allow, BaseInfo, Charset, FileId, FileSink, Game, GameWrite, LossKind, Losses, Named, Result,
    Start, TextId, WriteOptions,
};

use crate::head::{is_refused, write_entry, write_fen, write_tags};
use crate::lines::Lines;
use crate::moves::MoveEncoder;
use crate::names::NameTables;
use crate::raw::{Entry, GameFile, Header, RecordFlags, count_code};
use crate::text::{Encoder, MAX_NAME};
use crate::{SG4_FILE, SI4_FILE, SN4_FILE};

/// Bytes of games that are collected before they go to the sink.
const BUFFER: usize = 1 << 18;

/// A base that is being written.
///
/// The games go to the sink as they come; of each game 47 bytes stay in memory, and the names.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    files: [FileId; 3],
    allow: Allow,
    header: Header,
    texts: Encoder,
    names: NameTables,
    openings: Lines,
    base_losses: Losses,
    entries: Vec<u8>,
    /// Bytes of sg4 that the sink has.
    flushed: u64,
    /// Bytes of sg4 that it will get next.
    pending: Vec<u8>,
    work: Work,
}

/// Buffers for one game.
#[derive(Default, Debug)]
struct Work {
    record: Vec<u8>,
    moves: MoveEncoder,
    /// The five names in the order in which they get their numbers.
    names: [Vec<u8>; 5],
}

/// Event, site, round, White, Black: the list that each name is in. Numbers are given in this
/// order (section 3).
const NAME_LISTS: [usize; 5] = [1, 2, 3, 0, 0];

impl<'a> Writer<'a> {
    /// Starts a base.
    ///
    /// # Errors
    ///
    /// What the sink says, and a loss about the base as a whole that is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let WriteOptions {
            allow,
            base,
            charset,
            ..
        } = options;
        // Today's Scid takes every text for UTF-8, so a new base gets that. A rewrite, which comes
        // with the name tables, never changes a byte of a text.
        let rewrite = !base.names.is_empty();
        let charset = charset.or((!rewrite).then_some(Charset::UTF_8));
        // A base that brings its name tables along is rewritten, and its texts stay as they are.
        let keep = !base.names.is_empty();
        let texts = Encoder { charset, keep };
        let (names, name_losses) = NameTables::new(&base, &texts);
        let (header, mut base_losses) = header(&base, &texts);
        base_losses.merge(&name_losses);
        allow.check(&base_losses)?;
        // The index comes last: it is what makes the files a base.
        let files = [
            sink.create(SG4_FILE)?,
            sink.create(SN4_FILE)?,
            sink.create(SI4_FILE)?,
        ];
        Ok(Writer {
            sink,
            files,
            allow,
            header,
            texts,
            names,
            openings: Lines::new(),
            base_losses,
            entries: Vec::new(),
            flushed: 0,
            pending: Vec::with_capacity(BUFFER),
            work: Work::default(),
        })
    }

    /// Where the next byte of sg4 will stand.
    fn end(&self) -> u64 {
        self.flushed + self.pending.len() as u64
    }

    /// Where a record of this length goes: here, or at the start of the next block if it would
    /// cross a border (section 4).
    fn place(&self, length: usize) -> u64 {
        let here = self.end();
        let room = GameFile::BLOCK - here % GameFile::BLOCK;
        if length as u64 > room {
            here + room
        } else {
            here
        }
    }

    /// Appends the record in `work`. What is left of a block that it does not fit into is filled
    /// with the head of the record itself.
    fn append(&mut self, offset: u64) -> Result<()> {
        let gap = (offset - self.end()) as usize;
        let filler = self.work.record.get(..gap).unwrap_or(&self.work.record);
        self.pending.extend_from_slice(filler);
        self.pending.extend_from_slice(&self.work.record);
        if self.pending.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let [games, ..] = self.files;
        self.sink.write(games, &self.pending)?;
        self.flushed += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// The loss that keeps a game with this record and these names out, if any.
    fn refusal(&self, work: &Work) -> Option<LossKind> {
        let games = self.entries.len() / Entry::SIZE;
        let end = self.place(work.record.len()) + work.record.len() as u64;
        let fits = work.record.len() <= Entry::MAX_LENGTH as usize
            && end <= u64::from(u32::MAX)
            && games < Header::MAX_GAMES as usize;
        let [event, site, round, white, black] = &work.names;
        let [players, events, sites, rounds] = &self.names.lists;
        let room = events.has_room(&[event])
            && sites.has_room(&[site])
            && rounds.has_room(&[round])
            && players.has_room(&[white, black]);
        (!fits || !room).then_some(LossKind::Game)
    }
}

impl Work {
    /// Encodes a game into the buffers and its index entry, names and place excepted. None if it
    /// cannot be stored at all; the losses then say so.
    fn encode(
        &mut self,
        game: &Game,
        texts: &Encoder,
        openings: &Lines,
        losses: &mut Losses,
    ) -> Option<Entry> {
        if is_refused(&game.head.start) {
            losses.add(LossKind::StartPosition, None);
            losses.add(LossKind::Game, None);
            return None;
        }
        let before = losses.clone();
        let mut entry = self.encode_with(game, texts, openings, true, losses);
        if self.record.len() > Entry::MAX_LENGTH as usize {
            // Better the moves without the comments than nothing.
            *losses = before;
            entry = self.encode_with(game, texts, openings, false, losses);
        }
        if entry.is_none() {
            losses.add(LossKind::Game, None);
        }
        entry
    }

    fn encode_with(
        &mut self,
        game: &Game,
        texts: &Encoder,
        openings: &Lines,
        comments: bool,
        losses: &mut Losses,
    ) -> Option<Entry> {
        let head = &game.head;
        self.record.clear();
        let mut entry = Entry::default();
        self.encode_names(game, texts, losses);
        let overflow = write_entry(game, &mut entry, losses);
        losses.add_many(LossKind::GameExtra, head.extras.len() as u32, None);
        let encoded = self.moves.encode(game, texts, openings, comments, losses);
        let encoded = match encoded {
            Ok(encoded) => encoded,
            Err(kind) => {
                losses.add(kind, None);
                return None;
            }
        };
        let derived = encoded.derived;
        write_tags(game, overflow, texts, &mut self.record, losses);
        let mut flags = RecordFlags::empty();
        flags.set(RecordFlags::PROMOTION, derived.promotion);
        flags.set(RecordFlags::UNDER_PROMOTION, derived.under_promotion);
        if let Start::Setup(setup) = &head.start {
            self.record.push((flags | RecordFlags::FEN).bits());
            write_fen(game, setup, texts, &mut self.record, losses);
        } else {
            self.record.push(flags.bits());
        }
        self.record.extend_from_slice(&self.moves.moves);
        self.record.extend_from_slice(&self.moves.comments);
        entry.flags |= derived.flags(&head.start);
        entry.variations = count_code(encoded.variations);
        entry.comments = count_code(encoded.comments);
        entry.nags = count_code(encoded.nags);
        entry.line_code = derived.line_code;
        entry.final_material = derived.final_material;
        // Modulo 1024, as Scid does it (section 2).
        entry.plies = (derived.plies & 0x3FF) as u16;
        entry.home_pawn_count = derived.home_pawn_count;
        entry.home_pawns = derived.home_pawns;
        Some(entry)
    }

    fn encode_names(&mut self, game: &Game, texts: &Encoder, losses: &mut Losses) {
        let head = &game.head;
        let named = [
            head.event,
            head.site,
            head.round,
            head.white.name,
            head.black.name,
        ];
        for (Named { text, .. }, out) in named.into_iter().zip(&mut self.names) {
            out.clear();
            let change = texts.put_cut(game.text(text), MAX_NAME, out);
            if change.text {
                losses.add(LossKind::NameText, None);
            }
            if change.cut {
                losses.add(LossKind::NameCut, None);
            }
        }
    }
}

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let mut work = Work::default();
        let mut losses = Losses::new();
        if work
            .encode(game, &self.texts, &self.openings, &mut losses)
            .is_some()
            && let Some(kind) = self.refusal(&work)
        {
            losses.add(kind, None);
        }
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut losses = Losses::new();
        let entry = self
            .work
            .encode(game, &self.texts, &self.openings, &mut losses);
        let entry = entry.filter(|_| match self.refusal(&self.work) {
            Some(kind) => {
                losses.add(kind, None);
                false
            }
            None => true,
        });
        self.allow.check(&losses)?;
        let Some(mut entry) = entry else {
            return Ok(losses);
        };
        let offset = self.place(self.work.record.len());
        entry.offset = u32::try_from(offset).unwrap_or(u32::MAX);
        entry.length = self.work.record.len() as u32;
        let numbers = [
            &mut entry.event,
            &mut entry.site,
            &mut entry.round,
            &mut entry.white,
            &mut entry.black,
        ];
        for ((number, list), name) in numbers.into_iter().zip(NAME_LISTS).zip(&self.work.names) {
            let list = self.names.lists.get_mut(list);
            let found = list.and_then(|list| {
                let id = list.id(name)?;
                list.count(id);
                Some(id)
            });
            *number = found.unwrap_or(0);
        }
        self.append(offset)?;
        self.entries.extend_from_slice(&entry.to_bytes());
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        self.flush()?;
        let [_, names, index] = self.files;
        self.sink.write(names, &self.names.to_file().to_bytes())?;
        self.header.games = (self.entries.len() / Entry::SIZE) as u32;
        self.sink.write(index, &self.header.to_bytes())?;
        self.sink.write(index, &self.entries)?;
        self.sink.commit()?;
        Ok(self.header.games)
    }
}

/// The header of a base, and what of the base it cannot hold.
fn header(base: &BaseInfo, texts: &Encoder) -> (Header, Losses) {
    let mut header = Header::new();
    let mut losses = Losses::new();
    header.kind = base.kind.unwrap_or(header.kind);
    if let Some(autoload) = base.open_first {
        header.autoload = autoload & 0xFF_FFFF;
        if autoload != header.autoload {
            losses.add(LossKind::OpenFirst, None);
        }
    }
    // The last byte of each field stays NUL.
    if !put_field(base, base.description, texts, &mut header.description) {
        losses.add(LossKind::Description, None);
    }
    let mut fields = header.flag_names.iter_mut();
    for &name in &base.flag_names {
        let stored = match fields.next() {
            Some(field) => put_field(base, name, texts, field),
            None => base.texts.get(name).is_empty(),
        };
        if !stored {
            losses.add(LossKind::FlagNames, None);
        }
    }
    if !base.texts.get(base.title).is_empty() {
        losses.add(LossKind::BaseTitle, None);
    }
    losses.add_many(LossKind::Collection, base.collections.len() as u32, None);
    losses.add_many(LossKind::BaseExtra, base.extras.len() as u32, None);
    (header, losses)
}

/// Puts a text into a field of fixed size; false if something of it was lost.
fn put_field(base: &BaseInfo, text: TextId, texts: &Encoder, field: &mut [u8]) -> bool {
    let mut stored = Vec::new();
    let most = field.len().saturating_sub(1);
    let change = texts.put_cut(base.texts.get(text), most, &mut stored);
    for (to, from) in field.iter_mut().zip(stored) {
        *to = from;
    }
    change == crate::text::Change::default()
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let games = self.entries.len() / Entry::SIZE;
        f.debug_struct("Writer")
            .field("games", &games)
            .field("bytes", &self.end())
            .finish()
    }
}
