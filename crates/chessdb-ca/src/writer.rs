//! Writing games, one after another.

mod append;
mod change;
mod existing;

use chessdb_core::files::{BufferedFile, FileSink, Role};
use chessdb_core::options::Allow;
use chessdb_core::{BaseInfo, Charset, Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use crate::extras;
use crate::guesses::Guesses;
use crate::header::{HeaderNames, write_header, write_names};
use crate::moves::{Detail, MoveEncoder, storable_start};
use crate::names::{CarriedFiles, NameKeys, NameListsBuilder};
use crate::raw::{Cdp, EmbHeader, RawHeader, RecordBytes};
use crate::roles::{A02_FILE, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE, SIDE_FILES};
use crate::text::{Detector, Encoder, charset_of_mark, mark_of_charset, texts_of_record};

pub(crate) use change::GameChanger;

/// Addresses are signed numbers of four bytes.
const MAX_ADDRESS: u64 = i32::MAX as u64;

/// A writer of a database.
///
/// Records go to the sink as they are written. 42 bytes per game stay in memory, and the names.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    /// The records (d02).
    records: BufferedFile,
    allow: Allow,
    guesses: Guesses,
    texts: Encoder,
    lists: NameListsBuilder,
    carried: Carried,
    cdp: Cdp,
    base_losses: Losses,
    detector: Detector,
    raw_headers: Vec<u8>,
    addresses: Vec<u8>,
    work: Work,
}

/// The data that a rewrite keeps.
#[derive(Clone, Default, Debug)]
struct Carried {
    cdp: Option<Box<[u8]>>,
    cdp_tail: Vec<u8>,
    emb: Option<Box<[u8]>>,
    inner: CarriedFiles,
    /// Side files, which are valid only with all games of their database.
    side: Vec<(Role, Box<[u8]>)>,
    games: Option<u32>,
    charset: Option<Charset>,
    /// Whether a database is rewritten, and whether in the code page that was detected for it.
    is_again: bool,
    has_detector: bool,
}

/// Buffers for one game.
#[derive(Default, Debug)]
struct Work {
    moves: MoveEncoder,
    names: HeaderNames,
    raw_header: RawHeader,
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails, if a database cannot have the charset, or if something
    /// of the database as a whole would be lost and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        Writer::create_with(sink, options, Guesses::PAGE)
    }

    /// Starts a database like [`Writer::create`], with other choices for what the published
    /// description leaves open.
    ///
    /// # Errors
    ///
    /// See [`Writer::create`].
    pub fn create_with(
        sink: &'a mut dyn FileSink,
        options: WriteOptions,
        guesses: Guesses,
    ) -> Result<Writer<'a>> {
        let WriteOptions {
            allow,
            base,
            charset,
            detector,
            renumbers_names,
            ..
        } = options;
        let mut losses = Losses::new();
        let mut carried = Carried::new(&base, &mut losses);
        carried.has_detector = detector.is_some() && carried.charset.is_none();
        let mut texts = Encoder::new(charset.or(carried.charset), detector)?;
        let mut comment = Vec::new();
        let is_changed = texts.put(base.texts.get(base.description), &mut comment);
        losses.add_if(LossKind::Description, is_changed);
        let mut cdp = Cdp::new(0, comment);
        if let Some(prefix) = &carried.cdp {
            let mut bytes = cdp.to_bytes();
            // Number of games and comment describe the new database.
            for (to, from) in bytes.iter_mut().take(Cdp::COUNT_AT).zip(prefix) {
                *to = *from;
            }
            cdp = Cdp::parse(&bytes)?;
        }
        cdp.tail.clone_from(&carried.cdp_tail);
        // Files of unknown content may refer to the numbers.
        let renumbers = renumbers_names && carried.inner.is_empty();
        let lists = NameListsBuilder::new(&base, &mut texts, &guesses, renumbers, &mut losses);
        count_lost(&base, &mut losses);
        allow.check(&losses)?;
        let mut records = BufferedFile::new(sink.create(D02_FILE)?);
        // A leading byte, so that no address is 0 (section 4.4).
        records.buffer.push(0);
        Ok(Writer {
            sink,
            records,
            allow,
            guesses,
            texts,
            lists,
            carried,
            cdp,
            base_losses: losses,
            detector: Detector::default(),
            raw_headers: Vec::new(),
            addresses: Vec::new(),
            work: Work::default(),
        })
    }

    fn games(&self) -> u32 {
        (self.addresses.len() / 4) as u32
    }

    /// Returns whether a record of this length still fits.
    fn has_room(&self, length: usize) -> bool {
        // Length field and record; headers and addresses are shorter than that.
        self.records.end() + length as u64 + 4 <= MAX_ADDRESS
            && (self.raw_headers.len() as u64) < MAX_ADDRESS - RawHeader::SIZE as u64
            && self.lists.has_room()
    }

    /// Counts the loss of a refused game, and of the side files, which are valid only with all
    /// games.
    fn refuse(&self, losses: &mut Losses) {
        losses.add(LossKind::Game, None);
        losses.add_many(LossKind::BaseExtra, self.carried.side.len() as u32, None);
    }

    /// Marks the charset before the records if a reader would not detect it.
    fn mark_charset(&mut self) -> Result<()> {
        let Some(charset) = self.texts.charset() else {
            return Ok(());
        };
        let mut detector = self.detector.clone();
        detector.text(&self.cdp.comment);
        self.lists.texts().for_each(|text| detector.text(text));
        // A rewritten database is marked if the original was, and otherwise detected as the
        // original was.
        let is_detected = match (self.carried.is_again, self.carried.charset) {
            (true, Some(_)) => false,
            (true, None) => detector.charset(&self.guesses) == charset || self.carried.has_detector,
            (false, _) => detector.is_sure_of(charset, &self.guesses),
        };
        if !is_detected && let Some(mark) = mark_of_charset(charset) {
            // Only now all texts are known; the byte was reserved when the file began.
            self.sink.patch(self.records.file(), 0, &[mark])?;
        }
        Ok(())
    }

    fn write_file(&mut self, role: Role, bytes: &[u8]) -> Result<()> {
        let file = self.sink.create(role)?;
        self.sink.write(file, bytes)
    }

    /// Returns whether the side files still match the games written.
    fn keeps_side_files(&self) -> bool {
        self.carried
            .games
            .is_some_and(|games| games == self.games())
    }
}

