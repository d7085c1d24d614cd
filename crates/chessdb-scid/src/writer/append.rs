//! Appending to an existing database: records after the games, entries after the index, and names.

use chessdb_core::files::Growing;
use chessdb_core::store::WriterState;
use chessdb_core::text::EncodingDetector;
use chessdb_core::{Charset, Result, WriteOptions};

use super::games::GamesFile;
use super::{GameEncoder, Writer};
use crate::entry::{Entries, NAME_LISTS};
use crate::generation::{Generation, Spec};
use crate::info::Metadata;
use crate::names::NameTables;
use crate::raw::{FileHeader, NameFile};
use crate::text::{FALLBACK, TextEncoder};

/// The offset of the number of games in the header of an index (section 1).
pub(super) const GAMES_AT: usize = 14;

/// The number of entries examined together.
const PORTION: u64 = 1 << 14;

impl<'a> Writer<'a> {
    /// Opens a database of this generation for appending. `None` if the database must be rewritten:
    /// the names are not UTF-8 and no charset is given, or the files do not match, so that new
    /// games would be stored where the index already expects others, or would get name numbers that
    /// are already in use.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be read or written.
    pub fn append(
        generation: Generation,
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<Writer<'a>>> {
        let spec = generation.spec();
        let Some(old) = ExistingDatabase::read(spec, base, options.charset)? else {
            return Ok(None);
        };
        let Some(games_bytes) = base.length(spec.games_file()) else {
            return Ok(None);
        };
        let games = GamesFile::new(base.grow(spec.games_file())?, spec, games_bytes);
        // The names of SCID 5 are a log. The lists of the others are sorted, so new names may come
        // between old ones.
        let names = match generation {
            Generation::Si5 => base.grow(spec.names_file())?,
            Generation::Si3 | Generation::Si4 => base.create(spec.names_file())?,
        };
        let index = base.grow(spec.index_file())?;
        let texts = TextEncoder {
            charset: options.charset.or(Some(Charset::UTF_8)),
            keep: None,
        };
        let encoder = GameEncoder::new(texts, spec);
        Ok(Some(Writer {
            sink: base,
            spec,
            files: [names, index],
            games,
            state: WriterState::appending(encoder, options.allow, old.games),
            about: match old.file_header {
                Some(file_header) => Metadata::FileHeader(Box::new(file_header)),
                None => Metadata::Log(Vec::new()),
            },
            names: old.names,
            entries: Vec::new(),
        }))
    }
}

/// The state of an existing database to append to.
struct ExistingDatabase {
    file_header: Option<FileHeader>,
    games: u32,
    names: NameTables,
}

/// The index and games file of an existing database.
pub(super) struct ExistingGames {
    pub(super) file_header: Option<FileHeader>,
    pub(super) count: u32,
    /// The length of the games file.
    pub(super) games_bytes: u64,
}

impl ExistingGames {
    /// Reads the header of the index. `None` if a file is missing, or if the index does not have as
    /// many entries as its header says.
    pub(super) fn read(spec: &Spec, base: &dyn Growing) -> Result<Option<ExistingGames>> {
        let [index, games, names] = spec.files;
        let lengths = [index, games, names].map(|role| base.length(role));
        let [Some(index_bytes), Some(games_bytes), Some(_)] = lengths else {
            return Ok(None);
        };
        let Some(entry_bytes) = index_bytes.checked_sub(spec.file_header as u64) else {
            return Ok(None);
        };
        let count = entry_bytes / spec.entry as u64;
        // New entries after part of an entry would be read at a wrong offset.
        let mut is_sound = entry_bytes % spec.entry as u64 == 0;
        let mut file_header = None;
        if spec.file_header > 0 {
            let mut bytes = vec![0; spec.file_header];
            base.read_old(index, 0, &mut bytes)?;
            let read = FileHeader::parse(&bytes)?;
            is_sound &= read.size() == spec.file_header && u64::from(read.games) == count;
            file_header = Some(read);
        }
        let count = u32::try_from(count).ok().filter(|_| is_sound);
        Ok(count.map(|count| ExistingGames {
            file_header,
            count,
            games_bytes,
        }))
    }
}

impl ExistingDatabase {
    fn read(
        spec: &Spec,
        base: &dyn Growing,
        charset: Option<Charset>,
    ) -> Result<Option<ExistingDatabase>> {
        let Some(existing) = ExistingGames::read(spec, base)? else {
            return Ok(None);
        };
        let ExistingGames {
            file_header,
            count,
            games_bytes,
        } = existing;
        let bytes = base.read_whole(spec.names_file())?;
        let names = match spec.generation {
            Generation::Si5 => NameTables::from_log(spec, &bytes),
            Generation::Si3 | Generation::Si4 => match NameFile::parse(&bytes)? {
                (file, None) => NameTables::from_file(spec, &file),
                (_, Some(_)) => None,
            },
        };
        let Some(names) = names else {
            return Ok(None);
        };
        // Current versions of Scid take all texts for UTF-8, which would not match names in an old
        // charset.
        let detector = EncodingDetector::new(FALLBACK);
        let is_utf8 = |name: &[u8]| name.is_ascii() || detector.charset(name) == Charset::UTF_8;
        if charset.is_none() && !names.all(is_utf8) {
            return Ok(None);
        }
        let counts = names.lists.each_ref().map(|list| list.len());
        let inside = are_inside(spec, base, count, games_bytes, counts)?;
        Ok(inside.then_some(ExistingDatabase {
            file_header,
            games: count,
            names,
        }))
    }
}

/// Returns whether every entry refers to an existing record and existing names.
pub(super) fn are_inside(
    spec: &Spec,
    base: &dyn Growing,
    count: u32,
    games_bytes: u64,
    names: [u32; 4],
) -> Result<bool> {
    let mut offset = spec.file_header as u64;
    let mut left = u64::from(count);
    let mut bytes = Vec::new();
    while left > 0 {
        let portion = left.min(PORTION);
        let length = portion * spec.entry as u64;
        bytes.resize(length as usize, 0);
        base.read_old(spec.index_file(), offset, &mut bytes)?;
        for mut entry in Entries::split(&bytes, spec.generation).0.iter() {
            let end = entry.offset.checked_add(entry.length.into());
            let mut numbers = NAME_LISTS.into_iter().zip(entry.names_mut());
            let named =
                numbers.all(|(list, number)| names.get(list).is_some_and(|count| *number < *count));
            if !named || end.is_none_or(|end| end > games_bytes) {
                return Ok(false);
            }
        }
        offset += length;
        left -= portion;
    }
    Ok(true)
}
