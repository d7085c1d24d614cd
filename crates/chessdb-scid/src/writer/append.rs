//! Appending to an existing database: records after the games, entries after the index, and names.

use chessdb_core::files::Growing;
use chessdb_core::store::{ChangeGames, WriteEncoded};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{Charset, ErrorKind, Game, Losses, Result, WriteOptions};

use super::change::GameChanger;
use super::{EncodedGame, GameEncoder, add_lost_names};
use crate::entry::NAME_LISTS;
use crate::format::TAG_EXPORT;
use crate::generation::Generation;
use crate::names::left_out;
use crate::text::{FALLBACK, TextEncoder};

impl<'a> GameChanger<'a> {
    /// Opens a database of this generation for appending. `None` if the database must be rewritten:
    /// the names are not UTF-8 and no charset is given, or the files do not match, so that new
    /// games would be stored where the index already expects others, or would get name numbers that
    /// are already in use.
    pub(crate) fn open_to_append(
        generation: Generation,
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let charset = options.charset;
        let Some(mut changer) = GameChanger::open(generation, base, options)? else {
            return Ok(None);
        };
        let Some(names) = changer.database.names()? else {
            return Ok(None);
        };
        // Current versions of Scid take all texts for UTF-8, which would not match names in an old
        // charset.
        let detector = EncodingDetector::new(FALLBACK);
        let is_utf8 = |name: &[u8]| name.is_ascii() || detector.charset(name) == Charset::UTF_8;
        if charset.is_none() && !names.all(&is_utf8) {
            return Ok(None);
        }
        changer.state.encoder.texts = TextEncoder {
            charset: charset.or(Some(Charset::UTF_8)),
            keep: None,
        };
        Ok(if changer.can_append()? { Some(changer) } else { None })
    }

    /// Reads the names, and opens the games file. Returns false if the database must be rewritten.
    pub(super) fn can_append(&mut self) -> Result<bool> {
        let can_grow = self.database.names()?.is_some_and(|names| names.can_grow());
        Ok(can_grow && self.database.open_games()?)
    }
}

impl WriteEncoded for GameChanger<'_> {
    chessdb_core::writer_state!(GameEncoder);

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
        entry.write(spec, &mut self.added);
        let longest = encoded.longest_tag() as u64;
        self.state.compare_limit(&TAG_EXPORT, longest);
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        ChangeGames::finish(self)
    }
}