impl Carried {
    /// Takes the extras of a database that is rewritten as a whole; otherwise they are lost.
    fn new(base: &BaseInfo, losses: &mut Losses) -> Carried {
        let mut carried = Carried::default();
        // Only a rewrite supplies the name lists.
        let rewrite = !base.names.is_empty();
        carried.is_again = rewrite;
        for extra in &base.extras {
            let bytes = &extra.bytes;
            if extra.format != extras::FORMAT || !rewrite {
                losses.add(LossKind::BaseExtra, None);
                continue;
            }
            match extra.field {
                extras::BASE_CDP => carried.cdp = Some(bytes.clone()),
                extras::BASE_CDP_TAIL => carried.cdp_tail = bytes.to_vec(),
                extras::BASE_EMB => carried.emb = Some(bytes.clone()),
                extras::BASE_INNER_FILE => {
                    let mut parts = bytes.splitn(2, |&byte| byte == 0);
                    let name = parts.next().unwrap_or_default();
                    let content = parts.next().unwrap_or_default().to_vec();
                    carried
                        .inner
                        .push((String::from_utf8_lossy(name).into_owned(), content));
                }
                extras::BASE_MARK => {
                    carried.charset = bytes.first().and_then(|mark| charset_of_mark(*mark));
                }
                extras::BASE_GAMES => {
                    carried.games = bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
                }
                field => {
                    // A smaller number wraps to one far beyond the list.
                    let index = usize::from(field.wrapping_sub(extras::BASE_SIDE_FILE));
                    match SIDE_FILES.get(index) {
                        Some(&role) => carried.side.push((role, bytes.clone())),
                        None => losses.add(LossKind::BaseExtra, None),
                    }
                }
            }
        }
        carried
    }
}

/// Counts the database data that the format cannot hold.
fn count_lost(base: &BaseInfo, losses: &mut Losses) {
    let has_number = |number: Option<u32>| number.is_some_and(|number| number != 0);
    losses.add_if(LossKind::BaseTitle, !base.texts.get(base.title).is_empty());
    losses.add_if(LossKind::BaseKind, has_number(base.kind));
    losses.add_if(LossKind::OpenFirst, has_number(base.open_first));
    let names = base
        .flag_names
        .iter()
        .filter(|&&name| !base.texts.get(name).is_empty());
    losses.add_many(LossKind::FlagNames, names.count() as u32, None);
    losses.add_many(LossKind::Collection, base.collections.len() as u32, None);
}

impl Work {
    /// Encodes a game into the buffers. Returns false if it cannot be stored at all.
    fn encode(
        &mut self,
        game: &Game,
        texts: &mut Encoder,
        guesses: &Guesses,
        losses: &mut Losses,
    ) -> bool {
        if let Err(kind) = storable_start(&game.header.start) {
            losses.add(kind, None);
            return false;
        }
        self.raw_header = write_header(game, guesses, losses);
        self.names = write_names(game, texts, losses);
        let (before, texts_before) = (losses.clone(), texts.clone());
        // A failed try has counted a part of the game and may have chosen a charset, so each one
        // starts from the same state.
        for detail in [
            Detail::All,
            Detail::Comments,
            Detail::Variations,
            Detail::Mainline,
        ] {
            losses.clone_from(&before);
            texts.clone_from(&texts_before);
            if self
                .moves
                .encode(game, texts, guesses, detail, losses)
                .is_ok()
            {
                return true;
            }
        }
        losses.clone_from(&before);
        false
    }

