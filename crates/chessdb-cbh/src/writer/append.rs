//! Appending to an existing database (docs/formats/cbh.md, section 20).

use chessdb_core::files::Growing;
use chessdb_core::store::{ChangeGames, WriteEncoded};
use chessdb_core::text::{CharsetPrior, EncodingDetector, Evidence};
use chessdb_core::{Charset, ErrorKind, Game, Losses, Result, WriteOptions};

use super::change::GameChanger;
use super::existing::ExistingBase;
use super::{GAMES, GameBuffers};
use crate::raw::cut;
use crate::table_writers::MAX_NAMES;
use crate::text::TextEncoder;

/// The number of players at each end of the table whose names show the code page of a database.
const EXAMINED_NAMES: u32 = 128;

impl<'a> GameChanger<'a> {
    /// Opens a database for appending. `None` if it must be rewritten: its files do not match, or it
    /// has no extended headers of the current form, which hold all fields of a new game.
    pub(crate) fn open_to_append(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let charset = options.charset;
        let Some(mut changer) = GameChanger::open(base, options)? else {
            return Ok(None);
        };
        if !changer.can_append()? {
            return Ok(None);
        }
        let page = match charset {
            Some(page) => page,
            None => page_of(&mut changer.existing, changer.base)?,
        };
        let texts = TextEncoder::new(Some(page), None);
        changer.existing.names.texts = texts.clone();
        changer.state.encoder = texts;
        Ok(Some(changer))
    }

    /// Returns whether games can be appended.
    pub(super) fn can_append(&mut self) -> Result<bool> {
        if !self.can_append {
            self.can_append = self.existing.is_complete(self.base)?;
        }
        Ok(self.can_append)
    }
}

/// Returns the code page of the names of a database, by a sample of them. New texts then have the
/// encoding in which readers expect them.
fn page_of(existing: &mut ExistingBase, base: &dyn Growing) -> Result<Charset> {
    let mut evidence = Evidence::new();
    if let Some(players) = existing.names.table(base, 0)? {
        let count = players.len();
        let last = EXAMINED_NAMES.max(count.saturating_sub(EXAMINED_NAMES));
        for number in (0..EXAMINED_NAMES.min(count)).chain(last..count) {
            let name = players.name(base, number)?;
            if let Some((last, first)) = name.split_at_checked(30) {
                evidence.add_together([cut(last), cut(first)]);
            }
        }
    }
    let guess = evidence.guess(CharsetPrior::ChessBaseWindows);
    // A few western names can look like those of another code page.
    let guess = guess.filter(|guess| !guess.low);
    let page = guess.map(|guess| EncodingDetector::of_base(&guess, Charset::WINDOWS_1252).page());
    Ok(page.unwrap_or(Charset::WINDOWS_1252))
}

impl WriteEncoded for GameChanger<'_> {
    chessdb_core::writer_state!(TextEncoder);

    fn fit(&self, _: &Game, _: &mut GameBuffers, _: &mut Losses) -> bool {
        self.existing.next_id() <= GAMES
    }

    fn put(&mut self, _: &Game, encoded: &mut GameBuffers) -> Result<()> {
        if self.existing.append_game(self.base, encoded)? {
            return Ok(());
        }
        Err(ErrorKind::over_limit("names of each kind", MAX_NAMES.into()).into())
    }

    fn close(self: Box<Self>) -> Result<()> {
        ChangeGames::finish(self)
    }
}
