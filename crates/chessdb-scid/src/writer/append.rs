//! Appending to an existing database: records after the games, entries after the index, and names.

use chessdb_core::files::Growing;
use chessdb_core::store::{WriteEncoded, WriterState};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{Charset, ErrorKind, Game, Losses, Result, WriteOptions};

use super::existing::ExistingDatabase;
use super::{EncodedGame, GameEncoder, add_lost_names};
use crate::entry::NAME_LISTS;
use crate::format::TAG_EXPORT;
use crate::generation::Generation;
use crate::names::left_out;
use crate::text::{FALLBACK, TextEncoder};

/// A database that games are appended to. Only the index entry of each new game and its names stay in
/// memory.
pub struct Appender<'a> {
    database: ExistingDatabase<'a>,
    state: WriterState<GameEncoder>,
    entries: Vec<u8>,
}

impl<'a> Appender<'a> {
    /// Opens a database of this generation for appending. `None` if the database must be rewritten:
    /// the names are not UTF-8 and no charset is given, or the files do not match, so that new
    /// games would be stored where the index already expects others, or would get name numbers that
    /// are already in use.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be read or written.
    pub fn open(
        generation: Generation,
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<Appender<'a>>> {
        let Some(mut database) = ExistingDatabase::open(generation, base)? else {
            return Ok(None);
        };
        let Some(names) = database.names()? else {
            return Ok(None);
        };
        // Current versions of Scid take all texts for UTF-8, which would not match names in an old
        // charset.
        let detector = EncodingDetector::new(FALLBACK);
        let is_utf8 = |name: &[u8]| name.is_ascii() || detector.charset(name) == Charset::UTF_8;
        let is_readable = options.charset.is_some() || names.all(&is_utf8);
        if !is_readable || !names.can_grow() || !database.open_games()? {
            return Ok(None);
        }
        let texts = TextEncoder {
            charset: options.charset.or(Some(Charset::UTF_8)),
            keep: None,
        };
        let encoder = GameEncoder::new(texts, database.spec);
        let state = WriterState::appending(encoder, options.allow, database.count);
        Ok(Some(Appender {
            database,
            state,
            entries: Vec::new(),
        }))
    }
}

impl WriteEncoded for Appender<'_> {
    type Encoder = GameEncoder;

    fn state(&self) -> &WriterState<GameEncoder> {
        &self.state
    }

    fn state_mut(&mut self) -> &mut WriterState<GameEncoder> {
        &mut self.state
    }

    fn fit(&self, _: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> bool {
        let spec = self.database.spec;
        let Some(names) = self.database.read_names() else {
            return false;
        };
        if !self.database.has_room(encoded.record.len()) || self.state.total() >= spec.max_games {
            return false;
        }
        let has_name = |list, name: &[u8]| names.find(list, name).is_some();
        let Some(left_out) = left_out(
            &encoded.names,
            names.counts_with_new(),
            spec.max_names,
            &has_name,
        ) else {
            return false;
        };
        encoded.left_out = left_out;
        add_lost_names(left_out, losses);
        true
    }

    fn put(&mut self, _: &Game, encoded: &mut EncodedGame) -> Result<()> {
        let spec = self.database.spec;
        encoded.clear_left_out();
        let mut entry = encoded.entry;
        let full = || ErrorKind::Structure("appending a game that does not fit");
        if let Some(names) = self.database.names()? {
            let numbers = entry.names_mut().into_iter().zip(NAME_LISTS);
            for ((number, list), name) in numbers.zip(&encoded.names) {
                let max = spec.max_names.get(list).copied().unwrap_or(0);
                *number = names.number(list, name, max).ok_or_else(full)?;
                names.count(list, *number, 1);
            }
        }
        let offset = self.database.append_record(&encoded.record)?;
        entry.offset = offset.ok_or_else(full)?;
        entry.length = encoded.record.len() as u32;
        entry.write(spec, &mut self.entries);
        let longest = encoded.longest_tag() as u64;
        self.state.compare_limit(&TAG_EXPORT, longest);
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.database.finish(&[], &self.entries)
    }
}

impl std::fmt::Debug for Appender<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Appender")
            .field("generation", &self.database.spec.generation)
            .field("games", &self.state.total())
            .finish()
    }
}