    /// Returns the header of the encoded game with the numbers of its names and of its record.
    fn number(&self, game: &Game, lists: &mut NameListsBuilder, record: u32) -> RawHeader {
        let ids = lists.ids(&self.names, &keys_of(game));
        let [white, black] = ids.players;
        let [event, place, source] = ids.others;
        RawHeader {
            white,
            black,
            event,
            place,
            source,
            annotator: ids.annotator,
            game: record,
            ..self.raw_header
        }
    }

    /// Returns the texts of the encoded game.
    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let players = self.names.players.iter().flatten();
        let players = players.flat_map(|player| [&player.name, &player.title]);
        let others = self.names.others.iter().chain([&self.names.annotator]);
        let names = players.chain(others.flatten()).map(Vec::as_slice);
        names.chain(texts_of_record(&self.moves.body))
    }
}

/// Returns the keys of a game's names.
fn keys_of(game: &Game) -> NameKeys {
    let header = &game.header;
    (
        [header.white.name.key, header.black.name.key],
        [header.event.key, header.site.key, header.source.key],
        header.annotator.key,
    )
}

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let mut work = Work::default();
        let mut losses = Losses::new();
        let mut texts = self.texts.clone();
        let fits = work.encode(game, &mut texts, &self.guesses, &mut losses);
        if !fits || !self.has_room(work.moves.body.len()) {
            self.refuse(&mut losses);
        }
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut losses = Losses::new();
        let mut texts = self.texts.clone();
        let fits = self
            .work
            .encode(game, &mut texts, &self.guesses, &mut losses);
        let length = self.work.moves.body.len();
        if !fits || !self.has_room(length) {
            self.refuse(&mut losses);
            self.allow.check(&losses)?;
            // `refuse` has counted them, so `late_losses` must not.
            self.carried.side.clear();
            return Ok(losses);
        }
        self.allow.check(&losses)?;
        // Only a game that is written may choose the charset of the database.
        self.texts = texts;
        let record = self.games();
        let raw_header = self.work.number(game, &mut self.lists, record);
        self.raw_headers.extend(raw_header.to_bytes());
        let address = u32::try_from(self.records.end()).unwrap_or(u32::MAX);
        self.addresses.extend(address.to_le_bytes());
        RecordBytes::put_length(length, self.guesses.long_lengths, &mut self.records.buffer);
        self.records.buffer.extend_from_slice(&self.work.moves.body);
        self.detector.record(&self.work.moves.body);
        self.records.flush_portion(self.sink)?;
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn late_losses(&self) -> Losses {
        let mut losses = Losses::new();
        if !self.keeps_side_files() {
            losses.add_many(LossKind::BaseExtra, self.carried.side.len() as u32, None);
        }
        losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        self.records.flush(self.sink)?;
        self.mark_charset()?;
        let raw_headers = std::mem::take(&mut self.raw_headers);
        self.write_file(D00_FILE, &raw_headers)?;
        let addresses = std::mem::take(&mut self.addresses);
        let games = (addresses.len() / 4) as u32;
        let keeps = self.carried.games == Some(games);
        self.write_file(A02_FILE, &addresses)?;
        let mut raw_header = EmbHeader::new();
        if let Some(prefix) = &self.carried.emb {
            let mut bytes = raw_header.to_bytes();
            // Length and place of the directory follow, which `write_volume` fills in.
            for (to, from) in bytes.iter_mut().take(136).zip(prefix) {
                *to = *from;
            }
            raw_header = EmbHeader::parse(&bytes)?;
        }
        self.cdp.count = games;
        let emb = self
            .lists
            .to_emb(&raw_header, &self.cdp, &self.carried.inner, &self.guesses);
        self.write_file(EMB_FILE, &emb)?;
        let side = std::mem::take(&mut self.carried.side);
        for (role, bytes) in side.iter().filter(|_| keeps) {
            self.write_file(*role, bytes)?;
        }
        // Guess 15: the program may require files for which there is no content.
        for &role in self.guesses.empty_files {
            if !(keeps && side.iter().any(|(file, _)| *file == role)) {
                self.write_file(role, &[])?;
            }
        }
        // The description comes last: it is what makes the files a database.
        let cdp = self.cdp.to_bytes();
        self.write_file(CDP_FILE, &cdp)?;
        self.sink.commit()?;
        Ok(games)
    }
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("games", &self.games())
            .field("bytes", &self.records.end())
            .finish()
    }
}
